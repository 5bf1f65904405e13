"""One damaged JSON object, read as far as its meaning is plain.

Writers of traces forget to escape quotes, backslashes, line breaks and control characters, write
bare NaN, lose a quote, or break a UTF-8 sequence. This reader is used for the damaged part only.
Numbers are returned as `Number` texts, so that no digit is lost.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

_SPACE = re.compile(r"[\s\x00]*")
_BARE = re.compile(r'[^\s,:\[\]{}"]+')
_STRING_PART = re.compile(r'[^"\\]+')
_END_OF_KEY = re.compile(r'"\s*:')
_END_IN_OBJECT = re.compile(r'"\s*(?:\}|,\s*"?[^"\\,{}\[\]]*"\s*:|,?\s*$)')
_END_IN_ARRAY = re.compile(r'"\s*[,\]]')
_ESCAPES: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|[-+]?(nan|inf(inity)?)", re.I)
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_DEEPEST = 100


class Number(str):
    """The text of a number as it stands in the file."""

    __slots__ = ()


_LENIENT: Final = json.JSONDecoder(
    strict=False, parse_float=Number, parse_int=Number, parse_constant=Number
)
_STRICT: Final = json.JSONDecoder()


class DamageError(ValueError):
    """The text cannot be read as one object; `unfinished` when it ends before the object does."""

    def __init__(self, message: str, *, unfinished: bool = False) -> None:
        super().__init__(message)
        self.unfinished = unfinished


@dataclass(frozen=True, slots=True)
class Repaired:
    """An object that was read in spite of its damage, the kind of damage, and its bytes."""

    fields: dict[str, object]
    kind: str
    length: int


def read_lenient(data: bytes) -> Repaired | None:
    """Read the object at the start of `data` if only its characters or NaN are at fault."""
    text = data.decode("utf-8", "surrogateescape")
    try:
        value, end = _LENIENT.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    return Repaired(value, _lenient_kind(text[:end]), _bytes(text, end))


def repair_object(data: bytes) -> Repaired:
    """Read the object at the start of `data` and name what was wrong with it.

    What a lenient reader takes is "bad UTF-8", "control character", "lone surrogate" or "bare NaN";
    "repaired event" means that quotes or backslashes had to be guessed.
    Raises DamageError when even that fails.
    """
    lenient = read_lenient(data)
    if lenient is not None:
        return lenient
    text = data.decode("utf-8", "surrogateescape")
    reader = _Reader(text)
    fields = reader.read()
    return Repaired(fields, "repaired event", _bytes(text, reader.at))


def _bytes(text: str, end: int) -> int:
    return len(text[:end].encode("utf-8", "surrogateescape"))


def _lenient_kind(text: str) -> str:
    if _SURROGATE.search(text):
        return "bad UTF-8"
    try:
        _STRICT.raw_decode(text)
    except ValueError:
        return "control character"
    return "lone surrogate" if _ESCAPED_SURROGATE.search(text) else "bare NaN"


class _Reader:
    """A recursive reader that guesses where strings end from what follows their quotes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.at = 0

    def read(self) -> dict[str, object]:
        if self._peek() != "{":
            raise DamageError("not an object")
        return self._object(0)

    def _skip(self) -> None:
        match = _SPACE.match(self._text, self.at)
        self.at = match.end() if match else self.at

    def _peek(self) -> str:
        if self.at >= len(self._text):
            raise DamageError("unfinished", unfinished=True)
        return self._text[self.at]

    def _value(self, depth: int, end: re.Pattern[str]) -> object:
        self._skip()
        mark = self._peek()
        if depth > _DEEPEST:
            raise DamageError("nested too deeply")
        if mark == "{":
            return self._object(depth)
        if mark == "[":
            return self._array(depth)
        if mark == '"':
            self.at += 1
            return self._string(end)
        return self._bare()

    def _object(self, depth: int) -> dict[str, object]:
        self.at += 1
        found: dict[str, object] = {}
        while True:
            self._skip()
            mark = self._peek()
            if mark == "}":
                self.at += 1
                return found
            if mark == ",":
                self.at += 1
                continue
            key = self._key()
            found[key] = self._value(depth + 1, _END_IN_OBJECT)

    def _key(self) -> str:
        quoted = self._peek() == '"'
        if quoted:
            self.at += 1
            key = self._string(_END_OF_KEY)
        else:
            match = _BARE.match(self._text, self.at)
            if not match:
                raise DamageError("no key")
            key = match.group()
            self.at = match.end()
            if self._peek() == '"':
                self.at += 1
        self._skip()
        if self._peek() != ":":
            raise DamageError("no colon after a key")
        self.at += 1
        return key

    def _array(self, depth: int) -> list[object]:
        self.at += 1
        found: list[object] = []
        while True:
            self._skip()
            mark = self._peek()
            if mark == "]":
                self.at += 1
                return found
            if mark == ",":
                self.at += 1
                continue
            found.append(self._value(depth + 1, _END_IN_ARRAY))

    def _string(self, end: re.Pattern[str]) -> str:
        parts: list[str] = []
        text = self._text
        while True:
            match = _STRING_PART.match(text, self.at)
            if match:
                parts.append(match.group())
                self.at = match.end()
            if self._peek() == '"':
                if end.match(text, self.at):
                    self.at += 1
                    return "".join(parts)
                parts.append('"')
                self.at += 1
            else:
                parts.append(self._escape())

    def _escape(self) -> str:
        self.at += 1
        mark = self._peek()
        if mark == '"' and not self._quote_is_escaped():
            return "\\"
        if mark == "u" and (match := _HEX.match(self._text, self.at + 1)):
            self.at = match.end()
            return chr(int(match.group(), 16))
        self.at += 1
        if mark in '"\\/':
            return mark
        return _ESCAPES.get(mark, "\\" + mark)

    def _quote_is_escaped(self) -> bool:
        """Whether a quote after a backslash is text; it ends a path when the object goes on."""
        following = self._text[self.at + 1 : self.at + 200]
        return not re.match(r'\s*(?:\}\s*$|,\s*"[A-Za-z_][^"\\,{}\[\]]*"\s*:)', following)

    def _bare(self) -> object:
        match = _BARE.match(self._text, self.at)
        if not match:
            raise DamageError("no value")
        self.at = match.end()
        word = match.group()
        named = {"null": None, "true": True, "false": False}
        if word in named:
            return named[word]
        if _NUMBER.fullmatch(word):
            return Number(word)
        raise DamageError(f"neither a number nor a string: {word[:40]}")
