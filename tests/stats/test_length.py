"""Length as a covariate: planted slopes come back, and what cannot be told apart says so."""

import math
from fractions import Fraction

import pytest

from vlmtom.stats.exact import plain
from vlmtom.stats.length import length
from vlmtom.stats.profile_tables import Reading
from vlmtom.store import schemas

READING = Reading()


def told(tester, words, intents, kind="model", judges=("j1", "j2")):
    """Descriptions and verdicts: words[condition][i] words, scored intents[condition][i]."""
    descriptions, verdicts = [], []
    for condition, lengths in words.items():
        for place, n in enumerate(lengths):
            blind_id = f"{tester}-{condition}-{place}"
            descriptions.append(
                {
                    "tester": tester,
                    "kind": kind,
                    "arm": "numbered",
                    "condition": condition,
                    "parse": "parsed",
                    "blind_id": blind_id,
                    "n_words": n,
                }
            )
            score = intents[condition][place]
            verdicts += [
                {
                    "blind_id": blind_id,
                    "judge": judge,
                    "arm": "numbered",
                    "overlay": "blinded",
                    "parse": "parsed" if score is not None else "unparsed",
                    "intent": score,
                }
                for judge in judges
            ]
    return descriptions, verdicts


def rows_of(*parts, reading=READING):
    descriptions = [row for part in parts for row in part[0]]
    verdicts = [row for part in parts for row in part[1]]
    rows = length(descriptions, verdicts, reading)
    schemas.LENGTH.table(plain(rows))
    for row in plain(rows):
        assert not any(isinstance(v, float) and not math.isfinite(v) for v in row.values())
    return {row["tester"]: row for row in rows}


WORDS = {"ToM": [20, 40, 80], "GD": [10, 20, 40], "Random": [10, 10, 20]}


def planted(step, effects):
    """Intentionality = effect of the condition + step for each doubling of the words."""
    return {
        condition: [effects[condition] + step * round(math.log2(n / 10)) for n in lengths]
        for condition, lengths in WORDS.items()
    }


def test_planted_effects_of_condition_and_length_come_back():
    row = rows_of(told("t", WORDS, planted(1, {"ToM": 2, "GD": 1, "Random": 0})))["t"]
    # means over ToM 2 + (1 + 2 + 3) / 3 = 4, GD 1 + (0 + 1 + 2) / 3 = 2, Random 0 + 1/3
    assert (row["tom_gd"], row["tom_random"]) == (2, Fraction(11, 3))
    assert row["tom_gd_adjusted"] == pytest.approx(1)
    assert row["tom_random_adjusted"] == pytest.approx(2)
    assert row["per_log_word"] == pytest.approx(1 / math.log(2))
    assert (row["words_tom"], row["words_gd"]) == (Fraction(140, 3), Fraction(70, 3))
    assert (row["n_descriptions"], row["n_scored"], row["status"]) == (9, 9, "ok")


def test_a_difference_that_is_all_length_vanishes_at_equal_length():
    row = rows_of(told("t", WORDS, planted(1, {"ToM": 1, "GD": 1, "Random": 1})))["t"]
    assert row["tom_gd"] == 1
    assert row["tom_gd_adjusted"] == pytest.approx(0, abs=1e-9)
    # words and levels are in one order
    assert row["rho"] == 1 or float(row["rho"]) == pytest.approx(1)


def test_the_panel_has_an_intercept_for_each_tester():
    # two testers with one slope; the second writes twice as much and is scored two lower
    long = {condition: [4 * n for n in lengths] for condition, lengths in WORDS.items()}
    effects = {"ToM": 2, "GD": 1, "Random": 0}
    rows = rows_of(
        told("one", WORDS, planted(1, effects)),
        told("two", long, planted(1, effects)),
        told("obs", WORDS, planted(0, effects), kind="observer"),
    )
    panel = rows["panel"]
    assert panel["per_log_word"] == pytest.approx(1 / math.log(2))
    assert panel["tom_gd_adjusted"] == pytest.approx(1)
    assert panel["tom_gd"] == 2 and panel["n_scored"] == 18  # the observer is not in it
    assert panel["words_gd"] == Fraction(70, 3) * Fraction(5, 2)
    assert (panel["rho"], panel["rho_status"]) == (None, "by_tester")


def test_a_constant_length_is_named():
    same = {"ToM": [25] * 3, "GD": [25] * 3, "Random": [25] * 3}
    row = rows_of(told("t", same, planted(0, {"ToM": 3, "GD": 2, "Random": 0})))["t"]
    assert row["status"] == "constant_length" and row["rho_status"] == "constant_input"
    assert row["rho"] is row["tom_gd_adjusted"] is row["per_log_word"] is None
    assert row["tom_gd"] == 1


def test_a_length_that_the_condition_fixes_is_named():
    fixed = {"ToM": [40] * 3, "GD": [20] * 3, "Random": [10] * 3}
    intents = {"ToM": [3, 4, 5], "GD": [2, 2, 2], "Random": [0, 1, 0]}
    row = rows_of(told("t", fixed, intents))["t"]
    assert (row["tom_gd_adjusted"], row["status"]) == (None, "fixed_by_condition")
    assert row["rho_status"] == "ok"
    # so for the panel, where each tester has its own constant factor
    other = {condition: [3 * n for n in lengths] for condition, lengths in fixed.items()}
    panel = rows_of(told("t", fixed, intents), told("u", other, intents))["panel"]
    assert panel["status"] == "fixed_by_condition"


def test_what_is_missing_is_in_no_mean_and_counted():
    intents = planted(1, {"ToM": 2, "GD": 1, "Random": 0})
    intents["ToM"][2] = None
    row = rows_of(told("t", WORDS, intents))["t"]
    assert (row["n_descriptions"], row["n_scored"]) == (9, 8)
    assert row["words_tom"] == Fraction(140, 3)  # it was told, though not scored
    assert row["tom_gd"] == Fraction(3 + 4, 2) - 2
    intents["Random"] = [None] * 3
    row = rows_of(told("t", WORDS, intents))["t"]
    assert (row["tom_random"], row["tom_gd_adjusted"], row["status"]) == (None, None, "no_cells")
    descriptions, _ = told("t", WORDS, intents)
    unread = [row | {"parse": None, "n_words": None, "blind_id": None} for row in descriptions]
    row = rows_of((unread, []))["t"]
    assert (row["words_tom"], row["n_descriptions"], row["status"]) == (None, 0, "no_cells")


def test_as_many_descriptions_as_parameters_are_too_few():
    one = {"ToM": [10, 20], "GD": [10], "Random": [10]}
    row = rows_of(told("t", one, {"ToM": [3, 4], "GD": [2], "Random": [0]}))["t"]
    assert (row["status"], row["tom_gd"]) == ("too_few", Fraction(3, 2))


def test_a_description_without_a_word_is_taken_as_the_shortest():
    words = {**WORDS, "Random": [0, 10, 20]}
    row = rows_of(
        told("t", words, planted(1, {"ToM": 2, "GD": 1, "Random": 0}) | {"Random": [0] * 3})
    )
    assert row["t"]["status"] == "ok"


def test_only_the_arm_and_overlay_asked_for_are_read():
    effects = {"ToM": 2, "GD": 1, "Random": 0}
    descriptions, verdicts = told("t", WORDS, planted(1, effects))
    more = [row | {"arm": "plain", "n_words": 999} for row in descriptions]
    informed = [row | {"overlay": "informed", "intent": 5} for row in verdicts]
    alone = rows_of((descriptions, verdicts))
    assert rows_of((descriptions + more, verdicts + informed)) == alone
