"""Programs run by jobs are ended together with all they started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from studio.kernel.errors import StudioError
from studio.kernel.job_context import Cancelled, JobContext, Progress
from studio.kernel.process_tree import end_tree

if TYPE_CHECKING:
    from pathlib import Path

TREE = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"],
                         start_new_session=True)
print(os.getpid(), child.pid, flush=True)
time.sleep(60)
"""


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_output_and_exit_code(tmp_path: Path) -> None:
    told: list[Progress] = []
    job = JobContext(told.append, lambda: False)
    code = "import sys, os; print('out'); sys.stdout.flush(); print('err ä', file=sys.stderr);"
    code += "print(os.environ['DEMO'], os.getcwd()); sys.exit(7)"
    done = job.subprocess(
        [sys.executable, "-X", "utf8", "-c", code],
        cwd=tmp_path,
        env={**os.environ, "DEMO": "x y"},
    )
    assert done.exit_code == 7
    lines = [progress.line for progress in told]
    assert sorted(map(str, lines)) == sorted(["out", "err ä", f"x y {tmp_path}"])
    assert sorted(done.output.split(os.linesep)[:-1]) == sorted(map(str, lines))


def test_a_program_that_is_not_there_is_named() -> None:
    job = JobContext(lambda _: None, lambda: False)
    with pytest.raises(StudioError, match="no-such-program cannot be started: No such file"):
        job.subprocess(["no-such-program"])


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="looks at /proc")
def test_cancelling_ends_the_whole_tree() -> None:
    told: list[Progress] = []
    cancelled = threading.Event()

    def tell(progress: Progress) -> None:
        told.append(progress)
        cancelled.set()

    job = JobContext(tell, cancelled.is_set)
    with pytest.raises(Cancelled):
        job.subprocess([sys.executable, "-c", TREE])
    pids = [int(pid) for pid in str(told[0].line).split()]
    assert len(pids) == 2
    deadline = time.monotonic() + 5
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(map(alive, pids))


def test_a_program_that_takes_too_long_is_ended() -> None:
    job = JobContext(lambda _: None, lambda: False)
    with pytest.raises(StudioError, match=r"was ended because it took longer than 0\.3 s"):
        job.subprocess([sys.executable, "-c", "import time; time.sleep(60)"], timeout=0.3)


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs Linux")
def test_the_number_of_an_ended_program_may_be_anothers() -> None:
    """`run` ended long ago and left a daemon; `foreign` was given its number since."""
    quiet = [sys.executable, "-c", "import time; time.sleep(60)"]
    foreign = subprocess.Popen(
        ["bash", "-c", "sleep 60 & echo $!; wait"], stdout=subprocess.PIPE, start_new_session=True
    )
    assert foreign.stdout is not None
    inner = int(foreign.stdout.readline())
    daemon = subprocess.Popen(quiet, env={**os.environ, "MARK": "a1"}, start_new_session=True)
    run = subprocess.Popen([sys.executable, "-c", ""])
    run.wait()
    run.pid = foreign.pid
    try:
        time.sleep(0.2)  # until the daemon has its environment
        end_tree(run, "MARK=a1")
        assert daemon.wait(5) == -signal.SIGTERM
        assert foreign.poll() is None
        assert alive(inner)
    finally:
        os.killpg(foreign.pid, signal.SIGKILL)
        daemon.kill()
        foreign.stdout.close()
        foreign.wait()
