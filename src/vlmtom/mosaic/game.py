"""Plays one trial: who acts when, what each is given, and what is put down of it.

Ten rounds, in each of which the subject acts and then the participant, who sees the subject's new
place. After both moves of rounds 3, 6 and 9 the participant asks, the subject answers, and each
listener takes in what was said. Source: MOSAIC paper, section 3.1.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from vlmtom.mosaic.agent import Agent, Decision, Moment, Remembered, TrialLost
from vlmtom.mosaic.beliefs import Beliefs, Update, heard, initial
from vlmtom.mosaic.conditions import Condition
from vlmtom.mosaic.world import (
    BOXES,
    ROLES,
    ROUNDS,
    VERBAL_ROUNDS,
    Frame,
    PublicState,
    Role,
    act,
    certainty,
    nearer_sideways,
    opposite,
    start,
)


@dataclass(frozen=True)
class Rules:
    """What of the game is configured.

    frame: which heading the names of directions are read from. sensitivity: the share of the skin,
    against the face, in how the other's valence is read into the beliefs. listening: the share of
    the way that an utterance moves a preference.
    """

    frame: Frame = "heading"
    sensitivity: float = 0.5
    listening: float = 0.5


@dataclass(frozen=True)
class Trial:
    """One trial to be played. number: from 1. reward: the box that holds it."""

    condition: Condition
    number: int
    reward: int


@dataclass
class Played:
    """A trial's log. lost: why it was not played to its end; null where it was.

    steps, utterances: rows of MOSAIC_STEPS and MOSAIC_UTTERANCES, but for the columns that name
    the trial.
    """

    trial: Trial
    steps: list[dict[str, Any]] = field(default_factory=list)
    utterances: list[dict[str, Any]] = field(default_factory=list)
    lost: str | None = None


async def play(trial: Trial, agents: Mapping[Role, Agent], rules: Rules) -> Played:
    """Play a trial to its end, or until a reply is missing that it cannot do without."""
    table = _Table(trial, agents, rules)
    try:
        for number in range(1, ROUNDS + 1):
            for role in ROLES:
                await table.turn(number, role)
            if number in VERBAL_ROUNDS:
                for role in ("participant", "subject"):
                    await table.word(number, role)
            table.remember()
    except TrialLost as lost:
        table.played.lost = lost.message
    return table.played


class _Table:
    """A trial while it is played."""

    def __init__(self, trial: Trial, agents: Mapping[Role, Agent], rules: Rules) -> None:
        self._agents, self._rules = agents, rules
        self._state: PublicState = start()
        self._beliefs: dict[Role, Beliefs] = {
            role: initial(role, trial.condition, trial.reward, agents[role].stance)
            for role in ROLES
        }
        self._past: dict[Role, list[Remembered]] = {role: [] for role in ROLES}
        self._heard: dict[Role, str | None] = dict.fromkeys(ROLES)
        self.played = Played(trial)
        self.remember()
        for role in ROLES:
            self.played.steps.append(self._step(0, role, None, False))

    def remember(self) -> None:
        """Add the end of a round to what both can look back on."""
        for role in ROLES:
            # As it is seen at that moment: the other has moved since it acted itself.
            beliefs = self._beliefs[role].perceiving(self._state, self._rules.sensitivity)
            self._past[role].append(Remembered(self._state, beliefs))

    async def turn(self, number: int, role: Role) -> None:
        """One agent looks, decides and acts."""
        moment = self._moment(number, role)
        decision = await self._agents[role].act(moment)
        before = self._state.body(role).cell
        acted = act(self._state, role, decision.action, self._rules.frame)
        self._state = acted.state
        self._beliefs[role] = _after(moment.beliefs, decision)
        row = self._step(number, role, decision, acted.blocked)
        row["toward_box"] = nearer_sideways(before, acted.state.body(role).cell)
        self.played.steps.append(row)

    async def word(self, number: int, speaker: Role) -> None:
        """One agent says something, and the other takes it in."""
        said = await self._agents[speaker].speak(self._moment(number, speaker))
        listener = opposite(speaker)
        self._heard[listener] = said.text
        updates: tuple[Update, ...] = ()
        not_taken = False
        if said.text:
            moment = self._moment(number, listener)
            taken = await self._agents[listener].listen(moment)
            updates, not_taken = taken.updates, taken.unreadable
            self._beliefs[listener] = heard(moment.beliefs, updates, self._rules.listening)
        self.played.utterances.append(
            {
                "round": number,
                "speaker": speaker,
                "text": said.text,
                "inner": said.inner,
                "flags": list(said.flags),
                "unreadable": said.unreadable,
                "updates": [f"{u.whose} | {u.entity} | {_variation(u)}" for u in updates],
                "not_taken": not_taken,
            }
        )

    def _moment(self, number: int, role: Role) -> Moment:
        beliefs = self._beliefs[role].perceiving(self._state, self._rules.sensitivity)
        return Moment(self._state, beliefs, number, tuple(self._past[role]), self._heard[role])

    def _step(
        self, number: int, role: Role, decision: Decision | None, blocked: bool
    ) -> dict[str, Any]:
        body, beliefs = self._state.body(role), self._beliefs[role]
        gaze = [certainty(body.cell, body.heading, box) for box in BOXES]
        action = None if decision is None else decision.action
        return {
            "round": number,
            "role": role,
            "x": body.cell[0],
            "y": body.cell[1],
            "hx": body.heading[0],
            "hy": body.heading[1],
            "facial": body.facial,
            "physiological": body.physiological,
            "felt": beliefs.felt,
            "action": None if action is None else action.kind,
            "direction": None if action is None else action.direction,
            "blocked": blocked,
            "unreadable": decision is not None and decision.unreadable,
            "g_dark": gaze[0],
            "g_light": gaze[1],
            "own_other": beliefs.own.other,
            "own_dark": beliefs.own.dark,
            "own_light": beliefs.own.light,
            "their_other": beliefs.theirs.other,
            "their_dark": beliefs.theirs.dark,
            "their_light": beliefs.theirs.light,
            "picture": None if decision is None else decision.picture,
            "stated_box": None if decision is None else decision.stated_box,
            "toward_box": None,
        }


def _after(beliefs: Beliefs, decision: Decision) -> Beliefs:
    """Beliefs after a decision. The subject's own preferences are its role's and stay."""
    own = beliefs.own
    if decision.own is not None and beliefs.owner == "participant":
        own = decision.own.normalised()
    theirs = beliefs.theirs if decision.theirs is None else decision.theirs
    return replace(beliefs, own=own, theirs=theirs, felt=decision.action.felt)


def _variation(update: Update) -> str:
    return "more positive" if update.towards > 0.5 else "more negative"
