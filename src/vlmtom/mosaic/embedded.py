"""Which agent of the package's own plays a role, by its configured policy."""

import numpy as np

from vlmtom.mosaic.agent import Agent
from vlmtom.mosaic.baselines import Fixed, Random, Silent
from vlmtom.mosaic.pcm.agent import PCMAgent
from vlmtom.mosaic.pcm.settings import PCMSettings
from vlmtom.mosaic.world import Frame, Role
from vlmtom.settings import MosaicAgent


def embedded_agent(
    entry: MosaicAgent, role: Role, rng: np.random.Generator, frame: Frame = "heading"
) -> Agent:
    """An agent for one role of one trial. rng: its own, seeded by the trial and the role."""
    if entry.policy == "silent":
        return Silent()
    if entry.policy == "fixed":
        return Fixed(entry.direction)
    if entry.policy == "random":
        return Random(role, rng)
    return PCMAgent(role, rng, frame, pcm_settings(entry))


def pcm_settings(entry: MosaicAgent) -> PCMSettings:
    """The reference agent's settings: it takes others to read faces and skins as it does itself."""
    return PCMSettings(
        horizon=entry.horizon,
        effort=entry.effort,
        epistemic=entry.epistemic,
        sensitivity=entry.sensitivity,
        modelled_sensitivity=entry.sensitivity,
        noise=entry.noise,
        verbal=entry.verbal,
    )
