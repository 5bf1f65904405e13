"""The centre view of a tensor: of a file alone, of two files, or of a row of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QFileDialog, QVBoxLayout, QWidget

from studio.i18n import tr
from studio.tensors.tensor_file import SUFFIXES
from studio.ui.readpages import ReadPages
from studio.ui.toolbar import ToolBar

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.precision.core.tensors.loading import Loaded
    from plugins.precision.ui.tensor.apart import ApartPane
    from plugins.precision.ui.tensor.pane import TensorPane
    from studio.api import Studio

_ARGUMENTS = ("base", "member", "part", "base_name", "name")


def make_tensor_view(studio: Studio, path: Path, **arguments: str) -> QWidget:
    """Show the tensors at a path.

    `path` is a file of tensors, or the folder of a candidate's dump; `base` another file or dump to
    compare with. `member` names the tensor in a file; `part`, `base_name` and `name` the values in
    dumps, as a row of their comparison has them.
    """
    return TensorView(studio, path, arguments)


class TensorView(QWidget):
    """Opens the tensors in a job and shows them."""

    title_changed = Signal()

    def __init__(self, studio: Studio, path: Path, arguments: dict[str, str]) -> None:
        super().__init__()
        self._studio = studio
        self.path = path
        self.arguments = {name: str(arguments.get(name, "")) for name in _ARGUMENTS}
        self.pane: TensorPane | ApartPane | None = None
        self.members = QComboBox()
        self._state: dict[str, Any] = {}
        self._pages = ReadPages(studio, "tensor")
        self._lay_out()
        self.load()

    # -- what the host asks -------------------------------------------------------------------
    def title(self) -> str:
        """The tensor, as the tab names it."""
        return self.arguments["name"] or self.arguments["base_name"] or self.path.name

    def tool_tip(self) -> str:
        """Both paths."""
        return "\n".join(filter(None, (self.title(), self.arguments["base"], str(self.path))))

    def idle(self) -> bool:
        """Whether the tensors are read and shown."""
        return self._pages.idle() and (self.pane is None or self.pane.idle())

    def save_state(self) -> dict[str, Any]:
        """Which tensors, and the slice."""
        return {"arguments": self.arguments} | (self.pane.save_state() if self.pane else {})

    def restore_state(self, state: dict[str, Any]) -> None:
        """Return to saved tensors and their slice."""
        self._state = dict(state)
        saved = state.get("arguments")
        if isinstance(saved, dict) and saved != self.arguments:
            self.reopen(**saved)
        elif self.pane is not None:
            self._restore()

    def reopen(self, **arguments: str) -> None:
        """Show another tensor of the same file or dump."""
        self.arguments = {name: str(arguments.get(name, "")) for name in _ARGUMENTS}
        self.load()

    # -- reading ------------------------------------------------------------------------------
    def load(self) -> None:
        """Open the tensors anew."""
        if self.pane is not None and not self._state:
            self._state = self.pane.save_state()
        self.pane = None
        self.title_changed.emit()
        self._pages.read(
            "precision:ui.tensor.loader.load",
            {"path": str(self.path), **self.arguments},
            self.path,
            self._show,
        )

    def choose_base(self) -> None:
        """Ask for a file to compare with."""
        endings = " ".join(f"*{suffix}" for suffix in SUFFIXES)
        name, _ = QFileDialog.getOpenFileName(
            self, tr("Tensor to compare with"), str(self.path.parent), f"({endings})"
        )
        if name:
            self.arguments["base"] = name
            self.load()

    def _show(self, loaded: Loaded) -> None:
        from plugins.precision.ui.tensor.apart import ApartPane
        from plugins.precision.ui.tensor.pane import TensorPane

        with QSignalBlocker(self.members):
            self.members.clear()
            self.members.addItems([name or self.path.name for name in loaded.members])
            self.members.setCurrentIndex(max(loaded.members.index(loaded.member), 0))
        self._member_action.setVisible(len(loaded.members) > 1)
        self.arguments["member"] = loaded.member
        pair = loaded.pair
        apart = pair.base is not None and pair.candidate is not None and not pair.comparable
        pane: TensorPane | ApartPane
        if apart:
            pane = ApartPane(self._studio, pair, loaded.problem)
        else:
            pane = TensorPane(self._studio, pair)
        self._relative.setVisible(pair.comparable)
        self.pane = pane
        self._pages.show_page(pane)
        self.setFocusProxy(pane)
        self._restore()
        if loaded.problem and not apart:
            self._studio.notify(loaded.problem, severity="warn")

    def _restore(self) -> None:
        if self.pane is not None and self._state:
            state, self._state = self._state, {}
            self.pane.restore_state(state)
        if self.pane is not None:
            self._logarithmic.setChecked(self.pane.maps.logarithmic)
            self._relative.setChecked(self.pane.maps.relative)

    def _member_chosen(self) -> None:
        name = self.members.currentText()
        self.reopen(**(self.arguments | {"member": name}))

    # -- buttons ------------------------------------------------------------------------------
    def _with_pane(self, name: str, *values: object) -> None:
        if self.pane is not None:
            getattr(self.pane, name)(*values)

    def _lay_out(self) -> None:
        bar = ToolBar(tr("Tensor"), self)
        bar.add("refresh", tr("Read again"), self.load, keys="F5")
        bar.add("compare", tr("Compare with another file…"), self.choose_base)
        self._member_action = bar.addWidget(self.members)
        bar.addSeparator()
        bar.add("fit", tr("Show the whole slice"), lambda: self._with_pane("show_whole"))
        self._logarithmic = bar.add(
            "chart",
            tr("Logarithmic colours"),
            lambda: self._with_pane("set_logarithmic", self._logarithmic.isChecked()),
            checkable=True,
            text=True,
        )
        self._relative = bar.add(
            "precision",
            tr("Relative error"),
            lambda: self._with_pane("set_relative", self._relative.isChecked()),
            checkable=True,
            text=True,
        )
        bar.addSeparator()
        bar.add("picture", tr("Save picture…"), lambda: self._with_pane("save_picture"))
        bar.add(
            "export", tr("Export the part in view as CSV…"), lambda: self._with_pane("export_csv")
        )
        self.members.setAccessibleName(tr("Tensor of the file"))
        self.members.setToolTip(tr("Tensor of the file"))
        self.members.setMinimumContentsLength(18)
        self.members.activated.connect(lambda _: self._member_chosen())
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(bar)
        column.addWidget(self._pages, 1)
