"""The bar that tells how far a job is, and the page around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, QObject, QTimer

from studio.kernel.job import Job
from studio.kernel.job_context import Progress
from studio.kernel.references import Reference
from studio.ui.jobbar import JobBar
from studio.ui.loading import LoadingPage
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

pytestmark = pytest.mark.gui


class _Events(QObject):
    """Counts the events of one kind that an object gets."""

    def __init__(self, widget: QObject, kind: QEvent.Type) -> None:
        super().__init__(widget)
        self.count, self._kind = 0, kind
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == self._kind
        return False


@pytest.fixture
def bar(qtbot: QtBot) -> JobBar:
    bar = JobBar(100)
    qtbot.addWidget(bar)
    bar.resize(100, 4)
    bar.show()
    return bar


def _lit(bar: JobBar) -> list[int]:
    """The columns that have the colour of what is done."""
    image, accent = bar.grab().toImage(), current_theme().colour("accent").rgb()
    middle = image.height() // 2
    return [x for x in range(image.width()) if image.pixel(x, middle) == accent]


def test_a_part_wanders_along_until_a_share_is_known(bar: JobBar, qtbot: QtBot) -> None:
    bar.show_progress(None)
    assert not bar.known
    before = _lit(bar)
    assert 20 <= len(before) <= 26
    qtbot.waitUntil(lambda: _lit(bar) != before, timeout=2000)
    bar.show_progress(0.5)
    assert (bar.known, bar.value()) == (True, 500)
    bar.show_progress(None)
    assert 20 <= len(_lit(bar)) <= 26


def test_what_nobody_could_see_is_not_painted(bar: JobBar) -> None:
    bar.show_progress(0.5)
    bar.show_progress(0.501)
    assert bar.value() == 500
    bar.show_progress(0.52)
    assert bar.value() == 520


def test_a_hidden_bar_rests(bar: JobBar, qtbot: QtBot) -> None:
    bar.show_progress(None)
    bar.hide()
    ticks = _Events(bar.findChildren(QTimer)[0], QEvent.Type.Timer)
    qtbot.wait(250)
    assert ticks.count == 0
    bar.show()
    qtbot.waitUntil(lambda: ticks.count > 0, timeout=2000)


def test_messages_of_a_job_do_not_lay_the_window_out_anew(qtbot: QtBot) -> None:
    page = LoadingPage("trace.json", lambda: None)
    qtbot.addWidget(page)
    page.resize(600, 400)
    page.show()
    job = Job(1, "Reading", "test", "", Reference.of_job("test:module.function"))
    page.follow(job)
    job.take(Progress(0.1, "1,000,000 events"))
    qtbot.waitUntil(lambda: page.message.text() == "1,000,000 events", timeout=2000)
    qtbot.wait(20)
    laid_out = _Events(page, QEvent.Type.LayoutRequest)
    job.take(Progress(0.2, "1,111,111 events"))
    qtbot.waitUntil(lambda: page.message.text() == "1,111,111 events", timeout=2000)
    qtbot.wait(20)
    assert laid_out.count == 0
    job.take(Progress(0.3, "laying out 1,234,567,890,123 events"))
    qtbot.waitUntil(lambda: page.bar.value() == 300, timeout=2000)
    assert page.message.width() >= page.message.sizeHint().width()
    page.finish()
