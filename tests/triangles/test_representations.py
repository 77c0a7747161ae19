"""Representations show the same frames in other ways, and say truthfully how."""

import re
from fractions import Fraction

import cv2
import numpy as np
import pytest

from tests.triangles.films import film, manifest
from tests.triangles.test_sheets import LEADING_WORDS, SNAPSHOTS
from vlmtom.errors import BadConfig, BadData
from vlmtom.rendering.images import decode_image, pixel_sha256
from vlmtom.settings import REPRESENTATION_ARMS, RepresentationArm
from vlmtom.store import PictureStore, read_rows, schemas
from vlmtom.store.locks import check_locks, read_locks
from vlmtom.triangles.animate import shipped_tracks
from vlmtom.triangles.drawing import SyntheticClip
from vlmtom.triangles.layouts import FAMILIES, REPRESENTATIONS
from vlmtom.triangles.listing import chosen_clips, clip_conditions
from vlmtom.triangles.prompts import GRID, TASK
from vlmtom.triangles.representations import (
    build,
    every_prompt,
    instruments,
    item_rows,
    key_rows,
    stand_ins,
    write_representations,
)
from vlmtom.triangles.scripts import scripts
from vlmtom.triangles.sheets import plain

# Of the nine all but the largest, whose 59 million pixels take two seconds.
QUICK = tuple(name for name in REPRESENTATION_ARMS if name != "grid_8x8_fullres")
FRAMES = 488


def arms(*names, trials=1):
    return {name: RepresentationArm(trials=trials) for name in names}


@pytest.fixture(scope="module")
def clip():
    return SyntheticClip(shipped_tracks("chasing"))


@pytest.fixture(scope="module")
def built():
    return build(arms(*QUICK), clips=["chasing"], encoded=False)


def pixels(built, name, place=0):
    return decode_image(built.pictures[built.clips[0].pictures[name][place]].png)


def spread(number, frames=FRAMES):
    """Indices by exact arithmetic: i (N - 1) / (number - 1), rounded half up."""
    places = [Fraction(i * (frames - 1), number - 1) for i in range(number)]
    return [int(place + Fraction(1, 2)) for place in places]


def letterboxed(frame):
    """1280x720 in 320x240: means of 4x4 blocks, half up, between bars of 30 rows of grey 232."""
    blocks = frame.reshape(180, 4, 320, 4, 3).astype(float)
    out = np.full((240, 320, 3), 232, np.uint8)
    out[30:210] = np.floor(blocks.mean(axis=(1, 3)) + 0.5).astype(np.uint8)
    return out


def composed(clip, rows, columns, how):
    shown = [how(clip.frame(index)) for index in spread(rows * columns)]
    lines = [np.concatenate(shown[r * columns : (r + 1) * columns], axis=1) for r in range(rows)]
    return np.concatenate(lines, axis=0)


@pytest.mark.parametrize(("name", "rows", "columns"), [("grid_4x8", 4, 8), ("grid_8x8", 8, 8)])
def test_a_grid_is_composed_of_letterboxed_frames_row_by_row(built, clip, name, rows, columns):
    picture = pixels(built, name)
    assert picture.shape == (240 * rows, 320 * columns, 3)
    assert np.array_equal(picture, composed(clip, rows, columns, letterboxed))


def test_a_full_grid_has_every_frame_at_its_own_size(built, clip):
    picture = pixels(built, "grid_4x4_fullres")
    assert picture.shape == (4 * 720, 4 * 1280, 3)
    assert np.array_equal(picture, composed(clip, 4, 4, lambda frame: frame))


def test_grid_4x4_is_the_plain_sheet_and_asks_in_the_same_bytes(built, clip):
    sheet = plain(clip, "pad", 0).picture
    assert built.clips[0].pictures["grid_4x4"] == (pixel_sha256(sheet),)
    assert REPRESENTATIONS["grid_4x4"].prompt == REPRESENTATIONS["grid_4x4_fullres"].prompt == GRID


@pytest.mark.parametrize("number", [16, 32, 64])
def test_a_sequence_is_so_many_frames_in_order_at_their_own_size(built, clip, number):
    shown = built.clips[0].pictures[f"frames_{number}"]
    assert list(shown) == [pixel_sha256(clip.frame(index)) for index in spread(number)]
    assert shown[0] == pixel_sha256(clip.frame(0)) and shown[-1] == pixel_sha256(clip.frame(487))
    assert pixels(built, f"frames_{number}", 1).shape == (720, 1280, 3)


def test_a_frame_of_several_representations_is_stored_once(built):
    shown = built.clips[0].pictures
    sequences = {name: set(shown[f"frames_{name}"]) for name in (16, 32, 64)}
    assert sequences[16] & sequences[32] & sequences[64] >= {shown["frames_16"][0]}
    whole = set().union(*(set(names) for names in shown.values()))
    assert set(built.pictures) == whole


def test_a_synthetic_film_holds_every_drawn_frame_without_loss(tmp_path, clip):
    """Of the film's 488 frames each tenth is compared, pixel by pixel."""
    one = build(arms("native_video", "grid_4x4"), clips=["chasing"])
    (content,) = one.films.values()
    path = tmp_path / "film.mp4"
    path.write_bytes(content)
    film_file = cv2.VideoCapture(str(path))
    count = 0
    while True:
        ok, bgr = film_file.read()
        if not ok:
            break
        if count % 10 == 0:
            assert np.array_equal(bgr[..., ::-1], clip.frame(count)), count
        count += 1
    film_file.release()
    assert count == FRAMES
    assert one.clips[0].film == next(iter(one.films))


@pytest.fixture(scope="module")
def outside(tmp_path_factory):
    folder = tmp_path_factory.mktemp("films")
    film(folder / "long.mp4", 3)  # 75 frames
    film(folder / "short.mp4", 1.6)  # 40 frames
    film(folder / "other.mkv", 3)
    return folder


def test_a_film_from_outside_is_shown_as_its_file(outside, tmp_path):
    manifest(outside, "long.mp4,star,elife,,")
    one = build(arms(*REPRESENTATION_ARMS), clips_folder=outside)
    assert list(one.films.values()) == [(outside / "long.mp4").read_bytes()]
    out = {
        name: str(tmp_path / f"{name}.parquet") for name in ("pictures", "films", "items", "keys")
    }
    write_representations(one, **out)
    store = PictureStore(out["pictures"], schemas.PICTURES, out["films"])
    items = read_rows(out["items"], schemas.ITEMS)
    assert len(items) == 9
    for item in items:
        (turn,) = item["turns"]
        if item["arm"] == "native_video":
            assert turn["pictures"] == []
            assert store.film(turn["video"]) == (outside / "long.mp4").read_bytes()
        else:
            assert turn["video"] is None and all(digest in store for digest in turn["pictures"])
    store.close()
    assert [key["stimulus_source"] for key in read_rows(out["keys"], schemas.TRIANGLES_KEYS)] == [
        "elife"
    ] * 9
    locked = instruments(one)
    assert locked["representations/native_video elife star film"] == one.clips[0].film
    # The frames of 75 that are the sequence's, decoded in order by another reader.
    reader = cv2.VideoCapture(str(outside / "long.mp4"))
    decoded = [reader.read()[1][..., ::-1].copy() for _ in range(75)]
    reader.release()
    shown = one.clips[0].pictures["frames_64"]
    assert list(shown) == [pixel_sha256(decoded[index]) for index in spread(64, 75)]


def test_a_clip_of_too_few_frames_is_refused_by_name(outside):
    manifest(outside, "short.mp4,star,elife,,")
    assert len(build(arms("frames_32", "grid_4x8"), clips_folder=outside).pictures) == 33
    with pytest.raises(
        BadData, match=r"'star' has 40 frames; the representation grid_8x8 shows 64"
    ):
        build(arms("frames_16", "grid_8x8"), clips_folder=outside)


def test_a_film_that_is_no_mp4_is_refused_where_it_would_be_shown(outside):
    manifest(outside, "other.mkv,star,elife,,")
    assert build(arms("frames_16"), clips_folder=outside).films == {}
    with pytest.raises(BadData, match=r"other\.mkv: not an MP4"):
        build(arms("native_video"), clips_folder=outside)


def test_the_first_clip_of_each_condition_is_shown_unless_others_are_named(outside):
    conditions = clip_conditions(None)
    assert conditions == {name: one.condition for name, one in scripts().items()}
    assert chosen_clips(conditions, None) == ["coaxing", "chasing", "billiard"]
    # in the order of the scripts, whatever that of the names
    assert chosen_clips(conditions, ["tennis", "mocking"]) == ["mocking", "tennis"]
    with pytest.raises(BadConfig, match="no clip 'snoring'"):
        chosen_clips(conditions, ["snoring"])
    manifest(outside, "a.mp4,mine,elife,ToM,A story.", "b.mp4,star,elife,,", "c.mp4,tennis,elife,,")
    assert clip_conditions(str(outside)) == {"mine": "ToM", "star": "Random", "tennis": "Random"}
    assert chosen_clips(clip_conditions(str(outside)), None) == ["mine", "star"]


def test_items_hold_no_answer_and_keys_hold_them_all(built):
    items, keys = item_rows(built), key_rows(built)
    assert [i["item_id"] for i in items] == [k["item_id"] for k in keys]
    assert len(items) == 8
    for item, key in zip(items, keys, strict=True):
        assert set(item) == set(schemas.ITEMS.names)
        assert (item["experiment"], item["batch"]) == ("representations", "representations")
        assert (key["condition"], key["script"]) == ("GD", scripts()["chasing"].script)
        assert "chas" not in item["turns"][0]["text"]


def test_stand_ins_are_the_items_but_for_the_digests(built):
    made_up = stand_ins(arms(*QUICK), "pad", None, ["chasing"])
    for one, other in zip(item_rows(built), item_rows(made_up), strict=True):
        (shown,), (stood_in,) = one.pop("turns"), other.pop("turns")
        assert one == other
        assert shown["text"] == stood_in["text"]
        assert len(shown["pictures"]) == len(stood_in["pictures"])
        for digest, name in zip(shown["pictures"], stood_in["pictures"], strict=True):
            sizes = [(p.width, p.height) for p in (built.pictures[digest], made_up.pictures[name])]
            assert sizes[0] == sizes[1]


def test_what_is_locked_depends_on_how_frames_fit_only_where_they_are_fitted(built):
    locked = instruments(built)
    assert "representations/grid_8x8 pad synthetic chasing pixels" in locked
    assert "representations/frames_64 synthetic chasing frames" in locked
    assert len(locked) == 9 + 7  # a prompt each; of the eight shown, all but the film
    order = dict(built.clips[0].pictures)
    turned = order | {"frames_16": order["frames_16"][::-1]}
    other = instruments(
        type(built)(built.arms, built.fit, [_with(built, turned)], built.pictures, {})
    )
    changed = {name for name in locked if locked[name] != other[name]}
    assert changed == {"representations/frames_16 synthetic chasing frames"}


def _with(built, pictures):
    shown = built.clips[0]
    return type(shown)(shown.script, shown.source, pictures, shown.film)


def test_the_representations_of_the_settings_are_those_that_can_be_shown():
    assert set(REPRESENTATIONS) == set(REPRESENTATION_ARMS) == set(FAMILIES)


def test_every_prompt_is_the_committed_bytes():
    texts = {name.replace("/", "."): text for name, text in every_prompt().items()}
    assert {path.stem for path in SNAPSHOTS.glob("representations.*.txt")} == set(texts)
    for name, text in texts.items():
        assert (SNAPSHOTS / f"{name}.txt").read_bytes() == text.encode(), name


def test_prompts_differ_in_what_they_say_is_shown_and_in_nothing_else():
    for name, text in every_prompt().items():
        head, _, task = text.partition("\n\n")
        assert task == TASK, name
        assert "one short silent animation with two triangles" in head
    said = {name: one.prompt.split("\n")[0] for name, one in REPRESENTATIONS.items()}
    assert "sixty-four frames" in said["grid_8x8"] and "eight rows of eight" in said["grid_8x8"]
    assert "thirty-two frames" in said["grid_4x8"] and "four rows of eight" in said["grid_4x8"]
    assert said["frames_32"].startswith("The pictures show thirty-two frames of ")
    assert said["native_video"] == "The video shows one short silent animation with two triangles."
    assert "frames" not in said["native_video"]


def test_no_prompt_hints_at_what_a_clip_is_about():
    for name, text in every_prompt().items():
        words = set(re.findall(r"[a-z]+", text.lower()))
        leading = LEADING_WORDS.split()
        stems = {w for word in leading for w in (word, f"{word}s", f"{word}d", f"{word}ed")}
        assert not words & stems, (name, words & stems)
        assert not words & {clip.lower() for clip in scripts()}, name
        assert not re.search(r"\b(tom|gd|step by step|explain)\b", text, re.IGNORECASE), name


def test_default_locks_hold_the_representations_of_every_shipped_clip():
    locks = read_locks("resources/locks.yaml")
    held = {name for name in locks if name.startswith("representations/")}
    # nine prompts, and eight representations of twelve clips; an encoded film has no lock
    assert len(held) == 9 + 8 * 12
    for name in REPRESENTATION_ARMS:
        assert f"representations/{name} prompt" in held
    for clip in scripts():
        assert sum(f" synthetic {clip} " in name for name in held) == 8


def test_a_clip_that_the_default_does_not_show_is_drawn_as_it_is_locked():
    chosen = [name for name in scripts() if name not in chosen_clips(clip_conditions(None), None)]
    stimuli = build(arms("grid_4x4", "frames_16"), clips=chosen[-1:])
    check_locks("resources/locks.yaml", instruments(stimuli))
