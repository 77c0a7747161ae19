"""Representations through the workflow: testers of their own, what is really sent, and Table 12."""

import base64
import hashlib
import json
import shutil
import subprocess
import sys

import pytest

from tests.loopback.server import LoopbackServer, completion
from tests.triangles.films import film, manifest
from tests.workflow.project import Project
from vlmtom.commands.archives import unpack
from vlmtom.observers import OBSERVERS
from vlmtom.observers import answer as observed
from vlmtom.store import read_rows, schemas
from vlmtom.triangles.layouts import REPRESENTATIONS

CLIPS = {"coaxing": "ToM", "chasing": "GD", "billiard": "Random"}
ARMS = {"native_video": 2, "frames_64": 1, "grid_4x8": 1}
SAID = {
    "native_video": "The big triangle wants the small one to come out and persuades it.",
    "frames_64": "The big triangle wants the small one to come out and persuades it.",
    "grid_4x8": "Two shapes are shown in several places.",
}
PROMPT_TOKENS = {"native_video": 5000, "frames_64": 16_000, "grid_4x8": 2800}
VIDEO_TOKENS = 4800


def arm_of(body):
    text = body["messages"][0]["content"][-1]["text"]
    return next(name for name in ARMS if REPRESENTATIONS[name].prompt == text)


def watching(body):
    """Two models of one server: `sees` reports video tokens, `deaf` does not."""
    if body["model"] in OBSERVERS:
        return observed(body)
    arm = arm_of(body)
    usage = {"prompt_tokens": PROMPT_TOKENS[arm], "completion_tokens": 20}
    if arm == "native_video":
        shown = VIDEO_TOKENS if body["model"] == "vendor/sees" else 0
        usage["prompt_tokens_details"] = {"cached_tokens": 0, "video_tokens": shown}
    return completion(body, SAID[arm], usage=usage)


@pytest.fixture(scope="module")
def films(tmp_path_factory):
    folder = tmp_path_factory.mktemp("films")
    for number, name in enumerate(CLIPS):
        film(folder / f"{name}.mp4", 3, "-vf", f"hue=h={40 * number}", size="64x36")  # 75 frames
    return manifest(folder, *(f"{name}.mp4,{name},elife,," for name in CLIPS))


@pytest.fixture(scope="module")
def study(tmp_path_factory, films):
    """A finished run, and what its server was sent. The panel has neither of the two testers."""
    project = Project(tmp_path_factory.mktemp("study"), scenes=1, testers=("obs-director",))
    project.config |= {
        "judges": ["judge-strict", "judge-plain"],
        "triangles": {"arms": {"numbered": {"trials": 1}}, "clips": str(films)},
        "representations": {
            "testers": ["sees", "deaf"],
            "observers": ["obs-own-view"],  # not in the panel: not shown any
            "judges": ["judge-plain", "judge-lenient"],
            "arms": dict.fromkeys(REPRESENTATIONS)
            | {name: {"trials": trials} for name, trials in ARMS.items()},
            "repetitions": 2,
        },
    }
    with LoopbackServer(watching) as server:
        project.registry["endpoints"]["loopback"] = {"kind": "openai", "base_url": server.base_url}
        for name in ("sees", "deaf"):
            project.registry["models"][name] = {
                **{"endpoint": "loopback", "gateway_model": f"vendor/{name}", "probe": False},
                **{"family": "f", "lab": "l", "timeout_s": 20},
                "price": {"input_usd_per_mtok": 1.0, "output_usd_per_mtok": 1.0},
            }
        project.config["budget"] = 10.0
        project.save()
        project.vlmtom("lock", "--config", "config/config.yaml")
        project.before = project.vlmtom("plan").stdout
        project.snakemake("results/tables/table12.tex", "results/report/representations.html")
        project.sent = list(server.stats.received)
    return project


def table(study):
    rows = read_rows(study.results / "tables" / "table12.parquet", schemas.TABLE12)
    return {(row["tester"], row["representation"]): row for row in rows}


def test_the_plan_knows_testers_and_judges_of_the_study_before_they_are_asked(study):
    lines = [line for line in study.before.splitlines() if "representations" in line]
    words = (line.split() for line in lines if not line[:1].isdigit())
    by_name = {found[0]: " ".join(found) for found in words}
    # 3 clips x (2 + 1 + 1 trials)
    assert set(by_name) == {"sees", "deaf"}
    assert all(" 12 " in f"{line} " for line in by_name.values()), by_name


def test_a_film_is_one_part_with_the_files_bytes_and_a_sequence_64_pictures_in_order(study, films):
    assert len(study.sent) == 24
    pictures = study.results / "stimuli" / "representations" / "pictures.parquet"
    stored = {
        hashlib.sha256(row["image"]["bytes"]).hexdigest(): row["pixel_sha256"]
        for row in read_rows(pictures, schemas.PICTURES)
    }
    items = read_rows(pictures.with_name("items.parquet"), schemas.ITEMS)
    shown = [item["turns"][0]["pictures"] for item in items if item["arm"] == "frames_64"]
    assert {len(names) for names in shown} == {64}
    files = {(films / f"{name}.mp4").read_bytes() for name in CLIPS}
    seen = {name: [] for name in ARMS}
    for body in study.sent:
        *parts, text = body["messages"][0]["content"]
        assert text["type"] == "text"
        content = [
            (part["type"], base64.b64decode(part[part["type"]]["url"].partition(",")[2]))
            for part in parts
        ]
        seen[arm_of(body)].append(content)
    for content in seen["native_video"]:
        assert [kind for kind, _ in content] == ["video_url"]
    assert {content[0][1] for content in seen["native_video"]} == files
    for content in seen["frames_64"]:
        assert [kind for kind, _ in content] == ["image_url"] * 64
        assert [stored[hashlib.sha256(png).hexdigest()] for _, png in content] in shown
    assert all([kind for kind, _ in content] == ["image_url"] for content in seen["grid_4x8"])
    assert {name: len(found) for name, found in seen.items()} == {
        "native_video": 12,
        "frames_64": 6,
        "grid_4x8": 6,
    }


def test_the_reference_is_taken_with_video_tokens_and_refused_without(study):
    rows = table(study)
    assert list(rows) == [(t, r) for t in ("sees", "deaf") for r in ARMS]
    sees = {name: rows["sees", name] for name in ARMS}
    assert [row["status"] for row in sees.values()] == ["reference", "ok", "ok"]
    assert (sees["native_video"]["n_video"], sees["native_video"]["n_replies"]) == (6, 6)
    assert sees["frames_64"]["total_sim"] == 100  # it says the same
    assert 0 < sees["grid_4x8"]["total_sim"] < 100
    assert [row["rank"] for row in sees.values()] == [None, 1, 2]
    assert {n: row["prompt_tokens"] for n, row in sees.items()} == PROMPT_TOKENS
    assert [row["pareto"] for row in sees.values()] == [None, True, True]
    deaf = [rows["deaf", name] for name in ARMS]
    assert {row["status"] for row in deaf} == {"reference_refused"}
    assert all(row["total_sim"] is None and row["prompt_tokens"] for row in deaf)
    tex = (study.results / "tables" / "table12.tex").read_text().replace("\\_", "_")
    assert "0 of 6 replies to native_video reported video tokens" in " ".join(tex.split())
    assert "original" not in tex and "Synthetic" not in tex


def test_replies_keep_their_video_tokens(study):
    path = study.results / "replies" / "sees" / "representations.w1.parquet"
    tokens = {(r["arm"], r["video_tokens"]) for r in read_rows(path, schemas.REPLIES)}
    assert tokens == {("native_video", VIDEO_TOKENS), ("frames_64", None), ("grid_4x8", None)}


def test_judges_do_not_learn_how_a_clip_was_shown(study):
    blind = read_rows(study.results / "blind" / "representations.parquet", schemas.BLIND)
    assert {row["arm"] for row in blind} == {"representations"}
    assert len(blind) == 24
    for judge in ("judge-plain", "judge-lenient"):
        path = study.results / "verdicts" / judge / "representations.parquet"
        verdicts = read_rows(path, schemas.REPRESENTATION_VERDICTS)
        assert len(verdicts) == 2 * 24
        assert {row["trial"] for row in verdicts} == {1, 2}
    assert not (study.results / "verdicts" / "judge-strict" / "representations.parquet").exists()


@pytest.fixture(scope="module")
def whole(study):
    """Every product of the same run; its server is gone, and nothing is left to be asked of it."""
    study.snakemake()
    return study


@pytest.mark.slow  # half a minute: every product of the panel
def test_the_panel_and_its_tables_do_not_know_the_study(whole):
    study = whole
    table5 = read_rows(study.results / "tables" / "table5.parquet", schemas.TABLE5)
    assert {row["tester"] for row in table5} == {"obs-director"}
    costs = read_rows(study.results / "tables" / "costs.parquet", schemas.COSTS)
    topics = {(row["model"], row["topic"]) for row in costs}
    assert {("sees", "representations"), ("judge-lenient", "representations")} <= topics
    assert ("sees", "director") not in topics
    timing = read_rows(study.results / "tables" / "timing.parquet", schemas.TIMING)
    assert ("deaf", "frames_64") in {(row["tester"], row["arm"]) for row in timing}
    page = (study.results / "report" / "representations.html").read_text()
    assert "sees: frames_64" in page and "deaf: native_video" in page
    assert "representations.html" in (study.results / "report" / "index.html").read_text()
    assert study.dead_links() == []


def test_a_lost_table_is_built_again_without_a_call(study):
    status = study.vlmtom("status").stdout
    assert sum("12/12" in line for line in status.splitlines() if "representations" in line) == 2
    path = study.results / "replies" / "sees" / "representations.w1.parquet"
    before = path.read_bytes()
    path.unlink()
    study.snakemake("results/tables/table12.tex")  # the server is gone: a call would fail
    assert path.read_bytes() == before


@pytest.mark.slow  # a minute
def test_a_release_holds_neither_films_nor_their_frames_and_verifies(whole, films, tmp_path):
    whole.snakemake("release")
    folder = tmp_path / "published"
    unpack(whole.results / "release" / "vlmtom-release.tar.gz", folder)
    kept = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    shown = "results/stimuli/representations"
    assert f"{shown}/items.parquet" in kept and "results/stimuli/triangles/pictures.parquet" in kept
    assert not kept & {f"{shown}/{name}.parquet" for name in ("films", "pictures")}
    # whatever the files are called: no film, and no frame at its own size, lies in one of them
    own = {hashlib.sha256(path.read_bytes()).hexdigest() for path in films.glob("*.mp4")}
    assert not own & {hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in kept}
    for path in folder.glob("results/stimuli/*/pictures.parquet"):
        sizes = {(row["width"], row["height"]) for row in read_rows(path, schemas.PICTURES)}
        assert (64, 36) not in sizes
    described = json.loads((folder / "release.json").read_text())
    assert "stimuli/representations/pictures.parquet" in described["left_out"]
    digests = (folder / "digests.csv").read_text()
    assert "stimuli/representations/pictures.parquet," in digests
    readme = " ".join((folder / "README-RELEASE.txt").read_text().split())
    assert f"({shown}/pictures.parquet)" in readme and "sixteen frames of each film" in readme
    done = subprocess.run(
        [sys.executable, "-m", "vlmtom.cli", "verify"],
        cwd=folder, env=whole.environment() | {"PYTHONPATH": str(folder / "src")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "(raw outputs; films and pictures of their frames)" in done.stdout


@pytest.mark.slow  # a minute
def test_a_bundle_rebuilds_the_study_elsewhere_without_a_server(whole, tmp_path):
    study = whole
    study.snakemake()  # whatever a test before has taken away
    assert study.planned() == {}
    assert "hold" in study.vlmtom("verify").stdout
    study.vlmtom("bundle", "--out", str(tmp_path / "b.zip"))
    there = tmp_path / "there"
    study.vlmtom("unbundle", str(tmp_path / "b.zip"), str(there))
    for path in (
        "replies/sees/representations.w1.parquet",
        "stimuli/representations/films.parquet",
    ):
        assert (there / "results" / path).exists()
    assert "sees:" in (there / "config" / "models.yaml").read_text()
    tables = ("table12.tex", "table12.csv", "table12.parquet", "costs.csv")
    before = {name: (there / "results" / "tables" / name).read_bytes() for name in tables}
    for room in ("outcomes", "cells", "tables", "blind"):
        shutil.rmtree(there / "results" / room)
    for path in (
        *there.glob("results/replies/*/*.parquet"),
        *there.glob("results/verdicts/*/*.parquet"),
    ):
        path.unlink()
    command = [*study.snakemake_command("results/tables/table12.tex", "results/tables/costs.tex")]
    done = subprocess.run(
        command, cwd=there, env=study.environment() | {"PYTHONPATH": str(there / "src")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    for name in tables:
        assert (there / "results" / "tables" / name).read_bytes() == before[name], name
