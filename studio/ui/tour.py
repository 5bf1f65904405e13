"""The tour: opens the window without a screen, walks through the plugins' steps, takes pictures."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from studio.app import App, HostStudio
    from studio.kernel.declarations import TourStep
    from studio.model.project import Project
    from studio.ui.shell import MainWindow

_SIZE = (1440, 900)
_SECONDS = 60.0
_SCALES = (0.5, 4.0)
_NOISE = ("This plugin does not support propagateSizeHints()",)


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture of the tour, and what went wrong on the way to it."""

    file: str
    title: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Tour:
    """All pictures; the answer is "no" when a step failed."""

    pictures: tuple[Picture, ...]

    @property
    def exit_code(self) -> int:
        """1 when a step failed, as the command line documents."""
        return int(any(picture.problem for picture in self.pictures))

    def to_json(self) -> object:
        """The pictures in their order."""
        return list(self.pictures)


def run_tour(
    studio: HostStudio,
    out: Path,
    path: Path | None = None,
    theme: str = "dark",
    scale: float = 1.0,
) -> Tour:
    """Show a project (the sample by default) step by step and save a picture of each step."""
    if not _SCALES[0] <= scale <= _SCALES[1]:
        least, most = _SCALES
        raise StudioError(
            tr("The scale must lie between {least:g} and {most:g}.", least=least, most=most),
            exit_code=2,
        )
    out = Path(out).absolute()
    project = Path(path).absolute() if path else None
    if project is not None and not project.is_dir():
        raise StudioError(tr("{path} is no folder.", path=project), path=project)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StudioError(
            tr("The folder {path} cannot be made: {error}", path=out, error=error.strerror),
            path=out,
        ) from error
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    if scale != 1.0:
        os.environ["QT_SCALE_FACTOR"] = f"{scale:g}"
    with _folders_of_its_own(), _without_noise():
        return Tour(tuple(_walk(studio.app, project, out, theme)))


@contextmanager
def _without_noise() -> Iterator[None]:
    """Keep back what Qt says of every window without a screen; the rest is said as before."""
    from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

    def handle(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
        if message in _NOISE:
            return
        if before is not None:
            before(kind, context, message)
        else:
            sys.stderr.write(message + "\n")

    before = qInstallMessageHandler(handle)
    try:
        yield
    finally:
        qInstallMessageHandler(before)


def _walk(app: App, project: Path | None, out: Path, theme: str) -> Iterator[Picture]:
    from studio.sample import sample_project
    from studio.ui.idle import wait_idle
    from studio.ui.main import dress, make_application, make_window

    make_application()
    dress(app, theme)
    window = make_window(app)
    guide = _Guide(window, out)
    window.resize(*_SIZE)
    window.show()
    try:
        wait_idle(window, _SECONDS)
        yield guide.picture("welcome", tr("Welcome"))
        window.projects.open(project if project is not None else sample_project())
        yield guide.picture("project", tr("The project"))
        steps = [step for _, step in app.plugins.contributions("tour")]
        for step in sorted(steps, key=lambda step: step.order):
            yield guide.step(step)
    finally:
        window.shut()
        window.close()


class _Guide:
    """Does what a user would do for a step, and notes what went wrong meanwhile."""

    def __init__(self, window: MainWindow, out: Path) -> None:
        self._window = window
        self._out = out
        self._number = 0
        self._problems: list[str] = []
        window.app.errors.listen(lambda report: self._problems.append(report.summary))

    def step(self, step: TourStep) -> Picture:
        """Open, run, wait, take the picture."""
        window = self._window
        window.palette_.close_box()
        while window.notices.dismiss():
            pass
        told = len(window.notices.history)
        try:
            # Turning to the activity that is on would hide its panel.
            if step.activity and step.activity != window.docks.activity:
                window.app.commands.start("studio.show_activity", {"activity": step.activity})
            self._open(step)
            if step.command:
                window.app.commands.start(step.command, dict(step.arguments))
        except StudioError as error:
            self._problems.append(error.message)
        picture = self.picture(step.name, tr(step.title))
        notices = [n.message for n in window.notices.history[told:] if n.severity == "error"]
        page = window.centre.active()
        if page is not None and page.error is not None:
            notices.append(str(page.error))
        if not notices:
            return picture
        return Picture(
            picture.file, picture.title, "; ".join([picture.problem, *notices]).strip("; ")
        )

    def picture(self, name: str, title: str) -> Picture:
        """Wait until nothing moves, and save what is seen."""
        from studio.ui.cutoff import cut_texts
        from studio.ui.idle import busy, wait_idle

        if not wait_idle(self._window, _SECONDS):
            still = ", ".join(busy(self._window))
            self._problems.append(tr("still busy after {n} s: {what}", n=int(_SECONDS), what=still))
        self._number += 1
        file = self._out / f"{self._number:02d}-{name}.png"
        if not self._window.grab().save(str(file)):
            self._problems.append(tr("the picture cannot be saved"))
        for text in cut_texts(self._window):
            self._problems.append(tr("“{text}” does not fit", text=text))
        problem = "; ".join(self._problems)
        self._problems.clear()
        return Picture(str(file), title, problem)

    def _open(self, step: TourStep) -> None:
        from studio.ui.idle import wait_idle

        project = self._window.app.project
        if project is None or not (step.kind or step.file):
            return
        if step.kind:
            paths = [item.path for item in project.items_of(step.kind)]
        else:
            paths = sorted(project.root.glob(step.file))
        if not paths:
            wanted = step.kind or step.file
            raise StudioError(tr("The project holds no {what}.", what=wanted))
        if self._window.open(paths[0], "", {}) is None:
            raise StudioError(tr("{name} did not open.", name=paths[0].name))
        if step.typed or step.written:
            _edit(project, paths[0], step)
        wait_idle(self._window, _SECONDS)


def _edit(project: Project, path: Path, step: TourStep) -> None:
    """Type into an open text, and write into its file; nobody's files but those of the sample."""
    from studio.sample import sample_project

    if project.root != sample_project():
        raise StudioError(tr("Texts are only changed in the sample project."), path=path)
    document = project.documents.open(path)
    stored = path.read_text(encoding="utf-8")
    document.replace_text(_replaced(document.text, step.typed))
    path.write_text(_replaced(stored, step.written), encoding="utf-8")


def _replaced(text: str, words: Mapping[str, object]) -> str:
    for old, new in words.items():
        text = text.replace(old, str(new))
    return text


@contextmanager
def _folders_of_its_own() -> Iterator[None]:
    """Leave the user's session and project states alone."""
    before = os.environ.get("STUDIO_HOME")
    with tempfile.TemporaryDirectory(prefix="studio-tour-", ignore_cleanup_errors=True) as home:
        os.environ["STUDIO_HOME"] = home
        try:
            yield
        finally:
            if before is None:
                del os.environ["STUDIO_HOME"]
            else:
                os.environ["STUDIO_HOME"] = before
