"""The words by which the embedded judges read a description: general English, no clip's own.

A cue is a pattern with a rung for each reading, strict, plain and lenient: where its word leaves
open what is meant, the readings differ. A rung of Intentionality runs from 0, motion, to 5, acting
on the other's mind.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Cue:
    """Words that put a description on a rung. mental: they name a state of mind."""

    pattern: re.Pattern[str]
    rungs: tuple[int, int, int]
    mental: bool = False


def _cue(words: str, *rungs: int, mental: bool = False) -> Cue:
    pattern = re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    three = rungs * 3 if len(rungs) == 1 else rungs
    return Cue(pattern, (three[0], three[1], three[2]), mental)


_WHOM = r"(?:\w+ ){1,4}?"  # whom it is done to: "the other one"

# Rung 5: done so that the other one thinks, knows, wants or feels something else.
_TO_CHANGE_A_MIND = (
    _cue(
        r"deceiv\w+|pretend\w*|feign\w*|trick(?:s|ed|ing)?|fool(?:s|ed|ing)|dup(?:es|ed|ing)"
        r"|bluff\w*|mislead\w*|lie to|lies to|lying to|lied to|outwit\w*",
        5,
    ),
    _cue(
        r"startl\w+|spook(?:s|ed|ing)?|scar(?:e|es|ing)|frighten(?:s|ing)?|to shock|shock(?:s|ing) "
        r"the|(?:to|will|would|can) surprise|surpris(?:es|ing) (?:the|it|him|her|its|his|red|blue)"
        r"|ambush\w*|(?:give|gives|gave|giving) (?:\w+ ){1,4}?(?:a|the) (?:\w+ )?"
        r"(?:fright|scare|start|shock|surprise)|as a surprise",
        5,
    ),
    _cue(
        r"persuad\w+|convinc(?:e|es|ed|ing)|coax\w*|tempt(?:s|ed|ing)?|lur(?:e|es|ed|ing)"
        r"|entic(?:e|es|ed|ing)|seduc\w+|charm(?:s|ed|ing)?|beguil\w+|woo(?:s|ed|ing)?"
        rf"|w[io]n(?:s|ning)? (?:{_WHOM})?over|sweet-?talk\w*|talk(?:s|ed|ing)? {_WHOM}into"
        r"|flatter\w*",
        5,
    ),
    _cue(
        rf"(?:make|makes|made|making) {_WHOM}(?:think|believe|feel|laugh|jealous|want|trust|curious"
        rf"|afraid|angry|happy)|(?:so|so that|in order that) {_WHOM}(?:will|would|might|can|could) "
        r"(?:trust|think|believe|feel|want|like|agree)|cheer(?:s|ed|ing)? (?:\w+ ){0,4}?up"
        r"|reassur\w+|confus(?:es|ing) the|distract(?:s|ed|ing)?|gain \w+ trust",
        5,
    ),
    _cue(
        rf"act(?:s|ed|ing)? (?:innocent\w*|as if|as though)|provok\w+|intimidat\w+"
        rf"|calm(?:s|ed|ing)? {_WHOM}down|(?:get|gets|getting) {_WHOM}to (?:trust|like|laugh)",
        *(4, 5, 5),
    ),
    _cue(
        r"impress(?:es|ing)?|show(?:s|ed|ing)? off|sooth\w+|comfort\w*|consol(?:e|es|ing)", 4, 4, 5
    ),
)

# Rung 4: what is done makes no sense without a state of mind.
_IN_REPLY_TO_A_MIND = (
    _cue(
        r"mock(?:s|ed|ing|ingly)?|teas(?:e|es|ed|ing|ingly)|(?:mak|pok)(?:e|es|ing) fun|made fun"
        r"|ridicul\w+|taunt\w*|jeer\w*|laugh(?:s|ed|ing)? at|humiliat\w+|gloat\w*",
        4,
    ),
    _cue(
        r"scold\w*|tell(?:s|ing)? \w+ off|told off|telling \w+ \w+ \w+ off|argu(?:e|es|ed|ing)"
        r"|quarrel\w*|bicker\w*|blam(?:e|es|ed|ing)|nag(?:s|ged|ging)?|threaten\w*|bull(?:y|ies|ied"
        r"|ying)|apologi[sz]\w+|thank(?:s|ed|ing)?|forgiv\w+|beg(?:s|ged|ging)?|plead\w*|flirt\w*"
        r"|invit(?:e|es|ed|ing)|disobey\w*|obey\w*|refus(?:e|es|ed|ing)|sulk\w*|negotiat\w+",
        4,
    ),
    _cue(r"encourag\w+|urg(?:e|es|ed|ing)|cajol\w+|beckon\w*", 4, 4, 5),
    _cue(
        r"ignor(?:e|es|ed|ing)(?! (?:each other|one another))|bother(?:s|ed|ing)?|pester\w*"
        r"|annoy(?:s|ing)",
        3,
        4,
        4,
    ),
    _cue(rf"want(?:s|ed|ing)? {_WHOM}to|wish(?:es|ed)? {_WHOM}(?:to|would)", 4, mental=True),
    _cue(r"(?:not|n't|never) want(?:s|ed)?|no longer wants", 4, mental=True),
)

# States of mind by themselves: who else is there decides (see rubric_judges).
STATES = _cue(
    r"afraid|scared|frightened|shy|shyly|reluctan\w+|hesitan\w+|curious\w*|angry|angrily|annoyed"
    r"|upset|happy|sad|jealous|brave|bravely|nervous\w*|wary|warily|unaware|oblivious|surprised"
    r"|confused|excited|bored|proud|worried|anxious\w*|timid\w*|fearful\w*|suspicious\w*"
    r"|embarrassed|lonely|eager\w*|unwilling\w*|willing|interested|in love|loves?|trusts?|likes"
    r"|hates?|thinks?|thought|knows?|knew|believ\w+|feels?|felt|notic(?:e|es|ed|ing)"
    r"|reali[sz](?:e|es|ed|ing)|understands?|understood|remembers?|forgets?|hop(?:es|ed|ing)"
    r"|fears?|expects?|relieved|furious|mad at|offended|impatient\w*|confident\w*|want(?:s|ed)? "
    r"(?!to\b)",
    4,
    mental=True,
)

# Rung 3: upon, or in answer to, what the other one does.
_IN_REPLY_TO_AN_ACT = (
    _cue(
        r"chas(?:e|es|ed|ing)|pursu\w+|r[ua]n(?:s|ning)? (?:quickly )?after|go(?:es|ing)? after"
        r"|flee(?:s|ing)?|fled|r[ua]n(?:s|ning)? (?:away|off) from|(?:get|gets|getting|got|run|runs"
        r"|running) away|escap(?:e|es|ed|ing)|evad\w+|dodg(?:e|es|ed|ing)|avoid(?:s|ed|ing)?"
        r"|hunt(?:s|ed|ing)?|stalk\w*|cat(?:ch|ches|ching)|caught|tail(?:s|ed|ing)",
        3,
    ),
    _cue(
        r"follow(?:s|ed|ing)?(?! (?:\w+ ){0,3}(?:paths?|lines?|trajector\w+|curves?|routes?"
        r"|patterns?|courses?|orbits?|tracks?)\b)|lead(?:s|ing)?(?! to\b)|led|guid(?:e|es|ed|ing)"
        r"|(?:go|goes|going|went|is|moves) wherever|shadow(?:s|ed|ing) the|tags along"
        r"|(?:go|goes|going) ahead",
        3,
    ),
    _cue(
        r"block(?:s|ed|ing)?|guard(?:s|ed|ing)?|protect\w*|defend\w*|trap(?:s|ped|ping)?"
        r"|corner(?:s|ed|ing) the|attack(?:s|ed|ing)?|push(?:es|ed|ing)?|pull(?:s|ed|ing)?"
        r"|drag(?:s|ged|ging)?|nudg\w+|shov\w+|ram(?:s|med|ming)?|kick\w*|rescu\w+"
        r"|imitat\w+|cop(?:y|ies|ied|ying)|mimic\w*|mirror(?:s|ed|ing)?|lets? (?:\w+ ){1,3}"
        r"(?:in|out|past|go)|wait(?:s|ed|ing)? for|stop(?:s|ped|ping)? (?:the|it) \w+ from"
        r"|creep(?:s|ing)? up|ward(?:s|ing)? off|order(?:s|ing) the|steal(?:s|ing)?",
        3,
    ),
    _cue(r"help(?:s|ed|ing)?|sneak(?:s|ed|ing)?|hide-and-seek|hide and seek|peekaboo", 3, 3, 4),
    _cue(
        r"hid(?:e|es|ing) (?:\w+ ){0,3}?(?:from|behind|by)|hides|hiding|visit(?:s|ed|ing)?"
        r"|kiss\w*|hug(?:s|ged|ging)?|embrac\w+",
        *(2, 3, 3),
    ),
    _cue(r"tell(?:s|ing)?|told|ask(?:s|ed|ing)?", 2, 3, 4),
    _cue(
        r"say(?:s|ing)?|said|shout(?:s|ed|ing)?|call(?:s|ing) (?:to|out)|talk(?:s|ed|ing)?"
        r"|chat(?:s|ted|ting)?|convers\w+|communicat\w+",
        *(1, 2, 3),
    ),
    _cue(r"approach(?:es|ed|ing)? (?:the other|it|each other|the small\w*|the big\w*)", 0, 2, 3),
)

# Rung 2: on purpose, together or side by side.
_TOGETHER = (
    _cue(
        r"fight(?:s|ing)?|fought|wrestl\w+|duel\w*|battl\w+|brawl\w*|spar(?:s|ring)|box(?:ing|es) "
        r"(?:each|with)|(?:hit|hits|hitting|punch\w*|slap\w*|strik\w+|clash\w*|headbutt\w*) "
        r"(?:\w+ ){0,2}?(?:each other|one another|the other|it|with)|clash(?:es|ing)?"
        r"|compet(?:e|es|ing)|rac(?:e|es|ing) (?:each|against|with)|greet\w*",
        *(2, 3, 3),
    ),
    _cue(r"play(?:s|ed|ing|fully)?", 2),
    _cue(
        r"cooperat\w+|collaborat\w+|work(?:s|ing)? together|meet(?:s|ing)? "
        r"(?:each|up|and)|interact(?:s|ed|ing)?|have fun",
        *(2, 2, 3),
    ),
    _cue(
        r"(?:mov|travel|swim|walk|run|skat|jog|march|spin|circl|turn|glid|stroll|go)\w* (?:\w+ )?"
        r"(?:together|side by side|in step|in unison|in sync|as a pair)|synchron\w+|coordinat\w+"
        r"|in unison|(?:circl|orbit|spin|twirl|turn|rotat|whirl)\w* (?:around |round |about )?"
        r"(?:each other|one another)|facing each other|face each other",
        *(0, 2, 2),
    ),
)
DANCES = re.compile(r"\b(?:danc\w+|waltz\w*|ballet|tango|twirl\w* together)\b", re.IGNORECASE)

# Rung 1: on purpose, for itself.
_FOR_ITSELF = (
    _cue(
        r"tr(?:y|ies|ied|ying) to|attempt\w*|look(?:s|ed|ing)? for|search\w*|explor\w+"
        r"|practi[sc]\w+"
        r"|exercis\w+|train(?:s|ing)|patrol\w*|perform\w*|go(?:es|ing)? (?:home|for a"
        r"|to work|shopping)|decid\w+|deliberate\w*|on purpose|intentional\w*|find(?:s|ing)? "
        r"(?:a|its|the) way|inspect\w*|investigat\w+|hid(?:e|es|ing)|peek\w*|want(?:s|ed)? to"
        r"|knock(?:s|ed|ing)? (?:on|at)|warm(?:s|ing) up",
        1,
    ),
    _cue(r"wants to|wanting to|wanted to", 1, 1, 4),
    _cue(r"wait(?:s|ed|ing)?|rest(?:s|ed|ing)|sleep\w*|swim\w*|jog\w*|skat\w+|stroll\w*", 0, 0, 1),
)

CUES = (
    *_TO_CHANGE_A_MIND,
    *_IN_REPLY_TO_A_MIND,
    *_IN_REPLY_TO_AN_ACT,
    *_TOGETHER,
    *_FOR_ITSELF,
)

# An encouragement that is said to have changed the other's mind is more than one.
CHANGED = re.compile(
    r"\buntil (?:\w+ ){1,4}?(?:feels?|felt|dares?|dared|agrees?|agreed|trusts?|gives? in|gave in"
    r"|brave|confident|is ready|was ready)\b|\bso that (?:\w+ ){1,4}?(?:dares?|feels?)\b",
    re.IGNORECASE,
)
ENCOURAGES = re.compile(r"\b(?:encourag\w+|urg(?:e|es|ed|ing)|invit(?:e|es|ed|ing))\b", re.I)

MOTION = re.compile(
    r"\b(?:mov\w+|motion\w*|turn\w*|rotat\w+|spin\w*|spun|drift\w*|float\w*|bounc\w+|slid\w+"
    r"|glid\w+|travel\w*|rebound\w*|ricochet\w*|hover\w*|wander\w*|circl\w+|swing\w*|shak\w+|drop\w*"
    r"|fall\w*|fl(?:y|ies|ying)|cross\w*|go(?:es|ing)?|comes?|coming|path\w*|speed\w*|still|stops?"
    r"|paus\w+|stay\w*|position\w*|shift\w*|back and forth|to and fro|up and down|run(?:s|ning)?"
    r"|touch\w*|collid\w+|bump\w*|approach\w*|wobbl\w+|tilt\w*|zigzag\w*|jump\w*|roll\w*|walk\w*"
    r"|swim\w*|exit\w*|enter\w*|leav\w+)\b",
    re.IGNORECASE,
)
NO_PURPOSE = re.compile(
    r"\b(?:random\w*|aimless\w*|purposeless\w*|pointless\w*|independent\w*|mechanical\w*|by chance"
    r"|unrelated|meaningless\w*|(?:no|without|lack\w*|any) (?:\w+ ){0,3}?(?:purpose|goals?|aims?"
    r"|intent\w*|interact\w+|relation\w*|connection|pattern|meaning|regard)"
    r"|(?:do|does|are|is) not interact\w*|(?:don't|doesn't|aren't) interact\w*)\b",
    re.IGNORECASE,
)
UNKNOWING = re.compile(
    r"\b(?:(?:do not|don't|don’t|cannot|can't|can’t|could not) (?:really )?(?:know|tell|say"
    r"|make out|work out)|no idea|not sure|unclear|hard to (?:say|tell))\b",
    re.IGNORECASE,
)
NEGATES = re.compile(
    r"\b(?:not|never|no|without|neither|nor|nobody|nothing|hardly|cannot|rather than|instead of"
    r"|fails? to|far from|lack\w*)\b|n[’']t\b",
    re.IGNORECASE,
)
NEGATES_STATES = re.compile(
    r"\b(?:no|without|neither|nor|nobody|nothing|no sign of|lack\w*|rather than)\b", re.IGNORECASE
)
AT_WALLS = re.compile(
    r"\b(?:hit|bump|bounc|crash|knock|push|ram|run|rebound|collid|strik|avoid)\w*(?: back)?"
    r"(?: (?:into|against|off|from|on|with|at|of))* (?:the|its|their|all|an?)? ?(?:\w+ )?"
    r"(?:walls?|sides?|edges?|borders?|frame|boundar(?:y|ies)|corners?|screen|limits?)\b",
    re.IGNORECASE,
)
TO_THE_JUDGE = re.compile(
    r"\b(?:rubric|scores?|scoring|ratings?|rate this|judges?|graders?|evaluators?|instructions?"
    r"|prompt|json|intent(?:ionality)?\s*[\"']?\s*[:=]|appropriateness|approp|full marks|points?"
    r"|ignore (?:all|the|any|every|previous|what)|disregard|system message"
    r"|out of (?:5|3|five|three)|\d\s*/\s*[35])\b|[{}]",
    re.IGNORECASE,
)
# A sentence that speaks of marks, or tells its reader what to conclude, is no part of an account.
TO_THE_READER = re.compile(
    r"\b(?:(?:top|highest|full|best|maximum|generous|perfect|high) (?:marks?|grades?)"
    r"|(?:give|given|gives|deserves?|award(?:s|ed)?) (?:(?:it|this|me|both) )?(?:an? |the )?"
    r"(?:\w+ )?(?:marks?|grades?|(?:five|three|5|3)(?! \w))\b|reviewers?|assessors?|verdicts?"
    r"|as an ai"
    r"|this (?:text|description|account|answer|reply|response|summary) (?:as|deserves|should|must)"
    r"|you (?:must|should|have to|need to|ought to|are to) (?:\w+ )?(?:say|write|reply|answer|give"
    r"|conclude|treat|take|assume|accept|find|read|rate|award|report|believe))\b"
    r"|^\W*(?:please )?(?:treat|assume|conclude|reply|answer|respond|output|write|say|award|grant"
    r"|report|return|note to|act as|pretend (?:that )?you)\b(?!\W*:)"  # "Answer:" heads an account
    r"|^\W*(?:system|user|developer)(?: message)?:",
    re.IGNORECASE,
)
# Messages of a conversation that the describer made up, and what a page would not show.
FORGED = re.compile(
    # Bounded, so that openers without an end cost no more than their length.
    r"<!--.{0,500}?-->|<\|im_start\|>.{0,500}?<\|im_end\|>"
    r"|<(system|user|assistant|instructions?)>.{0,500}?</\1>"
    # A reply may begin with the label of its own role; further down it is a forgery.
    r"|(?:^[^\w\n]{0,9}(?:system|user|developer|human)|(?<=\n)[^\w\n]{0,9}assistant)\b"
    r"[^\w\n:]{0,9}(?:message)?:[^\n]*$",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
# The describer's own part in a sentence is nobody's state of mind in the clip.
DESCRIBER = re.compile(
    r"\b(?:i|we|you|one) (?:would |can |could |might |may )?(?:think|thought|believe|feel|see|saw"
    r"|notice|know|guess|say|suppose|assume|imagine|tell|observe)\b(?: that)?",
    re.IGNORECASE,
)
TALK = re.compile(r"\b(?:i|i'm|i’m|me|my|you|your)\b", re.IGNORECASE)
SPEECH = re.compile(
    r"\"[^\"\n]*\"|“[^”\n]{0,300}”|„[^“”\n]{0,300}[“”]|«[^»\n]{0,300}»"
    r"|(?<!\w)'[^'\n]{2,}'(?!\w)"
)
ENGLISH = re.compile(
    r"\b(?:the|and|with|they|each|other|both|around|while|then|it|are|their|just|nothing|this|these"
    r"|there|there's|an|has|triangles|shapes|do not|know|what|you|of the)\b",
    re.IGNORECASE,
)

_BIG = r"\b(?:big|bigger|large|larger|red|mother|father|parent|adult|first)\b"
_SMALL = r"\b(?:small|smaller|little|blue|child|baby|kid|second)\b"
FIGURES = tuple(
    re.compile(words, re.IGNORECASE)
    for words in (_BIG, _SMALL, r"\b(?:the other|another|each other|one another)\b")
)
SHAPES = re.compile(r"\b(?:triangles?|shapes?|figures?|objects?|they|them|it)\b", re.IGNORECASE)
BOTH = re.compile(r"\b(?:they|them|both|each other|one another|together|two)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Kind:
    """A kind of event: words that name it, and words that only touch on it."""

    names: re.Pattern[str]
    touches: re.Pattern[str]


def _kind(names: str, touches: str) -> Kind:
    return Kind(
        re.compile(rf"\b(?:{names})\b", re.IGNORECASE),
        re.compile(rf"\b(?:{touches})\b", re.IGNORECASE),
    )


# Kinds of event between two agents, by general English words. A script names one of them.
KINDS: dict[str, Kind] = {
    "coax": _kind(
        r"coax\w*|encourag\w+|persuad\w+|lur(?:e|es|ed|ing)|urg(?:e|es|ed|ing)|entic\w+"
        r"|tempt(?:s|ed|ing)?|cajol\w+|beckon\w*|invit(?:e|es|ed|ing) (?:\w+ ){1,4}?(?:out|outside)"
        rf"|(?:draw|get|bring|talk)(?:s|ing)? {_WHOM}(?:to come |to go )?(?:out|outside)"
        rf"|want(?:s|ed|ing)? {_WHOM}to (?:\w+ ){{0,3}}(?:out|outside)|venture\w*",
        r"reluctan\w+|hesitan\w+|shy|come(?:s)? out|coming out|go(?:es|ing)? out|outside"
        r"|leave(?:s)?|help(?:s|ing)?|pull(?:s|ing)?|push(?:es|ing)?|mother|convinc\w+|afraid|scared",
    ),
    "mock": _kind(
        r"mock\w*|mak(?:e|es|ing) fun|made fun|pok(?:e|es|ing) fun|teas(?:e|es|ed|ing)"
        r"|ridicul\w+|taunt\w*|jeer\w*|laugh(?:s|ing)? at",
        r"imitat\w+|mimic\w*|cop(?:y|ies|ying)|behind its back|innocent\w*|prank\w*"
        r"|joke\w*|annoy\w*|pretend\w*|unaware|not notice",
    ),
    "charm": _kind(
        rf"charm\w*|seduc\w+|flirt\w*|woo(?:s|ed|ing)?|w[io]n(?:s|ning)? (?:{_WHOM})?over"
        r"|beguil\w+|sweet-?talk\w*|get (?:its|his|her) way|flatter\w*",
        r"persuad\w+|convinc\w+|distract\w*|trick\w*|(?:slip|get|sneak)(?:s|ting|ping)? "
        r"(?:out|past)|beg(?:s|ging)?|plead\w*|dance(?:s)? (?:around|for)|attract\w*"
        r"|let(?:s)? \w+ (?:out|past)|lur(?:e|es|ed|ing)",
    ),
    "surprise": _kind(
        r"surpris\w+|startl\w+|scar(?:e|es|ing)|fright|frighten\w*|spook\w*|ambush\w*|shock\w*|boo"
        r"|jump(?:s|ed|ing)? out|peekaboo",
        r"hid(?:e|es|ing)|hide-and-seek|knock\w*|prank\w*|joke\w*|trick\w*|sneak\w*|scared",
    ),
    "chase": _kind(
        r"chas(?:e|es|ed|ing)|pursu\w+|r[ua]n(?:s|ning)? after|hunt(?:s|ed|ing)?"
        r"|flee(?:s|ing)?|fled|go(?:es|ing)? after|playing tag",
        r"tag|cat(?:ch|ches|ching)|escap\w+|(?:get|run)(?:s|ting|ning)? away|evad\w+|follow\w*"
        r"|dodg\w+",
    ),
    "dance": _kind(
        r"danc\w+|waltz\w*|ballet|tango|choreograph\w+|twirl\w*",
        r"together|in step|in unison|synchron\w+|coordinat\w+|(?:circl|orbit|spin|whirl|turn)\w* "
        r"(?:around |round )?(?:each other|one another)|skat\w+",
    ),
    "fight": _kind(
        r"fight(?:s|ing)?|fought|attack\w*|battl\w+|duel\w*|wrestl\w+|brawl\w*|spar(?:s|ring)"
        r"|(?:hit|hits|hitting|punch\w*|strik\w+|slap\w*|headbutt\w*) (?:\w+ ){0,2}?(?:each other"
        r"|one another|the other|it)|clash\w*|beat(?:s|ing)? (?:each|up)",
        r"push\w*|shov\w+|ram(?:s|med|ming)?|collid\w+|bump\w* into (?:each|the other)|crash\w*"
        r"|argu\w+|quarrel\w*|aggressive\w*|enem\w+",
    ),
    "lead": _kind(
        r"lead(?:s|ing)?(?! to\b)|led|follow(?:s|ed|ing)?|guid\w+|(?:go|goes|going) (?:wherever"
        r"|ahead)|tags along|trail(?:s|ing)? (?:behind|the)",
        r"behind|chas\w+|pursu\w+|r[ua]n(?:s|ning)? after|cop(?:y|ies|ying)|imitat\w+|shadow\w*"
        r"|same path",
    ),
    "scold": _kind(r"scold\w*|tell(?:s|ing)? off|argu\w+|quarrel\w*|bicker\w*", r"angry|annoyed"),
    "play": _kind(r"play(?:s|ing)? (?:with|tennis|ball|a game|football)|game", r"fun"),
    "protect": _kind(r"protect\w*|guard\w*|defend\w*|rescu\w+", r"safe"),
}
