"""Strict metrics on corner cases, against sums in exact arithmetic."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from studio.tensors.metrics import measure
from studio.tensors.standards import standard
from studio.tensors.tensor_file import open_one

if TYPE_CHECKING:
    from pathlib import Path

RIGHT = {
    "inf_opposite_sign": ("inf_sign", 1),
    "nan_other_place": ("mismatched", 2),
    "nan_same_place": ("nan_both", 1),
    "inf_same_sign": ("inf_both", 1),
    "inf_only_npu": ("mismatched", 1),
}


def numbers(path: Path) -> list[complex]:
    tensor = open_one(path)
    return [complex(v) for v in tensor.type.numbers(tensor.array()).ravel().tolist()]


def exactly(base: list[complex], candidate: list[complex]) -> dict[str, float]:
    """Cosine, RMSE and largest error over the elements that are finite on both sides."""
    pairs = [
        (b, c) for b, c in zip(base, candidate, strict=True)
        if all(map(math.isfinite, (b.real, b.imag, c.real, c.imag)))
    ]  # fmt: skip
    one = [Fraction(x) for b, _ in pairs for x in (b.real, b.imag)]
    two = [Fraction(x) for _, c in pairs for x in (c.real, c.imag)]
    apart = [(y - x) ** 2 for x, y in zip(one, two, strict=True)]
    squares = [apart[n] + apart[n + 1] for n in range(0, len(apart), 2)]
    lengths = sum(x * x for x in one) * sum(y * y for y in two)
    dot = sum((x * y for x, y in zip(one, two, strict=True)), Fraction(0))
    return {
        "cosine": math.copysign(math.sqrt(dot * dot / lengths), dot) if lengths else math.nan,
        "rmse": math.sqrt(sum(squares) / len(squares)) if squares else 0.0,
        "max_abs": math.sqrt(max(squares, default=Fraction(0))),
    }


def test_all_corner_cases(shared: Path) -> None:
    folder = shared / "data" / "precision" / "metric_vectors"
    cases = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["cases"]
    checked = 0
    for name in cases:
        base = open_one(folder / "pairs" / f"{name}.bench.pt")
        candidate = open_one(folder / "pairs" / f"{name}.npu.pt")
        if base.shape != candidate.shape or name == "int64_large":
            continue
        found = measure(base, candidate, standard().tolerance(base.type, candidate.type))
        wanted = exactly(numbers(base.path), numbers(candidate.path))
        if found.cosine is not None and not math.isnan(wanted["cosine"]):
            assert found.cosine == pytest.approx(wanted["cosine"], rel=1e-12), name
        assert found.rmse == pytest.approx(wanted["rmse"], rel=1e-12), name
        if not found.non_finite.mismatched:
            assert found.max_abs == pytest.approx(wanted["max_abs"], rel=1e-12), name
        if name in RIGHT:
            attribute, count = RIGHT[name]
            assert getattr(found.non_finite, attribute) == count
        checked += 1
    assert checked == 30


def test_where_the_peer_is_wrong(shared: Path) -> None:
    folder = shared / "data" / "precision" / "metric_vectors" / "pairs"

    def pair(name: str) -> tuple[float, float | None]:
        base, candidate = (open_one(folder / f"{name}.{side}.pt") for side in ("bench", "npu"))
        found = measure(base, candidate, standard().tolerance(base.type, candidate.type))
        return found.max_abs, found.cosine

    assert pair("int64_large")[0] == 1
    assert pair("denormal_fp32")[0] == pytest.approx(1e-42, rel=1e-3)
    assert pair("inf_opposite_sign")[0] == math.inf
    assert pair("sign_flip")[1] == pytest.approx(-1.0)
    assert pair("tiny_norm") == (0.0, 1.0)
