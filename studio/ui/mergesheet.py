"""A merge laid out for its view, away from the window: rows, and the text of each pane. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.model.merge import DiskMerge, Merge, merge_with_disk
from studio.ui.mergerows import MergeRows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from studio.model.merge import Choice


@dataclass(frozen=True, slots=True)
class MergeSheet:
    """The rows, the text of each pane, one line per row, and the longest line of all."""

    rows: MergeRows
    texts: tuple[str, str, str]
    longest: str


def lay_out(merge: Merge, choices: Sequence[Choice] | None = None) -> MergeSheet:
    """Lay a merge out: as decided, else what only one side changed taken, conflicts open."""
    if choices is None:
        choices = [hunk.clean for hunk in merge.hunks]
    rows = MergeRows(merge, choices)
    longest = max(
        (max(lines, key=len, default="") for lines in (merge.base, merge.mine, merge.theirs)),
        key=len,
    )
    return MergeSheet(rows, (rows.text(0), rows.text(1), rows.text(2)), longest.rstrip("\r\n"))


def merge_and_lay_out(
    path: Path, base: str | None, mine: str, encoding: str | None
) -> tuple[DiskMerge, MergeSheet]:
    """Merge an edited text with its file (see `merge_with_disk`) and lay that out."""
    found = merge_with_disk(path, base, mine, encoding)
    return found, lay_out(found.merge)
