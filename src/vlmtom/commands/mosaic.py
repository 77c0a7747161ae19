"""`vlmtom mosaic`: the game's statistics from trials and logs that were played elsewhere."""

import csv
import io
import json
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

from vlmtom.commands.outside_csv import OutsideCsv, Unreadable, refuse, short
from vlmtom.mosaic import metrics
from vlmtom.mosaic.conditions import BY_SLUG, CONDITIONS, Condition, condition_of
from vlmtom.mosaic.world import LIMIT, ROUNDS, Body, unit
from vlmtom.stats.exact import show
from vlmtom.stats.game import Row, choices_by_reward, played, summary, values
from vlmtom.stats.game_tests import Found, binomial, chi_square, scheirer_ray_hare

TRIALS = ("condition", "trial", "reward", "choice", "b_traj", "b_gaze")
LOGS = ("mode", "tom", "reward", "final_x", "final_y", "log")
SUMMARY = (
    *("condition", "TOCS_all", "TOCS_choice", "UR", "PB_all", "PB_choice"),
    *("TAS", "GAS", "S_traj", "S_gaze", "S_eq12", "binom_p", "chi2_yates", "chi2_p"),
)
SRH = ("variable", "H_mode", "H_tom", "H_interaction")
SCORED = (
    *("c", "p", "tocs", "ur", "s_g", "s_tr", "b_g", "b_tr"),
    *("a_g", "a_tr", "sens_g", "sens_tr", "S", "FES"),
)
# Variables of --srh, by the metric that each is.
_VARIABLES = {
    "sens_traj": "s_traj",
    "sens_gaze": "s_gaze",
    "S_eq12": "s_eq12",
    "a_traj": "tas",
    "a_gaze": "gas",
}
_DIGITS = 6
_FAR = 1e6  # no number of a log is as large
_BY_NAME = {
    name.casefold(): condition
    for condition in CONDITIONS
    for name in (condition.slug, condition.label)
}
_BOX = {"0": 0, "1": 1}
_OPENED = {**_BOX, "-1": -1}
_MAJORITY: dict[str, int | None] = {**_BOX, "": None, "none": None, "-1": None}
_CELLS: tuple[tuple[str, Collection[str], str], ...] = (
    ("reward", _BOX, "0 (dark brown) or 1 (light brown)"),
    ("choice", {*_OPENED, ""}, "0, 1, -1 (neither opened) or nothing for a missing trial"),
    ("b_traj", _MAJORITY, "0, 1 or none"),
    ("b_gaze", _MAJORITY, "0, 1 or none"),
)
_MODES = {condition.mode for condition in CONDITIONS}
_ON_BOARD = f"a whole number of cells from -{LIMIT} to {LIMIT}"
_LABELS = ", ".join(condition.label for condition in CONDITIONS)


def summary_csv(file: Path, srh: bool) -> str:
    """The CSV that `summary` prints, a row a condition; with srh the tests, a row a variable.

    Rows of missing trials are left out; how many is said on stderr. Raises BadData with all that
    is wrong in the file.
    """
    read = _Trials(file)
    by_condition = read.read()
    refuse(read.problems)
    _say_missing(file, by_condition)
    if srh:
        rows = [_tests_row(name, metric, by_condition) for name, metric in _VARIABLES.items()]
        return _csv(rows, SRH)
    return _csv(
        [_summary_row(BY_SLUG[slug], trials) for slug, trials in by_condition.items()], SUMMARY
    )


def _say_missing(file: Path, by_condition: Mapping[str, Sequence[Row]]) -> None:
    """Beside the CSV, whose columns others read: of whose trials it is not."""
    missing = {slug: len(trials) - len(played(trials)) for slug, trials in by_condition.items()}
    if n := sum(missing.values()):
        all_ = sum(map(len, by_condition.values()))
        where = ", ".join(
            f"{BY_SLUG[slug].label} {count}" for slug, count in missing.items() if count
        )
        print(
            f"vlmtom mosaic: {file}: left out {n} of {all_} trials as missing ({where})",
            file=sys.stderr,
        )


def score_csv(file: Path) -> str:
    """The CSV that `score` prints, a row a log in the order of the file.

    Raises BadData with all that is wrong in the file.
    """
    read = _Logs(file)
    rows = read.read()
    refuse(read.problems)
    return _csv(rows, SCORED)


def _csv(rows: Iterable[Mapping[str, object]], columns: Sequence[str]) -> str:
    """Rows as CSV. All of it is numbers and words of ours, so that no cell need be disarmed."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _summary_row(condition: Condition, trials: Sequence[Row]) -> dict[str, object]:
    found = summary(trials)
    test = binomial(found.conforming, found.n)
    independence = chi_square(choices_by_reward(trials))
    numbers = {
        "TOCS_all": found.tocs,
        "TOCS_choice": found.tocs_choice,
        "UR": found.ur,
        "PB_all": found.pb_all,
        "PB_choice": found.pb_choice,
        "TAS": found.mean("tas"),
        "GAS": found.mean("gas"),
        "S_traj": found.mean("s_traj"),
        "S_gaze": found.mean("s_gaze"),
        "S_eq12": found.mean("s_eq12"),
        "binom_p": test.p,
        "chi2_yates": independence.statistic,
        "chi2_p": independence.p,
    }
    return {"condition": condition.label} | {k: _six(v) for k, v in numbers.items()}


def _tests_row(
    name: str, metric: str, by_condition: Mapping[str, Sequence[Row]]
) -> dict[str, object]:
    cells = {
        (BY_SLUG[slug].mode, BY_SLUG[slug].tom): values(played(trials), metric)
        for slug, trials in by_condition.items()
    }
    found = scheirer_ray_hare(cells)
    effects: tuple[Found, ...] = (found.mode, found.tom, found.interaction)
    return dict(zip(SRH, [name, *(_six(effect.statistic) for effect in effects)], strict=True))


def _six(value: Fraction | float | None) -> str:
    """Six decimals, half up; empty where there is no number."""
    return show(None if value is None else Fraction(value), _DIGITS, missing="")


class _Trials(OutsideCsv):
    """The CSV of trials while it is read."""

    def read(self) -> dict[str, list[Row]]:
        """The trials by condition, in the paper's order; what is wrong is in `problems`."""
        found: dict[str, list[Row]] = {condition.slug: [] for condition in CONDITIONS}
        with suppress(Unreadable):
            rows: dict[tuple[str, str], int] = {}
            for number, cell in self.rows(TRIALS):
                trial = self._trial(number, cell, rows)
                if trial is not None:
                    found[str(trial["condition"])].append(trial)
            if not rows and not self.problems:
                self.stop("no trial in it. Give a row for every trial, also a missing one.")
        return {slug: trials for slug, trials in found.items() if trials}

    def _trial(
        self, number: int, cell: Mapping[str, str], rows: dict[tuple[str, str], int]
    ) -> Row | None:
        """The trial of a row; None if something is wrong with it. rows: what was read before."""
        before = len(self.problems)
        condition = _BY_NAME.get(cell["condition"].casefold())
        if condition is None:
            self.expected(number, "condition", _LABELS, cell["condition"])
        if not cell["trial"]:
            self.problem(f"row {number}, column trial: empty. Number the trials of a condition.")
        for name, known, words in _CELLS:
            if cell[name].casefold() not in known:
                self.expected(number, name, words, cell[name])
        if condition is not None and cell["trial"]:
            first = rows.setdefault((condition.slug, cell["trial"]), number)
            if first != number:
                self.problem(
                    f"row {number}, column trial: {condition.label}, trial {short(cell['trial'])} "
                    f"is in row {first} already. Give one file a pair."
                )
        if condition is None or len(self.problems) > before:
            return None
        return _as_trial(condition, cell)


def _as_trial(condition: Condition, cell: Mapping[str, str]) -> Row:
    """What of a row of MOSAIC_TRIALS the statistics read. Without faces there is no FES."""
    reward = _BOX[cell["reward"]]
    row: dict[str, object] = {"condition": condition.slug, "reward": reward, "expressive": 0}
    if not cell["choice"]:
        return row | {"status": "missing"}
    opened = _OPENED[cell["choice"]]
    b_traj, b_gaze = (_MAJORITY[cell[name].casefold()] for name in ("b_traj", "b_gaze"))
    sens = [metrics.sensitivity(box, opened) for box in (b_traj, b_gaze)]
    return row | {
        "status": "played",
        "choice": opened,
        "conforms": metrics.score_of(opened, reward) == condition.predicted,
        "a_traj": metrics.alignment(b_traj, reward),
        "a_gaze": metrics.alignment(b_gaze, reward),
        "sens_traj": sens[0],
        "sens_gaze": sens[1],
        "sensitivity": Fraction(sum(sens), 2),
    }


class _Logs(OutsideCsv):
    """The CSV of logs while it is read."""

    def read(self) -> list[dict[str, object]]:
        """A scored row a log; what is wrong is in `problems`."""
        found = []
        with suppress(Unreadable):
            empty = True
            for number, cell in self.rows(LOGS):
                empty = False
                found += self._scored(number, cell)
            if empty and not self.problems:
                self.stop("no log in it. Give a row for every trial.")
        return found

    def _scored(self, number: int, cell: Mapping[str, str]) -> list[dict[str, object]]:
        before = len(self.problems)
        mode, tom = cell["mode"].casefold(), cell["tom"]
        if mode not in _MODES:
            self.expected(number, "mode", "coop or comp", cell["mode"])
        if tom not in _BOX:
            self.expected(number, "tom", "0 or 1", tom)
        if cell["reward"] not in _BOX:
            self.expected(number, "reward", "0 (dark brown) or 1 (light brown)", cell["reward"])
        final = [_cell_of(cell[name]) for name in ("final_x", "final_y")]
        for name, value in zip(("final_x", "final_y"), final, strict=True):
            if value is None:
                self.expected(number, name, _ON_BOARD, cell[name])
        shown = self._shown(number, cell["log"])
        if len(self.problems) > before:
            return []
        x, y = final
        condition = condition_of(mode, _BOX[tom])
        return [_scored_row(metrics.score(shown, (x, y), _BOX[cell["reward"]], condition))]

    def _shown(self, number: int, log: str) -> list[Body]:
        """The subject after each round; what is wrong with it is told by round."""
        words = f"a JSON list of {ROUNDS} rows [x, y, hx, hy, facial]"
        try:
            rows = json.loads(log)
        except (ValueError, RecursionError):
            rows = None
        if not isinstance(rows, list) or len(rows) != ROUNDS:
            length = f" of {len(rows)}" if isinstance(rows, list) else ""
            self.problem(f"row {number}, column log: expected {words}, found {short(log)}{length}.")
            return []
        found = []
        for round_number, row in enumerate(rows, 1):
            body = _body(row)
            if isinstance(body, str):
                self.problem(f"row {number}, column log, round {round_number}: {body}.")
            else:
                found.append(body)
        return found


def _body(row: object) -> Body | str:
    """The subject in one row of a log, or what is wrong with it."""
    numbers = row if isinstance(row, list) else []
    # A chained comparison is false for a NaN too.
    if len(numbers) != 5 or not all(
        type(one) in (int, float) and -_FAR < one < _FAR for one in numbers
    ):
        return f"expected five numbers [x, y, hx, hy, facial], found {short(json.dumps(row))}"
    x, y, hx, hy, facial = numbers
    if not all(one == int(one) and abs(one) <= LIMIT for one in (x, y)):
        return f"expected x and y as {_ON_BOARD}, found {x} and {y}"
    if not (hx or hy):
        return "expected a heading of some length, found 0 and 0"
    if abs(facial) > 1:
        return f"expected a facial valence from -1 to 1, found {facial}"
    return Body((int(x), int(y)), unit((hx, hy)), facial)


def _cell_of(text: str) -> int | None:
    try:
        value = int(text)
    except ValueError:
        return None
    return value if abs(value) <= LIMIT else None


def _scored_row(found: metrics.Scored) -> dict[str, object]:
    numbers = {
        "c": found.opened,
        "p": found.score,
        "tocs": int(found.conforms),
        "ur": int(found.score == 0),
        "a_g": found.a_gaze,
        "a_tr": found.a_traj,
        "sens_g": found.sens_gaze,
        "sens_tr": found.sens_traj,
        "S": float(found.sensitivity),
        "FES": float(found.expressive),
    }
    texts = {
        "s_g": " ".join(map(str, found.gaze)),
        "s_tr": " ".join(map(str, found.trajectory)),
        "b_g": "none" if found.b_gaze is None else found.b_gaze,
        "b_tr": "none" if found.b_traj is None else found.b_traj,
    }
    return numbers | texts
