"""The two SQLite databases of msprobe: graphs (`.vis.db`) and trends (`.trend.db`).

A graph has one row of `tb_nodes` per call, whose columns `input_data` and `output_data` hold JSON
of all its values; they become one row per value. A trend has one row of `trend_data` per rank,
step, target and metric; msprobe cuts its numbers off at 1e9 and writes infinities as 1e9 + 1, so
that larger values are not told apart (its documentation of `data2db`).
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    Cells = list[Any]

GRAPH: Final = "graph"
TREND: Final = "trend"

_ROW_LIMIT: Final = 2_000_000
_CELL_LIMIT: Final = 64 << 20
_NODE: Final = ("node_name", "data_source", "step", "rank", "precision_index", "overflow_level")
_TARGETS: Final = (
    "FROM trend_data d LEFT JOIN monitoring_targets t ON t.target_id = d.target_id "
    "LEFT JOIN monitoring_metrics m ON m.metric_id = d.metric_id "
    "ORDER BY d.rank, d.step, d.target_id, d.metric_id"
)


def database_kind(path: Path) -> str:
    """Return what a database of msprobe holds, "" when it is another one."""
    with _opened(path) as connection:
        tables = _tables(connection)
    if "tb_nodes" in tables:
        return GRAPH
    return TREND if "trend_data" in tables else ""


def read_database(path: Path) -> tuple[str, list[str], list[Cells]]:
    """Return kind, columns and rows; raises StudioError when it is damaged or another database."""
    kind = database_kind(path)
    if kind == GRAPH:
        columns, rows = _graph(path)
    elif kind == TREND:
        columns, rows = _trend(path)
    else:
        raise StudioError(tr("{file} is no database of msprobe", file=path.name), path=path)
    return kind, columns, rows


def _graph(path: Path) -> tuple[list[str], list[Cells]]:
    found: list[dict[str, Any]] = []
    columns = dict.fromkeys((*_NODE, "name"))
    with _opened(path) as connection:
        has = _tables(connection)["tb_nodes"]
        nodes = [name for name in _NODE if name in has]
        data = [name for name in ("input_data", "output_data") if name in has]
        order = " ORDER BY rank, step, node_order" if {"rank", "step", "node_order"} <= has else ""
        listed = ", ".join([*nodes, *data])
        for row in connection.execute(f"SELECT {listed} FROM tb_nodes{order}"):
            shared = dict(zip(nodes, row, strict=False))
            for text in row[len(nodes) :]:
                for name, value in _values(path, text, str(shared.get("node_name"))):
                    columns.update(dict.fromkeys(value))
                    found.append(shared | {"name": name} | value)
                    _bounded(path, len(found))
    kept = [name for name in columns if any(name in row for row in found[:1000])] or list(columns)
    kept += [name for name in columns if name not in kept]
    return kept, [[row.get(name) for name in kept] for row in found]


def _values(path: Path, text: object, node: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if not isinstance(text, str) or not text:
        return
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StudioError(
            tr("{file}: the values of the node {node} are damaged", file=path.name, node=node),
            path=path,
        ) from error
    for name, value in content.items() if isinstance(content, dict) else ():
        if isinstance(value, dict):
            yield name, {key: _flat(cell) for key, cell in value.items() if key != "name"}


def _trend(path: Path) -> tuple[list[str], list[Cells]]:
    with _opened(path) as connection:
        tables = _tables(connection)
        keys = {"rank", "step", "target_id", "metric_id"}
        if not keys <= tables["trend_data"] or not {
            "monitoring_targets",
            "monitoring_metrics",
        } <= set(tables):
            raise StudioError(tr("{file} is no database of msprobe", file=path.name), path=path)
        present = connection.execute('PRAGMA table_info("trend_data")')
        numbers = [row[1] for row in present if row[1] not in keys]
        listed = ["d.rank", "d.step", "t.target_name", "t.vpp_stage", "t.micro_step"]
        listed += [
            "m.metric_name",
            *(f'd."{name.replace(chr(34), chr(34) * 2)}"' for name in numbers),
        ]
        rows = []
        for row in connection.execute(f"SELECT {', '.join(listed)} {_TARGETS}"):
            rows.append(list(row))
            _bounded(path, len(rows))
    return ["rank", "step", "target", "vpp_stage", "micro_step", "metric", *numbers], rows


def _flat(cell: object) -> object:
    return json.dumps(cell, ensure_ascii=False) if isinstance(cell, (list, dict)) else cell


def _bounded(path: Path, rows: int) -> None:
    if rows > _ROW_LIMIT:
        text = tr("{file} has more than {n} rows", file=path.name, n=_ROW_LIMIT)
        raise StudioError(text, path=path)


def _tables(connection: sqlite3.Connection) -> dict[str, set[str]]:
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return {
        name: {row[1] for row in connection.execute(f"PRAGMA table_info('{name}')")}
        for (name,) in names
        if isinstance(name, str) and name.isidentifier()
    }


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database read-only and distrust it; what SQLite finds wrong becomes a StudioError."""
    # immutable: no lock, no -wal and no -shm file is made in the folder of the user
    address = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            # Computed columns may neither call functions with effects nor make huge cells.
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _CELL_LIMIT)
            connection.text_factory = lambda data: data.decode("utf-8", "replace")
            yield connection
    except sqlite3.Error as error:
        text = tr("Cannot read the database {file}: {reason}.", file=path, reason=error)
        raise StudioError(text, path=path) from error
