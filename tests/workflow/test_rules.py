"""What every rule of one kind must say, by the text of the rules."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def rules():
    for path in sorted((ROOT / "rules").glob("*.smk")):
        for block in re.split(r"^ *rule ", path.read_text(), flags=re.MULTILINE)[1:]:
            yield pytest.param(block, id=block.split(":")[0])


def part(block, name):
    """What a rule says under `name:`; empty if it has no such part."""
    found = re.search(rf"^    {name}:\n(.*?)(?=^    \w+:\n|^\S|\Z)", block, re.M | re.S)
    return found[1] if found else ""


@pytest.mark.parametrize("block", [*rules()])
def test_what_judges_and_coders_read_is_made_under_locked_instruments(block):
    """A prompt or codebook that was changed stops the run before anybody is paid to read."""
    if "BLIND" not in part(block, "output"):
        return
    params = part(block, "params")
    assert "locks=SETTINGS.locks" in params and "locked=locks_digest(" in params
    script = re.search(r"workflow/scripts/\w+\.py", part(block, "script"))[0]
    assert re.search(r"^check_locks\(", (ROOT / script).read_text(), re.M)


def test_the_rules_of_both_kinds_of_readers_are_among_them():
    found = {param.id for param in rules() if "BLIND" in part(param.values[0], "output")}
    assert {"blind", "exemplars", "representation_blind", "traces", "trace_tests"} <= found


@pytest.mark.parametrize("block", [p for p in rules() if p.id in ("rating_sheet", "trace_sheet")])
def test_what_people_are_given_rests_on_the_secret_and_not_on_the_seed(block):
    params = part(block, "params")
    assert "secret=RATING_SECRET" in params and "seed=" not in params
    script = re.search(r"workflow/scripts/\w+\.py", part(block, "script"))[0]
    code = (ROOT / script).read_text()
    assert "kept_secret(params.secret)" in code and "blind_salt" not in code
