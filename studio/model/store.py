"""What is remembered about a project: small JSON files in the user's folder."""

from __future__ import annotations

import hashlib
import json
import os
import time
from typing import TYPE_CHECKING, Any

from studio.kernel.files import write_atomic
from studio.model.document import unwritable
from studio.paths import state_dir

if TYPE_CHECKING:
    from pathlib import Path

_VERSION = 1


class Store:
    """The state folder of one project; each name is one versioned file.

    A file is written only when its content differs from what this window read or wrote last, so
    that two windows on one project overwrite each other's changes only where both made some.
    `set_aside` lists files that could not be read and were kept under another name.
    """

    def __init__(self, root: Path) -> None:
        self.folder = project_folder(root)
        self.set_aside: list[Path] = []
        self._known: dict[str, str] = {}

    def load(self, name: str) -> dict[str, Any]:
        """The saved values of one name; empty when there are none or they cannot be read."""
        path = self._path(name)
        try:
            envelope = json.loads(path.read_bytes())
            if envelope["version"] != _VERSION or not isinstance(envelope["data"], dict):
                raise ValueError(envelope["version"])
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            self._put_aside(path)
            return {}
        data: dict[str, Any] = envelope["data"]
        self._known[name] = _text(data)
        return data

    def save(self, name: str, data: dict[str, Any]) -> None:
        """Save values under a name, if they differ from what is known to be there."""
        text = _text(data)
        if text == self._known.get(name, _text({})):
            return
        path = self._path(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(path, f'{{"version": {_VERSION}, "data": {text}}}\n'.encode("ascii"))
        except OSError as error:
            raise unwritable(path, error) from error
        self._known[name] = text

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def _put_aside(self, path: Path) -> None:
        aside = path.with_name(f"{path.stem}.broken-{time.strftime('%Y%m%d-%H%M%S')}.json")
        try:
            os.replace(path, aside)
        except OSError:
            return
        self.set_aside.append(aside)


def project_folder(root: Path) -> Path:
    """The state folder of a project, found by its real path."""
    real = os.path.realpath(root)
    key = hashlib.sha256(os.fsencode(real)).hexdigest()[:16]
    return state_dir() / "projects" / key


def _text(data: dict[str, Any]) -> str:
    return json.dumps(data, sort_keys=True)
