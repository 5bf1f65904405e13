"""Saving what a timeline shows: slices as a trace or a table, the view as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QGuiApplication, QPainter, QPixmap
from PySide6.QtWidgets import QFileDialog, QWidget

from plugins.timeline.core.part import Part
from plugins.timeline.ui.reading import write_part
from studio.i18n import tr
from studio.ui.exporting import write_content
from studio.ui.pictures import png_of

if TYPE_CHECKING:
    from plugins.timeline.ui.pane import TimelinePane
    from plugins.timeline.ui.view import TimelineView


def shown_part(view: TimelineView) -> Part:
    """The selected stretch and lanes, else what is in view."""
    state = view.pane_now().state
    start, end = state.range or state.shown()
    return Part(start, end, state.area_lanes(), None)


def export_part(view: TimelineView, part: Part, parent: QWidget) -> None:
    """Ask for a file and write the slices of a part to it."""
    kinds = f"{tr('Chrome trace')} (*.json *.json.gz);;{tr('Table')} (*.csv)"
    suggested = f"{view.path.name.split('.')[0]}_part.json"
    name, chosen = QFileDialog.getSaveFileName(parent, tr("Export slices"), suggested, kinds)
    if not name:
        return
    if not Path(name).suffix:
        name += ".csv" if "csv" in chosen else ".json"
    write_part(view, part, Path(name))


def export_picture(view: TimelineView, parent: QWidget) -> None:
    """Ask for a file and save the picture of the timeline to it."""
    pane = view.pane_now()
    kinds = "PNG (*.png);;SVG (*.svg)"
    suggested = f"{view.path.name.split('.')[0]}.png"
    name, chosen = QFileDialog.getSaveFileName(parent, tr("Save picture"), suggested, kinds)
    if not name:
        return
    path = Path(name)
    if path.suffix.lower() not in (".png", ".svg"):
        path = path.with_name(path.name + (".svg" if "svg" in chosen else ".png"))
    save_picture(pane, path)
    view.studio.notify(tr("Picture saved to {file}", file=path), severity="ok")


def save_picture(pane: TimelinePane, path: Path) -> None:
    """Save overview, ruler, titles and lanes as PNG (twice as fine as the screen) or SVG.

    Raises StudioError when the file cannot be written.
    """
    if path.suffix.lower() == ".svg":
        from plugins.timeline.ui.vector import svg_of

        write_content(path, svg_of(pane))
        return
    write_content(path, png_of(picture_of(pane)))


def copy_picture(pane: TimelinePane) -> None:
    """Put the picture on the clipboard."""
    QGuiApplication.clipboard().setPixmap(picture_of(pane))


def picture_of(pane: TimelinePane) -> QPixmap:
    """Paint what is seen of the timeline, without tool bar and scroll bar."""
    parts = parts_of(pane)
    whole = QRect()
    for _, place in parts:
        whole = whole.united(place)
    ratio = max(pane.devicePixelRatioF(), 2.0)
    picture = QPixmap(QSize(round(whole.width() * ratio), round(whole.height() * ratio)))
    picture.setDevicePixelRatio(ratio)
    picture.fill(pane.state.palette.colour("bg"))
    painter = QPainter(picture)
    pane.canvas.labels.hurried = False
    for widget, place in parts:
        widget.render(painter, place.topLeft() - whole.topLeft())
    pane.canvas.labels.hurried = True
    painter.end()
    return picture


def parts_of(pane: TimelinePane) -> list[tuple[QWidget, QRect]]:
    """The widgets that make up the picture, with their places."""
    pane.canvas.pointer.leave()
    return [
        (widget, widget.geometry())
        for widget in (pane.minimap, pane.corner, pane.ruler, pane.gutter, pane.canvas, pane.legend)
    ]
