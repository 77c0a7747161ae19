"""How often the nominal 95 % interval holds the truth, over drawn experiments of known shares."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import ndtri

from vlmtom.stats.paired import Scene, paired_effect

REPLIES = 5
# Correlation of replies to one scene on the latent scale; about a scene effect of sd 1 logit.
ALIKE = 0.25


@dataclass(frozen=True)
class Scenario:
    """Expected shares of both conditions; correlation of a scene's two effects; unanswered."""

    p0: float
    p1: float
    scenes: int = 160
    correlation: float = 0.7
    unanswered: float = 0.0


def experiments(scenario, runs, seed):
    """Counts of `runs` experiments, (runs, scenes, condition): answered, events.

    A reply is an event where a normal variable, made of an effect of its scene and one of its own,
    is below the quantile of the share: expected shares are then exactly those of the scenario.
    """
    rng = np.random.default_rng(seed)
    shape = (runs, scenario.scenes)
    first, other = rng.standard_normal((2, *shape))
    second = scenario.correlation * first + np.sqrt(1 - scenario.correlation**2) * other
    effect = np.stack([first, second], axis=-1)[..., None]
    own = rng.standard_normal((*shape, 2, REPLIES))
    latent = np.sqrt(ALIKE) * effect + np.sqrt(1 - ALIKE) * own
    limits = ndtri(np.array([scenario.p0, scenario.p1]))[:, None]
    answered = rng.random(latent.shape) >= scenario.unanswered
    return answered.sum(-1), ((latent < limits) & answered).sum(-1)


def covered(scenario, runs, seed=1):
    """Share of experiments whose interval holds the true difference, and the methods met.

    The methods are compared with what the counts of all experiments at once say.
    """
    truth, holds, methods = scenario.p1 - scenario.p0, 0, Counter()
    answered, events = experiments(scenario, runs, seed)
    for n, s in zip(answered, events, strict=True):
        counts = np.stack([n[:, 0], s[:, 0], n[:, 1], s[:, 1]], axis=-1).tolist()
        effect = paired_effect(Scene(str(place), *c) for place, c in enumerate(counts))
        methods[effect.method] += 1
        holds += effect.lo <= truth <= effect.hi
    if not scenario.unanswered:
        same = np.ptp(events[..., 1] - events[..., 0], axis=1) == 0
        none_or_all = (events.sum(1) == 0) | (events.sum(1) == answered.sum(1))
        assert methods["bounded"] == same.sum()
        assert methods["cluster_t"] == (none_or_all.any(-1) & ~same).sum()
    return holds / runs, methods


LARGE = {
    "a rise": Scenario(0.25, 0.42),
    "a large rise": Scenario(0.10, 0.90),
    "no change, scene effects independent": Scenario(0.30, 0.30, correlation=0.0),
    "no change, few events": Scenario(0.05, 0.05),
    "rare events": Scenario(0.004, 0.010),
    "hardly ever without": Scenario(0.0005, 0.02),
    "a rise, a fifth unanswered": Scenario(0.25, 0.42, unanswered=0.2),
}
SMALL = {
    "forty scenes": (Scenario(0.25, 0.42, scenes=40), 0.93, 0.96),
    "twelve scenes": (Scenario(0.25, 0.42, scenes=12), 0.92, 0.95),
    "twelve scenes, few events": (Scenario(0.05, 0.20, scenes=12), 0.90, 0.94),
}


@pytest.mark.parametrize("name", LARGE)
def test_with_the_papers_scenes_the_interval_holds_the_truth_about_as_often_as_it_says(name):
    share, methods = covered(LARGE[name], 500)
    # 500 runs of a true .95 lie in .95 +- 3 x .0097; rare events cost up to two points
    assert 0.92 <= share <= 0.975, (share, methods)


@pytest.mark.slow  # 15 s in all
@pytest.mark.parametrize("name", LARGE)
def test_over_many_runs_only_events_that_hardly_happen_cost_more_than_a_point(name):
    share, methods = covered(LARGE[name], 4000, seed=2)
    least = 0.92 if name == "hardly ever without" else 0.94
    assert least <= share <= 0.96, (share, methods)


@pytest.mark.parametrize("name", SMALL)
def test_with_few_scenes_the_interval_is_approximate(name):
    # docs/paired_baseline.md says so: one to three points too few at twelve scenes
    scenario, least, most = SMALL[name]
    share, methods = covered(scenario, 4000, seed=2)
    assert least <= share < most, (share, methods)


def test_every_method_is_met_where_events_are_rare():
    _, methods = covered(LARGE["hardly ever without"], 500)
    assert methods["cluster_t"] > methods["gee"] > 0
    _, methods = covered(Scenario(0.0005, 0.0005), 100)
    assert methods["bounded"] > 0
