"""Telling whether a file on disk is still the one that was read."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from pathlib import Path

# A file written within this time before it was read may be written again with the same time stamp
# (file systems count in steps of up to two seconds), so only its content tells.
_COARSEST_CLOCK_NS = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Stamp:
    """What identifies one state of a file: cheap facts, and the digest of its bytes to be sure."""

    modified_ns: int
    changed_ns: int
    size: int
    inode: int
    digest: bytes
    settled: bool

    def matches(self, facts: os.stat_result) -> bool:
        """Whether the file certainly is unchanged, judged without reading it."""
        return self.settled and self.is_of(facts)

    def is_of(self, facts: os.stat_result) -> bool:
        """Whether the file seems unchanged, as far as clocks tell."""
        return (self.modified_ns, self.changed_ns, self.size, self.inode) == (
            facts.st_mtime_ns,
            facts.st_ctime_ns,
            facts.st_size,
            facts.st_ino,
        )


def digest(data: bytes | Sequence[bytes]) -> bytes:
    """A digest that tells contents apart, whether they come in one piece or in several."""
    found = hashlib.blake2b(digest_size=16)
    for part in (data,) if isinstance(data, bytes) else data:
        found.update(part)
    return found.digest()


def stamp(path: Path, data: bytes | Sequence[bytes]) -> Stamp:
    """Stamp the present state of a file whose bytes are `data`."""
    facts = path.stat()
    return Stamp(
        facts.st_mtime_ns,
        facts.st_ctime_ns,
        facts.st_size,
        facts.st_ino,
        digest(data),
        time.time_ns() - max(facts.st_mtime_ns, facts.st_ctime_ns) > _COARSEST_CLOCK_NS,
    )
