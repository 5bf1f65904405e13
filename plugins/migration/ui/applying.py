"""What is about to be changed, shown before it is."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import tr, trn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from plugins.migration.ui.review import Review
    from studio.model.edits import TextEdit
    from studio.model.project import Project


class ApplyDialog(QDialog):
    """Lists the files and asks; accepted means: do it."""

    def __init__(
        self,
        review: Review,
        project: Project,
        edits: Mapping[Path, Sequence[TextEdit]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.instead = ""
        self.setWindowTitle(tr("Apply the migration"))
        self.resize(560, 420)
        summary = review.summary()
        changes = trn("{n} change", "{n} changes", summary.accepted)
        files = trn("{n} file", "{n} files", len(edits))
        head = QLabel(tr("{changes} in {files}", changes=changes, files=files))
        font = head.font()
        font.setPointSizeF(font.pointSizeF() * 1.25)
        head.setFont(font)
        self.files = QTreeWidget()
        self.files.setRootIsDecorated(False)
        self.files.setHeaderLabels([tr("File"), tr("Changes"), ""])
        self.files.setUniformRowHeights(True)
        self.files.setAccessibleName(tr("Files that change"))
        remarked = False
        for path in edits:
            document = project.documents.get(path)
            unsaved = document is not None and document.dirty
            remark = tr("unsaved: only the open text changes") if unsaved else ""
            count = len(review.accepted(path))
            row = QTreeWidgetItem([project.relative(path), str(count), remark])
            row.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            row.setSizeHint(0, QSize(0, 24))
            remarked = remarked or bool(remark)
            self.files.addTopLevelItem(row)
        self.files.setColumnHidden(2, not remarked)
        header = self.files.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.ResizeToContents)
        still_open = summary.changes - summary.accepted - summary.rejected
        notes = []
        if still_open or summary.rejected:
            notes.append(
                tr(
                    "Left as they are: {open} undecided, {rejected} rejected.",
                    open=still_open,
                    rejected=summary.rejected,
                )
            )
        notes.append(
            tr("All files change together or none. A backup is kept; Undo takes it all back.")
        )
        note = QLabel("\n".join(notes))
        note.setWordWrap(True)
        note.setProperty("role", "muted")
        buttons = QDialogButtonBox()
        apply = buttons.addButton(tr("Apply"), QDialogButtonBox.ButtonRole.AcceptRole)
        apply.setProperty("primary", True)
        apply.setDefault(True)
        buttons.addButton(tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        for command, title in (
            ("migration.write_copy", tr("To a copy…")),
            ("migration.export_patch", tr("As a patch…")),
        ):
            other = buttons.addButton(title, QDialogButtonBox.ButtonRole.ActionRole)
            other.clicked.connect(partial(self._instead, command))
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 12)
        column.setSpacing(10)
        column.addWidget(head)
        column.addWidget(self.files, 1)
        column.addWidget(note)
        column.addWidget(buttons)

    def _instead(self, command: str, _checked: bool = False) -> None:
        """Hand the changes on by another command; the project stays as it is."""
        self.instead = command
        self.reject()
