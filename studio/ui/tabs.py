"""A group of tabs: one item per tab, a dot for unsaved work, closed by middle click."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QTabBar, QTabWidget, QToolButton, QWidget

from studio.i18n import tr
from studio.ui.icons import icon
from studio.ui.page import Page
from studio.ui.text import literal, native_keys
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable


class TabGroup(QTabWidget):
    """Tabs side by side in one half of the centre."""

    close_requested = Signal(object)
    activated = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.removed = False
        bar = _TabBar()
        bar.middle_clicked.connect(lambda at: self.close_requested.emit(self.widget(at)))
        self.setTabBar(bar)
        self.setDocumentMode(True)
        self.setMovable(True)
        self.setElideMode(Qt.TextElideMode.ElideMiddle)
        self.setIconSize(QSize(16, 16))
        bar.setExpanding(False)
        bar.setUsesScrollButtons(True)
        bar.setAccessibleName(tr("Open tabs"))
        name_scroll_buttons(bar)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        bar.customContextMenuRequested.connect(self._menu)
        self.menu_hook: Callable[[QMenu, Page], object] | None = None
        self.currentChanged.connect(self._current_changed)

    def pages(self) -> list[Page]:
        """The tabs, left to right."""
        found = [self.widget(i) for i in range(self.count())]
        return [page for page in found if isinstance(page, Page)]

    def current(self) -> Page | None:
        """The tab in front."""
        page = self.currentWidget()
        return page if isinstance(page, Page) else None

    def add(self, page: Page, *, front: bool = True) -> None:
        """Add a tab beside the current one."""
        at = self.insertTab(self.currentIndex() + 1, page, "")
        button = _CloseButton(self)
        button.clicked.connect(lambda: self.close_requested.emit(page))
        self.tabBar().setTabButton(at, QTabBar.ButtonPosition.RightSide, button)
        self.renew(page)
        if front:
            self.setCurrentWidget(page)

    def renew(self, page: Page) -> None:
        """Show title, icon, tool tip and unsaved dot of a tab as they are now."""
        at = self.indexOf(page)
        if at < 0:
            return
        self.setTabText(at, literal(page.title()))
        self.setTabToolTip(at, page.tool_tip())
        look = ("error", "error") if page.error else (page.opener.icon or "file", "muted")
        self.setTabIcon(at, icon(*look))
        button = self.tabBar().tabButton(at, QTabBar.ButtonPosition.RightSide)
        if isinstance(button, _CloseButton):
            button.set_dirty(page.dirty())

    def changeEvent(self, event: QEvent) -> None:
        """Tint the icons anew in another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            for page in self.pages():
                self.renew(page)

    def _current_changed(self, at: int) -> None:
        page = self.widget(at)
        if isinstance(page, Page):
            page.ensure()
            self.activated.emit(page)

    def _menu(self, place: QPoint) -> None:
        page = self.widget(self.tabBar().tabAt(place))
        if not isinstance(page, Page):
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        others = [other for other in self.pages() if other is not page]
        _add(
            menu,
            tr("Close") + "\t" + native_keys("Ctrl+W"),
            lambda: self.close_requested.emit(page),
        )
        _add(menu, tr("Close others"), lambda: self._close(others))
        _add(menu, tr("Close all"), lambda: self._close([*others, page]))
        menu.addSeparator()
        _add(
            menu,
            tr("Copy path"),
            lambda: QGuiApplication.clipboard().setText(str(page.path)),
        )
        if self.menu_hook is not None:
            self.menu_hook(menu, page)
        menu.popup(self.tabBar().mapToGlobal(place))

    def _close(self, pages: list[Page]) -> None:
        for page in pages:
            self.close_requested.emit(page)


def name_scroll_buttons(bar: QTabBar) -> None:
    """Say what the buttons at the end of a crowded bar do."""
    for name, text in (("Left", tr("Tabs to the left")), ("Right", tr("Tabs to the right"))):
        button = bar.findChild(QToolButton, f"Scroll{name}Button")
        if isinstance(button, QToolButton):
            button.setToolTip(text)
            button.setAccessibleName(text)


class _TabBar(QTabBar):
    middle_clicked = Signal(int)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.MiddleButton:
            at = self.tabAt(event.position().toPoint())
            if at >= 0:
                self.middle_clicked.emit(at)
                return
        super().mouseReleaseEvent(event)

    def tabSizeHint(self, index: int) -> QSize:
        hint = super().tabSizeHint(index)
        return QSize(min(hint.width(), 260), hint.height())

    def minimumTabSizeHint(self, index: int) -> QSize:
        # Tabs that do not fit are scrolled to, never squeezed until nobody can read them.
        return self.tabSizeHint(index)


class _CloseButton(QToolButton):
    """A cross; a dot instead while there is unsaved work and the pointer is elsewhere."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._dirty = False
        self.setFixedSize(18, 18)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.set_dirty(False)

    def set_dirty(self, dirty: bool) -> None:
        self._dirty = dirty
        keys = native_keys("Ctrl+W")
        self.setToolTip(
            tr("Unsaved changes. Close ({keys})", keys=keys)
            if dirty
            else tr("Close ({keys})", keys=keys)
        )
        self.setAccessibleName(tr("Close"))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = current_theme()
        hovered = self.underMouse()
        if hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("hover"))
            painter.drawRoundedRect(self.rect(), 4, 4)
        if self._dirty and not hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("text"))
            painter.drawEllipse(QRectF(5.5, 5.5, 7, 7))
        else:
            icon("close", "text" if hovered else "muted").paint(painter, 2, 2, 14, 14)
        painter.end()


def _add(menu: QMenu, title: str, run: Callable[[], object]) -> None:
    action = QAction(title, menu)
    action.triggered.connect(lambda _checked=False: run())
    menu.addAction(action)
