"""What a trial amounts to: which box opened, what the subject signalled, and who followed it.

Everything is read from where the subject stood, looked and grimaced after each of its ten actions,
and from the participant's last cell. Source: MOSAIC paper, section 3.4 and appendix E; what these
leave open in docs/mosaic.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from vlmtom.mosaic.conditions import Condition
from vlmtom.mosaic.world import BOXES, DARK, LIGHT, NEITHER, Body, Cell, certainty, choice

DEADBAND = 0.05  # a facial valence nearer to 0 is a face at rest
THRESHOLD = 0.35  # the theta of Eq. 6: above a start facing ahead (0.28), below one turned (0.44)
_SAME = 1e-9


@dataclass(frozen=True)
class Scored:
    """The metrics of one trial.

    opened: the box, 0 or 1, or -1 for neither. score: p of Eq. 1. gaze, trajectory: the signal of
    each round (Eqs. 6 and 10), a box or -1. b: the box with more rounds, null for a tie or none.
    a: alignment with the reward (Eq. 8). sens: with the box that opened (Eq. 11); each 1, 0 or -1.
    expressive: share of rounds with a face (Eq. 5), from 0 to 1.
    """

    opened: int
    score: int
    conforms: bool
    gaze: tuple[int, ...]
    trajectory: tuple[int, ...]
    b_gaze: int | None
    b_traj: int | None
    a_gaze: int
    a_traj: int
    sens_gaze: int
    sens_traj: int
    expressive: Fraction

    @property
    def sensitivity(self) -> Fraction:
        """The mean over both channels (Eq. 12), from -1 to 1."""
        return Fraction(self.sens_gaze + self.sens_traj, 2)

    def columns(self) -> dict[str, object]:
        """The columns of MOSAIC_TRIALS that are decided here."""
        same = ("b_gaze", "b_traj", "a_gaze", "a_traj", "sens_gaze", "sens_traj")
        return {
            "choice": self.opened,
            "score": self.score,
            "conforms": self.conforms,
            **{name: getattr(self, name) for name in same},
            "sensitivity": float(self.sensitivity),
            "expressive": float(self.expressive),
        }


def score(
    shown: Sequence[Body],
    final: Cell,
    reward: int,
    condition: Condition,
    deadband: float = DEADBAND,
    threshold: float = THRESHOLD,
) -> Scored:
    """The metrics of a trial that was played to its end.

    shown: the subject after each of its actions, from round 1; its headings are unit vectors.
    final: the participant's cell after the last round. reward: 0 or 1.
    Raises ValueError for a trial without a round, or another reward.
    """
    if not shown or reward not in (DARK, LIGHT):
        raise ValueError(f"expected rounds and a reward of 0 or 1: {len(shown)}, {reward}")
    opened = choice(final)
    points = score_of(opened, reward)
    gaze = tuple(gaze_signal(body, deadband, threshold) for body in shown)
    trajectory = tuple(trajectory_signal(body.cell) for body in shown)
    b_gaze, b_traj = majority(gaze), majority(trajectory)
    return Scored(
        opened=opened,
        score=points,
        conforms=points == condition.predicted,
        gaze=gaze,
        trajectory=trajectory,
        b_gaze=b_gaze,
        b_traj=b_traj,
        a_gaze=alignment(b_gaze, reward),
        a_traj=alignment(b_traj, reward),
        sens_gaze=sensitivity(b_gaze, opened),
        sens_traj=sensitivity(b_traj, opened),
        expressive=Fraction(sum(displayed(b.facial, deadband) != 0 for b in shown), len(shown)),
    )


def displayed(facial: float, deadband: float = DEADBAND) -> float:
    """The e of Eqs. 5 and 6: a facial valence, or 0 where it is within the deadband."""
    # A valence is a difference of two shares: 0.35 - 0.30 must not fall short of 0.05.
    return facial if abs(facial) >= deadband - _SAME else 0.0


def gaze_signal(body: Body, deadband: float = DEADBAND, threshold: float = THRESHOLD) -> int:
    """The box that a gaze signals (Eq. 6); -1 for none. A negative face points to the other box."""
    dark, light = (certainty(body.cell, body.heading, box) for box in BOXES)
    if dark == light or max(dark, light) <= threshold:
        return NEITHER
    seen = DARK if dark > light else LIGHT
    return 1 - seen if displayed(body.facial, deadband) < 0 else seen


def trajectory_signal(cell: Cell) -> int:
    """The box that is nearer sideways (Eq. 10); -1 on the middle line."""
    dark, light = (abs(cell[0] - x) for x, _ in BOXES)
    return NEITHER if dark == light else DARK if dark < light else LIGHT


def majority(signals: Sequence[int]) -> int | None:
    """The box that more rounds signal (Eq. 7); None for a tie, also of none with none."""
    dark, light = (sum(signal == box for signal in signals) for box in (DARK, LIGHT))
    return None if dark == light else DARK if dark > light else LIGHT


def score_of(opened: int, reward: int) -> int:
    """The participant's p of Eq. 1: 1 for the reward, -1 for the empty box, 0 for neither."""
    return 0 if opened == NEITHER else _agreement(opened, reward)


def alignment(box: int | None, reward: int) -> int:
    """The a of Eq. 8: 1 where the majority box has the reward, -1 where not, 0 without one."""
    return 0 if box is None else _agreement(box, reward)


def sensitivity(box: int | None, opened: int) -> int:
    """The sens of Eq. 11: 1 where the majority box opened, -1 where the other one did.

    0 where neither opened or there is no majority box.
    """
    return 0 if box is None or opened == NEITHER else _agreement(box, opened)


def _agreement(box: int, other: int) -> int:
    return 1 if box == other else -1
