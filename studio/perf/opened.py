"""Profiles that are open already, shared by all views: each is opened and read once.

A profile is known by its path and by size and time of all its files, so that one that was written
again is opened anew. Small profiles stay open for a while, the last ones used; a large one only for
as long as somebody holds it. Any thread may ask: `Profile` reads every table once, whoever asks
first, and the others wait for it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final
from weakref import WeakValueDictionary

from studio.perf.load import load_profile
from studio.perf.sources import find_sources

if TYPE_CHECKING:
    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile
    from studio.perf.sources import Sources

    Key = tuple[object, ...]

KEPT: Final = 6
"""How many small profiles stay open when no view holds them."""
SMALL_BYTES: Final = 128 << 20
"""Files up to this size in all make a small profile."""


class OpenProfiles:
    """Opens profiles and keeps some of them; use the one of `open_profiles`."""

    def __init__(self, kept: int = KEPT, small_bytes: int = SMALL_BYTES) -> None:
        self._kept = kept
        self._small_bytes = small_bytes
        self._recent: OrderedDict[Key, Profile] = OrderedDict()
        self._held: WeakValueDictionary[Key, Profile] = WeakValueDictionary()
        self._lock = threading.Lock()

    def get(self, path: Path | str, job: Progress | None = None) -> Profile:
        """The profile at a path, the same object as long as its files are the same.

        Raises StudioError as `load_profile` does.
        """
        path = Path(path)
        sources = find_sources(path)
        key, size = _signature(path, sources)
        with self._lock:
            profile = self._held.get(key)
            if profile is None:
                profile = self._held[key] = load_profile(path, job)
            if size <= self._small_bytes:
                self._recent[key] = profile
                self._recent.move_to_end(key)
                while len(self._recent) > self._kept:
                    self._recent.popitem(last=False)
            return profile

    def forget(self) -> None:
        """Let go of every profile that no view holds."""
        with self._lock:
            self._recent.clear()


@cache
def open_profiles() -> OpenProfiles:
    """The open profiles of this process: what a profile says does not depend on who asks."""
    return OpenProfiles()


def open_profile(path: Path | str, job: Progress | None = None) -> Profile:
    """The profile at a path, shared with everybody else who looks at it.

    Like `studio.perf.load.load_profile`, only that an open one is not opened again. Its frames are
    shared as well: never change them.
    """
    return open_profiles().get(path, job)


def _signature(path: Path, sources: Sources) -> tuple[Key, int]:
    """What tells a profile and its present state from all others, and the size of its files."""
    files = [file for group in sources.files.values() for file in group]
    size = 0
    parts: list[object] = [str(path.resolve())]
    for file in [*dict.fromkeys(files), *_small_files(path)]:
        try:
            status = file.stat()
        except OSError:
            continue
        size += status.st_size
        parts.append((str(file), status.st_size, status.st_mtime_ns))
    return tuple(parts), size


def _small_files(path: Path) -> list[Path]:
    """The small files that say what a profile is."""
    folder = path if path.is_dir() else path.parent
    return sorted(folder.glob("profiler_*.json"))
