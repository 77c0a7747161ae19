"""How the two triangles of a clip move, as numbers: frame by frame, and in the sixteen samples.

Lengths are in frame widths. Velocities are of positions smoothed over 0.06 s (Gaussian), so that
the grid of the tracks does not show in them.
"""

from dataclasses import dataclass

import numpy as np

from vlmtom.triangles.sampling import sample_indices
from vlmtom.triangles.stage import DT, FPS, FRAMES, Tracks

MOVING = 0.02  # frame widths per second: slower is at rest
MOVED = 0.02  # frame widths between two samples: less is at rest
LAG_S = 1.5  # the other's velocity is looked for up to this much earlier or later
ANSWER_S = 1.0
EVENTS = 20  # below this many starts and stops a share answered means nothing
FACES = np.cos(np.radians(40))


@dataclass(frozen=True)
class Kinematics:
    """A clip's motion over all frames; the columns of KINEMATICS."""

    big_speed: float
    small_speed: float
    big_speed_cv: float
    small_speed_cv: float
    big_pause: float
    small_pause: float
    jerk: float
    distance_mean: float
    distance_sd: float
    distance_min: float
    velocity_correlation: float
    velocity_lag_s: float
    events: int
    answered: float | None


@dataclass(frozen=True)
class Sampled:
    """What sixteen frames show of a clip.

    rest: share of the fifteen steps in which either triangle rests. both_move: share in which
    both move. turns: share in which exactly one rests. coupling: correlation of the two
    displacements, of largest magnitude over lags of -1, 0 and 1 steps. facing: share of the
    frames in which each looks at the other. watched: share in which at least one does.
    """

    rest: float
    both_move: float
    turns: float
    coupling: float
    facing: float
    watched: float
    distance_mean: float


def kinematics(tracks: Tracks) -> Kinematics:
    """The motion of a clip over all frames."""
    big, small = tracks.big.position, tracks.small.position
    v_big, v_small = _velocity(big), _velocity(small)
    s_big, s_small = np.hypot(*v_big.T), np.hypot(*v_small.T)
    distance = np.hypot(*(small - big).T)
    correlation, lag = _best_correlation(v_big, v_small)
    e_big, e_small = _starts_and_stops(s_big), _starts_and_stops(s_small)
    events = len(e_big) + len(e_small)
    return Kinematics(
        big_speed=_mean_moving(s_big),
        small_speed=_mean_moving(s_small),
        big_speed_cv=_cv_moving(s_big),
        small_speed_cv=_cv_moving(s_small),
        big_pause=float((s_big <= MOVING).mean()),
        small_pause=float((s_small <= MOVING).mean()),
        jerk=float((_jerk(v_big).mean() + _jerk(v_small).mean()) / 2),
        distance_mean=float(distance.mean()),
        distance_sd=float(distance.std()),
        distance_min=float(distance.min()),
        velocity_correlation=correlation,
        velocity_lag_s=lag,
        events=events,
        answered=_answered(e_big, e_small) if events >= EVENTS else None,
    )


def sampled(tracks: Tracks) -> Sampled:
    """The motion of a clip as its sixteen frames show it."""
    at = sample_indices(FRAMES)
    big, small = tracks.big.position[at], tracks.small.position[at]
    d_big, d_small = np.diff(big, axis=0), np.diff(small, axis=0)
    still_big, still_small = np.hypot(*d_big.T) < MOVED, np.hypot(*d_small.T) < MOVED
    faces_small = _faces(big, tracks.big.radians[at], small)
    faces_big = _faces(small, tracks.small.radians[at], big)
    couplings = [
        _correlation(d_big, d_small),
        _correlation(d_big[1:], d_small[:-1]),
        _correlation(d_big[:-1], d_small[1:]),
    ]
    return Sampled(
        rest=float((still_big | still_small).mean()),
        both_move=float((~still_big & ~still_small).mean()),
        turns=float((still_big ^ still_small).mean()),
        coupling=max(couplings, key=abs),
        facing=float((faces_small & faces_big).mean()),
        watched=float((faces_small | faces_big).mean()),
        distance_mean=float(np.hypot(*(small - big).T).mean()),
    )


def _velocity(points: np.ndarray) -> np.ndarray:
    offsets = np.arange(-6, 7)
    kernel = np.exp(-0.5 * (offsets * DT / 0.06) ** 2)
    kernel /= kernel.sum()
    # Continued as it began and ended: a repeated edge would look like a start and a stop.
    padded = np.pad(points, ((6, 6), (0, 0)), mode="reflect", reflect_type="odd")
    smooth = np.stack([np.convolve(padded[:, k], kernel, mode="valid") for k in (0, 1)], axis=1)
    return np.gradient(smooth, DT, axis=0)


def _jerk(v: np.ndarray) -> np.ndarray:
    return np.hypot(*np.gradient(np.gradient(v, DT, axis=0), DT, axis=0).T)


def _mean_moving(speed: np.ndarray) -> float:
    return float(speed[speed > MOVING].mean())


def _cv_moving(speed: np.ndarray) -> float:
    moving = speed[speed > MOVING]
    return float(moving.std() / moving.mean())


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Cosine of two series of vectors (no centring: a common drift is a coupling).

    0 where one never moves: it shares no movement with the other.
    """
    size = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return float((a * b).sum()) / size if size else 0.0


def _best_correlation(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """The correlation of largest magnitude over lags, and the lag of b behind a in seconds."""
    most = int(LAG_S * FPS)
    n = len(a)
    by_lag = {
        k: _correlation(a[: n - k], b[k:]) if k >= 0 else _correlation(a[-k:], b[: n + k])
        for k in range(-most, most + 1)
    }
    lag = max(by_lag, key=lambda k: abs(by_lag[k]))
    return by_lag[lag], lag / FPS


def _starts_and_stops(speed: np.ndarray) -> np.ndarray:
    """Times of crossings of MOVING, in seconds."""
    return np.flatnonzero(np.diff((speed > MOVING).astype(np.int8))) / FPS


def _answered(a: np.ndarray, b: np.ndarray) -> float:
    """Share of the events of either after which the other has one within ANSWER_S."""
    answers = [
        bool(((theirs >= t) & (theirs <= t + ANSWER_S)).any())
        for ours, theirs in ((a, b), (b, a))
        for t in ours
    ]
    return float(np.mean(answers))


def _faces(own: np.ndarray, heading: np.ndarray, other: np.ndarray) -> np.ndarray:
    to = other - own
    ahead = np.stack([np.cos(heading), np.sin(heading)], axis=1)
    return (ahead * to).sum(axis=1) > FACES * np.hypot(*to.T)
