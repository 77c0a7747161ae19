"""`vlmtom forget`: a tester's replies are set aside, so that it is asked again."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from vlmtom.commands.games import PREFIX, folders_with
from vlmtom.commands.places import Places, experiments
from vlmtom.errors import BadConfig, BadData
from vlmtom.settings import MOSAIC, Settings, nearest
from vlmtom.store.journal import all_streams, locked_streams, streams_kept


def forget(settings: Settings, tester: str, experiment: str | None = None) -> Path:
    """Move a tester's replies (of one experiment) away; returns the folder where they are now.

    With them go the tables of the pairs of the treasure game in which it was asked, which hold its
    replies too. Nothing is deleted. Raises BadConfig for an unknown name, BadData where there is
    nothing to move, StreamBusy while a process writes one of the journals.
    """
    places = Places(Path(settings.results))
    known = {*settings.asked_testers, *places.testers()}
    if tester not in known:
        raise BadConfig(f"no tester {tester!r}. {nearest(tester, known)}")
    if experiment is not None and experiment not in experiments(settings):
        known_experiments = experiments(settings)
        raise BadConfig(f"no experiment {experiment!r}. {nearest(experiment, known_experiments)}")
    folder = places.replies(tester)
    journal = folder / "journal"
    moved = [folder] if experiment is None else _files_of(folder, experiment)
    games = folders_with(places, tester) if experiment in (None, MOSAIC) else []
    if not folder.is_dir() or not moved:
        raise BadData(f"{folder}: no replies{_of(experiment)}; there is nothing to forget.")
    named = {*all_streams(journal), *locked_streams(journal)}
    aside = new_folder(places.results)
    with streams_kept(journal, (s for s in named if experiment is None or _is_of(s, experiment))):
        for path in (*games, *moved):
            target = aside / path.relative_to(places.results)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)
    return aside


def _files_of(folder: Path, experiment: str) -> Sequence[Path]:
    """Tables and journal segments of one experiment; lock files stay where they are."""
    tables = folder.glob(f"{experiment}.w*.parquet")
    segments = (folder / "journal").glob("*.jsonl")
    return sorted([*tables, *(path for path in segments if _is_of(path.name, experiment))])


def _is_of(stream: str, experiment: str) -> bool:
    """Whether a stream is of an experiment; in the game it names pair and condition as well."""
    return stream.startswith(PREFIX if experiment == MOSAIC else f"{experiment}.w")


def _of(experiment: str | None) -> str:
    return "" if experiment is None else f" of {experiment}"


def new_folder(results: Path) -> Path:
    """A folder of this moment below `.forgotten`, of a name that is not there yet.

    It is made when something moves into it.
    """
    stem = results / ".forgotten" / f"{datetime.now(UTC):%Y-%m-%dT%H-%M-%S}"
    aside, number = stem, 1
    while aside.exists():
        number += 1
        aside = stem.with_name(f"{stem.name}-{number}")
    return aside
