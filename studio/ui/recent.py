"""What the program remembers between runs: recent projects and the window's place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from studio import paths
from studio.kernel.files import write_atomic

_KEPT = 12


def load_session() -> dict[str, Any]:
    """The values of the last run; empty when there are none or they are damaged."""
    try:
        values = json.loads(_file().read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def save_session(values: dict[str, Any]) -> None:
    """Keep the values for the next run."""
    write_atomic(_file(), json.dumps(values, ensure_ascii=False, indent=1).encode("utf-8"))


def recent_projects() -> list[Path]:
    """The projects opened last that still exist, newest first."""
    return [path for entry in _recent(load_session()) if (path := Path(entry)).is_dir()]


def remember_project(path: Path) -> None:
    """Put a project at the top of the list."""
    values = load_session()
    others = [entry for entry in _recent(values) if entry != str(path)]
    values["recent"] = [str(path), *others][:_KEPT]
    save_session(values)


def forget_project(path: Path) -> None:
    """Take a project off the list."""
    values = load_session()
    values["recent"] = [entry for entry in _recent(values) if entry != str(path)]
    save_session(values)


def _recent(values: dict[str, Any]) -> list[str]:
    kept = values.get("recent", [])
    return [entry for entry in kept if isinstance(entry, str)] if isinstance(kept, list) else []


def _file() -> Path:
    return paths.state_dir() / "session.json"
