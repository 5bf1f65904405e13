"""Differences of recorded statistics, written as msprobe writes them."""

from __future__ import annotations

import math
import re
from typing import Any

NUMBER, NAN, INF, NEGATIVE_INF, DEVICE, MISSING, OTHER = range(7)
_DEVICE = re.compile("npu|cpu|cuda", re.IGNORECASE)
_SPECIAL = (NUMBER, NAN, INF, NEGATIVE_INF)


def difference(npu: Any, bench: Any) -> tuple[str, str]:  # noqa: ANN401 - numbers or texts
    """Return "diff" and "RelativeErr" of one statistic, both as text."""
    if type(npu) is type(bench) is float and math.isfinite(npu) and math.isfinite(bench):
        if npu != bench or npu == 0:
            return _numbers(npu, bench) if str(npu) != str(bench) else ("0", "0")
        return "0", "0"
    if str(npu) == str(bench):
        return "0", "0"
    left, right = _kind(npu), _kind(bench)
    if left == right == NUMBER:
        return _numbers(float(npu), float(bench))
    if MISSING in (left, right) or left == right == DEVICE:
        text = "N/A"
    elif left not in _SPECIAL or right not in _SPECIAL:
        text = "Diff"
    elif NAN in (left, right):
        text = "Nan"
    elif left == INF or (left == NUMBER and right == NEGATIVE_INF):
        text = "inf"
    else:
        text = "-inf"
    return text, text


def _numbers(npu: float, bench: float) -> tuple[str, str]:
    apart = npu - bench
    if bench == 0:
        return str(apart), "inf"
    return str(apart), f"{abs(apart / bench * 100)}%"


def _kind(value: Any) -> int:  # noqa: ANN401 - a number or a text
    text = str(value)
    short = text.casefold()
    if short == "nan":
        return NAN
    if short in ("inf", "-inf"):
        return INF if short == "inf" else NEGATIVE_INF
    if short not in ("true", "false") and _is_number(text):
        return NUMBER
    if _DEVICE.search(text):
        return DEVICE
    return MISSING if text == "N/A" else OTHER


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
