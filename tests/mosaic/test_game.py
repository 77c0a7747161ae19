"""The loop: who acts and speaks when, what each is given, and what is put down."""

import asyncio
from dataclasses import dataclass, field

from vlmtom.mosaic.agent import Decision, Heard, Moment, NoCalls, TrialLost, Utterance
from vlmtom.mosaic.beliefs import Attitude, Beliefs, Update, heard, initial
from vlmtom.mosaic.conditions import BY_SLUG, CONDITIONS
from vlmtom.mosaic.game import Rules, Trial, play
from vlmtom.mosaic.world import Action


@dataclass
class Scripted(NoCalls):
    """Does what it is told, and keeps every moment it was given."""

    name: str = ""
    seen: list[tuple[str, Moment]] = field(default_factory=list)
    action: Action = field(default_factory=lambda: Action("stay idle"))
    own: Attitude | None = None
    says: str = "hello"
    updates: tuple[Update, ...] = ()
    order: list[str] = field(default_factory=list)
    lost_at: int | None = None

    async def act(self, moment):
        if moment.round == self.lost_at:
            raise TrialLost("no reply")
        self.seen.append(("act", moment))
        self.order.append(f"{moment.round} {self.name} acts")
        return Decision(self.action, own=self.own)

    async def speak(self, moment):
        self.seen.append(("speak", moment))
        self.order.append(f"{moment.round} {self.name} speaks")
        return Utterance(f"{self.says} {moment.round}" if self.says else "")

    async def listen(self, moment):
        self.seen.append(("listen", moment))
        self.order.append(f"{moment.round} {self.name} listens")
        return Heard(self.updates)


def played(subject=None, participant=None, condition="comp-tom1", rules=None, reward=0):
    subject, participant = subject or Scripted(), participant or Scripted()
    agents = {"subject": subject, "participant": participant}
    trial = Trial(BY_SLUG[condition], 1, reward)
    return asyncio.run(play(trial, agents, rules or Rules()))


def test_ten_rounds_with_three_exchanges_in_the_order_of_the_paper():
    order: list[str] = []
    log = played(Scripted(name="s", order=order), Scripted(name="p", order=order))
    turns = [f"{n} {who} acts" for n in range(1, 11) for who in "sp"]
    assert [line for line in order if "acts" in line] == turns
    third = order.index("3 p acts")
    assert order[third + 1 : third + 5] == [
        "3 p speaks",
        "3 s listens",
        "3 s speaks",
        "3 p listens",
    ]
    assert [(u["round"], u["speaker"]) for u in log.utterances] == [
        (n, who) for n in (3, 6, 9) for who in ("participant", "subject")
    ]
    assert len(log.steps) == 22  # the start and ten rounds, of two
    assert [s["round"] for s in log.steps[:3]] == [0, 0, 1]


def test_the_participant_sees_the_place_that_the_subject_has_just_taken():
    participant = Scripted()
    played(Scripted(action=Action("move", "forward", facial=0.5)), participant)
    first = participant.seen[0][1]
    assert (first.state.subject.cell, first.state.subject.facial) == ((0, -3), 0.5)
    # Half skin, half face: nothing of the skin, half of the face.
    assert first.beliefs.their_felt == 0.25


def test_an_agent_is_given_nothing_of_the_others_beliefs_or_of_the_reward():
    for reward in (0, 1):
        participant = Scripted()
        played(participant=participant, reward=reward)
        beliefs = participant.seen[0][1].beliefs
        assert beliefs == Beliefs("participant", Attitude(), subject_tom=1)
        assert all(m.beliefs.owner == "participant" for _, m in participant.seen)


def test_what_was_said_is_what_the_other_hears_and_silence_is_not_listened_to():
    subject, participant = Scripted(says=""), Scripted(says="where?")
    played(subject, participant)
    assert [m.heard for kind, m in subject.seen if kind == "listen"] == [
        "where? 3",
        "where? 6",
        "where? 9",
    ]
    assert [kind for kind, _ in participant.seen].count("listen") == 0
    assert [m.heard for kind, m in participant.seen if kind == "speak"] == [None, "", ""]


def test_beliefs_are_looked_back_on_from_the_start_to_the_last_round():
    subject = Scripted()
    played(subject)
    spoken = [m for kind, m in subject.seen if kind == "speak"]
    assert [len(m.past) for m in spoken] == [3, 6, 9]  # the start, and the rounds that are over


def test_a_past_round_is_remembered_as_it_was_seen_when_it_ended():
    # Faces that change in every round: what was read must be of the state that it stands beside.
    faces = iter(n / 100 for n in range(1, 100))

    class Grimaces(Scripted):
        async def act(self, moment):
            self.seen.append(("act", moment))
            return Decision(Action("stay idle", facial=next(faces)))

    subject, participant = Grimaces(), Grimaces()
    played(subject, participant)
    for agent in (subject, participant):
        last = [moment for kind, moment in agent.seen if kind == "speak"][-1]
        for then in last.past:
            face = then.state.other(then.beliefs.owner).facial
            assert then.beliefs.their_felt == 0.5 * face


def test_only_the_participants_preferences_are_taken_and_boxes_are_normalised():
    stated = Attitude(other=0.9, dark=0.8, light=0.8)
    log = played(Scripted(own=stated), Scripted(own=stated))
    last = {s["role"]: s for s in log.steps}
    assert (last["participant"]["own_dark"], last["participant"]["own_light"]) == (0.5, 0.5)
    assert last["participant"]["own_other"] == 0.9
    subject = initial("subject", CONDITIONS[3], 0).own
    assert last["subject"]["own_dark"] == subject.dark == 0.75
    assert last["subject"]["own_other"] == subject.other == 0.3


def test_an_utterance_moves_a_preference_half_of_the_way_and_the_pair_of_boxes_with_it():
    update = Update("participant", "dark", 1.0)
    log = played(participant=Scripted(updates=(update,)))
    rows = {s["round"]: s for s in log.steps if s["role"] == "participant"}
    # .5 goes to .75, and .75 / (.75 + .5) = .6; seen from round 4 on, the first act after it.
    assert (rows[3]["own_dark"], rows[4]["own_dark"]) == (0.5, 0.6)
    assert log.utterances[1]["updates"] == ["participant | dark | more positive"]


def test_nobody_changes_the_subjects_own_preferences():
    beliefs = initial("subject", CONDITIONS[0], 1)
    after = heard(
        beliefs, (Update("subject", "dark", 1.0), Update("participant", "dark", 1.0)), 0.5
    )
    assert after.own == beliefs.own
    assert after.theirs.dark == 0.6


def test_a_lost_trial_keeps_what_was_played_and_says_why():
    log = played(Scripted(lost_at=4))
    assert log.lost == "no reply"
    assert max(s["round"] for s in log.steps) == 3


def test_the_prediction_is_that_he_errs_only_where_a_rival_thinks_ahead():
    assert [c.predicted for c in CONDITIONS] == [1, 1, 1, -1]
