"""What is planned when something is gone or changed: that much, and no more."""

import shutil

import pytest

from tests.workflow.project import Project

JOINS = {"director_cells", "table2", "figure2", "costs", "timing", "report", "manifest"}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("finished"))
    project.snakemake()
    return project


@pytest.fixture
def project(finished, tmp_path):
    """A finished run, as it lies; what a test does to it stays in the test."""
    copy = Project.__new__(Project)
    copy.__dict__.update(finished.__dict__)
    copy.folder = tmp_path / "run"
    shutil.copytree(finished.folder, copy.folder, symlinks=True)
    copy.registry = {key: dict(value) for key, value in finished.registry.items()}
    copy.config = dict(finished.config)
    return copy


def until_quiet(project, *targets):
    """A rule that saw a gap runs once more at the next call, then there is nothing to do."""
    project.snakemake(*targets)
    project.snakemake(*targets)
    assert project.planned(*targets) == {}


def test_a_second_run_has_nothing_to_do(finished):
    assert finished.planned() == {}
    assert "Nothing to be done" in finished.snakemake().stderr


def test_every_product_is_there_and_verifies(finished):
    for name in (
        "tables/table2.tex",
        "tables/table2.csv",
        "tables/table2.parquet",
        "figures/figure2.pdf",
        "figures/figure2.png",
        "codebook.csv",
        "manifest.parquet",
        "stimuli/director/sheet.canonical.png",
    ):
        assert (finished.results / name).stat().st_size > 100, name
    assert "hold" in finished.vlmtom("verify").stdout


@pytest.mark.parametrize("target", ["all", "results/tables/table2.tex"])
def test_deleted_replies_of_one_tester_are_asked_again_and_only_these(project, target):
    before = project.tables()
    shutil.rmtree(project.results / "replies" / "obs-own-view")
    plan = project.planned(target)
    assert plan["replies"] == plan["director_outcomes"] == {"obs-own-view"}
    assert "director_stimuli" not in plan
    until_quiet(project, target)
    assert project.tables() == before


def test_a_deleted_parquet_is_rebuilt_from_the_journal_without_a_call(project):
    replies = project.results / "replies" / "obs-director"
    before = (replies / "director.w1.parquet").read_bytes()
    segments = sorted((replies / "journal").glob("*.jsonl"))
    (replies / "director.w1.parquet").unlink()
    project.snakemake("results/tables/table2.tex")
    assert (replies / "director.w1.parquet").read_bytes() == before
    assert sorted((replies / "journal").glob("*.jsonl")) == segments


@pytest.mark.parametrize(
    ("target", "gone"),
    [
        ("all", "keys/director.parquet"),
        ("results/tables/table2.tex", "outcomes/obs-director/director.parquet"),
        pytest.param("all", "cells/director.parquet", marks=pytest.mark.slow),
        pytest.param("all", "outcomes/obs-director/director.parquet", marks=pytest.mark.slow),
        pytest.param("results/tables/table2.tex", "cells/director.parquet", marks=pytest.mark.slow),
        pytest.param("results/tables/table2.tex", "keys/director.parquet", marks=pytest.mark.slow),
    ],
)
def test_a_deleted_intermediate_is_noticed(project, target, gone):
    (project.results / gone).unlink()
    assert project.planned(target)
    until_quiet(project, target)
    assert (project.results / gone).exists()


@pytest.mark.parametrize("target", ["all", "results/tables/table2.tex"])
def test_a_failed_rerun_is_noticed_by_the_next_call(project, target):
    # obs-own-view moves to a server that is not there
    project.registry["endpoints"]["nowhere"] = {
        "kind": "openai",
        "base_url": "http://127.0.0.1:9/v1",
    }
    entry = project.registry["models"]["obs-own-view"]
    project.registry["models"]["obs-own-view"] = entry | {"endpoint": "nowhere"}
    project.save()
    failed = project.snakemake(target, ok=False)
    assert failed.returncode != 0
    assert "12 of 18 replies" in failed.stderr or "18 of 18 replies" in failed.stderr
    assert not (project.results / "replies/obs-own-view/director.w1.parquet").exists()
    again = project.snakemake(target, ok=False)
    assert again.returncode != 0, "a table of old replies must not pass for a finished run"
    project.registry["models"]["obs-own-view"] = entry
    project.save()
    until_quiet(project, target)


def test_an_added_tester_plans_its_own_jobs_and_the_joins(project):
    project.config["testers"] = [*project.config["testers"], "obs-guess"]
    project.save()
    plan = project.planned()
    assert plan.pop("replies") == plan.pop("director_outcomes") == {"obs-guess"}
    assert set(plan) == JOINS | {"all"}


def test_a_changed_temperature_reruns_its_tester_alone(project):
    entry = project.registry["models"]["obs-director"]
    project.registry["models"]["obs-director"] = entry | {"sampling": {"temperature": 0.7}}
    project.save()
    plan = project.planned()
    assert plan.pop("replies") == plan.pop("director_outcomes") == {"obs-director"}
    assert set(plan) == JOINS | {"all"}


def test_another_tester_in_the_registry_plans_nothing(project):
    entry = project.registry["models"]["obs-director"]
    project.registry["models"]["new-model"] = entry
    project.save()
    assert project.planned() == {}


def test_touched_files_of_a_checkout_plan_nothing(project):
    for path in (project.folder / "workflow" / "scripts").iterdir():
        path.touch()
    for path in (project.folder / "rules").iterdir():
        path.touch()
    assert project.planned() == {}


def test_a_changed_script_reruns_what_it_makes(project):
    # The digest reads the scripts of the package's repository; a copied scripts folder is not it.
    from vlmtom.store import code_digest

    assert code_digest("workflow/scripts/table2.py") != code_digest("workflow/scripts/figure2.py")
