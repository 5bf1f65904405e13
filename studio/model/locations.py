"""Locations: places one can jump to, whatever shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a file, a trace, a table or a dump.

    `kind` names what can show it ("source", "slice", "row", "tensor"); a plugin's manifest says
    which kinds it reveals. Lines and columns count from 1, columns in characters; times are integer
    nanoseconds of the item's own clock, end exclusive.
    """

    kind: str
    path: Path
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    start_ns: int | None = None
    end_ns: int | None = None
    row: str | None = None
    tensor: str | None = None

    @classmethod
    def source(
        cls,
        path: Path,
        line: int,
        column: int | None = None,
        end_line: int | None = None,
        end_column: int | None = None,
    ) -> Location:
        """A line or a range of a text file."""
        return cls("source", path, line, column, end_line, end_column)

    @classmethod
    def time(cls, path: Path, start_ns: int, end_ns: int, row: str | None = None) -> Location:
        """A time range of a trace, and optionally the stable key of one slice in it."""
        return cls("slice", path, start_ns=start_ns, end_ns=end_ns, row=row)

    @classmethod
    def table_row(cls, path: Path, row: str) -> Location:
        """One row of an item's table, by its stable key."""
        return cls("row", path, row=row)

    @classmethod
    def of_tensor(cls, path: Path, tensor: str) -> Location:
        """One tensor of a dump."""
        return cls("tensor", path, tensor=tensor)
