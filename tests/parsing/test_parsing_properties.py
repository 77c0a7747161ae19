"""What holds for any reply at all."""

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vlmtom.parsing import (
    PALETTE_COLORS,
    REASONS,
    STATUSES,
    gated,
    json_last,
    judge_verdict,
    move_single,
    score_move,
    visibility_multi,
)

MODES = {"correct", "letter_only_correct", "egocentric", "other_block", "other_color"}
WORDS = """
not A B C a I yellow red blue purple green orange cyan pink violet blue-green the block blocks is
are n't can't see sees visible hidden behind partition director he I my view all none both except
but only and or , . : ; ( ) - / ? ! ** \\boxed{ } \\text{ $ Answer: answer <think> </think> Q1: Q2:
so therefore I'd move because wait actually { } [ ] " ' : 3 5 /5 intent approp Intentionality 不 和
не | # ` _ ~~ 🔴 ✗ ✓ ＡＢ А
"""
WORDS = ["\n", "\u200b", "\u00a0", *WORDS.split()]

fast = settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
palettes = st.permutations(PALETTE_COLORS).map(lambda c: dict(zip("ABC", c[:3], strict=True)))
texts = st.one_of(
    st.text(max_size=200), st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join)
)


@fast
@given(texts, palettes)
def test_no_text_raises_and_every_value_comes_from_the_options(text, options):
    colors = set(options.values())
    seen = visibility_multi(text, options)
    moved = move_single(text, options)
    scored = score_move(text, options, "A", "B")
    for parsed in (seen, moved, scored, json_last(text), judge_verdict(text)):
        assert parsed.status in STATUSES
        assert (parsed.value is None) == (parsed.reason is not None)
        assert parsed.reason is None or parsed.reason in REASONS
    if seen.value is not None:
        assert set(seen.value) <= colors
        assert seen.value == sorted(set(seen.value))
    if moved.value is not None:
        assert moved.value in colors
    if scored.value is not None:
        assert scored.value["failure_mode"] in MODES
        assert scored.value["letter"] is None or scored.value["letter"] in options
        assert scored.value["color"] is None or scored.value["color"] in PALETTE_COLORS
    both = gated(text, options)
    assert set(both.value) == set(both.status) == {"Q1", "Q2"}


@fast
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=120), palettes)
def test_a_text_that_names_no_block_moves_none(text, options):
    # Letters and colour words taken out, also the capitals that normalise to one.
    plain = "".join(c for c in text if c.isascii() and c not in "ABCabc")
    plain = plain.replace("r", "").replace("l", "").replace("y", "").replace("Y", "")
    plain = plain.replace("R", "").replace("L", "").replace("&", "").replace("{", "")
    assert move_single(plain, options).value is None


ANSWERS = st.sampled_from(["{L} ({c})", "{L}", "{c}", "The {c} block.", "Answer: {L} ({c})"])
DRESSES = st.sampled_from(
    [
        "**{}**", "*{}*", "`{}`", "__{}__", "# {}", "> {}", "- {}", "\u200b{}\u200b", " {} ",
        "\n{}\n",
        "<think>A or B, yellow or red</think>{}",
        "maybe B</think>\n{}", "```\n{}\n```", "<b>{}</b>",
        "\\boxed{{{}}}", "$\\boxed{{\\text{{{}}}}}$", "Answer: {}", "**Answer:** {}",
        "Final answer: {}", "The answer is {}", "\ufeff{}", "<answer>{}</answer>",
    ]
)  # fmt: skip


@fast
@given(palettes, st.sampled_from("ABC"), ANSWERS, st.lists(DRESSES, min_size=1, max_size=2))
def test_dress_around_an_answer_does_not_change_it(options, label, answer, dresses):
    reply = answer.format(L=label, c=options[label])
    for dress in dresses:
        reply = dress.format(reply)
    assert move_single(reply, options).value == options[label], reply
    assert visibility_multi(reply, options).value == [options[label]], reply


@fast
@given(
    palettes, st.sets(st.sampled_from("ABC"), min_size=1), st.sampled_from([", ", " and ", " & "])
)
def test_a_list_is_read_as_letters_as_colors_and_as_pairs(options, labels, joint):
    labels = sorted(labels)
    value = sorted(options[label] for label in labels)
    for form in ("{L}", "{c}", "{L} ({c})", "{c} ({L})"):
        reply = "Answer: " + joint.join(form.format(L=x, c=options[x]) for x in labels)
        assert visibility_multi(reply, options).value == value, reply


@fast
@given(palettes, st.sampled_from("ABC"))
def test_excepting_a_block_is_its_complement_however_it_is_said(options, label):
    value = sorted(color for x, color in options.items() if x != label)
    for name in (
        label,
        options[label],
        f"{label} ({options[label]})",
        f"the {options[label]} block",
    ):
        for form in (
            "all except {}",
            "everything but {}",
            "All blocks other than {}.",
            "The director sees every block apart from {}.",
        ):
            assert visibility_multi(form.format(name), options).value == value, form.format(name)


@fast
@given(st.integers(-3, 9), st.integers(-3, 9))
def test_a_verdict_is_read_exactly_when_it_is_within_the_scales(intent, approp):
    inside = 0 <= intent <= 5 and 0 <= approp <= 3
    value = {"intent": intent, "approp": approp}
    for reply in (json.dumps(value), f"Intentionality: {intent}\nAppropriateness: {approp}"):
        parsed = judge_verdict(reply)
        assert parsed.value == (value if inside else None)
        assert parsed.reason == (None if inside else "out_of_range")


scalars = st.one_of(st.none(), st.booleans(), st.integers(-99, 99), st.text(max_size=8))


@fast
@given(st.lists(st.integers(0, 99), max_size=4), st.integers(0, 99), st.text(max_size=30), scalars)
def test_any_valid_document_is_read_as_json_reads_it(visible, move, note, extra):
    document = {"note": note, "visible": visible, "x": extra, "move": move}
    wanted = {"visible": visible, "move": move}
    for reply in (json.dumps(document), "Sure:\n" + json.dumps(document, ensure_ascii=False)):
        if "<" in note or "◁" in note or "[" in note:
            continue  # a reasoning tag inside a string is the gate's matter
        assert json_last(reply).value == wanted
