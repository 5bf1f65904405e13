"""Bytes to text and back, so that what was not edited is written exactly as it was read."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.model.guessing import guess
from studio.model.pieces import Pieces

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# PEP 263; Emacs and Vim write the same line into shell scripts and YAML files.
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"^[ \t\f]*(?:#.*)?$")
_ASCII = bytes(range(128)).decode()


_SLICE = 250_000
"""Characters encoded at a time: nobody else runs meanwhile, and a window must not stand still."""


class UnencodableError(StudioError):
    """A text has a character that its encoding lacks: the first one, and its line from 1."""

    def __init__(self, encoding: str, character: str, line: int) -> None:
        super().__init__(
            tr(
                "The encoding {encoding} has no character {character} (U+{code}, line {line}).",
                encoding=encoding,
                character=character if character.isprintable() else "\ufffd",
                code=f"{ord(character):04X}",
                line=line,
            )
        )
        self.character = character
        self.line = line


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text with all that is needed to write its bytes again.

    `line_end` is the one most lines use. In a `lossy` text the bytes that are no text stand as lone
    surrogates (PEP 383): it may be edited by offsets and is written back exactly, but no widget can
    show it; `shown` is for that. `guessed` means that nothing in the file names the encoding.
    """

    text: str
    encoding: str = "utf-8"
    bom: bool = False
    line_end: str = "\n"
    lossy: bool = False
    guessed: bool = False
    mixed: bool = False

    @property
    def shown(self) -> str:
        """The text for display: each byte that is no text as U+FFFD, so that offsets agree."""
        return shown(self.text) if self.lossy else self.text


def decode(data: bytes, hint: str | None = None) -> Decoded:
    """Decode by `hint`, byte order mark, coding line, UTF-8, or guess; `encode` is the way back."""
    if hint is not None:
        return _decoded(data, normal_name(hint))
    for mark, encoding in _MARKS:
        if data.startswith(mark) and (found := _strict(data[len(mark) :], encoding)) is not None:
            return _finish(found, encoding, bom=True)
    declared = declared_encoding(data)
    if declared and (found := _strict(data, declared)) is not None:
        return _finish(found, declared)
    encoding = "utf-8"
    if (found := _strict(data, encoding)) is None or b"\0" in data:
        encoding = guess(data)
        found = _strict(data, encoding) if encoding else None
        if found is None:
            return _decoded(data, "utf-8", guessed=True)
        return _finish(found, encoding, guessed=encoding != "utf-8")
    return _finish(found, encoding)


def encode(
    text: str | Pieces, encoding: str = "utf-8", *, bom: bool = False, lossy: bool = False
) -> bytes:
    """Encode a text; raises `UnencodableError` for the first character that the encoding lacks."""
    return b"".join(encoded(text, encoding, bom=bom, lossy=lossy))


def encoded(
    text: str | Pieces, encoding: str = "utf-8", *, bom: bool = False, lossy: bool = False
) -> list[bytes]:
    """What `encode` returns, bit by bit: a long text holds up all threads, its parts do not."""
    encoding = normal_name(encoding)
    mark = next((mark for mark, name in _MARKS if name == encoding), b"") if bom else b""
    encoder = codecs.getincrementalencoder(encoding)(_handler(encoding) if lossy else "strict")
    parts, done = [mark], 0
    try:
        for block in Pieces.of(text).blocks(_SLICE):
            done += len(block)
            parts.append(encoder.encode(block))
        parts.append(encoder.encode("", final=True))
    except UnicodeEncodeError as error:
        # What it was given before and had held back stands in front of this block.
        place = done - len(error.object) + error.start
        whole = text if isinstance(text, str) else text.text
        raise UnencodableError(encoding, whole[place], line_of(whole, place)) from error
    return parts


def declared_encoding(data: bytes) -> str:
    """The encoding named in a coding line (PEP 263) of the first two lines, or ""."""
    lines = data[:1000].removeprefix(codecs.BOM_UTF8).splitlines()[:2]
    for line in lines:
        if match := _COOKIE.match(line):
            try:
                return normal_name(match[1].decode())
            except (StudioError, UnicodeDecodeError):
                return ""
        if not _BLANK.match(line):
            break
    return ""


def normal_name(encoding: str) -> str:
    """The common name of an encoding for text files; raises `StudioError` for any other."""
    name = encoding.lower().replace("_", "-")
    name = {"utf8": "utf-8", "utf-8-sig": "utf-8", "u8": "utf-8"}.get(name, name)
    if name in _WIDE:
        return name
    try:
        info = codecs.lookup(name)
        keeps_ascii = info.encode(_ASCII)[0] == _ASCII.encode()
    except (LookupError, UnicodeError, TypeError, ValueError):
        keeps_ascii = False
    if not keeps_ascii:
        raise StudioError(
            tr("“{encoding}” is not a known encoding for text files.", encoding=encoding)
        )
    return "utf-8" if info.name.startswith("utf-8") else name


_WIDE = frozenset(name for _, name in _MARKS[1:])


def shown(text: str) -> str:
    """Replace lone surrogates, which no widget takes, by U+FFFD one for one."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def line_of(text: str, offset: int) -> int:
    """The number of the line, from 1, in which a character offset lies."""
    before = text[:offset]
    return before.count("\n") + before.count("\r") - before.count("\r\n") + 1


def line_ends(text: str | Pieces) -> tuple[str, bool]:
    """The most used line end of a text (that of Unix without any), and whether there are others."""
    both = feeds = returns = 0
    before = ""
    for block in Pieces.of(text).blocks(_SLICE):
        both += block.count("\r\n") + (before == "\r" and block[0] == "\n")
        feeds += block.count("\n")
        returns += block.count("\r")
        before = block[-1]
    counts = {"\n": feeds - both, "\r\n": both, "\r": returns - both}
    return max(counts, key=lambda end: counts[end]), sum(map(bool, counts.values())) > 1


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        text = data.decode(encoding)
        return text if text.encode(encoding) == data else None
    except UnicodeError:
        return None


def _decoded(data: bytes, encoding: str, *, guessed: bool = False) -> Decoded:
    """Decode by a given encoding, keeping undecodable bytes; falls back to UTF-8 if that fails."""
    mark = next((mark for mark, name in _MARKS if name == encoding), b"")
    bom = bool(mark) and data.startswith(mark)
    body = data[len(mark) :] if bom else data
    if (text := _strict(body, encoding)) is not None:
        return _finish(text, encoding, bom=bom, guessed=guessed)
    handler = _handler(encoding)
    try:
        text = body.decode(encoding, handler)
        if text.encode(encoding, handler) == body:
            return _finish(text, encoding, bom=bom, lossy=True, guessed=guessed)
    except UnicodeError:
        pass
    return _finish(data.decode("utf-8", "surrogateescape"), "utf-8", lossy=True, guessed=True)


def _finish(
    text: str, encoding: str, *, bom: bool = False, lossy: bool = False, guessed: bool = False
) -> Decoded:
    line_end, mixed = line_ends(text)
    return Decoded(text, encoding, bom, line_end, lossy, guessed, mixed)


def _handler(encoding: str) -> str:
    return "surrogatepass" if encoding in _WIDE else "surrogateescape"
