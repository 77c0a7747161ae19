"""What every call job does around its own work: environment, wall, signals, exit codes.

The order of the first steps matters: a clean environment, then the wall, and only then the
libraries and files that asking needs. So they are imported where they are used.
"""

import argparse
import asyncio
import json
import logging
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from vlmtom.errors import BadConfig, FileExists, VlmtomError
from vlmtom.jobs.environment import start_clean
from vlmtom.jobs.parent import watch_run

if TYPE_CHECKING:
    import pyarrow as pa

    from vlmtom.calls import Asked, Engine, History, Request, Stop
    from vlmtom.settings import CallSpec
    from vlmtom.store import JournalWriter
    from vlmtom.store.schemas import Schema

FAILED, BAD_USAGE = 1, 2
ORPHAN_MARGIN_S = 30.0  # beyond the time-out of a call that an orphan still waits for

log = logging.getLogger("vlmtom.calls")

Spec = TypeVar("Spec", bound="CallSpec")


class Pictures(Protocol):
    """Where the pictures of a job's requests are."""

    def png(self, pixel_sha256: str, /) -> bytes:
        """The picture file's bytes, untouched."""

    def film(self, file_sha256: str, /) -> bytes:
        """The film file's bytes, untouched."""

    def close(self) -> None:
        """Let the file go."""


class Interrupted(VlmtomError):
    """A signal ended the job; `code` is the exit code that says so."""

    def __init__(self, message: str, number: int) -> None:
        super().__init__(message)
        self.code = 128 + number


class WithoutPandas(MetaPathFinder):
    """Keeps pandas out of this process.

    pyarrow imports it, where it is installed, only to see whether a list is one of its series:
    50 MB and 0.3 s in every job.
    """

    def find_spec(self, name: str, *_: object) -> None:
        """Refuse pandas, as if it were not installed; leave every other name to the others."""
        if name == "pandas":
            raise ModuleNotFoundError("a call job does without pandas", name=name)


def job_parser(
    name: str, description: str | None, paths: Mapping[str, str]
) -> argparse.ArgumentParser:
    """The options of a job: `--spec`, and a required path for each of `paths`, with its help."""
    parser = argparse.ArgumentParser(prog=f"python -m vlmtom.jobs.{name}", description=description)
    for option, words in paths.items():
        parser.add_argument(f"--{option}", type=Path, required=True, help=words)
    parser.add_argument("--spec", required=True, help="specification: JSON, or a JSON file")
    parser.add_argument(
        "--leases",
        type=Path,
        help="folder in which all jobs of the endpoint share pauses and rates; default: none",
    )
    parser.add_argument(
        "--spending",
        type=Path,
        help="folder in which all jobs of the run put down what they spent; default: none",
    )
    parser.add_argument(
        "--budget",
        type=_usd,
        metavar="USD",
        help="what all jobs of the folder may spend together; default: none, no limit",
    )
    return parser


def _usd(text: str) -> float | None:
    return None if text == "none" else float(text)


def run_job(
    name: str,
    parser: argparse.ArgumentParser,
    arguments: Sequence[str] | None,
    run: Callable[[dict[str, Any], argparse.Namespace], None],
) -> int:
    """Run a job in a clean environment; returns the exit code.

    Errors for people go to stderr, without a traceback.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = parser.parse_args(given)

    def say(error: object, code: int) -> int:
        print(f"vlmtom {name}: {error}", file=sys.stderr)
        return code

    try:
        content = _spec_content(options.spec)
        start_clean(f"vlmtom.jobs.{name}", given, _key_variables(content))
        run(content, options)
    except BadConfig as error:
        return say(error, BAD_USAGE)
    except Interrupted as error:
        return say(error, error.code)
    except KeyboardInterrupt:
        return say("stopped; run the same command again to go on", 128 + signal.SIGINT)
    except VlmtomError as error:
        return say(error, FAILED)
    except OSError as error:
        return say(f"{error}. Put that right and run the same command again.", FAILED)
    return 0


def shut_in(read: Iterable[Path], write: Iterable[Path | None], who: str) -> tuple[str, int | None]:
    """Enter the wall; the kind of wall, and what `ask_open` needs to notice a killed run.

    A file that is not there is not declared: whoever reads it says that it is missing. Of what
    is written, None stands for a folder that was not given.
    """
    from vlmtom import wall

    parent_run = watch_run()
    folders = [folder for folder in write if folder is not None]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    kind = wall.enter(read=[path for path in read if path.exists()], write=folders, who=who)
    sys.meta_path.insert(0, WithoutPandas())
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(message)s", level=logging.WARNING)
    log.setLevel(logging.INFO)
    return kind, parent_run


def read_spec(content: dict[str, Any], kind: type[Spec]) -> Spec:
    """The specification of a job. Raises BadConfig naming what is wrong with it."""
    from pydantic import ValidationError

    try:
        return kind.model_validate(content)
    except ValidationError as error:
        # What is the job's own comes first: it tells one kind of specification from another.
        details = sorted(error.errors(), key=lambda d: d["loc"][:1] not in {*_own_fields(kind)})
        problems = "; ".join(f"{'.'.join(map(str, d['loc']))}: {d['msg']}" for d in details)
        raise BadConfig(f"--spec is not the specification of a job: {problems}") from None


def refuse_existing(out: Path) -> None:
    """Raise FileExists before anything is asked for a table that is there already."""
    if out.exists():
        raise FileExists(
            f"{out} exists, and results are never overwritten. Delete it to have it built "
            "again from the journal; nothing that was answered is asked twice."
        )


@contextmanager
def job_journal(folder: Path, spec: "CallSpec") -> Iterator[tuple["JournalWriter", "History"]]:
    """The job's own stream, and what its topic's journal holds.

    It waits for an orphan to finish its calls in flight.
    """
    from vlmtom.calls import journal_with_history

    patience_s = spec.model.timeout_s + ORPHAN_MARGIN_S
    with journal_with_history(folder, f"{spec.topic}.w{spec.window}", patience_s) as kept:
        yield kept


def ask_open(
    spec: "CallSpec",
    requests: Sequence["Request"],
    pictures: Callable[[], Pictures],
    kept: tuple["JournalWriter", "History"],
    parent_run: int | None,
    places: argparse.Namespace,
) -> "Stop | None":
    """Ask what the journal does not answer; why the job stopped early, if it did.

    pictures: opens them; not called where nothing is open. places: the options of `job_parser`.
    Raises Interrupted after a signal.
    """
    from vlmtom.calls import asking_order, still_open

    left = still_open(requests, kept[1], spec)
    log.info(
        "%s, %s: %d requests, %d of them answered in the journal",
        *(spec.slug, spec.topic, len(requests), len(requests) - len(left)),
    )
    if not left:
        return None
    # The order of all requests, so that resuming goes on in it.
    first = {(r.item_id, r.arm, r.trial, r.ask): r for r in left}
    names = ((r.item_id, r.arm, r.trial, r.ask) for r in asking_order(requests, spec))
    ordered = [first[name] for name in names if name in first]
    return asyncio.run(_ask(spec, ordered, pictures(), kept, parent_run, places)).stop


def write_complete(
    out: Path,
    rows: Iterable[Mapping[str, Any]],
    schema: "Schema",
    spec: "CallSpec",
    stop: "Stop | None",
) -> "pa.Table":
    """Write the job's table, unless what is missing forbids it (MissingReplies); returns it."""
    from vlmtom.calls import check_complete

    if stop is not None and stop.resumable:
        # Waiting is all it takes: a table with gaps would end what is only paused.
        spec = spec.model_copy(update={"allow_missing": False})
    table = schema.table(rows)
    check_complete(table, spec, out, stop.message if stop else None)
    if stop is not None:
        log.warning("%s", stop.message)
    return write_whole(out, table, schema)


def write_whole(out: Path, table: "pa.Table", schema: "Schema") -> "pa.Table":
    """Write a table, unless the very same is there; returns it. Raises FileExists for another."""
    from vlmtom.store import read_table, write_table

    try:
        write_table(out, table, schema)
    except FileExists:
        # The job of a killed run may have written it while this one waited for the journal.
        if not read_table(out, schema).equals(table):
            raise
    return table


async def _ask(
    spec: "CallSpec",
    requests: Sequence["Request"],
    pictures: Pictures,
    kept: tuple["JournalWriter", "History"],
    parent_run: int | None,
    places: argparse.Namespace,
) -> "Asked":
    from vlmtom.calls import ProbePictures, check_pictures

    try:
        model = spec.model
        check_pictures(requests, pictures, model.max_media_bytes, model.max_message_bytes)
        async with open_engine(spec, ProbePictures(pictures), kept, places) as engine:
            with heeding([(engine, kept[0])], parent_run) as received:
                shows = any(turn.pictures for request in requests for turn in request.turns)
                asked = await probed(engine, shows, len(requests), spec, kept)
                if asked.stop is None:
                    asked = await engine.ask(requests)
    finally:
        pictures.close()
    raise_received(received, spec, asked)
    return asked


@asynccontextmanager
async def open_engine(
    spec: "CallSpec",
    pictures: Any,
    kept: tuple["JournalWriter", "History"],
    places: argparse.Namespace,
) -> AsyncIterator["Engine"]:
    """An engine with what the job shares with others of the machine: pauses, rates and money."""
    from vlmtom.calls import Engine, SharedLedger, Spending, endpoint_for, learned_before

    journal, history = kept
    endpoint = endpoint_for(spec)
    # An observer is nobody's guest: it neither pauses nor counts.
    asks_a_server = spec.endpoint.kind != "embedded"
    ledger = SharedLedger(places.leases) if asks_a_server and places.leases is not None else None
    spending = None
    if asks_a_server and places.spending is not None:
        name = f"{spec.role}.{spec.slug}.{journal.stream}"
        spent_usd = history.spent_usd.get(journal.stream, 0.0)
        spending = Spending(places.spending, name, spent_usd, places.budget)
    try:
        known = learned_before(journal.folder, spec.model.gateway_model, spec.model.endpoint)
        yield Engine(spec, endpoint, pictures, journal, ledger, known, spending)
    finally:
        for shared in (ledger, spending):
            if shared is not None:
                shared.close()
        await endpoint.close()


@contextmanager
def heeding(
    working: Sequence[tuple["Engine", "JournalWriter"]], parent_run: int | None
) -> Iterator[list[signal.Signals]]:
    """End the engines at a signal, and let them finish where the run that started them is gone.

    What is given fills with the signals that came.
    """
    from vlmtom.calls import Stop

    received: list[signal.Signals] = []

    def stop_on(number: signal.Signals) -> None:
        received.append(number)
        for engine, _ in working:
            engine.interrupt()

    def stop_as_orphan() -> None:
        loop.remove_reader(parent_run)
        gone = Stop("not_asked", "The run that started this job is gone.", resumable=True)
        for engine, journal in working:
            journal.finishing()
            engine.stop(gone)

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop_on, number)
    if parent_run is not None:
        loop.add_reader(parent_run, stop_as_orphan)
    yield received


def raise_received(received: Sequence[signal.Signals], spec: "CallSpec", asked: "Asked") -> None:
    """Raise Interrupted where a signal came; what was answered is in the journal."""
    if received:
        raise Interrupted(
            f"{spec.slug}, {spec.topic}: stopped by {received[0].name} with "
            f"{asked.done} of {asked.planned} replies in the journal. Run the same command "
            "again to go on; only calls that were in flight are asked twice.",
            received[0],
        )


async def probed(
    engine: "Engine",
    shows: bool,
    rest: int,
    spec: "CallSpec",
    kept: tuple["JournalWriter", "History"],
) -> "Asked":
    """Ask first whether the model takes pictures, where it is shown any, and was not asked yet.

    rest: calls that follow, for what is said of the job.
    """
    from vlmtom.calls import Asked, probe

    if not (spec.role == "tester" and spec.endpoint.kind == "openai" and spec.model.probe):
        return Asked(0)
    request = probe.probe_request(spec)
    record = probe.probed_before(kept[0].folder, request.digest) if shows else None
    if not shows or (record is not None and probe.reason_to_stop(record, spec) is None):
        return Asked(0)
    if record is None:
        asked = await engine.ask([request], more=rest)
        record = kept[1].get(request.digest)
        if asked.stop is not None or record is None:
            return asked
    doubt = None if record["status"] == "api_error" else probe.doubt(record)
    if doubt is not None:
        log.warning("%s: %s", spec.slug, doubt)
    return Asked(rest, stop=probe.reason_to_stop(record, spec))


def _spec_content(given: str) -> dict[str, Any]:
    """The specification as plain JSON; nothing heavy is loaded to read it."""
    inline = given.lstrip().startswith("{")
    name = "--spec" if inline else given
    try:
        content = json.loads(given if inline else Path(given).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadConfig(f"{name}: no such file. Give JSON, or the path of a JSON file.") from None
    except ValueError as error:
        raise BadConfig(f"{name}: not valid JSON: {error}") from None
    if not isinstance(content, dict):
        raise BadConfig(f"{name}: expected a JSON object, found {type(content).__name__}.")
    return content


def _key_variables(content: dict[str, Any]) -> set[str]:
    """The variables that hold the keys of the job's own endpoints: one, or each model's."""
    models = content.get("models")
    specs = [content, *(models.values() if isinstance(models, dict) else ())]
    endpoints = (spec.get("endpoint") for spec in specs if isinstance(spec, dict))
    names = (end.get("api_key_env") for end in endpoints if isinstance(end, dict))
    return {name for name in names if isinstance(name, str)}


def _own_fields(kind: type["CallSpec"]) -> Iterable[tuple[str]]:
    return ((name,) for name in kind.__annotations__)
