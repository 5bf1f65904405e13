"""Analyses kept by the content of the file, so that a second scan reads them instead.

They lie in one SQLite file in the user's cache folder as compressed JSON. The key is a digest of
the content, the kind of file, what the verdicts depend on, and the analysis itself (its code and
its tables), so that nothing has to be declared stale. What cannot be read counts as not kept.

Of torch version, chip and strategy the key holds the answers to what the analysis asked, not the
choice: what the support list says is told when an analysis is read. The questions are kept as well.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
import time
import zlib
from contextlib import suppress
from dataclasses import asdict, astuple, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from plugins.migration.core import registry
from plugins.migration.core.judging import answers
from plugins.migration.core.model import STRATEGIES, Analysis, Asked, Change, Hit, Site, Use
from plugins.migration.core.parsing import Fault
from plugins.migration.core.tables import api_names
from studio.paths import cache_dir, resource

if TYPE_CHECKING:
    from plugins.migration.core.model import ScanContext
    from plugins.migration.core.recognise import FileKind

_LARGEST = 200_000_000
_SHARE_KEPT = 0.7
_MOST_WAITING = 500
_TABLE = (
    "CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, used INTEGER, size INTEGER, told BLOB)"
    " WITHOUT ROWID"
)


class Analyses:
    """Kept analyses for one choice of torch, chip and so on; use it as a context manager."""

    def __init__(self, context: ScanContext) -> None:
        alike = replace(context, torch="", chip="", strategy=STRATEGIES[0])
        self._context = context
        self._settings = _digest(_engine().encode(), astuple(alike))
        self._waiting: dict[bytes, bytes] = {}
        self._used: set[bytes] = set()
        self._base = _opened(cache_dir() / "migration" / "analyses.sqlite")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def get(self, data: bytes, kind: FileKind, length: int) -> Analysis | None:
        """The analysis of a content whose text has `length` characters, if it is kept."""
        key = self._found(data, kind)
        told = self._row(key) if key is not None else None
        found = restored(told, length) if told is not None else None
        if key is None or found is None:
            return None
        self._used.add(key)
        return found

    def has(self, data: bytes, kind: FileKind) -> bool:
        """Whether an analysis of a content is kept."""
        key = self._found(data, kind)
        return key is not None and self._row(key) is not None

    def put(self, data: bytes, kind: FileKind, analysis: Analysis) -> None:
        """Keep an analysis; it is written with others."""
        if self._base is not None:
            asked = analysis.asked
            key = self._key(data, kind)
            self._waiting[key] = _questions(asked)
            self._waiting[_second(key, asked, self._context)] = packed(analysis)
            if analysis.twin is not None:
                other = STRATEGIES[self._context.strategy == STRATEGIES[0]]
                twin = replace(self._context, strategy=other)
                self._waiting[_second(key, asked, twin)] = packed(analysis.twin)
            if len(self._waiting) >= _MOST_WAITING:
                self._write()

    def close(self) -> None:
        """Write what is waiting, drop what is too much, and let go of the file."""
        if self._base is None:
            return
        self._write()
        with suppress(sqlite3.Error):
            self._prune(self._base)
        self._base.close()
        self._base = None

    def _key(self, data: bytes, kind: FileKind) -> bytes:
        digest = hashlib.sha256(self._settings)
        digest.update(kind.encode() + b"\0")
        digest.update(data)
        return digest.digest()

    def _found(self, data: bytes, kind: FileKind) -> bytes | None:
        """The key of an analysis by the answers to its questions, None if they are not kept."""
        if self._base is None:
            return None
        key = self._key(data, kind)
        asked = _asked(self._row(key))
        if asked is None:
            return None
        self._used.add(key)
        return _second(key, asked, self._context)

    def _row(self, key: bytes) -> bytes | None:
        if self._base is None:
            return None
        try:
            row = self._base.execute("SELECT told FROM kept WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error:
            return None
        return row[0] if row is not None else None

    def _write(self) -> None:
        if self._base is None:
            return
        now = int(time.time())
        rows = [(key, now, len(told), told) for key, told in self._waiting.items()]
        with suppress(sqlite3.Error), self._base:
            self._base.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?)", rows)
            # The day is exact enough, and spares writing at each scan.
            sql = "UPDATE kept SET used = ? WHERE key = ? AND used < ?"
            self._base.executemany(sql, [(now, key, now - 86_400) for key in self._used])
        self._waiting.clear()
        self._used.clear()

    def _prune(self, base: sqlite3.Connection) -> None:
        """Above the limit, drop what was not used for the longest time."""
        (total,) = base.execute("SELECT coalesce(sum(size), 0) FROM kept").fetchone()
        if total <= _LARGEST:
            return
        dropped = []
        for key, size in base.execute("SELECT key, size FROM kept ORDER BY used"):
            if total <= _LARGEST * _SHARE_KEPT:
                break
            dropped.append((key,))
            total -= size
        with base:
            base.executemany("DELETE FROM kept WHERE key = ?", dropped)
        base.execute("VACUUM")


def packed(analysis: Analysis) -> bytes:
    """An analysis as compressed JSON."""
    hits = [
        [h.rule, h.start, h.end, [(c.start, c.end, c.text) for c in h.changes], h.status, h.note,
         h.source, dict(h.values)]
        for h in analysis.hits
    ]  # fmt: skip
    fault = analysis.fault
    told = {
        "status": analysis.status,
        "lines": analysis.lines,
        "hits": hits,
        "fault": [fault.message, fault.line, dict(fault.values), fault.aside] if fault else None,
        "apis": dict(analysis.apis),
        "unverified": [(use.name, use.start, use.end) for use in analysis.unverified],
        "sites": analysis.sites,
        "left": analysis.left,
    }
    return zlib.compress(json.dumps(told, separators=(",", ":")).encode(), 1)


def restored(told: bytes, length: int) -> Analysis | None:
    """Read a packed analysis of a text of some length; None if it is not one."""
    try:
        unpacking = zlib.decompressobj()
        plain = unpacking.decompress(told, 50_000_000)
        if unpacking.unconsumed_tail:
            return None
        values: dict[str, Any] = json.loads(plain)
        hits = tuple(_hit(row, length) for row in values["hits"])
        fault = values["fault"]
        uses = tuple(Use(str(name), *_span(a, b, length)) for name, a, b in values["unverified"])
        return Analysis(
            values["status"],
            hits,
            int(values["lines"]),
            Fault(str(fault[0]), int(fault[1]), fault[2], bool(fault[3])) if fault else None,
            {str(name): int(count) for name, count in values["apis"].items()},
            uses,
            {str(name): _sites(rows, length) for name, rows in values["sites"].items()},
            tuple(_span(start, end, length) for start, end in values["left"]),
        )
    except (zlib.error, ValueError, KeyError, TypeError, IndexError, AttributeError):
        return None


def _questions(asked: Asked) -> bytes:
    return zlib.compress(json.dumps(asdict(asked), separators=(",", ":")).encode(), 1)


def _asked(told: bytes | None) -> Asked | None:
    """Read questions; None if they are none."""
    if told is None:
        return None
    try:
        values: dict[str, Any] = json.loads(zlib.decompressobj().decompress(told, 50_000_000))
        names = tuple(map(str, values["names"]))
        if not api_names().keys() >= set(names):
            return None
        return Asked(names, bool(values["strategy"]))
    except (zlib.error, ValueError, KeyError, TypeError, AttributeError):
        return None


def _second(key: bytes, asked: Asked, context: ScanContext) -> bytes:
    return _digest(key, [astuple(asked), answers(asked, context)])


def _digest(key: bytes, told: object) -> bytes:
    return hashlib.sha256(key + json.dumps(told).encode()).digest()


def _hit(row: list[Any], length: int) -> Hit:
    rule, start, end, changes, status, note, source, values = row
    if rule not in registry.rules():
        raise ValueError(rule)
    made = tuple(Change(*_span(a, b, length), str(text)) for a, b, text in changes)
    return Hit(rule, *_span(start, end, length), made, status, str(note), str(source), dict(values))


def _sites(rows: list[list[Any]], length: int) -> tuple[Site, ...]:
    return tuple(
        Site(*_span(start, end, length), tuple(dtypes), tuple(arguments), first, on_cpu, aware)
        for start, end, dtypes, arguments, first, on_cpu, aware in rows
    )


def _span(start: int, end: int, length: int) -> tuple[int, int]:
    if not 0 <= start <= end <= length:
        raise ValueError(start)
    return int(start), int(end)


def _opened(place: Path) -> sqlite3.Connection | None:
    """Open the file; a damaged one is made anew, one that cannot be opened is done without."""
    for _ in range(2):
        base = None
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            base = sqlite3.connect(place, timeout=2)
            base.execute("PRAGMA journal_mode = WAL")
            base.execute("PRAGMA synchronous = OFF")
            base.execute(_TABLE)
            base.execute("SELECT key, used, size, told FROM kept LIMIT 1")
            return base
        except sqlite3.OperationalError:
            _close(base)
            return None
        except sqlite3.DatabaseError:
            _close(base)
            with suppress(OSError):
                place.unlink()
        except OSError:
            return None
    return None


def _close(base: sqlite3.Connection | None) -> None:
    if base is not None:
        base.close()


@cache
def _engine() -> str:
    """What stands for the code and the tables of the analysis: their sizes and times."""
    files = [*Path(__file__).parent.rglob("*.py"), *resource("rules").glob("*.*")]
    known = sorted((path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files)
    return hashlib.sha256(f"{sys.version}{known}".encode()).hexdigest()
