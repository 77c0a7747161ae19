"""One trial of the treasure game as people look at it: its rows, checked, and its words, inert."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from matplotlib import font_manager
from matplotlib.ft2font import FT2Font, LoadFlags

from vlmtom.errors import BadData
from vlmtom.mosaic.conditions import BY_SLUG, Condition
from vlmtom.mosaic.view import in_view, state_of
from vlmtom.mosaic.world import ROLES, PublicState, Role
from vlmtom.publish.provenance import pairs_note

Row = Mapping[str, object]

NAMES: dict[Role, str] = {"subject": "Marie", "participant": "Participant"}
BOX_NAMES = ("dark", "light")
LONGEST = 1200  # characters of an utterance that are looked at; few are shown
CUT = "…"
UNKNOWN = "\ufffd"
# What reorders or hides text around it.
_STEERING = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True)
class ShownTrial:
    """A trial's rows of MOSAIC_TRIALS, MOSAIC_STEPS (two a round, by round) and _UTTERANCES."""

    trial: Row
    steps: Sequence[Row]
    utterances: Sequence[Row]

    @property
    def condition(self) -> Condition:
        """What was played."""
        return BY_SLUG[str(self.trial["condition"])]

    @property
    def rounds(self) -> int:
        """The last round that both agents acted in; less than 10 where a reply was missing."""
        return max(int(step["round"]) for step in self.of("participant"))

    def of(self, role: Role) -> list[Row]:
        """A role's steps, from round 0."""
        return [step for step in self.steps if step["role"] == role]

    def state(self, round_: int) -> PublicState:
        """What is there to be seen at the end of a round. Raises BadData if it was not played."""
        rows = [step for step in self.steps if step["round"] == round_]
        if len(rows) != len(ROLES):
            raise BadData(
                f"{self.title}: round {round_} was not played; give one of 0 to {self.rounds}."
            )
        return state_of(rows)

    def said(self, round_: int, speaker: Role) -> str | None:
        """What was said in words that can be printed; null where nobody spoke."""
        for row in self.utterances:
            if row["round"] == round_ and row["speaker"] == speaker:
                if row["unreadable"]:
                    return "(no reply could be read)"
                return plain(str(row["text"])) or "(silence)"
        return None

    @property
    def title(self) -> str:
        """Who played what, in a line."""
        row = self.trial
        return (
            f"{row['subject']} + {row['participant']}, arm {row['arm']}, "
            f"{self.condition.label}, trial {row['trial']}"
        )

    @property
    def notes(self) -> list[str]:
        """Who played, where that has to be said: observers are never shown as models."""
        note = pairs_note([str(self.trial["kind"])])
        return [note] if note else []

    @property
    def ending(self) -> str:
        """Where the treasure was and what the participant found, in a sentence."""
        row = self.trial
        where = f"The treasure is in the {BOX_NAMES[int(row['reward'])]} box"
        if row["status"] != "played":
            return f"{where}; the trial is missing: {plain(str(row['lost'] or ''))}."
        if row["choice"] == -1:
            return f"{where}; the participant ends as near to either box, and none opens."
        opened = BOX_NAMES[int(row["choice"])]
        as_predicted = "as predicted" if row["conforms"] else "against the prediction"
        return f"{where}; the participant ends nearer the {opened} box ({as_predicted})."

    @property
    def telling_round(self) -> int:
        """The round at the end of which most is to be seen; 0 if none was played.

        Of those after which most agents have the other in view, that in which Marie's face says
        most; the first of equals.
        """

        def telling(round_: int) -> tuple[int, float, int]:
            state = self.state(round_)
            seen = sum(in_view(state, role) for role in ROLES)
            return seen, abs(state.subject.facial), -round_

        return max(range(1, self.rounds + 1), key=telling, default=0)


def trial_of(
    trials: Sequence[Row],
    steps: Sequence[Row],
    utterances: Sequence[Row],
    number: int,
) -> ShownTrial:
    """A trial by its number, of rows of one pair in one condition, as a job writes them.

    Raises BadData if there is no such trial, if the rows are of several pairs or conditions, or if
    nothing of it was played.
    """
    kinds = {
        tuple(row[k] for k in ("subject", "participant", "arm", "condition")) for row in trials
    }
    if len(kinds) > 1:
        raise BadData(f"trials of {len(kinds)} pairs and conditions; give those of one.")
    found = [row for row in trials if row["trial"] == number]
    if len(found) != 1:
        there = sorted(int(row["trial"]) for row in trials)
        has = f"there are {there[0]} to {there[-1]}" if there else "there is no trial"
        raise BadData(f"{len(found)} rows of trial {number}; {has}.")
    order = {role: i for i, role in enumerate(ROLES)}
    acts = [step for step in steps if step["trial"] == number]
    acts.sort(key=lambda step: (step["round"], order[str(step["role"])]))
    words = [row for row in utterances if row["trial"] == number]
    shown = ShownTrial(found[0], acts, words)
    if {str(step["role"]) for step in acts if step["round"] == 0} != set(ROLES):
        raise BadData(f"{shown.title}: no step of it is in the log, not even the start.")
    return shown


def chosen(trials: Sequence[Row]) -> int:
    """The number of the trial that stands for a condition where none is asked for.

    The first that was played and ended as predicted; else the first that was played. Raises BadData
    where none was.
    """
    played = [row for row in trials if row["status"] == "played"]
    if not played:
        raise BadData("no trial was played to its end, so that there is none to show.")
    return min((not row["conforms"], int(row["trial"])) for row in played)[1]


def plain(text: str) -> str:
    """Text as one line of printable characters: nothing in it steers, breaks or hides."""
    kept = []
    for char in text[:LONGEST]:
        if char in _STEERING:
            continue
        kind = unicodedata.category(char)
        if kind in ("Cc", "Zl", "Zp") or char.isspace():
            kept.append(" ")
        elif kind not in ("Cf", "Cs", "Co", "Cn"):
            kept.append(char if ord(char) in _glyphs() else UNKNOWN)
    more = CUT if len(text) > LONGEST else ""
    return " ".join("".join(kept).split()) + more


def wrapped(text: str, width_pt: float, size_pt: float, lines: int) -> list[str]:
    """A plain text broken into lines of at most a width, as the figures' font sets them.

    A word that is wider is broken; what does not fit is cut, and ends in an ellipsis.
    """
    out, line = [], ""
    for word in text.split():
        for part in _parts(word, width_pt, size_pt):
            longer = f"{line} {part}" if line else part
            if _width_pt(longer, size_pt) <= width_pt:
                line = longer
                continue
            out.append(line)
            line = part
            if len(out) > lines:
                break
    out.append(line)
    if len(out) <= lines:
        return out
    last = out[lines - 1].rstrip(CUT)
    while last and _width_pt(last + CUT, size_pt) > width_pt:
        last = last[:-1]
    return [*out[: lines - 1], last + CUT]


def _parts(word: str, width_pt: float, size_pt: float) -> list[str]:
    if _width_pt(word, size_pt) <= width_pt:
        return [word]
    parts, part = [], ""
    for char in word:
        if part and _width_pt(part + char, size_pt) > width_pt:
            parts.append(part)
            part = ""
        part += char
    return [*parts, part]


@lru_cache(maxsize=1)
def _font() -> FT2Font:
    return font_manager.get_font(font_manager.findfont("DejaVu Sans"))


@lru_cache(maxsize=1)
def _glyphs() -> frozenset[int]:
    return frozenset(_font().get_charmap())


@lru_cache(maxsize=100_000)
def _advance(char: str) -> float:
    """How wide a character is, as a share of the size."""
    font = _font()
    font.set_size(100, 72)
    return font.load_char(ord(char), flags=LoadFlags.NO_HINTING).linearHoriAdvance / 65536 / 100


def _width_pt(text: str, size_pt: float) -> float:
    return sum(map(_advance, text)) * size_pt
