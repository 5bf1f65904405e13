"""From a recorded call stack to the line of source in the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.model.frames import parse_stack
from studio.model.locations import Location

if TYPE_CHECKING:
    from studio.api import Studio


def open_source(studio: Studio, stack: str) -> bool:
    """Open the innermost frame that lies in the project; tells when none does."""
    project = studio.project
    frames = parse_stack(stack)
    for frame in frames if project is not None else ():
        files = project.paths.resolve(frame.path) if project is not None else []
        if files:
            return studio.reveal(Location.source(files[0], frame.line))
    place = f"{frames[0].path}:{frames[0].line}" if frames else stack.split("\n", 1)[0]
    studio.notify(tr("No file of the project matches {place}.", place=place), severity="warn")
    return False
