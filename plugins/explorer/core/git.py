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

    Git is kept from running what the repository's own configuration names (file monitors, filters)
    and from writing its index.
    """
    if shutil.which("git") is None:
        return GitStates()
    prefix = _git(root, job, "rev-parse", "--show-prefix")
    if prefix is None:
        return GitStates()
    if job:
        job.check()
    out = _git(
        root, job, *_harmless(root, job), "status", "--porcelain=v1", "-z", "--ignored=matching",
        "--untracked-files=normal", "--", ".",
    )  # fmt: skip
    if out is None:
        return GitStates()
    return parse_status(out, root, prefix.rstrip("\n"))


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
        if state == IGNORED:
            continue
        above = os.path.dirname(place)
        while len(above) >= len(os.fspath(root)):
            worse = folders.get(above)
            if worse and _WORST.index(worse) <= _WORST.index(state):
                break
            folders[above] = state
            above = os.path.dirname(above)
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


def _harmless(root: Path, job: JobContext | None) -> list[str]:
    """Options that switch off the programs which the repository's own configuration names."""
    options = ["-c", "core.fsmonitor=false"]
    own = _git(root, job, "config", "--local", "--name-only", "--get-regexp", r"^filter\.") or ""
    for key in own.splitlines():
        if key.endswith((".clean", ".smudge", ".process")):
            options += ["-c", f"{key}="]
        elif key.endswith(".required"):
            options += ["-c", f"{key}=false"]
    return options


def _git(root: Path, job: JobContext | None, *arguments: str) -> str | None:
    """What git answers; None when it fails, takes too long, or nobody wants the answer any more."""
    command = ["git", "--no-optional-locks", "-C", os.fspath(root), *arguments]
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    try:
        with subprocess.Popen(command, stdin=nothing, stdout=pipe, stderr=nothing) as process:
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
