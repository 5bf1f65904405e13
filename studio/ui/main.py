"""The window's main programme: application, theme, window, event loop."""

from __future__ import annotations

import builtins
import os
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QLibraryInfo, QTimer, QTranslator
from PySide6.QtWidgets import QApplication

from studio.i18n import language, set_language, tr
from studio.kernel.errors import StudioError
from studio.ui.fonts import load_missing_fonts, ui_font
from studio.ui.icons import pixmap
from studio.ui.theme import apply_theme, chosen_theme, load_theme

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from studio.app import App
    from studio.ui.shell import MainWindow


def run(app: App, path: Path | None = None) -> int:
    """Show the window until the user closes it; returns the exit code."""
    qt = make_application()
    dress(app)
    app.errors.install()
    window = make_window(app)
    window.show()
    QTimer.singleShot(0, window, lambda: open_at_start(window, path))
    code = qt.exec()
    while window.restarting:
        # Another language: a new window of the same application, with everything restored.
        set_language(app.settings.get("studio.language"))
        dress(app)
        window = make_window(app)
        window.show()
        code = qt.exec()
    return code


def make_application() -> QApplication:
    """The one QApplication, made if need be."""
    _import_plainly()
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    if not _has_display(os.environ):
        # Qt would end the program without a word that a user understands.
        raise StudioError(
            tr(
                "There is no display. “studio --help” lists what works without one; “studio tour” "
                "takes pictures of every view."
            )
        )
    # Qt's own log of missing platform features is of no use to the user.
    os.environ.setdefault("QT_LOGGING_RULES", "qt.qpa.*.warning=false;qt.text.font.db=false")
    QApplication.setApplicationName("Ascent Studio")
    QApplication.setDesktopFileName("ascent-studio")
    qt = QApplication(sys.argv[:1])
    load_missing_fonts()
    qt.setQuitOnLastWindowClosed(True)
    return qt


def _import_plainly() -> None:
    """Let modules be imported as Python does.

    PySide reads the source of every module after its import, in case it takes part in a switch of
    spellings (`from __feature__ import …`); that nobody here uses, and it is a fifth of all the
    time that importing takes.
    """
    plain = getattr(builtins, "__orig_import__", None)
    if plain is not None:
        builtins.__import__ = plain


def _has_display(environment: Mapping[str, str]) -> bool:
    """Whether a window can be shown, as far as the environment tells."""
    wanted = ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY")
    return not sys.platform.startswith("linux") or any(environment.get(name) for name in wanted)


def dress(app: App, theme: str = "") -> None:
    """Give the application style, fonts, colours and Qt's own texts in the user's language."""
    qt = make_application()
    # The style's own name is hidden by the style sheet once there is one.
    if qt.property("studio_style") != "fusion":
        qt.setStyle("fusion")
        qt.setProperty("studio_style", "fusion")
    font = ui_font()
    if qt.font() != font:
        qt.setFont(font)
    apply_theme(qt, load_theme(theme or chosen_theme(app.settings.get("studio.theme"))))
    old = qt.property("studio_translator")
    if isinstance(old, QTranslator):
        qt.removeTranslator(old)
    translator = QtTexts(qt)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if language() == "zh_CN" and translator.load("qtbase_zh_CN", folder):
        qt.installTranslator(translator)
    qt.setProperty("studio_translator", translator)


class QtTexts(QTranslator):
    """Qt's own texts, and those of its dialogs that its Chinese ones lack or word otherwise."""

    def translate(
        self,
        context: str,
        sourceText: str,
        /,
        disambiguation: str | None = None,
        n: int = -1,
    ) -> str | None:
        """The text, or None where it stays as it is."""
        if context in ("QFileDialog", "QKeySequenceEdit"):
            texts = {
                "Press shortcut": tr("Press the keys"),
                "&Look in:": tr("&Look in:"),
                "Look in:": tr("Look in:"),
                "Files of &type:": tr("Files of &type:"),
                "Files of type:": tr("Files of type:"),
            }
            if sourceText in texts:
                return texts[sourceText]
        return super().translate(context, sourceText, disambiguation, n)


def make_window(app: App) -> MainWindow:
    """The window of an application that is started, not yet shown."""
    from PySide6.QtGui import QIcon

    from studio.ui.shell import MainWindow

    window = MainWindow(app)
    window.setWindowIcon(QIcon(pixmap("kernel", 64, "accent")))
    return window


def open_at_start(window: MainWindow, path: Path | None) -> None:
    """Open what was asked for, or what was open the last time."""
    from pathlib import Path

    from studio.ui.recent import load_session

    if path is not None:
        window.projects.open(path)
        return
    last = load_session().get("project", "")
    if last and Path(last).is_dir() and window.app.project is None:
        window.projects.open(Path(last))
