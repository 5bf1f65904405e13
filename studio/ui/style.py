"""Qt's palette and the small style sheet, made from a theme's tokens."""

from __future__ import annotations

from string import Template
from typing import TYPE_CHECKING

from PySide6.QtGui import QColor, QPalette

from studio.kernel.files import write_atomic
from studio.paths import cache_dir, resource

if TYPE_CHECKING:
    from collections.abc import Mapping

_ROLES = {
    QPalette.ColorRole.Window: "surface",
    QPalette.ColorRole.WindowText: "text",
    QPalette.ColorRole.Base: "bg",
    QPalette.ColorRole.AlternateBase: "surface",
    QPalette.ColorRole.ToolTipBase: "raised",
    QPalette.ColorRole.ToolTipText: "text",
    QPalette.ColorRole.PlaceholderText: "muted",
    QPalette.ColorRole.Text: "text",
    QPalette.ColorRole.Button: "raised",
    QPalette.ColorRole.ButtonText: "text",
    QPalette.ColorRole.BrightText: "error",
    QPalette.ColorRole.Link: "accent",
    QPalette.ColorRole.LinkVisited: "accent",
    QPalette.ColorRole.Highlight: "selected",
    QPalette.ColorRole.HighlightedText: "text",
    QPalette.ColorRole.Accent: "accent",
    QPalette.ColorRole.Light: "raised",
    QPalette.ColorRole.Midlight: "raised",
    QPalette.ColorRole.Mid: "line",
    QPalette.ColorRole.Dark: "line",
    QPalette.ColorRole.Shadow: "bg",
}

_SHEET = Template("""
QMainWindow::separator { background: $line; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: $accent; }
QSplitter::handle { background: $line; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QSplitter::handle:hover { background: $accent; }
QToolTip { background: $raised; color: $text; border: 1px solid $line; padding: 4px 6px; }
QMenuBar { background: $surface; padding: 2px 4px; }
QMenuBar::item { padding: 6px 9px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: $hover; }
QMenu { background: $raised; border: 1px solid $line; padding: 4px; }
QMenu::item { padding: 5px 28px 5px 12px; border-radius: 4px; }
QMenu::item:selected { background: $selected; }
QMenu::item:disabled { color: $muted; }
QMenu::icon { padding-left: 8px; }
QMenu::separator { height: 1px; background: $line; margin: 4px 8px; }
QToolBar { background: $surface; border: none; spacing: 2px; padding: 2px 4px; }
QToolButton#qt_toolbar_ext_button { padding: 0; border: none; }
QToolButton { border: 1px solid transparent; border-radius: 4px; padding: 3px;
  background: transparent; }
QToolButton:hover { background: $hover; }
QToolButton:focus { border-color: $accent; }
QToolButton:pressed, QToolButton:checked { background: $selected; }
QToolButton:disabled { color: $muted; }
QToolButton[toggle="true"] { color: $muted; border: 1px solid transparent; padding: 3px 6px; }
QToolButton[toggle="true"]:checked { background: $hover; color: $text; border-color: $line; }
QToolButton[toggle="true"]:focus, QToolButton[toggle="true"]:checked:focus {
  border-color: $accent; }
QToolButton::menu-indicator { image: none; }
QPushButton { background: $raised; border: 1px solid $line; border-radius: 4px;
  padding: 5px 12px; }
QPushButton:hover { background: $hover; }
QPushButton:focus { border-color: $accent; }
QPushButton:disabled { color: $muted; }
QPushButton:default, QPushButton[primary="true"] { background: $accent; color: $on_accent;
  border-color: $accent; }
QPushButton:default:focus, QPushButton[primary="true"]:focus { border-color: $text; }
QPushButton:default:disabled, QPushButton[primary="true"]:disabled { background: $raised;
  color: $muted; border-color: $line; }
QPushButton[flat="true"] { background: transparent; border-color: transparent; }
QPushButton[flat="true"]:hover, QPushButton[flat="true"]:focus { background: $hover; }
QLineEdit, QComboBox, QSpinBox, QDoubleSpinBox { background: $bg; border: 1px solid $line;
  border-radius: 4px; padding: 3px 6px; selection-background-color: $selected; }
QLineEdit:focus, QComboBox:focus, QSpinBox:focus, QDoubleSpinBox:focus { border-color: $accent; }
QComboBox::drop-down { border: none; width: 22px; }
QComboBox::down-arrow { image: url("$chevron"); width: 12px; height: 12px; }
QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button,
QDoubleSpinBox::down-button { border: none; background: transparent; width: 18px; }
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow { image: url("$up"); width: 10px; height: 10px; }
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow { image: url("$chevron"); width: 10px;
  height: 10px; }
QCheckBox { spacing: 8px; }
QCheckBox::indicator, QAbstractItemView::indicator { width: 14px; height: 14px;
  border: 1px solid $muted; border-radius: 3px; background: $bg; }
QCheckBox::indicator:checked, QAbstractItemView::indicator:checked { background: $accent;
  border-color: $accent; image: url("$check"); }
QCheckBox::indicator:focus { border-color: $text; }
QSlider::groove:horizontal { background: $line; height: 4px; border-radius: 2px; }
QSlider::sub-page:horizontal { background: $accent; border-radius: 2px; }
QSlider::handle:horizontal { background: $text; width: 12px; margin: -4px 0; border-radius: 6px; }
QSlider::handle:horizontal:hover, QSlider::handle:horizontal:focus { background: $accent; }
QTabWidget::pane { border: none; border-top: 1px solid $line; }
QTabBar { background: $surface; }
QTabBar::tab { background: $surface; color: $muted; padding: 6px 10px 6px 10px; border: none;
  border-right: 1px solid $line; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:selected { background: $bg; color: $text; border-top: 2px solid $accent;
  padding-top: 4px; }
QTabBar::tab:focus, QTabBar::tab:selected:focus { color: $accent; }
QAbstractItemView { border: none; outline: 1px solid $accent; }
QDockWidget QAbstractItemView { background: $surface; }
QDialog QPlainTextEdit, QDialog QListView, QDialog QTreeView, QDialog QTableView {
  border: 1px solid $line; border-radius: 4px; }
QDialog QPlainTextEdit:focus { border-color: $accent; }
QDialog QListWidget::item { padding: 4px 6px; }
QDialog QListWidget::item:selected { background: $selected; color: $text; }
QLabel#qt_msgbox_label, QLabel[role="title"] { font-weight: 600; }
QTextBrowser { border: 1px solid transparent; }
QTextBrowser:focus { border-color: $accent; }
QHeaderView { background: $surface; }
QHeaderView::section { background: $surface; color: $muted; border: none;
  border-right: 1px solid $line; border-bottom: 1px solid $line; padding: 3px 8px; }
QStatusBar { background: $surface; border-top: 1px solid $line; }
QStatusBar::item { border: none; }
QScrollArea { border: none; background: transparent; }
QProgressBar { background: $line; border: none; border-radius: 2px; max-height: 4px;
  min-height: 4px; }
QProgressBar::chunk { background: $accent; border-radius: 2px; }
QScrollBar { background: transparent; border: none; margin: 0; }
QScrollBar:vertical { width: 12px; }
QScrollBar:horizontal { height: 12px; }
QScrollBar::handle { background: $line; border-radius: 3px; margin: 3px; }
QScrollBar::handle:hover, QScrollBar::handle:pressed { background: $muted; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QLabel[role="muted"], QLabel[role="count"] { color: $muted; }
QLabel[role="warn"] { color: $warn; }
QLabel[role="link"]:focus { border-bottom: 1px solid $accent; }
""")


def palette_of(tokens: Mapping[str, str]) -> QPalette:
    """Qt's palette for a theme's tokens."""
    palette = QPalette()
    for role, token in _ROLES.items():
        palette.setColor(role, QColor(tokens[token]))
    for role in (
        QPalette.ColorRole.WindowText,
        QPalette.ColorRole.Text,
        QPalette.ColorRole.ButtonText,
        QPalette.ColorRole.HighlightedText,
    ):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(tokens["muted"]))
    return palette


def style_sheet(tokens: Mapping[str, str]) -> str:
    """The style sheet for what a palette alone cannot say: tabs, bars, menus, hairlines."""
    marks = {
        "check": _mark("accept", tokens["on_accent"]),
        "chevron": _mark("chevron-down", tokens["muted"]),
        "up": _mark("chevron-up", tokens["muted"]),
    }
    return _SHEET.substitute(tokens, **marks)


def _mark(name: str, colour: str) -> str:
    """The path of a tinted icon: a style sheet takes pictures from files only."""
    path = cache_dir() / "marks" / f"{name}-{colour.lstrip('#')}.svg"
    if not path.is_file():
        drawing = resource("icons", f"{name}.svg").read_text(encoding="utf-8")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, drawing.replace("currentColor", colour).encode("utf-8"))
    return path.as_posix()
