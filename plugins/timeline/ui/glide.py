"""A short animation from one part of time to another, so that the eye keeps its bearings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation

if TYPE_CHECKING:
    from plugins.timeline.ui.state import TimelineState
    from plugins.timeline.ui.viewport import Viewport

MILLISECONDS = 120


class Glide(QObject):
    """Moves a state's view to a target; a new target replaces the old one."""

    def __init__(self, state: TimelineState, milliseconds: int = MILLISECONDS) -> None:
        super().__init__(state)
        self._state = state
        self._from = state.viewport
        self._to = state.viewport
        self._animation = QVariantAnimation(self)
        self._animation.setDuration(milliseconds)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._animation.valueChanged.connect(self._step)
        state.glide = self.to

    def to(self, target: Viewport) -> None:
        """Glide to a view; at once when there is no time for it."""
        self._animation.stop()
        if self._animation.duration() <= 0:
            self._state.set_view(target)
            return
        self._from, self._to = self._state.viewport, target
        self._animation.start()

    def running(self) -> bool:
        """Whether the view still moves."""
        return self._animation.state() == QVariantAnimation.State.Running

    def finish(self) -> None:
        """Go to the target at once."""
        if self.running():
            self._animation.stop()
            self._state.set_view(self._to)

    def _step(self, share: float) -> None:
        self._state.set_view(self._from.between(self._to, share, self._state.width))
