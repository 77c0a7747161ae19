"""The treasure game alone through the workflow: played, drawn, rebuilt, and asked again in part."""

import json
import re
import shutil

import pytest
import yaml

from tests.workflow.project import ROOT, Project
from vlmtom.settings import MOSAIC_CONDITIONS
from vlmtom.store import read_rows, schemas, write_rows

PAIRS = (
    *("pcm+pcm", "pcm+obs-director+none"),
    *("obs-director+obs-director", "obs-director+obs-director+none"),
)
OF_THE_OBSERVER = {pair for pair in PAIRS if "obs-director" in pair}
LOGS = ("trials", "steps", "utterances", "calls")
TABLES = [
    "table2",
    "table3",
    "table4",
    "table5",
    "table6",
    "table7",
    "signals",
    "frames",
    "untested",
]
FIGURES = ["mosaic_figure2", "mosaic_figure3", "mosaic_figure5", "mosaic_figure6", "mosaic_card"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run that has nothing but the game: an observer in two arms, pcm, and the two together."""
    project = Project(tmp_path_factory.mktemp("game"), testers=("obs-director",))
    project.config |= {
        "director": None,
        "mosaic": {
            "observers": ["obs-director"],
            "arms": {"obs-director": ["standard", "none"]},
            "agents": {"pcm": {"policy": "pcm", "horizon": 1}},
            "ablations": ["pcm"],
            "pairs": [{"subject": "pcm", "participant": "obs-director", "arm": "none"}],
            "trials": 2,
            "card": {"subject": "pcm", "participant": "pcm", "trial": 2},
        },
    }
    project.save()
    project.vlmtom("lock")
    project.snakemake()
    return project


@pytest.fixture
def project(finished, tmp_path):
    """The finished run in a folder of its own, which a test may break."""
    copy = Project.__new__(Project)
    copy.__dict__.update(finished.__dict__)
    copy.folder = tmp_path / "copy"
    shutil.copytree(finished.folder, copy.folder, symlinks=True)
    copy.config = yaml.safe_load(yaml.safe_dump(finished.config))
    return copy


def jobs(project, *arguments):
    """What a dry run would play (pairs), and which other rules it would run."""
    run = project.snakemake("-n", *arguments)
    rules = set(re.findall(r"^(?:local)?rule (\w+):", run.stdout, flags=re.MULTILINE))
    played = set(re.findall(r"wildcards: pair=([^,\s]+), condition=", run.stdout))
    return played, rules - {"play"}


def log(project, pair, condition, name):
    return project.results / "mosaic" / pair / f"{condition}.{name}.parquet"


def journals(project):
    """What was paid for: every line of every journal, by file."""
    files = sorted(project.results.glob("replies/*/journal/*.jsonl"))
    return {path.name: path.read_bytes() for path in files}


def replies(project):
    """How many replies the journals hold."""
    lines = [line for text in journals(project).values() for line in text.splitlines()]
    return sum(json.loads(line)["record"]["kind"] == "reply" for line in lines)


def signals(project):
    rows = read_rows(
        project.results / "tables" / "mosaic_signals.parquet",
        schemas.MOSAIC_SIGNALS,
    )
    return {
        (row["subject"], row["participant"], row["arm"], row["condition"], row["metric"]): row
        for row in rows
    }


def test_every_product_is_there_and_a_second_run_has_nothing_to_do(finished):
    for pair in PAIRS:
        for condition in MOSAIC_CONDITIONS:
            assert all(log(finished, pair, condition, name).exists() for name in LOGS)
    tables = {path.name for path in (finished.results / "tables").iterdir()}
    assert {f"mosaic_{name}.{form}" for name in TABLES for form in ("tex", "csv", "parquet")} <= (
        tables
    )
    # One ablation is none to compare, and none of the paper's models plays.
    assert not {"mosaic_ablations.tex", "mosaic_published.tex", "joint_cards.tex"} & tables
    figures = {path.name for path in (finished.results / "figures").iterdir()}
    assert {f"{name}.{form}" for name in FIGURES for form in ("pdf", "png")} <= figures
    assert "mosaic_film.mp4" in figures
    pages = {path.name for path in (finished.results / "report").glob("mosaic*")}
    # Of pairs that were asked: the reference agent has no prompts and no replies to show.
    asked = {f"mosaic.{pair}.{form}" for pair in OF_THE_OBSERVER for form in ("html", "css")}
    assert pages == {"mosaic.html"} | asked
    assert finished.dead_links() == []
    assert "Nothing to be done" in finished.snakemake().stderr


def test_each_pair_asked_its_models_and_nobody_else(finished):
    # In a trial an agent acts ten times, speaks three times and listens three times: 16 calls a
    # role. Two pairs in which the observer has both roles, one in which it has one; four
    # conditions of two trials.
    assert replies(finished) == (2 * 32 + 16) * 4 * 2
    assert {path.parent.parent.name for path in finished.results.glob("replies/*/journal/*")} == {
        "obs-director"
    }


def test_the_observer_scores_what_it_must_in_both_arms(finished):
    found = signals(finished)
    for arm in ("standard", "none"):
        for condition in MOSAIC_CONDITIONS:
            of = ("obs-director", "obs-director", arm, condition)
            deceives = -1 if condition == "comp-tom1" else 1
            assert found[*of, "tocs"]["value"] == found[*of, "s_eq12"]["value"] == 1
            assert found[*of, "fes"]["value"] == 1
            assert found[*of, "tas"]["value"] == found[*of, "gas"]["value"] == deceives


@pytest.mark.slow
def test_verify_holds_and_names_a_steps_table_that_was_tampered_with(project):
    assert "hold" in project.vlmtom("verify").stdout
    path = log(project, "pcm+pcm", "comp-tom1", "steps")
    rows = read_rows(path, schemas.MOSAIC_STEPS)
    last = max(range(len(rows)), key=lambda n: (rows[n]["trial"], rows[n]["round"]))
    rows[last] = rows[last] | {"x": rows[last]["x"] + 1}
    path.unlink()
    write_rows(path, rows, schemas.MOSAIC_STEPS)
    done = project.vlmtom("verify", ok=False)
    assert done.returncode == 1
    said = done.stdout + done.stderr
    assert "mosaic/pcm+pcm/comp-tom1.steps.parquet" in said and "does not follow" in said


def test_deleted_replies_are_asked_again_and_only_of_the_pairs_that_they_are_of(project):
    shutil.rmtree(project.results / "replies" / "obs-director")
    played, rules = jobs(project, "results/tables/mosaic_table3.tex")
    assert (played, rules) == (OF_THE_OBSERVER, {"mosaic_table3"})


def test_a_deleted_log_is_played_again_from_the_journal_byte_for_byte(project):
    before = journals(project)
    path = log(project, "obs-director+obs-director", "comp-tom1", "trials")
    was = {name: path.with_name(f"comp-tom1.{name}.parquet").read_bytes() for name in LOGS}
    path.unlink()
    assert jobs(project)[0] == {"obs-director+obs-director"}
    project.snakemake(str(path.relative_to(project.folder)))
    now = {name: path.with_name(f"comp-tom1.{name}.parquet").read_bytes() for name in LOGS}
    assert now == was
    assert journals(project) == before


@pytest.mark.slow
def test_a_deleted_table_is_made_again_and_nothing_is_played(project):
    table = project.results / "tables" / "mosaic_table4.csv"
    was = table.read_bytes()
    table.unlink()
    played, rules = jobs(project, "results/tables/mosaic_table4.csv")
    assert (played, rules) == (set(), {"mosaic_table4"})
    project.snakemake("results/tables/mosaic_table4.csv")
    assert table.read_bytes() == was


@pytest.mark.slow
def test_an_added_pair_plans_its_own_jobs_and_what_is_made_of_all_pairs(project):
    project.config["mosaic"]["agents"]["silent"] = {"policy": "silent"}
    project.config["mosaic"]["pairs"].append({"subject": "silent", "participant": "pcm"})
    project.save()
    played, rules = jobs(project)
    assert played == {"silent+pcm"}
    assert {f"mosaic_{name}" for name in TABLES} <= rules
    assert not rules & {"mosaic_card", "mosaic_film"}


@pytest.mark.slow
def test_another_threshold_is_scored_anew_from_the_journals_without_a_call(project):
    """At a threshold of 1 no gaze is certain: g is at most 2/(1 + 1), and must exceed it."""
    before = journals(project)
    project.config["mosaic"]["gaze_threshold"] = 1.0
    project.save()
    assert jobs(project)[0] == set(PAIRS)
    project.snakemake()
    assert journals(project) == before
    found = signals(project)
    of = ("obs-director", "obs-director", "none", "coop-tom0")
    assert (found[*of, "gas"]["value"], found[*of, "tas"]["value"]) == (0, 1)
    assert "hold" in project.vlmtom("verify").stdout


def test_a_changed_prompt_asks_nobody_and_says_how_to_go_on(project):
    """The lock is changed instead of the text: to the run it is the same difference."""
    before = journals(project)
    locks = project.folder / "resources" / "locks.yaml"
    text = locks.read_text()
    line = re.search(r"^mosaic/action subject none prompt: (\w+)$", text, re.M)
    locks.write_text(text.replace(line[1], line[1][:-4] + "beef"))
    target = "results/mosaic/obs-director+obs-director+none/coop-tom0.trials.parquet"
    assert project.snakemake(target, ok=False).returncode != 0
    said = (
        project.results / "logs" / "play" / "obs-director+obs-director+none" / "coop-tom0.log"
    ).read_text()
    assert "mosaic/action subject none prompt" in said and "vlmtom lock" in said
    assert journals(project) == before


@pytest.mark.slow
def test_joint_cards_are_made_where_a_tester_takes_part_in_everything(tmp_path):
    """In the default configuration obs-director does; the game alone has none (see above)."""
    project = Project(tmp_path / "joint")
    project.config = yaml.safe_load((ROOT / "config" / "config.yaml").read_text())
    project.save()
    played, rules = jobs(project, "results/tables/joint_cards.tex")
    assert {"joint_cards", "mosaic_signals", "intervals", "report_action_estimates"} <= rules
    assert "obs-director+obs-director+none" in played
