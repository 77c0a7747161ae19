"""The validation battery and the ablation: gates, repetitions, prices, the published table."""

import csv
from fractions import Fraction
from pathlib import Path

import pytest

from tests.judging.test_validation import exemplars
from vlmtom.errors import BadData
from vlmtom.judging.ablation import Candidate, candidate, saving, table13, usd_per_call
from vlmtom.judging.prompts import EXEMPLARS
from vlmtom.judging.validation import (
    battery_rows,
    exemplar_rows,
    gate,
    named,
    population_sd,
    read_exemplars,
)
from vlmtom.settings import Price
from vlmtom.stats.exact import Root, show

PUBLISHED = Path(__file__).parents[2] / "resources" / "published" / "crosstask_table13.csv"


def verdicts(levels, judge="j"):
    """levels: by exemplar, those of its repetitions; None: no verdict."""
    return [
        {
            "judge": judge,
            "exemplar": f"e{place}",
            "intent": level,
            "approp": None if level is None else 3,
            "parse": None if level is None else "parsed",
        }
        for place, given in enumerate(levels)
        for level in given
    ]


def battery(levels, number=1, repetitions=5):
    (row,) = battery_rows(verdicts(levels), exemplars(number), repetitions, {"j": "model"})
    return row


def test_recovery_is_over_exemplars_and_repetitions_and_the_sd_by_exemplar():
    # expected 3 to 4: of ten 9 recovered; SD of 3 3 3 3 5: mean 3.4, variance .64
    row = battery([[3, 3, 3, 3, 5], [4] * 5], number=2)
    assert row["intent_recovery"] == Fraction(9, 10)
    assert row["max_intent_sd"] == Root(Fraction(64, 100))
    assert (row["max_approp_sd"], row["approp_recovery"]) == (Root(Fraction()), 1)
    assert (row["verdict"], row["status"], row["n_scored"]) == ("FAIL", "ok", 10)


@pytest.mark.parametrize(
    ("levels", "sd", "verdict"),
    [
        ([3, 3, 4, 4], "0.50", "PASS"),  # population SD exactly 1/2
        ([3, 4, 4, 5], "0.71", "FAIL"),
    ],
)
def test_the_sd_gate_is_inclusive_and_of_the_population(levels, sd, verdict):
    row = battery([levels], repetitions=4)
    assert show(row["max_intent_sd"], 2) == sd
    assert row["verdict"] == verdict


@pytest.mark.parametrize(
    ("dimension", "percent", "sd", "passes"),
    [
        ("intent", "80", "0.5", True),
        ("intent", "79.99", "0", False),
        ("intent", "100", "0.51", False),
        ("approp", "80", "0.8", True),
        ("approp", "100", "0.81", False),
    ],
)
def test_both_gates_include_their_limits(dimension, percent, sd, passes):
    assert gate(dimension, Fraction(percent) / 100, Root(Fraction(sd) ** 2)) is passes


def test_a_missing_verdict_is_counted_is_in_no_share_and_fails_the_judge():
    row = battery([[3, 3, 3, 3, None]])
    assert (row["intent_recovery"], row["n_scored"], row["n_missing"]) == (1, 4, 1)
    assert (row["verdict"], row["status"]) == ("FAIL", "missing_verdicts")


def test_an_unreadable_verdict_is_counted_apart():
    rows = [*verdicts([[3, 3, 3, 3]]), *verdicts([[None]])]
    rows[-1]["parse"] = "unparsed"
    (row,) = battery_rows(rows, exemplars(1), 5, {"j": "model"})
    assert (row["n_unparsed"], row["n_missing"], row["n_scored"]) == (1, 0, 4)


def test_a_judge_without_a_verdict_has_null_numbers_and_a_reason():
    (row,) = battery_rows([], exemplars(2), 5, {"j": "model"})
    assert (row["verdict"], row["status"], row["n_missing"]) == ("FAIL", "no_verdicts", 10)
    assert row["intent_recovery"] is row["max_approp_sd"] is None


def test_the_sd_of_one_value_is_zero_and_that_of_thirds_is_exact():
    assert population_sd([4]) == Root(Fraction())
    assert population_sd([1, 2, 3]) == Root(Fraction(2, 3))


def published():
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_published_verdicts_follow_from_the_published_recoveries_and_sds():
    found = {
        row["judge"]: all(
            gate(
                dimension,
                Fraction(row[f"{dimension}_recovery_pct"]) / 100,
                Root(Fraction(row[f"max_{dimension}_sd"]) ** 2),
            )
            for dimension in ("intent", "approp")
        )
        for row in published()
    }
    assert found == {row["judge"]: row["verdict"] == "PASS" for row in published()}
    assert [judge for judge, passes in found.items() if not passes] == ["gpt-5-mini"]


# List prices (USD for a million input and output tokens) of models whose printed cost they give.
@pytest.mark.parametrize(
    ("judge", "price"),
    [
        ("claude-opus-4.7", (5, 25)),
        ("claude-sonnet-4.6", (3, 15)),
        ("claude-haiku-4.5", (1, 5)),
        ("gpt-5", (1.25, 10)),
        ("gpt-5-mini", (0.25, 2)),
        ("gemini-2.5-pro", (1.25, 10)),
        ("gemini-2.5-flash", (0.3, 2.5)),
    ],
)
def test_list_prices_give_the_published_cost_of_a_call(judge, price):
    cost = usd_per_call(Price(input_usd_per_mtok=price[0], output_usd_per_mtok=price[1]))
    (printed,) = (row["usd_per_call"] for row in published() if row["judge"] == judge)
    assert show(cost, 4) == printed


def published_table():
    judges = {
        row["judge"]: Candidate(row["family"], row["role"], Fraction(row["usd_per_call"]))
        for row in published()
    }
    scores = ("intent_recovery", "approp_recovery", "max_intent_sd", "max_approp_sd")
    rest = {"kind": "model", "n_scored": 70, "n_planned": 70, "status": "ok"}
    rows = [
        {"judge": row["judge"], "verdict": row["verdict"], **dict.fromkeys(scores), **rest}
        for row in published()
    ]
    return table13(rows, judges)


def test_the_published_panels_cost_what_is_printed_and_81_percent_are_saved():
    chosen, flagship = published_table()[-2:]
    assert (chosen["judge"], flagship["judge"]) == ("all chosen", "all flagships")
    assert (show(chosen["usd_per_call"], 4), show(flagship["usd_per_call"], 4)) == (
        *("0.0129", "0.0676"),
    )
    assert show(100 * chosen["saving"], 0) == "81"
    assert flagship["saving"] is None


def test_a_price_that_is_not_known_is_null_in_every_sum_and_observers_have_none():
    assert usd_per_call(None) is None
    price = {"input_usd_per_mtok": 1, "output_usd_per_mtok": 1}
    assert candidate("f", "chosen", "observer", price).usd_per_call is None
    assert candidate("f", "chosen", "model", price).usd_per_call == Fraction(4, 1000)
    assert saving(None, Fraction(1)) is None and saving(Fraction(1), Fraction()) is None
    row = battery([[3] * 5])
    rows = table13([row], {"j": Candidate("f", "chosen", None)})
    assert [(r["judge"], r["usd_per_call"], r["status"]) for r in rows] == [
        *(("j", None, "ok"), ("all chosen", None, "no_price")),
    ]


def test_no_blind_id_tells_an_exemplar_s_name_and_the_order_tells_nothing():
    known = read_exemplars()
    rows = exemplar_rows(known, "salt")
    assert [row["blind_id"] for row in rows] == sorted(row["blind_id"] for row in rows)
    assert not {one.exemplar for one in known} & {row["blind_id"] for row in rows}
    assert exemplar_rows(known, "other")[0]["blind_id"] != rows[0]["blind_id"]
    again = named([{"judge": "j", "blind_id": row["blind_id"]} for row in rows], known, "salt")
    assert sorted(row["exemplar"] for row in again) == sorted(one.exemplar for one in known)


def test_a_verdict_on_another_file_s_exemplar_is_refused():
    with pytest.raises(BadData, match=r"j: the verdict on beef belongs to no exemplar"):
        named([{"judge": "j", "blind_id": "beef"}], read_exemplars(), "salt")


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("intent_low", "x", r"line 2, column intent_low: expected a number from 0 to 5, found 'x'"),
        ("approp_high", "4", r"line 2, column approp_high: expected a number from 0 to 3"),
        ("approp_high", "nan", r"line 2, column approp_high: expected a number"),
        ("intent_low", "5", r"line 2, columns intent_low and intent_high: 5 is above 1"),
        ("condition", "Tom", r"line 2, column condition: expected one of ToM, GD, Random"),
        ("description", " ", r"line 2, column description: empty"),
        ("exemplar", "A0b", r"line 3, column exemplar: 'A0b' stands there twice"),
    ],
)
def test_a_cell_that_cannot_be_used_is_named_by_row_and_column(tmp_path, column, value, said):
    with EXEMPLARS.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["exemplar"] in ("A1a", "A0b")]
    rows.sort(key=lambda row: row["exemplar"], reverse=True)  # A1a first: Intentionality 1 to 1
    rows[0][column] = value
    path = tmp_path / "own.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    with pytest.raises(BadData, match=said):
        read_exemplars(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("exemplar,condition\n", r"no column clip, script, description, intent_low"),
        (",".join(["exemplar", "condition", "clip", "script", "description", "intent_low"])
         + ",intent_high,approp_low,approp_high\n", "no exemplar in it"),
    ],
)  # fmt: skip
def test_a_file_that_holds_no_exemplars_is_refused(tmp_path, text, said):
    path = tmp_path / "own.csv"
    path.write_text(text)
    with pytest.raises(BadData, match=said):
        read_exemplars(path)
    with pytest.raises(BadData, match="cannot be read"):
        read_exemplars(tmp_path / "none.csv")
