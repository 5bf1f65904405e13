"""The tool bar of a view: 32 px, icon buttons whose tool tips name their keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QSizePolicy, QToolBar, QToolButton, QWidget

from studio.i18n import tr
from studio.ui.icons import set_icon
from studio.ui.text import with_keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.api import Studio

HEIGHT = 32


class ToolBar(QToolBar):
    """A row of actions; the first one added is the view's primary action."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(title, parent)
        self._view = parent
        self.setIconSize(QSize(16, 16))
        self.setFixedHeight(HEIGHT)
        self.setMovable(False)
        self.setFloatable(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)

    def add(
        self,
        icon: str,
        title: str,
        run: Callable[[], object],
        *,
        keys: str = "",
        checkable: bool = False,
        text: bool = False,
    ) -> QAction:
        """Add a button; `keys` work while the focus is in the view, `text` shows the title too."""
        action = QAction(title, self._view, checkable=checkable)
        action.triggered.connect(lambda _checked=False: run())
        action.setToolTip(with_keys(title, keys))
        if keys:
            action.setShortcut(QKeySequence(keys, QKeySequence.SequenceFormat.PortableText))
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            self._view.addAction(action)
        return self._place(action, icon, text)

    def add_command(self, studio: Studio, command: str, *, text: bool = False) -> QAction:
        """Add a button for a command of a manifest, with its title, icon, keys and state."""
        from studio.ui.actions import command_action

        action = command_action(studio, command, self._view)
        return self._place(action, "", text)

    def add_stretch(self) -> None:
        """Push what follows to the right end."""
        filler = QWidget()
        filler.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(filler)

    def _place(self, action: QAction, icon: str, text: bool) -> QAction:
        if icon:
            set_icon(action, icon)
        self.addAction(action)
        button = self.widgetForAction(action)
        if isinstance(button, QToolButton):
            button.setAccessibleName(action.text().replace("&", ""))
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            if text:
                button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        name_extension(self)
        return action


def name_extension(bar: QToolBar) -> None:
    """Say and show what the button is for that shows what does not fit into a tool bar."""
    extension = bar.findChild(QToolButton, "qt_toolbar_ext_button")
    if isinstance(extension, QToolButton):
        extension.setToolTip(tr("More"))
        extension.setAccessibleName(tr("More"))
        set_icon(extension, "more", edge=12)
