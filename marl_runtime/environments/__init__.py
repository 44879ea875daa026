"""Adapters of other people's environments to the one interface of `marl_runtime.environment`."""
