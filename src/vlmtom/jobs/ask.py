"""Ask one tester one experiment's items: `python -m vlmtom.jobs.ask`."""

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from vlmtom.jobs.process import (
    ask_open,
    job_parser,
    journal_writer,
    log,
    read_spec,
    refuse_existing,
    run_job,
    shut_in,
    write_complete,
)

PATHS = {
    "items": "Parquet of items",
    "pictures": "Parquet of pictures",
    "journal": "the tester's journal folder",
    "out": "Parquet of replies to create",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the job; returns the exit code."""
    return run_job("ask", job_parser("ask", __doc__, PATHS), arguments, run)


def run(content: dict[str, Any], places: argparse.Namespace) -> None:
    """Enter the wall, ask what the journal does not answer, and write the table of replies.

    Raises a VlmtomError that says what to do.
    """
    kind, parent_run = shut_in(
        read=[places.items, places.pictures],
        write=[places.journal, places.out.parent, places.leases],
        who="the asking job",
    )
    # From here on, because they load libraries: the wall must stand before those start threads.
    from vlmtom.calls import planned, recorded, reply_rows
    from vlmtom.settings import AskSpec
    from vlmtom.store import PictureStore, read_rows, schemas

    spec = read_spec(content, AskSpec)
    log.info("%s, %s: behind the wall (%s)", spec.tester, spec.experiment, kind)
    refuse_existing(places.out)
    requests = planned(read_rows(places.items, schemas.ITEMS), spec)
    with journal_writer(places.journal, spec) as journal:
        stop = ask_open(
            spec,
            requests,
            lambda: PictureStore(places.pictures, schemas.PICTURES),
            journal,
            parent_run,
            places.leases,
        )
        records = recorded(places.journal, spec.topic, {r.digest for r in requests})
    rows = reply_rows(requests, records, spec)
    write_complete(places.out, rows, schemas.REPLIES, spec, stop)


if __name__ == "__main__":
    sys.exit(main())
