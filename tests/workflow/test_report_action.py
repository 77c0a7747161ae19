"""Report before action alone through the workflow: over HTTP, in two turns, packed, rebuilt."""

import csv
import json
import shutil

import pytest

from tests.loopback.server import LoopbackServer
from tests.workflow.project import Project
from vlmtom.commands.archives import unpack
from vlmtom.commands.verifying import picture_problems
from vlmtom.instruments import instruments
from vlmtom.observers import answer
from vlmtom.settings import load_settings
from vlmtom.store import read_rows, schemas

TESTERS = ("obs-director", "obs-swayed")
BATCHES = {
    "question": {"conditions": ["move-visibility", "move-none", "mean-visibility"]},
    "place": {
        "conditions": ["move-visibility", "move-none", "move-first_turn"],
        "testers": ["obs-swayed"],
    },
}
COMPARISONS = {
    "asked": {"batch": "question", "without": "move-none", "with": "move-visibility"},
    "earlier": {"batch": "place", "without": "move-none", "with": "move-first_turn"},
}
SCENES, REPLIES = 4, 2


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A run that has nothing but report_action; its server answers as the observers do."""
    project = Project(tmp_path_factory.mktemp("action"), testers=("obs-director",))
    project.config |= {
        "director": None,
        "report_action": {
            "testers": list(TESTERS),
            "sets": {"main": SCENES},
            "replies": REPLIES,
            "batches": BATCHES,
            "comparisons": {name: one | {"family": "all"} for name, one in COMPARISONS.items()},
        },
    }
    project.save()
    project.vlmtom("lock")
    with LoopbackServer(answer) as server:
        project.registry["endpoints"]["loopback"] = {"kind": "openai", "base_url": server.base_url}
        for tester in TESTERS:
            project.registry["models"][tester] |= {
                "endpoint": "loopback",
                "concurrency": 4,
                "probe": False,
            }
        project.save()
        project.snakemake()
        asked = server.stats.requests
    return project, asked


def outcomes(project, tester):
    path = project.results / "outcomes" / tester / "report_action.parquet"
    return read_rows(path, schemas.REPORT_ACTION_OUTCOMES)


def test_each_tester_is_asked_its_batches_and_a_second_turn_where_there_is_one(study):
    project, asked = study
    items = {"obs-director": 3, "obs-swayed": 6}
    turns = {"obs-director": 3, "obs-swayed": 7}
    assert asked == sum(turns.values()) * SCENES * REPLIES
    for tester, count in items.items():
        rows = outcomes(project, tester)
        assert len(rows) == count * SCENES * REPLIES
        assert {row["parse"] for row in rows} == {"parsed"}
    assert not any(row["hidden_chosen"] for row in outcomes(project, "obs-director"))
    first = [row for row in outcomes(project, "obs-swayed") if row["arm"] == "move-first_turn"]
    assert all(row["visible_correct"] for row in first)


def test_every_product_is_there_and_a_second_run_has_nothing_to_do(study):
    project, _ = study
    names = {path.stem for path in (project.results / "tables").glob("report_action_*.tex")}
    assert {
        f"report_action_{name}"
        for name in ("estimates", "joint", "batches", "scenes", "prompts", "rates", "choices")
    } <= names
    assert (project.results / "figures" / "report_action_effects.pdf").exists()
    assert (project.results / "report" / "report_action.html").exists()
    assert not (project.results / "tables" / "table2.tex").exists()
    assert "Nothing to be done" in project.snakemake().stderr
    with (project.results / "tables" / "report_action_estimates.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["tester"] for row in rows if row["comparison"] == "earlier"} == {"obs-swayed"}
    assert {row["tester"] for row in rows if row["comparison"] == "asked"} == set(TESTERS)


def test_deleted_replies_are_noticed_by_a_table_made_from_them(study):
    project, _ = study
    replies = project.results / "replies" / "obs-director"
    shutil.move(replies, project.folder / "aside")
    try:
        plan = project.planned("results/tables/report_action_joint.tex")
        assert "action_replies" in plan
    finally:
        shutil.move(project.folder / "aside", replies)
    assert "Nothing to be done" in project.snakemake().stderr


def test_scenes_that_the_code_draws_otherwise_are_named(study):
    """The stored ones are whole; those of another seed are not they."""
    project, _ = study
    settings = load_settings(project.folder / "config" / "config.yaml")
    assert picture_problems(project.results, instruments(settings)) == []
    other = instruments(settings.model_copy(update={"seed": 12}))
    [said] = picture_problems(project.results, other)
    assert f"report_action/main {SCENES} seed 12 scenes are drawn otherwise now" in said


def test_a_bundle_of_it_can_be_loaded_and_asks_nobody(study, tmp_path):
    """Its server is gone: whatever is made again is made from the journals."""
    project, _ = study
    project.vlmtom("bundle", "--out", str(tmp_path / "b.zip"))
    unpack(tmp_path / "b.zip", tmp_path / "there")
    there = Project.__new__(Project)
    there.__dict__.update(project.__dict__)
    there.folder = tmp_path / "there"
    packed = load_settings(there.folder / "config" / "config.yaml")
    assert packed.report_action.comparisons["asked"].with_ == "move-visibility"
    rebuild = json.loads((there.folder / "bundle.json").read_text())["rebuild"]
    assert rebuild
    before = (there.results / "tables" / "report_action_estimates.csv").read_bytes()
    for path in (*there.results.glob("replies/*/*.parquet"), *there.results.glob("tables/report*")):
        path.unlink()
    there.snakemake("results/tables/report_action_estimates.csv")
    assert (there.results / "tables" / "report_action_estimates.csv").read_bytes() == before
