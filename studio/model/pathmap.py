"""From paths that a server recorded to files on this machine."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any

from studio.kernel.events import Event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_LIBRARY = re.compile(r"site-packages|dist-packages|python\d(\.\d+)?")


class PathMapping:
    """Finds the project file that a recorded path means.

    In this order: what was chosen for the path before, the edited prefixes, the path itself if it
    exists here, and the project files that share the longest run of last parts with it.
    """

    def __init__(self, files: Callable[[], Iterable[Path]]) -> None:
        self.changed: Event[None] = Event("paths.changed")
        self._files = files
        self._by_name: dict[str, list[Path]] | None = None
        self._chosen: dict[str, Path] = {}
        self._prefixes: dict[str, Path] = {}

    def resolve(self, recorded: str) -> list[Path]:
        """The files that a recorded path may mean; several when the choice is the user's."""
        if (chosen := self._chosen.get(recorded)) and chosen.exists():
            return [chosen]
        if mapped := self._by_prefix(recorded):
            return [mapped]
        here = Path(recorded)
        if here.is_absolute() and here.is_file():
            return [here]
        return self._by_suffix(split(recorded))

    def choose(self, recorded: str, path: Path) -> None:
        """Remember which file a recorded path means."""
        self._chosen[recorded] = path
        self.changed.emit(None)

    # -- editing ------------------------------------------------------------------------------
    @property
    def chosen(self) -> Mapping[str, Path]:
        """What was chosen for single paths."""
        return dict(self._chosen)

    @property
    def prefixes(self) -> Mapping[str, Path]:
        """Folders of a server and the folders here that hold the same."""
        return dict(self._prefixes)

    def set_prefix(self, recorded: str, folder: Path) -> None:
        """Map everything below a folder of a server to a folder here."""
        self._prefixes[recorded] = folder
        self.changed.emit(None)

    def remove(self, recorded: str) -> None:
        """Forget what was chosen or mapped for a path or folder."""
        self._chosen.pop(recorded, None)
        self._prefixes.pop(recorded, None)
        self.changed.emit(None)

    def files_changed(self) -> None:
        """Look at the project's files anew at the next question."""
        self._by_name = None

    # -- saving -------------------------------------------------------------------------------
    def to_json(self) -> dict[str, Any]:
        """The choices and prefixes as plain values."""
        groups = {"chosen": self._chosen, "prefixes": self._prefixes}
        return {
            name: {key: os.fspath(path) for key, path in group.items()}
            for name, group in groups.items()
            if group
        }

    def load_json(self, data: Mapping[str, Any]) -> None:
        """Take over saved choices and prefixes."""
        self._chosen = {str(k): Path(v) for k, v in dict(data.get("chosen", {})).items()}
        self._prefixes = {str(k): Path(v) for k, v in dict(data.get("prefixes", {})).items()}

    # -- helpers ------------------------------------------------------------------------------
    def _by_prefix(self, recorded: str) -> Path | None:
        parts = split(recorded)
        for prefix in sorted(self._prefixes, key=lambda prefix: -len(split(prefix))):
            lead = split(prefix)
            if parts[: len(lead)] == lead:
                path = self._prefixes[prefix].joinpath(*parts[len(lead) :])
                if path.is_file():
                    return path
        return None

    def _by_suffix(self, parts: list[str]) -> list[Path]:
        if not parts:
            return []
        least = _least_common(parts)
        best: list[Path] = []
        for path in self._index().get(parts[-1].casefold(), ()):
            length = _common(parts, path.parts)
            if length > least:
                least, best = length, [path]
            elif length == least:
                best.append(path)
        exact = [path for path in best if path.name == parts[-1]]
        return exact or best

    def _index(self) -> dict[str, list[Path]]:
        if self._by_name is None:
            self._by_name = {}
            for path in self._files():
                self._by_name.setdefault(path.name.casefold(), []).append(path)
        return self._by_name


def split(recorded: str) -> list[str]:
    """The parts of a recorded path, whichever system wrote it, without "." and ".."."""
    windows = "\\" in recorded or re.match(r"[A-Za-z]:", recorded)
    pure = PureWindowsPath(recorded) if windows else PurePosixPath(recorded)
    parts: list[str] = []
    for part in pure.parts:
        if part == "..":
            del parts[-1:]
        elif part != pure.anchor or not windows:
            parts.append(part)
        else:
            parts.append(part.rstrip("\\/"))
    return [part for part in parts if part not in ("/", "")]


def _least_common(parts: list[str]) -> int:
    """How many parts have to agree: all that follow the library folder for an installed module.

    Otherwise every `__init__.py` of an installed package would be taken for one of the project.
    """
    for index in range(len(parts) - 2, -1, -1):
        if _LIBRARY.fullmatch(parts[index]):
            return len(parts) - 1 - index
    return 1


def _common(recorded: list[str], local: tuple[str, ...]) -> int:
    length = 0
    for one, other in zip(reversed(recorded), reversed(local), strict=False):
        if one != other and one.casefold() != other.casefold():
            break
        length += 1
    return length
