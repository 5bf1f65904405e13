"""Which files fit the words that a user filters by. No Qt."""

from __future__ import annotations

from heapq import nsmallest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studio.kernel.job_context import JobContext

_LOOK = 20_000


def matching(
    names: Sequence[str], words: Sequence[str], most: int, job: JobContext | None = None
) -> tuple[int, list[str]]:
    """How many paths hold all the words (in small letters), and the best of them.

    Those with the first word in the last part of the path come first, then the shorter ones.
    """
    found: list[str] = []
    for at in range(0, len(names), _LOOK):
        if job is not None:
            job.check()
        part = names[at : at + _LOOK]
        found += [name for name in part if all(word in name.casefold() for word in words)]
    best = nsmallest(
        most,
        found,
        key=lambda name: (words[0] not in name.rpartition("/")[2].casefold(), len(name)),
    )
    return len(found), best
