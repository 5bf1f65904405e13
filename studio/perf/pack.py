"""Packs: a profile's tables in one file, without its raw data, to be opened elsewhere.

A `.studio` file is a zip archive: `manifest.json` says what the profile is and which tables and
columns there are; every column is one `.npy` (numbers, codes of texts), with `.missing.npy` where
values are missing, `.senseless.npy` for cells that make no sense ("N/A"), `.texts.json` for texts.
The columns of the timeline stand below `timeline/` (`studio.trace.packed`). Nothing in it is ever
executed: arrays are read without pickle.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.formats.faults import Fault
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.perf import frames
from studio.perf.frames import Coded, Known, Recorded
from studio.perf.profile import Info, Profile
from studio.perf.schema import TABLES
from studio.perf.sources import Sources
from studio.trace import packed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Reader

FORMAT: Final = "ascent-studio profile"
VERSION: Final = 1
_MANIFEST: Final = "manifest.json"
_COUNTERS: Final = "counters"
_LARGEST_JSON: Final = 1 << 28


def write_pack(
    profile: Profile,
    output: Path,
    *,
    findings: Sequence[Mapping[str, Any]] = (),
    job: Progress | None = None,
) -> dict[str, int]:
    """Write everything that a profile's tables hold; returns the rows of each table.

    The file appears under its name only when it is whole. Raises StudioError when it cannot be
    written.
    """
    unfinished = output.with_name(f".{output.name}.part")
    try:
        with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            rows = _write_tables(profile, archive, findings, job)
        unfinished.replace(output)
    except OSError as error:
        raise StudioError(
            tr("Cannot write {file}: {reason}.", file=output, reason=error.strerror or error),
            path=output,
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)
    return rows


def read_pack(path: Path) -> Profile:
    """Open a pack; raises StudioError when it is none or of a newer kind."""
    manifest = read_manifest(path)
    info = Info(**{name: manifest["info"].get(name) for name in _names(Info)})
    tables = {name: about for name, about in manifest["tables"].items() if name in TABLES}
    readers = {
        name: _reader(path, name, about, _faults(manifest, name)) for name, about in tables.items()
    }
    counters = manifest["tables"].get(_COUNTERS)
    timeline = packed.has_timeline(path)
    return Profile(
        path,
        info,
        Sources(path, {"pack": (path,)} | ({"timeline": (path,)} if timeline else {})),
        readers,
        counters=_counters(path, counters) if counters else None,
        trace=(lambda job: packed.read_timeline(path)) if timeline else None,
        findings=[entry for entry in manifest.get("findings", []) if isinstance(entry, dict)],
    )


def read_manifest(path: Path) -> dict[str, Any]:
    """What a pack says of itself: info, tables and findings."""
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = _json(archive, _MANIFEST)
    except (OSError, zipfile.BadZipFile, KeyError, ValueError) as error:
        raise _no_pack(path) from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise _no_pack(path)
    if manifest.get("version", 0) > VERSION:
        raise StudioError(
            tr("{name} was written by a newer version of this program.", name=path.name), path=path
        )
    return manifest


def _no_pack(path: Path) -> StudioError:
    return StudioError(tr("{name} is damaged or no packed profile.", name=path.name), path=path)


# -- writing --------------------------------------------------------------------------------------
def _write_tables(
    profile: Profile,
    archive: zipfile.ZipFile,
    findings: Sequence[Mapping[str, Any]],
    job: Progress | None,
) -> dict[str, int]:
    tables: dict[str, Any] = {}
    trace = profile.trace(job)
    if trace is not None:
        packed.write_timeline(trace, archive)
    names = sorted(profile.offered & TABLES.keys())
    for number, name in enumerate(names):
        if job is not None:
            job.check()
            job.report(number / len(names), name)
        tables[name] = _write_frame(archive, name, profile.table(name, job), profile)
    parts = list(profile.counters(job))
    if parts:
        import pandas as pd

        tables[_COUNTERS] = _write_frame(archive, _COUNTERS, pd.concat(parts), None)
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "path": str(profile.path),
        "info": asdict(profile.info),
        "tables": tables,
        "faults": {
            name: [asdict(fault) for fault in faults] for name, faults in profile.faults().items()
        },
        "findings": [dict(finding) for finding in findings],
    }
    archive.writestr(_MANIFEST, json.dumps(manifest, ensure_ascii=False, default=str))
    return {name: about["rows"] for name, about in tables.items() if about["rows"]}


def _write_frame(
    archive: zipfile.ZipFile, name: str, frame: pd.DataFrame, profile: Profile | None
) -> dict[str, Any]:
    columns: dict[str, str] = {}
    for column in frame.columns:
        values = frame[column]
        place = f"{name}/{column}"
        senseless = None if profile is None else profile.not_applicable(name, column)
        if senseless is not None:
            _save(archive, f"{place}.senseless", np.packbits(senseless))
        if values.isna().all():
            continue
        dtype = columns[column] = str(values.dtype)
        if dtype in ("category", "str"):
            texts = values.astype("category").cat
            codes = texts.codes.to_numpy(np.int32)
            _save(archive, place, codes)
            archive.writestr(f"{place}.texts.json", json.dumps(list(map(str, texts.categories))))
        else:
            kind = np.float64 if dtype.casefold().startswith("float") else np.int64
            _save(archive, place, values.to_numpy(kind, na_value=0))
            if values.isna().any():
                _save(archive, f"{place}.missing", np.packbits(values.isna().to_numpy()))
    return {"rows": len(frame), "columns": columns}


def _save(archive: zipfile.ZipFile, place: str, values: NDArray[Any]) -> None:
    with archive.open(f"{place}.npy", "w", force_zip64=True) as file:
        np.save(file, values, allow_pickle=False)


# -- reading --------------------------------------------------------------------------------------
def _reader(path: Path, name: str, about: Mapping[str, Any], faults: tuple[Fault, ...]) -> Reader:
    return lambda job: {name: _read_table(path, name, about, faults)}


def _read_table(
    path: Path, name: str, about: Mapping[str, Any], faults: tuple[Fault, ...]
) -> Recorded:
    rows = int(about["rows"])
    columns: dict[str, Any] = {}
    senseless: dict[str, NDArray[np.bool_]] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            there = set(archive.namelist())
            written = about["columns"]
            for column in TABLES[name].names:
                place = f"{name}/{column}"
                if column in written:
                    columns[column] = _read_column(archive, there, place, written[column], rows)
                if f"{place}.senseless.npy" in there:
                    senseless[column] = _bits(archive, f"{place}.senseless.npy", rows)
    except (OSError, zipfile.BadZipFile, KeyError, ValueError) as error:
        raise _no_pack(path) from error
    return Recorded(frames.frame(name, columns, rows), senseless, faults)


def _read_column(
    archive: zipfile.ZipFile, there: set[str], place: str, dtype: str, rows: int
) -> Any:  # noqa: ANN401 - what `frames.frame` takes
    values = _load(archive, f"{place}.npy", rows)
    if dtype in ("category", "str"):
        texts = _json(archive, f"{place}.texts.json")
        if dtype == "str":
            return [texts[code] if code >= 0 else "" for code in values.tolist()]
        return Coded(values, texts)
    missing = f"{place}.missing.npy"
    if missing in there:
        return Known(values, ~_bits(archive, missing, rows))
    return values


def _counters(
    path: Path, about: Mapping[str, Any]
) -> Callable[[Progress | None], Iterator[pd.DataFrame]]:
    def read(job: Progress | None) -> Iterator[pd.DataFrame]:
        import pandas as pd

        rows = int(about["rows"])
        columns: dict[str, Any] = {}
        with zipfile.ZipFile(path) as archive:
            there = set(archive.namelist())
            for column, dtype in about["columns"].items():
                values = _read_column(archive, there, f"{_COUNTERS}/{column}", dtype, rows)
                if column == "row":
                    columns[column] = values
                elif isinstance(values, Known):
                    columns[column] = pd.arrays.FloatingArray(values.values, ~values.known)
                else:
                    columns[column] = pd.array(values, dtype="Float64")
        if job is not None:
            job.check()
        yield pd.DataFrame(columns)

    return read


def _load(archive: zipfile.ZipFile, name: str, rows: int | None) -> NDArray[Any]:
    with archive.open(name) as file:
        values: NDArray[Any] = np.load(file, allow_pickle=False)
    if values.ndim != 1 or (rows is not None and len(values) != rows):
        raise ValueError(f"{name} has the wrong shape")
    return values


def _bits(archive: zipfile.ZipFile, name: str, rows: int) -> NDArray[np.bool_]:
    return np.unpackbits(_load(archive, name, None), count=rows).astype(np.bool_)


def _json(archive: zipfile.ZipFile, name: str) -> Any:  # noqa: ANN401 - JSON
    if archive.getinfo(name).file_size > _LARGEST_JSON:
        raise ValueError(f"{name} is too large")
    return json.loads(archive.read(name))


def _names(kind: type) -> list[str]:
    return [entry.name for entry in fields(kind)]


def _faults(manifest: Mapping[str, Any], table: str) -> tuple[Fault, ...]:
    """What was wrong in the file that a packed table was read from."""
    found = manifest.get("faults", {}).get(table, [])
    return tuple(Fault(fault["kind"], fault["count"], fault["first"]) for fault in found)
