"""Chrome traces (Ascend trace_view.json, msprof_*.json, PyTorch Kineto) as exact columns.

`read_trace` streams a `.json` or `.json.gz` of any size and never refuses a readable byte: damaged
parts are skipped, counted by kind and placed. Times are integer nanoseconds from their text. In
files of Kineto with `baseTimeNanoseconds` the times stay as they stand in the file; the base is in
the metadata and must be added to get Unix time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from studio.formats.byte_source import Text, open_text, text_of_file
from studio.formats.chrome_builder import ColumnBuilder
from studio.formats.chrome_events import CHUNK, EventReader, NotATraceError
from studio.formats.chrome_sniff import looks_like_trace
from studio.formats.json_repair import read_lenient
from studio.formats.scan.board import MOST_CHOSEN
from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from studio.formats.byte_source import ByteSource
    from studio.formats.chrome_columns import ChromeColumns
    from studio.formats.faults import FaultLog

__all__ = ["Progress", "looks_like_trace", "outer_fields", "read_trace"]

_PLAIN_NAME: Final = re.compile(r"[ !#-\[\]-~]+")
"""Names of args that are written in a file as they are."""


class Progress(Protocol):
    """What a long reading reports to; a job's context is one."""

    def report(self, fraction: float | None, message: str) -> None:
        """Say how far the work is."""

    def check(self) -> None:
        """Raise when the work was cancelled."""


def read_trace(
    file: Path | Text,
    faults: FaultLog,
    *,
    arg_columns: Sequence[str] = (),
    job: Progress | None = None,
    chunk: int = CHUNK,
    compiled: bool = False,
    only: str | None = None,
    instant_args: Sequence[str] | None = None,
) -> ChromeColumns:
    """Read a whole trace into columns; raises StudioError when the file is no trace.

    The file may be a text in an archive. With `compiled` kernels read what is plain (see
    `studio.formats.engine`); the result is the same. Who needs the events of one name alone says so
    with `only`, which is faster; others may be among the rows all the same. Instants have the args
    of `instant_args` instead, if they are given; kernels read them for no events but those of
    `arg_columns`, so that they must not be asked for both.
    """
    path = file.path if isinstance(file, Text) else file
    builder = ColumnBuilder(faults, arg_columns, instant_args)
    columns = builder.columns
    try:
        text = file if isinstance(file, Text) else text_of_file(file)
        with open_text(text) as source:
            reader = EventReader(source, faults, chunk)
            kernels_for = arg_columns if compiled else None
            for _ in _parts(source, reader, builder, faults, kernels_for, only):
                if job is not None:
                    job.check()
                    done = source.consumed / max(source.size, 1)
                    job.report(done, tr("{n} events", n=columns.events))
    except NotATraceError:
        raise StudioError(
            tr(
                "{name} is not a trace: expected a list of events or an object with "
                '"traceEvents", as the Ascend and PyTorch profilers write them.',
                name=text.member or path.name,
            ),
            path=path,
        ) from None
    except OSError as error:
        raise StudioError(
            tr("Cannot read {file}: {reason}.", file=path, reason=error.strerror or error),
            path=path,
        ) from error
    columns.metadata = outer_fields(reader.head, reader.tail)
    if not columns.events and not faults.count("empty file"):
        faults.add("no events")
    return columns


def _parts(
    source: ByteSource,
    reader: EventReader,
    builder: ColumnBuilder,
    faults: FaultLog,
    kernels_for: Sequence[str] | None,
    only: str | None,
) -> Iterator[None]:
    """Read part after part, by kernels if they are to take these args."""
    if (
        kernels_for is not None
        and len(kernels_for) <= MOST_CHOSEN
        and all(map(_PLAIN_NAME.fullmatch, kernels_for))
    ):
        from studio.formats.scan.reader import PlainReader

        yield from PlainReader(source, reader, builder, faults, kernels_for).parts()
        return
    for events, places in reader.batches():
        if only is None:
            builder.add(events, places)
        elif numbers := [number for number, event in enumerate(events) if event.name == only]:
            builder.add([events[number] for number in numbers], places[numbers])
        yield


def outer_fields(head: bytes, tail: bytes) -> dict[str, object]:
    """The keys of the object around the list of events, those that can be read."""
    found: dict[str, object] = {}
    after = b"{" + tail.strip().lstrip(b" \t\r\n,]")
    for text in (
        head.strip().rstrip(b",") + b"}",
        after if after.endswith(b"}") else after + b"}",
    ):
        try:
            found.update(msgspec.json.decode(text, type=dict[str, object]))
        except msgspec.DecodeError:
            lenient = read_lenient(text)
            found.update(lenient.fields if lenient else {})
    return found
