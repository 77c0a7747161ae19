"""What chance, silence and habit do, and what they score."""

import asyncio
from collections import Counter

import numpy as np
import pytest

from benchmarks.pcm import cell, fixed, pcm, played, random, silent
from vlmtom.mosaic.agent import Moment
from vlmtom.mosaic.baselines import ACTIONS, Fixed, Random
from vlmtom.mosaic.beliefs import initial
from vlmtom.mosaic.conditions import BY_SLUG, CONDITIONS
from vlmtom.mosaic.pcm.speech import STATEMENTS, asked, told
from vlmtom.mosaic.world import start

COOP, DECEIVE = BY_SLUG["coop-tom0"], BY_SLUG["comp-tom1"]
MOMENT = Moment(start(), initial("subject", COOP, 0), 1)


def test_silent_agents_find_nothing_and_show_nothing():
    found = cell(COOP, 6, 1, silent)
    assert (found.tocs, found.uncertain) == (0, 1)
    assert (found.tas, found.gas, found.fes, found.s_eq12, found.told) == (0, 0, 0, 0, 0)


def test_two_that_always_go_right_choose_one_box_against_every_signal():
    # Facing each other, right forward leads the subject to x > 0 and the participant to x < 0:
    # the explanation of a bias of 1 with a sensitivity of -1.
    found = cell(COOP, 12, 1, fixed)
    assert (found.bias, found.s_traj, found.uncertain) == (1, -1, 0)


def test_a_fixed_agent_goes_on_where_it_is_blocked():
    steps = played(COOP, 1, 1, fixed, silent).steps
    subject = [s for s in steps if s["role"] == "subject"][1:]
    assert {s["direction"] for s in subject} == {"right forward"}
    # (0, -4) to (5, 1), the edge, then nothing
    assert [s["blocked"] for s in subject] == [False] * 5 + [True] * 5
    assert (subject[-1]["x"], subject[-1]["y"]) == (5, 1)


def test_a_direction_that_there_is_none_of_is_refused():
    with pytest.raises(ValueError, match="no direction 'up'; there are 'forward', 'right forward'"):
        Fixed("up")


def test_every_action_of_the_grammar_is_as_likely():
    agent = Random("subject", np.random.default_rng(3))
    actions = [asyncio.run(agent.act(MOMENT)).action for _ in range(2400)]
    counts = Counter((action.kind, action.direction) for action in actions)
    assert set(counts) == set(ACTIONS) and len(ACTIONS) == 8 + 3 + 1
    # 200 of each expected; chi square of 11 degrees of freedom, its 99.9 % point
    assert sum((n - 200) ** 2 / 200 for n in counts.values()) < 31.3
    faces = np.array([[a.facial, a.physiological, a.felt] for a in actions])
    assert np.abs(faces).max() <= 1
    assert np.abs(faces.mean(axis=0)).max() < 4 / np.sqrt(3 * 2400)  # four standard errors
    assert np.abs(np.corrcoef(faces.T)[np.triu_indices(3, 1)]).max() < 0.1


def test_a_random_agent_says_anything_and_hears_nothing():
    for role, wordings in (("subject", told), ("participant", asked)):
        agent = Random(role, np.random.default_rng(4))
        beliefs = initial(role, COOP, 0)
        texts = {asyncio.run(agent.speak(Moment(start(), beliefs, 3))).text for _ in range(60)}
        assert texts == {wordings(box) for box in STATEMENTS}
    heard = Moment(start(), beliefs, 3, heard=told("dark"))
    assert asyncio.run(agent.listen(heard)).updates == ()


def test_chance_conforms_to_no_prediction():
    # Of a fair coin with some undecided trials: 90 of 160 or more would come up once in 20.
    trials = [cell(condition, 40, 2, random) for condition in CONDITIONS]
    assert sum(found.tocs * found.trials for found in trials) < 90
    assert 0 < sum(found.uncertain for found in trials) / 4 < 0.4
    assert all(found.fes > 0.9 for found in trials)  # a face in 95 % of rounds


def test_a_reader_of_signals_follows_no_random_subject_to_the_reward():
    found = cell(COOP, 40, 5, random, pcm())
    assert 0.3 < found.tocs < 0.7
