"""Build the comparison table of msprobe 26.2 for one rank in one step."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from plugins.precision.core.compat.cells import NOT_AVAILABLE, Side, sides_of
from plugins.precision.core.compat.matching import Pair, match_exactly, match_fuzzily
from plugins.precision.core.compat.rules import Row, judge
from plugins.precision.core.compat.statistics import difference

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from studio.tensors.dumps.model import DumpIndex, Part

_HEAD = ("Name", "Dtype", "Tensor Shape", "Requires_grad")
_STATISTICS = ("max", "min", "mean", "l2norm")
_ERRORS = ("MaxRelativeErr", "MinRelativeErr", "MeanRelativeErr", "NormRelativeErr")
_UNMATCHED = "unsupported"


def compare_part(
    npu: DumpIndex,
    npu_part: Part,
    bench: DumpIndex,
    bench_part: Part,
    *,
    fuzzy: bool = False,
    names: Mapping[str, str] | None = None,
    check: Callable[[float, str], object] = lambda fraction, name: None,
) -> list[Row]:
    """Return the rows of msprobe's table, each with its columns in order.

    `npu` is the run in question, `bench` the reference. Calls that only the reference has give no
    row, as in msprobe.
    """
    left = sides_of(npu_part.calls, _stacks(npu_part))
    right = sides_of(bench_part.calls, {})
    pairs = match_fuzzily(left, right) if fuzzy else match_exactly(left, right, names)
    mode = mode_of(npu_part)
    reader = _Reader(npu, npu_part, bench, bench_part)
    rows = []
    for place, pair in enumerate(pairs):
        if mode == "tensor" or place % 1000 == 0:
            check(place / len(pairs), pair[0].name)
        rows.append(_row(pair, mode, reader, bool(npu_part.stacks)))
    for _, group in groupby(zip(pairs, rows, strict=True), key=lambda entry: entry[0][0].call):
        judge([row for _, row in group], mode)
    return rows


def mode_of(part: Part) -> str:
    """Return which of msprobe's three tables a part gives: "tensor", "statistics" or "md5"."""
    if part.task == "tensor":
        return "tensor"
    return "md5" if part.summed else "statistics"


class _Reader:
    """Compares the files of two values."""

    def __init__(self, npu: DumpIndex, npu_part: Part, bench: DumpIndex, bench_part: Part) -> None:
        self._sides = ((npu, npu_part), (bench, bench_part))

    def columns(self, npu: Side, bench: Side | None) -> list[Any]:
        from studio.tensors.compat import columns_of
        from studio.tensors.tensor import TensorError
        from studio.tensors.tensor_file import open_one

        if bench is None or "-1" in (npu.file, bench.file):
            return [_UNMATCHED] * 6
        (index, part), (other, other_part) = self._sides
        try:
            one = open_one(index.path(part, npu.value), npu.value.dtype)
            two = open_one(other.path(other_part, bench.value), bench.value.dtype)
            return list(columns_of(one, two))
        except (TensorError, OSError):
            return [_UNMATCHED] * 6


def _row(pair: Pair, mode: str, reader: _Reader, stacks: bool) -> Row:
    npu, bench = pair
    row: Row = {}
    no = NOT_AVAILABLE
    for name in _HEAD:
        attribute = {"Name": "name", "Dtype": "dtype", "Tensor Shape": "shape"}
        field = attribute.get(name, "requires_grad")
        row[f"NPU {name}"] = getattr(npu, field)
        row[f"Bench {name}"] = no if bench is None else getattr(bench, field)
    if mode == "md5":
        row["NPU MD5"] = npu.checksum
        row["BENCH MD5"] = no if bench is None else bench.checksum
    else:
        _measure(row, npu, bench, mode, reader)
    row["Requires_grad Consistent"] = row["NPU Requires_grad"] == row["Bench Requires_grad"]
    row["Result"] = row["Err_message"] = ""
    if stacks:
        row["NPU_Stack_Info"] = npu.stack
    if mode == "tensor":
        row["Data_name"] = str([npu.file, no if bench is None else bench.file])
    return row


def _measure(row: Row, npu: Side, bench: Side | None, mode: str, reader: _Reader) -> None:
    missing = (NOT_AVAILABLE,) * 4
    right = missing if bench is None else bench.summary
    if mode == "tensor":
        from studio.tensors.compat import COLUMNS

        row.update(zip(COLUMNS, reader.columns(npu, bench), strict=True))
    else:
        found = [difference(n, b) for n, b in zip(npu.summary, right, strict=True)]
        for name, (apart, _) in zip(_STATISTICS, found, strict=True):
            row[f"{name.capitalize()} diff"] = apart
        for name, (_, relative) in zip(_ERRORS, found, strict=True):
            row[name] = relative
    row.update((f"NPU {name}", v) for name, v in zip(_STATISTICS, npu.summary, strict=True))
    row.update((f"Bench {name}", v) for name, v in zip(_STATISTICS, right, strict=True))


def _stacks(part: Part) -> dict[str, str]:
    texts = [str(list(frames)) for frames in part.stacks]
    return {call.name: texts[call.stack] for call in part.calls if call.stack >= 0}
