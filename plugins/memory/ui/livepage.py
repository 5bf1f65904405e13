"""What is live at a time: held before, and live blocks by operator, stack, size and lifetime."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from plugins.memory.ui.words import lifetime_word, size_class_word
from plugins.memory.ui.writing import both_units, written
from studio.i18n import tr, trn
from studio.ui.charttree import MOST, Tile, TreeMap
from studio.ui.parts import chooser, note, split
from studio.ui.table import Column, TableView
from studio.ui.text import format_percent
from studio.ui.timeaxis import exact

if TYPE_CHECKING:
    import pandas as pd
    from PySide6.QtWidgets import QMenu

    from studio.perf.memory_peak import MemoryAt

_SPLIT: Final = " ← "
_HUES: Final = 11
_HELD: Final = 11


class LivePage(QWidget):
    """A tile and its row choose each other; a row leads to its blocks and its source line."""

    blocks_wanted = Signal(str)
    source_wanted = Signal(str)
    by_changed = Signal(str)

    def __init__(self, memory: MemoryAt, origin: int, unit: str, by: str = "name") -> None:
        super().__init__()
        self.memory = memory
        self.origin = origin
        self.unit = unit
        entries = [
            (tr("Operator"), "name"),
            (tr("Call stack"), "stack"),
            (tr("Size class"), "size_class"),
            (tr("Lifetime"), "lifetime"),
            (tr("Single blocks"), "row"),
        ]
        self.by = chooser(tr("Group by"), tr("What live blocks are grouped by"), entries)
        self.by.setCurrentIndex(max(self.by.findData(by), 0))
        self.heading = note(sentence(memory, origin))
        self.tree = TreeMap(tr("What is live"), tr("No block is known to be live then."))
        self.table = TableView()
        self.groups: pd.DataFrame = memory.live
        self._lay_out()
        self._fill()
        self.by.activated.connect(lambda _row: self._fill())
        self.by.activated.connect(lambda _row: self.by_changed.emit(self.by.currentData()))
        self.tree.chosen.connect(self._tile_chosen)
        self.table.selection_changed.connect(self._row_selected)
        self.table.row_activated.connect(self._opened)
        self.table.menu_hook = self._fill_menu

    def idle(self) -> bool:
        """Whether the table is sorted."""
        return self.table.idle()

    def set_unit(self, unit: str) -> None:
        """Write sizes in another unit."""
        self.unit = unit
        self._fill()

    # -- what is shown --------------------------------------------------------------------------
    def _fill(self) -> None:
        by = self.by.currentData()
        live = self.memory.live
        if by == "row":
            share = live["bytes"].astype("Float64") / max(self.memory.live_bytes, 1)
            self.groups = live.assign(
                share=share, offset_ns=live["allocated_ns"] - self.origin, count=1
            )
        else:
            self.groups = self.memory.by(by)
        shown = self.groups.assign(label=[self._label(row, by) for row in self._cells(by)])
        self.table.set_data(shown, self._columns(by))
        held = self.memory.held_before_bytes or 0
        most = shown.head(MOST)
        tiles = [
            self._tile(str(label), int(size), number)
            for number, (label, size) in enumerate(
                zip(most["label"].tolist(), most["bytes"].fillna(0).tolist(), strict=True)
            )
        ]
        if held > 0:
            tiles.append(self._tile(tr("held before the recording"), held, -1))
        self.tree.set_tiles(tiles)
        self.order = {tile.text: number for number, tile in enumerate(self.tree.tiles)}

    def _cells(self, by: str) -> list[object]:
        cells: list[object] = self.groups["name" if by == "row" else by].astype(object).tolist()
        return cells

    def _label(self, cell: object, by: str) -> str:
        if not isinstance(cell, str):
            return tr("(not recorded)")
        if by == "size_class":
            return size_class_word(cell)
        if by == "lifetime":
            return lifetime_word(cell)
        return cell.replace("\n", _SPLIT)

    def _tile(self, label: str, size: int, number: int) -> Tile:
        whole = max(self.memory.bytes, 1)
        value = f"{written(size, self.unit)}  {format_percent(size / whole)}"
        hue = _HELD if number < 0 else number % _HUES
        text = label.split(_SPLIT, 1)[0]
        tip = "\n".join(label.split(_SPLIT)) + f"\n{value}"
        return Tile(text, float(size), value, hue, tip)

    def _columns(self, by: str) -> list[Column]:
        title = self.by.currentText()
        size = Column("bytes", tr("Size"), self.unit, kind="bytes", digits=8, heat=True)
        share = Column("share", tr("Share"), kind="percent", tip=tr("Of what is live"))
        if by == "row":
            since = tr("Since the first record")
            return [
                Column("label", tr("Operator"), width=220),
                size,
                share,
                Column(
                    "offset_ns",
                    tr("Allocated"),
                    "ms",
                    kind="ns",
                    digits=7,
                    tip=since,
                    total="least",
                ),
                Column("duration_ns", tr("Lifetime"), "ms", kind="ns", digits=7),
                Column("size_class", tr("Size class")),
                Column("device", tr("Device")),
            ]
        largest = Column("largest_bytes", tr("Largest"), self.unit, kind="bytes", digits=8)
        count = Column("count", tr("Blocks"), kind="int")
        return [Column("label", title, width=260), size, share, count, largest]

    # -- links ----------------------------------------------------------------------------------
    def _tile_chosen(self, part: int) -> None:
        tile = self.tree.tiles[part]
        labels = self.table.model.values[0]
        sizes = self.groups["bytes"].tolist()
        for row in range(self.table.model.total()):
            same = str(labels.raw(row)).split(_SPLIT, 1)[0] == tile.text
            if same and int(sizes[row]) == int(tile.amount):
                self.table.select_row(row)
                return

    def _row_selected(self, rows: list[int]) -> None:
        if rows:
            label = str(self.table.model.values[0].raw(rows[0])).split(_SPLIT, 1)[0]
            self.tree.set_current(self.order.get(label, -1))

    def _opened(self, row: int) -> None:
        if self.by.currentData() in ("name", "row"):
            self.blocks_wanted.emit(str(self.groups["name"].iloc[row]))
        elif stack := self._stack_of(row):
            self.source_wanted.emit(stack)

    def _stack_of(self, row: int) -> str:
        stack = self.groups["stack"].iloc[row] if "stack" in self.groups else None
        return stack if isinstance(stack, str) else ""

    def _fill_menu(self, menu: QMenu, rows: list[int]) -> None:
        if not rows:
            return
        if "name" in self.groups:
            name = str(self.groups["name"].iloc[rows[0]])
            menu.addAction(tr("Show all its blocks"), lambda: self.blocks_wanted.emit(name))
        if stack := self._stack_of(rows[0]):
            menu.addAction(tr("Go to the source line"), lambda: self.source_wanted.emit(stack))

    def _lay_out(self) -> None:
        self.table.view.setAccessibleName(tr("What is live"))
        line = QHBoxLayout()
        line.setContentsMargins(0, 4, 10, 2)
        line.addWidget(self.heading, 1)
        line.addWidget(self.by, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(line)
        halves = split(Qt.Orientation.Horizontal, (560, 480), self.tree, self.table)
        column.addWidget(halves, 1)


def sentence(memory: MemoryAt, origin: int) -> str:
    """What the pool had at the time, and what it was made of."""
    when = exact(memory.at_ns - origin)
    name = f"{memory.component} · {memory.device}" if memory.device else memory.component
    if memory.is_peak:
        head = tr("{name} at its peak, {time}: {size}", name=name, time=when,
                  size=both_units(memory.bytes))  # fmt: skip
    else:
        head = tr("{name} at {time}: {size}", name=name, time=when, size=both_units(memory.bytes))
    live = trn(
        "{size} in {n} block", "{size} in {n} blocks", memory.live_count,
        size=both_units(memory.live_bytes),
    )  # fmt: skip
    held = memory.held_before_bytes
    if held is None:
        made = tr("= {live}; what was held before the recording is not known", live=live)
    else:
        made = tr("= {held} held before the recording + {live}", held=both_units(held), live=live)
    more = []
    if memory.reserved_bytes is not None:
        more.append(tr("{size} reserved", size=both_units(memory.reserved_bytes)))
    if memory.process_bytes is not None:
        more.append(tr("{size} of the whole process", size=both_units(memory.process_bytes)))
    return "\n".join(part for part in (head, made, "  ·  ".join(more)) if part)
