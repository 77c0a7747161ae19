"""Arms of some testers only, both overlays, and references kept elsewhere, through the workflow."""

import csv
import shutil

import pytest

from tests.workflow.project import ROOT, Project

pytestmark = pytest.mark.slow

TESTERS = ("obs-director", "obs-gated")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("arms")
    project = Project(folder / "run", testers=TESTERS)
    own = folder / "elsewhere" / "references.csv"
    own.parent.mkdir()
    shutil.copy(ROOT / "resources" / "references.csv", own)
    one = {"trials": 1, "testers": ["obs-gated"]}
    project.config |= {
        "references": str(own),
        "judges": ["judge-plain", "judge-strict"],
        "judging": {"overlays": ["blinded", "informed"], "repetitions": 1},
        "director": {
            "arms": {
                "canonical": {"scenes": 2, "trials": 1},
                "no_occluder": one | {"scenes": 2},
                "unasked": {"scenes": 2, "trials": 1},
                "reasoning": one | {"scenes": 2},
            }
        },
        "triangles": {"arms": {"numbered": {"trials": 1}, "plain": one, "keyframe": {"trials": 1}}},
    }
    project.save()
    project.vlmtom("lock", "--config", "config/config.yaml")
    project.snakemake()
    return project


def table(project, name):
    with (project.results / "tables" / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_second_run_has_nothing_to_do_and_all_is_as_it_was(finished):
    assert finished.planned() == {}
    assert "hold" in finished.vlmtom("verify").stdout
    left = finished.vlmtom("plan", "--config", "config/config.yaml", "--csv", "plan.csv")
    assert left.returncode == 0
    with (finished.folder / "plan.csv").open(newline="") as file:
        assert {row["calls"] for row in csv.DictReader(file)} <= {"0"}


def test_a_tester_that_an_arm_does_not_ask_has_no_row_of_it(finished):
    arms = {(row["tester"], row["arm"]) for row in table(finished, "director_arms")}
    every = {(tester, arm) for tester in TESTERS for arm in ("canonical", "unasked")}
    assert arms == every | {("obs-gated", "no_occluder"), ("obs-gated", "reasoning")}
    tex = (finished.results / "tables" / "table3.tex").read_text()
    assert "Not asked: obs-director in no occluder." in tex


def test_arms_are_compared_over_the_testers_that_have_them(finished):
    tex = (finished.results / "tables" / "table6.tex").read_text()
    assert "obs-gated; without obs-director" in tex
    assert {row["n_testers"] for row in table(finished, "table6")} == {"1"}
    read = {(row["arm"], row["overlay"]): row["status"] for row in table(finished, "table9")}
    assert set(read.values()) == {"ok"} and len(read) == 4
    keyframe = [row for row in table(finished, "sensitivity") if row["variant"] == "plain"]
    assert [row["panel_n"] for row in keyframe] == ["1"]
