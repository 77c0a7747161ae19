"""Which courses of action an agent weighs, and what it expects each of them to cost.

A policy is a first action, gone on with for up to `horizon` steps and then held. Its cost is the
expected free energy: that of the field it leads to, what it leaves unseen of the other, and the
effort of a face. Of order 0 the other stays where it is; of order 1 a simulated onlooker of order 0
reads each step and walks. Nothing here rewards misleading anybody.
"""

from functools import lru_cache
from typing import Literal, NamedTuple

from vlmtom.mosaic.beliefs import INDIFFERENT
from vlmtom.mosaic.pcm.appraisal import (
    Likings,
    appraise,
    perceived_valence,
    shown,
)
from vlmtom.mosaic.pcm.field import Pose, unseen
from vlmtom.mosaic.pcm.reader import bounded, evidence, probability
from vlmtom.mosaic.world import OCTANTS, Cell, Heading, Target, is_free, target_cell, unit

WILLS = (0, 1, -1)  # no face put on, a smile, a scowl


class First(NamedTuple):
    """The action a policy starts with. towards: a step on the board, or what is turned to."""

    kind: Literal["move", "rotate", "stay idle"]
    towards: Cell | Target | None = None


FIRSTS: tuple[First, ...] = (
    *(First("move", step) for step in OCTANTS),
    *(First("rotate", target) for target in ("other", "dark", "light")),
    First("stay idle"),
)


class Rules(NamedTuple):
    """How one agent moves and plans.

    home: the heading that every move turns it to; null where moves leave the heading.
    horizon: steps. epistemic: cost in bits of not seeing the other at all.
    """

    home: Heading | None
    horizon: int
    epistemic: float


class Policy(NamedTuple):
    """first: its first action. poses: where the agent is after each step."""

    first: First
    poses: tuple[Pose, ...]


class Option(NamedTuple):
    """A first action with a face, at the cost of the best policy that starts so.

    pose: after the action. odds: what an order 1 agent then takes the onlooker to believe.
    """

    first: First
    will: int
    cost: float
    pose: Pose
    odds: float


@lru_cache(maxsize=1 << 12)
def policies(pose: Pose, other: Cell, rules: Rules) -> tuple[Policy, ...]:
    """Every policy from a pose; steps that are not free end a walk, or are no policy at all."""
    found = []
    for first in FIRSTS:
        if first.kind == "move":
            found += [Policy(first, walk) for walk in _walks(pose, first.towards, other, rules)]
            continue
        heading = pose.heading
        if first.kind == "rotate":
            x, y = target_cell(first.towards, other)
            heading = unit((x - pose.cell[0], y - pose.cell[1]))
        found.append(Policy(first, (Pose(pose.cell, heading),) * rules.horizon))
    return tuple(found)


def _walks(pose: Pose, step: Cell, other: Cell, rules: Rules) -> list[tuple[Pose, ...]]:
    """Walks in one direction of 1, 2, … steps, each then held up to the horizon."""
    heading = rules.home or pose.heading
    walks: list[tuple[Pose, ...]] = []
    trodden: list[Pose] = []
    x, y = pose.cell
    for length in range(1, rules.horizon + 1):
        cell = (x + length * step[0], y + length * step[1])
        if not is_free(cell, other):
            break
        trodden.append(Pose(cell, heading))
        walks.append((*trodden, *trodden[-1:] * (rules.horizon - length)))
    return walks


def _best(options: list[Option]) -> list[Option]:
    """The cheapest of each first action and face, in the order of FIRSTS and WILLS."""
    cheapest: dict[tuple[First, int], Option] = {}
    for option in options:
        key = (option.first, option.will)
        if key not in cheapest or option.cost < cheapest[key].cost:
            cheapest[key] = option
    return list(cheapest.values())


def alone(pose: Pose, other: Cell, liked: Likings, rules: Rules, odds: float = 0.0) -> list[Option]:
    """What an agent of order 0 expects: no face has an effect that it could see, so none is made.

    odds: handed through.
    """
    options = []
    for policy in policies(pose, other, rules):
        cost = sum(
            appraise(later, other, liked).cost + rules.epistemic * unseen(later, other)
            for later in policy.poses
        )
        options.append(Option(policy.first, 0, cost / rules.horizon, policy.poses[0], odds))
    return _best(options)


@lru_cache(maxsize=1 << 16)
def reaction(pose: Pose, other: Cell, liked: Likings, rules: Rules) -> Pose:
    """Where an onlooker of order 0 goes next; where two places are exactly as good, nowhere."""
    options = alone(pose, other, liked, rules)
    least = min(option.cost for option in options)
    places = {option.pose for option in options if option.cost == least}
    return places.pop() if len(places) == 1 else pose


@lru_cache(maxsize=1 << 15)
def signal(pose: Pose, other: Cell, liked: Likings, will: int, sensitivity: float) -> float:
    """Log odds that an onlooker takes from an agent that stands so and puts on such a face."""
    face, skin = shown(appraise(pose, other, liked).felt, will)
    return evidence(pose, perceived_valence(face, skin, sensitivity))


class Onlooker(NamedTuple):
    """What an agent of order 1 takes the other to be: an agent of order 0 that reads it.

    odds: what he believes now, as log odds for the dark box. sensitivity: share of the skin in
    what he reads. rules: his own.
    """

    pose: Pose
    odds: float
    sensitivity: float
    rules: Rules


def watched(
    pose: Pose, onlooker: Onlooker, liked: Likings, rules: Rules, effort: float
) -> list[Option]:
    """What an agent of order 1 expects of each first action and face.

    A face lasts one round; effort is its cost in bits. What the onlooker does is appraised in the
    agent's own field and by its own likings: an unwelcome one costs where he comes near.
    """
    options = []
    for policy in policies(pose, onlooker.pose.cell, rules):
        for will in WILLS:
            cost, odds = _followed(policy, pose, will, onlooker, liked, rules)
            cost = cost / rules.horizon + effort * abs(will)
            options.append(Option(policy.first, will, cost, policy.poses[0], odds))
    return _best(options)


def _followed(
    policy: Policy, pose: Pose, will: int, onlooker: Onlooker, liked: Likings, rules: Rules
) -> tuple[float, float]:
    """A policy played out: its summed cost, and what the onlooker believes after its first step."""
    there, believed = onlooker.pose, onlooker.odds
    mine, walking = pose, True
    cost = 0.0
    after = believed
    for step, planned in enumerate(policy.poses):
        # Where the onlooker has walked into the way meanwhile, the walk ends.
        walking = walking and planned.cell != there.cell
        mine = planned if walking else mine
        put_on = 0 if step else will
        added = signal(mine, there.cell, liked, put_on, onlooker.sensitivity)
        believed = bounded(believed + added)
        after = after if step else believed
        there = reaction(there, mine.cell, _read(believed), onlooker.rules)
        # What is left unseen is of where he stands now: his next place is not known.
        unknown = unseen(mine, onlooker.pose.cell)
        cost += appraise(mine, there.cell, liked).cost + rules.epistemic * unknown
    return cost, after


def _read(odds: float) -> Likings:
    """What an onlooker likes who believes so, and is indifferent to whom he looks at."""
    return Likings(INDIFFERENT, round(probability(odds), 2), round(probability(-odds), 2))
