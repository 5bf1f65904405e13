"""The pages of a view that reads in a job: the progress, then what was read or why it was not."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QStackedWidget, QWidget

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.ui.loading import LoadingPage
from studio.ui.view import Action, EmptyState

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from studio.api import Studio
    from studio.kernel.job import Job


class ReadPages(QStackedWidget):
    """Shows one page at a time; the view puts what it made of the result here with `show_page`."""

    def __init__(self, studio: Studio, icon: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.studio = studio
        self._icon = icon
        self._job: Job | None = None
        self._loading: LoadingPage | None = None
        self._again: Callable[[], object] = lambda: None

    def read(
        self,
        function: str,
        arguments: Mapping[str, Any],
        path: Path,
        done: Callable[[Any], object],
    ) -> None:
        """Run "plugin:module.function" in a job and hand its result to `done`."""
        self._again = partial(self.read, function, arguments, path, done)
        self._loading = LoadingPage(path.name, self._cancel)
        self.show_page(self._loading)
        self.read_on(function, arguments, path, done)
        if self._job is not None:
            self._loading.follow(self._job)

    def read_on(
        self,
        function: str,
        arguments: Mapping[str, Any],
        path: Path,
        done: Callable[[Any], object],
    ) -> None:
        """Read what takes the place of the page that is shown, and leave that until then."""
        if self._job is not None:
            self._job.cancel()
        self._job = self.studio.start_job(
            function,
            arguments,
            title=tr("Reading {name}", name=path.name),
            key=f"read {function} {id(self)}",
            item=path,
            done=partial(self._finish, done),
            failed=partial(self._fail, path),
        )

    def idle(self) -> bool:
        """Whether nothing is being read."""
        return self._job is None

    def show_page(self, page: QWidget) -> None:
        """Show a page in place of the one before."""
        old = self.currentWidget()
        self.addWidget(page)
        self.setCurrentWidget(page)
        if old is not None:
            self.removeWidget(old)
            old.deleteLater()

    def tell(self, icon: str, title: str, text: str, actions: Sequence[Action] = ()) -> None:
        """Say why there is nothing to show, and offer to read again."""
        again = Action(tr("Read again"), self._again, "refresh")
        self.show_page(EmptyState(icon, title, text, [*actions, again]))

    def _finish(self, done: Callable[[Any], object], result: Any) -> None:  # noqa: ANN401 - the job's own
        self._stop()
        done(result)

    def _fail(self, path: Path, error: BaseException) -> None:
        self._stop()
        text = error.message if isinstance(error, StudioError) else str(error)
        self.tell("error", tr("{name} cannot be shown", name=path.name), text)

    def _cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()
        self._stop()
        self.tell(self._icon, tr("Reading was cancelled"), "")

    def _stop(self) -> None:
        self._job = None
        if self._loading is not None:
            self._loading.finish()
            self._loading = None
