"""One catalogue of translations for core, manifests, command line and window."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from studio.kernel.catalogue import read_po
from studio.paths import resource

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

LANGUAGES = ("en", "zh_CN")
"""The languages the program speaks; English is the language of the message ids."""


class Translator:
    """The merged catalogue of the current language; files are read when first needed."""

    def __init__(self) -> None:
        self.language = "en"
        self._lock = threading.Lock()
        self._files: list[Path] = []
        self._unread: list[Path] = []
        self._messages: dict[str, tuple[str, ...]] = {}

    def use(self, language: str) -> None:
        """Switch to another language."""
        self.language = language
        self._messages = {}
        self._unread = list(self._files)

    def add(self, path: Path) -> None:
        """Merge a `<language>.po` file; what was added first wins."""
        if path not in self._files:
            self._files.append(path)
            self._unread.append(path)

    def forms(self, text: str) -> tuple[str, ...]:
        """Return the translations of a message id, or nothing."""
        if self.language == "en":
            return ()
        if self._unread:
            with self._lock:
                self._read()
        return self._messages.get(text, ())

    def _read(self) -> None:
        messages = self._messages
        for path in self._unread:
            if path.stem == self.language and path.is_file():
                messages = read_po(path) | messages
        self._messages = messages
        self._unread = []


_TRANSLATOR = Translator()
THIN = "\u2009"
"""The thin space between thousands."""


def set_language(name: str) -> None:
    """Choose the language by its code; "" chooses the one of the system."""
    _TRANSLATOR.use(name if name in LANGUAGES else _system_language())


def language() -> str:
    """Return the code of the current language."""
    return _TRANSLATOR.language


def add_catalogue(path: Path) -> None:
    """Merge a file named `<language>.po` into the catalogue; it need not exist."""
    _TRANSLATOR.add(path)


def add_catalogues(plugin_folders: Iterable[Path]) -> None:
    """Merge the host's catalogue and that of every plugin in these folders."""
    for name in LANGUAGES:
        add_catalogue(resource("locale", f"{name}.po"))
        for folder in plugin_folders:
            for path in sorted(folder.glob(f"*/locale/{name}.po")):
                add_catalogue(path)


def tr(text: str, /, **values: object) -> str:
    """Translate a literal English text and fill in its `{name}` places."""
    forms = _TRANSLATOR.forms(text)
    return _fill(forms[0] if forms else text, text, values)


def trn(singular: str, plural: str, /, n: int, **values: object) -> str:
    """Like `tr` for a text that depends on a number, written as `{n}` with thousands apart."""
    english = singular if n == 1 else plural
    forms = _TRANSLATOR.forms(singular)
    translated = forms[min(n != 1, len(forms) - 1)] if forms else english
    return _fill(translated, english, {"n": thousands(n), **values})


def thousands(number: int) -> str:
    """An integer with all digits, thousands apart: 1 234 567."""
    return f"{number:,}".replace(",", THIN)


def _fill(text: str, english: str, values: dict[str, object]) -> str:
    if not values:
        return text
    try:
        return text.format(**values)
    except (KeyError, IndexError, ValueError):
        if text == english:
            raise
        return english.format(**values)


def _system_language() -> str:
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(variable)
        if value:
            return "zh_CN" if value.lower().startswith("zh") else "en"
    import locale

    name = (locale.getlocale()[0] or "").lower()
    return "zh_CN" if name.startswith(("zh", "chinese")) else "en"
