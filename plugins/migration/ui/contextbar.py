"""What verdicts depend on, as drop-downs: torch version, chip, and the way to move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QSizePolicy, QWidget

from plugins.migration.core.model import CHIPS, TORCH_VERSIONS
from studio.i18n import tr

if TYPE_CHECKING:
    from plugins.migration.ui.review import Review
    from studio.api import Studio
    from studio.kernel.events import Connection


class ContextBar(QWidget):
    """Drop-downs that judge anew at once; `all_of` shows the strategy as well."""

    def __init__(self, studio: Studio, review: Review, *, narrow: bool, all_of: bool) -> None:
        super().__init__()
        self._studio = studio
        self._review = review
        self._listening: list[Connection[Any]] = []
        self.torch = _choice(tr("PyTorch version"), {v: v for v in TORCH_VERSIONS})
        self.chip = _choice(tr("Ascend chip"), {chip: chip for chip in CHIPS})
        self.strategy = _choice(
            tr("How the project moves to NPUs: its code is rewritten, or a shim redirects calls"),
            {"rewrite": tr("Rewrite the code"), "shim": tr("Shim: transfer_to_npu")},
        )
        self._arrange(narrow, all_of)
        self.torch.activated.connect(lambda _index: self._set_context())
        self.chip.activated.connect(lambda _index: self._set_context())
        self.strategy.activated.connect(
            lambda _index: review.set_strategy(str(self.strategy.currentData()))
        )
        project_changed = studio.project_changed.connect(lambda _project: self._on_project())
        listening = self._listening

        def leave() -> None:
            project_changed.disconnect()
            for connection in listening:
                connection.disconnect()

        self.destroyed.connect(leave)
        self._on_project()

    def refresh(self) -> None:
        """Show what is chosen."""
        project = self._studio.project
        if project is None:
            return
        values = project.context.values
        for box, value in (
            (self.torch, values.torch_version),
            (self.chip, values.chip),
            (self.strategy, self._review.strategy),
        ):
            if box.findData(value) < 0:
                box.addItem(value, value)
            box.setCurrentIndex(box.findData(value))

    def _on_project(self) -> None:
        while self._listening:
            self._listening.pop().disconnect()
        if self._studio.project is not None:
            changed = self._studio.project.context.changed
            self._listening.append(changed.connect(lambda _values: self.refresh()))
        self.refresh()

    def _set_context(self) -> None:
        if self._studio.project is not None:
            self._studio.project.context.set(
                torch_version=self.torch.currentData(), chip=self.chip.currentData()
            )

    def _arrange(self, narrow: bool, all_of: bool) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(*((12, 0, 12, 8) if narrow else (0, 0, 0, 0)))
        grid.setSpacing(6)
        boxes = {tr("torch"): self.torch, tr("chip"): self.chip}
        if not all_of:
            self.strategy.setParent(self)
            self.strategy.hide()
        else:
            boxes[tr("strategy")] = self.strategy
        for number, (text, box) in enumerate(boxes.items()):
            name = QLabel(text)
            name.setProperty("role", "muted")
            name.setBuddy(box)
            grid.addWidget(name, 0, 2 * number)
            grid.addWidget(box, 0, 2 * number + 1)
            if narrow:
                policy = QSizePolicy.Policy.Ignored
                box.setSizePolicy(policy, QSizePolicy.Policy.Fixed)
                grid.setColumnStretch(2 * number + 1, 1)


def _choice(name: str, values: dict[str, str]) -> QComboBox:
    box = QComboBox()
    for value, title in values.items():
        box.addItem(title, value)
    box.setAccessibleName(name)
    box.setToolTip(name)
    return box
