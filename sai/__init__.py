"""Scores a protocol by how much better a decoder rebuilds the state with its messages than without.

Torch and pandas are imported inside the functions that use them.
"""

from sai.controls import Control, control_messages
from sai.decision import PartDecision, decide_part
from sai.estimates import Estimates
from sai.scorecard import Scorecard, paired_difference
from sai.scoring import score
from sai.types import Episodes, Interval, MessageSet, SaiConfig

__all__ = [
    "Control",
    "Episodes",
    "Estimates",
    "Interval",
    "MessageSet",
    "PartDecision",
    "SaiConfig",
    "Scorecard",
    "control_messages",
    "decide_part",
    "paired_difference",
    "score",
]
