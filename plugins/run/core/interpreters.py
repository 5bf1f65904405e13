"""Finding the Pythons of a machine by their files alone; none of them is started for it."""

from __future__ import annotations

import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_WINDOWS = sys.platform == "win32"
_NAMES = ("python.exe",) if _WINDOWS else ("python", "python3")
_CONDA_PYTHON = re.compile(r"python-(\d+(?:\.\d+)+)-")
_PATH_PYTHON = re.compile(r"python3?(?:\.\d+)?(?:\.exe)?")
_IN_NAME = re.compile(r"(\d+\.\d+(?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class Interpreter:
    """One Python: `kind` is "venv", "conda" or "system"; `version` is "" when no file tells it."""

    path: Path
    name: str
    kind: str
    version: str = ""

    @property
    def title(self) -> str:
        """Name and version, to choose by."""
        return f"{self.name} · Python {self.version}" if self.version else self.name

    @property
    def short(self) -> str:
        """What fits into a status bar: a Python of the PATH by its version, not by its place."""
        if self.name != str(self.path):
            return self.title
        return " ".join(filter(None, ("Python", self.version, "(PATH)")))


def find_interpreters(
    root: Path, home: Path | None = None, environment: Mapping[str, str] | None = None
) -> list[Interpreter]:
    """The Pythons to choose from, those of the project first, each once."""
    home = home or Path.home()
    environment = os.environ if environment is None else environment
    found: dict[str, Interpreter] = {}
    for one in _candidates(root, home, environment):
        # Environments link to the Python that they were made from, and are others all the same.
        same = os.path.realpath(one.path) if one.kind == "system" else os.path.abspath(one.path)
        found.setdefault(same, one)
    return list(found.values())


def preferred(found: list[Interpreter], chosen: str) -> Interpreter | None:
    """The chosen Python, else the project's own environment, else the first Python 3."""
    if chosen:
        path = Path(chosen)
        known = next((one for one in found if one.path == path), None)
        return known or Interpreter(path, path.name, "system")
    modern = [one for one in found if not one.version.startswith("2.")]
    return next(iter(modern or found), None)


def _candidates(root: Path, home: Path, environment: Mapping[str, str]) -> Iterator[Interpreter]:
    for folder in _folders(root):
        yield from _environment(folder)
    if active := environment.get("VIRTUAL_ENV"):
        yield from _environment(Path(active))
    for folder in _conda_folders(home, environment):
        yield from _environment(folder)
    for part in environment.get("PATH", "").split(os.pathsep):
        for entry in _names(Path(part)) if part else ():
            path = Path(part, entry)
            if _PATH_PYTHON.fullmatch(entry) and os.access(path, os.X_OK):
                version = _IN_NAME.search(os.path.basename(os.path.realpath(path)))
                yield Interpreter(path, str(path), "system", version[1] if version else "")
    for folder in reversed(_folders(home / ".pyenv" / "versions")):
        for path in _programs(folder):
            yield Interpreter(path, f"pyenv {folder.name}", "system", folder.name)


def _environment(folder: Path) -> Iterator[Interpreter]:
    """The Python of a virtual or conda environment, when the folder is one."""
    venv, conda = folder / "pyvenv.cfg", folder / "conda-meta"
    if os.path.isfile(venv):
        version = _of_config(venv)
        kind = "venv"
    elif os.path.isdir(conda):
        versions = (_CONDA_PYTHON.match(name) for name in _names(conda))
        version = next((match[1] for match in versions if match), "")
        kind = "conda"
    else:
        return
    for path in _programs(folder)[:1]:
        name = folder.name if kind == "venv" else f"conda {folder.name}"
        yield Interpreter(path, name, kind, version)


def _of_config(path: Path) -> str:
    """The version that `pyvenv.cfg` names (PEP 405; virtualenv writes version_info)."""
    values = dict(line.partition("=")[::2] for line in _text(path).splitlines())
    plain = {key.strip(): value.strip() for key, value in values.items()}
    found = _IN_NAME.search(plain.get("version", plain.get("version_info", "")))
    return found[1] if found else ""


def _programs(folder: Path) -> list[Path]:
    places = [folder, folder / "Scripts"] if _WINDOWS else [folder / "bin"]
    paths = [place / name for place in places for name in _NAMES]
    return [path for path in paths if os.path.isfile(path)][:1]


def _conda_folders(home: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    if active := environment.get("CONDA_PREFIX"):
        yield Path(active)
    lines = _text(home / ".conda" / "environments.txt").splitlines()
    yield from (Path(line.strip()) for line in lines if line.strip())
    for name in ("miniconda3", "anaconda3", "miniforge3", "mambaforge"):
        base = home / name
        if os.path.isdir(base):
            yield base
            yield from _folders(base / "envs")


def _folders(place: Path) -> list[Path]:
    return [path for path in (place / name for name in _names(place)) if os.path.isdir(path)]


def _text(path: Path) -> str:
    """The text of a file, "" for one that may not be read, as in the folders of other users."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _names(place: Path) -> list[str]:
    try:
        return sorted(os.listdir(place))
    except OSError:
        return []


def default_program() -> str:
    """A Python to fall back on: the first on the PATH, else the one that runs this program."""
    return shutil.which("python3") or shutil.which("python") or sys.executable
