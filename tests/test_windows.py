"""Which windows are open, from journals and tables alone."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from vlmtom.errors import BadConfig
from vlmtom.settings import load_settings
from vlmtom.store import JournalWriter
from vlmtom.windows import Opened, is_new, notice, opened, remember, remembered, stamp

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


class Run:
    def __init__(self, folder: Path, windows: int = 3, gap: float = 8) -> None:
        self.folder = folder
        arms = {"canonical": {"trials": 3}}
        self.settings = load_settings(
            {
                "results": str(folder),
                "testers": ["t1", "t2"],
                "windows": windows,
                "window_gap_hours": gap,
                "director": {"arms": arms},
            }
        )

    def asked(
        self, window: int, at: datetime, tester: str = "t1", trial: int = 1, table: bool = True
    ) -> None:
        folder = self.folder / "replies" / tester
        with JournalWriter(folder / "journal", f"director.w{window}") as journal:
            trap = f'"started_utc":"{at + 99 * HOUR:%Y-%m-%dT%H:%M:%S}+00:00"'
            for time in (at - HOUR, at):
                journal.append(
                    {
                        "kind": "reply",
                        "started_utc": time.isoformat(),
                        "text": trap,
                        "trial": trial,
                        "turn": 1,
                    }
                )
            # One that came to nothing has no time of its own.
            journal.append({"kind": "reply", "started_utc": None, "text": None})
        if table:
            (folder / f"director.w{window}.parquet").touch()

    def last(self, now: datetime, tester: str = "t1", up_to: int | None = None) -> Opened:
        return opened(self.settings, ["director"], now, up_to)[tester, "director"]


def test_the_first_window_is_open_and_the_next_waits_for_its_table(tmp_path):
    run = Run(tmp_path)
    assert run.last(NOON) == Opened(1)
    run.asked(1, NOON - 99 * HOUR, table=False)
    assert run.last(NOON) == Opened(1)


def test_the_next_window_opens_so_many_hours_after_the_last_call(tmp_path):
    run = Run(tmp_path)
    run.asked(1, NOON)
    assert run.last(NOON + 7.99 * HOUR) == Opened(1, NOON + 8 * HOUR)
    assert run.last(NOON + 8 * HOUR) == Opened(2)
    run.asked(2, NOON + 9 * HOUR)
    assert run.last(NOON + 16 * HOUR) == Opened(2, NOON + 17 * HOUR)
    assert run.last(NOON + 17 * HOUR) == Opened(3)
    run.asked(3, NOON + 18 * HOUR)
    assert run.last(NOON) == Opened(3)  # whatever the clock says


def test_a_huge_reply_at_the_end_of_the_journal_does_not_hide_the_time(tmp_path):
    run = Run(tmp_path)
    run.asked(1, NOON)
    folder = tmp_path / "replies" / "t1" / "journal"
    with JournalWriter(folder, "director.w1") as journal:
        journal.append({"started_utc": (NOON + HOUR).isoformat(), "text": "x" * 200_000})
    assert run.last(NOON + 8 * HOUR) == Opened(1, NOON + 9 * HOUR)


def test_each_tester_has_its_own_time(tmp_path):
    run = Run(tmp_path)
    run.asked(1, NOON)
    later = NOON + 9 * HOUR
    assert (run.last(later).last, run.last(later, "t2").last) == (2, 1)


def test_windows_whose_tables_are_gone_are_built_again_from_the_journal(tmp_path):
    run = Run(tmp_path)
    for window in (1, 2, 3):
        run.asked(window, NOON + 9 * window * HOUR, trial=window, table=False)
    assert run.last(NOON) == Opened(3)


def test_trials_that_were_asked_in_another_window_count_for_theirs(tmp_path):
    run = Run(tmp_path)
    for trial in (1, 2, 3):
        run.asked(1, NOON, trial=trial)
    assert run.last(NOON) == Opened(3)


def test_a_segment_without_a_call_does_not_hide_the_time_of_the_one_before(tmp_path):
    run = Run(tmp_path)
    run.asked(1, NOON)
    with JournalWriter(tmp_path / "replies" / "t1" / "journal", "director.w1") as journal:
        journal.append({"kind": "learned", "parameter": "temperature"})
    assert run.last(NOON + HOUR) == Opened(1, NOON + 8 * HOUR)


def test_a_window_that_was_never_begun_is_no_table_that_is_gone(tmp_path):
    run = Run(tmp_path)
    run.asked(1, NOON)
    run.asked(2, NOON)
    folder = tmp_path / "replies" / "t1"
    new = {w: is_new(f"{folder}/director.w{w}.parquet") for w in (1, 2, 3)}
    assert new == {1: False, 2: False, 3: True}
    assert not is_new("results/outcomes/t1/director.parquet")


def test_a_table_that_is_gone_is_made_again_before_a_new_window_opens(tmp_path):
    run = Run(tmp_path)
    run.asked(1, NOON)
    run.asked(2, NOON + 9 * HOUR)
    (tmp_path / "replies" / "t1" / "director.w1.parquet").unlink()
    assert run.last(NOON + 99 * HOUR) == Opened(2)


def test_without_a_gap_all_windows_are_open(tmp_path):
    assert Run(tmp_path, gap=0).last(NOON) == Opened(3)
    assert Run(tmp_path, gap=0).last(NOON, up_to=2) == Opened(2)


def test_a_target_asks_no_window_beyond_it_and_uses_what_is_there(tmp_path):
    run = Run(tmp_path)
    run.asked(1, NOON)
    later = NOON + 99 * HOUR
    assert run.last(later, up_to=1).last == 1
    assert run.last(later, up_to=3).last == 2
    run.asked(2, NOON + 9 * HOUR)
    assert run.last(later, up_to=1).last == 2


def test_what_is_partial_says_so_and_when_the_next_window_opens(tmp_path):
    run = Run(tmp_path)
    run.asked(1, NOON)
    found = opened(run.settings, ["director"], NOON + HOUR)
    assert stamp(found, 3, ["director"]) == "partial: 1 of 3 windows"
    said = notice(found, 3, NOON + HOUR)
    assert "partial: 1 of 3 windows" in said
    assert "opens 2026-03-01 20:00 UTC" in said
    run.asked(2, NOON)
    assert stamp(opened(run.settings, ["director"], NOON), 3, ["director"]).startswith(
        "partial: 1 to 2 of 3"
    )
    whole = {("t1", "director"): Opened(3), ("t2", "director"): Opened(3)}
    assert (stamp(whole, 3, ["director"]), notice(whole, 3, NOON)) == ("", "")


def test_a_process_below_keeps_to_what_was_decided(monkeypatch):
    monkeypatch.setenv("VLMTOM_WINDOWS", "{}")
    remember({("t-1.5", "director"): Opened(2, NOON)})
    assert remembered() == {("t-1.5", "director"): Opened(2)}
    monkeypatch.delenv("VLMTOM_WINDOWS")
    assert remembered() is None


def test_more_windows_than_trials_are_refused(tmp_path):
    with pytest.raises(BadConfig, match="no arm has more than 3 trials to divide over them"):
        Run(tmp_path, windows=4)
