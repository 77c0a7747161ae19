"""Decides what each clause claims about which blocks: named, denied, excepted, or unclear."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from vlmtom.parsing import lexicon
from vlmtom.parsing.lexer import Scene, Token, tokens
from vlmtom.parsing.pairs import Mention, pair
from vlmtom.parsing.polarity import (
    Group,
    find_groups,
    is_elliptic,
    own_prefix,
    own_suffix,
    polar_parts,
    polarity_of,
    share_gap,
)
from vlmtom.parsing.units import MENTIONS, Unit, is_bare, units

# "all but B", "nothing but B": this "but" opens no clause.
_BUT_EXCEPT = re.compile(
    "|".join(
        rf"(?<!\w)(?:{pattern})(?!\w)"
        for kind, pattern in lexicon.TOKENS
        if kind in ("ALL_EXC", "ONLY_EXC")
    ),
    re.IGNORECASE,
)


# The last group's polarity in the sentence, and whether a word like "hidden" gave it.
Context = tuple[str | None, bool]


@dataclass
class Claim:
    """What one clause says. level: how much it concludes; the highest level of a reply counts."""

    level: int
    text: str
    bare: bool = False
    concludes: bool = False
    named: list[Mention] = field(default_factory=list)
    denied: list[Mention] = field(default_factory=list)
    excepted: list[Mention] = field(default_factory=list)
    everything: bool = False
    nothing: bool = False
    others: bool = False
    either: bool = False
    unclear: bool = False
    untranslated: bool = False
    only_denied: bool = False
    context: Context = (None, False)

    @property
    def says(self) -> bool:
        return bool(
            self.named
            or self.everything
            or self.nothing
            or self.others
            or self.unclear
            or self.untranslated
            or self.only_denied
        )


def claims(text: str, scene: Scene, *, about_view: bool) -> list[Claim]:
    """The claims of a text in order. about_view: the question is what the director sees."""
    found: list[Claim] = []
    kept = _without_option_list(units(text, scene), scene)
    for i, unit in enumerate(kept):
        if unit.text.rstrip("\"') ").endswith("?"):
            continue
        opens_answer = i == 0 and not about_view and not _goes_on(kept[1:])
        context: Context = (None, False)
        level = 0
        for clause in clauses(unit.text):
            claim = _claim(clause, unit, scene, context, about_view=about_view)
            if claim is None:
                continue
            context = claim.context if claim.named or claim.denied else context
            if claim.bare and re.match(r",?\s*and\b", clause):
                claim.level, claim.bare = level, False  # goes on with the list before a "because"
            level = max(level, claim.level)
            if claim.bare and (unit.lead or not (unit.whole_line or opens_answer)):
                claim.bare = False
            if claim.bare:
                claim.level = max(claim.level, 3)
            _refer_back(claim, clause, found, scene)
            if _is_late_exception(claim, clause, found):
                found[-1].excepted += claim.named
                continue
            found.append(claim)
    return found


def _goes_on(later: Sequence[Unit]) -> bool:
    """Whether later sentences may add another answer to a first one."""
    return any(
        re.search(
            r"\b(?:possib\w+|could|might|may|maybe|also|or|either|alternatively)\b", unit.text, re.I
        )
        for unit in later
    )


def clauses(sentence: str) -> list[str]:
    """The sentence cut before its connectives, which stay with the clause that they open."""
    whole = [match.span() for match in _BUT_EXCEPT.finditer(sentence)]
    breaks = [
        match.start()
        for match in lexicon.CLAUSE_BREAK.finditer(sentence)
        if not any(start <= match.start() < end for start, end in whole)
    ]
    cuts = [0, *breaks, len(sentence)]
    pieces = [sentence[a:b].strip(" ;") for a, b in pairwise(cuts)]
    out: list[str] = []
    for piece in pieces:
        reason = lexicon.REASON_CLAUSE.match(piece)
        out += re.split(r"(?=,\s*and\b)", piece, maxsplit=1) if reason else [piece]
    return [piece for piece in out if piece]


def _without_option_list(found: Sequence[Unit], scene: Scene) -> list[Unit]:
    """Leaves out a run of bare lines that pairs every label with its colour, if more is said."""
    run: list[int] = []
    runs: list[list[int]] = []
    for i, unit in enumerate(found):
        pairs = _bare_pairs(unit, scene)
        if not pairs:
            run = []
            continue
        run = [*run, i] if run and found[run[-1]].lead == unit.lead else [i]
        listed = {pair.letter for j in run for pair in _bare_pairs(found[j], scene)}
        if listed == set(scene.options):
            runs.append(run)
    drop = {i for run in runs for i in run}
    rest = [unit for i, unit in enumerate(found) if i not in drop]
    in_view = any(lexicon.IN_HIS_VIEW.search(found[i].lead) for i in drop)
    if in_view or not any(_says_something(unit, scene) for unit in rest):
        return list(found)
    return rest


def _bare_pairs(unit: Unit, scene: Scene) -> list[Mention]:
    found = tokens(unit.text, scene)
    if not is_bare(unit.text, scene):
        return []
    pairs = pair([token for token in found if token.kind in MENTIONS], found, scene)
    whole = all(p.letter and p.color == scene.options.get(p.letter) for p in pairs)
    return pairs if whole else []


def _says_something(unit: Unit, scene: Scene) -> bool:
    kinds = {token.kind for token in tokens(unit.text, scene)}
    return bool(kinds & {*MENTIONS, "ALL", "NONE"}) and not unit.text.endswith("?")


# One clause ------------------------------------------------------------------------------------


def _claim(
    clause: str, unit: Unit, scene: Scene, context: Context, *, about_view: bool
) -> Claim | None:
    """The clause's claim, or None where it does not count (own view, options, hypotheses)."""
    said = f"{unit.lead} {clause}".strip()
    body = _after_leading_list(clause, scene)
    if not _counts(said, about_view=about_view):
        return None
    found = tokens(body, scene)
    claim = Claim(_level(said, about_view=about_view), clause)
    claim.concludes = bool(lexicon.CONCLUDES.search(said))
    claim.bare = is_bare(body, scene)
    if any(token.kind in MENTIONS for token in found) and lexicon.UNTRANSLATED.search(clause):
        claim.untranslated = True
        return claim
    lead = polarity_of(tokens(unit.lead, scene)) if unit.lead else None
    claim.context = _read_groups(_drop_interjection(found), claim, lead, scene, context)
    _read_quantifiers(found, claim, lead)
    return claim


def _counts(context: str, *, about_view: bool) -> bool:
    director = lexicon.DIRECTOR.search(context)
    if lexicon.OWN_VIEW.search(context) and not director:
        return False
    if lexicon.HYPOTHETICAL.search(context) or lexicon.OPTIONS.search(context):
        return False
    seen = re.search(r"\b(?:visible|see|sees|seen|hidden|view)\b", context, re.IGNORECASE)
    if lexicon.THERE_ARE.search(context) and not director and not seen:
        return False
    return not (about_view and lexicon.WHOLE_SCENE.search(context) and not director)


def _level(context: str, *, about_view: bool) -> int:
    concludes = lexicon.CONCLUDES.search(context)
    in_view = lexicon.IN_HIS_VIEW.search(context)
    if lexicon.REASON_CLAUSE.match(context):
        return -1
    if about_view:
        if concludes:
            return 3
        if in_view:
            return 2
        return 1 if re.search(r"\b(?:visible|seen|sees?)\b", context, re.IGNORECASE) else 0
    if lexicon.ACTS.search(context):
        return 3
    if concludes:
        return 2
    if lexicon.WHOLE_SCENE.search(context):
        return -1
    return 1 if in_view else 0


def _after_leading_list(clause: str, scene: Scene) -> str:
    """Drops "Of A, B and C," in front of what the clause says about them."""
    if not lexicon.LEADING_LIST.match(clause):
        return clause
    for match in reversed(list(re.finditer(r",", clause))):
        rest = clause[match.end() :]
        if any(token.kind in MENTIONS for token in tokens(rest, scene)) and not is_bare(
            rest, scene
        ):
            return rest
    return clause


def _drop_interjection(found: list[Token]) -> list[Token]:
    if len(found) > 1 and found[0].text in ("no", "yes") and found[1].kind in ("COMMA", "DOT"):
        return found[2:]
    return found


# Groups and their polarity ---------------------------------------------------------------------


def _read_groups(
    found: list[Token], claim: Claim, lead: str | None, scene: Scene, context: Context
) -> Context:
    """Files the clause's groups under the claim; returns the last polarity for the next clause."""
    groups = find_groups(found)
    first_is_mark = bool(found) and found[0].kind in ("NEG", "YES") and len(found[0].text) == 1
    for i, group in enumerate(groups):
        following = groups[i + 1] if i + 1 < len(groups) else None
        if following is None:
            group.after = own_suffix(group.after)
        else:
            group.after, following.before = share_gap(following.before, first_is_mark)
        if i == 0:
            group.before = own_prefix(group.before)
    prior, prior_hidden = context
    for group in groups:
        for part, polarity in polar_parts(group, lead):
            if polarity == "same":
                polarity = prior or "named"
            elif polarity == "denied" and prior_hidden and is_elliptic(group.after):
                polarity = "named"  # "red is hidden, blue is not"
            prior = polarity
            mentions = pair([t for t in part if t.kind in MENTIONS], part, scene)
            _file(mentions, polarity, group, part, claim)
        kinds = {token.kind for token in group.before + group.after}
        prior_hidden = "HID" in kinds and "NEG" not in kinds
    return prior, prior_hidden


def _file(
    mentions: list[Mention], polarity: str, group: Group, part: list[Token], claim: Claim
) -> None:
    if polarity == "reference":
        return
    if polarity == "unclear" or any(token.kind == "UNCLEAR" for token in part):
        claim.unclear = True
        return
    if polarity == "excepted":
        claim.excepted += mentions
        return
    if polarity == "denied":
        claim.denied += mentions
        claim.only_denied |= any(token.kind == "ONLY" for token in group.before + part)
        return
    claim.named += mentions
    kinds = [token.kind for token in part]
    claim.either |= ("OR" in kinds or "EITHER" in kinds) and len(mentions) > 1
    hedge = kinds.index("HEDGE") if "HEDGE" in kinds else -1
    claim.unclear |= hedge > 0
    claim.unclear |= bool(claim.named[: -len(mentions)]) and any(
        token.kind == "HEDGE" for token in group.before
    )


# Quantifiers and pronouns ----------------------------------------------------------------------


def _read_quantifiers(found: list[Token], claim: Claim, lead: str | None) -> None:
    for i, token in enumerate(found):
        if token.kind not in ("ALL", "ALL_EXC", "NONE", "ANY", "OTHERS"):
            continue
        before, after = found[:i], _until_next(found[i + 1 :])
        if claim.excepted:
            after = [*after, *_after_exception(found[i + 1 :])]
        hidden = any(t.kind == "HID" for t in after)
        if not any(t.kind in MENTIONS or t.kind == "COMMA" for t in before):
            hidden |= any(t.kind == "HID" for t in before)  # "the partition hides all of them"
        negated = any(t.kind == "NEG" for t in after)
        denied = any(t.kind == "NEG" for t in before) and not any(
            t.kind in MENTIONS for t in before
        )
        if token.kind in ("ALL", "ALL_EXC") and not denied and lead != "denied":
            counted = token.text.rstrip().endswith(("two", "three", "four", "2", "3", "4"))
            if hidden or negated:
                claim.nothing = True
            elif counted or token.kind == "ALL_EXC" or not _names_next(found[i + 1 :]):
                claim.everything = True
        elif token.kind == "NONE":
            claim.everything |= hidden
            claim.nothing |= not hidden
        elif token.kind == "ANY" and denied and not _names_next(found[i + 1 :]):
            claim.nothing = True
        elif token.kind == "OTHERS" and not (hidden or negated or denied):
            claim.others = True
    if claim.excepted and claim.nothing:
        claim.named += claim.excepted
        claim.excepted, claim.nothing = [], False


def _until_next(after: list[Token]) -> list[Token]:
    for i, token in enumerate(after):
        if token.kind in MENTIONS or token.kind in ("COMMA", "EXC", "ALL", "NONE", "OTHERS"):
            return after[:i]
    return after


def _after_exception(after: list[Token]) -> list[Token]:
    """The predicate behind "all except B": "... are hidden", not "..., which is hidden"."""
    mentions = [i for i, token in enumerate(after) if token.kind in MENTIONS]
    tail = after[mentions[-1] + 1 :] if mentions else []
    tail = [token for token in tail if token.kind not in ("NOUN", "CLOSE", "QUOTE")]
    return tail if tail and tail[0].kind == "COPULA" else []


def _names_next(after: list[Token]) -> bool:
    """Whether a list of blocks follows at once: "all visible blocks: A and C"."""
    for token in after:
        if token.kind in MENTIONS:
            return True
        if token.kind not in ("COLON", "DASH", "ART", "NOUN", "COPULA", "SEE", "OPEN", "WORD"):
            return False
    return False


def _is_late_exception(claim: Claim, clause: str, found: list[Claim]) -> bool:
    """Whether it is the rest of "All blocks are visible, but B"."""
    opens = re.match(r"but\b", clause, re.IGNORECASE)
    bare = not claim.denied and len(clause.split()) <= 5
    return bool(opens and bare and claim.named and found and found[-1].everything)


def _refer_back(claim: Claim, clause: str, found: list[Claim], scene: Scene) -> None:
    """A clause without a block ("but he can't see it") denies what the clause before it named."""
    if claim.says or claim.denied or claim.excepted or not found:
        return
    if polarity_of(tokens(clause, scene)) != "denied":
        return
    elliptic = len(clause.split()) <= 6 and re.match(
        r"(?:but|yet|though|although|however,?) (?:is |are |it's )?(?:not |hidden|blocked|occluded"
        r"|behind"
        r"|out of|invisible)",
        clause,
        re.IGNORECASE,
    )
    if not (elliptic or lexicon.PRONOUN.search(clause)):
        return
    last = found[-1]
    plural = re.search(r"\b(?:both|they|them|these|those)\b", clause, re.IGNORECASE)
    count = len(last.named) if plural else 1
    last.denied += last.named[len(last.named) - count :]
    del last.named[len(last.named) - count :]
