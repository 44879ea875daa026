"""Trained policies that stand alone: one folder and one process per agent, and nothing but payloads between them.

`export.export_run` writes them, `policy.AgentPolicy` is one agent, `playing.play_agents` lets them act together.
Nothing is imported here, so that an agent's process loads its policy and no environment.
"""
