"""The task schema, episode batches, the replay buffer and the data set on disk."""

from buffers.episodes import EpisodeBatch, episode_bytes, extend_observations
from buffers.schema import Field, TaskSchema

__all__ = ["EpisodeBatch", "Field", "TaskSchema", "episode_bytes", "extend_observations"]
