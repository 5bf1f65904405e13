"""Pickles of plain data, read without running anything: lists, mappings, tuples, texts, numbers.

A pickle is a program for a small machine that may call any function by its name. Here no name is
known at all, so that there is nothing it can call; one that tries is refused with that name.
"""

from __future__ import annotations

import io
import pickle
from typing import TYPE_CHECKING, Any, Final, NoReturn

from studio.formats.pickle_end import DamagedPickle, pickle_end
from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from pathlib import Path

LARGEST_BYTES: Final = 4 << 30


def load_plain(path: Path) -> Any:  # noqa: ANN401 - nested containers of plain values
    """Read a pickle of plain data; raises StudioError for all that is not plain or damaged."""
    try:
        size = path.stat().st_size
        if size > LARGEST_BYTES:
            raise StudioError(
                tr("{name} is larger than {n} GiB.", name=path.name, n=LARGEST_BYTES >> 30),
                path=path,
            )
        data = path.read_bytes()
    except OSError as error:
        raise StudioError(
            tr("Cannot read {file}: {reason}.", file=path, reason=error.strerror or error),
            path=path,
        ) from error
    try:
        pickle_end(data)
        return _Plain(io.BytesIO(data), encoding="utf-8").load()
    except _ForeignName as error:
        raise StudioError(
            tr("{name} contains code ({code}) and was not opened.", name=path.name, code=error),
            path=path,
        ) from error
    except (DamagedPickle, Exception) as error:
        text = tr("{name} is damaged or no pickle.", name=path.name)
        raise StudioError(text, path=path) from error


class _ForeignName(pickle.UnpicklingError):
    """A pickle names something to call."""


class _Plain(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> NoReturn:
        raise _ForeignName(f"{module}.{name}")

    def persistent_load(self, pid: Any) -> NoReturn:  # noqa: ANN401 - see pickle
        raise _ForeignName(str(pid)[:80])
