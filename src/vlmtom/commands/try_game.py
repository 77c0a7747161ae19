"""What `vlmtom try` asks in the treasure game: each role's first call, in one condition."""

from collections.abc import Mapping, Sequence
from typing import Any

from vlmtom.commands.games import Part, Place, first_request, parts_of
from vlmtom.commands.shown import GAME_PX, Instrument
from vlmtom.mosaic.conditions import BY_SLUG
from vlmtom.mosaic.world import Role
from vlmtom.settings import MOSAIC, MosaicCondition, Registry, Settings
from vlmtom.store.digests import sha256_bytes

CONDITION: MosaicCondition = "comp-tom1"  # the one that asks most of the subject

Row = Mapping[str, Any]


def first_calls(settings: Settings, registry: Registry, tester: str) -> Instrument:
    """An item for each role that a model has in one pair, with nothing said or done before.

    The pair is the first of those in which it is asked most. A model that only lends its voice is
    asked for its words, another one for its action. What the participant would see of the subject's
    first move is not known; it is asked of the start as well.
    """
    from vlmtom.mosaic.pictures import Views
    from vlmtom.mosaic.table import trials_of

    parts = [p for p in parts_of(settings, registry, tester) if p.spec.condition == CONDITION]
    part = max(parts, key=lambda one: one.planned)
    views = Views(part.arm)
    trial = trials_of(part.play)[0]
    items, pictures = [], {}
    for place in _first_places(part):
        request = first_request(part, place, trial, views.show)
        for digest in request.turns[0].pictures:
            pictures[digest] = views.png(digest)
        items.append(
            {
                "item_id": request.item_id,
                "experiment": MOSAIC,
                "arm": part.arm,
                "stimulus": f"{BY_SLUG[CONDITION].label} {place.role}",
                "sub_prompt": place.asked_for,
                "batch": request.batch,
                "trials": 1,
                "reasoning": False,
                "turns": [
                    {"role": "user", "text": turn.text, "pictures": [*turn.pictures], "video": None}
                    for turn in request.turns
                ],
            }
        )
    return Instrument(items, (), [_picture(digest, png) for digest, png in pictures.items()])


def _first_places(part: Part) -> list[Place]:
    """Of each role its first call that rests on nothing that was said."""
    spoken = ("action", "question", "answer")
    return [next(place for place in seat if place.asked_for in spoken) for seat in part.seats]


def _picture(digest: str, png: bytes) -> dict[str, Any]:
    return {
        "pixel_sha256": digest,
        "image": {"bytes": png, "path": f"{digest[:16]}.png"},
        "file_sha256": sha256_bytes(png),
        "width": GAME_PX[0],
        "height": GAME_PX[1],
    }


def outcomes(replies: Sequence[Row], items: Sequence[Row]) -> list[dict[str, Any]]:
    """What was read in each reply, as words under `read`, in order; `parse` as in outcomes."""
    asked = {item["item_id"]: item for item in items}
    return [
        {"item_id": reply["item_id"], "read": _read(reply, asked[reply["item_id"]])}
        for reply in replies
    ]


def _read(reply: Row, item: Row) -> dict[str, str]:
    role: Role = "subject" if item["stimulus"].endswith("subject") else "participant"
    if item["sub_prompt"] == "action":
        return _action(reply, role)
    return _speech(reply, role)


def _action(reply: Row, role: Role) -> dict[str, str]:
    from vlmtom.mosaic.intentions import stated_box
    from vlmtom.mosaic.replies.actions import read_action
    from vlmtom.mosaic.triples import BOX_NAMES, named, number

    heads = dict.fromkeys(("action", "face, skin, felt", "preferences", "says it goes to"), "–")
    if reply["status"] != "ok":
        return heads | {"action": "missing", "repairs": "–"}
    found = read_action(reply["text"], role)
    if not found.parsed:
        return heads | {"action": f"unparsed ({found.reason})", "repairs": "–"}
    action, box = found.action, stated_box(found.reasoning, role)
    shown = (action.facial, action.physiological, action.felt)
    target = action.direction
    if action.kind == "rotate":
        target = f"to {named(action.direction, role)}"
    stated = (f"{named(entity, role)} {number(2 * p - 1)}" for entity, p in found.preferences)
    return {
        "action": " ".join(filter(None, (action.kind, target))),
        "face, skin, felt": ", ".join(number(value) for value in shown),
        "preferences": ", ".join(stated) or "–",
        "says it goes to": "–" if box is None else BOX_NAMES[box],
        "repairs": ", ".join(found.repairs) or "–",
    }


def _speech(reply: Row, role: Role) -> dict[str, str]:
    from vlmtom.mosaic.replies.speech import read_speech

    if reply["status"] != "ok":
        return {"said": "missing", "flags": "–", "repairs": "–"}
    found = read_speech(reply["text"], role)
    return {
        "said": found.text if found.parsed else f"unparsed ({found.reason})",
        "flags": ", ".join(found.flags) or "–",
        "repairs": ", ".join(found.repairs) or "–",
    }
