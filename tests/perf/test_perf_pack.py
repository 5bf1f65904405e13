import json
import zipfile

import numpy as np
import pandas as pd
import pytest

from studio.kernel.errors import StudioError
from studio.perf.doctor import examine
from studio.perf.flame import flame
from studio.perf.load import load_profile
from studio.perf.memory_peak import memory_at
from studio.perf.operators import operators
from studio.perf.pack import read_manifest, write_pack
from studio.perf.steps import step_breakdown
from studio.trace import load as load_trace
from studio.trace.query import args

PROFILES = [
    "msinsight/test/data/pytorch/text/level2/rank0_ascend_pt",
    "msinsight/test/data/pytorch/db/level2/rank0_ascend_pt",
    "msinsight/test/st/level2/rank_0_ascend_pt",
    "HolisticTraceAnalysis/tests/data/timeline_analysis/sampled_rank-0.json.gz",
]


@pytest.mark.parametrize("name", PROFILES)
def test_a_pack_says_the_same_as_the_original(samples, tmp_path, name):
    original = load_profile(samples / name)
    path = tmp_path / "run.studio"
    rows = write_pack(original, path)
    packed = load_profile(path)
    assert packed.info == original.info
    assert packed.offered == original.offered
    for table in original.offered:
        first, second = original.table(table).reset_index(drop=True), packed.table(table)
        pd.testing.assert_frame_equal(first, second, check_categorical=False)
        assert rows.get(table, 0) == len(second)
    pd.testing.assert_frame_equal(step_breakdown(original).table, step_breakdown(packed).table)
    pd.testing.assert_frame_equal(
        operators(original, "shape").table,
        operators(packed, "shape").table,
        check_categorical=False,
    )
    if original.has("allocations"):
        assert memory_at(packed).live_bytes == memory_at(original).live_bytes


def test_a_pack_keeps_what_makes_no_sense_and_what_was_wrong(maker, tmp_path):
    maker.table(
        "kernel_details.csv",
        "Name,Type,Start Time(us),Duration(us),Task ID\na,T,1,2,N/A\nb,T,3,4,\nc,T,5\n",
    )
    original = maker.load()
    path = tmp_path / "run.studio"
    write_pack(original, path, findings=[{"kind": "missing", "text": "no host"}])
    packed = load_profile(path)
    packed.table("kernels")
    assert packed.not_applicable("kernels", "task").tolist() == [True, False]
    assert [(f.kind, f.first) for f in packed.faults()["kernels"]] == [("row of another width", 4)]
    manifest = read_manifest(path)
    assert manifest["findings"] == [{"kind": "missing", "text": "no host"}]
    assert manifest["path"] == str(original.path)


def test_a_pack_holds_no_raw_data_and_nothing_to_execute(samples, tmp_path):
    path = tmp_path / "run.studio"
    write_pack(load_profile(samples / PROFILES[0]), path)
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        assert {name.rpartition(".")[2] for name in names} == {"npy", "json"}
        for name in names:
            if name.endswith(".npy"):
                with archive.open(name) as file:
                    np.load(file, allow_pickle=False)
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.studio"]
    raw = samples / PROFILES[0] / "ASCEND_PROFILER_OUTPUT"
    size = sum(file.stat().st_size for file in raw.iterdir())
    assert path.stat().st_size < size / 4


@pytest.mark.parametrize("content", [b"", b"no zip", None, {"format": "other"}, {"version": 99}])
def test_what_is_no_pack_is_refused(tmp_path, content):
    path = tmp_path / "x.studio"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        manifest = {"format": "ascent-studio profile", "version": 1, "info": {}, "tables": {}}
        with zipfile.ZipFile(path, "w") as archive:
            if content is not None:
                archive.writestr("manifest.json", json.dumps(manifest | content))
    with pytest.raises(StudioError, match=r"x\.studio (is damaged|was written by a newer)"):
        load_profile(path)


def test_a_column_of_the_wrong_length_is_damage(maker, tmp_path):
    maker.kernel("a", 0, 1)
    path = tmp_path / "run.studio"
    write_pack(maker.load(), path)
    other = tmp_path / "bad.studio"
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(other, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "manifest.json":
                manifest = json.loads(data)
                manifest["tables"]["kernels"]["rows"] = 5
                data = json.dumps(manifest).encode()
            target.writestr(name, data)
    with pytest.raises(StudioError, match=r"bad\.studio is damaged"):
        load_profile(other).table("kernels")


def test_a_file_that_cannot_be_written_leaves_nothing(maker, tmp_path):
    maker.kernel("a", 0, 1)
    with pytest.raises(StudioError, match="Cannot write"):
        write_pack(maker.load(), tmp_path / "missing" / "run.studio")


def test_the_timeline_is_that_of_the_original(samples, tmp_path):
    original = load_profile(samples / PROFILES[0])
    path = tmp_path / "run.studio"
    write_pack(original, path)
    packed = load_profile(path)
    first, second = original.trace(), packed.trace()
    assert second.path == path
    for column in ("start", "duration", "name", "lane", "depth"):
        assert (getattr(first, column) == getattr(second, column)).all()
    assert [lane.title for lane in first.lanes] == [lane.title for lane in second.lanes]
    assert len(first.flows) == len(second.flows) > 0
    assert len(first.counters) == len(second.counters) > 0
    assert (flame(original).total_ns, len(flame(packed).by_time)) == (
        flame(packed).total_ns,
        len(flame(original).by_time),
    )
    # the window opens the pack itself as a timeline, with the args that tables need
    assert packed.sources.first("timeline") == path
    trace = load_trace(path)
    assert len(trace) == len(first)
    kernel = next(i for i in range(len(trace)) if "Task Type" in args(trace, i))
    assert args(trace, kernel)["Task Type"] == args(first, kernel)["Task Type"]


def test_what_was_found_before_packing_is_still_told(samples, tmp_path):
    original = load_profile(samples / PROFILES[2])
    remarks = examine(original).remarks
    path = tmp_path / "run.studio"
    write_pack(original, path, findings=[remark.to_json() for remark in remarks])
    assert examine(load_profile(path)).remarks == remarks
    with pytest.raises(StudioError, match="holds no timeline"):
        load_trace(path)


@pytest.mark.parametrize("harm", ["../evil.npy", "start.npy", "manifest.json"])
def test_a_harmful_timeline_is_refused(maker, tmp_path, harm):
    maker.kernel("a", 0, 5)
    maker.slice("Ascend Hardware", 2, "a", 0, 5)
    path, other = tmp_path / "run.studio", tmp_path / "other.studio"
    write_pack(maker.load(), path)
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(other, "w") as target:
        for name in source.namelist():
            if name != f"timeline/{harm}":
                target.writestr(name, source.read(name))
        target.writestr(f"timeline/{harm}", b"\x00" * 64)
    with pytest.raises(StudioError, match="damaged"):
        load_profile(other).trace()
    assert len(load_profile(other).table("kernels")) == 1
    assert not (tmp_path / "evil.npy").exists()


def test_a_packed_trace_without_kernels_is_advised_for_its_own_device(tmp_path):
    trace = tmp_path / "host.pt.trace.json"
    operator = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 2, "ts": 1}
    head = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "A100"}]}
    trace.write_text(json.dumps(head | {"traceEvents": [operator | {"dur": 5, "args": {}}]}))
    path = tmp_path / "run.studio"
    original = load_profile(trace)
    said = [remark.to_json() for remark in examine(original, full=True).remarks]
    write_pack(original, path, findings=said)
    found = examine(load_profile(path), full=True)
    advice = [remark.advice or "" for remark in found.remarks]
    assert "Record with ProfilerActivity.CUDA." in advice
    assert not any("NPU" in text or "Level1" in text for text in advice)
    assert "✓ Timeline: run.studio" in found.to_text()
