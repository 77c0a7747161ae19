"""Which text of a message is parsed at all."""

import pytest

from vlmtom.parsing import gated, gated_answers, move_single, parse, read_reply

YRB = {"A": "yellow", "B": "red", "C": "blue"}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("B", "B"),
        ([{"type": "text", "text": "Ans"}, {"type": "text", "text": "wer: B"}], "Answer: B"),
        ([{"type": "thinking", "thinking": "C"}, {"type": "text", "text": "B"}], "B"),
        ([{"type": "reasoning", "text": "C"}, {"type": "output_text", "text": "B"}], "B"),
        (["B", " (red)"], "B (red)"),
        ({"type": "text", "text": "B"}, "B"),
        ("<think>C</think>B", "B"),
        ("C</think>B", "B"),
        ("C</THINKING >B", "B"),
        ("<think>x</think>y<think>C</think>B", "B"),
        ("<reasoning effort='low'>C</reasoning>B", "B"),
        ("◁think▷C◁/think▷B", "B"),
        ("C◁/think▷B", "B"),
        ("[THINK]C[/THINK]B", "B"),
        ("<\u200bthink>C</think\u200b>B", "B"),
        (
            "<|channel|>analysis<|message|>C<|end|><|start|>assistant<|channel|>final<|message|>B",
            "B",
        ),
        ("I think it is B", "I think it is B"),
        ("a < b and b > c", "a < b and b > c"),
    ],
)
def test_the_text_after_the_reasoning_is_what_counts(content, text):
    assert read_reply(content).text == text


@pytest.mark.parametrize(
    ("content", "finish", "refusal", "status", "reason"),
    [
        (None, None, None, "empty", "empty"),
        ("", "stop", None, "empty", "empty"),
        (" \u200b\n", "stop", None, "empty", "empty"),
        ([], "stop", None, "empty", "empty"),
        ([{"type": "image_url"}], "stop", None, "empty", "empty"),
        ("<think>B</think>  ", "stop", None, "empty", "empty"),
        ("Answer: B", "length", None, "truncated", "truncated"),
        ("Answer: B", "MAX_TOKENS", None, "truncated", "truncated"),
        (None, "length", None, "truncated", "truncated"),
        ("<think>B", "stop", None, "truncated", "truncated"),
        ("</think>B<think>C", "stop", None, "truncated", "truncated"),
        ("◁think▷B", "stop", None, "truncated", "truncated"),
        ("B", "content_filter", None, "filtered", "filtered"),
        (None, "content_filter", "no", "filtered", "filtered"),
        (None, "stop", "I can't.", "refused", "refusal"),
        ("B", "stop", "I can't.", "refused", "refusal"),
        ("B", "length", "I can't.", "refused", "refusal"),
        ([{"type": "refusal", "refusal": "No."}], "stop", None, "refused", "refusal"),
    ],
)
def test_a_reply_without_usable_text_keeps_its_status(content, finish, refusal, status, reason):
    gate = read_reply(content, finish, refusal)
    assert (gate.text, gate.status, gate.reason) == (None, status, reason)
    for kind in ("visibility_multi", "move_single", "json_last", "judge"):
        parsed = parse(kind, content, options=YRB, finish_reason=finish, refusal=refusal)
        assert (parsed.value, parsed.status, parsed.reason) == (None, status, reason)


def test_a_blank_refusal_field_refuses_nothing():
    assert move_single("B", YRB, refusal="").value == "red"


def test_each_gated_answer_has_its_own_status():
    parsed = gated("Q1: A, C\nQ2: B or C", YRB)
    assert parsed.value == {"Q1": ["blue", "yellow"], "Q2": None}
    assert parsed.status == {"Q1": "parsed", "Q2": "unparsed"}
    assert parsed.reason == {"Q1": None, "Q2": "multiple_answers"}


@pytest.mark.parametrize(
    ("reply", "q1", "q2"),
    [
        ("Q1: A, C", None, "no_answer"),
        ("Q2: C", "no_answer", None),
        ("Q1: A, C\nQ2:", None, "no_answer"),
        ("Q1:\nQ2: C", "no_answer", None),
        ("A, C\nC", "no_answer", "no_answer"),
        ("I'm sorry, I can't help with that.", "refusal", "refusal"),
        ("Q1: pink\nQ2: A (blue)", "off_vocabulary", "letter_color_conflict"),
        ("<think>Q1: A Q2: A", "truncated", "truncated"),
        (None, "empty", "empty"),
    ],
)
def test_a_gated_answer_that_is_not_there_has_its_reason(reply, q1, q2):
    assert gated(reply, YRB).reason == {"Q1": q1, "Q2": q2}


def test_the_second_gated_answer_is_scored_where_a_target_is_given():
    both = gated_answers("Q1: A, C\nQ2: C (cyan)", YRB, target="C", hidden="B")
    assert both.q1.value == ["blue", "yellow"]
    assert both.q2.value == {"letter": "C", "color": "cyan", "failure_mode": "letter_only_correct"}
    assert both.q2_text == "C (cyan)"


def test_a_reasoned_draft_of_both_answers_is_overruled_by_the_last():
    parsed = gated("Q1: A\nQ2: A\nLet me check again.\nQ1: A, C\nQ2: C", YRB)
    assert parsed.value == {"Q1": ["blue", "yellow"], "Q2": "blue"}
