"""Make the row of one pair of values: from their files, statistics, checksums or arguments."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from msgspec.structs import replace

from plugins.precision.core.align.change import Change
from plugins.precision.core.arguments import (
    Finding,
    compare_arguments,
    compare_checksums,
    compare_statistics,
)
from plugins.precision.core.dump_row import DumpRow
from plugins.precision.core.places import Place, open_place
from plugins.precision.core.result import Status
from plugins.precision.core.verdict import judge
from studio.i18n import tr
from studio.tensors.dtypes import canonical, named_type
from studio.tensors.metrics import measure
from studio.tensors.profile import as_dict
from studio.tensors.tensor import TensorError
from studio.tensors.values import ElementType

if TYPE_CHECKING:
    from studio.tensors.dumps.model import Value
    from studio.tensors.standards import Standard
    from studio.tensors.tensor import TensorFile
    from studio.tensors.tolerance import Tolerance

NOISE_FACTOR = 3.0
"""How many times the error of the third run is still noise."""

Cells = dict[str, Any]
"""Fields of a row by name."""


class Task(NamedTuple):
    """A pair of values to measure: what is known of the row, and where to look."""

    cells: Cells
    base: Value | None
    candidate: Value | None
    base_place: Place | None = None
    candidate_place: Place | None = None
    api: str = ""

    @property
    def files(self) -> tuple[Place, Place, str] | None:
        """What `measure_files` needs, None when there are no two files."""
        if self.base_place is None or self.candidate_place is None:
            return None
        return self.base_place, self.candidate_place, self.api


def row_of(task: Task, standard: Standard, files: Cells | None) -> DumpRow:
    """Return the row of a pair with its verdict; `files` is what `measure_files` found.

    A task is good for one row: its cells become those of the row.
    """
    cells = task.cells
    cells.update(_cells(task, standard, files))
    _typed(cells)
    return DumpRow(**cells)


def measure_files(files: tuple[Place, Place, str], standard: Standard) -> Cells:
    """Compare the tensors in two files; runs in other processes too."""
    one, two, api = files
    side = tr("base")
    try:
        base = open_place(one, keep=True)
        side = tr("candidate")
        candidate = open_place(two, keep=True)
        side = ""
        return _compare(base, candidate, api, standard)
    except TensorError as error:
        reason = f"{side}: {error.message}" if side else error.message
    except OSError as error:
        reason = error.strerror or str(error)
    return {"status": Status.UNREADABLE, "reason": reason}


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


def _cells(task: Task, standard: Standard, files: Cells | None) -> Cells:
    base, candidate = task.base, task.candidate
    if base is None or candidate is None:
        return _alone(task)
    if not base.tensor or not candidate.tensor:
        return _found(compare_arguments(base, candidate))
    if files is not None:
        return files
    if base.shape != candidate.shape and base.shape is not None and candidate.shape is not None:
        return _SHAPES | {"reason": tr("nothing compared, the shapes differ")}
    if base.checksum and candidate.checksum:
        return _found(compare_checksums(base, candidate))
    limits = partial(_tolerance, base, candidate, task, standard)
    return _found(compare_statistics(base, candidate, limits))


def _compare(base: TensorFile, candidate: TensorFile, api: str, standard: Standard) -> Cells:
    cells: Cells = {
        "shape_base": base.shape,
        "shape_candidate": candidate.shape,
        "dtype_base": base.type.name,
        "dtype_candidate": candidate.type.name,
    }
    if base.shape != candidate.shape:
        return cells | _SHAPES | {"reason": tr("nothing compared, the shapes differ")}
    tolerance = standard.tolerance(base.type, candidate.type, api)
    m = measure(base, candidate, tolerance, limits=standard.limits(base.type, candidate.type))
    status, reason = judge(base, candidate, m)
    odd = m.non_finite
    cells |= {"status": status, "reason": reason, "cosine": m.cosine, "elements": m.count}
    cells |= {"differing": m.differing, "zero_base": m.zero_base, "snr": m.snr}
    cells |= {name: getattr(odd, name) for name in _ODD}
    cells |= {"non_finite_mismatch": odd.mismatched, "first_differing": m.first_differing}
    if m.count:
        cells |= {"max_abs": m.max_abs, "max_rel": m.max_rel, "relative_error": m.relative_error}
    if m.compared:
        cells |= {"mean_abs": m.mean_abs, "rmse": m.rmse}
    if m.profile:
        cells |= as_dict(m.profile) | {"histogram": m.profile.histogram}
    return cells


def _found(finding: Finding) -> Cells:
    return {
        "status": finding.status,
        "reason": finding.reason,
        "relative_error": finding.relative_error,
        "max_abs": finding.max_abs,
        "differing": finding.differing,
    }


def _typed(cells: Cells) -> None:
    """Let someone look when the types differ, even where the values agree."""
    one, two = cells["dtype_base"], cells["dtype_candidate"]
    if one == two or not one or not two or canonical(one) == canonical(two):
        return
    words = tr("types differ ({base}, {candidate})", base=one, candidate=two)
    reason = cells["reason"].replace(tr("types differ"), words)
    cells["reason"] = reason if words in reason else f"{reason}; {words}"
    if cells["status"] is Status.OK:
        cells["status"] = Status.REVIEW


def _tolerance(base: Value, candidate: Value, task: Task, standard: Standard) -> Tolerance:
    kinds = [named_type(base.dtype), named_type(candidate.dtype)]
    known = [kind for kind in kinds if kind] or [ElementType("float32", np.dtype(np.float32))]
    return standard.tolerance(known[0], known[-1], task.api)


def _alone(task: Task) -> Cells:
    status = Status.NO_BASE if task.base is None else Status.NO_CANDIDATE
    value = task.base or task.candidate
    change = task.cells["change"]
    if change is Change.INSERTED:
        reason = tr("an inserted call")
    elif change is Change.REMOVED:
        reason = tr("a removed call")
    elif value is not None and not value.tensor:
        # Frameworks and versions fill in defaults in their own ways.
        return {"status": Status.REVIEW, "reason": tr("an argument on one side only")}
    else:
        reason = tr("a tensor on one side only")
    return {"status": status, "reason": reason}


_SHAPES = {"status": Status.SHAPE}
_ODD = ("nan_base", "nan_candidate", "nan_both", "inf_base", "inf_candidate", "inf_both")
