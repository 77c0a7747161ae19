"""Words and cells that the products of the game share."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from vlmtom.mosaic.conditions import BY_SLUG, CONDITIONS
from vlmtom.publish.provenance import pairs_note, tester_label
from vlmtom.stats.exact import as_fraction, end_of, show
from vlmtom.stats.game import STANDARD, Pair, Row, pair_of
from vlmtom.stats.game_tests import EXCLUDED

METRIC_NAMES = {
    "tocs": "TOCS",
    "ur": "UR",
    "tas": "TAS",
    "gas": "GAS",
    "fes": "FES",
    "s_traj": "S traj.",
    "s_gaze": "S gaze",
    "s_eq12": "S Eq. 12",
}
S_NOTE = (
    "S traj. is what the paper prints as S; S Eq. 12 is the mean over both channels, as the paper "
    "defines it."
)
# Why there is no test, in as few words as a column has room for.
SHORT = {
    "no_trials": "no trial",
    "no_choice": "no choice",
    "constant": "one value",
    "one_reward": "one reward",
    "one_choice": "one box",
    "no_condition": "no trial in a condition",
    "one_pair": "one pair",
    "excluded": "unreadable",
}
MOST_ROWS = 40  # of a page, under a long caption and with a little space between pairs
_LEAST_P = Fraction(1, 1000)


@dataclass(frozen=True)
class Study:
    """What captions say of a run. trials: N, planned for each condition of a pair."""

    panel: str
    trials: int

    def notes(self, kinds: Iterable[str]) -> list[str]:
        """Sentences for a caption. kinds: of the pairs shown."""
        notes = (
            f"Panel {self.panel}; N = {self.trials} trials a condition, less the missing; "
            "descriptive.",
            pairs_note(kinds),
        )
        return [note for note in notes if note]


def pair_name(pair: Pair) -> str:
    """A pair as it is printed: one name for two agents of one kind, the arm where it is special."""
    same = pair.subject == pair.participant
    players = pair.subject if same else f"{pair.subject} + {pair.participant}"
    return players if pair.arm == STANDARD else f"{players}, {pair.arm}"


def pair_label(row: Row, kinds: Iterable[str]) -> str:
    """A pair's name in a row; observers and mixed pairs are marked beside pairs of other kinds."""
    name = pair_name(pair_of(row))
    if row["kind"] == "mixed":
        return name if set(kinds) == {"mixed"} else f"{name} (mixed)"
    return tester_label(name, str(row["kind"]), kinds)


def named_line(name: str, cells: Sequence[str], room: int) -> list[list[str]]:
    """A row with a pair's name before its cells; a name of more letters has a line of its own."""
    return [[name, *cells]] if len(name) <= room else [[name], ["", *cells]]


def by_pair(rows: Iterable[Row]) -> dict[Pair, list[Row]]:
    """Rows by pair, in their order."""
    found: dict[Pair, list[Row]] = {}
    for row in rows:
        found.setdefault(pair_of(row), []).append(row)
    return found


def conditions_of(rows: Iterable[Row]) -> list[str]:
    """The conditions that any row is of, in the paper's order."""
    there = {row["condition"] for row in rows}
    return [condition.slug for condition in CONDITIONS if condition.slug in there]


def label_of(condition: object) -> str:
    """How a condition is printed."""
    return BY_SLUG[str(condition)].label


def number(value: object, digits: int = 2) -> str:
    """A number, exact or as it is stored, half up; a dash where there is none."""
    return _minus(show(None if value is None else as_fraction(value), digits))


def statistic(value: object, digits: int = 2) -> str:
    """A statistic, which as a float stands for no small fraction; a dash where there is none."""
    return show(None if value is None else Fraction(value), digits)


def p_text(value: object) -> str:
    """A p with three decimals, or <0.001."""
    if value is None:
        return show(None, 3)
    exact = Fraction(value)
    return "<0.001" if exact < _LEAST_P else show(exact, 3)


def interval(low: object, high: object) -> str:
    """Both ends, as short as may be; nothing where there is none, or it has no width."""
    if low is None or high is None or low == high:
        return ""
    return f"[{_end(low)}, {_end(high)}]"


def _end(value: object) -> str:
    """An end of an interval, from -1 to 1: without its zero, and 0 and 1 without decimals."""
    text = show(end_of(float(value)), 2)
    return _minus(text.removesuffix(".00") if text.endswith(".00") else text.replace("0.", "."))


def excluded_lines(name: str, row: Row) -> list[list[str]]:
    """Why a pair has no numbers, a line for each of its members of which that is so."""
    first, *rest = str(row["unread"]).split("; ")
    return [[f"{name}: excluded: {first}"], *([f"{name}: excluded: {other}"] for other in rest)]


def excluded_note(rows: Iterable[Row]) -> str:
    """A sentence on pairs that are named and not scored; empty where there is none."""
    whose = {
        pair_name(pair_of(row)): str(row["unread"]) for row in rows if row["status"] == EXCLUDED
    }
    if not whose:
        return ""
    named = "; ".join(f"{name} ({unread})" for name, unread in whose.items())
    return f"Excluded, with more than half of the answers of a member unreadable: {named}."


def kinds_of(rows: Iterable[Mapping[str, object]]) -> list[str]:
    """The kinds of the pairs in some rows."""
    return [str(row["kind"]) for row in rows]


def _minus(text: str) -> str:
    return text.replace("-", "−")
