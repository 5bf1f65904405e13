"""The line above a view that tells of its file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from studio.ui.bar import NoticeBar

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

pytestmark = pytest.mark.gui


@pytest.fixture
def bar(qtbot: QtBot) -> NoticeBar:
    bar = NoticeBar()
    qtbot.addWidget(bar)
    return bar


def test_it_is_hidden_until_there_is_something_to_tell(bar: NoticeBar) -> None:
    assert bar.isHidden()
    assert bar.text() == ""
    bar.tell("warn", "It changed")
    assert bar.text() == "It changed"
    bar.clear()
    assert bar.isHidden()


def test_its_buttons_run_what_they_say_and_are_replaced(bar: NoticeBar) -> None:
    ran: list[str] = []
    bar.tell("info", "One", {"Do": lambda: ran.append("do"), "Leave": lambda: ran.append("leave")})
    bar.buttons()["Leave"].click()
    bar.buttons()["Do"].click()
    assert ran == ["leave", "do"]
    bar.tell("error", "Two", {"Other": lambda: None})
    assert list(bar.buttons()) == ["Other"]


@pytest.mark.parametrize("severity", ["info", "ok", "warn", "error"])
def test_every_severity_is_drawn(bar: NoticeBar, severity: str) -> None:
    bar.tell(severity, "Text")
    bar.resize(400, 40)
    assert not bar.grab().isNull()
