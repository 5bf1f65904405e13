"""From a value to the line of the program that made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.model.locations import Location

if TYPE_CHECKING:
    from studio.api import Studio


def split_source(source: str) -> tuple[str, int]:
    """Return file and line of "file:line"; line 0 when there is none."""
    file, _, line = source.rpartition(":")
    return (file, int(line)) if file and line.isdigit() else (source, 0)


def short_source(source: str) -> str:
    """Return the name of the file and the line."""
    return source.replace("\\", "/").rsplit("/", 1)[-1]


def show_source(studio: Studio, source: str) -> bool:
    """Open the line in the project; says so when the file is not there."""
    file, line = split_source(source)
    if not line:
        studio.notify(tr("The dump has no source line for this value."))
        return False
    found = studio.project.paths.resolve(file) if studio.project is not None else []
    if found and studio.reveal(Location.source(found[0], line)):
        return True
    studio.notify(tr("{file} is not in the project.", file=short_source(source)), details=source)
    return False
