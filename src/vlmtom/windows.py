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

from vlmtom.settings import Settings

# As canonical JSON spells it; inside a text the quotes are escaped.
_STARTED = re.compile(rb'"started_utc":"([^"]+)"')
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
    before it, once their tables are there; without a gap all are open at once. A window whose
    table is there counts as open. up_to: ask none beyond it.
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
    fewest, most = min(lasts), max(lasts)
    if fewest >= windows:
        return ""
    asked = str(fewest) if fewest == most else f"{fewest} to {most}"
    return f"partial: {asked} of {windows} windows"


def notice(found: Mapping[tuple[str, str], Opened], windows: int) -> str:
    """A line for people on what is not asked yet, and when it will be; empty if all is asked."""
    waiting = {key: one for key, one in found.items() if one.last < windows}
    if not waiting:
        return ""
    times = sorted({one.opens for one in waiting.values() if one.opens is not None})
    said = stamp(found, windows, {experiment for _, experiment in found})
    when = (
        f"The next window opens {times[0]:%Y-%m-%d %H:%M} UTC"
        + (f", the last of them {times[-1]:%Y-%m-%d %H:%M} UTC" if len(times) > 1 else "")
        + "; run the same command then."
        if times
        else "The next window opens window_gap_hours after this one was asked."
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


def _opened(settings: Settings, folder: Path, experiment: str, now: datetime, up_to: int) -> Opened:
    present = [
        window
        for window in range(1, settings.windows + 1)
        if (folder / f"{experiment}.w{window}.parquet").exists()
    ]
    last = max(1, *present) if present else 1
    gap = timedelta(hours=settings.window_gap_hours)
    if not gap:
        return Opened(max(last, up_to))
    # What is there was asked for in its time; what is missing before it is asked with it.
    if last >= settings.windows or present != list(range(1, last + 1)):
        return Opened(last)
    called = last_call(folder / "journal", experiment, last)
    opens = now if called is None else called + gap
    if opens > now:
        return Opened(last, opens)
    return Opened(last + 1) if last < up_to else Opened(last, opens)


def last_call(journal: Path, experiment: str, window: int) -> datetime | None:
    """When the last call of an experiment began, up to a window; None without any."""
    latest = [
        time
        for path in _last_segments(journal, experiment, window)
        if (time := _latest_in(path)) is not None
    ]
    return max(latest, default=None)


def _last_segments(journal: Path, experiment: str, window: int) -> Iterable[Path]:
    pattern = re.compile(rf"{re.escape(experiment)}\.w(\d+)\.(\d+)\.jsonl")
    found: dict[int, tuple[int, Path]] = {}
    for path in journal.iterdir() if journal.is_dir() else ():
        if match := pattern.fullmatch(path.name):
            number, segment = int(match[1]), int(match[2])
            if number <= window and segment > found.get(number, (0, path))[0]:
                found[number] = segment, path
    return [path for _, path in found.values()]


def _latest_in(segment: Path) -> datetime | None:
    """The end of a segment is enough, but for one that ends in a huge reply."""
    with segment.open("rb") as file:
        size = file.seek(0, 2)
        for tail in (_TAIL_BYTES, size):
            file.seek(max(0, size - tail))
            if times := _STARTED.findall(file.read()):
                return max(datetime.fromisoformat(time.decode()) for time in times)
    return None
