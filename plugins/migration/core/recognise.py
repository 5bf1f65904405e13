"""Which files the migration looks at, by their names; the manifest's scanners say the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

FileKind = Literal["script", "notebook", "shell", "requirements", "manifest", "config", "native"]

_KINDS: tuple[tuple[FileKind, re.Pattern[str]], ...] = (
    ("script", re.compile(r".*\.pyw?")),
    ("notebook", re.compile(r".*\.ipynb")),
    (
        "shell",
        re.compile(
            r".*\.(?:sh|bash|zsh|ksh|fish|bat|cmd|ps1|slurm|sbatch|pbs|lsf|dockerfile|mk|cmake)|\.env.*"
            r"|(?:Dockerfile|Containerfile).*|(?:GNU)?[Mm]akefile|CMakeLists\.txt"
        ),
    ),
    (
        "requirements",
        re.compile(
            r"(?:requirements|constraints).*\.(?:txt|in)|environment.*\.ya?ml", re.IGNORECASE
        ),
    ),
    (
        "manifest",
        re.compile(r"pyproject\.toml|setup\.cfg|Pipfile(?:\.lock)?|(?:poetry|uv|pdm)\.lock"),
    ),
    ("config", re.compile(r".*\.(?:ya?ml|toml|ini|cfg|conf|properties|jsonc?|json5)")),
    ("native", re.compile(r".*\.(?:cu|cuh|c|cc|cpp|cxx|h|hpp)")),
)
_LISTS = re.compile(r"requirements?|reqs|deps", re.IGNORECASE)
"""Folders whose text files list packages."""


def kind_of(path: Path) -> FileKind | None:
    """The kind of a file, None for one that has nothing to migrate (our own reports among them)."""
    if path.name.startswith("migration-report."):
        return None
    kind = next((kind for kind, pattern in _KINDS if pattern.fullmatch(path.name)), None)
    if kind is None and path.suffix in (".txt", ".in") and _LISTS.fullmatch(path.parent.name):
        return "requirements"
    return kind
