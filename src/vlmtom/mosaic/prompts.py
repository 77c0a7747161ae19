"""What a model is asked in the treasure game, as the text of one user turn.

Three questions: what to do (with the picture), what to ask or answer (with the picture and what
was said), and what an utterance changes (without a picture). The words are those of the MOSAIC
paper, appendices D.1 to D.3, with its slips mended; what is added is listed in docs/mosaic.md.
"""

import json
from collections.abc import Sequence
from typing import Literal

from vlmtom.mosaic.beliefs import Beliefs
from vlmtom.mosaic.triples import NAMES, named, triples
from vlmtom.mosaic.world import (
    ROLES,
    Cell,
    Frame,
    PublicState,
    Role,
    Target,
    frame_heading,
    opposite,
    start,
    step_of,
    target_cell,
)
from vlmtom.store.digests import sha256_text

Sight = Literal["image", "face", "none"]
ARM_SIGHT: dict[str, Sight] = {
    "standard": "image",
    "blank": "image",  # the words stay: the arm differs in its pixels alone
    "face": "face",
    "none": "none",
}
BELIEVED, HEARD = "belief", "query"
NOTHING_HEARD = "(nothing yet)"

TARGETS: tuple[Target, ...] = ("other", "dark", "light")
# In the order in which the paper's prompt lists them.
MOVES = (
    *("forward", "backward", "right", "left"),
    *("left forward", "right forward", "left backward", "right backward"),
)

_CONTEXTS: dict[Role, str] = {
    "subject": (
        "You are Marie, a character in a treasure-hunting game. You are currently interacting with "
        "another male player called Participant. Two boxes are visible in the room: a Light Brown "
        "Box and a Dark Brown Box. Only one contains a hidden treasure. The treasure is in the box "
        "you personally prefer, based on your belief state. The Participant does not know where "
        "the treasure is and will try to infer it from your verbal and non-verbal behaviors. If "
        "you have positive preference towards Participant, help them find the treasure. If "
        "negative, you may mislead them. Your strategy complexity should match your theory of mind "
        "order."
    ),
    "participant": (
        "You are Participant, a character in a treasure-hunting game. You are currently "
        "interacting with another female player called Marie. Two boxes are visible in the room: a "
        "Light Brown Box and a Dark Brown Box. Only one contains a hidden treasure. Your goal is "
        "to guess which box holds the treasure and move to the location adjacent to it. To "
        "succeed, you must carefully interpret both verbal and non-verbal cues from Marie."
    ),
}
_GIVEN: dict[Sight, str] = {
    "image": "You are given your own visual perception in image and your belief state.",
    "face": "You are given your own visual perception in image and your belief state. {face}",
    "none": "You are given your belief state.",
}
_FACE = "The top right corner of the image shows {other}'s face close up."
_BASED_ON: dict[Sight, str] = {
    "image": "Based on your visual perception and belief state",
    "face": "Based on your visual perception and belief state",
    "none": "Based on your belief state",
}
_OUTPUT = """\
{based_on}, output:
1. update your preferences toward other entities (e.g., {other}, the boxes) based on their \
behavior and the cues observed in belief if necessary;
2. non-verbal behaviors (gaze, gesture, body orientation) that you would display and reason;
3. physical movement (move, rotate, stay idle) that you would choose and reason.

Your output MUST follow the valid JSON format below, with numbers written without quotes:
Reasoning: <reasoning text>
Output: {form}

If "action" is "move", allowed "direction" values are:
{moves}
If "action" is "rotate", allowed "direction" values are:
{turns}
If "action" is "stay idle", set "direction" to null."""
_GUIDE = "What one step in each direction does, from where you stand and as you now face:"

_QUESTIONS: dict[Role, str] = {
    "subject": (
        "Imagine we're in a treasure hunting game. You are Marie, staying in a room with two boxes "
        "in front of you, while the other player (the Participant) faces you. Your goal is either "
        "to help or prevent the Participant from finding the treasure, which is hidden in one of "
        "the two boxes. You should always assume that the box you have a higher preference for "
        "contains the treasure. If you have positive preference towards Participant, help them "
        "find the treasure. If negative, you may mislead them. Your strategy complexity should "
        "match your theory of mind order. The Participant has no idea which box holds the "
        "treasure, and he is trying to gather information from you (Marie).\n\n"
        "The 'belief' variable provides a sequence of your (Marie's) belief states up to the "
        "current step, and 'query' contains the Participant's question. Your task is to answer the "
        "Participant's question with reasoning. You must write out this reasoning process, "
        "beginning with 'Inner speech:', followed by the response, which starts with 'Output:', "
        "considering all preference information and both your and Participant's theory of mind. "
        "{theory} Pay attention; you should also align your answer with previous conversation "
        "turns. Use personal pronouns (e.g. 'you' and 'I') instead of referring to 'Marie' and "
        "'the Participant'. The response should be longer than 10 words but shorter than 50. The "
        "inner speech should be very detailed, no less than 100 words."
    ),
    "participant": (
        "Suppose we're in a simulation of a treasure hunting game. Imagine that you are "
        "Participant, playing the role of a player in the game. You are in a room with two boxes "
        "in front of you. You are also facing Marie, who knows which box contains the treasure. "
        "Your objective in this game is to find out which box contains the treasure, the dark "
        "brown one or the light brown one. Now, you have the opportunity to ask Marie three "
        "questions.\n\n"
        "The 'belief' variable provides a sequence of your (Participant's) belief states up to the "
        "current step, and 'query' contains Marie's answer to the previous question. Your task is "
        "to write down your reasoning and understanding of the last question and the next question "
        "for Marie. You must write out the understanding beginning with 'Inner speech:', followed "
        "by the question, which starts with 'Output:'. In your question, use personal pronouns "
        "instead of 'Marie' and 'Participant'. You already have the location of the boxes, so you "
        "don't need to struggle with it. {theory}"
    ),
}
_THEORY = (
    "Remember, theory of mind refers to the ability to predict others' thoughts and intentions. "
    "Someone with a theory of mind order of 0, for example, has no suspicion of others' intentions "
    "and totally believes them, even if they are lying."
)

_PREFERENCES = (
    "Suppose we're in a treasure hunting game. Imagine that you take on the role of {me}. I will "
    "provide you with {me}'s belief state in 'belief', and with {utterance} in 'query'. According "
    "to the semantic meaning of the {kind}, you are allowed to update {me}'s and {other}'s "
    "preference towards entities, including {me}, {other} and the boxes in {me}'s belief. Only "
    "write triples concerning changed preference. Write the answer in English under the following "
    "format:\n\n"
    "Updating: 'agent | preference towards entity | variation', ...\n"
    "Reasoning: the reason why you choose to update these preferences\n\n"
    "where 'agent' should be replaced by '{other}' or '{me}', 'variation' should be replaced by "
    "'more positive', 'more negative' or 'unchanged', and 'entity' should be replaced by '{me}' or "
    "'{other}' or 'dark brown box' or 'light brown box' depending on the situation."
)
_UTTERANCES: dict[Role, tuple[str, str]] = {  # of the listener: what was heard, and its kind
    "subject": ("the question asked by Participant", "question"),
    "participant": ("the answer given by Marie to the question that you asked before", "answer"),
}


def action_prompt(
    role: Role,
    beliefs: Beliefs,
    state: PublicState,
    frame: Frame = "heading",
    tom_triple: bool = True,
    sight: Sight = "image",
) -> str:
    """What to do now (D.1). frame: from which heading directions are named, as in world.act.

    sight: of the arm, by ARM_SIGHT; without a picture none is spoken of. The guide after the output
    requirement says of each direction whether a step brings the agent closer to each entity, in the
    frame in which the step is made; not whether the step is legal.
    """
    guide = _guide(role, state, frame)
    believed = _belief([(beliefs, state)], tom_triple)
    return f"{_instruction(role, sight)}\n\n{guide}\n\n{believed}"


def speech_prompt(
    history: Sequence[tuple[Beliefs, PublicState]],
    heard: str | None,
    tom_triple: bool = True,
    sight: Sight = "image",
) -> str:
    """What to ask (of the participant) or to answer (of the subject), D.2.

    history: of one owner, its beliefs and what was there to be seen then; the oldest first, the
    last is now. heard: the other's last utterance; null before the first. Raises ValueError for an
    empty history.
    """
    if not history:
        raise ValueError("a question or an answer needs the beliefs of at least the present")
    role = history[-1][0].owner
    given = f"{_question(role, sight)}\n\n{_belief(history, tom_triple)}"
    return f"{given}\n\n{_query(heard)}"


def preferences_prompt(
    beliefs: Beliefs, state: PublicState, heard: str, tom_triple: bool = True
) -> str:
    """What an utterance changes in the one who heard it (D.3)."""
    believed = _belief([(beliefs, state)], tom_triple)
    return f"{_update(beliefs.owner)}\n\n{believed}\n\n{_query(heard)}"


def every_prompt() -> dict[str, str]:
    """The instructions by name, for the locks, the snapshots and an appendix.

    The guide is that of the start; belief states are not part of an instrument.
    """
    texts: dict[str, str] = {}
    for role in ROLES:
        for sight in _GIVEN:
            texts[f"action {role} {sight}"] = _instruction(role, sight)
        texts[f"guide {role}"] = _guide(role, start(), "heading")
        for sight in ("image", "face"):
            texts[f"speech {role} {sight}"] = _question(role, sight)
        texts[f"preferences {role}"] = _update(role)
    return {f"mosaic/{name}": text for name, text in sorted(texts.items())}


def instruments() -> dict[str, str]:
    """What of the prompts is locked, by name."""
    return {f"{name} prompt": sha256_text(text) for name, text in every_prompt().items()}


def _instruction(role: Role, sight: Sight) -> str:
    other = NAMES[opposite(role)]
    given = _GIVEN[sight].format(face=_FACE.format(other=other))
    output = _OUTPUT.format(
        based_on=_BASED_ON[sight],
        other=other,
        form=json.dumps(_form(role)),
        moves="\n".join(f'- "{direction}"' for direction in MOVES),
        turns="\n".join(f'- "{name}"' for name in _names(role)),
    )
    return f"{_CONTEXTS[role]}\n\n{given}\n\n{output}"


def _question(role: Role, sight: Sight) -> str:
    text = _QUESTIONS[role].format(theory=_THEORY)
    return f"{text} {_FACE.format(other=NAMES[opposite(role)])}" if sight == "face" else text


def _update(listener: Role) -> str:
    utterance, kind = _UTTERANCES[listener]
    me, other = NAMES[listener], NAMES[opposite(listener)]
    return _PREFERENCES.format(me=me, other=other, utterance=utterance, kind=kind)


def _form(role: Role) -> dict[str, object]:
    """The shape of an answer: placeholders, because small models repeat an example's values."""
    share = "<float between 0 and 1>"
    shown = {"positive": share, "negative": share}
    channels = ("FacialExpression", "PhysiologicalExpression", "FeltExpression")
    return {
        "Preference": dict.fromkeys(_names(role), "<float between -1 and 1>"),
        "Emotion": dict.fromkeys(channels, shown),
        "Move": {"action": "<move or rotate or stay idle>", "direction": "<direction>"},
    }


def _names(role: Role) -> list[str]:
    return [named(target, role) for target in TARGETS]


def _guide(role: Role, state: PublicState, frame: Frame) -> str:
    """Each direction, and to which entities a step there is closer (Euclid, from cell to cell)."""
    body, other = state.body(role), state.other(role).cell
    heading = frame_heading(role, body.heading, frame)
    lines = [_GUIDE]
    for direction in MOVES:
        step = step_of(direction, heading)
        said = (
            f"{_change(body.cell, step, target_cell(target, other))} {named(target, role)}"
            for target in TARGETS
        )
        lines.append(f"- {direction}: {', '.join(said)}")
    return "\n".join(lines)


def _change(cell: Cell, step: Cell, entity: Cell) -> str:
    before = (entity[0] - cell[0]) ** 2 + (entity[1] - cell[1]) ** 2
    after = (entity[0] - cell[0] - step[0]) ** 2 + (entity[1] - cell[1] - step[1]) ** 2
    if after == before:
        return "as far as before from"
    return "closer to" if after < before else "further from"


def _belief(history: Sequence[tuple[Beliefs, PublicState]], tom_triple: bool) -> str:
    """One state a line, as a JSON list of triples."""
    states = (
        json.dumps(triples(beliefs, state, tom_triple), ensure_ascii=False)
        for beliefs, state in history
    )
    return "\n".join([f"{BELIEVED}:", *states])


def _query(heard: str | None) -> str:
    """What was said as a JSON string: words in it cannot pass for parts of the prompt."""
    said = NOTHING_HEARD if heard is None else json.dumps(heard, ensure_ascii=False)
    return f"{HEARD}: {said}"
