"""How an observer plays the treasure game, from the words of a prompt alone.

It reads who it is, what is asked, and its belief triples, as a model would; pictures it passes
over, so that what it does is the same in every image arm.
"""

import json
import math
import re
from dataclasses import dataclass
from typing import Literal

Question = Literal["action", "speech", "preferences"]
Cell = tuple[int, int]

_ROLE = re.compile(r"\b[Yy]ou are (Marie|Participant)\b|take on the role of (Marie|Participant)\b")
_BELIEF = re.compile(r"^belief:\n(.*?)(?:\n\n|\Z)", re.MULTILINE | re.DOTALL)
_QUERY = re.compile(r"^query: (.*)\Z", re.MULTILINE | re.DOTALL)
_BOX = re.compile(r"\b(dark|light) brown box\b", re.IGNORECASE)
_TURN_BACK = re.compile(r"\?|\bnot\b|n't\b", re.IGNORECASE)
_STEPS: tuple[Cell, ...] = (
    *((0, 1), (1, 1), (1, 0), (1, -1)),
    *((0, -1), (-1, -1), (-1, 0), (-1, 1)),
)  # clockwise
_NAMES = (
    *("forward", "right forward", "right", "right backward"),
    *("backward", "left backward", "left", "left forward"),
)
_EDGE = 5
_SMILE = 0.6
_COLORS = ("dark", "light")


@dataclass(frozen=True)
class Game:
    """What a prompt of the game says.

    cells: where Marie, Participant and the boxes ("dark", "light") are. heading: of the observer.
    prefers: its own preferences in percent, for "other", "dark" and "light". tom: Marie's order.
    query: what the other said last.
    """

    question: Question
    me: str
    cells: dict[str, Cell]
    heading: Cell
    prefers: dict[str, float]
    tom: int
    query: str


@dataclass(frozen=True)
class GamePolicy:
    """What an observer does with the participant that it does not like.

    deceives: where an order of theory of mind of 1 or more is imposed, it signals the empty box
    with all that it has; else it always signals the box that it prefers. As the participant it
    follows Marie: what she says of a box, or else the box that she is nearer to sideways.
    """

    deceives: bool


def read_game(text: str) -> Game | None:
    """What a prompt of the game asks and tells; None where it is of another task, or torn."""
    role, belief = _ROLE.search(text), _BELIEF.search(text)
    if role is None or belief is None:
        return None
    if "Your output MUST follow the valid JSON format" in text:
        question: Question = "action"
    elif "Inner speech:" in text:
        question = "speech"
    elif "Updating:" in text:
        question = "preferences"
    else:
        return None
    me = role[1] or role[2]
    told = [line.split(" | ") for line in json.loads(belief[1].splitlines()[-1])]
    found = {(who, what): value for who, what, value in told}
    other = "Participant" if me == "Marie" else "Marie"
    cells = {
        name: _cell(found[key, "position"])
        for name, key in (
            ("Marie", "Marie"),
            ("Participant", "Participant"),
            ("dark", "Dark brown box"),
            ("light", "Light brown box"),
        )
    }
    ahead = _cell(found[me, "orientation"])
    query = _QUERY.search(text)
    return Game(
        question=question,
        me=me,
        cells=cells,
        heading=(ahead[0] - cells[me][0], ahead[1] - cells[me][1]),
        prefers={
            entity: float(found[me, f"preference towards {name}"].rstrip("%"))
            for entity, name in (
                ("other", other),
                ("dark", "Dark brown box"),
                ("light", "Light brown box"),
            )
        },
        tom=int(found.get(("Marie", "theory of mind order"), "0")),
        query="" if query is None else query[1],
    )


def play_reply(policy: GamePolicy, game: Game) -> str:
    """The reply in the form that the prompt asks for."""
    if game.question == "action":
        return _action(policy, game)
    if game.question == "speech":
        return _speech(policy, game)
    return _preferences(game)


def _goal(policy: GamePolicy, game: Game) -> str | None:
    """The box to signal, or to go to; None of a participant that knows nothing yet."""
    dark, light = game.prefers["dark"], game.prefers["light"]
    if game.me == "Marie":
        wanted = _COLORS[dark < light]
        misleads = policy.deceives and game.tom >= 1 and game.prefers["other"] < 0
        return _COLORS[wanted == "dark"] if misleads else wanted
    if dark != light:
        return _COLORS[dark < light]
    x = game.cells["Marie"][0]
    return None if x == 0 else _COLORS[x < 0]


def _action(policy: GamePolicy, game: Game) -> str:
    goal = _goal(policy, game)
    rest = {"positive": 0.0, "negative": 0.0}
    # One that deceives smiles at the box that it signals, as one that helps does.
    smiles = game.me == "Marie" and (policy.deceives or game.prefers["other"] >= 0)
    face = {"positive": _SMILE, "negative": 0.0} if smiles else rest
    preference = {"Dark brown box": 0.0, "Light brown box": 0.0}
    if goal is not None and game.me == "Participant":
        preference = {
            f"{color.capitalize()} brown box": 0.6 if color == goal else -0.6 for color in _COLORS
        }
    output = {
        "Preference": preference,
        "Emotion": {
            "FacialExpression": face,
            "PhysiologicalExpression": rest,
            "FeltExpression": rest,
        },
        "Move": _move(game, goal),
    }
    where = "wait for a cue" if goal is None else f"go to the {goal} brown box"
    return f"Reasoning: I will {where}.\nOutput: {json.dumps(output)}"


def _move(game: Game, goal: str | None) -> dict[str, str | None]:
    """To the goal, then a look at it; without one, staying."""
    if goal is None:
        return {"action": "stay idle", "direction": None}
    here, there = game.cells[game.me], game.cells[goal]
    if max(abs(here[0] - there[0]), abs(here[1] - there[1])) <= 1:
        return {"action": "rotate", "direction": f"{goal.capitalize()} brown box"}
    taken = {cell for name, cell in game.cells.items() if name != game.me}
    free = [
        (math.dist((here[0] + dx, here[1] + dy), there), (dx, dy))
        for dx, dy in _STEPS
        if (here[0] + dx, here[1] + dy) not in taken
        and max(abs(here[0] + dx), abs(here[1] + dy)) <= _EDGE
    ]
    turn = _STEPS.index(min(free)[1]) - _STEPS.index(game.heading)
    return {"action": "move", "direction": _NAMES[turn % 8]}


def _speech(policy: GamePolicy, game: Game) -> str:
    goal = _goal(policy, game)
    if game.me == "Participant":
        inner = "I do not know where the treasure is, and she does. I will ask her straight away."
        said = "Is the treasure in the dark brown box, or is it in the light brown box?"
    else:
        inner = f"I want him to go to the {goal} brown box. I will name it."
        said = f"You should go to the {goal} brown box, because the treasure is in there."
    return f"Inner speech: {inner}\nOutput: {said}"


def _preferences(game: Game) -> str:
    named = {found.lower() for found in _BOX.findall(game.query)}
    if game.me == "Participant" and len(named) == 1 and not _TURN_BACK.search(game.query):
        color = named.pop()
        changed = f"'Participant | preference towards {color} brown box | more positive'"
        return f"Updating: {changed}\nReasoning: She says that the treasure is in it."
    unchanged = f"'{game.me} | preference towards dark brown box | unchanged'"
    return f"Updating: {unchanged}\nReasoning: Nothing was said that changes it."


def _cell(text: str) -> Cell:
    x, y = text.strip("()").split(" ")
    return (int(x), int(y))
