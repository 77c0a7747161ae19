"""The report shows what is behind a number, stays small, and hostile text in it is inert."""

import html.parser
import re

import numpy as np
import pytest

from vlmtom.publish.report import (
    BYTES_A_REPLY,
    CUT,
    Index,
    Link,
    Table,
    director_section,
    html_of_index,
    html_of_tester,
    picture_class,
    pictures_css,
    triangles_section,
)
from vlmtom.publish.report_files import Files, report_pages
from vlmtom.rendering.images import encode_png

HOSTILE = (
    "</td></table><script>alert(1)</script><img src=x onerror=alert(2)><style>*{display:none}"
    "</style><a href='javascript:alert(3)'>x</a>{{ 7*7 }}{% raw %} &lt; \x00\x1b \ud800 end"
)
SHA = "ab" * 32


def item(sub_prompt="b", experiment="director", arm="canonical"):
    return {
        "item_id": f"{experiment}/{arm}/Q01/{sub_prompt}",
        "experiment": experiment,
        "arm": arm,
        "stimulus": "Q01",
        "sub_prompt": sub_prompt,
        "turns": [{"role": "user", "text": "Which block?", "pictures": [SHA], "video": None}],
    }


def reply(text, trial=1, status="ok", **changes):
    row = {"item_id": item()["item_id"], "trial": trial, "text": text, "status": status}
    return row | {"error_kind": None, "error": None, "refusal": None} | changes


def outcome(trial=1, **changes):
    row = {
        "item_id": item()["item_id"],
        "trial": trial,
        "measure": "b",
        "parse": "parsed",
        "reason": None,
        "value": ["red"],
        "failure_mode": "egocentric",
        "letter_correct": False,
        "strict_correct": False,
    }
    return row | changes


KEY = {
    "item_id": item()["item_id"],
    "polarity": "largest",
    "visible": ["A", "C"],
    "target": "C",
    "hidden": "B",
}


def page(replies, outcomes, tester="t1", kind="model"):
    section = director_section("canonical", [item()], replies, outcomes, [KEY])
    return html_of_tester(tester, kind, [section])


class Tags(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]


def test_a_page_shows_prompt_reply_and_what_became_of_it():
    text = page([reply("Answer: B (red)")], [outcome()])
    for words in (
        "Which block?",
        "Answer: B (red)",
        "red: egocentric",
        "hidden from the director: B",
    ):
        assert words in text
    assert picture_class(SHA) in text


def test_a_missing_and_an_unparsed_reply_say_so():
    text = page(
        [reply(None, 1, "api_error", error_kind="quota", error="no credit"), reply("Hm.", 2)],
        [
            outcome(1, parse=None, failure_mode=None),
            outcome(2, parse="unparsed", reason="no_answer", failure_mode="unparsed"),
        ],
    )
    assert "no credit" in text and "quota" in text and "missing" in text
    assert "unparsed (no_answer)" in text


def test_hostile_text_is_inert_wherever_it_stands():
    text = page([reply(HOSTILE, error=HOSTILE)], [outcome(value=[HOSTILE])], tester=HOSTILE)
    clean = page([reply("x")], [outcome()])
    assert Tags(text).tags == Tags(clean).tags
    assert not [name for name in Tags(text).attributes if name.startswith("on")]
    assert "<script" not in text and "49" not in text
    assert "\x00" not in text and "\ud800" not in text
    assert "default-src 'none'" in text
    index = html_of_index(
        Index(
            HOSTILE,
            {HOSTILE: "model"},
            [Table(HOSTILE, HOSTILE, [HOSTILE], [[HOSTILE]])],
            [Link(HOSTILE, "figures/x.png")],
        )
    )
    assert "<script" not in index


def test_ten_thousand_long_replies_keep_the_stated_size():
    replies = [reply("<&'\"" * 2000, trial) for trial in range(1, 10_001)]
    outcomes = [outcome(trial) for trial in range(1, 10_001)]
    size = len(page(replies, outcomes).encode())
    assert size < 10_000 * BYTES_A_REPLY
    ordinary = [reply("Answer: B (red)", trial) for trial in range(1, 10_001)]
    assert len(page(ordinary, outcomes).encode()) < 10_000 * 250


def test_a_cut_reply_says_how_long_it_was():
    text = page([reply("x" * (CUT + 1))], [outcome()])
    assert f"cut; all {CUT + 1:,} characters" in text


def test_pictures_stand_once_and_small():
    png = encode_png(np.full((768, 1024, 3), 90, np.uint8))
    css = pictures_css([(SHA, png)])
    assert css.count(picture_class(SHA)) == 1
    assert "aspect-ratio:1024/768" in css
    assert len(css) < 50_000


def test_verdicts_stand_by_judge_beside_the_description():
    one = item("x", "triangles", "numbered") | {"sub_prompt": None, "stimulus": "chasing"}
    key = {"condition": "GD", "script": "One runs.", "stimulus_source": "synthetic"}
    said = reply("They run.") | {"item_id": one["item_id"]}
    described = {
        "item_id": one["item_id"],
        "trial": 1,
        "blind_id": "f00d",
        "self_identifies": True,
        "language": "other",
    }
    verdict = {"blind_id": "f00d", "judge": "j1", "overlay": "blinded", "intent": 3, "approp": 2}
    bad = {
        "blind_id": "f00d",
        "judge": "j2",
        "overlay": "blinded",
        "intent": None,
        "reason": "no_json",
    }
    bad |= {"error_kind": None, "status": "ok"}
    section = triangles_section(
        "numbered", [one], [said], [described], [verdict, bad], [key | {"item_id": one["item_id"]}]
    )
    text = html_of_tester("t1", "observer", [section])
    for words in (
        "They run.",
        "f00d",
        "3 / 2",
        "missing (no_json)",
        "names a model; not English",
        "synthetic clip",
        "../clips/chasing.mp4",
        "not a model",
    ):
        assert words in text


@pytest.mark.parametrize("kind", ["model", "observer"])
def test_the_index_links_to_every_tester(kind):
    text = html_of_index(Index("p", {"t1": kind}, [], []))
    assert 'href="t1.html"' in text
    assert ("t1 (observer)" in text) == (kind == "observer")


@pytest.mark.parametrize(
    "sheets",
    [
        {},
        {"triangles": ["numbered"]},
        {"director": ["canonical", "rule"], "report_action": ["main", "rotated"]},
    ],
)
def test_the_index_leads_to_the_sheets_of_what_ran_and_to_no_other(sheets):
    nothing = Files(*([] for _ in range(8)))
    name, text = next(report_pages(nothing, "p", {}, [], [], sheets))
    assert name == "index.html"
    linked = re.findall(r'href="\.\./stimuli/([^"]+)"', text)
    assert linked == [f"{e}/sheet.{one}.png" for e, names in sheets.items() for one in names]
