import shutil

import pytest

from studio.kernel.errors import StudioError
from studio.perf.doctor import diagnose
from studio.perf.several import profile_paths, profiles_at


def kinds(diagnosis, severity=""):
    return [r.kind for r in diagnosis.remarks if severity in ("", r.severity)]


def test_a_whole_profile_has_nothing_to_complain_about(samples):
    path = samples / "msinsight/test/data/pytorch/db/level2/rank0_ascend_pt"
    diagnosis = diagnose(path)
    assert diagnosis.remarks == ()
    assert diagnosis.exit_code == 0
    assert diagnosis.headline() == "PyTorch · database · Level2 · rank 0: nothing to complain about"
    assert [found.table for found in diagnosis.found] == ["database", "analysis"]


def test_what_is_missing_says_what_it_costs_and_how_to_get_it(samples):
    diagnosis = diagnose(samples / "msinsight/test/st/level2/rank_1_ascend_pt")
    missing = {r.text: r for r in diagnosis.remarks if r.kind == "missing"}
    remark = missing["No operators of the device were recorded."]
    assert remark.cost.startswith("No operator table")
    assert remark.advice == "Record with ProfilerActivity.NPU."
    assert "No memory blocks were recorded." in missing
    assert "Recorded without call stacks (with_stack=False)." in diagnosis.to_text()
    assert diagnosis.exit_code == 0


def test_level_0_and_its_price(samples):
    diagnosis = diagnose(samples / "msinsight/test/data/pytorch/text/level0/rank0_ascend_pt")
    assert "Recorded at Level0." in [remark.text for remark in diagnosis.remarks]


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("host_1_ascend_pt", "from torch_npu.profiler.profiler import analyse; analyse('{path}')"),
        ("host_1_ascend_ms", "from mindspore.profiler.profiler import analyse; analyse('{path}')"),
    ],
)
def test_raw_data_names_the_command_that_parses_it(tmp_path, name, command):
    path = tmp_path / name
    (path / "PROF_000001_20240101000000000_ABC" / "device_0").mkdir(parents=True)
    diagnosis = diagnose(path)
    (remark,) = diagnosis.remarks
    assert (remark.kind, remark.severity) == ("unparsed", "error")
    assert command.format(path=path) in remark.advice
    assert diagnosis.exit_code == 1


def test_raw_data_of_msprof(tmp_path):
    path = tmp_path / "PROF_000001_20240101000000000_ABC"
    (path / "host").mkdir(parents=True)
    assert f"msprof --export=on --output={path}" in diagnose(path).remarks[0].advice


def test_what_is_no_profile_is_an_error_not_a_crash(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("hello")
    diagnosis = diagnose(path)
    assert kinds(diagnosis) == ["unreadable"]
    assert diagnosis.exit_code == 1
    with pytest.raises(StudioError, match="does not exist"):
        diagnose(tmp_path / "missing")


def test_a_damaged_file_does_not_hide_the_others(maker):
    maker.kernel("a", 0, 1)
    maker.table("memory_record.csv", "a,b\n1,2\n")
    maker.load()
    diagnosis = diagnose(maker.folder)
    (remark,) = [r for r in diagnosis.remarks if r.severity == "error"]
    assert remark.kind == "unreadable"
    assert "memory_record.csv has no column “timestamp”" in remark.text
    assert diagnosis.exit_code == 1


def test_odd_times_duplicates_and_faults(maker):
    for start in (0, 10, 20):
        maker.kernel("a", start, start + 5)
    maker.kernels += [maker.kernels[-1], "1,9,2,b,Add,AI_CORE,5.0,1"]
    maker.kernels += ["1,10,2,c,Add,AI_CORE,1700000000000100.0,-3"]
    maker.kernels += ["1,11,2,d,Add,AI_CORE,1700009000000000.0,1", "1,2"]
    maker.load()
    text = [remark.text for remark in diagnose(maker.folder).remarks]
    assert "1 operator has no time of day (before 2010)." in text
    assert "1 operator ends before it begins." in text
    assert "1 operator begins more than an hour away from the rest." in text
    assert "1 operator is listed twice." in text
    assert "kernel_details.csv: 1 × row of another width, first in line 9" in text


def test_new_columns_and_older_exports(maker):
    header = "Op Name,OP Type,Task Start Time(us),Task Duration(us),Shiny"
    maker.table("op_summary_20230101000000.csv", f"{header}\na,T,1,2,3\n")
    maker.table("op_summary_20240101000000.csv", f"{header}\na,T,1,2,3\n")
    text = [remark.text for remark in diagnose(maker.folder).remarks]
    assert (
        "op_summary_20240101000000.csv has columns that this program does not know: Shiny." in text
    )
    assert "There are older exports of the same tables: op_summary_20230101000000.csv." in text
    assert "Times count from the start of the recording or of the machine, not from 1970." in text


def test_a_database_that_was_not_closed(samples, tmp_path):
    source = samples / "msinsight/test/data/pytorch/db/level0/rank0_ascend_pt"
    path = tmp_path / "rank0_ascend_pt"
    shutil.copytree(source, path)
    folder = path / "ASCEND_PROFILER_OUTPUT"
    (folder / "ascend_pytorch_profiler_0.db-wal").write_bytes(b"changes")
    assert "version" in kinds(diagnose(path), "warning")


def test_steps_that_do_not_belong_together(maker):
    maker.kernel("a", 0, 1)
    maker.table("step_trace_time.csv", "Step,Computing\n0,5\n")
    maker.table(
        "communication.json",
        '{"step114": {"collective": {"hcom_x__1@5": {"Communication Time Info": {}}}}}',
    )
    maker.load()
    text = [remark.text for remark in diagnose(maker.folder).remarks]
    assert any("different steps (0 and 114)" in line for line in text)


def test_all_profiles_of_a_folder(samples):
    folder = samples / "msinsight/test/st/level2"
    assert [profile.info.rank for profile in profiles_at(folder)] == [0, 1, 2, 3]
    assert [profile.info.rank for profile in profiles_at(folder, rank=2)] == [2]
    assert profile_paths(folder / "rank_1_ascend_pt") == [folder / "rank_1_ascend_pt"]
    with pytest.raises(StudioError, match="no profile of rank 9; there are ranks 0, 1, 2, 3"):
        profiles_at(folder, rank=9)


def test_a_folder_without_profiles(tmp_path):
    with pytest.raises(StudioError, match="holds no profile"):
        profiles_at(tmp_path)
