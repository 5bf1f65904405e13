"""All profiles at a path: one, or those of several ranks in a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from studio.formats.profile_info import is_profile_folder
from studio.formats.torch_snapshot import is_snapshot
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.perf.load import load_profile
from studio.perf.sources import PACK_SUFFIX, find_sources

if TYPE_CHECKING:
    from pathlib import Path

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile

_DEPTH: Final = 3
_TRACES: Final = ("*.pt.trace.json", "*.pt.trace.json.gz", f"*{PACK_SUFFIX}")
_PICKLES: Final = ("*.pickle", "*.pkl")


def profiles_at(
    path: Path, *, rank: int | None = None, job: Progress | None = None
) -> list[Profile]:
    """Open the profiles at a path by rank; `rank` keeps only that one.

    Raises StudioError when there is none, or none of the rank.
    """
    found = [load_profile(place, job) for place in profile_paths(path)]
    kept = [profile for profile in found if rank is None or profile.info.rank == rank]
    if not kept:
        ranks = sorted(p.info.rank for p in found if p.info.rank is not None)
        raise StudioError(
            tr(
                "{path} holds no profile of rank {rank}; there are ranks {ranks}.",
                path=path,
                rank=rank,
                ranks=", ".join(map(str, ranks)) or "–",
            ),
            path=path,
        )
    return sorted(kept, key=lambda p: (p.info.rank is None, p.info.rank or 0, str(p.path)))


def profile_paths(path: Path) -> list[Path]:
    """The path itself when it is a profile, else the profiles in it; raises when there is none."""
    if not path.exists():
        raise StudioError(tr("{path} does not exist.", path=path), path=path)
    if path.is_file() or is_profile_folder(path):
        return [path]
    inside = _folders(path, _DEPTH)
    inside += [file for pattern in _TRACES for file in sorted(path.glob(pattern))]
    pickles = sorted({file for pattern in _PICKLES for file in path.glob(pattern)})
    inside += [file for file in pickles if is_snapshot(file)]
    if inside:
        return inside
    sources = find_sources(path)
    if not sources.files and not sources.raw:
        raise StudioError(
            tr(
                "{path} holds no profile: expected a folder such as …_ascend_pt or PROF_…, "
                "or traces.",
                path=path,
            ),
            path=path,
        )
    return [path]


def _folders(path: Path, depth: int) -> list[Path]:
    """Profile folders below a path, not looking into them."""
    found: list[Path] = []
    for folder in sorted(entry for entry in path.iterdir() if entry.is_dir()):
        if is_profile_folder(folder):
            found.append(folder)
        elif depth > 1 and not folder.is_symlink():
            found += _folders(folder, depth - 1)
    return found
