"""Compare two dumps: align their parts and calls, and measure every pair of values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugins.precision.core.align.calls import align_calls
from plugins.precision.core.align.keys import module_of, plain_api, source_of
from plugins.precision.core.dump_result import DumpComparison, PartResult
from plugins.precision.core.dump_row import DumpRow
from plugins.precision.core.measuring import Task, measured, with_noise
from plugins.precision.core.result import Status
from plugins.precision.core.value_pairs import pair_values
from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from plugins.precision.core.align.change import CallPair
    from plugins.precision.core.mapping import Mapping
    from studio.kernel.job_context import JobContext
    from studio.tensors.dumps.model import Call, DumpIndex, Part, Value
    from studio.tensors.standards import Standard


def compare_dumps(
    base: DumpIndex,
    candidate: DumpIndex,
    standard: Standard,
    *,
    mapping: Mapping | None = None,
    noise: DumpIndex | None = None,
    job: JobContext | None = None,
) -> DumpComparison:
    """Compare two indexed dumps rank by rank and step by step.

    `noise` is a third run of the base: how far it lies from the base is what chance makes.
    """
    parts, missing = pair_parts(base, candidate)
    results = []
    for place, (one, two) in enumerate(parts):
        step = _Progress(job, place, len(parts))
        result = _compare_part(base, one, candidate, two, standard, mapping, step)
        if noise is not None:
            result = _with_noise(result, base, one, noise, standard, step)
        results.append(result)
    rows = tuple(row for result in results for rows in result.rows for row in rows)
    return DumpComparison(base.root, candidate.root, rows, tuple(results), tuple(missing))


def pair_parts(base: DumpIndex, candidate: DumpIndex) -> tuple[list[tuple[Part, Part]], list[str]]:
    """Pair the parts of two dumps by step and rank; what is left is returned in words."""
    if len(base.parts) == len(candidate.parts) == 1:
        return [(base.parts[0], candidate.parts[0])], []
    left = {(part.step, part.rank): part for part in base.parts}
    right = {(part.step, part.rank): part for part in candidate.parts}
    pairs = [(part, right[key]) for key, part in left.items() if key in right]
    if not pairs:
        raise StudioError(tr("The two dumps have no step and rank in common."))
    missing = [tr("{part}: only in the base", part=left[k].label) for k in left if k not in right]
    missing += [
        tr("{part}: only in the candidate", part=right[k].label) for k in right if k not in left
    ]
    return pairs, missing


class _Progress:
    """Tells a job how far one part of several is, and learns when it is no longer wanted."""

    def __init__(self, job: JobContext | None, place: int, of: int) -> None:
        self._job, self._place, self._of = job, place, of

    def report(self, fraction: float, name: str) -> None:
        if self._job is not None:
            self._job.report((self._place + fraction) / self._of, name)

    def check(self) -> None:
        if self._job is not None:
            self._job.check()


def _compare_part(
    base: DumpIndex,
    one: Part,
    candidate: DumpIndex,
    two: Part,
    standard: Standard,
    mapping: Mapping | None,
    progress: _Progress,
) -> PartResult:
    pairs = align_calls(one, two, mapping.calls(one, two) if mapping else None)
    label = one.label if len(base.parts) > 1 else ""
    rows = []
    for place, pair in enumerate(pairs):
        if place % 20 == 0:
            progress.check()
            progress.report(place / len(pairs), pair.name)
        tasks = _tasks(pair, label, (base, one), (candidate, two))
        rows.append(tuple(measured(task, standard, progress.check) for task in tasks))
    faults = (*one.faults, *two.faults)
    return PartResult(label, one.step, one.rank, tuple(pairs), tuple(rows), faults)


def _tasks(
    pair: CallPair, label: str, base: tuple[DumpIndex, Part], candidate: tuple[DumpIndex, Part]
) -> Iterator[Task]:
    call = pair.base or pair.candidate
    assert call is not None
    source = source_of(candidate[1], pair.candidate) if pair.candidate else None
    if source is None and pair.base:
        source = source_of(base[1], pair.base)
    place = f"{source.file}:{source.line}" if source else ""
    for one, two in pair_values(pair):
        row = _row(pair, call, one, two, label, place)
        yield Task(row, one, two, _path(*base, one), _path(*candidate, two), plain_api(call.api))


def _row(
    pair: CallPair, call: Call, one: Value | None, two: Value | None, label: str, source: str
) -> DumpRow:
    value = one or two
    assert value is not None
    return DumpRow(
        value.name,
        Status.EMPTY,
        "",
        shape_base=one.shape if one else None,
        shape_candidate=two.shape if two else None,
        dtype_base=one.dtype.removeprefix("torch.") or None if one else None,
        dtype_candidate=two.dtype.removeprefix("torch.") or None if two else None,
        part=label,
        call=call.name,
        base_name=one.name if one else None,
        candidate_name=two.name if two else None,
        module=module_of(call),
        role=value.role,
        change=pair.change,
        max_base=one.max if one else None,
        max_candidate=two.max if two else None,
        min_base=one.min if one else None,
        min_candidate=two.min if two else None,
        mean_base=one.mean if one else None,
        mean_candidate=two.mean if two else None,
        norm_base=one.norm if one else None,
        norm_candidate=two.norm if two else None,
        source=source,
    )


def _path(index: DumpIndex, part: Part, value: Value | None) -> Path | None:
    return index.path(part, value) if value is not None and value.file else None


def _with_noise(
    result: PartResult,
    base: DumpIndex,
    one: Part,
    noise: DumpIndex,
    standard: Standard,
    progress: _Progress,
) -> PartResult:
    key = (one.step, one.rank)
    third = next((p for p in noise.parts if (p.step, p.rank) == key), None)
    if third is None and len(noise.parts) == 1:
        third = noise.parts[0]
    if third is None:
        return result
    chance = _compare_part(base, one, noise, third, standard, None, progress)
    errors = {row.base_name: row.relative_error for rows in chance.rows for row in rows}
    rows = tuple(
        tuple(with_noise(row, errors.get(row.base_name)) for row in group) for group in result.rows
    )
    return replace(result, rows=rows)
