"""LaTeX tables with booktabs that compile as they are, whatever text stands in a cell."""

import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\texttt{\char34}",  # \textquotedbl is not in the encoding of a plain article
    "–": "--",
    "—": "---",
    "−": "$-$",
    "×": r"$\times$",
    "Δ": r"$\Delta$",
    "±": r"$\pm$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "…": r"\dots{}",
    "\t": " ",
    "\n": " ",
    "\r": " ",
}


def escape(text: str) -> str:
    """Text that LaTeX prints as it is; what plain pdfLaTeX cannot set becomes a question mark."""
    return "".join(_SPECIAL.get(char) or _plain(char) for char in text)


@dataclass(frozen=True)
class Column:
    """A table column. align: l, r or c."""

    head: str
    align: str = "r"


@dataclass(frozen=True)
class LatexTable:
    """A table environment. rows and footer hold plain text: it is escaped here.

    A row of one cell, in a table of several columns, is a heading across all of them.

    groups: heads above the columns' heads, each with the number of columns under it; the empty
    one leaves its columns bare. breaks: places of rows before which there is a little space.
    """

    label: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    footer: Sequence[Sequence[str]] = ()
    notes: Sequence[str] = field(default=())
    groups: Sequence[tuple[str, int]] = ()
    gap_pt: int = 4  # on either side of a column; wide tables need a smaller one
    breaks: Collection[int] = ()
    size: Literal["small", "footnotesize", "scriptsize"] = "small"  # long tables need a smaller one

    def text(self) -> str:
        """The LaTeX source; needs the package booktabs."""
        caption = " ".join([self.caption, *self.notes])
        lines = [
            "% needs \\usepackage{booktabs}",
            r"\begin{table}[htbp]",
            r"\centering",
            rf"\caption{{{escape(caption)}}}",
            rf"\label{{{self.label}}}",
            rf"\smallskip\{self.size}\setlength{{\tabcolsep}}{{{self.gap_pt}pt}}",
            rf"\begin{{tabular}}{{@{{}}{''.join(column.align for column in self.columns)}@{{}}}}",
            r"\toprule",
            *self._group_rows(),
            self._row([column.head for column in self.columns]),
            r"\midrule",
            *self._body(),
            *([r"\midrule"] if self.footer else []),
            *(self._row(row) for row in self.footer),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
        return "\n".join(lines) + "\n"

    def _body(self) -> Iterator[str]:
        for place, row in enumerate(self.rows):
            if place in self.breaks:
                yield r"\addlinespace"
            yield self._row(row)

    def _group_rows(self) -> list[str]:
        if not self.groups:
            return []
        heads, rules, first = [], [], 1
        for head, width in self.groups:
            heads.append(
                rf"\multicolumn{{{width}}}{{c}}{{{escape(head)}}}" if head else "&" * (width - 1)
            )
            if head:
                rules.append(rf"\cmidrule(lr){{{first}-{first + width - 1}}}")
            first += width
        return [" & ".join(heads) + r" \\", " ".join(rules)]

    def _row(self, cells: Sequence[str]) -> str:
        if len(cells) == 1 < len(self.columns):
            return rf"\multicolumn{{{len(self.columns)}}}{{@{{}}l}}{{{escape(cells[0])}}} \\"
        if len(cells) != len(self.columns):
            raise ValueError(f"{self.label}: {len(cells)} cells for {len(self.columns)} columns")
        text = " & ".join(escape(cell) for cell in cells)
        # After the row before, [ and * would be read as arguments of its line break.
        return ("{}" if text[:1] in ("[", "*") else "") + text + r" \\"


def _plain(char: str) -> str:
    if char.isascii():
        return char if char.isprintable() else ""
    if "LATIN" in unicodedata.name(char, "") and unicodedata.normalize("NFD", char)[0].isascii():
        return char  # pdfLaTeX sets accented Latin letters from UTF-8
    if unicodedata.category(char).startswith(("M", "C")):
        return ""
    return "?"
