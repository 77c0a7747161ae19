"""Tables of report before action: rates, report by choice, joint rates, batches, differences."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.pages import in_pages, text_of
from vlmtom.publish.provenance import tester_label
from vlmtom.publish.report_action_text import (
    FEW_SCENES,
    LOST_NOTE,
    Row,
    Study,
    interval,
    lost,
    percent,
    points,
    short,
)
from vlmtom.report_action.estimates import exact_share
from vlmtom.report_action.measures import (
    ACCURACY,
    ALL,
    BY_DIGIT,
    CHOICES,
    DESPITE_REPORT,
    DIRECTOR_VIEW,
    HIDDEN,
    JOINT,
    REPORTS,
)
from vlmtom.report_action.prompts import condition
from vlmtom.stats.exact import as_fraction, show

Asked = tuple[str, str]  # batch, scene set

_RATES = {
    HIDDEN: "hidden",
    ACCURACY: "report",
    JOINT: "joint",
    DESPITE_REPORT: "despite",
    DIRECTOR_VIEW: "meant",
    BY_DIGIT: "digit",
}
_RATES_CAPTION = (
    "In per cent of replies: hidden, the block that the director cannot see was chosen, with its "
    "95 % interval (middle 95 % of resamples of scenes); report, what she sees was told exactly; "
    "joint, both; despite, hidden among the replies whose report leaves that block out; meant, "
    "the largest block that she sees; digit, the largest visible digit among all other choices."
)
_CHOICE_HEADS = ("hid.", "meant", "digit", "other")
_REPORT_HEADS = {"correct": "right", "incorrect": "wrong", "no_report": "none"}

_MEASURES = {
    ACCURACY: "report exact",
    JOINT: "report exact and hidden block chosen",
    DIRECTOR_VIEW: "what the director means chosen",
}
_SCENES = {
    "scenes": "all",
    "three_blocks": "of three blocks",
    "four_blocks": "of four blocks",
    "hidden_largest": "hidden block is the largest",
    "hidden_middle": "hidden block is of middle size",
    "hidden_smallest": "hidden block is the smallest",
    "hidden_has_largest_digit": "hidden block carries the largest digit",
    "smaller_visible_has_larger_digit": "a smaller visible block has a larger digit",
    "misleading_size": "another visible block looks largest to the director",
}
_MOST_JOINT = 5  # columns of joint rates that fit the width
_METHODS = {"cluster_t": "t", "bounded": "b"}


def rates_tex(rates: Sequence[Row], choices: Sequence[Row], study: Study) -> str:
    """The LaTeX source of the rates, one table a batch and scene set; all scenes.

    rates: rows of REPORT_ACTION_RATES; choices: of REPORT_ACTION_CHOICES, for what was lost.
    """
    of = {(*_asked(r), r["tester"], r["arm"], r["measure"]): r for r in _all(rates)}
    tables: list[LatexTable] = []
    for (batch, scene_set), rows in _by_batch(choices).items():
        kinds = [str(row["kind"]) for row in rows]
        table = LatexTable(
            label=f"tab:report-action-rates-{batch}-{scene_set}",
            caption=f"Rates of the batch {batch}, scene set {scene_set}. {_RATES_CAPTION}",
            columns=[
                Column("Tester and condition", "l"),
                Column("hidden"),
                Column("", "l"),
                *(Column(head) for measure, head in _RATES.items() if measure != HIDDEN),
                *(Column(head) for head in ("n", "unp.", "miss.")),
            ],
            rows=[],
            notes=[LOST_NOTE, *study.notes(kinds, [batch])],
            gap_pt=2,
            size="scriptsize",
        )
        groups = []
        for of_tester in _by_tester(rows):
            lines = [[_name(of_tester[0], kinds)]]
            for row in of_tester:
                cell = {m: of.get((batch, scene_set, row["tester"], row["arm"], m)) for m in _RATES}
                hidden = cell[HIDDEN]
                lines.append(
                    [
                        str(row["arm"]),
                        _share(hidden),
                        interval(hidden["lo"], hidden["hi"]) if hidden else "",
                        *(_share(cell[measure]) for measure in _RATES if measure != HIDDEN),
                        *lost(row),
                    ]
                )
            groups.append(lines)
        tables += in_pages(table, groups)
    return text_of(tables, "No condition was asked.")


def choices_tex(choices: Sequence[Row], study: Study) -> str:
    """The LaTeX source of report by choice, in counts, one table a batch and scene set."""
    tables: list[LatexTable] = []
    for (batch, scene_set), rows in _by_batch(choices).items():
        kinds = [str(row["kind"]) for row in rows]
        table = LatexTable(
            label=f"tab:report-action-choices-{batch}-{scene_set}",
            caption=(
                f"Report by choice in the batch {batch}, scene set {scene_set}: counts of replies. "
                "Choices: hid., the hidden block; meant, the largest that the director sees; "
                "digit, another visible block with the largest visible digit; other. Report: "
                "exactly what the director sees, or not; none where none was asked, or a first "
                "turn could not be read."
            ),
            columns=[
                Column("Tester and condition", "l"),
                Column("report", "l"),
                *(Column(head) for head in (*_CHOICE_HEADS, "n", "unp.", "miss.")),
            ],
            rows=[],
            notes=[LOST_NOTE, *study.notes(kinds, [batch])],
            gap_pt=2,
            size="scriptsize",
        )
        groups = [
            [
                [_name(of_tester[0], kinds)],
                *(line for row in of_tester for line in _choice_lines(row)),
            ]
            for of_tester in _by_tester(rows)
        ]
        tables += in_pages(table, groups)
    return text_of(tables, "No condition was asked.")


def joint_rows(rates: Sequence[Row]) -> list[Row]:
    """Rows of REPORT_ACTION_RATES that the table of joint rates shows."""
    return [row for row in rates if row["measure"] == JOINT and row["subset"] == ALL]


def joint_tex(rates: Sequence[Row], study: Study) -> str:
    """The LaTeX source of the joint rates, by batch and scene set.

    rates: of joint_rows. One line a tester with its rates, and one with their intervals; a table
    has as many requests as fit it.
    """
    tables = []
    for (batch, scene_set), of_batch in _by_batch(rates).items():
        kinds = [str(row["kind"]) for row in of_batch]
        for number, arms in enumerate(_tables_of([str(row["arm"]) for row in of_batch]), 1):
            lines = []
            for of_tester in _by_tester(of_batch):
                cells = {str(row["arm"]): row for row in of_tester}
                lines.append([_name(of_tester[0], kinds), *(_share(cells.get(a)) for a in arms)])
                lines.append(["", *(_interval(cells.get(arm)) for arm in arms)])
            requests = [condition(arm).request for arm in arms]
            tables.append(
                LatexTable(
                    label=f"tab:report-action-joint-{batch}-{scene_set}-{number}",
                    caption=(
                        f"Joint rates in the batch {batch}, scene set {scene_set}, by request: "
                        "replies that report exactly what the director sees and choose the hidden "
                        "block, in per cent of replies with report and choice; in brackets the "
                        "middle 95 % of resamples of scenes (at 0 and 100 % an exact limit over "
                        "scenes). Asked: the base prompt. + both, knowl., refer., pad.: with "
                        "what the director knows and refers to, with one of the two, and with as "
                        "many words of no matter."
                    ),
                    columns=[Column("Tester", "l"), *(Column(short(arm)) for arm in arms)],
                    groups=[
                        ("", 1),
                        *((name, requests.count(name)) for name in dict.fromkeys(requests)),
                    ],
                    rows=lines,
                    notes=study.notes(kinds, [batch]),
                    size="scriptsize",
                    gap_pt=2,
                    breaks=range(2, len(lines), 2),
                )
            )
    return text_of(tables, "No condition asked for a report.")


def _tables_of(arms: Iterable[str]) -> list[list[str]]:
    """Conditions by request, and requests by table, as many as fit one."""
    by_request: dict[str, list[str]] = {}
    for arm in dict.fromkeys(arms):
        by_request.setdefault(condition(arm).request, []).append(arm)
    pieces = [
        of_request[start : start + _MOST_JOINT]
        for of_request in by_request.values()
        for start in range(0, len(of_request), _MOST_JOINT)
    ]
    tables: list[list[str]] = []
    for piece in pieces:
        if tables and len(tables[-1]) + len(piece) <= _MOST_JOINT:
            tables[-1] += piece
        else:
            tables.append([*piece])
    return tables


def batches_tex(rows: Sequence[Row], study: Study) -> str:
    """The LaTeX source of the base prompts' hidden-block rates by batch.

    rows: of REPORT_ACTION_BATCHES. One table a base prompt and scene set.
    """
    tables = []
    for arm, scene_set in dict.fromkeys((str(r["arm"]), str(r["scene_set"])) for r in rows):
        own = [row for row in rows if (row["arm"], row["scene_set"]) == (arm, scene_set)]
        hidden = [row for row in own if row["measure"] == HIDDEN]
        batches = sorted({(int(r["place"]), str(r["batch"])) for r in hidden})
        kinds = [str(row["kind"]) for row in hidden]
        lines = []
        for of_tester in _by_tester(hidden):
            cells = {str(row["batch"]): row for row in of_tester}
            accuracy = next(
                row
                for row in own
                if row["measure"] == ACCURACY and row["tester"] == of_tester[0]["tester"]
            )
            lines.append(
                [
                    _name(of_tester[0], kinds),
                    *(_share(cells.get(batch)) for _, batch in batches),
                    points(_exact(of_tester[-1]["drift"])),
                    percent(_exact(of_tester[0]["spread"])),
                    percent(_exact(accuracy["spread"])),
                ]
            )
            ends = [_interval(cells.get(batch)) for _, batch in batches]
            lines.append(["", *ends, "", "", ""])
        tables.append(
            LatexTable(
                label=f"tab:report-action-batches-{arm}-{scene_set}",
                caption=(
                    f"The base prompt {arm} between batches, scene set {scene_set}: hidden block "
                    "chosen, in per cent of replies; in brackets the middle 95 % of resamples of "
                    "scenes. Batches in the order in which they were asked; drift: last minus "
                    "first, in points; spread: largest minus smallest, of hidden choices and of "
                    "exact reports. Comparisons are made within a batch alone."
                ),
                columns=[
                    Column("Tester", "l"),
                    *(Column(batch) for _, batch in batches),
                    *(Column(head) for head in ("drift", "spread", "of reports")),
                ],
                rows=lines,
                notes=study.notes(kinds, [batch for _, batch in batches]),
                size="scriptsize",
                breaks=range(2, len(lines), 2),
            )
        )
    return text_of(tables, "No base prompt was asked.")


def scenes_tex(rows: Sequence[Row], study: Study) -> str:
    """The LaTeX source of the scene counts. rows: of REPORT_ACTION_SCENES."""
    sets = list(dict.fromkeys(str(row["scene_set"]) for row in rows))
    of = {(row["scene_set"], row["what"]): row for row in rows}
    lines = [
        [
            words,
            *(
                cell
                for name in sets
                for cell in (
                    str(of[name, what]["n"]),
                    str(of[name, what]["published"] or "–"),
                )
            ),
        ]
        for what, words in _SCENES.items()
    ]
    return LatexTable(
        label="tab:report-action-scenes",
        caption=(
            "Scenes of report before action by set, counted from the answer keys, which come from "
            "object-id buffers of both eyes; beside them what the paper prints of its own scenes. "
            "The scenes are ours, so that counts that hang on drawn digits and places need not be "
            "the same."
        ),
        columns=[Column("Scenes", "l"), *(Column(h) for _ in sets for h in ("ours", "paper"))],
        groups=[("", 1), *((name, 2) for name in sets)],
        rows=lines,
        gap_pt=3,
        size="footnotesize",
        notes=[f"Panel {study.panel}."],
    ).text()


def estimates_tex(rows: Sequence[Row], study: Study) -> str:
    """The LaTeX source of the primary differences, one table a family.

    rows: exact rows of REPORT_ACTION_ESTIMATES.
    """
    tables: list[LatexTable] = []
    for family, of_family in _by_family(rows).items():
        kinds = [str(row["kind"]) for row in of_family]
        table = LatexTable(
            label=f"tab:report-action-estimates-{family or 'margin'}",
            caption=" ".join([_family_words(family, of_family, study), _columns_words(family)]),
            columns=[
                Column("Comparison and tester", "l"),
                Column("without"),
                Column("with"),
                Column("diff."),
                Column("95 %", "l"),
                Column("p"),
                *([Column("p adj.")] if family else []),
                Column("result", "l"),
            ],
            rows=[],
            notes=[
                *_few(of_family),
                *study.notes(kinds, list(dict.fromkeys(str(r["batch"]) for r in of_family))),
            ],
            gap_pt=3,
            size="scriptsize",
        )
        groups = [
            [
                [_compared(of_comparison[0])],
                *(
                    [
                        tester_label(str(row["tester"]), str(row["kind"]), kinds),
                        percent(_exact(row["p0"])),
                        percent(_exact(row["p1"])),
                        points(_exact(row["diff"])),
                        _marked(row),
                        _p(row["p"]),
                        *([_p(row["p_adj"])] if family else []),
                        verdict(row),
                    ]
                    for row in of_comparison
                ),
            ]
            for of_comparison in _grouped(of_family, "comparison").values()
        ]
        tables += in_pages(table, groups)
    return text_of(tables, "No comparison is configured.")


def verdict(row: Row) -> str:
    """In a word or two, what a primary difference is."""
    if row["diff"] is None:
        return "not estimable"
    if row["family"] is None:
        return "inside margin" if row["within_margin"] else "not inside"
    if not row["changed"]:
        return "no change"
    return "increase" if row["diff"] > 0 else "decrease"


def family_sizes(rows: Iterable[Row]) -> dict[str, int]:
    """How many comparisons each family corrects for: models and observers apart."""
    sizes: dict[str, dict[str, int]] = {}
    for row in rows:
        if row["family"] is not None:
            sizes.setdefault(str(row["family"]), {})[str(row["kind"])] = int(row["family_size"])
    return {
        family if len(by_kind) == 1 else f"{family}, {kind}s": size
        for family, by_kind in sizes.items()
        for kind, size in by_kind.items()
    }


def _family_words(family: str | None, rows: Sequence[Row], study: Study) -> str:
    if family is None:
        return (
            f"Differences outside the families, against the margin of {study.margin_text} points."
        )
    sizes = "; ".join(f"{name}: {size}" for name, size in family_sizes(rows).items())
    return f"Differences of the family {family} (comparisons corrected together: {sizes})."


def _columns_words(family: str | None) -> str:
    judged = (
        "p adj. by Benjamini and Hochberg within the family; a change is called where the interval "
        "excludes 0 and p adj. is at most 0.05."
        if family
        else "Inside margin: the whole interval lies inside it. No family, no adjusted p."
    )
    return (
        "With minus without, in points; shares in per cent of replies, of the hidden block chosen "
        f"where no other measure is named. {judged}"
    )


def _compared(row: Row) -> str:
    """A comparison's heading: its name, and what is taken from what."""
    measure = "" if row["measure"] == HIDDEN else f"; {_MEASURES[str(row['measure'])]}"
    scene_set = "" if row["scene_set"] == "main" else f"; set {row['scene_set']}"
    return f"{row['comparison']}: {row['with']} − {row['without']}{measure}{scene_set}"


def _choice_lines(row: Row) -> list[list[str]]:
    """A condition's replies, one line a kind of report that there is."""
    counts = {report: [int(row[f"{report}_{c}"]) for c in CHOICES] for report in REPORTS}
    shown = [report for report in REPORTS if any(counts[report])] or ["no_report"]
    return [
        [
            str(row["arm"]) if number == 0 else "",
            _REPORT_HEADS[report],
            *map(str, counts[report]),
            *(lost(row) if number == 0 else ("", "", "")),
        ]
        for number, report in enumerate(shown)
    ]


def _few(rows: Sequence[Row]) -> list[str]:
    notes = []
    methods = {str(row["method"]) for row in rows}
    if "cluster_t" in methods:
        notes.append("t: interval from the scenes' differences, as a condition is 0 or 100 %.")
    if "bounded" in methods:
        notes.append("b: all scenes differ alike; bounded interval over scenes.")
    if any(0 < int(row["n_scenes"]) < FEW_SCENES for row in rows):
        notes.append(f"With fewer than {FEW_SCENES} scenes intervals are approximate.")
    return notes


def _marked(row: Row) -> str:
    text = interval(row["lo"], row["hi"], signed=True)
    mark = _METHODS.get(str(row["method"]))
    return f"{text} {mark}" if mark else text


def _p(value: object) -> str:
    if value is None:
        return show(None, 3)
    exact = Fraction(value)
    return "<0.001" if exact < Fraction(1, 1000) else show(exact, 3)


def _exact(value: object) -> Fraction | None:
    return None if value is None else as_fraction(value)


def _share(row: Row | None) -> str:
    return percent(None if row is None else exact_share(row))


def _interval(row: Row | None) -> str:
    return "" if row is None else interval(row["lo"], row["hi"])


def _name(row: Row, kinds: Sequence[str]) -> str:
    return tester_label(str(row["tester"]), str(row["kind"]), kinds)


def _all(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row["subset"] == ALL]


def _asked(row: Row) -> Asked:
    return str(row["batch"]), str(row["scene_set"])


def _by_batch(rows: Iterable[Row]) -> Mapping[Asked, list[Row]]:
    grouped: dict[Asked, list[Row]] = {}
    for row in _all(rows):
        grouped.setdefault(_asked(row), []).append(row)
    return grouped


def _by_tester(rows: Iterable[Row]) -> list[list[Row]]:
    return list(_grouped(rows, "tester").values())


def _by_family(rows: Iterable[Row]) -> Mapping[str | None, list[Row]]:
    grouped: dict[str | None, list[Row]] = {}
    for row in rows:
        if row["primary"]:
            grouped.setdefault(row["family"], []).append(row)
    return grouped


def _grouped(rows: Iterable[Row], column: str) -> Mapping[str, list[Row]]:
    grouped: dict[str, list[Row]] = {}
    for row in rows:
        grouped.setdefault(str(row[column]), []).append(row)
    return grouped
