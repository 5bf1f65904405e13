"""The side of a job that runs in another process: import paths, progress, cancel, errors.

A function is named, not pickled: `Bootstrap` makes the plugins of the user importable in the
worker, so that the same task runs in a spawned process or on another machine of a cluster.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from studio import i18n
from studio.kernel.errors import StudioError, describe_error
from studio.kernel.job_context import Cancelled, JobContext, Progress
from studio.kernel.references import Reference, open_plugin_folders, parameters

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableSequence
    from pathlib import Path

_REPORT_SECONDS = 0.05
_LOOK_SECONDS = 0.5
_LOOKS = 4
"""So many looks after it was cancelled, a job that did not notice is stopped where it is."""
_LOOKS_TO_END = 20
"""So many when it did notice: it ends programs, or puts in order what it leaves."""
_LONGEST_TEXT = 800


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """What a worker must know to run the same code in the same language."""

    plugin_folders: tuple[Path, ...] = ()
    language: str = "en"

    def apply(self) -> None:
        """Set up this process."""
        open_plugin_folders(self.plugin_folders)
        if i18n.language() != self.language:
            i18n.set_language(self.language)
        i18n.add_catalogues(self.plugin_folders)


@dataclass(frozen=True, slots=True)
class Task:
    """One call to be made in a worker."""

    number: int
    reference: Reference
    arguments: Mapping[str, Any]
    bootstrap: Bootstrap


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a task; an error travels as a value, since not every error can be pickled."""

    result: Any = None
    error: BaseException | None = None
    details: str = ""
    loaded: bool = True


class WorkerError(Exception):
    """Stands for an error of a worker that could not be sent as it was."""


class Line:
    """The worker's end of the line to the program: progress goes out, cancel comes in."""

    def __init__(self, queue: Any, cancelled: MutableSequence[int]) -> None:  # noqa: ANN401
        self.queue = queue
        self.cancelled = cancelled


class _Worker:
    """Holds the line of this process; set once by `initialise`."""

    line: Line | None = None
    parent = 0
    running = -1
    looks = 0
    noticed = False


def initialise(queue: Any, cancelled: MutableSequence[int]) -> None:  # noqa: ANN401 - a queue
    """Prepare a spawned process: leave Ctrl+C to the program, and end when the program ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _Worker.line = Line(queue, cancelled)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if hasattr(signal, "setitimer"):
        _Worker.parent = os.getppid()
        signal.signal(signal.SIGALRM, _look)
        signal.siginterrupt(signal.SIGALRM, False)
        signal.setitimer(signal.ITIMER_REAL, _LOOK_SECONDS, _LOOK_SECONDS)


def _end_with_parent() -> None:
    from multiprocessing import connection, parent_process

    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _look(_signal: int, _frame: object) -> None:
    """End with the program, and stop what was cancelled, where no other thread gets its turn.

    A regular expression that tries without end holds the interpreter, but lets signals in.
    """
    if os.getppid() != _Worker.parent:
        os._exit(1)
    line, number = _Worker.line, _Worker.running
    if line is None or number < 0 or line.cancelled[number % len(line.cancelled)] != number:
        _Worker.looks = 0
        return
    _Worker.looks += 1
    if _Worker.looks > (_LOOKS_TO_END if _Worker.noticed else _LOOKS):
        _Worker.looks = 0
        raise Cancelled


def run_task(task: Task) -> Outcome:
    """Make the call and return its result or error; never raises."""
    loaded = False
    try:
        task.bootstrap.apply()
        function: Any = task.reference.load()
        loaded = True
        arguments = dict(task.arguments)
        if "job" in parameters(function):
            arguments["job"] = _context(task.number)
        _Worker.noticed = False
        _Worker.running = task.number
        try:
            return Outcome(function(**arguments))
        finally:
            _Worker.running = -1
    except BaseException as error:  # noqa: BLE001 - sent to the program, which reports it
        details = "".join(traceback.format_exception(error))
        return Outcome(error=_portable(error), details=details, loaded=loaded)


def _context(number: int) -> JobContext:
    line = _Worker.line
    if line is None:
        return JobContext(lambda progress: None, lambda: False)
    slot = number % len(line.cancelled)
    last = 0.0

    def tell(progress: Progress) -> None:
        nonlocal last
        now = time.monotonic()
        if progress.line is not None or progress.fraction == 1.0 or now - last >= _REPORT_SECONDS:
            last = now
            line.queue.put((number, _short(progress)))

    def cancelled() -> bool:
        found = line.cancelled[slot] == number
        _Worker.noticed = _Worker.noticed or found
        return found

    return JobContext(tell, cancelled)


def _short(progress: Progress) -> Progress:
    """Cut texts, so that a report is written to the pipe as a whole or not at all."""
    text = None if progress.line is None else progress.line[:_LONGEST_TEXT]
    return Progress(progress.fraction, progress.message[:_LONGEST_TEXT], text)


def _portable(error: BaseException) -> BaseException:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # noqa: BLE001 - anything can go wrong in foreign pickling code
        if isinstance(error, StudioError):
            return StudioError(error.message, path=error.path, exit_code=error.exit_code)
        return WorkerError(describe_error(error))
    return error
