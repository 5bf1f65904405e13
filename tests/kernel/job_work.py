"""Work for tests of jobs, and what waits for its outcome."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from studio.kernel.job import Job
    from studio.kernel.jobs import Jobs

WORK = """
import os, re, sys, threading, time
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

def try_without_end(marker):
    with open(marker, "w") as file: file.write(str(os.getpid()))
    return re.search("(a+)+$", "a" * 60 + "b")

def unpicklable(): return lambda: 1
"""


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
