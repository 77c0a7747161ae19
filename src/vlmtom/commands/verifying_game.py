"""Whether the treasure game's tables agree: each step with the one before, scores, and pictures."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vlmtom.commands.places import Places
from vlmtom.errors import BadData
from vlmtom.mosaic.conditions import BY_SLUG
from vlmtom.mosaic.metrics import score
from vlmtom.mosaic.world import ROLES, ROUNDS, Action, Body, PublicState, Role, act, start
from vlmtom.settings import MOSAIC, MOSAIC_CONDITIONS, MosaicArm, MosaicSettings, Settings
from vlmtom.store.digests import seed_for
from vlmtom.store.files import read_rows, read_table
from vlmtom.store.schemas.mosaic import MOSAIC_CALLS, MOSAIC_STEPS, MOSAIC_TRIALS

SAMPLE = 200  # pictures that are drawn anew, unless all are
_OF_CALLS = ("arm", "trial", "round", "role", "asked_for", "picture")  # without prompts and texts
_SAME = 1e-12
_SHOWN = 3  # differences of one kind that are told of a table

Row = Mapping[str, Any]
Bodies = Mapping[tuple[int, Role], Body]  # by round and role


@dataclass(frozen=True)
class Shown:
    """A picture that a table says was shown. where: the table and the call, in words."""

    where: str
    arm: MosaicArm
    state: PublicState
    role: Role
    pixel_sha256: str


def game_problems(settings: Settings, every_picture: bool = False) -> list[str]:
    """What of the configured pairs' tables does not hold; one sentence each.

    The steps are played again by the rules, the trials scored again from them, and pictures drawn
    again of what was there to be seen: of all pairs together as many as SAMPLE, drawn by the seed,
    or every one. Tables that are not there are the manifest's concern.
    """
    if settings.mosaic is None:
        return []
    places = Places(Path(settings.results))
    problems: list[str] = []
    pictures: list[Shown] = []
    for pair in settings.mosaic_pairs:
        for condition in MOSAIC_CONDITIONS:
            trials, steps, calls = (
                places.game(pair.name, condition, log) for log in ("trials", "steps", "calls")
            )
            if not (trials.exists() and steps.exists()):
                continue
            try:
                of_steps = _by_trial(read_rows(steps, MOSAIC_STEPS))
                problems += _told(steps, _step_problems(of_steps, settings.mosaic))
                scores = _score_problems(read_rows(trials, MOSAIC_TRIALS), of_steps, settings)
                problems += _told(trials, scores)
                pictures += _shown_in_steps(steps, of_steps)
                if calls.exists():
                    of_calls = read_table(calls, MOSAIC_CALLS, _OF_CALLS).to_pylist()
                    pictures += _shown_in_calls(calls, of_calls, of_steps)
            except BadData as error:
                problems.append(str(error))
    if not every_picture and len(pictures) > SAMPLE:
        drawing = random.Random(seed_for(settings.seed, MOSAIC, "verify"))
        pictures = drawing.sample(pictures, SAMPLE)
    return problems + _picture_problems(pictures)


def _by_trial(steps: Sequence[Row]) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = {}
    for step in steps:
        found.setdefault(step["trial"], []).append(step)
    return found


def _told(table: Path, problems: Iterator[str]) -> list[str]:
    found = list(problems)
    more = [f"{table}: and {len(found) - _SHOWN} more like these."] if found[_SHOWN:] else []
    return [f"{table}, {problem}" for problem in found[:_SHOWN]] + more


def _step_problems(trials: Mapping[int, Sequence[Row]], game: MosaicSettings) -> Iterator[str]:
    """Steps that do not follow from the state before and the action, by the rules of the game."""
    for trial, steps in trials.items():
        state = start()
        for step in steps:
            role, body = step["role"], _body(step)
            where = f"trial {trial}, round {step['round']}, {role}"
            if step["round"] == 0:
                follows, blocked = state.body(role), False
            else:
                action = Action(
                    step["action"], step["direction"], body.facial, body.physiological, step["felt"]
                )
                try:
                    acted = act(state, role, action, game.move_frame)
                except (KeyError, ValueError):
                    yield f"{where}: no action of the game ({action.kind}, {action.direction})."
                    break
                follows, blocked = acted.state.body(role), acted.blocked
            if not _alike(body, follows) or step["blocked"] != blocked:
                yield f"{where}: it does not follow from the state before it and its action."
                break
            state = state.with_body(role, body)


def _alike(body: Body, other: Body) -> bool:
    """Headings come from a root, whose last bit may be another one on another machine."""
    turned = max(abs(a - b) for a, b in zip(body.heading, other.heading, strict=True))
    return turned < _SAME and replace(body, heading=other.heading) == other


def _score_problems(
    rows: Sequence[Row], trials: Mapping[int, Sequence[Row]], settings: Settings
) -> Iterator[str]:
    game = settings.mosaic
    for row in rows:
        if row["status"] != "played":
            continue
        bodies = _bodies(trials.get(row["trial"], ()))
        if len(bodies) != len(ROLES) * (ROUNDS + 1):
            yield f"trial {row['trial']}: played, but not all of its steps are there."
            continue
        scored = score(
            [bodies[number, "subject"] for number in range(1, ROUNDS + 1)],
            bodies[ROUNDS, "participant"].cell,
            row["reward"],
            BY_SLUG[row["condition"]],
            deadband=game.face_deadband,
            threshold=game.gaze_threshold,
        ).columns()
        if other := [name for name, value in scored.items() if row[name] != value]:
            yield f"trial {row['trial']}: scored otherwise from its steps ({', '.join(other)})."


def _shown_in_steps(table: Path, trials: Mapping[int, Sequence[Row]]) -> Iterator[Shown]:
    """What each agent saw before it acted."""
    for trial, steps in trials.items():
        bodies = _bodies(steps)
        for step in steps:
            if step["picture"] is not None:
                where = f"{table}, trial {trial}, round {step['round']}, {step['role']}"
                state = _before(bodies, step["round"], step["role"], "action")
                yield from _if_known(where, step, step["role"], state)


def _shown_in_calls(
    table: Path, calls: Sequence[Row], trials: Mapping[int, Sequence[Row]]
) -> Iterator[Shown]:
    """What came with each call."""
    of_trial = {trial: _bodies(steps) for trial, steps in trials.items()}
    for call in calls:
        if call["picture"] is not None:
            number, role = call["round"], call["role"]
            where = f"{table}, trial {call['trial']}, round {number}, {role}, {call['asked_for']}"
            bodies = of_trial.get(call["trial"], {})
            state = _before(bodies, number, role, call["asked_for"])
            yield from _if_known(where, call, role, state)


def _if_known(where: str, row: Row, role: Role, state: PublicState | None) -> Iterator[Shown]:
    """Of a trial that broke off, the steps may end before a call; nothing is known then."""
    if state is not None:
        yield Shown(where, row["arm"], state, role, row["picture"])


def _before(bodies: Bodies, number: int, role: Role, asked_for: str) -> PublicState | None:
    """What was there to be seen when an agent was asked; utterances follow both moves."""
    acted = {
        "subject": number if asked_for != "action" or role == "participant" else number - 1,
        "participant": number if asked_for != "action" else number - 1,
    }
    found = [bodies.get((acted[of], of)) for of in ROLES]
    return None if None in found else PublicState(*found)


def _picture_problems(pictures: Sequence[Shown]) -> list[str]:
    from vlmtom.mosaic.view import picture
    from vlmtom.rendering.images import pixel_sha256

    drawn: dict[tuple[PublicState, Role, MosaicArm], str] = {}
    problems = []
    for shown in pictures:
        key = shown.state, shown.role, shown.arm
        if key not in drawn:
            drawn[key] = "" if shown.arm == "none" else pixel_sha256(picture(*key))
        if drawn[key] != shown.pixel_sha256:
            problems.append(
                f"{shown.where}: what was there to be seen is another picture than the "
                f"{shown.pixel_sha256[:12]}… that was shown."
            )
    more = [f"{len(problems) - _SHOWN} more pictures of the game."] if problems[_SHOWN:] else []
    return problems[:_SHOWN] + more


def _bodies(steps: Sequence[Row]) -> Bodies:
    return {(step["round"], step["role"]): _body(step) for step in steps}


def _body(step: Row) -> Body:
    return Body(
        (step["x"], step["y"]), (step["hx"], step["hy"]), step["facial"], step["physiological"]
    )
