"""Which agent of the package's own stands behind a policy's name."""

import numpy as np

from vlmtom.mosaic.agent import Agent
from vlmtom.mosaic.baselines import Fixed, Random, Silent
from vlmtom.mosaic.pcm.agent import PCMAgent
from vlmtom.mosaic.pcm.settings import PCMSettings
from vlmtom.mosaic.pcm.speech import Voice
from vlmtom.mosaic.world import Frame, Role

POLICIES = ("pcm", "random", "silent", "fixed")


def embedded_agent(
    policy: str,
    role: Role,
    rng: np.random.Generator,
    frame: Frame = "heading",
    settings: PCMSettings | None = None,
    direction: str = "right forward",
    voice: Voice | None = None,
) -> Agent:
    """An agent for one role of one trial.

    policy: one of POLICIES. rng: its own, seeded by the trial and the role. settings, voice: of
    pcm; the defaults where null. direction: of fixed. Raises ValueError for any other policy or
    direction.
    """
    if policy == "pcm":
        return PCMAgent(role, rng, frame, settings, voice)
    if policy == "random":
        return Random(role, rng)
    if policy == "silent":
        return Silent()
    if policy == "fixed":
        return Fixed(direction)
    raise ValueError(f"no policy {policy!r}; there are {', '.join(POLICIES)}")
