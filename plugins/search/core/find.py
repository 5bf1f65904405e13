"""Searching files: as a job of the window, and as `studio search`."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugins.search.core.choice import Choice, base_of, chosen_files
from plugins.search.core.matches import Hit, hits_in
from plugins.search.core.reading import read_bytes, text_with
from studio.i18n import tr, trn
from studio.kernel.errors import StudioError
from studio.kernel.timelimit import TimeIsUpError, time_limit
from studio.model.textsearch import Query, replacement, with_line_ends

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from studio.kernel.job_context import JobContext

LARGEST = 256 * 2**20
"""Files of more bytes are not searched; the result names them."""

HIT_LIMIT = 20_000
"""The search ends when it has found so much, and says so."""

_LEAST_SECONDS, _PER_SECOND = 5.0, 2e6
"""An expression that tries for longer (of CPU, and by the size of a file) leaves the file out."""


@dataclass(frozen=True)
class FileHits:
    """The hits in one file, in order."""

    path: Path
    hits: tuple[Hit, ...]


@dataclass(frozen=True)
class Found:
    """What a search found: files in the order of their names."""

    root: Path
    files: tuple[FileHits, ...] = ()
    searched: int = 0
    seconds: float = 0.0
    left_out: tuple[str, ...] = ()
    more: bool = False
    exit_code: int = field(default=0, compare=False)

    @property
    def count(self) -> int:
        """How many hits there are."""
        return sum(len(file.hits) for file in self.files)

    def to_json(self) -> dict[str, Any]:
        """Hits with places that count from 1, files relative to the folder searched."""
        return {
            "files": self.searched,
            "seconds": round(self.seconds, 3),
            "complete": not self.more,
            "left_out": list(self.left_out),
            "hits": [_row(self.root, file.path, hit) for file in self.files for hit in file.hits],
        }

    def to_text(self) -> str:
        """One line for each hit, as `grep -n` writes them, and the count."""
        lines = [
            f"{_name(self.root, file.path)}:{hit.line}:{hit.column}: {hit.shown}"
            for file in self.files
            for hit in file.hits
        ]
        lines.append(self.summary())
        return "\n".join(lines)

    def summary(self) -> str:
        """How much was found and searched, in a sentence."""
        hits = trn("{n} hit", "{n} hits", self.count)
        files = trn("in {n} file", "in {n} files", len(self.files))
        parts = [f"{hits} {files}", trn("{n} file searched", "{n} files searched", self.searched)]
        if self.more:
            parts.append(tr("there are more"))
        if self.left_out:
            parts.append(trn("{n} file not read", "{n} files not read", len(self.left_out)))
        return " · ".join(parts)


def find_in_files(
    root: Path,
    query: Query,
    choice: Choice,
    texts: Mapping[Path, str] | None = None,
    by: str | None = None,
    keep_case: bool = False,
    job: JobContext | None = None,
) -> Found:
    """Search every chosen file below `root`; `texts` stand in for files with unsaved work.

    With `by` each hit also says what would replace it. Raises StudioError for a query, replacement
    or pattern of files that is not valid, and for a folder that does not exist.
    """
    began = time.perf_counter()
    if query.error:
        raise StudioError(tr("Not a valid regular expression: {reason}.", reason=query.error))
    check = (lambda _count: job.check()) if job else None
    names = chosen_files(root, choice, check)
    base = base_of(root)
    found: list[FileHits] = []
    left_out: list[str] = []
    count = 0
    for number, name in enumerate(names):
        if job and number % 64 == 0:
            job.report(number / len(names), trn("{n} hit", "{n} hits", count))
            job.check()
        given = texts.get(Path(base, name)) if texts else None
        text = given if given is not None else _read(base, name, query, left_out)
        if text is None:
            continue
        try:
            with time_limit(_LEAST_SECONDS + len(text) / _PER_SECOND):
                hits = tuple(_limited(_hits(query, text, by, keep_case), HIT_LIMIT - count))
        except TimeIsUpError:
            left_out.append(name)
            continue
        if hits:
            found.append(FileHits(Path(base, name), hits))
            count += len(hits)
        if count >= HIT_LIMIT:
            break
    return Found(
        Path(base),
        tuple(found),
        number + 1 if names else 0,
        time.perf_counter() - began,
        tuple(left_out),
        more=count >= HIT_LIMIT,
    )


def search(
    path: Path,
    text: str,
    regex: bool = False,
    case: bool = False,
    word: bool = False,
    include: str = "",
    exclude: str = "",
    ignored: bool = False,
    job: JobContext | None = None,
) -> Found:
    """Find a text in the files of a folder (`studio search`); exit code 1 when nothing is found."""
    root = Path(os.path.abspath(path))
    choice = Choice(include, exclude, ignored)
    found = find_in_files(root, Query(text, regex, case, word), choice, job=job)
    return replace(found, exit_code=0 if found.files else 1)


def _read(base: str, name: str, query: Query, left_out: list[str]) -> str | bytes | None:
    """The text of a file in which the query may occur."""
    try:
        data = read_bytes(os.path.join(base, name), LARGEST)
    except OSError:
        left_out.append(name)
        return None
    return None if data is None else text_with(query, data)


def _hits(query: Query, text: str | bytes, by: str | None, keep_case: bool) -> Iterator[Hit]:
    if by is None:
        yield from hits_in(query, text)
        return
    text = text if isinstance(text, str) else text.decode("ascii")
    by = with_line_ends(by, text) if query.regex else by
    for hit in hits_in(query, text):
        yield replace(hit, after=_after(query, text, hit, by, keep_case))


def _after(query: Query, text: str, hit: Hit, by: str, keep_case: bool) -> str:
    try:
        return replacement(query, text, (hit.start, hit.end), by, keep_case=keep_case)
    except re.error as error:
        raise StudioError(tr("Not a valid replacement: {reason}.", reason=error)) from error


def _limited(hits: Iterator[Hit], most: int) -> Iterator[Hit]:
    for number, hit in enumerate(hits, 1):
        yield hit
        if number >= most:
            return


def _name(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()


def _row(root: Path, path: Path, hit: Hit) -> dict[str, Any]:
    return {
        "file": _name(root, path),
        "line": hit.line,
        "column": hit.column,
        "end_column": hit.column + len(hit.found),
        "text": hit.shown,
    }
