"""Print what the workbench costs: python tests/bench/bench_workbench.py [FILES].

The start, a file of 50,000 lines opened, compared and merged, a file of 60 MB typed in and saved, a
project of FILES files (by default 100,000) with frames while one scrolls and the memory it takes, a
search in a million lines beside `grep -r` in the same run, and a change of the theme. Seconds are
CPU seconds of this process; `wall` says how long one waits on this machine, and "at once" is the
CPU time of the window's thread between two turns of its event loop, at the worst.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.app import App
from studio.model.merge import Choice, merge
from studio.ui.idle import wait_idle
from studio.ui.main import dress, make_application, make_window
from studio.ui.mergeview import MergeView

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.ui.shell import MainWindow

LINES = 50_000
SEARCHED = 1_000_000
FRAMES = 60
_LONG = 120.0


def main() -> None:
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    subprocess.run([sys.executable, str(Path(__file__).parent / "bench_start.py")], check=True)
    with tempfile.TemporaryDirectory() as place:
        os.environ["STUDIO_HOME"] = str(Path(place, "home"))
        folder = Path(place, "project")
        window = started()
        measure_project(window, folder / "many", files)  # first, since it looks at memory
        measure_editor(window, folder / "texts")
        measure_merge()
        measure_theme(window)
        measure_search(window, folder / "lines")
        measure_long(window, folder / "long")
        window.app.close()
        sys.stdout.flush()
        shutil.rmtree(place, ignore_errors=True)
        os._exit(0)  # without taking the window down piece by piece


def started() -> MainWindow:
    """A window on no project."""
    make_application()
    app = App.start(language="en")
    dress(app)
    window = make_window(app)
    window.resize(1400, 900)
    window.show()
    window.start()
    settle(window)
    return window


def measure_editor(window: MainWindow, folder: Path) -> None:
    """Open a long script, and compare it with one in which a thousand lines differ."""
    draw = random.Random(1)
    lines = [
        f"value_{n % 997} = call({n}, {n * 7 % 13})\n" if n % 5 else "\n" for n in range(LINES)
    ]
    other = list(lines)
    for n in range(1_000):
        other[draw.randrange(LINES)] = f"changed {n}\n"
    other = other[30_000:33_000] + other[:30_000] + other[33_000:]
    folder.mkdir(parents=True)
    (folder / "one.py").write_text("".join(lines), encoding="utf-8")
    (folder / "other.py").write_text("".join(other), encoding="utf-8")
    window.app.open_project(folder)
    settle(window)
    view: Any = None

    def open_file() -> None:
        nonlocal view
        view = window.open(folder / "one.py", "editor.text", {})
        paint()

    timed(f"open a file of {LINES:,} lines up to its picture", open_file)
    timed("  its outline and marks, in the background", lambda: settle(window))
    timed("  a key typed", lambda: (view.edit.replace(0, 0, "x"), paint()))
    view.edit.undo()
    arguments = {"other": str(folder / "other.py")}
    timed(
        f"compare {LINES:,} lines, 1,000 changed and 3,000 moved",
        lambda: (window.open(folder / "one.py", "editor.compare", arguments), settle(window)),
    )
    draw = random.Random(1)
    mixed = [draw.choice((line, line, line.replace("=", ":="), "", line + line)) for line in lines]
    (folder / "mixed.py").write_text("".join(mixed), encoding="utf-8")
    arguments = {"other": str(folder / "mixed.py")}
    timed(
        "  three of five lines changed, removed or doubled",
        lambda: (window.open(folder / "one.py", "editor.compare", arguments), settle(window)),
    )


def measure_merge() -> None:
    """Decide about changes in a merge of three long texts."""
    draw = random.Random(1)
    base = [f"value_{n % 997} = call({n}, {n * 7 % 13})\n" for n in range(LINES)]
    mine, theirs = list(base), list(base)
    for n in range(0, LINES, 50):
        mine[n] = draw.choice((base[n], f"mine {n}\n", f"mine {n}\nmore\n"))
        theirs[n] = draw.choice((base[n], f"theirs {n}\n"))
    found = merge("".join(base), "".join(mine), "".join(theirs))
    view = MergeView()
    view.resize(1400, 900)
    view.show()
    timed(
        f"merge of {LINES:,} lines shown",
        lambda: (view.show_merge(found, titles=("1", "2", "3")), paint()),
    )
    choices = (Choice.MINE, Choice.THEIRS, Choice.BOTH, Choice.BASE)
    cpu = [cpu_of(lambda n=n: (view.choose(choices[n % 4]), deliver())) for n in range(40)]
    print(f"  one decision: median {sorted(cpu)[20] * 1e3:.1f} ms, worst {max(cpu) * 1e3:.1f} ms")
    view.close()
    view.deleteLater()


def measure_long(window: MainWindow, folder: Path) -> None:
    """Type in a file of 60 MB, at its beginning and in its middle, and save it."""
    line = "value_12345 = call(one, two, three)  # a comment\n"
    folder.mkdir(parents=True)
    (folder / "long.txt").write_text(line * (60_000_000 // len(line)), encoding="utf-8")
    window.open(folder / "long.txt", "editor.text", {})
    settle(window)
    view: Any = window.centre.active().view  # type: ignore[union-attr]
    for place in (0, 30_000_000):
        view.edit.select(place, place)
        settle(window)
        keys = [
            cpu_of(lambda: (QTest.keyClick(view.edit.area(), "a"), deliver())) for _ in range(20)
        ]
        print(
            f"60 MB, typing at {place:,}: first key {keys[0] * 1e3:.0f} ms, "
            f"then {sorted(keys[1:])[10] * 1e3:.1f} ms, taken over in the background "
            f"{at_once(lambda: settle(window)) * 1e3:.0f} ms at once"
        )
    print(f"  saved: {at_once(lambda: (view.save(), settle(window))) * 1e3:.0f} ms at once")
    window.centre.close_all()
    shutil.rmtree(folder)


def measure_theme(window: MainWindow) -> None:
    """Change the theme with some panels and files open."""
    for panel in ("run.panel", "search.panel", "editor.outline"):
        window.show_panel(panel)
    settle(window)
    count = len(QApplication.allWidgets())
    for name in ("light", "contrast", "dark"):
        timed(
            f"theme {name}, {count} widgets",
            lambda name=name: (window.app.settings.set("studio.theme", name), paint()),
        )


def measure_search(window: MainWindow, folder: Path) -> None:
    """Search a million lines as the panel does, and with grep."""
    folder.mkdir(parents=True)
    per = 10_000
    for number in range(SEARCHED // per):
        text = "".join(f"loss = step({number}, {n}).item()  # {n * 31 % 977}\n" for n in range(per))
        (folder / f"part{number}.py").write_text(text + "needle here\n", encoding="utf-8")
    from plugins.search.core.choice import Choice
    from plugins.search.core.find import find_in_files
    from studio.model.textsearch import Query

    pattern = r"step\(9[0-9]*, 77[0-9]*\)"
    for words, title in (("needle", "a word"), (pattern, "a pattern")):
        query = Query(words, regex=words == pattern, case=True)
        begin = time.process_time()
        found = find_in_files(folder, query, Choice())
        own = time.process_time() - begin
        begin = children_seconds()
        flags = "-rnE" if query.regex else "-rnF"
        peer = subprocess.run(["grep", flags, words, str(folder)], capture_output=True, check=True)
        grep = children_seconds() - begin
        hits = peer.stdout.count(b"\n")
        print(
            f"search {SEARCHED:,} lines, {title}: {own:.2f} s ({found.count:,} hits), "
            f"grep -r {grep:.2f} s ({hits:,}), ratio {own / grep:.1f}"
        )


def measure_project(window: MainWindow, folder: Path, files: int) -> None:
    """Open a project of very many files, scroll through the largest folder, and look at memory."""
    for number in range(files):
        place = folder / f"run{number // 50_000}"
        if not number % 50_000:
            place.mkdir(parents=True)
        os.close(os.open(place / f"sample_{number}.bin", os.O_CREAT | os.O_WRONLY))
    before = resident()
    begin = time.perf_counter()
    timed(f"project of {files:,} files opened", lambda: window.app.open_project(folder))
    timed("  scanned and shown", lambda: settle(window))
    panel: Any = window.show_panel("explorer.panel")

    def expand() -> None:
        panel.files.expand(panel.tree.index_of(folder / "run0"))
        settle(window)

    worst = at_once(lambda: timed("  its largest folder unfolded", expand))
    print(f"    {worst * 1e3:.0f} ms at once")
    print(f"  all of it: wall {time.perf_counter() - begin:.2f} s")
    bar = panel.files.verticalScrollBar()
    frames = []
    for step in range(FRAMES):
        bar.setValue(bar.maximum() * step // FRAMES)
        begin = time.process_time()
        panel.files.viewport().repaint()
        frames.append(time.process_time() - begin)
    frames.sort()
    print(
        f"  frames while scrolling: median {frames[FRAMES // 2] * 1e3:.1f} ms, "
        f"95 % within {frames[FRAMES * 95 // 100] * 1e3:.1f} ms"
    )
    for words in ("s", "sample_4999", ""):
        worst = at_once(lambda words=words: (panel.filter.setText(words), settle(window)))
        print(f"  filtered by “{words}”: {worst * 1e3:.0f} ms at once")
    print(f"  memory for the project: {(resident() - before) / 1e6:.0f} MB")
    shutil.rmtree(folder)


def children_seconds() -> float:
    """CPU seconds of the processes that were started and have ended."""
    times = os.times()
    return times.children_user + times.children_system


def timed(title: str, run: Callable[[], object]) -> None:
    """Print what something takes."""
    cpu, wall = time.process_time(), time.perf_counter()
    run()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    print(f"{title}: {cpu:.2f} s, wall {wall:.2f}", flush=True)


def cpu_of(run: Callable[[], object]) -> float:
    """CPU seconds of this thread that something takes."""
    begin = time.thread_time()
    run()
    return time.thread_time() - begin


def at_once(run: Callable[[], object]) -> float:
    """The most CPU seconds of this thread between two turns of its event loop meanwhile."""
    begin, worst = time.thread_time(), 0.0

    def look() -> None:
        nonlocal begin, worst
        now = time.thread_time()
        worst, begin = max(worst, now - begin), now

    timer = QTimer(interval=0)
    timer.timeout.connect(look)
    timer.start()
    run()
    timer.stop()
    look()
    return worst


def settle(window: MainWindow) -> None:
    """Wait until nothing is done any more, and paint."""
    wait_idle(window, _LONG)
    paint()


def paint() -> None:
    """Deliver events, and paint all windows."""
    QApplication.processEvents()
    for widget in QApplication.topLevelWidgets():
        if widget.isVisible():
            widget.repaint()


def deliver() -> None:
    """Deliver events, which paints what changed."""
    QApplication.processEvents()


def resident() -> int:
    """Bytes of memory that this process holds."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
