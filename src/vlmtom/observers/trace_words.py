"""The words by which the embedded coder reads reasoning: general English about seeing and choosing.

They name no scene, and no condition. A reading's words count where they stand in a sentence that
the reasoning itself states: not in a question, in what it quotes, or in what it only considers.
"""

import re


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})", re.IGNORECASE)


_WHO = (
    r"(?:he|she|they|him|her|them"
    r"|(?:the|a) (?:director|person|speaker|man|woman|other (?:one|side)))"
)
_SIZE = r"(?:largest|biggest|larger|bigger|tallest|widest)"
# Between two words of a phrase that no negation and no other size parts.
_GAP = rf"(?:(?!\b(?:not|{_SIZE})\b).)"
_WHOSE = r"(?:his|her|their|the (?:director|speaker|person)['’]s)"
_NOT = r"(?:n?['’]t| not)"
_VIEW = (
    r"(?:own )?(?:(?:field|line) of )?(?:view|viewpoint|point of view|sight|perspective"
    r"|vantage point|standpoint)"
)

# What is no statement of the reasoning's own ---------------------------------------------------

# Of two words or more; a single word in quotation marks is the trace's own.
QUOTED = re.compile(r"“[^“”]*\s[^“”]*”|\"[^\"\n]*\s[^\"\n]*\"|«[^«»]*»")
MARKS = re.compile(r"[“”\"]")
DRAFT = re.compile(r"\{[^{}]*\}")
TO_A_CODER = _words(
    r"whoever reads|to the (?:coder|reader|judge|grader)|(?:code|label|mark|rate) (?:this|it) "
    r"(?:trace |reasoning |text )?as|(?:director|own)_view|prior_knowledge|largest_digit|no_rule"
    r"|director_sees_choice|visibility_worked_out"
)
CONSIDERED = _words(
    r"one (?:could|might)|(?:could|might) (?:argue|think|be read|go by|mean)|tempting|(?:first|"
    r"initial) (?:instinct|thought|impulse|idea|guess)|would (?:give|be the answer if)|at first"
    r"|first (?:leaned|thought)|leaned toward|if (?:it|the (?:question|request)) (?:was|were|meant)"
)

# The readings ----------------------------------------------------------------------------------

SIZE = _words(_SIZE)
DIRECTOR_VIEW = (
    # Limits the choice to what the director sees.
    _words(rf"{_SIZE}\b{_GAP}{{0,60}}\b{_WHO} (?:can |is able to |actually )?(?:sees?|view)\b"),
    _words(rf"{_WHO} (?:can |is able to |actually )?sees?\b{_GAP}{{0,40}}\b{_SIZE}\b"),
    _words(rf"visible (?:to|for) {_WHO}\b{_GAP}{{0,60}}\b{_SIZE}\b"),
    _words(rf"{_SIZE}\b{_GAP}{{0,60}}\bvisible (?:to|for) {_WHO}\b"),
    _words(rf"(?:from|in) {_WHOSE} {_VIEW}\b{_GAP}{{0,40}}\b{_SIZE}\b"),
    _words(rf"{_SIZE}\b{_GAP}{{0,40}}\b(?:from|in) {_WHOSE} {_VIEW}\b"),
    _words(rf"{_SIZE}\b (?:one |block )?for (?:him|her|them|the director)\b"),
    _words(
        rf"(?:would|could|can|will) ?{_NOT} (?:be )?(?:possibly )?(?:refer|mean|ask|request|want|"
        r"what (?:he|she)|talking)"
    ),
    _words(r"(?:can|could|would) only (?:\w+ )?(?:mean|refer|request|ask|want|talk)"),
    _words(
        rf"(?:about|limited to|only) (?:the )?(?:blocks|ones|those) (?:that )?{_WHO} (?:can )?see"
    ),
    _words(r"about the blocks visible to"),
    _words(rf"{_WHOSE} (?:own )?{_SIZE}"),
    _words(rf"(?:from|in) {_WHOSE} {_VIEW},? (?:it|this|that)\b"),
    _words(rf"(?:tak|adopt|assum)\w* {_WHOSE} {_VIEW}\b{_GAP}{{0,40}}\b{_SIZE}\b"),
    _words(rf"{_WHO}(?:['’]d| would| must| has to| can) (?:be )?(?:mean|refer|talk)"),
    _words(rf"(?:understood|interpret\w*|read|taken) from {_WHOSE} {_VIEW}"),
)
# They refer back: to the director's blocks where these were named in the sentence before.
OF_THESE = _words(rf"{_SIZE}\b.{{0,20}}\b(?:of|among) (?:these|those|them)\b")
OF_THE_REST = _words(
    r"(?:among|of|out of) (?:what (?:remains|is left)|the (?:rest|remaining|others?))\b"
)

OWN_VIEW = (
    _words(
        rf"{_SIZE}\b.{{0,40}}\b(?:overall|of (?:all|them all|(?:the )?(?:three|four))|physically"
        r"|in "
        r"the (?:picture|image|scene|photo)|on the table)\b"
    ),
    _words(
        rf"(?:overall|physically|in (?:the )?(?:picture|image|scene)|of all)\b.{{0,30}}\b{_SIZE}"
    ),
    _words(rf"(?:just|simply|only) (?:need|find|take|want|choose|pick|move) the {_SIZE}"),
    _words(rf"full picture\b.{{0,20}}{_SIZE}"),
    _words(rf"actual(?:ly)? (?:the )?{_SIZE}"),
    _words(rf"{_SIZE}\b.{{0,30}}\bi (?:can )?see\b"),
    _words(rf"from (?:my|where i)\b.{{0,60}}\b(?:{_SIZE}|most space)"),
)
# The director's view is named, and set aside.
DISREGARDED = _words(
    rf"(?:regardless of|no matter) (?:whether|what|if)|even (?:though|if) {_WHO} "
    r"(?:can|does|do|is) ?"
    rf"{_NOT}|without (?:any )?(?:restriction|qualification|limit)"
)
REJECTED = re.compile(r"\b(?:not|isn['’]t|rather than|instead of)(?: \w+)?\s*$", re.IGNORECASE)
# Only where nothing else is said: the largest, without a word on whose view it is.
BARE_SIZE = _words(
    rf"{_SIZE}(?: (?:block|one|cube))?(?: is|:| =) (?:the )?(?:block |number )?\d"
    rf"|\d (?:is|seems|looks) (?:clearly |to be )?the {_SIZE}"
)

PRIOR_KNOWLEDGE = (
    _words(
        rf"{_WHO} (?:\w+ )?(?:would |could |may |might |must |probably |presumably |therefore |"
        r"already |clearly |surely )*(?:knows?|remembers?|recalls?|is aware|has seen|had seen|"
        r"walked|was told|(?:have|has) been told|set (?:up|the table)|arranged|placed|put|laid"
        r"|built)\b"
    ),
    _words(
        r"(?:full|prior|earlier|that) knowledge|common ground|in (?:his |her )?memory|familiar with"
    ),
    _words(r"(?:aware|knowledge) of (?:block |all|the|it|\d)"),
)
UNKNOWING = _words(rf"(?:do|does|did|can|could|would) ?{_NOT} (?:even )?(?:know|remember)|unaware")

LARGEST_DIGIT = (
    _words(
        r"(?:largest|biggest|highest|greatest|larger|bigger|higher|greater|maximum|max) "
        r"(?:of the )?"
        r"(?:numbers?|digits?|values?|labels?|numerals?)\b"
    ),
    _words(
        r"numerically|(?:sorted|ordered|ranked) by (?:\w+ ){0,2}(?:number|digit|label|numeral)s?\b"
        r"|by (?:its |their |the )?(?:number|digit|label|value)s?\b|max(?:imum)? ="
    ),
    _words(r"(?:number|digit|label)s? (?:must be|is|are) what (?:matters|counts)"),
    _words(r"(?:digits?|numbers?|labels?)\b.{0,60}\bhighest\b|(?:\d|one|two|three|four|five|six"
           r"|seven|eight|nine) is the highest"),
)  # fmt: skip
UNDECIDED = _words(
    r"guess|can(?:no|['’])t (?:tell|settle|decide|say which)|not sure|no idea|either is possible"
    r"|unclear which|toss a coin|at random|arbitrar"
)

# What the director sees ------------------------------------------------------------------------

SEEN = _words(
    rf"{_WHO} (?:can |may |might |also |only |well |still |is able to )*(?:sees?|view)\b"
    rf"|one can see|visible|in (?:{_WHOSE} (?:own )?(?:(?:field|line) of )?view|sight|view)"
    r"|open line|can be seen|unobstructed"
)
UNSEEN = _words(
    rf"(?:can|could|does|do|is|are|was) ?{_NOT} (?:able to )?(?:see|view|visible"
    r"|in (?:his|her|their) "
    r"(?:own )?(?:view|line|field|sight))|cannot (?:see|view)|(?:not|in)visible|not visible"
    r"|unable to see|hidden|concealed|hides?\b|hiding|occlude[ds]|occluding|blocked"
    r"|blocking"
    r"|covers|covered|out of (?:his|her|their) (?:sight|view)"
    r"|(?:right |tucked )?behind (?:the|a|that) (?:\w+ )?(?:partition|panel|screen|wall|board|"
    r"barrier|divider)|in (?:his|her|their|the) way|in front of \d"
)
ANYTHING = _words(
    r"some of them|(?:something|anything|objects?|ones?|those|what|blocks?) (?:that |which )?"
    rf"(?:(?:is |are )?hidden|{_WHO} (?:can|does|is|sees?|view))"
)
IT = _words(r"sees? it|it is (?:also )?visible|it['’]s (?:also )?visible")
IF = _words(r"whether|if ")
BUT = re.compile(
    r";|\b(?:but|while|whereas|because|although|even though|though|since|yet|so|choice|answer)\b"
    r"|, (?=not \d)",
    re.IGNORECASE,
)
ONE_BY_ONE = re.compile(
    r"\b(\d)\b(?:,|:| is| -)? ?(ok|okay|yes|visible|no|blocked|hidden|isn['’]t|is not)\b",
    re.IGNORECASE,
)
NOT_SEEN_WORDS = ("no", "blocked", "hidden", "isn", "is not")
ASKS_WHO_SEES = _words(r"see|visible|view|line of sight|unobstructed")
ENGLISH = _words(
    r"(?:the|is|are|of|and|to|in|it|that|this|he|she|i|so|answer|choice|choose|block)\b"
)
