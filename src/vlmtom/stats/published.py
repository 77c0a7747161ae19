"""Our numbers beside those that the cross-task paper prints: the same at its digits, or not.

What the paper prints is data (resources/published); where a run has the same number is declared
below, one entry a printed table. Printed numbers are compared with and used for nothing else.
"""

import csv
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Literal

from vlmtom.director.cells import panel_difference, panel_share
from vlmtom.errors import BadData
from vlmtom.stats.exact import Number, Root, as_fraction, show
from vlmtom.store import schemas
from vlmtom.store.digests import REPOSITORY

Row = Mapping[str, object]
Printed = Mapping[str, Sequence[Mapping[str, str]]]  # by file, without its ending

PUBLISHED = REPOSITORY / "resources" / "published"
CONTRADICTED = "contradicted"  # our list of printed values that cannot be compared with

SAME, DIFFERS, CONTRADICTS = "same", "differs", "contradicts"
NOT_RUN, NOT_PUBLISHED = "not_run", "not_published"
STATUSES = (SAME, DIFFERS, CONTRADICTS, NOT_RUN, NOT_PUBLISHED)

_CONTROLS = ("no_occluder", "same_side")  # the arms whose floor is 11 of 12
# The paper's words for what has another name here.
_WORDS = {
    "canonical fwd": "numbered",
    "time-reversed": "reversed",
    "static keyframe": "keyframe",
    "anchor-blinded": "blinded",
    "same_side_director": "same_side",
    "strict_rank_count_of_9": "strict_rank_count",
    "median_intent_ToM": "median_intent_tom",
    "median_intent_GD": "median_intent_gd",
    "median_intent_Random": "median_intent_random",
    "mean_intent_ToM": "mean_intent_tom",
    "mean_approp_ToM": "mean_approp_tom",
    "dist_td_ToM": "dist_td_tom",
    "dist_hfasd_ToM": "dist_hfasd_tom",
}


Over = Literal["panel", "controls", "motion probes", "chosen judges", "flagships"]


@dataclass(frozen=True)
class Place:
    """Where a run has a printed number: a column of one row of a table.

    key: what names the row, beyond what the printed row itself names. scale: from our unit to the
    printed one. over: the testers and judges that it is a number over: all testers of the paper,
    the seven of its controls, the four of its motion probes, its three judges, its three flagships;
    none for a number of one. n: how many testers our row must say that it is over, because an arm
    may have been asked of fewer than the panel.
    """

    table: str
    column: str
    key: Mapping[str, str] = field(default_factory=dict)
    scale: int = 1
    over: tuple[Over, ...] = ()
    n: int | None = None


@dataclass(frozen=True)
class PrintedTable:
    """A printed table or the text. number: as the paper counts it, or text.

    keys: columns of the file that name a row, with ours. places: by column of the file, or, where
    the file has one value a row (named), by what its first key column says.
    """

    number: str
    file: str
    keys: Mapping[str, str]
    places: Mapping[str, Place]
    named: bool = False


def _same(table: str, *columns: str, **options: object) -> dict[str, Place]:
    """Columns that are called the same in print and here."""
    return {column: Place(table, column, **options) for column in columns}


def _panel(
    measure: str, table: str = "panel", scale: int = 1, over: tuple[Over, ...] = ("panel",)
) -> Place:
    return Place(table, "value", {"measure": measure}, scale, over)


_TESTER = {"model": "tester"}

TABLES = (
    PrintedTable(
        "2", "crosstask_table2", _TESTER, _same("table2", "a", "b", "cQ1", "cQ2", "ego_b")
    ),
    PrintedTable(
        "2",
        "crosstask_table2_panel",
        {},
        {
            column: _panel(column, "director_panel")
            for column in ("a_pct", "b_pct", "cQ1_pct", "cQ2_pct", "ego_b_pct", "gap_pp")
        },
    ),
    PrintedTable(
        "3",
        "crosstask_table3",
        _TESTER,
        {
            f"{arm}_b_letter": Place("director_arms", "b", {"arm": arm})
            for arm in ("canonical", "no_occluder", "same_side")
        },
    ),
    PrintedTable(
        "3",
        "crosstask_table3_sidefinding",
        {"model": "tester", "arm": "arm", "subprompt": ""},
        {"correct": Place("director_arms", "{subprompt}")},
    ),
    # Strict level, as docs/director.md says; the take-away's c.Q2 is letter level.
    PrintedTable(
        "4",
        "crosstask_table4",
        _TESTER,
        {
            f"{blocks}_b_{printed}": Place("director_arms", column, {"arm": arm})
            for blocks, arm in (("n3", "canonical"), ("n4", "four_block"))
            for printed, column in (("correct", "b_strict"), ("ego", "ego_b_strict"))
        },
    ),
    PrintedTable(
        "4",
        "crosstask_table4_cq2",
        _TESTER,
        {
            f"{blocks}_cQ2": Place("director_arms", "cQ2", {"arm": arm})
            for blocks, arm in (("n3", "canonical"), ("n4", "four_block"))
        },
    ),
    PrintedTable(
        "5",
        "crosstask_table5",
        {"model": "tester", "condition": "condition"},
        _same("table5", "dist_td", "dist_hfasd"),
    ),
    PrintedTable(
        "6",
        "crosstask_table6",
        {"condition": "condition", "arm": "arm"},
        _same(
            *("table6", "intent", "approp", "dist_td", "dist_hfasd", "nearest"),
            over=("motion probes",),
            n=4,
        ),
    ),
    PrintedTable(
        "7",
        "crosstask_table7",
        _TESTER,
        _same("table7", "intent", "approp", "dist_td", "dist_hfasd"),
    ),
    PrintedTable(
        "8",
        "crosstask_table8",
        _TESTER,
        {"gap_x": Place("table8", "gap")}
        | _same("table8", "nearest_director", "nearest_triangles", "disagree"),
    ),
    PrintedTable(
        "9",
        "crosstask_table9",
        {"arm": "arm", "overlay": "overlay"},
        {
            column: Place("table9", _WORDS.get(column, column.lower()), over=("panel",), n=9)
            for column in (
                *("median_intent_ToM", "median_intent_GD", "median_intent_Random"),
                *("strict_rank_count_of_9", "mean_intent_ToM", "mean_approp_ToM"),
                *("dist_td_ToM", "dist_hfasd_ToM", "nearest_ToM", "nearest_GD", "nearest_Random"),
            )
        },
    ),
    PrintedTable(
        "10",
        "crosstask_table10",
        {"metric": "metric"},
        {
            printed: Place("table10", column, over=("panel",), n=9)
            for printed, column in (
                ("v1_plain", "plain"),
                ("v2_numbered", "numbered"),
                ("delta", "delta"),
            )
        },
    ),
    PrintedTable(
        "11",
        "crosstask_table11",
        {"model": "tester", "grid": "arm"},
        {
            f"median_intent_{condition}": Place("table11", f"median_{condition.lower()}")
            for condition in ("ToM", "GD", "Random")
        }
        | _same("table11", "strict_rank"),
    ),
    PrintedTable(
        "12",
        "crosstask_table12",
        {"representation": "representation"},
        {
            printed: Place("table12", column, {"tester": "gemini-2.5-pro"})
            for printed, column in (
                ("intent_sim_pct", "intent_sim"),
                ("approp_sim_pct", "approp_sim"),
                ("total_sim_pct", "total_sim"),
                ("tokens_per_cell", "prompt_tokens"),
            )
        },
    ),
    PrintedTable(
        "13",
        "crosstask_table13",
        {"judge": "judge"},
        {
            "intent_recovery_pct": Place("table13", "intent_recovery", scale=100),
            "approp_recovery_pct": Place("table13", "approp_recovery", scale=100),
        }
        | _same("table13", "max_intent_sd", "max_approp_sd", "verdict", "usd_per_call"),
    ),
    # Of the text, what no table prints.
    PrintedTable(
        "text",
        "crosstask_headline",
        {"key": ""},
        {
            "panel_gap": _panel("gap"),
            "panel_ego_b_pct_abstract": _panel("ego_b_pct", "director_panel"),
            "models_zero_on_b": _panel("models_zero_on_b", "director_panel"),
            "recovery_qwen_cQ2_minus_b_pp": Place(
                "table2", "recovery", {"tester": "qwen-3.5-plus"}, scale=100
            ),
            **{
                f"panel_tom_{score}": _panel(f"tom_{score}")
                for score in ("intent", "approp", "dist_td", "dist_hfasd")
            },
            "disagreement_count": _panel("disagreement_count"),
            "strict_rank_count_v2": _panel("strict_rank_count"),
            "floor_pass_models": _panel("floor_pass_models", "director_panel", over=("controls",)),
            # These are over the four by name, whoever else was asked; null without one of them.
            "strict_rank_static_of_4": _panel("keyframe", "motion_ranks", over=()),
            "strict_rank_grid_of_4": _panel("numbered", "motion_ranks", over=()),
            "in_family_cells": _panel("numbered", "family_cells", over=("panel", "chosen judges")),
            "judge_trio_usd_per_cell": Place(
                "table13", "usd_per_call", {"judge": "all chosen"}, over=("chosen judges",)
            ),
            "flagship_usd_per_cell": Place(
                "table13", "usd_per_call", {"judge": "all flagships"}, over=("flagships",)
            ),
            "judge_cost_reduction_pct": Place(
                "table13",
                "saving",
                {"judge": "all chosen"},
                scale=100,
                over=("chosen judges", "flagships"),
            ),
        },
        named=True,
    ),
    PrintedTable(
        "text",
        "crosstask_text",
        {"key": ""},
        {
            f"panel_{condition}_{score}": _panel(f"{condition}_{score}")
            for condition in ("gd", "random")
            for score in ("intent", "approp", "dist_td", "dist_hfasd")
        }
        | {"spearman": _panel("spearman")},
        named=True,
    ),
)
# Our tables that are read, as far as a run has them; the rest is derived from them here.
READ = {
    "table2": schemas.TABLE2,
    "director_arms": schemas.ARM_COUNTS,
    "table5": schemas.TABLE5,
    "table6": schemas.TABLE6,
    "table7": schemas.TABLE7,
    "table8": schemas.TABLE8,
    "table9": schemas.TABLE9,
    "table10": schemas.TABLE10,
    "table11": schemas.TABLE11,
    "table12": schemas.TABLE12,
    "table13": schemas.TABLE13,
    "panel": schemas.PANEL,
    "judge_family": schemas.JUDGE_FAMILY,
}


def read_published(folder: str | Path = PUBLISHED) -> dict[str, list[dict[str, str]]]:
    """Every CSV file of a folder, by its name without the ending, as it is printed.

    Raises BadData for a folder that has none of them, or a file that cannot be read.
    """
    paths = sorted(Path(folder).glob("*.csv"))
    if not paths:
        raise BadData(
            f"{folder}: no printed table in it. Expected crosstask_table2.csv and others."
        )
    found = {}
    for path in paths:
        try:
            with path.open(encoding="utf-8", newline="") as file:
                found[path.stem] = list(csv.DictReader(file))
        except (OSError, UnicodeDecodeError) as error:
            raise BadData(f"{path}: cannot be read as a UTF-8 CSV file: {error}") from error
    return found


def published_panel(printed: Printed) -> tuple[str, ...]:
    """The testers of the paper, in the order of its Table 2."""
    return tuple(row["model"] for row in printed["crosstask_table2"])


def compare(printed: Printed, ours: Mapping[str, Sequence[Row]]) -> list[dict[str, object]]:
    """One row per printed value (PUBLISHED), and per number of a tester that the paper has not.

    printed: of read_published. ours: rows of our tables by name, exact or as they are stored; one
    that was not run is left out or empty. A number over testers or judges is compared only if
    they are those of the paper; which judges were chosen is known from Table 13.
    Observers are compared with nothing.
    status: same or differs at the printed digits, half up; contradicts: the printed value
    contradicts the rest of the paper, whatever ours is; not_run: ours is not there;
    not_published: the paper has the table, but not this tester.
    """
    models = [str(row["tester"]) for row in ours.get("table2", ()) if row["kind"] == "model"]
    panel = published_panel(printed)
    judges = printed["crosstask_table13"]
    probed = tuple(_text(printed, "motion_probe_testers").split(";"))
    alien = {
        "panel": _alien(models, panel),
        "controls": _alien(
            _floor_tested(ours.get("director_arms", ())),
            tuple(row["model"] for row in printed["crosstask_table3"]),
        ),
        "motion probes": _alien(_in_every_arm(ours.get("table11", ())), probed),
        **{
            over: _alien(*(_judges(of, role) for of in (ours.get("table13", ()), judges)), "judges")
            for over, role in (("chosen judges", "chosen"), ("flagships", "flagship"))
        },
    }
    index = _Index({**ours, **_derived(ours, probed)}, alien)
    claims = {
        (row["file"], row["row"], row["column"]): row["claim"] for row in printed[CONTRADICTED]
    }
    rows = []
    for table in TABLES:
        for line in printed[table.file]:
            places = table.places if not table.named else _named(table, line)
            rows += [
                _row(table, line, column, place, index, claims)
                for column, place in places.items()
                if line.get(column)
            ]
        if "model" in table.keys:
            rows += _unpublished(table, printed[table.file], models, index)
    return rows


def counted(rows: Iterable[Row]) -> dict[str, dict[str, int]]:
    """How many values have each status, by printed table."""
    found: dict[str, dict[str, int]] = {}
    for row in rows:
        of_table = found.setdefault(str(row["table"]), dict.fromkeys(STATUSES, 0))
        of_table[str(row["status"])] += 1
    return found


class _Index:
    """Rows of our tables, found by what names them. alien: why no number over testers compares."""

    def __init__(self, tables: Mapping[str, Sequence[Row]], alien: Mapping[str, str]) -> None:
        self._tables = tables
        self._alien = alien
        self._found: dict[tuple[object, ...], Row] = {}
        self._indexed: set[tuple[object, ...]] = set()

    def value(self, place: Place, key: Mapping[str, str]) -> tuple[Number | str | bool | None, str]:
        """Our value, in the printed unit; None with the reason."""
        for over in place.over:
            if self._alien[over]:
                return None, self._alien[over]
        row = self._row(place.table, {**key, **place.key})
        if row is None:
            return None, "no such row in this run"
        value = row[place.column]
        if value is None:
            return None, str(row.get("status") or "no number in this run")
        if place.n is not None and row["n_testers"] != place.n:
            return None, f"over {row['n_testers']} testers, not the paper's {place.n}"
        if isinstance(value, str | bool | Root):
            return value, ""
        return as_fraction(value) * place.scale, ""

    def _row(self, table: str, key: Mapping[str, str]) -> Row | None:
        columns = tuple(sorted(key))
        if (table, columns) not in self._indexed:
            self._indexed.add((table, columns))
            for row in self._tables.get(table, ()):
                named = tuple(str(row[column]) for column in columns)
                self._found.setdefault((table, columns, named), row)
        return self._found.get((table, columns, tuple(key[column] for column in columns)))


def _named(table: PrintedTable, line: Mapping[str, str]) -> dict[str, Place]:
    """The place of a file's one value a row."""
    place = table.places.get(line[next(iter(table.keys))])
    return {} if place is None else {"value": place}


def _key(table: PrintedTable, line: Mapping[str, str]) -> dict[str, str]:
    return {
        ours: _WORDS.get(line[column], line[column]) for column, ours in table.keys.items() if ours
    }


def _row(
    table: PrintedTable,
    line: Mapping[str, str],
    column: str,
    place: Place,
    index: _Index,
    claims: Mapping[tuple[str, str, str], str],
) -> dict[str, object]:
    text = line[column]
    name = " / ".join(line[key] for key in table.keys) or "panel"
    place = replace(place, column=place.column.format(**line))
    value, reason = index.value(place, _key(table, line))
    claim = claims.get((table.file, name, column))
    shown = None if value is None else _shown(value, text)
    if claim is not None:
        status, reason = CONTRADICTS, f"docs/published.md: {claim}"
    elif value is None:
        status = NOT_RUN
    else:
        status = SAME if shown == text.removeprefix("+") else DIFFERS
    return {
        "table": table.number,
        "file": table.file,
        "row": name,
        "tester": line.get("model"),
        "measure": column,
        "printed": text,
        "ours": shown,
        "value": value if isinstance(value, Fraction | Root) else None,
        "difference": _difference(value, text),
        "status": status,
        "reason": reason or None,
        "source": line["source"],
    }


def _unpublished(
    table: PrintedTable, lines: Sequence[Mapping[str, str]], models: Sequence[str], index: _Index
) -> list[dict[str, object]]:
    """What this run has of a tester that the printed table has not."""
    printed = {line["model"] for line in lines}
    patterns = {
        tuple(line[key] for key in table.keys if key != "model"): line for line in lines
    }.values()
    rows = []
    for model in models:
        if model in printed:
            continue
        for pattern in patterns:
            line = {**pattern, "model": model}
            for column, place in table.places.items():
                row = _row(table, line, column, place, index, {})
                if row["ours"] is not None:
                    blank = {"printed": None, "difference": None, "source": None}
                    rows.append({**row, **blank, "status": NOT_PUBLISHED, "reason": None})
    return rows


def _shown(value: Number | str | bool, printed: str) -> str:
    """Our value, as the paper would print it: with as many decimals."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else show(value, len(printed.partition(".")[2]))


def _difference(value: Number | str | bool | None, printed: str) -> Fraction | None:
    """Ours, unrounded, minus the printed number; None for words."""
    if isinstance(value, Root):
        value = value.fraction()
    return value - Fraction(printed) if isinstance(value, Fraction) else None


def _alien(models: Collection[str], panel: Collection[str], what: str = "testers") -> str:
    """Why a number over these models is not the paper's; empty where they are its own."""
    if {*models} == {*panel}:
        return ""
    shared = len({*models} & {*panel})
    others = len(models) - shared
    return f"over other {what}: {shared} of the paper's {len(panel)}, {others} others"


def _judges(table13: Iterable[Row], role: str) -> set[str]:
    return {str(row["judge"]) for row in table13 if row["role"] == role}


def _in_every_arm(ranks: Iterable[Row]) -> set[str]:
    """The models with medians in every arm that was run: those that Table 6 is over."""
    arms: dict[object, set[str]] = {}
    for row in ranks:
        of_arm = arms.setdefault(row["arm"], set())
        if row["kind"] == "model" and row["strict_rank"] is not None:
            of_arm.add(str(row["tester"]))
    return set.intersection(*arms.values()) if arms else set()


def _derived(ours: Mapping[str, Sequence[Row]], probed: Collection[str]) -> dict[str, list[Row]]:
    """Numbers over the panel that no table of ours holds as a column: rows of measure and value."""
    counts = [row for row in ours.get("table2", ()) if row["kind"] == "model"]
    values: dict[str, object] = {}
    for measure in ("a", "b", "cQ1", "cQ2", "ego_b"):
        share = panel_share(counts, measure)
        values[f"{measure}_pct"] = None if share is None else 100 * share
    gap = panel_difference(counts, "a", "b")
    values["gap_pp"] = None if gap is None else 100 * gap
    if counts:
        values["models_zero_on_b"] = sum(row["n_b"] > 0 and row["b"] == 0 for row in counts)
    passed = _floors(ours.get("director_arms", ()))
    if passed:
        values["floor_pass_models"] = sum(all(arms.values()) for arms in passed.values())
    return {
        "director_panel": _measures(values),
        "motion_ranks": _measures(_motion_ranks(ours.get("table11", ()), probed)),
        "family_cells": _measures(_family_cells(ours.get("judge_family", ()))),
    }


def _floors(arms: Iterable[Row]) -> dict[str, dict[str, bool]]:
    """Whether each model passes the floor of each control that it was asked."""
    found: dict[str, dict[str, bool]] = {}
    for row in arms:
        if row["kind"] == "model" and row["floor_pass"] is not None:
            found.setdefault(str(row["tester"]), {})[str(row["arm"])] = bool(row["floor_pass"])
    return found


def _floor_tested(arms: Iterable[Row]) -> set[str]:
    """The models that were asked both controls."""
    return {tester for tester, of in _floors(arms).items() if len(of) == len(_CONTROLS)}


def _measures(values: Mapping[str, object]) -> list[Row]:
    return [{"measure": name, "value": value} for name, value in values.items()]


def _motion_ranks(ranks: Iterable[Row], testers: Collection[str]) -> dict[str, int | None]:
    """Strict ranks by arm among the testers of the motion probes; null where one has none."""
    found: dict[str, list[bool]] = {}
    for row in ranks:
        is_probed = row["kind"] == "model" and row["tester"] in testers
        if is_probed and row["strict_rank"] is not None:
            found.setdefault(str(row["arm"]), []).append(bool(row["strict_rank"]))
    return {arm: sum(of) if len(of) == len(testers) else None for arm, of in found.items()}


def _family_cells(audit: Iterable[Row]) -> dict[str, int | None]:
    """In-family cells by arm, over the conditions."""
    found: dict[str, list[object]] = {}
    for row in audit:
        found.setdefault(str(row["arm"]), []).append(row["n_family"])
    return {arm: None if None in of else sum(map(int, of)) for arm, of in found.items()}


def _text(printed: Printed, key: str) -> str:
    return next(row["value"] for row in printed["crosstask_text"] if row["key"] == key)
