"""A run is packed, unpacked elsewhere, and rebuilt there: the same bytes, and nothing is asked."""

import csv
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
from copy import deepcopy

import pytest
import yaml

from tests.loopback.server import Fault, LoopbackServer
from tests.rating.helpers import csv_text
from tests.workflow.project import Project
from vlmtom.commands.archives import unpack
from vlmtom.observers import answer
from vlmtom.rendering.images import decode_image, encode_png
from vlmtom.store import read_rows, schemas, write_rows
from vlmtom.store.digests import sha256_bytes
from vlmtom.store.schemas import PICTURES

VARIABLE, KEY = "TRAVEL_API_KEY", "planted-7d2c9e1b4a6f80"
TESTERS, JUDGES = ("obs-director", "obs-gated"), ("judge-strict", "judge-plain")
TABLES = (
    *("table2", "table5", "table7", "table8", "table11", "panel", "costs", "timing"),
    *("anchors_wide", "sensitivity", "intervals", "length", "rating_agreement"),
)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run whose testers and judges were asked over HTTP, with a key; the server is gone."""
    project = Project(tmp_path_factory.mktemp("run"), scenes=2, testers=TESTERS)
    project.config |= {
        "judges": list(JUDGES),
        "triangles": {"arms": {"numbered": {"trials": 1}}},
    }
    project.save()
    project.vlmtom("lock")
    with pytest.MonkeyPatch.context() as patch, LoopbackServer(answer) as server:
        patch.setenv(VARIABLE, KEY)
        project.serve_from(server.base_url)
        project.registry["endpoints"]["loopback"]["api_key_env"] = VARIABLE
        for judge in JUDGES:
            project.registry["models"][judge] |= {
                "endpoint": "loopback",
                "probe": False,
                "concurrency": 4,
            }
        project.save()
        project.snakemake("results/rating/sheet.html")
        rated_by_one(project)
        project.snakemake()
    assert server.stats.authorizations == {f"Bearer {KEY}"}
    return project


def rated_by_one(project):
    key = read_rows(project.results / "rating" / "key.parquet", schemas.RATING_KEY)
    place = project.folder / "came back"
    place.mkdir()
    cells = [(str(n % 6), str(n % 4), "") for n in range(len(key))]
    (place / "kim.csv").write_text(csv_text(key, cells))
    project.config["rating"] = {"returned": "came back"}
    project.save()


@pytest.fixture(scope="module")
def archive(finished, tmp_path_factory):
    path = tmp_path_factory.mktemp("packed") / "run.tar.gz"
    finished.vlmtom("bundle", "--out", str(path))
    return path


@pytest.fixture
def elsewhere(finished, archive, tmp_path):
    folder = tmp_path / "an other place" / "the bundle"
    said = finished.vlmtom("unbundle", str(archive), str(folder)).stdout
    assert f"cd '{folder}'" in said
    assert "Other than here" not in said
    return folder


def shell(folder, command):
    """Run one of the documented commands, without a key, and with nothing of this checkout."""
    environment = {n: v for n, v in os.environ.items() if n not in (VARIABLE, "PYTHONPATH")}
    environment["PATH"] = f"{os.path.dirname(sys.executable)}:{environment['PATH']}"  # noqa: PTH120
    environment["XDG_CACHE_HOME"] = str(folder.parent / "cache")
    run = subprocess.run(
        command, shell=True, cwd=folder, env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-6000:]
    return run


def commands(folder):
    lines = (folder / "README.txt").read_text().splitlines()
    found = [line.strip() for line in lines if line.startswith("    ") and " results/" in line]
    found += [line.strip() for line in lines if "snakemake --cores all" in line]
    return list(dict.fromkeys(line for line in found if line.startswith(("rm ", "PYTHONPATH"))))


def sums(folder):
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and not {".snakemake", "logs", "calls"} & {*path.parts}
        if "__pycache__" not in path.parts and path.suffix != ".lock"
    }


def test_a_bundle_rebuilds_every_byte_without_a_key_and_without_asking(elsewhere):
    before = sums(elsewhere)
    journals = {n: s for n, s in before.items() if n.endswith(".jsonl")}
    assert journals
    *removals, snakemake = commands(elsewhere)
    assert "Nothing to be done" in shell(elsewhere, snakemake).stderr, "as it is unpacked"
    found = shell(
        elsewhere, 'PYTHONPATH="$PWD/src" python -c "import vlmtom as v; print(v.__file__)"'
    )
    assert found.stdout.startswith(str(elsewhere)), "the bundle runs on its own code"
    assert "own_ratings/ holds what people gave" in (elsewhere / "README.txt").read_text()
    for command in removals:
        shell(elsewhere, command)
    gone = set(before) - set(sums(elsewhere))
    for name in TABLES:
        assert {f"results/tables/{name}.{form}" for form in ("csv", "parquet")} <= gone
    for name in (
        "results/outcomes/obs-gated/triangles.parquet",
        "results/cells/director.parquet",
        "results/profiles/triangles.parquet",
        "results/blind/numbered.parquet",
        "results/replies/obs-gated/director.w1.parquet",
        "results/verdicts/judge-plain/blinded.numbered.parquet",
        "results/tables/table8.tex",
        "results/figures/figure4.pdf",
        "results/report/index.html",
        "results/rating/sheet.html",
        "results/rating/ratings.parquet",
    ):
        assert name in gone, name
    shell(elsewhere, snakemake)
    after = sums(elsewhere)
    differing = [name for name in before if after.get(name) != before[name]]
    assert differing == []
    assert {n: s for n, s in after.items() if n.endswith(".jsonl")} == journals
    shell(elsewhere, "sha256sum --quiet --check CHECKSUMS")
    assert "Nothing to be done" in shell(elsewhere, snakemake).stderr


def test_a_bundle_holds_what_it_names_and_no_other_model(elsewhere, finished):
    registry = yaml.safe_load((elsewhere / "config/models.yaml").read_text())
    assert set(registry["models"]) == {*TESTERS, *JUDGES}
    assert set(registry["endpoints"]) == {"loopback"}
    config = yaml.safe_load((elsewhere / "config/config.yaml").read_text())
    assert config["seed"] == 11
    assert config["director"]["arms"]["canonical"] == {"scenes": 2, "trials": 3, "testers": None}
    for path in elsewhere.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert KEY.encode() not in content, path
            if path.suffix != ".jsonl":
                assert str(finished.folder).encode() not in content, path


@pytest.mark.slow
def test_the_same_run_packs_to_the_same_bytes(finished, archive, tmp_path):
    again = tmp_path / "again.tar.gz"
    for path in (finished.results / "tables").iterdir():
        path.touch()
    finished.vlmtom("bundle", "--out", str(again))
    assert again.read_bytes() == archive.read_bytes()


@pytest.mark.slow
def test_what_was_unpacked_is_the_run_it_was_packed_from(finished, elsewhere):
    done = finished.vlmtom("compare", str(finished.results), str(elsewhere))
    assert "No difference." in done.stdout


@pytest.mark.slow
def test_without_text_the_tables_follow_from_the_cells(finished, tmp_path):
    packed, folder = tmp_path / "silent.zip", tmp_path / "silent"
    finished.vlmtom("bundle", "--without-text", "--out", str(packed))
    finished.vlmtom("unbundle", str(packed), str(folder))
    names = set(sums(folder))
    assert not [name for name in names if name.endswith(".jsonl")]
    for room in ("replies", "verdicts", "report", "blind", "rating"):
        assert not [name for name in names if name.startswith(f"results/{room}/")]
    assert not [name for name in names if "own_ratings" in name or name.endswith(".secret")]
    config = yaml.safe_load((folder / "config/config.yaml").read_text())
    assert config["rating"] == {"descriptions": 36, "returned": None}
    told = " ".join((folder / "README.txt").read_text().split())
    assert "`snakemake all` would ask every model again" in told
    before = sums(folder)
    removal, snakemake = commands(folder)
    shell(folder, removal)
    assert "results/tables/table8.tex" in set(before) - set(sums(folder))
    shell(folder, snakemake)
    assert sums(folder) == before
    said = finished.vlmtom("compare", str(finished.results), str(folder)).stdout
    assert "words are not compared" in said
    assert "No difference." in said


@pytest.mark.slow
def test_a_run_that_is_not_as_it_was_left_is_not_packed(finished, tmp_path):
    copy = Project.__new__(Project)
    copy.__dict__.update(finished.__dict__)
    copy.folder = tmp_path / "copy"
    shutil.copytree(finished.folder, copy.folder, symlinks=True)
    (copy.results / "tables" / "table2.csv").write_text("tester,a\nobs-director,12\n")
    copy.config = copy.config | {"testers": [*TESTERS, "obs-guess"]}
    copy.save()
    out = tmp_path / "out.tar.gz"
    refused = copy.vlmtom("bundle", "--out", str(out), ok=False)
    assert refused.returncode == 1
    assert "table2.csv: not the file of the manifest" in refused.stderr
    assert "replies/obs-guess/director.w1.parquet: not there yet" in refused.stderr
    assert not out.exists()
    packed = copy.vlmtom("bundle", "--unverified", "--out", str(out))
    assert "README.txt names them" in packed.stdout
    with tarfile.open(out) as tar:
        text = tar.extractfile("vlmtom-bundle/README.txt").read().decode()
    assert "NOT VERIFIED" in text
    assert "table2.csv" in text


@pytest.mark.slow
def test_a_configuration_that_was_changed_after_the_run_is_not_packed(finished, tmp_path):
    """Its rebuild would ask the models, which a reviewer cannot."""
    for name, change, why in (
        ("k", {"director": {"arms": {"canonical": {"scenes": 2, "trials": 4}}}}, "no reply"),
        ("p", {"panel": "other"}, "belongs to the panel 'test'"),
    ):
        config = finished.folder / "config" / f"{name}.yaml"
        config.write_text(yaml.safe_dump(finished.config | change))
        out = str(tmp_path / f"{name}.zip")
        refused = finished.vlmtom("bundle", "--config", str(config), "--out", out, ok=False)
        assert refused.returncode == 1
        assert why in refused.stderr
    registry = deepcopy(finished.registry)
    for name in (TESTERS[0], JUDGES[0]):
        registry["models"][name]["gateway_model"] = "vendor/newer"
    models = finished.folder / "config" / "newer.yaml"
    models.write_text(yaml.safe_dump(registry))
    config.write_text(yaml.safe_dump(finished.config | {"models": "config/newer.yaml"}))
    refused = finished.vlmtom("bundle", "--config", str(config), "--out", out, ok=False)
    assert f"{TESTERS[0]}, director: 18 requests of this configuration" in refused.stderr
    assert f"{JUDGES[0]}, blinded.numbered: " in refused.stderr
    assert TESTERS[1] not in refused.stderr


def travelled(project, tmp_path):
    """A finished project, packed and unpacked elsewhere."""
    project.vlmtom("bundle", "--out", str(tmp_path / "b.zip"))
    project.vlmtom("unbundle", str(tmp_path / "b.zip"), str(tmp_path / "there"))
    return tmp_path / "there"


def rebuilt(folder):
    before = sums(folder)
    for command in commands(folder):
        shell(folder, command)
    after = sums(folder)
    assert [name for name in before if after.get(name) != before[name]] == []
    assert set(after) == set(before)


@pytest.mark.slow
def test_a_run_of_one_window_of_two_is_rebuilt_and_the_second_is_not_asked(tmp_path):
    project = Project(tmp_path / "run", scenes=1, testers=("obs-director",))
    project.config["windows"] = 2
    project.save()
    project.snakemake()
    folder = travelled(project, tmp_path)
    assert "1 of 2 windows were asked" in (folder / "README.txt").read_text()
    assert b"partial: 1 of 2 windows" in (folder / "results/tables/table2.tex").read_bytes()
    rebuilt(folder)
    assert not list(folder.rglob("director.w2.*"))


@pytest.mark.slow
def test_requests_without_a_reply_are_not_asked_again_by_a_rebuild(tmp_path):
    with LoopbackServer(answer, script=[Fault(400)]) as server:
        project = Project(tmp_path / "run", scenes=1, testers=("obs-director",))
        project.config["allow_missing"] = True
        project.serve_from(server.base_url, concurrency=1)
        project.snakemake()
    folder = travelled(project, tmp_path)
    assert "1 requests have no reply" in " ".join((folder / "README.txt").read_text().split())
    rebuilt(folder)


@pytest.fixture(scope="module")
def released(finished, tmp_path_factory):
    """A release of the run, unpacked under another path, and the archive that it came in."""
    finished.snakemake("release")
    archive = finished.results / "release" / "vlmtom-release.tar.gz"
    folder = tmp_path_factory.mktemp("published") / "a reader's folder"
    unpack(archive, folder)
    return folder, archive.read_bytes()


def verified(folder):
    command = 'PYTHONPATH="$PWD/src" python -m vlmtom.cli verify || true'
    return shell(folder, command).stdout.splitlines()


def test_a_release_verifies_under_another_path_and_holds_no_raw_output(released):
    folder, _ = released
    shell(folder, "sha256sum --quiet --check CHECKSUMS")
    *_, left_out, last = verified(folder)
    assert last == "results: manifest, locks, journals and pictures hold."
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    for name in (
        *("results/stimuli/director/pictures.parquet", "results/clips/frames.parquet"),
        *("prompts/director/a.largest.txt", "prompts/judge/blinded.txt", "judges.yaml"),
        *("resources/rubric.csv", "resources/locks.yaml", "src/vlmtom/wall.py"),
        *("results/keys/director.parquet", "results/tables/table8.tex", "digests.csv"),
    ):
        assert name in names, name
    raw = re.compile(r"results/(replies|verdicts|blind|report|rating)/|.*\.jsonl$")
    assert not [name for name in names if raw.match(name)]
    assert not [name for name in names if "own_ratings" in name or name.endswith(".secret")]
    config = yaml.safe_load((folder / "config/config.yaml").read_text())
    assert config["rating"]["returned"] is None
    assert "own_ratings" not in (folder / "README-RELEASE.txt").read_text()
    with (folder / "digests.csv").open(newline="") as file:
        digests = {row["path"]: row for row in csv.DictReader(file)}
    kept = [row for row in digests.values() if row["in_release"] == "True"]
    assert left_out.startswith(
        f"{sum(not path.endswith('.jsonl') for path in digests) - len(kept)} files of the run"
    )
    for row in kept:
        content = (folder / "results" / row["path"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == row["sha256"]


def test_the_digests_of_a_release_tell_what_is_published_later(finished, released):
    """Also of raw outputs: tables of replies and verdicts, and journals."""
    folder, _ = released
    with (folder / "digests.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["in_release"] == "False"]
    rooms = {row["path"].split("/")[0] for row in rows}
    assert {"replies", "verdicts", "blind", "report"} <= rooms
    assert sum(row["path"].endswith(".jsonl") for row in rows) >= 6
    for row in rows:
        content = (finished.results / row["path"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == row["sha256"]


def test_what_was_changed_in_a_release_is_named(released, tmp_path):
    folder = tmp_path / "changed"
    shutil.copytree(released[0], folder)
    (folder / "prompts/director/a.largest.txt").write_text("What do you see?")
    (folder / "results/tables/table2.csv").unlink()
    pictures = folder / "results/stimuli/director/pictures.parquet"
    rows = read_rows(pictures, PICTURES)
    turned = encode_png(decode_image(rows[0]["image"]["bytes"])[:, ::-1])
    rows[0]["image"]["bytes"], rows[0]["file_sha256"] = turned, sha256_bytes(turned)
    pictures.unlink()
    write_rows(pictures, rows, PICTURES)
    said = "\n".join(verified(folder))
    assert f"{rows[0]['pixel_sha256']}: other pixels." in said
    assert "director/pictures.parquet: not the file of CHECKSUMS." in said
    assert "prompts/director/a.largest.txt: not the file of CHECKSUMS." in said
    assert "prompts/director/a.largest.txt: not the prompt that this version builds." in said
    assert "table2.csv: in the manifest, but gone" in said


@pytest.mark.slow
def test_pictures_that_the_code_draws_otherwise_are_named(released, tmp_path):
    """A stored picture is as its digest says, and yet not what a fresh rendering gives."""
    folder = tmp_path / "drawn"
    shutil.copytree(released[0], folder)
    config = yaml.safe_load((folder / "config/config.yaml").read_text())
    (folder / "config/config.yaml").write_text(yaml.safe_dump(config | {"seed": 12}))
    said = "\n".join(verified(folder))
    assert "results/stimuli: director/canonical seed 12 Q01 pixels are drawn otherwise now" in said


@pytest.mark.slow
def test_a_release_is_made_anew_when_what_it_carries_has_changed(finished, released):
    assert "release" not in finished.planned("release")
    reference = finished.folder / "resources" / "families.csv"
    before = reference.read_text()
    try:
        reference.write_text(before + "new-family,New Lab\n")
        assert "release" in finished.planned("release")
    finally:
        reference.write_text(before)


@pytest.mark.slow
def test_raw_outputs_are_released_on_demand_and_make_a_run_that_can_be_gone_on_with(
    finished, released, tmp_path
):
    config = finished.folder / "config" / "raw.yaml"
    config.write_text(yaml.safe_dump({"release": {"raw": True}}))
    archive = finished.results / "release" / "vlmtom-release.tar.gz"
    try:
        finished.snakemake("release", "--configfile", str(config))
        unpack(archive, tmp_path / "raw")
    finally:
        archive.unlink()
    folder = tmp_path / "raw"
    assert (folder / "results/replies/obs-gated/director.w1.parquet").exists()
    assert (folder / "resources/own_ratings/kim.csv").exists()
    assert (folder / "results/rating.secret").exists()
    assert "own_ratings/ holds what people gave" in (folder / "README-RELEASE.txt").read_text()
    assert list(folder.glob("results/verdicts/*/journal/*.jsonl"))
    assert verified(folder) == ["results: manifest, locks, journals and pictures hold."]
    snakemake = 'PYTHONPATH="$PWD/src" python -m snakemake --cores 1 all'
    assert "Nothing to be done" in shell(folder, snakemake).stderr
