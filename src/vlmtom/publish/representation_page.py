"""The report's page of representations: what was shown, said, and scored in each repetition."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from vlmtom.publish.provenance import testers_note
from vlmtom.publish.report import Item, Section, pictures_css, render_page, triangles_section
from vlmtom.store import PictureStore, read_rows, schemas
from vlmtom.store.files import read_table

Row = Mapping[str, object]

# Of a picture with more pixels the page has none: it would be decoded to be made a hundredth.
LARGEST_PX = 16_000_000
NO_FRAME = "div.picture{border:0}\n"  # a film, and what is too large, have none
REPETITION = ", "  # between a judge and the number of its verdict
NOTE = (
    "One film, pictures or grid a description. Shown here are grids, and of pictures in a row the "
    "first; verdicts as Intentionality (0 to 5) / Appropriateness (0 to 3), one column a judge, in "
    "the order of its repetitions."
)


@dataclass(frozen=True)
class Files:
    """Paths of a run: of replies, outcomes and verdicts each tester's or judge's own."""

    replies: Sequence[str]
    outcomes: Sequence[str]
    verdicts: Sequence[str]
    items: str
    pictures: str
    keys: str


def representation_page(files: Files, kinds: Mapping[str, str]) -> tuple[str, str]:
    """The page and its style sheet, which holds the pictures. kinds: tester to kind."""
    items = read_rows(files.items, schemas.ITEMS)
    keys = read_rows(files.keys, schemas.TRIANGLES_KEYS)
    replies = [row for path in files.replies for row in read_rows(path, schemas.REPLIES)]
    described = [row for path in files.outcomes for row in read_rows(path, schemas.DESCRIPTIONS)]
    verdicts = [
        {**row, "judge": f"{row['judge']}{REPETITION}{row['trial']}"}
        for path in files.verdicts
        for row in read_rows(path, schemas.REPRESENTATION_VERDICTS)
    ]
    sections = [
        section
        for tester in kinds
        for section in _sections(tester, items, replies, described, verdicts, keys)
    ]
    page = render_page(
        "representations.html.j2",
        title="Representations of the clips",
        note=f"{NOTE} {testers_note(kinds.values())}".strip(),
        sections=sections,
    )
    return page, NO_FRAME + pictures_css(_pictures(files.pictures, items))


def _sections(
    tester: str, items: Sequence[Row], replies: Sequence[Row], described: Sequence[Row],
    verdicts: Sequence[Row], keys: Sequence[Row],
) -> list[Section]:  # fmt: skip
    said = [row for row in replies if row["tester"] == tester]
    outcomes = [row for row in described if row["tester"] == tester]
    sections = []
    for name in dict.fromkeys(str(item["arm"]) for item in items):
        shown = [item for item in items if item["arm"] == name]
        section = triangles_section(name, shown, said, outcomes, verdicts, keys)
        stimuli = [
            replace(
                stimulus,
                anchor=f"{tester}-{name}-{stimulus.title}",
                items=[_by_judge(item) for item in stimulus.items],
            )
            for stimulus in section.stimuli
        ]
        sections.append(Section(f"{tester}: {name}", "", stimuli))
    return sections


def _by_judge(item: Item) -> Item:
    """An item with one column a judge, in which its repetitions stand one after the other."""
    judges = [head.rpartition(REPETITION)[0] for head in item.heads]
    names = list(dict.fromkeys(judge for judge in judges if judge))
    first = judges.index(names[0]) if names else len(judges)

    def joined(cells: Sequence[str]) -> list[str]:
        of_judges = (
            "; ".join(
                cell for judge, cell in zip(judges, cells, strict=True) if judge == name
            ).replace(" / ", "\N{NO-BREAK SPACE}/\N{NO-BREAK SPACE}")
            for name in names
        )
        return [*cells[:first], *of_judges]

    rows = [replace(row, cells=joined(row.cells)) for row in item.rows]
    return replace(item, heads=[*item.heads[:first], *names], rows=rows)


def _pictures(path: str, items: Sequence[Row]) -> list[tuple[str, bytes]]:
    """The first picture of each item, where it is not too large."""
    known = read_table(path, schemas.PICTURES, ["pixel_sha256", "width", "height"]).to_pylist()
    small = {row["pixel_sha256"] for row in known if row["width"] * row["height"] <= LARGEST_PX}
    turns = [turn for item in items for turn in item["turns"]]
    firsts = dict.fromkeys(turn["pictures"][0] for turn in turns if turn["pictures"])
    store = PictureStore(path, schemas.PICTURES)
    try:
        return [(name, store.png(name)) for name in firsts if name in small]
    finally:
        store.close()
