"""From a slice to its line of source: recorded frames, files of the project, the editor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugins.timeline.ui.facts import stack_facts
from plugins.timeline.ui.reading import read_args as read_args_of
from studio.i18n import tr
from studio.model.locations import Location

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.timeline.ui.view import TimelineView
    from studio.api import Studio
    from studio.formats.event_file import EventFile
    from studio.model.frames import Frame

_ASKED = 8


def read_args(events: EventFile, offset: int) -> dict[str, Any]:
    """Read the args of the event at a byte offset of its file; may run in a job."""
    args = events.read(offset).get("args")
    return dict(args) if isinstance(args, dict) else {}


class Sources:
    """Opens source lines."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    def open_for(self, view: TimelineView, index: int) -> None:
        """Open the innermost frame of a slice that lies in the project."""

        def opened(_index: int, args: Any) -> None:  # noqa: ANN401 - args of an event
            frames = [f.frame for f in stack_facts(view.scene, index, args or {}) if f.frame]
            if not frames:
                self._studio.notify(
                    tr("This slice has no call stack. Record one with with_stack=True."),
                    severity="info",
                )
                return
            inside = next((frame for frame in frames if self.files_of(frame)), None)
            self.open_frame(inside or frames[0])

        read_args_of(view, index, opened)

    def files_of(self, frame: Frame) -> list[Path]:
        """Return the files of the project that a frame may mean."""
        project = self._studio.project
        return project.paths.resolve(frame.path) if project is not None else []

    def open_frame(self, frame: Frame) -> bool:
        """Open a frame's line; asks once when several files could be meant."""
        project = self._studio.project
        if project is None:
            self._tell(frame, tr("Open the project that the code belongs to first."))
            return False
        files = self.files_of(frame)
        if not files:
            self._tell(frame, tr("No file of the project matches it."))
            return False
        path = files[0]
        if len(files) > 1:
            chosen = self._ask(frame, files)
            if chosen is None:
                return False
            path = chosen
            project.paths.choose(frame.path, path)
        return self._studio.reveal(Location.source(path, frame.line))

    def _ask(self, frame: Frame, files: list[Path]) -> Path | None:
        window = self._studio.window
        if window is None:
            return files[0]
        names = {str(path): path for path in files[:_ASKED]}
        answer = window.ask(
            tr("Which file is meant?"),
            tr("{path} was recorded; several files of the project match.", path=frame.path),
            list(names),
            next(iter(names)),
        )
        return names.get(answer)

    def _tell(self, frame: Frame, why: str) -> None:
        place = f"{frame.path}:{frame.line}"
        self._studio.notify(
            tr("{place} cannot be opened. {why}", place=place, why=why), severity="warn"
        )
