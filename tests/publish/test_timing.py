"""When calls were made: counted by hour, in order, drawn where they were."""

from datetime import UTC, datetime, timedelta

from matplotlib import dates

from vlmtom.publish.style import save_figure
from vlmtom.publish.timing import timing_figure, timing_rows, timing_tex
from vlmtom.store import schemas

NOON = datetime(2026, 5, 1, 12, 30, tzinfo=UTC)


def reply(minutes, tester="t1", arm="canonical", window=1, duration=2.0, kind="model"):
    started = None if minutes is None else NOON + timedelta(minutes=minutes)
    row = {"tester": tester, "kind": kind, "experiment": "director", "arm": arm}
    return row | {"window": window, "started_utc": started, "duration_s": duration}


REPLIES = [
    reply(0),
    reply(20, duration=4.0),
    reply(40),  # 13:10: another hour
    reply(None),
    reply(22 * 60, window=2),
    reply(5, tester="t2"),
]


def test_calls_are_counted_by_hour_and_those_that_never_came_are_left_out():
    rows = timing_rows(REPLIES)
    found = [(row["tester"], row["window"], row["hour"].hour, row["n"]) for row in rows]
    assert found == [("t1", 1, 12, 2), ("t1", 1, 13, 1), ("t1", 2, 10, 1), ("t2", 1, 12, 1)]
    assert rows[0]["median_s"] == 3.0
    assert rows[0]["last"] == NOON + timedelta(minutes=20)
    schemas.TIMING.table(rows)


def test_the_table_says_first_last_and_in_how_many_hours():
    tex = timing_tex(timing_rows(REPLIES), "p")
    assert r"t1 & director & 1 & 1 & 3 & 2026-05-01 12:30 & 05-01 13:10 & 2 \\" in tex


def test_the_figure_draws_every_tester_where_its_calls_were(tmp_path):
    figure = timing_figure(timing_rows(REPLIES), "p")
    axes = figure.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["t1", "t2"]
    xs = axes.lines[0].get_xdata()
    assert dates.num2date(xs[0]) == NOON
    assert len(xs) == 4
    save_figure(figure, tmp_path / "t.pdf", tmp_path / "t.png")


def test_twelve_arms_stay_in_their_testers_rows_and_can_be_told_apart(tmp_path):
    arms = [f"no_occluder{number}" for number in range(12)]
    replies = [reply(n, tester, arm) for tester in ("t1", "t2") for n, arm in enumerate(arms)]
    figure = timing_figure(timing_rows(replies), "p")
    axes = figure.axes[0]
    assert len(axes.lines) == 12
    for line in axes.lines:
        assert all(abs(y - place) < 0.5 for place, y in enumerate(line.get_ydata()))
    assert len({(line.get_color(), line.get_marker()) for line in axes.lines}) == 12
    figure.canvas.draw()
    box = axes.get_legend().get_window_extent()
    assert box.x0 >= 0 and box.x1 <= figure.bbox.width
    save_figure(figure, tmp_path / "t.pdf", tmp_path / "t.png")


def test_no_calls_are_no_error(tmp_path):
    save_figure(timing_figure([], "p"), tmp_path / "t.pdf", tmp_path / "t.png")
    assert "When calls were made" in timing_tex([], "p")
