"""The words of the files of a project, for proposals beside those of the open files."""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import TYPE_CHECKING

from studio.model.ignored import Ignored
from studio.model.tree import walk

if TYPE_CHECKING:
    from pathlib import Path

    from studio.kernel.job_context import JobContext

_ENDINGS = (
    ".py", ".pyi", ".sh", ".bash", ".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".hpp", ".md", ".rst",
    ".toml", ".yaml", ".yml", ".ini", ".cfg", ".cmake", ".txt",
)  # fmt: skip
_WORD = re.compile(r"[^\W\d]\w{2,60}")
_LARGEST = 400_000
_MOST_BYTES = 20_000_000
_MOST_WORDS = 30_000


def words_of_files(root: Path, job: JobContext | None = None) -> str:
    """The words of the sources below a folder, the most frequent first, with spaces between.

    What git ignores, large files and, beyond 20 MB, the deepest ones are left out, and so is what
    is no UTF-8.
    """
    check = (lambda _count: job.check()) if job is not None else None
    names = [name for name in walk(root, check=check).files if name.endswith(_ENDINGS)]
    names = Ignored(root).kept(names)
    names.sort(key=lambda name: (name.count("/"), name))
    counts: Counter[str] = Counter()
    left = _MOST_BYTES
    for name in names:
        if job is not None:
            job.check()
        try:
            if os.path.getsize(root / name) > min(_LARGEST, left):
                continue
            data = (root / name).read_bytes()
            counts.update(_WORD.findall(data.decode()))
        except (OSError, UnicodeDecodeError):
            continue
        left -= len(data)
    return " ".join(word for word, _ in counts.most_common(_MOST_WORDS))
