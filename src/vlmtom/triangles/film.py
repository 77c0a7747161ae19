"""A clip as an mp4 file for people: lossless RGB, the same bytes in every run.

Testers are shown sheets made from the drawn frames, so no codec is between a clip and its picture.
"""

import contextlib
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

import imageio_ffmpeg
import numpy as np


class FilmError(RuntimeError):
    """The encoder did not write a clip."""


def encode(frames: Iterable[np.ndarray], width: int, height: int, fps: int) -> bytes:
    """An mp4 file (H.264, RGB, lossless) of (height, width, 3) uint8 RGB frames.

    Raises FilmError for an odd size (H.264 has none; nothing is rescaled in silence) and with the
    encoder's own words if it complains of anything.
    """
    if width % 2 or height % 2:
        raise FilmError(f"a film of {width}x{height} pixels: H.264 needs an even width and height")
    with tempfile.TemporaryDirectory() as folder:
        path, said = Path(folder) / "film.mp4", Path(folder) / "stderr"
        with said.open("wb") as errors:
            process = subprocess.Popen(
                _command(path, width, height, fps), stdin=subprocess.PIPE, stderr=errors
            )
            count = _feed(process, frames, (height, width, 3))
        message = said.read_text(errors="replace").strip()
        if process.returncode or message or not path.exists() or not path.stat().st_size:
            raise FilmError(
                f"ffmpeg ended with {process.returncode} after {count} frames: "
                f"{message or 'it wrote nothing'}"
            )
        return path.read_bytes()


def _feed(
    process: subprocess.Popen[bytes], frames: Iterable[np.ndarray], shape: tuple[int, int, int]
) -> int:
    count = 0
    try:
        for frame in frames:
            if frame.shape != shape or frame.dtype != np.uint8:
                raise FilmError(f"frame {count} is {frame.shape} {frame.dtype}, not {shape} uint8")
            process.stdin.write(np.ascontiguousarray(frame).data)
            count += 1
    except BrokenPipeError:
        pass  # ffmpeg has ended; its own words say why
    finally:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        process.wait()
    return count


def _command(path: Path, width: int, height: int, fps: int) -> list[str]:
    # One thread and no metadata, or the bytes differ between machines and runs.
    return [
        imageio_ffmpeg.get_ffmpeg_exe(),
        *("-hide_banner", "-loglevel", "warning", "-nostdin", "-y"),
        *("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", str(fps)),
        *("-i", "pipe:0", "-an", "-fps_mode", "passthrough"),
        *("-c:v", "libx264rgb", "-preset", "superfast", "-crf", "0", "-pix_fmt", "rgb24"),
        *("-threads", "1", "-x264-params", "threads=1:lookahead-threads=1"),
        *("-fflags", "+bitexact", "-flags:v", "+bitexact", "-map_metadata", "-1"),
        *("-movflags", "+faststart", str(path)),
    ]
