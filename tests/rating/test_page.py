"""The sheet in a browser: rated by keyboard alone, saved, closed, resumed, read back as typed."""

import csv
import json
import random
import re
import shutil
import sys
import unicodedata
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from tests.rating.helpers import blind_rows, csv_text, descriptions, sheet
from vlmtom.judging.prompts import HEADS, RULES, TASK
from vlmtom.judging.rubric import read_rubric
from vlmtom.publish.rating_sheet import html_of_sheet
from vlmtom.rating.returned import read_ratings
from vlmtom.rating.sheet import chosen, sheet_of

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


def in_a_browser(test):
    here = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
    return pytest.mark.browser(here(test))


HOSTILE = (
    "</script><script>window.pwned = 1</script>",
    "<img src=x onerror='window.pwned = 2'><svg/onload=window.pwned=3>",
    "]]> --> <!-- <script> \"quoted\" 'quoted' `ticks` &lt;b&gt; {{ 7 * 7 }} ${7 * 7}",
    "</div></main></body><style>body { display: none }</style>",
    '<meta http-equiv="refresh" content="0; url=https://example.org/">',
    "before \u202eafter\u202c \u2066isolated\u2069 \u200f\u200e \u2028 end",
    "half a pair \ud83d and a bell \x07, a zero \x00, a return \r\n and \t a tab",
    "The big one teases the small one. " * 3000,  # 100 kB
)
FULL = {name: tuple(f"{name}{n}" for n in range(4)) for name in ("ToM", "GD", "Random")}


class Scripts(HTMLParser):
    """The script elements of a page, by type, with what is in them."""

    def __init__(self, text):
        super().__init__()
        self.found, self.inside = [], False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag == "script":
            self.inside = True
            self.found.append([dict(attributes).get("type"), ""])

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "script"

    def handle_data(self, data):
        if self.inside:
            self.found[-1][1] += data


# Without a browser


def test_hostile_words_stay_inside_the_island_and_come_out_of_it_unchanged():
    made, _ = sheet(12, texts=HOSTILE)
    (kind, island), (plain, _) = Scripts(html_of_sheet(made)).found
    assert (kind, plain) == ("application/json", None)
    shown = [item["description"] for item in json.loads(island)["items"]]
    assert shown == [item.description for item in made.items]
    assert set(HOSTILE) < set(shown)
    assert not re.search(r"[<>&'\u0000-\u0008\ud800-\udfff\u202e]", island)


def test_the_page_is_blind():
    rows = chosen(descriptions(("secret-tester",), FULL), 36, "7")
    blind = [row | {"script": "A script."} for row in blind_rows(rows)]
    blind = [row | {"description": f"Words {n}."} for n, row in enumerate(blind)]
    made, key = sheet_of(rows, blind, read_rubric(), "7")
    text = html_of_sheet(made)
    hidden = ["secret-tester", "trial", "blind", "judge", "panel", "expected level"]
    hidden += [row["blind_id"] for row in key] + [row["clip"] for row in key]
    for words in hidden:
        assert words not in text, words


def test_a_rater_is_told_what_a_judge_is_told():
    text = html_of_sheet(sheet(6)[0])
    (_, island), _ = Scripts(text).found
    scales = {scale["key"]: scale for scale in json.loads(island)["scales"]}
    for dimension, wordings in read_rubric().wordings.items():
        assert tuple(scales[dimension]["levels"]) == wordings
        assert scales[dimension]["head"] == HEADS[dimension]
    plain = re.sub(r"&#34;|&#39;", lambda m: {"&#34;": '"', "&#39;": "'"}[m[0]], text)
    assert TASK in plain
    for rule in RULES[1:]:
        assert rule.removeprefix("- ") in plain


def test_the_policy_lets_nothing_run_or_load_but_the_page_s_own_script_and_style():
    text = html_of_sheet(sheet(6)[0])
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1]
    digest = r"&#39;sha256-[A-Za-z0-9+/]{43}=&#39;"
    assert re.fullmatch(
        f"default-src &#39;none&#39;; script-src {digest}; style-src {digest}; "
        "base-uri &#39;none&#39;; form-action &#39;none&#39;",
        policy,
    )
    assert not re.search(r"https?://|src=|href=|@import|url\(", text)


# In a browser


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM)
        yield found
        found.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Opens a sheet from a file in a browser window of its own; afterwards asks what it loaded."""
    contexts, wrong, asked = [], [], []

    def open_sheet(made, context=None):
        path = tmp_path / f"{made.sheet_id}.html"
        path.write_bytes(html_of_sheet(made).encode())
        if context is None:
            context = browser.new_context(viewport={"width": 1280, "height": 800})
            context.set_default_timeout(10_000)
            context.on("request", lambda request: asked.append(request.url))
            contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text))
        # Listened for from the start: the browser is told so before a key asks for a file.
        page.on("filechooser", lambda chooser: None)
        page.goto(path.as_uri())
        return page

    open_sheet.wrong = wrong
    yield open_sheet
    for context in contexts:
        context.close()
    assert wrong == []
    assert [url for url in asked if not url.startswith(("file:", "blob:"))] == []


def keys(page, *pressed):
    for key in pressed:
        page.keyboard.press(key)


def begin(page, code="kim"):
    page.keyboard.type(code)
    keys(page, "Enter")


def saved(page, path, key="s"):
    with page.expect_download() as download:
        keys(page, key)
    download.value.save_as(path)
    return download.value.suggested_filename


def choose(page, path):
    """Take a file by keyboard: from the code, Tab passes the button and comes to the file."""
    keys(page, "Tab", "Tab")
    with page.expect_file_chooser() as chooser:
        keys(page, "Enter")
    chooser.value.set_files(path)


def shown(page, id):
    return page.locator(f"#{id}").text_content()


def rate(page, made, first, last, drawn):
    """Rate descriptions by keyboard: what was typed, as read_ratings gives it back."""
    typed = []
    for number in range(first, last):
        assert shown(page, "where") == f"Description {number + 1} of {len(made.items)}"
        assert shown(page, "description") == made.items[number].description
        if number % 7 == 6:
            keys(page, "x", "Enter")
            typed.append((None, None, True))
            continue
        intent, approp = drawn.randint(0, 5), drawn.randint(0, 3)
        keys(page, str(intent), str(approp), "Enter")
        typed.append((intent, approp, False))
    return typed


@in_a_browser
def test_thirty_six_by_keyboard_saved_half_way_closed_resumed_and_read_back(opened, tmp_path):
    made, key = sheet(36, clips=FULL)
    drawn = random.Random(1)
    page = opened(made)
    begin(page)
    typed = rate(page, made, 0, 18, drawn)
    keys(page, str(typed_later := drawn.randint(0, 5)))  # half a rating, which a file keeps too
    name = saved(page, tmp_path / "half.csv")
    assert name == f"ratings.{made.sheet_id}.kim.csv"
    with pytest.raises(Exception, match=r"18 of 36 items are not rated: row 20 \(item-"):
        read_ratings({name: (tmp_path / "half.csv").read_bytes()}, key)
    page.close(run_before_unload=True)

    page = opened(made)  # a browser that kept nothing
    choose(page, tmp_path / "half.csv")
    page.locator("#work").wait_for()
    assert shown(page, "said") == "19 ratings of kim read from the file."
    assert shown(page, "counts") == "18 done, 18 open"
    assert page.locator(f"#intent-{typed_later}").is_checked()
    keys(page, "0", "Enter")  # the mark is on Appropriateness, which is open
    typed.append((typed_later, 0, False))
    typed += rate(page, made, 19, 36, drawn)
    assert shown(page, "end-head") == "All done"
    saved(page, tmp_path / name, "Enter")  # the button that saves has the focus
    page.close(run_before_unload=True)

    rows = read_ratings({name: (tmp_path / name).read_bytes()}, key)
    assert [(row["intent"], row["approp"], row["cannot"]) for row in rows] == typed
    assert [row["item_id"] for row in rows] == [item.item_id for item in made.items]


@in_a_browser
def test_hostile_descriptions_are_shown_as_text_and_do_nothing(opened):
    made, _ = sheet(12, texts=HOSTILE)
    page = opened(made)
    before = page.locator("script, img, style, svg, iframe, meta").count()
    begin(page)
    for item in made.items:
        text = shown(page, "description")
        # what cannot be seen is spelled out: U+202E turns no letter round
        spelled = re.sub(
            "[\x00-\x08\x0e-\x1f\u200e\u200f\u2028\u202a-\u202e\u2066-\u2069\ud800-\udfff]",
            lambda found: f"U+{ord(found[0]):04X}",
            item.description,
        )
        assert text == spelled
        keys(page, "n")
    assert page.locator("script, img, style, svg, iframe, meta").count() == before
    assert page.evaluate("window.pwned") is None
    # and the policy holds where something would slip through
    assert opened.wrong == []
    assert page.evaluate(
        "() => new Promise((done) => {"
        "  document.addEventListener('securitypolicyviolation', (e) => done(e.effectiveDirective));"
        "  const script = document.createElement('script');"
        "  script.textContent = 'window.pwned = 4';"
        "  document.body.append(script);"
        "})"
    ).startswith("script-src")
    assert page.evaluate("window.pwned") is None
    assert "Content Security Policy" in opened.wrong.pop()


@in_a_browser
def test_a_long_description_scrolls_in_its_own_place_by_keyboard(opened):
    made, _ = sheet(6, texts=[HOSTILE[-1]] * 6)
    page = opened(made)
    begin(page)
    box = page.locator("#description")
    assert box.evaluate("e => e.scrollHeight > 10 * e.clientHeight")
    assert page.evaluate("document.documentElement.scrollHeight") <= 1000
    keys(page, "d", "PageDown")
    page.wait_for_function("() => document.getElementById('description').scrollTop > 0")
    keys(page, "3", "2", "Enter")  # digits work from there too
    assert shown(page, "where") == "Description 2 of 6"


@in_a_browser
def test_closing_without_a_file_warns_and_the_browser_keeps_what_was_typed(opened):
    made, _ = sheet(6)
    page = opened(made)
    begin(page)
    keys(page, "4", "2", "Enter", "x")
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.close(run_before_unload=True)
    page.context.pages or page.context.new_page().close()
    again = opened(made, page.context)
    assert asked == ["beforeunload"]
    assert "kim" not in again.locator("body").inner_text(), "codes are no business of others"
    assert again.locator("#start button").count() == 1
    begin(again)
    assert shown(again, "said").startswith("This browser had kept 2 ratings of kim")
    assert shown(again, "counts") == "2 done, 4 open"
    assert shown(again, "where") == "Description 3 of 6"


@pytest.fixture
def later_than_the_file(opened, tmp_path):
    """A file of 2/2 and 3/–, and a browser that kept 5/3, 3/1 and a third, 4/1, given later."""
    made, key = sheet(6)
    page = opened(made)
    begin(page)
    keys(page, "2", "2", "Enter", "3")
    saved(page, tmp_path / "early.csv")
    keys(page, "p", "i", "5", "3", "Enter", "a", "1", "Enter", "4", "1")
    page.on("dialog", lambda dialog: dialog.accept())
    page.close(run_before_unload=True)
    again = opened(made, page.context)
    choose(again, tmp_path / "early.csv")
    again.locator("#differ").wait_for()
    return again, key


def in_the_file(path, key):
    """What a file says, in the order of the sheet: levels as they are written, by their place."""
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert [row["item"] for row in rows] == [row["item_id"] for row in key]
    return [(row["intentionality"], row["appropriateness"]) for row in rows]


LATER = [("5", "3"), ("3", "1"), ("4", "1"), *[("", "")] * 3]


@in_a_browser
def test_a_file_that_differs_from_what_the_browser_kept_overwrites_nothing_unasked(
    later_than_the_file, opened
):
    page, _ = later_than_the_file
    assert shown(page, "differ-said").startswith(
        "The file has 2 ratings that differ from those kept in this browser. The file was last"
    )
    cells = page.locator("#differ-rows td").all_text_contents()
    assert cells[:3] + cells[4:7] == ["1", "2 / 2", "5 / 3", "2", "3 / –", "3 / 1"]
    # each says when it was given
    assert all(re.search(r"\d:\d\d", time) for time in (cells[3], cells[7]))
    keys(page, "s", "1", "n")  # are no keys here
    keys(page, "Tab", "Tab", "Tab", "Enter")  # neither
    assert page.locator("#start").is_visible()
    begin(page)
    assert shown(page, "said").startswith("This browser had kept 3 ratings of kim")
    keys(page, "p", "p", "p")
    assert page.locator("#intent-5").is_checked() and page.locator("#approp-3").is_checked()


@in_a_browser
def test_the_browser_s_ratings_hold_where_the_rater_says_so(later_than_the_file, tmp_path):
    page, key = later_than_the_file
    keys(page, "Tab", "Enter")
    assert shown(page, "said") == (
        "Kept this browser's 2 ratings; early.csv is as it was, so save a new one. "
        "1 more that only this browser had kept is there too."
    )
    assert shown(page, "counts") == "3 done, 3 open"
    saved(page, tmp_path / "now.csv")
    assert in_the_file(tmp_path / "now.csv", key) == LATER


@in_a_browser
def test_the_file_s_ratings_hold_where_the_rater_says_so_and_the_browser_s_are_saved_first(
    later_than_the_file, opened, tmp_path
):
    page, key = later_than_the_file
    keys(page, "Tab", "Tab")
    with page.expect_download() as download:
        keys(page, "Enter")
    name = f"ratings.{key[0]['sheet']}.kim.browser.csv"
    assert download.value.suggested_filename == name
    download.value.save_as(tmp_path / name)
    assert in_the_file(tmp_path / name, key) == LATER, "nothing is lost"
    assert shown(page, "said").startswith(
        f"Took the file's 2 ratings. What this browser had kept was saved first as {name}"
    )
    saved(page, tmp_path / "now.csv")
    mixed = [("2", "2"), ("3", ""), ("4", "1"), *[("", "")] * 3]
    assert in_the_file(tmp_path / "now.csv", key) == mixed
    # The choice holds the next time, and the file that was saved first brings the others back.
    page.close(run_before_unload=True)
    again = opened(sheet(6)[0], page.context)
    choose(again, tmp_path / name)
    again.locator("#differ").wait_for()
    assert shown(again, "differ-said").startswith("The file has 2 ratings that differ")
    cells = again.locator("#differ-rows td").all_text_contents()
    assert cells[:3] + cells[4:7] == ["1", "5 / 3", "2 / 2", "2", "3 / 1", "3 / –"]


@in_a_browser
def test_a_mark_that_was_taken_back_is_a_rating_too(opened, tmp_path):
    made, _ = sheet(6)
    page = opened(made)
    begin(page)
    keys(page, "x")
    saved(page, tmp_path / "early.csv")
    keys(page, "x")
    page.on("dialog", lambda dialog: dialog.accept())
    page.close(run_before_unload=True)
    again = opened(made, page.context)
    choose(again, tmp_path / "early.csv")
    again.locator("#differ").wait_for()
    cells = again.locator("#differ-rows td").all_text_contents()
    assert cells[:3] == ["1", "cannot be rated", "– / –"]


@in_a_browser
def test_of_two_windows_neither_overwrites_what_the_other_kept_later(opened):
    made, _ = sheet(6)
    first = opened(made)
    begin(first)
    second = opened(made, first.context)
    begin(second)
    keys(first, "4", "2", "Enter")
    second.bring_to_front()
    keys(second, "n", "3", "1")
    assert shown(second, "counts") == "2 done, 4 open"
    third = opened(made, first.context)
    begin(third)
    assert shown(third, "said").startswith("This browser had kept 2 ratings of kim")


def spelled(text):
    return f"U+{ord(text):04X}"


# Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties.txt.
IGNORABLE = [
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5)),
    *((0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164)),
    *((0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8)),
    *((0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
]


@in_a_browser
def test_everything_that_cannot_be_seen_is_spelled_out_and_emoji_stay_whole(opened):
    unseen = {n for first, last in IGNORABLE for n in range(first, last + 1)}
    unseen |= {n for n in range(sys.maxunicode + 1) if unicodedata.category(chr(n)) == "Cf"}
    text = "".join(f"a{chr(n)}" for n in sorted(unseen))
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "score 5")
    family, rainbow = "👩‍👩🏽‍👧", "🏳️‍🌈"
    whole = f"{family} {rainbow} ❤️‍🔥 👍🏽 3️⃣ ☺️ naïve Ägypten עברית"
    torn = "a\u200db 🔥\u200d b\u200d🔥 🔥\u200d\u200d🔥 3\ufe0f a\ufe0f 🔥\ufe0f\ufe0f"
    made, _ = sheet(6, texts=[text, f"Good.{hidden}", whole, torn])
    found = {}
    page = opened(made)
    begin(page)
    for item in made.items:
        found[item.description] = shown(page, "description")
        boxes = page.locator("#description .odd").count()
        assert boxes == found[item.description].count("U+")
        keys(page, "n")
    assert found[text] == "".join(f"a{spelled(chr(n))}" for n in sorted(unseen))
    assert found[f"Good.{hidden}"] == "Good." + "".join(map(spelled, hidden))
    assert found[whole] == whole
    assert found[torn] == (
        "aU+200Db 🔥U+200D bU+200D🔥 🔥U+200DU+200D🔥 3U+FE0F aU+FE0F 🔥\ufe0fU+FE0F"
    )


@in_a_browser
def test_keys_that_do_not_fit_say_so_and_rate_nothing(opened):
    made, _ = sheet(6)
    page = opened(made)
    begin(page, "4you")
    assert "A code begins with a letter" in shown(page, "trouble")
    keys(page, *["Backspace"] * 4)
    begin(page)
    assert page.locator("input:checked[type=radio]").count() == 0
    keys(page, "7")
    assert shown(page, "said") == "Intentionality goes from 0 to 5."
    keys(page, "Enter")
    assert shown(page, "said").startswith("Intentionality is open.")
    keys(page, "5", "Enter")
    assert shown(page, "said").startswith("Appropriateness is open.")
    keys(page, "x")
    assert page.locator("input:checked[type=radio]").count() == 0
    assert page.locator("#cannot").get_attribute("aria-pressed") == "true"
    keys(page, "i", "ArrowDown", "ArrowDown", "a", "ArrowUp")
    assert page.locator("#intent-1").is_checked() and page.locator("#approp-3").is_checked()
    assert page.locator("#cannot").get_attribute("aria-pressed") == "false"
    keys(page, "ArrowRight", "ArrowLeft")
    assert page.locator("#intent-1").is_checked(), "moving changes no level"
    keys(page, "?", "Tab", "Tab")
    assert page.locator("#keys").is_visible()
    keys(page, "Escape", "o", "u")
    assert shown(page, "where") == "Description 2 of 6"


@in_a_browser
def test_the_page_reads_what_spreadsheets_write_and_refuses_what_is_broken(opened, tmp_path):
    made, key = sheet(6)
    cells = [("5", "3", ""), ("", "", "yes"), *[("", "", "")] * 4]
    good = csv_text(key, cells)
    page = opened(made)
    broken = {
        "another sheet": (
            good.replace(made.sheet_id, "sheet-0"),
            "Row 2: ratings of another sheet",
        ),
        "off the scale": (
            good.replace("5,3,", "5,4,"),
            "Row 2: Appropriateness 4, expected 0 to 3",
        ),
        "twice": (good + good.splitlines()[1] + "\n", f"Row 8: {key[0]['item_id']} is there twice"),
        "not ratings": ("a,b\n1,2\n", "Row 1: this is no file of ratings"),
        "no row": (good.splitlines()[0], "The file holds no rating"),
    }
    for name, (text, words) in broken.items():
        (tmp_path / f"{name}.csv").write_text(text)
        page.locator("#file").set_input_files(tmp_path / f"{name}.csv")
        page.wait_for_function("words => document.body.innerText.includes(words)", arg=words)
    (tmp_path / "utf-16.csv").write_bytes(good.encode("utf-16"))
    page.locator("#file").set_input_files(tmp_path / "utf-16.csv")
    page.wait_for_function("() => document.body.innerText.includes('It is not UTF-8 text')")
    spreadsheet = good.replace(",", ";").replace("\n", "\r\n").encode("utf-8-sig")
    (tmp_path / "good.csv").write_bytes(spreadsheet)
    page.locator("#file").set_input_files(tmp_path / "good.csv")
    page.locator("#work").wait_for()
    assert shown(page, "counts") == "2 done, 4 open"


@in_a_browser
def test_every_control_has_a_name_and_the_page_fits_a_small_screen(opened):
    made, _ = sheet(36, clips=FULL)
    page = opened(made)
    page.set_viewport_size({"width": 900, "height": 700})
    begin(page)
    radios = page.locator("input[type=radio]")
    assert radios.count() == 10
    for scale, wordings in read_rubric().wordings.items():
        for level, words in enumerate(wordings):
            name = page.locator(f"#{scale}-{level}").evaluate("e => e.labels[0].textContent")
            assert name == f"{level}{words}"
            box = page.locator(f"#{scale}-{level}").bounding_box()
            assert box["y"] + box["height"] <= 700, "the rubric is seen without scrolling"
    for button in page.locator("button:visible").all():
        assert button.text_content().strip()
    assert page.evaluate("document.documentElement.scrollWidth") <= 900
    tops = [page.locator(f"#intent-{level}").bounding_box()["y"] for level in range(6)]
    assert all(a < b for a, b in pairwise(tops))
