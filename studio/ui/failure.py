"""What is shown in place of a view or panel that failed: why, and what one can do."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from studio import __version__
from studio.i18n import tr
from studio.ui.fonts import mono_font
from studio.ui.view import Action, EmptyState

if TYPE_CHECKING:
    from collections.abc import Callable


class FailureView(QWidget):
    """Names the plugin and the cause, with Retry, Copy report and Disable plugin."""

    def __init__(
        self,
        title: str,
        plugin: str,
        error: BaseException,
        retry: Callable[[], object],
        disable: Callable[[], object] | None,
    ) -> None:
        super().__init__()
        self.report = report_of(plugin, error)
        actions = [
            Action(tr("Retry"), retry, "refresh"),
            Action(tr("Copy report"), self.copy, "copy"),
        ]
        if disable is not None:
            actions.append(Action(tr("Disable plugin"), disable, "plugin"))
        state = EmptyState(
            "error",
            tr("{title} could not be shown", title=title),
            getattr(error, "message", "") or f"{type(error).__name__}: {error}",
            actions,
        )
        details = QPlainTextEdit(self.report, readOnly=True)
        details.setFont(mono_font())
        details.setAccessibleName(tr("Details"))
        details.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(state, 3)
        column.addWidget(details, 2)

    def copy(self) -> None:
        """Put the report on the clipboard."""
        QGuiApplication.clipboard().setText(self.report)


def report_of(plugin: str, error: BaseException) -> str:
    """What a bug report needs: version, plugin, and the whole traceback."""
    trace = "".join(traceback.format_exception(error)).rstrip()
    return f"Ascent Studio {__version__}, plugin {plugin or '-'}\n\n{trace}"
