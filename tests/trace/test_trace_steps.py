"""Training steps as profilers mark them."""

import numpy as np

from studio.trace import load
from studio.trace.steps import Step, find_steps

PROF = (
    "data/profiling/mindinsight/tests/utils/resource/profiler/"
    "PROF_000001_20230818142704322_COJGGGCANRMICFBC/device_0/timeline/msprof_0_2_3.json"
)
LEVEL2 = (
    "data/profiling/msinsight/test/data/pytorch/text/level2/rank0_ascend_pt/"
    "ASCEND_PROFILER_OUTPUT/trace_view.json"
)


def lane_name(title, tid):
    return {"ph": "M", "name": "thread_name", "pid": 1, "tid": tid, "args": {"name": title}}


def test_steps_of_the_host_come_first(make, event):
    steps = find_steps(
        make(
            lane_name("Step Trace(Model ID:2)", 9),
            event("X", "Iteration 4", 1, dur=3, tid=9),
            event("X", "ProfilerStep#4", 10, dur=5),
            event("X", "ProfilerStep#5", 15, dur=2),
            event("X", "ProfilerStep#5", 16, dur=2, tid=2),
            event("X", "ProfilerStep#5x", 30, dur=2),
        )
    )
    assert steps.all == (Step(4, 10_000, 15_000), Step(5, 15_000, 17_000))
    assert steps.edges == (10_000, 15_000, 17_000)
    assert steps.at(15_000) == Step(5, 15_000, 17_000)
    assert steps.at(17_000) is None


def test_steps_of_the_device_lane(make, event):
    steps = find_steps(
        make(
            lane_name("Step Trace(Model ID:2)", 9),
            event("X", "Iteration 4", 1, dur=3, tid=9),
            event("X", "Iteration Refresh 4", 2, dur=1, tid=9),
            event("X", "Iteration 5", 1, dur=3, tid=2),
        )
    )
    assert steps.all == (Step(4, 1000, 4000),)


def test_no_steps(make, event):
    assert find_steps(make(event("X", "Iteration 1", 1, dur=3))).all == ()
    assert find_steps(make()).all == ()


def test_steps_of_real_traces(shared):
    assert find_steps(load(shared / PROF)).all == (Step(3, 56635983041790, 56635998345810),)
    steps = find_steps(load(shared / LEVEL2)).all
    assert steps
    assert {step.number for step in steps} >= {50}
    assert (np.diff([step.start for step in steps]) > 0).all()
