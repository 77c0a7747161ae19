"""`vlmtom try`: what it asks, what its page shows, what it leaves behind, and how it fails."""

import html
import html.parser
import re

import pytest
import yaml

from tests.commands.helpers import MODEL, vlmtom
from tests.loopback.server import Fault, LoopbackServer, completion, says
from vlmtom.commands.shown import built, instrument
from vlmtom.commands.try_ import chosen
from vlmtom.settings import ask_spec, load_registry, load_settings
from vlmtom.store import read_rows, schemas, write_rows

pytestmark = pytest.mark.timeout(120)

KEY = "sk-loopback-0123456789abcdef"
HOSTILE = (
    "</td></table><script>alert(1)</script><img src=x onerror=alert(2)><style>*{display:none}"
    "</style><a href='javascript:alert(3)'>x</a>{{ 7*7 }} \x00\x1b[31m \ud800 end"
)
PRICE = {"input_usd_per_mtok": 2.0, "output_usd_per_mtok": 10.0}
OBSERVER = {
    "endpoint": "embedded", "kind": "observer", "gateway_model": "obs-own-view", "family": "f",
    "lab": "l", "sampling": {"max_tokens": None},
}  # fmt: skip
TRIANGLES = {"judges": ["obs"], "triangles": {"arms": {"numbered": {"trials": 3}}}}


def project(folder, base_url="http://127.0.0.1:9/v1", config=(), endpoint=(), **entry):
    """A configuration of two scenes with the panel [obs]; t1 is in the registry alone."""
    registry = {
        "endpoints": {
            "loop": {"kind": "openai", "base_url": base_url, **dict(endpoint)},
            "embedded": {"kind": "embedded"},
        },
        "models": {"t1": MODEL | {"gateway_model": "vendor/t1"} | entry, "obs": OBSERVER},
    }
    content = {
        "testers": ["obs"],
        "models": "models.yaml",
        "director": {"arms": {"canonical": {"scenes": 3, "trials": 3}}},
        "calls": {"backoff_s": 0.05, "max_backoff_s": 0.2},
    }
    (folder / "models.yaml").write_text(yaml.safe_dump(registry))
    (folder / "config.yaml").write_text(yaml.safe_dump(content | dict(config)))
    return folder


def attempt(folder, *arguments, **environment):
    options = ("--config", "config.yaml", *arguments)
    return vlmtom(folder, "try", *options, **environment)


def files(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def read(page):
    return (page / "index.html").read_text(encoding="utf-8")


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.images = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attributes}
        self.images += [value for name, value in attributes if (tag, name) == ("img", "src")]


def images_sent(server):
    parts = (
        part
        for body in server.stats.received
        for message in body["messages"]
        for part in message["content"]
    )
    return {part["image_url"]["url"] for part in parts if part["type"] == "image_url"}


def test_a_try_asks_a_few_items_of_each_arm_and_shows_what_came_back(tmp_path):
    with LoopbackServer(says("Answer: A (red)"), latency_s=0.01) as server:
        project(tmp_path, server.base_url, price=PRICE, sampling={"temperature": 0.5})
        before = files(tmp_path)
        done = attempt(tmp_path, "t1", "--out", "look")
    assert done.returncode == 0, done.stderr
    # Of two scenes the first under a, b and c, the other under a.
    assert server.stats.requests == 4
    assert {name for name in files(tmp_path) - before if not name.startswith("look/")} == set()

    page = read(tmp_path / "look")
    shown = Page(page)
    assert len(shown.images) == 2
    assert set(shown.images) == images_sent(server)  # byte for byte
    for body in server.stats.received:
        assert body["messages"][0]["content"][-1]["text"] in html.unescape(page)
    assert page.count("Answer: A (red)</div>") == 4
    assert "vendor/t1" in page
    assert '"temperature": 0.5' in html.unescape(page)

    lines = done.stdout.splitlines()
    items = [line.split()[:4] for line in lines[1:5]]
    assert items == [["canonical", scene, sub, "ok"] for scene, sub in
                     (("Q01", "a"), ("Q01", "b"), ("Q01", "c"), ("Q02", "a"))]  # fmt: skip
    # A reply of 900 and 12 tokens costs (900 x 2 + 12 x 10) / 1e6 = 0.00192 USD; the run of
    # 3 scenes x 3 prompts x 3 trials = 27 calls 0.05184, at most 27 x (1800 + 1024 x 10) / 1e6.
    assert " 0.00192 " in lines[1]
    assert "This try: 4 calls, 0.0077 USD." in done.stdout
    assert "the whole run of t1 costs about 0.0518 USD, at most 0.3251 USD (27 calls" in done.stdout
    assert 'sent: {"max_tokens": 1024, "temperature": 0.5}, and each trial\'s seed' in done.stdout
    assert "served model: vendor/t1" in done.stdout
    assert "look/index.html" in done.stdout


def test_the_failure_mode_is_the_one_that_scoring_gives(tmp_path):
    settings = load_settings(project(tmp_path) / "config.yaml")
    key = built(settings, "director", 1).keys[1]
    color = dict(zip(key["labels"], key["colors"], strict=True))[key["hidden"]]
    with LoopbackServer(says(f"Answer: {key['hidden']} ({color})")) as server:
        project(tmp_path, server.base_url)
        done = attempt(tmp_path, "t1", "--out", "look", "--items", "1")
    assert f"b: {color}: egocentric" in done.stdout
    assert f"{color}: egocentric" in read(tmp_path / "look")


def test_rendered_stimuli_are_shown_as_they_are_and_are_the_same_as_unrendered_ones(tmp_path):
    bodies = []
    for rendered in (False, True):
        with LoopbackServer() as server:
            settings = load_settings(project(tmp_path, server.base_url) / "config.yaml")
            if rendered:
                made = built(settings, "director")
                stimuli = tmp_path / "results/stimuli/director"
                write_rows(stimuli / "items.parquet", made.items, schemas.ITEMS)
                write_rows(stimuli / "pictures.parquet", made.pictures, schemas.PICTURES)
                keys = tmp_path / "results/keys/director.parquet"
                write_rows(keys, made.keys, schemas.DIRECTOR_KEYS)
            assert attempt(tmp_path, "t1", "--out", f"look{rendered}").returncode == 0
            bodies.append(server.stats.bodies)
    assert bodies[0] == bodies[1]


def test_a_try_goes_into_a_folder_of_its_own_with_one_trial_an_item_and_no_key(tmp_path):
    with LoopbackServer() as server:
        project(tmp_path, server.base_url, endpoint={"api_key_env": "TRY_KEY"})
        done = attempt(tmp_path, "t1", TRY_KEY=KEY)
        assert done.returncode == 0, done.stderr
        assert attempt(tmp_path, "t1", TRY_KEY=KEY).returncode == 0
    assert server.stats.authorizations == {f"Bearer {KEY}"}
    first, second = sorted((tmp_path / "results/try").iterdir())
    assert re.fullmatch(r"t1-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d", first.name)
    assert files(tmp_path / "results") == {
        f"try/{folder.name}/{name}" for folder in (first, second) for name in files(folder)
    }
    items = read_rows(first / "stimuli/director/items.parquet", schemas.ITEMS)
    assert [item["trials"] for item in items] == [1] * 4
    assert len(read_rows(first / "replies/director.w1.parquet", schemas.REPLIES)) == 4
    assert not any(KEY.encode() in path.read_bytes() for path in first.rglob("*.*"))


def test_an_observer_is_tried_without_a_server_and_at_no_cost(tmp_path):
    project(tmp_path, config=TRIANGLES)
    done = attempt(tmp_path, "obs", "--out", "look")
    assert done.returncode == 0, done.stderr
    # Q01 under a, b, c and Q02 under a; two clips
    assert "This try: 6 calls, no cost." in done.stdout
    # 3 scenes x 3 prompts x 3 trials + 12 clips x 3 trials
    assert "The whole run of obs takes 63 calls on this machine; no cost." in done.stdout
    assert re.search(r"numbered +\w+ +ok .* words: \d+", done.stdout)
    page = read(tmp_path / "look")
    assert "an observer, not a model" in page
    assert "no judge was asked" in page
    assert len(Page(page).images) == 4


def test_the_same_clips_are_drawn_again_and_others_by_another_seed(tmp_path):
    settings = load_settings(project(tmp_path, config=TRIANGLES) / "config.yaml")
    spec = ask_spec(settings, load_registry(settings, tmp_path), "obs", "triangles", 1)
    made = instrument(settings, "triangles", 2)
    drawn = [
        [item["stimulus"] for item in chosen(made, spec.model_copy(update={"seed": s}), 2).items]
        for s in (1, 1, 2, 3)
    ]
    assert drawn[0] == drawn[1]
    assert len({tuple(names) for names in drawn}) > 1
    assert len(chosen(made, spec, 99).items) == 12


def test_hostile_replies_are_inert_on_the_page_and_in_the_terminal(tmp_path):
    with LoopbackServer(says(HOSTILE, provider=HOSTILE, reasoning=HOSTILE)) as server:
        project(tmp_path, server.base_url)
        done = attempt(tmp_path, "t1", "--out", "look")
    assert done.returncode == 0, done.stderr
    page = read(tmp_path / "look")
    shown = Page(page)
    assert not {"script", "a", "iframe", "object", "form"} & set(shown.tags)
    assert not [name for name in shown.attributes if name.startswith("on")]
    assert all(image.startswith("data:image/png;base64,") for image in shown.images)
    assert "&lt;script&gt;alert(1)" in page
    assert "{{ 7*7 }}" in page
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in page
    assert "pictures.css" not in page
    assert "\x1b" not in page + done.stdout
    assert "</td></table><script>alert(1)" in done.stdout  # harmless there


def test_a_hostile_model_id_is_inert_too(tmp_path):
    with LoopbackServer(says("A", model=HOSTILE)) as server:
        project(tmp_path, server.base_url)
        done = attempt(tmp_path, "t1", "--out", "look")
    page = read(tmp_path / "look")
    assert not {"script", "a"} & set(Page(page).tags)
    assert "\x1b" not in page + done.stdout
    assert "None of the replies can be used (model_mismatch 4)." in done.stdout


def test_what_was_not_reported_is_a_dash_and_the_cost_of_a_run_is_said_to_be_unknown(tmp_path):
    with LoopbackServer(lambda body: completion(body, "A", usage=None)) as server:
        project(tmp_path, server.base_url)
        done = attempt(tmp_path, "t1", "--out", "look")
    assert re.search(r" – +– +– +\d\.\d", done.stdout.splitlines()[1])
    assert "This try: 4 calls, cost not known." in done.stdout
    assert "no tokens were reported" in done.stdout
    assert "Its cost is not known: no price in models.yaml." in done.stdout


# --- what goes wrong -------------------------------------------------------------------------


def test_an_unknown_tester_is_told_with_the_nearest_name(tmp_path):
    done = attempt(project(tmp_path), "t11")
    assert done.returncode == 1
    assert "no model 't11' in models.yaml. Did you mean 't1'?" in done.stderr
    assert not (tmp_path / "results").exists()


def test_a_missing_key_is_told_before_anything_is_made(tmp_path):
    done = attempt(project(tmp_path, endpoint={"api_key_env": "NO_SUCH_KEY"}), "t1")
    assert done.returncode == 1
    assert "the environment variable NO_SUCH_KEY is not set" in done.stderr
    assert not (tmp_path / "results").exists()


def test_a_server_that_is_down_is_told_with_its_address_and_what_to_check(tmp_path):
    done = attempt(project(tmp_path), "t1")
    assert done.returncode == 1
    assert "http://127.0.0.1:9/v1 does not answer. Is the server running there?" in done.stderr
    assert "curl http://127.0.0.1:9/v1/models" in done.stderr
    assert list((tmp_path / "results/try").iterdir()) == []  # so that --out can be given again
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (Fault(404), "does not know the model 'vendor/t1'"),
        (Fault(401), "asks for a key. Name its variable as api_key_env"),
        (Fault(402), "says that the account has no money or credit left"),
        (Fault(400), "gave no reply that can be used. Correct the entry of 't1' in models.yaml"),
        (Fault(429, headers={"Retry-After": "9999"}), "takes no more requests now"),
    ],
)
def test_a_server_that_refuses_is_told_with_what_to_correct(tmp_path, fault, message):
    with LoopbackServer(faults=[fault], fault_rate=1) as server:
        project(tmp_path, server.base_url)
        done = attempt(tmp_path, "t1")
    assert done.returncode == 1
    assert message in done.stderr
    assert "loopback fault" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_model_that_may_not_see_pictures_is_told(tmp_path):
    with LoopbackServer(says("Answer: A (blue)")) as server:
        project(tmp_path, server.base_url, probe=True)
        done = attempt(tmp_path, "t1", "--out", "look")
    assert done.returncode == 0, done.stderr
    assert server.stats.requests == 5  # the red square first
    assert "the model did not say red" in done.stdout
    assert "the model did not say red" in read(tmp_path / "look")


@pytest.mark.parametrize(
    ("script", "answer", "message"),
    [
        ([Fault(404)], says("red"), "does not know the model 'vendor/t1'"),
        ([], says("red", model="vendor/other"), "the endpoint served 'vendor/other'"),
    ],
)
def test_a_first_call_that_fails_is_the_last(tmp_path, script, answer, message):
    with LoopbackServer(answer, script=script) as server:
        project(tmp_path, server.base_url, probe=True)
        done = attempt(tmp_path, "t1")
    assert done.returncode == 1
    assert message in done.stderr
    assert server.stats.requests == 1


def test_a_call_that_brings_nothing_is_told_and_the_others_are_shown(tmp_path):
    with LoopbackServer(says("Answer: A (red)"), script=[Fault(400)]) as server:
        project(tmp_path, server.base_url, concurrency=1)
        done = attempt(tmp_path, "t1", "--out", "look")
    assert done.returncode == 1
    assert "1 of 4 calls brought no reply: status 400: loopback fault 400" in done.stdout
    assert read(tmp_path / "look").count("Answer: A (red)</div>") == 3


def test_an_experiment_that_brings_nothing_does_not_hide_the_other(tmp_path):
    script = [None] * 4 + [Fault(404)] * 2
    with LoopbackServer(says("Answer: A (red)"), script=script) as server:
        project(tmp_path, server.base_url, config=TRIANGLES)
        done = attempt(tmp_path, "t1", "--out", "look")
    assert done.returncode == 1
    assert "does not know the model 'vendor/t1'" in done.stderr
    assert read(tmp_path / "look").count("Answer: A (red)</div>") == 4


def test_replies_that_cannot_be_used_are_shown_with_what_to_change(tmp_path):
    with LoopbackServer(says("Answer", finish_reason="length")) as server:
        project(tmp_path, server.base_url)
        done = attempt(tmp_path, "t1", "--out", "look")
    assert done.returncode == 1
    assert "None of the replies can be used (truncated 4)." in done.stdout
    assert "max_tokens for truncated" in done.stdout
    assert (tmp_path / "look/index.html").exists()


def test_a_folder_that_is_in_use_is_not_written_to(tmp_path):
    project(tmp_path)
    (tmp_path / "look").mkdir()
    (tmp_path / "look/mine.txt").write_text("mine")
    done = attempt(tmp_path, "t1", "--out", "look")
    assert done.returncode == 1
    assert "look is there already and not empty. Give another --out." in done.stderr
    assert files(tmp_path / "look") == {"mine.txt"}


def test_fewer_than_one_item_is_wrong_usage(tmp_path):
    done = attempt(project(tmp_path), "t1", "--items", "0")
    assert done.returncode == 2
    assert "expected --items of 1 or more" in done.stderr
