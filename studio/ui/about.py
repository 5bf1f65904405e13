"""The box that says what this is, in which version, and on what it stands."""

from __future__ import annotations

import platform
from importlib import metadata
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout

from studio import __version__
from studio.i18n import tr
from studio.ui.icons import pixmap

if TYPE_CHECKING:
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
    lines = [
        f"Ascent Studio {__version__}",
        f"Python {platform.python_version()}, Qt {qVersion()}, {platform.platform()}",
    ]
    for name, licence in _PACKAGES:
        try:
            lines.append(f"{name} {metadata.version(name)} ({licence})")
        except metadata.PackageNotFoundError:
            continue
    return "\n".join(lines)


def show_about(parent: QWidget) -> None:
    """Open the box."""
    dialog = QDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(tr("About Ascent Studio"))
    picture = QLabel()
    picture.setPixmap(pixmap("kernel", 48, "accent", dialog.devicePixelRatioF()))
    text = QLabel(
        tr("Move training from GPUs to Ascend NPUs, and make it exact and fast there.")
        + "\n\n"
        + versions()
        + "\n\n"
        + tr("Free software under the Apache License 2.0.")
    )
    text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    copy = buttons.addButton(tr("Copy"), QDialogButtonBox.ButtonRole.ActionRole)
    copy.clicked.connect(lambda _=False: QGuiApplication.clipboard().setText(versions()))
    buttons.rejected.connect(dialog.reject)
    column = QVBoxLayout(dialog)
    column.setContentsMargins(24, 24, 24, 16)
    column.setSpacing(12)
    column.addWidget(picture)
    column.addWidget(text)
    column.addWidget(buttons)
    dialog.open()
