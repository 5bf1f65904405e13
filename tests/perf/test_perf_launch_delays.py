"""Delays of launches beside those that Holistic Trace Analysis 0.5.0 published of its samples."""

import csv
from collections import Counter

import numpy as np
import pytest

from studio.perf.launches import TABLES
from studio.perf.load import load_profile

HTA = "HolisticTraceAnalysis/tests/data"
# traces with whole microseconds: HTA cuts fractions off
TRACES = {
    "trace_diff_control": f"{HTA}/trace_diff/control/control.json.gz",
    "negq": f"{HTA}/negative_queue_length_values_check/rank0.json.gz",
    "sampled": f"{HTA}/timeline_analysis/sampled_rank-0.json.gz",
}

COUNTED = ("cudaLaunchKernel", "cudaMemcpyAsync", "cudaMemsetAsync")
"""The calls that HTA takes for launches."""


@pytest.mark.parametrize("name", TRACES)
def test_each_launch_has_the_published_durations_and_delay(samples, name):
    """Correlation, both durations and the time from the end of the call to the start of the work.

    HTA drops what was launched from the last step on, knows three calls only, and counts work that
    starts before its call has ended as not delayed. There is nothing else that it has not.
    """
    profile = load_profile(samples / TRACES[name])
    launches, api = profile.table("launches"), profile.table("api")
    begin, length = (api[column].to_numpy(np.int64) for column in ("start_ns", "duration_ns"))
    found: Counter[tuple[int, ...]] = Counter()
    for table in TABLES:
        mine = launches[(launches["table"] == table) & launches["api"].notna()]
        call = mine["api"].to_numpy(np.int64)
        work = profile.table(table).iloc[mine["index"].to_numpy(np.int64)]
        start = work["start_ns"].to_numpy(np.int64)
        delay = np.maximum(start - begin[call] - length[call], 0)
        columns = (work["connection"], length[call], work["duration_ns"], delay)
        scale = (1, 1000, 1000, 1000)
        found.update(
            zip(
                *(
                    (np.asarray(c, np.int64) // s).tolist()
                    for c, s in zip(columns, scale, strict=True)
                ),
                strict=True,
            )
        )
    names = ("correlation", "cpu_duration", "gpu_duration", "launch_delay")
    with (samples / f"outputs/hta/{name}_launch.csv").open(encoding="utf-8") as file:
        expected = Counter(
            tuple(int(float(row[column])) for column in names) for row in csv.DictReader(file)
        )
    assert sum(expected.values()) > 500
    assert not expected - found
    last = int(profile.table("host_steps")["start_ns"].max())
    calls = {
        int(connection): (str(function), int(start))
        for connection, function, start in zip(
            api["connection"].fillna(-1), api["name"], begin, strict=True
        )
    }
    for correlation, *_ in (found - expected).elements():
        function, start = calls[correlation]
        assert start >= last or function not in COUNTED, (function, start)
