"""Jobs run by reference in threads or processes and deliver on the thread that pumps."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from studio.kernel.errors import ErrorHub, StudioError
from studio.kernel.job import Job, JobState
from studio.kernel.jobs import Jobs
from studio.kernel.plugins import PluginError, Plugins

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studio.kernel.errors import Report
    from tests.kernel.conftest import MakePlugin

ROOT = Path(__file__).resolve().parents[2]

WORK = """
import os, sys, threading, time
from studio.i18n import language
from studio.kernel.errors import StudioError
from studio.kernel.job_context import Cancelled

def add(a, b): return a + b

def where(): return os.getpid(), threading.get_ident(), language()

def report(job):
    job.report(0.5, "half")
    job.log("a line")
    job.report(2, "done")
    return "reported"

def until_cancelled(marker, job):
    job.report(0.1, "started")
    try:
        while True:
            job.check()
            time.sleep(0.01)
    except Cancelled:
        open(marker, "w").close()
        raise

def wait_for(path):
    while not os.path.exists(path): time.sleep(0.005)
    return path

def fail(kind):
    if kind == "user": raise StudioError("Cannot read it", exit_code=3)
    if kind == "exit": sys.exit(5)
    if kind == "local":
        class Local(Exception): pass
        raise Local("not picklable")
    raise ValueError("bad " + kind)

def die(): os._exit(9)

def unpicklable(): return lambda: 1
"""


@pytest.fixture
def jobs(make_plugin: MakePlugin, tmp_path: Path) -> Iterator[Jobs]:
    make_plugin("demo_w", core=WORK)
    make_plugin("demo_bad", core="import no_such_package_xyz")
    plugins = Plugins([tmp_path / "plugins"])
    plugins.discover()
    jobs = Jobs(load=plugins.load, plugin_folders=plugins.folders)
    yield jobs
    assert jobs.shutdown()
    plugins.close()


class Outcome:
    def __init__(self) -> None:
        self.results: list[Any] = []
        self.errors: list[BaseException] = []
        self.thread = 0

    def done(self, result: Any) -> None:
        self.thread = threading.get_ident()
        self.results.append(result)

    def failed(self, error: BaseException) -> None:
        self.thread = threading.get_ident()
        self.errors.append(error)


def start(jobs: Jobs, function: str, outcome: Outcome | None = None, **options: Any) -> Job:
    outcome = outcome or Outcome()
    arguments = options.pop("arguments", {})
    return jobs.start(
        f"demo_w:core.{function}",
        arguments,
        title=function,
        done=outcome.done,
        failed=outcome.failed,
        **options,
    )


def pump_until(jobs: Jobs, condition: Any) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        jobs.pump()
        time.sleep(0.005)


@pytest.mark.parametrize("process", [False, True])
def test_a_result_is_delivered_on_the_pumping_thread(jobs: Jobs, process: bool) -> None:
    outcome = Outcome()
    job = start(jobs, "add", outcome, arguments={"a": 2, "b": 3}, process=process)
    assert job.state is JobState.QUEUED
    assert not jobs.idle()
    assert jobs.wait()
    assert outcome.results == [5]
    assert outcome.thread == threading.get_ident()
    assert (job.state, job.owner, job.active) == (JobState.DONE, "demo_w", False)
    assert list(jobs.history) == [job]


def test_nothing_is_delivered_without_pumping(jobs: Jobs, tmp_path: Path) -> None:
    outcome = Outcome()
    start(jobs, "add", outcome, arguments={"a": 2, "b": 3})
    time.sleep(0.05)
    assert outcome.results == []
    assert jobs.wait()
    assert outcome.results == [5]


def test_threads_and_processes(jobs: Jobs) -> None:
    here, there = Outcome(), Outcome()
    start(jobs, "where", here)
    start(jobs, "where", there, process=True)
    assert jobs.wait()
    assert here.results[0][0] == os.getpid()
    assert here.results[0][1] != threading.get_ident()
    assert there.results[0][0] != os.getpid()
    assert there.results[0][2] == "en"


@pytest.mark.parametrize("process", [False, True])
def test_progress_message_and_log_arrive(jobs: Jobs, process: bool) -> None:
    outcome = Outcome()
    seen: list[tuple[float | None, str]] = []
    jobs.changed.connect(lambda job: seen.append((job.progress, job.message)))
    job = start(jobs, "report", outcome, process=process)
    assert jobs.wait()
    assert outcome.results == ["reported"]
    assert (job.progress, job.message) == (1.0, "done")
    assert list(job.log) == ["a line"]
    assert seen[-1] == (1.0, "done")


@pytest.mark.parametrize("process", [False, True])
def test_cancel_stops_the_work_and_delivers_nothing(
    jobs: Jobs, tmp_path: Path, process: bool
) -> None:
    outcome = Outcome()
    marker = tmp_path / "stopped"
    arguments = {"marker": str(marker)}
    job = start(jobs, "until_cancelled", outcome, arguments=arguments, process=process)
    pump_until(jobs, lambda: job.message == "started")
    assert job.state is JobState.RUNNING
    job.cancel()
    assert job.state is JobState.CANCELLED
    assert jobs.active() == []
    pump_until(jobs, marker.exists)
    assert jobs.wait()
    assert (outcome.results, outcome.errors) == ([], [])


def test_a_newer_job_of_the_same_key_replaces_the_older(jobs: Jobs, tmp_path: Path) -> None:
    older, newer, other = Outcome(), Outcome(), Outcome()
    first = start(jobs, "wait_for", older, arguments={"path": str(tmp_path / "a")}, key="k")
    second = start(jobs, "add", newer, arguments={"a": 1, "b": 1}, key="k")
    start(jobs, "add", other, arguments={"a": 2, "b": 2}, key="other")
    (tmp_path / "a").touch()
    assert jobs.wait()
    assert first.state is JobState.CANCELLED
    assert second.state is JobState.DONE
    assert (older.results, newer.results, other.results) == ([], [2], [4])


def test_cancelling_all_delivers_nothing(jobs: Jobs, tmp_path: Path) -> None:
    mine, others = Outcome(), Outcome()
    path = str(tmp_path / "a")
    start(jobs, "wait_for", mine, arguments={"path": path}, owner="demo_x")
    start(jobs, "wait_for", others, arguments={"path": path})
    jobs.cancel_all(owner="demo_x")
    assert [job.owner for job in jobs.active()] == ["demo_w"]
    jobs.cancel_all()
    (tmp_path / "a").touch()
    assert jobs.wait()
    assert mine.results == others.results == []


def test_a_result_of_a_file_that_changed_meanwhile_is_dropped(jobs: Jobs, tmp_path: Path) -> None:
    item = tmp_path / "trace.json"
    item.write_text("[]")
    outcome = Outcome()
    gate = tmp_path / "gate"
    job = start(jobs, "wait_for", outcome, arguments={"path": str(gate)}, item=item)
    item.write_text("[1]")
    gate.touch()
    assert jobs.wait()
    assert outcome.results == []
    assert [str(error) for error in outcome.errors] == [
        "trace.json changed while it was read; open it again."
    ]
    assert job.state is JobState.FAILED


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


def test_callbacks_may_start_jobs(jobs: Jobs) -> None:
    outcome = Outcome()
    jobs.start(
        "demo_w:core.add",
        {"a": 1, "b": 1},
        title="a",
        done=lambda result: start(jobs, "add", outcome, arguments={"a": result, "b": 10}),
    )
    assert jobs.wait()
    assert outcome.results == [12]


def test_posted_actions_run_at_the_next_pump(jobs: Jobs) -> None:
    ran: list[int] = []
    thread = threading.Thread(target=jobs.post, args=(lambda: ran.append(threading.get_ident()),))
    thread.start()
    thread.join()
    assert ran == []
    assert not jobs.idle()
    jobs.pump()
    assert ran == [threading.get_ident()]
    assert jobs.idle()


def test_work_that_is_about_to_start_counts_as_busy(jobs: Jobs) -> None:
    release = jobs.hold()
    other = jobs.hold()
    release()
    release()
    assert not jobs.idle()
    other()
    assert jobs.idle()


def test_waiting_has_an_end(jobs: Jobs, tmp_path: Path) -> None:
    start(jobs, "wait_for", arguments={"path": str(tmp_path / "a")})
    assert not jobs.wait(0.05)
    (tmp_path / "a").touch()
    assert jobs.wait()


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
    time.sleep(60)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="looks at /proc")
def test_workers_end_with_a_killed_program(make_plugin: MakePlugin, tmp_path: Path) -> None:
    make_plugin("demo_w", core=WORK)
    (tmp_path / "main.py").write_text(ORPHAN)
    program = subprocess.Popen(
        [sys.executable, "main.py", str(tmp_path / "plugins")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    )
    assert program.stdout is not None
    worker = int(program.stdout.readline())
    assert os.path.exists(f"/proc/{worker}")
    program.kill()
    program.wait()
    program.stdout.close()
    deadline = time.monotonic() + 20
    while alive(worker) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not alive(worker)


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
