"""Three texts side by side: one's own, what comes out, and what another program wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSplitter, QVBoxLayout, QWidget

from studio.i18n import tr, trn
from studio.model.merge import Choice, Kind, Merge
from studio.ui.code import CodeEdit, make_code_edit
from studio.ui.codelanguages import PLAIN, Language
from studio.ui.diffpanes import titled
from studio.ui.diffribbon import Ribbon
from studio.ui.mergegutter import MergeGutter
from studio.ui.mergerows import MINE, RESULT, MergeRows
from studio.ui.mergesheet import MergeSheet, lay_out
from studio.ui.parts import OneLine
from studio.ui.text import with_keys
from studio.ui.toolbar import ToolBar

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QResizeEvent

_CHUNK = 256
"""So many rows are marked at a time, when they come into view."""


class MergeView(QWidget):
    """A merge to decide about; `finished` tells the merged text once no conflict is open."""

    finished = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._merge = Merge((), (), (), ())
        self._choices: list[Choice] = []
        self._rows = MergeRows(self._merge, ())
        self._current = -1
        self._drawn: set[int] = set()
        self._busy = False
        self.panes = tuple(make_code_edit(self) for _ in range(3))
        self._titles = [OneLine(self, Qt.TextElideMode.ElideLeft) for _ in range(3)]
        mine, theirs = tr("Take your lines"), tr("Take the lines on disk")
        rect = self._row_rect
        self.gutters = (
            MergeGutter(Choice.MINE, "forward", with_keys(mine, "1"), rect, self),
            MergeGutter(Choice.THEIRS, "back", with_keys(theirs, "2"), rect, self),
        )
        self._ribbon = Ribbon(self)
        self._count = QLabel(self)
        self._count.setProperty("role", "muted")
        self.bar = ToolBar(tr("Merge"), self)
        self._fill_bar(mine, theirs)
        self._arrange()
        for pane in self.panes:
            self._prepare(pane)
        for gutter, side in zip(self.gutters, (Choice.MINE, Choice.THEIRS), strict=True):
            gutter.taken.connect(lambda number, side=side: self._toggle(number, side))
        self._ribbon.jumped.connect(self.go_to)
        self._ribbon.scrolled.connect(lambda row: self.panes[MINE].set_first_line(max(row, 0) + 1))

    # -- what is shown --------------------------------------------------------------------------
    def show_merge(
        self, merge: Merge, *, language: Language = PLAIN, titles: tuple[str, str, str],
        sheet: MergeSheet | None = None,
    ) -> None:  # fmt: skip
        """Show a merge: what only one side changed is taken, conflicts are open.

        Long texts come with the `sheet` that a job laid out (see `merge_and_lay_out`).
        """
        self._merge = merge
        self._choices = [hunk.clean for hunk in merge.hunks]
        for label, title in zip(self._titles, titles, strict=True):
            label.setText(title)
            label.setToolTip(title)
        for pane in self.panes:
            if pane.language is not language:
                pane.set_language(language)
        self._current = -1
        self._show(sheet)
        conflicts = [n for n, part in enumerate(self._rows.parts) if part.choice is Choice.OPEN]
        self.go_to(conflicts[0] if conflicts else 0)

    def open_conflicts(self) -> int:
        """How many conflicts nobody has decided about."""
        return self._choices.count(Choice.OPEN)

    def result(self) -> str:
        """The merged text; open conflicts keep what was there before."""
        return self._merge.result(self._choices)

    # -- what one does --------------------------------------------------------------------------
    def current(self) -> int:
        """The number of the change one is at, -1 for none."""
        return self._current

    def go_to(self, number: int) -> None:
        """Make a change the current one and bring it into view."""
        if not 0 <= number < len(self._rows.parts):
            return
        self._current = number
        part = self._rows.parts[number]
        height = max(self.panes[MINE].line_rect(1).height(), 1)
        shown = self.panes[MINE].height() // height
        first = self.panes[MINE].first_line() - 1
        if not first <= part.first <= first + shown - 3:
            self.panes[MINE].set_first_line(max(part.first - shown // 3, 0) + 1)
        self._mark()

    def step(self, by: int) -> None:
        """Go to the next or the previous change."""
        self.go_to(min(max(self._current + by, 0), len(self._rows.parts) - 1))

    def choose(self, choice: Choice) -> None:
        """Decide about the current change; a conflict decided leads to the next open one."""
        if not 0 <= self._current < len(self._rows.parts):
            return
        part = self._rows.parts[self._current]
        was_open = part.choice is Choice.OPEN
        self._choices[part.number] = choice
        self._renew(self._current, choice)
        parts = self._rows.parts
        if was_open and choice is not Choice.OPEN:
            order = [*range(self._current + 1, len(parts)), *range(self._current)]
            following = (n for n in order if parts[n].choice is Choice.OPEN)
            self.go_to(next(following, self._current))
        else:
            self._mark()

    def _toggle(self, number: int, side: Choice) -> None:
        """A click on an arrow takes a side; on the other arrow as well, both of them."""
        self._current = number
        now = self._rows.parts[number].choice
        both = {Choice.MINE, Choice.THEIRS}
        if now is Choice.BOTH:
            self.choose((both - {side}).pop())
        elif now is side:
            conflict = self._rows.parts[number].hunk.kind is Kind.CONFLICT
            self.choose(Choice.OPEN if conflict else Choice.BASE)
        else:
            self.choose(Choice.BOTH if {now, side} == both and self._in_conflict() else side)

    def _in_conflict(self) -> bool:
        return self._rows.parts[self._current].hunk.kind is Kind.CONFLICT

    def _finish(self) -> None:
        if not self.open_conflicts():
            self.finished.emit(self.result())

    # -- drawing --------------------------------------------------------------------------------
    def _show(self, sheet: MergeSheet | None = None) -> None:
        sheet = sheet or lay_out(self._merge, self._choices)
        rows = self._rows = sheet.rows
        self._drawn = set()
        self._busy = True
        for number, pane in enumerate(self.panes):
            pane.set_text(sheet.texts[number])
            pane.set_line_labels(_labels(rows, number), "9" * len(str(len(rows.panes[number]))))
            pane.reserve_width(sheet.longest)
        self.panes[RESULT].set_end_notes({})
        self._busy = False
        self._ribbon.show_changes(rows.overview(), None)
        self._show_changes()

    def _draw(self, first: int, last: int) -> None:
        """Mark these rows and some around, unless they are marked already."""
        for chunk in range(first // _CHUNK, last // _CHUNK + 1):
            if chunk in self._drawn:
                continue
            self._drawn.add(chunk)
            stop = min((chunk + 1) * _CHUNK, len(self._rows.panes[RESULT]))
            rows = range(chunk * _CHUNK, stop)
            lines = range(rows.start + 1, rows.stop + 1)
            for number, pane in enumerate(self.panes):
                pane.set_tints(self._rows.tints(number, rows), lines)
            parts = [p for p in self._rows.within(rows) if p.first in rows]
            asked = {p.first + 1: tr("choose a side") for p in parts if p.choice is Choice.OPEN}
            self.panes[RESULT].set_end_notes(asked, lines)

    def _renew(self, place: int, choice: Choice) -> None:
        """Show another decision about one change: nothing but its rows is drawn anew."""
        rows = self._rows
        first = self.panes[MINE].first_line()
        before, after = rows.choose(place, choice)
        self._busy = True
        for number, pane in enumerate(self.panes):
            new = rows.text(number, after)
            start = pane.offset_at(before.start + 1)
            end = pane.offset_at(before.stop) + len(pane.line_text(before.stop).rstrip("\r\n"))
            pane.set_tints({}, range(before.start + 1, before.stop + 1))
            if number == RESULT:
                pane.set_end_notes({}, range(before.start + 1, before.stop + 1))
            pane.replace(start, end, new)
            pane.set_tints(rows.tints(number, after), range(after.start + 1, after.stop + 1))
        if choice is Choice.OPEN:
            lines = range(after.start + 1, after.stop + 1)
            self.panes[RESULT].set_end_notes({lines.start: tr("choose a side")}, lines)
        if len(after) != len(before):  # what follows stands in other chunks now
            self._drawn = {chunk for chunk in self._drawn if chunk < before.start // _CHUNK}
        self._busy = False
        for pane in self.panes:
            pane.set_first_line(first)
        self._ribbon.show_change(rows.overview(), place)
        self._show_changes()

    def _show_changes(self) -> None:
        for gutter in self.gutters:
            gutter.show_parts(self._rows.parts)
        self._mark()

    def _mark(self) -> None:
        lines, parts, number = range(0), self._rows.parts, self._current
        if 0 <= number < len(parts):
            lines = range(parts[number].first + 1, parts[number].last + 2)
        for pane in self.panes:
            pane.set_focus_lines(lines)
        for gutter in self.gutters:
            gutter.current = number
        self._ribbon.current = number
        left = self.open_conflicts()
        told = tr("No conflict is open") if not left else trn(
            "{n} conflict is open", "{n} conflicts are open", left
        )  # fmt: skip
        self._count.setText(
            " · ".join(
                (tr("Change {number} of {total}", number=number + 1, total=len(parts)), told)
            )
        )
        self._take.setEnabled(not left)
        self._refresh()

    def _refresh(self) -> None:
        for gutter in self.gutters:
            gutter.update()
        pane = self.panes[MINE]
        first, shown = pane.first_line() - 1, pane.height() // max(pane.line_rect(1).height(), 1)
        self._draw(first, min(first + shown + 1, len(self._rows.panes[RESULT]) - 1))
        self._ribbon.show_view(first, shown)

    def _row_rect(self, line: int) -> QRect:
        rect = self.panes[MINE].line_rect(line)
        place = self.panes[MINE].mapTo(self.window(), QPoint(0, rect.top()))
        return QRect(0, place.y(), 0, rect.height())

    # -- making ---------------------------------------------------------------------------------
    def _prepare(self, pane: CodeEdit) -> None:
        pane.set_read_only(True)
        pane.set_folding(False)
        pane.set_current_line(False)
        for bar in ("vertical_bar", "horizontal_bar"):
            getattr(pane, bar)().valueChanged.connect(self._follow(pane, bar))

    def _follow(self, source: CodeEdit, bar: str) -> Callable[[int], None]:
        def moved(value: int) -> None:
            if self._busy:
                return
            self._busy = True
            for pane in self.panes:
                if pane is not source:
                    getattr(pane, bar)().setValue(value)
            self._busy = False
            self._refresh()

        return moved

    def _fill_bar(self, mine: str, theirs: str) -> None:
        add, choose = self.bar.add, self.choose
        self._take = add("accept", tr("Take over the result"), self._finish, keys="Ctrl+Return",
                         text=True)  # fmt: skip
        self.bar.addSeparator()
        add("forward", mine, lambda: choose(Choice.MINE), keys="1")
        add("back", theirs, lambda: choose(Choice.THEIRS), keys="2")
        add("accept-all", tr("Take both, yours first"), lambda: choose(Choice.BOTH), keys="3")
        add("reject", tr("Keep what was before"), lambda: choose(Choice.BASE), keys="4")
        self.bar.addSeparator()
        add("previous", tr("Previous change"), lambda: self.step(-1), keys="Shift+F7")
        add("next", tr("Next change"), lambda: self.step(1), keys="F7")
        self.bar.addWidget(self._count)

    def _arrange(self) -> None:
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.setHandleWidth(1)
        splitter.setChildrenCollapsible(False)
        for number, pane in enumerate(self.panes):
            pane.vertical_bar().setVisible(False)
            pane.area().setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            holder = QWidget()
            row = QHBoxLayout(holder)
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(0)
            if number:
                row.addWidget(self.gutters[number - 1])
            row.addWidget(titled(self._titles[number], pane), 1)
            if number == 2:
                row.addWidget(self._ribbon)
            splitter.addWidget(holder)
        splitter.setSizes([1000, 1000, 1000])
        self.setFocusProxy(self.panes[RESULT])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.bar)
        layout.addWidget(splitter, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show anew what is in view."""
        super().resizeEvent(event)
        self._refresh()

    def changeEvent(self, event: QEvent) -> None:
        """Draw what is not Scintilla's in the colours of another theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._refresh()


def _labels(rows: MergeRows, pane: int) -> Callable[[int], str]:
    return lambda line: rows.number(pane, line - 1)
