"""`vlmtom rename`: a tester, judge or coder has another slug now, and its journal goes with it.

Records keep the old name, because a chain of hashes cannot be rewritten; tables take the name from
the configuration, so that they are rebuilt under the new one without a call. In the treasure game
the name also stands in the pairs: the journals of a pair, those of the other one too, get its new
name, because a job looks for them by it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from vlmtom.calls.budget import put_down, spent_at
from vlmtom.commands.forget import new_folder
from vlmtom.commands.games import PREFIX, folders_with, game_streams, pair_in, renamed_pair
from vlmtom.commands.places import Places
from vlmtom.errors import BadConfig, BadData
from vlmtom.settings import ModelEntry, Settings, load_registry, nearest
from vlmtom.store.files import read_table
from vlmtom.store.journal import all_streams, locked_streams, read_stream, segments, streams_kept
from vlmtom.store.schema import Schema
from vlmtom.store.schemas import REPLIES, TRACE_CODES, VERDICTS
from vlmtom.store.schemas.mosaic import MOSAIC_TRIALS

Role = Literal["tester", "judge", "coder"]
_SCHEMAS = {"tester": REPLIES, "judge": VERDICTS, "coder": TRACE_CODES}


@dataclass(frozen=True)
class Move:
    """One journal that gets another owner. aside: tables that hold the old name."""

    role: Role
    old: Path  # the folder of the old name
    new: Path
    aside: tuple[Path, ...]

    @property
    def journal(self) -> Path:
        """Where the journal is before."""
        return self.old / "journal"


@dataclass(frozen=True)
class Pairing:
    """A stream of the treasure game whose pair has another name now, in any tester's journal."""

    journal: Path
    stream: str
    renamed: str

    def files(self) -> list[tuple[Path, Path]]:
        """Segments, in order, with what they are called now."""
        found = segments(self.journal, self.stream)
        named = (path.name.removeprefix(self.stream) for _, path in found)
        return [
            (path, self.journal / f"{self.renamed}{rest}")
            for (_, path), rest in zip(found, named, strict=True)
        ]


@dataclass(frozen=True)
class Renamed:
    """What was moved. aside: where the old tables are; None if there were none.

    pairings: streams of the treasure game whose pair has another name.
    """

    moves: tuple[Move, ...]
    aside: Path | None
    other_models: Counter[str]  # replies of earlier gateway ids, which stay unused
    pairings: tuple[Pairing, ...] = ()
    game_tables: int = 0  # set aside with the others


def rename(settings: Settings, old: str, new: str) -> Renamed:
    """Move the journals of `old`, as a tester, as a judge and as a coder, to `new`.

    Everything is checked before anything moves. Raises BadConfig where the configuration does not
    say the same, BadData where replies are missing, there already or another model's, StreamBusy
    while a process writes one of the journals.
    """
    places = Places(Path(settings.results))
    moves = _moves(places, settings, old, new)
    _check_names(moves, settings, old, new)
    entry = load_registry(settings).models[new]
    models: Counter[str] = Counter()
    for move in moves:
        _refuse_occupied(move, new)
        _check_kind(_tables_of_one(move, places), old, new, entry)
        models += _check_models(move, old, new, entry)
    asked = any(move.role == "tester" for move in moves)
    pairings = tuple(_pairings(places, old, new)) if asked else ()
    games = tuple(folders_with(places, old)) if asked else ()
    for pairing in pairings:
        _refuse_paired(pairing, old, new)
    game_tables = sum(1 for folder in games for _ in folder.glob("*.parquet"))
    set_aside = bool(games) or any(move.aside for move in moves)
    aside = new_folder(places.results) if set_aside else None
    with ExitStack() as stack:
        for pairing in pairings:
            names = (pairing.stream, pairing.renamed)
            kept = {*locked_streams(pairing.journal)}.intersection(names) | {pairing.stream}
            if not any(pairing.journal == move.journal for move in moves):
                stack.enter_context(streams_kept(pairing.journal, kept))
        for move in moves:
            kept = {*all_streams(move.journal), *locked_streams(move.journal)}
            stack.enter_context(streams_kept(move.journal, kept))
            # A job that failed before its first call left a lock file there.
            left = move.new / "journal"
            stack.enter_context(streams_kept(left, locked_streams(left)))
        for folder in games if aside is not None else ():
            _set_aside(folder, places, aside)
        for pairing in pairings:
            _pair_anew(pairing, places)
        for move in moves:
            _carry_out(move, places, aside)
    del models[entry.gateway_model]
    return Renamed(moves, aside, models, pairings, game_tables)


def _pairings(places: Places, old: str, new: str) -> Iterator[Pairing]:
    """The streams of pairs in which the old name plays, in the journals of whoever answered."""
    for tester in places.testers():
        journal = places.replies(tester) / "journal"
        for stream in game_streams(all_streams(journal)):
            pair = pair_in(stream)
            if (named := renamed_pair(pair, old, new)) != pair:
                rest = stream.removeprefix(f"{PREFIX}{pair}")
                yield Pairing(journal, stream, f"{PREFIX}{named}{rest}")


def _refuse_paired(pairing: Pairing, old: str, new: str) -> None:
    """Raise BadData where the pair has a journal under its new name already."""
    for _, target in pairing.files():
        if target.exists():
            raise BadData(
                f"{target}: there already, and the journal {pairing.stream} of {old!r} would be "
                f"called so. Two journals cannot be joined: move the one of {new!r} away first."
            )


def _pair_anew(pairing: Pairing, places: Places) -> None:
    """Segments in order, so that the same command goes on if it is killed in between."""
    tester = pairing.journal.parent.name
    before, after = (
        places.spent("tester", tester, name) for name in (pairing.stream, pairing.renamed)
    )
    if before.exists():
        put_down(after, spent_at(before) + spent_at(after))
        before.unlink()
    for path, target in pairing.files():
        path.rename(target)
    (pairing.journal / f"{pairing.stream}.lock").unlink(missing_ok=True)


def _moves(places: Places, settings: Settings, old: str, new: str) -> tuple[Move, ...]:
    if old == new:
        raise BadConfig(f"both names are {old!r}; give the old name and the new one.")
    found = []
    named: tuple[tuple[Role, list[str]], ...] = (
        ("tester", places.testers()),
        ("judge", places.judges()),
        ("coder", places.coders()),
    )
    of_role = {"tester": places.replies, "judge": places.verdicts, "coder": places.codes}
    for role, names in named:
        if old in names:
            place = of_role[role]
            found.append(Move(role, place(old), place(new), tuple(_tables(place(old)))))
    moves = tuple(move for move in found if all_streams(move.journal))
    if moves:
        return moves
    if any(move.aside for move in found):
        hint = (
            "Put back the folder `journal` that belongs to them."
            if found[0].role == "coder"
            else "Run `vlmtom adopt` first, which makes a journal of them."
        )
        raise BadData(
            f"{found[0].old}: tables, but no journal, which is what a rename moves. {hint}"
        )
    named = (settings.asked_testers, settings.asked_judges)
    asked = {*places.testers(), *places.judges(), *places.coders()}
    known = asked.union(*named) - {old}
    hint = nearest(old, known) if not found else ""
    raise BadData(
        f"{places.results}: {old!r} has no replies and no verdicts (nor codes of traces), so that "
        "there is nothing to move; who was never asked is renamed in the configuration alone. "
        f"{hint}".rstrip()
    )


def _tables(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.glob("*.parquet")) if not path.name.startswith("."))


def _check_names(moves: tuple[Move, ...], settings: Settings, old: str, new: str) -> None:
    """Raise BadConfig unless the configuration has left the old name and taken the new one."""
    for move in moves:
        named, key = {
            "tester": (settings.asked_testers, "testers"),
            "judge": (settings.asked_judges, "judges"),
            "coder": (settings.trace_coders, "report_action.traces.coders"),
        }[move.role]
        if old in named:
            raise BadConfig(
                f"{old!r} is still named under `{key}:` of the configuration. Write {new!r} in its "
                "place there and in the registry, then rename; else it would be asked anew."
            )
        if new not in named:
            raise BadConfig(
                f"{new!r} is not named under `{key}:` of the configuration. {nearest(new, named)} "
                f"Name it there and in the registry ({settings.models}) first, or give "
                "the configuration that does with --config."
            )


def _refuse_occupied(move: Move, new: str) -> None:
    """Raise BadData if the new name has a journal or tables: two journals cannot become one."""
    there = [*all_streams(move.new / "journal"), *_tables(move.new)]
    if there:
        raise BadData(
            f"{move.new}: {new!r} has replies already ({Path(there[0]).name}), and two journals "
            f"cannot be joined. If they are not wanted, run `vlmtom forget {new}` first (for a "
            "judge or coder, move the folder away)."
        )


def _tables_of_one(move: Move, places: Places) -> Iterator[tuple[Path, Schema]]:
    """Tables that tell the kind of the old name alone: in the game, those of playing itself."""
    for path in move.aside:
        yield path, _SCHEMAS[move.role]
    for folder in places.games() if move.role == "tester" else ():
        if {*folder.name.split("+")[:2]} == {move.old.name}:
            for path in sorted(folder.glob("*.trials.parquet")):
                yield path, MOSAIC_TRIALS


def _check_kind(
    tables: Iterable[tuple[Path, Schema]], old: str, new: str, entry: ModelEntry
) -> None:
    """Raise BadData if a table says that the old name was of another kind."""
    for path, schema in tables:
        try:
            kinds = set(read_table(path, schema, ["kind"])["kind"].to_pylist())
        except BadData:
            continue  # a table that cannot be read tells nothing, and is set aside anyway
        if kinds - {entry.kind}:
            raise BadData(
                f"{path}: {old!r} is of the kind {', '.join(sorted(kinds))}, but {new!r} is of the "
                f"kind {entry.kind} in the registry. Replies of one are never shown as the other's."
                f" Correct `kind` of {new!r}, or leave the replies where they are."
            )


def _check_models(move: Move, old: str, new: str, entry: ModelEntry) -> Counter[str]:
    """Replies by gateway id. Raises BadData if there are some, and none is of the new entry's."""
    models = Counter(
        str(record["requested_model"])
        for stream in all_streams(move.journal)
        for record in read_stream(move.journal, stream)
        if record.get("kind") == "reply"
    )
    if models and entry.gateway_model not in models:
        raise BadData(
            f"{move.journal}: the replies of {old!r} are of {', '.join(sorted(models))}, but "
            f"{new!r} is {entry.gateway_model} in the registry. A renamed {move.role} keeps its "
            f"`gateway_model`; correct it, or leave the journal and have {new!r} asked anew."
        )
    return models


def _carry_out(move: Move, places: Places, aside: Path | None) -> None:
    """The journal last: killed in between, the same command goes on."""
    for path in move.aside if aside is not None else ():
        _set_aside(path, places, aside)
    role = "tester" if move.role == "tester" else "judge"  # a coder's job is a judge's
    for stream in all_streams(move.journal):
        # Else the budget would count it twice: there, and by the journal under the new name.
        spent, under_new = (
            places.spent(role, folder.name, stream) for folder in (move.old, move.new)
        )
        if spent.exists():
            put_down(under_new, spent_at(spent) + spent_at(under_new))
            spent.unlink()
    target = move.new / "journal"
    if target.is_dir():
        for lock in target.glob("*.lock"):
            lock.unlink()
        target.rmdir()
    target.parent.mkdir(parents=True, exist_ok=True)
    move.journal.rename(target)
    if not any(move.old.iterdir()):
        move.old.rmdir()


def _set_aside(path: Path, places: Places, aside: Path) -> None:
    target = aside / path.relative_to(places.results)
    target.parent.mkdir(parents=True, exist_ok=True)
    path.rename(target)


def report(done: Renamed, say: Callable[[str], object]) -> None:
    """Tell what was moved, and what follows."""
    for move in done.moves:
        say(f"{move.journal} is {move.new / 'journal'} now.")
    if done.pairings:
        say(f"{len(done.pairings)} journals of the treasure game carry the pair's new name.")
    if done.aside is not None:
        moved = done.game_tables + sum(len(move.aside) for move in done.moves)
        say(f"{done.aside}: the tables that held the old name are here now ({moved}).")
    if other := done.other_models.total():
        names = ", ".join(sorted(done.other_models))
        say(f"{other} replies are of earlier gateway ids ({names}); they are kept, and not used.")
    say("`snakemake` builds the tables anew from the journal, without a call.")
