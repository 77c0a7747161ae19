"""Have one coder read reasoning traces: `python -m vlmtom.jobs.trace`.

A judge-side job: it sees blind traces and the codebook, and no reply, key or registry.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vlmtom.jobs.judge import ask_in_rounds, shut_in_judge
from vlmtom.jobs.process import (
    job_journal,
    job_parser,
    log,
    read_spec,
    refuse_existing,
    run_job,
    write_complete,
)
from vlmtom.leaving import leave
from vlmtom.wall import PACKAGE

CODEBOOK = PACKAGE.parents[1] / "resources" / "trace_codebook.csv"
PATHS = {
    "blind": "Parquet of blind traces",
    "journal": "the coder's journal folder",
    "out": "Parquet of codes to create",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the job; returns the exit code."""
    parser = job_parser("trace", __doc__, PATHS)
    parser.add_argument(
        "--codebook", type=Path, default=CODEBOOK, help="CSV of the codebook; default: %(default)s"
    )
    return run_job("trace", parser, arguments, run)


def run(content: dict[str, Any], places: argparse.Namespace) -> None:
    """Enter the wall, ask what the journal does not answer, and write the table of codes.

    Raises a VlmtomError that says what to do.
    """
    kind, parent_run = shut_in_judge(places, places.codebook)
    # From here on, because they load libraries: the wall must stand before those start threads.
    from vlmtom.report_action.traces.codebook import read_codebook
    from vlmtom.report_action.traces.coding import code_requests, code_rows, reader
    from vlmtom.settings import JudgeSpec
    from vlmtom.store import read_rows, schemas

    spec = read_spec(content, JudgeSpec)
    log.info("%s, %s: behind the wall (%s)", spec.judge, spec.topic, kind)
    refuse_existing(places.out)
    blind = read_rows(places.blind, schemas.BLIND_TRACES)
    plan = code_requests(blind, spec, read_codebook(places.codebook))
    with job_journal(places.journal, spec) as kept:
        stop = ask_in_rounds(plan, reader(blind), spec, kept, parent_run, places)
        rows = code_rows(blind, plan, kept[1], spec)
        write_complete(places.out, rows, schemas.TRACE_CODES, spec, stop)
    log.info("%d codes, %d of them missing", len(rows), sum(r["reading"] is None for r in rows))


if __name__ == "__main__":
    leave(main())
