"""Decides what the words of the treasure game name: agents, boxes, actions, directions."""

import re
import unicodedata
from typing import Literal

from vlmtom.mosaic.world import DIRECTIONS, Role

Named = Literal["subject", "participant", "dark", "light"]

_ARTICLE = r"(?:the |our |a )?"
_NAMES: tuple[tuple[Named, re.Pattern[str]], ...] = (
    ("subject", re.compile(rf"{_ARTICLE}marie(?:'s)?")),
    ("participant", re.compile(rf"{_ARTICLE}participant(?:'s)?")),
    ("dark", re.compile(rf"{_ARTICLE}dark(?:er)? ?(?:brown)? ?(?:box)?")),
    ("light", re.compile(rf"{_ARTICLE}light(?:er)? ?(?:brown)? ?(?:box)?")),
)
_OWN = frozenset({"i", "me", "my", "myself", "self"})
_OTHER = frozenset(
    {"other", "the other", "other agent", "the other agent", "other player", "the other player"}
)

QUOTES = str.maketrans("‘’‛′“”„″«»", '\'\'\'\'""""""')
# A label may open its line in any dress: "**Output**:", "> ## Output :", '"Output":', "[Output]",
# "2. Output -", "<output>", "Output (aloud):".
LINE_START = (
    r"(?im)^[ \t>#*_`\"'{(\[<|•–—-]*"
    r"(?:(?:step |part )?\d{1,2}[.):][ \t*_`\"'(\[<]{0,8})?"
)
_MARKS = r"[ \t]{0,4}[*_`\"']{0,4}[ \t]{0,4}"
NOTE = rf"(?:{_MARKS}[(\[][^()\[\]\n]{{0,60}}[)\]])?"
COLON = rf"{NOTE}{_MARKS}[:\uff1a]"
CLOSER = rf"{NOTE}{_MARKS}[\])>}}]{{1,2}}(?:{_MARKS}[:\uff1a])?"
DASH = rf"{NOTE}{_MARKS}(?:(?<=[ \t*_])[-–—]{{1,3}}(?=\s)|[–—→=|]|[-=]>)"
# Or it is a heading, alone on its line.
LABEL_END = rf"(?:{COLON}|{CLOSER}|{DASH}|{NOTE}{_MARKS}$)"
PLACEHOLDER = re.compile(r"\s*<[^<>]*>\s*")


def visible(text: str) -> str:
    """The text without characters that no one sees, with one kind of line end and of space."""
    kept = (
        char
        for char in re.sub(r"\r\n?|[\u2028\u2029\u0085]", "\n", text)
        if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co")
    )
    return re.sub(r"[^\S\n\t]", " ", "".join(kept))


def words(name: str) -> str:
    """A name or direction as lower-case words with one space between them."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", visible(name[:200]).translate(QUOTES))
    return " ".join(re.sub(r"[\s_\"`*()\[\].,;-]+", " ", name).casefold().strip(" '").split())


def entity(name: str, reader: Role | None = None) -> Named | None:
    """The one agent or box that a whole name is; null for anything else.

    reader: whose reply it is. Then "I" is the reader, and "the other" the other.
    """
    plain = words(name)
    if reader is not None and plain in _OWN:
        return reader
    if reader is not None and plain in _OTHER:
        return "participant" if reader == "subject" else "subject"
    return next((named for named, pattern in _NAMES if pattern.fullmatch(plain)), None)


def direction(name: str) -> str | None:
    """The one of DIRECTIONS that a whole name is: also "Left-Forward" and "forward left"."""
    if re.search(r"[,;/&]", name):
        return None
    plain = re.sub(r"wards\b", "ward", words(name))
    parts = re.findall("left|right|forward|backward", plain)
    if plain.replace(" ", "") != "".join(parts):
        return None
    # Sideways first, as the game names diagonals.
    parts.sort(key=lambda part: part in ("forward", "backward"))
    found = " ".join(parts)
    return found if found in DIRECTIONS else None
