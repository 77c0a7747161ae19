"""The report of report before action: behind each number the picture, prompt, reply and parse.

One page that leads on, and one for each tester and batch, so that a page stays small. Prompts stand
once a page, pictures once a scene set, in a style sheet of their own.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from vlmtom.publish.provenance import tester_label, testers_note
from vlmtom.publish.report import picture_class, pictures_css, render_page, said, status
from vlmtom.publish.report_action_tables import verdict
from vlmtom.publish.report_action_text import Study, interval, percent, points
from vlmtom.stats.exact import as_fraction
from vlmtom.store import PictureStore, read_rows, schemas
from vlmtom.store.files import read_table

Row = Mapping[str, object]

_TABLES = ("estimates", "rates", "choices", "joint", "batches", "scenes", "prompts")
_SHOWN = ("item_id", "trial", "turn", "status", "error_kind", "error", "text", "refusal")


@dataclass(frozen=True)
class Files:
    """Paths of a run. replies, outcomes: by tester."""

    items: str
    keys: str
    pictures: str
    estimates: str
    choices: str
    replies: Mapping[str, str]
    outcomes: Mapping[str, str]


@dataclass(frozen=True)
class Answer:
    """One trial of a condition as a row of a scene."""

    condition: str
    trial: int
    said: str
    status: str
    report: str
    choice: str


@dataclass(frozen=True)
class ActionStimulus:
    """One scene with its picture and all that was answered about it."""

    anchor: str
    picture_class: str
    meaning: str
    answers: Sequence[Answer]


def page_name(tester: str, batch: str) -> str:
    """The file of a tester's answers in a batch."""
    return f"report_action.{tester}.{batch}.html"


def style_name(scene_set: str) -> str:
    """The file that holds the pictures of a scene set."""
    return f"report_action.{scene_set}.css"


def action_pages(
    files: Files, study: Study, asked: Mapping[str, Sequence[str]], kinds: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """File names with their text: the leading page, pictures by set, a page a tester and batch.

    asked: the batches of each tester; kinds: tester to kind. One tester's replies are held at a
    time.
    """
    items = read_rows(files.items, schemas.ITEMS)
    keys = {str(k["item_id"]): k for k in read_rows(files.keys, schemas.REPORT_ACTION_KEYS)}
    yield "report_action.html", _leading_page(files, study, asked, kinds)
    sets = list(dict.fromkeys(str(key["scene_set"]) for key in keys.values()))
    for name in sets:
        yield style_name(name), pictures_css(_pictures(files.pictures, items, keys, name))
    for tester, batches in asked.items():
        columns = list(_SHOWN)
        replies = read_table(files.replies[tester], schemas.REPLIES, columns).to_pylist()
        outcomes = read_rows(files.outcomes[tester], schemas.REPORT_ACTION_OUTCOMES)
        for batch in batches:
            own = [item for item in items if item["batch"] == batch]
            text = _batch_page(tester, kinds[tester], batch, own, keys, replies, outcomes)
            yield page_name(tester, batch), text


def _leading_page(
    files: Files, study: Study, asked: Mapping[str, Sequence[str]], kinds: Mapping[str, str]
) -> str:
    estimates = [
        row for row in read_rows(files.estimates, schemas.REPORT_ACTION_ESTIMATES) if row["primary"]
    ]
    choices = [
        row
        for row in read_rows(files.choices, schemas.REPORT_ACTION_CHOICES)
        if row["subset"] == "all"
    ]
    return render_page(
        "report_action.html.j2",
        title="Report before action",
        note=" ".join(study.notes(kinds.values())),
        tables=_TABLES,
        differences=[_difference(row, kinds) for row in estimates],
        counts=[
            {
                "tester": tester_label(tester, kinds[tester], kinds.values()),
                "batch": batch,
                "page": page_name(tester, batch),
                "cells": _lost(tester, batch, choices),
            }
            for tester, batches in asked.items()
            for batch in batches
        ],
    )


def _difference(row: Row, kinds: Mapping[str, str]) -> dict[str, object]:
    diff = None if row["diff"] is None else as_fraction(row["diff"])
    shares = [None if row[p] is None else as_fraction(row[p]) for p in ("p0", "p1")]
    return {
        "comparison": f"{row['comparison']}: {row['with']} − {row['without']}",
        "tester": tester_label(str(row["tester"]), str(row["kind"]), kinds.values()),
        "page": page_name(str(row["tester"]), str(row["batch"])),
        "cells": [
            str(row["measure"]),
            *(percent(share) for share in shares),
            points(diff),
            interval(row["lo"], row["hi"], signed=True),
            verdict(row),
            str(row["family"] or "none"),
        ],
    }


def _lost(tester: str, batch: str, choices: Sequence[Row]) -> list[str]:
    own = [row for row in choices if (row["tester"], row["batch"]) == (tester, batch)]
    names = ("n_planned", "n_answered", "n_unparsed", "n_missing")
    return [str(sum(int(row[name]) for row in own)) for name in names]


def _batch_page(
    tester: str,
    kind: str,
    batch: str,
    items: Sequence[Row],
    keys: Mapping[str, Row],
    replies: Sequence[Row],
    outcomes: Sequence[Row],
) -> str:
    turns: dict[object, dict[int, list[Row]]] = defaultdict(lambda: defaultdict(list))
    wanted = {item["item_id"] for item in items}
    for row in replies:
        if row["item_id"] in wanted:
            turns[row["item_id"]][int(row["trial"])].append(row)
    scored = {(row["item_id"], row["trial"]): row for row in outcomes}
    by_stimulus: dict[str, list[Row]] = defaultdict(list)
    for item in items:
        by_stimulus[str(item["stimulus"])].append(item)
    prompts: dict[str, str] = {}
    for item in items:
        prompts.setdefault(str(item["arm"]), _prompt(item))
    sets = list(dict.fromkeys(str(keys[str(item["item_id"])]["scene_set"]) for item in items))
    who = testers_note([kind])
    return render_page(
        "report_action_batch.html.j2",
        title=f"{tester}, batch {batch}",
        note=f"Report before action, one table a scene. {who}".strip(),
        styles=[style_name(name) for name in sets],
        prompts=prompts,
        stimuli=[
            _stimulus(name, of_scene, keys, turns, scored) for name, of_scene in by_stimulus.items()
        ],
    )


def _stimulus(
    name: str,
    items: Sequence[Row],
    keys: Mapping[str, Row],
    turns: Mapping[object, Mapping[int, Sequence[Row]]],
    scored: Mapping[tuple[object, object], Row],
) -> ActionStimulus:
    key = keys[str(items[0]["item_id"])]
    flags = [
        words
        for flag, words in (
            ("hidden_has_largest_digit", "the hidden block carries the largest digit"),
            ("misleading_size", "another visible block looks largest to the director"),
        )
        if key[flag]
    ]
    meaning = (
        f"Blocks from the left: {_listed(key['labels'])}. The director sees "
        f"{_listed(key['visible'])}, means {key['director_view']}; hidden from the director: "
        f"{key['hidden']}. {'; '.join(flags)}"
    )
    answers = [
        _answer(item, trial, of_trial, scored.get((item["item_id"], trial)))
        for item in items
        for trial, of_trial in sorted(turns.get(item["item_id"], {}).items())
    ]
    return ActionStimulus(name, picture_class(_picture(items[0])), meaning.strip(), answers)


def _answer(item: Row, trial: int, of_trial: Sequence[Row], outcome: Row | None) -> Answer:
    ordered = sorted(of_trial, key=lambda row: int(row["turn"]))
    several = len(ordered) > 1
    words = [f"turn {row['turn']}: {said(row)}" if several else said(row) for row in ordered]
    return Answer(
        condition=str(item["arm"]),
        trial=trial,
        said="\n".join(words),
        status=", ".join(dict.fromkeys(status(row) for row in ordered)),
        report=_report(outcome),
        choice=_choice(outcome),
    )


def _report(outcome: Row | None) -> str:
    if outcome is None or outcome["parse"] != "parsed":
        return "–"
    if outcome["visible"] is not None:
        right = "exact" if outcome["visible_correct"] else "not exact"
        return f"{_listed(outcome['visible'])}: {right}"
    return "–" if outcome["count"] is None else f"{outcome['count']} blocks"


def _choice(outcome: Row | None) -> str:
    if outcome is None or outcome["parse"] is None:
        return "missing"
    if outcome["parse"] == "unparsed":
        return f"unparsed ({outcome['reason']})"
    words = (
        "hidden block"
        if outcome["hidden_chosen"]
        else "what the director means"
        if outcome["director_view_chosen"]
        else "largest visible digit"
        if outcome["largest_visible_digit_chosen"]
        else "another"
    )
    repaired = f"; repaired: {', '.join(outcome['repaired'])}" if outcome["repaired"] else ""
    return f"{outcome['choice']}: {words}{repaired}"


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or "none"


def _prompt(item: Row) -> str:
    return "\n\n[next turn]\n\n".join(turn["text"] for turn in item["turns"])


def _picture(item: Row) -> str:
    return next(picture for turn in item["turns"] for picture in turn["pictures"])


def _pictures(
    path: str, items: Sequence[Row], keys: Mapping[str, Row], scene_set: str
) -> Iterator[tuple[str, bytes]]:
    shown = dict.fromkeys(
        _picture(item) for item in items if keys[str(item["item_id"])]["scene_set"] == scene_set
    )
    store = PictureStore(path, schemas.PICTURES)
    try:
        for digest in shown:
            yield digest, store.png(digest)
    finally:
        store.close()
