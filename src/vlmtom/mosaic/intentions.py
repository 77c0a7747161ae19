"""Which box the reasoning of a reply says its author goes to, to be held against its move.

Models say one thing and do another: the paper shows a move to the right under a reasoning that goes
to the box on the left (appendix H). This counts only what is stated plainly. Source of the move's
own box: world.nearer_sideways.
"""

import re
from itertools import islice

from vlmtom.mosaic.triples import NAMES
from vlmtom.mosaic.world import DARK, LIGHT, ROLES, Role

LONGEST = 20_000  # characters of a reasoning that are read
_MOST = 10  # movements of one clause that are read

_BOX = r"(?:(?P<dark>dark(?:er)?)|(?P<light>light(?:er)?))(?:[ -]brown)?[ -]box"
# What is said of a box that is no place: "the dark brown box's value", "the light box preference".
_PLACES = r"(?:side|left|right|front|position|location|cell|area|direction|vicinity)"
_BOX_ENDS = (
    rf"\b(?!'s (?!{_PLACES}))(?! (?:preferences?|beliefs?|values?|triples?|theory|hypothesis"
    r"|topic|idea|question|option)\b)"
    r"(?! in (?:my |our )?(?:preferences?|beliefs?|minds?|thoughts?)\b)"
)
_OF_BOX = r"(?:the|a|my|that|this|own|preferred|favou?red|actual|real|correct|wrong"
_OF_BOX += r"|empty|reward|treasure|so-called|nearby|decoy|vicinity|area|side|location"
_OF_BOX += r"|position|direction|spot|cell|adjacent|next|of|near|to"
_OF_BOX += r"|(?:right|other)(?= dark| light)|(?:left|right)(?= side))"

_MOVE = (
    r"(?:move|moving|go|going|head|heading|walk|walking|step|stepping|advance|advancing|proceed"
    r"|proceeding|shift|shifting|get|getting|come|coming|run|running|navigate|navigating|travel"
    r"|travell?ing|drift|drifting|return|returning|continue|continuing"
    r"|(?:movement|steps?|motion) (?:is|are|will be))"
)
_NEAR = r"(?:near|nearer(?: to)?|closer(?: to)?|next to|adjacent to|beside|in front of|close to)"
_TOWARDS = rf"(?:towards?|to|into|{_NEAR}|in the direction of)"
# All that may stand between a movement and its goal: how, how far and which way, but no object
# ("move my gaze towards") and no other verb ("continue looking towards").
_BETWEEN = (
    r"(?:\(?(?:(?!(?:\w*emotional|mental|visual|psychological|intellectual)ly)\w+ly|a|an|one|two"
    r"|three|few|couple|bit|little|tad|single|small|more|some|of|steps?"
    r"|cells?|squares?|spaces?|tiles?|(?:left|right|forward|backward)s?(?:-\w+)?|back|straight"
    r"|diagonal|ahead|up|down|over|along|across|around|off|out|sideways|direct|further|farther"
    r"|closer|nearer|to (?:my|the) (?:left|right)|myself|ourselves|and|then|now|first|again|also"
    r"|next|is|are|should|will|be)\)? ){0,6}?"
)
# Movement and its goal, or a verb that has the goal as its object.
_GOES = re.compile(
    rf"\b(?:(?P<move>{_MOVE}) {_BETWEEN}{_TOWARDS}"
    rf"|position(?:ing)? (?:myself|ourselves|me) (?:\w+ly )?(?:right )?(?:{_NEAR}|by|at)"
    rf"|(?P<bare>approach(?:ing)?|near(?:ing)?))"
    rf" (?:{_OF_BOX} ){{0,5}}{_BOX}{_BOX_ENDS}"
)
# "approach" and "near" are verbs only after a subject or what goes with one: "I will", "is to".
_VERB = re.compile(
    r"(?:\b(?:i|we|let's|let me|let us|to|will|shall|should|must|might|may|could|can|and|then)"
    r"|'ll|'d) (?:\w+ly |now |then |also |next |first )?$"
)
_VERB_OR_SO = re.compile(
    rf"{_VERB.pattern}|\b(?:am|are|is|be|start|begin|keep|by|consider|continue)"
    r" (?:\w+ly |now |then )?$|'m (?:\w+ly |now )?$"
)
# "my move to", "the last step towards": a movement that is spoken of, not made.
_NOUN = re.compile(
    r"\b(?:the|that|this|these|those|any|every|each|such|an?|another|no|my|our|his|her|their|your"
    r"|its|own)(?: (?:last|previous|recent|first|second|next|best|small|slow|little|large|sudden"
    r"|quick|possible|own|slight|subtle|single))* $"
)
_MADE = re.compile(r"\b(?:tak|mak)(?:e|ing) (?:\w+ ){1,3}$")
_IS = re.compile(r"\b(?:is|are|be)\b")
# What may shift, move or head somewhere while its owner stays where it is.
_NO_BODY = re.compile(
    r"\b(?:gaze|eyes?|head|heading|face|attention|focus|preferences?|beliefs?|body|bodies|look"
    r"|looking|facing|orientation|mind|thoughts?|thinking|suspicions?|trust|interest|emotions?"
    r"|valence|expressions?|smile|mood|attitude|opinion|bias|inclination|liking|confidence|guess"
    r"|hands?|arms?|fingers?|voice|words|treasure|reward|evidence|probability|likelihood|odds"
    r"|chances?|balance|hints?|clues?|conversation|discussion|topic|question|answer|game|box)\b"
)
_WITH_OWN_VERB = re.compile(r"\b(?:to|i|we|me|us|let's|i'll|i'm|i'd|we'll)\b")
_AND = re.compile(r"\b(?:and|then|before|while) (?:\w+ly )?$")
_BOTH = re.compile(r"\bbox (?:and|or|nor) |\bboxes\b|\beither box\b|\bbetween\b")

_NOT = re.compile(
    r"\b(?:not|n't|never|no|nor|neither|avoid\w*|without|instead of|rather than|refrain\w*|against"
    r"|stop\w*|unless|prevent\w*|don't|won't|shouldn't|cannot|can't|wouldn't|mustn't|fail\w*"
    r"|pretend\w*|feign\w*|imagin\w*|as if|as though|resist\w*|refus\w*|hesitat\w*|reluctan\w*"
    r"|afraid|tempted|urge)\b"
    r"|n't\b"
)
_IF = re.compile(
    r"\b(?:if|whether|when|whenever|were i to|should i|suppose|supposing|could have|would have"
    r"|might have|had|was|were|been|already|previously|earlier|last (?:step|turn|round))\b|\?"
)
_HYPOTHESIS = re.compile(
    r"^\W*(?:\w+ly )?(?:moving|going|heading|walking|stepping|advancing|approaching|getting|coming"
    r"|running|shifting|nearing|positioning)\b.*\b(?:would|could|might|may|can|risks?)\b"
)
# What is said of a movement, instead of doing it: "Moving there makes, will, is risky".
_OPENS = re.compile(r"^\W*(?:\w+ly |by |then |and )?$")
_SAID_OF_IT = re.compile(
    r"^\W*(?:\w+ly |also |then )?(?:will\b|is\b(?! (?:my|the|our|what)\b)|(?!is\b)\w+[^\Wus]s\b)"
)
_OWN = re.compile(r"\b(?:i|i'm|i'll|i'd|my|me|myself|we|we'll|let's|us|our)\b")
_OTHERS = re.compile(
    r"\b(?:he|him|his|she|her|they|them|their|it|its|player|opponent|partner|other|someone"
    r"|agent|you|your)\b"
)
# Verbs whose object is to move, where the object is not named: "guide towards the box".
_CAUSES = re.compile(
    r"\b(?:guid|lead|led|steer|direct|push|send|sent|encourag|persuad|mak|let|lur|mislead|help"
    r"|convinc|hop|expect|draw|attract|invit|nudg|tempt|trick|entic|allow|caus|forc|ask|tell|see)"
    r"(?:e|es|s|ing|ting)?\b"
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_CLAUSE = re.compile(r"[,;:]|--|—|–|\b(?:but|while|whereas|although|though|because|since)\b")


def stated_box(reasoning: str, role: Role | None = None) -> int | None:
    """The box that a reasoning names as the goal of its author's own movement: 0, 1 or null.

    Null where it names none, where it names both, and for what is denied, supposed, past, or the
    other's movement; turning and looking are no movement. role: the author's, whose name then
    stands for "I".
    """
    text = " ".join(re.sub(r"[*_`\"“”]+", "", reasoning[:LONGEST]).casefold().split(" "))
    found = {
        box
        for sentence in _SENTENCE.split(text.replace("’", "'"))
        for box in _of_sentence(sentence, role)
    }
    return found.pop() if len(found) == 1 else None


def _of_sentence(sentence: str, role: Role | None) -> set[int]:
    """The goals that one sentence states."""
    found: set[int] = set()
    mine: bool | None = None  # whose clause the last subject was
    for clause in _CLAUSE.split(sentence):
        goals = list(islice(_GOES.finditer(clause), _MOST))
        if not goals:
            subject, _ = _last_subject(clause, role)
            mine = subject if subject is not None else mine
        for goal in goals:
            before = clause[: goal.start()]
            subject, since = _last_subject(before, role)
            mine = subject if subject is not None else mine
            if mine is False or _CAUSES.search(before, since) or not _is_movement(goal, mine):
                continue
            if _IF.search(before) or _NOT.search(before) or _HYPOTHESIS.search(clause):
                continue
            if clause.rstrip().endswith("?"):
                continue
            if _BOTH.search(clause[goal.start() :]):
                found |= {DARK, LIGHT}
                continue
            found.add(DARK if goal["dark"] else LIGHT)
    return found


def _is_movement(goal: re.Match[str], mine: bool | None) -> bool:
    """Whether what reads as a movement and its goal is a body's, and one that is made."""
    clause, start = goal.string, goal.start()
    before, after = clause[max(start - 80, 0) : start], clause[goal.end() :]
    gerund = goal[0].split(" ")[0].endswith("ing") and bool(_OPENS.search(before))
    if gerund and _SAID_OF_IT.search(after):
        return False
    # "Coming back to the dark box, I think": a turn of thought, unless someone does it.
    if gerund and re.match(r"(?:coming|returning|\w+ back)\b", goal[0]) and mine is not True:
        return False
    if goal["bare"]:
        verb = _VERB if goal["bare"] in ("near", "approach") else _VERB_OR_SO
        return mine is True and (gerund or bool(verb.search(before)))
    if goal["move"] and _NOUN.search(before):
        return goal["move"] not in ("head", "heading") and bool(
            _MADE.search(before) or _IS.search(goal[0])
        )
    still = list(_NO_BODY.finditer(before))
    if not still:
        return True
    between = before[still[-1].end() :]
    # "my preference is to move", "my head turns as I move"; "I lower my gaze and move".
    return bool(_WITH_OWN_VERB.search(between)) or (
        bool(_AND.search(between))
        and bool(re.search(r"\b(?:i|we|i'll|let's|to)\b", before[: still[-1].start()]))
        and not re.match("shift|drift", goal[0])
    )


def _last_subject(words: str, role: Role | None) -> tuple[bool | None, int]:
    """Whether the last agent that is named is the author, and where its name ends.

    Null and 0 where none is named.
    """
    own = [match.end() for match in _OWN.finditer(words)]
    others = [match.end() for match in _OTHERS.finditer(words)]
    for named in ROLES:
        at = [match.end() for match in re.finditer(rf"\b{NAMES[named].casefold()}\b", words)]
        (own if named == role else others).extend(at)
    if not own and not others:
        return None, 0
    return max(own, default=-1) > max(others, default=-1), max(own + others)
