"""Build the comparison table of msprobe 26.2 for one rank in one step."""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING, Any

from plugins.precision.core.compat.cells import NOTHING, Side, sides_of
from plugins.precision.core.compat.matching import Pair, match_exactly, match_fuzzily
from plugins.precision.core.compat.rules import Row, judge
from plugins.precision.core.compat.statistics import difference
from plugins.precision.core.places import Place, open_place
from studio.tensors.dumps.collecting import without_collection

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugins.precision.core.parallel import Workers
    from studio.tensors.dumps.model import DumpIndex, Part, Value

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
    check: Callable[[float], object] = lambda _fraction: None,
    workers: Workers,
) -> list[Row]:
    """Return the rows of msprobe's table, each with its columns in order.

    `npu` is the run in question, `bench` the reference. Calls that only the reference has give no
    row, as in msprobe.
    """
    with without_collection():
        left = sides_of(npu_part.calls, _stacks(npu_part))
        right = sides_of(bench_part.calls, {})
        pairs = match_fuzzily(left, right) if fuzzy else match_exactly(left, right, names)
    mode = mode_of(npu_part)
    columns: list[Sequence[Any]] = [()] * len(pairs)
    if mode == "tensor":
        columns = _columns(pairs, (npu, npu_part), (bench, bench_part), check, workers)
    stacks = bool(npu_part.stacks)
    with without_collection():
        rows = [_row(pair, mode, c, stacks) for pair, c in zip(pairs, columns, strict=True)]
        for _, group in groupby(zip(pairs, rows, strict=True), key=lambda entry: entry[0][0].call):
            judge([row for _, row in group], mode)
    return rows


def mode_of(part: Part) -> str:
    """Return which of msprobe's three tables a part gives: "tensor", "statistics" or "md5"."""
    if part.task == "tensor":
        return "tensor"
    return "md5" if part.summed else "statistics"


def columns_of_files(places: tuple[Place, Place], _common: None) -> list[Any]:
    """Return msprobe's six columns for two files; runs in other processes too."""
    from studio.tensors.compat import columns_of
    from studio.tensors.tensor import TensorError

    try:
        npu, bench = (open_place(place, keep=True) for place in places)
        return list(columns_of(npu, bench))
    except (TensorError, OSError):
        return [_UNMATCHED] * 6


def _columns(
    pairs: list[Pair],
    npu: tuple[DumpIndex, Part],
    bench: tuple[DumpIndex, Part],
    check: Callable[[float], object],
    workers: Workers,
) -> list[Sequence[Any]]:
    places = [_places(pair, npu, bench) for pair in pairs]
    found = workers.run(columns_of_files, [p for p in places if p], None, check)
    return [next(found) if entry else [_UNMATCHED] * 6 for entry in places]


def _places(
    pair: Pair, npu: tuple[DumpIndex, Part], bench: tuple[DumpIndex, Part]
) -> tuple[Place, Place] | None:
    one, two = pair[0].value, pair[1].value if pair[1] else None
    if one is None or two is None or not one.file or not two.file:
        return None
    return _place(npu, one), _place(bench, two)


def _place(side: tuple[DumpIndex, Part], value: Value) -> Place:
    return Place(side[0].path(side[1], value), value.dtype, value.member)


def _row(pair: Pair, mode: str, columns: Sequence[Any], stacks: bool) -> Row:
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
        _measure(row, npu, other, mode, columns)
    row["Requires_grad Consistent"] = row["NPU Requires_grad"] == row["Bench Requires_grad"]
    row["Result"] = row["Err_message"] = ""
    if stacks:
        row["NPU_Stack_Info"] = npu.stack
    if mode == "tensor":
        row["Data_name"] = str([npu.file, other.file])
    return row


def _measure(row: Row, npu: Side, bench: Side, mode: str, columns: Sequence[Any]) -> None:
    right = bench.summary
    if mode == "tensor":
        from studio.tensors.compat import COLUMNS

        row.update(zip(COLUMNS, map(_shown, columns), strict=True))
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
