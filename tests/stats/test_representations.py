"""Table 12 by hand, on the published numbers, and where the reference cannot be trusted."""

import csv
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from vlmtom.errors import BadData, MissingReplies
from vlmtom.publish.table12 import Study, table12_tex
from vlmtom.stats.exact import plain
from vlmtom.stats.representations import (
    Usage,
    cells,
    check_complete,
    compared,
    saving,
    similarity,
    table12,
    usage,
)
from vlmtom.stats.rounding import half_up
from vlmtom.store import schemas

PUBLISHED = Path(__file__).parents[2] / "resources" / "published" / "crosstask_table12.csv"
FAMILIES = {"native_video": "video", "frames_64": "sequence", "grid_4x4": "grid_320x240"}
JUDGES = ("j1", "j2")
STUDY = Study("p", "native_video", ["a", "b"], 2, "0123456789abcdef" * 4, "synthetic", ["model"])


def published():
    with PUBLISHED.open(newline="") as file:
        return [
            {
                "representation": row["representation"],
                "intent_sim": Fraction(row["intent_sim_pct"]),
                "approp_sim": Fraction(row["approp_sim_pct"]),
                "prompt_tokens": Fraction(row["tokens_per_cell"]),
                "status": "reference" if row["family"] == "video" else "ok",
                "printed": Fraction(row["total_sim_pct"]),
            }
            for row in csv.DictReader(file)
        ]


def test_published_totals_are_the_mean_of_the_two_percentages_half_up():
    rows = compared(published())
    totals = {row["representation"]: row["total_sim"] for row in rows}
    for row in rows:
        # 88.25, whose half goes up, is printed as 88.2; half to even gives 57.8 and 41.0 as well.
        expected = Fraction("88.3") if row["representation"] == "frames_64" else row["printed"]
        assert half_up(row["total_sim"], 1) == expected, row["representation"]
    assert totals["frames_64"] == Fraction("88.25")


def test_published_ratio_is_11_7_times_fewer_tokens_for_2_4_points():
    rows = {row["representation"]: row for row in published()}
    printed = {name: row | {"total_sim": row["printed"]} for name, row in rows.items()}
    times, points = saving(printed["grid_4x4"], printed["frames_64"])
    assert times == Fraction(16594, 1416) and half_up(times, 1) == Fraction("11.7")
    assert points == Fraction("2.4")  # of the printed totals; of the exact ones 2.45


def test_published_order_and_the_two_that_none_beats_in_both():
    rows = compared(published())
    ranked = sorted((row for row in rows if row["rank"]), key=lambda row: row["rank"])
    assert [row["representation"] for row in ranked] == [
        *("frames_64", "grid_4x4", "frames_16", "grid_8x8_fullres", "frames_32", "grid_4x8"),
        *("grid_4x4_fullres", "grid_8x8"),
    ]
    assert [row["representation"] for row in rows if row["pareto"]] == ["frames_64", "grid_4x4"]
    grid = next(row for row in rows if row["representation"] == "grid_4x4")
    assert grid["sim_per_1000_tokens"] == 1000 * Fraction("85.8") / 1416
    reference = rows[0]
    assert (reference["rank"], reference["pareto"], reference["total_sim"]) == (None, None, 100)


def test_similarity_by_hand():
    # |4 - 5| = 1 and |2 - 2| = 0: MAE 1/2, of a scale of 5: 90 %
    scores = {"a": Fraction(4), "b": Fraction(2)}
    assert similarity(scores, {"a": Fraction(5), "b": Fraction(2)}, 5) == 90
    # a difference in one clip is not made good by one the other way in another
    assert similarity(scores, {"a": Fraction(3), "b": Fraction(3)}, 5) == 80
    assert similarity(scores, {"a": Fraction(5), "c": Fraction(0)}, 5) == 80
    assert similarity(scores, {}, 5) is None


def described(name, clip, trial, tester="t", kind="model", parse="parsed"):
    return {
        **{"tester": tester, "kind": kind, "arm": name, "clip": clip, "condition": "ToM"},
        **{"trial": trial, "parse": parse, "status": "ok"},
        "blind_id": f"{tester} {name} {clip} {trial}" if parse == "parsed" else None,
    }


def verdicts(blind_id, scores):
    """scores: by judge a list of (intent, approp), one a repetition; None for one not read."""
    return [
        {
            **{"judge": judge, "blind_id": blind_id, "trial": number},
            "parse": "unparsed" if pair is None else "parsed",
            "intent": None if pair is None else pair[0],
            "approp": None if pair is None else pair[1],
        }
        for judge, pairs in scores.items()
        for number, pair in enumerate(pairs, 1)
    ]


def constructed(tester="t", kind="model"):
    """Two judges, two repetitions, two clips; native_video in two trials, the others in one.

    native_video: a: j1 (5, 5, 4, 4) -> 9/2, j2 (3, 3, 3, 3) -> 3; mean 15/4 (Intent); Approp all 2.
                  b: all 1 and 1.
    frames_64:    a: j1 (4, 4), j2 (3, 3): 7/2, so |7/2 - 15/4| = 1/4. b: 1. MAE 1/8.
                  Intent 100 (1 - 1/40) = 97.5. Approp: a 2, b (1, 1), (2, 2) -> 3/2: MAE 1/4,
                  100 (1 - 1/12) = 91 2/3. Total 94 7/12.
    grid_4x4:     a: all 0: 15/4; b: all 1. MAE 15/8, Intent 62.5. Approp as the reference: 100.
                  Total 81.25.
    """
    trials = {"native_video": 2, "frames_64": 1, "grid_4x4": 1}
    scores = {
        ("native_video", "a", 1): {"j1": [(5, 2), (5, 2)], "j2": [(3, 2), (3, 2)]},
        ("native_video", "a", 2): {"j1": [(4, 2), (4, 2)], "j2": [(3, 2), (3, 2)]},
        ("native_video", "b", 1): {"j1": [(1, 1), (1, 1)], "j2": [(1, 1), (1, 1)]},
        ("native_video", "b", 2): {"j1": [(1, 1), (1, 1)], "j2": [(1, 1), (1, 1)]},
        ("frames_64", "a", 1): {"j1": [(4, 2), (4, 2)], "j2": [(3, 2), (3, 2)]},
        ("frames_64", "b", 1): {"j1": [(1, 1), (1, 1)], "j2": [(1, 2), (1, 2)]},
        ("grid_4x4", "a", 1): {"j1": [(0, 2), (0, 2)], "j2": [(0, 2), (0, 2)]},
        ("grid_4x4", "b", 1): {"j1": [(1, 1), (1, 1)], "j2": [(1, 1), (1, 1)]},
    }
    rows = [
        described(name, clip, trial, tester, kind)
        for name, number in trials.items()
        for clip in "ab"
        for trial in range(1, number + 1)
    ]
    given = [
        verdict
        for (name, clip, trial), by_judge in scores.items()
        for verdict in verdicts(f"{tester} {name} {clip} {trial}", by_judge)
    ]
    return rows, given


def replies(tester="t", video=(700, 700, 700, 700), tokens=900):
    rows = [
        {"tester": tester, "arm": "native_video", "status": "ok", "prompt_tokens": 1000 + i,
         "video_tokens": n}
        for i, n in enumerate(video)
    ]  # fmt: skip
    for name, number in (("frames_64", 2 * tokens), ("grid_4x4", 150)):
        rows += [
            {"tester": tester, "arm": name, "status": "ok", "prompt_tokens": number + n,
             "video_tokens": None}
            for n in (0, 1)
        ]  # fmt: skip
    return rows


def built(rows, given):
    return cells(rows, given, JUDGES, 2, FAMILIES)


def test_the_table_of_a_constructed_set_is_the_one_computed_by_hand():
    table = table12(built(*constructed()), usage(replies()), "native_video", {})
    assert [row["representation"] for row in table] == ["native_video", "frames_64", "grid_4x4"]
    reference, frames, grid = table
    assert (reference["status"], reference["rank"], reference["total_sim"]) == (
        "reference",
        None,
        100,
    )
    assert (frames["intent_sim"], frames["approp_sim"]) == (Fraction("97.5"), Fraction(275, 3))
    assert frames["total_sim"] == Fraction(1135, 12) and frames["rank"] == 1
    assert (grid["intent_sim"], grid["approp_sim"]) == (Fraction("62.5"), 100)
    assert (grid["total_sim"], grid["rank"]) == (Fraction("81.25"), 2)
    assert (frames["prompt_tokens"], grid["prompt_tokens"]) == (Fraction(3601, 2), Fraction(301, 2))
    assert (frames["pareto"], grid["pareto"]) == (True, True)  # less similar, but cheaper
    assert (grid["trials"], grid["n_clips"], grid["n_missing"]) == (1, 2, 0)
    assert (reference["n_scores"], reference["n_scored"]) == (16, 16)
    schemas.TABLE12.table(plain(table))


def test_more_tokens_for_less_similarity_is_marked_as_beaten():
    dear = [r | {"prompt_tokens": 5000} if r["arm"] == "grid_4x4" else r for r in replies()]
    table = table12(built(*constructed()), usage(dear), "native_video", {})
    assert [(row["representation"], row["pareto"]) for row in table] == [
        ("native_video", None),
        ("frames_64", True),
        ("grid_4x4", False),
    ]


def test_equal_totals_share_a_rank_and_beat_each_other_in_nothing():
    rows = [
        {"representation": name, "intent_sim": Fraction(80), "approp_sim": Fraction(60),
         "prompt_tokens": Fraction(tokens), "status": "ok"}
        for name, tokens in (("one", 100), ("other", 50))
    ]  # fmt: skip
    assert [(row["rank"], row["pareto"]) for row in compared(rows)] == [(1, True), (1, True)]


@pytest.mark.parametrize("video", [(700, 700, 700, None), (0, 0, 0, 0), (None,) * 4])
def test_a_video_without_video_tokens_is_no_reference(video):
    table = table12(built(*constructed()), usage(replies(video=video)), "native_video", {})
    assert {row["status"] for row in table} == {"reference_refused"}
    for row in table:
        assert (row["intent_sim"], row["total_sim"], row["rank"], row["pareto"]) == (None,) * 4
        assert row["prompt_tokens"] is not None  # what was paid is known all the same
    seen = sum(bool(n) for n in video)
    assert f"{seen} of 4 replies to native_video reported video tokens" in table12_tex(
        table, STUDY
    ).replace("\\_", "_")


def test_one_testers_refusal_leaves_the_other_ones_numbers():
    rows, given = constructed("blind")
    more, others = constructed("t")
    used = usage([*replies("blind", (None,) * 4), *replies("t")])
    table = table12(built([*rows, *more], [*given, *others]), used, "native_video", {})
    assert [row["status"] for row in table if row["tester"] == "blind"] == ["reference_refused"] * 3
    alone = table12(built(more, others), usage(replies("t")), "native_video", {})
    assert [row for row in table if row["tester"] == "t"] == alone
    tex = table12_tex(table, STUDY).replace("\\_", "_")
    assert "t: grid_4x4 against frames_64: 12.0 times fewer tokens, 13.3 points less." in tex
    assert "blind: refused as a reference" in tex and "t: refused" not in tex


def test_an_observer_has_no_tokens_and_its_film_is_a_reference_all_the_same():
    rows, given = constructed(kind="observer")
    silent = [r | {"prompt_tokens": None, "video_tokens": None} for r in replies()]
    table = table12(built(rows, given), usage(silent), "native_video", {})
    assert [row["status"] for row in table] == ["reference", "ok", "ok"]
    for row in table:
        assert (row["prompt_tokens"], row["sim_per_1000_tokens"], row["pareto"]) == (None,) * 3
    tex = table12_tex(table, STUDY)
    assert "Observers report no tokens" in tex and "not models" in tex


@pytest.mark.parametrize("video", [(None,) * 4, (700, 700, 700, 0)])
def test_a_film_beside_another_reference_needs_video_tokens_too(video):
    used = usage(replies(video=video))
    table = table12(built(*constructed()), used, "frames_64", {})
    assert [(row["representation"], row["status"]) for row in table] == [
        ("frames_64", "reference"),
        ("grid_4x4", "ok"),
        ("native_video", "video_not_shown"),
    ]
    reference, grid, film = table
    assert reference["total_sim"] == 100 and grid["rank"] == 1
    for name in ("intent_sim", "approp_sim", "total_sim", "rank", "pareto"):
        assert film[name] is None
    tex = table12_tex(table, replace(STUDY, reference="frames_64")).replace("\\_", "_")
    seen = sum(bool(n) for n in video)
    assert f"t: native_video is not compared, because {seen} of 4 replies to it" in tex
    schemas.TABLE12.table(plain(table))


def test_a_film_that_was_seen_is_ranked_beside_another_reference():
    table = table12(built(*constructed()), usage(replies()), "frames_64", {})
    assert {row["representation"]: (row["status"], row["rank"]) for row in table} == {
        "frames_64": ("reference", None),
        "native_video": ("ok", 1),  # 94 7/12
        "grid_4x4": ("ok", 2),
    }
    rows, given = constructed(kind="observer")
    silent = usage(replies(video=(None,) * 4))
    table = table12(built(rows, given), silent, "frames_64", {})
    assert [row["status"] for row in table] == ["reference", "ok", "ok"]


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        # of 2 * tokens + 1/2 against 150.5
        (900, "12.0 times fewer tokens, 13.3 points less."),
        (50, "1.5 times as many tokens, 13.3 points less."),  # 150.5 / 100.5
        (75, "as many tokens, 13.3 points less."),
        (76, "as many tokens, 13.3 points less."),  # 1.01: neither more nor fewer in print
    ],
)
def test_fewer_tokens_are_said_where_they_are_fewer(tokens, words):
    table = table12(built(*constructed()), usage(replies(tokens=tokens)), "native_video", {})
    tex = table12_tex(table, STUDY).replace("\\_", "_")
    assert f"grid_4x4 against frames_64: {words}" in tex


@pytest.mark.parametrize(
    ("tester", "kind", "families", "own", "said"),
    [
        ("j1", "model", {"j1": "f", "j2": "g"}, "j1", ["j1 is among its own judges."]),
        ("t", "model", {"t": "g", "j1": "f", "j2": "g"}, "j2", ["Of the model family of t: j2."]),
        (
            *("j1", "model", {"j1": "f", "j2": "f"}, "j1; j2"),
            ["j1 is among its own judges.", "Of the model family of j1: j2."],
        ),
        ("t", "model", {"t": "h", "j1": "f", "j2": "g"}, "", []),
        ("t", "observer", {"t": "o", "j1": "o", "j2": "o"}, "", []),
    ],
)
def test_judges_are_named_and_those_that_rate_their_own_kind(tester, kind, families, own, said):
    rows, given = constructed(tester, kind)
    table = table12(built(rows, given), usage(replies(tester)), "native_video", families)
    assert {(row["judges"], row["own_judges"]) for row in table} == {("j1; j2", own)}
    tex = table12_tex(table, STUDY)
    assert "Judges: j1, j2." in tex
    for words in ("j1 is among its own judges.", f"Of the model family of {tester}: j2."):
        assert (words in tex) == (words in said)


def test_a_clip_that_one_judge_lacks_is_compared_in_no_representation():
    """Half a panel would be another one: clip a goes, and its difference with it."""
    rows, given = constructed()
    gone = [
        v | {"parse": "unparsed", "intent": None, "approp": None}
        if v["blind_id"] == "t grid_4x4 a 1" and v["judge"] == "j2"
        else v
        for v in given
    ]
    found = built(rows, gone)
    with pytest.raises(MissingReplies, match=r"t grid_4x4 a by j2"):
        check_complete(found, allow_missing=False)
    check_complete(found, allow_missing=True)
    table = {r["representation"]: r for r in table12(found, usage(replies()), "native_video", {})}
    grid = table["grid_4x4"]
    assert (grid["n_clips"], grid["n_missing"], grid["n_scored"]) == (1, 1, 6)
    assert grid["intent_sim"] == 100  # clip b alone, where all say 1
    assert table["frames_64"]["intent_sim"] == Fraction("97.5")
    assert "1 of 2" in table12_tex([*table.values()], STUDY)


def test_without_a_scored_clip_of_the_reference_there_is_no_similarity():
    rows, given = constructed()
    gone = [v for v in given if "native_video" not in v["blind_id"]]
    table = table12(built(rows, gone), usage(replies()), "native_video", {})
    assert {row["status"] for row in table} == {"reference_missing"}
    assert "no clip of native" in table12_tex(table, STUDY)
    no_grid = [v for v in given if "grid" not in v["blind_id"]]
    statuses = [
        r["status"] for r in table12(built(rows, no_grid), usage(replies()), "native_video", {})
    ]
    assert statuses == ["reference", "ok", "missing"]


def test_scores_are_counted_as_planned_missing_and_unparsed():
    rows = [described("frames_64", "a", 1), described("frames_64", "a", 2, parse="unparsed")]
    given = verdicts("t frames_64 a 1", {"j1": [(4, 2), None], "j2": [(3, 1)]})
    one, other = cells(rows, given, JUDGES, 2, FAMILIES)
    names = ("n_trials", "n_scores", "n_scored", "n_missing", "n_unparsed", "intent_sum")
    # of j1 one verdict cannot be read, and a description that is none lacks two
    assert [one[name] for name in names] == [2, 4, 1, 0, 3, 4]
    # j2 was asked twice and answered once
    assert [other[name] for name in names] == [2, 4, 1, 1, 2, 3]
    schemas.REPRESENTATION_CELLS.table([one, other])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"judge": "j9"}, "was not planned"),
        ({"blind_id": "nobody"}, "belongs to no description"),
        ({}, "stands there twice"),
    ],
)
def test_a_verdict_that_fits_nowhere_is_refused(change, words):
    rows, given = constructed()
    with pytest.raises(BadData, match=words):
        built(rows, [*given, given[0] | change])


def test_tokens_are_means_over_the_replies_that_reported_them():
    rows = replies()
    rows += [rows[0] | {"status": "truncated", "prompt_tokens": 9}]  # no usable reply
    rows += [rows[0] | {"prompt_tokens": None}]
    assert usage(rows)["t", "native_video"] == Usage(Fraction(4006, 4), 5, 4, 5)


def test_the_caption_says_where_the_numbers_come_from():
    tex = table12_tex(table12(built(*constructed()), usage(replies()), "native_video", {}), STUDY)
    words = " ".join(tex.replace("\\_", "_").split())
    for said in (
        "Tester t. Panel p; clips a, b; 2 repetitions a judge; overlay blinded",
        "rubric SHA-256 0123456789ab",
        "LLM-rated; descriptive",
        "Synthetic clips, not the original ones.",
        "grid_4x4 against frames_64",
    ):
        assert said in words
