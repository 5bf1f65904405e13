"""Colours, labels and notes of the timeline."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QToolButton, QWidget

from plugins.timeline.ui.labels import short_name
from plugins.timeline.ui.legend import Legend
from plugins.timeline.ui.notes import fault_note, outlier_note
from plugins.timeline.ui.palette import SLOTS, contrast, make_palette
from plugins.timeline.ui.raster import SHARES
from plugins.timeline.ui.scene import make_scene
from plugins.timeline.ui.state import TimelineState
from studio.trace import load
from studio.ui.theme import THEMES, load_theme

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

pytestmark = pytest.mark.gui


@pytest.mark.parametrize("theme", THEMES)
def test_names_on_slices_can_be_read(theme: str, qapp: object) -> None:
    palette = make_palette(load_theme(theme))
    weakest = min(
        contrast(fill, ink) for fill, ink in zip(palette.fills[1:], palette.inks[1:], strict=True)
    )
    assert weakest >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_slices_stand_out_from_the_ground(theme: str, qapp: object) -> None:
    palette = make_palette(load_theme(theme))
    assert min(contrast(fill, palette.fills[0]) for fill in palette.fills[1:]) >= 1.4


def test_the_table_goes_from_the_ground_to_the_full_colour(qapp: object) -> None:
    palette = make_palette(load_theme("dark"))
    table = palette.table.reshape(SLOTS, SHARES)
    assert set(table[0].tolist()) == {palette.fills[0].rgb()}
    assert [int(colour) for colour in table[:, -1]] == [fill.rgb() for fill in palette.fills]
    muted = make_palette(load_theme("dark"), frozenset({1, 2, 3, 4}))
    assert muted.is_muted(1)
    assert not muted.is_muted(5)
    assert muted.table.reshape(SLOTS, SHARES)[1, -1] != table[1, -1]


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("torch/nn/modules/module.py(1782): _call_impl", "_call_impl  module.py:1782"),
        (r"C:\work\train.py(3): <module>", "<module>  train.py:3"),
        ("aten::mm", "aten::mm"),
        ("nn.Module: Linear_0", "nn.Module: Linear_0"),
    ],
)
def test_python_frames_are_shortened(name: str, short: str) -> None:
    assert short_name(name) == short


def test_a_cut_file_is_told_with_place_and_count(qtbot: QtBot, cases: Path) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    trace = load(cases / "A14-truncated-trace" / "input" / "mid_event.json")
    note = fault_note(trace, parent)
    assert note is not None
    text = note.text.text()
    assert text.startswith("The file ended early.")
    assert f"{trace.events} events read" in text
    assert "at byte" in text


def test_nothing_is_told_of_a_sound_file(qtbot: QtBot, tmp_path: Path) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    path = tmp_path / "trace_view.json"
    path.write_text(json.dumps([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]))
    trace = load(path)
    assert fault_note(trace, parent) is None
    assert outlier_note(trace, lambda: None, parent) is None


def test_what_has_any_other_colour_is_shown_by_several(qtbot: QtBot, tmp_path: Path) -> None:
    """One of its colours alone would look like that of an entry of its own."""
    path = tmp_path / "trace_view.json"
    head = {"ph": "X", "pid": 1, "tid": 1}
    events = [{**head, "name": f"op {n}", "ts": n * 100, "dur": 90 - n} for n in range(60)]
    path.write_text(json.dumps(events))
    state = TimelineState(make_scene(load(path), "name"))
    legend = Legend(state)
    qtbot.addWidget(legend)
    legend.show_entries()
    entries = state.scene.legend
    assert entries[-1].title == "all others"
    chips = [button for button in legend.findChildren(QToolButton) if button.isCheckable()]
    for entry, button in zip(entries, chips, strict=True):
        mode, on = QIcon.Mode.Normal, QIcon.State.On
        picture = button.icon().pixmap(QSize(14, 10), mode, on).toImage()
        middle = picture.height() // 2
        shown = {picture.pixel(x, middle) for x in range(picture.width())}
        fills = {state.palette.fills[slot].rgb() for slot in entry.slots}
        assert len(shown & fills) == (4 if entry is entries[-1] else 1)
