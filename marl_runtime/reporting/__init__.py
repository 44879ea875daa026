"""Runs and comparisons of runs as chapters of a page."""

from marl_runtime.reporting.comparison import comparison_chapters
from marl_runtime.reporting.reading import is_run, runs_in
from marl_runtime.reporting.run import run_chapter

__all__ = ["comparison_chapters", "is_run", "run_chapter", "runs_in"]
