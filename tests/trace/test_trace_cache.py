"""Kept traces: used only when they are whole and of this very file."""

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from studio import paths
from studio.formats.byte_source import Text
from studio.trace import cache, load, reader
from studio.trace.folder import MANIFEST
from studio.trace.query import args
from studio.trace.statistics import statistics
from tests.trace.test_trace_engines import assert_same


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Traces are kept as soon as they are loaded."""
    monkeypatch.setattr(cache, "PATIENCE", 0.0)


@pytest.fixture
def case(cases, tmp_path, monkeypatch):
    """The input of the case in a folder that may be written, where every size is kept."""
    monkeypatch.setattr(cache, "WORTH_KEEPING", 0)
    folder = tmp_path / "data"
    shutil.copytree(next(cases.glob("A36-*")) / "input", folder)
    return folder / "trace_view.json"


@pytest.fixture
def parsed(monkeypatch):
    """How often files were really read."""
    count = []
    real = reader.read_trace
    monkeypatch.setattr(
        reader, "read_trace", lambda *args, **kwargs: count.append(1) or real(*args, **kwargs)
    )
    return count


def opened(path, **arguments):
    """Load a trace and wait until it is kept."""
    trace = load(path, **arguments)
    for thread in threading.enumerate():
        if thread.name == "keep trace":
            thread.join()
    return trace


def entries():
    return sorted((paths.cache_dir() / "traces").iterdir())


def names_of(trace):
    return {trace.names[number][:5] for number in trace.name.tolist()}


def test_a_kept_trace_is_the_same_trace(case, parsed):
    first = opened(case, arg_columns=("k", "missing"))
    second = opened(case, arg_columns=("k", "missing"))
    assert len(parsed) == 1
    assert len(second) == 1000
    assert_same(first, second)
    assert second.lanes[0].order == first.lanes[0].order
    assert isinstance(second.start, np.ndarray)
    assert type(second.start) is np.ndarray
    assert statistics(second).equals(statistics(first))
    assert args(second, 3) == args(first, 3)


def test_everything_of_a_rich_trace_is_kept(tmp_path, monkeypatch, parsed, event):
    monkeypatch.setattr(cache, "WORTH_KEEPING", 0)
    path = tmp_path / "rich.json"
    events = [
        event("X", "é\n🙂", 1.5, dur=2, args={"stream": "s"}),
        event("X", "a", 3, args={"stream": 7}),
        event("X", "bad", 3, dur=-1),
        event("C", "c", 1, args={"x": 1, "y": 2.5}),
        event("i", "mark", 2),
        event("s", "f", 1.5, id="q", cat="flow"),
        event("f", "f", 3, id="q", cat="flow"),
        event("s", "f", 4, id="lone", cat="flow"),
        event("M", "process_labels", args={"labels": "NPU 3"}),
    ]
    path.write_text(json.dumps({"traceEvents": events, "distributedInfo": {"rank": 3}}))
    first = opened(path, arg_columns=("stream",))
    second = opened(path, arg_columns=("stream",))
    assert len(parsed) == 1
    assert first.faults
    assert len(first.flows) == 1
    assert_same(first, second)


def test_args_that_were_not_kept_are_read(case, parsed):
    opened(case, arg_columns=("k",))
    assert not opened(case).arg_columns
    assert len(parsed) == 1
    assert list(opened(case, arg_columns=("other",)).arg_columns) == ["other"]
    assert len(parsed) == 2


def test_a_killed_program_leaves_nothing_that_is_trusted(case, parsed):
    code = (
        "import os, signal, sys; from pathlib import Path\n"
        "from studio.trace import cache, folder, load\n"
        "real = folder._texts\n"
        "def die(trace): os.kill(os.getpid(), signal.SIGKILL)\n"
        "folder._texts = die\n"
        "cache.keep(load(sys.argv[1]))"
    )
    done = subprocess.run([sys.executable, "-c", code, case], check=False)
    assert done.returncode == -signal.SIGKILL
    assert [entry.name.startswith("making-") for entry in entries()] == [True]
    assert len(opened(case)) == 1000
    assert len(opened(case)) == 1000
    assert len(parsed) == 1
    os.utime(next(entry for entry in entries() if entry.name.startswith("making-")), (0, 0))
    cache.make_room(cache.LIMIT)
    assert len(entries()) == 1


def test_a_replaced_file_of_the_same_size_and_time_is_read_again(case, parsed):
    assert names_of(opened(case)) == {"alpha"}
    times = case.stat()
    case.write_bytes((case.parent / "v2" / "trace_view.json").read_bytes())
    os.utime(case, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert case.stat().st_mtime_ns == times.st_mtime_ns
    assert case.stat().st_size == times.st_size
    assert names_of(opened(case)) == {"omega"}
    assert len(parsed) == 2
    assert len(entries()) == 1


@pytest.mark.parametrize("change", ["cut", "empty", "other", "flipped", "gone", "half gone"])
def test_a_damaged_entry_is_made_again_with_a_note(case, parsed, caplog, change):
    opened(case)
    (entry,) = entries()
    files = sorted(entry.iterdir())
    assert len(files) > 20
    for name in [path.name for path in files]:
        path = entry / name
        data = path.read_bytes()
        match change:
            case "cut":
                path.write_bytes(data[: len(data) // 2])
            case "empty":
                path.write_bytes(b"")
            case "other":
                path.write_bytes(b"SQLite format 3\0" + bytes(len(data)))
            case "flipped":
                path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
            case "gone":
                path.unlink()
            case "half gone":
                shutil.copy(path, entry / "spare")
                path.unlink()
        before = len(parsed)
        with caplog.at_level(logging.WARNING):
            trace = opened(case)
        assert len(trace) == 1000, name
        assert names_of(trace) == {"alpha"}
        assert len(parsed) == before + 1, name
        (entry,) = entries()
    assert "made again" in caplog.text or change == "gone"


def test_two_traces_in_one_folder_and_two_paths_do_not_disturb_each_other(case, parsed):
    other = case.with_name("other.json")
    shutil.copy(case.parent / "v2" / "trace_view.json", other)
    for _ in range(2):
        assert names_of(opened(case)) == {"alpha"}
        assert names_of(opened(other)) == {"omega"}
    assert len(parsed) == 2
    assert len(entries()) == 2


def test_several_programs_at_once_keep_one_whole_entry(case, parsed):
    code = (
        "import sys; from studio.trace import cache, load\n"
        "cache.WORTH_KEEPING = 0\n"
        "for _ in range(5): cache.keep(load(sys.argv[1], keep=False)); load(sys.argv[1])"
    )
    programs = [subprocess.Popen([sys.executable, "-c", code, case]) for _ in range(3)]
    assert [program.wait() for program in programs] == [0, 0, 0]
    assert len(opened(case)) == 1000
    assert not parsed
    assert not any(entry.name.startswith("making-") for entry in entries())


def test_programs_that_keep_the_same_at_once_do_not_remove_each_others(case, monkeypatch):
    trace = load(case, keep=False)
    both = threading.Barrier(2, timeout=20)
    real = Path.rename

    def rename(path, target):
        done = real(path, target)
        both.wait()
        return done

    monkeypatch.setattr(Path, "rename", rename)
    for _ in range(10):
        threads = [threading.Thread(target=cache.keep, args=(trace,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(entries()) == 1


def test_an_entry_with_more_arguments_takes_the_place_of_one_with_fewer(case):
    for columns, kept in (("k",), 1), ((), 1), (("k", "missing"), 1), (("other",), 2):
        cache.keep(load(case, keep=False, arg_columns=columns))
        assert len(entries()) == kept
    assert [list(opened(case, arg_columns=("k",)).arg_columns) for _ in range(2)] == [["k"], ["k"]]


def test_a_program_killed_at_half_of_reading_leaves_nothing(case, parsed):
    one = case.read_bytes().strip()[1:-1]
    case.write_bytes(b"[" + b",".join([one] * (5_000_000 // len(one) + 1)) + b"]")
    code = (
        "import os, signal, sys; from studio.trace import cache, load\n"
        "cache.WORTH_KEEPING = 0\n"
        "class Job:\n"
        "    def check(self): pass\n"
        "    def report(self, done, message):\n"
        "        if done and done >= 0.5: os.kill(os.getpid(), signal.SIGKILL)\n"
        "load(sys.argv[1], job=Job())"
    )
    done = subprocess.run([sys.executable, "-c", code, case], check=False)
    assert done.returncode == -signal.SIGKILL
    whole = 1000 * (5_000_000 // len(one) + 1)
    assert len(opened(case)) == len(opened(case)) == whole
    assert len(parsed) == 1


def test_nothing_is_ever_written_beside_the_data(case):
    code = (
        "import os, sys; from studio.trace import cache, load\n"
        "cache.WORTH_KEEPING, cache.PATIENCE, seen = 0, 0.0, []\n"
        "data = os.path.dirname(sys.argv[1])\n"
        "def told(event, values):\n"
        "    if event in ('os.mkdir', 'os.rename', 'os.remove', 'os.chmod', 'os.utime'):\n"
        "        seen.append((event, *map(str, values[:2])))\n"
        "    elif event == 'open' and (values[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):\n"
        "        seen.append((event, str(values[0])))\n"
        "sys.addaudithook(told)\n"
        "load(sys.argv[1]); cache.keep(load(sys.argv[1]))\n"
        "assert seen\n"
        "print([what for what in seen if any(data in part for part in what)])"
    )
    done = subprocess.run([sys.executable, "-c", code, case], check=True, capture_output=True)
    assert done.stdout.strip() == b"[]"
    assert len(entries()) == 1


def test_a_folder_that_cannot_be_written_needs_no_cache_beside_it(case):
    case.parent.chmod(0o500)
    try:
        assert len(opened(case)) == 1000
        assert len(opened(case)) == 1000
    finally:
        case.parent.chmod(0o700)
    assert sorted(path.name for path in case.parent.iterdir()) == [
        "steps.md", "trace_view.json", "v2",
    ]  # fmt: skip


def test_cut_traces_are_not_kept(cases, monkeypatch):
    monkeypatch.setattr(cache, "WORTH_KEEPING", 0)
    for path in sorted((next(cases.glob("A14-*")) / "input").iterdir()):
        opened(path)
    assert not entries()


def test_a_file_that_grows_while_it_is_read_is_not_kept(case, monkeypatch):
    trace = load(case, keep=False)
    with case.open("ab") as file:
        file.write(b" ")
    assert not cache.keep(trace)
    assert not entries()


def test_the_oldest_entries_make_room(case, parsed):
    trace = load(case, keep=False)
    cache.keep(trace)
    one = cache.size()
    assert one > 30_000
    paths_of = {}
    for number in range(4):
        path = case.with_name(f"{number}.json")
        shutil.copy(case, path)
        cache.keep(load(path, keep=False), limit=10**9)
        paths_of[number] = path
        (entry,) = cache._entries(Text(path))
        os.utime(entry / MANIFEST, (number, number))
    assert len(load(paths_of[0])) == 1000
    assert len(parsed) == 5
    cache.make_room(int(2.5 * one))
    kept = [number for number, path in paths_of.items() if cache._entries(Text(path))]
    assert kept == [0]
    assert cache._entries(Text(case))
    two = cache.size()
    assert two == pytest.approx(2 * one, abs=100)
    assert cache.clear() == two
    assert cache.size() == 0


def test_an_entry_larger_than_the_limit_is_not_written(case):
    assert not cache.keep(load(case, keep=False), limit=1000)
    assert not entries()


def test_small_traces_are_not_kept(cases):
    opened(next(cases.glob("A36-*")) / "input" / "trace_view.json")
    assert not Path(paths.cache_dir() / "traces").exists()


def test_a_window_has_time_for_itself_before_a_trace_is_written(case, monkeypatch):
    monkeypatch.setattr(cache, "PATIENCE", 0.3)
    begin = time.monotonic()
    load(case)
    assert not entries()
    (thread,) = (each for each in threading.enumerate() if each.name == "keep trace")
    thread.join()
    assert time.monotonic() - begin >= 0.3
    assert len(entries()) == 1


def test_a_program_that_ends_does_not_wait_before_it_writes(case):
    code = (
        "import sys; from studio.trace import cache, load\n"
        "cache.WORTH_KEEPING, cache.PATIENCE = 0, 600.0\n"
        "load(sys.argv[1])"
    )
    done = subprocess.run([sys.executable, "-c", code, case], check=True, timeout=300)
    assert done.returncode == 0
    assert len(entries()) == 1
