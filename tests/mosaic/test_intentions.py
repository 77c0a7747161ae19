"""Which box a reasoning goes to: the paper's three examples, and sentences of every trap."""

import re
import time

import pytest

from vlmtom.mosaic.intentions import LONGEST, stated_box
from vlmtom.mosaic.world import (
    DARK,
    LIGHT,
    Action,
    Body,
    PublicState,
    act,
    nearer_sideways,
)

UP, DOWN = (0.0, 1.0), (0.0, -1.0)

# Appendix H.1, "Biased Interpretation of Preference": Marie stays idle.
STAYS = (
    "My preference towards the Participant is neutral (50%), so I have no strong bias to help or "
    "mislead. However, my slight positive facial emotion valence (0.1) suggests a mild willingness "
    "to engage positively if possible. Since neither box has an immediate emotional association "
    "for me personally beyond the stated preferences (-41.67% Dark brown, 41.67% Light brown), and "
    "given that the treasure could be in either but with no clear personal inclination yet "
    'confirmed as "treasure" I should remain open while subtly suggesting both boxes are '
    "possibilities without committing. To avoid suspicion, I'll maintain distance from any overt "
    "display of favoritism."
)
# Appendix H.1, "Egocentric Reference Frame Misalignment in Action": Marie, right forward.
GOES_LIGHT = (
    "Based on the belief state, my preference towards the Participant is neutral, but I slightly "
    "prefer the Light Brown Box over the Dark Brown Box. Since my preference towards the "
    "Participant is positive but not very strong, I might subtly guide them towards the Light "
    "Brown Box without directly revealing it. My non-verbal behaviors should indicate neutrality, "
    "and I might move slightly towards the Light Brown Box to subtly hint at it."
)
# Appendix H.2, the same of Participant: right.
GOES_DARK = (
    "Based on the visual perception and belief state, I notice that Marie has a 50% preference "
    "towards the Dark brown box, indicating she might have some information or intuition about "
    "it. My belief state also suggests that I have a slight preference towards the Dark brown box "
    "(55.56%) over the Light brown box (-55.56%). Given this, I should consider moving towards the "
    "Dark brown box to explore it further. I will display a neutral facial expression and a "
    "curious body orientation towards the Dark brown box."
)


def moved(role, body, other, direction):
    """The box that a move brings its agent nearer to."""
    bodies = (body, other) if role == "subject" else (other, body)
    after = act(PublicState(*bodies), role, Action("move", direction)).state.body(role)
    return nearer_sideways(body.cell, after.cell)


def test_marie_says_light_and_goes_to_the_dark_box_as_in_h1():
    assert stated_box(GOES_LIGHT, "subject") == LIGHT
    # At (0, -4), facing (0, -3): right forward is (1, -3).
    assert moved("subject", Body((0, -4), UP), Body((-1, 2), DOWN), "right forward") == DARK


def test_participant_says_dark_and_goes_to_the_light_box_as_in_h2():
    assert stated_box(GOES_DARK, "participant") == DARK
    # At (0, 0), facing (0, -1): right is (-1, 0).
    assert moved("participant", Body((0, 0), DOWN), Body((0, -1), (-0.7, 0.7)), "right") == LIGHT


def test_who_stays_and_names_both_boxes_states_none():
    assert stated_box(STAYS, "subject") is None


def test_other_reasonings_of_appendix_h_that_name_no_goal_state_none():
    for text in (
        "To engage with Marie first, moving closer would allow me to observe her reactions.",
        "moving closer to one of the boxes while maintaining an open posture could help observe "
        "any subtle non-verbal changes from Marie regarding which box she might prefer later.",
        "Since I have a slight preference for the Light Brown Box (+30%), and given that neither "
        "box nor Marie shows strong preferences yet, my best move is to approach the more likely "
        "target while maintaining openness through non-verbal cues.",
    ):
        assert stated_box(text, "participant") is None


STATED = [
    ("I will move towards the dark brown box.", DARK),
    ("I'll head to the Light Brown Box now.", LIGHT),
    ("I should step closer to the light box.", LIGHT),
    ("My next move is to approach the Dark Brown Box.", DARK),
    ("Moving forward and toward the **dark brown box** is my plan.", DARK),
    ("The best action is to move left forward towards the light brown box.", LIGHT),
    ("I decide to walk to the cell next to the dark-brown box.", DARK),
    ("I will go to the empty dark brown box to mislead him.", DARK),
    ("To mislead the Participant, I will move towards the dark brown box.", DARK),
    ("To help them I should move toward the light brown box.", LIGHT),
    ("I will move away from the light brown box and get closer to the dark brown box.", DARK),
    ("I move towards the light brown box instead of the dark brown box.", LIGHT),
    ("I don't trust her, so I will move towards the dark brown box.", DARK),
    ("Marie points at the light brown box, so I will go to the dark brown box.", DARK),
    ("Marie likes the light brown box. I will move to the light brown box.", LIGHT),
    ("I will look at the dark brown box, but move towards the light brown box.", LIGHT),
    ("I’ll position myself near the light brown box.", LIGHT),
    ("Let's move in the direction of the darker box.", DARK),
    ("Output a move. I will move to the dark brown box. I go to the dark brown box.", DARK),
    ("Let me continue moving towards the light brown box, as before.", LIGHT),
]
UNSTATED = [
    "I will not move towards the dark brown box.",
    "I should avoid going to the light brown box.",
    "I won't approach the dark brown box.",
    "I will move without getting near the light brown box.",
    "I will guide him towards the light brown box.",
    "I want the Participant to move towards the dark brown box.",
    "The Participant is moving towards the dark brown box.",
    "He will go to the light brown box.",
    "This makes them approach the dark brown box.",
    "I will lure the participant to move to the dark brown box.",
    "If I move towards the dark brown box, he will follow me.",
    "Moving towards the dark brown box would reveal the treasure.",
    "I moved towards the light brown box in the last round.",
    "I was heading to the light brown box.",
    "Should I move towards the dark brown box?",
    "I will look at the dark brown box.",
    "I will rotate towards the light brown box.",
    "I will turn my body to face the dark brown box.",
    "I will keep away from the dark brown box.",
    "I prefer the dark brown box.",
    "The treasure is in the light brown box.",
    "I will move between the dark brown box and the light brown box.",
    "I could go to the dark brown box or the light brown box.",
    "I will go to the dark brown box. Then I will go to the light brown box.",
    "I will move forward to see better.",
    "I will move closer to the box that I prefer.",
    "I move back rather than to the dark brown box.",
    "My preference moves toward the middle.",
    "",
]


# What shifts, turns or is near while its owner stays; and movements that are spoken of, not made.
NO_BODY_MOVES = [
    "I shift my gaze towards the light brown box.",
    "I move my gaze to the light brown box.",
    "I move my eyes slowly to the light brown box.",
    "I shift my attention to the dark brown box.",
    "I shift my focus back to the dark brown box.",
    "I turn my head to the dark brown box.",
    "I turn my own head slightly towards the dark brown box.",
    "With my head to the dark brown box I wait.",
    "My heading is towards the dark brown box.",
    "My eyes are moving to the dark brown box.",
    "I move my face towards the light brown box.",
    "I move my hand towards the light brown box.",
    "I continue looking towards the light brown box.",
    "I continue facing to the light brown box.",
    "I continue to look towards the light brown box.",
    "I position my body towards the dark brown box.",
    "I shift my body orientation towards the dark brown box.",
    "I go on gazing towards the dark brown box.",
    "I shift my preference towards the light brown box.",
    "I shift his attention towards the light brown box.",
    "My belief is shifting to the dark brown box.",
    "My preference is moving towards the dark brown box.",
    "I think that my preference may shift towards the dark brown box.",
    "I see my preference change and shift towards the dark brown box.",
    "The evidence is shifting towards the dark brown box.",
    "Going back to the dark brown box, my preference is neutral.",
    "Moving on to the dark brown box, my preference is neutral.",
    "I come to the dark brown box's value of 20%.",
    "I move to the light brown box preference of 40%.",
    "I drift emotionally towards the light brown box.",
    "I shift towards the light brown box in my preference.",
    "I let my gaze drift to the light brown box.",
    "I step back from near the dark brown box.",
    "I stay near the dark brown box.",
    "I am near the light brown box.",
    "The treasure may be near the dark brown box.",
    "I think the treasure is near the dark brown box.",
    "I get the feeling that it lies next to the dark brown box.",
    "My position next to the dark brown box is good.",
    "My approach to the dark brown box has worked.",
    "I change my approach to the light brown box.",
    "His move to the dark brown box is a lie.",
    "The move to the dark brown box surprises me.",
    "Getting near the light brown box makes him think it holds the treasure.",
    "Moving towards the light brown box shows what I like.",
    "Moving towards the light brown box is risky.",
    "Approaching the light brown box will reveal it.",
    "I pretend to move towards the light brown box.",
    "I resist moving to the light brown box.",
    "I move to the right of the light brown box.",
    "I move to the side opposite the light brown box.",
]
A_BODY_MOVES = [
    "I shift my gaze and then move towards the light brown box.",
    "I lower my gaze and move towards the light brown box.",
    "I turn my head as I move to the light brown box.",
    "I shift my attention to the dark brown box, but I walk to the light brown box.",
    "My preference is to move towards the light brown box.",
    "My focus is on him while I head to the light brown box.",
    "I shift slightly left towards the light brown box.",
    "I drift two cells over to the light brown box.",
    "I take a small step towards the light brown box.",
    "My next step is towards the light brown box.",
    "My movement is to the light brown box.",
    "I continue towards the light brown box.",
    "I continue looking around while moving to the light brown box.",
    "I go back to the light brown box.",
    "I am going to the cell near the light brown box.",
    "I want to get near the light brown box.",
    "I will near the light brown box.",
    "I am slowly nearing the light brown box.",
    "I will slowly approach the light brown box.",
    "I should keep approaching the light brown box.",
    "I look up and approach the light brown box.",
    "I move left (forward) towards the light brown box.",
    "I move left-forward to the light brown box.",
    "I move one cell to my left towards the light brown box.",
    "I am positioning myself next to the light brown box.",
    "I stay calm, moving closer to the light brown box.",
    "Moving towards the light brown box is the best action.",
    "To find the treasure I go to the light brown box.",
    "The best way to the treasure is to move to the light brown box.",
    "I move to the left side of the light brown box.",
    "I run to the light brown box's side.",
]


@pytest.mark.parametrize("text", NO_BODY_MOVES)
def test_what_moves_without_a_body_or_only_in_words_states_none(text):
    assert stated_box(text, "participant") is None
    assert stated_box(f"I am calm. {text}", "participant") is None


@pytest.mark.parametrize("text", A_BODY_MOVES)
def test_a_body_s_movement_is_read_beside_all_that_moves_without_one(text):
    assert stated_box(text, "participant") == LIGHT
    trap = " I move my gaze to the dark brown box. The treasure may be near the dark brown box."
    assert stated_box(text + trap, "participant") == LIGHT


@pytest.mark.parametrize(("text", "box"), STATED)
def test_a_goal_that_is_stated_plainly_is_read(text, box):
    assert stated_box(text, "participant") == box
    other = {"dark": "light", "light": "dark", "Dark": "Light", "Light": "Dark"}
    mirrored = "".join(other.get(part, part) for part in _parts(text))
    assert stated_box(mirrored, "participant") == 1 - box


def _parts(text):
    return re.split(r"(dark|light|Dark|Light)", text)


@pytest.mark.parametrize("text", UNSTATED)
def test_what_is_denied_supposed_past_another_s_or_no_movement_states_none(text):
    assert stated_box(text, "subject") is None


def test_its_own_name_stands_for_i_and_the_other_s_does_not():
    text = "Marie should move towards the light brown box."
    assert stated_box(text, "subject") == LIGHT
    assert stated_box(text, "participant") is None
    assert stated_box(text) is None


def test_a_move_across_both_boxes_is_towards_neither():
    # From x = 4 to 3 it comes nearer to both; from 2 to 3, to neither; straight on, to neither.
    assert nearer_sideways((4, 0), (3, 0)) is None
    assert nearer_sideways((2, 1), (3, 1)) is None
    assert nearer_sideways((0, 0), (0, 1)) is None
    assert nearer_sideways((0, 0), (-1, 1)) == LIGHT


@pytest.mark.parametrize(
    "text",
    [
        "move " * 20_000,
        "move to the " * 8_000,
        "I might move towards the " * 4_000,
        "dark brown box and " * 5_000,
        "x" * 100_000,
        "\ud800\u202e" * 50_000,
    ],
)
def test_hostile_text_states_none_and_takes_no_time(text):
    begun = time.process_time()
    assert stated_box(text, "subject") is None
    assert time.process_time() - begun < 1
    assert len(text) > LONGEST
