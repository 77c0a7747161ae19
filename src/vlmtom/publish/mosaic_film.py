"""A film of one trial of the treasure game: the board from above beside what both agents see.

Three frames for each action and a pause for what is said. The views are those of the state after an
action, which are what agents are shown; only the board is drawn in between.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import matplotlib.pyplot as plt
import numpy as np

from vlmtom.mosaic.view import BOX_COLORS, BOX_M, picture
from vlmtom.mosaic.view_people import WEAR
from vlmtom.mosaic.world import (
    BOXES,
    CELL_CM,
    LIMIT,
    ROLES,
    VERBAL_ROUNDS,
    Body,
    PublicState,
    Role,
    start,
)
from vlmtom.publish.mosaic_trial import NAMES, Row, ShownTrial, wrapped
from vlmtom.rendering.vectors import cos_sin
from vlmtom.triangles.film import encode

FPS = 3
FRAMES_AN_ACTION = 3
FRAMES_A_WORD = 9  # an utterance stands still for three seconds
FRAMES_AT_THE_ENDS = 6
BOARD_PX = 480
VIEW_WIDTH, VIEW_HEIGHT = 360, 240  # half the size in which agents are shown them
STRIP_PX = 130
WIDTH, HEIGHT = BOARD_PX + VIEW_WIDTH, BOARD_PX + STRIP_PX
SHIFT = 4  # fractional bits of OpenCV's coordinates

_GROUND, _LINES, _INK = (246, 246, 244), (216, 216, 212), (30, 30, 30)
_STAR = (240, 228, 66)
_CELL = BOARD_PX / (2 * LIMIT + 1)
_TEXT, _NOTE = 8.5, 6.5  # points
_DPI = 100


@dataclass(frozen=True)
class Caption:
    """What stands below the pictures: what happens, and what is said by whom."""

    head: str
    said: str = ""
    speaker: Role | None = None


@dataclass(frozen=True)
class _Scene:
    """A state with its caption; `place` is where the bodies are drawn on the board."""

    state: PublicState
    place: PublicState
    caption: Caption


def film(shown: ShownTrial, notes: Sequence[str] = ()) -> bytes:
    """An mp4 file of a trial (H.264, lossless RGB, 840 x 610 pixels), the same in every run.

    notes: sentences on the run that it is of; without, who played.
    """
    return encode(frames(shown, notes), WIDTH, HEIGHT, FPS)


def frames(shown: ShownTrial, notes: Sequence[str] = ()) -> Iterator[np.ndarray]:
    """The film's frames, (610, 840, 3) uint8 RGB each."""
    board = _board(int(shown.trial["reward"]))
    arm = str(shown.trial["arm"])
    note = _note(shown, notes)
    held: dict[PublicState, np.ndarray] = {}
    for scene in _scenes(shown):
        if scene.state not in held:
            held = {scene.state: _views(scene.state, arm)}
        frame = np.empty((HEIGHT, WIDTH, 3), np.uint8)
        frame[:BOARD_PX, :BOARD_PX] = _with_people(board, scene.place)
        frame[:BOARD_PX, BOARD_PX:] = held[scene.state]
        frame[BOARD_PX:] = _strip(scene.caption, note)
        yield frame


def _scenes(shown: ShownTrial) -> Iterator[_Scene]:
    label, state = shown.condition.label, start()
    opening = Caption(f"{label}, trial {shown.trial['trial']}: the start")
    yield from [_Scene(state, state, opening)] * FRAMES_AT_THE_ENDS
    acts = {(int(s["round"]), str(s["role"])): s for s in shown.steps}
    for round_ in range(1, max(r for r, _ in acts) + 1):
        for role in ROLES:
            row = acts.get((round_, role))
            if row is None:  # lost before this action
                return
            before, body = state.body(role), _body(row)
            state = state.with_body(role, body)
            caption = Caption(f"Round {round_}: {_action(role, row)}")
            for i in range(1, FRAMES_AN_ACTION + 1):
                between = _between(before, body, i / FRAMES_AN_ACTION)
                yield _Scene(state, state.with_body(role, between), caption)
        for speaker, what in (("participant", "asks"), ("subject", "answers")):
            said = shown.said(round_, speaker) if round_ in VERBAL_ROUNDS else None
            if said is not None:
                words = Caption(f"Round {round_}: {NAMES[speaker]} {what}", said, speaker)
                yield from [_Scene(state, state, words)] * FRAMES_A_WORD
    yield from [_Scene(state, state, Caption("The end", shown.ending))] * FRAMES_AT_THE_ENDS


def _body(row: Row) -> Body:
    heading = (float(row["hx"]), float(row["hy"]))
    valences = float(row["facial"]), float(row["physiological"])
    return Body((int(row["x"]), int(row["y"])), heading, *valences)


def _action(role: Role, row: Row) -> str:
    name = NAMES[role]
    if row["unreadable"]:
        return f"{name} stays, as no reply could be read"
    if row["blocked"]:
        return f"{name} cannot move {row['direction']}"
    if row["action"] == "move":
        return f"{name} moves {row['direction']}"
    if row["action"] == "rotate":
        other = "the participant" if role == "subject" else "Marie"
        target = other if row["direction"] == "other" else f"the {row['direction']} box"
        return f"{name} turns to {target}"
    return f"{name} stays"


def _between(before: Body, after: Body, share: float) -> Body:
    """A body on its way: its cell and heading a share of the way, by the shorter turn."""
    cell = tuple(a + (b - a) * share for a, b in zip(before.cell, after.cell, strict=True))
    first, last = (math.atan2(body.heading[1], body.heading[0]) for body in (before, after))
    turn = math.remainder(last - first, 2 * math.pi)
    return replace(after, cell=cell, heading=cos_sin(first + turn * share))


def _views(state: PublicState, arm: str) -> np.ndarray:
    """What Marie sees above what the participant sees, (480, 360, 3); grey where nothing is."""
    pictures = []
    for role in ROLES:
        seen = picture(state, role, "blank" if arm == "none" else arm)
        wide = seen.reshape(VIEW_HEIGHT, 2, VIEW_WIDTH, 2, 3).astype(np.uint16)
        small = (wide[:, 0, :, 0] + wide[:, 0, :, 1] + wide[:, 1, :, 0] + wide[:, 1, :, 1] + 2) // 4
        small = small.astype(np.uint8)
        # A frame in the colour of whose view it is.
        small[:3], small[-3:], small[:, :3], small[:, -3:] = (WEAR[role].top,) * 4
        pictures.append(small)
    return np.concatenate(pictures)


def _px(x: float, y: float) -> tuple[int, int]:
    """A place on the board (cells) in OpenCV's fixed-point pixels."""
    half = LIMIT + 0.5
    return (
        math.floor((x + half) * _CELL * 2**SHIFT + 0.5),
        math.floor((half - y) * _CELL * 2**SHIFT + 0.5),
    )


def _board(reward: int) -> np.ndarray:
    rgb = np.full((BOARD_PX, BOARD_PX, 3), _GROUND, np.uint8)
    for i in range(2 * LIMIT + 2):
        at = i - LIMIT - 0.5
        for a, b in (((at, -LIMIT - 0.5), (at, LIMIT + 0.5)), ((-LIMIT - 0.5, at), (5.5, at))):
            cv2.line(rgb, _px(*a), _px(*b), _LINES, 1, cv2.LINE_AA, SHIFT)
    half = BOX_M * 100 / CELL_CM / 2
    for (x, y), color in zip(BOXES, BOX_COLORS, strict=True):
        corners = [(x - half, y - half), (x + half, y - half)]
        corners += [(x + half, y + half), (x - half, y + half)]
        _fill(rgb, corners, color)
    x, y = BOXES[reward]
    star = []
    for i in range(10):
        c, s = cos_sin(math.pi / 2 + i * math.pi / 5)
        radius = 0.26 if i % 2 == 0 else 0.11
        star.append((x + radius * c, y + radius * s))
    _fill(rgb, star, _STAR)
    return rgb


def _fill(rgb: np.ndarray, corners: list[tuple[float, float]], color: tuple[int, ...]) -> None:
    points = [np.array([_px(*corner) for corner in corners], np.int32)]
    cv2.fillPoly(rgb, points, color, cv2.LINE_AA, SHIFT)
    cv2.polylines(rgb, points, True, _INK, 1, cv2.LINE_AA, SHIFT)


def _with_people(board: np.ndarray, state: PublicState) -> np.ndarray:
    rgb = board.copy()
    for role in ROLES:
        body = state.body(role)
        (x, y), (hx, hy) = body.cell, body.heading
        color = WEAR[role].top
        nose = [(x + 0.52 * hx, y + 0.52 * hy)]
        nose += [(x + 0.1 * hx + s * 0.24 * hy, y + 0.1 * hy - s * 0.24 * hx) for s in (1, -1)]
        _fill(rgb, nose, color)
        radius = math.floor(0.3 * _CELL * 2**SHIFT + 0.5)
        cv2.circle(rgb, _px(x, y), radius, color, -1, cv2.LINE_AA, SHIFT)
        cv2.circle(rgb, _px(x, y), radius, _INK, 1, cv2.LINE_AA, SHIFT)
        mouth = np.array([_px(*at) for at in _mouth(x, y, body.facial)], np.int32)
        cv2.polylines(rgb, [mouth], False, (255, 255, 255), 2, cv2.LINE_AA, SHIFT)
    return rgb


def _mouth(x: float, y: float, valence: float) -> list[tuple[float, float]]:
    """A smile or a frown on a body seen from above, always upright; points in cells."""
    across = [i / 4 - 1 for i in range(9)]
    return [(x + 0.17 * t, y + 0.2 * valence * (t * t - 0.5)) for t in across]


def _note(shown: ShownTrial, notes: Sequence[str]) -> str:
    hidden = ["Nobody is shown a picture in this arm."] if shown.trial["arm"] == "none" else []
    return " ".join([f"{shown.title}.", *hidden, *(notes or shown.notes)])


@lru_cache(maxsize=4)
def _strip(caption: Caption, note: str) -> np.ndarray:
    """The caption as pixels, (130, 840, 3) uint8."""
    figure = plt.figure(figsize=(WIDTH / _DPI, STRIP_PX / _DPI), dpi=_DPI)
    try:
        # Letters on whole pixels take a little more room than their font says.
        wide = (WIDTH - 24) * 72 / _DPI * 0.94
        how = {"parse_math": False, "va": "top", "linespacing": 1.25}
        figure.text(12 / WIDTH, 0.93, caption.head, fontsize=_TEXT + 1, weight="bold", **how)
        color = "black" if caption.speaker is None else _hex(caption.speaker)
        lines = wrapped(caption.said, wide, _TEXT, 3)
        figure.text(12 / WIDTH, 0.74, "\n".join(lines), fontsize=_TEXT, color=color, **how)
        foot = wrapped(note, wide, _NOTE, 2)
        who = "Blue frame: what Marie sees; orange frame: what the participant sees."
        text = "\n".join([who, *foot])
        figure.text(
            12 / WIDTH, 0.03, text, fontsize=_NOTE, color="#555555", **how | {"va": "bottom"}
        )
        figure.canvas.draw()
        return np.asarray(figure.canvas.buffer_rgba())[..., :3].copy()
    finally:
        plt.close(figure)


def _hex(role: Role) -> str:
    return "#" + "".join(f"{channel:02x}" for channel in WEAR[role].top)
