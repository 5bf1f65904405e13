"""Run a program and measure it with all the processes it starts: time, processor, memory."""

from __future__ import annotations

import os
import resource
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_EVERY = 0.1
_PROC = Path("/proc")


@dataclass(frozen=True)
class Usage:
    """What a program took. Memory is the largest sum over its processes, shared pages counted
    once (PSS); 0 where the system does not tell."""

    seconds: float
    cpu: float
    megabytes: float
    code: int
    written: int


def run_measured(words: list[str], folder: Path, environment: dict[str, str], log: Path) -> Usage:
    """Run a command to its end; what it writes goes to a file."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    with log.open("wb") as output:
        process = subprocess.Popen(
            words, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
        peak = _Peak(process.pid)
        peak.start()
        code = process.wait()
    seconds = time.perf_counter() - begin
    peak.done.set()
    peak.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Usage(seconds, cpu, peak.bytes / 1e6, code, log.stat().st_size)


class _Peak(threading.Thread):
    """Looks at a process and its descendants until told to stop."""

    def __init__(self, root: int) -> None:
        super().__init__(daemon=True)
        self.done = threading.Event()
        self.bytes = 0
        self._root = root

    def run(self) -> None:
        while not self.done.wait(_EVERY):
            self.bytes = max(self.bytes, sum(map(_memory, _family(self._root))))


def _family(root: int) -> set[int]:
    parents: dict[int, int] = {}
    for name in os.listdir(_PROC) if _PROC.is_dir() else ():
        if name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                # The name in parentheses may hold anything.
                rest = (_PROC / name / "stat").read_text().rpartition(")")[2]
                parents[int(name)] = int(rest.split()[1])
    found, grown = {root}, True
    while grown:
        more = {child for child, parent in parents.items() if parent in found} - found
        found |= more
        grown = bool(more)
    return found


def _memory(process: int) -> int:
    with suppress(OSError, ValueError):
        for line in (_PROC / str(process) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0
