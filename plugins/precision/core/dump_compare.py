"""Compare two dumps: align their parts and calls, and measure every pair of values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugins.precision.core.align.calls import align_calls
from plugins.precision.core.align.keys import module_of, plain_api, sources_of
from plugins.precision.core.dump_result import DumpComparison, PartResult
from plugins.precision.core.measuring import (
    Cells,
    Task,
    measure_files,
    row_of,
    with_noise,
)
from plugins.precision.core.parallel import Workers
from plugins.precision.core.places import Place
from plugins.precision.core.value_pairs import pair_values
from plugins.precision.core.words import part_words
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.tensors.dumps.collecting import without_collection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugins.precision.core.align.change import CallPair
    from plugins.precision.core.mapping import Mapping
    from studio.kernel.job_context import JobContext
    from studio.tensors.dumps.model import Call, DumpIndex, Part, Value
    from studio.tensors.standards import Standard


_RECORDED = ("{}_name", "shape_{}", "dtype_{}", "max_{}", "min_{}", "mean_{}", "norm_{}")
_BASE, _CANDIDATE = (
    tuple(name.format(side) for name in _RECORDED) for side in ("base", "candidate")
)


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
    files = sum(bool(v.file) for one, _ in parts for call in one.calls for v in call.values)
    with Workers(files) as workers:
        for place, (one, two) in enumerate(parts):
            step = _Progress(job, place, len(parts), workers)
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
    missing = [
        tr("{part}: only in the base", part=part_words(left[k])) for k in left if k not in right
    ]
    missing += [
        tr("{part}: only in the candidate", part=part_words(right[k]))
        for k in right
        if k not in left
    ]
    return pairs, missing


class _Progress:
    """Tells a job how far one part of several is, and learns when it is no longer wanted.

    It also knows who does the work.
    """

    def __init__(self, job: JobContext | None, place: int, of: int, workers: Workers) -> None:
        self._job, self._place, self._of = job, place, of
        self.workers = workers

    def report(self, fraction: float) -> None:
        self.check()
        if self._job is not None:
            self._job.report((self._place + fraction) / self._of)

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
    label = one.label if len(base.parts) > 1 else ""
    with without_collection():
        left, right = _Side(base, one), _Side(candidate, two)
        names = mapping.calls(one, two) if mapping else None
        pairs = align_calls(one, two, names, (left.frames, right.frames))
        tasks = [list(_tasks(pair, label, left, right)) for pair in pairs]
    files = [task.files for group in tasks for task in group if task.files]
    found = progress.workers.run(measure_files, files, standard, progress.report)
    rows = []
    with without_collection():
        for group in tasks:
            done = [row_of(task, standard, next(found) if task.files else None) for task in group]
            rows.append(tuple(done))
    faults = (*one.faults, *two.faults)
    return PartResult(label, one.step, one.rank, tuple(pairs), tuple(rows), faults)


class _Side:
    """One of the two dumps: where the files of its values are and which lines made its calls."""

    def __init__(self, index: DumpIndex, part: Part) -> None:
        self._folder = index.root / part.data_folder
        self.frames = sources_of(part)
        self._sources = {
            place: f"{frame.file}:{frame.line}" for place, frame in self.frames.items()
        }

    def place(self, value: Value | None) -> Place | None:
        if value is None or not value.file:
            return None
        return Place(self._folder / value.file, value.dtype, value.member)

    def source(self, call: Call | None) -> str:
        return self._sources.get(call.stack, "") if call else ""


def _tasks(pair: CallPair, label: str, base: _Side, candidate: _Side) -> Iterator[Task]:
    call = pair.base or pair.candidate
    assert call is not None
    shared: Cells = {
        "part": label,
        "call": call.name,
        "module": module_of(call),
        "change": pair.change,
        "source": candidate.source(pair.candidate) or base.source(pair.base),
    }
    api = plain_api(call.api)
    for one, two in pair_values(pair):
        value = one or two
        assert value is not None
        cells = shared.copy()
        cells["name"], cells["role"] = value.name, value.role
        _record(cells, one, _BASE)
        _record(cells, two, _CANDIDATE)
        yield Task(cells, one, two, base.place(one), candidate.place(two), api)


def _record(cells: Cells, value: Value | None, columns: tuple[str, ...]) -> None:
    name, shape, dtype, largest, least, mean, norm = columns
    if value is None:
        cells[dtype] = None
        return
    cells[name] = value.name
    cells[shape] = value.shape
    cells[dtype] = value.dtype.removeprefix("torch.") or None
    cells[largest], cells[least] = value.max, value.min
    cells[mean], cells[norm] = value.mean, value.norm


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
