"""What the treasure game asks of a model, and how much of that its journals answer.

The game has no items: a trial is a row of calls of which each rests on the replies before it. In
which order they come is known, so that how far a trial is shows in the last call that is answered.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vlmtom.calls.types import Request
from vlmtom.commands.places import Places
from vlmtom.errors import BadData, BrokenJournal
from vlmtom.mosaic.agent import Moment, TrialLost
from vlmtom.mosaic.beliefs import initial
from vlmtom.mosaic.conditions import BY_SLUG
from vlmtom.mosaic.world import ROLES, ROUNDS, VERBAL_ROUNDS, PublicState, Role, start
from vlmtom.settings import (
    MOSAIC,
    MOSAIC_CONDITIONS,
    ModelEntry,
    MosaicArm,
    MosaicPair,
    MosaicSettings,
    PlaySpec,
    Registry,
    SeatSpec,
    Settings,
    play_spec,
)
from vlmtom.store.files import read_table
from vlmtom.store.journal import read_stream, streams
from vlmtom.store.schemas.mosaic import MOSAIC_CALLS

if TYPE_CHECKING:
    from vlmtom.mosaic.game import Trial
    from vlmtom.mosaic.pictures import Views

Row = Mapping[str, Any]

PREFIX = f"{MOSAIC}."  # of every stream of the game
# Between the actions of a round and the next one's, each role is asked these.
_WORDS: Mapping[Role, tuple[str, str]] = {
    "subject": ("preferences", "answer"),
    "participant": ("question", "preferences"),
}


@dataclass(frozen=True)
class Place:
    """One call of a trial, but for its re-asks."""

    round: int
    role: Role
    asked_for: str

    def batch(self, condition: str) -> str:
        """As requests and their records name it."""
        return f"{condition}/{self.round:02d}/{self.role}/{self.asked_for}"


@dataclass(frozen=True)
class Part:
    """What one model does in one pair and condition, in every trial.

    spec: its own seat. seats: for each role that it plays or speaks for, its calls in order.
    """

    play: PlaySpec
    spec: SeatSpec
    seats: tuple[tuple[Place, ...], ...]

    @property
    def model(self) -> ModelEntry:
        """The model's entry."""
        return self.spec.model

    @property
    def arm(self) -> MosaicArm:
        """What the pair is shown."""
        return self.play.pair.arm

    @property
    def planned(self) -> int:
        """Calls of all trials; fewer are made where an agent says nothing."""
        return sum(map(len, self.seats)) * self.play.game.trials


@dataclass(frozen=True)
class Open:
    """Calls of a part, but for re-asks.

    answered: those with a reply, by its status. failed: those of which the last ask brought none.
    left: by trial, what is still to be made.
    """

    answered: Counter[str] = field(default_factory=Counter)
    failed: int = 0
    left: Mapping[int, Sequence[Place]] = field(default_factory=dict)

    @property
    def calls(self) -> int:
        """Over all trials."""
        return sum(map(len, self.left.values()))


NOTHING_OPEN = Open()


def calls_of(role: Role, voice: bool) -> tuple[Place, ...]:
    """The calls of one role in a trial, in order: 16, or 6 of a model that lends its voice."""
    return tuple(
        Place(number, role, asked_for)
        for number in range(1, ROUNDS + 1)
        for asked_for in (
            *(() if voice else ("action",)),
            *(_WORDS[role] if number in VERBAL_ROUNDS else ()),
        )
    )


def parts_of(settings: Settings, registry: Registry, tester: str) -> list[Part]:
    """Everything that a model does in the game, by pair and condition."""
    return [
        Part(play, play.models[tester], _seats(settings.mosaic, pair, tester))
        for pair in settings.mosaic_pairs
        if tester in settings.mosaic_models(pair)
        for condition in MOSAIC_CONDITIONS
        for play in [play_spec(settings, registry, pair, condition)]
    ]


def _seats(game: MosaicSettings, pair: MosaicPair, tester: str) -> tuple[tuple[Place, ...], ...]:
    found = []
    for role in ROLES:
        slug = pair.subject if role == "subject" else pair.participant
        agent = game.agents.get(slug)
        if agent is None and slug == tester:
            found.append(calls_of(role, voice=False))
        elif agent is not None and agent.voice == tester:
            found.append(calls_of(role, voice=True))
    return tuple(found)


def records_of(folder: Path, part: Part) -> list[dict[str, Any]]:
    """What a journal folder holds of a part, in the order of writing. Raises BrokenJournal."""

    def read() -> list[dict[str, Any]]:
        named = streams(folder, part.spec.topic)
        return [record for stream in named for record in read_stream(folder, stream)]

    try:
        return read()
    except BrokenJournal:
        # A line may have been read while it was written: only what stays broken is.
        return read()


def still_open(part: Part, records: Mapping[str, Row]) -> Open:
    """What of a part is still to be asked.

    records: replies of the part's journal by digest, as `progress.tally` has them. A call counts as
    made if its last ask brought a reply. Replies of another gateway model count for nothing, nor
    does a trial of which the first request would be another one today: its words, its picture or
    its sampling were changed. That first request is known where the model plays the subject.
    """
    model, condition = part.model.gateway_model, part.spec.condition
    asks: dict[tuple[int, str], list[Row]] = {}
    for record in records.values():
        if record["requested_model"] == model and record.get("stimulus") == condition:
            asks.setdefault((record["trial"], record["batch"]), []).append(record)
    trials = range(1, part.play.game.trials + 1)
    changed = _changed(part, {trial for trial, _ in asks}.intersection(trials), records)
    answered: Counter[str] = Counter()
    failed, left = 0, {}
    for trial in trials:
        open_places: list[Place] = []
        ended = False
        for seat in part.seats:
            come = -1
            for number, place in enumerate(seat if trial not in changed else ()):
                of_place = asks.get((trial, place.batch(condition)))
                if of_place is None:
                    continue
                first, last = (
                    pick(of_place, key=lambda one: one["ask"])["status"] for pick in (min, max)
                )
                failed += last == "api_error"
                ended = ended or last == "model_mismatch"
                if last != "api_error":
                    come = number
                    answered[first] += 1
            open_places += seat[come + 1 :]
        if open_places and not ended:
            left[trial] = open_places
    return Open(answered, failed, left)


def _changed(part: Part, trials: Collection[int], records: Mapping[str, Row]) -> set[int]:
    if not trials or not any(seat[0] == Place(1, "subject", "action") for seat in part.seats):
        return set()
    found = first_requests(part)
    return {trial for trial in trials if found[trial].digest not in records}


def first_requests(part: Part) -> dict[int, Request]:
    """What the model is asked first as the subject, by trial: nothing was said or done before."""
    from vlmtom.mosaic.table import trials_of

    show = _views(part.arm).show
    place = Place(1, "subject", "action")
    return {trial.number: first_request(part, place, trial, show) for trial in trials_of(part.play)}


@cache
def _views(arm: MosaicArm) -> "Views":
    """One for all parts of an arm: the start is the same in each."""
    from vlmtom.mosaic.pictures import Views

    return Views(arm)


def first_request(
    part: Part, place: Place, trial: "Trial", show: Callable[[PublicState, Role], str]
) -> Request:
    """A role's action or words at the start of a trial, as the game asks for them.

    show: the pixel SHA-256 of what a role sees of a state.
    """
    from vlmtom.mosaic.tester import Seat, TesterAgent

    asked: list[Request] = []

    async def noted(request: Request) -> Row:
        asked.append(request)
        raise TrialLost("it is not sent")

    async def shown(state: PublicState, role: Role) -> str:
        return show(state, role)

    game = part.play.game
    seat = Seat(
        spec=part.spec,
        arm=part.arm,
        trial=trial.number,
        reply=noted,
        show=shown,
        frame=game.move_frame,
        tom_triple=game.tom_triple,
        reasks=game.reasks,
    )
    agent = TesterAgent(place.role, seat)
    believed = initial(place.role, trial.condition, trial.reward, agent.stance)
    moment = Moment(start(), believed.perceiving(start(), game.sensitivity), place.round)
    asking = agent.act(moment) if place.asked_for == "action" else agent.speak(moment)
    try:
        asking.send(None)  # up to its request, for which it would wait
    except TrialLost:
        return asked[0]
    finally:
        asking.close()
    raise RuntimeError(f"{place}: nothing was asked")


def prompt_of(place: Place, part: Part) -> str:
    """The prompt of a call if nothing had happened yet, whose length is telling."""
    from vlmtom.mosaic import prompts

    game = part.play.game
    sight, state = prompts.ARM_SIGHT[part.arm], start()
    beliefs = initial(place.role, BY_SLUG[part.spec.condition], 0)
    if place.asked_for == "action":
        return prompts.action_prompt(
            place.role, beliefs, state, game.move_frame, game.tom_triple, sight
        )
    heard = _SAID if place.asked_for != "question" or place.round > VERBAL_ROUNDS[0] else None
    if place.asked_for == "preferences":
        return prompts.preferences_prompt(beliefs, state, heard or "", game.tom_triple)
    # The start, the end of each earlier round, and now.
    history = [(beliefs, state)] * (place.round + 1)
    return prompts.speech_prompt(history, heard, game.tom_triple, sight)


# Of some thirty words, as the prompts ask for.
_SAID = "I would take one more careful look at the box on that side before you decide, " * 2


def shows_picture(place: Place, part: Part) -> bool:
    """Whether a call comes with a picture: not where preferences are asked for (D.3)."""
    return part.arm != "none" and place.asked_for != "preferences"


def game_streams(names: Iterable[str]) -> Iterator[str]:
    """Those of a journal's streams that are the game's."""
    return (name for name in names if name.startswith(PREFIX))


def pair_in(stream: str) -> str:
    """The pair in the name of a stream of the game, mosaic.PAIR.CONDITION.wN; slugs hold dots."""
    return stream.removeprefix(PREFIX).rpartition(".w")[0].rpartition(".")[0]


def renamed_pair(pair: str, old: str, new: str) -> str:
    """A pair's name after one of its two has another slug; the arm stays."""
    who, arm = pair.split("+")[:2], pair.split("+")[2:]
    return "+".join([*(new if slug == old else slug for slug in who), *arm])


def folders_with(places: Places, tester: str) -> list[Path]:
    """Folders of the pairs whose tables hold replies of a tester, or its name; sorted."""
    return [folder for folder in places.games() if _names(folder, tester)]


def _names(folder: Path, tester: str) -> bool:
    if tester in folder.name.split("+")[:2]:
        return True
    return any(tester in asked_in(path) for path in sorted(folder.glob("*.calls.parquet")))


def asked_in(calls: Path) -> set[str]:
    """The models that a table of calls has replies of; none of one that cannot be read."""
    try:
        return set(read_table(calls, MOSAIC_CALLS, ["tester"])["tester"].to_pylist())
    except BadData:
        return set()
