"""A dock for one panel: made when first seen, or why it could not be made."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from studio.i18n import tr
from studio.kernel.errors import report_error
from studio.kernel.plugins import PluginError
from studio.ui.failure import FailureView
from studio.ui.icons import icon, set_icon
from studio.ui.unwanted import cancel_jobs_of

if TYPE_CHECKING:
    from studio.kernel.declarations import Panel
    from studio.ui.shell import MainWindow


class PanelDock(QDockWidget):
    """One panel; its widget is made when it is first visible."""

    def __init__(self, window: MainWindow, plugin: str, panel: Panel) -> None:
        super().__init__(tr(panel.title), window)
        self._window = window
        self.plugin, self.panel = plugin, panel
        self.content: QWidget | None = None
        self.seen = False
        self._shown: QWidget | None = None
        self._holder = QWidget()
        column = QVBoxLayout(self._holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.setObjectName(panel.id)
        self.setWidget(self._holder)
        self._title = _TitleBar(self)
        self._no_title = QWidget(self)
        self.setTitleBarWidget(self._title)
        if icon(panel.icon).availableSizes():
            self.setWindowIcon(icon(panel.icon, "muted"))
        self.visibilityChanged.connect(self._visible)

    @property
    def made(self) -> bool:
        """Whether the panel's widget, or why there is none, can be seen."""
        return self._shown is not None

    def ensure(self) -> None:
        """Make the panel's widget unless it is there."""
        if self._shown is None:
            self._make()

    def retry(self) -> None:
        """Make the widget anew."""
        self._window.app.plugins.retry(self.plugin)
        self.drop()
        self._make()

    def drop(self) -> None:
        """Forget the widget."""
        cancel_jobs_of(self._window.app.jobs, self.content)
        if self._shown is not None:
            self._shown.hide()
            self._shown.deleteLater()
        self._shown = self.content = None

    def show_title(self, wanted: bool) -> None:
        """Show or hide the title bar."""
        bar = self._title if wanted else self._no_title
        if self.titleBarWidget() is not bar:
            self.setTitleBarWidget(bar)
            bar.setVisible(wanted)

    def _visible(self, visible: bool) -> None:
        # A dock behind another one's tab is "visible" to Qt as a widget, but not as a dock.
        self.seen = visible
        if visible and self._window.started:
            # In an event of its own, so that showing several panels never holds up the window.
            QTimer.singleShot(0, self, self._ensure_visible)

    def _ensure_visible(self) -> None:
        if self.seen:
            self.ensure()

    def _make(self) -> None:
        app = self._window.app
        try:
            content = app.plugins.resolve(self.plugin, self.panel.make)(app.studio(self.plugin))
            if not isinstance(content, QWidget):
                raise TypeError(
                    f"{self.panel.make} returned {type(content).__name__}, not a widget"
                )
            self.content = self._shown = content
        except (Exception, SystemExit) as error:  # noqa: BLE001 - shown in place of the panel
            if not isinstance(error, PluginError):
                report_error(error, f"panel {self.panel.id}")
            faults = self._window.faults
            known = faults.can_disable(self.plugin)
            disable = partial(faults.disable, self.plugin) if known else None
            title = tr(self.panel.title)
            self._shown = FailureView(title, self.plugin, error, self.retry, disable)
        layout = self._holder.layout()
        if layout is not None:
            layout.addWidget(self._shown)


class _TitleBar(QWidget):
    """A thin heading with a close button at its right end."""

    def __init__(self, dock: QDockWidget) -> None:
        super().__init__(dock)
        self._label = QLabel(dock.windowTitle())
        self._label.setProperty("role", "muted")
        font = self._label.font()
        font.setBold(True)
        self._label.setFont(font)
        close = QToolButton()
        set_icon(close, "close", "muted")
        close.setToolTip(tr("Hide this panel"))
        close.setAccessibleName(tr("Hide this panel"))
        close.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        close.clicked.connect(dock.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 4, 4)
        row.addWidget(self._label, 1)
        row.addWidget(close)
