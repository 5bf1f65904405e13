"""msprobe 26.2.0 in an environment of its own, to be measured beside Ascent Studio."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

WANTED = ("mindstudio-probe==26.2.0", "torch==2.13.0")
_LAST_LINES = 3


def msprobe(given: Path | None = None) -> Path | None:
    """Return the command; installs it (about 1.5 GB) when it is not there yet.

    `given` is an environment that has it already. None, with the reason printed, when it cannot be
    had.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = given or cache / "ascent-studio-bench" / "msprobe-26.2.0"
    command = folder / "bin" / "msprobe"
    if command.is_file():
        return command
    if given is not None:
        print(f"{command} is not there", flush=True)
        return None
    print(f"installing {' '.join(WANTED)} in {folder}", flush=True)
    venv.create(folder, with_pip=True)
    done = subprocess.run(
        [folder / "bin" / "python", "-m", "pip", "install", "--quiet", *WANTED],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        print("\n".join(done.stderr.splitlines()[-_LAST_LINES:]), file=sys.stderr)
        return None
    return command
