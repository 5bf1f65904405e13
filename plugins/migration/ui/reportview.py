"""The assessment of a project as a page to read, with links to the places it speaks of."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QUrl
from PySide6.QtWidgets import QTextBrowser, QVBoxLayout, QWidget

from plugins.migration.ui.looks import status_colour
from plugins.migration.ui.review import Review
from studio.i18n import tr
from studio.model.locations import Location
from studio.ui.readpages import ReadPages
from studio.ui.theme import current_theme
from studio.ui.toolbar import ToolBar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from plugins.migration.core.assessment.sections import Section
    from studio.api import Studio

_PLACE = re.compile(r"([^:]+\.\w+|[^:]*/[^:]+|\w*[A-Z]\w*):([1-9]\d*)")
_BAR = 220


class ReportView(QWidget):
    """Assesses the project in a job; what it shows is what *Export report* writes."""

    def __init__(self, studio: Studio, root: Path) -> None:
        super().__init__()
        self._studio, self._root = studio, root
        self._parts: Sequence[Section] = ()
        self.page = QTextBrowser()
        self.page.setOpenLinks(False)
        self.page.setAccessibleName(tr("Assessment"))
        self.page.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.page.document().setDocumentMargin(20)
        self.page.anchorClicked.connect(self._go_to)
        self.pages = ReadPages(studio, "migration")
        bar = ToolBar(tr("Assessment"), self)
        bar.add("refresh", tr("Assess again"), self.assess, keys="F5")
        bar.add("export", tr("Export report…"), lambda: studio.run("migration.export_report"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(bar)
        column.addWidget(self.pages, 1)
        self.setFocusProxy(self.pages)
        self.assess()

    def title(self) -> str:
        """The text of the tab."""
        return tr("Assessment · {name}", name=self._root.name)

    def idle(self) -> bool:
        """Whether nothing is being assessed."""
        return self.pages.idle()

    def assess(self) -> None:
        """Assess the project for the chosen torch version, chip and strategy."""
        project = self._studio.project
        values = project.context.values if project is not None else None
        arguments: dict[str, Any] = {
            "path": self._root,
            "torch": values.torch_version if values is not None else "",
            "chip": values.chip if values is not None else "",
            "strategy": self._studio.shared(Review).strategy,
        }
        function = "migration:core.assessment.write.assess"
        self.pages.read(function, arguments, self._root, self._show)

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._parts:
            self.page.setHtml(written(self._parts))

    def _show(self, parts: Sequence[Section]) -> None:
        self._parts = parts
        self.page.setHtml(written(parts))
        if self.pages.currentWidget() is not self.page:
            self.pages.show_page(self.page)
            self.setFocusProxy(self.page)

    def _go_to(self, link: QUrl) -> None:
        line = int(link.fragment() or 1)
        self._studio.reveal(Location.source(self._root / link.path(), line))


def make_report(studio: Studio, path: Path) -> ReportView:
    """The view, as the manifest declares it."""
    return ReportView(studio, path)


def written(parts: Sequence[Section]) -> str:
    """Sections as rich text in the colours of the theme; places are links (path#line)."""
    theme = current_theme()
    line, muted = theme.colour("line").name(), theme.colour("muted").name()
    lines = [
        f"<style>h2 {{ margin-top: 22px; margin-bottom: 8px; }} td, th {{ padding: 4px 8px; }}"
        f" th {{ color: {muted}; text-align: left; }} a {{ color: {theme.colour('accent').name()};"
        f" text-decoration: none; }} table {{ border-color: {line}; }}</style>"
    ]
    for part in parts:
        lines.append(f"<h2>{html.escape(part.title)}</h2>")
        lines += [f"<p>{html.escape(text)}</p>" for text in part.texts]
        lines += _bars(part)
        lines += _table(part)
    return "\n".join(lines)


def _bars(part: Section) -> Iterator[str]:
    """The chart of a section: a bar beside each name and number."""
    if not part.chart:
        return
    theme = current_theme()
    largest = max(max(count for _, count, _ in part.chart), 1)
    yield "<table cellspacing='0' style='margin-top: 8px'>"
    for name, count, token in part.chart:
        by_hand = token == "hand"
        colour = (status_colour("manual") if by_hand else theme.colour(token or "accent")).name()
        wide = max(round(_BAR * count / largest), 1) if count else 0
        bar = (
            f"<table cellspacing='0' cellpadding='0'><tr><td width='{wide}' bgcolor='{colour}'"
            " style='padding: 0px'>&nbsp;</td></tr></table>"
        )
        yield f"<tr><td>{html.escape(name)}</td><td align='right'>{count}</td>"
        yield f"<td>{bar if wide else ''}</td></tr>"
    yield "</table>"


def _table(part: Section) -> Iterator[str]:
    if not part.rows:
        return
    heads = "".join(f"<th>{html.escape(title)}</th>" for title in part.columns)
    style = "border-style: solid; border-collapse: collapse"
    yield f"<table cellspacing='0' border='1' style='{style}' width='98%'>"
    yield f"<thead><tr>{heads}</tr></thead>"
    for row in part.rows:
        yield "<tr>" + "".join(f"<td>{_linked(cell)}</td>" for cell in row) + "</tr>"
    yield "</table>"


def _linked(cell: str) -> str:
    """A cell that lists places, each of which leads there; other cells stay texts."""
    pieces = cell.split(", ")
    places = [_PLACE.fullmatch(piece) for piece in pieces]
    if not all(place or piece == "…" for place, piece in zip(places, pieces, strict=True)):
        return html.escape(cell)
    return ", ".join(map(_link, pieces, places))


def _link(piece: str, place: re.Match[str] | None) -> str:
    if place is None:
        return html.escape(piece)
    target = QUrl()
    target.setPath(place[1])
    target.setFragment(place[2])
    link = html.escape(target.toString(QUrl.ComponentFormattingOption.FullyEncoded))
    return f"<a href='{link}'>{html.escape(piece)}</a>"
