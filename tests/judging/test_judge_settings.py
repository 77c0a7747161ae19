"""Judges are entries of the registry like testers; a job is given its own entry alone."""

import pytest
import yaml

from vlmtom.errors import BadConfig
from vlmtom.settings import (
    OVERLAY_ARMS,
    exemplar_spec,
    judge_spec,
    load_registry,
    load_settings,
)

TRIANGLES = {"testers": ["t"], "judges": ["j"], "triangles": {}}


def registry(tmp_path, **entries):
    model = {"endpoint": "e", "gateway_model": "lab/m", "family": "f", "lab": "l"}
    models = {name: model | changes for name, changes in entries.items()}
    path = tmp_path / "models.yaml"
    path.write_text(yaml.safe_dump({"endpoints": {"e": {"kind": "embedded"}}, "models": models}))
    return str(path)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"judges": []}, "no judge scores their descriptions; name at least one entry"),
        ({"judges": ["j", "j"]}, "judges named twice: j"),
        ({"judges": ["lab/j"]}, "judges.0: 'lab/j' cannot be used in a path"),
        (
            {"triangles": {"arms": {"numberd": {}}}},
            "triangles: no arm 'numberd'. Did you mean 'numbered'?",
        ),
        (
            {"triangles": {"arms": {"numbered": {"trails": 1}}}},
            "triangles.arms.numbered.trails: unknown key. Did you mean 'trials'?",
        ),
        ({"triangles": {"arms": {}}}, "triangles.arms: "),
        ({"triangles": {"fit": "crop"}}, "triangles.fit: Input should be 'pad' or 'stretch'"),
        ({"judging": {"overlay": []}}, "judging.overlay: unknown key. Did you mean 'overlays'?"),
        ({"judging": {"overlays": ["blind"]}}, "no overlay 'blind'. Did you mean 'blinded'?"),
        ({"judging": {"overlays": ["informed"]}}, "the overlay 'blinded' is missing"),
        (
            {"triangles": {"arms": {"numbered": {}, "plain": {"testers": []}}}},
            "triangles.arms.plain.testers: Tuple should have at least 1 item",
        ),
        ({"judging": {"overlays": ["blinded"] * 2}}, "overlays named twice: blinded"),
        (
            {"judging": {"candidates": ["k"]}},
            "k would never be asked: flagships and candidates are judges of the validation",
        ),
        (
            {"judging": {"repetitions": 5, "candidates": ["k"], "flagships": ["k"]}},
            "judging: flagships and candidates named twice: k",
        ),
        (
            {"judging": {"repetitions": 5, "candidates": ["j"]}},
            "judges, judging.flagships and judging.candidates named twice: j",
        ),
        ({"judging": {"reasks": -1}}, "judging.reasks: Input should be greater"),
    ],
)
def test_a_bad_configuration_of_triangles_or_judging_is_refused_with_the_key(changes, words):
    with pytest.raises(BadConfig) as error:
        load_settings(TRIANGLES | changes)
    assert words in str(error.value)


def test_a_run_without_triangles_needs_no_judge():
    settings = load_settings({"testers": ["t"]})
    assert settings.triangles is None and settings.judges == ()


def test_a_judge_that_the_registry_lacks_is_named_with_the_nearest(tmp_path):
    path = registry(tmp_path, t={}, judgy={})
    settings = load_settings(TRIANGLES | {"judges": ["judge"], "models": path})
    with pytest.raises(BadConfig, match=r"judge 'judge' is not in .* Did you mean 'judgy'"):
        load_registry(settings)


def test_a_verdict_job_is_given_its_judge_alone_at_temperature_0_without_a_seed(tmp_path):
    path = registry(
        tmp_path,
        t={"gateway_model": "secret/t"},
        j={"sampling": {"temperature": 1.0, "max_tokens": 64}, "json_schema": False},
    )
    settings = load_settings(TRIANGLES | {"models": path, "judging": {"reasks": 4}})
    spec = judge_spec(settings, load_registry(settings), "j", "blinded", "numbered")
    assert (spec.role, spec.slug, spec.topic, spec.reasks) == ("judge", "j", "blinded.numbered", 4)
    sampling = spec.model.sampling
    assert (sampling.temperature, sampling.send_seed, sampling.max_tokens) == (0, False, 64)
    assert spec.model.json_schema is False
    assert "secret" not in spec.model_dump_json()


def test_the_battery_is_of_the_panel_s_judges_flagships_and_candidates_with_seeds(tmp_path):
    path = registry(tmp_path, t={}, j={}, f={}, c={"sampling": {"send_seed": False}})
    battery = {"repetitions": 5, "flagships": ["f"], "candidates": ["c"]}
    settings = load_settings(TRIANGLES | {"models": path, "judging": battery})
    known = load_registry(settings)
    roles = {"j": "chosen", "f": "flagship", "c": "candidate"}
    assert settings.judge_roles == roles
    assert settings.asked_judges == settings.battery == tuple(roles)
    spec = exemplar_spec(settings, known, "f")
    assert (spec.topic, spec.trials, spec.model.sampling.temperature) == ("exemplars", 5, 0)
    assert spec.model.sampling.send_seed and not spec.expected
    assert not exemplar_spec(settings, known, "c").model.sampling.send_seed
    with pytest.raises(BadConfig, match="judge 'c' is not in"):
        load_registry(load_settings(TRIANGLES | {"models": registry(tmp_path, t={}, j={}, f={}),
                                                 "judging": battery}))  # fmt: skip


def test_without_repetitions_or_triangles_there_is_no_battery():
    assert load_settings(TRIANGLES).battery == ()
    assert load_settings({"testers": ["t"], "judging": {"repetitions": 5}}).battery == ()


def test_the_informed_overlay_is_told_of_two_arms_alone_and_its_job_knows_the_levels(tmp_path):
    path = registry(tmp_path, t={}, j={})
    judging = {"overlays": ["blinded", "informed"]}
    settings = load_settings(TRIANGLES | {"models": path, "judging": judging})
    assert settings.judged == {"blinded": ["numbered"], "informed": ["numbered"]}
    assert OVERLAY_ARMS == {"blinded": None, "informed": ("plain", "numbered")}
    known = load_registry(settings)
    assert judge_spec(settings, known, "j", "informed", "numbered").expected["ToM"] == "4 to 5"
    assert judge_spec(settings, known, "j", "blinded", "numbered").expected == {}
