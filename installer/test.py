"""Check Ascent Studio.

Installs what the tests need, then runs ruff, mypy, import-linter and all tests: most of them with
Qt offscreen, a few under a virtual X screen (Xvfb). With arguments for pytest only pytest runs.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from installer import environment, system

NO_TESTS = 5  # pytest's exit code when nothing was collected


def main(arguments: list[str] | None = None) -> int:
    """Run the checks; returns 0 when all of them passed."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
        usage="test.py [--fast] [--torch] [arguments for pytest]",
    )
    parser.add_argument("--fast", action="store_true", help="leave out what needs a window")
    parser.add_argument(
        "--torch",
        action="store_true",
        help="install torch beside the checkout, so that migrated code is run (0.2 to 3 GB)",
    )
    options, rest = parser.parse_known_args(arguments)
    x11 = sys.platform == "linux" and not options.fast

    system.install_packages(system.missing_packages(window=True, virtual_screen=x11))
    sets = ["base", "gui", "build", "dev"]
    python = str(environment.ensure(sets, wanted_if_possible=("fast",)))
    if options.torch:
        _offer_torch()
    results: list[tuple[str, str, float]] = []
    counts: dict[str, int] = {}

    if not rest:
        tools = Path(python).parent
        for title, command in (
            ("ruff", [python, "-m", "ruff", "check", "."]),
            ("mypy", [python, "-m", "mypy"]),
            ("import-linter", [str(tools / "lint-imports")]),
        ):
            results.append(_step(title, command))
    marks = "not bench and not x11" + (" and not gui" if options.fast else "")
    results.append(_pytest("tests", [python], marks, rest, "offscreen", counts))
    if x11:
        screen = ["xvfb-run", "-a", "-s", "-screen 0 1920x1200x24", python]
        results.append(_pytest("tests on X11", screen, "x11", rest, "xcb", counts))
    return _summary(results, counts)


def _offer_torch() -> None:
    """Make a Python with torch and tell the tests of it; without one they skip what needs it."""
    try:
        place = environment.ensure_torch()
    except (OSError, subprocess.SubprocessError) as error:
        print(f"torch could not be installed, so no migrated code is run: {error}", flush=True)
    else:
        os.environ.setdefault("STUDIO_TORCH_PYTHON", str(place))


def _step(title: str, command: list[str]) -> tuple[str, str, float]:
    print(f"\n== {title}", flush=True)
    begin = time.monotonic()
    code = subprocess.run(
        command, cwd=environment.ROOT, check=False, stdin=subprocess.DEVNULL
    ).returncode
    return title, "ok" if code == 0 else f"FAILED (exit code {code})", time.monotonic() - begin


def _pytest(
    title: str,
    runner: list[str],
    marks: str,
    rest: list[str],
    platform: str,
    counts: dict[str, int],
) -> tuple[str, str, float]:
    """Run pytest, showing its output as it comes, and add up what its closing line says."""
    print(f"\n== {title}", flush=True)
    begin = time.monotonic()
    closing = ""
    with subprocess.Popen(
        [*runner, "-m", "pytest", "-m", marks, *rest],
        cwd=environment.ROOT,
        env=os.environ | {"QT_QPA_PLATFORM": platform, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            if re.search(r"\b(passed|failed|skipped|deselected|error|errors)\b.* in [\d.]+s", line):
                closing = line
    for number, word in re.findall(r"(\d+) (passed|failed|skipped|error)", closing):
        counts[word] = counts.get(word, 0) + int(number)
    code = process.returncode
    seconds = time.monotonic() - begin
    if code == NO_TESTS and (rest or marks == "x11"):
        return title, "ok (none selected)", seconds
    return title, "ok" if code == 0 else f"FAILED (exit code {code})", seconds


def _summary(results: list[tuple[str, str, float]], counts: dict[str, int]) -> int:
    print("\n== summary")
    for title, outcome, seconds in results:
        print(f"{title:<14} {outcome}  ({seconds:.0f} s)")
    failed = counts.get("failed", 0) + counts.get("error", 0)
    print(f"{counts.get('passed', 0)} passed, {failed} failed, {counts.get('skipped', 0)} skipped")
    return 0 if all(outcome.startswith("ok") for _, outcome, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
