"""Decides which JSON objects a text holds, with only those repairs that have one reading."""

import json
import re
from dataclasses import dataclass
from typing import Any

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?(?![\w.])")
_WORDS = {"true": True, "false": False, "null": None}
_PYTHON_WORDS = {"True": True, "False": False, "None": None}
_NOT_NUMBERS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_MAX_DEPTH = 100


class _Broken(Exception):
    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


class Duplicated(dict[str, Any]):
    """An object one of whose keys stands twice with different values; `keys_twice` names them."""

    keys_twice: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Found:
    """An object in a text, the repairs it needed, and where it ends."""

    value: dict[str, Any]
    repaired: frozenset[str]
    end: int


def whole(text: str) -> Any:
    """The text as one valid JSON document. Raises ValueError otherwise, also for NaN."""

    def refuse(name: str) -> float:
        raise ValueError(f"{name} is no JSON number")

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        return _object(items)

    try:
        return json.loads(text, parse_constant=refuse, object_pairs_hook=pairs)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def objects(text: str) -> list[Found]:
    """Every outermost complete object of the text, in order.

    Where an object stays unfinished it is given up at the character that breaks it, and the
    complete objects inside it count; text inside its strings does not.
    """
    found: list[Found] = []
    text = re.sub(r"(?m)^[ \t>]*(?:```|~~~)[^\n`]*$", lambda m: " " * len(m[0]), text)
    comments_end = text.rfind("*/")  # once: a comment that nothing closes is not looked for again
    start = text.find("{")
    while start >= 0:
        reader = _Reader(text, comments_end)
        try:
            found.append(reader.read(start))
            start = text.find("{", found[-1].end)
            continue
        except _Broken:
            pass
        # A line break inside a string is read leniently only where the object holds together.
        reader = _Reader(text, comments_end, strict=True)
        try:
            found.append(reader.read(start))
            stop = found[-1].end
        except _Broken as broken:
            found += reader.complete
            stop = max(broken.position, start + 1)
        start = text.find("{", stop)
    return found


def _object(items: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(items)
    twice = {key for key, value in items if repr(value) != repr(plain[key])}
    if not twice:
        return plain
    marked = Duplicated(plain)
    marked.keys_twice = frozenset(twice)
    return marked


class _Reader:
    """Recursive descent over one object; `complete` keeps the objects that did close."""

    def __init__(self, text: str, comments_end: int, *, strict: bool = False) -> None:
        self.text, self.comments_end, self.strict = text, comments_end, strict
        self.repairs: set[str] = set()
        self.complete: list[Found] = []

    def read(self, start: int) -> Found:
        value, end = self._value(start, 0)
        return Found(value, frozenset(self.repairs), end)

    def _value(self, i: int, depth: int) -> tuple[Any, int]:
        char = self.text[i : i + 1]
        if depth > _MAX_DEPTH:
            raise _Broken(i)
        if char == "{":
            return self._members(i, depth)
        if char == "[":
            return self._elements(i, depth)
        if char in ('"', "'") and char:
            return self._string(i)
        number = _NUMBER.match(self.text, i)
        if number:
            return _number(number), number.end()
        return self._word(i)

    def _word(self, i: int) -> tuple[Any, int]:
        word = re.compile(r"-?[A-Za-z]+").match(self.text, i)
        if word and word[0] in _WORDS:
            return _WORDS[word[0]], word.end()
        if word and word[0] in _PYTHON_WORDS:
            self.repairs.add("python_literal")
            return _PYTHON_WORDS[word[0]], word.end()
        if word and word[0] in _NOT_NUMBERS:
            return _NOT_NUMBERS[word[0]], word.end()
        raise _Broken(i)

    def _members(self, start: int, depth: int) -> tuple[dict[str, Any], int]:
        items: list[tuple[str, Any]] = []
        repairs, self.repairs = self.repairs, set()
        inner = len(self.complete)
        i = self._space(start + 1)
        while self.text[i : i + 1] != "}":
            if self.text[i : i + 1] not in ('"', "'"):
                raise _Broken(i)
            key, i = self._string(i)
            i = self._expect(":", self._space(i))
            value, i = self._value(i, depth + 1)
            items.append((key, value))
            i = self._separator(self._space(i), "}")
        value = _object(items)
        del self.complete[inner:]
        self.complete.append(Found(value, frozenset(self.repairs), i + 1))
        self.repairs |= repairs
        return value, i + 1

    def _elements(self, start: int, depth: int) -> tuple[list[Any], int]:
        items: list[Any] = []
        i = self._space(start + 1)
        while self.text[i : i + 1] != "]":
            value, i = self._value(i, depth + 1)
            items.append(value)
            i = self._separator(self._space(i), "]")
        return items, i + 1

    def _separator(self, i: int, closing: str) -> int:
        if self.text[i : i + 1] == closing:
            return i
        i = self._expect(",", i)
        if self.text[i : i + 1] == closing:
            self.repairs.add("trailing_comma")
        return i

    def _expect(self, char: str, i: int) -> int:
        if self.text[i : i + 1] != char:
            raise _Broken(i)
        return self._space(i + 1)

    def _space(self, i: int) -> int:
        comment = re.compile(r"//[^\n]*|#[^\n]*|/\*.*?\*/", re.DOTALL)
        while i < len(self.text):
            if i > self.comments_end and self.text.startswith("/*", i):
                break
            match = comment.match(self.text, i)
            if match:
                self.repairs.add("comment")
                i = match.end()
            elif self.text[i].isspace():
                i += 1
            else:
                break
        return i

    def _string(self, start: int) -> tuple[str, int]:
        quote = self.text[start]
        if quote == "'":
            self.repairs.add("python_literal")
        out: list[str] = []
        i = start + 1
        while i < len(self.text):
            char = self.text[i]
            if char == quote:
                return "".join(out), i + 1
            if char in "\n\r":
                if self.strict:
                    raise _Broken(i)
                self.repairs.add("line_break_in_string")
            if char == "\\":
                char, i = self._escape(i + 1)
                out.append(char)
                continue
            out.append(char)
            i += 1
        raise _Broken(start + 1)

    def _escape(self, i: int) -> tuple[str, int]:
        char = self.text[i : i + 1]
        code = re.compile(r"u([0-9a-fA-F]{4})").match(self.text, i)
        if code:
            return chr(int(code[1], 16)), code.end()
        return _ESCAPES.get(char, char), i + 1


def _number(match: re.Match[str]) -> int | float:
    if match[1] or match[2] or len(match[0]) > 4000:
        return float(match[0])
    return int(match[0])
