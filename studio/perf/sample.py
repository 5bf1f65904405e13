"""A small part of a large table, to have something to show while all of it is read."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from studio.formats.ascend_csv import FAST_ENCODINGS
from studio.formats.csv_dialect import sniff
from studio.paths import cache_dir
from studio.perf.load import load_profile
from studio.perf.sources import find_sources

if TYPE_CHECKING:
    from studio.perf.profile import Profile

LARGE_BYTES: Final = 100 << 20
"""Files up to this size are read at once."""
_PLACES: Final = 128
_PLACE_BYTES: Final = 32 << 10
_HEAD_BYTES: Final = 4 << 20


def large_file(path: Path, table: str) -> Path | None:
    """The text file with a table of a profile, if that is large and can be read in parts."""
    sources = find_sources(path)
    file = sources.first(table)
    if file is None or file.suffix != ".csv" or file.stat().st_size <= LARGE_BYTES:
        return None
    return file if sniff(file).encoding in FAST_ENCODINGS else None


def sample_of(file: Path, table: str, *, spread: bool) -> tuple[Profile, float]:
    """A profile of some rows of a file, `table` read already, and the share of the file they take.

    The rows stand in places spread over the file, or are the first ones. Rows must not have line
    ends in their cells.
    """
    taken = _spread(file) if spread else _head(file)
    folder = cache_dir()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        small = Path(temporary) / file.name
        small.write_bytes(taken)
        profile = load_profile(small)
        profile.table(table)
    return profile, len(taken) / file.stat().st_size


def _head(file: Path) -> bytes:
    with file.open("rb") as stream:
        return _whole_lines(stream.read(_HEAD_BYTES))


def _spread(file: Path) -> bytes:
    size = file.stat().st_size
    with file.open("rb") as stream:
        parts = [stream.readline()]
        for place in range(_PLACES):
            stream.seek(max(size * place // _PLACES, len(parts[0]) - 1))
            stream.readline()
            parts.append(_whole_lines(stream.read(_PLACE_BYTES)))
    return b"".join(parts)


def _whole_lines(text: bytes) -> bytes:
    return text[: text.rfind(b"\n") + 1]
