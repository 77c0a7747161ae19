"""A judge's verdict: two integers within their scales, or a reason."""

import pytest

from vlmtom.parsing import judge_verdict

READ = [
    '{"intent": 3, "approp": 1}',
    '```json\n{"intent": 3, "approp": 1}\n```',
    '{"intent": 3, "approp": 1, "why": "I nearly gave {\\"intent\\": 5, \\"approp\\": 3}"}',
    '{"Intent": 3, "Approp": 1}',
    '{"intentionality": 3, "appropriateness": 1}',
    '{"intent": "3", "approp": 1.0}',
    '{"intent": "3/5", "approp": "1/3"}',
    "{'intent': 3, 'approp': 1,}",
    '{"scores": {"intent": 3, "approp": 1}}',
    '{"intent": 3, "approp": 1}\n{"intent": 3, "approp": 1}',
    '{"intent": 3, "approp": 1} {"intent": "3", "approp": 1.0}',
    '<think>{"intent": 5, "approp": 3}</think>{"intent": 3, "approp": 1}',
    "Intentionality: 3/5\nAppropriateness: 1/3",
    "**Intentionality**: 3\n**Appropriateness**: 1",
    "Intent: 3\nApprop: 1",
    "Intent = 3, Approp = 1",
    "Intentionality score: 3/5. Appropriateness score: 1/3.",
    "- Intentionality (0-5): **3**\n- Appropriateness (0–3): **1**",
    "Intentionality: 3 out of 5\nAppropriateness: 1 out of 3",
    "Intentionality - 3\nAppropriateness - 1",
    "Intentionality: three\nAppropriateness: one",
    "Intentionality 3/5, Appropriateness 1/3",
    "| Intentionality | 3 |\n| Appropriateness | 1 |",
    "Intentionality: 3 (two triangles chase 4 times)\nAppropriateness: 1",
    "Scale: Intentionality: 0-5, Appropriateness: 0-3.\nIntentionality: 3\nAppropriateness: 1",
    "Intentionality: 3.0/5\nAppropriateness: 1/3",
    "INTENTIONALITY: 3\nAPPROPRIATENESS: 1",
]

UNREAD = [
    ('{"intent": 45, "approp": 2}', "out_of_range"),
    ('{"intent": 6, "approp": 2}', "out_of_range"),
    ('{"intent": -1, "approp": 2}', "out_of_range"),
    ('{"intent": 3, "approp": 4}', "out_of_range"),
    ('{"intent": "3/10", "approp": 1}', "out_of_range"),
    ('{"intent": 3.5, "approp": 1}', "non_integer"),
    ('{"intent": "3.5", "approp": 1}', "non_integer"),
    ('{"intent": true, "approp": 1}', "bad_type"),
    ('{"intent": null, "approp": 1}', "bad_type"),
    ('{"intent": "high", "approp": 1}', "bad_type"),
    ('{"intent": [3], "approp": 1}', "bad_type"),
    ('{"intent": NaN, "approp": 1}', "bad_type"),
    ('{"intent": 3}', "missing_field"),
    ('{"intent": 3}\n{"approp": 1}', "missing_field"),
    ('{"score": 3}', "missing_field"),
    ("Intentionality: 3", "missing_field"),
    ('{"intent": 3, "approp": 1}\n{"intent": 5, "approp": 3}', "conflicting_verdicts"),
    ('{"intent": 3, "approp": 1}\n{"intent": 45, "approp": 3}', "conflicting_verdicts"),
    ('{"intent": 3, "intent": 5, "approp": 1}', "conflicting_verdicts"),
    ('{"a": {"intent": 3, "approp": 1}, "b": {"intent": 2, "approp": 1}}', "conflicting_verdicts"),
    ("Intentionality: 3\nAppropriateness: 1\nIntentionality: 4", "conflicting_verdicts"),
    ("Intentionality: 3.5/5\nAppropriateness: 1/3", "non_integer"),
    ("Intentionality: 6/5\nAppropriateness: 1/3", "out_of_range"),
    ("Intentionality: 4/10\nAppropriateness: 1/3", "out_of_range"),
    ("Intentionality: 3-4\nAppropriateness: 1", "bad_type"),
    ("Intentionality: 3 or 4\nAppropriateness: 1", "bad_type"),
    ("Intentionality: high\nAppropriateness: low", "no_json"),
    ("All 16 frames show 2 triangles.", "no_json"),
    ("3 1", "no_json"),
    ('{"intent": 3, "approp": 1', "no_json"),
    ("{intent: 3, approp: 1}", "no_json"),
    ('"intent": 3, "approp": 1', "no_json"),
    ('```json\n{"intent": 3,\n"approp": 1\n```', "no_json"),
    ("Intentionality: N/A\nAppropriateness: 1", "missing_field"),
    ("3/5", "no_json"),
    ("The intent of the 3 triangles is appropriate.", "no_json"),
    ("I'm sorry, but I can't help with that.", "refusal"),
]


@pytest.mark.parametrize("reply", READ)
def test_two_integers_within_their_scales_are_a_verdict(reply):
    parsed = judge_verdict(reply)
    assert (parsed.value, parsed.reason) == ({"intent": 3, "approp": 1}, None)


@pytest.mark.parametrize(("reply", "reason"), UNREAD)
def test_no_verdict_is_clamped_rounded_or_made_up(reply, reason):
    parsed = judge_verdict(reply)
    assert (parsed.value, parsed.status, parsed.reason) == (None, "unparsed", reason)


def test_a_reasoning_tag_quoted_inside_a_valid_verdict_cuts_nothing():
    reply = '{"why": "it wrote <think>", "intent": 3, "approp": 1}'
    assert judge_verdict(reply, finish_reason="stop").value == {"intent": 3, "approp": 1}
    assert judge_verdict(reply, finish_reason="length").reason == "truncated"


@pytest.mark.parametrize(("intent", "approp"), [(0, 0), (5, 3)])
def test_the_ends_of_the_scales_are_scores(intent, approp):
    value = {"intent": intent, "approp": approp}
    assert judge_verdict(f'{{"intent": {intent}, "approp": {approp}}}').value == value
