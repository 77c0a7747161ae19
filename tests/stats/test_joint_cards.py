"""A card takes each number from the table that holds it, and from the row that is meant."""

import pytest

from tests.stats.joint_rows import EFFECT, cards, estimate_of, intervals_of, signals_of
from vlmtom.stats.joint_cards import PROFILE, Game, joint_cards
from vlmtom.store import schemas

GAME = [Game("t1", "standard")]


def by_measure(rows):
    return {row["measure"]: row for row in rows}


def test_a_card_has_twelve_numbers_in_the_order_of_the_experiments():
    # One gap; two scores of three conditions; one effect; TOCS of four conditions.
    rows = cards({"t1": "model", "obs-director": "observer"})
    assert [row["tester"] for row in rows] == ["t1"] * 12 + ["obs-director"] * 12
    assert [row["place"] for row in rows] == [*range(1, 13)] * 2
    assert [row["experiment"] for row in rows[:12]] == [
        *["director"],
        *["triangles"] * 6,
        *["report_action"],
        *["mosaic"] * 4,
    ]
    assert {row["kind"] for row in rows[12:]} == {"observer"}
    assert all({*row} == {*schemas.JOINT_CARDS.names} for row in rows)


def test_numbers_ends_and_counts_are_those_of_their_tables():
    rows = by_measure(cards({"t1": "model"}))
    assert [rows["effect"][name] for name in ("value", "low", "high", "n", "method")] == [
        *(0.169, 0.091, 0.247, 160, "gee")
    ]
    assert rows["effect"]["of"] == "move-visibility - move-none"
    assert [rows["gap"][name] for name in ("value", "low", "high", "n")] == [0.5, 0.25, 0.75, 12]
    tocs = rows["tocs_comp-tom1"]
    assert [tocs[name] for name in ("value", "low", "high", "n", "n_of", "method", "of")] == [
        *(0.92, 0.808, 0.978, 50, "trials", "exact", "Comp-ToM1, arm standard")
    ]


def test_other_rows_of_the_same_tester_are_passed_over():
    """The panel's, another comparison, measure or subset, another metric, arm or partner."""
    decoys = [
        estimate_of("t1", diff=0.9, comparison="told"),
        estimate_of("t1", diff=0.9, measure="joint"),
        estimate_of("t1", diff=0.9, subset="trap"),
        estimate_of("t2", diff=0.9),
    ]
    others = [
        *signals_of("t1", metric="tas", value=0.1),
        *signals_of("t1", arm="blank", value=0.1),
        *signals_of("t1", participant="t2", value=0.1),
        *signals_of("t2", value=0.1),
    ]
    panel = [row | {"kind": "panel"} for row in intervals_of("panel", gap=(0.9, 0.9, 0.9))]
    rows = by_measure(
        joint_cards(
            GAME,
            EFFECT,
            [*panel, *intervals_of("t1")],
            [*decoys, estimate_of("t1")],
            [*others, *signals_of("t1")],
        )
    )
    assert rows["gap"]["value"] == 0.5 and rows["effect"]["value"] == 0.169
    assert {row["value"] for m, row in rows.items() if m.startswith("tocs_")} == {0.92}


def test_what_a_run_lacks_is_a_null_that_says_so():
    rows = joint_cards(GAME, EFFECT, [], [], [])
    assert len(rows) == 12
    for row in rows:
        assert (row["value"], row["low"], row["high"], row["n"]) == (None, None, None, 0)
        assert (row["status"], row["kind"]) == ("not_run", None)


@pytest.mark.parametrize("measure", ["gap", *PROFILE])
def test_a_number_without_a_cell_keeps_its_status_word(measure):
    lost = intervals_of("t1", **{measure: (None, None, None)})
    rows = by_measure(joint_cards(GAME, EFFECT, lost, [estimate_of("t1")], signals_of("t1")))
    assert (rows[measure]["value"], rows[measure]["status"]) == (None, "no_cells")
    assert {row["status"] for name, row in rows.items() if name != measure} == {"ok"}


def test_an_effect_that_cannot_be_estimated_says_so():
    lost = estimate_of("t1", diff=None, lo=None, hi=None, method="not_estimable")
    rows = by_measure(joint_cards(GAME, EFFECT, intervals_of("t1"), [lost], signals_of("t1")))
    assert (rows["effect"]["value"], rows["effect"]["status"]) == (None, "not_estimable")
    assert rows["effect"]["n"] == 160


def test_an_excluded_pair_is_named_as_such():
    blank = {"value": None, "low": None, "high": None, "method": None, "status": "excluded"}
    lost = [row | blank for row in signals_of("t1")]
    rows = by_measure(joint_cards(GAME, EFFECT, intervals_of("t1"), [estimate_of("t1")], lost))
    assert rows["tocs_coop-tom0"]["status"] == "excluded"
