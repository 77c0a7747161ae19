"""A treasure game of two agents: one knows where the reward is, the other chooses a box."""
