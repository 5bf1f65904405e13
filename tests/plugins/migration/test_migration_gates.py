"""The quick look at nodes leaves out only what no rule would have spoken of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from plugins.migration.core import gates, registry
from plugins.migration.core.scan import context_of, scan_text

if TYPE_CHECKING:
    from plugins.migration.core.model import FileResult, ScanContext

TESTS = Path(__file__).resolve().parents[2]
SNIPPETS = TESTS / "cases" / "hard-snippets" / "hard_snippets.json"
LOOKS = ("opens_for_attribute", "opens_for_call", "opens_for_constant")
APART = """import torch, os
from other import thing
from torch import distributed as dist
setup(install_requires=["apex"])
thing.cuda.run(thing.jit, os.environ["CUDA_VISIBLE_DEVICES"])
dist.ProcessGroupNCCL.Options.x
torch.profiler.ProfilerActivity.CUDA.name
torch.float64.itemsize
table["softmax"](q)
x.masked_fill(m, -1e9).half().double()
p.key_averages().table(sort_by="cuda_time_total")
getattr(x, "is_cuda")
move(model, device=3)
session("TensorrtExecutionProvider")
"""


def texts() -> list[str]:
    found = [rule.before for rule in registry.rules().values() if rule.before]
    for snippet in json.loads(SNIPPETS.read_text(encoding="utf-8")):
        found += [text for text in snippet["files"].values() if isinstance(text, str)]
    return [*found, APART]


def told(text: str, context: ScanContext) -> tuple[FileResult, dict[str, int]]:
    result = scan_text(text, Path("train.py"), context)
    return result, dict(result.apis)


@pytest.mark.parametrize("strategy", ["rewrite", "shim"])
def test_nothing_is_lost_by_looking_first(monkeypatch: pytest.MonkeyPatch, strategy: str) -> None:
    context = context_of(strategy=strategy)
    quick = [told(text, context) for text in texts()]
    for name in LOOKS[:2]:
        monkeypatch.setattr(gates.Gates, name, lambda *_: True)
    monkeypatch.setattr(gates.Gates, LOOKS[2], lambda _, node: type(node.value) is str)
    assert [told(text, context) for text in texts()] == quick
    assert len(quick) > 80


def test_what_says_nothing_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []
    look = gates.Gates.opens_for_call

    def noted(self: gates.Gates, node: object, scope: object) -> bool:
        opens = look(self, node, scope)  # type: ignore[arg-type]
        looked_at.append(f"{node.func.id}:{opens}")  # type: ignore[attr-defined]
        return opens

    monkeypatch.setattr(gates.Gates, "opens_for_call", noted)
    scan_text("import torch\nplain(torch.x)\nmove(torch.x, device=1)\n", Path("a.py"))
    assert looked_at == ["plain:False", "move:True"]
