"""Weights drawn from an explicit generator, so that a seed decides them and the global generator does not."""

from __future__ import annotations

import math

import torch
from torch import nn

__all__ = ["initialise"]


def initialise(module: nn.Module, generator: torch.Generator) -> None:
    """Draw every weight of `module` from torch's default distributions, with a CPU `generator`.

    Linear and recurrent layers are uniform within 1 / sqrt(fan in), fan in being the hidden width for a GRU; layer
    norms start at identity. Any other module with parameters of its own raises TypeError, so that none keeps global
    draws.
    """
    for part in module.modules():
        own = list(part.parameters(recurse=False))
        if isinstance(part, nn.LayerNorm):
            part.reset_parameters()
        elif isinstance(part, nn.Linear | nn.GRU):
            bound = 1 / math.sqrt(part.in_features if isinstance(part, nn.Linear) else part.hidden_size)
            for parameter in own:
                draw = torch.empty(parameter.shape).uniform_(-bound, bound, generator=generator)
                with torch.no_grad():
                    parameter.copy_(draw)
        elif own:
            raise TypeError(f"no initialisation is written for {type(part).__name__}")
