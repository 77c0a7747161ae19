"""Have one judge score an arm's descriptions, or the exemplars: `python -m vlmtom.jobs.judge`."""

import argparse
from collections.abc import Sequence
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
from vlmtom.wall import PACKAGE

if TYPE_CHECKING:
    from vlmtom.calls import History, Stop
    from vlmtom.judging.rounds import Plan, Reads
    from vlmtom.settings import JudgeSpec
    from vlmtom.store import JournalWriter

RUBRIC = PACKAGE.parents[1] / "resources" / "rubric.csv"
PATHS = {
    "blind": "Parquet of blind descriptions of one arm",
    "journal": "the judge's journal folder",
    "out": "Parquet of verdicts to create",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the job; returns the exit code."""
    parser = job_parser("judge", __doc__, PATHS)
    parser.add_argument(
        "--rubric", type=Path, default=RUBRIC, help="CSV of the rubric; default: %(default)s"
    )
    return run_job("judge", parser, arguments, run)


def shut_in_judge(places: argparse.Namespace, rubric: Path) -> tuple[str, int | None]:
    """Enter the judge's wall: the blind file and the rubric to read, its own folder to write."""
    return shut_in(
        read=[places.blind, rubric],
        write=[places.journal, places.out.parent, places.leases, places.spending],
        who="the judging job",
    )


def run(content: dict[str, Any], places: argparse.Namespace) -> None:
    """Enter the wall, ask what the journal does not answer, and write the table of verdicts.

    Raises a VlmtomError that says what to do.
    """
    kind, parent_run = shut_in_judge(places, places.rubric)
    # From here on, because they load libraries: the wall must stand before those start threads.
    from vlmtom.judging.rubric import read_rubric
    from vlmtom.judging.verdicts import verdict_in, verdict_requests, verdict_rows
    from vlmtom.settings import JudgeSpec
    from vlmtom.store import read_rows, schemas

    spec = read_spec(content, JudgeSpec)
    log.info("%s, %s: behind the wall (%s)", spec.judge, spec.topic, kind)
    refuse_existing(places.out)
    blind = read_rows(places.blind, schemas.BLIND)
    plan = verdict_requests(blind, spec, read_rubric(places.rubric))
    with job_journal(places.journal, spec) as kept:
        stop = ask_in_rounds(plan, verdict_in, spec, kept, parent_run, places)
        rows = verdict_rows(blind, plan, kept[1], spec)
        write_complete(places.out, rows, schemas.verdicts_of(spec.topic), spec, stop)
    log.info("%d verdicts, %d of them missing", len(rows), sum(r["intent"] is None for r in rows))


def ask_in_rounds(
    plan: "Plan",
    reads: "Reads",
    spec: "JudgeSpec",
    kept: tuple["JournalWriter", "History"],
    parent_run: int | None,
    places: argparse.Namespace,
) -> "Stop | None":
    """Ask a plan, and what cannot be read again, as often as it says; why it stopped early."""
    from vlmtom.calls import NoPictures
    from vlmtom.judging.rounds import due

    for ask in range(spec.reasks + 1):
        requests = due(plan, kept[1], ask, reads)
        if not requests:
            return None
        if ask:
            log.info("%d replies cannot be read; re-ask %d", len(requests), ask)
        stop = ask_open(spec, requests, NoPictures, kept, parent_run, places)
        if stop is not None:
            return stop
    return None


if __name__ == "__main__":
    leave(main())
