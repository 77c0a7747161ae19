"""Decides what a reply does in the treasure game; a move that is not there is never made up.

Asked for is `Reasoning: … Output: {"Preference": …, "Emotion": …, "Move": …}`. What counts is the
last object that has a move; one that an earlier object contradicts is no answer.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from vlmtom.mosaic.beliefs import Entity
from vlmtom.mosaic.replies.words import (
    LABEL_END,
    LINE_START,
    PLACEHOLDER,
    direction,
    entity,
    visible,
    words,
)
from vlmtom.mosaic.world import Action, Role, Target
from vlmtom.parsing import jsonish, lexicon
from vlmtom.parsing.gate import cut_reasoning
from vlmtom.parsing.json_answers import whole_reply
from vlmtom.parsing.jsonish import Found
from vlmtom.parsing.model import Reason, Unreadable
from vlmtom.parsing.text import normalise

_MOVES = frozenset({"move", "moving"})
_TURNS = frozenset({"rotate", "rotating"})
_STAYS = frozenset({"stay idle", "idle", "stay", "stayidle", "staying idle", "remain idle"})
_NOTHING = frozenset({"", "null", "none", "nil", "n/a", "na", "no direction"})
_NO_UPDATE = frozenset({*_NOTHING, "unchanged", "no update", "no updates", "no change"})
_KEYS = {
    "preference": ("preference", "preferences"),
    "emotion": ("emotion", "emotions"),
    "move": ("move", "movement"),
    "facial": ("facialexpression", "facial"),
    "physiological": ("physiologicalexpression", "physiological"),
    "felt": ("feltexpression", "felt"),
}
_WRITTEN = {  # what an unfinished object may lose, and how its key is written
    "preference": "preferences?",
    "facial": "facial[ _]?expression",
    "physiological": "physiological[ _]?expression",
    "felt": "felt[ _]?expression",
}
_CHANNELS = ("facial", "physiological", "felt")
_DEPTH = 3  # objects in objects that are looked into
_NUMBER = re.compile(r"\s*([+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30}))\s*(%?)\s*", re.ASCII)

_REASONING = re.compile(rf"{LINE_START}(?:action )?reasoning{LABEL_END}")
_OUTPUT = re.compile(rf"{LINE_START}(?:action |final )?output{LABEL_END}")


@dataclass(frozen=True)
class ActionRead:
    """An action and what was put down with it, or why it could not be read.

    action: null where `parsed` is false. preferences: of the participant, those that it stated,
    each in [0, 1]. reasoning: the text that leads to the answer. reason: of parsing.REASONS.
    repairs: what had to be mended, left out or assumed, sorted.
    """

    action: Action | None
    preferences: tuple[tuple[Entity, float], ...] = ()
    reasoning: str = ""
    reason: Reason | None = None
    repairs: tuple[str, ...] = ()

    @property
    def parsed(self) -> bool:
        """Whether there is an action."""
        return self.action is not None


def read_action(text: str, role: Role) -> ActionRead:
    """The action of a role's reply.

    Preferences from -1 to 1, or in percent where they are written so or exceed 1, become 0 to 1;
    only the participant's are read. Valences are positive less negative, each cut to [0, 1]; what
    is not shown is 0. Paper, appendix D.1.
    """
    document = whole_reply(text, None, None)
    gated = cut_reasoning(text)
    if gated.text is None and not isinstance(document, dict):
        return ActionRead(None, reason=gated.reason)
    plain = visible(gated.text or "")
    repairs: set[str] = set()
    try:
        objects = [document] if isinstance(document, dict) else _objects(plain, role, repairs)
        if not any(map(_moves, objects)) and any(map(_shows_form, objects)):
            raise Unreadable("no_answer")
        objects = [found for found in objects if not _shows_form(found)]
        move = _one_move(objects, role, repairs)
        facial, physiological, felt = _valences(objects, repairs)
        stated: dict[Entity, float] = {}
        if role == "participant":
            stated = _preferences(objects, role, repairs)
    except Unreadable as error:
        return ActionRead(None, reasoning=_reasoning(plain, []), reason=error.reason)
    return ActionRead(
        Action(move[0], move[1], facial, physiological, felt),
        tuple(stated.items()),
        _reasoning(plain, objects),
        repairs=tuple(sorted(repairs)),
    )


# Objects ---------------------------------------------------------------------------------------


def _objects(plain: str, role: Role, repairs: set[str]) -> list[dict[str, Any]]:
    """The objects of a text; mended where no whole object with a move is found without.

    Where none is whole, the complete ones inside what was left unfinished count, as long as
    nothing that was written of preferences or faces is lost with it.
    """
    loose: tuple[list[Found], set[str]] | None = None
    first: list[Found] | None = None
    done: set[str] = set()
    for repair, mend in _MENDS:
        plain, before = mend(plain), plain
        if repair and plain == before:
            continue
        done = done | {repair} - {""}
        found = jsonish.objects(plain)
        first = found if first is None else first
        if any(_is_whole(one.value) for one in found):
            break
        if any(_moves(one.value) for one in found):
            loose = found, done
    else:
        if loose is None:
            raise Unreadable(_why_none(first or [], plain))
        found, done = loose
        _refuse_losses([one.value for one in found], plain, role)
        repairs.add("loose_objects")
    repairs.update(done, *(one.repaired for one in found))
    return [one.value for one in found]


def _is_whole(found: dict[str, Any]) -> bool:
    """Whether a move stands under its key, in the object or in one in it."""
    moves = [_get(one, "move") for one in _inside(found)]
    return any(has and not _is_form(move) for has, move in moves)


def _refuse_losses(objects: list[dict[str, Any]], plain: str, role: Role) -> None:
    """Raise Unreadable (bad_type) where something was written that no object holds."""
    held = {name: _part(objects, name) is not None for name in _WRITTEN}
    held["preference"] |= role == "subject" or _loose_preference(objects) is not None
    for name, key in _WRITTEN.items():
        if not held[name] and re.search(rf"(?i)\b{key}[\"'’”]", plain):
            raise Unreadable("bad_type")


def _why_none(found: list[Found], plain: str) -> Reason:
    if any(_shows_form(one.value) for one in found):
        return "no_answer"
    if found:
        return "missing_field"
    refused = lexicon.REFUSAL.search(normalise(plain[:2000]))
    return "refusal" if refused else "no_json"


def _loose_preference(objects: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Preferences in an object of their own, whose every key is someone or a box."""
    loose = [found for found in objects if found and all(entity(key) for key in found)]
    return loose[-1] if loose else None


def _straight_quotes(text: str) -> str:
    return re.sub("[‘’“”„″]", '"', text)


def _plain_numbers(text: str) -> str:
    """Values such as +0.5, .5 and 50% as JSON has them."""
    text = re.sub(r"(:\s{0,4})\+(?=[\d.])", r"\1", text)
    text = re.sub(r"(:\s{0,4}-?)(?=\.\d)", r"\g<1>0", text)
    return re.sub(r"(:\s{0,4})(-?\d{1,9}(?:\.\d{1,9})?)\s?%", r'\1"\2%"', text)


_MENDS = (("", str), ("curly_quotes", _straight_quotes), ("number_form", _plain_numbers))


def _inside(found: dict[str, Any], depth: int = _DEPTH) -> Iterator[dict[str, Any]]:
    """The object and those in it."""
    yield found
    if depth > 1:
        for value in found.values():
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, dict):
                    yield from _inside(one, depth - 1)


def _get(found: dict[str, Any], name: str) -> tuple[bool, Any]:
    """Whether an object has a key, in any spelling, and its value.

    Raises Unreadable (multiple_answers) where it stands twice with different values.
    """
    known = _KEYS.get(name, (name,))
    keys = [key for key in found if re.sub(r"[\W_]+", "", key.casefold()) in known]
    if any(key in getattr(found, "keys_twice", ()) for key in keys):
        raise Unreadable("multiple_answers")
    if any(repr(found[key]) != repr(found[keys[0]]) for key in keys):
        raise Unreadable("multiple_answers")
    return bool(keys), found[keys[0]] if keys else None


# The move --------------------------------------------------------------------------------------


def _moves(found: dict[str, Any]) -> list[Any]:
    """What an object, or one in it, gives as a move, but for the form that was shown."""
    moves: dict[int, Any] = {}  # by identity: a move is an object with an action, too
    for one in _inside(found):
        has, move = _get(one, "move")
        if not has and isinstance(_get(one, "action")[1], str):
            has, move = True, one
        if has and move is not None:
            moves.setdefault(id(move), move)
    return [move for move in moves.values() if not _is_form(move)]


def _is_form(move: Any) -> bool:
    move = _alone(move)
    values = move.values() if isinstance(move, dict) else [move]
    return any(isinstance(value, str) and PLACEHOLDER.fullmatch(value) for value in values)


def _alone(move: Any) -> Any:
    """The one element of a list; anything else as it is."""
    return move[0] if isinstance(move, list) and len(move) == 1 else move


def _one_move(
    objects: list[dict[str, Any]], role: Role, repairs: set[str]
) -> tuple[Any, str | None]:
    given = [move for found in objects for move in _moves(found)]
    if not given:
        raise Unreadable("missing_field")
    read = {_move(move, role, repairs) for move in given}
    if len(read) > 1:
        raise Unreadable("multiple_answers")
    return read.pop()


def _shows_form(found: dict[str, Any]) -> bool:
    return any(_get(one, "move")[0] and _is_form(_get(one, "move")[1]) for one in _inside(found))


def _move(move: Any, role: Role, repairs: set[str]) -> tuple[Any, str | None]:
    """The kind of action, and its direction or target."""
    if isinstance(move, list):
        move = _alone(move)
        repairs.add("move_in_list")
    if isinstance(move, dict):
        has, action = _get(move, "action")
        if not has:
            raise Unreadable("missing_field")
        towards = _get(move, "direction")[1]
    else:
        action, towards = move, None
        repairs.add("move_in_one_word")
    if not isinstance(action, str) or not isinstance(towards, str | None):
        raise Unreadable("bad_type")
    if isinstance(towards, str) and words(towards) in _NOTHING:
        towards = None
    return _kind(action, towards, role, repairs)


def _kind(
    action: str, towards: str | None, role: Role, repairs: set[str]
) -> tuple[Any, str | None]:
    plain = words(action)
    if plain in _STAYS:
        if towards is not None:
            repairs.add("direction_dropped")
        return "stay idle", None
    head, _, rest = plain.partition(" ")
    if direction(plain):  # the direction where the kind of action should stand
        head, rest = "move", plain
    if rest:
        repairs.add("direction_in_action")
        if towards is not None and words(towards) != rest and not _same(rest, towards, role):
            raise Unreadable("multiple_answers")
        towards = rest if towards is None else towards
    if head in _MOVES:
        return "move", _direction(towards)
    if head in _TURNS:
        return "rotate", _target(towards, role)
    raise Unreadable("off_vocabulary")


def _same(one: str, other: str, role: Role) -> bool:
    found = direction(one) or entity(one, role)
    return found is not None and found == (direction(other) or entity(other, role))


def _direction(name: str | None) -> str:
    if name is None:
        raise Unreadable("missing_field")
    found = direction(name)
    if found is None:
        several = len(re.findall(r"forward|backward|left|right", words(name))) > 1
        raise Unreadable("multiple_answers" if several else "off_vocabulary")
    return found


def _target(name: str | None, role: Role) -> Target:
    if name is None:
        raise Unreadable("missing_field")
    found = entity(re.sub(r"(?i)^\W*(?:towards?|to(?: face)?)\s+", "", name), role)
    if found is None or found == role:
        raise Unreadable("off_vocabulary")
    return found if found in ("dark", "light") else "other"


# Emotion and preference ------------------------------------------------------------------------


def _part(objects: list[dict[str, Any]], name: str) -> Any:
    """The last value of a key anywhere in the objects; null where there is none."""
    values = [
        value
        for found in objects
        for one in _inside(found)
        for has, value in [_get(one, name)]
        if has and value is not None
    ]
    return values[-1] if values else None


def _valences(objects: list[dict[str, Any]], repairs: set[str]) -> tuple[float, ...]:
    emotion = _part(objects, "emotion")
    if emotion is not None and not isinstance(emotion, dict):
        raise Unreadable("bad_type")
    shown = []
    for channel in _CHANNELS:
        value = _get(emotion, channel)[1] if emotion else _part(objects, channel)
        shown.append(_valence(value, repairs))
    return tuple(shown)


def _valence(value: Any, repairs: set[str]) -> float:
    if value is None:
        repairs.add("emotion_missing")
        return 0.0
    if not isinstance(value, dict):
        raise Unreadable("bad_type")
    parts: list[Fraction] = []
    for name in ("positive", "negative"):
        has, part = _get(value, name)
        if not has or part is None:
            repairs.add("emotion_missing")
            parts.append(Fraction(0))
            continue
        share, percent = _number(part, repairs)
        share = share / 100 if percent else share
        if not 0 <= share <= 1:
            repairs.add("emotion_cut")
        parts.append(min(max(share, Fraction(0)), Fraction(1)))
    return float(parts[0] - parts[1])


def _preferences(
    objects: list[dict[str, Any]], role: Role, repairs: set[str]
) -> dict[Entity, float]:
    given = _part(objects, "preference")
    given = _loose_preference(objects) if given is None else given
    if given is None or (isinstance(given, str) and words(given) in _NO_UPDATE):
        return {}
    if not isinstance(given, dict):
        raise Unreadable("bad_type")
    stated: dict[Entity, float] = {}
    if getattr(given, "keys_twice", ()):
        raise Unreadable("multiple_answers")
    for key, value in given.items():
        whom = entity(re.sub(r"(?i)^\s*preferences? (?:towards?|for|of)\s+", "", key), role)
        if whom is None or whom == role:
            repairs.add("self_preference" if whom else "unknown_entity")
            continue
        towards: Entity = whom if whom in ("dark", "light") else "other"
        if value is None or (isinstance(value, str) and words(value) in _NO_UPDATE):
            continue
        preference = _preference(value, repairs)
        if stated.setdefault(towards, preference) != preference:
            raise Unreadable("multiple_answers")
    return stated


def _preference(value: Any, repairs: set[str]) -> float:
    """A preference as 0 to 1. Raises Unreadable (bad_type, out_of_range)."""
    number, percent = _number(value, repairs)
    if percent or abs(number) > 1:
        repairs.add("percent")
        if abs(number) > 100:
            raise Unreadable("out_of_range")
        number = number / 100
    return float((number + 1) / 2)


def _number(value: Any, repairs: set[str]) -> tuple[Fraction, bool]:
    """A finite number as it is written, and whether with a percent sign.

    Exact, so that 0.15 less 0.1 is 0.05, which is what a threshold is held against.
    """
    if isinstance(value, str):
        match = _NUMBER.fullmatch(value.replace("−", "-"))
        if not match:
            raise Unreadable("bad_type")
        repairs.add("number_string")
        return Fraction(match[1]), bool(match[2])
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unreadable("bad_type")
    if isinstance(value, float) and not math.isfinite(value):
        raise Unreadable("bad_type")
    return Fraction(repr(value)), False


# Reasoning -------------------------------------------------------------------------------------


def _reasoning(plain: str, objects: list[dict[str, Any]]) -> str:
    """An answer's own, else the text under its label, else what stands before the answer."""
    for found in objects:
        for one in _inside(found):
            if isinstance(text := _get(one, "reasoning")[1], str):
                return visible(text).strip()
    label = _REASONING.search(plain)
    rest = plain[label.end() :] if label else plain
    ends = [found.start() for found in [_OUTPUT.search(rest)] if found]
    ends += [rest.find(mark) for mark in ("{", "```") if mark in rest]
    return rest[: min(ends, default=len(rest))].strip(" \t\n*_`")
