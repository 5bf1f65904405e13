"""Say in one line why a plugin could not be loaded."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.errors import describe_error

if TYPE_CHECKING:
    from studio.kernel.references import Reference


def explain(error: BaseException, reference: Reference, folder: Path) -> str:
    """Name the cause with the file and line in the plugin's folder, where there is one."""
    if isinstance(error, SyntaxError) and error.filename:
        place = _place(error.filename, error.lineno or 0, folder)
        return tr("syntax error in {place}: {message}", place=place, message=error.msg)
    if isinstance(error, ModuleNotFoundError) and error.name:
        return _missing_module(error, error.name, reference, folder)
    if isinstance(error, AttributeError) and not _own_frame(error, folder):
        return tr(
            "{module} has no {name}",
            module=_file(reference, folder),
            name=reference.name,
        )
    if isinstance(error, SystemExit):
        return _at(tr("ends the program when imported"), error, folder)
    return _at(describe_error(error), error, folder)


def _missing_module(
    error: ModuleNotFoundError, name: str, reference: Reference, folder: Path
) -> str:
    prefix = f"plugins.{reference.plugin}"
    if name == prefix or name.startswith(f"{prefix}."):
        module = name.removeprefix(prefix).lstrip(".")
        return _at(tr("there is no module {module}", module=module or prefix), error, folder)
    package = name.split(".")[0]
    return _at(
        tr("needs the Python package {package}, which is not installed", package=package),
        error,
        folder,
    )


def _at(text: str, error: BaseException, folder: Path) -> str:
    place = _own_frame(error, folder)
    return f"{text} ({place})" if place else text


def _own_frame(error: BaseException, folder: Path) -> str:
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if Path(frame.filename).is_relative_to(folder):
            return _place(frame.filename, frame.lineno or 0, folder)
    return ""


def _place(filename: str, line: int, folder: Path) -> str:
    path = Path(filename)
    name = path.relative_to(folder.parent) if path.is_relative_to(folder.parent) else path
    return f"{name.as_posix()}:{line}"


def _file(reference: Reference, folder: Path) -> str:
    return f"{folder.name}/{reference.module.replace('.', '/')}.py"
