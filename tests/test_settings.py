"""A configuration is read whole or refused with the key, what was expected, and the nearest key."""

import json
import re
from pathlib import Path

import pytest
import yaml

from vlmtom.errors import BadConfig
from vlmtom.settings import (
    DirectorArm,
    ModelEntry,
    ask_spec,
    load_layered,
    load_registry,
    load_settings,
)

ROOT = Path(__file__).parents[1]


def model(**changes):
    return {"endpoint": "e", "gateway_model": "lab/m", "family": "f", "lab": "l"} | changes


def registry(tmp_path, models, endpoints=None):
    endpoints = endpoints or {"e": {"kind": "embedded"}}
    path = tmp_path / "models.yaml"
    path.write_text(yaml.safe_dump({"endpoints": endpoints, "models": models}))
    return load_registry(load_settings({"testers": list(models)[:1], "models": str(path)}))


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"testers": ["a"], "directr": {}}, "directr: unknown key. Did you mean 'director'?"),
        (
            {"testers": ["a"], "director": {"arms": {"canonical": {"trails": 3}}}},
            "director.arms.canonical.trails: unknown key. Did you mean 'trials'?",
        ),
        ({"testers": ["a"], "calls": {"zzz": 3}}, "calls.zzz: unknown key. Known are: "),
        ({"testers": ["openai/gpt"]}, "testers.0: 'openai/gpt' cannot be used in a path"),
        ({"testers": ["a", "a"]}, "testers named twice: a"),
        ({"testers": []}, "testers: "),
        ({}, "testers: Field required"),
        ({"testers": ["a"], "seed": "x"}, "seed: Input should be a valid integer"),
        ({"testers": ["a"], "calls": {"attempts": 0}}, "calls.attempts: Input should be greater"),
    ],
)
def test_a_bad_configuration_is_refused_with_the_key(config, words):
    with pytest.raises(BadConfig) as error:
        load_settings(config)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [("a: [1", "not valid YAML"), ("- a\n- b\n", "expected keys and values, found list")],
)
def test_a_file_that_is_no_configuration_is_named(tmp_path, text, words):
    (tmp_path / "c.yaml").write_text(text)
    with pytest.raises(BadConfig, match=rf"c\.yaml.*{words}"):
        load_settings(tmp_path / "c.yaml")
    with pytest.raises(BadConfig, match=r"none\.yaml: no such file"):
        load_settings(tmp_path / "none.yaml")


def test_a_tester_that_the_registry_lacks_is_named_with_the_nearest(tmp_path):
    path = tmp_path / "models.yaml"
    path.write_text(
        yaml.safe_dump({"endpoints": {"e": {"kind": "embedded"}}, "models": {"gpt-x": model()}})
    )
    with pytest.raises(BadConfig, match=r"'gpt-y' is not in .* Did you mean 'gpt-x'"):
        load_registry(load_settings({"testers": ["gpt-y"], "models": str(path)}))


def test_slugs_that_would_meet_on_some_file_systems_are_refused(tmp_path):
    with pytest.raises(BadConfig, match="cannot be used in a path"):
        registry(tmp_path, {"gpt-x": model(), "GPT-X": model()})


def test_an_unknown_endpoint_is_named(tmp_path):
    with pytest.raises(BadConfig, match="'gpt-x' names the endpoint 'other'; known are e"):
        registry(tmp_path, {"gpt-x": model(endpoint="other")})


def test_a_gateway_needs_an_address(tmp_path):
    with pytest.raises(BadConfig, match="needs a base_url"):
        registry(tmp_path, {"gpt-x": model()}, {"e": {"kind": "openai"}})


def test_a_call_job_is_given_its_own_entry_alone(tmp_path):
    loaded = registry(tmp_path, {"gpt-x": model(), "gpt-y": model(gateway_model="secret/y")})
    settings = load_settings({"testers": ["gpt-x"]})
    spec = ask_spec(settings, loaded, "gpt-x", "director", 1).model_dump_json()
    assert "lab/m" in spec
    assert "gpt-y" not in spec and "secret/y" not in spec


@pytest.mark.parametrize("path", sorted((ROOT / "config").glob("*.yaml")), ids=lambda p: p.name)
def test_every_shipped_configuration_loads(path):
    if path.name == "models.yaml":
        load_registry(load_settings({"testers": ["obs-director"], "models": str(path)}))
    else:
        load_registry(load_layered(path, ROOT / "config" / "config.yaml"), ROOT)


def test_settings_are_frozen():
    settings = load_settings({"testers": ["a"]})
    with pytest.raises(Exception, match="frozen"):
        settings.seed = 3


def test_a_configuration_is_laid_over_the_default_as_snakemake_does(tmp_path):
    base, mine = tmp_path / "config.yaml", tmp_path / "mine.yaml"
    base.write_text(
        "seed: 7\ntesters: [a, b]\ndirector: {arms: {canonical: {scenes: 4, trials: 2}}}\n"
    )
    mine.write_text("testers: [c]\ndirector: {arms: {canonical: {scenes: 5}}}\n")
    settings = load_layered(mine, base)
    assert (settings.seed, settings.testers) == (7, ("c",))
    assert settings.director.arms["canonical"] == DirectorArm(scenes=5, trials=2)
    assert load_layered(base, base).testers == ("a", "b")


def test_a_key_in_the_place_of_its_variables_name_is_not_repeated(tmp_path):
    endpoints = {"e": {"kind": "openai", "base_url": "http://x/v1", "api_key_env": "sk-or-v1-0123"}}
    with pytest.raises(BadConfig, match="expected the name of an environment variable") as error:
        registry(tmp_path, {"gpt-x": model()}, endpoints)
    assert "0123" not in str(error.value)


PANEL = "testers: [a, b]\njudges: [j]\ntriangles: {}\n"


def arms(director):
    return PANEL + f"director: {{arms: {{canonical: {{}}, {director}}}}}\n"


def settings_of(tmp_path, text):
    path = tmp_path / "c.yaml"
    path.write_text(text)
    return load_settings(path)


def test_an_arm_may_be_asked_of_some_testers_only(tmp_path):
    settings = settings_of(tmp_path, arms("rule: {testers: [b]}, unasked: {}"))
    assert settings.arms_of("a", "director") == ("canonical", "unasked")
    assert settings.arms_of("b", "director") == ("canonical", "rule", "unasked")
    assert settings.arms_of("a", "triangles") == ("numbered",)


def test_an_arm_set_to_null_is_left_out(tmp_path):
    base = tmp_path / "base.yaml"
    base.write_text(arms("rule: {}, unasked: {}"))
    mine = tmp_path / "mine.yaml"
    mine.write_text("director: {arms: {rule: null}}\n")
    assert list(load_layered(mine, base).director.arms) == ["canonical", "unasked"]


@pytest.mark.parametrize(
    ("director", "problem"),
    [
        ("rule: {testers: [c]}", "director.arms.rule.testers names 'c', which is not among"),
        ("rule: {testers: [a, a]}", "director.arms.rule.testers named twice: a"),
        ("canonical: {testers: [a]}", "'canonical' is asked of every tester"),
        ("rules: {}", "no arm 'rules'. Did you mean 'rule'?"),
    ],
)
def test_what_is_wrong_with_an_arm_is_said(tmp_path, director, problem):
    with pytest.raises(BadConfig, match=re.escape(problem)):
        settings_of(tmp_path, arms(director))


def test_reasoning_changes_what_it_names_and_nothing_else():
    entry = ModelEntry.model_validate(
        model(
            sampling={"temperature": 0.5, "reasoning_effort": "none"},
            reasoning={"max_tokens": 9, "reasoning_effort": "high"},
        )
    )
    assert entry.sampling_for(False) == entry.sampling
    assert entry.sampling_for(True) == entry.sampling.model_copy(
        update={"max_tokens": 9, "reasoning_effort": "high"}
    )


@pytest.mark.parametrize(("limit", "with_reasoning"), [(None, None), (512, 8192), (20000, 20000)])
def test_reasoning_never_has_less_room_than_the_rest(limit, with_reasoning):
    entry = ModelEntry.model_validate(model(sampling={"max_tokens": limit}))
    # As a job reads it: through JSON, in which every default is written out.
    entry = ModelEntry.model_validate_json(entry.model_dump_json())
    assert entry.sampling_for(True).max_tokens == with_reasoning


def test_a_switch_that_turns_reasoning_off_can_be_turned_on_where_it_is_allowed():
    off, on = {"enable_thinking": False}, {"enable_thinking": True}
    entry = model(sampling={"extra": off})
    assert ModelEntry.model_validate(entry).sampling_for(True).extra == off
    entry["reasoning"] = {"extra": on}
    both = ModelEntry.model_validate(entry)
    assert (both.sampling_for(False).extra, both.sampling_for(True).extra) == (off, on)


def test_coders_of_traces_are_asked_judges_and_their_traces_are_counted(tmp_path):
    # Two conditions of one batch, 6 scenes, 2 replies, 1 of the 2 testers: 24 traces
    action = {
        "testers": ["t", "u"],
        "sets": {"main": 6},
        "replies": 2,
        "batches": {"q": {"conditions": ["move-visibility", "move-none", "move-count"]}},
        "traces": {
            "coders": ["c"],
            "testers": ["t"],
            "conditions": ["move-visibility", "move-none"],
        },
    }
    settings = load_settings({"testers": ["t"], "report_action": action})
    assert (settings.trace_coders, settings.traced_testers) == (("c",), ("t",))
    assert "c" in settings.asked_judges
    assert settings.traces_planned == 24


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"conditions": ["move-knows"]}, "no asked condition 'move-knows'"),
        ({"batches": ["r"]}, "no batch 'r'. Known are: q"),
        ({"testers": ["v"]}, "no tester of report_action 'v'"),
        ({"coders": ["c", "c"]}, "coders named twice: c"),
        ({"human_sample": 0, "returned": "x"}, "returned names people's codes, but"),
        ({"coder": ["c"]}, "coder: unknown key. Did you mean 'coders'?"),
    ],
)
def test_traces_that_cannot_be_coded_are_refused(change, problem):
    action = {
        "testers": ["t"],
        "sets": {"main": 6},
        "batches": {"q": {"conditions": ["move-visibility", "move-none"]}},
        "traces": {"coders": ["c"], "conditions": ["move-none"]} | change,
    }
    with pytest.raises(BadConfig) as error:
        load_settings({"testers": ["t"], "report_action": action})
    assert problem in str(error.value)


@pytest.mark.parametrize("path", sorted((ROOT / "config").glob("*.yaml")), ids=lambda p: p.name)
def test_every_shipped_configuration_survives_being_packed(path, monkeypatch):
    """What a bundle, a release, or the plan at a run's start is given is the same configuration."""
    from vlmtom.commands.packing import configuration, sources_digest

    if path.name == "models.yaml":
        return
    monkeypatch.chdir(ROOT)
    settings = load_layered(path)
    assert load_settings(json.loads(settings.model_dump_json())) == settings
    registry = load_registry(settings)
    packed, models = (
        yaml.safe_load(member.content) for member in configuration(settings, registry, text=True)
    )
    moved = {"results": "results", "models": "config/models.yaml"}
    assert load_settings(packed) == settings.model_copy(update=moved)
    assert set(models["models"]) == {*settings.asked_testers, *settings.asked_judges}
    digests = {sources_digest(settings, registry, text) for text in (True, False)}
    assert all(re.fullmatch("[0-9a-f]{16}", digest) for digest in digests)


def test_a_misspelt_tester_of_a_batch_or_a_comparison_is_told():
    asked = {
        "testers": ["obs-swayed"],
        "batches": {"b": {"conditions": ["move-visibility", "move-none"]}},
        "comparisons": {"c": {"batch": "b", "without": "move-none", "with": "move-visibility"}},
    }
    base = {"testers": ["obs-director"], "report_action": asked}
    assert load_settings(base).action_testers == ("obs-swayed",)
    for kind, name in (("batches", "b"), ("comparisons", "c")):
        entry = asked[kind][name] | {"testers": ["obs-swaied"]}
        wrong = base | {"report_action": asked | {kind: {name: entry}}}
        with pytest.raises(BadConfig, match=rf"{kind}.{name}.testers.*'obs-swayed'"):
            load_settings(wrong)


def test_a_scene_set_that_no_batch_is_asked_of_is_told():
    batches = {"b": {"conditions": ["move-visibility", "move-none"]}}
    asked = {"testers": ["obs-swayed"], "batches": batches, "sets": {"main": 9, "rotated": 9}}
    with pytest.raises(BadConfig, match=r"no batch is asked of the scene set 'rotated'"):
        load_settings({"testers": ["obs-director"], "report_action": asked})
    asked["sets"]["rotated"] = None
    assert load_settings({"testers": ["obs-director"], "report_action": asked})


def test_traces_of_conditions_that_the_traced_batches_do_not_ask_are_told():
    asked = {
        "testers": ["obs-swayed"],
        "batches": {
            "one": {"conditions": ["move-visibility", "move-none"]},
            "two": {"conditions": ["move-visibility", "want-visibility"]},
        },
        "traces": {"conditions": ["want-visibility"], "batches": ["one"]},
    }
    base = {"testers": ["obs-director"]}
    with pytest.raises(BadConfig, match="no asked condition 'want-visibility'"):
        load_settings(base | {"report_action": asked})
    asked["traces"]["batches"] = ["two"]
    assert load_settings(base | {"report_action": asked})
