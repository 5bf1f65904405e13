import json

import pytest

from studio.formats.profile_info import (
    find_trace,
    framework_of,
    is_profile_folder,
    profile_info,
    rank_of,
)
from studio.kernel.errors import StudioError


def profile(folder, *, rank="3", level="ProfilerLevel.Level2"):
    output = folder / "ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True)
    (output / "trace_view.json").write_text("[]")
    (output / "memory_record.csv").write_text("")
    info = {"config": {"experimental_config": {"_profiler_level": level}}, "rank_id": 9}
    (folder / f"profiler_info_{rank}.json").write_text(json.dumps(info))
    metadata = {"distributed_args": {"world_size": 8}}
    (folder / "profiler_metadata.json").write_text(json.dumps(metadata))
    return folder


def test_a_profile_of_pytorch(tmp_path):
    folder = profile(tmp_path / "host_1_20250101_ascend_pt")
    info = profile_info(folder)
    assert is_profile_folder(folder)
    assert (info.framework, info.rank, info.world_size, info.level) == ("PyTorch", 3, 8, "Level2")
    assert info.has_trace
    assert info.has_memory
    assert info.analysed
    assert not info.has_database
    assert find_trace(folder) == folder / "ASCEND_PROFILER_OUTPUT" / "trace_view.json"


def test_raw_data_are_told_apart(tmp_path):
    folder = tmp_path / "x_ascend_ms"
    (folder / "PROF_000001" / "host").mkdir(parents=True)
    info = profile_info(folder)
    assert (info.framework, info.rank, info.analysed) == ("MindSpore", None, False)
    assert not is_profile_folder(folder / "PROF_000001")
    with pytest.raises(StudioError, match="must be analysed first"):
        find_trace(folder)


def test_a_lone_prof_folder_is_a_profile_if_it_looks_like_one(tmp_path):
    folder = tmp_path / "PROF_000001"
    folder.mkdir()
    assert not is_profile_folder(folder)
    output = folder / "mindstudio_profiler_output"
    output.mkdir()
    for name in ("msprof_20240101.json", "msprof_20240102.json"):
        (output / name).write_text("[]")
    assert is_profile_folder(folder)
    assert profile_info(folder).framework == "CANN"
    assert find_trace(folder).name == "msprof_20240102.json"


@pytest.mark.parametrize(
    ("name", "content", "rank"),
    [
        ("trace.json", '{"distributedInfo": {"backend": "nccl", "rank": 5, "world_size": 8}}', 5),
        ("t.json", '{"distributedInfo": {"pg_config": [{"ranks": [0, 1]}], "rank": 6}}', 6),
        ("rank-34.Jul_15.pt.trace.json", "{}", 34),
        ("mtia_rank_2.json", "{}", 2),
        ("worker0.123.pt.trace.json", "{}", None),
    ],
)
def test_the_rank_of_a_trace(tmp_path, name, content, rank):
    path = tmp_path / name
    path.write_text(content)
    assert rank_of(path) == rank


def test_the_rank_of_a_trace_in_a_profile(tmp_path):
    folder = profile(tmp_path / "rank7_ascend_pt", rank="1")
    assert rank_of(folder / "ASCEND_PROFILER_OUTPUT" / "trace_view.json") == 1
    (folder / "profiler_info_1.json").rename(folder / "profiler_info.json")
    assert rank_of(folder) == 9
    (folder / "profiler_info.json").write_text("broken")
    assert rank_of(folder) == 7


def test_the_framework_of_a_trace(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"schemaVersion": 1, "traceEvents": []}')
    assert framework_of(path) == "PyTorch"
    path.write_text("[]")
    assert framework_of(path) is None
    assert framework_of(tmp_path / "msprof_0_1.json") == "CANN"
    assert framework_of(tmp_path / "ascend_timeline_display_1.json") == "MindSpore"


def test_several_traces_must_be_named(tmp_path):
    profile(tmp_path / "rank0_ascend_pt")
    assert find_trace(tmp_path).parts[-3] == "rank0_ascend_pt"
    profile(tmp_path / "rank1_ascend_pt")
    with pytest.raises(StudioError, match="holds 2 traces"):
        find_trace(tmp_path)
    with pytest.raises(StudioError, match="does not exist"):
        find_trace(tmp_path / "absent")


def test_a_real_profile(shared):
    folder = shared / "data/profiling/msinsight/test/st/level2/rank_0_ascend_pt"
    info = profile_info(folder)
    assert (info.framework, info.rank, info.world_size) == ("PyTorch", 0, 4)
    assert info.has_memory
