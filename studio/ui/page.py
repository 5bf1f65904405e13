"""One tab of the centre: the view of a file, made when first shown, or why it failed."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from studio.i18n import tr
from studio.kernel.errors import StudioError, report_error
from studio.kernel.plugins import PluginError
from studio.model.encoding import shown
from studio.ui.failure import FailureView
from studio.ui.view import Action, EmptyState

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from studio.kernel.declarations import Opener
    from studio.ui.shell import MainWindow

_MOST_NEEDED = (480, 300)


class Page(QWidget):
    """Holds a view, so that a failed one can be shown in place and tried again."""

    changed = Signal()

    def __init__(
        self,
        window: MainWindow,
        plugin: str,
        opener: Opener,
        path: Path,
        arguments: Mapping[str, Any],
        state: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self._window = window
        self.plugin, self.opener, self.path = plugin, opener, path
        self.arguments = dict(arguments)
        self.view: QWidget | None = None
        self.error: BaseException | None = None
        self._state = dict(state or {})
        self._shown: QWidget | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)

    def minimumSizeHint(self) -> QSize:
        """What the view needs, but no more than the window of a small screen has for it."""
        return super().minimumSizeHint().boundedTo(QSize(*_MOST_NEEDED))

    def ensure(self) -> QWidget | None:
        """Make the view unless it is there; None when that failed (which is then shown)."""
        if self._shown is None:
            self._make()
        return self.view

    def retry(self) -> None:
        """Make the view anew after it failed."""
        self._window.app.plugins.retry(self.plugin)
        self._place(None)
        self._make()

    def forget(self) -> None:
        """Let go of the view; the tab is closed."""
        self._place(None)
        self.view = None

    def title(self) -> str:
        """The text of the tab."""
        own = getattr(self.view, "title", None)
        if callable(own):
            return shown(str(own()))
        name = shown(self.path.name or str(self.path))
        return name if self.opener.patterns or self.opener.kinds else tr(self.opener.title)

    def tool_tip(self) -> str:
        """The tool tip of the tab."""
        own = getattr(self.view, "tool_tip", None)
        return shown(str(own()) if callable(own) else str(self.path))

    def dirty(self) -> bool:
        """Whether the view holds unsaved work."""
        own = getattr(self.view, "is_dirty", None)
        return bool(own()) if callable(own) else False

    def can_close(self) -> bool:
        """Ask the view, which may ask the user."""
        own = getattr(self.view, "can_close", None)
        return bool(own()) if callable(own) else True

    def saved(self) -> dict[str, Any] | None:
        """What brings this tab back; None when its arguments are not plain values."""
        entry = {
            "path": str(self.path),
            "opener": self.opener.id,
            "arguments": self.arguments,
            "state": self.saved_state(),
        }
        try:
            json.dumps(entry)
        except (TypeError, ValueError):
            return None
        return entry

    def saved_state(self) -> dict[str, Any]:
        """Where one is in the view."""
        own = getattr(self.view, "save_state", None)
        return own() if callable(own) else self._state

    def _make(self) -> None:
        app = self._window.app
        try:
            make = app.plugins.resolve(self.plugin, self.opener.make)
            view = make(app.studio(self.plugin), self.path, **self.arguments)
            if not isinstance(view, QWidget):
                raise TypeError(f"{self.opener.make} returned {type(view).__name__}, not a widget")
        except (Exception, SystemExit) as error:  # noqa: BLE001 - shown in place of the view
            self.error = error
            self._place(self._failure(error))
            self.changed.emit()
            return
        self._take(view)

    def _take(self, view: QWidget) -> None:
        self.error = None
        self.view = view
        self._place(view)
        for name in ("title_changed", "dirty_changed"):
            signal = getattr(view, name, None)
            if signal is not None:
                signal.connect(lambda *_: self.changed.emit())
        became = getattr(view, "became", None)
        if became is not None:
            became.connect(self._take_over)
        restore = getattr(view, "restore_state", None)
        if self._state and callable(restore):
            try:
                restore(self._state)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - a stale state must not cost the view
                report_error(error, f"restoring {self.opener.id}")
        self.changed.emit()

    def _take_over(self, view: QWidget) -> None:
        """A view that only waited for its file hands over to the one that shows it."""
        focus = QApplication.focusWidget()
        focused = focus is not None and self.isAncestorOf(focus)
        self._state = self.saved_state()
        self._take(view)
        if focused:
            view.setFocus()

    def _failure(self, error: BaseException) -> QWidget:
        title = self.path.name or tr(self.opener.title)
        if isinstance(error, StudioError) and not isinstance(error, PluginError):
            retry = Action(tr("Retry"), self.retry, "refresh")
            return EmptyState(
                "warn", tr("{title} could not be shown", title=title), error.message, [retry]
            )
        if not isinstance(error, PluginError):
            report_error(error, f"opening {self.path}")
        faults = self._window.faults
        disable = partial(faults.disable, self.plugin) if faults.can_disable(self.plugin) else None
        return FailureView(title, self.plugin, error, self.retry, disable)

    def _place(self, widget: QWidget | None) -> None:
        if self._shown is not None:
            self._shown.hide()
            self._shown.deleteLater()
            self.view = self.view if widget is not None and widget is self.view else None
        self._shown = widget
        layout = self.layout()
        if widget is not None and layout is not None:
            layout.addWidget(widget)
            self.setFocusProxy(widget)
