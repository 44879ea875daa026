"""The prompts of the language-model designers, as templates with versions, and nothing else."""

from prompts.render import Prompt, prompt_names, render, versions

__all__ = ["Prompt", "prompt_names", "render", "versions"]
