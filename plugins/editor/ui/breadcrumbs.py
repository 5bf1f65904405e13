"""Where one is, above the text: the folders, the file, and what the cursor stands in."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QWidget

from plugins.editor.ui.looks import icon_of
from studio.i18n import tr
from studio.ui.icons import set_icon

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from plugins.editor.core.symbols import Symbol
    from plugins.editor.ui.view import EditorView

_MOST = 200
"""Longer menus help nobody; the explorer shows the rest."""


class Breadcrumbs(QWidget):
    """A button per part; each offers what else there is at its place."""

    def __init__(self, view: EditorView) -> None:
        super().__init__(view)
        self._view = view
        self._shown: tuple[object, ...] = ()
        self._parts: list[QToolButton] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(8, 0, 8, 0)
        self._row.setSpacing(0)
        self._row.addStretch(1)
        self.setFixedHeight(24)
        self._soon = QTimer(self, singleShot=True, interval=60)
        self._soon.timeout.connect(self._show)
        view.edit.cursor_moved.connect(self._follow)
        view.symbols.changed.connect(self._follow)
        view.symbols.want()
        self._show()

    def parts(self) -> list[str]:
        """What is shown, from the outside to the inside."""
        return [button.text() for button in self._parts]

    def focus(self) -> None:
        """Give the innermost part the focus."""
        if self._parts:
            self._parts[-1].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Go from part to part by arrow keys, open a menu by Down, return to the text by Esc."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return super().eventFilter(watched, event)
        at = next((n for n, part in enumerate(self._parts) if part is watched), -1)
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if step and 0 <= at + step < len(self._parts):
            self._parts[at + step].setFocus(Qt.FocusReason.TabFocusReason)
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return):
            self._parts[at].click()
        elif event.key() == Qt.Key.Key_Escape:
            self._view.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            return super().eventFilter(watched, event)
        return True

    def _follow(self) -> None:
        self._soon.start()

    def _show(self) -> None:
        view = self._view
        project = view.studio.project
        path = view.document.path
        inside = project is not None and project.contains(path)
        root = project.root if project is not None and inside else path.parent
        around = view.symbols.around(view.edit.cursor_place()[0])
        shown = (path, tuple((symbol.title, symbol.line) for symbol in around))
        if shown == self._shown:
            return
        self._shown = shown
        held = next((n for n, part in enumerate(self._parts) if part.hasFocus()), -1)
        while self._row.count() > 1:
            taken = self._row.takeAt(0)
            if taken is not None and (widget := taken.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._parts = []
        places = [path, *path.parents]
        for place in reversed(places[: places.index(root)]):
            self._add(place.name, "", self._siblings(place))
        for symbol in around:
            self._add(symbol.name, icon_of(symbol.kind), self._beside(symbol))
        if held >= 0:
            self._parts[min(held, len(self._parts) - 1)].setFocus()

    def _add(self, text: str, icon: str, fill: Callable[[QMenu], object]) -> None:
        if self._parts:
            arrow = QLabel("›", self)
            arrow.setProperty("role", "muted")
            self._row.insertWidget(self._row.count() - 1, arrow)
        button = QToolButton(self)
        button.setText(text.replace("&", "&&"))
        button.setProperty("toggle", True)
        button.setAccessibleName(text)
        button.setToolTip(tr("{name}: click for what else is here", name=text))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setIconSize(QSize(14, 14))
        if icon:
            set_icon(button, icon)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.installEventFilter(self)
        button.clicked.connect(lambda _checked=False: self._open(button, fill))
        self._row.insertWidget(self._row.count() - 1, button)
        self._parts.append(button)

    def _open(self, button: QToolButton, fill: Callable[[QMenu], object]) -> None:
        menu = QMenu(button)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        fill(menu)
        menu.popup(button.mapToGlobal(QPoint(0, button.height())))

    def _siblings(self, place: Path) -> Callable[[QMenu], object]:
        def fill(menu: QMenu) -> None:
            try:
                with os.scandir(place.parent) as entries:
                    names = sorted(e.name for e in entries if e.is_file() and e.name[0] != ".")
            except OSError:
                names = []
            for name in names[:_MOST]:
                action = menu.addAction(name.replace("&", "&&"))
                action.setCheckable(True)
                action.setChecked(name == place.name)
                path = place.parent / name
                action.triggered.connect(lambda _=False, at=path: self._view.studio.open(at))
            if not names:
                menu.addAction(tr("There is no file here")).setEnabled(False)

        return fill

    def _beside(self, symbol: Symbol) -> Callable[[QMenu], object]:
        def fill(menu: QMenu) -> None:
            beside = [s for s in self._view.symbols.all if s.within == symbol.within]
            for other in beside[:_MOST]:
                action = menu.addAction(other.name.replace("&", "&&"))
                action.setCheckable(True)
                action.setChecked(other == symbol)
                action.triggered.connect(
                    lambda _=False, line=other.line: self._view.edit.go_to(line, flash=True)
                )

        return fill
