"""What to run and how: kept with the project, turned into a command when it is started."""

from __future__ import annotations

import os
import re
import shlex
import sys
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Mapping

KINDS = ("script", "module", "shell")
"""A file, a module of Python (`python -m`), or a line for the shell."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Configuration:
    """One thing to run.

    `arguments` is split as a shell splits it; `folder` is relative to the project and empty for its
    root; `environment` holds lines "NAME=value"; an empty `interpreter` means the project's.
    """

    name: str
    kind: str = "script"
    target: str = ""
    arguments: str = ""
    folder: str = ""
    environment: str = ""
    interpreter: str = ""

    def to_json(self) -> dict[str, str]:
        """The values, to be kept."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Configuration:
        """Values that were kept, also by another version."""
        known = {field.name for field in fields(cls)}
        given = {key: str(value) for key, value in values.items() if key in known}
        given["kind"] = given.get("kind", "") if given.get("kind") in KINDS else KINDS[0]
        return cls(**{"name": "", **given})

    @classmethod
    def for_file(cls, path: Path, root: Path) -> Configuration:
        """The plain way to run a file: a script with Python, a shell script with the shell."""
        inside = path.is_relative_to(root)
        name = path.relative_to(root).as_posix() if inside else str(path)
        return cls(path.name, "script", name)


@dataclass(frozen=True)
class Command:
    """What the system is asked to start."""

    arguments: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str]

    @property
    def line(self) -> str:
        """As one would type it."""
        return shlex.join(self.arguments)


def command_of(configuration: Configuration, root: Path, interpreter: str) -> Command:
    """The command of a configuration; raises StudioError naming what is missing or not valid."""
    target = configuration.target.strip()
    if not target:
        raise StudioError(tr("“{name}” does not say what to run.", name=configuration.name))
    folder = Path(root, configuration.folder)
    if not folder.is_dir():
        raise StudioError(tr("The working folder {folder} does not exist.", folder=folder))
    python = configuration.interpreter or interpreter
    rest = _split(configuration.arguments)
    if configuration.kind == "module":
        arguments = [python, "-m", target, *rest]
    elif configuration.kind == "shell":
        line = f"{target} {configuration.arguments}".strip()
        arguments = ["cmd", "/c", line] if sys.platform == "win32" else ["bash", "-c", line]
    else:
        path = Path(root, target)
        if not path.is_file():
            raise StudioError(tr("{path} does not exist.", path=path), path=path)
        program = "bash" if path.suffix in (".sh", ".bash") else python
        arguments = [program, os.fspath(path), *rest]
    return Command(tuple(arguments), folder, _environment(configuration.environment))


def _split(arguments: str) -> list[str]:
    try:
        return shlex.split(arguments, posix=sys.platform != "win32")
    except ValueError as error:
        raise StudioError(
            tr("The arguments are not valid: {reason}.", reason=str(error).rstrip("."))
        ) from error


def _environment(lines: str) -> dict[str, str]:
    """The user's variables, and those that make programs write at once and in colour."""
    values = {
        "PYTHONUNBUFFERED": "1",
        "PYTHONIOENCODING": "utf-8",
        "FORCE_COLOR": "1",
        "CLICOLOR_FORCE": "1",
        "TERM": "xterm-256color",
    }
    for number, line in enumerate(lines.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, sign, value = line.partition("=")
        name = name.strip().removeprefix("export ").strip()
        if not sign or not _NAME.fullmatch(name):
            raise StudioError(
                tr("Line {n} of the environment is not NAME=value: {line}", n=number, line=line)
            )
        values[name] = value.strip()
    return values
