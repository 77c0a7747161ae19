"""An agent that is a model: what it is asked in each moment, and what its replies come to.

A reply that holds no answer that can be read (also one that is empty, cut short or refused) is
asked for again, a few times, in the same words under the next number. Then the agent stays idle,
says nothing, or changes nothing, and the log says so. A call that brings no reply at all ends the
trial: that is missing, not wrong.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol, TypeVar

from vlmtom.calls.messages import writable
from vlmtom.calls.requests import model_asked, request_digest, sampling_parameters
from vlmtom.calls.types import Request, Turn
from vlmtom.mosaic import prompts
from vlmtom.mosaic.agent import Decision, Heard, Moment, TrialLost, Utterance
from vlmtom.mosaic.beliefs import Attitude, Entity, Stance
from vlmtom.mosaic.intentions import stated_box
from vlmtom.mosaic.replies.actions import read_action
from vlmtom.mosaic.replies.preferences import read_preferences
from vlmtom.mosaic.replies.speech import read_speech
from vlmtom.mosaic.world import Action, Frame, PublicState, Role
from vlmtom.settings import MOSAIC, MosaicArm, SeatSpec
from vlmtom.store import seed_for

LOST = frozenset({"api_error", "model_mismatch"})


class Reading(Protocol):
    """What was read from a reply, or why nothing was."""

    parsed: bool
    reason: str | None
    repairs: tuple[str, ...]


Read = TypeVar("Read", bound=Reading)


@dataclass(frozen=True)
class Seat:
    """One model at the table of a trial.

    reply: what the journal holds of a request, asked for where it holds nothing; it raises
    TrialLost where the job has stopped. show: the pixel SHA-256 of what a role sees of a state.
    frame, tom_triple, reasks: as configured.
    """

    spec: SeatSpec
    arm: MosaicArm
    trial: int
    reply: Callable[[Request], Awaitable[Mapping[str, Any]]]
    show: Callable[[PublicState, Role], Awaitable[str]]
    frame: Frame
    tom_triple: bool
    reasks: int


class TesterAgent:
    """One role of one trial, played by a model."""

    def __init__(self, role: Role, seat: Seat) -> None:
        self._role, self._seat = role, seat
        self._parameters = sampling_parameters(seat.spec)
        self.calls: list[dict[str, Any]] = []
        self.stance = Stance()

    async def act(self, moment: Moment) -> Decision:
        """What its reply to the action prompt says; to stay idle where none can be read."""
        seat = self._seat
        text = prompts.action_prompt(
            self._role,
            moment.beliefs,
            moment.state,
            seat.frame,
            seat.tom_triple,
            prompts.ARM_SIGHT[seat.arm],
        )
        picture = await self._picture(moment)
        found = await self._asked("action", moment.round, text, picture, self._read_action)
        if found is None:
            return Decision(Action("stay idle"), picture=picture, unreadable=True)
        return Decision(
            found.action,
            own=_stated(moment.beliefs.own, found.preferences),
            picture=picture,
            stated_box=stated_box(found.reasoning, self._role),
        )

    async def speak(self, moment: Moment) -> Utterance:
        """Its question or answer; silence where none can be read."""
        kind = "question" if self._role == "participant" else "answer"
        now = (moment.beliefs, moment.state)
        past = ((then.beliefs, then.state) for then in moment.past)
        text = prompts.speech_prompt(
            [*past, now],
            moment.heard,
            self._seat.tom_triple,
            prompts.ARM_SIGHT[self._seat.arm],
        )
        picture = await self._picture(moment)
        found = await self._asked(kind, moment.round, text, picture, self._read_speech)
        if found is None:
            return Utterance("", unreadable=True)
        return Utterance(found.text, found.inner, found.flags)

    async def listen(self, moment: Moment) -> Heard:
        """What its reply says the other's utterance changed; no picture is shown (D.3)."""
        text = prompts.preferences_prompt(
            moment.beliefs, moment.state, moment.heard or "", self._seat.tom_triple
        )
        found = await self._asked("preferences", moment.round, text, None, self._read_preferences)
        if found is None:
            return Heard(unreadable=True)
        return Heard(found.updates)

    def _read_action(self, text: str) -> Any:
        return read_action(text, self._role)

    def _read_speech(self, text: str) -> Any:
        return read_speech(text, self._role)

    def _read_preferences(self, text: str) -> Any:
        return read_preferences(text, self._role)

    async def _picture(self, moment: Moment) -> str | None:
        if self._seat.arm == "none":
            return None
        return await self._seat.show(moment.state, self._role)

    async def _asked(
        self,
        asked_for: str,
        number: int,
        text: str,
        picture: str | None,
        read: Callable[[str], Read],
    ) -> Read | None:
        """The first answer that can be read; None after the last re-ask. Raises TrialLost."""
        for ask in range(self._seat.reasks + 1):
            request = self._request(asked_for, number, text, picture, ask)
            record = await self._seat.reply(request)
            found = read(record["text"]) if record["status"] == "ok" else None
            self.calls.append(self._row(request, record, asked_for, number, found))
            if record["status"] in LOST:
                raise TrialLost(
                    f"round {number}, {self._role} ({self._seat.spec.tester}), {asked_for}: "
                    f"{record['status']}"
                    + (f", {record['error_kind']}" if record["error_kind"] else "")
                )
            if found is not None and found.parsed:
                return found
        return None

    def _request(
        self, asked_for: str, number: int, text: str, picture: str | None, ask: int
    ) -> Request:
        seat, spec = self._seat, self._seat.spec
        # Neither the pair nor a slug stands in what is asked: renaming a tester pays for nothing.
        place = f"{spec.condition}/{number:02d}/{self._role}/{asked_for}"
        turns = (Turn("user", text, () if picture is None else (picture,)),)
        seed = {}
        if spec.model.sampling.send_seed:
            drawn = seed_for(spec.seed, MOSAIC, place, seat.trial, ask)
            seed["seed"] = drawn % 2**31
        parameters = self._parameters | seed
        return Request(
            digest=request_digest(
                model_asked(spec), turns, parameters, trial=seat.trial, batch=place, ask=ask
            ),
            item_id=f"{MOSAIC}/{place}",
            arm=seat.arm,
            stimulus=spec.condition,
            trial=seat.trial,
            batch=place,
            ask=ask,
            model=spec.model.gateway_model,
            turns=turns,
            parameters=parameters,
        )

    def _row(
        self,
        request: Request,
        record: Mapping[str, Any],
        asked_for: str,
        number: int,
        found: Reading | None,
    ) -> dict[str, Any]:
        kept = {name: writable(record.get(name)) for name in _KEPT}
        if kept["started_utc"] is not None:
            kept["started_utc"] = datetime.fromisoformat(kept["started_utc"])
        return {
            "round": number,
            "role": self._role,
            "asked_for": asked_for,
            "ask": request.ask,
            "tester": self._seat.spec.tester,
            "request_digest": request.digest,
            "prompt": request.turns[0].text,
            "picture": request.turns[0].pictures[0] if request.turns[0].pictures else None,
            "status": record["status"],
            "parse": None if found is None else "parsed" if found.parsed else "unparsed",
            "reason": None if found is None else found.reason,
            "repairs": [] if found is None else list(found.repairs),
            **kept,
        }


def _stated(before: Attitude, stated: tuple[tuple[Entity, float], ...]) -> Attitude:
    """Preferences with those replaced that a reply states."""
    return replace(before, **dict(stated))


_KEPT = (
    *("text", "reasoning", "served_model", "prompt_tokens", "completion_tokens"),
    *("cost_usd", "attempts", "started_utc", "duration_s"),
)
