"""Films that a user brings are decoded and counted, or refused with their name and the cause."""

import cv2
import numpy as np
import pytest

from tests.triangles.films import ffmpeg, film, manifest
from vlmtom.errors import BadData
from vlmtom.triangles.outside import Entry, OutsideClip, read_manifest
from vlmtom.triangles.sampling import sample_indices
from vlmtom.triangles.scripts import RESOURCES, read_csv, scripts


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("films")


@pytest.fixture(scope="module")
def whole(folder):
    return film(folder / "whole.mp4", 10, "-g", "250")


def clip(path):
    return OutsideClip(Entry(path, "elife", scripts()["chasing"]))


def refused(path):
    """The one line with which a file is refused; it names the file."""
    with pytest.raises(BadData) as caught:
        clip(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ") and "\n" not in text
    return text


def test_a_whole_film_gives_its_frames(whole):
    found = clip(whole)
    assert (found.count, found.n_header, found.fps) == (250, 250, 25)
    assert (found.size, found.orientation_deg, found.source) == ((160, 90), 0, "elife")
    film = cv2.VideoCapture(str(whole), cv2.CAP_FFMPEG)
    decoded = [film.read()[1][..., ::-1] for _ in range(250)]
    film.release()
    for index in [*sample_indices(250), 125]:
        assert np.array_equal(found.frame(index), decoded[index])
        assert found.time_s(index) == pytest.approx(index / 25, abs=1e-6)


def test_a_header_that_claims_too_much_is_kept_beside_the_count(whole, folder):
    cut = folder / "cut.mp4"
    ffmpeg("-ss", "1.03", "-i", whole, "-t", "5", "-c", "copy", cut)
    found = clip(cut)
    assert found.n_header > found.count >= 125
    assert found.frame(found.count - 1).shape == (90, 160, 3)


def test_a_film_that_is_turned_is_shown_turned_and_that_is_stored(whole, folder):
    turned = folder / "turned.mp4"
    ffmpeg("-display_rotation", "90", "-i", whole, "-c", "copy", turned)
    found = clip(turned)
    assert found.size == (90, 160) and found.orientation_deg == 270
    upright = np.rot90(clip(whole).frame(0))
    assert np.array_equal(found.frame(0), upright)


@pytest.mark.parametrize("name", ["raw.h264", "live.mkv"])
def test_a_film_without_a_usable_count_is_counted(name, folder):
    path = folder / name
    if name == "raw.h264":
        film(path, 2)
    else:
        ffmpeg("-i", film(folder / "two.mp4", 2), "-c", "copy", "-live", "1", path)
    found = clip(path)
    assert (found.count, found.n_header, found.fps) == (50, None, 25)


def test_grey_films_have_three_equal_channels(folder):
    frame = clip(film(folder / "grey.mp4", 1, "-vf", "format=gray")).frame(0)
    assert frame.shape == (90, 160, 3) and frame.dtype == np.uint8
    assert np.ptp(frame.astype(int), axis=2).max() == 0


def test_a_variable_frame_rate_is_refused(whole, folder):
    path = folder / "variable.mp4"
    ffmpeg("-i", whole, "-vf", "select='not(mod(n,2))+lt(n,60)'", "-fps_mode", "vfr", path)
    assert "a variable frame rate (frames last 40 to 80 ms)" in refused(path)


def test_fewer_than_sixteen_frames_are_refused(folder):
    assert "10 frames; a sheet shows 16" in refused(film(folder / "short.mp4", 0.4))


def test_what_is_no_film_is_named(whole, folder):
    empty, text, pointer, half, sound = (
        folder / name for name in ("empty.mp4", "text.mp4", "lfs.mp4", "half.mp4", "sound.mp4")
    )
    empty.write_bytes(b"")
    text.write_text("this is no film\n" * 20)
    pointer.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")
    ffmpeg("-f", "lavfi", "-i", "sine=duration=2", sound)
    whole_bytes = film(folder / "fast.mp4", 10, "-movflags", "+faststart").read_bytes()
    half.write_bytes(whole_bytes[: len(whole_bytes) // 2])
    assert "an empty file (0 bytes)" in refused(empty)
    assert "not a film that ffmpeg can read" in refused(text)
    assert "a Git LFS pointer" in refused(pointer)
    assert f"cut short, {len(whole_bytes) // 2} of {len(whole_bytes)} bytes" in refused(half)
    assert "sound but no video track" in refused(sound)
    assert "cannot be read (No such file or directory)" in refused(folder / "gone.mp4")


def test_time_stamps_that_do_not_increase_are_refused(whole, monkeypatch):
    read = cv2.VideoCapture.get
    stamps = iter([40.0 * i for i in range(30)] + [1000.0] * 1000)

    class Stuck:
        def __init__(self, *given):
            self._film = cv2.VideoCapture(*given)

        def __getattr__(self, name):
            return getattr(self._film, name)

        def get(self, what):
            return next(stamps) if what == cv2.CAP_PROP_POS_MSEC else read(self._film, what)

    from vlmtom.triangles import outside

    opened = outside._opened

    def stuck(path):
        opened(path).release()
        return Stuck(str(path), cv2.CAP_FFMPEG)

    monkeypatch.setattr(outside, "_opened", stuck)
    assert "time stamps do not increase after frame 29" in refused(whole)


def test_a_manifest_names_films_and_where_they_come_from(tmp_path):
    manifest(tmp_path, "a.mp4,star,elife,,", "b.mp4,swimming,own,GD,Two swim.")
    first, second = read_manifest(tmp_path)
    assert (first.source, first.script.condition) == ("elife", "Random")
    assert first.script.script == scripts()["star"].script
    assert (second.script.clip, second.script.script) == ("swimming", "Two swim.")
    assert first.file == tmp_path / "a.mp4"


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ((), "no clip in it"),
        (("a.mp4,swimming,own,,",), "line 2: the clip 'swimming' needs a condition of ToM, GD"),
        (("a.mp4,Star,own,,",), "line 2: the clip 'Star' needs a name of small letters"),
        (("a.mp4,star,synthetic,,",), "line 2: expected a source such as elife"),
        (("../a.mp4,star,elife,,",), "line 2: the file '../a.mp4' is not in this folder"),
        (("a.mp4,star,elife,,", "b.mp4,star,elife,,"), "line 3: the clip 'star' is there twice"),
        (("a.mp4,star",), "line 2: not as many fields"),
    ],
)
def test_a_manifest_that_cannot_be_used_is_named(tmp_path, lines, text):
    manifest(tmp_path, *lines)
    with pytest.raises(BadData, match=r"manifest\.csv") as caught:
        read_manifest(tmp_path)
    assert text in str(caught.value)


def test_a_folder_without_a_manifest_is_named(tmp_path):
    with pytest.raises(BadData, match=r"manifest\.csv: no such file"):
        read_manifest(tmp_path)
    (tmp_path / "manifest.csv").write_text("file,clip\n")
    with pytest.raises(BadData, match="no column source"):
        read_manifest(tmp_path)


def test_the_manifest_of_the_original_films_names_all_twelve_clips(tmp_path):
    source = RESOURCES / "manifest_elife.csv"
    (tmp_path / "manifest.csv").write_bytes(source.read_bytes())
    assert {entry.script.clip for entry in read_manifest(tmp_path)} == set(scripts())
    assert {row["source"] for row in read_csv(source, ("source",))} == {"elife"}
