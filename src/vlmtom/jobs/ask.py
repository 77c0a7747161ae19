"""Ask one tester one experiment's items: `python -m vlmtom.jobs.ask`.

The order of the first steps matters: a clean environment, then the wall, and only then the
libraries and files that asking needs. So they are imported where they are used.
"""

import argparse
import asyncio
import json
import logging
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vlmtom.errors import BadConfig, VlmtomError
from vlmtom.jobs.environment import start_clean
from vlmtom.jobs.parent import watch_run

if TYPE_CHECKING:
    from vlmtom.calls import Asked, Request
    from vlmtom.settings import AskSpec
    from vlmtom.store import JournalWriter

FAILED, BAD_USAGE = 1, 2
ORPHAN_MARGIN_S = 30.0  # beyond the time-out of a call that an orphan still waits for

log = logging.getLogger("vlmtom.calls")


@dataclass(frozen=True)
class Places:
    """The files of a job."""

    items: Path
    pictures: Path
    journal: Path  # folder
    out: Path


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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the job; returns the exit code. Errors for people go to stderr, without a traceback."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = _parser().parse_args(given)
    try:
        content = _spec_content(options.spec)
        start_clean("vlmtom.jobs.ask", given, _key_variable(content))
        places = Places(options.items, options.pictures, options.journal, options.out)
        run(content, places)
    except BadConfig as error:
        return _say(error, BAD_USAGE)
    except Interrupted as error:
        return _say(error, error.code)
    except KeyboardInterrupt:
        return _say("stopped; run the same command again to go on", 128 + signal.SIGINT)
    except VlmtomError as error:
        return _say(error, FAILED)
    except OSError as error:
        return _say(f"{error}. Put that right and run the same command again.", FAILED)
    return 0


def run(content: dict[str, Any], places: Places) -> None:
    """Enter the wall, ask what the journal does not answer, and write the table of replies.

    Raises a VlmtomError that says what to do.
    """
    from vlmtom import wall

    parent_run = watch_run()
    for folder in (places.journal, places.out.parent):
        folder.mkdir(parents=True, exist_ok=True)
    kind = wall.enter(
        read=[path for path in (places.items, places.pictures) if path.exists()],
        write=[places.journal, places.out.parent],
        who="the asking job",
    )
    sys.meta_path.insert(0, WithoutPandas())
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(message)s", level=logging.WARNING)
    log.setLevel(logging.INFO)
    spec = _spec(content)
    log.info("%s, %s: behind the wall (%s)", spec.tester, spec.experiment, kind)
    _ask(spec, places, parent_run)


def _ask(spec: "AskSpec", places: Places, parent_run: int | None) -> None:
    from vlmtom.calls import asking_order, check_complete, planned, recorded, reply_rows, settled
    from vlmtom.errors import FileExists
    from vlmtom.store import JournalWriter, read_rows, schemas, write_rows

    if places.out.exists():
        raise FileExists(
            f"{places.out} exists, and results are never overwritten. Delete it to have it built "
            "again from the journal; nothing that was answered is asked twice."
        )
    requests = planned(read_rows(places.items, schemas.ITEMS), spec)
    stop = None
    stream = f"{spec.experiment}.w{spec.window}"
    patience_s = spec.model.timeout_s + ORPHAN_MARGIN_S
    with JournalWriter(places.journal, stream, wait_s=patience_s) as journal:
        answered = settled(places.journal, spec.experiment)
        open_requests = [r for r in asking_order(requests, spec) if r.digest not in answered]
        log.info(
            "%s, %s: %d requests, %d of them answered in the journal",
            *(spec.tester, spec.experiment, len(requests), len(requests) - len(open_requests)),
        )
        if open_requests:
            asked = asyncio.run(_ask_open(spec, open_requests, places, journal, parent_run))
            stop = asked.stop
        records = recorded(places.journal, spec.experiment, {r.digest for r in requests})
    rows = reply_rows(requests, records, spec)
    if stop is not None and stop.resumable:
        # Waiting is all it takes: a table with gaps would end what is only paused.
        spec = spec.model_copy(update={"allow_missing": False})
    check_complete(rows, spec, places.out, stop.message if stop else None)
    if stop is not None:
        log.warning("%s", stop.message)
    try:
        write_rows(places.out, rows, schemas.REPLIES)
    except FileExists:
        # The job of a killed run may have written it while this one waited for the journal.
        if read_rows(places.out, schemas.REPLIES) != rows:
            raise


async def _ask_open(
    spec: "AskSpec",
    requests: Sequence["Request"],
    places: Places,
    journal: "JournalWriter",
    parent_run: int | None,
) -> "Asked":
    from vlmtom.calls import Engine, Stop, check_pictures, endpoint_for
    from vlmtom.store import PictureStore, schemas

    endpoint = endpoint_for(spec)
    pictures = PictureStore(places.pictures, schemas.PICTURES)
    received: list[signal.Signals] = []

    def stop_on(number: signal.Signals) -> None:
        received.append(number)
        engine.interrupt()

    def stop_as_orphan() -> None:
        loop.remove_reader(parent_run)
        journal.finishing()
        engine.stop(Stop("not_asked", "The run that started this job is gone.", resumable=True))

    loop = asyncio.get_running_loop()
    try:
        check_pictures(requests, pictures)
        engine = Engine(spec, endpoint, pictures, journal)
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop_on, number)
        if parent_run is not None:
            loop.add_reader(parent_run, stop_as_orphan)
        asked = await engine.ask(requests)
    finally:
        pictures.close()
        await endpoint.close()
    if received:
        raise Interrupted(
            f"{spec.tester}, {spec.experiment}: stopped by {received[0].name} with "
            f"{asked.done} of {asked.planned} replies in the journal. Run the same command "
            "again to go on; only calls that were in flight are asked twice.",
            received[0],
        )
    return asked


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m vlmtom.jobs.ask", description=__doc__)
    parser.add_argument("--items", type=Path, required=True, help="Parquet of items")
    parser.add_argument("--pictures", type=Path, required=True, help="Parquet of pictures")
    parser.add_argument("--journal", type=Path, required=True, help="the tester's journal folder")
    parser.add_argument("--out", type=Path, required=True, help="Parquet of replies to create")
    parser.add_argument("--spec", required=True, help="specification: JSON, or a JSON file")
    return parser


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


def _key_variable(content: dict[str, Any]) -> str | None:
    endpoint = content.get("endpoint")
    name = endpoint.get("api_key_env") if isinstance(endpoint, dict) else None
    return name if isinstance(name, str) else None


def _spec(content: dict[str, Any]) -> "AskSpec":
    from pydantic import ValidationError

    from vlmtom.settings import AskSpec

    try:
        return AskSpec.model_validate(content)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, detail['loc']))}: {detail['msg']}" for detail in error.errors()
        )
        raise BadConfig(f"--spec is not the specification of a job: {problems}") from None


def _say(error: object, code: int) -> int:
    print(f"vlmtom ask: {error}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
