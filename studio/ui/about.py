"""The box that says what this is, in which version, and on what it stands."""

from __future__ import annotations

import platform
from importlib import metadata
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
)

from studio import __version__
from studio.i18n import tr
from studio.ui.icons import pixmap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtWidgets import QWidget

_PACKAGES = (
    ("PySide6-Essentials", "LGPL-3.0"),
    ("pyside6-scintilla", "MIT, HPND"),
    ("lexilla", "MIT, HPND"),
    ("pyqtgraph", "MIT"),
    ("numpy", "BSD-3-Clause"),
    ("pandas", "BSD-3-Clause"),
    ("msgspec", "BSD-3-Clause"),
    ("isal", "PSF-2.0"),
    ("tomlkit", "MIT"),
    ("watchdog", "Apache-2.0"),
    ("jedi", "MIT"),
    ("XlsxWriter", "BSD-2-Clause"),
    ("platformdirs", "MIT"),
    ("pylopdf-fonts-zh-cn", "Noto Sans SC, OFL-1.1"),
    ("fontpkg-jetbrains-mono", "JetBrains Mono, OFL-1.1"),
)


def versions() -> str:
    """Versions of the program and what it stands on, as text for a bug report."""
    lines = [f"Ascent Studio {__version__}", _platform()]
    lines += [f"{name} {version} ({licence})" for name, version, licence in _packages()]
    return "\n".join(lines)


def _platform() -> str:
    return f"Python {platform.python_version()}, Qt {qVersion()}, {platform.platform()}"


def _packages() -> Iterator[tuple[str, str, str]]:
    """Name, version and licence of what is installed."""
    for name, licence in _PACKAGES:
        try:
            yield name, metadata.version(name), licence
        except metadata.PackageNotFoundError:
            continue


def show_about(parent: QWidget) -> None:
    """Open the box."""
    dialog = QDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(tr("About Ascent Studio"))
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    copy = buttons.addButton(tr("Copy"), QDialogButtonBox.ButtonRole.ActionRole)
    copy.setToolTip(tr("Copy the versions, for a report of a fault"))
    copy.setAutoDefault(False)
    copy.clicked.connect(lambda _=False: QGuiApplication.clipboard().setText(versions()))
    buttons.rejected.connect(dialog.reject)
    buttons.button(QDialogButtonBox.StandardButton.Close).setDefault(True)
    column = QVBoxLayout(dialog)
    column.setContentsMargins(24, 24, 24, 16)
    column.setSpacing(12)
    column.addLayout(_heading(dialog.devicePixelRatioF()))
    column.addWidget(_label(tr("It stands on"), "muted"))
    column.addLayout(_parts())
    column.addSpacing(4)
    column.addWidget(_label(tr("Free software under the Apache License 2.0.")))
    column.addWidget(buttons)
    dialog.open()
    buttons.button(QDialogButtonBox.StandardButton.Close).setFocus()


def _heading(scale: float) -> QHBoxLayout:
    picture = QLabel()
    picture.setPixmap(pixmap("kernel", 48, "accent", scale))
    name = _label(f"Ascent Studio {__version__}", "title")
    font = name.font()
    font.setPointSizeF(font.pointSizeF() * 1.5)
    name.setFont(font)
    words = QVBoxLayout()
    words.setSpacing(2)
    words.addWidget(name)
    words.addWidget(
        _label(tr("Move training from GPUs to Ascend NPUs, and make it exact and fast there."))
    )
    words.addWidget(_label(_platform(), "muted"))
    row = QHBoxLayout()
    row.setSpacing(16)
    row.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
    row.addLayout(words, 1)
    return row


def _parts() -> QGridLayout:
    """Name, version and licence of each package, in columns."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(24)
    grid.setVerticalSpacing(2)
    grid.setColumnStretch(2, 1)
    for row, (name, version, licence) in enumerate(_packages()):
        grid.addWidget(_label(name), row, 0)
        grid.addWidget(_label(version), row, 1)
        grid.addWidget(_label(licence, "muted"), row, 2)
    return grid


def _label(text: str, role: str = "") -> QLabel:
    label = QLabel(text)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if role:
        label.setProperty("role", role)
    return label
