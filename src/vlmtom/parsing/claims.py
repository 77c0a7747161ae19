"""Decides what each clause claims about which blocks: named, denied, excepted, or unclear."""

import bisect
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from vlmtom.parsing import lexicon
from vlmtom.parsing.lexer import Scene, Token, tokens
from vlmtom.parsing.units import LINKS, MENTIONS, Unit, is_bare, units

_NEGATIVE = frozenset({"NEG", "HID", "NOR"})
_POSITIVE = frozenset({"SEE", "YES", "NOT_HIDDEN"})
# "all but B", "nothing but B": this "but" opens no clause.
_BUT_EXCEPT = re.compile(
    "|".join(
        rf"(?<!\w)(?:{pattern})(?!\w)"
        for kind, pattern in lexicon.TOKENS
        if kind in ("ALL_EXC", "ONLY_EXC")
    ),
    re.IGNORECASE,
)
_SPLITS = frozenset({"COMMA", "AND", "OR"})


# The last group's polarity in the sentence, and whether a word like "hidden" gave it.
Context = tuple[str | None, bool]


@dataclass(frozen=True)
class Mention:
    """One block as named: a letter, a colour word, or both. other: a word no rule can use."""

    letter: str | None = None
    color: str | None = None
    other: str | None = None


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
            self.named or self.everything or self.nothing or self.others or self.unclear
            or self.untranslated or self.only_denied
        )


@dataclass
class _Group:
    """Neighbouring mentions under one polarity, with the cue words around them."""

    tokens: list[Token]
    before: list[Token]
    after: list[Token] = field(default_factory=list)

    @property
    def mentions(self) -> list[Token]:
        return [token for token in self.tokens if token.kind in MENTIONS]


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
        re.search(r"\b(?:possib\w+|could|might|may|maybe|also|or|either|alternatively)\b", unit.text, re.I)
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
    pieces = [sentence[a:b].strip(" ;") for a, b in zip(cuts, cuts[1:], strict=False)]
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
    if any(token.kind in MENTIONS for token in found) and lexicon.FOREIGN_NEGATION.search(clause):
        claim.untranslated = True
        return claim
    lead = _polarity(tokens(unit.lead, scene)) if unit.lead else None
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
        if any(token.kind in MENTIONS for token in tokens(rest, scene)) and not is_bare(rest, scene):
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
    groups = _groups(found)
    first_is_mark = bool(found) and found[0].kind in ("NEG", "YES") and len(found[0].text) == 1
    for i, group in enumerate(groups):
        following = groups[i + 1] if i + 1 < len(groups) else None
        if following is None:
            group.after = _own_suffix(group.after)
        else:
            group.after, following.before = _share(following.before, first_is_mark)
        if i == 0:
            group.before = _own_prefix(group.before)
    prior, prior_hidden = context
    for group in groups:
        for part, polarity in _parts(group, lead):
            if polarity == "same":
                polarity = prior or "named"
            elif polarity == "denied" and prior_hidden and _is_elliptic(group.after):
                polarity = "named"  # "red is hidden, blue is not"
            prior = polarity
            mentions = pair([t for t in part if t.kind in MENTIONS], part, scene)
            _file(mentions, polarity, group, part, claim)
        kinds = {token.kind for token in group.before + group.after}
        prior_hidden = "HID" in kinds and "NEG" not in kinds
    return prior, prior_hidden


def _file(
    mentions: list[Mention], polarity: str, group: _Group, part: list[Token], claim: Claim
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


def _groups(found: list[Token]) -> list[_Group]:
    groups: list[_Group] = []
    gap: list[Token] = []
    for token in found:
        if token.kind not in MENTIONS:
            gap.append(token)
        elif groups and _linked(groups[-1].tokens[-1], gap, token):
            groups[-1].tokens += [*gap, token]
            gap = []
        else:
            groups.append(_Group([token], gap))
            gap = []
    if groups:
        groups[-1].after = gap
    return groups


def _linked(left: Token, gap: list[Token], right: Token) -> bool:
    kinds = {token.kind for token in gap}
    if left.kind == right.kind and ("DASH" in kinds or ("OPEN" in kinds and "CLOSE" not in kinds)):
        return False  # "A, C (B is hidden)", "A, C - B is hidden"
    if {"CLOSE", "DASH"} <= kinds:
        return False  # "A (yellow) - B (red) is hidden"
    if {left.kind, right.kind} == {"LETTER", "COLOR"}:
        kinds -= {"COPULA"}
    return kinds <= LINKS


def _share(gap: list[Token], first_is_mark: bool) -> tuple[list[Token], list[Token]]:
    """Splits the words between two groups into what follows the left and what leads the right."""
    for i, token in enumerate(gap):
        last = all(t.kind in ("ART", "NOUN", "QUOTE", "OPEN", "ADJ", "BOTH") for t in gap[i + 1 :])
        if token.kind in ("EXC", "RATHER", "ALL_EXC", "ONLY_EXC") and last:
            return gap[:i], gap[i:]
    opened = [i for i, token in enumerate(gap) if token.kind == "OPEN"]
    if opened and not any(token.kind == "CLOSE" for token in gap[opened[-1] :]):
        if gap[opened[-1] + 1 :]:
            return gap[: opened[-1]], gap[opened[-1] + 1 :]
    splits = [i for i, token in enumerate(gap) if token.kind in _SPLITS]
    if splits:
        return gap[: splits[-1]], gap[splits[-1] + 1 :]
    marks = [token for token in gap if token.kind in ("NEG", "YES") and len(token.text) == 1]
    if marks and first_is_mark:
        return [], gap
    if gap[0].kind in ("COLON", "DASH") and gap[-1].kind == "NEG" and len(gap[-1].text) > 1:
        if gap[-1].text == "not":
            return [], gap
    opens = gap[0].kind in ("COPULA", "COLON", "DASH", "OPEN") or gap[0].text in ("which", "that")
    if opens or (marks and marks[0] is gap[0]):
        if _is_reference(gap):
            return gap, gap
        return gap, gap[-1:] if gap[-1].kind == "NEG" and len(gap) > 1 else []
    if gap[0].kind == "NEG" and any(t.kind in ("SEE", "HID") for t in gap):
        return gap, []
    if gap[0].text == "no" and len(gap) == 1:
        return gap, []
    return [], gap


def _own_prefix(before: list[Token]) -> list[Token]:
    splits = [i for i, token in enumerate(before) if token.kind in ("COMMA", "AND")]
    if not splits:
        return before
    piece = before[splits[-1] + 1 :]
    if not piece or (_polarity(piece) is None and piece[-1].kind == "COLON"):
        return before
    return piece


def _own_suffix(after: list[Token]) -> list[Token]:
    for i, token in enumerate(after):
        if token.kind in ("OTHERS", "ALL", "NONE", "ANY", "SKIP"):
            after = after[:i]
            break
    for i, token in enumerate(after):
        if token.kind in ("COMMA", "AND") and _polarity(after[:i]) is not None:
            return after[:i]
    return after


def _polarity(cues: list[Token]) -> str | None:
    """What the cue words around a group say: denied, named, excepted, unclear, or nothing."""
    only = [i for i, token in enumerate(cues) if token.kind == "ONLY"]
    if only and only[-1] > 0:
        cues = cues[only[-1] :]  # "he can't see B, only A"
    kinds = [token.kind for token in cues]
    if "PARTLY" in kinds:
        return "unclear"
    if "ONLY_EXC" in kinds:
        return "named"
    if "EXC" in kinds or "ALL_EXC" in kinds:
        return "excepted"
    if "RATHER" in kinds or "WITHOUT" in kinds:
        return "denied"
    if _NEGATIVE & set(kinds):
        return "denied"
    if "SAME" in kinds and not _POSITIVE & set(kinds):
        return "same"
    return "named" if _POSITIVE & set(kinds) else None


def _is_elliptic(after: list[Token]) -> bool:
    """ "... but blue isn't": a denial that takes its verb from what was said before."""
    kinds = [token.kind for token in after if token.kind not in ("NOUN", "DOT", "CLOSE", "SAME")]
    return "NEG" in kinds and set(kinds) <= {"NEG", "COPULA"}


def _parts(group: _Group, lead: str | None) -> list[tuple[list[Token], str]]:
    """The group's tokens with their polarity; two parts where its two ends disagree."""
    before, after = _polarity(group.before), _polarity(_suffix_cues(group.after))
    if _is_reference(group.before):
        return [(group.tokens, "reference")]
    if after == "excepted":  # "A except ..." says nothing about A by itself
        after = "denied" if any(t.text == "but not" for t in group.after) else None
    aside = _open_aside(group)
    if aside is not None and after is not None:
        return [(group.tokens[:aside], before or lead or "named"), (group.tokens[aside:], after)]
    commas = [i for i, t in enumerate(group.tokens) if t.kind in ("COMMA", "AND")]
    several = len(group.mentions) > 1 and bool(commas)
    several = several and not any(token.text == "neither" for token in group.before)
    if several and after is not None and before in ("denied", "named") and before != after:
        cut = commas[-1]
        return [(group.tokens[:cut], before), (group.tokens[cut:], after)]
    if several and after == "denied" and before is None and _hits_last_only(group):
        cut = commas[-1]
        singular = group.after[0].kind != "OPEN"
        if singular and group.tokens[cut].kind == "AND":
            return [(group.tokens, "unclear")]  # "A and B is hidden"
        return [(group.tokens[:cut], lead or "named"), (group.tokens[cut:], "denied")]
    for polarity in ("unclear", "same", "excepted", "denied"):
        if polarity in (before, after):
            return [(group.tokens, polarity)]
    return [(group.tokens, before or after or lead or "named")]


def _open_aside(group: _Group) -> int | None:
    """Where a parenthesis opens in the group and closes behind its cue: "C (red is hidden)"."""
    opened = [i for i, t in enumerate(group.tokens) if t.kind == "OPEN"]
    closed = sum(t.kind == "CLOSE" for t in group.tokens)
    after = [t.kind for t in group.after]
    says = "CLOSE" in after and "COPULA" in after[: after.index("CLOSE")]
    return opened[-1] if len(opened) > closed and says and opened[-1] > 0 else None


def _hits_last_only(group: _Group) -> bool:
    after = [token for token in group.after if token.kind not in ("NOUN", "CLOSE")]
    return bool(after) and (after[0].kind == "OPEN" or after[0].text in ("is", "isn't", "'s"))


def _suffix_cues(after: list[Token]) -> list[Token]:
    return [token for token in after if token.kind not in ("WITHOUT", "RATHER")]


def _is_reference(before: list[Token]) -> bool:
    for token in reversed(before):
        if token.kind == "REF":
            return True
        if token.kind not in ("ART", "NOUN", "ADJ", "QUOTE"):
            return False
    return False


# Pairs -----------------------------------------------------------------------------------------


def pair(mentions: list[Token], within: list[Token], scene: Scene) -> list[Mention]:
    """Letters and colours that name one block together: "B (red)", "the red block B", "A: red"."""
    listed = _paired_lists(mentions, scene)
    if listed is not None:
        return listed
    gaps = _kinds_between(mentions, within)
    used: dict[int, Mention] = {}
    taken: set[int] = set()
    for commas in (False, True):
        for i, (left, right) in enumerate(zip(mentions, mentions[1:], strict=False)):
            if i in taken or i + 1 in taken or not _pairs(left, right, gaps[i], commas):
                continue
            taken |= {i, i + 1}
            used[i] = _merge(left, right)
    return [
        used.get(i) or _single(token)
        for i, token in enumerate(mentions)
        if i in used or i not in taken
    ]


def _kinds_between(mentions: list[Token], within: list[Token]) -> list[set[str]]:
    """For each mention but the last, the kinds of the tokens up to the next one."""
    gaps: list[set[str]] = [set() for _ in mentions]
    starts = [mention.start for mention in mentions]
    for token in within:
        i = bisect.bisect_right(starts, token.start) - 1
        if i >= 0 and token.kind not in MENTIONS:
            gaps[i].add(token.kind)
    return gaps


def _paired_lists(mentions: list[Token], scene: Scene) -> list[Mention] | None:
    """ "A and C (yellow and blue)": as many colours as letters, in order or as a set."""
    kinds = [token.kind for token in mentions]
    n = len(kinds) // 2
    if n < 2 or len(kinds) != 2 * n:
        return None
    halves = [set(kinds[:n]), set(kinds[n:])]
    if sorted(map(str, halves)) != ["{'COLOR'}", "{'LETTER'}"]:
        return None
    first, second = mentions[:n], mentions[n:]
    letters, colors = (first, second) if kinds[0] == "LETTER" else (second, first)
    if {scene.options[token.text] for token in letters} == {token.text for token in colors}:
        return [Mention(token.text, scene.options[token.text]) for token in letters]
    return [_merge(a, b) for a, b in zip(first, second, strict=True)]


def _pairs(left: Token, right: Token, kinds_between: set[str], commas: bool) -> bool:
    kinds = {left.kind, right.kind}
    if kinds not in ({"LETTER", "COLOR"}, {"LETTER", "OTHER"}):
        if kinds != {"COLOR", "OTHER"} or not (left.text.isupper() and len(left.text) == 1):
            return False
    allowed = {*LINKS, "COPULA"} - {"AND", "OR", "SLASH", "EITHER", "BOTH", "HEDGE"}
    return kinds_between <= (allowed if commas else allowed - {"COMMA"})


def _merge(left: Token, right: Token) -> Mention:
    one, two = _single(left), _single(right)
    return Mention(one.letter or two.letter, one.color or two.color, one.other or two.other)


def _single(token: Token) -> Mention:
    if token.kind == "LETTER":
        return Mention(letter=token.text)
    if token.kind == "COLOR":
        return Mention(color=token.text)
    return Mention(other=token.text)


# Quantifiers and pronouns ----------------------------------------------------------------------


def _read_quantifiers(found: list[Token], claim: Claim, lead: str | None) -> None:
    for i, token in enumerate(found):
        if token.kind not in ("ALL", "ALL_EXC", "NONE", "ANY", "OTHERS"):
            continue
        before, after = found[:i], _until_next(found[i + 1 :])
        if claim.excepted:
            after = [*after, *_after_exception(found[i + 1 :])]
        hidden = any(t.kind == "HID" for t in after)
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
    """ "All blocks are visible, but B"."""
    opens = re.match(r"but\b", clause, re.IGNORECASE)
    bare = not claim.denied and len(clause.split()) <= 5
    return bool(opens and bare and claim.named and found and found[-1].everything)


def _refer_back(claim: Claim, clause: str, found: list[Claim], scene: Scene) -> None:
    """A clause without a block ("but he can't see it") denies what the clause before it named."""
    if claim.says or claim.denied or claim.excepted or not found:
        return
    if _polarity(tokens(clause, scene)) != "denied":
        return
    elliptic = len(clause.split()) <= 6 and re.match(
        r"(?:but|yet|though|although|however,?) (?:is |are |it's )?(?:not |hidden|blocked|occluded|behind"
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
