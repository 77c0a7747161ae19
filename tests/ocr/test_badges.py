"""A reader of text that knows nothing of this project reads the badges, in order, and only them."""

import json
import subprocess

import pytest

from tests.ocr.conftest import HERE, reader_python
from vlmtom.rendering.images import encode_png
from vlmtom.triangles.animate import shipped_tracks
from vlmtom.triangles.drawing import SyntheticClip
from vlmtom.triangles.scripts import scripts
from vlmtom.triangles.sheets import ARMS

pytestmark = pytest.mark.ocr

IN_ORDER = [str(number) for number in range(1, 17)]
ONE_OF_EACH = ("surprising", "fighting", "tennis")


def read(folder, arm, fit, clips):
    """What is read in the cells' corners of each clip's sheet."""
    paths = []
    for clip in clips:
        path = folder / f"{clip}.png"
        picture = ARMS[arm](SyntheticClip(shipped_tracks(clip)), fit, 2026).picture
        path.write_bytes(encode_png(picture))
        paths.append(path)
    command = [reader_python(), HERE / "reader.py", *paths]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr[-3000:]
    return [json.loads(line) for line in run.stdout.splitlines()]


def test_1_to_16_are_read_in_order_on_every_numbered_sheet(tmp_path):
    found = read(tmp_path, "numbered", "pad", scripts())
    assert found == [IN_ORDER] * 12


def test_nothing_is_read_on_any_plain_sheet(tmp_path):
    found = read(tmp_path, "plain", "pad", scripts())
    assert found == [[""] * 16] * 12


@pytest.mark.parametrize("arm", ["reversed", "shuffled"])
def test_badges_read_1_to_16_whatever_the_order_of_the_frames(tmp_path, arm):
    assert read(tmp_path, arm, "pad", ONE_OF_EACH) == [IN_ORDER] * 3


@pytest.mark.parametrize(("arm", "expected"), [("numbered", IN_ORDER), ("plain", [""] * 16)])
def test_badges_on_the_frame_itself_are_read_too(tmp_path, arm, expected):
    """Squeezed into its cell, a frame has no bar; the badge lies on its white and its border."""
    assert read(tmp_path, arm, "stretch", ONE_OF_EACH) == [expected] * 3
