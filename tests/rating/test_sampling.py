"""Which descriptions people rate: evenly spread, drawn by a secret, under ids of their own."""

import re
import stat
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rating.helpers import CLIPS, blind_rows, description, descriptions, sheet
from vlmtom.errors import BadData
from vlmtom.judging.prompts import prompt
from vlmtom.judging.rubric import read_rubric
from vlmtom.rating.secret import NAME, kept_secret
from vlmtom.rating.sheet import chosen, sheet_of

FULL = {name: tuple(f"{name}{n}" for n in range(4)) for name in ("ToM", "GD", "Random")}
NINE = tuple(f"t{n}" for n in range(9))
# one of four in each condition has no usable description of one clip
LACKING = {("t0", "ToM0"), ("t1", "GD1"), ("t2", "Random2")}


def spread(rows, *columns):
    return Counter(tuple(row[name] for name in columns) for row in rows)


def gap(counts):
    return max(counts.values()) - min(counts.values())


@pytest.mark.parametrize("testers", [NINE, NINE[:5], NINE[:4], NINE[:2]])
@pytest.mark.parametrize("seed", range(5))
def test_thirty_six_are_twelve_a_condition_three_a_clip_and_even_over_testers(testers, seed):
    rows = chosen(descriptions(testers, FULL), 36, str(seed))
    # 12 clips: 36 / 12 = 3 of each, whoever is tested
    assert set(spread(rows, "condition").values()) == {12}
    assert set(spread(rows, "clip").values()) == {3}
    assert gap(spread(rows, "tester")) <= 1
    assert gap(spread(rows, "condition", "tester")) <= 1
    # at least 12 pairs of clip and tester in a condition (8 with two testers): no pair twice
    assert max(spread(rows, "clip", "tester").values()) == (2 if len(testers) == 2 else 1)


@pytest.mark.parametrize("seed", range(8))
def test_who_lacks_a_clip_is_made_up_for_by_the_next_pair(seed):
    rows = [
        row | ({"blind_id": None} if (row["tester"], row["clip"]) in LACKING else {})
        for row in descriptions(NINE[:4], FULL)
    ]
    found = chosen(rows, 24, str(seed))  # 8 of 15 pairs of a condition
    assert set(spread(found, "clip").values()) == {2}
    assert gap(spread(found, "condition", "tester")) == 0
    assert max(spread(found, "clip", "tester").values()) == 1


@given(
    n=st.integers(1, 60),
    unusable=st.sets(st.integers(0, 107), max_size=60),
    seed=st.integers(0, 9),
)
def test_holes_change_no_total_and_conditions_stay_as_even_as_they_can_be(n, unusable, seed):
    rows = descriptions(NINE[:3], FULL)  # 3 testers x 12 clips x 3 trials
    rows = [row | ({"blind_id": None} if i in unusable else {}) for i, row in enumerate(rows)]
    usable = spread([row for row in rows if row["blind_id"]], "condition")
    found = chosen(rows, n, str(seed))
    assert len(found) == len({row["blind_id"] for row in found}) == min(n, 108 - len(unusable))
    assert all(row["blind_id"] for row in found)
    given_by = spread(found, "condition")
    for condition, count in given_by.items():
        # who gives less than another has no more, or is one behind
        assert all(
            given_by[other] >= count - 1 or given_by[other] == usable[other] for other in usable
        ), condition


def test_the_draw_follows_from_the_secret_and_from_no_order_of_rows():
    rows = descriptions(NINE, FULL)
    assert chosen(rows, 36, "1") == chosen(rows[::-1], 36, "1")
    assert chosen(rows, 36, "1") != chosen(rows, 36, "2")
    trials = spread(chosen(rows, 36, "1"), "trial")
    assert set(trials) == {(1,), (2,), (3,)}, "trials are drawn, not the first taken"


def test_null_takes_every_usable_description_of_the_arm_once():
    rows = descriptions() + descriptions(arm="plain")
    twin = description("t1-again", "GD", "run", 1) | {"blind_id": rows[0]["blind_id"]}
    found = chosen([*rows, twin], None, "1")
    assert sorted(row["blind_id"] for row in found) == sorted(
        {row["blind_id"] for row in descriptions()}
    )
    assert {row["arm"] for row in found} == {"numbered"}


def test_of_a_panel_with_models_observers_are_not_rated():
    rows = descriptions(("m1",)) + descriptions(("obs",), kind="observer")
    assert {row["tester"] for row in chosen(rows, 20, "1")} == {"m1"}
    assert {row["tester"] for row in chosen(rows[len(rows) // 2 :], 20, "1")} == {"obs"}


def test_without_a_usable_description_there_is_nothing_to_rate():
    with pytest.raises(BadData, match=r"holds a description.*`rating: null`"):
        chosen(descriptions(blind_id=None), 36, "1")


def test_the_sheet_is_shuffled_and_its_key_is_in_the_same_order():
    made, key = sheet()
    assert [row["item_id"] for row in key] == [item.item_id for item in made.items]
    assert [row["place"] for row in key] == list(range(1, len(key) + 1))
    for row, item in zip(key, made.items, strict=True):
        assert item.description == f"Words {row['blind_id']}."
        assert item.script == f"What {row['clip']} shows."
    conditions = [row["condition"] for row in key]
    blocks = sum(a != b for a, b in pairwise(conditions))
    assert blocks > len(CLIPS), "conditions do not come in blocks"


def test_ids_are_opaque_and_not_those_of_verdicts():
    made, key = sheet()
    other, _ = sheet(secret="8")
    for row in key:
        assert row["item_id"].startswith("item-")  # no spreadsheet program takes it for a number
        assert row["blind_id"] not in row["item_id"] and row["item_id"][5:] not in row["blind_id"]
    assert {item.item_id for item in made.items}.isdisjoint(item.item_id for item in other.items)
    assert made.sheet_id != other.sheet_id, "ratings of the one are refused by the other"


def test_who_knows_all_but_the_secret_knows_neither_ids_nor_order_nor_draw():
    """Of one clip each: without the secret in the draw, a clip would tell its tester."""
    of = {"testers": NINE, "clips": FULL}
    known = [sheet(12, secret=str(n), **of)[1] for n in range(40)]
    assert len({row["item_id"] for key in known for row in key}) == 40 * 12
    assert len({tuple(row["clip"] for row in key) for key in known}) == 40
    for clip in ("ToM0", "GD1", "Random2"):
        testers = {row["tester"] for key in known for row in key if row["clip"] == clip}
        # of nine, drawn forty times: each is missed with (8/9)^40 = 0.9 %
        assert len(testers) >= 8, clip


def test_a_secret_is_drawn_once_for_its_owner_alone_and_kept(tmp_path):
    path, other = tmp_path / "results" / NAME, tmp_path / NAME
    secret = kept_secret(path)
    assert re.fullmatch("[0-9a-f]{64}", secret)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert kept_secret(path) == secret != kept_secret(other)
    assert [file.name for file in path.parent.iterdir()] == [NAME]
    path.unlink()
    assert kept_secret(path) != secret


@pytest.mark.parametrize("content", [b"", b"abc\n", b"g" * 64, b"\xff" * 64])
def test_a_secret_that_was_cut_or_changed_is_not_drawn_anew(content, tmp_path):
    path = tmp_path / NAME
    path.write_bytes(content)
    with pytest.raises(BadData, match=r"rating.secret: expected 64 hex digits. Put back the file"):
        kept_secret(path)
    assert path.read_bytes() == content


def test_the_sheet_s_id_follows_from_what_is_shown_alone():
    rows = chosen(descriptions(), 6, "1")
    rubric = read_rubric()
    first, _ = sheet_of(rows, blind_rows(rows), rubric, "1")
    again, _ = sheet_of(
        [row | {"tester": "renamed"} for row in rows], blind_rows(rows), rubric, "1"
    )
    assert first.sheet_id == again.sheet_id
    texts = {rows[0]["blind_id"]: "other words"}
    changed, _ = sheet_of(rows, blind_rows(rows, texts), rubric, "1")
    assert changed.sheet_id != first.sheet_id


def test_a_rater_reads_condition_script_and_description_as_a_judge_does():
    rows = chosen(descriptions(), 6, "1")
    blind = blind_rows(rows)
    made, key = sheet_of(rows, blind, read_rubric(), "1")
    by_id = {row["blind_id"]: row for row in blind}
    for row, item in zip(key, made.items, strict=True):
        told = prompt("blinded", read_rubric(), by_id[row["blind_id"]])
        assert f"Condition: {item.condition}\nScript: {item.script}\n" in told
        assert f"\n{item.description}\n" in told


def test_a_description_without_its_text_is_named():
    rows = chosen(descriptions(), 6, "1")
    with pytest.raises(BadData, match=r"no text of t\d's description of \w+, trial \d"):
        sheet_of(rows, blind_rows(rows[1:]), read_rubric(), "1")
