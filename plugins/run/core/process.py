"""One running program: what it writes, what is typed to it, and its end with all its children."""

from __future__ import annotations

import os
import queue
import select
import subprocess
import sys
import threading
import time
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from plugins.run.core.decoding import OutputDecoder
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.kernel.process_tree import end_tree

if TYPE_CHECKING:
    from plugins.run.core.configuration import Command

_CHUNK = 1 << 15
_WAITING = 32
_LOOK = 0.2
_MARK = "ASCENT_STUDIO_RUN"
"""The variable by which all that a run started is known, also what left its family."""


class Running:
    """Started at once; `take` hands over what was written since, and never waits.

    A program that writes faster than it is read waits, since only a megabyte is kept. The run
    lasts until the program ended and nobody can write to its output any more, or it was stopped.
    """

    def __init__(self, command: Command) -> None:
        self.command = command
        self.began = time.monotonic()
        self.seconds = 0.0
        self.exit_code: int | None = None
        self._decoder = OutputDecoder()
        self._chunks: queue.Queue[bytes] = queue.Queue(_WAITING)
        self._typed: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._let_go = threading.Event()
        self._unwanted = False
        self._mark = f"{_MARK}={uuid.uuid4().hex}"
        self._process = _start(command, self._mark)
        self._ended_at: float | None = None
        self._reader = threading.Thread(target=self._read, name="run-output", daemon=True)
        self._reader.start()
        self._writer: threading.Thread | None = None
        self._stopping: threading.Thread | None = None

    @property
    def active(self) -> bool:
        """Whether it runs, or has written something that was not taken."""
        return self.exit_code is None

    @property
    def left_behind(self) -> float | None:
        """For how many seconds only what it started has run, None while it runs itself."""
        if self.exit_code is None and self._chunks.empty() and self._process.poll() is not None:
            self._ended_at = self._ended_at or time.monotonic()
            return time.monotonic() - self._ended_at
        return None

    def take(self, most: int = 1 << 20) -> str:
        """What it wrote since the last time, about `most` bytes of it; notes its end."""
        parts: list[bytes] = []
        size = 0
        with suppress(queue.Empty):
            while size < most:
                chunk = self._chunks.get_nowait()
                parts.append(chunk)
                size += len(chunk)
        # A program may close its output and go on.
        over = not self._reader.is_alive() and self._chunks.empty()
        over = over and self._process.poll() is not None
        text = self._decoder.decode(b"".join(parts), final=over) if parts or over else ""
        if over and self.exit_code is None:
            self.exit_code = self._process.returncode
            self.seconds = (self._ended_at or time.monotonic()) - self.began
            self._typed.put(None)
            self._close()
        return text

    def write(self, text: str) -> None:
        """Send text to its input; a program that does not read it holds up nobody."""
        self._send(text.encode("utf-8", "replace"))

    def end_input(self) -> None:
        """Close its input after what was sent, as Ctrl+D does in a terminal."""
        self._send(None)

    def stop(self) -> None:
        """End it and all that it started, politely first; returns at once."""
        if self.active and self._stopping is None:
            # Not a daemon: the end of this program waits until the other has ended.
            self._stopping = threading.Thread(target=self._end, name="run-stop")
            self._stopping.start()

    def shut(self) -> None:
        """End it while nobody looks any more; returns at once."""
        self._unwanted = True
        self._let_go.set()
        self.stop()

    # -- on other threads -------------------------------------------------------------------------
    def _read(self) -> None:
        assert self._process.stdout is not None
        place = self._process.stdout.fileno()
        with suppress(OSError, ValueError):
            while _readable(place, self._let_go):
                chunk = os.read(place, _CHUNK)
                if not chunk or not self._keep(chunk):
                    return

    def _keep(self, chunk: bytes) -> bool:
        """Hand a chunk over; False once nobody wants it."""
        while not self._let_go.is_set():
            with suppress(queue.Full):
                self._chunks.put(chunk, timeout=_LOOK)
                return True
        return False

    def _send(self, data: bytes | None) -> None:
        if self._writer is None and self.active:
            self._writer = threading.Thread(target=self._type, name="run-input", daemon=True)
            self._writer.start()
        self._typed.put(data)

    def _type(self) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        with suppress(OSError, ValueError):
            while (data := self._typed.get()) is not None:
                stdin.write(data)
                stdin.flush()
        with suppress(OSError, ValueError):
            stdin.close()

    def _end(self) -> None:
        end_tree(self._process, self._mark)
        self._reader.join(2 * _LOOK)  # what it wrote at last
        self._let_go.set()
        if self._unwanted:  # nobody will take its end
            self._typed.put(None)
            self._reader.join(5 * _LOOK)
            self._close()

    def _close(self) -> None:
        streams = [self._process.stdout]
        if self._writer is None:  # else the thread that writes to it does
            streams.append(self._process.stdin)
        for stream in streams:
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def _readable(place: int, let_go: threading.Event) -> bool:
    """Wait until there is something to read; False once nobody wants it."""
    if sys.platform == "win32":  # can wait for sockets only: there, reading itself waits
        return not let_go.is_set()
    waiting = select.poll()  # `select` itself knows no files above number 1023
    waiting.register(place, select.POLLIN)
    while not let_go.is_set():
        if waiting.poll(1000 * _LOOK):
            return True
    return False


def _start(command: Command, mark: str) -> subprocess.Popen[bytes]:
    apart: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    name, _, value = mark.partition("=")
    try:
        return subprocess.Popen(
            command.arguments,
            cwd=command.folder,
            env={**os.environ, **command.environment, name: value},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            **apart,
        )
    except OSError as error:
        program = command.arguments[0]
        reason = error.strerror or str(error)
        raise StudioError(
            tr("{program} cannot be started: {reason}.", program=program, reason=reason)
        ) from error
