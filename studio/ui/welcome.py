"""The first thing one sees: what to open, what was open, and what the program is for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, QTimer
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import tr
from studio.ui.activity import activities
from studio.ui.icons import pixmap, set_icon
from studio.ui.nextsteps import activity_commands, activity_items
from studio.ui.recent import recent_projects
from studio.ui.text import literal, with_keys
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.ui.activity import Activity
    from studio.ui.shell import MainWindow

_WIDTH = 860


class Welcome(QScrollArea):
    """Rebuilt when the project, the activity or the theme changes; cheap enough for that."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self._window = window
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(tr("Welcome"))

    def renew(self) -> None:
        """Show what fits the project and the activity."""
        page = QWidget()
        page.setObjectName("welcome")
        column = QVBoxLayout()
        column.setSpacing(0)
        if self._window.app.project is None:
            self._fill_start(column)
        else:
            self._fill_project(column)
        holder = QWidget()
        holder.setLayout(column)
        holder.setMaximumWidth(_WIDTH)
        row = QHBoxLayout(page)
        row.setContentsMargins(32, 24, 32, 24)
        row.addStretch(1)
        row.addWidget(holder, 100)
        row.addStretch(1)
        self.setWidget(page)
        page.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)

    def changeEvent(self, event: QEvent) -> None:
        """Draw pictures anew in another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self.widget() is not None:
            # Later: Qt is just going through all widgets, and renewing deletes some.
            QTimer.singleShot(0, self, self.renew)

    # -- without a project ----------------------------------------------------------------------
    def _fill_start(self, column: QVBoxLayout) -> None:
        column.addStretch(1)
        column.addWidget(_text("Ascent Studio", size=2.1, bold=True))
        column.addSpacing(6)
        column.addWidget(
            _text(
                tr("Move training from GPUs to Ascend NPUs, and make it exact and fast there."),
                muted=True,
                size=1.1,
            )
        )
        column.addSpacing(28)
        halves = QHBoxLayout()
        halves.setSpacing(40)
        halves.addLayout(self._start_column(), 5)
        halves.addLayout(self._jobs_column(), 6)
        column.addLayout(halves)
        column.addSpacing(28)
        hint = tr("Drop a folder or a file anywhere in this window to open it.")
        column.addWidget(_text(hint, muted=True))
        column.addStretch(2)

    def _start_column(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(8)
        column.addWidget(_heading(tr("Start")))
        window = self._window
        opening = _button(
            tr("Open project folder…"), "open-folder", window.projects.open_dialog, primary=True
        )
        opening.setToolTip(with_keys(tr("Open project folder…"), "Ctrl+O"))
        column.addWidget(opening)
        column.addWidget(
            _button(tr("Open the sample project"), "sample", window.projects.open_sample)
        )
        column.addSpacing(16)
        column.addWidget(_heading(tr("Recent projects")))
        recent = recent_projects()[:6]
        for path in recent:
            column.addWidget(
                _Row(path.name, str(path.parent), "folder", partial(window.projects.open, path))
            )
        if not recent:
            column.addWidget(_text(tr("Projects you open will be listed here."), muted=True))
        column.addStretch()
        return column

    def _jobs_column(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(4)
        column.addWidget(_heading(tr("What you can do")))
        for activity in activities()[1:]:
            column.addLayout(_described(activity))
        column.addStretch()
        return column

    # -- with a project -------------------------------------------------------------------------
    def _fill_project(self, column: QVBoxLayout) -> None:
        project = self._window.app.project
        active = next(a for a in activities() if a.id == self._window.docks.activity)
        column.addStretch(1)
        top = QHBoxLayout()
        top.setSpacing(14)
        picture = QLabel()
        picture.setPixmap(pixmap(active.icon, 32, "accent", self.devicePixelRatioF()))
        top.addWidget(picture)
        top.addWidget(_text(active.title, size=1.8, bold=True), 1)
        column.addLayout(top)
        column.addSpacing(8)
        column.addWidget(_text(active.text, muted=True, size=1.1))
        column.addSpacing(20)
        actions = activity_commands(self._window.app, active)
        if actions:
            column.addWidget(_heading(tr("Next step")))
            column.addSpacing(8)
            grid = QGridLayout()
            grid.setSpacing(8)
            for number, command in enumerate(actions[:4]):
                run = partial(self._window.actions_.run, command.id)
                button = _button(
                    command.title, command.command.icon or "command", run, primary=number == 0
                )
                keys = command.command.keys[0] if command.command.keys else ""
                button.setToolTip(with_keys(command.title, keys))
                grid.addWidget(button, number // 2, number % 2)
            column.addLayout(grid)
            column.addSpacing(20)
        items = activity_items(self._window.app, active)
        if items and project is not None:
            column.addWidget(_heading(tr("In this project")))
            column.addSpacing(4)
            for item, title, icon in items[:8]:
                name = project.relative(item.path)
                open_item = partial(self._window.open, item.path, "", {})
                column.addWidget(_Row(name, title, icon, open_item))
            column.addSpacing(20)
        if project is not None and active.missing and not project.items_of(*active.kinds):
            column.addWidget(_text(active.missing, muted=True))
            column.addSpacing(8)
            link = partial(self._window.actions_.run, "studio.link_folder")
            linking = QHBoxLayout()
            linking.addWidget(_button(tr("Link a folder to the project…"), "link", link))
            linking.addStretch()
            column.addLayout(linking)
            column.addSpacing(20)
        if active.id == "files":
            column.addWidget(_heading(tr("What you can do")))
            column.addSpacing(4)
            for other in activities()[1:]:
                turn = partial(self._window.show_activity, other.id)
                column.addWidget(_Row(other.title, other.text, other.icon, turn))
            column.addSpacing(20)
        column.addWidget(_heading(tr("Keys")))
        column.addSpacing(4)
        for title, keys in (
            (tr("Run any command"), "Ctrl+Shift+P"),
            (tr("Open a file by name"), "Ctrl+P"),
            (tr("Show or hide the left panel"), "Ctrl+B"),
        ):
            column.addWidget(_text(with_keys(title, keys), muted=True))
            column.addSpacing(2)
        column.addStretch(2)


class _Row(QToolButton):
    """A line that opens something: name, and where it is in quieter ink."""

    def __init__(self, name: str, detail: str, icon: str, run: Callable[[], object]) -> None:
        super().__init__()
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        set_icon(self, icon, "accent")
        self.setIconSize(QSize(16, 16))
        self.setText(literal(name))
        self.setToolTip(f"{name}\n{detail}")
        self.setAccessibleName(f"{name}, {detail}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.clicked.connect(lambda _checked=False: run())
        self.setStyleSheet("text-align: left;")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        quiet = QLabel(detail, self, textFormat=Qt.TextFormat.PlainText)
        quiet.setProperty("role", "muted")
        quiet.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._quiet = quiet
        self.setMinimumHeight(28)

    def resizeEvent(self, event: object) -> None:
        used = self.fontMetrics().horizontalAdvance(self.text()) + 40
        room = max(self.width() - used - 8, 0)
        metrics = self._quiet.fontMetrics()
        full = self.accessibleName().split(", ", 1)[1]
        self._quiet.setText(metrics.elidedText(full, Qt.TextElideMode.ElideMiddle, room))
        self._quiet.setGeometry(used, 0, room, self.height())


def _described(activity: Activity) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(12)
    picture = QLabel()
    picture.setPixmap(pixmap(activity.icon, 20, "accent", picture.devicePixelRatioF()))
    picture.setAlignment(Qt.AlignmentFlag.AlignTop)
    picture.setContentsMargins(0, 6, 0, 0)
    words = QVBoxLayout()
    words.setSpacing(2)
    words.setContentsMargins(0, 4, 0, 8)
    words.addWidget(_text(activity.title, bold=True))
    words.addWidget(_text(activity.text, muted=True))
    row.addWidget(picture)
    row.addLayout(words, 1)
    return row


def _heading(text: str) -> QLabel:
    label = _text(text, bold=True)
    label.setStyleSheet(f"color: {current_theme().tokens['muted']};")
    return label


def _text(text: str, *, size: float = 1.0, bold: bool = False, muted: bool = False) -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    if muted:
        label.setProperty("role", "muted")
    font = label.font()
    font.setPointSizeF(font.pointSizeF() * size)
    font.setBold(bold)
    label.setFont(font)
    return label


def _button(
    title: str, icon: str, run: Callable[[], object], *, primary: bool = False
) -> QPushButton:
    button = QPushButton(title.replace("&", ""))
    button.setProperty("primary", primary)
    set_icon(button, icon, "on_accent" if primary else "text")
    button.clicked.connect(lambda _checked=False: run())
    button.setMinimumHeight(32)
    return button
