"""JSON answers: the last object with all keys, repaired only where there is one reading."""

import pytest

from vlmtom.parsing import json_last

FINE = {"visible": [2, 7], "move": 7}

READ = [
    ('{"visible": [2, 7], "move": 7}', ()),
    ('```json\n{"visible": [2, 7], "move": 7}\n```', ()),
    ('```\n{"visible": [2, 7],\n "move": 7}\n```\nDone.', ()),
    ('Here: {"visible": [2, 7], "move": 7}. Bye {x}', ()),
    ('{"visible": [1], "move": 1} then {"visible": [2, 7], "move": 7}', ()),
    ('{"visible": [2, 7], "move": 7} and {"note": 1}', ()),
    ('{"answer": {"visible": [2, 7], "move": 7}}', ()),
    ('text {"why": "}", "answer": {"visible": [2, 7], "move": 7}} text', ()),
    ('[{"visible": [1], "move": 1}, {"visible": [2, 7], "move": 7}]', ()),
    ('{"visible": [2, 7], "move": 7, "why": "see {\\"visible\\": [1], \\"move\\": 1}"}', ()),
    ('{"why": "</think>", "visible": [2, 7], "move": 7}', ()),
    ('<think>{"visible": [1], "move": 1}</think>{"visible": [2, 7], "move": 7}', ()),
    ('Draft: {"visible": [7], "move": 7,\nFinal: {"visible": [2, 7], "move": 7}', ()),
    ('Draft: {"visible": [7\n{"visible": [2, 7], "move": 7}', ()),
    ('{"why": "unfinished\n{"visible": [2, 7], "move": 7}', ()),
    ('{"outer": {"visible": [2, 7], "move": 7}, "rest": ', ()),
    ('a set {2, 7} and {"visible": [2, 7], "move": 7}', ()),
    ('\\boxed{7} {"visible": [2, 7], "move": 7}', ()),
    ('\ufeff{"visible": [2,\u00a07], "move":\u200b 7}', ()),
    ('{"visible": [2, 7,], "move": 7,}', ("trailing_comma",)),
    ("{'visible': [2, 7], 'move': 7}", ("python_literal",)),
    ("{'visible': [2, 7], 'move': 7, 'ok': True, 'x': None}", ("python_literal",)),
    ('{"visible": [2, 7], // both\n "move": 7 /* it */}', ("comment",)),
    ('{"visible": [2, 7], # both\n "move": 7}', ("comment",)),
    ('{"url": "http://x", "visible": [2, 7], "move": 7}', ()),
    ('{"visible": ["2", "7"], "move": "7"}', ("number_string",)),
    ('{"visible": ["two", "Seven"], "move": "seven"}', ("number_word",)),
    ('{"visible": [2.0, 7], "move": 7.0}', ("integral_float",)),
    ('{"visible": [2, 7e0], "move": 7}', ("integral_float",)),
    ('{"visible": [2, 7], "move": "7.0"}', ("number_string",)),
    ('{"why": "a\nb", "visible": [2, 7], "move": 7}', ("line_break_in_string",)),
]

UNREAD = [
    ("no object here", "no_json"),
    ("{2, 7}", "no_json"),
    ("[2, 7]", "no_json"),
    ('"visible": [2, 7], "move": 7', "no_json"),
    ('{"visible": [2, 7], "move": 7', "no_json"),
    ("{visible: [2, 7], move: 7}", "no_json"),
    ('{"visible": [2 7], "move": 7}', "no_json"),
    ('{"why": "{\'visible\': [1], \'move\': 1}", "visible": [2', "no_json"),
    ('{"visible": [2, 7]}', "missing_field"),
    ('{"visible": [2, 7]} {"move": 7}', "missing_field"),
    ('{"a": {"b": {"visible": [2, 7], "move": 7}}}', "missing_field"),
    ("{}", "missing_field"),
    ('{"visible": [2, 7], "move": true}', "bad_type"),
    ('{"visible": [2, false], "move": 7}', "bad_type"),
    ('{"visible": 2, "move": 7}', "bad_type"),
    ('{"visible": "2, 7", "move": 7}', "bad_type"),
    ('{"visible": [2, 7], "move": [7]}', "bad_type"),
    ('{"visible": [2, 7], "move": null}', "bad_type"),
    ('{"visible": null, "move": 7}', "bad_type"),
    ('{"visible": [2, 7], "move": "the big one"}', "bad_type"),
    ('{"visible": [2, 7], "move": NaN}', "bad_type"),
    ('{"visible": [2, 7], "move": Infinity}', "bad_type"),
    ('{"visible": [2, 7], "move": 1e999}', "bad_type"),
    ('{"visible": [2, 7], "move": 7.5}', "non_integer"),
    ('{"visible": [2.5], "move": 7}', "non_integer"),
    ('{"visible": [2, 7], "move": "7.5"}', "non_integer"),
    ('{"visible": [2], "move": 2} {"visible": [2, 7], "move": true}', "bad_type"),
    ("I'm sorry, I can't help with that.", "refusal"),
]


@pytest.mark.parametrize(("reply", "repaired"), READ)
def test_the_last_object_with_all_keys_is_the_answer(reply, repaired):
    parsed = json_last(reply)
    assert (parsed.value, parsed.reason, parsed.repaired) == (FINE, None, repaired)


@pytest.mark.parametrize(("reply", "reason"), UNREAD)
def test_an_object_that_is_not_there_or_not_right_has_its_reason(reply, reason):
    parsed = json_last(reply)
    assert (parsed.value, parsed.status, parsed.reason) == (None, "unparsed", reason)


def test_a_repaired_object_keeps_its_place_in_the_order():
    assert json_last('{"visible": [1], "move": 1}\n{"visible": [2, 7,], "move": 7}').value == FINE
    assert json_last('{"visible": [1,], "move": 1}\n{"visible": [2, 7], "move": 7}').value == FINE


def test_other_keys_and_types_can_be_required():
    reply = '{"name": "x", "p": 0.5, "ok": true, "n": 3, "extra": 1}'
    kinds = {"name": "string", "p": "number", "ok": "boolean", "n": "integer"}
    assert json_last(reply, kinds).value == {"name": "x", "p": 0.5, "ok": True, "n": 3}
    assert json_last(reply, ["n"]).value == {"n": 3}
    assert json_last(reply, {"ok": "integer"}).reason == "bad_type"
    assert json_last(reply, {"n": "string"}).reason == "bad_type"


def test_an_unknown_type_is_named():
    with pytest.raises(ValueError, match="unknown type 'colour'; known types: boolean"):
        json_last("{}", {"a": "colour"})


def test_deep_nesting_and_huge_numbers_end_as_unparsed():
    assert json_last("{" * 5000).reason == "no_json"
    assert json_last('{"a": ' * 3000 + "1" + "}" * 3000).status == "unparsed"
    assert json_last('{"visible": [], "move": ' + "9" * 6000 + "}").status == "unparsed"
