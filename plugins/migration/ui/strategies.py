"""Both ways to move a project beside each other, to choose one: counts, and each file's changes."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextCharFormat, QTextDocument
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from plugins.migration.ui.review import Review
from studio.i18n import tr
from studio.ui.fonts import mono_font
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from plugins.migration.core.strategies import Comparison
    from studio.api import Studio


def compare(studio: Studio) -> None:
    """Judge the project by both strategies in the background, and show them."""
    project = studio.project
    if project is None:
        return
    values = project.context.values
    studio.start_job(
        "migration:core.strategies.compare_command",
        {"path": project.root, "torch": values.torch_version, "chip": values.chip},
        title=tr("Comparing strategies for {name}", name=project.name),
        key="strategies",
        done=lambda found: _show(studio, found),
    )


def _show(studio: Studio, found: Comparison) -> None:
    if studio.window is None:
        return
    review = studio.shared(Review)
    dialog = StrategiesDialog(found, review.strategy, studio.window.parent())
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.chosen.connect(review.set_strategy)
    dialog.open()


class StrategiesDialog(QDialog):
    """Two columns, one for each strategy: counts above, the changes of a file below."""

    chosen = Signal(str)

    def __init__(self, found: Comparison, current: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Rewrite or shim"))
        self.resize(1040, 680)
        self._found = found
        self.file = QComboBox()
        self.file.setAccessibleName(tr("File"))
        changing = Counter(name for side in found.sides for name in side.files)
        self.file.addItems(sorted(changing, key=lambda name: (-changing[name], name)))
        self.file.currentTextChanged.connect(self._show_file)
        self.patches = {side.strategy: _Patch() for side in found.sides}
        self.buttons = QDialogButtonBox()
        self._uses = {
            side.strategy: self.buttons.addButton(
                _choice(side.strategy),
                QDialogButtonBox.ButtonRole.AcceptRole,
            )
            for side in found.sides
        }
        for strategy, button in self._uses.items():
            button.setEnabled(strategy != current)
            button.setProperty("primary", strategy != current)
            button.clicked.connect(partial(self._choose, strategy))
        self.buttons.addButton(tr("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        self.buttons.rejected.connect(self.reject)
        self._arrange()
        self._show_file(self.file.currentText())

    def _choose(self, strategy: str, _checked: bool = False) -> None:
        self.chosen.emit(strategy)
        self.accept()

    def _show_file(self, name: str) -> None:
        for side in self._found.sides:
            nothing = tr("Nothing changes in this file.")
            self.patches[side.strategy].setPlainText(side.files.get(name, nothing))

    def _arrange(self) -> None:
        head = QLabel(
            tr(
                "Judged for torch {torch} on {chip}. Rewriting changes the code for good; the shim "
                "redirects CUDA names at run time, and leaves what it does not cover.",
                torch=self._found.torch,
                chip=self._found.chip,
            )
        )
        head.setWordWrap(True)
        head.setProperty("role", "muted")
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        for column, side in enumerate(self._found.sides, 1):
            name = QLabel(title(side.strategy))
            font = name.font()
            font.setBold(True)
            name.setFont(font)
            grid.addWidget(name, 0, column)
            grid.setColumnStretch(column, 1)
        for number, row in enumerate(self._found.rows(), 1):
            label = QLabel(str(row[""]))
            label.setProperty("role", "muted")
            grid.addWidget(label, number, 0)
            for column, side in enumerate(self._found.sides, 1):
                grid.addWidget(QLabel(str(row[side.strategy])), number, column)
        choice = QHBoxLayout()
        choice.addWidget(QLabel(tr("Changes of")))
        choice.addWidget(self.file, 1)
        previews = QHBoxLayout()
        previews.setSpacing(8)
        for side in self._found.sides:
            patch = self.patches[side.strategy]
            patch.setAccessibleName(title(side.strategy))
            previews.addWidget(patch, 1)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(16, 16, 16, 12)
        rows.setSpacing(10)
        rows.addWidget(head)
        rows.addLayout(grid)
        rows.addLayout(choice)
        rows.addLayout(previews, 1)
        rows.addWidget(self.buttons)


class _Patch(QPlainTextEdit):
    """A patch that is only read."""

    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(mono_font())
        self._colours = _Colours(self.document())


class _Colours(QSyntaxHighlighter):
    """Lines taken out and put in, in the colours of the theme."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        theme = current_theme()
        self._kinds: dict[str, QColor] = {
            "+": theme.colour("ok"),
            "-": theme.colour("error"),
            "@": theme.colour("muted"),
        }

    def highlightBlock(self, text: str) -> None:
        """Colour a line by its first sign."""
        colour = self._kinds.get(text[:1])
        if colour is not None:
            form = QTextCharFormat()
            form.setForeground(colour)
            self.setFormat(0, len(text), form)


def _choice(strategy: str) -> str:
    return tr("Go on with rewriting") if strategy == "rewrite" else tr("Go on with the shim")


def title(strategy: str) -> str:
    """A strategy in the words of the user."""
    return tr("Rewrite the code") if strategy == "rewrite" else tr("Shim: transfer_to_npu")
