"""Records of memory piece by piece: the same as all at once, in little memory."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from studio.formats.column_file import kept_in_file, let_go
from studio.perf import memory_rows
from studio.perf.memory_records import curve_of, last_process_bytes
from studio.perf.memory_rows import Pools


@pytest.fixture
def table() -> pd.DataFrame:
    random = np.random.default_rng(3)
    rows = 5000
    pools = random.choice(["PTA", "PTA+GE", "APP"], rows)
    allocated = pd.array(random.integers(0, 1 << 40, rows), dtype="Int64")
    allocated[pools == "APP"] = pd.NA
    active = pd.array([pd.NA] * rows, dtype="Int64")
    return pd.DataFrame(
        {
            "time_ns": 1_764_246_877_000_000_000 + np.sort(random.integers(0, 10**9, rows)),
            "device": pd.Categorical(random.choice(["NPU:0", "NPU:1"], rows)),
            "component": pd.Categorical(pools),
            "allocated_bytes": allocated,
            "reserved_bytes": pd.array(random.integers(0, 1 << 40, rows), dtype="Int64"),
            "active_bytes": active,
        }
    )


@pytest.mark.parametrize("at_once", [64, 1000, 1 << 20])
@pytest.mark.parametrize("ordered", [True, False])
def test_every_pool_has_its_rows_in_the_order_of_time(
    table: pd.DataFrame, at_once: int, ordered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_rows, "AT_ONCE", at_once)
    if not ordered:
        table = table.sample(frac=1, random_state=1, ignore_index=True)
    pools = Pools(table)
    assert len(list(pools)) == 6
    for device, component in pools:
        mine = table[(table["device"] == device) & (table["component"] == component)]
        mine = mine.sort_values("time_ns", kind="stable")
        rows = pools.rows(device, component)
        assert rows.times.tolist() == mine["time_ns"].tolist()
        assert rows.sizes("reserved_bytes").tolist() == mine["reserved_bytes"].tolist()
        allocated = mine["allocated_bytes"].to_numpy(np.int64, na_value=-1)
        assert rows.sizes("allocated_bytes").tolist() == allocated.tolist()
        assert rows.sizes_or_gaps("active_bytes") is None
        assert (rows.sizes_or_gaps("allocated_bytes") is None) == (component == "APP")


@pytest.mark.parametrize("at_once", [64, 1 << 20])
def test_the_pool_that_holds_most_is_found(
    table: pd.DataFrame, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_rows, "AT_ONCE", at_once)
    pools = table[table["component"] == "PTA"]
    best = pools.loc[pools["allocated_bytes"].idxmax()]
    parts = Pools(table)
    curve = curve_of(parts)
    assert curve is not None
    assert (curve.component, curve.device) == ("PTA", best["device"])
    assert int(curve.allocated.max()) == best["allocated_bytes"]
    other = curve_of(parts, "PTA+GE", "NPU:1")
    assert other is not None
    chosen = (table["component"] == "PTA+GE") & (table["device"] == "NPU:1")
    assert len(other.times) == int(chosen.sum())
    assert curve_of(parts, "APP") is None  # it never records what is allocated
    sampled = table[(table["component"] == "APP") & (table["device"] == "NPU:1")]
    at = int(sampled["time_ns"].iloc[7])
    assert last_process_bytes(parts, "NPU:1", at) == sampled["reserved_bytes"].iloc[7]
    assert last_process_bytes(parts, "NPU:1", 0) == sampled["reserved_bytes"].iloc[0]


def test_what_memory_let_go_is_read_again() -> None:
    column = kept_in_file([np.arange(5000), np.arange(3)], np.dtype(np.int64))
    part = column[4998:]
    assert part.tolist() == [4998, 4999, 0, 1, 2]
    let_go(part)
    assert part.tolist() == [4998, 4999, 0, 1, 2]
    assert column[:4].tolist() == [0, 1, 2, 3]
    let_go(np.arange(3))  # not in a file
