"""A paid run: what it will cost stands at its start, and the budget stops it and lets it go on."""

import re
import shutil

import pytest

from tests.loopback.server import LoopbackServer
from tests.workflow.project import Project
from vlmtom.observers import answer

PRICE = {"input_usd_per_mtok": 10.0, "output_usd_per_mtok": 100.0}
USAGE = {"prompt_tokens": 100, "completion_tokens": 10}  # 0.002 dollars a reply
CALLS = 2 * 2 * 3 * 3  # testers, scenes, prompts, trials


def paid_answer(body):
    return answer(body) | {"usage": USAGE}


@pytest.fixture(scope="module")
def paid(tmp_path_factory):
    """A run that stopped at its budget, then went on with another one."""
    with LoopbackServer(paid_answer) as server:
        project = Project(tmp_path_factory.mktemp("paid"))
        project.config["budget"] = 0.05
        project.serve_from(server.base_url, price=PRICE, kind="model")
        for tester in project.config["testers"]:
            project.registry["models"][tester]["sampling"] = {"max_tokens": 20}
        project.save()
        stopped = project.snakemake(ok=False)
        asked = server.stats.requests
        project.config["budget"] = 5.0
        project.save()
        plan = project.vlmtom("plan", "--config", "config/config.yaml")
        done = project.snakemake()
        yield project, stopped, asked, plan, done, server.stats


def test_the_plan_stands_at_the_start_of_a_paid_run(paid):
    _, stopped, _, _, done, _ = paid
    for said in (stopped.stderr, done.stderr):
        assert re.search(r"obs-director\s+director\s+\d+ of 18", said)
    assert stopped.stderr.index("USD at most") < stopped.stderr.index("rule director_stimuli")


def test_the_budget_of_all_testers_together_stops_the_run_before_it_is_passed(paid):
    _, stopped, asked, plan, _, _ = paid
    assert stopped.returncode == 1
    # 25 replies cost 0.05. A job without a reply yet fears 0.0195 for its first call: 1,600
    # tokens for the picture and the text's at 10 dollars a million, and 20 at 100.
    assert 15 <= asked <= 25
    assert "stopped before the budget of 0.05 USD would be passed" in stopped.stderr
    assert f"{CALLS - asked} " in plan.stdout
    assert "Spent so far" in plan.stdout


def test_the_same_command_goes_on_with_more_money_and_asks_nothing_twice(paid):
    project, _, _, _, _, stats = paid
    assert stats.requests == len(stats.bodies) == CALLS
    costs = (project.results / "tables" / "costs.csv").read_text()
    assert costs.count("0.036") == 2  # 18 replies of a tester


def test_another_budget_reruns_nothing(paid):
    project = paid[0]
    assert project.planned() == {}
    project.config["budget"] = 7.0
    project.save()
    assert project.planned() == {}
    assert "of a budget of 7 USD" in project.vlmtom("status").stdout


def test_sums_that_are_lost_are_made_up_for_when_the_next_run_starts(paid):
    project = paid[0]
    before = project.vlmtom("status").stdout.partition("Spent: ")[2]
    shutil.rmtree(project.results / "calls")
    registry = project.registry["models"][project.config["testers"][0]]
    registry["sampling"] = {"max_tokens": 21}  # what is asked anew would cost 0.036 dollars
    project.config["budget"] = 0.09
    project.save()
    requests = paid[5].requests
    assert project.snakemake("results/tables/table2.tex", ok=False).returncode == 1
    # 0.072 are spent: what is left pays for some calls, and not for eighteen
    assert 0 <= paid[5].requests - requests < 9
    assert before.startswith("0.0720 USD")
