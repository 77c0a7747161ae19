"""config/paper.yaml is what the paper ran: calls by hand, prices by Table 13, no call to say so."""

import socket
from collections import Counter
from pathlib import Path

import pytest

from vlmtom.cli import main
from vlmtom.commands.plan import plan
from vlmtom.judging.ablation import usd_per_call
from vlmtom.settings import load_layered, load_registry
from vlmtom.stats.exact import show
from vlmtom.stats.families import families_of
from vlmtom.stats.published import published_panel, read_published

ROOT = Path(__file__).parents[1]
PRINTED = read_published()
HEADLINE = {row["key"]: row["value"] for row in PRINTED["crosstask_headline"]}


@pytest.fixture(scope="module")
def paper():
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        settings = load_layered("config/paper.yaml")
        return settings, load_registry(settings)


@pytest.fixture(scope="module")
def lines(paper, tmp_path_factory):
    settings, registry = paper
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        away = str(tmp_path_factory.mktemp("none") / "results")
        return plan(settings.model_copy(update={"results": away}), registry).lines


def test_the_panel_and_the_judges_are_those_of_the_paper(paper):
    settings, _ = paper
    assert set(settings.testers) == set(published_panel(PRINTED))
    roles = {row["judge"]: row["role"] for row in PRINTED["crosstask_table13"]}
    assert settings.judge_roles == roles
    assert len(settings.battery) == 10 and settings.judging.repetitions == 5
    assert settings.judged == {
        "blinded": ["numbered", "plain", "keyframe", "reversed"],
        "informed": ["numbered", "plain"],
    }


def test_the_arms_have_the_testers_of_the_printed_tables(paper):
    settings, _ = paper
    seven = {row["model"] for row in PRINTED["crosstask_table3"]}
    four = {"claude-opus-4.7", "gpt-5.5", "gemini-3.5-flash", "grok-4.3"}
    director = {name: (arm.trials, arm.testers) for name, arm in settings.director.arms.items()}
    assert director.pop("canonical") == (3, None)
    assert {name: (k, set(who)) for name, (k, who) in director.items()} == dict.fromkeys(
        ("no_occluder", "same_side", "four_block"), (3, seven)
    )
    arms = {name: (arm.trials, arm.testers) for name, arm in settings.triangles.arms.items()}
    assert arms.pop("numbered") == arms.pop("plain") == (3, None)
    assert {name: (k, set(who)) for name, (k, who) in arms.items()} == dict.fromkeys(
        ("keyframe", "reversed"), (1, four)
    )


def test_the_plan_counts_the_calls_of_the_paper(lines):
    planned = Counter()
    for line in lines:
        topic = line.topic if line.role == "tester" or line.topic == "exemplars" else "verdicts"
        planned[topic] += line.planned
        assert line.calls == line.planned and line.problem is None
    # 12 scenes x prompts a, b, c x 3 trials: nine testers canonical, seven in three controls
    assert planned["director"] == 12 * 3 * 3 * (9 + 3 * 7)
    # 12 clips: nine testers x 3 trials numbered and plain, four x 1 keyframe and reversed
    assert planned["triangles"] == 12 * (9 * 3 * 2 + 4 * 1 * 2)
    # each judge on each of these, and numbered and plain once more, informed
    assert planned["verdicts"] == 3 * (planned["triangles"] + 12 * 9 * 3 * 2)
    # Appendices M and N: 210 and 490
    assert planned["exemplars"] == int(HEADLINE["phase1_calls"]) + int(HEADLINE["ablation_calls"])
    assert sum(planned.values()) == 8860


def test_a_replication_is_as_the_paper_counts_it(lines):
    # of each call of c come two outcomes, of a and b one: 4 outcomes in 3 calls
    canonical = 12 * 3 * 9
    assert canonical * 4 // 3 == int(HEADLINE["director_outcomes_per_replication"])
    judged = [line for line in lines if line.topic == "blinded.numbered"]
    cells = sum(line.planned for line in judged) // int(HEADLINE["k_tester"])
    assert cells == int(HEADLINE["triangles_judge_cells_per_replication"])


def test_the_plan_needs_no_key_and_no_network(monkeypatch, capsys):
    def refuse(*_):
        raise AssertionError("a plan opens no connection")

    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("VLMTOM_API_KEY", raising=False)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert main(["plan", "--config", "config/paper.yaml"]) == 0
    said = capsys.readouterr().out
    assert "8,860" in said
    # every model has a price, so that the total is no lower bound
    [total] = [line for line in said.splitlines() if line.startswith("total")]
    assert "≥" not in total
    assert not (ROOT / "results-paper" / "replies").exists()


def test_prices_cost_what_table_13_prints(paper):
    _, registry = paper
    for row in PRINTED["crosstask_table13"]:
        cost = usd_per_call(registry.models[row["judge"]].price)
        assert show(cost, 4) == row["usd_per_call"], row["judge"]


def test_every_price_says_whether_the_paper_confirms_it(paper):
    settings, _ = paper
    text = (ROOT / "config" / "models.yaml").read_text()
    judges = {row["judge"] for row in PRINTED["crosstask_table13"]}
    for slug in {*settings.testers, *judges}:
        entry = text.split(f"\n  {slug}:\n")[1].split("price:")[1].splitlines()[0]
        assert ("paper" in entry) == (slug in judges), slug
        assert "paper" in entry or "check" in entry


def test_families_of_entries_are_those_of_the_audit(paper):
    settings, registry = paper
    names = {*settings.testers, *settings.judges}
    assert families_of(names) == {name: registry.models[name].family for name in names}
