"""Tasks, environments, rollouts, networks, the learner, training and evaluation. Knows no language model."""
