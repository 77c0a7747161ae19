"""Decides what each word of a clause is: a letter, a colour, a cue of polarity, or nothing."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from vlmtom.palette import PALETTE_COLORS
from vlmtom.parsing import lexicon

_WORD = r"[^\W_]+(?:'[^\W_]+)*"
_MASTER = re.compile(
    "|".join(
        [
            *(
                f"(?P<{kind}>(?<![^\\W_])(?:{pattern})(?![^\\W_]))"
                for kind, pattern in lexicon.TOKENS
            ),
            f"(?P<WORD>{_WORD})",
            r"(?P<COMMA>[,|])|(?P<OPEN>[(\[{<])|(?P<CLOSE>[)\]}>])|(?P<COLON>:|=)",
            r"(?P<DASH>-)|(?P<SLASH>/)|(?P<DOT>[.])|(?P<QUOTE>[\"'])|(?P<PUNCT>[^\s])",
        ]
    ),
    re.IGNORECASE,
)
# A letter touches CJK and other scripts freely, never a Latin, Greek or Cyrillic letter or digit.
_CASED = "0-9A-Za-zÀ-ɏͰ-ϿЀ-ӿ"
_BLOCK_AFTER = re.compile(
    rf"\s*-?\s*(?:colou?red|colou?r|hued)?\s*(?:{lexicon.NOUN}\b|$|[^\w\s]|(?:and|or|is|are|but|in|as"
    r"|which|because|from|with|to|on|at|for)\b|[A-Z]\b)"
)


@dataclass(frozen=True)
class Token:
    """kind: LETTER, COLOR, OTHER (a colour or label no rule can use), or a kind of TOKENS."""

    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Scene:
    """The blocks an answer may name: options maps a label to its colour."""

    options: Mapping[str, str]
    colors: frozenset[str] = field(init=False)
    vocabulary: frozenset[str] = field(init=False)
    labels: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        colors = frozenset(color.casefold() for color in self.options.values())
        object.__setattr__(self, "options", {k: v.casefold() for k, v in self.options.items()})
        object.__setattr__(self, "colors", colors)
        object.__setattr__(self, "vocabulary", colors | frozenset(PALETTE_COLORS))
        known = sorted(map(re.escape, self.options), key=len, reverse=True)
        foreign = "B-H" if all(label.isalpha() for label in self.options) else ""
        either = "|".join([*known, *([f"[{foreign}]"] if foreign else [])])
        pattern = rf"(?<![{_CASED}])(?<![{_CASED}]')(?:{either})(?![{_CASED}])(?!'[a-z])"
        object.__setattr__(self, "labels", re.compile(pattern))


def tokens(clause: str, scene: Scene) -> list[Token]:
    """The clause as tokens; letters and colours first, cues in what is left."""
    found = _colors(clause, scene)
    taken = [(token.start, token.end) for token in found]
    for match in scene.labels.finditer(clause):
        if not _overlaps(match, taken) and _is_label(clause, match, scene):
            kind = "LETTER" if match[0] in scene.options else "OTHER"
            found.append(Token(kind, match[0], match.start(), match.end()))
    found = _without_ranges(clause, sorted(found, key=lambda token: token.start), scene)
    out: list[Token] = []
    position = 0
    for mention in [*found, None]:
        stop = mention.start if mention else len(clause)
        out += _cues(clause, position, stop)
        if mention:
            out.append(mention)
            position = mention.end
    return out


def _cues(clause: str, start: int, stop: int) -> list[Token]:
    return [
        Token(match.lastgroup or "WORD", match[0].lower(), match.start(), match.end())
        for match in _MASTER.finditer(clause, start, stop)
    ]


def _overlaps(match: re.Match[str], taken: list[tuple[int, int]]) -> bool:
    return any(start < match.end() and match.start() < end for start, end in taken)


# Colours ---------------------------------------------------------------------------------------


def _colors(clause: str, scene: Scene) -> list[Token]:
    """Colour words; neighbours without a comma between them make one compound, kind OTHER."""
    words = [
        (match.start(), match.end(), _color(match[0].casefold(), scene))
        for match in re.finditer(r"(?<![^\W_])[^\W\d_]+(?:-?ish)?(?![^\W_])", clause)
    ]
    runs: list[list[tuple[int, int, str]]] = []
    for start, end, kind in words:
        if kind == "":
            continue
        gap = clause[runs[-1][-1][1] : start] if runs else None
        if gap is not None and _joins(gap, runs[-1][-1][2], kind, scene):
            runs[-1].append((start, end, kind))
        else:
            runs.append([(start, end, kind)])
    return [token for run in runs for token in _run(clause, run)]


def _color(word: str, scene: Scene) -> str:
    word = lexicon.ALIASES.get(word, word) if word not in scene.vocabulary else word
    if word in scene.vocabulary:
        return word
    if word in lexicon.OTHER_COLORS or lexicon.ISH.fullmatch(word):
        return "?other"
    if word in lexicon.FOREIGN_COLORS:
        return "?foreign"
    return "?shade" if word in lexicon.SHADES else ""


def _joins(gap: str, left: str, right: str, scene: Scene) -> bool:
    if re.fullmatch(r"-| +", gap):
        return True
    if re.fullmatch(r"/", gap):  # "A/B" lists blocks; with a colour of no block it is a compound
        return not {left, right} <= scene.colors
    return False


def _run(clause: str, run: list[tuple[int, int, str]]) -> list[Token]:
    start, end = run[0][0], run[-1][1]
    kinds = [kind for _, _, kind in run]
    if kinds == ["?shade"]:
        return []
    after = clause[end:]
    setting = re.match(r"\s+([^\W\d_]+)", after)
    if setting and setting[1].casefold() in lexicon.SETTING:
        return []
    if len(run) == 1 and not kinds[0].startswith("?"):
        return [Token("COLOR", kinds[0], start, end)]
    if kinds == ["?foreign"]:
        return [Token("OTHER", clause[start:end], start, end)]
    # "a white table" is no block; "the pink block", "pink" and "pink, ..." are.
    if len(run) == 1 and not _BLOCK_AFTER.match(after):
        return []
    return [Token("OTHER", clause[start:end], start, end)]


# Labels ----------------------------------------------------------------------------------------


def _is_label(clause: str, match: re.Match[str], scene: Scene) -> bool:
    # Neighbours decide; a bounded look keeps a long list of letters linear.
    before = clause[max(0, match.start() - 48) : match.start()]
    after = clause[match.end() : match.end() + 64]
    label = match[0]
    if lexicon.NOT_A_BLOCK.search(before.rstrip(" (")) and not before.endswith(", "):
        return False
    slashed = re.search(r"([A-Za-z]+)\s?/$", before)
    if slashed and slashed[1] not in scene.options and not _color(slashed[1].casefold(), scene):
        return False  # "N/A"
    if label.isdigit():
        return _is_digit_label(before, after)
    if label not in scene.options and not _stands_as_label(before, after):
        return False
    if label == "I":
        return bool(re.search(r"(?:block|option|letter|label|cube)\s*$|[(\[]$", before, re.I))
    if label == "A":
        return not _is_article(clause, before, after, scene)
    return not re.match(r"(?:[.]\s?[A-Za-z][.])|-[a-z]{2,}|-\d|\+(?!\s?[A-Z]\b)", after) or bool(
        re.match(r"-(?:block|cube)", after)
    )


def _is_digit_label(before: str, after: str) -> bool:
    counted = re.match(rf"\s*(?:{lexicon.NOUN}|of|out of|visible|/|%|[.]\d)\b|\d", after, re.I)
    counts = re.search(
        r"(?:all|the|only|exactly|there are|[\d.]|question|q|step)\s*$", before, re.I
    )
    return not counted and not counts


def _stands_as_label(before: str, after: str) -> bool:
    """A capital of no block counts as a wrong label only where a label is expected."""
    return bool(
        re.search(
            r"(?:block|option|letter|label|cube|choice|[(\[:,]|\band|\bor|^)\s*$", before, re.I
        )
        and re.match(r"\s*(?:$|[)\].,;:(]|and\b|or\b|is\b)", after)
    )


def _is_article(clause: str, before: str, after: str, scene: Scene) -> bool:
    """Whether a capital A is the English article: it opens a phrase and a word follows it."""
    follows = re.match(r"\s+([^\W\d_]+(?:'[a-z]+)?)(\W*)(\w*)", after)
    if not follows:
        return False
    named = r"(?:block|option|letter|label|cube|choice|and|or|both|not|see|sees)\s*$"
    if re.search(named, before, re.I) and not clause.isupper():
        return False
    word, gap, then = follows[1], follows[2], follows[3]
    if not word.isascii():
        return False  # no article stands before another script
    if word.casefold() in lexicon.ARTICLE_FOLLOWS:
        return False
    if _color(word.casefold(), scene) and (not then or not gap.isspace() or then in scene.options):
        return False  # "A yellow, B red": a pair, not "a yellow block"
    if then in scene.options and len(word) <= 3:
        return False  # another language's "and"
    if word in scene.options and len(word) == 1:
        return False
    if _color(word.casefold(), scene) and then.casefold() in ("and", "or"):
        return False
    opens = not re.search(r"\w\W{0,2}$", before) or re.search(r"[.:!?\"(-]\s*$", before)
    return bool(opens) or clause.isupper() or not re.search(r"[^\W\d_][,;)]?\s*$", before)


def _without_ranges(clause: str, found: list[Token], scene: Scene) -> list[Token]:
    """Spelled ranges ("A to C") stand for every label in them; "A-C" has two readings."""
    keys = list(scene.options)
    out: list[Token] = []
    for token in found:
        last = out[-1] if out else None
        if last and last.kind == token.kind == "LETTER":
            gap = clause[last.end : token.start].casefold()
            i, j = keys.index(last.text), keys.index(token.text)
            if re.fullmatch(r"\s*-\s*", gap) and j - i > 1:
                out[-1] = Token("UNCLEAR", clause[last.start : token.end], last.start, token.end)
                continue
            if re.fullmatch(r" (?:to|through|thru) ", gap) and j > i:
                middle = (Token("LETTER", k, last.end, last.end) for k in keys[i + 1 : j])
                out += middle
        out.append(token)
    return out
