"""Sensitivity: which labels change under each other reading of the same trials."""

from collections.abc import Mapping, Sequence

from vlmtom.publish.joint_text import GROUPS_NOTE, gaps_note, references_note
from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.provenance import Source, panel_label
from vlmtom.stats.exact import show
from vlmtom.stats.profile_tables import DISTANCES
from vlmtom.stats.references import References

Row = Mapping[str, object]

CONDITIONS = {"tom": "ToM", "gd": "GD", "random": "Random"}
_WORDS = {
    ("canonical", "canonical"): "canonical",
    ("references", "approp_0_to_2"): "human Approp. rated 0–2",
    ("references", "wider_anchors"): "wider Director anchors",
    ("aggregation", "median_of_judges"): "median of judges",
    ("aggregation", "mean_of_judges"): "mean of judges",
    ("level", "strict"): "strict level (Director)",
}
_AXES = {"overlay": "overlay {}", "judge": "without {}", "arm": "arm {}"}
_STATUS = {"not_run": "not run", "no_cells": "no cells"}
_CHANGED = ("director", *CONDITIONS, "disagree")


def sensitivity_tex(
    table: Sequence[Row], references: References, source: Source, kinds: Sequence[str]
) -> str:
    """The LaTeX source of two tables: labels that change, and the panel's distances.

    table: exact rows of SENSITIVITY. kinds: of the testers behind it.
    """
    notes = [*source.notes(kinds), GROUPS_NOTE]
    whole = table[0]["panel_n"] if table else None
    over = panel_label(kinds, "the panel's testers").replace("(models)", "that are models")
    changed = LatexTable(
        label="tab:sensitivity-labels",
        caption=(
            "Sensitivity: other readings of the same trials against the canonical one. Of "
            f"{over} with a label in both readings, how many have another nearest group: on the "
            "Director Task, and on the clips of each condition; how many another flag of whether "
            "the two tasks differ; and how many differ under this reading. Human Approp. rated "
            "0–2: as if human Appropriateness had been rated on 0 to 2, stretched onto 0 to 3; "
            "an assumption, not a finding."
        ),
        columns=[
            Column("Reading", "l"),
            Column("Director"),
            *(Column(name) for name in CONDITIONS.values()),
            Column("flag"),
            Column("differ"),
        ],
        groups=[("", 1), ("labels that change", 5), ("", 1)],
        rows=[_labels_row(row) for row in table],
        notes=[*notes, gaps_note(references), references_note(references)],
    )
    panel = LatexTable(
        label="tab:sensitivity-panel",
        caption=(
            "Sensitivity: distance of the panel's mean profile to the two adult groups by "
            "condition under each reading; the smaller of two names the nearest group."
        ),
        columns=[
            Column("Reading", "l"),
            *[Column("TD"), Column("HF-ASD")] * len(CONDITIONS),
        ],
        groups=[("", 1), *((name, 2) for name in CONDITIONS.values())],
        rows=[_panel_row(row, whole) for row in table],
        notes=[
            *notes,
            *(
                [
                    "n: readings over other testers than the canonical one, which is over "
                    f"{whole}; such a difference is not one of readings alone."
                ]
                if any(row["panel_n"] not in (None, whole) for row in table)
                else []
            ),
        ],
    )
    return f"{changed.text()}\n{panel.text()}"


def reading_label(row: Row) -> str:
    """What a reading is called in a row."""
    key = str(row["axis"]), str(row["variant"])
    return _WORDS.get(key) or _AXES[key[0]].format(key[1])


def _labels_row(row: Row) -> list[str]:
    name = reading_label(row)
    if row["status"] != "ok":
        return [name, _STATUS[str(row["status"])], *[""] * 5]
    counted = [_of(row[f"{column}_changed"], row[f"{column}_n"]) for column in _CHANGED]
    if row["axis"] == "canonical":
        counted = [""] * len(counted)
    return [name, *counted, _of(row["disagreement_count"], row["disagreement_n"])]


def _panel_row(row: Row, whole: object) -> list[str]:
    """whole: the testers behind the canonical reading."""
    if row["status"] != "ok":
        return [reading_label(row), _STATUS[str(row["status"])], *[""] * 5]
    return [
        reading_label(row) + ("" if row["panel_n"] == whole else f" (n = {row['panel_n']})"),
        *(show(row[f"{name}_{column}"], 2) for name in CONDITIONS for column in DISTANCES),
    ]


def _of(count: object, n: object) -> str:
    return "–" if count is None else f"{count}/{n}"
