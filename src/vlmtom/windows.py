"""Which windows of a configuration may be asked by now, from what lies in the folder of results.

Imported by the Snakefile: it must stay light (no pandas, no pyarrow).
"""

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from vlmtom.settings import Settings, window_trials

# As canonical JSON spells it; inside a text the quotes are escaped.
_STARTED = re.compile(rb'"started_utc":"([^"]+)"')
_TRIAL = re.compile(rb'"trial":\d+,')
_TABLE = re.compile(r"(.+)\.w(\d+)\.parquet")
_TAIL_BYTES = 1 << 16
_VARIABLE = "VLMTOM_WINDOWS"


@dataclass(frozen=True)
class Opened:
    """How far one tester is with one experiment.

    last: the last window that products may use. opens: when the one after it opens; None if it
    waits for nothing but this run, or there is none.
    """

    last: int
    opens: datetime | None = None


def opened(
    settings: Settings, experiments: Iterable[str], now: datetime, up_to: int | None = None
) -> dict[tuple[str, str], Opened]:
    """The windows of each (tester, experiment). now: with time zone.

    The first window is open. A later one opens `window_gap_hours` after the last call of those
    before it, once their tables are there; without a gap all are open at once. A window that has
    begun counts as open: its table is there, or the journal holds a reply to a trial that falls
    into it, in whatever window that was asked. up_to: ask none beyond it.
    """
    results = Path(settings.results)
    return {
        (tester, experiment): _opened(
            settings, results / "replies" / tester, experiment, now, up_to or settings.windows
        )
        for tester in settings.testers
        for experiment in experiments
    }


def stamp(found: Mapping[tuple[str, str], Opened], windows: int, experiments: Iterable[str]) -> str:
    """What partial products of these experiments say of themselves; empty for whole ones."""
    wanted = set(experiments)
    lasts = [one.last for (_, experiment), one in found.items() if experiment in wanted]
    fewest, most = min(lasts, default=windows), max(lasts, default=windows)
    if fewest >= windows:
        return ""
    asked = str(fewest) if fewest == most else f"{fewest} to {most}"
    return f"partial: {asked} of {windows} windows"


def notice(found: Mapping[tuple[str, str], Opened], windows: int, now: datetime) -> str:
    """A line for people on what is not asked yet, and when it will be; empty if all is asked."""
    waiting = {key: one for key, one in found.items() if one.last < windows}
    if not waiting:
        return ""
    times = sorted({one.opens for one in waiting.values() if one.opens and one.opens > now})
    said = stamp(found, windows, {experiment for _, experiment in found})
    when = (
        f"The next window opens {times[0]:%Y-%m-%d %H:%M} UTC"
        + (f", the last of them {times[-1]:%Y-%m-%d %H:%M} UTC" if len(times) > 1 else "")
        + "; run the same command then."
        if times
        else "`snakemake all` asks the next one, window_gap_hours after the last call."
    )
    return f"Products are {said}. {when}"


def remember(found: Mapping[tuple[str, str], Opened]) -> None:
    """Let the processes that this one starts know what was decided."""
    lasts = {"/".join(key): one.last for key, one in found.items()}
    os.environ[_VARIABLE] = json.dumps(lasts)


def remembered() -> dict[tuple[str, str], Opened] | None:
    """What the process that started this one decided; None if it decided nothing."""
    told = os.environ.get(_VARIABLE)
    if told is None:
        return None
    lasts = ([*key.split("/"), last] for key, last in json.loads(told).items())
    return {(tester, experiment): Opened(last) for tester, experiment, last in lasts}


def is_new(path: str) -> bool:
    """Whether a table of replies is of a window that was never begun, and not one that is gone."""
    match = _TABLE.fullmatch(Path(path).name)
    if match is None or match[2] == "1":
        return False
    return not list((Path(path).parent / "journal").glob(f"{match[1]}.w{match[2]}.*.jsonl"))


def _opened(settings: Settings, folder: Path, experiment: str, now: datetime, up_to: int) -> Opened:
    tables = [
        window
        for window in range(1, settings.windows + 1)
        if (folder / f"{experiment}.w{window}.parquet").exists()
    ]
    last = max(1, *tables) if tables else 1
    if last < settings.windows:
        last = max(last, _last_begun(settings, folder / "journal", experiment))
    gap = timedelta(hours=settings.window_gap_hours)
    if not gap:
        return Opened(max(last, up_to))
    # What was begun was asked in its time; what is missing of it is asked or built with this run.
    if last >= settings.windows or tables != list(range(1, last + 1)):
        return Opened(last)
    called = last_call(folder / "journal", experiment, last)
    opens = now if called is None else called + gap
    if opens > now:
        return Opened(last, opens)
    return Opened(last + 1) if last < up_to else Opened(last, opens)


def _last_begun(settings: Settings, journal: Path, experiment: str) -> int:
    """The last window of which the journal holds a reply."""
    arms = getattr(settings, experiment).arms.values()
    windows = range(2, settings.windows + 1)
    trials = {
        b'"trial":%d,' % trial: window
        for window in windows
        for arm in arms
        for trial in window_trials(arm.trials, window, settings.windows)
    }
    last = 1
    for _, paths in _segments(journal, experiment).items():
        for path in paths:
            with path.open("rb") as file:
                for line in file:
                    # Of a reply's line the trial is all that is looked at; a text escapes quotes.
                    found = _TRIAL.search(line) if b'"kind":"reply"' in line else None
                    if found is not None:
                        last = max(last, trials.get(found[0], 1))
    return last


def last_call(journal: Path, experiment: str, window: int) -> datetime | None:
    """When the last call of an experiment began, up to a window; None without any."""
    latest = []
    for number, paths in _segments(journal, experiment).items():
        times = (_latest_in(path) for path in reversed(paths)) if number <= window else ()
        latest += [time for time in times if time is not None][:1]
    return max(latest, default=None)


def _segments(journal: Path, experiment: str) -> dict[int, list[Path]]:
    """The journal's files of an experiment by window, in the order of writing."""
    pattern = re.compile(rf"{re.escape(experiment)}\.w(\d+)\.(\d+)\.jsonl")
    found: dict[int, list[tuple[int, Path]]] = {}
    for path in journal.iterdir() if journal.is_dir() else ():
        if match := pattern.fullmatch(path.name):
            found.setdefault(int(match[1]), []).append((int(match[2]), path))
    return {window: [path for _, path in sorted(paths)] for window, paths in found.items()}


def _latest_in(segment: Path) -> datetime | None:
    """The end of a segment is enough, but for one that ends in a huge reply."""
    with segment.open("rb") as file:
        size = file.seek(0, 2)
        for tail in (_TAIL_BYTES, size):
            file.seek(max(0, size - tail))
            if times := _STARTED.findall(file.read()):
                return max(datetime.fromisoformat(time.decode()) for time in times)
    return None
