"""What the trials of a pair in a condition come to: shares and means, exact, with their counts.

A trial that is missing is in no denominator; a trial in which neither box opened is, as a miss.
Source: MOSAIC paper, section 3.4 and appendix E; decisions in docs/mosaic.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from vlmtom.mosaic.conditions import CONDITIONS
from vlmtom.mosaic.world import DARK, LIGHT, NEITHER, ROLES
from vlmtom.stats.exact import as_fraction
from vlmtom.store import read_rows
from vlmtom.store.schemas.mosaic import MOSAIC_TRIALS

Row = Mapping[str, object]

# By metric, the column of MOSAIC_TRIALS that it is the mean of.
METRICS = {
    "tocs": "conforms",
    "tas": "a_traj",
    "gas": "a_gaze",
    "fes": "expressive",
    "s_traj": "sens_traj",
    "s_gaze": "sens_gaze",
    "s_eq12": "sensitivity",
}
SHARES = ("tocs", "fes")  # from 0 to 1; the others go from -1 to 1
STANDARD = "standard"
_ARMS = (STANDARD, "none", "blank", "face")  # which arm stands for a pair, the first that it has
LOW, HIGH = Fraction(3, 5), Fraction(3, 4)  # between the three classes of positional bias


@dataclass(frozen=True, order=True)
class Pair:
    """Who plays, and what testers are shown."""

    subject: str
    participant: str
    arm: str = STANDARD

    @property
    def slug(self) -> str:
        """The name of its folder."""
        end = "" if self.arm == STANDARD else f"+{self.arm}"
        return f"{self.subject}+{self.participant}{end}"


def main_pairs(pairs: Iterable[Pair]) -> list[Pair]:
    """One arm of each pair: standard; where it was not played, none, blank or face."""
    found: dict[tuple[str, str], Pair] = {}
    for pair in sorted(pairs, key=_arm_order):
        found.setdefault((pair.subject, pair.participant), pair)
    return list(found.values())


def pairs_in_arms(pairs: Iterable[Pair]) -> list[Pair]:
    """The pairs that were played in several arms, each with all of its arms."""
    arms: dict[tuple[str, str], list[Pair]] = {}
    for pair in pairs:
        arms.setdefault((pair.subject, pair.participant), []).append(pair)
    return [
        pair
        for several in arms.values()
        if len(several) > 1
        for pair in sorted(several, key=_arm_order)
    ]


def _arm_order(pair: Pair) -> int:
    return _ARMS.index(pair.arm)


def pair_of(row: Row) -> Pair:
    """The pair of a row of any table of the game."""
    return Pair(str(row["subject"]), str(row["participant"]), str(row["arm"]))


@dataclass(frozen=True)
class Summary:
    """Counts over the trials of one condition.

    n: played. chosen: trials by the box that opened (dark, light, neither). conforming: trials
    with the predicted score (Eq. 2). totals: by metric, the sum over trials.
    """

    n: int
    n_missing: int
    chosen: tuple[int, int, int]
    conforming: int
    totals: Mapping[str, Fraction]

    @property
    def n_choice(self) -> int:
        """Trials in which a box opened."""
        return self.n - self.chosen[2]

    @property
    def tocs(self) -> Fraction | None:
        """Eq. 2, over all trials."""
        return _share(self.conforming, self.n)

    @property
    def tocs_choice(self) -> Fraction | None:
        """Conforming trials among those in which a box opened."""
        return _share(self.conforming, self.n_choice)

    @property
    def ur(self) -> Fraction | None:
        """The uncertainty rate (Eq. 3)."""
        return _share(self.chosen[2], self.n)

    @property
    def chance(self) -> Fraction | None:
        """TOCS of a participant who opens a box as often, whichever: (1 - UR) / 2."""
        return None if self.ur is None else (1 - self.ur) / 2

    @property
    def pb_all(self) -> Fraction | None:
        """Positional bias as Eq. 4 has it, over all trials."""
        return _share(max(self.chosen[:2]), self.n)

    @property
    def pb_choice(self) -> Fraction | None:
        """Positional bias as the caption of Figure 2 has it, over trials in which a box opened."""
        return _share(max(self.chosen[:2]), self.n_choice)

    def mean(self, metric: str) -> Fraction | None:
        """The mean of a metric over the played trials."""
        return None if not self.n else self.totals[metric] / self.n


def summary(trials: Iterable[Row]) -> Summary:
    """The counts over rows of MOSAIC_TRIALS of one condition."""
    trials = list(trials)
    done = played(trials)
    return Summary(
        n=len(done),
        n_missing=len(trials) - len(done),
        chosen=tuple(sum(t["choice"] == box for t in done) for box in (DARK, LIGHT, NEITHER)),
        conforming=sum(bool(t["conforms"]) for t in done),
        totals={metric: sum(values(done, metric), Fraction()) for metric in METRICS},
    )


def played(trials: Iterable[Row]) -> list[Row]:
    """The trials that were played to their end."""
    return [trial for trial in trials if trial["status"] == "played"]


def values(trials: Iterable[Row], metric: str) -> list[Fraction]:
    """A metric's value in each of some played trials, exact."""
    column = METRICS[metric]
    return [as_fraction(trial[column]) for trial in trials]


def choices_by_reward(trials: Iterable[Row]) -> list[list[int]]:
    """Counts of trials by the reward's place (rows) and the box that opened, 0 and 1 each.

    Trials in which neither opened are left out.
    """
    done = played(trials)
    return [
        [sum((t["reward"], t["choice"]) == (reward, box) for t in done) for box in (DARK, LIGHT)]
        for reward in (DARK, LIGHT)
    ]


def bias_class(pb_choice: Fraction | None) -> str | None:
    """Class: low below .60, medium below .75, high from there on; the paper prints no limits."""
    if pb_choice is None:
        return None
    return "low" if pb_choice < LOW else "medium" if pb_choice < HIGH else "high"


@dataclass(frozen=True)
class Readable:
    """How many of the answers that a pair was asked for could not be read."""

    unreadable: int
    answers: int

    @property
    def excluded(self) -> bool:
        """More than half could not be read: the pair is named, and not scored."""
        return 2 * self.unreadable > self.answers


def readable(trials: Iterable[Row]) -> Readable:
    """Over rows of MOSAIC_TRIALS of a pair and over both of its roles."""
    trials = list(trials)
    return Readable(
        *(
            sum(int(trial[f"{name}_{role}"] or 0) for trial in trials for role in ROLES)
            for name in ("unreadable", "answers")
        )
    )


@dataclass(frozen=True)
class Cell:
    """The trials of a pair in a condition, as far as they are there."""

    pair: Pair
    kind: str
    condition: str
    trials: Sequence[Row]

    def head(self) -> dict[str, object]:
        """The columns that name it in every product."""
        return {
            "subject": self.pair.subject,
            "participant": self.pair.participant,
            "arm": self.pair.arm,
            "kind": self.kind,
            "condition": self.condition,
        }

    @property
    def done(self) -> list[Row]:
        """Its played trials."""
        return played(self.trials)


@dataclass(frozen=True)
class Played:
    """All cells of a run, by pair in the order of the files, conditions in the paper's order."""

    cells: Sequence[Cell]
    readable: Mapping[Pair, Readable]

    @property
    def pairs(self) -> list[Pair]:
        """Every pair, scored or not."""
        return list(dict.fromkeys(cell.pair for cell in self.cells))

    def excluded(self, pair: Pair) -> bool:
        """More than half of its answers could not be read."""
        return self.readable[pair].excluded

    def scored(self) -> "Played":
        """Without the pairs whose answers could not be read."""
        return self.only([pair for pair in self.pairs if not self.excluded(pair)])

    def only(self, pairs: Iterable[Pair]) -> "Played":
        """Those of some pairs."""
        kept = set(pairs)
        return Played([cell for cell in self.cells if cell.pair in kept], self.readable)

    def main(self) -> "Played":
        """One arm of each pair."""
        return self.only(main_pairs(self.pairs))

    def of(self, pair: Pair) -> list[Cell]:
        """The cells of a pair."""
        return [cell for cell in self.cells if cell.pair == pair]


def played_of(trials: Iterable[Row]) -> Played:
    """Rows of MOSAIC_TRIALS of any number of files, by pair and condition.

    Raises ValueError for a trial that is there twice.
    """
    by_pair: dict[Pair, dict[str, list[Row]]] = {}
    seen: set[tuple[object, ...]] = set()
    for row in trials:
        pair, condition = pair_of(row), str(row["condition"])
        key = (pair, condition, row["trial"])
        if key in seen:
            raise ValueError(f"{pair.slug}, {condition}: trial {row['trial']} is there twice")
        seen.add(key)
        by_pair.setdefault(pair, {}).setdefault(condition, []).append(row)
    cells = [
        Cell(pair, str(of_pair[slug][0]["kind"]), slug, of_pair[slug])
        for pair, of_pair in by_pair.items()
        for slug in (condition.slug for condition in CONDITIONS)
        if slug in of_pair
    ]
    return Played(
        cells,
        {
            pair: readable(row for rows in of_pair.values() for row in rows)
            for pair, of_pair in by_pair.items()
        },
    )


def read_played(paths: Iterable[str | Path]) -> Played:
    """The trials of many files of MOSAIC_TRIALS. Raises BadData for a file that is none."""
    return played_of(row for path in paths for row in read_rows(path, MOSAIC_TRIALS))


def _share(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None
