"""The tables that msprobe wrote, read and shown as they are: `studio precision show`."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

from plugins.precision.core.csv_text import csv_text
from studio.formats.msprobe_results import ResultTable, read_results, result_kind
from studio.i18n import tr, trn
from studio.kernel.errors import StudioError
from studio.kernel.text_table import draw_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from studio.kernel.job_context import JobContext
    from studio.model.items import FactValue

_SHOWN = 40
_DEPTH = 4
_SUFFIXES = (".csv", ".xlsx", ".db")
_OWN = re.compile(r"\.(vis|trend)\.db$|^compare_result|^accuracy_checking|_compare_merge_")
"""Names that only msprobe gives: such a file that cannot be read is worth telling."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A table of msprobe with what the command line prints of it."""

    table: ResultTable

    def to_json(self) -> object:
        """Return kind, columns and rows; NaN as the text "nan", since it is a result."""
        names = self.table.columns
        return {
            "file": str(self.table.path),
            "kind": self.table.kind,
            "sheet": self.table.sheet,
            "rows": [dict(zip(names, map(_plain, row), strict=True)) for row in self.table.rows],
        }

    def to_csv(self) -> str:
        """Return the rows with English columns; missing cells are empty."""
        return csv_text(self.table.columns, self.table.rows)

    def to_text(self) -> str:
        """Say what it is, with the first rows."""
        table = self.table
        words = described(table.kind, len(table.rows))
        head = f"{table.path.name}: {words}"
        first = [dict(zip(table.columns[:8], row, strict=False)) for row in table.rows[:_SHOWN]]
        return f"{head}\n{draw_table(first)}" if first else head


def show(path: str | Path, job: JobContext | None = None) -> Shown | list[dict[str, object]]:
    """Read one table that msprobe wrote, or list those in a folder with what they are.

    Files in a folder that cannot be read are listed with the reason. Raises StudioError when a file
    is none, or a folder has none.
    """
    given = Path(path)
    if not given.is_dir():
        if not given.exists():
            raise StudioError(tr("{path} does not exist.", path=given), path=given)
        return Shown(read_results(given))
    listed = []
    for file in _files(given):
        if job is not None:
            job.check()
            job.report(None, file.name)
        entry = _entry(given, file)
        if entry:
            listed.append(entry)
    if not listed:
        raise StudioError(tr("{path} holds no tables of msprobe.", path=given), path=given)
    return listed


def described(kind: str, rows: int) -> str:
    """Say what kind of table it is and how many rows it has."""
    return trn("{kind}, {n} row", "{kind}, {n} rows", rows, kind=_word(kind))


def is_result(path: Path) -> bool:
    """Whether a file is a table of msprobe, from its beginning."""
    return bool(result_kind(path))


def result_facts(path: Path) -> Mapping[str, FactValue]:
    """Say what kind of table a file has."""
    return {"table": result_kind(path)}


def _entry(root: Path, file: Path) -> dict[str, object]:
    name = file.relative_to(root).as_posix()
    try:
        kind = result_kind(file)
        if not kind and not _OWN.search(file.name):
            return {}
        table = read_results(file)
    except StudioError as error:
        return {"file": name, "kind": "", "rows": None, "columns": None, "reason": error.message}
    columns = len(table.columns)
    return {
        "file": name,
        "kind": table.kind,
        "rows": len(table.rows),
        "columns": columns,
        "reason": "",
    }


def _files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders.sort()
        if len(Path(folder).relative_to(root).parts) >= _DEPTH:
            folders.clear()
        for name in sorted(names):
            if name.casefold().endswith(_SUFFIXES):
                yield Path(folder, name)


def _word(kind: str) -> str:
    match kind:
        case "compare":
            return tr("comparison of two dumps")
        case "check details":
            return tr("check of single operators, by output")
        case "check result":
            return tr("check of single operators, by operator")
        case "monitor":
            return tr("training monitor")
        case "free benchmark":
            return tr("check against disturbed inputs")
        case "gradients":
            return tr("gradients")
        case "graph":
            return tr("graph with comparison")
        case "trend":
            return tr("trend over steps")
    return kind


def _plain(cell: object) -> object:
    return "nan" if isinstance(cell, float) and isnan(cell) else cell
