"""`vlmtom parse`: JSON lines in, JSON lines out, and errors that say what to do."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from vlmtom.parsing import BadParseInput, main_lines, parse

CASES = Path(__file__).parents[1] / "data" / "parsing_cases.jsonl"
CASE_LINES = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
YRB = {"A": "yellow", "B": "red", "C": "blue"}


def run(*requests):
    out = io.StringIO()
    lines = [r if isinstance(r, str) else json.dumps(r) for r in requests]
    main_lines(lines, out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


@pytest.mark.parametrize("case", CASE_LINES, ids=[case["id"] for case in CASE_LINES])
def test_the_agreed_cases_hold(case):
    [row] = run({"id": case["id"], **case["input"]})
    assert (row["value"], row["reason"]) == (case["expected"], case.get("reason"))


def test_rows_keep_order_and_fields():
    rows = run(
        {"id": 1, "kind": "move_single", "options": YRB, "reply": "B"},
        "",
        {"id": "x", "kind": "judge", "reply": "?"},
    )
    assert rows == [
        {"id": 1, "value": "red", "status": "parsed", "reason": None, "repaired": []},
        {"id": "x", "value": None, "status": "unparsed", "reason": "no_json", "repaired": []},
    ]


def test_the_reasoning_field_is_never_parsed():
    [row] = run(
        {"id": 1, "kind": "move_single", "options": YRB, "reply": "", "reasoning": "Answer: B"}
    )
    assert (row["value"], row["reason"]) == (None, "empty")


def test_a_scored_move_without_a_hidden_block_needs_no_hidden():
    request = {"id": 1, "kind": "score_move", "options": YRB, "target": "C", "reply": "C (blue)"}
    assert run(request)[0]["value"]["failure_mode"] == "correct"


FINE = {"id": 1, "kind": "move_single", "options": YRB, "reply": "B"}


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ("{oops", "line 2: expected one JSON object, found invalid JSON"),
        ("[1]", "line 2: expected a JSON object, found a list"),
        ({"id": 1, "kind": "move_single", "options": YRB}, "line 2: expected the key 'reply'"),
        ({"id": 1, "reply": "B"}, "line 2: expected the key 'kind'.*Known kinds: visibility_multi"),
        ({**FINE, "kind": "move"}, "line 2: expected a known kind, found 'move'. Known kinds"),
        ({**FINE, "options": None}, "line 2: expected 'options' for the kind 'move_single'"),
        ({**FINE, "options": {"A": 3}}, "line 2: expected 'options' to map a letter"),
        ({**FINE, "options": {"a": "red"}}, "line 2: expected upper-case labels.*Write 'A'"),
        ({**FINE, "options": {"A": "red", "B": "Red"}}, "line 2: expected a different colour"),
        ({**FINE, "reply": 3}, "line 2: expected 'reply' to be a string, null or a list"),
        ({**FINE, "finish_reason": 3}, "line 2: expected 'finish_reason' to be a string"),
        (
            {**FINE, "kind": "score_move"},
            "line 2: expected 'target' to be one of the labels A, B, C",
        ),
        (
            {**FINE, "kind": "score_move", "target": "A", "hidden": "D"},
            "line 2: expected 'hidden' to be null or one of the labels",
        ),
        ({**FINE, "kind": "json_last", "keys": 3}, "line 2: expected 'keys' to be a list of names"),
        ({**FINE, "kind": "json_last", "keys": {"a": "int"}}, "line 2: .*unknown type 'int'"),
    ],
)
def test_a_malformed_line_is_named_with_what_to_do(bad, says):
    with pytest.raises(BadParseInput, match=says):
        run(FINE, bad)


def test_a_wrong_request_by_function_is_the_same_error():
    with pytest.raises(BadParseInput, match="expected 'options' for the kind 'gated'"):
        parse("gated", "Q1: A")


def test_the_package_imports_nothing_but_the_standard_library():
    code = (
        "import sys, vlmtom.parsing;"
        "heavy = {'numpy', 'pandas', 'pydantic', 'pyarrow', 'cv2'} & set(sys.modules);"
        "sys.exit(', '.join(heavy) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
