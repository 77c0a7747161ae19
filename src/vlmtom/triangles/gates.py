"""What every synthetic clip must satisfy, by condition; a draw that does not is drawn again.

The gates hold of all frames (kinematics) and of the sixteen that are shown (sampled), so that the
three conditions differ in how the triangles move and in nothing simpler. See docs/triangles.md.
"""

from dataclasses import dataclass

import numpy as np

from vlmtom.triangles.kinematics import EVENTS, Kinematics, Sampled, kinematics, sampled
from vlmtom.triangles.stage import Tracks, crossings, touches_wall


@dataclass(frozen=True)
class Gates:
    """Thresholds; lengths in frame widths."""

    distance: tuple[float, float] = (0.165, 0.26)  # of the mean distance, in every condition
    distance_min: float = 0.08  # fighting comes to contact and is excepted
    beat_s: float = 1.3
    tom_pause: float = 0.2  # of each triangle
    tom_answered: float = 0.5
    tom_rest: float = 0.5  # of the fifteen steps
    tom_turns: float = 0.25  # of the fifteen steps, exactly one rests
    gd_pause: float = 0.05
    gd_correlation: float = 0.6  # chasing and leading
    gd_coupling: float = 0.5  # magnitude, in the samples
    gd_rest: float = 0.07
    random_speed_cv: float = 0.2
    random_pause: float = 0.03
    random_correlation: float = 0.4  # magnitude
    random_coupling: float = 0.35  # magnitude, in the samples
    random_rest: float = 0.07
    random_facing: float = 0.13


GATES = Gates()
FACE_TO_FACE = ("dancing", "fighting")  # coupled by opposite moves; no lag to look for
CONTACT = ("fighting",)


def problems(tracks: Tracks, condition: str) -> list[str]:
    """What keeps a clip from being shown; empty if nothing."""
    found = _of_the_stage(tracks)
    if found:
        return found
    all_frames, samples = kinematics(tracks), sampled(tracks)
    by_condition = {"ToM": _mental, "GD": _goal_directed, "Random": _random}
    return by_condition[condition](tracks, all_frames, samples)


def _of_the_stage(tracks: Tracks) -> list[str]:
    distance = np.hypot(*(tracks.small.position - tracks.big.position).T)
    low, high = GATES.distance
    found = []
    if not low <= distance.mean() <= high:
        found.append(f"the mean distance is {distance.mean():.3f} frame widths")
    if tracks.clip not in CONTACT and distance.min() < GATES.distance_min:
        found.append(f"the triangles come as near as {distance.min():.3f} frame widths")
    if found:
        return found  # cheap, and what most draws fail
    if crossings(tracks):
        found.append("a triangle goes through a wall")
    if touches_wall(tracks):
        found.append("a triangle overlaps a wall or the frame")
    if any(b.end_s - b.start_s < GATES.beat_s for b in tracks.beats):
        found.append(f"a beat is held for less than {GATES.beat_s} s")
    return found


def _mental(tracks: Tracks, k: Kinematics, s: Sampled) -> list[str]:
    return [
        *_unless(min(k.big_pause, k.small_pause) > GATES.tom_pause, "pauses", k),
        *_unless(k.events >= EVENTS, "starts and stops", k),
        *_unless((k.answered or 0) > GATES.tom_answered, "answered starts and stops", k),
        *_unless(s.rest >= GATES.tom_rest, "rest in the samples", s),
        *_unless(s.turns >= GATES.tom_turns, "turns in the samples", s),
    ]


def _goal_directed(tracks: Tracks, k: Kinematics, s: Sampled) -> list[str]:
    coupled = tracks.clip in FACE_TO_FACE or k.velocity_correlation > GATES.gd_correlation
    return [
        *_unless(max(k.big_pause, k.small_pause) <= GATES.gd_pause, "pauses", k),
        *_unless(coupled, "velocity correlation", k),
        *_unless(abs(s.coupling) >= GATES.gd_coupling, "coupling in the samples", s),
        *_unless(s.rest <= GATES.gd_rest, "rest in the samples", s),
    ]


def _random(tracks: Tracks, k: Kinematics, s: Sampled) -> list[str]:
    even = max(k.big_speed_cv, k.small_speed_cv) < GATES.random_speed_cv
    free = abs(k.velocity_correlation) < GATES.random_correlation
    return [
        *_unless(even, "variation of speed", k),
        *_unless(max(k.big_pause, k.small_pause) <= GATES.random_pause, "pauses", k),
        *_unless(free, "velocity correlation", k),
        *_unless(abs(s.coupling) <= GATES.random_coupling, "coupling in the samples", s),
        *_unless(s.rest <= GATES.random_rest, "rest in the samples", s),
        *_unless(s.facing <= GATES.random_facing, "mutual facing", s),
    ]


def _unless(holds: bool, what: str, measured: Kinematics | Sampled) -> list[str]:
    return [] if holds else [f"{what}: {measured}"]
