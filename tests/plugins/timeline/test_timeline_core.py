import dataclasses
import importlib
import json
import tomllib
from pathlib import Path

import pytest

from plugins.timeline import core
from plugins.timeline.core.info import info
from studio.kernel.errors import StudioError
from studio.kernel.render import to_json

CASES = Path(__file__).resolve().parents[2] / "cases"
TRUNCATED = next(CASES.glob("A14-*")) / "input"
PAIRS = next(CASES.glob("A18-*")) / "input" / "trace.json"


def test_info_counts_what_the_trace_holds():
    described = json.loads(to_json(info(PAIRS)))
    assert described["slices"] == 8
    assert described["lanes"] == 5
    assert (described["counters"], described["flows"], described["instants"]) == (0, 0, 0)
    assert (described["start_ns"], described["end_ns"]) == (0, 100_000)
    assert described["faults"] == [
        {"kind": "begin without end", "count": 2, "first": 487},
        {"kind": "end without begin", "count": 1, "first": 725},
    ]
    assert [(process["pid"], process["name"]) for process in described["processes"]] == [
        ("1", "Process 1"),
        ("2", "Process 2"),
    ]
    assert described["processes"][1]["threads"] == [
        {"tid": "1", "name": "Thread 1", "slices": 1, "rows": 1}
    ]


def test_info_for_people_names_lanes_and_faults():
    text = info(PAIRS).to_text()
    assert "Process 1 (pid 1)" in text
    assert "3 slices, 3 rows" in text
    assert "begin without end  2, first at byte 487" in text


def test_info_of_a_part_counts_what_lies_in_it(tmp_path):
    common = {"pid": 1, "tid": 1}
    events = [
        *({"ph": "X", "name": f"op {n}", "ts": n * 10, "dur": 8, **common} for n in range(10)),
        *({"ph": "X", "name": "op 3", "ts": n * 10, "dur": 8, "pid": 1, "tid": 2}
          for n in range(5)),
        *({"ph": "C", "name": "use", "pid": 2, "ts": n * 10, "args": {"a": n, "b": n}}
          for n in range(10)),
        *({"ph": "i", "name": "mark", "ts": n * 10, **common} for n in range(10)),
        {"ph": "s", "name": "f", "cat": "f", "id": 1, "ts": 31, "pid": 1, "tid": 2},
        {"ph": "f", "name": "f", "cat": "f", "id": 1, "ts": 51, **common},
        {"ph": "s", "name": "f", "cat": "f", "id": 2, "ts": 1, "pid": 1, "tid": 2},
        {"ph": "f", "name": "f", "cat": "f", "id": 2, "ts": 51, **common},
    ]  # fmt: skip
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(events))

    described = json.loads(to_json(info(path, from_="25000", to="60000")))
    assert [described[key] for key in ("slices", "lanes", "flows", "counters", "instants")] == [
        7, 2, 1, 3, 3,
    ]  # fmt: skip
    assert (described["view_start_ns"], described["view_end_ns"]) == (25_000, 60_000)
    threads = described["processes"][0]["threads"]
    assert [(thread["tid"], thread["slices"]) for thread in threads] == [("1", 4), ("2", 3)]

    described = json.loads(to_json(info(path, lane=["Thread 2"], name="op 3", case=True)))
    assert [described[key] for key in ("slices", "lanes", "counters")] == [5, 1, 0]
    assert [process["pid"] for process in described["processes"]] == ["1"]


def test_info_of_an_empty_file_says_so():
    text = info(TRUNCATED / "empty.json").to_text()
    assert "empty file" in text


def test_info_of_something_else_is_refused(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"a": 1}')
    with pytest.raises(StudioError, match="is not a trace"):
        info(path)


def test_info_of_a_profile_folder_finds_its_trace(shared):
    folder = shared / "data/profiling/msinsight/test/data/pytorch/text/level2/rank0_ascend_pt"
    assert not core.is_trace(folder / "profiler_info_0.json")
    described = json.loads(to_json(info(folder)))
    assert (described["slices"], described["flows"], described["counters"]) == (4811, 611, 4368)
    assert described["faults"] == []
    assert described["start_ns"] == 1736412474607917240
    python = described["processes"][0]
    assert (python["name"], python["labels"]) == ("Python", "CPU")


def test_facts_of_traces_and_profiles(tmp_path):
    folder = tmp_path / "rank3_ascend_pt"
    (folder / "ASCEND_PROFILER_OUTPUT").mkdir(parents=True)
    trace = folder / "ASCEND_PROFILER_OUTPUT" / "trace_view.json"
    trace.write_text('[{"ph": "X", "ts": 1, "dur": 1}]')
    (folder / "profiler_info_3.json").write_text("{}")
    assert core.is_trace(trace)
    assert core.trace_facts(trace) == {
        "bytes": trace.stat().st_size,
        "rank": 3,
        "framework": "PyTorch",
    }
    assert core.is_profile(folder)
    assert core.profile_facts(folder) == {
        "rank": 3,
        "framework": "PyTorch",
        "has_trace": True,
        "has_memory": False,
        "has_database": False,
        "analysed": True,
    }


def test_the_manifest_names_functions_that_exist():
    manifest = tomllib.loads((Path(core.__file__).parents[1] / "plugin.toml").read_text())
    named = {
        reference
        for table in (*manifest["scanners"], *manifest["commands"])
        for key in ("sniff", "facts", "run")
        if (reference := table.get(key, ""))
    }
    assert {"core:is_trace", "core:profile_facts", "core.info:info", "core.query:query"} <= named
    for reference in named:
        module, function = reference.split(":")
        assert callable(getattr(importlib.import_module(f"plugins.timeline.{module}"), function))


def test_the_description_is_a_frozen_value():
    with pytest.raises(dataclasses.FrozenInstanceError):
        info(PAIRS).trace = None
