"""Windows in a whole run: partial products say so, nothing is asked before its time."""

import shutil

import pytest

from tests.workflow.project import Project
from vlmtom.store import read_rows, schemas


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The same trials asked in one go."""
    project = Project(tmp_path_factory.mktemp("whole"))
    project.snakemake("results/tables/table2.tex")
    return project


def windowed(folder, gap):
    project = Project(folder)
    project.config |= {"windows": 3, "window_gap_hours": gap}
    project.save()
    return project


def asked(project):
    """Trials asked, by window."""
    found = {}
    for path in sorted((project.results / "replies").glob("*/director.w*.parquet")):
        for row in read_rows(path, schemas.REPLIES):
            found.setdefault(row["window"], set()).add(row["trial"])
    return found


def note(project):
    return (project.results / "tables" / "table2.tex").read_text()


def test_a_window_that_is_not_open_is_not_asked_and_the_run_says_when(tmp_path):
    project = windowed(tmp_path, gap=8)
    first = project.snakemake()
    assert asked(project) == {1: {1}}
    assert "partial: 1 of 3 windows" in note(project)
    assert "partial: 1 of 3 windows" in (project.results / "report" / "index.html").read_text()
    assert "Products are partial: 1 of 3 windows." in first.stderr
    second = project.snakemake()
    assert "Nothing to be done" in second.stderr
    assert "The next window opens 20" in second.stderr
    assert project.snakemake("window_3").returncode == 0
    assert asked(project) == {1: {1}}


@pytest.mark.slow
def test_windows_one_by_one_come_to_what_one_go_comes_to(tmp_path, whole):
    project = windowed(tmp_path, gap=0)
    project.snakemake("window_1")
    assert asked(project) == {1: {1}}
    assert "partial: 1 of 3 windows" in note(project)
    assert project.planned("--cores", "all", "window_1") == {}
    project.snakemake("window_2")
    assert asked(project) == {1: {1}, 2: {2}}
    assert "partial: 2 of 3 windows" in note(project)
    project.snakemake("all")
    assert asked(project) == {1: {1}, 2: {2}, 3: {3}}
    project.snakemake("all")
    assert project.planned() == {}
    assert note(project) == (whole.results / "tables" / "table2.tex").read_text()
    timing = (project.results / "tables" / "timing.csv").read_text().splitlines()
    assert {line.split(",")[4] for line in timing[1:]} == {"1", "2", "3"}


@pytest.mark.slow
def test_windows_opened_after_asking_ask_nothing_twice(tmp_path, whole):
    project = Project.__new__(Project)
    project.__dict__.update(whole.__dict__)
    project.folder = tmp_path / "run"
    shutil.copytree(whole.folder, project.folder, symlinks=True)
    project.config = whole.config | {"windows": 3, "window_gap_hours": 0}
    project.save()
    segments = sorted(project.results.rglob("*.jsonl"))
    before = note(project)
    project.snakemake("results/tables/table2.tex")
    assert sorted(project.results.rglob("*.jsonl")) == segments
    assert asked(project) == {1: {1}, 2: {2}, 3: {3}}
    assert note(project) == before


@pytest.mark.slow
def test_tables_that_are_deleted_come_back_whole_and_without_a_call(tmp_path):
    project = windowed(tmp_path, gap=0)
    project.snakemake("results/tables/table2.tex")
    before, segments = note(project), sorted(project.results.rglob("*.jsonl"))
    project.config["window_gap_hours"] = 8
    project.save()
    for table in project.results.glob("replies/*/*.parquet"):
        table.unlink()
    project.snakemake("results/tables/table2.tex")
    assert note(project) == before
    assert sorted(project.results.rglob("*.jsonl")) == segments
