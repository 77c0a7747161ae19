"""What the reference agent and the baselines score, and at what cost: `python -m benchmarks.pcm`.

Both roles by themselves, without a workflow: the trials of four conditions for each run seed. The
tables of docs/mosaic.md are made by it.
"""

import argparse
import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from benchmarks.calls import machine, table
from vlmtom.mosaic.agent import Agent
from vlmtom.mosaic.baselines import Fixed, Random, Silent
from vlmtom.mosaic.conditions import CONDITIONS, Condition
from vlmtom.mosaic.game import Played, Rules, Trial, play
from vlmtom.mosaic.metrics import Scored, score
from vlmtom.mosaic.pcm.agent import PCMAgent
from vlmtom.mosaic.pcm.settings import PCMSettings
from vlmtom.mosaic.world import BOXES, Body, Frame, Role
from vlmtom.stats.rounding import printed
from vlmtom.store.digests import seed_for

Maker = Callable[[Role, np.random.Generator, Frame], Agent]
SEEDS = (0, 50000, 90000)  # numbers were looked at while tuning for the first alone


@dataclass(frozen=True)
class Cell:
    """The means of one condition's trials, and what was said.

    told, lies: statements of the subject that name a box, and those that name the empty one.
    """

    condition: Condition
    trials: int
    tocs: Fraction
    uncertain: Fraction
    bias: Fraction
    tas: Fraction
    gas: Fraction
    fes: Fraction
    s_eq12: Fraction
    s_traj: Fraction
    told: int
    lies: int
    cpu_s: float


def pcm(settings: PCMSettings | None = None) -> Maker:
    """The reference agent, for either role."""
    return lambda role, rng, frame: PCMAgent(role, rng, frame, settings)


def random(role: Role, rng: np.random.Generator, frame: Frame) -> Agent:
    """The baseline of chance."""
    return Random(role, rng)


def silent(role: Role, rng: np.random.Generator, frame: Frame) -> Agent:
    """The baseline of silence."""
    return Silent()


def fixed(role: Role, rng: np.random.Generator, frame: Frame) -> Agent:
    """The baseline of habit."""
    return Fixed("right forward")


def played(
    condition: Condition,
    number: int,
    seed: int,
    subject: Maker,
    participant: Maker,
    frame: Frame = "heading",
) -> Played:
    """One trial; its draws depend on the seed, the condition and its number."""
    identity = (seed, condition.slug, number)
    agents = {
        role: make(role, np.random.default_rng(seed_for(*identity, role)), frame)
        for role, make in (("subject", subject), ("participant", participant))
    }
    reward = seed_for(*identity, "reward") & 1
    return asyncio.run(play(Trial(condition, number, reward), agents, Rules(frame=frame)))


def scored(game: Played) -> Scored:
    """The metrics of a trial."""
    shown = [
        Body((s["x"], s["y"]), (s["hx"], s["hy"]), s["facial"], s["physiological"])
        for s in game.steps
        if s["role"] == "subject" and s["round"]
    ]
    last = game.steps[-1]
    return score(shown, (last["x"], last["y"]), game.trial.reward, game.trial.condition)


def cell(
    condition: Condition,
    trials: int,
    seed: int,
    subject: Maker,
    participant: Maker | None = None,
    frame: Frame = "heading",
) -> Cell:
    """One condition. participant: as the subject where null."""
    started = time.process_time()
    games = [
        played(condition, number, seed, subject, participant or subject, frame)
        for number in range(1, trials + 1)
    ]
    spent = time.process_time() - started
    found = [scored(game) for game in games]
    opened = [trial.opened for trial in found]
    told = [
        f"the {box} brown box" in utterance["text"]
        for game in games
        for utterance in game.utterances
        if utterance["speaker"] == "subject"
        for box in ("dark", "light")[:: 1 - 2 * game.trial.reward]
    ]

    def mean(value: Callable[[Scored], Fraction | int | bool]) -> Fraction:
        return Fraction(sum(map(value, found))) / trials

    return Cell(
        condition=condition,
        trials=trials,
        tocs=mean(lambda trial: trial.conforms),
        uncertain=mean(lambda trial: trial.score == 0),
        bias=Fraction(max(opened.count(box) for box in range(len(BOXES))), trials),
        tas=mean(lambda trial: trial.a_traj),
        gas=mean(lambda trial: trial.a_gaze),
        fes=mean(lambda trial: trial.expressive),
        s_eq12=mean(lambda trial: trial.sensitivity),
        s_traj=mean(lambda trial: trial.sens_traj),
        told=sum(told),
        lies=sum(told[1::2]),
        cpu_s=spent,
    )


def variants() -> dict[str, tuple[Maker, Maker]]:
    """Who plays whom, by name: the reference agent, its ablations, and the baselines."""
    base = PCMSettings()
    neutral = replace(base.stance, reward=0.8, empty=0.5)
    changed = {
        "pcm": base,
        "pcm, silent": replace(base, verbal=False),
        "horizon 1": replace(base, horizon=1),
        "horizon 2": replace(base, horizon=2),
        "no effort": replace(base, effort=0.0),
        "no epistemic term": replace(base, epistemic=0.0),
        "reads skin only": replace(base, sensitivity=1.0, modelled_sensitivity=1.0),
        "reads face only": replace(base, sensitivity=0.0, modelled_sensitivity=0.0),
        "noise doubled": replace(base, noise=2 * base.noise),
        "empty box neutral": replace(base, stance=neutral),
        "empty box neutral, no epistemic term": replace(base, stance=neutral, epistemic=0.0),
    }
    pairs = {name: (pcm(settings), pcm(settings)) for name, settings in changed.items()}
    return pairs | {
        "random": (random, random),
        "silent": (silent, silent),
        "fixed": (fixed, fixed),
        "random subject, pcm": (random, pcm()),
        "silent subject, pcm": (silent, pcm()),
        "pcm, silent participant": (pcm(), silent),
        "pcm, random participant": (pcm(), random),
    }


def row(name: str, seed: int, found: Cell) -> list[str]:
    """A line of the printed table."""
    means = (found.tocs, found.uncertain, found.bias, found.tas, found.gas, found.fes)
    return [
        name,
        str(seed),
        found.condition.label,
        *(printed(mean, 2) for mean in (*means, found.s_eq12, found.s_traj)),
        f"{found.told - found.lies} / {found.lies}",
        f"{found.cpu_s:.1f}",
    ]


def main() -> None:
    """Play what was asked for, and print a line for each condition."""
    known = variants()
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.pcm", description="What the reference agent scores."
    )
    parser.add_argument("--variants", nargs="+", choices=known, default=["pcm", "pcm, silent"])
    parser.add_argument("--seeds", nargs="+", type=int, default=list(SEEDS))
    parser.add_argument("--trials", type=int, default=50, help="of each condition")
    parser.add_argument("--frame", choices=("heading", "home"), default="heading")
    options = parser.parse_args()
    rows: list[Sequence[str]] = []
    for name in options.variants:
        for seed in options.seeds:
            for condition in CONDITIONS:
                found = cell(condition, options.trials, seed, *known[name], options.frame)
                rows.append(row(name, seed, found))
    heads = ["agents", "seed", "condition", "TOCS", "UR", "PB", "TAS", "GAS", "FES", "S (Eq. 12)",
             "S_traj", "true / false told", "CPU s"]  # fmt: skip
    print(machine())
    print("\n" + table(heads, rows))


if __name__ == "__main__":
    main()
