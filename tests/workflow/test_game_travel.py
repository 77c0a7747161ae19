"""A run of the treasure game is packed, rebuilt elsewhere, released, renamed: nobody is asked."""

import tarfile

import pytest
import yaml

from tests.loopback.server import LoopbackServer
from tests.workflow.project import Project
from tests.workflow.test_travel import commands, shell, sums
from vlmtom.observers import answer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

PAIR = "obs-director+obs-director"


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A model that plays itself, seen and unseen, over HTTP; the server is gone."""
    project = Project(tmp_path_factory.mktemp("run"), testers=("obs-director",))
    project.config |= {
        "director": None,
        "mosaic": {
            "testers": ["obs-director"],
            "trials": 1,
            "arms": {"obs-director": ["standard", "none"]},
            "agents": {"silent": {"policy": "silent"}},
            "pairs": [{"subject": "silent", "participant": "silent"}],
            "card": {"subject": "obs-director", "participant": "obs-director"},
        },
    }
    project.save()
    project.vlmtom("lock")
    with LoopbackServer(answer) as server:
        project.serve_from(server.base_url, kind="model")
        project.snakemake()
    # 4 conditions of two arms, 32 calls each
    assert server.stats.requests == 4 * 2 * 32
    return project


def packed(project, folder, *options):
    project.vlmtom("bundle", "--out", str(folder / "run.tar.gz"), *options)
    project.vlmtom("unbundle", str(folder / "run.tar.gz"), str(folder / "there"))
    return folder / "there"


def test_a_bundle_plays_every_trial_again_and_asks_nobody(finished, tmp_path):
    there = packed(finished, tmp_path)
    before = sums(there)
    *removals, snakemake = commands(there)
    for command in removals:
        shell(there, command)
    gone = set(before) - set(sums(there))
    assert {f"results/mosaic/{PAIR}/comp-tom1.trials.parquet", "results/tables/costs.csv"} <= gone
    shell(there, snakemake)
    after = sums(there)
    assert [name for name in before if after.get(name) != before[name]] == []
    shell(there, "sha256sum --quiet --check CHECKSUMS")


def test_without_text_the_tables_follow_from_trials_and_steps(finished, tmp_path):
    there = packed(finished, tmp_path, "--without-text")
    before = sums(there)
    assert not [name for name in before if "mosaic_card" in name and name.startswith("results")]
    removal, snakemake = commands(there)
    shell(there, removal)
    gone = set(before) - set(sums(there))
    assert {"results/tables/mosaic_signals.csv", "results/figures/mosaic_figure2.pdf"} <= gone
    assert "rule play:" not in shell(there, f"{snakemake} -n").stdout
    shell(there, snakemake)
    after = sums(there)
    assert [name for name in before if after.get(name) != before[name]] == []


def test_a_release_holds_trials_and_steps_and_no_word(finished):
    finished.snakemake("release")
    with tarfile.open(finished.results / "release" / "vlmtom-release.tar.gz") as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    below = f"results/mosaic/{PAIR}/comp-tom1"
    assert {f"{below}.{log}.parquet" for log in ("trials", "steps")} <= names
    assert not {f"{below}.{log}.parquet" for log in ("utterances", "calls")} & names
    assert "prompts/mosaic/action subject image.txt" in names
    assert not [n for n in names if "mosaic_card." in n and n.startswith("results/")]


def test_a_renamed_player_asks_nothing(finished):
    before = {
        path.name: path.stat().st_size for path in (finished.results / "mosaic" / PAIR).iterdir()
    }
    named = yaml.safe_dump(finished.config).replace("obs-director", "renamed")
    finished.config = yaml.safe_load(named)
    finished.registry["models"]["renamed"] = finished.registry["models"].pop("obs-director")
    finished.save()
    finished.vlmtom("rename", "obs-director", "renamed")
    finished.snakemake("--forceall", "results/tables/mosaic_signals.csv")  # the server is gone
    played = finished.results / "mosaic" / "renamed+renamed"
    assert {path.name for path in played.glob("*.parquet")} == before.keys()
    plan = finished.vlmtom("plan").stdout
    assert "0 of 256" in plan
