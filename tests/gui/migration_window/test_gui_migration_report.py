"""The assessment in the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QUrl

from plugins.migration.core.assessment.write import assess
from plugins.migration.ui.reportview import _linked
from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


def test_the_assessment_is_that_of_the_command_line(window: MainWindow) -> None:
    window.actions_.run("migration.assessment")
    assert wait_idle(window)
    view: Any = window.centre.active().view
    root = window.app.project.root
    text = view.page.toPlainText()
    values = window.app.project.context.values
    for part in assess(root, values.torch_version, values.chip):
        assert part.title in text
        for row in part.rows:
            for cell in row:
                assert cell in text
    assert view.title().endswith(root.name)


def test_a_place_leads_to_its_line(window: MainWindow) -> None:
    window.actions_.run("migration.assessment")
    assert wait_idle(window)
    view: Any = window.centre.active().view
    link = QUrl()
    link.setPath("train.py")
    link.setFragment("4")
    view.page.anchorClicked.emit(link)
    assert wait_idle(window)
    editor: Any = window.centre.active().view
    assert editor.edit.cursor_place()[0] == 4


def test_the_assessment_survives_another_theme(window: MainWindow) -> None:
    window.actions_.run("migration.assessment")
    assert wait_idle(window)
    view: Any = window.centre.active().view
    before = view.page.toPlainText()
    window.app.settings.set("studio.theme", "light")
    assert wait_idle(window)
    assert view.page.toPlainText() == before


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("a.py:3", "<a href='a.py#3'>a.py:3</a>"),
        ("a.py:3, b/c d.py:14, …",
         "<a href='a.py#3'>a.py:3</a>, <a href='b/c%20d.py#14'>b/c d.py:14</a>, …"),
        ("<b> & torch", "&lt;b&gt; &amp; torch"),
        ("cuda:0 becomes npu:0", "cuda:0 becomes npu:0"),
    ],
)  # fmt: skip
def test_only_places_become_links(cell: str, written: str) -> None:
    assert _linked(cell) == written
