"""Compare two runs; folders of `.npy` files tensor by tensor, paired by their relative names."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from plugins.precision.core.result import Comparison, Row, Status
from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugins.precision.core.compat_compare import CompatComparison
    from plugins.precision.core.several import SeveralComparisons
    from studio.kernel.job_context import JobContext
    from studio.tensors.npy import TensorFile

SUFFIX = ".npy"


def compare(
    base: str | Path,
    candidate: str | Path,
    rtol: float = -1.0,
    scale_tol: float = -1.0,
    mode: str = "strict",
    mapping: str = "",
    map: str = "",
    noise: str = "",
    standard: str = "",
    fuzzy: bool = False,
    report: str = "",
    more: Sequence[Path] = (),
    job: JobContext | None = None,
) -> Comparison | CompatComparison | SeveralComparisons:
    """Compare two runs: dumps of any known kind, folders of tensor files, or two such files.

    `more` are further candidates that are compared with the same base.
    `mode` is "strict" or "compatible" (msprobe's table); `mapping` (or `map`) a mapping file,
    `noise` a third run of the base, `standard` a set of tolerances, `report` a folder for the
    tables.
    """
    left, right = Path(base), Path(candidate)
    mapping = mapping or map
    special = mapping or noise or standard or report or more
    if mode == "strict" and not special and _plain(left, right):
        return compare_files(base, candidate, rtol, scale_tol, job)
    from plugins.precision.core.dumping import Options, compare_indexed
    from studio.tensors.dumps.collecting import without_collection

    options = Options(mode, mapping, noise, standard, fuzzy, report, rtol, scale_tol)
    if more:
        from plugins.precision.core.several import compare_several

        return compare_several(left, [right, *(Path(path) for path in more)], options, job)
    # Nothing here is left in cycles, and looking for some takes a fifth of the time of statistics.
    with without_collection():
        return compare_indexed(left, right, options, job)


def _plain(*sides: Path) -> bool:
    """Whether all sides are `.npy` files, or folders with no other tensors."""
    from studio.tensors.dumps.index import dump_kind
    from studio.tensors.tensor_file import SUFFIXES

    for side in sides:
        if side.is_file() and side.suffix != SUFFIX:
            return False
        if side.is_dir():
            own = any(name.endswith(SUFFIX) for name in os.listdir(side))
            if dump_kind(side) != "files" and not own:
                return False
            names = (name for _, _, files in os.walk(side) for name in files)
            if any(n.casefold().endswith(SUFFIXES) and not n.endswith(SUFFIX) for n in names):
                return False
    return True


def compare_files(
    base: str | Path,
    candidate: str | Path,
    rtol: float = -1.0,
    scale_tol: float = -1.0,
    job: JobContext | None = None,
) -> Comparison:
    """Compare the tensors of a candidate run with those of a base run.

    Both are folders (searched with all that is below them) or single `.npy` files. A negative
    tolerance means that of the elements' type, see `studio.tensors.tolerance`. Files that cannot be
    read become rows that say why. Raises StudioError when a side has no tensor at all.
    """
    left, right = Path(base), Path(candidate)
    found_left, found_right = _find(left), _find(right)
    if left.is_file() != right.is_file():
        raise StudioError(tr("A file can only be compared with a file, a folder with a folder."))
    if left.is_file():
        found_right = dict.fromkeys(found_left, right)
    names = sorted(found_left.keys() | found_right.keys(), key=_natural)
    limits = _Limits(rtol, scale_tol, job)
    rows = []
    for number, name in enumerate(names):
        if job is not None:
            job.report(number / len(names), name)
            job.check()
        rows.append(_pair(name, found_left.get(name), found_right.get(name), limits))
    return Comparison(left, right, tuple(rows))


class _Limits:
    """The tolerances asked for, and how a long comparison learns that it is no longer wanted."""

    def __init__(self, relative: float, of_scale: float, job: JobContext | None) -> None:
        self.relative = None if relative < 0 else relative
        self.of_scale = None if of_scale < 0 else of_scale
        self._job = job

    def check(self) -> None:
        """Raise when the job was cancelled."""
        if self._job is not None:
            self._job.check()


def _find(root: Path) -> dict[str, Path]:
    """Map the names of tensors (relative, without suffix) to their files."""
    if root.is_file():
        return {root.name.removesuffix(SUFFIX): root}
    if not root.is_dir():
        raise StudioError(tr("{path} does not exist.", path=root), path=root)
    found = {}
    for folder, folders, files in os.walk(root):
        folders.sort()
        for file in files:
            if file.endswith(SUFFIX):
                path = Path(folder, file)
                found[path.relative_to(root).as_posix().removesuffix(SUFFIX)] = path
    if not found:
        raise StudioError(tr("{path} holds no .npy files.", path=root), path=root)
    return found


def _natural(name: str) -> list[tuple[int, int | str]]:
    """Sort 9 before 10: digits compare as numbers."""
    pieces = re.split(r"(\d+)", name)
    return [(0, int(piece)) if piece.isdigit() else (1, piece) for piece in pieces if piece]


def _pair(name: str, base: Path | None, candidate: Path | None, limits: _Limits) -> Row:
    from studio.tensors.npy import TensorError

    files: list[TensorFile | None] = []
    faults: list[str] = []
    for path, side in ((base, tr("base")), (candidate, tr("candidate"))):
        try:
            files.append(None if path is None else _open(path))
        except TensorError as error:
            files.append(None)
            faults.append(f"{side}: {error.message}")
    left, right = files
    row = Row(
        name,
        Status.UNREADABLE,
        tr("; ").join(faults),
        shape_base=left.shape if left else None,
        shape_candidate=right.shape if right else None,
        dtype_base=left.type.name if left else None,
        dtype_candidate=right.type.name if right else None,
    )
    if faults:
        return row
    if left is None or right is None:
        return replace(row, status=Status.NO_BASE if left is None else Status.NO_CANDIDATE)
    if left.shape != right.shape:
        return replace(row, status=Status.SHAPE, reason=tr("nothing compared, the shapes differ"))
    try:
        return _measured(row, left, right, limits)
    except (TensorError, OSError) as error:
        return replace(row, reason=str(error))


def _open(path: Path) -> TensorFile:
    from studio.tensors.dump_types import DumpTypes
    from studio.tensors.npy import open_npy

    return open_npy(path, lambda: DumpTypes(path.parent).of(path))


def _measured(row: Row, left: TensorFile, right: TensorFile, limits: _Limits) -> Row:
    from plugins.precision.core.verdict import judge
    from studio.tensors.metrics import measure
    from studio.tensors.tolerance import tolerance_for

    tolerance = tolerance_for(left.type, right.type, limits.relative, limits.of_scale)
    m = measure(left, right, tolerance, limits.check)
    status, reason = judge(left, right, m)
    some = m.count > 0
    found = m.non_finite
    return replace(
        row,
        status=status,
        reason=reason,
        cosine=m.cosine,
        max_abs=m.max_abs if some else None,
        max_rel=m.max_rel if some else None,
        mean_abs=m.mean_abs if m.compared else None,
        rmse=m.rmse if m.compared else None,
        elements=m.count,
        differing=m.differing,
        zero_base=m.zero_base,
        nan_base=found.nan_base,
        nan_candidate=found.nan_candidate,
        nan_both=found.nan_both,
        inf_base=found.inf_base,
        inf_candidate=found.inf_candidate,
        inf_both=found.inf_both,
        non_finite_mismatch=found.mismatched,
        first_differing=m.first_differing,
    )
