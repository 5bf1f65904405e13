import numpy as np
import pytest

from studio.paths import resource
from studio.perf.flame import flame
from studio.perf.load import load_profile

TEXT = "msinsight/test/data/pytorch/text/level2/rank0_ascend_pt"
STACK = "inner.py(3): step;\r\ntrain.py(9): main"


@pytest.fixture
def profile(maker):
    """Two kernels of one operator that has another inside, and one of an operator without stack."""
    maker.slice("Python", 1, "ProfilerStep#1", 0, 90, cat="cpu_op")
    maker.slice("Python", 1, "outer", 1, 30, cat="cpu_op", **{"Call stack": STACK})
    maker.slice("Python", 1, "inner", 10, 20, cat="cpu_op", **{"Call stack": STACK})
    maker.slice("Python", 1, "alone", 40, 50, cat="cpu_op")
    for start, end, name, operator in (
        (100, 130, "a", 10),
        (130, 140, "b", 1),
        (140, 160, "c", 40),
        (160, 170, "a", 10),
    ):
        maker.kernel(name, start, end)
        maker.slice("Ascend Hardware", 2, name, start, end)
        maker.arrow(1, operator, 2, start)
    return maker.load()


def boxes(table):
    columns = ["depth", "name", "start_ns", "total_ns", "self_ns", "count"]
    return [tuple(row) for row in table[columns].itertuples(index=False)]


def test_the_heaviest_call_comes_first(profile):
    found = flame(profile)
    assert found.total_ns == 70_000
    assert boxes(found.left_heavy) == [
        (0, "train.py(9): main", 0, 50_000, 0, 3),
        (0, "alone", 50_000, 20_000, 0, 1),
        (1, "inner.py(3): step", 0, 50_000, 0, 3),
        (1, "c", 50_000, 20_000, 20_000, 1),
        (2, "outer", 0, 50_000, 0, 3),
        (3, "inner", 0, 40_000, 0, 2),
        (3, "b", 40_000, 10_000, 10_000, 1),
        (4, "a", 0, 40_000, 40_000, 2),
    ]
    kinds = dict(zip(found.left_heavy["name"], found.left_heavy["kind"], strict=True))
    assert (kinds["train.py(9): main"], kinds["outer"], kinds["a"]) == (
        "python",
        "operator",
        "kernel",
    )


def test_in_the_order_of_time_calls_come_again(profile):
    found = flame(profile)
    assert boxes(found.by_time) == [
        (0, "train.py(9): main", 0, 40_000, 0, 2),
        (1, "inner.py(3): step", 0, 40_000, 0, 2),
        (2, "outer", 0, 40_000, 0, 2),
        (3, "inner", 0, 30_000, 0, 1),
        (4, "a", 0, 30_000, 30_000, 1),
        (3, "b", 30_000, 10_000, 10_000, 1),
        (0, "alone", 40_000, 20_000, 0, 1),
        (1, "c", 40_000, 20_000, 20_000, 1),
        (0, "train.py(9): main", 60_000, 10_000, 0, 1),
        (1, "inner.py(3): step", 60_000, 10_000, 0, 1),
        (2, "outer", 60_000, 10_000, 0, 1),
        (3, "inner", 60_000, 10_000, 0, 1),
        (4, "a", 60_000, 10_000, 10_000, 1),
    ]
    kernels = profile.table("kernels")
    own = found.by_time[found.by_time["self_ns"] > 0]
    assert own["first_ns"].tolist() == kernels["start_ns"].tolist()


def test_a_call_leads_to_its_work_and_its_path(profile):
    found = flame(profile)
    node = found.left_heavy.set_index("name")["node"]
    tables, rows = found.rows_of(node["inner"])
    assert (tables.tolist(), rows.tolist()) == ([0, 0], [0, 3])
    path = ["train.py(9): main", "inner.py(3): step", "outer", "inner", "a"]
    assert found.path_of(node["a"]) == path


def test_own_time_of_the_host(profile):
    found = flame(profile, "host")
    assert found.total_ns == 39_000
    own = dict(zip(found.left_heavy["name"], found.left_heavy["self_ns"], strict=True))
    assert (own["outer"], own["inner"], own["alone"]) == (19_000, 10_000, 10_000)
    assert flame(profile, "host", step=2).total_ns == 0
    assert len(flame(profile, step=2).left_heavy) == 0
    assert flame(profile, step=1).total_ns == 70_000


@pytest.mark.parametrize("weight", ["device", "host"])
def test_the_real_profile_adds_up_in_both_orders(samples, weight):
    profile = load_profile(samples / TEXT)
    found = flame(profile, weight)
    for table in (found.left_heavy, found.by_time):
        assert table["self_ns"].sum() == found.total_ns
        bottom = table[table["depth"] == 0].sort_values("start_ns")
        assert bottom["total_ns"].sum() == found.total_ns
        ends = (bottom["start_ns"] + bottom["total_ns"]).to_numpy()
        assert (ends[:-1] == bottom["start_ns"].to_numpy()[1:]).all()
    by_node = found.by_time.groupby("node")["total_ns"].sum()
    assert by_node.equals(found.left_heavy.set_index("node")["total_ns"].sort_index())
    if weight == "device":
        launches = profile.table("launches")
        linked = launches[launches["host_op"].notna()]
        whole = sum(
            profile.table(name)["duration_ns"].to_numpy()[part["index"]].sum()
            for name, part in linked.groupby("table", observed=True)
        )
        assert found.total_ns == whole
        assert len(found.rows_of(int(np.int64(found.left_heavy["node"].iloc[0])))[1]) > 0


def test_nothing_is_known_without_the_host(samples):
    found = flame(load_profile(samples / "msinsight/test/st/level2/rank_0_ascend_pt"))
    assert (found.total_ns, len(found.left_heavy), len(found.by_time)) == (0, 0, 0)


def test_frames_recorded_as_slices_stand_above_operators():
    profile = load_profile(resource("sample", "profiles", "torch_cpu_run.pt.trace.json.gz"))
    found = flame(profile, "host")
    paths = {tuple(found.path_of(node)) for node in found.left_heavy["node"].tolist()}
    mine = [path for path in paths if path[-1] == "aten::linear"]
    assert mine
    assert all(any("train.py(" in frame for frame in path) for path in mine)
    assert all("nn.Module: MiniGPT_0" in path for path in mine)
