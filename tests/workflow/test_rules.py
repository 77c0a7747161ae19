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


# What no rule makes: files of the repository or of the person who runs it.
GIVEN = {"REFERENCES", "EXEMPLARS_FILE", "BENCHMARKS", "RETURNED", "TRACE_CODEBOOK"}
GIVEN |= {"RETURNED_TRACES", "RESULTS"}
# Another name of what is watched, or of the pattern that it comes from.
SAME = {
    "report": {"PICTURES", "KEYS", "OUTCOMES", "ITEMS", "EXPERIMENTS", "TESTERS"}
    | {"ALL_REPLIES", "ALL_VERDICTS", "TABLE_NAMES", "FIGURE_NAMES"},
    "representation_stimuli": {"REPRESENTATION_CLIPS"},
}
UNWATCHED = {"release"}  # asked for by itself, of a run that is finished


def watched(block):
    """The arguments of `gone(…)`; null where a rule has none."""
    start = block.find("gone=gone(")
    if start < 0:
        return None
    depth = 0
    for end in range(start + len("gone=gone"), len(block)):
        depth += {"(": 1, ")": -1}.get(block[end], 0)
        if not depth:
            return block[start:end]
    return None


@pytest.mark.parametrize("block", [*rules()])
def test_every_made_input_of_a_rule_is_noticed_when_it_is_gone(block):
    """Snakemake takes no notice of a deleted input as long as what was made from it is there."""
    name = block.split(":")[0]
    given = {*re.findall(r"\b[A-Z][A-Z_0-9]+\b", part(block, "input"))} - GIVEN
    given -= SAME.get(name, set())
    found = watched(block)
    if not given or name in UNWATCHED:
        return
    assert found is not None, f"rule {name}: no gone(...) in its params"
    named = {*re.findall(r"\b[A-Z][A-Z_0-9]+\b", found)}
    assert given <= named, f"rule {name}: gone(...) lacks {sorted(given - named)}"
    # A path that is spelled out can be watched under this spelling only.
    spelled = {*re.findall(r'f"[^"]+"', part(block, "input"))}
    assert name in SAME or all(one in found for one in spelled), f"rule {name}: {spelled}"
