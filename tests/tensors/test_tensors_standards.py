"""Sets of tolerances: ours, the vendor's, a user's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from studio.kernel.errors import StudioError
from studio.tensors.dtypes import named_type
from studio.tensors.standards import standard, standards
from studio.tensors.tolerance import Tolerance, tolerance_for

if TYPE_CHECKING:
    from pathlib import Path

    from studio.tensors.values import ElementType


def kind(name: str) -> ElementType:
    found = named_type(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "name", ["float64", "float32", "float16", "bfloat16", "float8_e5m2", "complex64", "int64"]
)
def test_ours_is_the_one_of_plain_comparisons(name: str) -> None:
    one = kind(name)
    assert standard().tolerance(one, one) == tolerance_for(one, one)


def test_the_wider_of_two_types_counts() -> None:
    found = standard().tolerance(kind("float32"), kind("bfloat16"))
    assert found == Tolerance(1.6e-2, 1.6e-2)
    assert standard().limits(kind("float32"), kind("bfloat16")).ulp == 1
    assert standard().limits(kind("float32"), kind("float32")).ulp == 32


def test_the_vendors_are_presets() -> None:
    assert {"studio", "absolute", "accumulative", "thousandth", "binary"} <= standards().keys()
    half = kind("float16")
    assert standard("absolute").tolerance(half, half) == Tolerance(2.0**-10, 0.0, 2.0**-16)
    assert standard("accumulative").tolerance(half, half).relative == 2.0**-8
    assert standard("thousandth").tolerance(half, half) == Tolerance(1e-3, 0.0)
    assert standard("binary").tolerance(half, half) == Tolerance(0.0, 0.0)


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        "[presets.mine.types]\nfloat32 = { relative = 0.5 }\n"
        "[presets.mine.apis]\nmatmul = { factor = 4 }\n"
    )
    mine = standard(str(path))
    one = kind("float32")
    assert mine.tolerance(one, one).relative == 0.5
    assert mine.tolerance(one, one, "matmul").relative == 2.0


@pytest.mark.parametrize(
    "text", ["", "presets = 3", "[presets.a]\ntypes = 3", "x = [", "[presets.a.types]\nf = 'x'"]
)
def test_files_that_are_none_are_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(StudioError, match=r"mine\.toml"):
        standard(str(tmp_path / "mine.toml"))


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(StudioError, match="studio, absolute"):
        standard("strictest")
