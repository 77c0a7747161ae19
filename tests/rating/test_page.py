"""The sheet in a browser: rated by keyboard alone, saved, closed, resumed, read back as typed."""

import json
import random
import re
import shutil
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
    keys(again, "Tab", "Tab", "Tab", "Enter")  # past the button and the file: go on as kim
    assert shown(again, "said").startswith("This browser had kept 2 ratings of kim")
    assert shown(again, "counts") == "2 done, 4 open"
    assert shown(again, "where") == "Description 3 of 6"


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
