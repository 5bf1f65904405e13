"""Make the row of one pair of values: from their files, statistics, checksums or arguments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from plugins.precision.core.align.change import Change
from plugins.precision.core.arguments import (
    Finding,
    compare_arguments,
    compare_checksums,
    compare_statistics,
)
from plugins.precision.core.result import Status
from plugins.precision.core.verdict import judge
from studio.i18n import tr
from studio.tensors.dtypes import canonical, named_type
from studio.tensors.metrics import measure
from studio.tensors.profile import as_dict
from studio.tensors.tensor import TensorError, TensorFile
from studio.tensors.tensor_file import open_tensor_file
from studio.tensors.values import ElementType

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from plugins.precision.core.dump_row import DumpRow
    from studio.tensors.dumps.model import Value
    from studio.tensors.standards import Standard
    from studio.tensors.tolerance import Tolerance

NOISE_FACTOR = 3.0
"""How many times the error of the third run is still noise."""


@dataclass(frozen=True, slots=True)
class Task:
    """A pair of values to measure; the files are None when there are none."""

    row: DumpRow
    base: Value | None
    candidate: Value | None
    base_file: Path | None = None
    candidate_file: Path | None = None
    api: str = ""


def measured(task: Task, standard: Standard, check: Callable[[], object]) -> DumpRow:
    """Return the row of a pair with its verdict."""
    base, candidate = task.base, task.candidate
    if base is None or candidate is None:
        return _alone(task)
    if not base.tensor or not candidate.tensor:
        return _found(task.row, compare_arguments(base, candidate))
    if task.base_file is not None and task.candidate_file is not None:
        return _from_files(task, standard, check)
    if _shapes_differ(base, candidate):
        return replace(
            task.row, status=Status.SHAPE, reason=tr("nothing compared, the shapes differ")
        )
    if base.checksum and candidate.checksum:
        row = _found(task.row, compare_checksums(base, candidate))
    else:
        tolerance = _tolerance(task, standard)
        row = _found(task.row, compare_statistics(base, candidate, tolerance))
    return _typed(row)


def with_noise(row: DumpRow, noise: float | None) -> DumpRow:
    """Judge a row against the error that a third run has by chance."""
    if noise is None:
        return row
    row = replace(row, noise=noise)
    error = row.relative_error
    if row.status is not Status.DIFFERS or error is None or not noise:
        return row
    if error <= NOISE_FACTOR * noise:
        reason = tr("within the noise of the third run ({noise})", noise=f"{noise:.3g}")
        return replace(row, status=Status.OK, reason=reason)
    times = tr("{n} times the noise", n=f"{error / noise:.3g}")
    return replace(row, reason=f"{row.reason}; {times}")


def _from_files(task: Task, standard: Standard, check: Callable[[], object]) -> DumpRow:
    side = tr("base")
    try:
        base = _open(task.base, task.base_file)
        side = tr("candidate")
        candidate = _open(task.candidate, task.candidate_file)
        side = ""
        return _typed(_from_tensors(task, base, candidate, standard, check))
    except TensorError as error:
        reason = f"{side}: {error.message}" if side else error.message
    except OSError as error:
        reason = error.strerror or str(error)
    return replace(task.row, status=Status.UNREADABLE, reason=reason)


def _open(value: Value | None, path: Path | None) -> TensorFile:
    assert value is not None
    assert path is not None
    tensors = open_tensor_file(path, value.dtype)
    if value.member in tensors:
        return tensors[value.member]
    if value.member in tensors.refused:
        raise TensorError(tensors.refused[value.member], path=path)
    raise TensorError(tr("holds {n} tensors instead of one", n=len(tensors)), path=path)


def _from_tensors(
    task: Task,
    base: TensorFile,
    candidate: TensorFile,
    standard: Standard,
    check: Callable[[], object],
) -> DumpRow:
    row = replace(
        task.row,
        shape_base=base.shape,
        shape_candidate=candidate.shape,
        dtype_base=base.type.name,
        dtype_candidate=candidate.type.name,
    )
    if base.shape != candidate.shape:
        return replace(row, status=Status.SHAPE, reason=tr("nothing compared, the shapes differ"))
    tolerance = standard.tolerance(base.type, candidate.type, task.api)
    m = measure(base, candidate, tolerance, check, standard.limits(base.type, candidate.type))
    status, reason = judge(base, candidate, m)
    some, odd = m.count > 0, m.non_finite
    more = as_dict(m.profile) if m.profile else {}
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
        nan_base=odd.nan_base,
        nan_candidate=odd.nan_candidate,
        nan_both=odd.nan_both,
        inf_base=odd.inf_base,
        inf_candidate=odd.inf_candidate,
        inf_both=odd.inf_both,
        non_finite_mismatch=odd.mismatched,
        first_differing=m.first_differing,
        relative_error=m.relative_error if some else None,
        snr=m.snr,
        histogram=m.profile.histogram if m.profile else None,
        **more,
    )


def _found(row: DumpRow, finding: Finding) -> DumpRow:
    return replace(
        row,
        status=finding.status,
        reason=finding.reason,
        relative_error=finding.relative_error,
        max_abs=finding.max_abs,
        differing=finding.differing,
    )


def _typed(row: DumpRow) -> DumpRow:
    """Let someone look when the types differ, even where the values agree."""
    one, two = canonical(row.dtype_base or ""), canonical(row.dtype_candidate or "")
    if one == two or not one or not two:
        return row
    status = Status.REVIEW if row.status is Status.OK else row.status
    words = tr("types differ ({base}, {candidate})", base=one, candidate=two)
    reason = row.reason.replace(tr("types differ"), words)
    return replace(row, status=status, reason=reason if words in reason else f"{reason}; {words}")


def _shapes_differ(base: Value, candidate: Value) -> bool:
    known = base.shape is not None and candidate.shape is not None
    return known and base.shape != candidate.shape


def _tolerance(task: Task, standard: Standard) -> Tolerance:
    kinds = [named_type(value.dtype if value else "") for value in (task.base, task.candidate)]
    known = [kind for kind in kinds if kind] or [ElementType("float32", np.dtype(np.float32))]
    return standard.tolerance(known[0], known[-1], task.api)


def _alone(task: Task) -> DumpRow:
    row = task.row
    status = Status.NO_BASE if task.base is None else Status.NO_CANDIDATE
    if row.change in (Change.INSERTED, Change.REMOVED):
        words = {Change.INSERTED: tr("an inserted call"), Change.REMOVED: tr("a removed call")}
        return replace(row, status=status, reason=words[row.change])
    value = task.base or task.candidate
    if value is not None and not value.tensor:
        # Frameworks and versions fill in defaults in their own ways.
        return replace(row, status=Status.REVIEW, reason=tr("an argument on one side only"))
    return replace(row, status=status, reason=tr("a tensor on one side only"))
