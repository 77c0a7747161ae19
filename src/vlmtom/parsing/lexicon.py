"""The words the rules know: colours outside the palette, cues of polarity, voice and conclusion."""

import re

from vlmtom.parsing.model import words

# Words outside the closed vocabulary that are another spelling of a word. Two vocabulary words
# are never equated, and nothing is mapped to the nearest colour.
ALIASES = {"violet": "purple", "grey": "gray"}

OTHER_COLORS = frozenset(
    words(
        "pink brown teal turquoise magenta black white gray indigo maroon navy beige tan gold "
        "golden silver lime olive aqua aquamarine azure lavender lilac mauve crimson scarlet "
        "vermilion vermillion amber coral salmon peach fuchsia khaki ivory cream bronze copper "
        "charcoal mint mustard plum burgundy ochre chartreuse cobalt cerulean sapphire emerald "
        "ruby rust sepia multicolored multicoloured colorless transparent"
    )
)
# Colour words of other languages: read as "a colour we do not translate", never as a block.
FOREIGN_COLORS = frozenset(
    words(
        "rojo roja azul amarillo amarilla verde morado morada naranja cian celeste violeta "
        "púrpura rouge bleu bleue jaune vert verte pourpre rot rote roten roter rotes blau blaue "
        "blauen blauer gelb gelbe gelben gelber grün grüne grünen grüner lila türkis rosso rossa "
        "blu giallo gialla viola arancione azzurro ciano vermelho vermelha amarelo amarela roxo "
        "roxa laranja ciano rood rode blauw blauwe geel gele groen groene paars oranje röd blå "
        "gul grön kırmızı mavi sarı yeşil mor turuncu czerwony niebieski żółty zielony fioletowy "
        "merah biru kuning hijau ungu jingga красный красная красного красную синий синяя синюю "
        "желтый жёлтый желтая жёлтая желтую зеленый зелёный зеленая зелёная фиолетовый оранжевый "
        "голубой"
    )
)
SHADES = frozenset(words("light dark pale deep sky baby powder royal navy lime forest hot neon"))
ISH = re.compile(
    r"(?:red|redd|blu|blue|green|yellow|purpl|purple|orang|orange|pink|brown|gray|grey|black|whit"
    r"|cyan)-?ish|orangey|bluey|greeny"
    r"|(?:red|blue|green|yellow|purple|orange|cyan){2}"
)

NOUN = (
    r"(?:blocks?|cubes?|box(?:es)?|ones?|objects?|bricks?|pieces?|items?|options?|shapes?|tiles?)"
)
OCCLUDER = r"(?:partition|screen|barrier|wall|divider|occluder|panel|board|obstacle|cover|curtain)"
SETTING = frozenset(
    words(
        "partition screen barrier wall divider occluder panel board table background floor "
        "surface shirt hair clothing jacket figure person director avatar doll light area region "
        "side line shadow mark edge rectangle outline border"
    )
)
_HIDE = r"(?:blocks|blocked|hides|conceals|obscures|occludes|covers|obstructs|shields|screens)"
_HIDDEN = (
    r"(?:hidden|blocked|occluded|obscured|concealed|covered|obstructed|shielded|invisible|unseen"
    r"|excluded|eliminated|omitted|non-?visible|non visible|undetectable|unavailable|inaccessible"
    r"|hiding|occluding|obscuring|concealing|obstructing|blocking|screened off|ruled out"
    r"|out of (?:(?:his|her|their|the director's|the) )?(?:line of )?(?:sight|view|reach)"
    r"|out of (?:his|her|their) (?:field of view|view)"
    rf"|behind (?:the|a|an|that|this) (?:\w+ )?(?:\w+ )?{OCCLUDER}|behind it"
    r"|outside (?:of )?(?:his|her|their|the|the director's) (?:\w+ )?(?:view|sight|field of view"
    r"|line of sight|field of vision))"
)
_SEEN = (
    r"(?:visible|seen|see|sees|seeing|view|in view|viewable|in sight|observable|observes?"
    r"|perceives?|viewed|spotted|spots?|unobstructed|exposed|unblocked|unoccluded|noticed?)"
)
_NEGATOR = (
    r"(?:[a-z]+n't|cannot|can not|not|never|no longer|neither|unable|impossible|prevents?"
    r"|prevented|preventing|fails? to|failed to"
    r"|lacks?|lacking|cant|dont|doesnt|isnt|arent|wont|couldnt|wouldnt|shouldnt|wasnt|no)"
)
_EXCEPT = (
    r"(?:except(?:ing)?(?: for)?|with the exception of|excluding|other than|apart from|aside from"
    r"|besides|save for|bar|minus|but not|barring)"
)
_WHOLE = r"(?:all|every|each|everything|every one|everyone)"
_COUNT = r"(?:two|three|four|five|six|2|3|4|5|6)"

# "B (N)", "red: 0": one character in the place of yes or no.
_MARK = r"(?:(?<=[(\[:=])|(?<=[(\[:=] )){}(?=\s*(?:[)\],;.|]|$))"

# Token kinds in order of preference; the first that matches at a position wins.
TOKENS: tuple[tuple[str, str], ...] = (
    (
        "SKIP",
        r"not only|not just|not merely|no doubt|no question|without (?:a )?doubt|no matter"
        r"|none other than|no other than|after all|at all|all in all|not sure but|above all"
        r"|first of all|all things considered|all right|no problem|all the way|all along"
        r"|not (?:\w+ )?(?:sure|certain)|nothing else|no others?(?: \w+)?|none of the others?(?: "
        r"\w+)?"
        r"|not needing|not moving|no one else|no longer than|not to mention|if not all|can't help "
        r"but|at all times|only if",
    ),
    ("ONLY_EXC", rf"(?:nothing|no {NOUN}|none|anything|any {NOUN}) (?:but|{_EXCEPT})"),
    ("ALL_EXC", rf"(?:{_WHOLE}(?: (?:the |of )*(?:\w+ )?{NOUN})?|all {_COUNT}) but(?! not)"),
    ("NOT_ALL", rf"(?:{_NEGATOR}) (?:(?:see|view|observe) )?{_WHOLE}\b"),
    (
        "NOT_HIDDEN",
        rf"{_NEGATOR} (?:(?:be|being|been|at|all|completely|fully|actually|in any way"
        rf"|get|gets|getting|is|are) )*(?:{_HIDDEN}|hide|(?<!no )block|occlude|obscure|conceal"
        rf"|obstruct|cover)\b",
    ),
    (
        "PARTLY",
        rf"(?:partially|partly|barely|half|mostly|slightly|somewhat) (?:{_HIDDEN}|visible|seen)",
    ),
    (
        "HID",
        rf"{_HIDDEN}|block(?:s|ing|ed)? (?:the |his |her |their )?(?:director's )?(?:\w+ )?(?:view"
        rf"|sight)"
        rf"(?: (?:of|to))?|{OCCLUDER} (?:(?:also|completely|fully|totally|clearly|only|would|that"
        rf"|which"
        rf"|currently|directly|physically) )*{_HIDE}|hides|conceals|obscures|occludes|obstructs",
    ),
    ("EXC", _EXCEPT),
    ("RATHER", r"rather than|instead of|as opposed to|in place of|over the|unlike"),
    (
        "REF",
        r"(?:next|adjacent|close|closest|nearest|similar|relative|compared|beside) (?:to|with)"
        r"|beside|(?:to )?(?:the )?(?:left|right|front|top) (?:side )?of|in front of|on top of"
        r"|behind|between|near|than|above|below|under|underneath|beyond|touching",
    ),
    (
        "OTHERS",
        rf"(?:all )?(?:of )?the (?:other|remaining) (?:{_COUNT} )?{NOUN}|(?:all )?the others|the "
        rf"rest"
        rf"(?: of (?:the {NOUN}|them))?|everything else|every other {NOUN}|all (?:the )?other "
        rf"{NOUN}|all others|the (?:other|remaining) {_COUNT}",
    ),
    ("WITHOUT", r"without"),
    (
        "ANY",
        rf"anything|any of (?:the |these |those )?(?:{_COUNT} )?(?:{NOUN}|them|these|those)|any "
        rf"{NOUN}|any(?=[.,;!]|$)",
    ),
    (
        "NONE",
        rf"none|nothing|no (?:visible )?{NOUN}|not one|neither(?= of (?:them|the|these|those))"
        rf"|neither(?= {NOUN})|zero(?: {NOUN})?|0 {NOUN}|empty set|nil|null|∅|\[ ?\]|\{{ ?\}}",
    ),
    (
        "ALL",
        rf"all (?:of )?(?:the )?(?:{_COUNT})(?: (?:of )?(?:them|these|those|the)?(?: ?{NOUN})?)?"
        rf"|(?:all|each|every one|each one) of (?:the |these |those )?(?:{_COUNT} )?(?:them|{NOUN})"
        rf"|all (?:the |these |those )?(?:visible |colou?red )?{NOUN}|(?:every|each)(?: single)? "
        rf"{NOUN}|everything|the (?:three|3) {NOUN}|all",
    ),
    ("BOTH", rf"both(?: of (?:them|the {NOUN}))?"),
    (
        "NEG",
        rf"{_NEGATOR}|✗|✘|❌|✖|☒|×|🚫|⛔|⬜|☐|false|{_MARK.format('[n0]')}",
    ),
    ("YES", rf"yes|true|✓|✔|✅|☑|🟩|{_MARK.format('[y1]')}"),
    ("SAME", r"so (?:is|are)|as (?:is|are)|likewise|similarly|too|the same"),
    ("SEE", _SEEN),
    ("ONLY", r"only|just|solely"),
    ("EITHER", r"either"),
    ("NOR", r"nor"),
    (
        "HEDGE",
        r"maybe|possibly|perhaps|potentially|might|could be|may be|may also|might also|probably "
        r"also",
    ),
    ("OR", r"or|and/or|versus|vs\.?"),
    ("AND", r"and|&|\+|plus|as well as|along with|together with|also|then"),
    ("COPULA", r"is|are|was|were|be|being|'s|would be|remains?|appears? to be|stays?|lies"),
    (
        "NAMING",
        r"labell?ed|marked|lettered|named|called|colou?red|colou?r|letter|label|which is|i\.e\.",
    ),
    ("NOUN", NOUN),
    ("ART", r"the|an|its|that|this|these|those|his"),
    (
        "ADJ",
        r"largest|smallest|biggest|tallest|littlest|tiniest|medium|middle|large|small|big|visible",
    ),
)

CLAUSE_BREAK = re.compile(
    r";|\b(?:but(?! not\b)|however|whereas|although|though|yet|nevertheless|despite|because|since"
    r"|so(?! that\b| (?:large|small|big|much|far|is|are|does)\b)|therefore|thus|hence"
    r"|consequently|while|meanwhile|making|leaving|leaves|which (?:makes|leaves|means)|meaning)\b"
    r"|(?:,| and| -|:)(?= (?:that )?(?:the director|he|she|they|i|we|from (?:his|her|the "
    r"director's))\b)"
    r"|, (?=(?:if|given that|as)\b)|(?:\s[=-]?->|\s=>|[→⇒])(?!\s*(?:not|hid|vis|invis|seen|unseen"
    r"|block|occl|obsc|yes|no\b|can|behind"
    r"|out|in view|✓|✔|✅|✗|✘|❌))|, (?=(?:of|among) (?:which|whom|these|those)\b)"
    r"|\s-\s(?=(?:the|it"
    r"|he|that|this|because|i)\b)",
    re.IGNORECASE,
)
REASON_CLAUSE = re.compile(r"\s*,?\s*(?:because|since|given that|as)\b", re.IGNORECASE)
HYPOTHETICAL = re.compile(
    r"\b(?:if|unless|were it|otherwise|hypothetically|would have|had (?:he|she|they|i)|supposing"
    r"|suppose|at first|initially|at first glance|my first|one might|you might|might think"
    r"|tempting|naively|could think|may think)\b",
    re.IGNORECASE,
)
DIRECTOR = re.compile(
    r"\b(?:directors?(?:'s)?|he|she|they|his|her|their|him|both of us|we both|other person"
    r"|(?:as|for) the director|other side|opposite side)\b",
    re.IGNORECASE,
)
OWN_VIEW = re.compile(
    r"\b(?:i|we)(?:'ll)? (?:(?:can|could|also|clearly|do|don't|can't|cannot|only|would|to|am able "
    r"to|am unable to|not) )*(?:see|view|observe|notice|spot|identify|perceive)\b"
    r"|\b(?:my|our) (?:own )?(?:view|viewpoint|perspective|side|vantage|position|seat|point of view"
    r"|angle|camera|eyes)\b|\b(?:to|for|by|from) (?:me|us)\b|\bfrom here\b"
    r"|\b(?:tester|viewer|camera|observer|participant)(?:'s)?\b",
    re.IGNORECASE,
)
WHOLE_SCENE = re.compile(
    r"\bin (?:the|this) (?:image|picture|photo|scene|figure|diagram)\b"
    r"|\b(?:image|picture|photo|scene|figure) (?:shows|contains|has|depicts|includes|displays)\b"
    r"|\boverall\b|\bin total\b|\bon the table\b|\bof (?:all|the three|the four)\b",
    re.IGNORECASE,
)
THERE_ARE = re.compile(
    rf"\bthere (?:are|is|were)\b(?! (?:no|only))|^we have\b|\bthe (?:{_COUNT} )?{NOUN} (?:are"
    rf"|include|in)\b"
    r"(?! (?:not|also)\b)",
    re.IGNORECASE,
)
OPTIONS = re.compile(
    r"\b(?:(?:options?|choices|candidates|alternatives|possible answers|answer choices|labels"
    r"|legend|mapping|key)\b[^.]{0,40}?(?:\bare\b|\bwere\b|:|\binclude\b|\bgiven\b|\blisted\b)"
    r"|out of (?=[A-Z]\b)|choose (?:from|between|among)|asked to (?:choose|pick|select)"
    r"|(?:sizes?|order(?:ing)?)\b[^.]{0,30}:)",
    re.IGNORECASE,
)
LEADING_LIST = re.compile(
    r"^(?:of|among|amongst|out of|between|considering|comparing|looking at|given)\b", re.IGNORECASE
)

CONCLUDES = re.compile(
    r"\b(?:so|therefore|thus|hence|consequently|accordingly|in conclusion|in summary|to conclude"
    r"|finally|as a result|ultimately|in short|to summari[sz]e|that leaves|this leaves|leaving"
    r"|this means|meaning|which means|making)\b|^\s*(?:->|=>|→|⇒|∴)",
    re.IGNORECASE,
)
_ACT = (
    r"(?:move|pick|choose|select|go with|say|answer|take|grab|slide|push|shift|lift|opt for"
    r"|conclude)"
)
ACTS = re.compile(
    rf"\b(?:i|we)(?:'d|'ll| would| will| should| must| can| am going to| have to| need to)?"
    rf"(?: (?:then|therefore|thus|now|instead|simply|just|rather|have to|need to))* {_ACT}\b"
    r"|\b(?:should|must|need to|needs to|has to|ought to) (?:be )?(?:moved?|picked|chosen"
    r"|selected)\b"
    rf"|\b(?:the )?(?:{NOUN}|one|target) to (?:be )?moved?\b|^\s*(?:then |now |please )?{_ACT}\b"
    r"|\b(?:director|he|she|they|who)(?: (?:must|would|probably|actually|likely|most likely|can "
    r"only|could only|will|is))*"
    r" (?:means?|refers?|referring to|wants?|intends?|intending|asking for|asks for|talking about"
    r"|meant|asked for|wanted|has in mind)\b"
    r"|\b(?:is|are|would be|must be|'s) (?:the |my )?(?:\w+ )?(?:answer|choice|target|pick"
    r"|selection|correct one|one to move|one he means|one (?:i|we) should)\b"
    r"|\b(?:my|the) (?:\w+ )?(?:choice|pick|selection|target|intended \w+|target \w+|referent)"
    r" (?:is|would be|must be|should be)\b|\bmoving\b",
    re.IGNORECASE,
)
IN_HIS_VIEW = re.compile(
    r"\b(?:(?:he|she|they|director)\b[^.]*\b(?:sees?|view|perspective|viewpoint|looking at|aware "
    r"of)|(?:director's|his|her|their)\b[^.]*\b(?:view|sight|perspective|side|seat|position)"
    r"|(?:largest|smallest|biggest|tallest|littlest)\b[^.]*\b(?:visible|of (?:these|those|the two)"
    r"|remaining|in view)|visible to (?:him|her|them|the director)"
    r"|(?:larg|small|bigg|tall|short)(?:er|est)(?: \w+)? (?:of|among|between) (?:these|those|them"
    r"|the two"
    r"|the visible)\b[^.]*|of (?:these|those|the two|them)\b[^.]*(?:larg|small|bigg|tall)(?:er"
    r"|est))\b",
    re.IGNORECASE,
)
PRONOUN = re.compile(r"\b(?:it|that|this|which|them|they|both|these|those|one|it's|isn't)\b", re.I)

RETRACTION = re.compile(
    r"(?:(?<=[.!?,;-])|^|\n)\s*(?:(?:no|oh|hmm|but|oops|sorry)[,.!]?\s+)?"
    r"(?:wait|hold on|actually|correction|scratch that|on second thoughts?|let me (?:correct"
    r"|re-?check"
    r"|reconsider|re-?think|double-?check)|my mistake|i mean|i was wrong|i apologi[sz]e|apologies"
    r"|no wait|or rather|oops|that's (?:wrong|not right|incorrect)|to correct myself|make that)"
    r"\b[^\w(]*",
    re.IGNORECASE,
)

REFUSAL = re.compile(
    r"(?<!director )(?<!he )(?<!she )(?<!they )"
    r"\b(?:can't|cannot|can not|won't|will not|unable to|not able to|not going to|couldn't)"
    r" (?:\w+ )?(?:help|assist|comply|fulfil|fulfill|engage|participate|do that|do this|provide"
    r"|answer (?:that|this)|process|support|continue|respond|discuss|complete)\b"
    r"|(?<!director )(?<!he )(?<!she )(?<!they )(?<!is )"
    r"\b(?:can't|cannot|unable to|not able to|don't|do not) (?:\w+ ){0,2}(?:see|view|access"
    r"|analy[sz]e|interpret|open|process|have)\b[^.]{0,30}\b(?:images?|pictures?|photos?|visual"
    r"|attachments?)\b"
    r"|\bas an? (?:ai|language|text)\b[^.]{0,40}\b(?:can't|cannot|unable|not able|don't)\b"
    r"|\b(?:won't|will not|refuse to|decline to|not going to) answer\b"
    r"|\bi (?:must|have to|will have to) (?:decline|refuse)\b|\bi (?:decline|refuse)\b"
    r"|\b(?:against|violates?) (?:my|our|the) (?:\w+ )?(?:policy|policies|guidelines|rules)\b"
    r"|\b(?:sorry|apologi[sz]e)\b[^.!?]{0,20}\b(?:can't|cannot|unable|won't|not able|not "
    r"comfortable)\b|\bi'?(?: a)?m not comfortable\b",
    re.IGNORECASE,
)

UNTRANSLATED = re.compile(
    r"[不没沒无無未非隐隱遮挡擋藏除]|以外|[我私僕]\S{0,4}[看见見]|[我私僕]的?[视視]|ない|ません|隠|見え?ず|않|없|못|가려|가린|숨|제외"
    r"|\b(?:не|нет|ни|кроме|скрыт\w*|закрыт\w*|за исключением|нельзя|без)\b"
    r"|\bя (?:\w+ )?виж\w*|\bмне видн\w*|(?:나는|내가|저는|제가).{0,20}보|أرى"
    r"|\b(?:ich sehe|sehe ich|je (?:peux )?vois?|je peux voir|veo|puedo ver|vejo|posso ver|vedo|ik "
    r"zie|jag ser|posso vedere)\b"
    r"|\b(?:لا|ليس|ليست|غير|لم|لن|ما عدا|باستثناء|مخفي\w*|नहीं|छिपा|के अलावा)\b|ไม่|ซ่อน"
    r"|(?<![-\w])(?:nicht|kein\w*|ohne|außer|ausser|verdeckt\w*|versteckt\w*|verborgen\w*|jamais"
    r"|ne|pas|sauf|sans|cachée?s?|masquée?s?|excepté|não|nao|nunca|exceto|excepto|salvo|menos|sin"
    r"|ocult[oa]s?|escondid[oa]s?|tapad[oa]s?|nascost[oa]s?|nascosti|tranne|eccetto|non|niet|geen"
    r"|inte|ikke|nie|nem|değil|hariç|tidak|bukan|kecuali|không|ngoại)(?![-\w])",
    re.IGNORECASE,
)
NOT_A_BLOCK = re.compile(
    r"(?:question|part|step|figure|fig|person|plan|side|point|row|column|section|case|scenario"
    r"|player|observer|viewer|director|prompt|version|task|appendix|q|phase|position|location|spot"
    r"|vitamin|grade|class|type|view|camera)\.?\s*\(?$",
    re.IGNORECASE,
)
ARTICLE_FOLLOWS = frozenset(
    words(
        "is are and or but can cannot was has have nor only not then because since would should "
        "which to from as will appears lies isn't can't does doesn't being remains stays looks "
        "seems if visible hidden blocked occluded yes no both also plus y e et und o ou oder och "
        "i и"
    )
)
