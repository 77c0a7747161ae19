"""The reference agent in the game: what it may perceive, its symmetry, and what its pairs score."""

import asyncio
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from benchmarks.pcm import SEEDS, cell, pcm, silent
from vlmtom.mosaic.agent import Decision, Heard, Moment, NoCalls, Utterance
from vlmtom.mosaic.beliefs import Attitude, Beliefs, initial
from vlmtom.mosaic.conditions import BY_SLUG, CONDITIONS
from vlmtom.mosaic.game import Rules, Trial, play
from vlmtom.mosaic.pcm.agent import CHOICES, PCMAgent
from vlmtom.mosaic.pcm.appraisal import appraise, likings
from vlmtom.mosaic.pcm.field import Pose
from vlmtom.mosaic.pcm.policies import FIRSTS, WILLS, First
from vlmtom.mosaic.pcm.reader import evidence, shifted
from vlmtom.mosaic.pcm.settings import PCMSettings
from vlmtom.mosaic.pcm.speech import STATEMENTS
from vlmtom.mosaic.world import Action, Body, start

SILENT = PCMSettings(verbal=False)
SKIN = PCMSettings(sensitivity=1.0, modelled_sensitivity=1.0)
TURNED = {"dark": "light", "light": "dark"}


def game(condition, agents, reward=0, frame="heading"):
    trial = Trial(BY_SLUG[condition], 1, reward)
    return asyncio.run(play(trial, agents, Rules(frame=frame)))


def pair(seed, frame="heading", settings=None, rng=np.random.default_rng):
    return {
        role: PCMAgent(role, rng([seed, number]), frame, settings)
        for number, role in enumerate(("subject", "participant"))
    }


# ---- what it may perceive


class Guarded(Moment):
    """A moment of which nothing may be looked at but what is before the eyes and in one's mind."""

    def __getattribute__(self, name):
        if name not in ("state", "beliefs", "heard", "__class__", "__dict__"):
            raise AssertionError(f"looked at {name}")
        return object.__getattribute__(self, name)


class Guarding(NoCalls):
    """An agent that is given guarded moments."""

    def __init__(self, agent):
        super().__init__(stance=agent.stance)
        self._agent = agent

    async def act(self, moment):
        return await self._agent.act(_guarded(moment))

    async def speak(self, moment):
        return await self._agent.speak(_guarded(moment))

    async def listen(self, moment):
        return await self._agent.listen(_guarded(moment))


def _guarded(moment):
    return Guarded(moment.state, moment.beliefs, moment.round, moment.past, moment.heard)


@pytest.mark.parametrize("condition", BY_SLUG)
def test_it_looks_at_bodies_its_own_beliefs_and_the_last_utterance_alone(condition):
    agents = {role: Guarding(agent) for role, agent in pair(3).items()}
    assert game(condition, agents).steps == game(condition, pair(3)).steps


class Walks(NoCalls):
    """A subject whose behaviour has nothing to do with the reward."""

    async def act(self, moment):
        direction = ("right forward", "forward", "left")[moment.round % 3]
        return Decision(Action("move", direction, facial=0.4, physiological=0.1))

    async def speak(self, moment):
        return Utterance("The treasure is in the light brown box.")

    async def listen(self, moment):
        return Heard()


def test_a_participant_acts_alike_wherever_the_reward_is_and_whatever_the_mode():
    found = set()
    for condition in BY_SLUG:
        for reward in (0, 1):
            agents = {"subject": Walks(), "participant": pair(5)["participant"]}
            steps = game(condition, agents, reward).steps
            walked = [
                (s["x"], s["y"], s["facial"], s["own_dark"])
                for s in steps
                if s["role"] == "participant"
            ]
            found.add(tuple(walked))
    assert len(found) == 1
    assert len({step[0] for step in found.pop()}) > 1  # and it did go somewhere


class Stands(NoCalls):
    """A participant who stands and holds a belief."""

    def __init__(self, own):
        super().__init__()
        self._own = own

    async def act(self, moment):
        return Decision(Action("stay idle"), own=self._own)

    async def speak(self, moment):
        return Utterance("")

    async def listen(self, moment):
        raise AssertionError("listened to its own silence")


@pytest.mark.parametrize("condition", ["coop-tom1", "comp-tom1"])
def test_a_subject_never_knows_what_the_participant_believes(condition):
    def subject(own):
        agents = {"subject": PCMAgent("subject", np.random.default_rng(2), settings=SILENT)}
        steps = game(condition, agents | {"participant": Stands(own)}).steps
        return [step for step in steps if step["role"] == "subject"]

    assert subject(Attitude(0.9, 0.99, 0.01)) == subject(Attitude(0.1, 0.01, 0.99))


def test_the_mode_reaches_it_only_as_its_liking_of_the_other():
    # Beliefs of the competitive mode, with the liking of the cooperative one, are cooperative.
    def decided(beliefs):
        agent = PCMAgent("subject", np.random.default_rng(8))
        return asyncio.run(agent.act(Moment(start(), beliefs, 1)))

    coop, comp = (initial("subject", BY_SLUG[slug], 0) for slug in ("coop-tom1", "comp-tom1"))
    assert coop != comp
    assert decided(replace(comp, own=replace(comp.own, other=coop.own.other))) == decided(coop)


def test_an_agent_of_order_0_makes_no_face_of_its_own_will():
    for condition in ("coop-tom0", "comp-tom0"):
        for step in game(condition, pair(4)).steps:
            # the will alone would be 0.8
            assert step["facial"] == pytest.approx(0.2 * step["felt"])


def test_the_participant_is_of_order_0_in_every_condition():
    for condition in BY_SLUG:
        for step in game(condition, pair(4)).steps:
            if step["role"] == "participant":
                assert step["facial"] == pytest.approx(0.2 * step["felt"])


@pytest.mark.parametrize("frame", ["heading", "home"])
def test_what_is_felt_is_felt_where_the_action_led(frame):
    # So the pose that was planned is the one that the world made of the action, in either frame.
    for condition in ("coop-tom1", "comp-tom0"):
        steps = game(condition, pair(12, frame), 0, frame).steps
        for before, step in pairwise(steps):
            if step["round"]:
                liked = likings(Attitude(step["own_other"], step["own_dark"], step["own_light"]))
                pose = Pose((step["x"], step["y"]), (step["hx"], step["hy"]))
                felt = appraise(pose, (before["x"], before["y"]), liked).felt
                assert step["felt"] == pytest.approx(felt, abs=1e-12)
                assert not step["blocked"]


# ---- what it reads


def looks(settings, beliefs, seed=1):
    """What a participant decides before a subject that smiles at the dark box."""
    smiling = Body((2, -1), (0.0, 1.0), facial=0.2, physiological=0.4)
    moment = Moment(start().with_body("subject", smiling), beliefs, 4)
    agent = PCMAgent("participant", np.random.default_rng(seed), settings=settings)
    return asyncio.run(agent.act(moment))


def test_a_participant_likes_what_it_reads_that_the_subject_likes():
    beliefs = Beliefs("participant", Attitude(dark=0.4, light=0.6), Attitude(dark=0.3, light=0.7))
    found = looks(replace(PCMSettings(), noise=0.0), beliefs)
    # 0.25 of the skin's 0.4 and 0.75 of the face's 0.2
    added = evidence(Pose((2, -1), (0.0, 1.0)), 0.25)
    assert added > 1
    assert found.own == shifted(beliefs.own, added)
    assert found.theirs == shifted(beliefs.theirs, added)


def test_what_it_reads_is_noisy():
    beliefs = Beliefs("participant", Attitude())
    read = {looks(None, beliefs, seed).own.dark for seed in range(5)}
    assert len(read) == 5
    assert all(dark > 0.5 for dark in read)


def test_how_a_subject_takes_the_other_to_read_is_not_how_it_reads_itself():
    def steps(settings):
        agents = {"subject": PCMAgent("subject", np.random.default_rng(2), settings=settings)}
        played = game("comp-tom1", agents | {"participant": Stands(None)}).steps
        return [step for step in played if step["role"] == "subject"]

    assert steps(replace(SILENT, sensitivity=1.0)) == steps(SILENT)
    assert steps(replace(SILENT, modelled_sensitivity=1.0)) != steps(SILENT)


# ---- chance and symmetry


def test_the_same_seeds_play_the_same_trial():
    first, again = (game("comp-tom1", pair(6)) for _ in range(2))
    assert first == again
    assert first.steps != game("comp-tom1", pair(7)).steps


class Mirrored:
    """A generator whose draws for mirrored choices are swapped."""

    def __init__(self, seed):
        self._rng = np.random.default_rng(seed)

    def standard_normal(self):
        return self._rng.standard_normal()

    def gumbel(self, size):
        places = {CHOICES: _MIRRORED_CHOICES, len(STATEMENTS): _MIRRORED_STATEMENTS}[size]
        return self._rng.gumbel(size=size)[places]


def _mirrored(first):
    if first.kind == "move":
        return First("move", (-first.towards[0], first.towards[1]))
    return First(first.kind, TURNED.get(first.towards, first.towards))


_MIRRORED_CHOICES = [
    FIRSTS.index(_mirrored(first)) * len(WILLS) + will
    for first in FIRSTS
    for will in range(len(WILLS))
]
_MIRRORED_STATEMENTS = [STATEMENTS.index(TURNED.get(box)) for box in STATEMENTS]


def mirrored_step(step):
    mirror = dict(step)
    mirror["x"], mirror["hx"] = -step["x"], -step["hx"]
    for first, second in (("g_dark", "g_light"), ("own_dark", "own_light"),
                          ("their_dark", "their_light")):  # fmt: skip
        mirror[first], mirror[second] = step[second], step[first]
    words = (step["direction"] or "").split()
    across = {"left": "right", "right": "left", **TURNED}
    mirror["direction"] = " ".join(across.get(word, word) for word in words) or None
    if step["toward_box"] is not None:
        mirror["toward_box"] = 1 - step["toward_box"]
    return mirror


@pytest.mark.parametrize("frame", ["heading", "home"])
@pytest.mark.parametrize("condition", BY_SLUG)
def test_the_mirrored_game_is_the_mirror_of_the_game_to_the_last_bit(condition, frame):
    for seed in range(3):
        played = game(condition, pair(seed, frame), 0, frame)
        mirror = game(condition, pair(seed, frame, rng=Mirrored), 1, frame)
        assert mirror.steps == [mirrored_step(step) for step in played.steps]
        swapped = [
            u["text"].replace("dark", "*").replace("light", "dark").replace("*", "light")
            for u in played.utterances
        ]
        assert [u["text"] for u in mirror.utterances] == swapped


# ---- words


def said(condition, seeds=range(4)):
    games = [game(condition, pair(seed)) for seed in seeds]
    return [u["text"] for g in games for u in g.utterances if u["speaker"] == "subject"]


def test_without_a_model_of_its_listener_a_rival_says_the_truth():
    # The reward is in the dark box.
    assert set(said("comp-tom0")) == {"The treasure is in the dark brown box."}


def test_with_one_a_rival_says_the_other_box_or_nothing_more_often_than_the_truth():
    found = said("comp-tom1", range(8))
    truths = sum("dark" in text for text in found)
    lies = sum("light" in text for text in found)
    assert lies > truths
    assert not any("light" in text for text in said("coop-tom1"))


def test_what_it_said_is_in_what_it_takes_the_listener_to_like():
    beliefs = initial("subject", BY_SLUG["coop-tom1"], 0)
    beliefs = replace(beliefs, theirs=Attitude(0.5, 0.1, 0.9))
    told, quiet = (PCMAgent("subject", np.random.default_rng(9)) for _ in range(2))
    moment = Moment(start(), beliefs, 3)
    utterance = asyncio.run(told.speak(moment))
    quiet._rng.gumbel(size=len(STATEMENTS))  # the same draws are left
    assert utterance.text == "The treasure is in the dark brown box."
    after, without = (asyncio.run(agent.act(moment)).theirs for agent in (told, quiet))
    assert after.dark > without.dark + 0.2


def test_of_order_0_it_holds_nothing_of_what_the_listener_likes():
    steps = game("coop-tom0", pair(2)).steps
    taken = [(s["their_dark"], s["their_light"]) for s in steps if s["role"] == "subject"]
    assert set(taken) == {(0.5, 0.5)}


def test_a_participant_asks_about_the_box_it_leans_to():
    agent = PCMAgent("participant", np.random.default_rng(1))

    def asks(dark):
        beliefs = Beliefs("participant", Attitude(0.5, dark, 1 - dark))
        return asyncio.run(agent.speak(Moment(start(), beliefs, 3))).text

    assert asks(0.9) == "Is the treasure in the dark brown box?"
    assert asks(0.1) == "Is the treasure in the light brown box?"
    assert asks(0.55) == "Which of the two boxes is the treasure in?"


def test_an_agent_that_does_not_speak_is_silent():
    assert {u["text"] for u in game("coop-tom1", pair(1, settings=SILENT)).utterances} == {""}


# ---- what its pairs score


def holds(cells):
    for found in cells.values():
        assert found.tocs > 0.6, found
    assert cells["comp-tom1"].tas >= 0.9
    assert cells["comp-tom1"].gas > 0.4
    assert cells["comp-tom1"].s_traj < 0 < cells["comp-tom0"].s_traj


@pytest.mark.parametrize("settings", [None, SILENT], ids=["verbal", "silent"])
def test_the_papers_pattern_holds_in_few_trials(settings):
    # A seed that nothing was tuned on. At a conformance of 0.85, 12 of 20 or fewer would come up
    # once in 170 seeds.
    holds({c.slug: cell(c, 20, 424242, pcm(settings)) for c in CONDITIONS})


def test_in_the_home_frame_a_friend_is_found_out_too():
    found = cell(BY_SLUG["coop-tom0"], 10, 424242, pcm(), frame="home")
    assert found.tocs >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("frame", ["heading", "home"])
@pytest.mark.parametrize("settings", [None, SILENT], ids=["verbal", "silent"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_papers_pattern_holds_in_fifty_trials_a_condition(seed, settings, frame):
    holds({c.slug: cell(c, 50, seed, pcm(settings), frame=frame) for c in CONDITIONS})


def test_who_reads_the_skin_alone_is_not_deceived():
    # A scowl is put on, the skin is not: it says that the rival likes what it looks at.
    assert cell(BY_SLUG["comp-tom1"], 20, 7, pcm(SKIN)).tocs == 0


def test_without_a_signal_of_the_participants_going_nothing_is_found():
    found = cell(BY_SLUG["coop-tom1"], 5, 7, pcm(), silent)
    assert (found.tocs, found.uncertain, found.tas) == (0, 1, 1)


def test_two_hundred_trials_fit_into_a_minute_of_one_core():
    # 5 trials a condition, so 20 of 200; a tenth of a minute, caches cold or warm.
    spent = sum(cell(c, 5, 11, pcm()).cpu_s for c in CONDITIONS)
    assert spent < 6
