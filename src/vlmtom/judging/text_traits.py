"""What can be said of a description without judging it: length, language, a maker named in it."""

import re

# A name counts as a model's or vendor's where it is no ordinary word: by its capital, or by what
# stands beside it ("Meta AI"; not "a meta story").
_NAMES_ANY_CASE = (
    r"chat\s?gpt|gpt-?\d\w*|open\s?ai|anthropic|deep\s?seek|qwen\w*|alibaba|moonshot\s?ai|"
    r"mistral\s?ai|google\s?(?:ai|deepmind)|deepmind|x\.ai|hugging\s?face|"
    r"internvl\w*|minimax|zhipu|bytedance|doubao|hunyuan|nemotron|vlm"
)
_NAMES_CAPITAL = (
    r"GPT|Claude|Gemini|Google|Bard|Gemma|L[Ll][Aa][Mm][Aa]|Meta(?=(?:'s|’s)?\s+(?:AI|Llama|"
    r"LLaMA|model))|Kimi|Moonshot|Grok|xAI|XAI|Mi[sx]tral|Pixtral|Copilot|Phi-\d|GLM-?\d|ERNIE|"
    r"Cohere|NVIDIA|Nvidia|Baidu|Tencent|Amazon Nova"
)
_MADE_BY_META = r"(?:by|from|at) Meta\b"
_AS_A_MODEL = (
    r"\b(?:as|i am|i'm|i’m|being) an? (?:\w+[ -]){0,3}?(?:ai|llm|artificial intelligence|"
    r"language model|chat ?bot|vision[- ](?:language )?model)\b|\bai (?:assistant|model)\b|"
    r"\b(?:large|vision|multimodal) language model\b|\bmy training data\b|\bi was trained\b"
)
_SELF = (
    re.compile(rf"\b(?:{_NAMES_ANY_CASE})\b|{_AS_A_MODEL}", re.IGNORECASE),
    re.compile(rf"\b(?:{_NAMES_CAPITAL})\b|{_MADE_BY_META}"),
    re.compile("通义|千问|文心|豆包|深度求索|月之暗面|智谱"),
)

_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_FOREIGN_SHARE = 0.2  # letters outside the Latin script


def _words(line: str) -> frozenset[str]:
    return frozenset(line.split())


_ENGLISH = _words(
    "the a an and of to is are was it its in on at with one other they them their each both then "
    "that this not no as by from out up around about while but who what for into around back so "
    "triangle triangles big small red blue moves move moving"
)
_OTHERS = _words(
    "der die das und ist nicht ein eine mit den dem sich auf zu von sie beide dann aber "
    "le la les un une et est dans qui se il elle ils elles pas avec sur puis deux du au "
    "el los las y es en que con por su al del una dos luego "
    "il lo gli e di che non per sono si poi due della "
    "o os as um uma de do da em não com para depois "
    "het een van en niet naar zich om hij zij twee dan "
    "och att det som inte sig på ett den två i jest nie się na w z dwa ve bir bu iki"
) - _words("a as in on to at is an of no so")


def self_identifies(text: str) -> bool:
    """Whether a text names a model or a vendor, or speaks of itself as one.

    A flag for readers and for a sensitivity check; nothing is cut from the text.
    """
    return any(pattern.search(text) for pattern in _SELF)


def n_words(text: str) -> int:
    """Runs of letters and digits, hyphens and apostrophes inside a word included.

    Scripts without spaces count a run as one word.
    """
    return len(_WORD.findall(text))


def language(text: str) -> str:
    """`en` or `other`, by script and by common words; a hint, not an identification.

    Other: a fifth or more of the letters outside the Latin script, more common words of other
    European languages than of English, or no letter at all.
    """
    letters = [char for char in text if char.isalpha()]
    if not letters:
        return "other"
    foreign = sum(not _is_latin(char) for char in letters)
    if foreign >= _FOREIGN_SHARE * len(letters):
        return "other"
    words = [word.casefold() for word in _WORD.findall(text)]
    english = sum(word in _ENGLISH for word in words)
    return "other" if sum(word in _OTHERS for word in words) > english else "en"


def _is_latin(char: str) -> bool:
    return ord(char) < 0x250 or 0x1E00 <= ord(char) < 0x1F00
