"""Results of core commands as the window shows them: the same values the command line prints."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from studio.ui.fonts import mono_font

if TYPE_CHECKING:
    from studio.api import Studio
    from studio.kernel.commands import Registered
    from studio.ui.shell import MainWindow


class ResultView(QWidget):
    """A table for frames and lists of records, text for all else."""

    def __init__(self, title: str, result: object) -> None:
        super().__init__()
        self._title = title
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(_widget_of(result))

    def title(self) -> str:
        """The text of the tab: the command."""
        return self._title


def show_result(window: MainWindow, command: Registered, result: object) -> None:
    """Show the result of a command in a tab of its own."""
    window.open(Path(command.id), "studio.result", {"title": command.title, "result": result})


def make_view(studio: Studio, path: Path, title: str = "", result: object = None) -> ResultView:
    """The view, as the host's manifest declares it."""
    return ResultView(title or str(path), result)


def _widget_of(result: object) -> QWidget:
    rows = _rows(result)
    if rows is not None:
        from studio.ui.table import Column, TableView

        table = TableView()
        if isinstance(rows, list):
            columns = [Column(key, key.replace("_", " ")) for key in rows[0]]
            table.set_data(rows, columns)
        else:
            table.set_data(rows)
        return table
    text = QPlainTextEdit(readOnly=True)
    text.setFont(mono_font())
    text.setFrameShape(QPlainTextEdit.Shape.NoFrame)
    plain = _plain(result)
    lines = plain if isinstance(plain, str) else json.dumps(plain, indent=2, ensure_ascii=False)
    text.setPlainText(lines)
    return text


def _rows(result: object) -> Any:  # noqa: ANN401 - a DataFrame, a list of dicts, or None
    if hasattr(result, "columns") and hasattr(result, "iloc"):
        return result
    if isinstance(result, list | tuple) and result and all(map(dataclasses.is_dataclass, result)):
        return [_plain(row) for row in result]
    return None


def _plain(value: object) -> Any:  # noqa: ANN401 - JSON
    to_json = getattr(value, "to_json", None)
    if callable(to_json):
        return _plain(to_json())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(entry) for entry in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
