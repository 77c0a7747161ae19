"""Decides whether the words around a group of blocks name, deny or except it."""

from dataclasses import dataclass, field

from vlmtom.parsing.lexer import Token
from vlmtom.parsing.units import LINKS, MENTIONS

_NEGATIVE = frozenset({"NEG", "HID", "NOR"})
_POSITIVE = frozenset({"SEE", "YES", "NOT_HIDDEN"})
_SPLITS = frozenset({"COMMA", "AND", "OR"})


@dataclass
class Group:
    """Neighbouring mentions under one polarity, with the cue words around them."""

    tokens: list[Token]
    before: list[Token]
    after: list[Token] = field(default_factory=list)

    @property
    def mentions(self) -> list[Token]:
        return [token for token in self.tokens if token.kind in MENTIONS]


def find_groups(found: list[Token]) -> list[Group]:
    groups: list[Group] = []
    gap: list[Token] = []
    for token in found:
        if token.kind not in MENTIONS:
            gap.append(token)
        elif groups and _linked(groups[-1].tokens[-1], gap, token):
            groups[-1].tokens += [*gap, token]
            gap = []
        else:
            groups.append(Group([token], gap))
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


def share_gap(gap: list[Token], first_is_mark: bool) -> tuple[list[Token], list[Token]]:
    """Splits the words between two groups into what follows the left and what leads the right."""
    for i, token in enumerate(gap):
        last = all(t.kind in ("ART", "NOUN", "QUOTE", "OPEN", "ADJ", "BOTH") for t in gap[i + 1 :])
        if token.kind in ("EXC", "RATHER", "ALL_EXC", "ONLY_EXC") and last:
            return gap[:i], gap[i:]
    opened = [i for i, token in enumerate(gap) if token.kind == "OPEN"]
    aside = gap[opened[-1] + 1 :] if opened else []
    if any(t.kind in ("NEG", "HID", "HEDGE", "SEE") for t in aside) and not any(
        t.kind == "CLOSE" for t in aside
    ):
        return gap[: opened[-1]], aside
    splits = [i for i, token in enumerate(gap) if token.kind in _SPLITS]
    if splits:
        return gap[: splits[-1]], gap[splits[-1] + 1 :]
    marks = [token for token in gap if token.kind in ("NEG", "YES") and len(token.text) == 1]
    if marks and first_is_mark:
        return [], gap
    if gap[0].kind in ("COLON", "DASH") and gap[-1].text == "not":
        return [], gap
    opens = gap[0].kind in ("COPULA", "COLON", "DASH", "OPEN")
    opens = opens or gap[0].text in ("which", "that", "→", "⇒")
    if opens or (marks and marks[0] is gap[0]):
        if _is_reference(gap):
            return gap, gap
        both = gap[0].kind == "COPULA" and gap[-1].kind == "NEG"  # "the target A is not B"
        return gap, gap[-1:] if both else []
    if gap[0].kind == "NEG" and any(t.kind in ("SEE", "HID") for t in gap):
        return gap, []
    if gap[0].text == "no" and len(gap) == 1:
        return gap, []
    return [], gap


def own_prefix(before: list[Token]) -> list[Token]:
    splits = [i for i, token in enumerate(before) if token.kind in ("COMMA", "AND")]
    if not splits:
        return before
    piece = before[splits[-1] + 1 :]
    if not piece or (polarity_of(piece) is None and piece[-1].kind == "COLON"):
        return before
    return piece


def own_suffix(after: list[Token]) -> list[Token]:
    for i, token in enumerate(after):
        if token.kind in ("OTHERS", "ALL", "NONE", "ANY", "SKIP"):
            after = after[:i]
            break
    for i, token in enumerate(after):
        if token.kind in ("COMMA", "AND") and polarity_of(after[:i]) is not None:
            return after[:i]
    return after


def polarity_of(cues: list[Token]) -> str | None:
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


def is_elliptic(after: list[Token]) -> bool:
    """Whether it is "... but blue isn't": a denial with the verb of what came before."""
    kinds = [token.kind for token in after if token.kind not in ("NOUN", "DOT", "CLOSE", "SAME")]
    return "NEG" in kinds and set(kinds) <= {"NEG", "COPULA"}


def polar_parts(group: Group, lead: str | None) -> list[tuple[list[Token], str]]:
    """The group's tokens with their polarity; two parts where its two ends disagree."""
    before, after = polarity_of(group.before), polarity_of(_suffix_cues(group.after))
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
    if several and group.before and group.before[-1].text == "no":
        return [(group.tokens, "unclear")]  # "no red, blue": one or both?
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


def _open_aside(group: Group) -> int | None:
    """Where a parenthesis opens in the group and closes behind its cue: "C (red is hidden)"."""
    opened = [i for i, t in enumerate(group.tokens) if t.kind == "OPEN"]
    closed = sum(t.kind == "CLOSE" for t in group.tokens)
    after = [t.kind for t in group.after]
    says = "CLOSE" in after and "COPULA" in after[: after.index("CLOSE")]
    return opened[-1] if len(opened) > closed and says and opened[-1] > 0 else None


def _hits_last_only(group: Group) -> bool:
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
