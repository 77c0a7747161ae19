"""One card a tester: its numbers of every experiment beside each other, each with n and interval.

Nothing is computed here that another table does not hold; a number that a run lacks is a null with
the word that says why.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from vlmtom.mosaic.conditions import CONDITIONS

Row = Mapping[str, object]

PROFILE = ("tom_intent", "tom_approp", "gd_intent", "gd_approp", "random_intent", "random_approp")


@dataclass(frozen=True)
class Game:
    """The pair in which a tester plays itself. arm: what it is shown there."""

    tester: str
    arm: str


@dataclass(frozen=True)
class Effect:
    """The comparison that stands for the effect of the report."""

    comparison: str
    without: str
    with_: str


def joint_cards(
    games: Sequence[Game],
    effect: Effect,
    intervals: Sequence[Row],
    estimates: Sequence[Row],
    signals: Sequence[Row],
) -> list[dict[str, object]]:
    """Rows of JOINT_CARDS, by tester, the experiments in order.

    intervals: of INTERVALS. estimates: of REPORT_ACTION_ESTIMATES. signals: of MOSAIC_SIGNALS.
    """
    return [
        {"tester": game.tester, "place": place, **row}
        for game in games
        for place, row in enumerate(
            [
                *_cross_task(game.tester, intervals),
                _effect(game.tester, effect, estimates),
                *_outcomes(game, signals),
            ],
            start=1,
        )
    ]


def _cross_task(tester: str, intervals: Sequence[Row]) -> Iterator[dict[str, object]]:
    found = {row["measure"]: row for row in intervals if row["tester"] == tester}
    for measure in ("gap", *PROFILE):
        director = measure == "gap"
        row = found.get(measure)
        yield {
            "kind": None if row is None else row["kind"],
            "experiment": "director" if director else "triangles",
            "measure": measure,
            "of": "a - b" if director else "",
            "value": None if row is None else row["value"],
            "low": None if row is None else row["low"],
            "high": None if row is None else row["high"],
            "n": 0 if row is None else row["n"],
            "n_of": "scenes" if director else "clip x judge cells",
            "method": "bootstrap",
            "status": "not_run" if row is None else row["status"],
        }


def _effect(tester: str, effect: Effect, estimates: Sequence[Row]) -> dict[str, object]:
    row = next(
        (
            row
            for row in estimates
            if row["tester"] == tester
            and row["comparison"] == effect.comparison
            and row["measure"] == "hidden_chosen"
            and row["subset"] == "all"
        ),
        None,
    )
    return {
        "kind": None if row is None else row["kind"],
        "experiment": "report_action",
        "measure": "effect",
        "of": f"{effect.with_} - {effect.without}",
        "value": None if row is None else row["diff"],
        "low": None if row is None else row["lo"],
        "high": None if row is None else row["hi"],
        "n": 0 if row is None else row["n_paired"],
        "n_of": "scenes",
        "method": None if row is None else row["method"],
        "status": "not_run" if row is None else "ok" if row["diff"] is not None else row["method"],
    }


def _outcomes(game: Game, signals: Sequence[Row]) -> Iterator[dict[str, object]]:
    alone = (game.tester, game.tester, game.arm, "tocs")
    found = {
        row["condition"]: row
        for row in signals
        if (row["subject"], row["participant"], row["arm"], row["metric"]) == alone
    }
    for condition in CONDITIONS:
        row = found.get(condition.slug)
        yield {
            "kind": None if row is None else row["kind"],
            "experiment": "mosaic",
            "measure": f"tocs_{condition.slug}",
            "of": f"{condition.label}, arm {game.arm}",
            "value": None if row is None else row["value"],
            "low": None if row is None else row["low"],
            "high": None if row is None else row["high"],
            "n": 0 if row is None else row["n"],
            "n_of": "trials",
            "method": None if row is None else row["method"],
            "status": "not_run" if row is None else row["status"],
        }
