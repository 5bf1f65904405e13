"""What a profile says of itself: framework, chip, rank, level, versions, parallel sizes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from studio.formats.profile_info import framework_of, profile_info, rank_of
from studio.perf.profile import Info

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from studio.formats.database import Database
    from studio.perf.sources import Sources

_SIZE_ENDINGS = ("_size", "_parallel_size")


def read_info(sources: Sources, database: Database | None, head: Mapping[str, Any]) -> Info:
    """Put together what the small files, the database and the head of a Kineto trace say."""
    folder = _home(sources.path)
    small = profile_info(folder) if folder.is_dir() else None
    written = _json(sorted(folder.glob("profiler_info*.json"))) if folder.is_dir() else {}
    metadata = _json([folder / "profiler_metadata.json"]) if folder.is_dir() else {}
    is_kineto = bool(head)
    distributed = _mapping(head.get("distributedInfo"))
    devices = head.get("deviceProperties")
    chips = [entry.get("name") for entry in devices if isinstance(entry, dict)] if devices else []
    config = _mapping(written.get("config"))
    experimental = _mapping(config.get("experimental_config"))
    arguments = _mapping(metadata.get("distributed_args"))
    rank = _first(distributed.get("rank"), rank_of(sources.path))
    world = _first(small.world_size if small else None, distributed.get("world_size"))
    return Info(
        form="Kineto trace" if is_kineto else sources.form,
        framework="PyTorch" if is_kineto else framework_of(sources.path) or _framework(sources),
        hardware=_hardware(head) if is_kineto else "NPU",
        chip=_first(chips[0] if chips else None, _chip(database)),
        rank=rank if isinstance(rank, int) else None,
        world_size=world if isinstance(world, int) else None,
        device=_device(database),
        host=_first(_pair(database, "HOST_INFO", 1), head.get("host_name")),
        level=small.level if small else None,
        metrics=_text(experimental.get("_aic_metrics")),
        frequency_mhz=_frequency(database),
        versions=_versions(written, database, head),
        settings={**_mapping(config.get("common_config")), **experimental},
        parallel={
            name: value
            for name, value in arguments.items()
            if name.endswith(_SIZE_ENDINGS) and isinstance(value, int)
        },
        groups=_mapping(metadata.get("parallel_group_info")),
    )


def _home(path: Path) -> Path:
    """The folder that the profiler made: where profiler_info stands."""
    start = path if path.is_dir() else path.parent
    for folder in (start, *list(start.parents)[:2]):
        if any(folder.glob("profiler_info*.json")) or folder.name.startswith("PROF_"):
            return folder
    return path


def _framework(sources: Sources) -> str | None:
    old = ("step_trace_raw", "output_timeline", "timeline", "framework")
    return "MindSpore" if any(kind in sources.files for kind in old) else None


def _hardware(head: Mapping[str, Any]) -> str:
    return "GPU" if head.get("deviceProperties") else "CPU or other"


def _versions(
    written: Mapping[str, Any], database: Database | None, head: Mapping[str, Any]
) -> dict[str, str]:
    found = {
        "torch_npu": written.get("torch_npu_version"),
        "CANN": written.get("cann_version"),
        "MindSpore": written.get("ms_version") or written.get("mindspore_version"),
        "database": next(
            (row[1] for row in _rows(database, "META_DATA") if row[0] == "SCHEMA_VERSION"), None
        ),
        "trace": head.get("schemaVersion"),
        "CUDA driver": head.get("cuda_driver_version"),
    }
    return {name: str(value) for name, value in found.items() if value is not None}


def _chip(database: Database | None) -> str | None:
    return _pair(database, "NPU_INFO", 1)


def _device(database: Database | None) -> int | None:
    value = next((row[1] for row in _rows(database, "RANK_DEVICE_MAP")), None)
    return value if isinstance(value, int) and value >= 0 else None


def _frequency(database: Database | None) -> float | None:
    found = [row[2] for row in _rows(database, "AICORE_FREQ") if len(row) > 2 and row[2]]
    return float(max(found)) if found else None


def _pair(database: Database | None, table: str, column: int) -> str | None:
    return next((str(row[column]) for row in _rows(database, table) if len(row) > column), None)


def _rows(database: Database | None, table: str) -> list[tuple[Any, ...]]:
    return database.pairs(table) if database is not None else []


def _json(paths: list[Path]) -> dict[str, Any]:
    for path in paths:
        try:
            value = json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    return {}


def _mapping(value: object) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _first(*values: Any) -> Any:  # noqa: ANN401 - whatever is there
    return next((value for value in values if value is not None), None)
