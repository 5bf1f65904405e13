"""The settings page, made from the declarations of host and plugins."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.ui.field import NumberField, inset, search_field
from studio.ui.icons import set_icon
from studio.ui.listening import listen
from studio.ui.toolbar import ToolBar

if TYPE_CHECKING:
    from pathlib import Path

    from studio.api import Studio
    from studio.kernel.declarations import Setting
    from studio.kernel.settings import Settings
    from studio.ui.shell import MainWindow

_WIDTH = 760
_WIDEST = 2_000_000_000
_AT_ONCE = 6


class SettingsPage(QWidget):
    """One row per setting, grouped by plugin, with a search box; changes are saved at once."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self._window = window
        self._settings = window.app.settings
        self.rows: dict[str, SettingRow] = {}
        self._headings: dict[str, QLabel] = {}
        self.search = search_field(tr("Search settings"), widest=280)
        self.search.textChanged.connect(self._filter)
        bar = ToolBar(tr("Settings"), self)
        bar.add("edit", tr("Edit as TOML"), self._edit, text=True)
        bar.add("search", tr("Search settings"), self._find, keys="Ctrl+F")
        bar.add_stretch()
        bar.addWidget(self.search)
        page = QWidget()
        page.setMaximumWidth(_WIDTH)
        self._column = QVBoxLayout(page)
        self._column.setContentsMargins(24, 12, 24, 24)
        self._column.setSpacing(4)
        self._rows = QVBoxLayout()
        self._rows.setSpacing(4)
        self._column.addLayout(self._rows)
        self._column.addStretch()
        shown = [setting for setting in self._settings.declarations() if not setting.hidden]
        self._left, self._total = iter(shown), len(shown)
        self._more = QTimer(self, interval=0)
        self._more.timeout.connect(self._fill)
        self._more.start()
        self._fill()
        area = QScrollArea(widgetResizable=True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(page)
        area.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(bar)
        column.addWidget(area)
        listen(self, self._settings.changed, self._changed)

    def title(self) -> str:
        """The text of the tab."""
        return tr("Settings")

    def idle(self) -> bool:
        """Whether all rows are there."""
        return not self._more.isActive()

    def _fill(self) -> None:
        """Add the next few rows, in an event of their own each time."""
        for setting in islice(self._left, _AT_ONCE):
            owner = setting.key.split(".")[0]
            if owner not in self._headings:
                self._headings[owner] = self._heading(owner)
                self._rows.addWidget(self._headings[owner])
            row = SettingRow(self._settings, setting, self._refused)
            self.rows[setting.key] = row
            self._rows.addWidget(row)
        if len(self.rows) == self._total:
            self._more.stop()
            self._filter(self.search.text())

    def _heading(self, owner: str) -> QLabel:
        plugin = self._window.app.plugins.get(owner)
        label = QLabel(plugin.title if plugin is not None else tr("General"))
        font = label.font()
        font.setBold(True)
        font.setPointSizeF(font.pointSizeF() * 1.2)
        label.setFont(font)
        label.setContentsMargins(0, 16, 0, 4)
        return label

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        shown = {key for key, row in self.rows.items() if all(w in row.words for w in words)}
        for key, row in self.rows.items():
            row.setVisible(key in shown)
        for owner, label in self._headings.items():
            label.setVisible(any(key.startswith(f"{owner}.") for key in shown))

    def _changed(self, key: str) -> None:
        if key in self.rows:
            self.rows[key].show_value()

    def _refused(self, message: str) -> None:
        self._window.notify("", "warn", message)

    def _find(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _edit(self) -> None:
        path = self._settings.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        if self._window.open(path, "", {}) is None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


class SettingRow(QFrame):
    """Title, help and field of one setting, and a button that goes back to the default."""

    def __init__(self, settings: Settings, setting: Setting, refused: Any) -> None:  # noqa: ANN401 - a callback
        super().__init__()
        self._settings, self._setting, self._refused = settings, setting, refused
        title, help_ = tr(setting.title), tr(setting.help) if setting.help else ""
        self.words = f"{title} {help_} {setting.key}".casefold()
        self.field = self._make_field()
        self.field.setAccessibleName(title)
        self.field.setToolTip(setting.key)
        name = QLabel(title)
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addWidget(name)
        notes = [help_] + ([tr("Takes effect after a restart.")] if setting.restart else [])
        text = " · ".join(filter(None, notes))
        if text:
            quiet = QLabel(text)
            quiet.setProperty("role", "muted")
            quiet.setWordWrap(True)
            texts.addWidget(quiet)
        self.reset = QToolButton()
        set_icon(self.reset, "undo")
        self.reset.setToolTip(tr("Back to the default"))
        self.reset.setAccessibleName(tr("Back to the default"))
        self.reset.clicked.connect(lambda _=False: settings.reset(setting.key))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 6, 0, 6)
        row.addLayout(texts, 1)
        row.addWidget(self.field)
        row.addWidget(self.reset)
        self.show_value()

    def show_value(self) -> None:
        """Show the value as it is now."""
        value = self._settings.get(self._setting.key)
        field = self.field
        field.blockSignals(True)
        if isinstance(field, QCheckBox):
            field.setChecked(bool(value))
        elif isinstance(field, QComboBox):
            field.setCurrentIndex(self._setting.choices.index(str(value)))
        elif isinstance(field, QSpinBox | QDoubleSpinBox):
            field.setValue(value)
        elif isinstance(field, QLineEdit):
            many = isinstance(value, tuple)
            field.setText(", ".join(map(str, value)) if many else str(value))
        field.blockSignals(False)
        size = self.reset.sizePolicy()
        size.setRetainSizeWhenHidden(True)
        self.reset.setSizePolicy(size)
        self.reset.setVisible(self._settings.is_set(self._setting.key))

    def _set(self, value: object) -> None:
        try:
            self._settings.set(self._setting.key, value)
        except StudioError as error:
            self._refused(error.message)
        self.show_value()

    def _make_field(self) -> QWidget:
        setting = self._setting
        if setting.type == "bool":
            box = QCheckBox()
            box.toggled.connect(self._set)
            return box
        if setting.type == "choice":
            combo = QComboBox()
            combo.addItems([_choice_word(choice) for choice in setting.choices])
            combo.currentIndexChanged.connect(lambda at: self._set(setting.choices[at]))
            combo.setMinimumWidth(180)
            return combo
        if setting.type in ("int", "float"):
            spin: QSpinBox | NumberField = QSpinBox() if setting.type == "int" else NumberField()
            inset(spin)
            low = -_WIDEST if setting.min is None else setting.min
            high = _WIDEST if setting.max is None else setting.max
            spin.setRange(int(low), int(high)) if isinstance(spin, QSpinBox) else spin.setRange(
                low, high
            )
            spin.valueChanged.connect(self._set)
            spin.setMinimumWidth(120)
            return spin
        line = QLineEdit()
        line.setMinimumWidth(240)
        line.editingFinished.connect(lambda: self._set(self._typed(line.text())))
        return line

    def _typed(self, text: str) -> object:
        if self._setting.type == "list":
            return [part.strip() for part in text.split(",") if part.strip()]
        return text


def make_view(studio: Studio, path: Path) -> SettingsPage:
    """The page, as the host's manifest declares it."""
    assert studio.window is not None
    return SettingsPage(studio.window.parent())


def _choice_word(choice: str) -> str:
    """Choices are message ids like titles; the common ones of the host are named here."""
    return {
        "": tr("As the system"),
        "system": tr("As the system"),
        "dark": tr("Dark"),
        "light": tr("Light"),
        "contrast": tr("High contrast"),
        "en": "English",
        "zh_CN": "中文",
    }.get(choice) or tr(choice)
