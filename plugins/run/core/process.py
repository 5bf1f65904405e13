"""One running program: what it writes, what is typed to it, and its end with all its children."""

from __future__ import annotations

import codecs
import os
import queue
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.kernel.process_tree import end_tree

if TYPE_CHECKING:
    from plugins.run.core.configuration import Command

_CHUNK = 1 << 16
_WAITING = 64


class Running:
    """Started at once; `take` hands over what was written since.

    A program that writes faster than it is read waits, since only a few megabytes are kept.
    """

    def __init__(self, command: Command) -> None:
        self.command = command
        self.began = time.monotonic()
        self.seconds = 0.0
        self.exit_code: int | None = None
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._chunks: queue.Queue[bytes] = queue.Queue(_WAITING)
        self._process = _start(command)
        self._reader = threading.Thread(target=self._read, name="run-output", daemon=True)
        self._reader.start()
        self._stopping: threading.Thread | None = None

    @property
    def active(self) -> bool:
        """Whether it runs, or has written something that was not taken."""
        return self.exit_code is None

    def take(self, most: int = 1 << 20) -> str:
        """What it wrote since the last time, about `most` bytes of it; notes its end."""
        parts: list[bytes] = []
        size = 0
        with suppress(queue.Empty):
            while size < most:
                chunk = self._chunks.get_nowait()
                parts.append(chunk)
                size += len(chunk)
        over = not self._reader.is_alive() and self._chunks.empty()
        text = self._decoder.decode(b"".join(parts), final=over)
        if over and self.exit_code is None:
            self.exit_code = self._process.wait()
            self.seconds = time.monotonic() - self.began
            self._close()
        return text

    def write(self, text: str) -> None:
        """Send text to its input; nothing happens once it ended."""
        stdin = self._process.stdin
        if stdin is not None and not stdin.closed:
            with suppress(OSError):
                stdin.write(text.encode())
                stdin.flush()

    def end_input(self) -> None:
        """Close its input, as Ctrl+D does in a terminal."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()

    def stop(self) -> None:
        """End it and all that it started, politely first; returns at once."""
        if self.active and self._stopping is None:
            self._stopping = threading.Thread(target=end_tree, args=(self._process,), daemon=True)
            self._stopping.start()

    def kill_and_wait(self) -> None:
        """End it before the window closes."""
        if self._process.poll() is None:
            end_tree(self._process)
        while self._reader.is_alive():
            self.take()
            time.sleep(0.01)
        self.take()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with suppress(OSError, ValueError):
            while chunk := os.read(self._process.stdout.fileno(), _CHUNK):
                self._chunks.put(chunk)

    def _close(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def _start(command: Command) -> subprocess.Popen[bytes]:
    apart: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    try:
        return subprocess.Popen(
            command.arguments,
            cwd=command.folder,
            env=os.environ | command.environment,
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
