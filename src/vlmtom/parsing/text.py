"""Decides which characters of a reply count: plain text without markup or look-alikes."""

import html
import re
import unicodedata

_LOOK_ALIKE = str.maketrans("АВСЕНІЈКМОРЅТХУԌԚԜ", "ABCEHIJKMOPSTXYGQW")
# Pictured capitals that NFKC leaves alone.
_PICTURED = {base + i: chr(65 + i) for base in (0x1F150, 0x1F170) for i in range(26)} | {
    0x20E3: None
}
_PLAIN = str.maketrans("‘’‛′“”„″«»–—―‐‑‒−、،；", '\'\'\'\'""""""-------,,;')
_LONG_DASH = re.compile(r"\s{0,2}[—–―]\s{0,2}")

_LATEX_TEXT = (
    r"text(?:bf|it|rm|tt|sf|sc|normal|up)?|math(?:rm|bf|it|sf|tt|normal)|emph|underline|mbox"
    r"|operatorname|bold(?:symbol)?|large|Large|color(?:box)?\{[^{}]*\}|textcolor\{[^{}]*\}"
)
_WRAPPER = re.compile(rf"\\+(?:{_LATEX_TEXT})\s*\{{([^{{}}]*)\}}")
_BOX = re.compile(r"\\+(?:boxed|fbox|framebox)\s*\{([^{}]*)\}")
_BARE_BOX = re.compile(r"\\+boxed\s+(\w+)")

# Private-use characters stand for markup that later steps still need.
BOX_OPEN, BOX_CLOSE = "\ue000", "\ue001"
_TAG_BOX = re.compile(
    r"<\s*(?:final_)?answer\s*>(.*?)<\s*/\s*(?:final_)?answer\s*>"
    r"|<\|begin_of_box\|>(.*?)<\|end_of_box\|>",
    re.IGNORECASE | re.DOTALL,
)


def normalise(raw: str) -> str:
    """The reply as plain words on plain lines; what was boxed stays between BOX_OPEN, BOX_CLOSE."""
    raw = re.sub(r"[ \t]{3,}", "  ", raw)
    text = html.unescape(raw.replace(BOX_OPEN, "").replace(BOX_CLOSE, ""))
    text = _characters(text)
    text = _latex(text)
    text = _markup(text)
    text = _latin(text)
    lines = (re.sub(r"[ \t\f\v]+", " ", line).strip() for line in text.splitlines())
    return "\n".join(lines)


def _characters(text: str) -> str:
    text = text.translate(_PICTURED)
    text = unicodedata.normalize("NFKC", _LONG_DASH.sub(" - ", text))
    kept = (
        char
        for char in text
        if (
            unicodedata.category(char) not in ("Cf", "Cc", "Cs")
            and not 0xFE00 <= ord(char) <= 0xFE0F
        )
        or char in "\n\r\t"
    )
    return "".join(kept).translate(_PLAIN).replace("\u2028", "\n")


def _latex(text: str) -> str:
    text = re.sub(r"\\+(?:quad|qquad|,|;|!|:|\s|hspace\{[^{}]*\})", " ", text)
    text = re.sub(r"\\+(?:left|right|displaystyle|bf|it|rm|Large|large)\b", "", text)
    text = re.sub(r"\\+(?:not)?\\?(?:varnothing|emptyset)", "none", text)
    text = re.sub(r"\\+\{\s*\\*\}", "none", text)
    text = re.sub(r"\\+[()\[\]]", " ", text)
    text = re.sub(r"\\+(?:land|wedge|cup)\b", " and ", text)
    text = re.sub(r"\\+(?:lor|vee)\b", " or ", text)
    text = re.sub(r"\\+(?:r?arrow|to|rightarrow|Rightarrow|implies)\b", "->", text)
    previous = None
    while previous != text:  # innermost first, so that nested braces open from inside
        previous = text
        text = _WRAPPER.sub(r"\1", text)
        text = _BOX.sub(rf"{BOX_OPEN}\1{BOX_CLOSE}", text)
    text = _BARE_BOX.sub(rf"{BOX_OPEN}\1{BOX_CLOSE}", text)
    text = re.sub(rf"[{BOX_OPEN}]+", BOX_OPEN, text)
    return re.sub(r"\\+([*_#`~$&%.{}\[\]()-])", r"\1", text).replace("$", " ")


def _markup(text: str) -> str:
    text = _TAG_BOX.sub(lambda m: BOX_OPEN + (m[1] or m[2] or "") + BOX_CLOSE, text)
    text = re.sub(r"~~[^~\n]+~~|<(del|s|strike)>.*?</\1>", " ", text)  # struck out is withdrawn
    text = re.sub(r"<\s*(?:br|/p|/li|/tr|/h\d|/div)\s*/?>", "\n", text, flags=re.IGNORECASE)
    text = re.sub(r"<\s*li\s*>", "\n- ", text, flags=re.IGNORECASE)
    text = re.sub(r"</?[a-zA-Z][a-zA-Z0-9-]{1,}(?:\s[^<>]*)?>", " ", text)
    text = re.sub(r"</?[biupq]>", "", text)
    text = re.sub(r"<\|[a-z_]{1,24}\|>", " ", text)
    text = re.sub(r"\[([^\[\]\n]*)\]\((?:https?:|#)[^()\s]*\)", r"\1", text)
    text = re.sub(r"(?m)^[ \t]*(?:```|~~~)[^\n`]*$", "", text)
    text = re.sub(r"(?m)^[ \t]*(?:>[ \t]?)+", "", text)
    text = re.sub(r"(?m)^([ \t]*)[*+][ \t]+(?=\S)", r"\1- ", text)
    text = re.sub(r"(?m)^[ \t]*#{1,6}[ \t]*", "", text)
    text = re.sub(r"(?m)^[ \t]*[-*_=]{3,}[ \t]*$", "", text)
    text = re.sub(r"(?m)^([ \t]*(?:- )?)\[[xX]\][ \t]*(.+)$", r"\1\2: yes", text)
    text = re.sub(r"(?m)^([ \t]*(?:- )?)\[[ ]?\][ \t]+(.+)$", r"\1\2: no", text)
    text = re.sub(r"(?m)^[ \t]*\|(.*)\|[ \t]*$", _row, text)
    return text.replace("`", "").replace("*", "").replace("_", " ")


def _row(match: re.Match[str]) -> str:
    cells = [cell.strip() for cell in match[1].split("|")]
    if all(re.fullmatch(r":?-*:?", cell) for cell in cells):
        return ""
    return "- " + " : ".join(cell for cell in cells if cell)


def _latin(text: str) -> str:
    """Look-alike Cyrillic capitals become Latin inside tokens that are otherwise Latin."""

    def fold(match: re.Match[str]) -> str:
        token = match[0]
        folded = token.translate(_LOOK_ALIKE)
        return (
            folded
            if token != folded
            and re.search("[A-Za-z]", token)
            and (re.fullmatch("[A-Za-z]+", folded))
            else token
        )

    return re.sub(r"[^\W\d_]+", fold, text)
