"""Jobs run by reference in threads or processes and deliver on the thread that pumps."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

import pytest

from studio.kernel.job import JobState
from tests.kernel.job_work import Outcome, pump_until, start

if TYPE_CHECKING:
    from pathlib import Path

    from studio.kernel.jobs import Jobs


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


def test_many_results_are_delivered_in_several_goes_in_their_order(jobs: Jobs) -> None:
    def take(number: int) -> None:
        end = time.thread_time() + 0.008
        while time.thread_time() < end:
            pass
        taken.append(number)

    taken: list[int] = []
    for number in range(10):
        jobs.post(lambda number=number: take(number))
    jobs.pump()
    assert 1 <= len(taken) < 10
    assert not jobs.idle()
    assert jobs.wait(10)
    assert taken == list(range(10))
