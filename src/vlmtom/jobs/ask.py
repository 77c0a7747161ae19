"""Ask one tester one experiment's items: `python -m vlmtom.jobs.ask`."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vlmtom.jobs.process import (
    ask_open,
    job_journal,
    job_parser,
    log,
    read_spec,
    refuse_existing,
    run_job,
    shut_in,
    write_complete,
)
from vlmtom.leaving import leave

if TYPE_CHECKING:
    from vlmtom.calls import Request

PATHS = {
    "items": "Parquet of items",
    "pictures": "Parquet of pictures",
    "journal": "the tester's journal folder",
    "out": "Parquet of replies to create",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the job; returns the exit code."""
    parser = job_parser("ask", __doc__, PATHS)
    parser.add_argument("--films", type=Path, help="Parquet of films, where items show some")
    return run_job("ask", parser, arguments, run)


def run(content: dict[str, Any], places: argparse.Namespace) -> None:
    """Enter the wall, ask what the journal does not answer, and write the table of replies.

    Raises a VlmtomError that says what to do.
    """
    kind, parent_run = shut_in(
        read=[places.items, places.pictures, *([places.films] if places.films else [])],
        write=[places.journal, places.out.parent, places.leases, places.spending],
        who="the asking job",
    )
    # From here on, because they load libraries: the wall must stand before those start threads.
    from vlmtom.calls import planned, reply_rows
    from vlmtom.settings import AskSpec
    from vlmtom.store import PictureStore, read_rows, schemas

    spec = read_spec(content, AskSpec)
    log.info("%s, %s: behind the wall (%s)", spec.tester, spec.experiment, kind)
    refuse_existing(places.out)
    requests = planned(read_rows(places.items, schemas.ITEMS), spec)
    with job_journal(places.journal, spec) as kept:
        stop = ask_open(
            spec,
            requests,
            lambda: PictureStore(places.pictures, schemas.PICTURES, places.films),
            kept,
            parent_run,
            places,
        )
        rows = reply_rows(_let_go(requests), kept[1], spec)
        write_complete(places.out, rows, schemas.REPLIES, spec, stop)


def _let_go(requests: list["Request"]) -> Iterator["Request"]:
    """In order, and each one freed once it was looked at: there may be a hundred thousand."""
    requests.reverse()
    while requests:
        yield requests.pop()


if __name__ == "__main__":
    leave(main())
