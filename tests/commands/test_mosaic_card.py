"""`vlmtom mosaic card`: any trial of a run as files, and what it says where it cannot."""

from pathlib import Path

import pytest

from tests.publish.mosaic_rows import rows
from vlmtom.cli import main
from vlmtom.store import write_rows
from vlmtom.store.schemas.mosaic import MOSAIC_STEPS, MOSAIC_TRIALS, MOSAIC_UTTERANCES

# What a log has that neither card nor film looks at.
_UNSEEN = {
    "felt": 0.0,
    "g_dark": 0.3,
    "g_light": 0.3,
    "their_other": 0.5,
    "their_dark": 0.5,
    "their_light": 0.5,
    "picture": None,
    "stated_box": None,
    "toward_box": None,
}
_UNHEARD = {"inner": "", "flags": [], "updates": [], "not_taken": False}


@pytest.fixture
def results(tmp_path):
    folder = tmp_path / "results" / "mosaic" / "pcm+pcm"
    folder.mkdir(parents=True)
    # Trial 1 ended against the prediction, trial 2 as predicted.
    parts = zip(rows(number=1, choice=1), rows(number=2), strict=True)
    trials, steps, words = (one + other for one, other in parts)
    write_rows(folder / "comp-tom1.trials.parquet", trials, MOSAIC_TRIALS)
    write_rows(folder / "comp-tom1.steps.parquet", [_UNSEEN | s for s in steps], MOSAIC_STEPS)
    heard = [_UNHEARD | word for word in words]
    write_rows(folder / "comp-tom1.utterances.parquet", heard, MOSAIC_UTTERANCES)
    return tmp_path / "results"


def run(*words):
    return main(["mosaic", "card", *map(str, words)])


def test_a_trial_is_written_as_a_card_and_a_film(results, tmp_path, capsys):
    out = tmp_path / "new" / "trial.2"
    assert run(results, "pcm+pcm", "comp-tom1", "--trial", 2, "--out", out) == 0
    written = [f"{out}.{form}" for form in ("pdf", "png", "mp4")]
    assert capsys.readouterr().out.splitlines() == written
    starts = [Path(file).read_bytes()[:12] for file in written]
    assert starts[0].startswith(b"%PDF")
    assert starts[1].startswith(b"\x89PNG")
    assert starts[2][4:8] == b"ftyp"


def test_what_is_not_there_is_said_with_what_is(results, tmp_path, capsys):
    out = ("--out", tmp_path / "card")
    assert run(results, "pcm+pcm", "comp-tom1", "--trial", 9, *out) == 1
    assert "0 rows of trial 9; there are 1 to 2" in capsys.readouterr().err
    assert run(results, "pcm", "comp-tom1", *out) == 1
    assert "no such pair was played; there are pcm+pcm" in capsys.readouterr().err
    assert run(results, "pcm+pcm", "comp-tom2", *out) == 1
    assert "no condition 'comp-tom2'; there are coop-tom0" in capsys.readouterr().err
    assert run(results, "pcm+pcm", "comp-tom1", "--round", 11, *out) == 1
    assert "round 11 was not played; give one of 0 to 10" in capsys.readouterr().err
    assert not list(tmp_path.glob("card*"))


def test_a_file_that_is_there_is_left_as_it_is(results, tmp_path, capsys):
    there = tmp_path / "card.mp4"
    there.write_bytes(b"mine")
    assert run(results, "pcm+pcm", "comp-tom1", "--out", tmp_path / "card") == 1
    assert "choose another --out" in capsys.readouterr().err
    assert there.read_bytes() == b"mine"
    assert list(tmp_path.glob("card*")) == [there]
