"""Kernels are made once, beside the reading, and nothing waits for them."""

import gzip
import os
import subprocess
import sys

import pytest

from studio.formats import engine
from studio.formats.byte_source import text_of_file, unpacked_size
from studio.kernel.job_context import JobContext
from studio.trace.prepare import load_kernels

kernels = pytest.mark.skipif(not engine.has_compiler(), reason="numba is not installed")


@pytest.fixture
def cold(tmp_path, monkeypatch):
    """An empty kernel folder, a process without kernels, and a note of processes started."""
    started = []
    monkeypatch.setenv(engine.FOLDER, str(tmp_path / "kernels"))
    monkeypatch.setenv(engine.CHOICE, "auto")
    monkeypatch.setattr(engine, "_LOADED", "no.such.module")
    monkeypatch.setattr(subprocess, "Popen", lambda *args, **_: started.append(args[0]))
    monkeypatch.setattr(engine, "has_compiler", lambda: True)
    return started


def test_small_files_never_need_kernels(cold):
    assert not engine.use_kernels(engine.WORTH_COMPILED - 1)
    assert not cold


def test_a_large_file_has_kernels_made_once_and_is_read_without_them(cold):
    assert not engine.use_kernels(10**9)
    assert not engine.use_kernels(10**9)
    assert [arguments[-2:] for arguments in cold] == [["-m", "studio.trace.warm"]]
    engine.set_warm()
    assert engine.use_kernels(10**9)
    assert not engine.use_kernels(1000)


def test_the_end_of_a_packed_file_tells_how_large_it_is_unpacked(tmp_path):
    path = tmp_path / "trace.json.gz"
    path.write_bytes(gzip.compress(b" " * 30_000_000))
    size = path.stat().st_size
    assert unpacked_size(text_of_file(path), size) == 30_000_000
    path.write_bytes(path.read_bytes()[:-4] + b"\xff\xff\xff\xff")  # more than can be true
    assert unpacked_size(text_of_file(path), size) == 8 * size
    plain = tmp_path / "trace.json"
    plain.write_bytes(b"[]")
    assert unpacked_size(text_of_file(plain), 2) == 2


def test_kernels_are_not_prepared_before_there_is_machine_code(cold):
    assert not engine.should_prepare()
    assert not load_kernels(JobContext(lambda _progress: None, lambda: False))
    assert not cold


@kernels
@pytest.mark.slow
def test_kernels_are_prepared_once(tmp_path):
    code = (
        "from studio.formats import engine; from studio.kernel.job_context import JobContext;"
        "from studio.trace.prepare import load_kernels;"
        "job = JobContext(lambda progress: None, lambda: False);"
        "engine.kernel_folder().mkdir(parents=True); engine.set_warm();"
        "print(load_kernels(job), engine.use_kernels(1), load_kernels(job))"
    )
    environment = {**os.environ, engine.CHOICE: "auto", engine.FOLDER: str(tmp_path)}
    environment["NUMBA_DISABLE_JIT"] = "0"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert done.stdout.split() == ["True", "True", "False"], done.stderr


def test_kernels_of_other_versions_are_removed(cold, tmp_path):
    old, others = tmp_path / "kernels" / "0123456789abcdef0123", tmp_path / "kernels" / "Pictures"
    for folder in (old, others):
        (folder / "part").mkdir(parents=True)
    engine.set_warm()
    assert not old.exists()
    assert (others / "part").exists()
    assert engine.is_warm()


def test_kernels_are_there_only_while_all_their_files_are(cold):
    engine.code_folder().mkdir(parents=True)
    for name in ("one.o", "other.o"):
        (engine.code_folder() / name).write_bytes(b"")
    engine.set_warm()
    assert engine.is_warm()
    (engine.code_folder() / "one.o").unlink()
    assert not engine.is_warm()
    assert not engine.use_kernels(10**9)
    assert [arguments[-2:] for arguments in cold] == [["-m", "studio.trace.warm"]]


def test_without_numba_everything_is_portable(cold, monkeypatch):
    monkeypatch.setattr(engine, "has_compiler", lambda: False)
    monkeypatch.setenv(engine.CHOICE, "compiled")
    assert not engine.use_kernels(10**9)
    assert not cold


def test_loading_a_small_trace_imports_no_compiler(tmp_path):
    path = tmp_path / "trace.json"
    path.write_text('[{"ph": "X", "name": "a", "ts": 1, "dur": 1}]')
    code = (
        "import sys; from studio.trace import load; load(sys.argv[1]);"
        "sys.exit('numba' in sys.modules)"
    )
    environment = {**os.environ, engine.CHOICE: "auto"}
    assert subprocess.run([sys.executable, "-c", code, path], env=environment).returncode == 0


@kernels
@pytest.mark.slow
def test_warming_makes_every_kernel_that_loading_needs(tmp_path, shared):
    environment = {**os.environ, engine.FOLDER: str(tmp_path / "kernels")}
    warm = [sys.executable, "-m", "studio.trace.warm"]
    assert subprocess.run(warm, env=environment).returncode == 0
    path = shared / "data/profiling/msinsight/test/data/pytorch/text/level2/rank0_ascend_pt"
    code = (
        "import sys; from studio.formats import engine\n"
        "assert engine.is_warm()\n"
        "from studio.trace import load; load(sys.argv[1], arg_columns=('connection_id',))\n"
        "from studio.trace.statistics import covered, statistics\n"
        "trace = load(sys.argv[1])\n"
        "for lanes in (None, range(20)):\n"
        "    statistics(trace, None, trace.start_ns + 10**8, lanes); covered(trace)\n"
        "from plugins.timeline.warm import warm; warm()\n"
        "assert engine.kernels_loaded()\n"
        "sys.exit('numba' in sys.modules)"
    )
    trace = path / "ASCEND_PROFILER_OUTPUT" / "trace_view.json"
    environment[engine.CHOICE] = "compiled"
    files = sorted(tmp_path.rglob("*.o"))
    assert subprocess.run([sys.executable, "-c", code, trace], env=environment).returncode == 0
    assert sorted(tmp_path.rglob("*.o")) == files
