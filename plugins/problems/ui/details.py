"""What there is to know about one finding: what, where, why, and what can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from plugins.problems.ui.looks import ICONS, severity_word
from studio.i18n import tr
from studio.ui.actions import fill_context_menu
from studio.ui.fonts import mono_font
from studio.ui.icons import pixmap

if TYPE_CHECKING:
    from PySide6.QtGui import QAction

    from studio.api import Studio
    from studio.model.findings import Finding


class Details(QScrollArea):
    """Beside the list; the fixes that plugins offer are buttons here too."""

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(tr("Details of the problem"))
        self.show_finding(None)

    def show_finding(self, finding: Finding | None) -> None:
        """Show a finding, or a hint."""
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(14, 10, 14, 10)
        column.setSpacing(6)
        if finding is None:
            text = tr("Select a problem to see why it matters and what can be done.")
            column.addWidget(_label(text, muted=True))
        else:
            self._fill(page, column, finding)
        column.addStretch()
        self.setWidget(page)

    def _fill(self, page: QWidget, column: QVBoxLayout, finding: Finding) -> None:
        name, token = ICONS[finding.severity]
        picture = QLabel()
        picture.setPixmap(pixmap(name, 16, token, self.devicePixelRatioF()))
        title = _label(finding.title)
        font = title.font()
        font.setBold(True)
        title.setFont(font)
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        top.addWidget(title, 1)
        column.addLayout(top)
        project = self._studio.project
        path = finding.location.path
        place = project.relative(path) if project is not None else str(path)
        line = f":{finding.location.line}" if finding.location.line else ""
        facts = [severity_word(finding.severity), finding.rule, f"{place}{line}"]
        column.addWidget(_label("  ·  ".join(filter(None, facts)), muted=True))
        if finding.why:
            column.addWidget(_label(finding.why))
        if finding.evidence:
            evidence = _label(finding.evidence)
            evidence.setFont(mono_font())
            column.addWidget(evidence)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for number, action in enumerate(self._actions(page, finding)):
            button = QPushButton(action.text().replace("&", ""))
            button.setIcon(action.icon())
            button.setEnabled(action.isEnabled())
            button.setProperty("primary", number == 0 and finding.fix is not None)
            if number == 0 and finding.fix is not None:
                button.setIcon(button.icon().__class__())
            button.clicked.connect(lambda _checked=False, a=action: a.trigger())
            buttons.addWidget(button)
        buttons.addStretch()
        column.addSpacing(4)
        column.addLayout(buttons)

    def _actions(self, page: QWidget, finding: Finding) -> list[QAction]:
        """The commands that plugins offer for this finding; they go with the page."""
        menu = QMenu(page)
        fill_context_menu(self._studio, menu, "problems", finding.category, available_of(finding))
        return menu.actions()


def available_of(finding: Finding) -> dict[str, object]:
    """What a command can take as arguments from a finding."""
    return {
        "finding": finding,
        "key": finding.key,
        "path": finding.location.path,
        "location": finding.location,
        "line": finding.location.line,
    }


def _label(text: str, *, muted: bool = False) -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if muted:
        label.setProperty("role", "muted")
    return label
