"""What a project scan asks: is this a trace or a profile, and what is known of it at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from studio.formats.chrome_sniff import looks_like_trace
from studio.formats.profile_info import framework_of, is_profile_folder, profile_info, rank_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from studio.model.items import FactValue

_TRACE_NAME = re.compile(
    r"(^|/)(trace_view\.json|msprof_[^/]*\.json|[^/]*\.pt\.trace\.json(\.gz)?)$"
)


def is_trace(path: Path) -> bool:
    """Whether the first bytes of a file look like a trace."""
    return looks_like_trace(path)


def is_trace_archive(path: Path) -> bool:
    """Whether an archive has a member that is named like a trace."""
    return bool(traces_in(path))


def traces_in(archive: Path) -> list[str]:
    """The members of an archive that are named like traces; none of what is no archive."""
    from studio.formats.archive import is_archive, read_archive

    try:
        texts = read_archive(archive).texts if is_archive(archive) else []
    except OSError:
        return []
    return [text.member for text in texts if _TRACE_NAME.search(text.member)]


def trace_facts(path: Path) -> Mapping[str, FactValue]:
    """What is known of a trace without loading it."""
    facts: dict[str, FactValue] = {"bytes": path.stat().st_size}
    if (rank := rank_of(path)) is not None:
        facts["rank"] = rank
    if (framework := framework_of(path)) is not None:
        facts["framework"] = framework
    return facts


def is_profile(path: Path) -> bool:
    """Whether a folder is one whole profile."""
    return is_profile_folder(path)


def profile_facts(path: Path) -> Mapping[str, FactValue]:
    """What is known of a profile without reading its tables."""
    info = profile_info(path)
    known: dict[str, FactValue] = {
        "rank": info.rank,
        "world_size": info.world_size,
        "framework": info.framework,
        "level": info.level,
    }
    return {
        **{key: value for key, value in known.items() if value is not None},
        "has_trace": info.has_trace,
        "has_memory": info.has_memory,
        "has_database": info.has_database,
        "analysed": info.analysed,
    }
