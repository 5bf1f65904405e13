"""The SQLite databases of the Ascend profilers, opened so that nothing is written beside them.

Tables and columns are found by the names they have had, in any case; what a database does not have
is simply not there. Texts stand in STRING_IDS and are looked up by number.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import numpy as np

from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress

MAGIC: Final = b"SQLite format 3\0"
_ROWS: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class DbColumn:
    """One column of a table: numbers, and where there are any (the rest is 0)."""

    values: NDArray[Any]
    known: NDArray[np.bool_]


class Database:
    """A database file; raises StudioError when it is none or damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        # immutable: no lock, no -wal and no -shm file is made in the folder of the user
        address = f"file:{quote(str(self.path.resolve()))}?mode=ro&immutable=1"
        try:
            with closing(sqlite3.connect(address, uri=True)) as connection:
                connection.text_factory = lambda data: data.decode("utf-8", "replace")
                yield connection
        except sqlite3.Error as error:
            raise StudioError(
                tr("Cannot read the database {file}: {reason}.", file=self.path, reason=error),
                path=self.path,
            ) from error

    @cached_property
    def tables(self) -> dict[str, tuple[str, ...]]:
        """The columns of every table."""
        with self._open() as connection:
            names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            return {
                name: tuple(row[1] for row in connection.execute(f"PRAGMA table_info({_id(name)})"))
                for (name,) in names.fetchall()
            }

    def find(self, *names: str) -> str:
        """The table that has one of these names, "" without one."""
        by_name = {table.casefold(): table for table in self.tables}
        return next((by_name[n.casefold()] for n in names if n.casefold() in by_name), "")

    def count(self, *names: str) -> int:
        """How many rows a table has; 0 when there is none."""
        table = self.find(*names)
        if not table:
            return 0
        with self._open() as connection:
            return int(connection.execute(f"SELECT COUNT(*) FROM {_id(table)}").fetchone()[0])

    def columns(
        self,
        tables: tuple[str, ...],
        wanted: Mapping[str, tuple[str, ...]],
        *,
        where: str = "",
        order: str = "",
        job: Progress | None = None,
    ) -> tuple[dict[str, DbColumn], int]:
        """Read numbers of a table by column, those it has, and the number of rows.

        `wanted` names each column by the names it has had. `order` is one of those.
        """
        table = self.find(*tables)
        if not table:
            return {}, 0
        found = self._present(table, wanted)
        if not found:
            return {}, 0
        listed = ", ".join(_number(name) for name in found.values())
        ordered = f" ORDER BY {_number(found[order])}" if order in found else ""
        query = f"SELECT {listed} FROM {_id(table)}{where and f' WHERE {where}'}{ordered}"
        parts: list[list[tuple[Any, ...]]] = []
        with self._open() as connection:
            cursor = connection.execute(query)
            rows = 0
            while chunk := cursor.fetchmany(_ROWS):
                parts.append(_by_column(chunk))
                rows += len(chunk)
                if job is not None:
                    job.check()
                    job.report(None, tr("{table}: {n} rows", table=table, n=f"{rows:,}"))
        columns = {
            name: _joined([part[place] for part in parts]) for place, name in enumerate(found)
        }
        return columns, rows

    def _present(self, table: str, wanted: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
        by_name = {name.casefold(): name for name in self.tables[table]}
        return {
            column: by_name[known]
            for column, names in wanted.items()
            for known in [next((n.casefold() for n in names if n.casefold() in by_name), "")]
            if known
        }

    @cached_property
    def strings(self) -> dict[int, str]:
        """All texts by number."""
        table = self.find("STRING_IDS")
        if not table:
            return {}
        with self._open() as connection:
            return dict(connection.execute(f"SELECT id, value FROM {_id(table)}").fetchall())

    def pairs(self, *names: str) -> list[tuple[Any, ...]]:
        """All rows of a small table, as they are."""
        table = self.find(*names)
        if not table:
            return []
        with self._open() as connection:
            return list(connection.execute(f"SELECT * FROM {_id(table)}").fetchall())


def is_database(path: Path) -> bool:
    """Whether a file begins as SQLite databases do."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def _id(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _number(name: str) -> str:
    """Numbers also where a column is declared as text (startNs of PYTORCH_API)."""
    column = _id(name)
    return f"CASE TYPEOF({column}) WHEN 'text' THEN CAST({column} AS INTEGER) ELSE {column} END"


def _by_column(rows: list[tuple[Any, ...]]) -> list[Any]:
    made: list[Any] = []
    for cells in zip(*rows, strict=True):
        known = np.fromiter((cell is not None for cell in cells), np.bool_, len(cells))
        plain = cells if known.all() else [0 if cell is None else cell for cell in cells]
        kind = np.float64 if any(isinstance(cell, float) for cell in plain) else np.int64
        made.append((np.array(plain, kind), known))
    return made


def _joined(parts: list[tuple[NDArray[Any], NDArray[np.bool_]]]) -> DbColumn:
    if not parts:
        return DbColumn(np.zeros(0, np.int64), np.zeros(0, np.bool_))
    return DbColumn(
        np.concatenate([values for values, _ in parts]), np.concatenate([k for _, k in parts])
    )
