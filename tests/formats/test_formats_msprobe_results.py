"""Reading the tables that msprobe wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from studio.formats.msprobe_results import CHECK_DETAILS, CHECK_RESULT, COMPARE, cell, read_results
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from pathlib import Path


def test_a_comparison_becomes_numbers(tmp_path: Path) -> None:
    path = tmp_path / "compare_result.csv"
    path.write_text(
        "NPU Name,Bench Name,Cosine,MaxAbsErr,NormRelativeErr,Result,Requires_grad Consistent\n"
        "a,a,0.5, inf,12.5%,pass,True\nb,N/A,unsupported,Nan,0,warning\n",
        encoding="utf-8-sig",
    )
    table = read_results(path)
    assert table.kind == COMPARE
    assert table.rows[0] == ("a", "a", 0.5, float("inf"), 0.125, "pass", True)
    assert table.rows[1][1:3] == (None, None)
    assert table.rows[1][6] is None
    assert table.column("NormRelativeErr") == [0.125, 0]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("3", 3), ("-9007199254740993", -9007199254740993), ("1e-5", 1e-5), ("N/A", None),
     (" -inf", float("-inf")), ("torch.float32", "torch.float32"), ("False", False), ("50%", 0.5)],
)  # fmt: skip
def test_cells(text: str, wanted: object) -> None:
    assert cell(text) == wanted


def test_real_tables(shared: Path) -> None:
    folder = shared / "data" / "precision"
    (details,) = (folder / "acc_check" / "tensor_real_inputs").glob("*details*.csv")
    table = read_results(details)
    assert (table.kind, len(table.rows)) == (CHECK_DETAILS, 458)
    assert {"Cosine", "MaxAbsErr", "RMSE", "Error Balance"} <= set(table.columns)
    assert isinstance(table.column("MaxAbsErr")[5], float)
    (result,) = (folder / "acc_check" / "tensor_real_inputs").glob("*_result_*.csv")
    assert read_results(result).kind == CHECK_RESULT
    (compared,) = (folder / "compare_output" / "eps_stat").glob("*.csv")
    table = read_results(compared)
    assert table.column("Result").count("warning") == 15


def test_other_tables_are_told(tmp_path: Path) -> None:
    for text in ("", "a,b\n1,2\n"):
        (tmp_path / "x.csv").write_text(text)
        with pytest.raises(StudioError, match="no table of msprobe"):
            read_results(tmp_path / "x.csv")
    with pytest.raises(StudioError, match=r"absent\.csv"):
        read_results(tmp_path / "absent.csv")
