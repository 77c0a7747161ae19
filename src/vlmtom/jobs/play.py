"""Have one pair play one condition of the treasure game: `python -m vlmtom.jobs.play`."""

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vlmtom.errors import MissingReplies
from vlmtom.jobs.process import (
    heeding,
    job_journal,
    job_parser,
    log,
    open_engine,
    probed,
    raise_received,
    read_spec,
    refuse_existing,
    run_job,
    shut_in,
    write_whole,
)
from vlmtom.leaving import leave

if TYPE_CHECKING:
    from vlmtom.calls import History, Request, Stop
    from vlmtom.mosaic.agent import Agent
    from vlmtom.mosaic.game import Played, Trial
    from vlmtom.mosaic.world import Role
    from vlmtom.settings import PlaySpec, SeatSpec
    from vlmtom.store import JournalWriter

    Kept = Mapping[str, tuple[JournalWriter, History]]

TABLES = ("trials", "steps", "utterances", "calls")
# Of one role, but for re-asks: ten actions, three utterances, and three of the other taken in.
CALLS_A_TRIAL = 16
SPOKEN_A_TRIAL = 6  # of a model that only lends its voice


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the job; returns the exit code."""
    paths = {table: f"Parquet of {table} to create" for table in TABLES}
    parser = job_parser("play", __doc__, paths)
    parser.add_argument(
        "--replies", type=Path, required=True, help="folder with a folder for each tester"
    )
    parser.add_argument("--locks", type=Path, help="locks of the instruments; default: unchecked")
    return run_job("play", parser, arguments, run)


def run(content: dict[str, Any], places: argparse.Namespace) -> None:
    """Enter the wall, play what the journals do not answer, and write the four tables.

    A trial is always played from its start: what the journals answer is not asked again, so that
    a job that was stopped goes on where it was. Raises a VlmtomError that says what to do.
    """
    named = content.get("models")
    journals = {
        str(slug): places.replies / str(slug) / "journal"
        for slug in (named if isinstance(named, dict) else ())
    }
    kind, parent_run = shut_in(
        read=[*([places.locks] if places.locks else [])],
        write=[*journals.values(), places.trials.parent, places.leases, places.spending],
        who="the playing job",
    )
    # From here on, because they load libraries: the wall must stand before those start threads.
    from vlmtom.mosaic.log import call_rows, step_rows, trial_rows, utterance_rows
    from vlmtom.settings import PlaySpec
    from vlmtom.store import schemas

    spec = read_spec(content, PlaySpec)
    log.info("%s, %s: behind the wall (%s)", spec.pair.name, spec.condition, kind)
    if places.locks is not None and spec.models:
        _check_instruments(spec, places.locks)
    for table in TABLES:
        refuse_existing(getattr(places, table))
    with ExitStack() as stack:
        kept = {
            slug: stack.enter_context(job_journal(journals[slug], seat))
            for slug, seat in spec.models.items()
        }
        games = asyncio.run(_play(spec, kept, parent_run, places))
    _refuse_missing(games, spec, places.trials)
    for table, rows, schema in (
        (places.steps, step_rows, schemas.MOSAIC_STEPS),
        (places.utterances, utterance_rows, schemas.MOSAIC_UTTERANCES),
        (places.calls, call_rows, schemas.MOSAIC_CALLS),
        (places.trials, trial_rows, schemas.MOSAIC_TRIALS),
    ):
        write_whole(table, schema.table(rows(games, spec)), schema)


async def _play(
    spec: "PlaySpec", kept: "Kept", parent_run: int | None, places: argparse.Namespace
) -> list[tuple["Played", Mapping["Role", "Agent"]]]:
    """All trials at once; each of them is a row of calls, one after the other.

    Raises MissingReplies where a model stopped answering, and Interrupted after a signal.
    """
    from vlmtom.calls import ProbePictures
    from vlmtom.mosaic.game import play
    from vlmtom.mosaic.pictures import Views
    from vlmtom.mosaic.table import agents_of, rules_of, trials_of
    from vlmtom.mosaic.tester import Seat

    views = Views(spec.pair.arm)
    trials, game = trials_of(spec), spec.game
    async with AsyncExitStack() as stack:
        engines = {
            slug: await stack.enter_async_context(
                open_engine(seat, ProbePictures(views), kept[slug], _leases(places, seat))
            )
            for slug, seat in spec.models.items()
        }
        working = [(engines[slug], kept[slug][0]) for slug in engines]
        # Where nobody is asked there is nothing to finish: a signal ends the job as it does any.
        with heeding(working, parent_run) if working else nullcontext(()) as received:
            for slug, seat in spec.models.items():
                shows = spec.pair.arm != "none"
                asked = await probed(engines[slug], shows, 0, seat, kept[slug])
                if asked.stop is not None and not received:
                    raise _stopped(spec, [asked.stop])
            asking = {
                slug: await stack.enter_async_context(
                    engine.serving(_planned(spec, slug, kept[slug][1]))
                )
                for slug, engine in engines.items()
            }

            def seat(slug: str, trial: "Trial") -> Seat:
                return Seat(
                    spec=spec.models[slug],
                    arm=spec.pair.arm,
                    trial=trial.number,
                    reply=_replies(asking[slug], kept[slug][1]),
                    show=partial(asyncio.to_thread, views.show),
                    frame=game.move_frame,
                    tom_triple=game.tom_triple,
                    reasks=game.reasks,
                )

            async def one(trial: "Trial") -> tuple["Played", Mapping["Role", "Agent"]]:
                agents = agents_of(spec, trial, seat)
                return await play(trial, agents, rules_of(spec)), agents

            games = await asyncio.gather(*map(one, trials))
    for slug, engine in engines.items():
        raise_received(received, spec.models[slug], engine.asked)
    stops = [engine.asked.stop for engine in engines.values() if engine.asked.stop is not None]
    for stop in stops:
        log.warning("%s", stop.message)
    # Where waiting is all it takes, tables with gaps would end what is only paused.
    if any(stop.resumable for stop in stops) or (stops and not spec.allow_missing):
        raise _stopped(spec, stops)
    return games


def _replies(
    ask: Callable[["Request"], Awaitable[None]], history: "History"
) -> Callable[["Request"], Awaitable[Mapping[str, Any]]]:
    """What the journal holds of a request; asked for where that is nothing, or a failure.

    Where the job has stopped asking, the trial is lost, with what was played of it.
    """
    from vlmtom.calls import NotAsked
    from vlmtom.mosaic.agent import TrialLost

    async def reply(request: "Request") -> Mapping[str, Any]:
        if not history.is_settled(request.digest):
            try:
                await ask(request)
            except NotAsked as stopped:
                raise TrialLost(str(stopped)) from None
        return history.get(request.digest)

    return reply


def _check_instruments(spec: "PlaySpec", locks: Path) -> None:
    """Raise LockMismatch where what models are asked and shown is not what was locked."""
    from vlmtom.store.locks import check_locks

    if spec.pair.arm == "none":
        from vlmtom.mosaic.prompts import instruments
    else:
        from vlmtom.mosaic.instruments import instruments
    check_locks(locks, instruments())


def _leases(places: argparse.Namespace, seat: "SeatSpec") -> argparse.Namespace:
    """The places of a job, with the leases of one model's endpoint."""
    folder = None if places.leases is None else places.leases / seat.model.endpoint
    return argparse.Namespace(**{**vars(places), "leases": folder})


def _planned(spec: "PlaySpec", slug: str, history: "History") -> int:
    """Calls of a model that its journal does not answer yet, but for re-asks."""
    seats = 0
    for player in (spec.pair.subject, spec.pair.participant):
        agent = spec.agents.get(player)
        if agent is None and player == slug:
            seats += CALLS_A_TRIAL
        elif agent is not None and agent.voice == slug:
            seats += SPOKEN_A_TRIAL
    return max(0, seats * spec.game.trials - len(history.settled()))


def _refuse_missing(
    games: Sequence[tuple["Played", Mapping["Role", "Agent"]]], spec: "PlaySpec", out: Path
) -> None:
    """Raise MissingReplies where trials are missing that must not be."""
    lost = [played for played, _ in games if played.lost is not None]
    if not lost or (spec.allow_missing and len(lost) < len(games)):
        return
    served = [played.lost for played in lost if "model_mismatch" in played.lost]
    again = (
        f"In {len(served)} of them another model replied than the one asked for, and is not asked "
        "again: name its id under served_as if it is the same model, set allow_missing to leave "
        "these trials out, or set the journal aside (`vlmtom forget`) to ask anew."
        if served
        else "Run the same command again to ask only for what is missing; what was answered is in "
        "the journal."
    )
    raise MissingReplies(
        f"{spec.pair.name}, {spec.condition}: {len(lost)} of {len(games)} trials could not be "
        f"played to their end. The first is trial {lost[0].trial.number}: "
        f"{lost[0].lost.rstrip('.')}. No table was written ({out}). {again}"
    )


def _stopped(spec: "PlaySpec", stops: Sequence["Stop"]) -> MissingReplies:
    why = "\n".join(dict.fromkeys(stop.message for stop in stops))
    return MissingReplies(
        f"{why}\n{spec.pair.name}, {spec.condition}: the trials are not played to their "
        "end, and no table was written. Run the same command again to go on; what was answered is "
        "in the journal."
    )


if __name__ == "__main__":
    leave(main())
