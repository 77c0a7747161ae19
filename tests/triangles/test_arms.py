"""Arms show the same frames as the numbered one and differ from it in one thing each."""

import itertools

import numpy as np
import pytest

from tests.triangles.films import film, manifest
from vlmtom.errors import BadData
from vlmtom.rendering.images import decode_image, pixel_sha256
from vlmtom.settings import TRIANGLES_ARMS, TrianglesArm
from vlmtom.store import read_rows, schemas, write_rows
from vlmtom.triangles.animate import shipped_tracks
from vlmtom.triangles.drawing import SyntheticClip
from vlmtom.triangles.prompts import GRID, PROMPTS
from vlmtom.triangles.sampling import sample_indices
from vlmtom.triangles.scripts import scripts
from vlmtom.triangles.sheets import ARMS, DRAWN_ARMS, IN_ORDER, cell, drawn_order
from vlmtom.triangles.stimuli import build_stimuli, instruments, item_rows, key_rows, picture_rows

ALL_ARMS = {arm: TrianglesArm(trials=1) for arm in TRIANGLES_ARMS}
SHEETS = tuple(arm for arm in ARMS if arm != "keyframe")
# A badge is a disc of 26 pixels, two pixels from the cell's upper left corner.
MIDDLE, RADIUS = 2 + 13, 13


@pytest.fixture(scope="module")
def clip():
    return SyntheticClip(shipped_tracks("coaxing"))


@pytest.fixture(scope="module")
def built():
    return build_stimuli(ALL_ARMS, seed=2026)


def cells(picture):
    return [
        picture[row : row + 240, column : column + 320]
        for row in range(0, 960, 240)
        for column in range(0, 1280, 320)
    ]


def in_disc():
    rows, columns = np.mgrid[:240, :320] + 0.5
    return (rows - MIDDLE) ** 2 + (columns - MIDDLE) ** 2 < RADIUS**2


@pytest.mark.parametrize("fit", ["pad", "stretch"])
def test_plain_differs_from_numbered_in_the_badges_discs_alone(clip, fit):
    with_badges, without = (ARMS[arm](clip, fit, 0).picture for arm in ("numbered", "plain"))
    disc = in_disc()
    for one, other in zip(cells(with_badges), cells(without), strict=True):
        differs = (one != other).any(axis=2)
        assert not differs[~disc].any()
        # Paper is grey 40 and ink white: a disc on the grey bar or a white frame is seen.
        assert differs[disc].mean() > 0.5


def test_plain_is_the_frames_and_nothing_else(clip):
    for shown, index in zip(
        cells(ARMS["plain"](clip, "pad", 0).picture), sample_indices(clip.count), strict=True
    ):
        assert np.array_equal(shown, cell(clip.frame(index), "pad"))


@pytest.mark.parametrize("arm", ["reversed", "shuffled"])
def test_frames_change_their_places_and_badges_stay(clip, arm):
    numbered, plain, view = (ARMS[name](clip, "pad", 5) for name in ("numbered", "plain", arm))
    assert sorted(view.order) == list(IN_ORDER)
    disc = in_disc()
    frames, badges = cells(plain.picture), cells(numbered.picture)
    for place, shown in enumerate(cells(view.picture)):
        frame = frames[view.order[place] - 1]
        assert np.array_equal(shown[~disc], frame[~disc])
        # In the letterbox all corners are the same grey, so the badge is that of the place.
        assert np.array_equal(shown[disc], badges[place][disc])


def test_reversed_shows_the_last_frame_first(clip):
    assert ARMS["reversed"](clip, "pad", 5).order == tuple(range(16, 0, -1))


def test_a_still_is_the_middle_frame_at_its_own_size(clip):
    view = ARMS["keyframe"](clip, "stretch", 0)
    assert view.order is None
    assert np.array_equal(view.picture, clip.frame(244))  # 488 // 2
    assert view.picture.shape == (720, 1280, 3)


def test_an_order_is_drawn_by_clip_and_seed_and_is_never_trivial():
    drawn = {(name, seed): drawn_order(name, seed) for name in scripts() for seed in range(200)}
    assert drawn == {key: drawn_order(*key) for key in drawn}
    assert len(set(drawn.values())) == len(drawn)  # of 16! = 2 * 10**13
    assert not {IN_ORDER, IN_ORDER[::-1]} & set(drawn.values())
    assert all(sorted(order) == list(IN_ORDER) for order in drawn.values())
    # Each frame comes first about equally often: 2400 / 16 = 150, SD 12.
    first = np.bincount([order[0] for order in drawn.values()], minlength=17)[1:]
    assert first.min() > 90 and first.max() < 210


def test_a_draw_of_the_order_itself_is_drawn_again(monkeypatch):
    draws = iter([np.arange(16), np.arange(16)[::-1], np.roll(np.arange(16), 1)])

    class Rng:
        def permutation(self, size):
            assert size == 16
            return next(draws)

    monkeypatch.setattr(np.random, "default_rng", lambda seed: Rng())
    assert drawn_order("star", 1) == (16, *range(1, 16))


def test_sheets_share_the_prompt_byte_for_byte_and_the_still_says_what_it_is():
    assert {PROMPTS[arm] for arm in SHEETS} == {GRID}
    assert "single still from a short silent animation" in PROMPTS["keyframe"]
    # The request is the grid's, less the beginning and end that a still has not.
    request = GRID.split("\n\n")[1].replace(", from its beginning to its end,", "")
    assert PROMPTS["keyframe"].split("\n\n")[1] == request


def test_what_is_asked_says_neither_arm_nor_order(built):
    by_stimulus = {}
    for item in item_rows(built):
        (turn,) = item["turns"]
        assert (turn["role"], len(turn["pictures"]), turn["video"]) == ("user", 1, None)
        by_stimulus.setdefault(item["stimulus"], {})[item["arm"]] = turn
    for turns in by_stimulus.values():
        assert len({turn["pictures"][0] for turn in turns.values()}) == len(ALL_ARMS)
        assert len({turn["text"] for arm, turn in turns.items() if arm in SHEETS}) == 1
    for row in picture_rows(built):
        assert row["image"]["path"] == row["pixel_sha256"][:16] + ".png"
        picture = decode_image(row["image"]["bytes"])
        assert pixel_sha256(picture) == row["pixel_sha256"]
        assert (row["width"], row["height"]) in {(1280, 960), (1280, 720)}


def test_the_numbered_arm_does_not_depend_on_the_others(built):
    alone = build_stimuli({"numbered": TrianglesArm(trials=1)}, seed=2026)
    assert item_rows(alone) == [i for i in item_rows(built) if i["arm"] == "numbered"]


def test_keys_hold_the_order_that_was_shown_and_read_back_as_it_is(built, tmp_path):
    keys = key_rows(built)
    write_rows(tmp_path / "keys.parquet", keys, schemas.TRIANGLES_KEYS)
    assert len(keys) == 12 * len(ALL_ARMS)
    for key in read_rows(tmp_path / "keys.parquet", schemas.TRIANGLES_KEYS):
        expected = {
            "keyframe": None,
            "reversed": [*range(16, 0, -1)],
            "shuffled": [*drawn_order(key["stimulus"], 2026)],
        }.get(key["arm"], [*range(1, 17)])
        assert key["shown_order"] == expected


def test_only_the_drawn_arm_depends_on_the_runs_seed(built):
    other = instruments(build_stimuli(ALL_ARMS, seed=2))
    ours = instruments(built)
    differs = {name for name in other if other[name] != ours.get(name)}
    assert {name.split()[0] for name in differs} == {f"triangles/{arm}" for arm in DRAWN_ARMS}
    assert len(differs) == 12 and all("pad seed 2 synthetic" in name for name in differs)


@pytest.fixture(scope="module")
def damaged(tmp_path_factory):
    folder = tmp_path_factory.mktemp("damaged")
    whole = film(folder / "whole.mp4", 2).read_bytes()
    (folder / "empty.mp4").write_bytes(b"")
    (folder / "cut.mp4").write_bytes(whole[: len(whole) // 2])
    (folder / "pointer.mp4").write_bytes(b"version https://git-lfs.github.com/spec/v1\noid 1\n")
    (folder / "words.mp4").write_bytes(b"no film at all\n" * 50)
    film(folder / "short.mp4", 0.4)  # ten frames
    return folder


DAMAGED = ("empty.mp4", "cut.mp4", "pointer.mp4", "words.mp4", "short.mp4")


@pytest.mark.parametrize("name", DAMAGED)
def test_every_arm_refuses_a_damaged_film_in_the_same_words(damaged, name):
    manifest(damaged, f"{name},star,elife,,")
    said = set()
    for arm in ARMS:
        with pytest.raises(BadData) as caught:
            build_stimuli({arm: TrianglesArm(trials=1)}, 1, "pad", damaged)
        said.add(str(caught.value))
    assert len(said) == 1
    assert said.pop().startswith(f"{damaged.resolve() / name}: ")


def test_films_from_outside_are_shown_in_every_arm(tmp_path):
    film(tmp_path / "v.mp4", 2)
    manifest(tmp_path, "v.mp4,star,elife,,")
    built = build_stimuli(ALL_ARMS, 1, "pad", tmp_path)
    (shown,) = built.clips
    sizes = {arm: (p.width, p.height) for arm, p in shown.pictures.items()}
    assert sizes.pop("keyframe") == (160, 90)  # its own size, no cell's
    assert set(sizes.values()) == {(1280, 960)}
    pairs = itertools.combinations((p.pixel_sha256 for p in shown.pictures.values()), 2)
    assert all(one != other for one, other in pairs)
