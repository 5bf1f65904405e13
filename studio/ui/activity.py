"""The activity bar: five jobs, each with its left panel and its words of welcome."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QFontMetrics
from PySide6.QtWidgets import QSizePolicy, QToolBar, QToolButton, QWidget

from studio.i18n import tr
from studio.ui.icons import set_icon
from studio.ui.text import with_keys
from studio.ui.toolbar import name_extension

_WIDTH = 76
_ICON = 20


@dataclass(frozen=True)
class Activity:
    """One job a user comes for: what it is, which kinds of items it works on, how to get some."""

    id: str
    icon: str
    title: str
    text: str
    kinds: tuple[str, ...] = ()
    missing: str = ""


def activities() -> tuple[Activity, ...]:
    """The activities, top to bottom."""
    return (
        Activity(
            "files",
            "files",
            tr("Files"),
            tr("Everything in the project: scripts, configurations, profiles, dumps and logs."),
        ),
        Activity(
            "migration",
            "migration",
            tr("Migration"),
            tr("Find what binds the code to CUDA and move it to Ascend NPUs, change by change."),
        ),
        Activity(
            "performance",
            "performance",
            tr("Performance"),
            tr("See on a timeline where a training step spends its time and its memory."),
            ("trace", "profile", "memory", "cluster"),
            tr(
                "No profile here yet. Record some steps with torch_npu.profiler (on GPUs with "
                "torch.profiler) and link the folder it writes."
            ),
        ),
        Activity(
            "precision",
            "precision",
            tr("Precision"),
            tr("Compare the tensors of two runs and find where they begin to differ."),
            ("dump", "tensor"),
            tr(
                "No dump here yet. Save the same tensors of both runs as .npy files, or with "
                "msprobe, and link the two folders."
            ),
        ),
        Activity(
            "training",
            "training",
            tr("Training"),
            tr("Follow loss, throughput and checkpoints of a run."),
            ("log", "training_log", "losses", "checkpoint", "dataset"),
            tr(
                "No training log here yet. Let the run write its log to a file and link its folder."
            ),
        ),
    )


class ActivityBar(QToolBar):
    """Icons with names at the left edge; the one that is on hides the panel when clicked again."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(tr("Activities"), parent)
        self.setObjectName("activity")
        self.setOrientation(Qt.Orientation.Vertical)
        self.setMovable(False)
        self.setIconSize(QSize(_ICON, _ICON))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self._actions: dict[str, QAction] = {}
        group = QActionGroup(self)
        for number, activity in enumerate(activities(), 1):
            action = QAction(activity.title, self, checkable=True)
            action.setToolTip(f"{with_keys(activity.title, f'Alt+{number}')}\n{activity.text}")
            set_icon(action, activity.icon, edge=_ICON)
            action.triggered.connect(lambda _checked=False, a=activity.id: self.chosen.emit(a))
            group.addAction(action)
            self.addAction(action)
            self._prepare(action)
            self._actions[activity.id] = action
        filler = QWidget()
        filler.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.addWidget(filler)
        name_extension(self)
        self.show_active("files")

    def add_bottom(self, action: QAction) -> None:
        """Add an action below the activities; its icon is drawn as large as theirs."""
        set_icon(action, str(action.property("studio_icon") or ""), edge=_ICON)
        self.addAction(action)
        self._prepare(action)

    def show_active(self, activity: str) -> None:
        """Mark one activity as the one that is on."""
        if activity in self._actions:
            self._actions[activity].setChecked(True)

    def _prepare(self, action: QAction) -> None:
        button = self.widgetForAction(action)
        if isinstance(button, QToolButton):
            font = button.font()
            font.setPointSizeF(max(font.pointSizeF() * 0.86, 7.0))
            button.setFont(font)
            titles = [activity.title for activity in activities()]
            widest = max(map(QFontMetrics(font).horizontalAdvance, titles))
            button.setFixedWidth(max(_WIDTH, widest + 12))
            button.setMinimumHeight(48)
            button.setAccessibleName(action.text())
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
