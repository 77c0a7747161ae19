"""A run is laid beside the paper where one of its testers is the paper's, and nowhere else."""

import csv

import pytest

from tests.workflow.project import Project


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    made = Project(tmp_path_factory.mktemp("published") / "p", testers=("kimi-k2.6",))
    # Its answers come from a stated policy here: only what is made of them is looked at.
    observer = made.registry["models"]["obs-own-view"]
    made.registry["models"]["kimi-k2.6"] |= {
        name: observer[name] for name in ("endpoint", "gateway_model", "sampling", "concurrency")
    }
    made.save()
    return made


def test_a_tester_of_the_paper_is_laid_beside_it(project):
    project.snakemake("results/tables/published.csv")
    with (project.results / "tables" / "published.csv").open(newline="") as file:
        rows = {(row["file"], row["row"], row["measure"]): row for row in csv.DictReader(file)}
    # Two scenes, all of a and none of b: of twelve, the paper's counts for it are 5, 0 and 9.
    found = [rows["crosstask_table2", "kimi-k2.6", name] for name in ("a", "b", "ego_b")]
    assert [(row["ours"], row["status"]) for row in found] == [
        ("2", "differs"),
        ("0", "same"),
        ("2", "differs"),
    ]
    gap = rows["crosstask_table8", "kimi-k2.6", "gap_x"]
    assert (gap["ours"], gap["status"]) == ("", "not_run")  # Table 8 needs the triangles
    panel = rows["crosstask_table2_panel", "panel", "a_pct"]
    assert panel["reason"] == "over other testers: 1 of the paper's 9, 0 others"
    tex = (project.results / "tables" / "published.tex").read_text()
    assert r"kimi-k2.6 & 2 (5) & 0 & 2 (4) & 0 (4) & 2 (9) & – & – & – \\".replace("–", "--") in tex


def test_a_deleted_table_beneath_it_is_noticed(project):
    assert project.planned("results/tables/published.csv") == {}
    (project.results / "tables" / "table2.parquet").unlink()
    assert set(project.planned("results/tables/published.csv")) == {"table2", "published"}


def test_observers_are_laid_beside_nothing(tmp_path):
    rules = set(Project(tmp_path / "p").planned())
    assert "table1" in rules and "published" not in rules
