import json
import sqlite3

import pytest

from studio.kernel.errors import StudioError
from studio.perf.load import load_profile
from studio.perf.schema import TABLES, problems

SAMPLES = [
    *(
        f"msinsight/test/data/pytorch/{form}/level{level}/rank0_ascend_pt"
        for form in ("text", "db")
        for level in (0, 1, 2)
    ),
    "msinsight/test/st/level2/rank_0_ascend_pt",
    "msinsight/test/st/level2/rank_1_ascend_pt",
    "msinsight/server/src/test/test_data/test_rank_0",
    "msinsight/server/src/test/test_data/test_rank_1",
    "msinsight/server/src/test/test_data/full_db/msprof_0.db",
    "msinsight/server/src/test/test_data/test_kernel_parse/op_summary_1.csv",
    "mindinsight/tests/utils/resource/run_1/normal_run/profiler",
    "mindinsight/tests/utils/resource/run_2/normal_run/profiler",
    "mindinsight/tests/utils/resource/cluster_propose",
    "mindinsight/tests/utils/resource/profiler/PROF_000001_20230818142704322_COJGGGCANRMICFBC",
    "msprof-analyze/test/ut/advisor/timeline_advice/trace_view.json",
    "msprof-analyze/test/ut/advisor/compute_advice/data/kernel_details.csv",
    "HolisticTraceAnalysis/tests/data/amd_trace/mi250_minitoy_train_ROCm6_2_kineto.json.gz",
    "HolisticTraceAnalysis/tests/data/trace_diff/control/control.json.gz",
]
OLD = (
    "Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim,Task ID,"
    "Stream ID"
)
NEW = (
    "Step Id,Device_id,Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),"
    "Task Wait Time(us),Block Num,Task ID,Stream ID"
)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_form_gives_the_documented_tables(samples, name):
    profile = load_profile(samples / name)
    assert profile.offered <= set(TABLES)
    for table in TABLES:
        frame = profile.table(table)
        assert problems(table, frame.columns, map(str, frame.dtypes)) == [], table


def test_tables_with_other_columns_are_read_below_each_other(maker):
    maker.table("op_summary_1.csv", "Op Name,Task Start Time(us),Task Duration(us)\nA,1,2\n")
    maker.table(
        "op_summary_2.csv",
        "Op Name,OP Type,Task Start Time(us),Task Duration(us),Task ID\nB,Add,5,2,7\nC,Mul,9,2,8\n",
    )
    maker.table("op_summary_3.csv", "Op Name,Task Start Time(us),Task Duration(us)\nD,20,2\n")
    kernels = load_profile(maker.folder).table("kernels")
    assert kernels["name"].tolist() == ["A", "B", "C", "D"]
    assert kernels["type"].astype("str").fillna("").tolist() == ["", "Add", "Mul", ""]
    assert kernels["task"].fillna(-1).tolist() == [-1, 7, 8, -1]
    assert kernels["row"].tolist() == [0, 1, 2, 3]


def test_old_and_new_names_give_the_same_kernels(maker):
    maker.table("kernel_details.csv", f"{OLD}\nMm,MatMulV2,AI_CORE,5.125,2.5,1,20,7,2\n")
    old = load_profile(maker.folder).table("kernels")
    (maker.output / "kernel_details.csv").unlink()
    maker.table(
        "op_summary_20240101000000.csv", f"{NEW}\n,0,Mm,MatMulV2,AI_CORE,5.125,2.5,1,20,7,2\n"
    )
    new = load_profile(maker.folder).table("kernels")
    for column in ("name", "type", "core", "start_ns", "duration_ns", "wait_ns", "blocks", "task"):
        assert old[column].tolist() == new[column].tolist(), column
    assert (old["start_ns"].iloc[0], old["duration_ns"].iloc[0]) == (5125, 2500)
    assert old["device"].isna().all()
    assert new["device"].tolist() == [0]


def test_text_and_database_are_the_same_tables(maker, tmp_path):
    maker.kernel("Mm", 5.125, 7.625, kind="MatMulV2", core="AI_CORE")
    maker.kernel("hcom_allReduce__1_0_1", 8, 9.5, kind="hcom_allReduce_", core="COMMUNICATION")
    text = maker.load()
    base = int(text.table("kernels")["start_ns"].iloc[0]) - 5125
    folder = tmp_path / "db" / "x_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    folder.mkdir(parents=True)
    with sqlite3.connect(folder / "ascend_pytorch_profiler_0.db") as connection:
        connection.executescript(
            f"""
            CREATE TABLE STRING_IDS (id INTEGER, value TEXT);
            INSERT INTO STRING_IDS VALUES (1, 'Mm'), (2, 'MatMulV2'), (3, 'AI_CORE'), (4, 'N/A'),
                (5, 'hcom_allReduce__1_0_1'), (6, 'hcom_allReduce_'), (7, 'KERNEL_AICORE');
            CREATE TABLE TASK (startNs, endNs, deviceId, connectionId, globalTaskId, taskType,
                               contextId, streamId, taskId, modelId);
            INSERT INTO TASK VALUES ({base + 5125}, {base + 7625}, 0, 9, 77, 7, 4294967295, 2, 0,
                                     4294967295);
            CREATE TABLE COMPUTE_TASK_INFO (name, globalTaskId, blockNum, taskType, opType,
                                            inputShapes);
            INSERT INTO COMPUTE_TASK_INFO VALUES (1, 77, 20, 3, 2, 4);
            CREATE TABLE COMMUNICATION_OP (opName, startNs, endNs, opId, opType);
            INSERT INTO COMMUNICATION_OP VALUES (5, {base + 8000}, {base + 9500}, 1, 6);
            """
        )
    connection.close()
    database = load_profile(folder.parent)
    for table in ("kernels", "communication"):
        for column in ("name", "type", "start_ns", "duration_ns"):
            assert text.table(table)[column].tolist() == database.table(table)[column].tolist()
    (row,) = database.table("kernels").to_dict("records")
    assert (row["row"], row["blocks"], row["connection"], row["stream"]) == (77, 20, 9, 2)
    # "N/A" is no shape, and 4294967295 no model
    assert database.table("kernels")["input_shapes"].isna().all()
    assert row["model"] is None
    assert database.info.form == "database"


def test_two_forms_of_the_same_workload_agree(samples):
    base = samples / "msinsight/test/data/pytorch"
    text = load_profile(base / "text/level2/rank0_ascend_pt")
    database = load_profile(base / "db/level2/rank0_ascend_pt")
    counts = {
        table: (len(text.table(table)), len(database.table(table)))
        for table in ("kernels", "communication", "copies", "host_ops", "queue", "allocations")
    }
    assert counts == {
        "kernels": (187, 187),
        "communication": (4, 4),
        "copies": (24, 24),
        "host_ops": (860, 860),
        "queue": (318, 318),
        "allocations": (184, 184),
    }
    for table, column in (("kernels", "type"), ("host_ops", "name"), ("allocations", "name")):
        first, second = (p.table(table)[column].value_counts().to_dict() for p in (text, database))
        assert first == second, table


def test_every_kernel_is_launched_by_something(samples):
    for form in ("text", "db"):
        path = samples / f"msinsight/test/data/pytorch/{form}/level2/rank0_ascend_pt"
        profile = load_profile(path)
        launches = profile.table("launches")
        for table, count in (("kernels", 187), ("communication", 4), ("copies", 24)):
            mine = launches[launches["table"] == table]
            assert mine["host_op"].notna().sum() == mine["api"].notna().sum() == count
        kernels, operators = profile.table("kernels"), profile.table("host_ops")
        mine = launches[launches["table"] == "kernels"]
        operator = operators["name"].iloc[mine["host_op"]].tolist()
        kernel = kernels["name"].iloc[mine["index"]].tolist()
        pairs = set(zip(operator, kernel, strict=True))
        assert {operator for operator, name in pairs if "LogSoftmaxV2" in name} == {
            "aclnnLogSoftmax"
        }
        assert ("Conv2D", "Conv2D1") in pairs


def test_what_a_profile_says_of_itself(samples):
    info = load_profile(samples / "msinsight/test/st/level2/rank_0_ascend_pt").info
    assert (info.framework, info.rank, info.world_size, info.level) == ("PyTorch", 0, 4, "Level2")
    assert info.versions == {"torch_npu": "2.7.1", "CANN": "8.3.RC1"}
    assert info.metrics == "ACL_AICORE_PIPE_UTILIZATION"
    assert info.parallel["pipeline_model_parallel_size"] == 2
    assert info.groups["group_name_19"]["global_ranks"] == [0, 2]
    info = load_profile(samples / "msinsight/test/data/pytorch/db/level2/rank1_ascend_pt").info
    assert (info.chip, info.rank, info.frequency_mhz) == ("Ascend910B", 1, 1800.0)
    trace = "HolisticTraceAnalysis/tests/data/trace_diff/control/control.json.gz"
    info = load_profile(samples / trace).info
    assert (info.form, info.hardware, info.chip) == (
        "Kineto trace",
        "GPU",
        "NVIDIA A100-PG509-200",
    )
    assert (info.rank, info.world_size) == (3, 8)


def test_missing_tables_are_empty_and_not_offered(samples):
    profile = load_profile(samples / "msinsight/test/st/level2/rank_1_ascend_pt")
    assert profile.offered == {"published_steps", "communication_times"}
    assert not profile.has("kernels")
    assert list(profile.table("kernels").columns) == list(TABLES["kernels"].names)
    assert profile.trace() is None
    assert list(profile.counters()) == []


def test_cells_that_make_no_sense_are_told_from_missing_ones(samples):
    profile = load_profile(samples / "msinsight/test/data/pytorch/text/level2/rank0_ascend_pt")
    kernels = profile.table("kernels")
    mask = profile.not_applicable("kernels", "model")
    assert mask is not None
    assert mask.all()
    assert kernels["model"].isna().all()
    assert profile.not_applicable("kernels", "duration_ns") is None
    assert profile.not_applicable("communication", "stream").sum() == 4


def test_slices_of_an_export_are_one_table_and_older_exports_are_left(maker):
    for number, time in ((0, "20230919172305"), (1, "20230919172306")):
        maker.table(
            f"op_summary_slice_{number}_{time}.csv",
            f"{NEW}\n1,0,k{number},T,AI_CORE,1,2,0,1,{number},2\n",
        )
    maker.table("op_summary_20220101000000.csv", f"{NEW}\n1,0,old,T,AI_CORE,1,2,0,1,5,2\n")
    profile = load_profile(maker.folder)
    assert profile.table("kernels")["name"].tolist() == ["k0", "k1"]
    assert profile.table("kernels")["row"].tolist() == [0, 1]
    assert [file.name for file in profile.sources.older] == ["op_summary_20220101000000.csv"]


def test_communication_of_level_0_is_told_by_its_name(maker):
    maker.table(
        "kernel_details.csv",
        "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us)\n"
        "1,hcom_allReduce__12_0_1,N/A,N/A,1,2\n1,Add,N/A,N/A,3,4\n",
    )
    profile = load_profile(maker.folder)
    assert profile.table("kernels")["name"].tolist() == ["Add"]
    assert profile.table("communication")["type"].tolist() == ["hcom_allReduce_"]


def test_communication_json_keeps_the_digits(samples):
    profile = load_profile(samples / "msinsight/test/data/pytorch/text/level2/rank0_ascend_pt")
    table = profile.table("communication_times")
    raw = json.loads((profile.path / "ASCEND_PROFILER_OUTPUT/communication.json").read_text())
    ((name, about),) = [
        (key, value)
        for key, value in raw["step50"]["collective"].items()
        if key.startswith("hcom_allReduce__271_0_1@")
    ]
    row = table[table["name"] == "hcom_allReduce__271_0_1"].iloc[0]
    assert row["group"] == name.partition("@")[2]
    assert row["elapse_ns"] == round(about["Communication Time Info"]["Elapse Time(ms)"] * 1e6)
    assert (row["step"], row["kind"], len(table)) == (50, "collective", 4)


def test_the_old_layout_of_mindspore(samples):
    path = samples / "mindinsight/tests/utils/resource/run_1/normal_run/profiler"
    profile = load_profile(path)
    assert (profile.info.framework, profile.info.form) == ("MindSpore", "MindInsight")
    kernels = profile.table("kernels")
    assert len(kernels) == 2817
    first = kernels.iloc[0]
    assert (first["name"], first["type"], first["stream"]) == ("AssignAdd-op414", "AssignAdd", 519)
    assert (first["start_ns"], first["duration_ns"]) == (438068415920, 2660)
    steps = profile.table("host_steps")
    assert len(steps) == 322
    assert (steps["start_ns"].iloc[0], steps["end_ns"].iloc[0]) == (438068505470, 438352776650)


@pytest.mark.parametrize("text", ["", "{}", "not a profile"])
def test_what_is_no_profile_is_refused(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(StudioError, match=r"x\.json is no profile"):
        load_profile(path)
    with pytest.raises(StudioError, match="does not exist"):
        load_profile(tmp_path / "missing")


def test_a_folder_of_several_profiles_asks_for_one(samples):
    with pytest.raises(StudioError, match="holds 4 profiles"):
        load_profile(samples / "msinsight/test/st/level2")


def test_a_folder_that_no_profiler_wrote_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(StudioError, match="holds no profile"):
        load_profile(tmp_path)


def test_shapes_and_types_that_a_database_exchanged(samples):
    base = samples / "msinsight/test/data/pytorch"
    tables = [
        load_profile(base / form / "level2/rank0_ascend_pt").table("host_ops")
        for form in ("text", "db")
    ]
    for column in ("input_shapes", "input_types"):
        text, database = (
            table[table["name"] == "aten::convolution"][column].astype("str").tolist()
            for table in tables
        )
        assert text == database
    assert tables[1]["input_shapes"].iloc[200] == "1;;"


def test_costs_of_communication_in_the_old_layout(samples):
    path = samples / "mindinsight/tests/utils/resource/cluster_propose/hccl_raw_0.csv"
    found = load_profile(path).table("communication_times")
    first = found[found["step"] == 1]
    assert len(first) == 97
    # the file sums both up itself, in milliseconds
    assert first["transit_ns"].sum() == 2_600_180
    assert abs(first["wait_ns"].sum() - 270_250_560) <= 97
    assert set(found["kind"]) == {"collective", "p2p"}
    assert found["step"].tolist() == sorted(found["step"])
