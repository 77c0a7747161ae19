"""`vlmtom compare`: what changed between two runs, from labels down to single replies."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from vlmtom.commands import comparing
from vlmtom.commands.comparing import CHANGES, Changed, Row
from vlmtom.commands.unbundle import read_description
from vlmtom.errors import BadData
from vlmtom.settings import REPEATED
from vlmtom.store import schemas
from vlmtom.store.files import csv_bytes, write_output
from vlmtom.store.schema import Schema
from vlmtom.store.schemas.mosaic import MOSAIC_TRIALS
from vlmtom.store.schemas.mosaic_products import MOSAIC_SIGNALS, MOSAIC_TABLE3

# No "profiles": a checkout has a folder of that name.
ROOMS = ("replies", "outcomes", "cells", "tables", "stimuli", "verdicts", "mosaic")
GAME_TRIALS = "mosaic/*/*.trials.parquet"
_LINES = 20  # of a part, on the terminal; the CSV holds all
_TEXT = 60  # of a value on a line
WITHOUT_TEXT = "without_text"
_WORDS = {
    "director_cells": "cells of the Director Task",
    "table2": "Table 2",
    "triangles_cells": "cells of the animated triangles",
    "profiles": "profiles",
    "table8": "Table 8",
    "report_action_cells": "counts of report before action",
    "report_action_estimates": "differences of report before action",
    "mosaic_trials": "trials of the treasure game",
    "mosaic_table3": "outcomes of the treasure game (its Table 3)",
    "mosaic_signals": "signals of the treasure game",
}


@dataclass(frozen=True)
class Table:
    """A table for a CSV file."""

    columns: Sequence[str]
    rows: Sequence[Row]


@dataclass(frozen=True)
class Part:
    """One kind of thing that was compared.

    lines: what a person is told. neither: what both lack, so that there was nothing to compare.
    """

    title: str
    lines: Sequence[str]
    differs: bool = False
    tables: Mapping[str, Table] = field(default_factory=dict)
    neither: str = ""


@dataclass(frozen=True)
class Comparison:
    """Two runs, part by part."""

    a: Path
    b: Path
    parts: tuple[Part, ...]

    @property
    def differs(self) -> bool:
        """Whether anything is otherwise in B."""
        return any(part.differs for part in self.parts)


class Side:
    """One of the two runs; its files are read when they are asked for. letter: A or B."""

    def __init__(self, path: Path, letter: str) -> None:
        self.path, self.letter = path, letter
        self.description = read_description(path) if path.is_dir() else None
        self.results = path / "results" if self.description is not None else path
        if not any((self.results / room).is_dir() for room in ROOMS):
            inside = path / "results"
            hint = f" Did you mean {inside}?" if inside.is_dir() else ""
            raise BadData(
                f"{path}: expected a folder of results (with {', '.join(ROOMS[:4])} …) or a bundle "
                f"that was unpacked; found neither.{hint}"
            )
        self.older: dict[str, list[str]] = {}  # columns that tables of another version lack
        self._read: dict[tuple[str, str], list[dict[str, Any]] | None] = {}

    def rows(self, pattern: str, schema: Schema) -> list[dict[str, Any]] | None:
        """The rows of all files that a pattern names; None where there is none."""
        if (pattern, schema.name) not in self._read:
            paths = sorted(self.results.glob(pattern))
            paths = paths or sorted((self.results / WITHOUT_TEXT).glob(pattern))
            paths = [path for path in paths if path.stem not in REPEATED]
            rows = [row for path in paths for row in self._rows_of(path, schema)]
            self._read[pattern, schema.name] = rows if paths else None
        return self._read[pattern, schema.name]

    def _rows_of(self, path: Path, schema: Schema) -> list[dict[str, Any]]:
        """The rows of a file; one of another version may lack columns, which are null then."""
        with path.open("rb") as file:
            try:
                parquet = pq.ParquetFile(file)
                own = (parquet.schema_arrow.metadata or {}).get(b"vlmtom_schema", b"").decode()
                lacking = [n for n in schema.names if n not in parquet.schema_arrow.names]
                if own != schema.name or set(schema.key) & set(lacking) - {"turn", "ask"}:
                    raise BadData(f"{path}: no table of {schema.name} that can be compared.")
                table = parquet.read(
                    [n for n in schema.names if n not in lacking], use_threads=False
                )
            except pa.ArrowException as error:
                raise BadData(f"{path}: cannot be read as Parquet ({error}).") from error
        if lacking:
            self.older[schema.name] = lacking
        return [dict.fromkeys(lacking) | row for row in table.to_pylist()]

    @property
    def has_text(self) -> bool:
        """Whether replies are there with their words."""
        return not (self.results / WITHOUT_TEXT).is_dir()

    @property
    def items(self) -> list[dict[str, Any]] | None:
        """What testers are shown, in all experiments."""
        return self.rows("stimuli/*/items.parquet", schemas.ITEMS)

    @property
    def replies(self) -> list[dict[str, Any]] | None:
        """Of all testers, experiments and windows."""
        return self.rows("replies/*/*.parquet", schemas.REPLIES)

    @property
    def outcomes(self) -> list[dict[str, Any]] | None:
        """Of the Director Task."""
        return self.rows("outcomes/*/director.parquet", schemas.DIRECTOR_OUTCOMES)

    @property
    def descriptions(self) -> list[dict[str, Any]] | None:
        """Of the animated triangles."""
        return self.rows("outcomes/*/triangles.parquet", schemas.DESCRIPTIONS)

    @property
    def verdicts(self) -> list[dict[str, Any]] | None:
        """Of all judges, on what testers said."""
        return self.rows("verdicts/*/*.parquet", schemas.VERDICTS)

    @property
    def director_cells(self) -> list[dict[str, Any]] | None:
        """Majority cells."""
        return self.rows("cells/director.parquet", schemas.DIRECTOR_CELLS)

    @property
    def triangles_cells(self) -> list[dict[str, Any]] | None:
        """Rounded cells."""
        return self.rows("cells/triangles.parquet", schemas.TRIANGLES_CELLS)

    @property
    def action_cells(self) -> list[dict[str, Any]] | None:
        """Counts of report before action."""
        return self.rows("cells/report_action.parquet", schemas.REPORT_ACTION_CELLS)

    @property
    def game(self) -> list[dict[str, Any]] | None:
        """Trials of the treasure game, of all pairs and conditions."""
        return self.rows(GAME_TRIALS, MOSAIC_TRIALS)

    @property
    def testers(self) -> set[str]:
        """Those that any file of the run tells of."""
        tables = (self.replies, self.outcomes, self.descriptions, self.director_cells)
        tables += (self.triangles_cells, self.rows("tables/table2.parquet", schemas.TABLE2))
        tables += (self.action_cells,)
        return {row["tester"] for rows in tables for row in rows or ()}

    def configuration(self) -> dict[str, Any] | None:
        """Configuration and registry of a bundle; None for a bare folder of results."""
        if self.description is None:
            return None
        found: dict[str, Any] = {}
        for name in ("config", "models"):
            path = self.path / "config" / f"{name}.yaml"
            try:
                content = yaml.safe_load(path.read_text(encoding="utf-8"))
            except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
                raise BadData(f"{path}: cannot be read as YAML ({error}).") from error
            found |= content if isinstance(content, dict) else {}
        return found


def compare(a: Path, b: Path) -> Comparison:
    """Everything that is otherwise in B than in A.

    Raises BadData for a path that is no run, or a file that cannot be read.
    """
    sides = Side(a, "A"), Side(b, "B")
    return Comparison(a, b, tuple(_parts(*sides)))


def _parts(a: Side, b: Side) -> Iterator[Part]:
    both = a.testers & b.testers
    other = comparing.other_pictures(a.items, b.items)
    yield _versions(a, b)
    yield _configuration(a, b)
    yield _names("Testers", a.testers, b.testers)
    yield _names("Judges", _judges(a), _judges(b))
    yield _stimuli(a, b)
    yield _replies(a, b, both)
    yield _served(a, b, both)
    yield _flips(a, b, both, other)
    tables = a.director_cells, b.director_cells
    schema = schemas.DIRECTOR_CELLS
    yield _changed("Director Task cells", "director_cells", tables, schema, both)
    tables = _pair(a, b, "tables/table2.parquet", schemas.TABLE2)
    yield _changed("Director Task counts (Table 2)", "table2", tables, schemas.TABLE2, both)
    yield _verdicts(a, b, both, other)
    tables = a.triangles_cells, b.triangles_cells
    schema = schemas.TRIANGLES_CELLS
    yield _changed("Animated triangles: cells", "triangles_cells", tables, schema, both)
    tables = _pair(a, b, "profiles/*.parquet", schemas.PROFILES)
    yield _changed("Animated triangles: profiles", "profiles", tables, schemas.PROFILES, both)
    tables = _pair(a, b, "tables/table8.parquet", schemas.TABLE8)
    yield _changed("Nearest groups (Table 8)", "table8", tables, schemas.TABLE8, both)
    yield from _report_action(a, b, both)
    yield from _mosaic(a, b)
    yield _columns(a, b)


def _report_action(a: Side, b: Side, both: set[str]) -> Iterator[Part]:
    """Its counts and differences, where one of the runs has them: most do not run it."""
    name = "report_action_estimates"
    estimates = _pair(a, b, f"tables/{name}.parquet", schemas.REPORT_ACTION_ESTIMATES)
    for title, what, tables, schema in (
        (
            "Report before action: counts",
            "report_action_cells",
            (a.action_cells, b.action_cells),
            schemas.REPORT_ACTION_CELLS,
        ),
        (
            "Report before action: differences",
            name,
            estimates,
            schemas.REPORT_ACTION_ESTIMATES,
        ),
    ):
        if any(table is not None for table in tables):
            yield _changed(title, what, tables, schema, both)


def _mosaic(a: Side, b: Side) -> Iterator[Part]:
    """Trials, outcomes and signals of the game's pairs in both, where one run has played it."""
    played = {side.letter: {_players(row) for row in side.game or ()} for side in (a, b)}
    lines = [
        f"only in {letter}, not compared: {', '.join('+'.join(pair) for pair in sorted(alone))}"
        for letter, other in (("A", "B"), ("B", "A"))
        if (alone := played[letter] - played[other])
    ]
    if lines:
        yield Part("Treasure game: pairs", lines, True)
    for title, name, place, schema in (
        ("trials", "mosaic_trials", GAME_TRIALS, MOSAIC_TRIALS),
        ("outcomes", "mosaic_table3", "tables/mosaic_table3.parquet", MOSAIC_TABLE3),
        ("signals", "mosaic_signals", "tables/mosaic_signals.parquet", MOSAIC_SIGNALS),
    ):
        sides = _pair(a, b, place, schema)
        if all(side is None for side in sides):
            continue
        pairs = [{_players(row) for row in side or ()} for side in sides]
        kept = [
            None if side is None else [row for row in side if _players(row) in pairs[0] & pairs[1]]
            for side in sides
        ]
        yield _changed(f"Treasure game: {title}", name, (kept[0], kept[1]), schema, None)


def _players(row: Row) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in ("subject", "participant", "arm"))


def show(found: Comparison, say: Callable[[str], object]) -> None:
    """Tell a person what differs, part by part, and what was not there to be compared."""
    say(f"A: {found.a}\nB: {found.b}")
    for part in found.parts:
        if part.lines:
            say(f"\n{part.title}")
        for line in part.lines[:_LINES]:
            say(f"  {line}")
        if len(part.lines) > _LINES:
            say(f"  … and {len(part.lines) - _LINES} more; --csv DIR writes all")
    if lacking := [part.neither for part in found.parts if part.neither]:
        say(f"\nNeither has {', '.join(lacking)}.")
    differing = [part.title for part in found.parts if part.differs]
    say(f"\nDifferent: {'; '.join(differing)}." if differing else "\nNo difference.")


def write_csvs(found: Comparison, folder: Path) -> None:
    """One CSV a table, also of parts in which nothing changed. Raises FileExists."""
    for part in found.parts:
        for name, table in part.tables.items():
            rows = [{c: row.get(c) for c in table.columns} for row in table.rows]
            write_output(folder / f"{name}.csv", csv_bytes(rows, table.columns))


def _pair(a: Side, b: Side, pattern: str, schema: Schema) -> tuple[Any, Any]:
    return a.rows(pattern, schema), b.rows(pattern, schema)


def _lacking(title: str, what: str, a: object, b: object) -> Part | None:
    """The part that is told where one side lacks what is to be compared; None if both have it."""
    if a is not None and b is not None:
        return None
    if a is None and b is None:
        return Part(title, [], neither=what)
    return Part(title, [f"{'A' if a is None else 'B'} has no {what}"], differs=True)


def _of(rows: Sequence[Row], testers: set[str]) -> list[Row]:
    return [row for row in rows if row["tester"] in testers]


def _versions(a: Side, b: Side) -> Part:
    if a.description is None or b.description is None:
        return Part("Versions", ["not compared: only a bundle says its own"])
    rows = comparing.keys(
        *({k: v for k, v in s.description.items() if k != "rebuild"} for s in (a, b))
    )
    return _listed_keys("Versions", "versions", rows)


def _columns(a: Side, b: Side) -> Part:
    """Columns that this version of vlmtom knows and a run's tables do not have."""
    lines = [
        f"{side.letter}: {table} without {', '.join(columns)}; taken as not known"
        for side in (a, b)
        for table, columns in side.older.items()
    ]
    return Part("Tables of another version", lines, a.older != b.older)


def _configuration(a: Side, b: Side) -> Part:
    left, right = a.configuration(), b.configuration()
    if left is None or right is None:
        return Part("Configuration", ["not compared: only a bundle carries its own"])
    return _listed_keys("Configuration", "configuration", comparing.keys(left, right))


def _listed_keys(title: str, name: str, rows: list[dict[str, Any]]) -> Part:
    lines = [f"{row['what']}: {_said(row['a'])} → {_said(row['b'])}" for row in rows]
    return Part(title, lines, bool(rows), {name: Table(CHANGES, rows)})


def _judges(side: Side) -> set[str]:
    tables = (side.verdicts, side.triangles_cells)
    return {row["judge"] for rows in tables for row in rows or ()}


def _names(title: str, a: set[str], b: set[str]) -> Part:
    lines = [
        f"only in {letter}, not compared: {', '.join(sorted(names))}"
        for letter, names in (("A", a - b), ("B", b - a))
        if names
    ]
    rows = [{"name": name, "in_a": name in a, "in_b": name in b} for name in sorted(a | b)]
    return Part(title, lines, a != b, {title.lower(): Table(("name", "in_a", "in_b"), rows)})


def _stimuli(a: Side, b: Side) -> Part:
    title = "Stimuli"
    if (lacking := _lacking(title, "items", a.items, b.items)) is not None:
        return lacking
    found = comparing.items(a.items, b.items)
    tables = {"stimuli": Table(comparing.ITEM_COLUMNS, found.rows)}
    if not found.rows:
        return Part(title, [], False, tables)
    counts = []
    for what in ("pictures", "words", "trials", "batch"):
        if n := sum(row["what"] == what for row in found.rows):
            counts.append(f"{n} with other {what}")
    counts += _only(found)
    return Part(title, [f"{found.n_both} items in both: {', '.join(counts)}"], True, tables)


def _replies(a: Side, b: Side, both: set[str]) -> Part:
    title = "Replies"
    if (lacking := _lacking(title, "replies", a.replies, b.replies)) is not None:
        return lacking
    with_text = a.has_text and b.has_text
    counts, rows = comparing.replies(_of(a.replies, both), _of(b.replies, both), with_text)
    lines = [
        f"{row['tester']} {row['experiment']}: of {row['n_both']} requests in both, "
        f"{row['n_other']} were answered otherwise; {row['only_a']} only in A, "
        f"{row['only_b']} only in B"
        for row in counts
        if row["n_same"] != row["n_both"] or row["only_a"] or row["only_b"]
    ]
    if not with_text:
        lines.append("words are not compared: a bundle without text has none")
    tables = {
        "replies": Table(comparing.REPLY_COUNTS, counts),
        "replies_changed": Table(comparing.REPLY_COLUMNS, rows),
    }
    return Part(title, lines, bool(rows), tables)


def _served(a: Side, b: Side, both: set[str]) -> Part:
    rows = comparing.served(
        _of(a.replies or [], both), _of(b.replies or [], both), "tester", "tester"
    )
    judges = _judges(a) & _judges(b)
    sides = ([r for r in side.verdicts or () if r["judge"] in judges] for side in (a, b))
    rows += comparing.served(*sides, "judge", "judge")
    lines = [
        f"{row['role']} {row['name']}: {row['field']} {_said(row['value'])}: "
        f"{row['n_a']} in A, {row['n_b']} in B"
        for row in rows
    ]
    tables = {"served": Table(comparing.SERVED_COLUMNS, rows)}
    return Part("Models that answered", lines, bool(rows), tables)


def _flips(a: Side, b: Side, both: set[str], other: set[str]) -> Part:
    title = "Director Task: flips by item and trial"
    if (lacking := _lacking(title, "Director Task outcomes", a.outcomes, b.outcomes)) is not None:
        return lacking
    counts, rows = comparing.flips(_of(a.outcomes, both), _of(b.outcomes, both), other)
    lines = []
    for row in counts:
        if row["only_a"] or row["only_b"] or row["missing_a"] or row["missing_b"]:
            p = "" if row["p_exact"] is None else f", exact p = {row['p_exact']:.3g}"
            missing = row["missing_a"], row["missing_b"]
            lines.append(
                f"{row['tester']} {row['arm']} {row['measure']} ({row['level']}): n = "
                f"{row['n_pairs']}: both right {row['both_right']}, both wrong "
                f"{row['both_wrong']}, only A right {row['only_a']}, only B right "
                f"{row['only_b']}{p}"
                + (f"; missing in A alone {missing[0]}, in B alone {missing[1]}" * any(missing))
            )
    of_letter = [row for row in counts if row["level"] == "letter"]
    for name, words in (
        ("n_other_pictures", "outcomes are not paired: their items show other pictures"),
        ("not_in_a", "outcomes of these testers are not in A"),
        ("not_in_b", "outcomes of these testers are not in B"),
    ):
        if n := sum(row[name] for row in of_letter):
            lines.append(f"{n} {words}")
    differs = bool(lines)
    lines += _by_name_alone(a, b)
    tables = {
        "flips": Table(comparing.FLIP_COLUMNS, counts),
        "flipped_items": Table(comparing.FLIPPED_COLUMNS, rows),
    }
    return Part(title, lines, differs, tables)


def _verdicts(a: Side, b: Side, both: set[str], other: set[str]) -> Part:
    title = "Verdicts"
    for what, left, right in (
        ("verdicts", a.verdicts, b.verdicts),
        ("descriptions", a.descriptions, b.descriptions),
    ):
        if (lacking := _lacking(title, what, left, right)) is not None:
            return lacking
    judges = _judges(a) & _judges(b)
    sides = [
        ([r for r in side.verdicts if r["judge"] in judges], _of(side.descriptions, both))
        for side in (a, b)
    ]
    counts, rows = comparing.verdicts(*sides, other)
    lines = []
    for row in counts:
        if row["intent_changed"] or row["approp_changed"] or row["only_a"] or row["only_b"]:
            means = (_signed(row[f"{score}_mean_difference"]) for score in ("intent", "approp"))
            lines.append(
                f"{row['judge']} {row['overlay']} {row['arm']}: n = {row['n_pairs']} "
                f"({row['n_same_request']} of the same words): intent changed "
                f"{row['intent_changed']} (mean {next(means)}), approp changed "
                f"{row['approp_changed']} (mean {next(means)}); scored only in A "
                f"{row['only_a']}, only in B {row['only_b']}"
            )
        if row["n_other_pictures"]:
            lines.append(
                f"{row['judge']} {row['overlay']} {row['arm']}: {row['n_other_pictures']} "
                "descriptions are not paired: their items show other pictures"
            )
    differs = bool(lines)
    lines += _by_name_alone(a, b)
    tables = {
        "verdicts": Table(comparing.VERDICT_COUNTS, counts),
        "verdicts_changed": Table(comparing.VERDICT_COLUMNS, rows),
    }
    return Part(title, lines, differs, tables)


def _by_name_alone(a: Side, b: Side) -> list[str]:
    """What to say where the pictures of one side are not known."""
    lacking = " and ".join(side.letter for side in (a, b) if side.items is None)
    if not lacking:
        return []
    return [f"paired by name alone: without the items of {lacking}, other pictures do not show"]


def _changed(
    title: str, name: str, pair: tuple[Any, Any], schema: Schema, both: set[str] | None
) -> Part:
    """Every value of a table that is otherwise in B, of some testers; None: of all rows."""
    if (lacking := _lacking(title, _WORDS[name], *pair)) is not None:
        return lacking
    key = schema.key
    values = [column for column in schema.names if column not in key]
    a, b = pair if both is None else (_of(rows, both) for rows in pair)
    found = comparing.changed(a, b, key, values)
    tables = {name: Table((*key, *CHANGES), found.rows)}
    if not found.rows:
        return Part(title, [], False, tables)
    head = ", ".join([f"{found.n_changed} of {found.n_both} changed", *_only(found)])
    lines = [
        f"{' '.join(str(row[k]) for k in key)}: {row['what']} {_said(row['a'])} → {_said(row['b'])}"
        for row in found.rows
        if row["what"] not in (comparing.ONLY_A, comparing.ONLY_B)
    ]
    return Part(title, [head, *lines], True, tables)


def _only(found: Changed) -> list[str]:
    counts = (found.only_a, "only in A"), (found.only_b, "only in B")
    return [f"{n} {words}" for n, words in counts if n]


def _said(value: Any) -> str:
    """A value on a line, without what a terminal would obey."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}"
    text = "".join(char if char.isprintable() else "\ufffd" for char in str(value))
    return text if len(text) <= _TEXT else f"{text[:_TEXT]}…"


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.2f}".replace("-", "−")
