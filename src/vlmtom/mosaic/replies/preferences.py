"""Decides which preferences a reply lets an utterance change; a change that is not there is none.

Asked for is `Updating: 'agent | preference towards entity | variation', … Reasoning: …`.
"""

import re
import unicodedata
from dataclasses import dataclass

from vlmtom.mosaic.beliefs import Entity, Update
from vlmtom.mosaic.replies.words import (
    COLON,
    LABEL_END,
    LINE_START,
    PLACEHOLDER,
    entity,
    visible,
    words,
)
from vlmtom.mosaic.world import Role
from vlmtom.parsing import lexicon
from vlmtom.parsing.gate import cut_reasoning
from vlmtom.parsing.model import Reason, Unreadable
from vlmtom.parsing.text import normalise

_UPDATING = re.compile(rf"{LINE_START}(?:updating|updates?|updated preferences?){LABEL_END}")
_OUTPUT = re.compile(rf"{LINE_START}output{LABEL_END}")
_REASONING = re.compile(rf"{LINE_START}reasoning{LABEL_END}")
_REASONING_IN_TEXT = re.compile(rf"(?i)(?<![\w-])reasoning{COLON}")
# What stands between two triples. Cells hold none of it; "Marie's" is put right before.
_BETWEEN = re.compile(r"[\n;'\"“”‘’„`\[\]{}()]|,")
_RULE = re.compile(r"[\s|:-]*")

_DEGREE = r"(?:slightly|somewhat|much|a bit|a little|even|significantly|becomes|become) "
_VARIATION = re.compile(rf"(?:{_DEGREE})*(more|less) (positive|negative)")
_UNCHANGED = frozenset({"unchanged", "no change", "not changed", "remains unchanged"})
# "No preferences need to be updated": a word that denies, and of the rest only what goes with it.
_AGENT = r"(?:marie|participant)(?:'s)?"
_REST = (
    rf"(?:(?:{_AGENT}(?: (?:and|or) (?:the )?{_AGENT})?|any|the|my|our|their|his|her|its|these"
    r"|those|both|all|towards?|dark|light|brown|of|for|to|in|at|this|that|new|further"
    r"|additional|preferences?|beliefs?|states?|triples?|values?|entries|rows|agents?|box(?:es)?"
    r"|changed?|changes|changing|updated?|updates|updating"
    r"|adjust(?:ed|ments?)?|modif(?:y|ied|ications?)|is|are|was|were|be|been|being|have|has|had|do"
    r"|does|did|should|will|must|can|needs?|needed|require[sd]?|necessary|made|here|now|yet|time"
    r"|step|point|stage|turn|round|none|nothing|occur(?:s|red)?)(?: |$))"
)
_ALL = r"(?:(?:all|both|my|the|these|our|of|preferences?|beliefs?|everything|they|i|we) ){1,6}"
_HELD = r"(?:unchanged|the same|not changed|as they (?:are|were)|constant|stable)"
_NOTHING = re.compile(
    r"n/a|null|empty|unchanged|not applicable"
    rf"|(?:(?:there (?:is|are|was|were)|i (?:see|have|make)) )?(?:no|none|nothing)(?: |$){_REST}*"
    rf"|(?=.*\b(?:chang|updat|adjust|modif)){_ALL}"
    r"(?:(?:do|does|did|have|has|is|are|should|will|need|must|can) not"
    rf"|(?:do|does|did|have|has|is|are|should|wo|must|ca)n't)(?: |$){_REST}*"
    rf"|{_ALL}(?:(?:is|are|remains?|stays?|should|will|have|been|be|left|kept) ){{1,4}}{_HELD}"
    r"(?: (?:at|in|for|this|time|step|point|turn|round|now))*"
)
_SENTENCES = re.compile(r"[.;:!\n]+|,(?!\s{0,4}(?:as|because|since|given|due)\b)")
_SINCE = re.compile(r" (?:as|because|since|given|due to) ")
_CONTRAST = re.compile(
    r"\b(?:but|however|except|apart|besides|although|though|while|yet|instead|more|less|increas\w*"
    r"|decreas\w*|become\w*|should|must|now|update\w*|chang\w*)\b"
)
_FORM = frozenset({"agent", "preference towards entity", "entity", "variation"})


@dataclass(frozen=True)
class PreferencesRead:
    """The changes in the order in which they stand, or why they could not be read.

    updates: null where `parsed` is false; empty where nothing changed. ignored: rows that change
    nothing the game has, as they stand: someone's liking of itself, feelings, orders. reason: of
    parsing.REASONS.
    """

    updates: tuple[Update, ...] | None
    ignored: tuple[str, ...] = ()
    reason: Reason | None = None
    repairs: tuple[str, ...] = ()

    @property
    def parsed(self) -> bool:
        """Whether the changes could be read."""
        return self.updates is not None


def read_preferences(text: str, reader: Role | None = None) -> PreferencesRead:
    """The updates of a reply.

    reader: whose reply it is; then "I" and "me" are its own. A row that names no agent, no entity
    or no variation of the closed lists leaves the reply unread, and so do two that contradict each
    other. "less negative" is more positive. Paper, appendix D.3.
    """
    gated = cut_reasoning(text)
    if gated.text is None:
        return PreferencesRead(None, reason=gated.reason)
    plain = unicodedata.normalize("NFKC", visible(gated.text))
    section, labelled = _section(plain)
    repairs: set[str] = set() if labelled else {"no_label"}
    updates: dict[tuple[Role, Entity], float | None] = {}
    ignored: list[str] = []
    try:
        rows = _rows(section, repairs)
        if not rows and not (labelled and _says_nothing(section)):
            refused = lexicon.REFUSAL.search(normalise(plain[:2000]))
            raise Unreadable("refusal" if refused and not labelled else "no_answer")
        for cells in rows:
            if all(words(cell) in _FORM or PLACEHOLDER.fullmatch(cell) for cell in cells):
                if len(rows) == 1:
                    raise Unreadable("no_answer")
                continue
            found = _update(cells, reader)
            if found is None:
                ignored.append(" | ".join(cells))
                repairs.add("row_ignored")
                continue
            whose, whom, towards = found
            if updates.setdefault((whose, whom), towards) != towards:
                raise Unreadable("multiple_answers")
    except Unreadable as error:
        return PreferencesRead(None, reason=error.reason)
    changed = tuple(
        Update(whose, whom, towards)
        for (whose, whom), towards in updates.items()
        if towards is not None
    )
    return PreferencesRead(changed, tuple(ignored), repairs=tuple(sorted(repairs)))


def _section(plain: str) -> tuple[str, bool]:
    """The text under `Updating:` up to `Reasoning:`, or the whole without a label."""
    label = _UPDATING.search(plain) or _OUTPUT.search(plain)
    start = label.end() if label else 0
    rest = plain[start:]
    end = _REASONING.search(rest) or (_REASONING_IN_TEXT.search(rest) if label else None)
    return rest[: end.start()] if end else rest, label is not None


def _rows(section: str, repairs: set[str]) -> list[tuple[str, str, str]]:
    section = re.sub(r"(?i)(?<=\w)['’]s\b", "", section)
    rows = []
    for piece in _BETWEEN.split(section):
        if "|" not in piece or _RULE.fullmatch(piece):
            continue
        cells = [cell.strip(" \t*_.-") for cell in piece.strip().strip("|").split("|")]
        if len(cells) == 4:  # "Marie | preference towards | dark brown box | more positive"
            repairs.add("extra_bar")
            cells = [cells[0], f"{cells[1]} {cells[2]}", cells[3]]
        if len(cells) != 3:
            raise Unreadable("missing_field")
        # "Updating: 1. Marie | …" and "- Marie | …"
        cells[0] = re.sub(r"^\W*(?:\d{1,3}[.)]\s*)?", "", cells[0])
        rows.append((cells[0], cells[1], cells[2]))
    return rows


def _says_nothing(section: str) -> bool:
    """Whether a section is empty or says that all stays as it is; a reason may follow."""
    sentences = _SENTENCES.split(section)
    if len(section) >= 400 or any(len(one) > 190 for one in sentences):  # words() cuts at 200
        return False
    said = [" ".join(words(one).strip(" {}<>").split()) for one in sentences]
    return all(map(_is_nothing, filter(None, said)))


def _is_nothing(sentence: str) -> bool:
    since = _SINCE.search(sentence)
    if since is None:
        return bool(_NOTHING.fullmatch(sentence))
    head = sentence[: since.start()]
    contrast = _CONTRAST.search(sentence, since.end())
    return head != "no" and not contrast and bool(_NOTHING.fullmatch(head))


def _update(
    cells: tuple[str, str, str], reader: Role | None
) -> tuple[Role, Entity, float | None] | None:
    """Whose liking of what, and towards what; null for a row that the game does not have."""
    agent = entity(cells[0], reader)
    if agent is None:
        raise Unreadable("off_vocabulary")
    about = words(cells[1])
    if re.search(r"\b(?:emotion|valence|theory of mind|position|orientation)\b", about):
        return None
    whom = entity(re.sub(r"^preferences? (?:towards?|for|of|to)?", "", about), reader)
    if whom is None:
        boxes = len(re.findall(r"\b(?:dark|light)", about))
        raise Unreadable("multiple_answers" if boxes > 1 else "off_vocabulary")
    towards = _towards(words(cells[2]))
    if agent in ("dark", "light"):
        raise Unreadable("off_vocabulary")
    if agent == whom:
        return None
    return agent, whom if whom in ("dark", "light") else "other", towards


def _towards(variation: str) -> float | None:
    """1 for more positive, 0 for more negative, null for unchanged."""
    if variation in _UNCHANGED:
        return None
    match = _VARIATION.fullmatch(variation)
    if match is None:
        raise Unreadable("off_vocabulary")
    return 1.0 if (match[1] == "more") == (match[2] == "positive") else 0.0
