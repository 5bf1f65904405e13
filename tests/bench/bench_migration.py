"""Print how fast the migration scans: `python tests/bench/bench_migration.py [FOLDER]`.

Without a folder it scans a made-up project of the given size, in one process and in several.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from plugins.migration.core import scan

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
    """Write a made-up project."""
    for number in range(files):
        layers = (
            LAYER.format(n=n) + ("\n\n\n" + STEP.format(n=n) if n % 6 == 0 else "")
            for n in range(blocks)
        )
        text = HEAD + "\n\n".join(layers)
        (folder / f"m{number}.py").write_text(text, encoding="utf-8")


def measure(title: str, root: Path, *, parallel: bool) -> None:
    """Scan once and print lines per second."""
    scan._PARALLEL_FROM = 0 if parallel else 1 << 62
    before = os.times()
    begin = time.perf_counter()
    report = scan.scan_project(root)
    wall = time.perf_counter() - begin
    after = os.times()
    spent = sum(after[:4]) - sum(before[:4])
    lines = sum(result.lines for result in report.results)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{title:32} {lines:9,} lines {wall:7.2f} s wall {spent:7.2f} s CPU "
        f"{lines / max(spent, 1e-9):10,.0f} lines/CPU s  {memory:6.0f} MB  "
        f"{report.summary()['changes']} changes"
    )


def main() -> None:
    """Run the measurements."""
    if len(sys.argv) > 1:
        for parallel in (False, True):
            measure(f"{Path(sys.argv[1]).name} ({'processes' if parallel else 'one process'})",
                    Path(sys.argv[1]), parallel=parallel)  # fmt: skip
        return
    for title, files, blocks in (("small project", 15, 3), ("large project", 800, 24)):
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder), files, blocks)
            for parallel in (False, True):
                way = "processes" if parallel else "one process"
                measure(f"{title} ({way})", Path(folder), parallel=parallel)


if __name__ == "__main__":
    main()
