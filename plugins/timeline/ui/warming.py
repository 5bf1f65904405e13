"""Drawing the icons of a timeline one by one while its trace is read, not all when it is shown."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from studio.ui.icons import icon

_ICONS = (
    *("zoom-selection", "fit", "zoom-in", "zoom-out", "slice-previous", "slice-next"),
    *("flow-back", "flow-forward", "flag", "range", "flow", "theme", "previous", "next"),
    *("case", "word", "regex", "more", "copy", "goto", "search", "export"),
)
_PAUSE = 10


def draw_icons(owner: QObject) -> None:
    """Draw those that were not drawn yet, with pauses, as long as the owner lives."""
    waiting = list(_ICONS)
    timer = QTimer(owner, interval=_PAUSE)

    def draw() -> None:
        icon(waiting.pop())
        if not waiting:
            timer.stop()
            timer.deleteLater()

    timer.timeout.connect(draw)
    timer.start()
