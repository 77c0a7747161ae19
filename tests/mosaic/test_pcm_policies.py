"""Which policies are weighed, and what they are expected to cost."""

import pytest

from vlmtom.mosaic.pcm import policies as module
from vlmtom.mosaic.pcm.appraisal import Likings
from vlmtom.mosaic.pcm.field import Pose, unseen
from vlmtom.mosaic.pcm.policies import First, Onlooker, Rules, alone, policies, reaction, watched
from vlmtom.mosaic.world import BOXES, START, Action, act, start

RULES = Rules(home=None, horizon=3, epistemic=0.4)
SUBJECT, PARTICIPANT = Pose(*START["subject"]), Pose(*START["participant"])
UP, DOWN = (0.0, 1.0), (0.0, -1.0)


def test_every_walk_turn_and_rest_is_weighed():
    # From (0, -4): three lengths in five directions, one in the three towards the edge at y = -5,
    # three turns, one rest.
    assert len(policies(SUBJECT, PARTICIPANT.cell, RULES)) == 5 * 3 + 3 + 3 + 1
    assert len(policies(SUBJECT, PARTICIPANT.cell, RULES._replace(horizon=1))) == 8 + 3 + 1


def test_a_walk_goes_on_as_far_as_said_and_is_then_held():
    walks = [p.poses for p in policies(SUBJECT, (0, 4), RULES) if p.first == First("move", (1, 1))]
    assert [[pose.cell for pose in walk] for walk in walks] == [
        [(1, -3), (1, -3), (1, -3)],
        [(1, -3), (2, -2), (2, -2)],
        [(1, -3), (2, -2), (3, -1)],
    ]


def test_no_walk_leads_onto_a_box_or_the_other():
    for pose in (Pose((2, -2), UP), Pose((1, 0), UP)):
        for policy in policies(pose, (1, 1), RULES):
            assert not {p.cell for p in policy.poses} & {*BOXES, (1, 1)}


def test_policies_start_as_the_world_would_have_it():
    state = start()
    for frame, home in (("heading", None), ("home", START["subject"][1])):
        for policy in policies(SUBJECT, PARTICIPANT.cell, RULES._replace(home=home)):
            if policy.first.kind == "rotate":
                action = Action("rotate", policy.first.towards)
                body = act(state, "subject", action, frame).state.subject
                assert policy.poses[0] == (body.cell, body.heading)


def test_only_in_the_home_frame_does_a_step_turn_the_body():
    turned = Pose((0, -4), (1.0, 0.0))
    step = First("move", (0, 1))

    def headings(home):
        rules = RULES._replace(home=home)
        return {
            policy.poses[0].heading
            for policy in policies(turned, (0, 4), rules)
            if policy.first == step
        }

    assert headings(None) == {(1.0, 0.0)}
    assert headings(UP) == {UP}


def test_an_agent_of_order_0_goes_to_what_it_likes_and_makes_no_face():
    options = alone(PARTICIPANT, (0, -4), Likings(0.5, dark=0.9, light=0.1), RULES)
    best = min(options, key=lambda option: option.cost)
    assert best.pose.cell == (1, 3)
    assert {option.will for option in options} == {0}


def test_an_onlooker_between_two_equal_ways_takes_neither():
    liked = Likings(0.5, 0.9, 0.9)
    options = alone(PARTICIPANT, (0, -4), liked, RULES)
    least = min(option.cost for option in options)
    best = {option.pose.cell for option in options if option.cost == least}
    assert best == {(1, 3), (-1, 3)}
    assert reaction(PARTICIPANT, (0, -4), liked, RULES) == PARTICIPANT


AT_DARK = Pose((2, -1), UP)
NEAR = Onlooker(Pose((1, 3), DOWN), odds=0.0, sensitivity=0.25, rules=RULES)
FRIEND, RIVAL = Likings(0.7, 0.75, 0.25), Likings(0.3, 0.75, 0.25)


def cheapest(liked, onlooker=NEAR, effort=0.2):
    options = watched(AT_DARK, onlooker, liked, RULES, effort)
    return min(options, key=lambda option: option.cost)


def test_before_its_box_an_agent_scowls_for_a_rival_and_for_a_friend_does_not():
    # The same box, the same field: only the liking of the onlooker differs.
    friend, rival = cheapest(FRIEND), cheapest(RIVAL)
    assert friend.will >= 0 and rival.will == -1
    assert friend.pose == rival.pose == AT_DARK
    assert friend.odds > 0 > rival.odds


def resting(options, will=0):
    found = [o for o in options if o.first == First("stay idle") and o.will == will]
    assert len(found) == 1
    return found[0].cost


def test_what_is_not_seen_of_the_other_costs_by_its_uncertainty():
    blind = RULES._replace(epistemic=0.0)
    here = Pose((0, -4), (1.0, 0.0))
    unknown = 0.4 * unseen(here, NEAR.pose.cell)
    assert unknown > 0.35
    order_0 = [resting(alone(here, NEAR.pose.cell, RIVAL, rules)) for rules in (RULES, blind)]
    assert order_0[0] - order_0[1] == pytest.approx(unknown)
    order_1 = [resting(watched(here, NEAR, RIVAL, rules, 0.2)) for rules in (RULES, blind)]
    assert order_1[0] - order_1[1] == pytest.approx(unknown)


def test_a_face_is_put_on_for_the_first_round_of_a_policy(monkeypatch):
    wills = []
    signal = module.signal

    def watching(pose, other, liked, will, sensitivity):
        wills.append(will)
        return signal(pose, other, liked, will, sensitivity)

    monkeypatch.setattr(module, "signal", watching)
    watched(AT_DARK, NEAR, RIVAL, RULES, 0.2)
    number = len(policies(AT_DARK, NEAR.pose.cell, RULES))
    # of three faces over three rounds: each once a policy, and none in the other rounds
    assert wills.count(-1) == wills.count(1) == number
    assert wills.count(0) == 7 * number


def test_a_friend_who_leans_to_the_other_box_is_smiled_back():
    assert cheapest(FRIEND, NEAR._replace(odds=-1.0)).will == 1


def test_a_face_that_costs_more_than_it_can_bring_is_not_made():
    assert cheapest(RIVAL, effort=50.0).will == 0


def test_one_step_ahead_a_scowl_shows_less_gain():
    # After one step the onlooker is still near, whatever he believes.
    def gain(horizon):
        rules = RULES._replace(horizon=horizon)
        onlooker = NEAR._replace(pose=Pose((1, 2), DOWN), rules=rules)
        options = watched(AT_DARK, onlooker, RIVAL, rules, 0.0)
        costs = {will: min(o.cost for o in options if o.will == will) for will in (0, -1)}
        return costs[0] - costs[-1]

    assert gain(3) > gain(1)


def test_where_the_onlooker_comes_in_the_way_the_walk_ends(monkeypatch):
    # A friend in the same column comes nearer: no rollout may put both into one cell.
    seen = []
    appraise = module.appraise

    def watching(pose, other, liked):
        seen.append((pose.cell, other))
        return appraise(pose, other, liked)

    monkeypatch.setattr(module, "appraise", watching)
    onlooker = NEAR._replace(pose=Pose((1, 2), DOWN), odds=1.0)
    watched(Pose((1, -1), UP), onlooker, FRIEND, RULES, 0.2)
    assert seen
    assert all(mine != other for mine, other in seen)
