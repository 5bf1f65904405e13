"""Reading the graphs and trends that msprobe keeps in SQLite."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from studio.formats import msprobe_databases
from studio.formats.msprobe_databases import GRAPH, TREND
from studio.formats.msprobe_results import read_results, result_kind
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from pathlib import Path


def _made(path: Path, *statements: tuple[str, tuple[object, ...]] | str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        for entry in statements:
            text, values = (entry, ()) if isinstance(entry, str) else entry
            connection.execute(text, values)
        connection.commit()
    return path


def _graph(path: Path, data: str) -> Path:
    return _made(
        path,
        "CREATE TABLE tb_nodes(id TEXT, node_order INT, node_name TEXT, data_source TEXT,"
        " step INT, rank INT, precision_index REAL, overflow_level TEXT, input_data TEXT,"
        " output_data TEXT)",
        ("INSERT INTO tb_nodes VALUES ('b', 1, 'B', 'NPU', 0, 1, 0.5, NULL, ?, '{}')", (data,)),
        ("INSERT INTO tb_nodes VALUES ('a', 0, 'A', 'NPU', 0, 0, NULL, 'high', NULL, ?)", (data,)),
    )


def test_a_graph_becomes_a_row_per_value(tmp_path: Path) -> None:
    data = {
        "B.input.0": {"type": "torch.Tensor", "Max": "inf", "MaxRelativeErr": "12.5%"},
        "B.input.1": {"type": "float", "value": "0.01"},
    }
    table = read_results(_graph(tmp_path / "x.vis.db", json.dumps(data)))
    assert table.kind == GRAPH
    assert table.column("node_name") == ["A", "A", "B", "B"]  # by rank, then in order
    assert table.column("name") == ["B.input.0", "B.input.1"] * 2
    assert table.column("Max")[:2] == [float("inf"), None]
    assert table.column("MaxRelativeErr")[0] == 0.125
    assert table.column("value")[1] == 0.01
    assert table.column("precision_index") == [None, None, 0.5, 0.5]


def test_a_damaged_node_is_named(tmp_path: Path) -> None:
    path = _graph(tmp_path / "x.vis.db", '{"B.input.0": ')
    with pytest.raises(StudioError, match="the values of the node A are damaged"):
        read_results(path)


def test_a_trend_with_the_names_of_its_targets(tmp_path: Path) -> None:
    path = _made(
        tmp_path / "x.trend.db",
        "CREATE TABLE monitoring_targets(target_id INT, target_name TEXT, vpp_stage INT,"
        " micro_step INT)",
        "CREATE TABLE monitoring_metrics(metric_id INT, metric_name TEXT)",
        "CREATE TABLE trend_data(rank INT, step INT, target_id INT, metric_id INT, norm REAL)",
        "INSERT INTO monitoring_targets VALUES (1, '0.weight', 0, 2)",
        "INSERT INTO monitoring_metrics VALUES (7, 'grad_reduced')",
        "INSERT INTO trend_data VALUES (1, 0, 1, 7, NULL), (0, 3, 1, 7, 0.25), (0, 1, 9, 7, 2.0)",
    )
    table = read_results(path)
    assert (table.kind, result_kind(path)) == (TREND, TREND)
    assert table.columns == (
        "rank", "step", "target", "vpp_stage", "micro_step", "metric", "norm",
    )  # fmt: skip
    assert table.rows == (
        (0, 1, None, None, None, "grad_reduced", 2.0),
        (0, 3, "0.weight", 0, 2, "grad_reduced", 0.25),
        (1, 0, "0.weight", 0, 2, "grad_reduced", None),
    )


def test_other_and_damaged_databases(tmp_path: Path) -> None:
    other = _made(tmp_path / "other.db", "CREATE TABLE x(a)")
    with pytest.raises(StudioError, match="no database of msprobe"):
        read_results(other)
    assert result_kind(other) == ""
    whole = _graph(tmp_path / "x.vis.db", "{}").read_bytes()
    cut = tmp_path / "cut.vis.db"
    cut.write_bytes(whole[: len(whole) // 2] + b"\xff" * 100)
    with pytest.raises(StudioError, match=r"cut\.vis\.db"):
        read_results(cut)


def test_huge_cells_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(msprobe_databases, "_CELL_LIMIT", 100_000)
    path = _graph(tmp_path / "x.vis.db", json.dumps({"a": {"type": "x" * 200_000}}))
    with pytest.raises(StudioError, match="Cannot read the database"):
        read_results(path)


def test_computed_columns_are_not_asked_for(tmp_path: Path) -> None:
    path = _made(
        tmp_path / "x.vis.db",
        "CREATE TABLE tb_nodes(node_name TEXT, input_data TEXT AS (hex(zeroblob(9e6))) VIRTUAL)",
        "INSERT INTO tb_nodes(node_name) VALUES ('a')",
    )
    assert read_results(path).rows == ()


def test_rows_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(msprobe_databases, "_ROW_LIMIT", 2)
    path = _graph(tmp_path / "x.vis.db", json.dumps({"a": {}, "b": {}}))
    with pytest.raises(StudioError, match="more than 2 rows"):
        read_results(path)


def test_real_databases(shared: Path) -> None:
    folder = shared / "data" / "precision"
    (path,) = (folder / "graph" / "compare_eps_stat").glob("*.vis.db")
    graph = read_results(path)
    bad = [row for row in zip(graph.column("name"), graph.column("Result"), strict=True)
           if row[1] == "error"]  # fmt: skip
    assert bad[0] == ("Tensor.__add__.4.forward.input.1", "error")
    trend = read_results(folder / "trend" / "monitor_data.trend.db")
    assert len(trend.rows) == 324
    # The same numbers stand in the monitor's own table.
    (csv,) = (folder / "monitor" / "v1_csv").glob("Nov*/actv_0-0.csv")
    monitor = read_results(csv)
    norms = dict(zip(monitor.column("name"), monitor.column("norm"), strict=True))
    rows = [dict(zip(trend.columns, row, strict=True)) for row in trend.rows]
    found = {r["target"]: r["norm"] for r in rows if r["metric"] == "actv" and r["step"] == 0}
    assert len(found) == len(norms) > 5
    assert found == norms
