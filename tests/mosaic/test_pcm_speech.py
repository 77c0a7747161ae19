"""What the reader of utterances makes of sentences, its own and a model's."""

import pytest

from vlmtom.mosaic.beliefs import Update
from vlmtom.mosaic.pcm.speech import STATEMENTS, asked, named_box, told, updates


@pytest.mark.parametrize("box", STATEMENTS)
def test_what_is_told_is_read_and_what_is_asked_is_not(box):
    assert named_box(told(box)) == box
    assert named_box(asked(box)) is None


@pytest.mark.parametrize(
    ("text", "box"),
    [
        ("Yes, the dark brown box likely contains the treasure .", "dark"),  # paper, Figure 8
        ("No, it's the light-brown box!", "light"),
        ("The treasure is not in the dark brown box.", "light"),
        ("It isn’t in the light brown box, it's in the dark one.", "dark"),
        ("You should go for the Light Brown Box and avoid the dark brown box.", "light"),
        ("The light brown box, not the dark brown box, holds the treasure.", "light"),
        ("I prefer the light box. The dark one is empty.", "light"),
        ("Trust me: open the dark brown box instead of the light brown box.", "dark"),
        ("The dark brown box is not empty.", "dark"),
        ("There is no doubt that the treasure is in the dark brown box.", "dark"),
        ("Do you believe it is the dark brown box? I go for the light brown box.", "light"),
    ],
)
def test_a_clear_sentence_names_its_box(text, box):
    assert named_box(text) == box


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I can't say.",
        "I cannot tell you that the treasure is in the dark brown box.",
        "What happens if you open the light brown box first ?",
        # paper, Figure 8: an answer that says nothing of where the treasure is
        "Opening the light brown box first will show you whether there is no treasure here.",
        "It could be in the dark brown box or in the light brown box.",
        "The treasure is in the dark brown box. The treasure is in the light brown box.",
        "The dark brown box and the light brown box are both in front of us.",
        "It is dark in here, in the light of day too.",
    ],
)
def test_an_unclear_sentence_names_none(text):
    assert named_box(text) is None


def test_a_denial_within_a_word_denies_nothing():
    assert named_box("Nobody is notified: the dark brown box is notable.") == "dark"


def test_the_participant_likes_what_it_is_told_and_the_subject_learns_only_of_him():
    assert updates("The dark brown box has it.", "subject") == (
        Update("subject", "dark", 1.0),
        Update("participant", "dark", 1.0),
    )
    assert updates("I am going to the light brown box.", "participant") == (
        Update("participant", "light", 1.0),
    )
    assert updates("Is it the light brown box?", "participant") == ()
