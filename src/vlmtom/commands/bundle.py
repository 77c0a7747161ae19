"""`vlmtom bundle`: a run as one archive, which rebuilds its tables elsewhere and asks nobody."""

import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from vlmtom.calls import history_of
from vlmtom.commands.archives import Member, refuse_place
from vlmtom.commands.leaks import Hit
from vlmtom.commands.packing import (
    configuration,
    listed,
    returned,
    run_files,
    sources,
    versions,
    write_pack,
)
from vlmtom.commands.panel import at_work, refuse_other_panel
from vlmtom.commands.places import Places, with_items
from vlmtom.commands.plan import plan
from vlmtom.commands.rebuilding import Rebuild, readme
from vlmtom.errors import BadData, NotBundled, StreamBusy, VlmtomError
from vlmtom.settings import MOSAIC, MOSAIC_CONDITIONS, Registry, Settings
from vlmtom.store.files import read_table
from vlmtom.store.journal import holder, locked_streams
from vlmtom.store.schema import Schema
from vlmtom.store.schemas import REPLIES, verdicts_of
from vlmtom.store.schemas.mosaic import (
    MOSAIC_CALLS,
    MOSAIC_STEPS,
    MOSAIC_TRIALS,
    MOSAIC_UTTERANCES,
)

FORMAT = 1
DESCRIPTION = "bundle.json"
WITHOUT_TEXT = "results/without_text"
TEXTS = {
    "replies": ("error", "text", "reasoning", "refusal"),
    "verdicts": ("text",),
    # A prompt of the game holds what the other said.
    "calls": ("prompt", "text", "reasoning"),
    "utterances": ("text", "inner"),
}
MOSAIC_LOGS: Mapping[str, Schema] = {
    "trials": MOSAIC_TRIALS,
    "steps": MOSAIC_STEPS,
    "utterances": MOSAIC_UTTERANCES,
    "calls": MOSAIC_CALLS,
}

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Bundled:
    """What was packed. shapes: strings that look like keys and were let pass."""

    path: Path
    files: int
    size: int
    rebuild: Rebuild
    shapes: tuple[Hit, ...] = ()
    unverified: tuple[str, ...] = ()


def bundle(
    settings: Settings,
    registry: Registry,
    out: Path,
    verify: Callable[[], Sequence[str]],
    *,
    text: bool = True,
    allow_shapes: bool = False,
    allow_unverified: bool = False,
    environment: Mapping[str, str] | None = None,
) -> Bundled:
    """Pack the results of a configuration with all that they rest on.

    verify: what differs from manifest, locks and journals. text: keep raw replies. Nothing is
    written before every file was looked through for keys. Raises FileExists or BadData for `out`,
    BadData for another panel's results, StreamBusy while a journal is written, NotBundled where the
    run is not whole, SecretInside.
    """
    refuse_place(out)
    places = Places(Path(settings.results))
    if not places.results.is_dir():
        raise BadData(f"{places.results}: no such folder. Run `snakemake` first.")
    refuse_other_panel(places.results, settings.panel)
    _refuse_written(settings, places)
    problems: list[str] = []
    try:
        problems += _unfinished(settings, places)
        problems += verify()
        problems = problems or _never_asked(settings, registry, places)
    except VlmtomError as error:  # such as stimuli that cannot be rendered here
        problems.append(str(error))
    # What is read elsewhere need not know where the results lie here.
    told = [problem.replace(str(places.results), "results") for problem in problems]
    if problems and not allow_unverified:
        raise NotBundled(
            f"{places.results} is not as its run left it, so that a bundle would not rebuild it:\n"
            f"{listed(problems)}\nRun `snakemake` to the end, or pack it as it is with "
            "--unverified."
        )
    rebuild = _rebuild(settings, places, text)
    members = [
        *run_files(settings, places, text, listed=not problems),
        *([] if text else _tables_without_text(settings, places)),
        *sources(settings, text=text),
        *configuration(settings, registry, text=text),
        _description(settings, rebuild, problems),
        Member("README.txt", readme(rebuild, settings, told).encode()),
    ]
    shapes = write_pack(
        *(out, members, registry, allow_shapes, environment),
        changed=lambda: _refuse_written(settings, places),  # a job may have started meanwhile
    )
    return Bundled(out, len(members) + 1, out.stat().st_size, rebuild, shapes, tuple(problems))


def report(done: Bundled, say: Callable[[str], object]) -> None:
    """Tell a person what was packed."""
    say(f"{done.path}: {done.files:,} files, {done.size:,} bytes.")
    if done.unverified:
        say(f"Packed although {len(done.unverified)} things differ; README.txt names them.")
    if done.shapes:
        say(f"Let pass, though they look like keys:\n{listed(map(str, done.shapes))}")
    for note in done.rebuild.notes:
        say(note)
    say(f"To unpack it: vlmtom unbundle {done.path.name} FOLDER")


def _refuse_written(settings: Settings, places: Places) -> None:
    folders = [places.replies(tester) for tester in settings.asked_testers]
    folders += [places.verdicts(judge) for judge in settings.asked_judges]
    if run := at_work(places.results):
        raise StreamBusy(
            f"{places.results}: a run is at work in it ({run}). Wait for it, then bundle."
        )
    for journal in (folder / "journal" for folder in folders):
        for stream in locked_streams(journal):
            try:
                who = holder(journal, stream)
            except OSError:  # no locks there: a file that changes while it is packed is noticed
                continue
            if who is not None:
                raise StreamBusy(
                    f"{journal}: the journal {stream} is being written by {who}. "
                    "Wait for it, then bundle."
                )


def _unfinished(settings: Settings, places: Places) -> list[str]:
    """Tables of replies, outcomes and verdicts that the configuration asks for, and are not there.

    `verify` knows what was made, not what a tester that was added since still lacks.
    """
    wanted = []
    for experiment in with_items(settings):
        for tester in settings.testers_of(experiment):
            wanted.append(places.replies(tester) / f"{experiment}.w1.parquet")
            wanted.append(places.results / "outcomes" / tester / f"{experiment}.parquet")
    verdicts = [path for path, _ in _verdict_tables(settings, places)]
    wanted += [path for log in MOSAIC_LOGS for path in _game_tables(settings, places, log)]
    found = [f"{path}: not there yet." for path in [*wanted, *verdicts] if not path.exists()]
    for path in _reply_tables(settings, places):
        found += _unjournalled(path, path.stem.rpartition(".w")[0], REPLIES)
    for path in filter(Path.exists, verdicts):
        found += _unjournalled(path, path.stem, _schema(path))
    for path in filter(Path.exists, _game_tables(settings, places, "calls")):
        found += _unjournalled_game(path, places)
    return found


def _unjournalled(path: Path, topic: str, schema: Schema) -> list[str]:
    """Whether a table holds replies that its journal lacks, and a rebuild would ask for."""
    rows = read_table(path, schema, ["request_digest", "status"]).to_pylist()
    if lacking := _lacking(rows, path.parent / "journal", topic):
        return [f"{path}: {lacking} replies are not in its journal. Run `vlmtom adopt {path}`."]
    return []


def _unjournalled_game(path: Path, places: Places) -> list[str]:
    """Likewise of calls of the game, each of which is in the journal of whoever answered."""
    by_tester: dict[str, list[Row]] = {}
    for row in read_table(path, MOSAIC_CALLS, ["tester", "request_digest", "status"]).to_pylist():
        by_tester.setdefault(row["tester"], []).append(row)
    topic = f"{MOSAIC}.{path.parent.name}.{path.name.partition('.')[0]}"
    return [
        f"{path}: {lacking} replies are not in the journal of {tester}. Put the segments "
        f"{topic}.w1.….jsonl into {journal}."
        for tester, rows in by_tester.items()
        for journal in [places.replies(tester) / "journal"]
        if (lacking := _lacking(rows, journal, topic))
    ]


def _lacking(rows: Iterable[Row], journal: Path, topic: str) -> int:
    with closing(history_of(journal, topic)) as history:
        return sum(
            row["request_digest"] is not None
            and row["status"] != "api_error"
            and not history.is_settled(row["request_digest"])
            for row in rows
        )


def _never_asked(settings: Settings, registry: Registry, places: Places) -> list[str]:
    """Requests of the configuration that a rebuild would send: it was changed since the run.

    While windows are still to be asked, theirs cannot be told from those.
    """
    if len(_reply_tables(settings, places)) < _streams(settings):
        return []
    return [
        f"{line.who}, {line.topic}: {line.calls} requests of this configuration have no reply in "
        "the journal. Was it, or the registry, changed after the run?"
        for line in plan(settings, registry).lines
        if line.calls
    ]


def _streams(settings: Settings) -> int:
    return sum(
        len(settings.testers_of(experiment)) * settings.windows_of(experiment)
        for experiment in with_items(settings)
    )


def _verdict_tables(settings: Settings, places: Places) -> list[tuple[Path, str]]:
    tables = [
        (places.verdicts(judge) / f"{overlay}.{arm}.parquet", judge)
        for judge in settings.judges
        for overlay, arms in settings.judged.items()
        for arm in arms
    ]
    tables += [(places.exemplars(judge), judge) for judge in settings.battery]
    study = settings.representation_judges
    return tables + [(places.representations(judge), judge) for judge in study]


def _game_tables(settings: Settings, places: Places, log: str) -> list[Path]:
    """The tables of the game that the configuration comes to, of one kind."""
    return [
        places.game(pair.name, condition, log)
        for pair in settings.mosaic_pairs
        for condition in MOSAIC_CONDITIONS
    ]


def _reply_tables(settings: Settings, places: Places) -> list[Path]:
    """The tables of replies that are there, of the windows that the configuration has."""
    return [
        path
        for experiment in with_items(settings)
        for tester in settings.testers_of(experiment)
        for window in range(1, settings.windows_of(experiment) + 1)
        if (path := places.replies(tester) / f"{experiment}.w{window}.parquet").exists()
    ]


def _rebuild(settings: Settings, places: Places, text: bool) -> Rebuild:
    replies = _reply_tables(settings, places)
    last = max((int(path.stem.rpartition(".w")[2]) for path in replies), default=1)
    streams = _streams(settings)
    partial = len(replies) < streams
    if partial and not text:
        raise NotBundled(
            f"{places.results}: {len(replies)} of {streams} tables of replies are there, by "
            "windows. Without the journals nobody can tell later which were asked; ask the other "
            "windows first, or leave out --without-text."
        )
    verdicts = [path for path, _ in _verdict_tables(settings, places) if path.exists()]
    return Rebuild(
        text=text,
        triangles=settings.triangles is not None,
        tables=_names(places.results / "tables", "tex"),
        figures=_names(places.results / "figures", "pdf"),
        replies=bool(replies),
        game=bool(settings.mosaic_pairs),
        unanswered=_unanswered([*replies, *verdicts]) + _broken_off(settings, places),
        window=last if partial else None,
        windows=settings.windows,
        rated=bool(returned(settings)),
        own_films=settings.triangles is not None and settings.triangles.clips is not None,
    )


def _names(folder: Path, form: str) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in folder.glob(f"*.{form}")))


def _unanswered(paths: Iterable[Path]) -> int:
    return sum(
        read_table(path, _schema(path), ["status"])["status"].to_pylist().count("api_error")
        for path in paths
    )


def _broken_off(settings: Settings, places: Places) -> int:
    """Trials of the game that wait for a reply: they would be gone on with."""
    return sum(
        read_table(path, MOSAIC_TRIALS, ["status"])["status"].to_pylist().count("missing")
        for path in filter(Path.exists, _game_tables(settings, places, "trials"))
    )


def _schema(path: Path) -> Schema:
    """What a table of replies, verdicts, calls or utterances holds, by where it lies."""
    if path.parent.parent.name == MOSAIC:
        return MOSAIC_LOGS[path.stem.rpartition(".")[2]]
    if path.parent.parent.name == "replies":
        return REPLIES
    return verdicts_of(path.stem)


def _tables_without_text(settings: Settings, places: Places) -> list[Member]:
    tables = _reply_tables(settings, places)
    tables += [path for path, _ in _verdict_tables(settings, places) if path.exists()]
    for log in ("utterances", "calls"):
        tables += filter(Path.exists, _game_tables(settings, places, log))
    return [_without_text(places.results, path) for path in tables]


def _without_text(root: Path, path: Path) -> Member:
    below = path.relative_to(root)
    table = read_table(path, _schema(path))
    kind = below.stem.rpartition(".")[2] if below.parts[0] == MOSAIC else below.parts[0]
    for name in TEXTS[kind]:
        place = table.schema.get_field_index(name)
        column = table.schema.field(place).with_nullable(True)
        table = table.set_column(place, column, pa.nulls(len(table), "string"))
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    return Member(f"{WITHOUT_TEXT}/{below.as_posix()}", buffer.getvalue())


def _description(settings: Settings, rebuild: Rebuild, problems: Sequence[str]) -> Member:
    content = {
        "format": FORMAT,
        **versions(),
        "panel": settings.panel,
        "text": rebuild.text,
        "verified": not problems,
        "rebuild": rebuild.commands(),
    }
    return Member(DESCRIPTION, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())
