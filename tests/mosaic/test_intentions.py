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
