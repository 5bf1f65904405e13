import numpy as np
import pytest

from studio.perf.gaps import CAUSES
from studio.perf.load import load_profile
from studio.perf.steps import FREE, TIMES, step_breakdown
from studio.trace.intervals import length

BASE_NS = 1_700_000_000_000_000_000


@pytest.fixture
def profile(maker):
    """One step with one gap of every cause; the times in microseconds are in the comments below."""
    add = maker.slice
    add("Python", 1, "ProfilerStep#1", 0, 1000, cat="cpu_op")
    maker.launched(
        "k1",
        (100, 150),
        operator=(10, 40),
        enqueue=(20, 25),
        dequeue=(30, 60),
        launch=(40, 50),
    )
    # gap 150 to 200: nothing queued until 170, launched at 190
    maker.launched(
        "k2",
        (200, 260),
        operator=(165, 180),
        enqueue=(170, 172),
        dequeue=(175, 192),
        launch=(180, 190),
    )
    # gap 260 to 270: launched long before
    maker.launched(
        "k3",
        (270, 300),
        operator=(181, 186),
        enqueue=(182, 184),
        dequeue=(193, 197),
        launch=(193, 195),
    )
    maker.kernel("hcom_allReduce__1_0_1", 300, 400, kind="hcom_allReduce_", core="HCCL")
    maker.kernel("k4", 380, 420)
    add("Ascend Hardware", 2, "k4", 380, 420, connection_id=99, **{"Task Type": "AI_CORE"})
    add("CANN", 2, "Node@launch", 198, 199, connection_id=99)
    # gap 420 to 500: a copy, a wait, data, memory, garbage, an empty queue, a late launch, an event
    add("Ascend Hardware", 3, "MEMCPY_ASYNC", 430, 440, **{"Task Type": "SDMA_SQE"})
    add("CANN", 1, "AscendCL@aclrtSynchronizeStream", 425, 450, connection_id=1)
    add("Python", 1, "enumerate(DataLoader)#_X.__next__", 450, 460, cat="cpu_op")
    add("CANN", 2, "AscendCL@aclrtMalloc", 460, 465, connection_id=2)
    add("Python GC", 1, "GC", 465, 470)
    maker.launched(
        "k5",
        (500, 550),
        operator=(475, 485),
        enqueue=(480, 481),
        dequeue=(482, 491),
        launch=(483, 490),
    )
    add("Ascend Hardware", 2, "EVENT_WAIT", 492, 498, **{"Task Type": "EVENT_WAIT_SQE"})
    return maker.load()


def test_every_part_of_a_step(profile):
    (row,) = step_breakdown(profile).table.to_dict("records")
    assert (row["rank"], row["step"], row["source"]) == (0, 1, "computed")
    assert (row["start_ns"], row["end_ns"]) == (BASE_NS + 100_000, BASE_NS + 550_000)
    assert {name: row[name] for name in TIMES} == {
        "span_ns": 450_000,
        "stage_ns": 450_000,
        "computing_ns": 230_000,
        "communication_ns": 100_000,
        "not_overlapped_ns": 80_000,
        "overlapped_ns": 20_000,
        "free_ns": 140_000,
        "copies_ns": 10_000,
        "preparing_ns": 100_000,
        "bubble_ns": 0,
        "own_bubble_ns": 0,
    }
    assert {name: row[name] for name in FREE} == {
        "free_copies_ns": 10_000,
        "free_data_loading_ns": 10_000,
        "free_gc_ns": 5_000,
        "free_memory_api_ns": 5_000,
        "free_synchronisation_ns": 15_000,
        "free_queue_empty_ns": 35_000,
        "free_host_bound_ns": 30_000,
        "free_device_wait_ns": 6_000,
        "free_launch_delay_ns": 14_000,
        "free_scheduling_ns": 10_000,
        "free_unexplained_ns": 0,
    }


def test_a_number_selects_the_intervals_it_is_made_of(profile):
    found = step_breakdown(profile)
    for part in ("computing", "not_overlapped", "free", *CAUSES):
        column = f"free_{part}_ns" if part in CAUSES else f"{part}_ns"
        assert length(found.intervals(0, part)) == found.table[column].iloc[0], part
    start, end = found.intervals(0, "synchronisation")
    assert [(a, b) for a, b in zip(start - BASE_NS, end - BASE_NS, strict=True)] == [
        (425_000, 430_000),
        (440_000, 450_000),
    ]
    assert len(found.intervals(0, "no such part")[0]) == 0


def test_without_the_host_idle_time_is_unexplained(maker):
    maker.kernel("a", 0, 10)
    maker.kernel("b", 15, 20)
    (row,) = step_breakdown(maker.load()).table.to_dict("records")
    assert row["free_ns"] == row["free_unexplained_ns"] == 5_000
    assert {row[name] for name in FREE[:-1]} == {None}
    assert row["preparing_ns"] is None


def test_bubbles_by_both_definitions(maker):
    sent = {"core": "HCCL", "stream": 5}
    maker.kernel("a", 0, 10)
    maker.kernel("hcom_batchSendRecv__1_0_1", 10, 30, kind="hcom_batchSendRecv_", **sent)
    maker.kernel("b", 25, 40)
    maker.kernel("hcom_receive__1_1_1", 40, 47, kind="hcom_receive_", **sent)
    maker.kernel("hcom_allReduce__1_2_1", 47, 50, kind="hcom_allReduce_", **sent)
    (row,) = step_breakdown(maker.load(), causes=False).table.to_dict("records")
    assert row["bubble_ns"] == 7_000
    assert row["stage_ns"] == 50_000 - 7_000
    # 10 to 25 and 40 to 47: what is computed beside it is no bubble
    assert row["own_bubble_ns"] == 22_000


def test_mindspore_counts_what_sends_as_bubble(maker):
    maker.kernel("a", 0, 10)
    maker.kernel("hcom_send__1_0_1", 10, 14, core="HCCL")
    folder = maker.load().path
    renamed = folder.rename(folder.with_name("x_ascend_ms"))
    (row,) = step_breakdown(load_profile(renamed), causes=False).table.to_dict("records")
    assert row["bubble_ns"] == 4_000


def test_steps_come_apart_by_their_number(maker):
    for step in (3, 4):
        maker.kernel("a", step * 100, step * 100 + 10, step=step)
        maker.kernel("b", step * 100 + 20, step * 100 + 50, step=step)
    maker.table(
        "step_trace_time.csv",
        "Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,"
        "Communication(Not Overlapped and Exclude Receive),Preparing\n"
        "3,40,0,0,0,10,50,0,0,1.25\n4,40,0,0,0,10,50,0,0,1.5\n5,1,2,0,2,3,6,0,2,\n",
    )
    table = step_breakdown(maker.load(), causes=False).table
    assert table["step"].tolist() == [3, 4, 5]
    assert table["source"].tolist() == ["computed", "computed", "published"]
    assert table["span_ns"].tolist()[:2] == [50_000, 50_000]
    # what the host would have said is taken from the profiler
    assert table["preparing_ns"].tolist()[:2] == [1_250, 1_500]
    assert table["stage_ns"].tolist()[2] == 6_000


def test_a_trace_with_nothing_but_the_overlap_analysis(cases):
    path = cases / "A35-totals-of-a-selection" / "input" / "trace_view.json"
    (row,) = step_breakdown(load_profile(path)).table.to_dict("records")
    assert row["computing_ns"] == 600_000
    assert row["communication_ns"] == 400_000
    assert row["overlapped_ns"] == 150_000
    assert row["not_overlapped_ns"] == 250_000
    assert row["free_ns"] == 150_000
    assert row["span_ns"] == 1_000_000


@pytest.mark.parametrize("seed", range(8))
def test_sums_against_counting_every_nanosecond(maker, seed):
    rng = np.random.default_rng(seed)
    clock = np.zeros((2, 4000), np.bool_)
    for number in range(60):
        start = int(rng.integers(0, 3800))
        end = start + int(rng.integers(0, 200))
        sent = number % 3 == 0
        name = "hcom_allReduce__1_0_1" if sent else f"k{number}"
        core = "HCCL" if sent else "AI_CORE"
        maker.kernel(name, start / 1000, end / 1000, core=core, stream=number % 4)
        clock[int(sent), start:end] = True
    computing, communication = clock
    (row,) = step_breakdown(maker.load(), causes=False).table.to_dict("records")
    first, last = row["start_ns"] - BASE_NS, row["end_ns"] - BASE_NS
    assert row["computing_ns"] == computing.sum()
    assert row["communication_ns"] == communication.sum()
    assert row["overlapped_ns"] == (computing & communication).sum()
    assert row["not_overlapped_ns"] == (communication & ~computing).sum()
    assert row["free_ns"] == (~(computing | communication))[first:last].sum()


def test_the_host_alone_still_tells_its_steps(tmp_path):
    path = tmp_path / "cpu.pt.trace.json"
    path.write_text(
        '{"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "user_annotation", '
        '"name": "ProfilerStep#7", "pid": 1, "tid": 1, "ts": 5.5, "dur": 10}]}'
    )
    (row,) = step_breakdown(load_profile(path)).table.to_dict("records")
    assert (row["step"], row["source"], row["span_ns"]) == (7, "host", 10_000)
    assert row["computing_ns"] is None
