"""Start Ascent Studio from a checkout.

Makes .venv with the pinned packages, finds missing system packages, and opens the window on PATH,
or on a copy of the bundled sample project. Without a display it runs the tour instead and says
where the pictures are. What else is given goes to `studio` (such as --safe).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from installer import environment, system


def main(arguments: list[str] | None = None) -> int:
    """Install what is missing, then start; returns the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("path", nargs="?", metavar="PATH", help="the folder or file to open")
    parser.add_argument("--tour", metavar="FOLDER", type=Path, help="write pictures of all views")
    parser.add_argument("--install-only", action="store_true", help="install, but do not start")
    options, rest = parser.parse_known_args(arguments)

    too_old = system.too_old_for_window()
    system.install_packages(system.missing_packages(window=not too_old))
    sets = ["base", "build"] if too_old else ["base", "gui", "build"]
    python = environment.ensure(sets, wanted_if_possible=("fast",))
    if too_old:
        print(f"No window on this machine: {too_old}.")
        print(f"The commands work: {python} -m studio --help")
        return 1
    if options.install_only:
        print(f"Installed. Start it with: {python} -m studio")
        return 0

    reason = "" if options.tour else system.no_display()
    if reason:
        print(f"No display here ({reason}): taking pictures of the views instead.", flush=True)
    if options.tour or reason:
        folder = (options.tour or environment.ROOT / "tour").absolute()
        return _tour(python, options.path, folder, rest)
    target = options.path or _sample(python)
    # -P: files of the current folder never take the place of Python's modules.
    return _run([str(python), "-P", "-m", "studio", target, *rest])


def _sample(python: Path) -> str:
    done = subprocess.run(
        [str(python), "-m", "studio.sample"],
        cwd=environment.ROOT,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise SystemExit("The sample project could not be copied (reason above).")
    folder = done.stdout.strip()
    print(f"Opening your copy of the sample project: {folder}", flush=True)
    return folder


def _tour(python: Path, project: str | None, folder: Path, rest: list[str]) -> int:
    # Without a project the tour has a sample of its own, in which it also changes files.
    shown = [project] if project else []
    command = [str(python), "-P", "-m", "studio", "tour", *shown, "--out", str(folder), *rest]
    code = _run(command, QT_QPA_PLATFORM="offscreen")
    pictures = sorted(folder.glob("*.png"))
    print(f"{len(pictures)} pictures are in {folder}" if pictures else "The tour made no picture.")
    return code


def _run(command: list[str], **extra: str) -> int:
    try:
        return subprocess.run(command, env=os.environ | extra, check=False).returncode
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
