"""Which testers are shown representations, by which judges they are scored, and what is refused."""

import pytest
import yaml

from vlmtom.errors import BadConfig
from vlmtom.settings import (
    REPRESENTATION_ARMS,
    ask_spec,
    load_layered,
    load_registry,
    load_settings,
    representation_spec,
)

BASE = {"testers": ["a", "o"], "judges": ["j"], "triangles": {}}


def study(**changes):
    return load_settings(BASE | {"representations": {"testers": ["g"]} | changes})


def alone(*names):
    """Arms of a configuration that shows these and no other."""
    return {name: None for name in REPRESENTATION_ARMS if name not in names}


def test_the_paper_is_the_default_nine_representations_three_of_them_with_three_trials():
    arms = study().arms("representations")
    assert tuple(arms) == REPRESENTATION_ARMS and len(arms) == 9
    assert {name for name, arm in arms.items() if arm.trials == 3} == {
        *("native_video", "frames_64", "grid_4x4")
    }
    assert {arm.trials for arm in arms.values()} == {1, 3}
    assert study().representations.repetitions == 3


def test_testers_of_the_study_need_not_be_in_the_panel():
    found = study()
    assert found.testers == ("a", "o") and found.asked_testers == ("a", "o", "g")
    assert found.testers_of("representations") == ("g",)
    assert found.testers_of("triangles") == ("a", "o")
    assert found.experiments_of("g") == ("representations",)
    assert found.experiments_of("a") == ("director", "triangles")
    assert found.experiments_of("someone to try") == ("director", "triangles")
    assert found.arms_of("a", "representations") == ()
    assert study(judges=["k"]).asked_judges == ("j", "k")


def test_observers_are_shown_them_only_where_they_are_in_the_panel():
    assert study(testers=[], observers=["o"]).shown_representations == ("o",)
    absent = study(testers=[], observers=["elsewhere"])
    assert absent.shown_representations == absent.representation_judges == ()
    assert absent.experiments == ("director", "triangles")
    assert absent.arms("representations") == {}


def test_a_panel_of_ones_own_over_the_default_is_shown_none(tmp_path):
    """Four lines are a whole configuration: no tester or judge of it pays for the study."""
    mine = {"panel": "mine", "results": "r", "testers": ["qwen-3.5-plus"], "judges": ["gpt-5"]}
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(mine))
    found = load_layered(path)
    assert found.representations is not None and found.shown_representations == ()
    assert found.asked_testers == ("qwen-3.5-plus",)
    default = load_layered("config/config.yaml")
    assert default.shown_representations == ("obs-director",)
    assert default.representation_judges == default.judges


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"arms": {"grid_8x9": {}}}, "no representation 'grid_8x9'. Did you mean 'grid_8x8'?"),
        ({"arms": {"grid_8x9": None}}, "no representation 'grid_8x9'. Did you mean 'grid_8x8'?"),
        ({"arms": {"native_video": None}}, "the reference 'native_video' is not among the arms"),
        ({"arms": {"frames_16": {"trails": 2}}}, "trails: unknown key. Did you mean 'trials'?"),
        ({"arms": {"frames_16": 2}}, "representations.arms.frames_16"),
        ({"reference": "frames_8"}, "the reference 'frames_8' is not among the arms"),
        ({"arms": alone("native_video")}, "has nothing to be compared with"),
        ({"testers": ["g", "g"]}, "testers named twice: g"),
        ({"clips": ["star", "star"]}, "clips named twice: star"),
        ({"clips": []}, "representations.clips"),
        ({"repetitions": 0}, "representations.repetitions"),
        ({"judgess": ["j"]}, "representations.judgess: unknown key. Did you mean 'judges'?"),
    ],
)
def test_a_study_that_cannot_be_is_refused(changes, words):
    with pytest.raises(BadConfig) as error:
        study(**changes)
    assert words in str(error.value)


def test_there_is_nothing_to_show_without_triangles():
    config = {"testers": ["a"], "representations": {"testers": ["g"]}}
    with pytest.raises(BadConfig, match="`triangles` is null"):
        load_settings(config)
    quiet = load_settings({"testers": ["a"], "representations": {"observers": ["a"]}})
    assert quiet.experiments == ("director",)


def test_what_is_given_is_laid_over_the_nine_and_null_leaves_one_out():
    """As a film that is no MP4, or a clip of few frames, is answered by the advice to do so."""
    found = study(arms={"native_video": None}, reference="grid_4x4").arms("representations")
    assert tuple(found) == REPRESENTATION_ARMS[1:]
    assert [found[name].trials for name in ("frames_64", "grid_4x4", "frames_16")] == [3, 3, 1]
    given = {"frames_16": {"trials": 2}, "frames_64": {}, "grid_8x8_fullres": None}
    found = study(arms=given).arms("representations")
    assert tuple(found) == tuple(n for n in REPRESENTATION_ARMS if n != "grid_8x8_fullres")
    # a representation that is named without trials keeps its own
    assert [found[name].trials for name in ("frames_16", "frames_64", "frames_32")] == [2, 3, 1]
    two = study(arms=alone("frames_64", "native_video")).arms("representations")
    assert tuple(two) == ("native_video", "frames_64")


def test_a_configuration_that_is_written_shows_the_same_when_it_is_read():
    """A bundle holds it whole: what was left out must not come back."""
    before = study(arms=alone("native_video", "grid_4x4") | {"grid_4x4": {"trials": 2}})
    written = before.model_dump(mode="json")
    assert written["representations"]["arms"]["frames_64"] is None
    assert load_settings(written) == before


def test_null_leaves_one_out_of_the_default_beneath_too(tmp_path):
    path = tmp_path / "mine.yaml"
    arms = {"native_video": None}
    path.write_text(yaml.safe_dump({"representations": {"arms": arms, "reference": "frames_64"}}))
    assert tuple(load_layered(path).arms("representations")) == REPRESENTATION_ARMS[1:]


def registry(tmp_path, settings, **entries):
    entry = {"endpoint": "e", "gateway_model": "m", "family": "f", "lab": "l"}
    models = {slug: entry | entries.get(slug, {}) for slug in ("a", "o", "g", "j")}
    endpoints = {"e": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1"}}
    (tmp_path / "models.yaml").write_text(
        yaml.safe_dump({"endpoints": endpoints, "models": models})
    )
    return load_registry(settings.model_copy(update={"models": "models.yaml"}), tmp_path)


def test_a_budget_asks_the_price_of_a_tester_outside_the_panel_too(tmp_path):
    price = {"price": {"input_usd_per_mtok": 1.0, "output_usd_per_mtok": 1.0}}
    priced = dict.fromkeys(("a", "o", "j"), price)
    limited = study().model_copy(update={"budget": 1.0})
    with pytest.raises(BadConfig, match="no price is given for g"):
        registry(tmp_path, limited, **priced)
    registry(tmp_path, limited, **priced, g=price)


def test_a_tester_outside_the_panel_must_be_in_the_registry(tmp_path):
    with pytest.raises(BadConfig, match="tester 'h' is not in"):
        registry(tmp_path, study(testers=["h"]))


def test_the_jobs_have_one_window_and_each_repetition_a_seed(tmp_path):
    settings = study().model_copy(update={"windows": 3})
    known = registry(tmp_path, settings)
    asked = ask_spec(settings, known, "g", "representations", 1)
    assert (asked.windows, asked.topic, asked.arms) == (1, "representations", REPRESENTATION_ARMS)
    judged = representation_spec(settings, known, "j")
    assert (judged.topic, judged.trials, judged.overlay) == ("representations", 3, "blinded")
    assert judged.model.sampling.send_seed and judged.model.sampling.temperature == 0.0
