"""Report before action alone, with its traces coded: what is guarded, counted, linked, kept."""

import csv
import re
import shutil

import pytest

from tests.workflow.project import Project
from vlmtom.rating.secret import NAME
from vlmtom.store import read_rows, schemas

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]  # about a minute


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("traces"))
    batches = {"question": {"conditions": ["move-visibility", "move-none"]}}
    comparison = {"batch": "question", "without": "move-none", "with": "move-visibility"}
    project.config |= {"director": None, "triangles": None}
    project.config["report_action"] = {
        **{"testers": ["obs-swayed"], "sets": {"main": 3}, "replies": 1},
        **{"batches": batches, "comparisons": {"q": comparison}},
        "traces": {
            **{"coders": ["coder-words"], "recoded": 2, "human_sample": 4},
            "conditions": ["move-visibility", "move-none"],
        },
    }
    project.config["testers"] = ["obs-director"]
    project.save()
    project.vlmtom("lock", "--config", "config/config.yaml")
    project.snakemake()
    return project


def test_what_coders_cost_and_what_the_report_links_is_there(study):
    rows = read_rows(study.results / "tables" / "costs.parquet", schemas.COSTS)
    coders = {(row["model"], row["topic"]) for row in rows if row["role"] == "coder"}
    assert coders == {("coder-words", "traces.report_action"), ("coder-words", "traces.tests")}
    assert study.dead_links() == []
    page = (study.results / "report" / "index.html").read_text()
    assert "report_action/sheet.main.png" in page and "stimuli/director" not in page
    assert study.planned() == {}


def test_the_sheet_comes_back_as_it_was_and_rests_on_the_secret(study):
    sheet, secret = study.results / "traces" / "sheet.csv", study.results / NAME
    before = sheet.read_bytes()
    assert len(before.splitlines()) > 1
    sheet.unlink()
    study.snakemake(str(sheet.relative_to(study.folder)))
    assert sheet.read_bytes() == before
    kept = secret.read_bytes()
    secret.unlink()
    sheet.unlink()
    study.snakemake(str(sheet.relative_to(study.folder)))
    ids = [
        {row["item"] for row in csv.DictReader(text.decode().splitlines())}
        for text in (before, sheet.read_bytes())
    ]
    assert ids[0].isdisjoint(ids[1])
    secret.unlink()
    secret.write_bytes(kept)
    sheet.unlink()
    study.snakemake()
    assert sheet.read_bytes() == before


def test_a_codebook_that_is_not_as_it_was_locked_stops_before_a_trace_is_coded(study):
    locks = study.folder / "resources" / "locks.yaml"
    before = locks.read_text()
    locks.write_text(re.sub(r"(traces/codebook: '?)[0-9a-f]{4}", r"\g<1>0000", before))
    done = study.snakemake("results/blind/traces.parquet", ok=False)
    locks.write_text(before)
    assert done.returncode != 0
    assert (
        "traces/codebook: locked 0000"
        in done.stdout + done.stderr + (study.results / "logs" / "traces.log").read_text()
    )
    study.snakemake()


def test_codes_without_their_journal_are_refused(study):
    journal = study.results / "traces" / "coder-words" / "journal"
    aside = study.folder / "aside"
    shutil.move(journal, aside)
    done = study.snakemake(ok=False)
    shutil.move(aside, journal)
    assert done.returncode != 0 and "no journal holds these codes" in done.stderr
