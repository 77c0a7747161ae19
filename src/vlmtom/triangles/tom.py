"""The four mental-state clips: turns that are taken, answered, and held.

A story is six exchanges. In each, one triangle moves, the other answers within a second, and both
then rest while they look; that rest is the beat, long enough to show in sixteen frames.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from vlmtom.triangles.motion import (
    MOVING,
    along,
    angles,
    arc_lengths,
    course,
    minimum_jerk,
    turned,
    velocity,
)
from vlmtom.triangles.stage import DURATION_S, FRAMES, TIMES, Beat, Motion, Point, Who

HOLD_S = 1.36  # shortest beat: a little more than the 1.3 s between sampled frames
JITTER = 0.22  # units by which a place differs from seed to seed

Look = Literal["other", "away", "ahead"] | Point


@dataclass(frozen=True)
class Act:
    """One move. to: via points and the end; looks: where to, once there."""

    to: tuple[Point, ...]
    looks: Look = "other"
    backs: bool = False  # keeps its eyes on the other while it moves
    sways: float = 0.0  # zigzag across the way, units
    wags: float = 0.0  # turning to and fro once there, degrees


@dataclass(frozen=True)
class Exchange:
    """A move and its answer. first: who moves first."""

    beat: str
    first: Who
    big: Act
    small: Act


@dataclass(frozen=True)
class Story:
    """Where both stand and look at the start, and what follows."""

    big: Point
    small: Point
    exchanges: tuple[Exchange, ...]
    big_looks: Look = "other"
    small_looks: Look = "other"


@dataclass(frozen=True)
class _Move:
    start_s: float
    end_s: float
    line: np.ndarray
    act: Act


def _coaxing() -> Story:
    return Story(
        big=(10.6, 3.9),
        small=(13.6, 6.1),
        small_looks="away",
        exchanges=(
            Exchange(
                "big nudges small, which shrinks into the corner",
                "big",
                Act(((12.0, 5.2),)),
                Act(((13.7, 6.8),), "away"),
            ),
            Exchange(
                "big waits outside the door, small has turned to look",
                "big",
                Act(((9.6, 4.5), (6.5, 4.5)), wags=22),
                Act(((11.9, 5.6),)),
            ),
            Exchange(
                "small peeks from the door",
                "small",
                Act(((5.7, 4.2),), backs=True, wags=22),
                Act(((9.3, 4.6),)),
            ),
            Exchange(
                "small has shrunk back, big looks in at the door",
                "small",
                Act(((7.2, 4.4),)),
                Act(((11.6, 5.9),), backs=True),
            ),
            Exchange(
                "big has withdrawn again, small stands in the doorway",
                "big",
                Act(((4.6, 3.9),), backs=True, wags=22),
                Act(((8.5, 4.5),)),
            ),
            Exchange(
                "small is outside, both together",
                "small",
                Act(((2.6, 3.0),), wags=14),
                Act(((4.9, 4.3),), sways=0.25, wags=25),
            ),
        ),
    )


def _mocking() -> Story:
    def walk(big: Point, small: Point) -> Exchange:
        return Exchange(
            "small copies big behind its back",
            "big",
            Act((big,), "ahead"),
            Act((small,), sways=0.55, wags=32),
        )

    def turn(big: Point, small: Point) -> Exchange:
        return Exchange(
            "big has turned round, small looks elsewhere",
            "big",
            Act((big,)),
            Act((small,), "away", backs=True),
        )

    return Story(
        big=(3.9, 6.9),
        small=(1.7, 7.0),
        big_looks=(12.0, 6.9),
        exchanges=(
            walk((6.2, 6.7), (4.0, 7.0)),
            turn((5.6, 6.2), (1.9, 6.9)),
            walk((6.3, 3.0), (5.8, 5.2)),
            turn((5.8, 3.6), (3.6, 6.9)),
            walk((2.9, 1.7), (5.1, 2.2)),
            turn((3.4, 2.2), (6.6, 4.3)),
        ),
    )


def _seducing() -> Story:
    return Story(
        big=(7.0, 4.5),
        small=(13.3, 6.0),
        exchanges=(
            Exchange(
                "big blocks the door before small",
                "small",
                Act(((8.7, 4.5),)),
                Act(((11.3, 4.7),)),
            ),
            Exchange(
                "small has drawn back and turned away, big keeps the door",
                "small",
                Act(((9.3, 4.5),)),
                Act(((13.5, 5.9),), "away"),
            ),
            Exchange(
                "small sways close to big, big leans in",
                "small",
                Act(((10.2, 4.5),)),
                Act(((12.4, 3.0),), sways=0.35, wags=38),
            ),
            Exchange(
                "small draws big away from the door",
                "small",
                Act(((11.7, 3.0),)),
                Act(((13.9, 3.9),), backs=True, sways=0.3, wags=38),
            ),
            Exchange(
                "small has circled round big, which is deep inside",
                "small",
                Act(((13.6, 3.4),)),
                Act(((13.4, 5.9), (10.9, 6.1)), sways=0.2, wags=38),
            ),
            Exchange(
                "small is out, big is left inside",
                "small",
                Act(((11.0, 4.3),)),
                Act(((8.6, 4.6), (5.0, 4.1)), "away"),
            ),
        ),
    )


def _surprising() -> Story:
    return Story(
        big=(12.2, 3.2),
        small=(4.2, 5.0),
        big_looks=(20.0, 4.0),
        exchanges=(
            Exchange(
                "small is at the door, big has heard it",
                "small",
                Act(((11.0, 4.0),)),
                Act(((7.5, 4.7),)),
            ),
            Exchange(
                "small hides beside the door, big looks out",
                "small",
                Act(((8.5, 4.5),), (0.0, 4.5)),
                Act(((6.6, 5.9), (7.3, 7.3)), (8.0, 4.5)),
            ),
            Exchange(
                "big is back inside, small is at the door again",
                "big",
                Act(((11.6, 5.0),), "away"),
                Act(((6.7, 6.0), (7.4, 4.6))),
            ),
            Exchange(
                "small hides on the other side, big has come out",
                "small",
                Act(((9.2, 4.6), (6.6, 5.1)), (0.0, 5.8)),
                Act(((6.5, 3.1), (7.3, 1.7)), (6.5, 5.0)),
            ),
            Exchange(
                "small has popped up, big has jumped back",
                "small",
                Act(((3.0, 6.6),), backs=True),
                Act(((5.6, 3.4),), wags=30),
            ),
            Exchange(
                "both together again",
                "big",
                Act(((3.4, 5.7),)),
                Act(((4.8, 3.9),), wags=30),
            ),
        ),
    )


STORIES: dict[str, Callable[[], Story]] = {
    "coaxing": _coaxing,
    "mocking": _mocking,
    "seducing": _seducing,
    "surprising": _surprising,
}


def perform(clip: str, rng: np.random.Generator) -> Motion:
    """A story with places and timing of its own."""
    story = STORIES[clip]()
    place: dict[Who, Point] = {
        "big": _near(story.big, rng),
        "small": _near(story.small, rng),
    }
    lines: list[dict[Who, np.ndarray]] = []
    for exchange in story.exchanges:
        drawn: dict[Who, np.ndarray] = {}
        for who, act in (("big", exchange.big), ("small", exchange.small)):
            ends = [*act.to[:-1], _near(act.to[-1], rng)]
            drawn[who] = course([place[who], *ends])
            place[who] = ends[-1]
        lines.append(drawn)
    moves, beats = _timed(story, lines, rng)
    big, small = _positions(moves["big"]), _positions(moves["small"])
    return Motion(
        big,
        small,
        _heading(big, small, moves["big"], story.big_looks),
        _heading(small, big, moves["small"], story.small_looks),
        beats,
    )


def _near(point: Point, rng: np.random.Generator) -> Point:
    dx, dy = rng.uniform(-JITTER, JITTER, 2)
    return point[0] + dx, point[1] + dy


def _timed(
    story: Story, lines: list[dict[Who, np.ndarray]], rng: np.random.Generator
) -> tuple[dict[Who, list[_Move]], tuple[Beat, ...]]:
    """When each move starts and ends, so that every beat is held."""
    spans = []
    for exchange, drawn in zip(story.exchanges, lines, strict=True):
        lengths = {who: float(arc_lengths(line)[-1]) for who, line in drawn.items()}
        take = {who: float(np.clip(0.62 + 0.15 * n, 0.75, 1.5)) for who, n in lengths.items()}
        answer: Who = "small" if exchange.first == "big" else "big"
        lag = float(rng.uniform(0.62, 0.8))
        spans.append((exchange.first, answer, take, lag))
    active = [max(t[first], lag + t[answer]) for first, answer, t, lag in spans]
    opening = float(rng.uniform(0.55, 0.75))
    spare = DURATION_S - opening - sum(active) - HOLD_S * len(spans)
    # Moves are sped up where the story would not fit; what is left over lengthens the beats.
    scale = 1.0 if spare >= 0 else 1 + spare / sum(active)
    shares = rng.uniform(0.5, 1.5, len(spans))
    extra = max(0.0, spare) * shares / shares.sum()
    moves: dict[Who, list[_Move]] = {"big": [], "small": []}
    beats, now = [], opening
    for exchange, drawn, span, lasts, more in zip(
        story.exchanges, lines, spans, active, extra, strict=True
    ):
        first, answer, take, lag = span
        for who, begins in ((first, now), (answer, now + lag * scale)):
            act = exchange.big if who == "big" else exchange.small
            moves[who].append(_Move(begins, begins + take[who] * scale, drawn[who], act))
        now += lasts * scale
        beats.append(Beat(exchange.beat, now, now + HOLD_S + more))
        now = beats[-1].end_s
    return moves, tuple(beats)


def _positions(moves: list[_Move]) -> np.ndarray:
    out = np.repeat(moves[0].line[:1], FRAMES, axis=0)
    for move in moves:
        after = move.start_s <= TIMES
        u = minimum_jerk((TIMES[after] - move.start_s) / (move.end_s - move.start_s))
        at = along(move.line, u * arc_lengths(move.line)[-1])
        if move.act.sways:
            ahead = move.line[-1] - move.line[0]
            across = np.array([-ahead[1], ahead[0]]) / max(float(np.hypot(*ahead)), 1e-9)
            wave = move.act.sways * np.sin(4 * np.pi * u) * (1 - (2 * u - 1) ** 2)
            at = at + wave[:, None] * across
        out[after] = at
    return out


def _heading(own: np.ndarray, other: np.ndarray, moves: list[_Move], at_first: Look) -> np.ndarray:
    speed = np.hypot(*velocity(own).T)
    travel = angles(velocity(own))
    target = _look(at_first, own, other, travel)
    wag = np.zeros(FRAMES)
    ends = [move.start_s for move in moves[1:]] + [DURATION_S + 1]
    for move, until in zip(moves, ends, strict=True):
        now = (move.start_s <= TIMES) & (until > TIMES)
        arrived = float(angles((move.line[-1] - move.line[-2])[None])[0])
        looks = _look(move.act.looks, own, other, np.full(FRAMES, arrived))
        going = (speed > MOVING) & (move.end_s > TIMES) & (not move.act.backs)
        if move.act.backs:
            watching = (move.end_s - 0.3) > TIMES
            looks = np.where(watching, angles(other - own), looks)
        target = np.where(now, np.where(going, travel, looks), target)
        rest = now & (move.end_s < TIMES)
        since = TIMES[rest] - move.end_s
        wag[rest] = np.radians(move.act.wags) * np.sin(2 * np.pi * 0.9 * since)
    return turned(target + wag)


def _look(look: Look, own: np.ndarray, other: np.ndarray, ahead: np.ndarray) -> np.ndarray:
    if look == "ahead":
        return ahead
    if look == "other":
        return angles(other - own)
    if look == "away":
        return angles(own - other)
    return angles(np.asarray(look) - own)
