"""Build the comparison table of msprobe 26.2 for one rank in one step."""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING, Any

from plugins.precision.core.compat.cells import NOTHING, Side, sides_of
from plugins.precision.core.compat.matching import Pair, match_exactly, match_fuzzily
from plugins.precision.core.compat.rules import Row, judge
from plugins.precision.core.compat.statistics import difference

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from studio.tensors.dumps.model import DumpIndex, Part

_STATISTICS = ("max", "min", "mean", "l2norm")
_ERRORS = ("MaxRelativeErr", "MinRelativeErr", "MeanRelativeErr", "NormRelativeErr")
_DIFFERENCES = tuple(f"{name.capitalize()} diff" for name in _STATISTICS)
_NPU = tuple(f"NPU {name}" for name in _STATISTICS)
_BENCH = tuple(f"Bench {name}" for name in _STATISTICS)
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

        if bench is None or npu.value is None or bench.value is None:
            return [_UNMATCHED] * 6
        if "-1" in (npu.file, bench.file):
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
    other = bench or NOTHING
    row: Row = {
        "NPU Name": npu.name,
        "Bench Name": other.name,
        "NPU Dtype": npu.dtype,
        "Bench Dtype": other.dtype,
        "NPU Tensor Shape": npu.shape,
        "Bench Tensor Shape": other.shape,
        "NPU Requires_grad": npu.requires_grad,
        "Bench Requires_grad": other.requires_grad,
    }
    if mode == "md5":
        row["NPU MD5"] = npu.checksum
        row["BENCH MD5"] = other.checksum
    else:
        _measure(row, npu, bench, mode, reader)
    row["Requires_grad Consistent"] = row["NPU Requires_grad"] == row["Bench Requires_grad"]
    row["Result"] = row["Err_message"] = ""
    if stacks:
        row["NPU_Stack_Info"] = npu.stack
    if mode == "tensor":
        row["Data_name"] = str([npu.file, other.file])
    return row


def _measure(row: Row, npu: Side, bench: Side | None, mode: str, reader: _Reader) -> None:
    right = (bench or NOTHING).summary
    if mode == "tensor":
        from studio.tensors.compat import COLUMNS

        row.update(zip(COLUMNS, map(_shown, reader.columns(npu, bench)), strict=True))
    else:
        found = [difference(n, b) for n, b in zip(npu.summary, right, strict=True)]
        for name, (apart, _) in zip(_DIFFERENCES, found, strict=True):
            row[name] = apart
        for name, (_, relative) in zip(_ERRORS, found, strict=True):
            row[name] = relative
    row.update(zip(_NPU, map(_shown, npu.summary), strict=True))
    row.update(zip(_BENCH, map(_shown, right), strict=True))


def _shown(value: Any) -> Any:  # noqa: ANN401 - a number or a text
    """Write infinities with a space before them, as msprobe does for spreadsheets."""
    if type(value) is float and abs(value) == math.inf:
        return " inf" if value > 0 else " -inf"
    return value


def _stacks(part: Part) -> dict[str, str]:
    texts = [str(list(frames)) for frames in part.stacks]
    return {call.name: texts[call.stack] for call in part.calls if call.stack >= 0}
