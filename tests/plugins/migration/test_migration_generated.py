"""Properties over programs that Hypothesis makes up, in both strategies."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plugins.migration.core.edits import edits_for, migrated_text
from plugins.migration.core.model import ScanContext
from plugins.migration.core.parsing import parses
from plugins.migration.core.scan import scan_bytes, scan_text
from studio.model.edits import apply_edits
from studio.model.encoding import decode, encode
from studio.model.project import Project

if TYPE_CHECKING:
    import pytest

    from studio.model.edits import TextEdit

PATH = Path("a.py")
CALM = settings(
    max_examples=120,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)

NAMES = st.sampled_from(["x", "model", "batch", "net", "dévice", "数据", "cuda_x"])
DEVICES = st.sampled_from(["cuda", "cuda:0", "cuda:1", "cpu", "npu", "meta", "CUDA"])
PLAIN = st.sampled_from(["rank", "x.is_cuda", "torch.cuda.memory_allocated()", "x.cuda()"])
EXPRESSIONS = st.deferred(
    lambda: st.one_of(
        NAMES,
        st.sampled_from(
            [
                "torch.cuda.is_available()",
                "torch.cuda.device_count()",
                "torch.zeros(1)",
                "0",
                "tc.Event()",
                "t.cuda.current_device()",
                "rank",
                "args.gpu",
                "nn.GRU(2, 2)",
                "torch.backends.cudnn.benchmark",
                "'nccl'",
                "'cpu:gloo,cuda:nccl'",
                "None",
                "F.silu(x) * y",
                "x.masked_fill(m, -1e9)",
                "torch.float64",
                "getattr(x, 'cuda')",
            ]
        ),
        DEVICES.map(lambda name: f"'{name}'"),
        DEVICES.map(lambda name: f'torch.device("{name}")'),
        st.tuples(DEVICES, PLAIN).map(lambda p: f"f'é{p[0]}:{{{p[1]}}}'"),
        EXPRESSIONS.map(lambda e: f"({e}).cuda()"),
        EXPRESSIONS.map(lambda e: f"({e}).to('cuda', non_blocking=True)"),
        EXPRESSIONS.map(lambda e: f"({e}).is_cuda"),
        EXPRESSIONS.map(lambda e: f"[{e} for _ in range(2)]"),
        EXPRESSIONS.map(lambda e: f"(lambda d='cuda': {e})()"),
        st.tuples(EXPRESSIONS, EXPRESSIONS).map(lambda p: f"({p[0]} if {p[1]} else {p[0]})"),
        st.tuples(EXPRESSIONS, EXPRESSIONS).map(lambda p: f"({p[0]} == {p[1]})"),
        st.tuples(EXPRESSIONS, EXPRESSIONS).map(lambda p: f"{{'cuda': {p[0]}, 'd': {p[1]}}}"),
        EXPRESSIONS.map(lambda e: f"f({e}, device='cuda')"),
    )
)
STATEMENTS = st.deferred(
    lambda: st.one_of(
        EXPRESSIONS,
        st.tuples(NAMES, EXPRESSIONS).map(lambda p: f"{p[0]} = {p[1]}"),
        st.tuples(NAMES, EXPRESSIONS).map(lambda p: f"{p[0]} = ({p[1]})  # cuda 注释"),
        EXPRESSIONS.map(lambda e: f"{e}; {e}"),
        st.sampled_from(
            [
                "", "'''cuda\ntorch.cuda'''", "import torch.cuda", "from torch import cuda as c",
                "from torch.cuda.amp import autocast", "\x0c", "torch.cuda.empty_cache()",
                "with torch.random.fork_rng(): pass", "x = torch \\\n  .cuda", "del x",
                "torch.backends.cuda.matmul.allow_tf32 = True",
            ]
        ),
        st.tuples(EXPRESSIONS, BLOCKS).map(lambda p: f"if {p[0]}:\n{p[1]}"),
        st.tuples(NAMES, BLOCKS).map(lambda p: f"def {p[0]}(a, device='cuda'):\n{p[1]}"),
        BLOCKS.map(lambda b: f"class K(nn.Module):\n{b}"),
        st.tuples(BLOCKS, BLOCKS).map(
            lambda p: f"try:\n{p[0]}\nexcept ImportError:\n{p[1]}"
        ),
        st.tuples(EXPRESSIONS, BLOCKS).map(lambda p: f"for i in {p[0]}:\n{p[1]}"),
    )
)  # fmt: skip
BLOCKS = st.lists(STATEMENTS, min_size=0, max_size=3).map(
    lambda rows: "\n".join("    " + r.replace("\n", "\n    ") for r in [*rows, "pass"])
)
HEADS = st.sampled_from(
    [
        "import torch\nimport torch.nn as nn\n",
        "import torch, os\nimport torch as t\nfrom torch import nn\nfrom torch import cuda as tc\n",
        '"""Doc of cuda."""\nfrom __future__ import annotations\nimport torch\n',
        "try:\n    import torch\nexcept ImportError:\n    torch = None\n",
        "",
    ]
)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])
PROGRAMS = st.tuples(HEADS, st.lists(STATEMENTS, min_size=1, max_size=6), ENDS).map(
    lambda parts: (parts[0] + "\n".join(parts[1]) + "\n").replace("\n", parts[2])
)
CONTEXTS = st.sampled_from(
    [ScanContext(), ScanContext("2.13", "950DT"), ScanContext(strategy="shim")]
)


def outside(text: str, edits: list[TextEdit]) -> list[str]:
    """The parts of a text that edits leave alone."""
    parts, done = [], 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        parts.append(text[done : edit.start])
        done = edit.end
    return [*parts, text[done:]]


@CALM
@given(PROGRAMS, CONTEXTS)
def test_the_result_parses_and_is_final(text: str, context: ScanContext) -> None:
    findings = scan_text(text, PATH, context).findings
    new = migrated_text(text, findings)
    assert parses(new) == parses(text)
    assert scan_text(new, PATH, context).changes == 0


@CALM
@given(PROGRAMS, st.booleans())
def test_what_is_not_changed_keeps_its_bytes(text: str, bom: bool) -> None:
    data = encode(text, "utf-8", bom=bom)
    findings = scan_bytes(data, PATH).findings
    edits = edits_for(findings, findings)
    new = apply_edits(text, edits)
    rest = new
    for part in outside(text, edits):
        assert part in rest
        rest = rest[rest.index(part) + len(part) :]
    decoded = decode(data)
    assert encode(new, decoded.encoding, bom=decoded.bom).startswith(b"\xef\xbb\xbf") == bom


@CALM
@given(PROGRAMS, st.integers(0, 1000))
def test_the_order_of_accepting_does_not_matter(text: str, seed: int) -> None:
    findings = list(scan_text(text, PATH).findings)
    expected = migrated_text(text, findings)
    chooser = random.Random(seed)
    shuffled = findings[:]
    chooser.shuffle(shuffled)
    assert migrated_text(text, shuffled, findings) == expected
    some = [finding for finding in findings if chooser.random() < 0.5]
    assert parses(migrated_text(text, some, findings)) == parses(text)


@settings(CALM, max_examples=25)
@given(PROGRAMS)
def test_undo_restores_exactly(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.mktemp("project")
    path = folder / "a.py"
    data = encode(text, "utf-8", bom=False)
    path.write_bytes(data)
    findings = scan_bytes(data, path).findings
    project = Project(folder)
    try:
        undo = project.apply(edits_for(findings, findings), "Migration")
        assert path.read_bytes() == encode(migrated_text(text, findings), "utf-8", bom=False)
        undo.undo()
        assert path.read_bytes() == data
    finally:
        project.close()
