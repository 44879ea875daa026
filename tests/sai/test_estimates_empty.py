"""Scores of which nothing was scored are read again as they were written."""

from __future__ import annotations

import json

import numpy as np

from sai.estimates import Estimates


def test_no_cells_survive_json() -> None:
    nothing = Estimates((), np.zeros((2, 0)), np.zeros((5, 0), dtype=np.float32))
    again = Estimates.from_json(json.loads(json.dumps(nothing.to_json())))
    assert (again.cells, again.per_seed.shape, again.per_episode.shape, again.mean) == ((), (2, 0), (5, 0), 0.0)
