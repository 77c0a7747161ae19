"""Whether the judges recover the exemplars, as a table (cross-task paper, Appendix M)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vlmtom.publish.joint_text import count_of
from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.provenance import tester_label
from vlmtom.stats.exact import show

Row = Mapping[str, object]

SCORES = (Column("Intent %"), Column("Approp %"), Column("Intent SD"), Column("Approp SD"))


@dataclass(frozen=True)
class Battery:
    """Where a battery's numbers come from, for captions.

    authored: the exemplars are the package's own.
    """

    panel: str
    n_exemplars: int
    repetitions: int
    rubric_sha256: str
    exemplars_sha256: str
    authored: bool = True

    def notes(self, rows: Sequence[Row]) -> list[str]:
        """Sentences for a caption: exemplars, gates, provenance, what is missing."""
        whose = (
            "Authored exemplars, never human-rated: recovery shows that a judge applies the rubric "
            "as it is meant, not that it agrees with people."
            if self.authored
            else "Exemplars of a file of the user's, whose intervals are its author's."
        )
        notes = [
            f"{self.n_exemplars} exemplars, {self.repetitions} repetitions each at temperature 0. "
            "Recovered: within ±0.5 of the expected interval. SD: the largest population SD of an "
            "exemplar. PASS: both ≥ 80 %, Intentionality SD ≤ 0.5, Appropriateness SD ≤ 0.8, and "
            "no verdict missing.",
            whose,
            f"Panel {self.panel}; overlay blinded, rubric SHA-256 {self.rubric_sha256[:12]}, "
            f"exemplars SHA-256 {self.exemplars_sha256[:12]}. LLM-rated; descriptive.",
            judged_note([str(row["kind"]) for row in rows if row["kind"] is not None]),
            _missing(rows),
        ]
        return [note for note in notes if note]


def judged_note(kinds: Sequence[str]) -> str:
    """Who was put to the test: embedded judges are never shown as LLMs."""
    if set(kinds) == {"observer"}:
        return "All judges here are embedded observers with stated rules, not LLMs."
    if "observer" in kinds:
        return "Judges marked (observer) are embedded, with stated rules; they are not LLMs."
    return ""


def judge_battery_tex(table: Sequence[Row], battery: Battery) -> str:
    """The LaTeX source. table: exact rows of JUDGE_BATTERY."""
    kinds = [str(row["kind"]) for row in table]
    return LatexTable(
        label="tab:judge-battery",
        caption="Validation battery: recovery of exemplars by judge, and its stability.",
        columns=[Column("Judge", "l"), *SCORES, Column("verdict", "l"), Column("verdicts")],
        rows=[
            [
                tester_label(str(row["judge"]), str(row["kind"]), kinds),
                *scores_of(row),
                str(row["verdict"]),
                count_of(row["n_scored"], row["n_planned"]),
            ]
            for row in table
        ],
        size="footnotesize",
        notes=battery.notes(table),
    ).text()


def scores_of(row: Row) -> list[str]:
    """Recovery in percent and largest SDs; dashes where there is no verdict."""
    shares = (row[name] for name in ("intent_recovery", "approp_recovery"))
    return [
        *(show(None if share is None else 100 * share, 1) for share in shares),
        *(show(row[name], 2) for name in ("max_intent_sd", "max_approp_sd")),
    ]


def _missing(rows: Sequence[Row]) -> str:
    lacking = [
        f"{row['judge']} {row['n_planned'] - row['n_scored']} of {row['n_planned']}"
        for row in rows
        if row["kind"] is not None and row["n_scored"] != row["n_planned"]
    ]
    return f"Verdicts missing or unparsed, in no share: {'; '.join(lacking)}." if lacking else ""
