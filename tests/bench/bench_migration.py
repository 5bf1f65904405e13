"""Print how fast the migration scans: `python tests/bench/bench_migration.py [FOLDER…]`.

Without folders it scans made-up projects of about 1,000, 100,000 and 500,000 lines; folders are
scanned as they are. Each is scanned in one process, in several, once more with the analyses kept
from before, and judged for another torch and chip for the first time; every scan runs in a program
of its own, so that its peak memory is its own. CPU seconds count the start of the program and the
processes it starts; the memory is that of the largest of them. The speed of Python's parser alone
on the same lines tells how busy the machine is. What the vendor's tool was measured at stands
beside it.
"""

from __future__ import annotations

import ast
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from plugins.migration.core import scan
from plugins.migration.core.model import ScanContext

BLOCK = '''
class Layer{n}(nn.Module):
    """One layer; runs on cuda or on the cpu."""

    def __init__(self, size, heads, dropout=0.1):
        super().__init__()
        self.size = size
        self.heads = heads
        self.query = nn.Linear(size, size, bias=False)
        self.value = nn.Linear(size, size, bias=False)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        batch, length, width = x.shape
        q = self.query(x).view(batch, length, self.heads, width // self.heads)
        v = self.value(x).view(batch, length, self.heads, width // self.heads)
        scores = torch.einsum("blhd,bmhd->bhlm", q, v) / math.sqrt(width)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        return self.drop(scores.softmax(dim=-1))


def step_{n}(model, batch, rank):
    device = torch.device(f"cuda:{{rank}}" if torch.cuda.is_available() else "cpu")
    inputs = {{key: value.to(device, non_blocking=True) for key, value in batch.items()}}
    loss = model(**inputs).float().mean()
    loss.backward()
    torch.cuda.synchronize()
    return loss.detach()
'''
LAYER, STEP = BLOCK.split("\n\n\n")
HEAD = "import math\nimport torch\nfrom torch import nn\n"


def make(folder: Path, files: int, blocks: int) -> None:
    """Write a made-up project; no file is like another, so that none is found in the cache."""
    for number in range(files):
        layers = (
            LAYER.format(n=f"{number}_{n}")
            + ("\n\n\n" + STEP.format(n=f"{number}_{n}") if n % 6 == 0 else "")
            for n in range(blocks)
        )
        text = HEAD + "\n\n".join(layers)
        (folder / f"m{number}.py").write_text(text, encoding="utf-8")


def measure(root: Path, way: str) -> None:
    """Scan once and print what it took as JSON."""
    scan._PARALLEL_FROM = 0 if way == "processes" else 1 << 62
    before = os.times()
    begin = time.perf_counter()
    chosen = ScanContext("2.13", "950DT") if way == "another choice" else ScanContext()
    report = scan.scan_project(root, chosen)
    wall = time.perf_counter() - begin
    after = os.times()
    spent = sum(after[:4]) - sum(before[:4])
    memory = max(
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    told = {
        "lines": sum(result.lines for result in report.results),
        "wall": wall,
        "cpu": spent,
        "megabytes": memory / 1024,
        "changes": report.summary()["changes"],
    }
    print(json.dumps(told))


def parser_speed(root: Path) -> float:
    """How many lines Python alone parses in a CPU second."""
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in root.rglob("*.py")]
    begin = time.process_time()
    lines = 0
    for text in texts:
        try:
            ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        lines += text.count("\n")
    return lines / max(time.process_time() - begin, 1e-9)


def compare(title: str, root: Path) -> None:
    """Print a row for each way to scan a project."""
    with tempfile.TemporaryDirectory() as home:
        for way in ("one process", "scanned again", "another choice", "processes"):
            fresh = way == "processes"
            environment = os.environ | {"STUDIO_HOME": f"{home}/{'other' if fresh else 'one'}"}
            command = [sys.executable, __file__, "--measure", way, str(root)]
            done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
            told = json.loads(done.stdout)
            speed = told["lines"] / max(told["cpu"], 1e-9)
            row(title, way, f"{told['lines']:,}", f"{told['wall']:.2f}", f"{told['cpu']:.2f}",
                f"{speed:,.0f}", f"{told['megabytes']:.0f}", f"{told['changes']:,}")  # fmt: skip
    row(title, "parser alone", speed=f"{parser_speed(root):,.0f}")


def row(
    project: str, way: str, lines: str = "", wall: str = "", cpu: str = "", speed: str = "",
    memory: str = "", changes: str = "",
) -> None:  # fmt: skip
    """Print a row of the table."""
    print(
        f"| {project:18} | {way:14} | {lines:>12} | {wall:>8} | {cpu:>8} | {speed:>11} "
        f"| {memory:>7} | {changes:>7} |",
        flush=True,
    )


def main() -> None:
    """Run the measurements."""
    if sys.argv[1:2] == ["--measure"]:
        measure(Path(sys.argv[3]), sys.argv[2])
        return
    row("project", "way", "lines", "wall s", "CPU s", "lines/CPU s", "peak MB", "changes")
    row(":--", ":--", *["--:"] * 6)
    for folder in map(Path, sys.argv[1:]):
        compare(folder.name[:18], folder)
    if not sys.argv[1:]:
        for title, files, blocks in (
            ("1,000 lines", 15, 3), ("100,000 lines", 175, 24), ("500,000 lines", 875, 24),
        ):  # fmt: skip
            with tempfile.TemporaryDirectory() as folder:
                make(Path(folder), files, blocks)
                compare(title, Path(folder))
    row("msfmktransplt", "9 projects", "770-16,439", "29-771", "10-210", "67-114", "147-429")


if __name__ == "__main__":
    main()
