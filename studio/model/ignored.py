"""Which files of a folder its `.gitignore` files leave out, as git reads them."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pathspec import GitIgnoreSpec

_LARGEST = 1 << 20
_ABOVE = "ps_d"
"""The group in the expressions of pathspec that holds the slash after a folder that fits."""


class Ignored:
    """Answers for paths below a root, given relative to it with "/" between the parts.

    The patterns of a deeper folder come after those of the folders above it, and the last one that
    fits decides; what lies in an ignored folder is ignored (gitignore(5)). Below the top of a
    repository, the patterns above the root count as well. A pattern file that cannot be read counts
    as empty.
    """

    def __init__(self, root: Path) -> None:
        top, self._prefix = _repository(os.path.abspath(root))
        self._root = top
        self._specs: dict[str, GitIgnoreSpec | None] = {}
        # Who opened an ignored folder wants to see what is in it.
        self._folders: dict[str, bool] = {"": False}
        for at, sign in enumerate(self._prefix):
            if sign == "/":
                self._folders[self._prefix[:at]] = False
        self._exclude = _read(os.path.join(_shared_part(top), "info", "exclude"))

    def holds(self, name: str, *, folder: bool = False) -> bool:
        """Whether a file or folder is ignored."""
        name = self._prefix + name
        above, _, _ = name.rpartition("/")
        return self._folder(above) or self._decides(name + "/" if folder else name)

    def kept(self, names: Iterable[str]) -> list[str]:
        """The files that are not ignored, in their order."""
        return [name for name in names if not self.holds(name)]

    def _folder(self, name: str) -> bool:
        known = self._folders.get(name)
        if known is None:
            above, _, _ = name.rpartition("/")
            known = self._folders[name] = self._folder(above) or self._decides(name + "/")
        return known

    def _decides(self, name: str) -> bool:
        """What the patterns say of a path alone; a folder ends in "/"."""
        prefix = name.rstrip("/").rpartition("/")[0]
        while True:
            spec = self._spec(prefix)
            if spec is not None:
                below = name[len(prefix) + 1 :] if prefix else name
                verdict = _verdict(spec, below)
                if verdict is not None:
                    return verdict
            if not prefix:
                break
            prefix = prefix.rpartition("/")[0]
        return self._exclude is not None and bool(_verdict(self._exclude, name))

    def _spec(self, folder: str) -> GitIgnoreSpec | None:
        if folder not in self._specs:
            place = os.path.join(self._root, folder, ".gitignore")
            self._specs[folder] = _read(place)
        return self._specs[folder]


def _repository(root: str) -> tuple[str, str]:
    """The top of the repository that a folder is in, and the way from there ("a/b/")."""
    above, prefix = root, ""
    while True:
        if os.path.lexists(os.path.join(above, ".git")):
            return above, prefix
        parent, name = os.path.split(above)
        if parent == above:
            return root, ""
        above, prefix = parent, f"{name}/{prefix}"


def _shared_part(top: str) -> str:
    """Where git keeps what all worktrees share (gitrepository-layout(5))."""
    place = os.path.join(top, ".git")
    named = _first_line(place).removeprefix("gitdir:").strip()
    if named:
        place = os.path.join(top, named)
        if common := _first_line(os.path.join(place, "commondir")):
            place = os.path.join(place, common)
    return place


def _first_line(place: str) -> str:
    try:
        with open(place, encoding="utf-8", errors="surrogateescape") as file:
            return file.readline(4096).strip()
    except OSError:
        return ""


def _verdict(spec: GitIgnoreSpec, name: str) -> bool | None:
    """What the last pattern that fits says, None when none fits.

    A pattern that fits a folder above, such as "!*/", says nothing of what lies in it.
    """
    for pattern in reversed(list(spec.patterns)):
        if pattern.include is not None and _fits(pattern.regex, name):
            return bool(pattern.include)
    return None


def _fits(regex: re.Pattern[str] | None, name: str) -> bool:
    found = regex.finditer(name) if regex is not None else ()
    return any(
        match.groupdict().get(_ABOVE) is None or match.end(_ABOVE) == len(name) for match in found
    )


def _read(place: str) -> GitIgnoreSpec | None:
    try:
        with open(place, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read(_LARGEST).splitlines()
    except OSError:
        return None
    from pathspec import GitIgnoreSpec  # takes long to import, and most folders need none

    patterns = []
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except (ValueError, re.error):  # one bad pattern does not undo the others
            continue
        patterns.append(line)
    return GitIgnoreSpec.from_lines(patterns) if patterns else None
