"""Networks shared over agents: utility network, mixers, and the communication module."""

from marl_runtime.networks.batch import TensorBatch, masked_mean
from marl_runtime.networks.communication import CommunicationModule
from marl_runtime.networks.initialise import initialise
from marl_runtime.networks.mixers import Mixer, build_mixer, find_mixer, mixer_names
from marl_runtime.networks.recurrence import Recurrence
from marl_runtime.networks.utility import UtilityNetwork

__all__ = [
    "CommunicationModule",
    "Mixer",
    "Recurrence",
    "TensorBatch",
    "UtilityNetwork",
    "build_mixer",
    "find_mixer",
    "initialise",
    "masked_mean",
    "mixer_names",
]
