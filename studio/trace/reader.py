"""Loading traces."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from studio.formats.byte_source import unpacked_size
from studio.formats.chrome_trace import read_trace
from studio.formats.engine import use_kernels
from studio.formats.faults import FaultLog
from studio.formats.trace_text import find_text
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.trace import cache, packed
from studio.trace.build import build_trace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studio.formats.chrome_trace import Progress
    from studio.trace.store import Trace


def load(
    path: Path | str,
    *,
    arg_columns: Sequence[str] = (),
    instant_args: Sequence[str] = (),
    job: Progress | None = None,
    keep: bool = True,
) -> Trace:
    """Load a trace file: `.json`, `.json.gz`, in an archive `.zip`, `.tar`, `.tar.gz`, or a pack.

    `arg_columns` names args to be read for every slice (such as "correlation"); all others are read
    when asked for. `instant_args` names those of instants; they come along only where that saves a
    reading of their own: not by kernels, nor from the cache. Raises StudioError when there is no
    such file or it is no trace; whatever else is wrong with it is in `Trace.faults`. With `keep`,
    large traces are taken from the user's cache if they were read before, and kept there.
    """
    path = Path(path)
    if path.suffix == packed.SUFFIX:
        return packed.read_timeline(path)
    try:
        found = find_text(path)
        text = found.text
        status = text.path.stat()
        stamp = (status.st_size, status.st_mtime_ns)
        keep = keep and status.st_size >= cache.WORTH_KEEPING
        kept = cache.find(path, text, stamp, arg_columns) if keep else None
    except OSError as error:
        raise StudioError(
            tr("Cannot read {file}: {reason}.", file=path, reason=error.strerror or error),
            path=path,
        ) from error
    if kept is not None:
        return replace(kept, refused=found.refused)
    faults = FaultLog()
    faults.add_all("refused member", [None] * len(found.refused))
    compiled = use_kernels(text.length or unpacked_size(text, stamp[0]))
    of_instants = None if compiled or not instant_args else instant_args
    columns = read_trace(
        text,
        faults,
        arg_columns=arg_columns,
        job=job,
        compiled=compiled,
        instant_args=of_instants,
    )
    if job is not None:
        job.report(None, tr("Laying out {n} events", n=columns.events))
    trace = build_trace(
        path,
        columns,
        faults,
        arg_columns=arg_columns,
        instant_args=of_instants or (),
        stamp=stamp,
        compiled=compiled,
    )
    trace = replace(trace, text=text, refused=found.refused)
    if keep:
        cache.keep_soon(trace)
    return trace
