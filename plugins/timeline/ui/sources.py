"""From a slice to its line of source: recorded frames, files of the project, the editor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugins.timeline.ui.facts import stack_facts
from plugins.timeline.ui.reading import read_args as read_args_of
from studio.i18n import tr
from studio.model.frames import parse_frame
from studio.model.locations import Location

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from plugins.timeline.ui.scene import Hits
    from plugins.timeline.ui.view import TimelineView
    from studio.api import Studio
    from studio.formats.event_file import EventFile
    from studio.model.frames import Frame

    Files = Callable[[str], list[Path]]

_ASKED = 8


def read_args(events: EventFile, offset: int) -> dict[str, Any]:
    """Read the args of the event at a byte offset of its file; may run in a job."""
    args = events.read(offset).get("args")
    return dict(args) if isinstance(args, dict) else {}


def names_of_line(names: Sequence[str], files: Files, path: Path, line: int) -> list[int]:
    """Return the numbers of the names that are frames of the function a line lies in.

    Profilers name a frame by the first line of its function, so it is the last one that begins at
    the line or before it; a frame that names the line itself counts, too. `files` tells which files
    of the project a recorded path may mean.
    """
    begins: dict[int, list[int]] = {}
    for number, name in enumerate(names):
        frame = parse_frame(name) if path.name in name else None
        if frame is not None and frame.line <= line and path in files(frame.path):
            begins.setdefault(frame.line, []).append(number)
    return begins[max(begins)] if begins else []


def hits_of_line(view: TimelineView, location: Location) -> Hits | None:
    """The slices of the function that a source line lies in; None when there are none."""
    from studio.trace.query import with_names

    project, scene = view.studio.project, view.scene
    if project is None or location.line is None:
        return None
    names = scene.trace.names
    found = names_of_line(names, project.paths.resolve, location.path, location.line)
    place = f"{location.path.name}:{location.line}"
    return scene.hits(place, with_names(scene.trace, found)) if found else None


def line_of_slice(view: TimelineView, index: int) -> Location | None:
    """The line of the project that the Python slices around a slice come from, if they tell one."""
    project = view.studio.project
    if project is None:
        return None
    for fact in stack_facts(view.scene, index, {}):
        files = project.paths.resolve(fact.frame.path) if fact.frame is not None else []
        if fact.frame is not None and len(files) == 1:
            return Location.source(files[0], fact.frame.line)
    return None


def find_line(view: TimelineView, location: Location) -> None:
    """Light up the slices of the function that a source line lies in, and go to the first."""
    if view.studio.project is None or location.line is None:
        return
    hits = hits_of_line(view, location)
    if hits is None:
        place = f"{location.path.name}:{location.line}"
        view.studio.notify(
            tr(
                "No slice of {trace} was recorded for {place}. Record call stacks with "
                "with_stack=True.",
                trace=view.path.name,
                place=place,
            )
        )
        return
    view.studio.open(view.path, opener="timeline.view")
    view.pane_now().search.show_found(hits)
    view.go_to(int(hits.by_time[0]))


class Sources:
    """Opens source lines."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    def open_for(self, view: TimelineView, index: int) -> None:
        """Open the innermost frame of a slice that lies in the project."""

        def opened(args: Any) -> None:  # noqa: ANN401 - args of an event
            frames = [f.frame for f in stack_facts(view.scene, index, args or {}) if f.frame]
            if not frames:
                self._studio.notify(
                    tr("This slice has no call stack. Record one with with_stack=True."),
                    severity="info",
                )
                return
            inside = next((frame for frame in frames if self.files_of(frame)), None)
            self.open_frame(inside or frames[0])

        read_args_of(view, int(view.scene.trace.source[index]), opened)

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
