"""Settings: declared in manifests, kept in one TOML file that stays the user's own.

Comments, order and keys that nobody declares are kept when a value is written.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.kernel.events import Event
from studio.kernel.files import write_atomic
from studio.kernel.values import value_fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from tomlkit import TOMLDocument

    from studio.kernel.declarations import Setting


class Settings:
    """The values of all declared settings; `problems` says what was wrong with the file."""

    def __init__(self, path: Path) -> None:
        self.changed: Event[str] = Event("settings.changed")
        self.path = path
        self.problems: list[str] = []
        self._declared: dict[str, Setting] = {}
        self._stored = self._read()

    def declare(self, settings: Iterable[Setting]) -> None:
        """Add declarations; a stored value that one does not allow is noted and ignored."""
        for setting in settings:
            self._declared[setting.key] = setting
            found, value = _look_up(self._stored, setting.key)
            fault = value_fault(setting, value) if found else ""
            if fault:
                self.problems.append(_told(self.path, setting.key, fault))

    def declarations(self) -> list[Setting]:
        """Return all declared settings, in the order of their declaration."""
        return list(self._declared.values())

    def declaration(self, key: str) -> Setting:
        """Return one declaration; raises StudioError for an unknown key."""
        if key not in self._declared:
            raise StudioError(tr("There is no setting {key}.", key=key), exit_code=2)
        return self._declared[key]

    def get(self, key: str) -> Any:  # noqa: ANN401 - the type that the declaration names
        """Return the value of a setting: the user's, or the default."""
        setting = self.declaration(key)
        found, value = _look_up(self._stored, key)
        chosen = value if found and not value_fault(setting, value) else setting.default
        if setting.type == "list":
            return tuple(chosen)  # type: ignore[arg-type]
        return float(chosen) if setting.type == "float" else chosen  # type: ignore[arg-type]

    def is_set(self, key: str) -> bool:
        """Whether the user chose a value."""
        return _look_up(self._stored, key)[0]

    def set(self, key: str, value: object) -> None:
        """Choose a value and save it; raises StudioError when it is not allowed or not saved."""
        setting = self.declaration(key)
        plain = list(value) if isinstance(value, (tuple, frozenset, set)) else value
        fault = value_fault(setting, plain)
        if fault:
            raise StudioError(
                tr("{setting}: {fault}", setting=tr(setting.title), fault=fault), exit_code=2
            )
        before = self.get(key)
        document = self._document()
        _store(document, key, plain)
        self._save(document)
        if self.get(key) != before:
            self.changed.emit(key)

    def reset(self, key: str) -> None:
        """Go back to the default of a setting."""
        self.declaration(key)
        if not self.is_set(key):
            return
        before = self.get(key)
        document = self._document()
        _remove(document, key)
        self._save(document)
        if self.get(key) != before:
            self.changed.emit(key)

    def reload(self) -> list[str]:
        """Take over what was written into the file by hand; returns what is wrong with it.

        A file that is no TOML is left as it is, and the values stay as they were.
        """
        before = {key: self.get(key) for key in self._declared}
        try:
            self._stored = tomllib.loads(self.path.read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            self._stored = {}
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
            return [tr("{file} cannot be used: {error}", file=self.path, error=error)]
        problems = []
        for key, setting in self._declared.items():
            found, value = _look_up(self._stored, key)
            if found and (fault := value_fault(setting, value)):
                problems.append(_told(self.path, key, fault))
            if self.get(key) != before[key]:
                self.changed.emit(key)
        return problems

    def _read(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.path.read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            return {}
        except OSError as error:
            self.problems.append(
                tr(
                    "The settings in {file} cannot be read ({error}); the defaults are used.",
                    file=self.path,
                    error=error.strerror,
                )
            )
            return {}
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
            self._set_aside(error)
            return {}

    def _set_aside(self, error: Exception) -> None:
        aside = self.path.with_name(f"{self.path.name}.broken")
        try:
            self.path.replace(aside)
        except OSError:
            aside = self.path
        self.problems.append(
            tr(
                "The settings file is broken ({error}); it was kept as {file}, "
                "and the defaults are used.",
                error=error,
                file=aside,
            )
        )

    def _document(self) -> TOMLDocument:
        """Read the file anew, so that what another window wrote meanwhile is kept."""
        import tomlkit
        from tomlkit.exceptions import TOMLKitError

        try:
            return tomlkit.parse(self.path.read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            return tomlkit.document()
        except (TOMLKitError, UnicodeDecodeError, RecursionError) as error:
            self._set_aside(error)
            return tomlkit.document()
        except OSError as error:
            raise self._unsaved(error) from error

    def _save(self, document: TOMLDocument) -> None:
        content = document.as_string()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(self.path, content.encode("utf-8"))
        except OSError as error:
            raise self._unsaved(error) from error
        self._stored = tomllib.loads(content)

    def _unsaved(self, error: OSError) -> StudioError:
        return StudioError(
            tr(
                "The settings cannot be saved in {file}: {error}",
                file=self.path,
                error=error.strerror,
            ),
            path=self.path,
        )


def _told(path: Path, key: str, fault: str) -> str:
    return tr("{file}: {key}: {fault}; the default is used", file=path, key=key, fault=fault)


def _look_up(stored: Mapping[str, Any], key: str) -> tuple[bool, Any]:
    step: Any = stored
    for part in key.split("."):
        if not isinstance(step, dict) or part not in step:
            return False, None
        step = step[part]
    return True, step


def _store(document: Any, key: str, value: object) -> None:  # noqa: ANN401 - tomlkit's containers
    import tomlkit

    *parents, last = key.split(".")
    for part in parents:
        if not isinstance(document.get(part), dict):
            document[part] = tomlkit.table()
        document = document[part]
    document[last] = value


def _remove(document: Any, key: str) -> None:  # noqa: ANN401 - tomlkit's containers
    *parents, last = key.split(".")
    for part in parents:
        document = document.get(part)
        if not isinstance(document, dict):
            return
    document.pop(last, None)
