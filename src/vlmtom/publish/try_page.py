"""The page of a try: a few items with pictures, prompts, replies, parses, tokens and cost.

It is one file: pictures are in it, as they were sent, and nothing is loaded or run.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from vlmtom.publish.report import (
    Item,
    Reply,
    Section,
    Stimulus,
    director_section,
    render_page,
    said,
    status,
    triangles_section,
)
from vlmtom.settings import MOSAIC
from vlmtom.stats.rounding import printed

Row = Mapping[str, object]

GAME_NOTE = "The first call of each role: a trial is a row of calls, each after the reply before."
GAME_START = "The start: both at their places, facing each other, nothing said yet."
HEADS = ("tokens in", "tokens out", "reasoning", "USD", "s", "served model", "sent")


def try_sections(
    experiment: str, items: Sequence[Row], replies: Sequence[Row], outcomes: Sequence[Row],
    keys: Sequence[Row],
) -> list[Section]:  # fmt: skip
    """One section an arm; of a row, what was read comes first, then what HEADS name."""
    if experiment == MOSAIC:
        return _game_sections(items, replies, outcomes)
    words = None
    if experiment != "director":
        words = {str(row["item_id"]): _words(row) for row in outcomes}
    by_item: dict[str, list[Row]] = {}
    for reply in replies:
        by_item.setdefault(str(reply["item_id"]), []).append(reply)
    sections = []
    for arm in dict.fromkeys(str(item["arm"]) for item in items):
        of_arm = [item for item in items if item["arm"] == arm]
        if words is None:
            section = director_section(arm, of_arm, replies, outcomes, keys)
        else:
            section = triangles_section(arm, of_arm, replies, outcomes, [], keys)
            section = replace(section, note="Descriptions alone: no judge was asked.")
        ids = [str(item["item_id"]) for item in of_arm]
        sections.append(_finished(section, ids, by_item, words))
    return sections


def _game_sections(
    items: Sequence[Row], replies: Sequence[Row], outcomes: Sequence[Row]
) -> list[Section]:
    """The treasure game: first calls of the roles, of which each has a picture of its own."""
    of_item = {str(reply["item_id"]): reply for reply in replies}
    read = {str(row["item_id"]): row["read"] for row in outcomes}
    stimuli = []
    for item in items:
        name, words = str(item["stimulus"]), read[str(item["item_id"])]
        reply = of_item[str(item["item_id"])]
        cells = [*words.values(), *_costs(reply)]
        row = Reply(int(reply["trial"]), said(reply), status(reply), cells)
        prompt = "\n\n".join(turn["text"] for turn in item["turns"])
        asked = Item(str(item["sub_prompt"]), prompt, [*words, *HEADS], [row])
        stimuli.append(Stimulus(name, f"mosaic-{name.replace(' ', '-')}", "", GAME_START, [asked]))
    return [Section(f"Treasure game, arm {items[0]['arm']}", GAME_NOTE, stimuli)]


def html_of_try(
    tester: str,
    note: str,
    facts: Sequence[tuple[str, str]],
    sections: Sequence[Section],
    pictures: Mapping[tuple[str, str], Sequence[str]],
) -> str:
    """The page. pictures: data URIs by titles of section and stimulus."""
    return render_page(
        "try.html.j2",
        title=f"{tester}: a try",
        note=note,
        facts=facts,
        sections=sections,
        pictures=pictures,
    )


def _finished(
    section: Section,
    ids: Sequence[str],
    replies: Mapping[str, Sequence[Row]],
    words: Mapping[str, str] | None,
) -> Section:
    """A section with costs in every row. ids: of its items, which it shows in their order.

    words: lengths of descriptions, which stand where a report has the verdicts.
    """
    in_order = iter(ids)

    def finished(item: Item) -> Item:
        item_id = next(in_order)
        heads = item.heads if words is None else ["words"]
        rows = [
            replace(
                row,
                cells=[
                    *(row.cells if words is None else [words[item_id]]),
                    *_costs(reply),
                ],
            )
            for row, reply in zip(item.rows, replies[item_id], strict=True)
        ]
        return replace(item, heads=[*heads, *HEADS], rows=rows)

    stimuli = [
        replace(stimulus, items=[finished(item) for item in stimulus.items], film=None)
        for stimulus in section.stimuli
    ]
    return replace(section, stimuli=stimuli)


def _costs(reply: Row) -> list[str]:
    return [
        _cell(reply["prompt_tokens"]),
        _cell(reply["completion_tokens"]),
        _reasoning(reply),
        _measured(reply["cost_usd"], 5),
        _measured(reply["duration_s"], 1),
        str(reply["served_model"] or "–"),
        json.dumps(json.loads(str(reply["parameters"]))),  # with spaces, to break lines at
    ]


def _reasoning(reply: Row) -> str:
    """Tokens of it; else whether there was any, which a prompt for the answer alone forbids."""
    if reply["reasoning_tokens"] is None:
        return "yes, tokens not told" if reply["reasoning"] else "–"
    return _cell(reply["reasoning_tokens"])


def _words(description: Row) -> str:
    if description["parse"] == "unparsed":
        return f"unparsed ({description['reason']})"
    return "missing" if description["n_words"] is None else str(description["n_words"])


def _cell(value: object) -> str:
    return "–" if value is None else f"{value:,}"


def _measured(value: float | None, digits: int) -> str:
    return printed(None if value is None else Fraction(str(value)), digits)
