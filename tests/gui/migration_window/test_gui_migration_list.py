"""The grouped list, its comparison, and how both behave with many findings."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtTest import QTest

from studio.ui.diff import Decision
from studio.ui.idle import wait_idle
from tests.gui.migration_window.project import TRAIN, diff, overview, panel

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugins.migration.core.model import FileResult
    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


def test_the_list_is_grouped_by_rule_and_category(window: MainWindow) -> None:
    overview(window)
    found = panel(window)
    found.group("rule")
    keys = [row.key for row in found.tree.list_model.rows()]
    assert {"cuda-method", "device-string", "import-torch-npu"} <= set(keys)
    finding = found.tree.list_model.rows()[0].findings[-1]
    index = found.tree.list_model.place_of(finding, finding.location.path)
    assert found.tree.list_model.findings_at(index) == [finding]
    found.group("category")
    shown = [found.tree.list_model.index(n, 0).data() for n in range(2)]
    assert set(shown) == {"Devices", "Imports"}
    found.group("file")


def test_keys_step_through_what_is_undecided_and_show_similar_ones(window: MainWindow) -> None:
    overview(window)
    found = panel(window)
    tree, review = found.tree, found._review
    tree.take_focus()
    seen = []
    for _ in range(4):
        QTest.keyClick(tree, Qt.Key.Key_N)
        seen.append(tree.currentIndex().data())
        QTest.keyClick(tree, Qt.Key.Key_A)
    assert len(seen) == 4
    assert review.summary().open == 0
    QTest.keyClick(tree, Qt.Key.Key_N)
    method = next(f for f in review.findings(review.files()[0]) if f.rule == "cuda-method")
    tree.show_finding(method)
    QTest.keyClick(tree, Qt.Key.Key_S)
    wait_idle(window)
    assert found.filter.text() == "rule:cuda-method"
    assert [len(row.findings) for row in tree.list_model.rows()] == [1, 1]
    QTest.keyClick(tree, Qt.Key.Key_Escape)
    assert found.filter.text() == ""
    assert len(tree.list_model.rows()) == 3


# -- the reasons -----------------------------------------------------------------------------------
def test_the_reasons_stand_below_in_a_narrow_window_and_can_be_hidden(window: MainWindow) -> None:
    overview(window)
    window.actions_.run("migration.review")
    view = diff(window)
    assert view._split.orientation() is Qt.Orientation.Vertical
    window.resize(2200, 900)
    wait_idle(window)
    assert view._split.orientation() is Qt.Orientation.Horizontal
    QTest.keyClick(view.diff.left.area(), Qt.Key.Key_W)
    assert view.why.isHidden()
    assert window.app.settings.get("migration.show_why") is False
    QTest.keyClick(view.diff.left.area(), Qt.Key.Key_W)
    assert not view.why.isHidden()


def test_the_reason_leads_to_the_row_of_the_table(window: MainWindow) -> None:
    view = overview(window)
    review = view._review
    train = window.app.project.root / "train.py"
    finding = next(f for f in review.findings(train) if f.rule == "cuda-name")
    window.actions_.run("migration.show_diff", {"finding": finding})
    shown = diff(window)
    text = shown.why.text.toPlainText()
    assert "torch 2.8: supported" in text
    assert "open the row in cuda_names.csv" in text
    shown.why._follow(QUrl(f"row:{finding.key}"))
    wait_idle(window)
    opened: Any = window.app.window.active_view()
    assert opened.document.path.name == "cuda_names.csv"
    line = opened.edit.cursor_place()[0]
    assert opened.edit.line_text(line).startswith("torch.cuda.synchronize,")


def test_both_panes_go_to_a_place_without_a_change(window: MainWindow) -> None:
    path = window.app.project.root / "long.py"
    path.write_text(TRAIN + "y = 1\n" * 300 + "import apex\n")
    view = overview(window)
    finding = next(f for f in view._review.findings(path) if (f.location.line or 0) > 300)
    window.actions_.run("migration.show_diff", {"finding": finding})
    shown = diff(window)
    assert shown.diff.left.first_line() == shown.diff.right.first_line() > 200
    assert "What to do" in shown.why.text.toPlainText()
    lines = []
    for _ in range(2):
        QTest.keyClick(shown.diff.left.area(), Qt.Key.Key_N)
        lines.append(shown.diff.left_line())
    assert lines == [3, finding.location.line]


def test_twenty_thousand_findings_stay_fluid(window: MainWindow) -> None:
    from plugins.migration.core.scan import scan_text

    overview(window)
    found = panel(window)
    root = window.app.project.root
    text = "import torch\n" + "".join(f"x{n} = y{n}.cuda()\n" for n in range(400))
    results: list[FileResult] = []
    for n in range(50):
        results.append(scan_text(text, root / f"file{n:02}.py"))
    review = found._review
    review._take(results, True)
    wait_idle(window)
    assert review.summary().findings > 20_000
    took: dict[str, float] = {}

    def timed(name: str, run: Callable[[], object]) -> None:
        spent = []
        for _ in range(3):
            start = time.process_time()
            run()
            spent.append(time.process_time() - start)
        took[name] = min(spent)
        wait_idle(window)

    finding = review.findings(results[7].path)[100]
    timed("by rule", lambda: found.group("rule"))
    timed("filter", lambda: found.filter.setText("cuda file1"))
    timed("clear", found.filter.clear)
    timed("decide", lambda: review.decide([finding], Decision.ACCEPTED))
    timed("next", lambda: found.tree.go_on(1))
    timed("unfold", lambda: found.tree.expand(found.tree.list_model.index(0, 0)))
    timed("paint", found.tree.viewport().repaint)
    timed("accept all", review.accept_safe)
    slow = {name: round(spent * 1000) for name, spent in took.items() if spent > 0.25}
    assert slow == {}, slow  # far above what is measured, so that a busy machine does not matter
    QTest.mouseMove(found.tree.viewport(), QPoint(20, 20))
