"""Which agent a configured policy is, and with what."""

import asyncio

import numpy as np
import pytest

from vlmtom.mosaic import embedded
from vlmtom.mosaic.agent import Moment
from vlmtom.mosaic.baselines import Fixed, Random, Silent
from vlmtom.mosaic.beliefs import initial
from vlmtom.mosaic.conditions import BY_SLUG
from vlmtom.mosaic.embedded import embedded_agent, pcm_settings
from vlmtom.mosaic.pcm.agent import PCMAgent
from vlmtom.mosaic.pcm.settings import PCMSettings
from vlmtom.mosaic.world import start
from vlmtom.settings import MosaicAgent

AGENTS = {"pcm": PCMAgent, "random": Random, "silent": Silent, "fixed": Fixed}


@pytest.mark.parametrize("policy", AGENTS)
def test_every_policy_that_can_be_configured_is_an_agent(policy):
    agent = embedded_agent(MosaicAgent(policy=policy), "subject", np.random.default_rng(1))
    assert type(agent) is AGENTS[policy]
    moment = Moment(start(), initial("subject", BY_SLUG["coop-tom0"], 0), 1)
    assert asyncio.run(agent.act(moment)).action.kind in ("move", "rotate", "stay idle")
    assert agent.calls == []


def test_a_fixed_agent_goes_where_it_is_configured_to():
    entry = MosaicAgent(policy="fixed", direction="left")
    agent = embedded_agent(entry, "subject", np.random.default_rng(1))
    moment = Moment(start(), initial("subject", BY_SLUG["coop-tom0"], 0), 1)
    assert asyncio.run(agent.act(moment)).action.direction == "left"


def test_the_configured_defaults_are_the_agents():
    assert pcm_settings(MosaicAgent(policy="pcm")) == PCMSettings()


def test_all_that_is_configured_reaches_the_agent():
    numbers = {"horizon": 2, "effort": 0.3, "epistemic": 0.1, "sensitivity": 0.9, "noise": 0.2}
    entry = MosaicAgent(policy="pcm", verbal=False, **numbers)
    assert pcm_settings(entry) == PCMSettings(verbal=False, modelled_sensitivity=0.9, **numbers)


def test_the_frame_reaches_the_agent(monkeypatch):
    seen = []

    def agent(role, rng, frame, settings):
        seen.append(frame)

    monkeypatch.setattr(embedded, "PCMAgent", agent)
    embedded_agent(MosaicAgent(policy="pcm"), "subject", np.random.default_rng(1), "home")
    assert seen == ["home"]
