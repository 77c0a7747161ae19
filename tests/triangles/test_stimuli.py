"""Files of the experiment: items hold no answer, keys hold all, outside films take the same way."""

import numpy as np
import pytest

from tests.triangles.films import film, manifest
from vlmtom.rendering.images import decode_image, pixel_sha256
from vlmtom.settings import TrianglesArm
from vlmtom.store import PictureStore, read_rows, schemas
from vlmtom.triangles import stimuli as room
from vlmtom.triangles.outside import OutsideClip, read_manifest
from vlmtom.triangles.prompts import GRID
from vlmtom.triangles.scripts import scripts
from vlmtom.triangles.sheets import numbered
from vlmtom.triangles.stimuli import (
    build_stimuli,
    frame_rows,
    instruments,
    item_rows,
    key_rows,
    kinematics_rows,
    picture_rows,
    write_stimuli,
)

ARMS = {"numbered": TrianglesArm(trials=3)}


@pytest.fixture(scope="module")
def stimuli():
    return build_stimuli(ARMS, seed=1)


def places(folder):
    names = ("pictures", "items", "keys", "frames", "kinematics")
    return {name: str(folder / f"{name}.parquet") for name in names}


def test_items_hold_no_answer_and_keys_hold_them_all(stimuli):
    items, keys = item_rows(stimuli), key_rows(stimuli)
    assert [i["item_id"] for i in items] == [k["item_id"] for k in keys]
    assert [i["item_id"] for i in items] == [f"triangles/numbered/{clip}" for clip in scripts()]
    for item in items:
        assert set(item) == set(schemas.ITEMS.names)
        assert (item["sub_prompt"], item["batch"], item["trials"]) == (None, "triangles", 3)
        (turn,) = item["turns"]
        assert turn["text"] == GRID and len(turn["pictures"]) == 1 and turn["video"] is None
    for key in keys:
        script = scripts()[key["stimulus"]]
        assert (key["condition"], key["script"]) == (script.condition, script.script)
        assert key["stimulus_source"] == "synthetic"
        assert key["shown_order"] == tuple(range(1, 17))


def test_all_files_are_of_their_schemas(stimuli, tmp_path, monkeypatch):
    monkeypatch.setattr(room, "film", lambda shown: shown.script.clip.encode())
    out = places(tmp_path)
    films = [str(tmp_path / f"{clip}.mp4") for clip in scripts()]
    write_stimuli(stimuli, **out, clips=films, sheets=[str(tmp_path / "sheet.numbered.png")])
    pictures = PictureStore(out["pictures"], schemas.PICTURES)
    shown = {item["turns"][0]["pictures"][0] for item in read_rows(out["items"], schemas.ITEMS)}
    assert len(shown) == 12
    for digest in shown:
        assert pixel_sha256(decode_image(pictures.png(digest))) == digest
    pictures.close()
    assert len(read_rows(out["keys"], schemas.TRIANGLES_KEYS)) == 12
    frames = read_rows(out["frames"], schemas.FRAMES)
    assert len(frames) == 12 * 16
    assert (frames[0]["index"], frames[1]["index"], frames[15]["index"]) == (0, 32, 487)
    assert frames[15]["time_s"] == pytest.approx(19.48)
    assert {(f["n_decoded"], f["n_header"], f["width"], f["height"]) for f in frames} == {
        (488, None, 1280, 720)
    }
    kinematics = read_rows(out["kinematics"], schemas.KINEMATICS)
    assert [row["clip"] for row in kinematics] == list(scripts())
    assert (tmp_path / "star.mp4").read_bytes() == b"star"
    assert decode_image((tmp_path / "sheet.numbered.png").read_bytes()).shape[1] > 1900


def test_a_picture_is_stored_once_under_a_name_that_says_nothing(stimuli):
    rows = picture_rows(stimuli)
    assert len({row["pixel_sha256"] for row in rows}) == len(rows) == 12
    for row in rows:
        assert row["image"]["path"] == row["pixel_sha256"][:16] + ".png"
        assert (row["width"], row["height"]) == (1280, 960)


def test_prompts_scripts_gates_and_pixels_are_locked(stimuli):
    locked = instruments(stimuli)
    assert len(locked) == 5 + 1 + 12 + 12  # a prompt an arm, gates, scripts, pictures
    assert all(len(digest) == 64 for digest in locked.values())
    assert all(name.startswith("triangles/") for name in locked)
    assert "triangles/numbered pad synthetic star pixels" in locked
    assert "triangles/numbered prompt" in locked
    squeezed = instruments(build_stimuli(ARMS, seed=1, fit="stretch"))
    assert not {n for n in squeezed if n.endswith("pixels")} & set(locked)


def test_the_run_seed_does_not_change_the_shipped_clips(stimuli):
    assert instruments(build_stimuli(ARMS, seed=2)) == instruments(stimuli)


def test_films_from_outside_take_the_same_way(tmp_path):
    film(tmp_path / "v1.mp4", 2)
    film(tmp_path / "v2.mp4", 2, "-vf", "hflip")
    manifest(tmp_path, "v2.mp4,star,elife,,", "v1.mp4,chasing,elife,,")
    built = build_stimuli(ARMS, 1, "pad", tmp_path)
    assert [k["stimulus_source"] for k in key_rows(built)] == ["elife", "elife"]
    assert [k["condition"] for k in key_rows(built)] == ["Random", "GD"]
    frames = frame_rows(built)
    assert {(f["n_decoded"], f["n_header"], f["fps"]) for f in frames} == {(50, 50, 25)}
    assert kinematics_rows(built) == []
    picture = decode_image(picture_rows(built)[0]["image"]["bytes"])
    clip = OutsideClip(read_manifest(tmp_path)[0])
    assert np.array_equal(picture, numbered(clip, "pad", 1).picture)
    out = places(tmp_path)
    films = [str(tmp_path / "out" / name) for name in ("star.mp4", "chasing.mp4")]
    write_stimuli(built, **out, clips=films, sheets=[str(tmp_path / "sheet.png")])
    assert read_rows(out["kinematics"], schemas.KINEMATICS) == []
    assert (tmp_path / "out" / "star.mp4").read_bytes() == (tmp_path / "v2.mp4").read_bytes()
