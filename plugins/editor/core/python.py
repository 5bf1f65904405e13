"""What jedi knows of Python code: completions, signatures, definitions, uses, documentation.

Only reads: the code is parsed, never imported, compiled extensions of the project are not loaded,
and no interpreter is started. Each function is run in a process of its own, with a time limit.
"""

from __future__ import annotations

import pickle
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from plugins.editor.core.proposals import LIMIT, Proposal
from studio.kernel.timelimit import time_limit
from studio.paths import cache_dir

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
_SECONDS = 10.0  # of CPU
_LONGEST_DOC = 4000


@dataclass(frozen=True)
class Cursor:
    """A place in a text (line and column from 1), with where its imports are looked for."""

    path: Path
    text: str
    line: int
    column: int
    root: Path | None = None
    interpreter: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A definition or use: line and column from 1; `text` is its line."""

    path: Path
    line: int
    column: int
    name: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class CallTip:
    """The parameters of a call that is being written; `active` is the one at the cursor, or -1."""

    name: str
    parameters: tuple[str, ...]
    active: int


def complete(cursor: Cursor) -> list[Proposal]:
    """The names that fit at a place; none when it takes too long to find them."""

    def ask() -> list[Proposal]:
        found = _script(cursor).complete(*_at(cursor))[:LIMIT]
        return [Proposal(one.name, one.type) for one in found]

    return _asked(ask, [])


def call_tip(cursor: Cursor) -> CallTip | None:
    """The call that the place is inside of."""

    def ask() -> CallTip | None:
        for one in _script(cursor).get_signatures(*_at(cursor)):
            names = tuple(parameter.to_string() for parameter in one.params)
            return CallTip(one.name, names, -1 if one.index is None else one.index)
        return None

    return _asked(ask, None)


def definitions(cursor: Cursor) -> list[Place]:
    """Where the name at a place is defined, through imports."""
    return _asked(lambda: _places(_script(cursor).goto(*_at(cursor), follow_imports=True)), [])


def references(cursor: Cursor) -> list[Place]:
    """Where the name at a place is used in the project."""
    return _asked(
        lambda: _places(_script(cursor).get_references(*_at(cursor), include_builtins=False)),
        [],
        3 * _SECONDS,
    )


def documentation(cursor: Cursor) -> str:
    """The signature and documentation of the name at a place, as plain text."""

    def ask() -> str:
        texts = (str(one.docstring()) for one in _script(cursor).help(*_at(cursor)))
        return next(filter(None, texts), "")[:_LONGEST_DOC]

    return _asked(ask, "")


def _script(cursor: Cursor) -> Any:  # noqa: ANN401 - jedi has no types
    import jedi

    jedi.settings.cache_directory = str(_cache())
    root = cursor.root or cursor.path.parent
    project = jedi.Project(
        root, load_unsafe_extensions=False, added_sys_path=packages_of(cursor.interpreter)
    )
    # The environment of this process: others would be started to ask them for their paths.
    environment = jedi.InterpreterEnvironment()
    return jedi.Script(cursor.text, path=cursor.path, project=project, environment=environment)


def _cache() -> Path:
    """Where jedi keeps what it parsed of the standard library."""
    return cache_dir() / "jedi"


def packages_of(interpreter: str) -> list[str]:
    """The folders in which a Python keeps its packages, by its place alone."""
    if not interpreter:
        return []
    base = Path(interpreter).parent.parent
    found = [*base.glob("lib/python3*/site-packages"), base / "Lib" / "site-packages"]
    return [str(folder) for folder in found if folder.is_dir()]


def _at(cursor: Cursor) -> tuple[int, int]:
    """Line from 1 and column from 0, as jedi counts."""
    return cursor.line, cursor.column - 1


def _places(found: Any) -> list[Place]:  # noqa: ANN401 - jedi has no types
    places = []
    for one in found:
        if one.module_path is None or one.line is None:
            continue
        line = str(one.get_line_code()).strip()
        places.append(Place(Path(one.module_path), one.line, one.column + 1, one.name, line))
    return sorted(dict.fromkeys(places), key=lambda place: (str(place.path), place.line))


def _asked(ask: Callable[[], T], otherwise: T, seconds: float = _SECONDS) -> T:
    """The answer, or `otherwise` when it takes too long or jedi cannot follow the code."""
    try:
        with time_limit(seconds):
            try:
                return ask()
            except (EOFError, pickle.UnpicklingError):
                # Another search ended in the middle of writing what it had parsed.
                shutil.rmtree(_cache(), ignore_errors=True)
                return ask()
    except Exception:  # noqa: BLE001 - jedi fails in many ways on code that is half written
        return otherwise
