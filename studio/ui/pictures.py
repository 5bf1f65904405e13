"""A chart taken out of the program: its picture, and the numbers behind it, from its own menu."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QFileDialog, QMenu

from studio.i18n import tr
from studio.kernel.csv_rows import RowWriter
from studio.ui.exporting import start_export, write_content
from studio.ui.icons import icon

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from PySide6.QtGui import QPixmap
    from PySide6.QtWidgets import QWidget

    from studio.kernel.job_context import JobContext

    Rows = Callable[[], Iterable[Sequence[object]]]
    """The heading and the lines of a table; None stands for a number that was not recorded."""


_CONTROLS = bytes(sorted({*range(32)} - {9, 10, 13}))


class PictureMenu(QObject):
    """The menu of a painted chart: copy, or save as PNG, SVG or CSV."""

    def __init__(self, chart: QWidget, rows: Rows) -> None:
        super().__init__(chart)
        self._chart = chart
        self._rows = rows
        chart.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        chart.customContextMenuRequested.connect(self.open)

    def open(self, place: QPoint) -> QMenu:
        """Open the menu at a place of the chart."""
        menu = QMenu(self._chart)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        copy = menu.addAction(icon("copy"), tr("Copy the picture"))
        copy.triggered.connect(lambda _=False: self.copy())
        save = menu.addAction(icon("picture"), tr("Save as picture or table…"))
        save.triggered.connect(lambda _=False: self._ask_and_save())
        menu.popup(self._chart.mapToGlobal(place))
        return menu

    def copy(self) -> None:
        """Put the picture on the clipboard."""
        QGuiApplication.clipboard().setPixmap(self._chart.grab())

    def save(self, path: Path) -> None:
        """Save as PNG, SVG or CSV, by the name of the file."""
        if path.suffix.lower() == ".csv":
            start_export(self._chart, path, write_rows, rows=self._rows)
        else:
            save_picture(self._chart, path)

    def _ask_and_save(self) -> None:
        path = ask_target(self._chart)
        if path is not None:
            self.save(path)


def ask_target(chart: QWidget) -> Path | None:
    """Ask for the file that a chart is saved to: a picture, or its numbers as a table."""
    kinds = {"PNG (*.png)": ".png", "SVG (*.svg)": ".svg", "CSV (*.csv)": ".csv"}
    name, kind = QFileDialog.getSaveFileName(
        chart, tr("Save the chart"), "chart.png", ";;".join(kinds)
    )
    if not name:
        return None
    path = Path(name)
    known = path.suffix.lower() in kinds.values()
    return path if known else path.with_name(path.name + kinds.get(kind, ".png"))


def save_picture(chart: QWidget, path: Path) -> None:
    """Save what a chart shows: as vectors when the name ends in .svg, else as points."""
    content = _svg_of(chart) if path.suffix.lower() == ".svg" else png_of(chart.grab())
    start_export(chart, path, write_content, content=content)


def png_of(picture: QPixmap) -> bytes:
    """A picture as the content of a PNG file."""
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    picture.save(buffer, "PNG")
    return bytes(buffer.data().data())


def _svg_of(chart: QWidget) -> bytes:
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(chart.size())
    generator.setViewBox(QRect(QPoint(0, 0), chart.size()))
    generator.setTitle(chart.accessibleName())
    painter = QPainter(generator)
    chart.render(painter, QPoint(0, 0))
    painter.end()
    return without_controls(bytes(buffer.data().data()))


def without_controls(content: bytes) -> bytes:
    """XML in UTF-8 without what no XML may hold; names have it at times, and Qt writes it."""
    kept = content.translate(None, _CONTROLS)
    return re.sub(rb"\xef\xbf[\xbe\xbf]|\xed[\xa0-\xbf].", b"\xef\xbf\xbd", kept)


def write_rows(path: Path, rows: Rows, job: JobContext | None = None) -> Path:
    """Write a table as CSV, numbers with all their digits, empty where there are none."""
    buffer = io.StringIO()
    writer = RowWriter(buffer)
    for number, row in enumerate(rows()):
        if job is not None and number % 10_000 == 0:
            job.check()
        writer.writerow(["" if cell is None or cell != cell else cell for cell in row])
    write_content(path, buffer.getvalue().encode("utf-8-sig"))
    return path
