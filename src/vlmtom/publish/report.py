"""The report: for any number, the picture, the prompt, the reply, the parse and the verdicts.

One page a tester and an index, as plain HTML without scripts. Model text is data: it is escaped,
cut at CUT characters, and a content security policy forbids whatever would run or load. Pictures
stand once, in pictures.css, so that a page grows with its replies alone: at most BYTES_A_REPLY
for each.
"""

import base64
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import jinja2
import numpy as np

from vlmtom.director.cells import MEASURES_OF
from vlmtom.publish.provenance import testers_note

Row = Mapping[str, object]

CUT = 1200  # characters of a reply that a page shows
BYTES_A_REPLY = 12_000  # an escaped character takes up to 6 bytes
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
PICTURE_WIDTH = 512  # px; the report is for looking, the stimuli are in the Parquet files


@dataclass(frozen=True)
class Reply:
    """One trial as a row: what was said and what became of it, cells under the item's heads."""

    trial: int
    said: str
    status: str
    cells: Sequence[str]


@dataclass(frozen=True)
class Item:
    """One prompt on one stimulus with its trials."""

    name: str
    prompt: str
    heads: Sequence[str]
    rows: Sequence[Reply]


@dataclass(frozen=True)
class Stimulus:
    """One picture, what it means, and the items asked about it."""

    title: str
    anchor: str
    picture_class: str
    meaning: str
    items: Sequence[Item]
    film: str | None = None


@dataclass(frozen=True)
class Section:
    """One arm of one experiment."""

    title: str
    note: str
    stimuli: Sequence[Stimulus]


@dataclass(frozen=True)
class Table:
    """A table of the index."""

    title: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Link:
    """A titled path below the results, seen from the report's folder."""

    title: str
    path: str


@dataclass(frozen=True)
class Index:
    """The first page."""

    panel: str
    kinds: Mapping[str, str]  # tester to kind
    tables: Sequence[Table]
    figures: Sequence[Link]
    files: Sequence[Link] = field(default=())


def html_of_index(index: Index) -> str:
    """The first page: tables, figures, links to the testers' pages."""
    testers = [
        {
            "label": f"{tester} (observer)" if kind == "observer" else tester,
            "page": f"{tester}.html",
        }
        for tester, kind in index.kinds.items()
    ]
    who = testers_note(index.kinds.values())
    note = f"Panel {index.panel}. {who} All comparisons are descriptive."
    return render_page(
        "index.html.j2",
        title=f"vlmtom: panel {index.panel}",
        note=note,
        testers=testers,
        tables=index.tables,
        figures=index.figures,
        files=index.files,
    )


def html_of_tester(tester: str, kind: str, sections: Sequence[Section]) -> str:
    """A tester's page: every item with its picture, prompt, replies, parses and verdicts."""
    note = "An embedded observer with a stated policy, not a model." if kind == "observer" else ""
    return render_page("tester.html.j2", title=tester, note=note, sections=sections)


def pictures_css(pictures: Iterable[tuple[str, bytes]]) -> str:
    """A class for each picture (pixel SHA-256, PNG), small and as JPEG, as a style sheet."""
    return "".join(_picture_rule(digest, png) for digest, png in pictures)


def picture_class(pixel_sha256: str) -> str:
    """The class under which pictures_css holds a picture."""
    return f"p{pixel_sha256[:16]}"


def director_section(
    arm: str, items: Sequence[Row], replies: Sequence[Row], outcomes: Sequence[Row],
    keys: Sequence[Row],
) -> Section:  # fmt: skip
    """The Director Task of one tester in one arm, from the rows of its files."""
    of_item = _by_item(replies)
    scored = defaultdict(list)
    for row in outcomes:
        scored[row["item_id"], row["trial"]].append(row)
    key_of = {key["item_id"]: key for key in keys}
    stimuli = []
    for name, of_stimulus in _grouped(items, "stimulus").items():
        key = key_of[of_stimulus[0]["item_id"]]
        stimuli.append(
            _stimulus(
                "director",
                name,
                of_stimulus,
                f"Asked for: the {key['polarity']}. The director sees "
                f"{', '.join(key['visible'])}; means {key['target']}; hidden from the director: "
                f"{key['hidden'] or 'none'}.",
                [_director_item(item, of_item[item["item_id"]], scored) for item in of_stimulus],
            )
        )
    return Section(f"Director Task, arm {arm}", "Outcomes at letter level; strict beside.", stimuli)


def triangles_section(
    arm: str, items: Sequence[Row], replies: Sequence[Row], descriptions: Sequence[Row],
    verdicts: Sequence[Row], keys: Sequence[Row],
) -> Section:  # fmt: skip
    """The animated triangles of one tester in one arm, with the verdicts of every judge."""
    of_item = _by_item(replies)
    described = {(row["item_id"], row["trial"]): row for row in descriptions}
    judged = defaultdict(dict)
    for row in verdicts:
        judged[row["blind_id"]][_judge(row)] = row
    judges = list(dict.fromkeys(map(_judge, verdicts)))
    key_of = {key["item_id"]: key for key in keys}
    stimuli = []
    for name, of_stimulus in _grouped(items, "stimulus").items():
        key = key_of[of_stimulus[0]["item_id"]]
        rows = [
            _triangles_item(item, of_item[item["item_id"]], described, judged, judges)
            for item in of_stimulus
        ]
        meaning = f"{key['condition']}: {key['script']} ({key['stimulus_source']} clip)."
        stimuli.append(
            _stimulus("triangles", name, of_stimulus, meaning, rows, f"../clips/{name}.mp4")
        )
    return Section(
        f"Animated triangles, arm {arm}",
        "Verdicts as Intentionality (0 to 5) / Appropriateness (0 to 3), one column a judge.",
        stimuli,
    )


def _director_item(item: Row, replies: Sequence[Row], scored: Mapping) -> Item:
    rows = []
    for reply in replies:
        of_reply = scored[reply["item_id"], reply["trial"]]
        rows.append(_reply(reply, [_outcome(row) for row in of_reply]))
    return Item(item["sub_prompt"], _prompt(item), MEASURES_OF[item["sub_prompt"]], rows)


def _outcome(row: Row) -> str:
    if row["parse"] is None:
        return "missing"
    if row["parse"] == "unparsed":
        return f"unparsed ({row['reason']})"
    value = ", ".join(row["value"] or []) or "none"
    verdict = row["failure_mode"] or ("correct" if row["letter_correct"] else "not correct")
    strict = "" if row["letter_correct"] == row["strict_correct"] else "; strict: not correct"
    return f"{value}: {verdict}{strict}"


def _triangles_item(
    item: Row, replies: Sequence[Row], described: Mapping, judged: Mapping, judges: Sequence[str]
) -> Item:
    rows = []
    for reply in replies:
        description = described.get((reply["item_id"], reply["trial"]))
        blind_id = description["blind_id"] if description else None
        cells = [_verdict(judged[blind_id].get(judge)) if blind_id else "–" for judge in judges]
        flags = []
        if description and description["self_identifies"]:
            flags.append("names a model")
        if description and description["language"] not in (None, "en"):
            flags.append("not English")
        rows.append(_reply(reply, [blind_id or "–", "; ".join(flags), *cells]))
    return Item(item["arm"], _prompt(item), ["blind id", "flags", *judges], rows)


def _judge(verdict: Row) -> str:
    """A judge's column; what it was told stands beside it where that was more than usual."""
    overlay = verdict["overlay"]
    return verdict["judge"] if overlay == "blinded" else f"{verdict['judge']} ({overlay})"


def _verdict(row: Row | None) -> str:
    if row is None:
        return "–"
    if row["intent"] is None:
        return f"missing ({row['reason'] or row['error_kind'] or row['status']})"
    return f"{row['intent']} / {row['approp']}"


def _stimulus(
    experiment: str, name: str, items: Sequence[Row], meaning: str, shown: Sequence[Item],
    film: str | None = None,
) -> Stimulus:  # fmt: skip
    pictures = [picture for turn in items[0]["turns"] for picture in turn["pictures"]]
    return Stimulus(
        title=name,
        anchor=f"{experiment}-{name}",
        picture_class=picture_class(pictures[0]) if pictures else "",
        meaning=meaning,
        items=shown,
        film=film,
    )


def _reply(reply: Row, cells: Sequence[str]) -> Reply:
    return Reply(int(reply["trial"]), said(reply), status(reply), cells)


def said(reply: Row) -> str:
    """What a reply says, cut at CUT characters; else the error or refusal that came instead."""
    text = reply["text"]
    if text is None:
        text = reply["error"] or reply["refusal"] or ""
    return shortened(str(text))


def shortened(text: str, cut: int = CUT, where: str = "replies") -> str:
    """A text cut at some characters, with how long it is and in whose Parquet it is whole."""
    if len(text) <= cut:
        return text
    return f"{text[:cut]} … (cut; all {len(text):,} characters are in the {where}' Parquet)"


def status(reply: Row) -> str:
    """A reply's status; of an error, its kind."""
    return str(reply["error_kind"] or reply["status"])


def _prompt(item: Row) -> str:
    return "\n\n".join(turn["text"] for turn in item["turns"])


def _by_item(replies: Iterable[Row]) -> dict[object, list[Row]]:
    return defaultdict(list, _grouped(replies, "item_id"))


def _grouped(rows: Iterable[Row], column: str) -> dict[str, list[Row]]:
    grouped: dict[str, list[Row]] = {}
    for row in rows:
        grouped.setdefault(str(row[column]), []).append(row)
    return grouped


def _picture_rule(pixel_sha256: str, png: bytes) -> str:
    bgr = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    height, width = bgr.shape[:2]
    size = (PICTURE_WIDTH, round(height * PICTURE_WIDTH / width))
    small = cv2.resize(bgr, size, interpolation=cv2.INTER_AREA)
    _, jpeg = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 85])
    data = base64.b64encode(jpeg.tobytes()).decode()
    return (
        f".{picture_class(pixel_sha256)}{{aspect-ratio:{width}/{height};"
        f"background-image:url(data:image/jpeg;base64,{data})}}\n"
    )


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("vlmtom.publish"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def template_source(name: str) -> str:
    """A file that lies beside the templates, such as a page's script, as it is."""
    loader = _environment().loader
    assert loader is not None
    return loader.get_source(_environment(), name)[0]


def render_page(template: str, **values: object) -> str:
    """A template filled in: values are escaped, and what cannot stand in a page is U+FFFD."""
    text = _environment().get_template(template).render(**values)
    # Half surrogate pairs and control characters, which models do send, have no place in a page.
    return _UNPRINTABLE.sub("\ufffd", text)
