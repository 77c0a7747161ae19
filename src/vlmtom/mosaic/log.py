"""The rows of a job's four tables, from the trials that were played."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vlmtom.mosaic.agent import Agent
from vlmtom.mosaic.game import Played
from vlmtom.mosaic.metrics import Scored, score
from vlmtom.mosaic.tester import LOST
from vlmtom.mosaic.world import Body, Role
from vlmtom.settings import PlaySpec

Game = tuple[Played, Mapping[Role, Agent]]

_UNSCORED = dict.fromkeys(
    (
        *("choice", "score", "conforms", "b_gaze", "b_traj", "a_gaze", "a_traj", "sens_gaze"),
        *("sens_traj", "sensitivity", "expressive"),
    )
)


def trial_rows(games: Sequence[Game], spec: PlaySpec) -> Iterator[dict[str, Any]]:
    """Rows of MOSAIC_TRIALS. A trial that is missing has no score."""
    for played, agents in games:
        trial, steps = played.trial, played.steps
        scored = None if played.lost is not None else _scored(played, spec)
        first = [s for s in steps if s["round"] == 1 and s["role"] == "participant"]
        stated = first and not first[0]["unreadable"] and _is_model("participant", spec)
        yield {
            **_names(played, spec),
            "mode": trial.condition.mode,
            "tom": trial.condition.tom,
            "status": "played" if scored is not None else "missing",
            "lost": played.lost,
            "reward": trial.reward,
            **(_UNSCORED if scored is None else scored.columns()),
            "blocked": sum(step["blocked"] for step in steps),
            **_answers(agents),
            "bias": first[0]["own_dark"] - first[0]["own_light"] if stated else None,
        }


def step_rows(games: Sequence[Game], spec: PlaySpec) -> Iterator[dict[str, Any]]:
    """Rows of MOSAIC_STEPS, also of what was played of a trial that is missing."""
    for played, _ in games:
        for step in played.steps:
            yield _names(played, spec) | step


def utterance_rows(games: Sequence[Game], spec: PlaySpec) -> Iterator[dict[str, Any]]:
    """Rows of MOSAIC_UTTERANCES."""
    for played, _ in games:
        for utterance in played.utterances:
            yield _names(played, spec) | utterance


def call_rows(games: Sequence[Game], spec: PlaySpec) -> Iterator[dict[str, Any]]:
    """Rows of MOSAIC_CALLS, in the order of the rounds, the subject's before the participant's."""
    for played, agents in games:
        calls = [call for agent in agents.values() for call in agent.calls]
        for call in sorted(calls, key=lambda one: one["round"]):
            yield _names(played, spec) | call


def _names(played: Played, spec: PlaySpec) -> dict[str, Any]:
    return {
        "subject": spec.pair.subject,
        "participant": spec.pair.participant,
        "arm": spec.pair.arm,
        "kind": spec.kind,
        "condition": spec.condition,
        "trial": played.trial.number,
    }


def _answers(agents: Mapping[Role, Agent]) -> dict[str, int]:
    """By role, the answers that its model gave, and those of them that could not be read.

    A call that brought no reply is no answer: it is missing, and its trial with it.
    """
    counts = {}
    for role, agent in agents.items():
        readable: dict[tuple[Any, ...], bool] = {}
        for call in agent.calls:
            place = (call["round"], call["asked_for"])
            readable[place] = readable.get(place, False) or call["parse"] == "parsed"
            if call["status"] in LOST:
                del readable[place]
        counts[f"unreadable_{role}"] = sum(not read for read in readable.values())
        counts[f"answers_{role}"] = len(readable)
    return counts


def _is_model(role: Role, spec: PlaySpec) -> bool:
    slug = spec.pair.subject if role == "subject" else spec.pair.participant
    return slug not in spec.agents


def _scored(played: Played, spec: PlaySpec) -> Scored:
    shown = [
        Body((s["x"], s["y"]), (s["hx"], s["hy"]), s["facial"], s["physiological"])
        for s in played.steps
        if s["role"] == "subject" and s["round"] > 0
    ]
    last = [s for s in played.steps if s["role"] == "participant"][-1]
    return score(
        shown,
        (last["x"], last["y"]),
        played.trial.reward,
        played.trial.condition,
        deadband=spec.game.face_deadband,
        threshold=spec.game.gaze_threshold,
    )
