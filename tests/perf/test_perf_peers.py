"""What msprof-analyze 26.2.0 published of the samples, and what was read of them independently."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest

from studio.perf.host_operators import api_calls
from studio.perf.idle import top_gaps
from studio.perf.load import load_profile
from studio.perf.operators import operators
from studio.perf.shares import run_shares
from studio.perf.steps import step_breakdown
from studio.trace.intervals import difference, length, union

DATABASES = "msinsight/test/data/pytorch/db/level2/rank{}_ascend_pt"
TEXTS = [
    f"data/pytorch/text/level{level}/rank{rank}_ascend_pt" for level in (0, 1, 2) for rank in (0, 1)
]
PIPELINE = [f"st/level2/rank_{rank}_ascend_pt" for rank in (0, 2)]


@pytest.fixture
def recipe(samples):
    """Rows of a table that a recipe of msprof-analyze wrote about the databases of level 2."""

    def rows(name, table):
        file = samples / f"outputs/recipe_{name}/cluster_analysis_output/cluster_analysis.db"
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as base:
            base.row_factory = sqlite3.Row
            return [dict(row) for row in base.execute(f"select * from {table}")]

    return rows


@pytest.fixture(params=[0, 1])
def rank(request):
    return request.param


@pytest.fixture
def profile(samples, rank):
    return load_profile(samples / DATABASES.format(rank))


def nanoseconds(value):
    """Microseconds as published, which may have lost zeros at the end, to whole nanoseconds."""
    return int((Decimal(str(value)) * 1000).quantize(Decimal(1), ROUND_HALF_UP))


def test_operators_by_type(recipe, profile, rank):
    table = operators(profile, "type", counters=False).table
    found = {(str(row["type"]), str(row["core"])): row for row in table.to_dict("records")}
    rows = recipe("compute_op_sum", "ComputeOpPerRankStatsByOpType")
    expected = [row for row in rows if row["Rank"] == rank]
    assert len(expected) == len(found) == 33
    for row in expected:
        mine = found[row["OpType"], row["TaskType"]]
        assert (mine["count"], mine["total_ns"]) == (row["Count"], row["SumNs"])
        assert (mine["min_ns"], mine["max_ns"]) == (row["MinNs"], row["MaxNs"])
        assert abs(mine["avg_ns"] - row["MeanNs"]) <= 0.5
        if row["Count"] % 2:  # of an even number the peer takes the mean of the middle two
            assert mine["p50_ns"] == row["MedianNs"]


def test_calls_of_the_runtime(recipe, profile, rank):
    calls = api_calls(profile)
    expected = [row for row in recipe("cann_api_sum", "CannApiSumRank") if row["rank"] == rank]
    assert len(expected) == 75
    for row in expected:
        mine = calls[calls["name"].astype("str") == row["name"]]
        assert int(mine["count"].sum()) == row["totalCount"]
        assert int(mine["total_ns"].sum()) == row["totalTimeNs"]
        assert (mine["min_ns"].min(), mine["max_ns"].max()) == (row["minNs"], row["maxNs"])


def test_communication_operators(recipe, profile, rank):
    (row,) = [r for r in recipe("hccl_sum", "HcclPerRankStats") if r["Rank"] == rank]
    table = operators(profile, "type", kind="communication", counters=False).table
    (mine,) = table.to_dict("records")
    assert mine["type"] == row["OpType"]
    assert (mine["count"], mine["total_ns"]) == (row["Count"], row["SumNs"])
    assert (mine["min_ns"], mine["max_ns"]) == (row["MinNs"], row["MaxNs"])


def test_times_of_communication(recipe, profile, rank):
    rows = recipe("communication_time", "ClusterCommunicationTime")
    expected = {r["hccl_op_name"]: r for r in rows if r["rank_id"] == rank}
    expected.pop("Total Op Info")
    table = profile.table("communication_times")
    assert set(table["name"].astype("str")) == set(expected)
    names = {"elapse": "elapsed", "transit": "transit", "wait": "wait", "idle": "idle"}
    for mine in table.to_dict("records"):
        row = expected[mine["name"]]
        for column, title in names.items():
            assert abs(mine[f"{column}_ns"] - row[f"{title}_time"] * 1e6) <= 0.5 + 1e-6


def test_the_summary_of_a_step(recipe, profile, rank):
    (row,) = [r for r in recipe("cluster_time_summary", "ClusterTimeSummary") if r["rank"] == rank]
    found = step_breakdown(profile)
    (mine,) = found.table.to_dict("records")
    assert mine["step"] == row["step"]
    for column, title in {
        "computing_ns": "computation",
        "communication_ns": "communication",
        "not_overlapped_ns": "communicationNotOverlapComputation",
        "overlapped_ns": "communicationOverlapComputation",
    }.items():
        assert mine[column] == nanoseconds(row[title])
    # copies, of which most are before the first operator of the step
    copies = found.parts["all_copies"]
    assert length(copies) == nanoseconds(row["memory"])
    busy = [np.concatenate(ends) for ends in zip(
        found.parts["computing"], found.parts["communication"], strict=True
    )]  # fmt: skip
    alone = length(difference(copies, union(*busy)))
    assert alone == nanoseconds(row["memoryNotOverlapComputationCommunication"])
    assert mine["free_ns"] - alone == nanoseconds(row["free"])


def test_the_longest_gaps(recipe, profile, rank):
    expected = [row for row in recipe("free_analysis", "FreeAnalysis") if row["rankId"] == rank]
    gaps = top_gaps(profile, len(expected))
    assert len(expected) == 10
    assert gaps["start_ns"].tolist() == [nanoseconds(row["startTime(us)"]) for row in expected]
    assert gaps["end_ns"].tolist() == [nanoseconds(row["endTime(us)"]) for row in expected]
    assert gaps["duration_ns"].tolist() == [nanoseconds(row["duration(us)"]) for row in expected]
    for cause, row in zip(gaps["cause"], expected, strict=True):
        if row["reason"].startswith("Idle Pytorch layer"):  # nothing was in the queue
            assert cause == "queue_empty"
        elif row["reason"].startswith("Abnormal CANN layer"):  # the host was late
            assert cause in ("host_bound", "scheduling")


def test_operators_that_ranks_wait_in(samples, recipe):
    """The recipe names start, end and duration as the first rank recorded them."""
    table = load_profile(samples / DATABASES.format(0)).table("communication")
    names = table["name"].astype("str")
    rows = recipe("communication_bottleneck", "CommunicationBottleneck")
    assert len(rows) >= 3
    for row in rows:
        (mine,) = table[names == row["communicationOp"]].to_dict("records")
        assert mine["start_ns"] == nanoseconds(row["startTime(us)"])
        assert mine["duration_ns"] == nanoseconds(row["duration(us)"])


@pytest.mark.parametrize("name", [*TEXTS, *PIPELINE])
def test_types_of_operators_of_all_ranks(samples, crosscheck, name):
    profile = load_profile(samples / "msinsight/test" / name)
    every = [profile.table(table) for table in ("kernels", "communication")]
    for kind, (total, count) in crosscheck[name]["kernel_details"]["top_types_us"].items():
        if kind == "N/A":  # level 0 names no types; those of communication come from the names
            assert sum(len(table) for table in every) == count
            continue
        rows = [table[table["type"].astype("str") == kind] for table in every]
        assert sum(len(part) for part in rows) == count
        assert sum(int(part["duration_ns"].sum()) for part in rows) == nanoseconds(total)


@pytest.mark.parametrize("name", [*TEXTS, *PIPELINE])
def test_communication_as_read_independently(samples, crosscheck, name):
    profile = load_profile(samples / "msinsight/test" / name)
    table = profile.table("communication_times")
    found = {f"{row['name']}@{row['group']}": row for row in table.to_dict("records")}
    seen = 0
    for kinds in (crosscheck[name].get("communication") or {}).values():
        for operations in kinds.values():
            for operation, (elapse, wait, _bandwidth) in operations.items():
                if operation == "Total Op Info":
                    continue
                mine = found[operation]
                assert abs(mine["elapse_ns"] - elapse * 1e6) <= 0.5 + 1e-6
                assert abs(mine["wait_ns"] - wait * 1e6) <= 0.5 + 1e-6
                seen += 1
    assert seen == len(found)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("trace_diff_control", "trace_diff/control/control.json.gz"),
        ("trace_diff_test", "trace_diff/test/test.json.gz"),
    ],
)
def test_shares_of_holistic_trace_analysis(samples, name, file):
    """Computing, idle and overlap in per cent, to the two digits that HTA prints."""
    expected = json.loads((samples / "outputs/crosscheck_hta.json").read_text())[name]
    profile = load_profile(samples / "HolisticTraceAnalysis/tests/data" / file)
    shares = run_shares(profile, without_last_step=True)
    assert shares is not None
    (temporal,) = expected["temporal"]
    for column, part in (
        ("idle_time_pctg", shares.idle_ns),
        ("compute_time_pctg", shares.computing_ns),
        ("non_compute_time_pctg", shares.other_ns),
    ):
        assert round(100 * part / shares.span_ns, 2) == temporal[column]
