"""What the file does not name is called in the language of the window; damage is told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from plugins.timeline.core.listing import list_part
from plugins.timeline.core.part import Part
from plugins.timeline.ui.emptypages import nothing_read
from plugins.timeline.ui.lanetitles import lane_title, process_title, titled
from studio.trace import load

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

pytestmark = pytest.mark.gui
WORDS = {"Process {id}": "进程 {id}", "Thread {id}": "线程 {id}", "No process": "未记录进程"}


def chinese(text: str, **values: object) -> str:
    return WORDS.get(text, text).format(**values)


def test_titles_are_translated_where_they_are_shown_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plugins.timeline.ui.lanetitles.tr", chinese)
    path = tmp_path / "trace.json"
    slices = [(7, 8), (7, "stream 9"), ("", 1)]
    events = [
        {"ph": "X", "name": "a", "pid": pid, "tid": tid, "ts": 1, "dur": 2} for pid, tid in slices
    ]
    path.write_text(json.dumps(events))
    trace = load(path)
    assert {(process_title(lane), lane_title(lane)) for lane in trace.lanes} == {
        ("进程 7", "线程 8"),
        ("进程 7", "stream 9"),
        ("未记录进程", "线程 1"),
    }
    rows = list_part(trace, Part(trace.start_ns, trace.end_ns + 1, None, None)).rows
    assert {"Thread 8", "Thread 1"} < set(rows["lane"])
    shown = titled(rows, trace)
    assert set(shown["lane"]) == {"线程 8", "stream 9", "线程 1"}
    assert set(shown["process"]) == {"进程 7", "未记录进程"}


@pytest.mark.parametrize(
    ("text", "icon"), [("[]", "timeline"), ('{"traceEvents": [{"ph":"X","ts":oops', "error")]
)
def test_a_damaged_file_is_not_called_empty(
    tmp_path: Path, qtbot: QtBot, text: str, icon: str
) -> None:
    path = tmp_path / "trace.json"
    path.write_text(text)
    page = nothing_read(path, load(path), lambda: None)
    qtbot.addWidget(page)
    from PySide6.QtWidgets import QLabel

    told = " ".join(label.text() for label in page.findChildren(QLabel))
    assert ("holds no events" in told) == (icon == "timeline")
    assert ("at byte" in told or "not complete" in told) == (icon == "error")
