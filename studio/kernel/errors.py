"""Errors that a user is told about, and the one place where unexpected ones are reported."""

from __future__ import annotations

import logging
import re
import sys
import threading
import time
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import TracebackType

LOGGER = "studio.errors"
"""The logger that carries unexpected errors; the error hub listens to it."""

_QUIET_SECONDS = 60.0
_PLUGIN_MODULE = re.compile(r"plugins\.(\w+)")
_PLUGIN_FILE = re.compile(r"[/\\]plugins[/\\](\w+)[/\\]")


class StudioError(Exception):
    """A problem told to the user in one sentence: what happened, to which file, why, what to do.

    The command line prints the sentence and ends with `exit_code`; the window shows it as a notice.
    """

    def __init__(self, message: str, *, path: Path | None = None, exit_code: int = 3) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.exit_code = exit_code


@dataclass(frozen=True, slots=True)
class Report:
    """One unexpected error: what was going on, the plugin to blame, and the whole traceback."""

    error: BaseException
    where: str
    plugin: str
    details: str

    @property
    def summary(self) -> str:
        """The error in one line."""
        return describe_error(self.error)


def report_error(error: BaseException, where: str) -> None:
    """Log an unexpected error and tell whoever listens to the error hub."""
    info = (type(error), error, error.__traceback__)
    logging.getLogger(LOGGER).error("%s: %s", where, describe_error(error), exc_info=info)


def describe_error(error: BaseException) -> str:
    """Name an error in one line."""
    text = str(error).strip()
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def blame(error: BaseException) -> str:
    """Return the id of the plugin whose code raised an error, "" when none did."""
    for cause in _chain(error):
        plugin = getattr(cause, "plugin", "")
        if isinstance(plugin, str) and plugin:
            return plugin
        for frame, _ in reversed(list(traceback.walk_tb(cause.__traceback__))):
            match = _PLUGIN_MODULE.match(str(frame.f_globals.get("__name__", "")))
            if match:
                return match[1]
        # A syntax error names its file; an error of another process carries its trace as a note.
        texts = [*getattr(cause, "__notes__", ()), getattr(cause, "filename", None) or ""]
        for text in texts if isinstance(cause, SyntaxError) else texts[:-1]:
            found = _PLUGIN_FILE.findall(str(text))
            if found:
                return str(found[-1])
    return ""


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    step: BaseException | None = error
    while step is not None and id(step) not in seen:
        seen.add(id(step))
        yield step
        step = step.__cause__ or step.__context__


class ErrorHub(logging.Filter):
    """Hears of every unexpected error and tells its listeners, each kind of error once a minute.

    `install` also catches what nobody caught: errors in Qt's slots and events arrive at
    `sys.excepthook`, those of threads at `threading.excepthook`. Listeners are called through
    `post`, since an error may be reported on any thread or in the middle of painting.
    """

    def __init__(
        self,
        *,
        post: Callable[[Callable[[], object]], object] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._post = post or (lambda action: action())
        self._clock = clock
        self._listeners: list[Callable[[Report], object]] = []
        self._told: dict[tuple[str, ...], float] = {}
        self._repeats: dict[tuple[str, ...], int] = {}
        self._hooks: tuple[Any, Any] | None = None
        logging.getLogger(LOGGER).addFilter(self)

    def listen(self, listener: Callable[[Report], object]) -> None:
        """Call `listener(report)` for errors."""
        self._listeners.append(listener)

    def filter(self, record: logging.LogRecord) -> bool:
        """Let a record into the log unless the same error was logged a moment ago."""
        error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
        if error is None:
            return True
        key = _key(error)
        now = self._clock()
        if now - self._told.get(key, -_QUIET_SECONDS) < _QUIET_SECONDS:
            self._repeats[key] = self._repeats.get(key, 0) + 1
            return False
        self._told[key] = now
        repeats = self._repeats.pop(key, 0)
        if repeats:
            record.msg = f"{record.msg} (and {repeats} times since it was last logged)"
        self._tell(error, str(record.args[0]) if isinstance(record.args, tuple) else "")
        return True

    def _tell(self, error: BaseException, where: str) -> None:
        details = "".join(traceback.format_exception(error))
        report = Report(error, where, blame(error), details)
        self._post(lambda: self._call(report))

    def _call(self, report: Report) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(report)
            except Exception:
                logging.getLogger("studio").exception("telling of an error failed")

    def install(self) -> None:
        """Catch what nobody caught, in the main thread and in others."""
        if self._hooks is None:
            self._hooks = (sys.excepthook, threading.excepthook)
            sys.excepthook = self._uncaught
            threading.excepthook = self._uncaught_in_thread

    def close(self) -> None:
        """Stop hearing of errors and give the hooks back."""
        logging.getLogger(LOGGER).removeFilter(self)
        if self._hooks is not None:
            sys.excepthook, threading.excepthook = self._hooks
            self._hooks = None
        self._listeners.clear()

    def _uncaught(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if self._hooks is not None and issubclass(kind, KeyboardInterrupt):
            self._hooks[0](kind, error, trace)
            return
        report_error(error.with_traceback(trace), "window")

    def _uncaught_in_thread(self, arguments: threading.ExceptHookArgs) -> None:
        if arguments.exc_value is not None and arguments.exc_type is not SystemExit:
            name = arguments.thread.name if arguments.thread else "?"
            report_error(arguments.exc_value, f"thread {name}")


def _key(error: BaseException) -> tuple[str, ...]:
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, StudioError) or not frames:
        return type(error).__name__, str(error)
    return type(error).__name__, f"{frames[-1].filename}:{frames[-1].lineno}"
