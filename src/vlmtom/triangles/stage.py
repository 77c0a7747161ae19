"""Where the two triangles move: the stage, its enclosure with a door, and tracks on a fixed grid.

A unit is a sixteenth of the frame's width; y grows downwards. A track is quantised to whole
quanta, because sines differ in the last bit between machines and pictures must not.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

FPS = 25
FRAMES = 488  # 19.5 s
DURATION_S = 19.5
DT = 1 / FPS
TIMES = np.arange(FRAMES) / FPS

WIDTH, HEIGHT = 16.0, 9.0
QUANTA = 1280  # per unit: a sixteenth of a pixel of a frame 1280 pixels wide
TURN = 3600  # heading quanta in a full turn: tenths of a degree

BIG_RADIUS, SMALL_RADIUS = 0.9, 0.58  # circumradii

Who = Literal["big", "small"]
Side = Literal["left", "right"]
Point = tuple[float, float]
Rectangle = tuple[float, float, float, float]  # x0, y0, x1, y1

ENCLOSURE: Rectangle = (8.4, 0.8, 15.4, 8.2)  # with its door on the left
DOOR: tuple[float, float] = (3.3, 5.7)  # the gap, from y to y
OUTSIDE: Rectangle = (1.15, 1.15, 7.25, 7.85)  # centres keep clear of walls and frame
INSIDE: Rectangle = (9.55, 1.95, 14.25, 7.05)


@dataclass(frozen=True)
class Beat:
    """A moment of the story that stands still long enough to be seen in sixteen frames."""

    name: str
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Track:
    """One triangle, frame by frame: whole quanta, headings clockwise from the right."""

    x: np.ndarray
    y: np.ndarray
    heading: np.ndarray

    @property
    def position(self) -> np.ndarray:
        """(frames, 2) in frame widths."""
        return np.stack([self.x, self.y], axis=1) / (WIDTH * QUANTA)

    @property
    def radians(self) -> np.ndarray:
        """(frames,) headings in radians, clockwise on the screen."""
        return self.heading * (2 * np.pi / TURN)


@dataclass(frozen=True)
class Tracks:
    """A clip's motion: both triangles, the side of the enclosure's door, and the beats."""

    clip: str
    door: Side
    big: Track
    small: Track
    beats: tuple[Beat, ...] = ()

    @property
    def both(self) -> Mapping[Who, Track]:
        """The two tracks by name."""
        return {"big": self.big, "small": self.small}


@dataclass(frozen=True)
class Motion:
    """A clip before it is mirrored and quantised: the door on the left, floats in units."""

    big: np.ndarray  # (frames, 2)
    small: np.ndarray
    big_heading: np.ndarray  # (frames,) radians
    small_heading: np.ndarray
    beats: tuple[Beat, ...] = ()


def quantised(clip: str, motion: Motion, flip_x: bool, flip_y: bool) -> Tracks:
    """A motion, mirrored or not, on the grid of tracks."""
    return Tracks(
        clip,
        "right" if flip_x else "left",
        _track(motion.big, motion.big_heading, flip_x, flip_y),
        _track(motion.small, motion.small_heading, flip_x, flip_y),
        motion.beats,
    )


def enclosure(door: Side) -> Rectangle:
    """The enclosure's walls, mirrored with the door's side."""
    x0, y0, x1, y1 = ENCLOSURE
    return ENCLOSURE if door == "left" else (WIDTH - x1, y0, WIDTH - x0, y1)


def crossings(tracks: Tracks) -> int:
    """How often a centre passes from inside to outside, or back, elsewhere than by the door."""
    x0, y0, x1, y1 = enclosure(tracks.door)
    door_x = x0 if tracks.door == "left" else x1
    wrong = 0
    for track in tracks.both.values():
        x, y = track.x / QUANTA, track.y / QUANTA
        inside = (x > x0) & (x < x1) & (y > y0) & (y < y1)
        at = np.flatnonzero(inside[1:] != inside[:-1])
        # The whole body has to pass the gap, so its centre stays clear of the posts.
        by_door = (np.abs(x[at] - door_x) < 0.4) & (y[at] > DOOR[0] + 0.4) & (y[at] < DOOR[1] - 0.4)
        wrong += int((~by_door).sum())
    return wrong


def touches_wall(tracks: Tracks) -> bool:
    """Whether a centre comes nearer to a wall or the frame than its body allows."""
    x0, y0, x1, y1 = enclosure(tracks.door)
    door_x, far_x = (x0, x1) if tracks.door == "left" else (x1, x0)
    for track, room in ((tracks.big, 0.75), (tracks.small, 0.5)):
        x, y = track.x / QUANTA, track.y / QUANTA
        in_gap = (y > DOOR[0] + room - 0.2) & (y < DOOR[1] - room + 0.2)
        at_door = (np.abs(x - door_x) < room) & ~in_gap
        at_rest = (np.abs(x - far_x) < room) & (y > y0 - room) & (y < y1 + room)
        between = (x > x0 - room) & (x < x1 + room)
        at_side = between & ((np.abs(y - y0) < room) | (np.abs(y - y1) < room))
        frame = (x < room) | (x > WIDTH - room) | (y < room) | (y > HEIGHT - room)
        if (at_door | at_rest | at_side | frame).any():
            return True
    return False


def _track(points: np.ndarray, heading: np.ndarray, flip_x: bool, flip_y: bool) -> Track:
    x = WIDTH - points[:, 0] if flip_x else points[:, 0]
    y = HEIGHT - points[:, 1] if flip_y else points[:, 1]
    turned = np.pi - heading if flip_x else heading
    turned = -turned if flip_y else turned
    return Track(
        np.floor(x * QUANTA + 0.5).astype(np.int64),
        np.floor(y * QUANTA + 0.5).astype(np.int64),
        np.floor(turned * TURN / (2 * np.pi) + 0.5).astype(np.int64) % TURN,
    )
