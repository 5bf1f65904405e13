"""A file that is too much for an editor: what can be shown of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.i18n import tr
from studio.ui.bar import NoticeBar
from studio.ui.code import make_code_edit
from studio.ui.codefind import FindBar
from studio.ui.text import format_bytes, thousands

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.editor import core
    from studio.api import Studio


class ExcerptView(QWidget):
    """A file too much for an editor: what can be shown of it, not to be edited."""

    def __init__(self, studio: Studio, path: Path, excerpt: core.Excerpt) -> None:
        super().__init__()
        self.studio = studio
        self.edit = make_code_edit(self)
        self.edit.set_read_only(True)
        self.edit.set_text(excerpt.text)
        self.find_bar = FindBar(self.edit)
        bar = NoticeBar(self)
        size = format_bytes(excerpt.size)
        if excerpt.cut:
            text = tr("{name} has {size}: only its beginning is shown.", name=path.name, size=size)
        else:
            text = tr(
                "{name} has a line of {n} characters, which no editor can take. It is shown with "
                "its lines broken and cannot be changed here.",
                name=path.name,
                n=thousands(excerpt.longest),
            )
        bar.tell("info", text, {tr("Find…"): self.find_bar.start}, closable=False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(bar)
        column.addWidget(self.find_bar)
        column.addWidget(self.edit, 1)
        self.setFocusProxy(self.edit)
