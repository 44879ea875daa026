"""A small Bayesian filter: how likely is it that the Hydralisk is near each sender?

Log-odds are added up over the window with a forgetting factor; everything stays bounded through clipping.
"""

from __future__ import annotations

import math

import numpy as np

from generated_protocols import Array, Inbox, Observation

PRIOR = 0.2
HIT = 0.9        # P(seen | near)
FALSE_ALARM = 0.05  # P(seen | not near)
FORGET = 0.8
MAX_LOG_ODDS = 6.0

PRIOR_LOG_ODDS = math.log(PRIOR / (1.0 - PRIOR))
UPDATE_SEEN = math.log(HIT / FALSE_ALARM)
UPDATE_UNSEEN = math.log((1.0 - HIT) / (1.0 - FALSE_ALARM))


def log_odds(seen: Array) -> Array:
    """Filter `[R, W]` sightings into the log-odds now, `[R]`."""
    belief = np.full(seen.shape[0], PRIOR_LOG_ODDS)
    for step in range(seen.shape[1]):
        evidence = np.where(seen[:, step], UPDATE_SEEN, UPDATE_UNSEEN)
        belief = FORGET * belief + evidence
        belief = np.clip(belief, -MAX_LOG_ODDS, MAX_LOG_ODDS)
    return belief


def sigmoid(x: Array) -> Array:
    return 1.0 / (1.0 + np.exp(-x))


def send(own: Observation) -> dict[str, Array]:
    return {"odds": log_odds(own.past("enemy_0.distance") > 0.0)}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    # Independent observers: log-odds add up.
    joint = np.where(inbox.delivered, inbox["odds"], 0.0).sum(axis=1)
    return {"belief": sigmoid(np.clip(joint, -MAX_LOG_ODDS, MAX_LOG_ODDS))}
