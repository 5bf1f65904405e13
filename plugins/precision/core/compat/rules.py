"""The verdicts of msprobe 26.2 on the rows of one call, with its thresholds and its texts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

Row = dict[str, Any]
PASS, WARNING, ERROR = "pass", "warning", "error"
_LEVELS = (PASS, WARNING, ERROR)
_SKIPPED = frozenset(("empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided")) | {
    "numpy",
    "to",
    "__setitem__",
    "empty_with_format",
}
_INPUT_SKIPPED = frozenset(
    ("_reduce_scatter_base", "_all_gather_base", "all_to_all_single", "batch_isend_irecv")
)


def judge(rows: list[Row], mode: str) -> None:
    """Set "Result" and "Err_message" of the rows of one call; `mode` is tensor, statistics, md5."""
    verdict = _Verdict(rows)
    for rule in _RULES[mode]:
        rule(verdict)
    for row, level, messages in zip(rows, verdict.levels, verdict.messages, strict=True):
        row["Result"] = _LEVELS[level]
        quoted = ", ".join(f'"{message}"' for message in messages)
        row["Err_message"] = f"[{quoted}]"


class _Verdict:
    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows
        self.levels = [0] * len(rows)
        self.messages: list[list[str]] = [[] for _ in rows]
        self.outputs = [i for i, row in enumerate(rows) if ".output." in row["NPU Name"]]
        self.inputs = [i for i in range(len(rows)) if i not in set(self.outputs)]
        parts = rows[self.inputs[0]]["NPU Name"].split(".") if self.inputs else []
        name = parts[1] if len(parts) > 1 else ""
        self.skip_inputs = name in _SKIPPED or name in _INPUT_SKIPPED
        self.judged = [] if name in _SKIPPED else self.outputs
        if not self.skip_inputs:
            self.judged = self.inputs + self.outputs

    def mark(self, place: int, level: str, text: str) -> None:
        self.levels[place] = max(self.levels[place], _LEVELS.index(level))
        self.messages[place].append(f"{level}: {text}")

    def least(self, places: list[int], column: str) -> float:
        return min([1.0, *self._numbers(places, column)])

    def most(self, places: list[int], column: str) -> float:
        return max([0.0, *self._numbers(places, column)])

    def _numbers(self, places: list[int], column: str) -> list[float]:
        found = []
        for place in places:
            value = self.rows[place][column]
            if isinstance(value, str) and value.endswith("%"):
                value = _share(value)
            if not isinstance(value, str):
                found.append(value)
        return found


def _not_finite(verdict: _Verdict) -> None:
    for place in verdict.judged:
        row = verdict.rows[place]
        if any(_is_odd(row[f"Bench {name}"]) for name in ("max", "min")):
            continue
        if any(_is_odd(row[f"NPU {name}"]) for name in ("max", "min")):
            text = "There is nan/inf/-inf in the maximum or minimum value of NPU."
            verdict.mark(place, ERROR, text)


def _thousandth(verdict: _Verdict) -> None:
    if verdict.skip_inputs or not verdict.outputs:
        return
    column = "One Thousandth Err Ratio"
    before, after = verdict.least(verdict.inputs, column), verdict.least(verdict.outputs, column)
    if before > 0.9 and after < 0.1:
        text = "The input/parameters of One Thousandth Err Ratio > 0.9 while the output < 0.6."
        verdict.mark(verdict.outputs[0], ERROR, text)


def _relative(verdict: _Verdict) -> None:
    if verdict.skip_inputs:
        return
    if abs(verdict.most(verdict.inputs, "NormRelativeErr")) < 0.1:
        for place in verdict.outputs:
            if abs(_share(verdict.rows[place]["NormRelativeErr"])) > 0.5:
                text = "The NormRelativeErr of output is greater than 0.5."
                verdict.mark(place, ERROR, text)


def _requires_grad(verdict: _Verdict) -> None:
    for place in verdict.judged:
        row = verdict.rows[place]
        if row["Bench Name"] != "N/A" and row["NPU Requires_grad"] != row["Bench Requires_grad"]:
            text = "The Required_Grad of NPU and Bench are inconsistent"
            verdict.mark(place, ERROR, text)


def _scalars(verdict: _Verdict) -> None:
    if verdict.skip_inputs:
        return
    for place in verdict.inputs:
        row = verdict.rows[place]
        both = "class" in row["NPU Dtype"] and "class" in row["Bench Dtype"]
        if row["Bench Name"] == "N/A" or not both or row["NPU Tensor Shape"] != "[]":
            continue
        if row["NPU max"] != row["Bench max"]:
            text = "The scalar parameters of NPU and Bench are inconsistent."
            verdict.mark(place, ERROR, text)


def _types(verdict: _Verdict) -> None:
    for place in verdict.judged:
        row = verdict.rows[place]
        name = row["Bench Name"]
        if name == "N/A" or "qkv" in name or "gate_up" in name:
            continue
        if row["NPU Dtype"] != row["Bench Dtype"]:
            verdict.mark(place, ERROR, "The dtype of NPU and Bench are inconsistent.")


def _shapes(verdict: _Verdict) -> None:
    for place in verdict.judged:
        row = verdict.rows[place]
        if row["Bench Name"] != "N/A" and row["NPU Tensor Shape"] != row["Bench Tensor Shape"]:
            verdict.mark(place, ERROR, "The shape of NPU and Bench are inconsistent.")


def _grown(verdict: _Verdict) -> None:
    if verdict.skip_inputs or not verdict.outputs:
        return
    before = abs(verdict.most(verdict.inputs, "NormRelativeErr"))
    after = abs(verdict.most(verdict.outputs, "NormRelativeErr"))
    if after > 0.1 if before == 0 else after / before > 10:
        text = "The norm relative error of output is 10 times that of input."
        verdict.mark(verdict.outputs[0], WARNING, text)


def _cosine(verdict: _Verdict) -> None:
    if verdict.skip_inputs or not verdict.outputs:
        return
    before = verdict.least(verdict.inputs, "Cosine")
    after = verdict.least(verdict.outputs, "Cosine")
    if before > 0.9 and before - after > 0.1:
        text = "The input/parameters of Cosine > 0.9, and input/parameters - output > 0.1"
        verdict.mark(verdict.outputs[0], WARNING, text)


def _checksums(verdict: _Verdict) -> None:
    missing = ("N/A", "Nan", "")
    for place in verdict.judged:
        npu, bench = (verdict.rows[place][name] for name in ("NPU MD5", "BENCH MD5"))
        if npu == bench:
            continue
        if npu in missing or bench in missing:
            verdict.mark(place, WARNING, "The parameter of NPU does not match the bench.")
        else:
            text = "The CRC-32 value of NPU differs from that of the bench."
            verdict.mark(place, ERROR, text)


def _share(value: Any) -> float:  # noqa: ANN401 - a number or a text
    try:
        return float(str(value).strip("%")) / 100
    except ValueError:
        return 0.0


def _is_odd(value: Any) -> bool:  # noqa: ANN401 - a number or a text
    if isinstance(value, float):
        return not math.isfinite(value)
    return isinstance(value, str) and value.strip().casefold() in ("inf", "-inf", "nan")


_COMMON = (_requires_grad, _scalars, _types, _shapes)
_RULES: dict[str, tuple[Callable[[_Verdict], None], ...]] = {
    "tensor": (_not_finite, _thousandth, *_COMMON, _cosine),
    "statistics": (_not_finite, _relative, *_COMMON, _grown),
    "md5": (_checksums,),
}
