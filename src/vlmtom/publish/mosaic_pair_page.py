"""A pair's page in the treasure game's report: of each condition one trial with all its calls.

The first trial that was played and the first that is missing are shown whole: what both did, what
was said, and of every call the picture, the prompt, the raw reply, what was read, and what came of
it. Pictures stand in a style sheet of their own, drawn again from the steps; a page stays below
MOST_BYTES, whatever was said.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

import pyarrow as pa
import pyarrow.compute as pc

from vlmtom.mosaic.view import picture, state_of
from vlmtom.mosaic.world import ROLES, PublicState, Role
from vlmtom.publish.mosaic_page import style_name
from vlmtom.publish.mosaic_text import Study, label_of, number, pair_name
from vlmtom.publish.mosaic_trial import BOX_NAMES, NAMES, ShownTrial, trial_of
from vlmtom.publish.report import CUT, picture_class, pictures_css, render_page, shortened
from vlmtom.rendering.images import encode_png
from vlmtom.rendering.pixels import pixel_sha256
from vlmtom.stats.game import pair_of
from vlmtom.store import read_rows, schemas
from vlmtom.store.files import read_table

Row = Mapping[str, object]

MOST_BYTES = 1_500_000
CUTS = tuple(CUT // 2**step for step in range(7))  # tried in turn
PROMPT_CUTS = 8  # as many times a reply's: the longest ordinary prompt has 9,500 characters
BELIEFS = "belief:"  # begins the paragraph that follows a prompt's instructions
_PARAGRAPH = re.compile(r"(?<=\n\n)")
# What is asked in a round, in the order of the game.
_ORDER = (
    ("subject", "action"),
    ("participant", "action"),
    ("participant", "question"),
    ("subject", "preferences"),
    ("subject", "answer"),
    ("participant", "preferences"),
)


@dataclass(frozen=True)
class Logs:
    """What a pair's job wrote of a condition. calls: at least those of shown_trials."""

    trials: Sequence[Row]
    steps: Sequence[Row]
    utterances: Sequence[Row]
    calls: Sequence[Row]

    @property
    def shown(self) -> list[int]:
        """The trials that are shown whole."""
        return shown_trials(self.trials)


@dataclass(frozen=True)
class Call:
    """One request and its reply, as a row."""

    anchor: str
    name: str
    picture: str  # its class; empty where none was shown, or it could not be drawn again
    lost_picture: str  # the hash of one that could not be drawn again; else empty
    begins: str  # the anchor of the instructions that its prompt begins with; else empty
    prompt: str  # what follows them
    same_as: str  # the anchor of an earlier call with the same prompt; else empty
    said: str
    reasoning: str
    status: str
    parse: str
    came_to: str


@dataclass
class _Prompts:
    """What was asked on a page: each prompt once, and once the instructions it begins with."""

    beginnings: Mapping[tuple[object, object], str]
    seen: dict[str, str] = field(default_factory=dict)


def read_logs(trials: str, steps: str, utterances: str, calls: str) -> Logs:
    """A condition's four tables; of the calls, which hold every prompt, those that are shown."""
    rows = read_rows(trials, schemas.MOSAIC_TRIALS)
    asked = read_table(calls, schemas.MOSAIC_CALLS)
    wanted = pc.is_in(asked["trial"], pa.array(shown_trials(rows), pa.int64()))
    return Logs(
        rows,
        read_rows(steps, schemas.MOSAIC_STEPS),
        read_rows(utterances, schemas.MOSAIC_UTTERANCES),
        asked.filter(wanted).to_pylist(),
    )


def shown_trials(trials: Sequence[Row]) -> list[int]:
    """The numbers of the first trial that was played and of the first that is missing."""
    first: dict[object, int] = {}
    for row in sorted(trials, key=lambda row: int(row["trial"])):
        first.setdefault(row["status"], int(row["trial"]))
    return sorted(first.values(), key=lambda number: (number != first.get("played"), number))


def pair_page(logs: Mapping[str, Logs], study: Study, drawn: Collection[str]) -> str:
    """The page. logs: by condition; drawn: the hashes of pictures in its style sheet.

    Texts are cut shorter where it would be above MOST_BYTES.
    """
    shown = (_calls_of(own, number_) for own in logs.values() for number_ in own.shown)
    beginnings = _beginnings([call for calls in shown for call in calls])
    for cut in CUTS:
        text = _page(logs, study, drawn, _Prompts(beginnings), cut)
        if len(text.encode()) <= MOST_BYTES:
            break
    return text


def pair_pictures(logs: Mapping[str, Logs]) -> dict[str, bytes]:
    """The PNG files of the pictures of the page, by their pixel hash, drawn again from the steps.

    One that comes out otherwise than it was shown is left out.
    """
    files: dict[str, bytes] = {}
    for own in logs.values():
        for shown in own.shown:
            for call in _calls_of(own, shown):
                seen = str(call["picture"] or "")
                if seen and seen not in files:
                    rgb = picture(_before(call, own.steps), call["role"], str(call["arm"]))
                    if pixel_sha256(rgb) == seen:
                        files[seen] = encode_png(rgb)
    return files


def pair_css(pictures: Mapping[str, bytes]) -> str:
    """The style sheet of the page, with every picture once."""
    return pictures_css(pictures.items())


def _before(call: Row, steps: Sequence[Row]) -> PublicState:
    """What was there to be seen when a call was made."""
    latest: dict[object, Row] = {}
    for step in sorted((s for s in steps if s["trial"] == call["trial"]), key=_when):
        if call["asked_for"] == "action" and _when(step) >= _when(call):
            break
        if step["round"] <= call["round"]:
            latest[step["role"]] = step
    return state_of(latest.values())


def _when(row: Row) -> tuple[int, int]:
    return int(row["round"]), ROLES.index(row["role"])


def _page(
    logs: Mapping[str, Logs], study: Study, drawn: Collection[str], prompts: _Prompts, cut: int
) -> str:
    head = next(row for own in logs.values() for row in own.trials)
    pair = pair_of(head)
    name = pair_name(pair)
    return render_page(
        "mosaic_pair.html.j2",
        title=f"The treasure game: {name}",
        note=" ".join(study.notes([str(head["kind"])])),
        style=style_name(pair.slug),
        instructions=[
            {"anchor": _anchor(*key), "name": _asked(*key), "text": _cut_prompt(text, cut)}
            for key, text in prompts.beginnings.items()
        ],
        conditions=[
            {
                "name": label_of(condition),
                "anchor": condition,
                "trials": [_trial(own, number_, drawn, prompts, cut) for number_ in own.shown],
                "rows": _all_trials(own.trials, pair.slug, condition),
            }
            for condition, own in logs.items()
        ],
    )


def _all_trials(trials: Sequence[Row], pair: str, condition: str) -> list[dict[str, object]]:
    shown = shown_trials(trials)
    rows = []
    for row in sorted(trials, key=lambda row: int(row["trial"])):
        number_, played = int(row["trial"]), row["status"] == "played"
        rows.append(
            {
                "number": number_,
                "anchor": f"{condition}-{number_}" if number_ in shown else "",
                "cells": [
                    BOX_NAMES[int(row["reward"])],
                    _opened(row["choice"]) if played else "missing",
                    number(row["score"], 0),
                    {True: "yes", False: "no", None: "–"}[row["conforms"]],
                    str(row["blocked"]),
                    *(f"{row[f'unreadable_{r}']} of {row[f'answers_{r}']}" for r in ROLES),
                ],
                "command": f"vlmtom mosaic card results {pair} {condition} --trial {number_} "
                "--out card",
            }
        )
    return rows


def _opened(choice: object) -> str:
    return "neither" if choice == -1 else BOX_NAMES[int(choice)]


def _trial(
    own: Logs, number_: int, drawn: Collection[str], prompts: _Prompts, cut: int
) -> dict[str, object]:
    shown = _shown(own, number_)
    condition = str(shown.trial["condition"])
    missing = "" if shown.trial["status"] == "played" else ", missing"
    calls = _calls_of(own, number_)
    last = {_place(call): call["ask"] for call in calls}  # in the order of the asks
    return {
        "anchor": f"{condition}-{number_}",
        "name": f"Trial {number_}{missing}",
        "ending": shortened(shown.ending, cut, "trials"),
        "rounds": _rounds(shown),
        "words": [_word(row, cut) for row in shown.utterances],
        "calls": [
            _call(
                call,
                shown,
                drawn,
                prompts,
                f"{condition}-{number_}-{place}",
                last[_place(call)] == call["ask"],
                cut,
            )
            for place, call in enumerate(calls, 1)
        ],
    }


def _shown(own: Logs, number_: int) -> ShownTrial:
    if any(step["trial"] == number_ for step in own.steps):
        return trial_of(own.trials, own.steps, own.utterances, number_)
    row = next(row for row in own.trials if row["trial"] == number_)
    return ShownTrial(row, [], [])  # missing before anybody acted


def _place(call: Row) -> tuple[object, ...]:
    return call["round"], call["role"], call["asked_for"]


def _calls_of(own: Logs, number_: int) -> list[Row]:
    places = {key: place for place, key in enumerate(_ORDER)}
    calls = [row for row in own.calls if row["trial"] == number_]
    return sorted(calls, key=lambda c: (c["round"], places[c["role"], c["asked_for"]], c["ask"]))


def _rounds(shown: ShownTrial) -> list[list[str]]:
    by_round: dict[int, dict[str, Row]] = defaultdict(dict)
    for step in shown.steps:
        by_round[int(step["round"])][str(step["role"])] = step
    return [
        [
            str(round_),
            *(cell for role in ROLES for cell in _step_cells(steps.get(role), role)),
        ]
        for round_, steps in sorted(by_round.items())
    ]


def _step_cells(step: Row | None, role: Role) -> list[str]:
    if step is None:
        return ["–", "–", "–"]
    return [f"({step['x']} {step['y']})", _did(step, role), number(step["facial"])]


def _did(step: Row, role: Role) -> str:
    """What an agent did, in words."""
    if step["action"] is None:
        return "start"
    if step["unreadable"]:
        return "stayed: no reply could be read"
    if step["action"] == "stay idle":
        return "stayed"
    if step["action"] == "rotate":
        other = NAMES["participant" if role == "subject" else "subject"]
        to = other if step["direction"] == "other" else f"the {step['direction']} box"
        return f"turned to {to}"
    blocked = ", blocked" if step["blocked"] else ""
    return f"went {step['direction']}{blocked}"


def _word(row: Row, cut: int) -> list[str]:
    text = str(row["text"]) or "(silence)"
    if row["unreadable"]:
        text = "(no reply could be read)"
    return [
        str(row["round"]),
        NAMES[row["speaker"]],
        shortened(text, cut, "utterances"),
        shortened(_taken(row), cut, "utterances"),
        shortened(_listed(row["flags"]), cut, "utterances"),
    ]


def _taken(row: Row) -> str:
    """What an utterance changed in its listener."""
    if row["not_taken"]:
        return "not taken in: no reply could be read"
    return "; ".join(row["updates"]) or "nothing"


def _call(
    call: Row,
    shown: ShownTrial,
    drawn: Collection[str],
    prompts: _Prompts,
    anchor: str,
    last: bool,
    cut: int,
) -> Call:
    key = (call["role"], call["asked_for"])
    prompt, seen = str(call["prompt"]), str(call["picture"] or "")
    beginning = prompts.beginnings[key]
    same_as = prompts.seen.setdefault(prompt, anchor)
    again = f", re-ask {call['ask']}" if call["ask"] else ""
    return Call(
        anchor=anchor,
        name=f"round {call['round']}: {_asked(*key)}{again}",
        picture=picture_class(seen) if seen in drawn else "",
        lost_picture="" if seen in drawn else seen,
        begins=_anchor(*key) if beginning else "",
        prompt=_cut_prompt(prompt[len(beginning) :], cut),
        same_as="" if same_as == anchor else same_as,
        said="" if call["text"] is None else shortened(str(call["text"]), cut, "calls"),
        reasoning=shortened(str(call["reasoning"] or ""), cut, "calls"),
        status=shortened(str(call["status"]), cut, "calls"),
        parse=_parse(call, cut),
        came_to=shortened(_came_to(call, shown, last), cut, "steps and utterances"),
    )


def _parse(call: Row, cut: int) -> str:
    if call["parse"] is None:
        return "no text"
    reason = f" ({call['reason']})" if call["reason"] else ""
    repaired = f"; repaired: {_listed(call['repairs'])}" if call["repairs"] else ""
    return shortened(f"{call['parse']}{reason}{repaired}", cut, "calls")


def _came_to(call: Row, shown: ShownTrial, last: bool) -> str:
    """What the game took from a call: the step, the words, or the changed preferences.

    last: it was not asked for again.
    """
    role, round_, asked_for = str(call["role"]), call["round"], str(call["asked_for"])
    if asked_for == "action":
        found = [s for s in shown.of(role) if s["round"] == round_]
    else:
        speaker = role if asked_for in ("question", "answer") else _other(role)
        found = [u for u in shown.utterances if (u["round"], u["speaker"]) == (round_, speaker)]
    if not last:
        return "asked again"
    if not found:
        return "nothing: the trial is missing from here on"
    if call["parse"] != "parsed":
        return "nothing: not asked again"
    if asked_for == "preferences":
        return f"changed: {_taken(found[0])}"
    if asked_for != "action":
        return f"said: {found[0]['text']}" if found[0]["text"] else "silence"
    step = found[0]
    felt = ", ".join(f"{name} {number(step[name])}" for name in ("facial", "physiological", "felt"))
    liked = ""
    if role == "participant":
        held = (f"{box} {number(2 * step[f'own_{box}'] - 1)}" for box in BOX_NAMES)
        liked = f"; preferences {', '.join(held)}"
    return f"{_did(step, role)}, at ({step['x']} {step['y']}); {felt}{liked}"


def _other(role: str) -> str:
    return next(one for one in ROLES if one != role)


def _beginnings(calls: Sequence[Row]) -> dict[tuple[object, object], str]:
    """The paragraphs that all prompts of a kind to a role begin with, before the beliefs."""
    prompts: dict[tuple[object, object], list[list[str]]] = {}
    for call in calls:
        paragraphs = _PARAGRAPH.split(str(call["prompt"]))
        prompts.setdefault((call["role"], call["asked_for"]), []).append(paragraphs)
    found = {}
    for key in _ORDER:
        if key in prompts:
            together = zip(*prompts[key], strict=False)
            shared = takewhile(lambda same: len(set(same)) == 1, together)
            before = takewhile(lambda part: not part.startswith(BELIEFS), (p for p, *_ in shared))
            found[key] = "".join(before)
    return found


def _asked(role: object, asked_for: object) -> str:
    what = {
        "action": "an action",
        "question": "a question",
        "answer": "an answer",
        "preferences": "taking in what was said",
    }
    return f"{NAMES[role]}, {what[str(asked_for)]}"


def _anchor(role: object, asked_for: object) -> str:
    return f"asked-{role}-{asked_for}"


def _cut_prompt(text: str, cut: int) -> str:
    return shortened(text, cut * PROMPT_CUTS, "calls")


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words)
