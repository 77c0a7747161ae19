"""Both tasks through the workflow: the joint table alone, one tester again, judges over HTTP."""

import shutil
import subprocess

import pytest

from tests.loopback.server import LoopbackServer
from tests.rating.helpers import csv_text
from tests.workflow.project import Project
from vlmtom.observers import answer
from vlmtom.rating.secret import NAME
from vlmtom.store import read_rows, schemas

TESTERS = ("obs-director", "obs-gated")
JUDGES = ("judge-strict", "judge-plain")
TABLES = (
    *("table2", "table5", "table7", "table8", "table11"),
    *("anchors_wide", "sensitivity", "intervals", "length"),
)


def with_triangles(folder):
    project = Project(folder, testers=TESTERS)
    project.config |= {
        "judges": list(JUDGES),
        "triangles": {"arms": {"numbered": {"trials": 1}}},
    }
    project.save()
    project.vlmtom("lock", "--config", "config/config.yaml")
    return project


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    project = with_triangles(tmp_path_factory.mktemp("both"))
    project.snakemake("results/tables/table8.tex")
    assert not (project.results / "report").exists(), "table 8 alone needs no report"
    project.snakemake()
    return project


def test_every_product_is_there_and_a_second_run_has_nothing_to_do(finished):
    for name in TABLES:
        for form in ("tex", "csv", "parquet"):
            assert (finished.results / "tables" / f"{name}.{form}").stat().st_size > 100
    for number in (2, 3, 4, 5):
        for form in ("pdf", "png"):
            assert (finished.results / "figures" / f"figure{number}.{form}").stat().st_size > 1000
    assert len(list((finished.results / "clips").glob("*.mp4"))) == 12
    assert "obs-gated.html" in (finished.results / "report" / "index.html").read_text()
    assert finished.dead_links() == []
    assert finished.planned() == {}
    assert "hold" in finished.vlmtom("verify").stdout


def test_captions_say_what_the_numbers_are(finished):
    tex = (finished.results / "tables" / "table8.tex").read_text()
    for words in (
        "LLM-rated, against human-rated means",
        "descriptive",
        "Synthetic clips",
        "overlay blinded",
        "rubric SHA-256",
        "not models",
    ):
        assert words in tex, words


def test_what_observers_must_score_in_tables_of_how_firm_labels_are(finished):
    def rows(name, schema, *key):
        table = read_rows(finished.results / "tables" / f"{name}.parquet", schema)
        return {tuple(row[part] for part in key): row for row in table}

    # gaps 0 and 1: the wider set names the cohort with the largest gap for the latter
    wide = rows("anchors_wide", schemas.ANCHORS_WIDE, "tester")
    assert [wide[tester,]["gap"] for tester in TESTERS] == [0, 1]
    assert [wide[tester,]["moved"] for tester in TESTERS] == [False, True]
    # a stated policy fails or passes in every scene: an interval without width
    drawn = rows("intervals", schemas.INTERVALS, "tester", "measure")
    for tester, gap, recovery in (("obs-director", 0, 0), ("obs-gated", 1, 1)):
        for measure, value in (("gap", gap), ("recovery", recovery)):
            row = drawn[tester, measure]
            assert (row["value"], row["low"], row["high"]) == (value, value, value)
    # one account of minds, told of every clip
    told = rows("length", schemas.LENGTH, "tester")["obs-gated",]
    assert (told["tom_gd"], told["status"]) == (0, "constant_length")
    other = rows("sensitivity", schemas.SENSITIVITY, "axis", "variant")
    assert {variant for axis, variant in other if axis == "judge"} == set(JUDGES)
    assert other["overlay", "informed"]["status"] == "not_run"
    for row in other.values():
        if row["status"] == "ok" and row["variant"] != "wider_anchors":
            assert row["director_changed"] == row["tom_changed"] == 0


def test_one_testers_deleted_replies_are_asked_again_for_table_8_alone(finished):
    before = {name: (finished.results / "tables" / f"{name}.tex").read_bytes() for name in TABLES}
    segments = set((finished.results / "replies" / "obs-director" / "journal").iterdir())
    verdicts = set(finished.results.glob("verdicts/*/journal/*.jsonl"))
    shutil.rmtree(finished.results / "replies" / "obs-gated")
    plan = finished.planned("results/tables/table8.tex")
    assert plan["replies"] == plan["descriptions"] == plan["director_outcomes"] == {"obs-gated"}
    assert "triangles_stimuli" not in plan
    finished.snakemake("results/tables/table8.tex")
    finished.snakemake()
    finished.snakemake()
    assert finished.planned() == {}
    after = {name: (finished.results / "tables" / f"{name}.tex").read_bytes() for name in TABLES}
    assert after == before
    assert set((finished.results / "replies" / "obs-director" / "journal").iterdir()) == segments
    # The same descriptions under the same blind ids: no judge was asked again.
    assert set(finished.results.glob("verdicts/*/journal/*.jsonl")) == verdicts


def test_ratings_by_people_make_the_table_of_agreement_and_a_partial_file_stops_it(finished):
    """What people give here is what judge-plain gave: whatever the judges, this one agrees."""
    rating = finished.results / "rating"
    key = read_rows(rating / "key.parquet", schemas.RATING_KEY)
    # 2 testers, 4 clips a condition, one trial: all 24 descriptions, fewer than 36
    assert len(key) == 24
    page = (rating / "sheet.html").read_text()
    assert all(row["item_id"] in page and row["blind_id"] not in page for row in key)
    assert not any(tester in page for tester in TESTERS)
    verdicts = read_rows(
        finished.results / "verdicts/judge-plain/blinded.numbered.parquet", schemas.VERDICTS
    )
    given = {row["blind_id"]: (str(row["intent"]), str(row["approp"]), "") for row in verdicts}
    cells = [given[row["blind_id"]] for row in key]
    returned = finished.folder / "returned"
    returned.mkdir()
    (returned / "kim.csv").write_text(csv_text(key, [*cells[:20], *[("", "", "")] * 4]))
    finished.config["rating"] = {"returned": "returned"}
    finished.save()
    table = "results/tables/rating_agreement.tex"
    try:
        assert finished.snakemake(table, ok=False).returncode != 0
        log = (finished.results / "logs" / "ratings.log").read_text()
        assert "kim.csv: 4 of 24 items are not rated: row 22 (item-" in log
        (returned / "kim.csv").write_text(csv_text(key, cells))
        assert set(finished.planned(table)) == {"ratings", "rating_agreement"}
        finished.snakemake(table)
        rows = read_rows(
            finished.results / "tables/rating_agreement.parquet", schemas.RATING_AGREEMENT
        )
        same = [row for row in rows if row["judge"] == "judge-plain"]
        assert len(same) == 8  # two scores, three conditions and all
        assert all((row["exact"], row["difference"], row["n_raters"]) == (1, 0, 1) for row in same)
        assert all(row["kappa"] in (1, None) for row in same)
        assert {row["judge"] for row in rows} == set(JUDGES), "one rater agrees with nobody else"
        assert finished.planned(table) == {}
    finally:
        del finished.config["rating"]
        finished.save()
    shutil.rmtree(returned)
    for form in ("tex", "csv", "parquet"):
        (finished.results / "tables" / f"rating_agreement.{form}").unlink()
    (rating / "ratings.parquet").unlink()
    assert finished.planned() == {}


def test_a_sheet_made_again_has_its_ids_and_without_its_secret_others(finished):
    rating, secret = finished.results / "rating", finished.results / NAME
    files = [rating / "sheet.html", rating / "key.parquet"]
    drawn, before = secret.read_text(), [path.read_bytes() for path in files]
    old = read_rows(files[1], schemas.RATING_KEY)
    places = [path for path in finished.folder.rglob("*") if path.is_file() and path != secret]
    assert not [path for path in places if drawn.strip().encode() in path.read_bytes()]
    returned = finished.folder / "old ratings"
    returned.mkdir()
    (returned / "kim.csv").write_text(csv_text(old, [("1", "1", "")] * len(old)))
    finished.config["rating"] = {"returned": "old ratings"}
    finished.save()
    target = "results/rating/ratings.parquet"
    try:
        shutil.rmtree(rating)
        finished.snakemake(target)
        assert [path.read_bytes() for path in files] == before
        shutil.rmtree(rating)
        secret.unlink()
        assert finished.snakemake(target, ok=False).returncode != 0
        log = (finished.results / "logs" / "ratings.log").read_text()
        new = read_rows(files[1], schemas.RATING_KEY)
        assert f"ratings of the sheet {old[0]['sheet']!r}; this run's is {new[0]['sheet']!r}" in log
        assert {row["item_id"] for row in old}.isdisjoint(row["item_id"] for row in new)
        assert {row["blind_id"] for row in old} == {row["blind_id"] for row in new}
    finally:
        secret.write_text(drawn)
        del finished.config["rating"]
        finished.save()
        shutil.rmtree(returned)
        shutil.rmtree(rating)
        finished.snakemake()
    assert [path.read_bytes() for path in files] == before


@pytest.mark.latex
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_all_tables_compile_in_one_document_within_the_text_width(finished, tmp_path):
    for name in TABLES:
        shutil.copy(finished.results / "tables" / f"{name}.tex", tmp_path)
    inputs = "".join(f"\\input{{{name}}}" for name in TABLES)
    (tmp_path / "doc.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs}"
        f"\\begin{{document}}{inputs}\\end{{document}}\n"
    )
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "doc.tex"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert run.returncode == 0, run.stdout[-2000:]
    assert "Overfull" not in run.stdout


@pytest.mark.slow
def test_over_http_the_tables_are_the_same_and_no_judge_hears_of_a_tester(finished, tmp_path):
    with LoopbackServer(answer) as server:
        project = with_triangles(tmp_path / "run")
        # The stimuli are the same; drawing the films again would only take time.
        for part in ("stimuli", "clips", "keys"):
            shutil.copytree(finished.results / part, project.results / part)
        project.serve_from(server.base_url)
        for judge in JUDGES:
            project.registry["models"][judge] |= {"endpoint": "loopback"}
        project.save()
        project.snakemake("--rerun-triggers", "mtime")
        asked = [body for body in server.stats.received if body["model"] in JUDGES]
    for name in TABLES:
        ours = (project.results / "tables" / f"{name}.tex").read_bytes()
        assert ours == (finished.results / "tables" / f"{name}.tex").read_bytes(), name
    # 12 descriptions of each of two testers; the observers' accounts differ or not, ids do
    assert len(asked) == 2 * 2 * 12
    for body in asked:
        text = str(body)
        assert body["temperature"] == 0
        assert not any(tester in text for tester in TESTERS)
        assert "numbered/" not in text and "trial" not in text
