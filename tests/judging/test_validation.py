"""Recovery of the exemplars: tolerance, an inclusive gate, missing verdicts."""

import pytest

from vlmtom.judging.validation import Exemplar, read_exemplars, score


def exemplars(number, interval=(3.0, 4.0)):
    expected = {"intent": interval, "approp": (3.0, 3.0)}
    return [Exemplar(f"e{n}", "GD", "chasing", "s", f"d{n}", expected) for n in range(number)]


def rows(values, judge="j"):
    return [
        {"judge": judge, "exemplar": f"e{n}", "intent": value, "approp": 3}
        for n, value in enumerate(values)
    ]


@pytest.mark.parametrize(
    ("value", "recovered"), [(2.4, False), (2.5, True), (3.5, True), (4.5, True), (4.6, False)]
)
def test_the_tolerance_is_half_a_level_on_both_sides_and_inclusive(value, recovered):
    assert exemplars(1)[0].recovered("intent", value) is recovered


@pytest.mark.parametrize(("hits", "passes"), [(4, True), (3, False)])
def test_four_of_five_is_enough(hits, passes):
    intent, approp = score(rows([3] * hits + [0] * (5 - hits)), exemplars(5))
    assert (intent.recovered, intent.scored, intent.passes) == (hits, 5, passes)
    assert approp.share == 1.0


def test_a_missing_verdict_is_in_no_denominator_and_fails_the_gate():
    intent, approp = score([*rows([3, 3, None])], exemplars(4))
    assert (intent.recovered, intent.scored, intent.missing) == (2, 2, 2)
    assert intent.share == 1.0 and not intent.passes
    assert (approp.scored, approp.missing) == (3, 1)


def test_without_any_verdict_the_share_is_unknown():
    intent, _ = score(rows([None]), exemplars(1))
    assert intent.share is None and not intent.passes


def test_judges_come_in_the_order_of_their_first_row():
    found = score([*rows([3], "z"), *rows([3], "a")], exemplars(1))
    assert [(one.judge, one.dimension) for one in found] == [
        ("z", "intent"),
        ("z", "approp"),
        ("a", "intent"),
        ("a", "approp"),
    ]


def test_the_exemplars_are_fourteen_with_intervals_on_the_scales():
    found = read_exemplars()
    assert len({one.exemplar for one in found}) == 14
    for one in found:
        for dimension, top in (("intent", 5), ("approp", 3)):
            low, high = one.expected[dimension]
            assert 0 <= low <= high <= top
