"""What a profile is, from its folders and small files: framework, rank, level, what it holds."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from studio.formats.byte_source import open_bytes
from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

OUTPUT: Final = ("ASCEND_PROFILER_OUTPUT", "mindstudio_profiler_output")
"""Folders into which the profilers of PyTorch and MindSpore, and msprof, write their results."""

_FRAMEWORKS: Final = {"_ascend_pt": "PyTorch", "_ascend_ms": "MindSpore"}
_RANK_IN_NAME: Final = re.compile(r"rank[-_ ]?(\d{1,6})(?!\d)", re.IGNORECASE)
_RANK_OF_INFO: Final = re.compile(r"profiler_info_(\d{1,18})\.json")
_DISTRIBUTED: Final = re.compile(
    rb'"distributedInfo"\s*:\s*\{.{0,4000}?"rank"\s*:\s*"?(\d{1,18})(?!\d)', re.DOTALL
)
_KINETO: Final = re.compile(rb'"(schemaVersion|deviceProperties|distributedInfo|baseTimeNano)')
_HEAD = 1 << 16
_TRACES: Final = (
    "trace_view.json",
    "msprof_*.json",
    "*.pt.trace.json",
    "*.pt.trace.json.gz",
    "msprof*.json",
    "*timeline_display*.json",
)
_MEMORY: Final = ("memory_record*.csv", "operator_memory*.csv", "npu_mem*.csv")


@dataclass(frozen=True, slots=True)
class ProfileInfo:
    """One profile folder; None where it does not say."""

    path: Path
    framework: str | None
    rank: int | None
    world_size: int | None
    level: str | None
    has_trace: bool
    has_memory: bool
    has_database: bool
    analysed: bool
    """False for raw data that the profiler's `analyse` has not been run on."""


def is_profile_folder(path: Path) -> bool:
    """Whether a folder is a profile by its name and content, and not a part of a larger one."""
    if not path.is_dir() or _profile_parent(path.parent) is not None:
        return False
    if path.name.endswith(tuple(_FRAMEWORKS)):
        return True
    devices = ("host", "device_*", "mindstudio_profiler_output", "msprof_*.db")
    return path.name.startswith("PROF_") and any(_any(path, pattern) for pattern in devices)


def profile_info(path: Path) -> ProfileInfo:
    """Describe a profile folder without opening its large files."""
    info = _first_json(path.glob("profiler_info*.json"))
    metadata = _first_json([path / "profiler_metadata.json"])
    distributed = metadata.get("distributed_args")
    world = distributed.get("world_size") if isinstance(distributed, dict) else None
    outputs = [folder for folder in _outputs(path) if folder.is_dir()]
    return ProfileInfo(
        path=path,
        framework=framework_of(path),
        rank=rank_of(path),
        world_size=_whole(world if world is not None else info.get("rank_size")),
        level=_level(info),
        has_trace=any(_any(folder, name) for folder in outputs for name in _TRACES),
        has_memory=any(_any(folder, name) for folder in outputs for name in _MEMORY),
        has_database=any(_any(folder, "*.db") for folder in (path, *outputs)),
        analysed=any(_any(folder, "*") for folder in outputs),
    )


def framework_of(path: Path) -> str | None:
    """The framework whose profiler wrote a profile or a file in one."""
    for folder in (path, *path.parents):
        for suffix, framework in _FRAMEWORKS.items():
            if folder.name.endswith(suffix):
                return framework
    name = path.name
    if name.startswith("PROF_") or name.startswith("msprof"):
        return "CANN"
    if "timeline_display" in name:
        return "MindSpore"
    if ".pt.trace" in name or _KINETO.search(_head(path)):
        return "PyTorch"
    return None


def rank_of(path: Path) -> int | None:
    """The rank of a profile folder or trace: from profiler_info_N.json, its name, or its head."""
    folder = path if path.is_dir() else _profile_parent(path)
    if folder is not None:
        for info in sorted(folder.glob("profiler_info_*.json")):
            if match := _RANK_OF_INFO.fullmatch(info.name):
                return int(match.group(1))
        if (
            rank := _whole(_first_json(folder.glob("profiler_info*.json")).get("rank_id"))
        ) is not None:
            return rank
    if path.is_file() and (found := _DISTRIBUTED.search(_head(path))):
        return int(found.group(1))
    for part in (path, folder):
        if part is not None and (match := _RANK_IN_NAME.search(part.name)):
            return int(match.group(1))
    return None


def find_trace(path: Path) -> Path:
    """The trace that a path means: itself (also `profile.zip/trace.json`), or that of a folder.

    Raises StudioError when there is none, or several.
    """
    if not path.exists():
        from studio.formats.trace_text import archive_of

        if archive_of(path) is not None:
            return path
        raise StudioError(tr("{path} does not exist.", path=path), path=path)
    if path.is_file():
        return path
    for folder in (path, *_outputs(path)):
        for pattern in _TRACES:
            if found := sorted(folder.glob(pattern)):
                # msprof names its exports by time: the last one is the newest
                return found[-1]
    nested = sorted(path.glob("**/trace_view.json"))
    if len(nested) == 1:
        return nested[0]
    if nested:
        names = ", ".join(str(trace.relative_to(path)) for trace in nested[:5])
        raise StudioError(
            tr(
                "{path} holds {n} traces ({names} …); name one.",
                path=path,
                n=len(nested),
                names=names,
            ),
            path=path,
        )
    raise StudioError(
        tr(
            "{path} holds no trace: expected trace_view.json, msprof_*.json or *.pt.trace.json. "
            "Raw data must be analysed first (torch_npu.profiler.profiler.analyse).",
            path=path,
        ),
        path=path,
    )


def _outputs(path: Path) -> list[Path]:
    return [path / name for name in OUTPUT] + sorted(path.glob("PROF_*/mindstudio_profiler_output"))


def _profile_parent(path: Path) -> Path | None:
    for folder in (path, *path.parents):
        if folder.name.endswith(tuple(_FRAMEWORKS)):
            return folder
    return None


def _level(info: dict[str, Any]) -> str | None:
    config = info.get("config")
    experimental = config.get("experimental_config") if isinstance(config, dict) else None
    for holder in (experimental, config, info):
        if isinstance(holder, dict):
            for key in ("_profiler_level", "profiler_level", "_level"):
                if holder.get(key) is not None:
                    return str(holder[key]).rpartition(".")[2]
    return None


def _first_json(paths: Iterable[Path]) -> dict[str, Any]:
    for path in sorted(paths):
        try:
            value = json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    return {}


def _whole(value: object) -> int | None:
    try:
        number = int(str(value))
    except ValueError:
        return None
    return number if number >= 0 else None


def _any(folder: Path, pattern: str) -> bool:
    return next(folder.glob(pattern), None) is not None


def _head(path: Path) -> bytes:
    if not path.is_file():
        return b""
    try:
        with open_bytes(path) as source:
            return source.read(_HEAD)[:_HEAD]
    except OSError:
        return b""
