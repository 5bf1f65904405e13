"""What runs in the background for the window. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.migration.core.recognise import kind_of
from plugins.migration.core.scan import context_of, project_files, scan_files, scan_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from plugins.migration.core.model import FileResult
    from studio.kernel.job_context import JobContext


def scan(
    root: Path,
    paths: Sequence[Path] | None,
    texts: Mapping[Path, str],
    torch: str,
    chip: str,
    job: JobContext,
) -> list[FileResult]:
    """Scan a whole project, or some of its files; `texts` are unsaved ones to take instead."""
    context = context_of(torch, chip)
    wanted = project_files(root) if paths is None else [path for path in paths if kind_of(path)]
    on_disk = [path for path in wanted if path not in texts and path.is_file()]
    results = list(scan_files(on_disk, context, job).values())
    for path in wanted:
        if path in texts:
            job.check()
            results.append(scan_text(texts[path], path, context))
    return sorted(results, key=lambda result: result.path)
