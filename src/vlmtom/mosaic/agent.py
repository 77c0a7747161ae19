"""What the game asks of an agent, whatever stands behind it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from vlmtom.mosaic.beliefs import Attitude, Beliefs, Stance, Update
from vlmtom.mosaic.world import Action, PublicState


class TrialLost(Exception):
    """No reply came that the game could go on with; `message` says why."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True)
class Decision:
    """An action, and the preferences that the agent puts down with it; null: left as they were.

    picture: pixel SHA-256 of what was shown. stated_box: the box that the reasoning says it goes
    to. unreadable: no reply could be read, so that the action is to stay idle.
    """

    action: Action
    own: Attitude | None = None
    theirs: Attitude | None = None
    picture: str | None = None
    stated_box: int | None = None
    unreadable: bool = False


@dataclass(frozen=True)
class Utterance:
    """What is said; empty for silence. inner: the speech before it that nobody hears.

    flags: what of the form that was asked for is not kept (docs/mosaic.md).
    """

    text: str
    inner: str = ""
    flags: tuple[str, ...] = ()
    unreadable: bool = False


@dataclass(frozen=True)
class Heard:
    """What an utterance changed in the listener, and how often an answer could not be read."""

    updates: tuple[Update, ...] = ()
    unreadable: bool = False


@dataclass(frozen=True)
class Remembered:
    """What an agent saw and believed at the end of an earlier round."""

    state: PublicState
    beliefs: Beliefs


@dataclass(frozen=True)
class Moment:
    """What an agent is given: what is there to be seen, its own beliefs, and what was said last.

    It holds nothing of the other's beliefs, and of the reward only what the agent's own
    preferences say. round: from 1. past: the start and the end of every earlier round, the oldest
    first. heard: the other's last utterance; null before the first.
    """

    state: PublicState
    beliefs: Beliefs
    round: int
    past: Sequence[Remembered] = ()
    heard: str | None = None


class Agent(Protocol):
    """One role in one trial.

    calls: a row of CALLS for each request that was answered, but for the columns that name the
    trial. stance: its preferences at the start, where it is the subject.
    """

    calls: list[dict[str, Any]]
    stance: Stance

    async def act(self, moment: Moment) -> Decision:
        """What it does in this round. Raises TrialLost."""

    async def speak(self, moment: Moment) -> Utterance:
        """Its question (of the participant) or answer (of the subject). Raises TrialLost."""

    async def listen(self, moment: Moment) -> Heard:
        """What the other's last utterance changes. Raises TrialLost."""


@dataclass
class NoCalls:
    """Base of agents that ask nobody."""

    calls: list[dict[str, Any]] = field(default_factory=list)
    stance: Stance = field(default_factory=Stance)
