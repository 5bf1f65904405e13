"""What git says of the files of a folder, by the `git` program."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from studio.kernel.job_context import JobContext

MODIFIED, ADDED, UNTRACKED, DELETED, CONFLICT, IGNORED = "M", "A", "U", "D", "C", "I"
_WORST = (CONFLICT, MODIFIED, DELETED, ADDED, UNTRACKED)
_SECONDS, _LOOK = 60, 0.2
_MODULES = 50
_OWN_SCOPES = ("local", "worktree")
_NOTHING_FETCHED = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
_MISLEADING = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CONFIG_PARAMETERS")
"""Variables of a shell that a hook started, which would lead git to another repository."""


@dataclass(frozen=True)
class GitStates:
    """States by path; `folders` tells the most important state of what lies in a folder."""

    states: Mapping[str, str] = field(default_factory=dict)
    folders: Mapping[str, str] = field(default_factory=dict)
    known: bool = False

    def of(self, place: str) -> str:
        """The state of a file or folder, "" for one that is as it was committed."""
        found = self.states.get(place) or self.folders.get(place)
        while not found:
            above = os.path.dirname(place)
            if above == place:
                return ""
            place = above
            found = self.states.get(place, "")
            if found not in (IGNORED, UNTRACKED):
                found = ""
        return found


def git_states(root: Path, job: JobContext | None = None) -> GitStates:
    """Ask git about a folder; nothing is known without git or outside of a repository.

    Git is kept from running what the repository's own configuration names (file monitors, filters,
    ways to fetch what is missing) and from writing its index. It does not hand that on to
    submodules, so that each of them is asked by itself.
    """
    if shutil.which("git") is None:
        return GitStates()
    prefix = _git(root, job, "rev-parse", "--show-prefix")
    if prefix is None:
        return GitStates()
    if job:
        job.check()
    own = _own_programs(root, job)
    out = _git(
        root, job, "status", "--porcelain=v1", "-z", "--ignored=matching", "--no-renames",
        "--untracked-files=normal", "--ignore-submodules=dirty", "--", ".", settings=own,
    ) if own is not None else None  # fmt: skip
    if out is None:
        return GitStates()
    found = parse_status(out, root, prefix.rstrip("\n"))
    inner = {os.fspath(place): git_states(place, job) for place in _submodules(root, job)}
    return _together(root, found, inner) if inner else found


def _submodules(root: Path, job: JobContext | None) -> list[Path]:
    """The folders of submodules that are there (gitmodules(5))."""
    if not (root / ".gitmodules").is_file():
        return []
    listed = _git(
        root, job, "config", "-z", "--file", ".gitmodules", "--get-regexp", r"^submodule\..*\.path$"
    )
    names = [entry.partition("\n")[2] for entry in (listed or "").split("\0")]
    places = [root / name for name in names if name and ".." not in name.split("/")]
    real = [place for place in places if (place / ".git").exists() and not place.is_symlink()]
    top = root.resolve()
    inside = [place for place in real if top in place.resolve().parents]  # and never itself
    return inside[:_MODULES]


def _together(root: Path, outer: GitStates, inner: Mapping[str, GitStates]) -> GitStates:
    """A repository with its submodules, whose changes count for the folders above."""
    states, folders = dict(outer.states), dict(outer.folders)
    for place, one in inner.items():
        states.update(one.states)
        folders.update(one.folders)
        for state in set(one.states.values()):
            _mark_above(folders, root, place, state)
    return GitStates(states, folders, known=True)


def _mark_above(folders: dict[str, str], root: Path, place: str, state: str) -> None:
    """Let the folders above a place tell the most important state of what is in them."""
    if state == IGNORED:
        return
    above = os.path.dirname(place)
    while len(above) >= len(os.fspath(root)):
        worse = folders.get(above)
        if worse and _WORST.index(worse) <= _WORST.index(state):
            break
        folders[above] = state
        above = os.path.dirname(above)


def parse_status(text: str, root: Path, prefix: str = "") -> GitStates:
    """Read `git status --porcelain=v1 -z` (git-status(1)); paths are relative to the repository."""
    states: dict[str, str] = {}
    folders: dict[str, str] = {}
    fields = iter(text.split("\0"))
    for entry in fields:
        if len(entry) < 4:
            continue
        code, name = entry[:2], entry[3:]
        if "R" in code or "C" in code:
            next(fields, None)  # the name before
        state = _state(code)
        if not state or not name.startswith(prefix):
            continue
        place = os.path.join(root, name[len(prefix) :].rstrip("/"))
        states[place] = state
        _mark_above(folders, root, place, state)
    return GitStates(states, folders, known=True)


def _state(code: str) -> str:
    if code == "!!":
        return IGNORED
    if code == "??":
        return UNTRACKED
    if "U" in code or code in ("AA", "DD"):
        return CONFLICT
    if "D" in code:
        return DELETED
    if code[0] == "A":
        return ADDED
    return MODIFIED if code.strip() else ""


def _own_programs(root: Path, job: JobContext | None) -> dict[str, str] | None:
    """Settings that switch off the programs which the repository's own configuration names.

    Those of the user's configuration stay. None when git does not tell (before version 2.26).
    """
    listed = _git(
        root, job, "config", "--show-scope", "--includes", "-z", "--name-only",
        "--get-regexp", r"^filter\.",
    )  # fmt: skip
    known = _git(root, job, "config", "--show-scope", "-z", "--name-only", "--list")
    if known is None:
        return None
    fields = (listed or "").split("\0")
    settings = {"core.fsmonitor": "false"}
    for scope, key in zip(fields[::2], fields[1::2], strict=False):
        if scope in _OWN_SCOPES:
            settings[key] = "false" if key.endswith(".required") else ""
    return settings


def _git(
    root: Path, job: JobContext | None, *arguments: str, settings: Mapping[str, str] | None = None
) -> str | None:
    """What git answers; None when it fails, takes too long, or nobody wants the answer any more."""
    command = ["git", "--no-optional-locks", "-C", os.fspath(root), *arguments]
    environment = {**os.environ, **_NOTHING_FETCHED}
    for name in _MISLEADING:
        environment.pop(name, None)
    # As variables, since a name in a repository may hold the "=" that ends it in an option.
    environment["GIT_CONFIG_COUNT"] = str(len(settings or {}))
    for number, (key, value) in enumerate((settings or {}).items()):
        environment[f"GIT_CONFIG_KEY_{number}"] = key
        environment[f"GIT_CONFIG_VALUE_{number}"] = value
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    try:
        with subprocess.Popen(
            command, stdin=nothing, stdout=pipe, stderr=nothing, env=environment
        ) as process:
            for _ in range(round(_SECONDS / _LOOK)):
                try:
                    out, _none = process.communicate(timeout=_LOOK)
                except subprocess.TimeoutExpired:
                    if job and job.cancelled:
                        break
                    continue
                return os.fsdecode(out) if process.returncode == 0 else None
            process.kill()
    except OSError:
        return None
    return None
