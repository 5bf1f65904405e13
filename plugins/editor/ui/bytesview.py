"""A file that is no text: its bytes to look at, to search and to copy, never to change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSizePolicy, QVBoxLayout, QWidget

from plugins.editor.core import is_text
from plugins.editor.core.hexdump import meanings, offset_from, read_part, size_of, wanted_bytes
from plugins.editor.ui.bytesarea import BytesArea
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.ui.bar import NoticeBar
from studio.ui.field import search_field
from studio.ui.icons import icon
from studio.ui.text import format_bytes, thousands

if TYPE_CHECKING:
    from pathlib import Path

    from studio.api import Studio
    from studio.kernel.job import Job


class BytesView(QWidget):
    """The bytes with a field to search or to go to an offset, and what the selected ones mean."""

    def __init__(self, studio: Studio, path: Path) -> None:
        super().__init__()
        self._studio = studio
        self._path = path
        self._job: Job | None = None
        self._size = size_of(path)
        self.area = BytesArea(path, self._size, self)
        self.area.setAccessibleName(tr("Bytes of {name}", name=path.name))
        self.area.customContextMenuRequested.connect(self._menu)
        self.area.moved.connect(self._tell)
        self.field = search_field(tr("Text, bytes as “de ad be ef”, or an offset as @0x1f"))
        self.field.returnPressed.connect(self.search)
        shortcut = QShortcut(QKeySequence.StandardKey.Find, self)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.activated.connect(self.field.setFocus)
        self.place = QLabel()
        self.place.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.place.setProperty("role", "muted")
        self.place.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.place.setWordWrap(True)
        self.bar = NoticeBar(self)
        if not is_text(path):
            self.bar.tell(
                "info",
                tr("{name} is no text: these are its bytes.", name=path.name),
                {tr("Open as text"): self._open_as_text},
            )
        above = QHBoxLayout()
        above.setContentsMargins(8, 4, 8, 4)
        above.addWidget(self.field)
        below = QHBoxLayout()
        below.setContentsMargins(8, 4, 8, 4)
        below.addWidget(self.place, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addLayout(above)
        column.addWidget(self.area, 1)
        column.addLayout(below)
        self.setFocusProxy(self.area)
        self._tell()

    def title(self) -> str:
        """The name of the file."""
        return self._path.name

    def idle(self) -> bool:
        """Whether nothing is looked for."""
        return self._job is None or not self._job.active

    def save_state(self) -> dict[str, Any]:
        """What is selected."""
        return {"selection": list(self.area.selection())}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Select it again."""
        match state.get("selection"):
            case [int(start), int(end)]:
                self.area.select(start, end)

    def search(self) -> None:
        """Go to the offset that is asked for, or to the next place of what is looked for."""
        text = self.field.text()
        if text.startswith("@"):
            place = offset_from(text[1:])
            if place is not None:
                self.area.select(place, place + 1)
            return
        wanted = wanted_bytes(text)
        if not wanted:
            return
        self._job = self._studio.start_job(
            "editor:core.hexdump.find_bytes",
            {"path": self._path, "wanted": wanted, "start": self.area.selection()[0] + 1},
            title=tr("Searching {name}", name=self._path.name),
            key=f"find bytes {id(self)}",
            done=lambda place: self._found(place, len(wanted)),
            failed=self._failed,
        )

    def _found(self, place: int, count: int) -> None:
        if place < 0:
            self.place.setText(tr("Not found"))
        else:
            self.area.select(place, place + count)

    def _failed(self, error: BaseException) -> None:
        self.place.setText(error.message if isinstance(error, StudioError) else str(error))

    def _tell(self) -> None:
        start, end = self.area.selection()
        try:
            data = read_part(self._path, start, 8)
        except StudioError as error:
            self.place.setText(error.message)
            return
        where = tr("Offset {hex} ({n})", hex=f"0x{start:x}", n=thousands(start))
        chosen = format_bytes(end - start)
        whole = format_bytes(self._size)
        how_much = tr("{part} of {whole}", part=chosen, whole=whole)
        # A line may end between two meanings, never between a name and its value.
        meant = (part.replace(" ", "\u00a0") for part in meanings(data).split("   "))
        self.place.setText("   ".join((where, how_much, *meant)))

    def _menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for sign, title, run in (
            ("copy", tr("Copy as hexadecimal"), self.area.copy),
            ("text", tr("Copy as text"), lambda: self.area.copy(signs=True)),
        ):
            menu.addAction(icon(sign), title).triggered.connect(lambda _=False, r=run: r())
        menu.popup(self.area.viewport().mapToGlobal(place))

    def _open_as_text(self) -> None:
        self._studio.open(self._path, opener="editor.text")


def make_bytes(studio: Studio, path: Path) -> BytesView:
    """Show the bytes of a file."""
    return BytesView(studio, path)
