"""What a cell is worth: the majority of its usable trials."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Majority:
    """The majority over usable trials.

    value: true if more than half of the usable trials are true; null without a usable trial.
    tie: the usable trials are split evenly; value is then false (cross-task paper, section 4.1,
    rounds the mean of three trials, where no tie can be; a tie is our decision).
    """

    value: bool | None
    n_usable: int
    n_true: int
    tie: bool


def majority(trials: Iterable[bool | None]) -> Majority:
    """The majority of a cell's trials. None is a trial without a usable reply: not counted."""
    usable = [trial for trial in trials if trial is not None]
    n_true = sum(usable)
    if not usable:
        return Majority(None, 0, 0, False)
    return Majority(2 * n_true > len(usable), len(usable), n_true, 2 * n_true == len(usable))
