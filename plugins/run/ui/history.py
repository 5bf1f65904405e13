"""The runs that are over, to be looked at and run once more."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from plugins.run.ui.kept import Past, history
from studio.i18n import tr
from studio.ui.icons import icon
from studio.ui.text import format_ns, literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugins.run.core.configuration import Configuration
    from studio.model.project import Project

_SHOWN = 20


def history_menu(
    parent: QWidget, project: Project, run: Callable[[Configuration], object]
) -> QMenu:
    """The last runs, the newest first; choosing one runs the same again."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.setToolTipsVisible(True)
    past = history(project)[:_SHOWN]
    for one in past:
        sign = ("ok", "muted") if one.code == 0 else ("error", "error")
        action = QAction(icon(*sign), literal(_line(one)), menu)
        what = one.configuration
        action.setToolTip(f"{what.target} {what.arguments}".strip())
        action.triggered.connect(lambda _=False, c=what: run(c))
        menu.addAction(action)
    if not past:
        menu.addAction(tr("Nothing was run yet")).setEnabled(False)
    return menu


def _line(one: Past) -> str:
    at = datetime.fromisoformat(one.at).astimezone()
    when = QLocale().toString(at, QLocale.FormatType.ShortFormat)  # type: ignore[call-overload]
    took = format_ns(round(one.seconds * 1000) * 1_000_000)
    how = tr("exit code {code}", code=one.code)
    return "  ·  ".join((one.configuration.name, when, took, how))
