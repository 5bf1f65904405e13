"""Make the machine code of all kernels: `python -m studio.trace.warm`.

It runs in the background when a trace is opened for which kernels pay, at a low priority, and ends
when every kernel has been used once on a small trace. A plugin that has kernels of its own uses
them once in a function `warm` of a module `warm` (`plugins/<id>/warm.py`).
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from studio.formats import engine
from studio.paths import app_root


def warm() -> None:
    """Make the machine code and note that it is there."""
    before = os.environ.get(engine.CHOICE)
    os.environ[engine.CHOICE] = "compiled"
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "trace.json"
            path.write_text(json.dumps(_events()), encoding="utf-8")
            _use_all(path)
            _use_tables(Path(folder) / "table.csv")
    finally:
        if before is None:
            del os.environ[engine.CHOICE]
        else:
            os.environ[engine.CHOICE] = before
    engine.set_warm()


def main() -> int:
    """Run at a low priority; returns the exit code."""
    if not engine.has_compiler():
        return 1
    with suppress(AttributeError, OSError):
        os.nice(10)
    warm()
    return 0


def _use_all(path: Path) -> None:
    from studio.trace.reader import load
    from studio.trace.statistics import covered, statistics

    trace = load(path, arg_columns=("stream",))
    first = next(lane.id for lane in trace.lanes if lane.kind == "slices")
    for lanes in (None, [first]):
        statistics(trace, 1000, 4000, lanes)
    covered(trace)
    for folder in sorted((app_root() / "plugins").iterdir()):
        if (folder / "warm.py").exists():
            with suppress(ImportError):
                importlib.import_module(f"plugins.{folder.name}.warm").warm()


def _use_tables(path: Path) -> None:
    from studio.formats.ascend_csv import Field, open_table
    from studio.formats.faults import FaultLog

    kinds = ("text", "time", "whole", "number")
    path.write_text(",".join(kinds) + "\na,1.5,2,3.5\n", encoding="utf-8")
    table = open_table(path, {kind: Field((kind,), kind, "us") for kind in kinds}, FaultLog())
    list(table.parts())


def _events() -> list[dict[str, object]]:
    """A trace with every kind of event, and more names than a table first has room for."""
    many: list[dict[str, object]] = [
        _event("X", number, name=f"name {number}", dur=5, args={"stream": number % 3})
        for number in range(3000)
    ]
    flows = [_event(phase, 1, id=7, cat="flow") for phase in "stf"]
    asyncs = [_event(phase, 2, id=1, cat="async") for phase in "bbee"]
    return [
        _event("M", 0, name="process_name", args={"name": "Process"}),
        *many,
        *flows,
        *asyncs,
        _event("B", 3),
        _event("E", 4),
        _event("i", 5),
        _event("C", 6, args={"value": 1.5, "acc_id": 2}),
    ]


def _event(phase: str, time: int, *, name: str = "a", **more: object) -> dict[str, object]:
    return {"ph": phase, "name": name, "pid": 1, "tid": 1, "ts": time, **more}


if __name__ == "__main__":
    sys.exit(main())
