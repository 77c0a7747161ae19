"""Commands know the study: plan and money, what is shown, status, adoption, renaming, a try."""

import pytest

from tests.commands.test_plan import PRICE, line_of, planned, unrendered
from vlmtom.commands.estimate import FILM_TOKENS, picture_tokens, text_tokens
from vlmtom.commands.places import Places, experiments
from vlmtom.commands.shown import shown
from vlmtom.commands.status import look
from vlmtom.commands.unjournalled import tables
from vlmtom.settings import load_registry, load_settings
from vlmtom.triangles.layouts import REPRESENTATIONS

ARMS = {"native_video": {"trials": 3}, "frames_64": {"trials": 2}, "grid_8x8": {"trials": 1}}
SHOWN = dict.fromkeys(REPRESENTATIONS) | ARMS  # no other
STUDY = {"testers": ["g"], "judges": ["k"], "arms": SHOWN, "repetitions": 3}


@pytest.fixture
def folder(tmp_path):
    unrendered(
        tmp_path,
        testers=("t1", "g"),
        judges=("j", "k"),
        entries={"g": {"price": PRICE}, "k": {"price": PRICE}},
        triangles={"arms": {"numbered": {"trials": 1}}},
        representations=STUDY,
    )
    config = (tmp_path / "config.yaml").read_text()
    # Both testers and judges are known; of the panel are the first ones alone.
    config = config.replace("testers:\n- t1\n- g\n", "testers:\n- t1\n")
    (tmp_path / "config.yaml").write_text(config.replace("judges:\n- j\n- k\n", "judges:\n- j\n"))
    return tmp_path


def test_the_plan_counts_calls_tokens_and_dollars_of_the_study(folder):
    found = planned(folder)
    line = line_of(found, "g", "representations")
    assert (line.planned, line.estimate.calls) == (18, 18)  # 3 clips x (3 + 2 + 1)
    prompts = {name: text_tokens(REPRESENTATIONS[name].prompt) for name in ARMS}
    # a frame of 1280x720 is 1,228.8 by 750 pixels a token, a grid of 2560x1920 counts as the most
    frame, grid = picture_tokens((1280, 720)), picture_tokens((2560, 1920))
    assert (frame, grid) == (1229, 1600)
    expected = 3 * (
        3 * (FILM_TOKENS + prompts["native_video"])
        + 2 * (64 * frame + prompts["frames_64"])
        + (grid + prompts["grid_8x8"])
    )
    assert line.estimate.prompt_tokens == expected
    assert line.estimate.completion_tokens == 18 * 120
    assert line.estimate.cost_usd == pytest.approx((expected * 2 + 18 * 120 * 10) / 1e6)
    judge = line_of(found, "k", "representations")
    # 18 descriptions that are not written yet, judged three times each
    assert (judge.planned, judge.assumed, judge.estimate.calls) == (54, 54, 54)
    topics = {(one.who, one.topic) for one in found.lines}
    assert ("g", "director") not in topics and ("t1", "representations") not in topics
    assert ("j", "representations") not in topics


def test_what_is_shown_before_rendering_is_known_by_size_alone(folder):
    settings = load_settings(folder / "config.yaml")
    settings = settings.model_copy(update={"results": str(folder / "results")})
    found = shown(settings, "representations", exact=False)
    assert found.stand_in and len(found.items) == 9
    films = [item["turns"][0]["video"] for item in found.items if item["arm"] == "native_video"]
    assert len(set(films)) == 3


def test_status_has_a_line_for_each_job_of_the_study(folder):
    settings = load_settings(folder / "config.yaml")
    assert experiments(settings) == ["director", "triangles", "representations"]
    here = settings.model_copy(update={"results": str(folder / "results")})
    lines = {(one.who, one.topic) for one in look(here, load_registry(settings, folder))}
    assert {("g", "representations"), ("k", "representations")} <= lines
    assert ("t1", "representations") not in lines


def test_tables_of_the_study_are_tables_that_need_a_journal(tmp_path):
    places = Places(tmp_path)
    for path in (
        places.replies("g") / "representations.w1.parquet",
        places.representations("k"),
        places.verdicts("k") / "blinded.numbered.parquet",
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert [topic for _, topic in tables(tmp_path)] == [
        "representations",
        "blinded.numbered",
        "representations",
    ]
