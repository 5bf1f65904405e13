"""Which host operator and which call of the runtime launched a kernel, copy or communication.

A call is joined through the connection (correlation) that it shares with what it launched. The host
operator is found as the profiler recorded it: by External id (Kineto), by the arrows called
async_npu (traces of Ascend), or by CONNECTION_IDS (databases). Where that says nothing, it is the
operator that was running on the thread of the call, or that queued the work for that thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from studio.perf.db_cells import match
from studio.perf.frames import Coded, Known, Recorded, frame
from studio.perf.nesting import innermost
from studio.perf.read_kineto import device_work

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.database import Database
    from studio.perf.trace_slices import SliceTable

    Positions = NDArray[np.int64]
    HostOf = Callable[[str, pd.DataFrame], Positions]

_NAMED = 1 << 40
TABLES = ("kernels", "communication", "copies")
"""The tables whose rows were launched by something."""


def launches(
    tables: Mapping[str, pd.DataFrame], host: Mapping[str, pd.DataFrame], host_of: HostOf
) -> Recorded:
    """Join launched work with what launched it; positions that are not known are missing.

    `tables` are those of `TABLES`, `host` holds api, queue and host_ops.
    """
    codes, index, operators, calls = [], [], [], []
    for number, name in enumerate(TABLES):
        table = tables[name]
        codes.append(np.full(len(table), number, np.int32))
        index.append(np.arange(len(table)))
        operators.append(host_of(name, table))
        calls.append(_by_connection(table, host["api"]))
    operator, call = np.concatenate(operators), np.concatenate(calls)
    unknown = np.flatnonzero((operator < 0) & (call >= 0))
    operator[unknown] = _running(host, call[unknown])
    columns: dict[str, Any] = {
        "table": Coded(np.concatenate(codes), TABLES),
        "index": np.concatenate(index),
        "host_op": _known(operator),
        "api": _known(call),
    }
    return Recorded(frame("launches", columns, len(columns["index"])))


def by_external_id(slices: SliceTable, host_ops: pd.DataFrame) -> HostOf:
    """Host operators of a Kineto trace: device work carries the External id of its operator."""
    work = dict(zip(TABLES, device_work(slices), strict=True))
    keys, known = _numbers(host_ops["key"])
    places = np.flatnonzero(known)

    def host_of(table: str, _frame: pd.DataFrame) -> Positions:
        wanted = slices.number(work[table], "External id", "external id")
        place, found = match(wanted.values, keys[places])
        return _where(found & wanted.known, places, place)

    return host_of


def by_arrows(slices: SliceTable, host_ops: pd.DataFrame) -> HostOf:
    """Host operators of an Ascend trace: arrows lead from each to a start on the device."""
    trace = slices.trace
    wanted = {n for n, text in enumerate(trace.categories) if text == "async_npu"}
    flows = trace.flows
    chosen = np.flatnonzero(np.isin(flows.category, list(wanted)))
    operators = slices.of_category("cpu_op")
    starts = zip(trace.lane[operators].tolist(), trace.start[operators].tolist(), strict=True)
    position = {place: number for number, place in enumerate(starts)}
    sources = zip(
        flows.source_lane[chosen].tolist(), flows.source_time[chosen].tolist(), strict=True
    )
    host = np.array([position.get(source, -1) for source in sources], np.int64)
    target = flows.target_time[chosen]
    order = np.argsort(target, kind="stable")
    target, host = target[order], host[order]
    if len(host_ops) != len(operators):
        host = np.full(len(host), -1, np.int64)

    def host_of(_table: str, frame: pd.DataFrame) -> Positions:
        place, found = match(frame["start_ns"].to_numpy(np.int64), target)
        return _where(found, host, place)

    return host_of


def by_connection_ids(database: Database, host_ops: pd.DataFrame) -> HostOf:
    """Host operators of a database: CONNECTION_IDS lists every connection of an operator.

    Forward and backward share one as well: the operator that started last before the device did.
    """
    keys, known = _numbers(host_ops["key"])
    operators: dict[int, list[int]] = {}
    for place in np.flatnonzero(known).tolist():
        operators.setdefault(int(keys[place]), []).append(place)
    by_connection: dict[int, list[int]] = {}
    for number, connection, *_ in database.pairs("CONNECTION_IDS"):
        by_connection.setdefault(connection, []).extend(operators.get(number, ()))
    starts = host_ops["start_ns"].to_numpy(np.int64)

    def host_of(_table: str, frame: pd.DataFrame) -> Positions:
        connection, known = _numbers(frame["connection"])
        begins = frame["start_ns"].to_numpy(np.int64)
        found = np.full(len(frame), -1, np.int64)
        for row in np.flatnonzero(known).tolist():
            before = [
                p for p in by_connection.get(int(connection[row]), ()) if starts[p] <= begins[row]
            ]
            found[row] = max(before, key=starts.__getitem__, default=-1)
        return found

    return host_of


def _running(host: Mapping[str, pd.DataFrame], calls: Positions) -> Positions:
    """The operator that was running when a call was made, or when its work was queued."""
    api, queue, operators = host["api"], host["queue"], host["host_ops"]
    if not len(calls) or not len(operators):
        return np.full(len(calls), -1, np.int64)
    thread = threads(api)[calls]
    at = api["start_ns"].to_numpy(np.int64)[calls]
    calling = (threads(operators), *span(operators))
    taken = queue[queue["kind"] == "dequeue"]
    given = queue[queue["kind"] == "enqueue"]
    place = innermost(threads(taken), *span(taken), thread, at)
    queued = np.flatnonzero(place >= 0)
    taken_by, _ = _numbers(taken["correlation"])
    given_by, _ = _numbers(given["correlation"])
    source, found = match(taken_by[place[queued]], given_by)
    queued, source = queued[found], source[found]
    thread, at = thread.copy(), at.copy()
    thread[queued] = threads(given)[source]
    at[queued] = given["start_ns"].to_numpy(np.int64)[source]
    return innermost(*calling, thread, at)


def span(table: pd.DataFrame) -> tuple[Positions, Positions]:
    """Starts and ends of the rows of a table."""
    start = table["start_ns"].to_numpy(np.int64)
    return start, start + table["duration_ns"].to_numpy(np.int64)


def threads(table: pd.DataFrame) -> Positions:
    """The thread of each row, as a number that is the same in all tables.

    The process is left out, since CANN has a made-up one in traces.
    """
    texts = [str(text).rpartition("/")[2] for text in table["thread"].cat.categories]
    numbers = [int(text) if text.isdecimal() else _NAMED + crc32(text.encode()) for text in texts]
    found: Positions = np.array([*numbers, -1], np.int64)[table["thread"].cat.codes.to_numpy()]
    return found


def _by_connection(table: pd.DataFrame, api: pd.DataFrame) -> Positions:
    connection, known = _numbers(table["connection"])
    calls, has_one = _numbers(api["connection"])
    places = np.flatnonzero(has_one)
    place, found = match(connection, calls[places])
    return _where(found & known, places, place)


def _where(found: NDArray[np.bool_], positions: Positions, place: Positions) -> Positions:
    if not len(positions):
        return np.full(len(found), -1, np.int64)
    return np.where(found, positions[np.where(found, place, 0)], -1)


def _numbers(column: pd.Series) -> tuple[Positions, NDArray[np.bool_]]:
    return column.to_numpy(np.int64, na_value=0), column.notna().to_numpy()


def _known(positions: Positions) -> Known:
    return Known(positions, positions >= 0)
