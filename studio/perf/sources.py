"""Finds what a profile is made of: which files hold which table, in any layout of the profilers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from studio.formats.chrome_sniff import looks_like_trace
from studio.formats.database import Database, is_database
from studio.formats.profile_info import OUTPUT
from studio.formats.torch_snapshot import PATTERNS as SNAPSHOTS
from studio.formats.torch_snapshot import is_snapshot
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.trace import packed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

TABLE_FILES: Final[Mapping[str, tuple[str, ...]]] = {
    "kernels": ("kernel_details*.csv", "op_summary*.csv"),
    "published_steps": ("step_trace_time*.csv",),
    "operator_statistic": ("op_statistic*.csv",),
    "api_statistic": ("api_statistic*.csv",),
    "operator_details": ("operator_details*.csv",),
    "allocations": ("operator_memory*.csv",),
    "memory": ("memory_record*.csv",),
    "module_memory": ("npu_module_mem*.csv",),
    "static_memory": ("static_op_mem*.csv",),
    "cache": ("l2_cache*.csv",),
    "communication_times": ("communication.json",),
}
"""The files of the text form, by the table they hold."""

DATABASES: Final = (
    "ascend_pytorch_profiler*.db",
    "ascend_mindspore_profiler*.db",
    "msprof_*.db",
    "msprof.db",
)
ANALYSIS_DATABASES: Final = ("analysis.db", "communication_analyzer.db")
MEMSCOPE: Final = ("memscope_dump*.db", "msmemscope*.db", "msMemScope*.db")
TRACES: Final = ("trace_view.json", "msprof*.json", "*.pt.trace.json", "*.pt.trace.json.gz")
MINDINSIGHT: Final[Mapping[str, str]] = {
    "step_trace_raw": "step_trace_raw_*_detail_time.csv",
    "timeline": "*timeline_display_*.json",
    "output_timeline": "output_timeline_data_*.txt",
    "types": "aicore_intermediate_*_type.csv",
    "details": "aicore_intermediate_*_detail.csv",
    "framework": "framework_raw_*.csv",
    "pipeline": "minddata_pipeline_raw_*.csv",
    "hccl": "hccl_raw_*.csv",
}
"""The old layout of MindSpore's profiler, by what a file holds."""

_ALONE: Final = ("snapshot", "memscope")
PACK_SUFFIX: Final = packed.SUFFIX
_EXPORT: Final = re.compile(r"(_slice_\d+)?_(\d{14,17})$")


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of one profile, by what they hold; a table may be cut into several files."""

    path: Path
    files: Mapping[str, tuple[Path, ...]]
    older: tuple[Path, ...] = ()
    """Earlier exports of the same tables, which are not read."""
    raw: tuple[Path, ...] = ()
    """Raw data of the device profiler (PROF_*) beside or instead of parsed results."""

    def get(self, kind: str) -> tuple[Path, ...]:
        """The files of one kind, none when there are none."""
        return self.files.get(kind, ())

    def first(self, kind: str) -> Path | None:
        """The first file of one kind."""
        return next(iter(self.get(kind)), None)

    @property
    def form(self) -> str:
        """How it is stored: pack, text, database, MindInsight, trace, raw or nothing."""
        if self.get("pack"):
            return "pack"
        text = bool(self.files.keys() & TABLE_FILES.keys())
        if self.get("database"):
            return "text and database" if text else "database"
        if any(kind in self.files for kind in MINDINSIGHT):
            return "MindInsight"
        if text:
            return "text"
        if self.get("trace"):
            return "trace"
        return "raw" if self.raw else next((k for k in _ALONE if self.get(k)), "nothing")


def find_sources(path: Path) -> Sources:
    """Find the files of the profile at a path: a folder of a profiler, or one file of it.

    Raises StudioError when the path is not there or names several profiles at once.
    """
    if not path.exists():
        raise StudioError(tr("{path} does not exist.", path=path), path=path)
    if path.is_file():
        return Sources(path, {_kind_of_file(path): (path,)})
    folders = list(_folders(path))
    files: dict[str, tuple[Path, ...]] = {}
    older: list[Path] = []
    for kind, patterns in _patterns().items():
        for folder in folders:
            found = sorted({f for pattern in patterns for f in folder.glob(pattern) if f.is_file()})
            if kind == "trace":
                found = [f for f in found if f.name not in _NOT_TRACES and looks_like_trace(f)]
            if kind == "snapshot":
                found = [f for f in found if is_snapshot(f)]
            if found:
                files[kind], old = _newest(found)
                older += old
                break
    raw = tuple(sorted(f for f in path.glob("PROF_*") if f.is_dir()))
    if path.name.startswith("PROF_"):
        raw = (path,)
    if not files and not raw:
        _refuse_several(path)
        _refuse_foreign(path)
    return Sources(path, files, tuple(older), raw)


_NOT_TRACES: Final = frozenset({"profiler_metadata.json", "communication.json"})


def _patterns() -> dict[str, tuple[str, ...]]:
    return {
        **TABLE_FILES,
        "database": DATABASES,
        "analysis": ANALYSIS_DATABASES,
        "trace": TRACES,
        "memscope": MEMSCOPE,
        "snapshot": SNAPSHOTS,
        **{kind: (pattern,) for kind, pattern in MINDINSIGHT.items()},
    }


def _folders(path: Path) -> Iterable[Path]:
    """Where results stand, the best place first."""
    for name in OUTPUT:
        if (path / name).is_dir():
            yield path / name
    yield path
    for raw in sorted(path.glob("PROF_*")):
        if raw.is_dir():
            yield from (raw / OUTPUT[1], raw)
            yield from (f / "timeline" for f in sorted(raw.glob("device_*")))
    if path.name.startswith("PROF_"):
        yield from (f / "timeline" for f in sorted(path.glob("device_*")))


def _newest(files: list[Path]) -> tuple[tuple[Path, ...], list[Path]]:
    """The last export, in all its slices, and those before it.

    msprof writes the time of the export into the names; other files have one name each.
    """
    exports: dict[str, list[Path]] = {}
    for file in files:
        match = _EXPORT.search(file.stem)
        exports.setdefault(match.group(2)[:14] if match else "", []).append(file)
    if len(exports) < 2:
        return tuple(files), []
    slices = [file for file in files if "_slice_" in file.stem]
    if slices:
        return tuple(slices), [file for file in files if file not in slices]
    last = max(exports)
    return tuple(exports[last]), [f for key, group in exports.items() if key != last for f in group]


def _kind_of_file(path: Path) -> str:
    if path.suffix == PACK_SUFFIX:
        return "pack"
    if is_database(path):
        if Database(path).find("memscope_dump"):
            return "memscope"
        return "analysis" if path.name in ANALYSIS_DATABASES else "database"
    if is_snapshot(path):
        return "snapshot"
    for kind, patterns in _patterns().items():
        if kind != "trace" and any(path.match(pattern) for pattern in patterns):
            return kind
    if looks_like_trace(path):
        return "trace"
    raise StudioError(
        tr(
            "{name} is no profile: expected a folder of the Ascend profilers, a trace, "
            "a database or a .studio file.",
            name=path.name,
        ),
        path=path,
    )


def _refuse_foreign(path: Path) -> None:
    """Refuse a folder that no profiler wrote; one that only holds raw data is a profile."""
    if not any(next(path.glob(name), None) for name in ("profiler_info*.json", "FRAMEWORK")):
        text = tr(
            "{path} holds no profile. Expected a folder of a profiler (…_ascend_pt, …_ascend_ms, "
            "PROF_…), a trace, a database of a profiler, or a .studio pack.",
            path=path,
        )
        raise StudioError(text, path=path)


def _refuse_several(path: Path) -> None:
    inside = sorted(
        f.name
        for f in path.iterdir()
        if f.is_dir() and f.name.endswith(("_ascend_pt", "_ascend_ms"))
    )
    if inside:
        names = ", ".join(inside[:5])
        raise StudioError(
            tr(
                "{path} holds {n} profiles ({names} …); name one.",
                path=path,
                n=len(inside),
                names=names,
            ),
            path=path,
        )
