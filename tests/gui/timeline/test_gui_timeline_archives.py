"""Traces in archives: opened where they stand, with what was refused; several are offered."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtWidgets import QPushButton

from plugins.timeline.core import is_trace_archive

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui
EVENT = {"ph": "X", "pid": 1, "tid": 1, "name": "a", "ts": 1, "dur": 5, "args": {"k": "v"}}


def pack(path: Path, *members: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member in members:
            archive.writestr(member, json.dumps([EVENT]))
    return path


def test_an_archive_with_traces_is_recognised(tmp_path: Path) -> None:
    assert is_trace_archive(pack(tmp_path / "a.zip", "rank0/trace_view.json"))
    assert not is_trace_archive(pack(tmp_path / "b.zip", "notes.json"))
    (tmp_path / "c.zip").write_bytes(b"PK\x03\x04 cut")
    assert not is_trace_archive(tmp_path / "c.zip")


def test_a_trace_opens_inside_its_archive(
    own_window: MainWindow, open_trace: Callable[..., Any]
) -> None:
    path = pack(own_window.app.project.root / "a.zip", "rank0/trace_view.json")
    hand = open_trace(path)
    assert len(hand.view.scene.trace) == 1
    hand.view.go_to(0)
    hand.settle()
    assert "v" in hand.panel("details").slice.left.copy()


def test_what_was_refused_is_told(
    own_window: MainWindow, open_trace: Callable[..., Any], cases: Path
) -> None:
    hand = open_trace(cases / "A34-archives-that-escape" / "input" / "profile.zip")
    (note,) = hand.pane.notes
    assert "refused member" in note.text.text()


def test_several_traces_are_offered(own_window: MainWindow) -> None:
    from studio.ui.idle import wait_idle

    root = own_window.app.project.root
    path = pack(root / "two.zip", "rank0/trace_view.json", "rank1/trace_view.json")
    view: Any = own_window.open(path, "timeline.view", {})
    wait_idle(own_window)
    assert view.pane is None
    page = view._pages.currentWidget()
    buttons = {button.text(): button for button in page.findChildren(QPushButton)}
    buttons["rank1/trace_view.json"].click()
    wait_idle(own_window)
    opened: Any = own_window.centre.active().view
    assert opened.path == path / "rank1/trace_view.json"
    assert len(opened.scene.trace) == 1
