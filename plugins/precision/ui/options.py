"""How a comparison is made: the noise run, the mapping file, the tolerances."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QGridLayout,
    QLabel,
    QLineEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from plugins.precision.core import thresholds
from plugins.precision.ui.thresholds import ApiTable, TypeTable
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.paths import config_dir
from studio.tensors.standards import DEFAULT, Standard, standard, standards
from studio.ui.icons import set_icon

if TYPE_CHECKING:
    from collections.abc import Callable

_WIDTH, _HEIGHT, _WIDEST = 640, 620, 900
_OWN = "own"


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the dialog asks for, as the job of a comparison takes it."""

    noise: str = ""
    """The folder of a third run of the base."""
    mapping: str = ""
    standard: str = ""
    """The name of a preset, or a file of the user's own; "" is the default."""

    def described(self) -> str:
        """What differs from the usual, in lines."""
        lines = []
        if self.noise:
            lines.append(tr("Noise run: {path}", path=self.noise))
        if self.mapping:
            lines.append(tr("Mapping: {path}", path=self.mapping))
        if self.standard not in ("", DEFAULT):
            lines.append(tr("Tolerances: {name}", name=title_of(self.standard)))
        return "\n".join(lines)


def title_of(name: str) -> str:
    """Return what the window calls a preset."""
    titles = {
        DEFAULT: tr("Ascent Studio"),
        "absolute": tr("Vendor: absolute threshold"),
        "accumulative": tr("Vendor: accumulated error"),
        "thousandth": tr("Vendor: one thousandth"),
        "binary": tr("Vendor: equal bits"),
    }
    return titles.get(name or DEFAULT) or tr("Own")


class OptionsPage(QWidget):
    """The dialog as a page of a view; `finished` tells what was chosen, None when dismissed."""

    finished = Signal(object)

    def __init__(self, parent: QWidget, chosen: Chosen) -> None:
        super().__init__(parent)
        self.dialog = OptionsDialog(self, chosen)
        self.dialog.setWindowFlags(Qt.WindowType.Widget)
        self.dialog.setMaximumWidth(_WIDEST)
        self.dialog.finished.connect(self._tell)
        title = QLabel(tr("How to compare"))
        font = title.font()
        font.setBold(True)
        title.setFont(font)
        title.setContentsMargins(16, 16, 16, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(title)
        column.addWidget(self.dialog, 1)
        self.setFocusProxy(self.dialog.preset)

    def _tell(self, code: int) -> None:
        accepted = code == QDialog.DialogCode.Accepted
        self.finished.emit(self.dialog.chosen() if accepted else None)


class OptionsDialog(QDialog):
    """Two paths and the tolerances; edited tolerances become the user's own."""

    def __init__(self, parent: QWidget, chosen: Chosen) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("How to compare"))
        self.noise, self.mapping = QLineEdit(chosen.noise), QLineEdit(chosen.mapping)
        self.preset = QComboBox()
        self.types, self.apis = TypeTable(), ApiTable()
        self._presets: dict[str, Standard] = dict(standards())
        self._before = chosen
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.problem = QLabel(wordWrap=True)
        self._lay_out()
        self._offer(chosen.standard)
        self.types.edited.connect(self._edited)
        self.apis.edited.connect(self._edited)
        self._check()

    def chosen(self) -> Chosen:
        """What was chosen; tolerances of the user's own are written to their file."""
        name = str(self.preset.currentData())
        if name == _OWN:
            name = str(thresholds.save(self.standard(), config_dir()))
        return Chosen(self.noise.text().strip(), self.mapping.text().strip(), name)

    def standard(self) -> Standard:
        """The tolerances as they are in the tables."""
        now = self._presets[str(self.preset.currentData())]
        return replace(now, types=self.types.tolerances(), apis=self.apis.factors())

    def _offer(self, name: str) -> None:
        """List the presets, and the user's own when there are any."""
        own = config_dir() / thresholds.FILE
        path = Path(name) if name and name not in self._presets else own
        if path.is_file():
            try:
                self._presets[_OWN] = standard(str(path))
            except StudioError as error:
                self.problem.setText(error.message)
        with QSignalBlocker(self.preset):
            self.preset.clear()
            for key in self._presets:
                self.preset.addItem(title_of(key), key)
            wanted = name if name in self._presets else (_OWN if name else DEFAULT)
            self.preset.setCurrentIndex(max(self.preset.findData(wanted), 0))
        self._show_preset()

    def _show_preset(self) -> None:
        found = self._presets[str(self.preset.currentData())]
        self.types.show_tolerances(found.types)
        self.apis.show_factors(found.apis)
        self._check()

    def _edited(self) -> None:
        """What is edited is no preset any more."""
        own = replace(self.standard(), title=tr("Own"))
        self._presets[_OWN] = own
        with QSignalBlocker(self.preset):
            if self.preset.findData(_OWN) < 0:
                self.preset.addItem(title_of(_OWN), _OWN)
            self.preset.setCurrentIndex(self.preset.findData(_OWN))
        self._check()

    def _check(self) -> None:
        problems = [
            tr("{path} does not exist.", path=line.text())
            for line in (self.noise, self.mapping)
            if line.text().strip() and not Path(line.text().strip()).exists()
        ]
        if not (self.types.valid() and self.apis.valid()):
            problems.append(tr("Tolerances and factors are numbers from 0 on."))
        self.problem.setText("\n".join(problems))
        self.problem.setVisible(bool(problems))
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(not problems)

    # -- looks --------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        self._path(
            grid,
            0,
            tr("Noise run"),
            tr("A third run of the base: what differs there too is chance"),
            self.noise,
            self._ask_folder,
        )
        self._path(
            grid,
            1,
            tr("Mapping file"),
            tr("YAML file that maps names of the candidate to those of the base"),
            self.mapping,
            self._ask_file,
        )
        label = QLabel(tr("Tolerances"))
        label.setBuddy(self.preset)
        self.preset.setAccessibleName(tr("Tolerances"))
        self.preset.currentIndexChanged.connect(lambda _: self._show_preset())
        grid.addWidget(label, 2, 0)
        grid.addWidget(self.preset, 2, 1, 1, 2)
        rule = QLabel(
            tr("An element differs when |c − b| > relative · |b| + of scale · rms(b) + absolute."),
            wordWrap=True,
        )
        rule.setProperty("role", "muted")
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 12)
        column.setSpacing(10)
        column.addLayout(grid)
        column.addWidget(rule)
        column.addWidget(self.types, 3)
        column.addWidget(QLabel(tr("Wider or narrower for single operators, such as matmul × 2:")))
        column.addWidget(self.apis, 2)
        column.addWidget(self.problem)
        column.addWidget(self.buttons)
        self.resize(_WIDTH, _HEIGHT)

    def _path(
        self,
        grid: QGridLayout,
        row: int,
        title: str,
        tip: str,
        line: QLineEdit,
        ask: Callable[[], None],
    ) -> None:
        label = QLabel(title)
        label.setBuddy(line)
        for widget in (label, line):
            widget.setToolTip(tip)
        line.setAccessibleName(title)
        line.setPlaceholderText(tip)
        line.setClearButtonEnabled(True)
        line.textChanged.connect(lambda _: self._check())
        button = QToolButton()
        set_icon(button, "open-folder")
        button.setToolTip(tr("Choose…"))
        button.setAccessibleName(tr("Choose…"))
        button.clicked.connect(lambda _=False: ask())
        grid.addWidget(label, row, 0)
        grid.addWidget(line, row, 1)
        grid.addWidget(button, row, 2)

    def _ask_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, tr("Noise run"), self.noise.text())
        if name:
            self.noise.setText(name)

    def _ask_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, tr("Mapping file"), self.mapping.text(), "YAML (*.yaml *.yml)"
        )
        if name:
            self.mapping.setText(name)
