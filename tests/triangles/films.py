"""Films as users bring them, made by ffmpeg: whole, cut, turned, of variable rate, and none."""

import subprocess
from pathlib import Path

import imageio_ffmpeg

HEADER = "file,clip,source,condition,script\n"


def ffmpeg(*arguments: str | Path) -> None:
    """Run ffmpeg quietly; its complaints fail the test."""
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-hide_banner", "-loglevel", "error", "-y"]
    subprocess.run([*command, *map(str, arguments)], check=True, stdin=subprocess.DEVNULL)


def film(path: Path, seconds: float = 2, *options: str, size: str = "160x90") -> Path:
    """A moving test picture at 25 frames per second, H.264 with a keyframe every 2 s."""
    source = f"testsrc=size={size}:rate=25:duration={seconds}"
    ffmpeg("-f", "lavfi", "-i", source, "-pix_fmt", "yuv420p", "-g", "50", *options, path)
    return path


def manifest(folder: Path, *lines: str) -> Path:
    """A folder's manifest.csv with these lines under the header."""
    (folder / "manifest.csv").write_text(HEADER + "".join(f"{line}\n" for line in lines))
    return folder
