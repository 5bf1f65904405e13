"""Sheets of `.xlsx` workbooks as text, read as a stream within limits.

Format: ECMA-376 part 1 (SpreadsheetML). Only what tools write into tables is understood: shared and
inline texts, numbers, truth values, results of formulas. Formulas, links and macros are not looked
at. A document type (the way to entities that expand without end), a member that unpacks beyond
`_PART_LIMIT` and a sheet of more than `_CELL_LIMIT` cells end the reading with a StudioError.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final
from xml.parsers import expat

from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_PART_LIMIT: Final = 1 << 30
_TEXT_LIMIT: Final = 256 << 20
_CELL_LIMIT: Final = 8_000_000
_COLUMN_LIMIT: Final = 16_384
_BLOCK: Final = 1 << 16
_REFERENCE: Final = re.compile(r"^([A-Z]{1,3})\d+$")
_TRUTH: Final = {"1": "True", "0": "False"}
_WORKBOOK: Final = "xl/workbook.xml"
_TEXTS: Final = "xl/sharedStrings.xml"

Rows = list[list[str]]


def read_sheets(path: Path) -> dict[str, Rows]:
    """Return the sheets of a workbook by name: rows of texts, "" where a cell is empty.

    Numbers stay the text that the file has. Raises StudioError when the file is no workbook, is
    damaged, or would take too much memory.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            texts = _shared_texts(path, archive)
            budget = _Budget(path)
            return {
                name: _Sheet(texts, budget).read(path, archive, member)
                for name, member in _sheets(path, archive)
            }
    except OSError as error:
        text = tr("{file}: {reason}", file=path.name, reason=error.strerror or str(error))
        raise StudioError(text, path=path) from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        text = tr("{file} is no workbook or damaged: {reason}", file=path.name, reason=error)
        raise StudioError(text, path=path) from error


class _Budget:
    """How many cells may still be made."""

    def __init__(self, path: Path) -> None:
        self._path, self._left = path, _CELL_LIMIT

    def take(self, cells: int) -> None:
        self._left -= cells
        if self._left < 0:
            text = tr("{file} has more than {n} cells", file=self._path.name, n=_CELL_LIMIT)
            raise StudioError(text, path=self._path)


class _Sheet:
    """Takes the events of one sheet's XML and keeps its rows."""

    def __init__(self, texts: list[str], budget: _Budget) -> None:
        self._texts, self._budget = texts, budget
        self._rows: Rows = []
        self._row: list[str] = []
        self._kind = ""
        self._column = 0
        self._words: list[str] = []
        self._open = False

    def read(self, path: Path, archive: zipfile.ZipFile, member: str) -> Rows:
        """Return the rows of a member."""
        _parse(path, archive, member, self._begin, self._end, self._text)
        return self._rows

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        if name == "row":
            self._row = []
        elif name == "c":
            self._kind = attributes.get("t", "n")
            place = _column(attributes.get("r", ""))
            self._column = len(self._row) if place is None else place
            self._words = []
        elif name in ("v", "t"):
            self._open = True

    def _end(self, name: str) -> None:
        if name in ("v", "t"):
            self._open = False
        elif name == "c":
            self._put("".join(self._words))
        elif name == "row":
            self._budget.take(1)
            self._rows.append(self._row)

    def _put(self, word: str) -> None:
        if self._kind == "s":
            number = int(word) if word.isdecimal() else -1
            word = self._texts[number] if 0 <= number < len(self._texts) else ""
        elif self._kind == "b":
            word = _TRUTH.get(word, word)
        missing = self._column - len(self._row)
        self._budget.take(max(missing, 0) + 1)
        if missing >= 0:
            self._row += [""] * missing
            self._row.append(word)
        else:
            self._row[self._column] = word

    def _text(self, data: str) -> None:
        if self._open:
            self._words.append(data)


def _sheets(path: Path, archive: zipfile.ZipFile) -> Iterator[tuple[str, str]]:
    """Walk the names of sheets and their members, in the order of the workbook."""
    listed: list[tuple[str, str]] = []
    targets: dict[str, str] = {}

    def sheet(name: str, attributes: dict[str, str]) -> None:
        if name == "sheet":
            key = next((v for k, v in attributes.items() if k.rsplit(":", 1)[-1] == "id"), "")
            listed.append((attributes.get("name", ""), key))

    def relation(name: str, attributes: dict[str, str]) -> None:
        if name == "Relationship":
            target = attributes.get("Target", "")
            inside = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
            targets[attributes.get("Id", "")] = str(PurePosixPath(inside))

    _parse(path, archive, _WORKBOOK, sheet)
    _parse(path, archive, "xl/_rels/workbook.xml.rels", relation)
    members = set(archive.namelist())
    for name, key in listed:
        if targets.get(key) in members:
            yield name, targets[key]


def _shared_texts(path: Path, archive: zipfile.ZipFile) -> list[str]:
    if _TEXTS not in archive.namelist():
        return []
    texts: list[str] = []
    words: list[str] = []
    inside = {"t": False, "rPh": False}  # rPh: how to read Chinese characters aloud
    size = 0

    def begin(name: str, _attributes: dict[str, str]) -> None:
        if name in inside:
            inside[name] = True
        elif name == "si":
            words.clear()

    def end(name: str) -> None:
        if name in inside:
            inside[name] = False
        elif name == "si":
            texts.append("".join(words))

    def text(data: str) -> None:
        nonlocal size
        if inside["t"] and not inside["rPh"]:
            size += len(data) + 50
            if size > _TEXT_LIMIT:
                raise StudioError(tr("{file} has too much text", file=path.name), path=path)
            words.append(data)

    _parse(path, archive, _TEXTS, begin, end, text)
    return texts


def _parse(
    path: Path,
    archive: zipfile.ZipFile,
    member: str,
    begin: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None] | None = None,
    text: Callable[[str], None] | None = None,
) -> None:
    """Feed a member to a parser block by block; names come without their prefix."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, found: begin(name.rsplit(":", 1)[-1], found)
    if end is not None:
        parser.EndElementHandler = lambda name: end(name.rsplit(":", 1)[-1])
    if text is not None:
        parser.CharacterDataHandler = text

    def refuse(*_declaration: Any) -> None:  # noqa: ANN401 - see expat
        raise StudioError(
            tr("{file} declares a document type in {part}", file=path.name, part=member), path=path
        )

    parser.StartDoctypeDeclHandler = refuse
    done = 0
    try:
        with archive.open(member) as stream:
            while block := stream.read(_BLOCK):
                done += len(block)
                if done > _PART_LIMIT:
                    text_ = tr("{file} unpacks to too much in {part}", file=path.name, part=member)
                    raise StudioError(text_, path=path)
                parser.Parse(block, False)
            parser.Parse(b"", True)
    except KeyError as error:
        raise StudioError(
            tr("{file} is no workbook: it has no {part}", file=path.name, part=member), path=path
        ) from error
    except expat.ExpatError as error:
        raise StudioError(
            tr(
                "{file} is damaged in {part}, line {line}",
                file=path.name,
                part=member,
                line=error.lineno,
            ),
            path=path,
        ) from error


def _column(reference: str) -> int | None:
    """Return the column of "AB12", counted from 0; None without one."""
    match = _REFERENCE.match(reference)
    if match is None:
        return None
    number = 0
    for letter in match[1]:
        number = number * 26 + ord(letter) - 64
    return number - 1 if number <= _COLUMN_LIMIT else None
