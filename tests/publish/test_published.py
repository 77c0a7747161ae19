"""The paper's values beside ours: what its trials give is the same, what contradicts it is said."""

import itertools
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

from vlmtom.director import cells as director
from vlmtom.director import outside as director_outside
from vlmtom.director.controls import arm_counts
from vlmtom.judging.ablation import Candidate, table13, usd_per_call
from vlmtom.publish.contradictions import claims, holds, main, markdown, published_labs
from vlmtom.publish.outside import read_trials
from vlmtom.publish.provenance import Source
from vlmtom.publish.published import published_tex
from vlmtom.publish.table1 import read_benchmarks, table1_tex
from vlmtom.settings import load_registry, load_settings
from vlmtom.stats import joint
from vlmtom.stats.arm_tables import (
    TABLE9_VARIANTS,
    compared,
    table6,
    table6_variants,
    table9,
    table10,
    table10_variants,
)
from vlmtom.stats.exact import plain, show
from vlmtom.stats.game_published import TABLES as GAME_TABLES
from vlmtom.stats.profile_tables import Reading, table5, table7, table11
from vlmtom.stats.published import (
    READ,
    STATUSES,
    TABLES,
    compare,
    counted,
    published_panel,
    read_published,
)
from vlmtom.stats.references import load_references
from vlmtom.store import schemas
from vlmtom.triangles.cells import CONDITIONS

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
REFERENCES = load_references(ROOT / "resources" / "references.csv")
PRINTED = read_published()
FOUR = ("claude-opus-4.7", "gpt-5.5", "gemini-3.5-flash", "grok-4.3")
SOURCE = Source("paper", 3, "a" * 64, "synthetic")


def triangles():
    return read_trials(DATA / "triangles_trials.csv")


def tables(cells, director_cells):
    """Every table of a run that has the arms canonical and numbered."""
    reading, arms = Reading(), {"numbered": 3}
    both = joint.table8(director_cells, cells, REFERENCES, reading, 0, 0)
    return {
        "table2": director.table2(director_cells),
        "director_arms": arm_counts(director_cells, ["canonical"]),
        "table5": table5(cells, REFERENCES, reading),
        "table6": table6(compared(cells, table6_variants(arms)), REFERENCES, arms),
        "table7": table7(cells, REFERENCES, reading),
        "table8": both,
        "table9": table9(compared(cells, TABLE9_VARIANTS), REFERENCES),
        "table10": table10(compared(cells, table10_variants()), REFERENCES),
        "table11": table11(cells, list(arms)),
        "panel": [
            *joint.triangles_panel(cells, REFERENCES, reading),
            *joint.joint_panel(both, 0, 100),
        ],
    }


@pytest.fixture(scope="module")
def ours():
    outcomes = director_outside.read_trials(DATA / "director_trials.csv")
    return tables(triangles(), director.cells(outcomes))


@pytest.fixture(scope="module")
def rows(ours):
    return compare(PRINTED, ours)


def of(rows, file):
    return [row for row in rows if row["file"] == f"crosstask_{file}"]


@pytest.mark.parametrize(
    ("file", "n"),
    [
        ("table2", 9 * 5),
        ("table2_panel", 6),
        ("table5", 27 * 2),
        ("table7", 9 * 4),
        ("table8", 9 * 4),
    ],
)
def test_each_value_of_a_table_that_the_trials_give_is_the_same(rows, file, n):
    assert [row["status"] for row in of(rows, file)] == ["same"] * n


@pytest.mark.parametrize(
    ("file", "run", "n_same"),
    [
        ("table10", lambda row: row["measure"] == "v2_numbered", 8),
        ("table11", lambda row: row["row"].endswith("/ numbered"), 9 * 4),
        ("table9", lambda row: row["row"] == "numbered / anchor-blinded", 11),
        ("table3", lambda row: row["measure"] == "canonical_b_letter" and row["printed"], 7),
    ],
)
def test_what_was_not_run_is_said_beside_what_is_the_same(rows, file, run, n_same):
    found = [row for row in of(rows, file) if row["printed"]]
    assert [row["status"] for row in found if run(row)] == ["same"] * n_same
    others = [row for row in found if not run(row)]
    assert others and {row["status"] for row in others} == {"not_run"}
    assert all(row["reason"] and row["ours"] is None for row in others)


def test_the_documented_contradictions_are_no_differences(rows):
    found = {(r["file"], r["row"], r["measure"]) for r in rows if r["status"] == "contradicts"}
    listed = {(r["file"], r["row"], r["column"]) for r in PRINTED["contradicted"]}
    assert found == listed and len(listed) == 18
    assert not [row for row in rows if row["status"] == "differs"]
    [ego] = [r for r in of(rows, "table4") if r["row"] == "grok-4.3" and r["measure"] == "n3_b_ego"]
    assert (ego["printed"], ego["ours"], float(ego["difference"])) == ("10", "12", 2.0)
    assert ego["reason"] == "docs/published.md: table4-three-blocks"


def test_the_text_counts_are_those_of_the_trials(rows):
    found = {row["row"]: row for file in ("headline", "text") for row in of(rows, file)}
    same = {name for name, row in found.items() if row["status"] == "same"}
    assert same >= {
        *("panel_gap", "models_zero_on_b", "recovery_qwen_cQ2_minus_b_pp", "disagreement_count"),
        *("strict_rank_count_v2", "panel_tom_dist_td", "panel_gd_dist_hfasd", "spearman"),
    }
    assert found["strict_rank_grid_of_4"]["ours"] == "3"
    assert found["strict_rank_static_of_4"]["status"] == "not_run"


def test_table_6_is_over_the_four_and_its_canonical_row_contradicts_but_for_one_value(ours):
    four = [row for row in triangles() if row["tester"] in FOUR]
    outcomes = director_outside.read_trials(DATA / "director_trials.csv")
    found = of(compare(PRINTED, tables(four, director.cells(outcomes))), "table6")
    fwd = {(r["row"][:3], r["measure"]): r for r in found if r["row"].endswith("canonical fwd")}
    # nearest groups agree, and one distance of GD
    same = {place for place, row in fwd.items() if row["status"] == "same"}
    assert same == {(name, "nearest") for name in ("ToM", "GD ", "Ran")} | {("GD ", "dist_td")}
    for (name, measure), row in fwd.items():
        if (name, measure) not in same:
            assert row["status"] == "contradicts" and row["ours"] != row["printed"]
    # over all nine it is no comparison
    assert {r["status"] for r in of(compare(PRINTED, ours), "table6")} == {"contradicts", "not_run"}


def test_no_few_of_the_nine_have_the_means_of_the_canonical_row():
    profiles = {}
    for row in table5(triangles(), REFERENCES, Reading()):
        profiles[row["tester"], row["condition"]] = (row["intent"], row["approp"])
    printed = {
        row["condition"]: (row["intent"], row["approp"])
        for row in PRINTED["crosstask_table6"]
        if row["arm"] == "canonical fwd"
    }
    for n in (3, 4, 5):
        for some in itertools.combinations(published_panel(PRINTED), n):
            for condition in CONDITIONS:
                sums = [sum(profiles[t, condition][axis] for t in some) for axis in (0, 1)]
                assert tuple(show(one / n, 2) for one in sums) != printed[condition]


def test_a_value_that_differs_is_shown_with_its_size(ours):
    changed = [dict(row) for row in ours["table2"]]
    changed[0] |= {"a": 9}  # claude-opus-4.7: 11 in print
    rows = compare(PRINTED, {**ours, "table2": changed})
    [row] = [r for r in of(rows, "table2") if r["status"] == "differs"]
    assert (row["ours"], row["printed"], float(row["difference"])) == ("9", "11", -2.0)
    tex = published_tex(rows, SOURCE, 3, ["model"])
    assert "9 (11)" in tex and r"\midrule" in tex
    # 69.4 against 71.3: two cells of 108 less
    [panel] = [
        r for r in of(rows, "table2_panel") if r["status"] == "differs" and "a_" in r["measure"]
    ]
    assert (panel["ours"], show(panel["difference"], 3)) == ("69.4", "-1.856")


def test_stored_numbers_compare_as_exact_ones(ours):
    stored = {name: plain(table) for name, table in ours.items()}
    assert [(row["row"], row["ours"], row["status"]) for row in compare(PRINTED, stored)] == [
        (row["row"], row["ours"], row["status"]) for row in compare(PRINTED, ours)
    ]


def test_another_panel_is_compared_by_tester_alone(ours):
    def some(name):
        return [row for row in ours[name] if row["tester"] == "kimi-k2.6"]

    other = [dict(row) | {"tester": "mine"} for row in some("table2")]
    observer = [dict(row) | {"tester": "o", "kind": "observer"} for row in some("table2")]
    rows = compare(PRINTED, {**ours, "table2": [*some("table2"), *other, *observer]})
    by = {(row["file"], row["tester"], row["measure"]): row for row in rows}
    assert by["crosstask_table2", "kimi-k2.6", "a"]["status"] == "same"
    assert by["crosstask_table2", "grok-4.3", "a"]["status"] == "not_run"
    mine = by["crosstask_table2", "mine", "a"]
    assert (mine["status"], mine["ours"], mine["printed"]) == ("not_published", "5", None)
    assert not [row for row in rows if row["tester"] == "o"]
    panel = by["crosstask_table2_panel", None, "a_pct"]
    assert panel["status"] == "not_run"
    assert panel["reason"] == "over other testers: 1 of the paper's 9, 1 others"


def ablation(judges=None):
    """Our Table 13, had the battery given what is printed; prices from the registry."""
    printed = [r for r in PRINTED["crosstask_table13"] if judges is None or r["judge"] in judges]
    battery = [
        {f"{s}_recovery": Fraction(row[f"{s}_recovery_pct"]) / 100 for s in ("intent", "approp")}
        | {f"max_{s}_sd": Fraction(row[f"max_{s}_sd"]) for s in ("intent", "approp")}
        | {"judge": row["judge"], "kind": "model", "verdict": row["verdict"]}
        | {"n_scored": 70, "n_planned": 70, "status": "ok"}
        for row in printed
    ]
    registry = load_registry(load_settings({"testers": ["gpt-5.5"]}), ROOT)
    return table13(
        battery,
        {
            row["judge"]: Candidate(
                row["family"], row["role"], usd_per_call(registry.models[row["judge"]].price)
            )
            for row in printed
        },
    )


def test_table_13_and_its_sums_are_the_same_for_the_same_judges(ours):
    rows = compare(PRINTED, {**ours, "table13": ablation()})
    assert [row["status"] for row in of(rows, "table13")] == ["same"] * 60
    costs = {row["row"]: row for row in of(rows, "headline") if "usd" in row["row"]}
    # 0.0400 + 2 x 0.01375 is 0.0675; the paper adds what it prints, 2 x 0.0138
    assert {name: (row["ours"], row["status"]) for name, row in costs.items()} == {
        "judge_trio_usd_per_cell": ("0.0129", "same"),
        "flagship_usd_per_cell": ("0.0675", "differs"),
    }
    [saved] = [row for row in rows if row["row"] == "judge_cost_reduction_pct"]
    assert (saved["ours"], saved["status"]) == ("81", "same")


def test_a_sum_over_other_judges_is_no_comparison(ours):
    some = ablation({"claude-haiku-4.5", "gpt-5", "gemini-2.5-pro", "claude-opus-4.7"})
    found = {row["row"]: row for row in compare(PRINTED, {**ours, "table13": some})}
    trio, flagships = found["judge_trio_usd_per_cell"], found["flagship_usd_per_cell"]
    assert (trio["ours"], trio["status"]) == (None, "not_run")
    assert trio["reason"] == "over other judges: 1 of the paper's 3, 0 others"
    assert (flagships["ours"], flagships["status"]) == ("0.0675", "differs")


def test_a_saving_is_compared_where_both_sides_of_it_are_the_papers(ours):
    """One flagship less: the three are still chosen, but cheaper than something else."""
    some = ablation({row["judge"] for row in PRINTED["crosstask_table13"]} - {"gpt-5"})
    found = {row["row"]: row for row in compare(PRINTED, {**ours, "table13": some})}
    saved = found["judge_cost_reduction_pct"]
    assert found["judge_trio_usd_per_cell"]["status"] == "same"
    assert (saved["status"], saved["ours"]) == ("not_run", None)
    assert saved["reason"] == "over other judges: 2 of the paper's 3, 0 others"


def floors(passing, failing=(), kind="model", arms=("no_occluder", "same_side")):
    return [
        dict.fromkeys(schemas.ARM_COUNTS.names)
        | {"tester": name, "kind": kind, "arm": arm, "floor_pass": name in passing}
        for name in (*passing, *failing)
        for arm in arms
    ]


SEVEN = tuple(row["model"] for row in PRINTED["crosstask_table3"])


def floor_pass_models(ours, arms):
    canonical = [{**row, "floor_pass": None} for row in ours["director_arms"]]
    rows = compare(PRINTED, {**ours, "director_arms": [*canonical, *arms]})
    [found] = [row for row in rows if row["row"] == "floor_pass_models"]
    return found


def test_who_passes_the_floor_is_counted_among_the_papers_seven(ours):
    # printed 7, as models_zero_on_b is: six that pass tell the one from the other
    assert len(SEVEN) == 7
    found = floor_pass_models(ours, floors(SEVEN[1:], SEVEN[:1]))
    assert (found["ours"], found["printed"], found["status"]) == ("6", "7", "differs")
    assert floor_pass_models(ours, floors(SEVEN))["status"] == "same"


def test_the_floor_of_others_is_no_comparison_and_observers_are_not_counted(ours):
    beside = floors(("obs-director",), kind="observer")
    seen = floor_pass_models(ours, [*floors(SEVEN), *beside])
    assert (seen["ours"], seen["status"]) == ("7", "same")
    more = floor_pass_models(ours, floors((*SEVEN, "kimi-k2.6")))
    assert (more["ours"], more["status"]) == (None, "not_run")
    assert more["reason"] == "over other testers: 7 of the paper's 7, 1 others"
    half = floor_pass_models(ours, floors(SEVEN, arms=("same_side",)))
    assert half["reason"] == "over other testers: 0 of the paper's 7, 0 others"


@pytest.mark.parametrize(
    ("table", "row"), [("table9", "numbered / anchor-blinded"), ("table10", None)]
)
def test_a_row_over_fewer_testers_than_the_panel_is_no_comparison(ours, table, row):
    """As where an arm was asked of some: Table 2 has all nine, this row has not."""
    fewer = [dict(one) | {"n_testers": 8} for one in ours[table]]
    found = of(compare(PRINTED, {**ours, table: fewer}), table)
    found = [one for one in found if row in (None, one["row"]) and one["measure"] != "v1_plain"]
    found = [one for one in found if one["measure"] != "delta"]  # of plain, which was not run
    assert found and {one["status"] for one in found} == {"not_run"}
    assert {one["reason"] for one in found} == {"over 8 testers, not the paper's 9"}


def test_in_family_cells_need_the_papers_judges(ours):
    # 36 is none of the paper's numbers
    audit = [{"arm": "numbered", "condition": name, "n_family": 12} for name in CONDITIONS]

    def found(table13):
        rows = compare(PRINTED, {**ours, "judge_family": audit, "table13": table13})
        [row] = [row for row in rows if row["row"] == "in_family_cells"]
        return row

    assert found(ablation())["ours"] == "36"
    other = found(ablation({"claude-haiku-4.5", "gpt-5"}))
    assert (other["status"], other["ours"]) == ("not_run", None)
    assert other["reason"] == "over other judges: 1 of the paper's 3, 0 others"
    assert found([])["status"] == "not_run"  # nothing says who judged


def test_ranks_of_the_motion_probes_are_those_of_the_four_and_of_no_observer(ours):
    keyframe = [
        {"tester": name, "kind": "model", "arm": "keyframe", "strict_rank": place < 2}
        for place, name in enumerate(FOUR)
    ]

    def found(rows):
        compared_rows = compare(PRINTED, {**ours, "table11": rows})
        [row] = [row for row in compared_rows if row["row"] == "strict_rank_static_of_4"]
        return row["ours"], row["status"]

    whole = {"median_tom": None, "median_gd": None, "median_random": None}
    rows = [{**row, **whole} for row in keyframe]
    assert found(rows)[0] == "2"
    assert found([*rows[1:], {**rows[0], "kind": "observer"}]) == (None, "not_run")


def test_the_rounding_of_table_12_is_no_difference(ours):
    similarity = [
        {
            "tester": "gemini-2.5-pro",
            "representation": row["representation"],
            "intent_sim": float(row["intent_sim_pct"]),
            "approp_sim": float(row["approp_sim_pct"]),
            "total_sim": (Fraction(row["intent_sim_pct"]) + Fraction(row["approp_sim_pct"])) / 2,
            "prompt_tokens": float(row["tokens_per_cell"]),
        }
        for row in PRINTED["crosstask_table12"]
    ]
    found = of(compare(PRINTED, {**ours, "table12": similarity}), "table12")
    other = [row for row in found if row["status"] != "same"]
    assert len(found) == 36
    assert [(r["row"], r["ours"], r["status"]) for r in other] == [
        ("frames_64", "88.3", "contradicts")
    ]


def test_every_place_is_a_column_that_our_table_has():
    for table in TABLES:
        for place in table.places.values():
            if place.table in READ and place.column != "{subprompt}":
                assert {place.column, *place.key} <= {*READ[place.table].names}, place
        for column in table.keys.values():
            tables = {place.table for place in table.places.values()} & {*READ}
            assert not column or all(column in READ[name].names for name in tables)


def test_rows_have_the_declared_schema_and_their_key_once(rows):
    schemas.PUBLISHED.table(plain(rows))
    keys = [(row["file"], row["row"], row["measure"]) for row in rows]
    assert len(keys) == len(set(keys))
    assert {row["status"] for row in rows} <= {*STATUSES}
    assert sum(sum(of_table.values()) for of_table in counted(rows).values()) == len(rows)


def test_every_printed_file_is_compared_or_said_not_to_be():
    compared_with = {table.file for table in (*TABLES, *GAME_TABLES)}
    # The other paper's counts of scenes stand in report_action_scenes. Means over the game's models
    # and tests between them can be recomputed from nothing that is printed.
    beside = {"crosstask_reference_groups", "contradicted", "reportaction_numbers"}
    beside |= {"mosaic_headline", "mosaic_table2", "mosaic_table6"}
    assert {*PRINTED} - compared_with == beside
    readme = (ROOT / "resources" / "published" / "README.md").read_text()
    assert all(f"`{name}.csv`" in readme for name in PRINTED)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_the_tables_fit_the_page_even_if_every_value_differs(rows, tmp_path):
    changed = {
        row["ours"]: show(Fraction(row["ours"]) + 1, len(row["ours"].partition(".")[2]))
        for row in rows
        if row["difference"] is not None
    }
    wide = [dict(row) | {"ours": changed.get(row["ours"], row["ours"])} for row in rows]
    (tmp_path / "a.tex").write_text(published_tex(wide, SOURCE, 3, ["model"]))
    (tmp_path / "b.tex").write_text(table1_tex(read_benchmarks()))
    (tmp_path / "doc.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs}\\begin{document}"
        "\\input{a}\\clearpage\\input{b}\\end{document}\n"
    )
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "doc.tex"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-2000:]
    assert "Overfull" not in run.stdout


def test_without_triangles_there_are_two_tables(ours):
    rows = compare(PRINTED, {name: ours[name] for name in ("table2", "director_arms")})
    tex = published_tex(rows, Source("paper", 0, "", "none"), 3, ["model"])
    assert tex.count(r"\begin{table}") == 2 and "LLM-rated" not in tex


# What the page says, recomputed by hand from the files.

FOUND = {one.name: one.found for one in claims(PRINTED, published_labs(PRINTED))}


def test_each_contradiction_is_the_arithmetic_of_the_files():
    assert 2.13 / 0.73 < 3 and FOUND["three-times-closer"].startswith("2.13 / 0.73 = 2.92")
    ego = sum(int(row["ego_b"]) for row in PRINTED["crosstask_table2"])
    assert (ego, show(Fraction(100 * 84, 108), 1)) == (84, "77.8")
    assert FOUND["trials-or-cells"].startswith("84 of 108 majority cells = 77.8 %")
    # 2.667 = 32/12 is no quarter; 1.250, 3.000, 1.000 and 1.000 (kimi's Approp) are
    assert "18 are multiples of 1/12" in FOUND["judge-median"]
    assert "and 4 of 1/4" in FOUND["judge-median"]
    assert FOUND["five-labs"] == "6 labs: Anthropic, Google, OpenAI, xAI, Moonshot, Alibaba"
    assert 63.9 < 71.3 and "at 71.3 %" in FOUND["gate-lifts"]
    # canonical b: 1, 0, 12, 0, 0, 0, 0
    assert FOUND["strict-two-below"].startswith("6 canonical cells are below 2")
    assert "claude-sonnet-4.6 10, not 9" in FOUND["table4-three-blocks"]
    assert "b of claude-opus-4.7 0, not 1" in FOUND["table4-three-blocks"]
    assert FOUND["table4-three-blocks"].count("10, not 12") == 3
    assert "grok-4.3 3/12" in FOUND["six-at-zero"]
    # (2.667 + 3.000 + 3.083 + 1.000) / 4 = 2.4375; (0.917 + 1.333 + 1.417 + 0.167) / 4 = 0.9585
    assert "(2.44, 0.96), 2.00 and 0.65" in FOUND["table6-canonical"]
    assert "3 of 4" in FOUND["two-of-four"] and "grok" not in FOUND["two-of-four"]
    # 1.249 - 0.935 and 3.639 - 1.929
    assert "from 0.314 (gemini-3.5-flash) to 1.710 (grok-4.3)" in FOUND["constant-shift"]
    assert FOUND["in-family-testers"].startswith("5 testers: claude-opus-4.7, claude-sonnet-4.6, ")
    assert "is not among the 9" in FOUND["video-tester"]
    assert FOUND["table12-frames64"].startswith("(89.7 + 86.8) / 2 = 88.25, half up 88.3")
    assert FOUND["remaining-five"] == "9 representations less 3 are 6"
    assert FOUND["vendor-families"].startswith("7 candidates of 6: Anthropic, OpenAI, Google, ")
    assert FOUND["stable-candidates"] == "Table 13 has 4: also claude-sonnet-4.6"
    assert len(FOUND) == 17


def test_what_is_solved_from_distances_is_what_the_trials_give():
    cells = [row for row in triangles() if row["tester"] in FOUR]
    profiles = table5(cells, REFERENCES, Reading())
    gd = sum(r["approp"] for r in profiles if r["condition"] == "GD") / 4
    drift = sum(r["intent"] - r["approp"] for r in profiles if r["condition"] == "Random") / 4
    assert (show(gd, 2), show(drift, 2)) == ("1.90", "-1.25")
    assert FOUND["table6-canonical"].endswith("solved from Table 5: 1.90, -1.25")


def test_the_printed_distances_of_table_6_fit_its_printed_profiles():
    groups = {
        (row["group"], row["condition"]): (float(row["intent"]), float(row["approp"]))
        for row in PRINTED["crosstask_reference_groups"]
    }
    for row in PRINTED["crosstask_table6"]:
        for group, column in (("TD-adult", "dist_td"), ("HF-ASD-adult", "dist_hfasd")):
            intent, approp = groups[group, row["condition"]]
            found = (
                (float(row["intent"]) - intent) ** 2 + (float(row["approp"]) - approp) ** 2
            ) ** 0.5
            # each of the pair is off by up to half a hundredth, and the distance by as much
            assert abs(found - float(row[column])) <= 0.005 + 0.005 * 2**0.5


def test_what_looks_doubtful_holds():
    found = holds(PRINTED)
    assert len(found) == 13
    assert all(said == recomputed for _, said, recomputed in found)


def test_contradicted_values_name_a_claim_of_the_page():
    assert {row["claim"] for row in PRINTED["contradicted"]} <= {*FOUND}


def test_the_page_holds_the_tables_that_the_command_prints(capsys):
    page = (ROOT / "docs" / "published.md").read_text()
    assert main(["--markdown"]) == 0
    for table in capsys.readouterr().out.strip().split("\n\n"):
        assert table in page
    assert markdown([], []).startswith("| claim |")


def test_one_claim_can_be_asked_for(capsys):
    assert main(["two-of-four"]) == 0
    assert capsys.readouterr().out.startswith("two-of-four (Appendix F)\n")
    assert main(["three-of-four"]) == 2
    assert "no such claim. Known are: three-times-closer, " in capsys.readouterr().err
