"""Words and cells that the products of report before action share."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from vlmtom.publish.provenance import testers_note
from vlmtom.report_action.prompts import NO_CONSTRAINT, condition
from vlmtom.stats.exact import end_of, show
from vlmtom.stats.rounding import half_up, printed

Row = Mapping[str, object]

FEW_SCENES = 40  # below it, intervals of the paired comparison cover a little less than they say

_REPORTS = {
    "none": "unasked",
    "visibility": "asked",
    "count": "count",
    "stated": "stated",
    "after": "asked after",
    "first_turn": "asked first",
    "knows": "knows",
}
_CONSTRAINTS = {"both": "both", "knowledge": "knowl.", "reference": "refer.", "padding": "pad."}
SUBSET_NOTES = {
    "hidden_not_largest_digit": "scenes where the hidden block does not carry the largest digit",
    "without_misleading": "without scenes where another block looks largest to the director",
}


@dataclass(frozen=True)
class Study:
    """What captions say of a run.

    replies: K, of each scene in each condition. margin: in points, as a decimal number in text.
    """

    panel: str
    replies: int
    margin: str

    @property
    def margin_points(self) -> Fraction:
        """The margin in points."""
        return Fraction(self.margin)

    @property
    def margin_text(self) -> str:
        """The margin in points, without decimals that say nothing."""
        whole = self.margin_points.denominator == 1
        return str(self.margin_points) if whole else self.margin

    def notes(self, kinds: Iterable[str], batches: Sequence[str] = ()) -> list[str]:
        """Sentences for a caption. kinds: of the testers shown; batches: of the rows shown."""
        named = f"; {'batch' if len(batches) == 1 else 'batches'} {', '.join(batches)}"
        return [
            note
            for note in (
                f"Panel {self.panel}{named if batches else ''}; K = {self.replies} replies per "
                "scene and condition; answered replies; scenes as clusters.",
                testers_note(kinds),
            )
            if note
        ]


def short(arm: str) -> str:
    """A condition in few letters, without its request: `asked`, `asked + both`."""
    of = condition(arm)
    end = "" if of.constraint == NO_CONSTRAINT else f" + {_CONSTRAINTS[of.constraint]}"
    return f"{_REPORTS[of.report]}{end}"


def percent(value: Fraction | None, digits: int = 1) -> str:
    """A share in per cent, half up."""
    return show(None if value is None else 100 * value, digits)


def points(value: Fraction | None, digits: int = 1) -> str:
    """A difference of shares in points, half up, with its sign unless it is printed as 0."""
    if value is None:
        return show(None, digits)
    rounded = half_up(100 * value, digits)
    text = printed(abs(100 * value), digits)
    return text if not rounded else f"{'−' if value < 0 else '+'}{text}"


def interval(low: float | None, high: float | None, signed: bool = False) -> str:
    """Both ends in points or per cent; nothing where there is none."""
    if low is None or high is None:
        return ""
    how = points if signed else percent
    return f"[{how(end_of(low))}, {how(end_of(high))}]"


def lost(row: Row) -> list[str]:
    """Cells: answered; unparsed, of these refusals in words; missing, of these refused."""
    return [
        str(row["n_answered"]),
        _of(row["n_unparsed"], row["n_refused_in_words"]),
        _of(row["n_missing"], row["n_refused"]),
    ]


LOST_NOTE = "Unparsed and missing replies are in no share; in brackets, refusals among them."


def _of(n: object, refused: object) -> str:
    return f"{n} ({refused})" if refused else str(n)
