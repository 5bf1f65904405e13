"""Print what the start costs: `python tests/bench/bench_start.py`.

From a new process to the painted welcome page; CPU seconds are user and system time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

RUNS = 7


def main() -> None:
    folder = Path(__file__).resolve().parent
    env = {"QT_QPA_PLATFORM": "offscreen"} | os.environ | {"PYTHONPATH": str(folder.parent.parent)}
    command = [sys.executable, str(folder / "start_program.py")]
    quiet = subprocess.DEVNULL
    texts = [subprocess.check_output(command, env=env, stderr=quiet) for _ in range(RUNS)]
    runs = [json.loads(text) for text in texts]
    for key in ("cpu_seconds", "wall_seconds"):
        values = sorted(run[key] for run in runs)
        print(f"{key:>12}: best {values[0]:.2f}, median {values[len(values) // 2]:.2f}")
    plugins, modules = runs[0]["plugins"], len(runs[0]["modules"])
    print(f"{'plugins':>12}: {plugins} registered, {modules} modules loaded")


if __name__ == "__main__":
    main()
