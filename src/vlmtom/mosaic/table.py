"""Who sits at a trial: its reward, its draws, and its two agents."""

from collections.abc import Callable, Mapping

import numpy as np

from vlmtom.mosaic.agent import Agent
from vlmtom.mosaic.conditions import BY_SLUG
from vlmtom.mosaic.embedded import embedded_agent
from vlmtom.mosaic.game import Rules, Trial
from vlmtom.mosaic.tester import Seat, TesterAgent
from vlmtom.mosaic.voice import Voiced
from vlmtom.mosaic.world import DARK, LIGHT, ROLES, Role
from vlmtom.settings import MOSAIC, PlaySpec
from vlmtom.store import seed_for


def trials_of(spec: PlaySpec) -> list[Trial]:
    """A condition's trials, from 1, each with where its reward is.

    The place is drawn for the condition and the trial, not for who plays: all pairs of a run face
    the same trials. Balanced, each box holds it equally often (the light one once more where the
    number is odd), in a drawn order.
    """
    condition = BY_SLUG[spec.condition]
    numbers = range(1, spec.game.trials + 1)
    if spec.game.balanced:
        rng = np.random.default_rng(seed_for(spec.seed, MOSAIC, condition.slug, "balanced"))
        order = rng.permutation([number % 2 for number in numbers])
        rewards = [DARK if box == 0 else LIGHT for box in order]
    else:
        rewards = [
            seed_for(spec.seed, MOSAIC, condition.slug, "reward", number) & 1 for number in numbers
        ]
    return [Trial(condition, n, reward) for n, reward in zip(numbers, rewards, strict=True)]


def rules_of(spec: PlaySpec) -> Rules:
    """The configured rules of the game."""
    game = spec.game
    return Rules(frame=game.move_frame, sensitivity=game.sensitivity, listening=game.listening)


def agents_of(
    spec: PlaySpec, trial: Trial, seat: Callable[[str, Trial], Seat]
) -> Mapping[Role, Agent]:
    """The agents of a trial, each with draws of its own. seat: of a model, by its slug."""
    return {role: _agent(spec, trial, role, seat) for role in ROLES}


def _agent(spec: PlaySpec, trial: Trial, role: Role, seat: Callable[[str, Trial], Seat]) -> Agent:
    slug = spec.pair.subject if role == "subject" else spec.pair.participant
    entry = spec.agents.get(slug)
    if entry is None:
        return TesterAgent(role, seat(slug, trial))
    drawn = seed_for(spec.seed, MOSAIC, trial.condition.slug, trial.number, role, entry.policy)
    agent = embedded_agent(entry, role, np.random.default_rng(drawn), spec.game.move_frame)
    if entry.voice is None:
        return agent
    return Voiced(agent, TesterAgent(role, seat(entry.voice, trial)))
