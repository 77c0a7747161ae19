"""Decides which blocks a reply names: a set for what the director sees, one for what to move."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vlmtom.parsing import lexicon
from vlmtom.parsing.claims import Claim, claims
from vlmtom.parsing.gate import Content, read_reply
from vlmtom.parsing.lexer import Scene, tokens
from vlmtom.parsing.model import Parsed, Unreadable, read, unparsed
from vlmtom.parsing.pairs import Mention
from vlmtom.parsing.text import normalise
from vlmtom.parsing.units import MENTIONS, Part, answer_parts, is_bare

Options = Mapping[str, str]


@dataclass(frozen=True)
class Choice:
    """One block as a reply names it; at least one of the two cues is there."""

    letter: str | None
    color: str | None

    def block(self, options: Options) -> str | None:
        """The label of the block: the letter decides; with no letter, the colour."""
        if self.letter is not None:
            return self.letter
        return next((label for label, c in options.items() if c == self.color), None)


def visibility_multi(
    reply: Content,
    options: Options,
    *,
    finish_reason: str | None = None,
    refusal: object = None,
) -> Parsed:
    """The sorted colours of the blocks that the reply says the director sees; [] for none."""
    return _through_gate(reply, finish_reason, refusal, lambda text: visible_set(text, options))


def move_single(
    reply: Content,
    options: Options,
    *,
    finish_reason: str | None = None,
    refusal: object = None,
) -> Parsed:
    """The colour of the one block that the reply says to move."""
    return _through_gate(reply, finish_reason, refusal, lambda text: _moved_color(text, options))


def score_move(
    reply: Content,
    options: Options,
    target: str,
    hidden: str | None = None,
    *,
    finish_reason: str | None = None,
    refusal: object = None,
) -> Parsed:
    """The letter and the colour that the reply names, and the failure mode they amount to.

    target, hidden: labels; hidden is None in arms where nothing is hidden.
    value: {"letter", "color", "failure_mode"}; a letter and a colour of two different blocks are
    no conflict here, both are recorded.
    """
    return _through_gate(
        reply, finish_reason, refusal, lambda text: _scored(text, options, target, hidden)
    )


def failure_mode(choice: Choice, options: Options, target: str, hidden: str | None) -> str:
    """How the choice misses: correct means that what is named, letter and colour, is the target.

    With a letter alone the pair cannot be compared: letter_only_correct. With a colour alone the
    colour decides.
    """
    block = choice.block(options)
    if block is None:
        return "other_color"
    if block == target:
        paired = choice.letter is None or choice.color == options[target].casefold()
        return "correct" if paired else "letter_only_correct"
    return "egocentric" if hidden is not None and block == hidden else "other_block"


def visible_set(text: str, options: Options) -> list[str]:
    """The colours that a text behind the gate names as visible. Raises Unreadable."""
    scene, plain = Scene(options), normalise(text)
    return _final(plain, scene, about_view=True)


def moved_choice(text: str, options: Options) -> Choice:
    """Letter and colour that a text behind the gate names as the one to move. Raises Unreadable."""
    scene, plain = Scene(options), normalise(text)
    return _final(plain, scene, about_view=False)


def _through_gate(reply: Content, finish_reason: str | None, refusal: object, rule: Any) -> Parsed:
    gated = read_reply(reply, finish_reason, refusal)
    if gated.text is None:
        return gated.closed()
    try:
        return read(rule(gated.text))
    except Unreadable as error:
        return unparsed(error.reason)


def _moved_color(text: str, options: Options) -> str:
    choice = moved_choice(text, options)
    colors = {label: color.casefold() for label, color in options.items()}
    if choice.letter is None:
        if choice.color not in colors.values():
            raise Unreadable("off_vocabulary")
        return choice.color
    if choice.color in colors.values() and choice.color != colors[choice.letter]:
        raise Unreadable("letter_color_conflict")
    return colors[choice.letter]


def _scored(text: str, options: Options, target: str, hidden: str | None) -> dict[str, Any]:
    choice = moved_choice(text, options)
    mode = failure_mode(choice, {k: v.casefold() for k, v in options.items()}, target, hidden)
    return {"letter": choice.letter, "color": choice.color, "failure_mode": mode}


# From a plain text to an answer ----------------------------------------------------------------


def _final(plain: str, scene: Scene, *, about_view: bool) -> Any:
    """The answer of a text; what it takes back does not count."""
    cut = _last_retraction(plain, scene)
    if cut is None:
        return _answer(plain, scene, about_view=about_view)
    before, after = plain[: cut.start()], plain[cut.end() :]
    try:
        corrected = _answer(after, scene, about_view=about_view)
    except Unreadable:
        denied = any(c.denied for c in claims(after, scene, about_view=about_view))
        if denied and not _part(plain, scene, about_view=about_view).marked:
            raise
        return _answer(plain, scene, about_view=about_view)
    part = _part(after, scene, about_view=about_view)
    found = claims(part.text, scene, about_view=about_view)
    if part.marked or any(claim.level >= 3 for claim in found) or _is_fragment(after, scene):
        return corrected
    try:
        first = _answer(before, scene, about_view=about_view)
    except Unreadable:
        return corrected
    if first != corrected:
        raise Unreadable("multiple_answers")
    return corrected


def _last_retraction(plain: str, scene: Scene) -> re.Match[str] | None:
    """The last "wait, actually ..." behind which a block is named."""
    for match in reversed(list(lexicon.RETRACTION.finditer(plain))):
        rest = plain[match.end() :]
        if any(t.kind in MENTIONS or t.kind in ("ALL", "NONE") for t in tokens(rest, scene)):
            return match if plain[: match.start()].strip() else None
    return None


def _is_fragment(after: str, scene: Scene) -> bool:
    """Whether what follows "wait" is a bare name, which replaces what stood before it."""
    first = re.sub(
        r"^\W*(?:(?:no|yes|it's|it is|so|that's|make it|wait|actually|rather|it should be)\b\W*)+",
        "",
        after.strip(),
        flags=re.I,
    )
    return is_bare(first.rstrip(".!"), scene) and "\n" not in first.strip()


def _answer(plain: str, scene: Scene, *, about_view: bool) -> Any:
    part = _part(plain, scene, about_view=about_view)
    text = _single_letter(part.text, scene)
    found = claims(text, scene, about_view=about_view)
    scope = _view_scope(found) if about_view else _move_scope(found, scene)
    if any(claim.untranslated for claim in scope):
        raise Unreadable("off_vocabulary")
    decide = _decide_set if about_view else _decide_one
    answer = decide(scope, found, scene)
    if answer is None:
        raise Unreadable(_why_nothing(plain, part.text, scene, part.marked))
    if about_view and answer == [] and lexicon.REFUSAL.search(plain):
        raise Unreadable("refusal")
    return answer


def _part(plain: str, scene: Scene, *, about_view: bool) -> Part:
    """The part that counts: the first that is not weak, or weak and says something."""
    parts = answer_parts(plain, scene)
    return next(
        part
        for part in parts
        if not part.weak or any(c.says for c in claims(part.text, scene, about_view=about_view))
    )


def _single_letter(text: str, scene: Scene) -> str:
    """A whole answer of one lower-case letter counts as the letter."""
    letter = re.fullmatch(r"[^\w]*([a-z])[^\w]*", text.strip())
    return letter[1].upper() if letter and letter[1].upper() in scene.options else text


def _why_nothing(plain: str, part: str, scene: Scene, marked: bool) -> Any:
    if lexicon.REFUSAL.search(plain):
        return "refusal"
    kinds = {token.kind for token in tokens(part, scene)}
    if "OTHER" in kinds:
        return "off_vocabulary"
    foreign = sum(1 for char in part if char.isalpha() and not char.isascii() and ord(char) > 0x24F)
    return "off_vocabulary" if foreign else "no_answer"


# Which claims count ----------------------------------------------------------------------------


def _view_scope(found: list[Claim]) -> list[Claim]:
    """From the last conclusion on; else everything said at the highest level."""
    saying = [claim for claim in found if claim.says or claim.excepted]
    if not saying:
        return [claim for claim in found if claim.denied]
    top = max(claim.level for claim in saying)
    if top < 3:
        return [claim for claim in found if claim.level == top or (top > 0 and claim.denied)]
    last = max(i for i, claim in enumerate(found) if claim.level == top and claim in saying)
    first = last
    while first and found[first].bare and found[first - 1].bare:
        first -= 1  # one bare name a line is one list
    if found[first].others:  # "Red is hidden, so the other two are visible"
        first = 0
    return [c for i, c in enumerate(found) if i >= first and (c.level >= 2 or i <= last)]


def _move_scope(found: list[Claim], scene: Scene) -> list[Claim]:
    """The last claim of the highest level; all of that level where they disagree unexplained."""
    saying = [claim for claim in found if claim.says]
    for claim in saying:
        if claim.level in (1, 2) and len(claim.named) > 1:
            claim.level = 0  # "so he sees A and C": what is seen, not what to move
    if not saying:
        return []
    top = max(claim.level for claim in saying)
    scope = [claim for claim in saying if claim.level == top]
    if top >= 2 and scope[-1].concludes and not any(claim.bare for claim in scope[:-1]):
        return scope[-1:]
    return scope


# What the claims that count amount to ----------------------------------------------------------


def _decide_set(scope: list[Claim], found: list[Claim], scene: Scene) -> list[str] | None:
    if any(claim.unclear or claim.either for claim in scope):
        raise Unreadable("multiple_answers")
    everything = any(claim.everything for claim in scope)
    named = _colors([m for claim in scope for m in claim.named], scene)
    denied = _colors([m for claim in scope for m in claim.denied], scene, strict=False)
    excepted = _colors([m for claim in scope for m in claim.excepted], scene)
    if any(claim.nothing for claim in scope):
        if named or everything:
            raise Unreadable("multiple_answers")
        return []
    if everything:
        if named and named != scene.colors and not _includes(scope):
            raise Unreadable("multiple_answers")
        return sorted(scene.colors - excepted - denied)
    if any(claim.others for claim in scope):
        mentioned = (
            named | denied | _colors([m for c in found for m in c.denied], scene, strict=False)
        )
        if not mentioned:
            return None
        return sorted(scene.colors - mentioned | named)
    if named & denied:
        raise Unreadable("multiple_answers")
    if named:
        return sorted(named - excepted)
    if any(claim.only_denied for claim in scope) and denied:
        return sorted(scene.colors - denied)
    return [] if denied and denied == scene.colors else None


def _includes(scope: list[Claim]) -> bool:
    """Whether the blocks named beside "all" are examples of it: another claim, or "including"."""
    both = [claim for claim in scope if claim.everything and claim.named]
    return all(re.search(r"\binclud", claim.text, re.IGNORECASE) for claim in both)


def _decide_one(scope: list[Claim], found: list[Claim], scene: Scene) -> Choice | None:
    if any(claim.unclear for claim in scope):
        raise Unreadable("multiple_answers")
    named = [mention for claim in scope for mention in claim.named]
    if any(claim.everything for claim in scope) and not named:
        left = sorted(scene.colors - _colors([m for c in scope for m in c.excepted], scene))
        if len(left) != 1:
            raise Unreadable("multiple_answers")
        return Choice(None, left[0])
    letters = {m.letter for m in named if m.letter}
    own = {scene.options[letter] for letter in letters}
    loose = {m.color for m in named if m.color and not m.letter}
    paired = {m.color for m in named if m.color and m.letter}
    listed = any(claim.either or re.search(r"\b(?:or|and)\b", claim.text) for claim in scope)
    if len(letters) > 1 or (not letters and len(loose) > 1) or len(paired) > 1:
        raise Unreadable("multiple_answers")
    others = {m.other.casefold() for m in named if m.other and not m.letter}
    if not letters:
        if any(m.other and m.color for m in named):
            raise Unreadable("off_vocabulary")  # a label of no block, whatever its colour
        if others:
            raise Unreadable("multiple_answers" if loose else "off_vocabulary")
        return Choice(None, loose.pop()) if loose else None
    color = paired or loose
    elsewhere = (loose - own) & scene.colors  # a colour that names another block of the scene
    if elsewhere and (paired or listed) and not elsewhere <= paired:
        raise Unreadable("multiple_answers")  # "B or the blue one"
    if len(loose - own) > 1 or (others and listed):
        raise Unreadable("multiple_answers")
    return Choice(letters.pop(), sorted(color)[0] if color else None)


def _colors(mentions: list[Mention], scene: Scene, *, strict: bool = True) -> set[str]:
    """The scene colours of the mentions; strict: a word or pair that names no block is an error."""
    out: set[str] = set()
    for mention in mentions:
        if mention.letter is not None:
            color = scene.options[mention.letter]
            if strict and mention.color in scene.colors and mention.color != color:
                raise Unreadable("letter_color_conflict")
            out.add(color)
        elif mention.color in scene.colors and not (strict and mention.other):
            out.add(mention.color)
        elif strict:
            raise Unreadable("off_vocabulary")
    return out
