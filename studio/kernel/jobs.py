"""Background work: started by reference, with progress and cancel, delivered on the main thread.

Nothing here calls back from another thread: `Jobs.pump` delivers, and whoever owns the main thread
calls it (the window from a timer, the command line and tests in a loop).
"""

from __future__ import annotations

import itertools
import queue
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from studio.i18n import language, tr
from studio.kernel.errors import StudioError, report_error
from studio.kernel.events import Event
from studio.kernel.job import Job, JobState
from studio.kernel.job_context import Cancelled, JobContext, Progress
from studio.kernel.references import Reference, parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from concurrent.futures import Executor, Future
    from pathlib import Path

    from studio.kernel.job_pools import ProcessPool

__all__ = ["Cancelled", "Job", "JobContext", "JobState", "Jobs"]

_HISTORY = 50
_WAIT_SECONDS = 0.02
_TURN_SECONDS = 0.02


def _ignore(_progress: Progress) -> None:
    """Take a report that nobody looks at."""


class Jobs:
    """All background work of the program.

    `load` turns a reference into a function (in the thread that runs it); `on_error` hears of jobs
    that failed and had no `failed` of their own. Any `concurrent.futures.Executor` can take the
    place of the threads or of the spawned processes.
    """

    def __init__(
        self,
        *,
        load: Callable[[Reference], Any] = Reference.load,
        plugin_folders: Sequence[Path] = (),
        on_error: Callable[[Job, BaseException], object] | None = None,
        threads: Executor | None = None,
        processes: Executor | None = None,
    ) -> None:
        self.changed: Event[Job] = Event("jobs.changed")
        self.foreground_progress: Callable[[Progress], object] = _ignore
        self.history: deque[Job] = deque(maxlen=_HISTORY)
        self._load = load
        self._folders = tuple(plugin_folders)
        self._on_error = on_error or _report
        self._threads = threads
        self._processes = processes
        self._pool: ProcessPool | None = None
        self._numbers = itertools.count(1)
        self._holds: set[object] = set()
        self._running: dict[int, tuple[Job, Future[Any]]] = {}
        self._stamps: dict[int, tuple[int, int] | None] = {}
        self._reports: queue.SimpleQueue[tuple[int, Progress]] = queue.SimpleQueue()
        self._finished: queue.SimpleQueue[tuple[Job, Future[Any]]] = queue.SimpleQueue()
        self._posted: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        self._arrived: deque[tuple[Job, Future[Any]]] = deque()

    # -- starting -----------------------------------------------------------------------------
    def start(
        self,
        function: str,
        arguments: Mapping[str, Any],
        *,
        title: str,
        key: str = "",
        item: Path | None = None,
        process: bool = False,
        done: Callable[[Any], object] | None = None,
        failed: Callable[[BaseException], object] | None = None,
        owner: str = "",
    ) -> Job:
        """Start "plugin:module.function"; a newer job of the same key cancels the older."""
        reference = Reference.of_job(function)
        for other in self.active():
            if key and other.key == key:
                other.cancel()
        job = Job(
            id=next(self._numbers),
            title=title,
            owner=owner or reference.plugin,
            key=key,
            reference=reference,
            item=item,
            remote=process,
        )
        job.done, job.failed, job.on_cancel = done, failed, self._cancelled
        self._stamps[job.id] = _stamp(item)
        future = self._submit(job, dict(arguments))
        self._running[job.id] = (job, future)
        self.history.append(job)
        self.changed.emit(job)
        future.add_done_callback(lambda finished: self._finished.put((job, finished)))
        return job

    def _submit(self, job: Job, arguments: dict[str, Any]) -> Future[Any]:
        if not job.remote:
            if self._threads is None:
                from studio.kernel.job_pools import thread_pool

                self._threads = thread_pool()
            return self._threads.submit(self._run, job, arguments)
        from studio.kernel.job_worker import Bootstrap, Task, run_task

        task = Task(job.id, job.reference, arguments, Bootstrap(self._folders, language()))
        if self._processes is not None:
            return self._processes.submit(run_task, task)
        if self._pool is None:
            from studio.kernel.job_pools import ProcessPool

            self._pool = ProcessPool()
        return self._pool.executor().submit(run_task, task)

    def _run(self, job: Job, arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - any result
        context = self._context(job)
        context.check()
        function = self._load(job.reference)
        if "job" in parameters(function):
            arguments["job"] = context
        return function(**arguments)

    def _context(self, job: Job) -> JobContext:
        return JobContext(
            lambda progress: self._reports.put((job.id, progress)), lambda: not job.wanted
        )

    def foreground(self) -> JobContext:
        """Return a context for a function that runs here and now."""
        return JobContext(lambda progress: self.foreground_progress(progress), lambda: False)

    def post(self, action: Callable[[], object]) -> None:
        """Run `action` on the main thread at the next `pump`; may be called from any thread."""
        self._posted.put(action)

    def hold(self) -> Callable[[], None]:
        """Count as busy until the returned function is called, for work that is about to start."""
        token = object()
        self._holds.add(token)
        return lambda: self._holds.discard(token)

    # -- watching -----------------------------------------------------------------------------
    def active(self) -> list[Job]:
        """Return the jobs that are queued or running, oldest first."""
        return [job for job, _ in self._running.values() if job.active]

    def idle(self) -> bool:
        """Whether nothing runs, is about to start, or waits to be delivered."""
        return (
            not self._holds
            and not any(job.active for job, _ in self._running.values())
            and self._finished.empty()
            and not self._arrived
            and self._posted.empty()
        )

    def pump(self) -> None:
        """Take over progress and deliver results; call it on the main thread, again and again.

        What cannot be delivered in a moment is left for the next call, so that a window can go on
        between the results of many jobs that end together.
        """
        end = time.thread_time() + _TURN_SECONDS
        self._arrived.extend(_drain(self._finished))  # before the reports, which came first
        for job in self._take_reports():
            self.changed.emit(job)
        for action in _drain(self._posted):
            try:
                action()
            except Exception as error:  # noqa: BLE001 - reported; the next one still runs
                report_error(error, "posted action")
            if time.thread_time() > end:
                break
        while self._arrived:
            job, future = self._arrived.popleft()
            self._running.pop(job.id, None)
            self._deliver(job, future)
            if time.thread_time() > end:
                break

    def _take_reports(self) -> list[Job]:
        changed: dict[int, Job] = {}
        from_processes = self._pool.progress() if self._pool is not None else ()
        for number, progress in itertools.chain(_drain(self._reports), from_processes):
            job, _ = self._running.get(number, (None, None))
            if job is not None and job.active:
                job.take(progress)
                changed[number] = job
        for number, (job, future) in self._running.items():
            if job.state is JobState.QUEUED and future.running():
                job.state = JobState.RUNNING
                changed[number] = job
        return list(changed.values())

    def wait(self, timeout: float = 60.0) -> bool:
        """Pump until nothing is left to do; False when the time was up first."""
        deadline = time.monotonic() + timeout
        while True:
            self.pump()
            if self.idle():
                return True
            if time.monotonic() > deadline:
                return False
            time.sleep(_WAIT_SECONDS)

    # -- delivering ---------------------------------------------------------------------------
    def _deliver(self, job: Job, future: Future[Any]) -> None:
        stamp = self._stamps.pop(job.id, None)
        if not job.active:
            return
        result, error = self._outcome(job, future)
        if isinstance(error, Cancelled):
            job.end(JobState.CANCELLED)
        elif error is None and job.item is not None and _stamp(job.item) != stamp:
            error = StudioError(
                tr("{file} changed while it was read; open it again.", file=job.item.name),
                path=job.item,
            )
        if job.active:
            job.error = error
            job.end(JobState.DONE if error is None else JobState.FAILED)
            self._call_back(job, result)
        self.changed.emit(job)

    def _outcome(self, job: Job, future: Future[Any]) -> tuple[Any, BaseException | None]:
        from concurrent.futures import BrokenExecutor, CancelledError

        try:
            value = future.result()
            if job.remote:
                job.details = value.details
                if value.error is not None:
                    value.error.add_note(value.details)
                if not value.loaded:
                    self._load(job.reference)
                return value.result, value.error
        except CancelledError:
            return None, Cancelled()
        except BrokenExecutor:
            message = tr("The process that worked on “{title}” died.", title=job.title)
            return None, StudioError(message, path=job.item)
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits for the job
            return None, error
        return value, None

    def _call_back(self, job: Job, result: object) -> None:
        try:
            if job.error is None:
                if job.done is not None:
                    job.done(result)
            elif job.failed is not None:
                job.failed(job.error)
            else:
                self._on_error(job, job.error)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - reported; a callback must not stop the pump
            report_error(error, f"job {job.reference}")
        job.done = job.failed = None

    # -- ending -------------------------------------------------------------------------------
    def _cancelled(self, job: Job) -> None:
        job.done = job.failed = None
        _, future = self._running.get(job.id, (None, None))
        if future is not None and not future.cancel() and self._pool is not None:
            self._pool.cancel(job.id)
        self.changed.emit(job)

    def cancel_all(self, *, owner: str = "") -> None:
        """Cancel every job, or those of one plugin; none of them delivers its result."""
        for job in self.active():
            if owner in ("", job.owner):
                job.cancel()

    def shutdown(self, timeout: float = 5.0) -> bool:
        """Cancel everything and end the pools; False when a thread would not stop in time."""
        from concurrent.futures import wait

        self.cancel_all()
        if self._pool is not None:
            self._pool.close()
            self._pool = None
        futures = [future for job, future in self._running.values() if not job.remote]
        stuck = wait(futures, timeout).not_done
        if self._threads is not None:
            self._threads.shutdown(wait=not stuck, cancel_futures=True)
            self._threads = None
        return not stuck


def _report(job: Job, error: BaseException) -> None:
    report_error(error, f"job {job.reference}")


def _stamp(path: Path | None) -> tuple[int, int] | None:
    if path is None or not path.is_file():
        return None
    with suppress(OSError):
        stat = path.stat()
        return stat.st_mtime_ns, stat.st_size
    return None


def _drain(waiting: queue.SimpleQueue[Any]) -> Iterable[Any]:
    with suppress(queue.Empty):
        while True:
            yield waiting.get_nowait()
