"""`studio trace convert`: a part of a trace as a trace of its own, or as a table."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plugins.timeline.core.part import Wanted, load_trace
from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Unpack

    import numpy as np
    from numpy.typing import NDArray

    from plugins.timeline.core.part import Part, Words
    from studio.formats.chrome_trace import Progress
    from studio.trace import Trace

FORMS = (".json", ".json.gz", ".csv")
"""What a converted file can be, by the end of its name."""


@dataclass(frozen=True, slots=True)
class Converted:
    """What was written; `flows_left_out` have only one end in it."""

    path: Path
    bytes: int
    slices: int
    flows: int
    flows_left_out: int
    counter_samples: int
    instants: int


def convert(
    file: Path,
    output: Path,
    from_: str = "",
    to: str = "",
    args: bool = True,
    arg: Sequence[str] = (),
    job: Progress | None = None,
    **words: Unpack[Words],
) -> Converted:
    """Write the slices that touch a window to a file that the user names; nothing is cut.

    A Chrome trace keeps times, names, args, flows, counters and the order of the lanes exactly.
    """
    check_output(output, file)
    trace = load_trace(file, job, arg)
    part = Wanted(from_, to, **words).of(trace)
    return write_part(trace, part, output, args=args, job=job)


def check_output(output: Path, source: Path) -> None:
    """Raise StudioError for a name that says no form, or that of the trace itself."""
    if not output.name.endswith(FORMS):
        raise StudioError(
            tr("{name}: the name must end with one of {ends}.", name=output, ends=", ".join(FORMS)),
            exit_code=2,
        )
    if output.exists() and source.exists() and output.samefile(source):
        raise StudioError(tr("{name} is the trace itself.", name=output), exit_code=2)


def write_part(
    trace: Trace,
    part: Part,
    output: Path,
    *,
    slices: NDArray[np.int64] | None = None,
    args: bool = True,
    job: Progress | None = None,
) -> Converted:
    """Write a part of a loaded trace, or just these slices of it, by the end of the name."""
    from plugins.timeline.core.listing import slice_frame
    from plugins.timeline.core.query import slices_of

    check_output(output, trace.path)
    chosen = slices_of(trace, part) if slices is None else slices
    with _replacing(output) as unfinished:
        if output.name.endswith(".csv"):
            slice_frame(trace, chosen).to_csv(unfinished, index=False, lineterminator="\n")
            counts = (len(chosen), 0, 0, 0, 0)
        else:
            from plugins.timeline.core.chrome_out import write_chrome

            packed = output.name.endswith(".gz")
            counts = write_chrome(trace, part, chosen, unfinished, packed, args, job)
    return Converted(output, output.stat().st_size, *counts)


@contextmanager
def _replacing(output: Path) -> Iterator[Path]:
    """Give a file beside the output that takes its place when all was written."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{output.name}.", dir=output.parent)
    except OSError as error:
        raise StudioError(
            tr("Cannot write {file}: {reason}.", file=output, reason=error.strerror), path=output
        ) from error
    os.close(handle)
    unfinished = Path(name)
    try:
        yield unfinished
        mask = os.umask(0)
        os.umask(mask)
        unfinished.chmod(0o666 & ~mask)
        unfinished.replace(output)
    finally:
        unfinished.unlink(missing_ok=True)
