"""Icons of files and folders, and the badges that count findings."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from plugins.explorer.core.git import ADDED, CONFLICT, DELETED, IGNORED, MODIFIED, UNTRACKED
from studio.i18n import tr
from studio.model.findings import Severity

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.explorer.ui.recognised import Kinds
    from studio.model.items import Item
    from studio.model.project import Project
    from studio.model.tree import Entry

_BY_ENDING = {
    ".bin": "dataset",
    ".cpp": "script",
    ".csv": "table",
    ".cu": "kernel",
    ".db": "dataset",
    ".h": "script",
    ".ipynb": "notebook",
    ".jpg": "picture",
    ".json": "config",
    ".log": "log",
    ".md": "text",
    ".npy": "tensor",
    ".npz": "tensor",
    ".png": "picture",
    ".pt": "checkpoint",
    ".pth": "checkpoint",
    ".py": "script",
    ".rst": "text",
    ".sh": "shell",
    ".svg": "picture",
    ".toml": "config",
    ".txt": "text",
    ".yaml": "config",
    ".yml": "config",
}
_GIT = {
    MODIFIED: "warn",
    ADDED: "ok",
    UNTRACKED: "ok",
    DELETED: "warn",
    CONFLICT: "error",
    IGNORED: "muted",
}
_TOKENS = {Severity.ERROR: "error", Severity.WARNING: "warn"}


def file_icon(name: str) -> str:
    """The icon for a file that no plugin recognised."""
    return _BY_ENDING.get(os.path.splitext(name)[1].casefold(), "file")


def entry_icon(entry: Entry, item: Item | None, kinds: Kinds) -> tuple[str, str]:
    """Icon and colour token of an entry of a folder."""
    if entry.broken or (entry.link and not entry.folder):
        return "link", "muted"
    if not entry.folder:
        name = kinds[item.kind][1] if item is not None and item.kind in kinds else ""
        return name or file_icon(entry.place), "muted"
    if entry.locked or entry.link:
        return "lock" if entry.locked else "link", "muted"
    if item is not None and item.kind in kinds:
        return kinds[item.kind][1], "accent"
    return "folder", "muted"


def git_token(state: str) -> str:
    """The colour for what git says, "" for the usual one."""
    return _GIT.get(state, "")


def git_word(state: str) -> str:
    """What git says, in words."""
    return {
        MODIFIED: tr("git: changed"),
        ADDED: tr("git: added"),
        UNTRACKED: tr("git: not tracked"),
        DELETED: tr("git: something deleted"),
        CONFLICT: tr("git: conflict"),
        IGNORED: tr("git: ignored"),
    }.get(state, "")


def finding_badges(project: Project | None) -> dict[Path, tuple[str, str]]:
    """The number of findings per file, in the colour of the worst."""
    counts: dict[Path, int] = {}
    tokens: dict[Path, str] = {}
    for finding in project.findings.all() if project is not None else ():
        path = finding.location.path
        counts[path] = counts.get(path, 0) + 1
        token = _TOKENS.get(finding.severity, "info")
        if path not in tokens or token == "error" or tokens[path] == "info":
            tokens[path] = token
    return {path: (str(count), tokens[path]) for path, count in counts.items()}


def entry_note(entry: Entry) -> str:
    """What is said beside a name, "" when there is nothing to say."""
    if entry.broken:
        return tr("leads nowhere")
    if entry.loop:
        return tr("leads back to itself")
    if entry.locked:
        return tr("may not be read")
    return tr("linked, read only") if entry.link and entry.folder else ""
