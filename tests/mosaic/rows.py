"""Rows of the game's tables as a run has them, for tests of what is made of them."""

import csv
from pathlib import Path

import numpy as np

from vlmtom.mosaic.conditions import BY_SLUG, CONDITIONS
from vlmtom.mosaic.metrics import alignment, score_of, sensitivity

FIXTURE = Path(__file__).parents[1] / "data" / "mosaic_pcm_trials.csv"
KEYS = ("subject", "participant", "arm", "kind", "condition", "trial")


def trial(
    number,
    condition="coop-tom0",
    reward=0,
    choice=0,
    b_traj=0,
    b_gaze=0,
    expressive=0.5,
    status="played",
    subject="pcm",
    participant="pcm",
    arm="standard",
    kind="observer",
    unreadable=0,
    answers=0,
    bias=None,
):
    """One row of MOSAIC_TRIALS; what is scored follows from what was played."""
    of = BY_SLUG[condition]
    row = {
        "subject": subject,
        "participant": participant,
        "arm": arm,
        "kind": kind,
        "condition": condition,
        "trial": number,
        "mode": of.mode,
        "tom": of.tom,
        "status": status,
        "lost": None if status == "played" else "timeout",
        "reward": reward,
        "unreadable_subject": unreadable,
        "unreadable_participant": 0,
        "answers_subject": answers,
        "answers_participant": 0,
        "bias": bias,
        "blocked": 0,
    }
    scored = {
        "choice": choice,
        "score": score_of(choice, reward),
        "conforms": score_of(choice, reward) == of.predicted,
        "b_gaze": b_gaze,
        "b_traj": b_traj,
        "a_gaze": alignment(b_gaze, reward),
        "a_traj": alignment(b_traj, reward),
        "sens_gaze": sensitivity(b_gaze, choice),
        "sens_traj": sensitivity(b_traj, choice),
        "sensitivity": (sensitivity(b_gaze, choice) + sensitivity(b_traj, choice)) / 2,
        "expressive": expressive,
    }
    return row | (scored if status == "played" else dict.fromkeys(scored))


def trials_of_fixture(**pair):
    """The reference agent's 200 trials."""
    boxes = {"0": 0, "1": 1, "-1": None}
    slugs = {condition.label: condition.slug for condition in CONDITIONS}
    with FIXTURE.open(encoding="utf-8", newline="") as file:
        return [
            trial(
                int(row["trial"]),
                slugs[row["condition"]],
                int(row["reward"]),
                int(row["choice"]),
                boxes[row["b_traj"]],
                boxes[row["b_gaze"]],
                **pair,
            )
            for row in csv.DictReader(file)
        ]


def drawn_trials(seed, n=20, neutral=0.1, follow=0.6, signal=0.6, conditions=None, **pair):
    """Trials of a pair that signals and follows by chance. follow, signal: probabilities."""
    rng = np.random.default_rng(seed)
    rows = []
    for condition in conditions or BY_SLUG:
        for number in range(1, n + 1):
            reward = int(rng.integers(2))
            b_traj, b_gaze = (
                None if rng.random() < 0.15 else reward if rng.random() < signal else 1 - reward
                for _ in range(2)
            )
            towards = int(rng.integers(2)) if b_traj is None else b_traj
            choice = towards if rng.random() < follow else 1 - towards
            rows.append(
                trial(
                    number,
                    condition,
                    reward,
                    -1 if rng.random() < neutral else choice,
                    b_traj,
                    b_gaze,
                    int(rng.integers(11)) / 10,
                    **pair,
                )
            )
    return rows


def steps_of(row, stated=None, toward=None):
    """The 22 rows of MOSAIC_STEPS of a trial; stated, toward: of both roles in every round."""
    body = {
        **dict.fromkeys(("x", "y"), 0),
        **dict.fromkeys(("hx", "facial", "physiological", "felt", "g_dark", "g_light"), 0.0),
        "hy": 1.0,
        **{f"{whose}_{what}": 0.5 for whose in ("own", "their") for what in ("other", "dark")},
        **{f"{whose}_light": 0.5 for whose in ("own", "their")},
        "action": None,
        "direction": None,
        "blocked": False,
        "unreadable": False,
        "picture": None,
    }
    return [
        {key: row[key] for key in KEYS}
        | body
        | {"round": number, "role": role}
        | {"stated_box": stated if number else None, "toward_box": toward if number else None}
        for number in range(11)
        for role in ("subject", "participant")
    ]
