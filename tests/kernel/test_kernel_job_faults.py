"""What jobs do when something goes wrong: work that fails, workers and programs that die."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from studio.kernel import job_worker
from studio.kernel.errors import ErrorHub, StudioError
from studio.kernel.job import JobState
from studio.kernel.job_context import Cancelled
from studio.kernel.jobs import Jobs
from studio.kernel.plugins import PluginError, Plugins
from tests.kernel.job_work import WORK, Outcome, pump_until, start

if TYPE_CHECKING:
    from studio.kernel.errors import Report
    from tests.kernel.conftest import MakePlugin

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("process", [False, True])
@pytest.mark.parametrize(
    ("kind", "name", "text"),
    [
        ("user", "StudioError", "Cannot read it"),
        ("value", "ValueError", "bad value"),
        ("exit", "SystemExit", "5"),
    ],
)
def test_errors_arrive_as_they_were(
    jobs: Jobs, process: bool, kind: str, name: str, text: str
) -> None:
    outcome = Outcome()
    job = start(jobs, "fail", outcome, arguments={"kind": kind}, process=process)
    assert jobs.wait()
    (error,) = outcome.errors
    assert (type(error).__name__, str(error)) == (name, text)
    assert job.state is JobState.FAILED
    assert job.error is error
    if process:
        assert "in fail" in job.details


def test_an_error_that_cannot_travel_is_described(jobs: Jobs) -> None:
    outcome = Outcome()
    start(jobs, "fail", outcome, arguments={"kind": "local"}, process=True)
    start(jobs, "unpicklable", outcome, process=True)
    assert jobs.wait()
    texts = sorted(str(error) for error in outcome.errors)
    assert len(texts) == 2
    assert "Local: not picklable" in texts[1] + texts[0]


def test_a_worker_that_dies_fails_its_job_and_is_replaced(jobs: Jobs) -> None:
    outcome = Outcome()
    start(jobs, "die", outcome, process=True)
    assert jobs.wait()
    assert [str(error) for error in outcome.errors] == ["The process that worked on “die” died."]
    start(jobs, "add", outcome, arguments={"a": 1, "b": 2}, process=True)
    assert jobs.wait()
    assert outcome.results == [3]


@pytest.mark.parametrize("process", [False, True])
def test_a_plugin_that_cannot_be_imported_is_named(jobs: Jobs, process: bool) -> None:
    outcome = Outcome()
    jobs.start("demo_bad:core.work", {}, title="bad", process=process, failed=outcome.failed)
    assert jobs.wait()
    (error,) = outcome.errors
    assert isinstance(error, PluginError)
    assert error.plugin == "demo_bad"
    assert "needs the Python package no_such_package_xyz" in error.reason


def test_a_failure_that_nobody_waits_for_is_reported(jobs: Jobs) -> None:
    hub = ErrorHub()
    reports: list[Report] = []
    hub.listen(reports.append)
    jobs.start("demo_w:core.fail", {"kind": "value"}, title="fail")
    assert jobs.wait()
    hub.close()
    assert [(r.where, r.plugin) for r in reports] == [("job demo_w:core.fail", "demo_w")]


def test_a_failure_in_another_process_is_blamed_with_its_trace(jobs: Jobs) -> None:
    hub = ErrorHub()
    reports: list[Report] = []
    hub.listen(reports.append)
    jobs.start("demo_w:core.fail", {"kind": "value"}, title="fail", process=True)
    assert jobs.wait()
    hub.close()
    assert [(r.summary, r.plugin) for r in reports] == [("ValueError: bad value", "demo_w")]
    assert 'raise ValueError("bad " + kind)' in reports[0].details


def test_a_failing_callback_does_not_stop_the_rest(jobs: Jobs) -> None:
    hub = ErrorHub()
    reports: list[Report] = []
    hub.listen(reports.append)
    outcome = Outcome()

    def boom(_: object) -> None:
        raise RuntimeError("callback")

    jobs.start("demo_w:core.add", {"a": 1, "b": 1}, title="a", done=boom)
    start(jobs, "add", outcome, arguments={"a": 1, "b": 2})
    assert jobs.wait()
    hub.close()
    assert outcome.results == [3]
    assert [report.summary for report in reports] == ["RuntimeError: callback"]


def test_another_executor_can_take_the_place_of_the_processes(
    make_plugin: MakePlugin, tmp_path: Path
) -> None:
    make_plugin("demo_w", core=WORK)
    plugins = Plugins([tmp_path / "plugins"])
    plugins.discover()
    outcome = Outcome()
    with ThreadPoolExecutor(1, thread_name_prefix="cluster") as executor:
        jobs = Jobs(load=plugins.load, plugin_folders=plugins.folders, processes=executor)
        start(jobs, "report", outcome, process=True)
        start(jobs, "where", outcome, process=True)
        assert jobs.wait()
        jobs.shutdown()
    plugins.close()
    assert outcome.results[0] == "reported"
    assert outcome.results[1][0] == os.getpid()


def test_a_thread_that_does_not_stop_is_told(make_plugin: MakePlugin, tmp_path: Path) -> None:
    make_plugin("demo_w", core=WORK)
    plugins = Plugins([tmp_path / "plugins"])
    plugins.discover()
    jobs = Jobs(load=plugins.load)
    job = start(jobs, "wait_for", arguments={"path": str(tmp_path / "a")})
    pump_until(jobs, lambda: job.state is JobState.RUNNING)
    assert not jobs.shutdown(0.05)
    (tmp_path / "a").touch()
    plugins.close()


def test_a_wrong_reference_is_refused(jobs: Jobs) -> None:
    with pytest.raises(ValueError, match=r"not of the form plugin:module\.name"):
        jobs.start("demo_w", {}, title="x")


def test_studio_errors_survive_the_journey(jobs: Jobs) -> None:
    outcome = Outcome()
    start(jobs, "fail", outcome, arguments={"kind": "user"}, process=True)
    assert jobs.wait()
    error = outcome.errors[0]
    assert isinstance(error, StudioError)
    assert (error.message, error.exit_code) == ("Cannot read it", 3)


ORPHAN = """
import sys, time
from studio.kernel.jobs import Jobs
if __name__ == "__main__":
    jobs = Jobs(plugin_folders=[__import__("pathlib").Path(sys.argv[1])])
    tell = lambda result: print(result[0], flush=True)
    jobs.start("demo_w:core.where", {}, title="x", process=True, done=tell)
    jobs.wait()
    if len(sys.argv) > 2:
        jobs.start("demo_w:core.try_without_end", {"marker": sys.argv[2]}, title="y", process=True)
    time.sleep(60)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="looks at /proc")
@pytest.mark.parametrize("busy", [False, True])
def test_workers_end_with_a_killed_program(
    make_plugin: MakePlugin, tmp_path: Path, busy: bool
) -> None:
    marker = tmp_path / "busy"
    make_plugin("demo_w", core=WORK)
    (tmp_path / "main.py").write_text(ORPHAN)
    program = subprocess.Popen(
        [sys.executable, "main.py", str(tmp_path / "plugins"), *([str(marker)] if busy else [])],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    )
    assert program.stdout is not None
    worker = int(program.stdout.readline())
    assert os.path.exists(f"/proc/{worker}")
    deadline = time.monotonic() + 20
    while busy and not (marker.exists() and marker.read_text()) and time.monotonic() < deadline:
        time.sleep(0.02)
    worker = int(marker.read_text()) if busy else worker
    program.kill()
    program.wait()
    program.stdout.close()
    while alive(worker) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not alive(worker)


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_cancelled_expression_without_end_leaves_its_worker_to_others(
    jobs: Jobs, tmp_path: Path
) -> None:
    marker = tmp_path / "busy"
    outcome = Outcome()
    job = start(jobs, "try_without_end", arguments={"marker": str(marker)}, process=True)
    pump_until(jobs, lambda: marker.exists() and marker.read_text())
    worker = int(marker.read_text())
    job.cancel()

    def came_back() -> bool:
        start(jobs, "where", outcome, process=True)
        assert jobs.wait()
        return worker in {result[0] for result in outcome.results}

    pump_until(jobs, came_back)


@pytest.mark.parametrize(("asks", "seconds"), [(False, 2.5), (True, 10.5)])
def test_a_cancelled_job_that_noticed_has_time_to_end_what_it_started(
    monkeypatch: pytest.MonkeyPatch, asks: bool, seconds: float
) -> None:
    worker = job_worker._Worker
    for name, value in (("parent", os.getppid()), ("running", 3), ("looks", 0), ("noticed", False)):
        monkeypatch.setattr(worker, name, value)
    monkeypatch.setattr(worker, "line", job_worker.Line(None, [0, 0, 0, 3]))
    if asks:
        assert job_worker._context(3).cancelled
    for _ in range(round(seconds / 0.5) - 1):
        job_worker._look(0, None)
    with pytest.raises(Cancelled):
        job_worker._look(0, None)
