"""From the files of a run to the pages of its report."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from vlmtom.publish.report import (
    Index,
    Link,
    Section,
    Table,
    director_section,
    html_of_index,
    html_of_tester,
    pictures_css,
    triangles_section,
)
from vlmtom.stats.rounding import printed
from vlmtom.store import PictureStore, read_rows, schemas

Row = Mapping[str, object]

TITLES = {
    "table1": "Table 1: benchmarks beside this one",
    "figure1": "Figure 1: the design",
    "published": "Beside the values that the paper prints",
    "table2": "Table 2: Director Task",
    "table5": "Table 5: distances by condition",
    "table6": "Table 6: the panel's profile by arm",
    "table7": "Table 7: profiles in the ToM condition",
    "table8": "Table 8: nearest references on both tasks",
    "table9": "Table 9: what judges are told",
    "table10": "Table 10: frames without and with badges",
    "table11": "Table 11: median Intentionality by condition",
    "anchors_wide": "Wider Director references",
    "sensitivity": "Sensitivity: other readings of the same trials",
    "intervals": "Bootstrap intervals",
    "length": "Length of descriptions",
    "table12": "Table 12: representations of the clips",
    "table13": "Table 13: judges and their prices",
    "judge_battery": "Judges: recovery of exemplars",
    "judge_family": "Judges: without in-family cells",
    "judge_left_out": "Judges: one left out",
    "judge_agreement": "Judges: agreement",
    "rating_agreement": "Judges and people",
    "report_action_coder_gate": "Reasoning traces: coders on known codes",
    "report_action_coding": "Reasoning traces: agreement of codings",
    "report_action_traces": "Reasoning traces: the rule behind a choice",
    "mosaic_table2": "Treasure game, Table 2: place of the reward",
    "mosaic_table3": "Treasure game, Table 3: outcomes against chance",
    "mosaic_table4": "Treasure game, Table 4: choice by place of the reward",
    "mosaic_table5": "Treasure game, Table 5: mode and order of theory of mind",
    "mosaic_table6": "Treasure game, Table 6: pairs against each other",
    "mosaic_table7": "Treasure game, Table 7: image arms",
    "mosaic_signals": "Treasure game: every metric with its interval",
    "mosaic_frames": "Treasure game: reasoning against action",
    "mosaic_untested": "Treasure game: tests that do not apply",
    "mosaic_ablations": "Treasure game: the reference agent without a part of it",
    "mosaic_published": "Treasure game: beside the values that its paper prints",
    "mosaic_figure2": "Treasure game, Figure 2: outcomes and uncertainty",
    "mosaic_figure3": "Treasure game, Figure 3: signals",
    "mosaic_figure5": "Treasure game, Figure 5: signals of the undecided",
    "mosaic_figure6": "Treasure game, Figure 6: signals by image arm",
    "mosaic_card": "Treasure game: a trial",
    "joint_cards": "Every experiment: a card of each tester",
    "costs": "What the run took",
    "timing": "When calls were made",
    "figure2": "Figure 2: Director Task",
    "figure3": "Figure 3: profiles in the ToM condition",
    "figure4": "Figure 4: both tasks",
    "figure5": "Figure 5: profiles by condition",
    "arms": "Profiles in the ToM condition and strict ranks by arm",
}
CODEBOOK = Link("every column of every file (codebook)", "../codebook.csv")
# Pictures of all stimuli of an arm or scene set.
SHEETS = {
    "director": "scenes of the Director Task at a glance",
    "triangles": "clips of the animated triangles at a glance",
    "report_action": "scenes of report before action at a glance",
}
PAGES = {
    "representations": "representations of the clips: what was shown, said and scored",
    "report_action": "report before action: differences, and what was shown, said and scored",
    "mosaic": "the treasure game: numbers, and what was shown, said, read and done",
    "joint": "every experiment: a card for each tester that took part in all",
}
OUTCOMES = {"director": schemas.DIRECTOR_OUTCOMES, "triangles": schemas.DESCRIPTIONS}
KEYS = {"director": schemas.DIRECTOR_KEYS, "triangles": schemas.TRIANGLES_KEYS}


@dataclass(frozen=True)
class Files:
    """Paths of a run. items, pictures and keys in the order of the experiments."""

    replies: Sequence[str]
    outcomes: Sequence[str]
    verdicts: Sequence[str]
    items: Sequence[str]
    pictures: Sequence[str]
    keys: Sequence[str]
    tables: Sequence[str]
    figures: Sequence[str]


def report_pages(
    files: Files,
    panel: str,
    kinds: Mapping[str, str],
    experiments: Sequence[str],
    pages: Sequence[str] = (),
    sheets: Mapping[str, Sequence[str]] | None = None,
) -> Iterator[tuple[str, str]]:
    """File names of the report with their text: index, pictures, one page a tester.

    kinds: tester to kind. pages: names of further ones beside these, which the index links. sheets:
    arms or scene sets of which there is one, by experiment. One tester's replies are held at a
    time.
    """
    tables = [_table(Path(path)) for path in files.tables]
    figures = [_link(Path(path), "../figures") for path in files.figures]
    further = [CODEBOOK, *_sheets(sheets or {})]
    further += [Link(PAGES[name], f"{name}.html") for name in pages]
    yield "index.html", html_of_index(Index(panel, kinds, tables, figures, further))
    yield "pictures.css", pictures_css(_pictures(files.pictures))
    shared = {
        experiment: (read_rows(items, schemas.ITEMS), read_rows(keys, KEYS[experiment]))
        for experiment, items, keys in zip(experiments, files.items, files.keys, strict=True)
    }
    verdicts = [row for path in files.verdicts for row in read_rows(path, schemas.VERDICTS)]
    for tester, kind in kinds.items():
        sections = _sections(files, tester, shared, verdicts)
        yield f"{tester}.html", html_of_tester(tester, kind, sections)


def _sheets(sheets: Mapping[str, Sequence[str]]) -> list[Link]:
    return [
        Link(f"{SHEETS[experiment]}: {name}", f"../stimuli/{experiment}/sheet.{name}.png")
        for experiment, names in sheets.items()
        for name in names
    ]


def _sections(
    files: Files,
    tester: str,
    shared: Mapping[str, tuple[list[Row], list[Row]]],
    verdicts: Sequence[Row],
) -> list[Section]:
    sections = []
    for experiment, (items, keys) in shared.items():
        replies = [
            row
            for path in files.replies
            if Path(path).parent.name == tester and Path(path).name.startswith(f"{experiment}.")
            for row in read_rows(path, schemas.REPLIES)
        ]
        outcomes = [
            row
            for path in files.outcomes
            if Path(path).parent.name == tester and Path(path).stem == experiment
            for row in read_rows(path, OUTCOMES[experiment])
        ]
        for arm in dict.fromkeys(str(item["arm"]) for item in items):
            of_arm = [item for item in items if item["arm"] == arm]
            if experiment == "director":
                sections.append(director_section(arm, of_arm, replies, outcomes, keys))
            else:
                judged = [row for row in verdicts if row["arm"] == arm]
                sections.append(triangles_section(arm, of_arm, replies, outcomes, judged, keys))
    return sections


def _pictures(paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    for path in paths:
        store = PictureStore(path, schemas.PICTURES)
        try:
            for digest in store:
                yield digest, store.png(digest)
        finally:
            store.close()


def _table(path: Path) -> Table:
    with path.open(encoding="utf-8", newline="") as file:
        columns, *rows = list(csv.reader(file))
    caption = f"All numbers: {path.name} (also .parquet); for a paper: {path.stem}.tex, with notes."
    shown = [[_shown(cell) for cell in row] for row in rows]
    return Table(TITLES.get(path.stem, path.stem), caption, columns, shown)


def _shown(cell: str) -> str:
    """A fraction with three decimals, which is what a page has room for; all else as it is."""
    if re.fullmatch(r"-?\d+\.\d{4,}", cell):
        return printed(Fraction(cell), 3)
    return cell


def _link(path: Path, folder: str) -> Link:
    return Link(TITLES.get(path.stem, path.stem), f"{folder}/{path.name}")
