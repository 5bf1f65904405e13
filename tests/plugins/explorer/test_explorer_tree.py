"""The tree of files as a Qt model: lazy, merged in place, true to its rules."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from plugins.explorer.ui.foldertree import FolderTree
from plugins.explorer.ui.folderview import FolderView
from plugins.explorer.ui.recognised import all_facts, facts_text
from studio.model.items import Item
from studio.model.tree import Entry, list_folder

pytestmark = pytest.mark.gui


class Listing:
    """Answers requests of a tree at once, or later."""

    def __init__(self, *, tested: bool = True) -> None:
        self.asked: list[Path] = []
        self.tree = FolderTree(self.asked.append, lambda entry: ("file", "text"))
        mode = QAbstractItemModelTester.FailureReportingMode.Fatal
        # The tester opens whatever can be opened.
        self.tester = QAbstractItemModelTester(self.tree, mode) if tested else None

    def answer(self) -> None:
        while self.asked:
            folder = self.asked.pop()
            self.tree.take(folder, list_folder(folder))

    def names(self, parent: QModelIndex | None = None) -> list[str]:
        at = parent or QModelIndex()
        return [self.tree.index(row, 0, at).data() for row in range(self.tree.rowCount(at))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b/inner/deep.py", "b/one.py", "a10.py", "a9.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path


@pytest.fixture
def listing(qapp, folder: Path) -> Listing:
    found = Listing()
    found.tree.set_root(folder)
    return found


def test_folders_are_listed_when_they_are_opened(qapp, folder: Path) -> None:
    listing, tmp_path = Listing(tested=False), folder
    listing.tree.set_root(folder)
    assert listing.asked == [tmp_path]
    assert listing.tree.busy()
    listing.answer()
    assert listing.names() == ["b", "a9.py", "a10.py"]
    inner = listing.tree.index(0, 0)
    assert listing.tree.hasChildren(inner)
    assert listing.tree.canFetchMore(inner)
    assert not listing.tree.is_listed(tmp_path / "b")
    listing.tree.fetchMore(inner)
    assert listing.asked == [tmp_path / "b"]
    listing.answer()
    assert listing.names(inner) == ["inner", "one.py"]
    assert listing.tree.index_of(tmp_path / "b" / "one.py").parent() == inner
    assert not listing.tree.index_of(tmp_path / "b" / "inner" / "deep.py").isValid()


def test_changes_keep_rows_that_stay(listing: Listing, tmp_path: Path) -> None:
    listing.answer()
    listing.tree.fetchMore(listing.tree.index(0, 0))
    listing.answer()
    kept = QPersistentModelIndex(listing.tree.index_of(tmp_path / "b" / "one.py"))
    folder = QPersistentModelIndex(listing.tree.index(0, 0))
    (tmp_path / "a").mkdir()
    (tmp_path / "a9.py").unlink()
    (tmp_path / "b" / "zero.py").touch()
    listing.tree.update({tmp_path / "a", tmp_path / "a9.py", tmp_path / "b" / "zero.py"})
    listing.answer()
    assert listing.names() == ["a", "b", "a10.py"]
    assert folder.row() == 1
    assert kept.isValid()
    assert kept.data() == "one.py"
    assert kept.parent().data() == "b"


def test_a_removed_folder_takes_its_rows_along(listing: Listing, tmp_path: Path) -> None:
    listing.answer()
    listing.tree.fetchMore(listing.tree.index(0, 0))
    listing.answer()
    for path in ("b/inner/deep.py", "b/one.py"):
        (tmp_path / path).unlink()
    (tmp_path / "b" / "inner").rmdir()
    (tmp_path / "b").rmdir()
    listing.tree.update({tmp_path / "b", tmp_path / "b" / "one.py"})
    listing.answer()
    assert listing.names() == ["a9.py", "a10.py"]
    assert not listing.tree.is_listed(tmp_path / "b")


def test_a_storm_of_changes_is_taken_in_one_go(listing: Listing, tmp_path: Path) -> None:
    listing.answer()
    for number in range(0, 2000, 2):
        (tmp_path / f"s{number}.txt").touch()
    listing.tree.take(tmp_path, list_folder(tmp_path))
    for number in range(1, 2000, 2):
        (tmp_path / f"s{number}.txt").touch()
    listing.tree.take(tmp_path, list_folder(tmp_path))
    shown = listing.names()
    assert len(shown) == 2003
    assert shown[3:6] == ["s0.txt", "s1.txt", "s2.txt"]


def test_skipped_folders_are_shown_on_demand(listing: Listing, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    listing.answer()
    listing.tree.take(tmp_path, list_folder(tmp_path))
    assert ".git" not in listing.names()
    listing.tree.show_skipped = True
    listing.tree.refresh()
    listing.answer()
    assert listing.names()[0] == ".git"


@pytest.mark.skipif(os.name == "nt", reason="such names cannot exist on Windows")
def test_odd_names_are_shown_on_one_line(listing: Listing, tmp_path: Path) -> None:
    (tmp_path / "line\nbreak").touch()
    listing.answer()
    listing.tree.take(tmp_path, list_folder(tmp_path))
    assert all("\n" not in name for name in listing.names())


def test_locked_and_looping_folders_cannot_be_opened(qapp) -> None:
    listing = Listing()
    root = Path("/nowhere")
    listing.tree.set_root(root)
    entries = [
        Entry("/nowhere/locked", folder=True, locked=True),
        Entry("/nowhere/loop", folder=True, link=True, loop=True),
        Entry("/nowhere/linked", folder=True, link=True),
    ]
    listing.tree.take(root, entries)
    opens = [listing.tree.hasChildren(listing.tree.index(row, 0)) for row in range(3)]
    assert opens == [False, False, True]
    tips = [listing.tree.index(r, 0).data(Qt.ItemDataRole.ToolTipRole) for r in range(3)]
    assert "may not be read" in tips[0]


def test_what_is_typed_leads_to_names_in_open_folders(qapp, folder: Path) -> None:
    listing = Listing(tested=False)
    listing.tree.set_root(folder)
    listing.answer()
    view = FolderView(listing.tree)
    listing.tree.fetchMore(listing.tree.index(0, 0))
    view.expand(listing.tree.index(0, 0))
    listing.answer()  # b with inner and one.py; a9.py; a10.py

    def typed(*keys: str) -> str:
        view._last = 0.0  # a pause before
        for key in keys:
            view.keyboardSearch(key)
        return str(view.currentIndex().data())

    assert typed("O") == "one.py"
    assert typed("a") == "a9.py"
    assert typed("a") == "a10.py"
    assert typed("a") == "a9.py"  # from the top again
    assert typed("a", "a") == "a9.py"  # on to the next one, twice
    assert typed("a", "1") == "a10.py"
    assert typed("i") == "inner"
    assert typed("d") == "inner"  # deep.py lies in a closed folder
    view.collapse(listing.tree.index(0, 0))
    view.setCurrentIndex(listing.tree.index(2, 0))
    assert typed("o") == "a10.py"
    view.deleteLater()


def test_very_many_folders_come_bit_by_bit_with_their_arrows(qapp) -> None:
    listing = Listing(tested=False)
    root = Path("/nowhere")
    listing.tree.set_root(root)
    folders = [Entry(f"/nowhere/d{n}", folder=True) for n in range(7_000)]
    files = [Entry(f"/nowhere/f{n}") for n in range(10)]
    told: list[Path] = []
    listing.tree.listed.connect(told.append)
    listing.tree.take(root, [*folders, *files])
    assert listing.tree.busy()
    assert told == []
    while listing.tree.busy():
        qapp.processEvents()
    assert told == [root]
    assert listing.names() == [f"d{n}" for n in range(7_000)] + [f"f{n}" for n in range(10)]
    arrows = [listing.tree.hasChildren(listing.tree.index(n, 0)) for n in (0, 2_999, 3_000, 6_999)]
    assert arrows == [True] * 4
    assert not listing.tree.hasChildren(listing.tree.index(7_000, 0))


def test_an_unlisted_folder_shows_no_row_and_an_empty_one_no_arrow(qapp, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    listing = Listing(tested=False)
    listing.tree.set_root(tmp_path)
    listing.answer()
    empty = listing.tree.index(0, 0)
    assert listing.tree.rowCount(empty) == 0
    assert listing.tree.hasChildren(empty)
    listing.tree.fetchMore(empty)
    listing.answer()
    assert listing.tree.rowCount(empty) == 0
    assert not listing.tree.hasChildren(empty)


def test_a_view_asks_for_no_row_that_is_out_of_sight(qapp, tmp_path: Path) -> None:
    asked: list[int] = []

    class Counting(FolderTree):
        def data(self, index, role=Qt.ItemDataRole.DisplayRole):
            asked.append(index.row())
            return super().data(index, role)

    tree = Counting(lambda _: None, lambda entry: ("file", "text"))
    tree.set_root(tmp_path)
    view = FolderView(tree)
    view.setUniformRowHeights(True)
    view.resize(200, 300)
    view.show()
    tree.take(tmp_path, [Entry(str(tmp_path / "many"), folder=True)])
    qapp.processEvents()
    view.expand(tree.index(0, 0))
    qapp.processEvents()
    tree.take(tmp_path / "many", [Entry(str(tmp_path / "many" / f"f{n}")) for n in range(50_000)])
    qapp.processEvents()
    view.grab()
    assert tree.rowCount(tree.index(0, 0)) == 50_000
    assert view.verticalScrollBar().maximum() > 49_000
    assert 0 < len(set(asked)) < 100
    view.deleteLater()


def test_facts_are_told_in_a_few_words():
    facts = {"bytes": 1536, "framework": "PyTorch", "rank": 3, "ready": True, "x": None}
    item = Item(Path("/t"), "trace", facts)
    assert facts_text(item) == "rank 3 · PyTorch · 1.5 KiB"
    assert all_facts(item).splitlines() == [
        "bytes: 1\u2009536",
        "framework: PyTorch",
        "rank: 3",
        "ready: yes",
        "x: –",
    ]
    assert facts_text(Item(Path("/p"), "p", {"world_size": 8, "rank": 0})) == "rank 0 of 8"
    assert facts_text(Item(Path("/d"), "dump", {"tensors": 1})) == "1 tensor"
    assert facts_text(Item(Path("/d"), "dump", {"steps": 1200})) == "steps 1\u2009200"


def test_a_folder_that_may_be_read_at_last_can_be_opened(qapp, folder: Path) -> None:
    tree = Listing(tested=False).tree
    tree.set_root(folder)
    readable = list_folder(folder)
    shut = [entry._replace(locked=entry.folder) for entry in readable]
    for entries, opens in ((shut, False), (readable, True), (shut, False)):
        tree.take(folder, entries)
        assert tree.hasChildren(tree.index_of(folder / "b")) is opens
        assert tree.canFetchMore(tree.index_of(folder / "b")) is opens
        assert tree.index_of(folder / "a9.py").row() == 1
