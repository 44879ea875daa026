"""The designer that needs no language model: regression, greedy selection, and a writer of readable parts."""

from protocol_designer.designers.search.config import SearchConfig
from protocol_designer.designers.search.designer import SearchDesigner
from protocol_designer.designers.search.types import EpisodeArrays, Rescore, RunParts

__all__ = ["EpisodeArrays", "Rescore", "RunParts", "SearchConfig", "SearchDesigner"]
