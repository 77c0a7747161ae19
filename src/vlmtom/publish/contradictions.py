"""Which printed figures of the cross-task paper contradict each other, recomputed from the rest.

    python -m vlmtom.publish.contradictions [CLAIM | --markdown]

prints every claim of docs/published.md, or one, with the numbers behind it, or the page's tables.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from vlmtom.settings import load_registry, load_settings
from vlmtom.stats.exact import show
from vlmtom.stats.families import families_of
from vlmtom.stats.published import Printed, published_panel, read_published
from vlmtom.stats.references import Point
from vlmtom.stats.rounding import half_up
from vlmtom.store.digests import REPOSITORY

Row = Mapping[str, str]


@dataclass(frozen=True)
class Claim:
    """A printed figure that cannot be right, or not in the sense of its words.

    place: where it stands. printed: what stands there. found: what the rest of the paper gives.
    """

    name: str
    place: str
    printed: str
    found: str


def claims(printed: Printed, labs: Mapping[str, str]) -> list[Claim]:
    """Every contradiction, in the order of the paper. labs: of the paper's testers."""
    return [
        _times_closer(printed),
        _trials_or_cells(printed),
        _judge_median(printed),
        _labs(printed, labs),
        _gate_lifts(printed),
        _strict_below(printed),
        _three_blocks(printed),
        _six_at_zero(printed),
        _table6(printed),
        _two_of_four(printed),
        _constant_shift(printed),
        _in_family(printed),
        _video_tester(printed),
        _frames64(printed),
        _remaining(printed),
        _vendor_families(printed),
        _stable_candidates(printed),
    ]


def holds(printed: Printed) -> list[tuple[str, str, str]]:
    """Figures that look doubtful and hold: what, as printed, as recomputed."""
    head, text = _values(printed, "headline"), _values(printed, "text")
    testers, table13 = len(published_panel(printed)), printed["crosstask_table13"]
    tokens = {row["representation"]: row for row in printed["crosstask_table12"]}
    large, small = tokens["frames_64"], tokens["grid_4x4"]
    costs = {
        role: sum(Fraction(row["usd_per_call"]) for row in table13 if row["role"] == role)
        for role in ("chosen", "flagship")
    }
    td, hfasd = (_reference(printed, group) for group in ("TD-adult", "HF-ASD-adult"))
    judges, flagships = (
        sum(row["role"] == role for row in table13) for role in ("chosen", "flagship")
    )
    ratio = Fraction(large["tokens_per_cell"]) / Fraction(small["tokens_per_cell"])
    drop = Fraction(large["total_sim_pct"]) - Fraction(small["total_sim_pct"])
    repetitions = 5
    exemplars = int(head["anchors_total"])
    return [
        ("outcomes of a tester and trial", head["outcomes_per_model_per_seed"], str(12 * 4)),
        (
            "Director outcomes of a replication",
            head["director_outcomes_per_replication"],
            str(testers * 12 * 4),
        ),
        (
            "judge cells of a replication",
            head["triangles_judge_cells_per_replication"],
            str(testers * 12 * judges),
        ),
        ("calls of Appendix M", head["phase1_calls"], str(exemplars * flagships * repetitions)),
        (
            "calls of Appendix N",
            head["ablation_calls"],
            str((len(table13) - flagships) * exemplars * repetitions),
        ),
        (
            "in-family cells",
            head["in_family_cells"],
            str(len(text["in_family_testers_named"].split(";")) * 12),
        ),
        ("USD of the three judges", head["judge_trio_usd_per_cell"], show(costs["chosen"], 4)),
        ("USD of the flagships", head["flagship_usd_per_cell"], show(costs["flagship"], 4)),
        (
            "reduction of that, %",
            head["judge_cost_reduction_pct"],
            show(100 * (1 - costs["chosen"] / costs["flagship"]), 0),
        ),
        (
            "tokens of frames_64 to grid_4x4",
            head["token_ratio_frames64_vs_grid4x4"],
            show(ratio, 1),
        ),
        ("similarity that this costs, points", head["similarity_drop_pp"], show(drop, 1)),
        (
            "distance of the two adult groups",
            head["adult_adult_distance"],
            show(td.distance(hfasd), 3),
        ),
        (
            "alternatives to grid_4x4, the reference among them",
            text["representation_alternatives"],
            str(int(text["representations_tested"]) - 1),
        ),
    ]


def _times_closer(printed: Printed) -> Claim:
    head = _values(printed, "headline")
    ratio = Fraction(head["panel_tom_dist_td"]) / Fraction(head["panel_tom_dist_hfasd"])
    mean = _mean([_point(row) for row in printed["crosstask_table7"]])
    td, hfasd = (mean.distance(_reference(printed, g)) for g in ("TD-adult", "HF-ASD-adult"))
    exact = td.fraction() / hfasd.fraction()
    plain = {row["metric"]: row["v1_plain"] for row in printed["crosstask_table10"]}
    other = Fraction(plain["dist_td_ToM"]) / Fraction(plain["dist_hfasd_ToM"])
    return Claim(
        "three-times-closer",
        "abstract",
        "more than three times closer to the HF-ASD mean",
        f"{head['panel_tom_dist_td']} / {head['panel_tom_dist_hfasd']} = {show(ratio, 2)} "
        f"(from the profiles of Table 7: {show(exact, 2)}; plain, Table 10: {show(other, 2)})",
    )


def _trials_or_cells(printed: Printed) -> Claim:
    rows = printed["crosstask_table2"]
    ego = sum(int(row["ego_b"]) for row in rows)
    cells = sum(int(row["n_scenes"]) for row in rows)
    return Claim(
        "trials-or-cells",
        "abstract",
        "the egocentric error on 78% of trials",
        f"{ego} of {cells} majority cells = {show(Fraction(100 * ego, cells), 1)} %; the share of "
        "trials is not printed, and differs from it unless a cell's trials agree",
    )


def _judge_median(printed: Printed) -> Claim:
    values = [row[name] for row in printed["crosstask_table7"] for name in ("intent", "approp")]
    twelfths = sum(_is_multiple(value, 12) for value in values)
    quarters = sum(_is_multiple(value, 4) for value in values)
    return Claim(
        "judge-median",
        "section 3.2",
        "the judge median and then the mean over ToM clips",
        f"of {len(values)} printed scores of Table 7, {twelfths} are multiples of 1/12, as means "
        f"over 4 clips x 3 judges are, and {quarters} of 1/4, as means of four medians of whole "
        "numbers are; section 4.1 says the mean",
    )


def _labs(printed: Printed, labs: Mapping[str, str]) -> Claim:
    named = list(dict.fromkeys(labs[tester] for tester in published_panel(printed)))
    return Claim(
        "five-labs",
        "section 4.1",
        "nine frontier VLMs from five labs",
        f"{len(named)} labs: {', '.join(named)}",
    )


def _gate_lifts(printed: Printed) -> Claim:
    [panel] = printed["crosstask_table2_panel"]
    return Claim(
        "gate-lifts",
        "section 4.2",
        f"re-asking visibility (c.Q1) lifts the panel to {panel['cQ1_pct']}%",
        f"a, the same question asked alone, is at {panel['a_pct']} %: re-asked it is lower",
    )


def _strict_below(printed: Printed) -> Claim:
    below = int(_values(printed, "text")["strict_below_letter"])
    letter = {row["model"]: int(row["canonical_b_letter"]) for row in printed["crosstask_table3"]}
    strict = {row["model"]: int(row["n3_b_correct"]) for row in printed["crosstask_table4"]}
    too_low = [model for model, count in letter.items() if count < below]
    full = [m for m, count in letter.items() if count >= below and strict[m] != count - below]
    return Claim(
        "strict-two-below",
        "caption of Table 3",
        f"strict results lie {below}/12 below letter-level for every cell",
        f"{len(too_low)} canonical cells are below {below} at letter level; {', '.join(full)} has "
        f"{letter[full[0]]} there and {strict[full[0]]} in Table 4",
    )


def _three_blocks(printed: Printed) -> Claim:
    letter = {row["model"]: row for row in printed["crosstask_table2"]}
    found = []
    for row in printed["crosstask_table4"]:
        model = row["model"]
        for column, measure, words in (("n3_b_correct", "b", "b"), ("n3_b_ego", "ego_b", "ego.")):
            if row[column] != letter[model][measure]:
                found.append(f"{words} of {model} {row[column]}, not {letter[model][measure]}")
    return Claim(
        "table4-three-blocks",
        "Table 4, columns n=3",
        "counts over the twelve canonical scenes",
        f"against Table 2: {'; '.join(found)}. A strict count may be lower than Table 2's letter "
        "level, never higher",
    )


def _six_at_zero(printed: Printed) -> Claim:
    others = {
        row["model"]: int(row["n4_b_correct"])
        for row in printed["crosstask_table4"]
        if row["n3_b_correct"] == "0"
    }
    above = [f"{model} {count}/12" for model, count in others.items() if count]
    return Claim(
        "six-at-zero",
        "caption of Table 4, Appendix D",
        "the six collapsing models stay at 0/12 under n=4",
        f"{len(others)} models with 0 at n=3, of which {', '.join(above)} at n=4",
    )


def _table6(printed: Printed) -> Claim:
    testers = _values(printed, "text")["motion_probe_testers"].split(";")
    rows = {
        row["condition"]: row
        for row in printed["crosstask_table6"]
        if row["arm"] == "canonical fwd"
    }
    tom = _mean([_point(r) for r in printed["crosstask_table7"] if r["model"] in testers])
    far = tom.distance(_reference(printed, "TD-adult"))
    near = tom.distance(_reference(printed, "HF-ASD-adult"))
    gd, drift = _means_from_distances(printed, testers)
    random = rows["Random"]
    over = Fraction(random["intent"]) - Fraction(random["approp"])
    return Claim(
        "table6-canonical",
        "Table 6, rows canonical fwd",
        f"ToM ({rows['ToM']['intent']}, {rows['ToM']['approp']}), {rows['ToM']['dist_td']} and "
        f"{rows['ToM']['dist_hfasd']} from the groups; GD Approp {rows['GD']['approp']}; Random "
        f"Intent minus Approp {show(over, 2)}",
        f"the same four testers in Table 7: ({show(tom.intent, 2)}, {show(tom.approp, 2)}), "
        f"{show(far, 2)} and {show(near, 2)}; solved from Table 5: {show(gd, 2)}, {show(drift, 2)}",
    )


def _two_of_four(printed: Printed) -> Claim:
    testers = _values(printed, "text")["motion_probe_testers"].split(";")
    ranked = [
        row["model"]
        for row in printed["crosstask_table11"]
        if row["grid"] == "numbered" and row["strict_rank"] == "yes" and row["model"] in testers
    ]
    return Claim(
        "two-of-four",
        "Appendix F",
        "strict Intent rank for two of four under both grid arms",
        f"in the canonical arm, Table 11, {len(ranked)} of {len(testers)}: {', '.join(ranked)}",
    )


def _constant_shift(printed: Printed) -> Claim:
    shifts = {
        row["model"]: Fraction(row["dist_td"]) - Fraction(row["dist_hfasd"])
        for row in printed["crosstask_table7"]
    }
    low, high = min(shifts, key=shifts.__getitem__), max(shifts, key=shifts.__getitem__)
    return Claim(
        "constant-shift",
        "Appendix H",
        "swapping the anchor shifts every Y coordinate by the constant 1.844",
        f"between the columns of Table 7 from {show(shifts[low], 3)} ({low}) to "
        f"{show(shifts[high], 3)} ({high}); the nearest group is the same either way",
    )


def _in_family(printed: Printed) -> Claim:
    judges = [row["judge"] for row in printed["crosstask_table13"] if row["role"] == "chosen"]
    testers = published_panel(printed)
    families = families_of([*testers, *judges])
    shared = [t for t in testers if families[t] in {families[judge] for judge in judges}]
    return Claim(
        "in-family-testers",
        "Appendix J",
        "shares model families with three of the nine testers",
        f"{len(shared)} testers: {', '.join(shared)}; with twelve cells each the printed 60",
    )


def _video_tester(printed: Printed) -> Claim:
    tester = _values(printed, "text")["native_video_tester"]
    inside = tester in published_panel(printed)
    return Claim(
        "video-tester",
        "Appendix L",
        "of the nine testers in the main panel, only Gemini 2.5 Pro accepts native video",
        f"{tester} is {'' if inside else 'not '}among the {len(published_panel(printed))} testers "
        "of Table 2",
    )


def _frames64(printed: Printed) -> Claim:
    off = []
    for row in printed["crosstask_table12"]:
        total = (Fraction(row["intent_sim_pct"]) + Fraction(row["approp_sim_pct"])) / 2
        if show(total, 1) != row["total_sim_pct"]:
            off.append((row, total))
    [(row, total)] = off
    return Claim(
        "table12-frames64",
        "Table 12",
        f"total of {row['representation']} {row['total_sim_pct']}%",
        f"({row['intent_sim_pct']} + {row['approp_sim_pct']}) / 2 = {show(total, 2)}, half up "
        f"{show(total, 1)}; the other rows come out. It may be rounded from more digits",
    )


def _remaining(printed: Printed) -> Claim:
    text = _values(printed, "text")
    tested, promoted = (int(text[f"representations_{name}"]) for name in ("tested", "promoted"))
    return Claim(
        "remaining-five",
        "caption of Table 12",
        f"top three at K=3; the remaining {text['representations_remaining']} at K=1",
        f"{tested} representations less {promoted} are {tested - promoted}",
    )


def _vendor_families(printed: Printed) -> Claim:
    rows = [row for row in printed["crosstask_table13"] if row["role"] != "flagship"]
    named = list(dict.fromkeys(row["family"] for row in rows))
    return Claim(
        "vendor-families",
        "Appendix N",
        "seven cheaper candidates spanning five vendor families",
        f"{len(rows)} candidates of {len(named)}: {', '.join(named)}",
    )


def _stable_candidates(printed: Printed) -> Claim:
    said = _values(printed, "text")["ablation_stable_candidates"].split(";")
    stable = [
        row["judge"]
        for row in printed["crosstask_table13"]
        if row["role"] != "flagship"
        and all(Fraction(row[f"{score}_recovery_pct"]) == 100 for score in ("intent", "approp"))
        and not any(Fraction(row[f"max_{score}_sd"]) for score in ("intent", "approp"))
    ]
    beyond = [judge for judge in stable if judge not in said]
    return Claim(
        "stable-candidates",
        "Appendix N",
        "three candidates achieve 100% recovery with SDs equal to 0",
        f"Table 13 has {len(stable)}: also {', '.join(beyond)}",
    )


def _values(printed: Printed, name: str) -> dict[str, str]:
    return {row["key"]: row["value"] for row in printed[f"crosstask_{name}"]}


def _point(row: Row) -> Point:
    return Point(Fraction(row["intent"]), Fraction(row["approp"]))


def _mean(points: Sequence[Point]) -> Point:
    n = len(points)
    return Point(
        sum((p.intent for p in points), Fraction()) / n,
        sum((p.approp for p in points), Fraction()) / n,
    )


def _reference(printed: Printed, group: str, condition: str = "ToM") -> Point:
    return next(
        _point(row)
        for row in printed["crosstask_reference_groups"]
        if (row["group"], row["condition"]) == (group, condition)
    )


def _means_from_distances(printed: Printed, testers: Sequence[str]) -> tuple[Fraction, Fraction]:
    """Mean GD Appropriateness, and mean Random Intentionality minus Appropriateness.

    The difference of two squared distances to fixed points is linear in the place, so that the
    mean of some places needs no place: |p - t|^2 - |p - h|^2 = 2 p (h - t) + |t|^2 - |h|^2.
    """
    found = {}
    for condition in ("GD", "Random"):
        t, h = (_reference(printed, group, condition) for group in ("TD-adult", "HF-ASD-adult"))
        squares = [
            Fraction(row["dist_td"]) ** 2 - Fraction(row["dist_hfasd"]) ** 2
            for row in printed["crosstask_table5"]
            if row["model"] in testers and row["condition"] == condition
        ]
        constant = t.intent**2 + t.approp**2 - h.intent**2 - h.approp**2
        along = sum(squares, Fraction()) / len(squares) - constant
        # In GD the groups differ in Appropriateness alone; in Random by as much in both, opposed.
        found[condition] = along / (2 * (h.approp - t.approp))
    return found["GD"], -found["Random"]


def _is_multiple(value: str, parts: int) -> bool:
    """Whether a printed number is a multiple of 1/parts, as far as its digits go."""
    digits = len(value.partition(".")[2])
    near = Fraction(half_up(Fraction(value) * parts, 0)) / parts
    return show(near, digits) == value


def published_labs(printed: Printed) -> dict[str, str]:
    """Who made the paper's testers, from the registry."""
    settings = load_settings(
        {
            "testers": list(published_panel(printed)),
            "models": str(REPOSITORY / "config" / "models.yaml"),
        }
    )
    return {name: entry.lab for name, entry in load_registry(settings).models.items()}


def markdown(found: Sequence[Claim], held: Sequence[tuple[str, str, str]]) -> str:
    """The two tables of docs/published.md."""
    return "\n".join(
        [
            "| claim | where | printed | found |",
            "|---|---|---|---|",
            *(f"| `{one.name}` | {one.place} | {one.printed} | {one.found} |" for one in found),
            "",
            "| what | printed | recomputed |",
            "|---|---|---|",
            *(f"| {' | '.join(row)} |" for row in held),
            "",
        ]
    )


def main(arguments: list[str]) -> int:
    """Print all claims and what holds, or one claim; 2 for a name that is not one."""
    printed = read_published()
    every = claims(printed, published_labs(printed))
    if arguments == ["--markdown"]:
        print(markdown(every, holds(printed)), end="")
        return 0
    chosen = [one for one in every if not arguments or one.name in arguments]
    if not chosen:
        print(f"no such claim. Known are: {', '.join(one.name for one in every)}", file=sys.stderr)
        return 2
    for one in chosen:
        print(f"{one.name} ({one.place})\n  printed: {one.printed}\n  found:   {one.found}")
    if not arguments:
        print("\nWhat holds")
        for what, said, found in holds(printed):
            print(f"  {what}: {said}, recomputed {found}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
