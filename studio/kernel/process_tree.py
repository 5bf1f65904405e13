"""Run a program so that it can be ended together with everything it started."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.kernel.job_context import Cancelled, Finished

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from studio.kernel.job_context import JobContext

_POLL_SECONDS = 0.05
_GRACE_SECONDS = 2.0
_PROC = Path("/proc/self/stat")


def run_tree(
    job: JobContext,
    arguments: Sequence[str | Path],
    *,
    cwd: Path | None,
    env: Mapping[str, str] | None,
    timeout: float | None,
) -> Finished:
    """Run a program to its end and return what it wrote; see `JobContext.subprocess`."""
    job.check()
    process = _start([str(argument) for argument in arguments], cwd, env)
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    reader = threading.Thread(target=_read, args=(process, lines), daemon=True)
    reader.start()
    output: list[str] = []
    deadline = None if timeout is None else time.monotonic() + timeout
    try:
        while _drain(lines, output, job):
            job.check()
            if deadline is not None and time.monotonic() > deadline:
                raise StudioError(
                    tr(
                        "{program} was ended because it took longer than {seconds} s.",
                        program=Path(str(arguments[0])).name,
                        seconds=timeout,
                    )
                )
        return Finished(process.wait(), "".join(output))
    except (Cancelled, StudioError, KeyboardInterrupt):
        end_tree(process)
        raise
    finally:
        reader.join(_GRACE_SECONDS)
        if process.stdout is not None and not reader.is_alive():
            process.stdout.close()


def _start(
    arguments: list[str], cwd: Path | None, env: Mapping[str, str] | None
) -> subprocess.Popen[bytes]:
    apart: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    try:
        return subprocess.Popen(
            arguments,
            cwd=cwd,
            env=None if env is None else dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            **apart,
        )
    except OSError as error:
        raise StudioError(
            tr("{program} cannot be started: {error}", program=arguments[0], error=error.strerror)
        ) from error


def _read(process: subprocess.Popen[bytes], lines: queue.SimpleQueue[str | None]) -> None:
    assert process.stdout is not None
    with suppress(OSError, ValueError):
        for line in process.stdout:
            lines.put(line.decode("utf-8", "replace"))
    lines.put(None)


def _drain(lines: queue.SimpleQueue[str | None], output: list[str], job: JobContext) -> bool:
    """Take over what was written; False once the program closed its output."""
    with suppress(queue.Empty):
        line = lines.get(timeout=_POLL_SECONDS)
        while line is not None:
            output.append(line)
            job.log(line.rstrip("\r\n"))
            line = lines.get_nowait()
        return False
    return True


def end_tree(process: subprocess.Popen[bytes], mark: str = "") -> None:
    """End a program started by `run_tree` and all its descendants, politely first.

    What left the family (a daemon) is found by `mark`, a line "NAME=value" of the environment that
    it was started with, where the system tells it (Linux). The program itself may have ended long
    ago: its number, which may be another's by now, is not used then.
    """
    if sys.platform == "win32":
        subprocess.run(
            ["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False
        )
    else:
        family = _family(process, mark)
        _signal_all(process, family, signal.SIGTERM)
        deadline = time.monotonic() + _GRACE_SECONDS
        while time.monotonic() < deadline and (
            process.poll() is None or any(map(_is_alive, family))
        ):
            time.sleep(_POLL_SECONDS)
        _signal_all(process, family | _family(process, mark), signal.SIGKILL)
    process.wait()


def _family(process: subprocess.Popen[bytes], mark: str) -> dict[int, str]:
    """What a program started, by number, with the time at which each began."""
    below = descendants(process.pid) if _has_number(process) else []
    return {pid: _born(pid) for pid in (*below, *_marked(mark)) if pid != process.pid}


def _has_number(process: subprocess.Popen[bytes]) -> bool:
    """Whether the number of a program can be but its own, or its group's after its end."""
    if process.returncode is None:
        return True
    try:
        os.kill(process.pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _born(pid: int) -> str:
    """When a process began, which tells it from a later one of its number (proc_pid_stat(5))."""
    with suppress(OSError):
        return _stat(pid)[19]
    return ""


def _signal_all(process: subprocess.Popen[bytes], family: Mapping[int, str], number: int) -> None:
    if _has_number(process):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
    for pid, born in family.items():
        if _born(pid) == born:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)


def _is_alive(pid: int) -> bool:
    if _PROC.exists():
        with suppress(OSError):
            return _stat(pid)[0] != "Z"
        return False
    with suppress(OSError):
        os.kill(pid, 0)
        return True
    return False


def descendants(root: int) -> list[int]:
    """Return the ids of all processes started by `root`, directly or not (POSIX)."""
    children: dict[int, list[int]] = {}
    for pid, parent in _parents():
        children.setdefault(parent, []).append(pid)
    found: list[int] = []
    waiting = [root]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def _parents() -> list[tuple[int, int]]:
    if _PROC.exists():
        pairs = []
        for entry in os.scandir("/proc"):
            if entry.name.isdigit():
                with suppress(OSError):
                    pairs.append((int(entry.name), int(_stat(int(entry.name))[1])))
        return pairs
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=False
    )
    return [(int(pid), int(parent)) for pid, parent in map(str.split, listed.stdout.splitlines())]


def _marked(mark: str) -> list[int]:
    """The processes that were started with a variable of this value."""
    if not mark or not _PROC.exists():
        return []
    wanted, found = os.fsencode(mark), []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with suppress(OSError):
                if wanted in Path(entry.path, "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return found


def _stat(pid: int) -> list[str]:
    """Return the fields of a process after its name: state, parent, and so on."""
    return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
