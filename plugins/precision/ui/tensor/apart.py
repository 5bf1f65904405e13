"""Two tensors of different shapes side by side, and why there is no difference."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QSplitter, QVBoxLayout, QWidget

from plugins.precision.core.tensors.opened import OpenedPair
from plugins.precision.ui.tensor.pane import TensorPane
from studio.i18n import tr
from studio.ui.icons import pixmap

if TYPE_CHECKING:
    from plugins.precision.ui.tensor.maps import Maps
    from studio.api import Studio

_ICON = 16


class ApartPane(QWidget):
    """Each side has its own slice, pictures and figures; used as a `TensorPane` is."""

    def __init__(self, studio: Studio, pair: OpenedPair, reason: str) -> None:
        super().__init__()
        self.base = TensorPane(studio, OpenedPair(pair.base, None), tr("Base"))
        self.candidate = TensorPane(studio, OpenedPair(None, pair.candidate), tr("Candidate"))
        self.note = QLabel(reason, wordWrap=True)
        picture = QLabel()
        picture.setPixmap(pixmap("warn", _ICON, "warn", self.devicePixelRatioF()))
        line = QHBoxLayout()
        line.setContentsMargins(10, 6, 10, 6)
        line.setSpacing(8)
        line.addWidget(picture)
        line.addWidget(self.note, 1)
        halves = QSplitter(Qt.Orientation.Horizontal)
        halves.setChildrenCollapsible(False)
        halves.addWidget(self.base)
        halves.addWidget(self.candidate)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(line)
        column.addWidget(halves, 1)
        self.setFocusProxy(self.base)

    @property
    def maps(self) -> Maps:
        """The pictures of the candidate, which say how all are coloured."""
        return self.candidate.maps

    def idle(self) -> bool:
        """Whether both are read and shown."""
        return self.base.idle() and self.candidate.idle()

    def save_state(self) -> dict[str, Any]:
        """The slices of both sides."""
        return self.candidate.save_state() | {"base side": self.base.save_state()}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Return to saved slices."""
        self.candidate.restore_state(state)
        side = state.get("base side")
        self.base.restore_state(side if isinstance(side, dict) else {})

    def show_whole(self) -> None:
        """Show the whole slices."""
        for pane in (self.base, self.candidate):
            pane.show_whole()

    def set_logarithmic(self, on: bool) -> None:
        """Colour values by their logarithm."""
        for pane in (self.base, self.candidate):
            pane.set_logarithmic(on)

    def set_relative(self, _on: bool) -> None:
        """Do nothing: there is no difference."""

    def save_picture(self, target: Path | None = None) -> bool:
        """Save both sides as one picture; asks where when not told."""
        if target is None:
            name, _ = QFileDialog.getSaveFileName(
                self, tr("Save picture"), "tensors.png", "PNG (*.png)"
            )
            if not name:
                return False
            target = Path(name)
        return self.grab().save(str(target), "PNG")

    def export_csv(self, target: Path | None = None) -> bool:
        """Write the elements of the candidate that are in view."""
        return self.candidate.export_csv(target)
