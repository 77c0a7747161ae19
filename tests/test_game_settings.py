"""Who plays the treasure game: what a configuration asks for, and what it brings along."""

import pytest

from vlmtom.errors import BadConfig
from vlmtom.settings import MosaicPair, load_registry, load_settings, pair_kind, play_spec

AGENTS = {"pcm": {"policy": "pcm"}, "weak": {"policy": "pcm", "horizon": 1}}
PAIRS = [{"subject": "weak", "participant": "pcm"}]


def names(testers=("a",), **game):
    beneath = {"agents": AGENTS, "ablations": ["pcm", "weak"], "pairs": PAIRS, "observers": ["obs"]}
    settings = load_settings({"testers": list(testers), "mosaic": beneath | game})
    return [pair.name for pair in settings.mosaic_pairs], settings


def test_the_game_follows_its_observers_only():
    assert names()[0] == []
    assert "mosaic" not in names()[1].experiments
    with_observer, settings = names(testers=("a", "obs"))
    assert with_observer == ["pcm+pcm", "weak+weak", "weak+pcm", "obs+obs"]
    assert "mosaic" in settings.experiments
    assert settings.mosaic_testers == ("obs",)


def test_beside_models_the_reference_agent_plays_and_no_other():
    assert names(observers=[], testers=("a",), pairs=[])[0] == []
    alone = load_settings(
        {
            "testers": ["a"],
            "mosaic": {"testers": ["a"], "agents": AGENTS, "ablations": ["pcm", "weak"]},
        }
    )
    assert [pair.name for pair in alone.mosaic_pairs] == ["pcm+pcm", "a+a"]


def test_a_pair_with_a_model_is_played_where_nobody_plays_itself():
    cross = [{"subject": "a", "participant": "pcm"}, *PAIRS]
    found, settings = names(pairs=cross)
    assert found == ["pcm+pcm", "a+pcm"]
    assert settings.mosaic_testers == ("a",)
    assert settings.experiments_of("a") == ("director", "mosaic")


def test_arms_are_of_those_that_play_themselves():
    found, _ = names(testers=["obs"], arms={"obs": ["none", "blank"]}, ablations=[], pairs=[])
    assert found == ["obs+obs+none", "obs+obs+blank"]
    with pytest.raises(BadConfig, match=r"no tester of the game 'obz'\. Did you mean 'obs'"):
        names(arms={"obz": ["none"]})


@pytest.mark.parametrize(
    ("game", "message"),
    [
        ({"ablations": ["pcn"]}, "no agent 'pcn'. Did you mean 'pcm'?"),
        ({"agents": {"a": {"policy": "fixed", "direction": "up"}}}, "no direction 'up'"),
        ({"agents": {"obs": {"policy": "pcm"}}, "ablations": []}, "give the agent another name"),
        ({"pairs": [PAIRS[0], PAIRS[0]]}, "pairs named twice: weak+pcm"),
        ({"trails": 3}, "trials"),
        (
            {"card": {"subject": "pcm", "participant": "pcm", "trial": 51}},
            "the card shows trial 51, but there are 50",
        ),
    ],
)
def test_a_wrong_key_or_name_is_said_with_the_nearest(game, message):
    with pytest.raises(BadConfig, match=message.replace("?", "[?]").replace("+", "[+]")):
        names(**game)


def test_a_pair_is_a_models_an_observers_or_mixed():
    settings = load_settings(
        {
            "testers": ["qwenvl-2b"],
            "mosaic": {
                "testers": ["qwenvl-2b", "obs-director"],
                "agents": AGENTS | {"said": {"policy": "pcm", "voice": "qwenvl-2b"}},
            },
        }
    )
    registry = load_registry(settings)
    kinds = {
        (subject, participant): pair_kind(
            settings, registry, MosaicPair(subject=subject, participant=participant)
        )
        for subject, participant in (
            ("qwenvl-2b", "qwenvl-2b"),
            ("pcm", "pcm"),
            ("obs-director", "pcm"),
            ("qwenvl-2b", "pcm"),
            ("obs-director", "qwenvl-2b"),
            ("said", "said"),
        )
    }
    assert list(kinds.values()) == ["model", "observer", "observer", "mixed", "mixed", "mixed"]


def test_a_job_is_given_its_own_pair_and_models_alone():
    settings = load_settings(
        {
            "testers": ["qwenvl-2b"],
            "mosaic": {"testers": ["qwenvl-2b", "internvl-1b"], "agents": AGENTS, "trials": 3},
        }
    )
    registry = load_registry(settings)
    pair = MosaicPair(subject="qwenvl-2b", participant="pcm")
    spec = play_spec(settings, registry, pair, "coop-tom1")
    assert (list(spec.models), list(spec.agents)) == (["qwenvl-2b"], ["pcm"])
    assert spec.models["qwenvl-2b"].topic == "mosaic.qwenvl-2b+pcm.coop-tom1"
    assert "internvl-1b" not in spec.model_dump_json()
    assert spec.game.trials == 3
