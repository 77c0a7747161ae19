"""Beliefs as triples: the paper's own examples, and the format of a number."""

from dataclasses import replace
from fractions import Fraction

import pytest

from vlmtom.mosaic.beliefs import Attitude, Beliefs, initial
from vlmtom.mosaic.conditions import CONDITIONS
from vlmtom.mosaic.triples import number, triples
from vlmtom.mosaic.world import Body, PublicState, start, unit


def of_percent(other, dark, light):
    """An attitude from the percentages of an example."""
    return Attitude(*((1 + one / 100) / 2 for one in (other, dark, light)))


# Marie's, appendix D.4, printed again in H.1: preferences 50, -41.67, 41.67, a facial valence of
# 0.1, Participant at (0 3). The order of theory of mind is not in it. ("- 41.67%" is a line break.)
D4 = """
Marie | preference towards Participant | 50%
Marie | preference towards Dark brown box | -41.67%
Marie | preference towards Light brown box | 41.67%
Marie | felt emotion valence | 0
Marie | facial emotion valence | 0.1
Marie | physiological emotion valence | 0
Participant | preference towards Marie | 0%
Participant | preference towards Dark brown box | 0%
Participant | preference towards Light brown box | 0%
Participant | felt emotion valence | 0
Marie | position | (0 -4)
Marie | orientation | (0 -3)
Participant | position | (0 3)
Participant | orientation | (0 2)
Dark brown box | position | (2 0)
Light brown box | position | (-2 0)
"""
# H.1, the second: what Marie takes Participant to like, and both elsewhere.
H1_SECOND = """
Marie | preference towards Participant | 40%
Marie | preference towards Dark brown box | -50%
Marie | preference towards Light brown box | 50%
Marie | felt emotion valence | 0
Marie | facial emotion valence | 0.1
Marie | physiological emotion valence | 0
Participant | preference towards Marie | 0%
Participant | preference towards Dark brown box | 0%
Participant | preference towards Light brown box | 50%
Participant | felt emotion valence | 0
Marie | position | (0 -4)
Marie | orientation | (0 -3)
Participant | position | (-1 2)
Participant | orientation | (-1 1)
Dark brown box | position | (2 0)
Light brown box | position | (-2 0)
"""
# H.2, the first: a participant's at the start, with both orders.
H2_START = """
Marie | preference towards Participant | 0%
Marie | preference towards Dark brown box | 0%
Marie | preference towards Light brown box | 0%
Marie | felt emotion valence | 0
Marie | theory of mind order | 0
Participant | preference towards Marie | 0%
Participant | preference towards Dark brown box | 0%
Participant | preference towards Light brown box | 0%
Participant | felt emotion valence | 0
Participant | facial emotion valence | 0
Participant | physiological emotion valence | 0
Participant | theory of mind order | 0
Marie | position | (0 -4)
Marie | orientation | (0 -3)
Participant | position | (0 4)
Participant | orientation | (0 3)
Dark brown box | position | (2 0)
Light brown box | position | (-2 0)
"""
# H.2, step 4 and 5 of three: no orders; a valence that is read from Marie, and his own face, skin.
H2_STEP_4 = """
Marie | preference towards Participant | 0%
Marie | preference towards Dark brown box | 0%
Marie | preference towards Light brown box | 0%
Marie | felt emotion valence | -0.15
Participant | preference towards Marie | 50%
Participant | preference towards Dark brown box | -4%
Participant | preference towards Light brown box | 4%
Participant | felt emotion valence | 0
Participant | facial emotion valence | 0.3
Participant | physiological emotion valence | 0.1
Marie | position | (0 -5)
Marie | orientation | (0 -4)
Participant | position | (1 3)
Participant | orientation | (1 2)
Dark brown box | position | (2 0)
Light brown box | position | (-2 0)
"""
H2_STEP_5 = (
    H2_STEP_4.replace("towards Marie | 50%", "towards Marie | 20%")
    .replace("-4%", "-30%")
    .replace(" 4%", " 30%")
    .replace("| 0.3", "| 0.2")
    .replace("| 0.1", "| 0.4")
    .replace("(0 -5)", "(-1 -5)")
    .replace("(0 -4)", "(-1 -4)")
    .replace("(1 3)", "(2 2)")
    .replace("(1 2)", "(2 1)")
)
# H.2, the last: Marie at (0 -1) looks at (-1 0), which is a heading of (-0.71, 0.71).
H2_LAST = """
Marie | preference towards Participant | 0%
Marie | preference towards Dark brown box | 50%
Marie | preference towards Light brown box | 0%
Marie | felt emotion valence | 0
Marie | theory of mind order | 0
Participant | preference towards Marie | 50%
Participant | preference towards Dark brown box | 55.56%
Participant | preference towards Light brown box | -55.56%
Participant | felt emotion valence | 0
Participant | facial emotion valence | 0
Participant | physiological emotion valence | 0
Participant | theory of mind order | 0
Marie | position | (0 -1)
Marie | orientation | (-1 0)
Participant | position | (0 0)
Participant | orientation | (0 -1)
Dark brown box | position | (2 0)
Light brown box | position | (-2 0)
"""
UP, DOWN = (0.0, 1.0), (0.0, -1.0)


def lines(text):
    return text.strip().splitlines()


def test_marie_s_beliefs_are_written_as_in_appendix_d4():
    # 0.85 / (0.85 + 0.35) = 0.70833 is +41.67 %: a pair of boxes that was normalised.
    own = Attitude(0.75, 0.35, 0.85).normalised()
    state = PublicState(Body((0, -4), UP, facial=0.1), Body((0, 3), DOWN))
    assert triples(Beliefs("subject", own), state, tom_triple=False) == lines(D4)


def test_marie_s_beliefs_are_written_as_in_the_second_example_of_h1():
    beliefs = Beliefs("subject", of_percent(40, -50, 50), of_percent(0, 0, 50))
    state = PublicState(Body((0, -4), UP, facial=0.1), Body((-1, 2), DOWN))
    assert triples(beliefs, state, tom_triple=False) == lines(H1_SECOND)


def test_a_participant_starts_with_the_beliefs_of_h2():
    assert triples(initial("participant", CONDITIONS[0], 0), start()) == lines(H2_START)


def test_a_participant_s_third_step_is_that_of_h2_without_the_orders():
    kept = [line for line in lines(H2_START) if "order" not in line]
    assert triples(initial("participant", CONDITIONS[0], 0), start(), tom_triple=False) == kept


@pytest.mark.parametrize(
    ("own", "face", "skin", "marie", "participant", "expected"),
    [
        ((50, -4, 4), 0.3, 0.1, (0, -5), (1, 3), H2_STEP_4),
        ((20, -30, 30), 0.2, 0.4, (-1, -5), (2, 2), H2_STEP_5),
    ],
)
def test_later_steps_of_h2_are_written_as_printed(own, face, skin, marie, participant, expected):
    beliefs = Beliefs("participant", of_percent(*own), their_felt=-0.15)
    state = PublicState(Body(marie, UP), Body(participant, DOWN, face, skin))
    assert triples(beliefs, state, tom_triple=False) == lines(expected)


def test_an_orientation_is_rounded_in_each_part_as_in_the_last_example_of_h2():
    # 55.56 % is 7/9 of 1: 0.7 / (0.7 + 0.2).
    beliefs = Beliefs("participant", Attitude(0.75, 7 / 9, 2 / 9), of_percent(0, 50, 0))
    state = PublicState(Body((0, -1), unit((-1, 1))), Body((0, 0), DOWN))
    assert triples(beliefs, state) == lines(H2_LAST)


def test_the_other_s_face_and_skin_are_not_told():
    shown = replace(start().participant, facial=0.9, physiological=-0.9)
    told = triples(initial("subject", CONDITIONS[0], 0), start().with_body("participant", shown))
    assert told == triples(initial("subject", CONDITIONS[0], 0), start())


def test_the_imposed_order_is_told_to_both_and_the_participant_s_is_0():
    for role in ("subject", "participant"):
        for condition in CONDITIONS:
            told = triples(initial(role, condition, 0), start())
            assert f"Marie | theory of mind order | {condition.tom}" in told
            assert "Participant | theory of mind order | 0" in told


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (0.004, "0"),
        (-0.004, "0"),
        (-0.0049, "0"),
        (0.005, "0.01"),  # half up, from the decimal that is meant: 0.145 in binary is below it
        (0.145, "0.15"),
        (-0.145, "-0.15"),
        (0.1, "0.1"),
        (1, "1"),
        (-1.0, "-1"),
        (100, "100"),
        (Fraction(100, 3), "33.33"),
        (1e-17, "0"),
    ],
)
def test_a_number_has_two_decimals_half_up_and_no_zeros_at_its_end(value, text):
    assert number(value) == text


def test_percentages_of_a_mirrored_pair_mirror_each_other():
    for third in range(1, 200):
        own = Attitude(0.5, third / 200, 1 - third / 200)
        dark, light = (
            line.rsplit("| ", 1)[1]
            for line in triples(Beliefs("participant", own), start())
            if line.startswith("Participant | preference towards") and "box" in line
        )
        assert dark.strip("-") == light.strip("-")
