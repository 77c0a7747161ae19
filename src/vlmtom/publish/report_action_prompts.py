"""The appendix of prompts: every condition's words, with those set off that differ from another's.

Blocks of running text and not a table, so that long prompts break between lines and pages.
"""

from collections.abc import Mapping, Sequence

from vlmtom.publish.latex import escape

Row = Mapping[str, object]

_NOTHING = "[nothing here]"


def prompts_tex(rows: Sequence[Row], panel: str) -> str:
    """The LaTeX source of the appendix. rows: of REPORT_ACTION_PROMPTS, a condition's together."""
    intro = (
        f"Prompts of report before action (panel {panel}), as the tester gets them, after the "
        "picture. Bold: the words that differ from the condition named in the heading; all else is "
        "the same, byte for byte. Blank lines are left out here. A stated report has the digits of "
        "its scene; here 3 and 5 stand for them."
    )
    lines = [rf"\noindent {escape(intro)}\par"]
    of_arm: dict[str, list[Row]] = {}
    for row in rows:
        of_arm.setdefault(str(row["arm"]), []).append(row)
    for arm, turns in of_arm.items():
        lines += [
            r"\medskip\noindent\begin{minipage}{\linewidth}\raggedright",
            rf"\textbf{{{escape(arm)}}} {{\footnotesize {escape(_heading(turns[0]))}}}\par",
            r"\begingroup\footnotesize\setlength{\leftskip}{1.5em}",
            *(line for row in turns for line in _turn(row, len(turns))),
            r"\endgroup",
            r"\end{minipage}\par",
        ]
    return "\n".join(lines) + "\n"


def _heading(row: Row) -> str:
    batches = row["batches"]
    where = f"(batch{'es' if len(batches) > 1 else ''} {', '.join(batches)})"
    if row["compared_with"] is None:
        return where
    return f"{where} against {row['compared_with']}, in the part {row['part']}"


def _turn(row: Row, turns: int) -> list[str]:
    lines = [rf"\textit{{turn {row['turn']}}}\par"] if turns > 1 else []
    text = str(row["text"])
    start, end = row["start"], row["end"]
    if start is None or end is None:
        return [*lines, *_paragraphs(text)]
    # Where the other has words and this one none, a mark stands in their place.
    marked = text[start:end] if text[start:end].strip() else f"{_NOTHING}\n"
    return [
        *lines,
        *_paragraphs(text[:start]),
        *_paragraphs(marked, bold=True),
        *_paragraphs(text[end:]),
    ]


def _paragraphs(text: str, bold: bool = False) -> list[str]:
    """A line of the prompt as a line of its own, blank ones as a little space."""
    written = [escape(line) for line in text.split("\n") if line.strip()]
    return [rf"\textbf{{{line}}}\par" if bold else rf"{line}\par" for line in written]
