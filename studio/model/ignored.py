"""Which files of a folder its `.gitignore` files leave out, as git reads them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pathspec import GitIgnoreSpec

_LARGEST = 1 << 20


class Ignored:
    """Answers for paths below a root, given relative to it with "/" between the parts.

    The patterns of a deeper folder come after those of the folders above it, and the last one that
    fits decides; what lies in an ignored folder is ignored (gitignore(5)). A pattern file that
    cannot be read counts as empty.
    """

    def __init__(self, root: Path) -> None:
        self._root = os.fspath(root)
        self._specs: dict[str, GitIgnoreSpec | None] = {}
        self._folders: dict[str, bool] = {"": False}
        self._exclude = _read(os.path.join(self._root, ".git", "info", "exclude"))

    def holds(self, name: str, *, folder: bool = False) -> bool:
        """Whether a file or folder is ignored."""
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
                verdict = spec.check_file(below).include
                if verdict is not None:
                    return verdict
            if not prefix:
                break
            prefix = prefix.rpartition("/")[0]
        return self._exclude is not None and bool(self._exclude.check_file(name).include)

    def _spec(self, folder: str) -> GitIgnoreSpec | None:
        if folder not in self._specs:
            place = os.path.join(self._root, folder, ".gitignore")
            self._specs[folder] = _read(place)
        return self._specs[folder]


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
        except ValueError:  # one bad pattern does not undo the others
            continue
        patterns.append(line)
    return GitIgnoreSpec.from_lines(patterns) if patterns else None
