"""Prompts of two conditions that are compared are the same bytes but for one part."""

from pathlib import Path

import pytest

from vlmtom.report_action.prompts import (
    CONSTRAINTS,
    REPORT_NAMES,
    REQUESTS,
    TURN,
    condition,
    difference,
    every_prompt,
    parts,
    turns,
)
from vlmtom.settings import load_layered

ROOT = Path(__file__).parents[2]
EVERY = [
    condition(f"{request}-{report}{constraint}")
    for request in REQUESTS
    for report in REPORT_NAMES
    for constraint in ("", *(f"-{name}" for name in CONSTRAINTS))
]
# What the state of a mind, the answer or the design would be called.
TOLD = ("hidden", "occlu", "belie", "theory", "mind", "perspective", "own view", "condition")


def text(of, visible=(3, 5)):
    return "".join(words for _, words in parts(of, visible))


def comparisons():
    for path in ("config.yaml", "extended.yaml", "report_action.yaml"):
        asked = load_layered(ROOT / "config" / path, ROOT / "config" / "config.yaml").report_action
        for name, one in asked.comparisons.items():
            yield pytest.param(one.without, one.with_, id=f"{path}:{name}")


@pytest.mark.parametrize(("without", "with_"), list(comparisons()))
def test_every_configured_comparison_differs_in_one_part_and_in_no_other_byte(without, with_):
    one, other = condition(without), condition(with_)
    for visible in ((1, 2), (9, 4, 7)):
        found = difference(one, other, visible)
        texts = [text(of, visible).encode() for of in (one, other)]
        start = len(text(one, visible)[: found.start].encode())
        for whole, words in zip(texts, found.words, strict=True):
            assert whole[start : start + len(words.encode())] == words.encode()
        rest = [
            whole[:start] + whole[start + len(words.encode()) :]
            for whole, words in zip(texts, found.words, strict=True)
        ]
        assert rest[0] == rest[1]
        assert texts[0] != texts[1]


def test_conditions_that_differ_in_two_parts_are_no_comparison():
    for one, other in (
        ("move-none", "mean-visibility"),
        ("move-visibility", "move-after"),
        ("move-none", "move-visibility-both"),
        ("move-visibility", "move-visibility"),
    ):
        with pytest.raises(ValueError, match="differ in"):
            difference(condition(one), condition(other))


def test_all_prompts_differ_and_name_neither_condition_nor_answer():
    texts = [text(of) for of in EVERY]
    assert len(set(texts)) == len(EVERY) == 4 * 7 * 5
    for one in texts:
        assert not [word for word in TOLD if word in one.lower()]
        assert one.startswith("The picture shows a table with numbered blocks")


@pytest.mark.parametrize("of", EVERY, ids=lambda of: of.slug)
def test_a_prompt_asks_for_the_keys_that_are_read(of):
    asked = turns(of, (3, 5))
    assert len(asked) == len(of.keys) == (2 if of.report == "first_turn" else 1)
    for words, keys in zip(asked, of.keys, strict=True):
        assert [key for key in ("visible", "count", "choice") if f'key "{key}"' in words] == [
            key for key in ("visible", "count", "choice") if key in keys
        ]
    assert condition(of.slug) == of


def test_padding_is_as_long_as_what_it_stands_in_for():
    assert abs(len(CONSTRAINTS["padding"]) - len(CONSTRAINTS["both"])) <= 8
    assert CONSTRAINTS["both"] == f"{CONSTRAINTS['knowledge']} {CONSTRAINTS['reference']}"


def test_what_is_stated_is_what_is_asked_for():
    for visible, words in (((4,), "numbers 4."), ((3, 5), "3 and 5."), ((9, 1, 2), "9, 1 and 2.")):
        assert words in text(condition("move-stated"), visible)


@pytest.mark.parametrize(
    ("slug", "why"),
    [
        ("move", "'' is not one of"),
        ("go-none", "'go' is not one of"),
        ("move-sees", "'sees' is not one of"),
        ("move-none-nothing", "'nothing' is not one of"),
        ("move-none-none", "did you mean 'move-none'"),
    ],
)
def test_a_condition_that_does_not_exist_is_told_with_what_does(slug, why):
    with pytest.raises(ValueError, match=why):
        condition(slug)


def test_the_parts_are_these_bytes():
    kept = ROOT / "tests" / "data" / "prompts" / "report_action.txt"
    found = "".join(f"[{name}]\n{words}\n" for name, words in every_prompt().items())
    assert TURN not in found
    assert found.encode() == kept.read_bytes()
