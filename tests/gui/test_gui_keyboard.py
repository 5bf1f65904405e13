"""Every view by keys alone: what the mouse reaches has a name, takes the focus, and shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QScrollBar,
    QTabBar,
    QWidget,
)

from studio.sample import sample_project
from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studio.ui.shell import MainWindow

pytestmark = [pytest.mark.gui, pytest.mark.slow]

VIEWS = (
    "editor", "comparison", "migration-overview", "migration-diff", "overview", "timeline-range",
    "memory", "steps-ranks", "operators", "operators-stacks", "precision", "precision-tensor",
    "precision-options", "losses", "settings", "shortcuts", "plugins", "outline",
)  # fmt: skip

BY_OTHER_KEYS = {
    "Close", "Hide this panel", "Findings and hits in the file", "Changes, side by side",
    "All changes; click to go there", "Overview of the whole trace", "Time ruler",
}  # fmt: skip
"""What has a key of its own or repeats what the keys of its neighbour do."""

SHOWN_OTHERWISE = ("Gutter", "OverviewPane", "LaneFilter")
"""The lane that the keys are at is marked; the page of a profile only scrolls."""

CONTROLS = (
    QAbstractButton, QComboBox, QLineEdit, QAbstractItemView, QAbstractSpinBox, QAbstractSlider,
)  # fmt: skip


def controls(window: MainWindow) -> Iterator[QWidget]:
    """Everything in sight that the mouse can do something with."""
    for widget in window.findChildren(QWidget):
        own = any(
            "mousePressEvent" in vars(one) or "mouseReleaseEvent" in vars(one)
            for one in type(widget).__mro__
            if one.__module__.startswith(("studio.", "plugins."))
        )
        plain = isinstance(widget, CONTROLS) and not isinstance(widget, QScrollBar | QHeaderView)
        qt_own = widget.objectName().startswith("qt_") or isinstance(widget.parent(), QLineEdit)
        if (own or plain) and widget.isVisible() and not qt_own:
            yield widget


def name_of(widget: QWidget) -> str:
    if isinstance(widget, QLineEdit):
        within = isinstance(widget.parent(), QAbstractSpinBox | QComboBox)
        return "within" if within else widget.accessibleName() or widget.placeholderText()
    said = widget.text() if isinstance(widget, QAbstractButton | QLabel) else ""
    return widget.accessibleName() or said


def walk(window: MainWindow) -> Iterator[str]:
    """Show the views of the tour one after the other."""
    window.activateWindow()
    window.projects.open(sample_project())
    assert wait_idle(window)
    project = window.app.project
    assert project is not None
    steps = {step.name: step for _, step in window.app.plugins.contributions("tour")}
    for name in VIEWS:
        step = steps[name]
        if step.activity:
            window.app.commands.start("studio.show_activity", {"activity": step.activity})
        if step.kind or step.file:
            paths = (
                [item.path for item in project.items_of(step.kind)]
                if step.kind
                else sorted(project.root.glob(step.file))
            )
            assert window.open(paths[0], "", {}) is not None
            assert wait_idle(window)
        if step.command:
            window.app.commands.start(step.command, dict(step.arguments))
        assert wait_idle(window)
        yield name


def shows_focus(window: MainWindow, widget: QWidget) -> bool:
    """Whether a control looks otherwise while keys reach it."""
    QWidget.setFocus(window)
    QApplication.processEvents()
    before = widget.grab().toImage()
    QWidget.setFocus(widget, Qt.FocusReason.TabFocusReason)
    QApplication.processEvents()
    return not widget.hasFocus() or widget.grab().toImage() != before


def test_every_view_is_reached_named_and_lit_by_keys(window: MainWindow) -> None:
    nameless, unreached, unlit = set(), set(), set()
    seen: set[tuple[str, ...]] = set()
    for view in walk(window):
        for widget in list(controls(window)):
            name, kind = name_of(widget), type(widget).__name__
            tab = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
            if not name:
                nameless.add((view, kind))
            if not tab and widget.focusProxy() is None and name not in {"within", *BY_OTHER_KEYS}:
                unreached.add((view, kind, name))
            look = kind, type(widget.parent()).__name__
            text = "Scintilla" in kind or kind == "Canvas" or isinstance(widget, QLabel | QTabBar)
            if tab and widget.isEnabled() and look not in seen and not text:
                seen.add(look)
                if kind not in SHOWN_OTHERWISE and not shows_focus(window, widget):
                    unlit.add((view, kind, name))
    assert nameless == set()
    assert unreached == set()
    assert unlit == set()


def test_f6_goes_round_the_parts_of_the_window(window: MainWindow) -> None:
    window.activateWindow()
    window.projects.open(sample_project())
    window.show_panel("problems.panel")
    assert window.open(sample_project() / "train.py", "", {}) is not None
    assert wait_idle(window)
    parts = []
    for _ in range(4):
        window.app.commands.start("studio.next_part")
        QApplication.processEvents()
        focused = QApplication.focusWidget()
        assert focused is not None
        parts.append(focused)
    assert len({id(part) for part in parts}) >= 3, [type(part).__name__ for part in parts]
