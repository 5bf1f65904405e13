"""What a well-known tool was seen to break or miss, one by one, with the right outcome."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from plugins.migration.core.apply import apply_command
from plugins.migration.core.edits import migrated_text
from plugins.migration.core.guide.guiding import guide_text
from plugins.migration.core.scan import scan_project, scan_text
from studio.kernel.errors import StudioError

T = "import torch\n"
N = "import torch\nimport torch_npu\n"
REWRITTEN = [
    # 1: bound methods and functions under another name
    (T + "f = x.cuda; y = f()\n", N + "f = x.npu; y = f()\n"),
    (T + "a = torch.cuda.is_available\nif a(): pass\n",
     N + "a = torch.npu.is_available\nif a(): pass\n"),
    # 2: what has an effect is evaluated once; plain numbers become plain texts
    (T + "d = ['cuda:0']\nx.to(d.pop())\n", N + "d = ['npu:0']\nx.to(d.pop())\n"),
    (T + 's = ""\nx.to(0)\n', N + 's = ""\nx.to("npu:0")\n'),
    # 4: every function of the module, under every name of it
    ("from torch import cuda as tc\ntc.manual_seed(1)\n",
     "import torch_npu\nfrom torch import npu as tc\ntc.manual_seed(1)\n"),
    # 5: the activities come from where the new one exists
    ("from torch.profiler import ProfilerActivity\na = [ProfilerActivity.CUDA]\n",
     "from torch_npu.profiler import ProfilerActivity\nimport torch_npu\n"
     "a = [ProfilerActivity.NPU]\n"),
    # 6: pairs of devices and back ends; the question that goes with the back end
    ("import torch.distributed as dist\ndist.init_process_group('cpu:gloo,cuda:nccl')\n"
     "b = 'nccl' if dist.is_nccl_available() else 'gloo'\n",
     "import torch.distributed as dist\nimport torch_npu\n"
     "dist.init_process_group('cpu:gloo,npu:hccl')\n"
     "b = 'hccl' if dist.is_hccl_available() else 'gloo'\n"),
]  # fmt: skip
KEPT = [
    # 3: methods and members that have nothing to do with torch
    T + "class Q:\n    def to(self, n): return n\nQ().to(5)\n",
    T + "class Cfg:\n    CUDA = True\n    is_cuda = False\nc = Cfg()\nprint(c.CUDA, c.is_cuda)\n",
    T + "class M(torch.nn.Module):\n    def cuda(self):\n        return super().cuda()\n",
    # 7: addresses, texts for people, keys
    T + "URL = 'https://host/whl/cuda:118'\n",
    T + "def f():\n    '''Use torch.cuda on cuda:0.'''\n",
    T + "p.add_argument('--d', help='cuda:0 by default')\nd = {'cuda': 1}\n",
    # 8: code for several back ends
    T + "if is_torch_npu_available():\n    d = 'npu'\n"
    "elif torch.cuda.is_available():\n    d = 'cuda'\n",
    # 9: the branch for the CPU
    T + "d = torch.device('cpu')\n",
]  # fmt: skip
TRAINING = """import torch
from torch.utils.data import DataLoader
options = {"batch_size": 4, "shuffle": True}
model = torch.nn.Linear(2, 2).cuda()
best = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(train_set, **options)
test_loader = DataLoader(test_set, batch_size=4)
for epoch in range(2):
    for x, y in loader:
        loss = (model(x.cuda()) - y.cuda()).abs().mean()
        best.zero_grad()
        loss.backward()
        best.step()
"""
LIBRARIES = (
    "apex", "flash_attn", "bitsandbytes", "xformers", "deepspeed", "triton", "cupy", "numba.cuda",
    "pynvml", "nvidia.dali", "transformer_engine",
)  # fmt: skip


def needed(code: str, name: str = "a.py") -> str:
    """The code with every change that the migration needs."""
    found = scan_text(code, Path(name)).findings
    return migrated_text(code, [f for f in found if f.category != "performance"], found)


@pytest.mark.parametrize(("before", "after"), REWRITTEN, ids=range(len(REWRITTEN)))
def test_what_is_rewritten(before: str, after: str) -> None:
    assert needed(before) == after


@pytest.mark.parametrize("code", KEPT, ids=range(len(KEPT)))
def test_what_is_kept(code: str) -> None:
    assert needed(code) == code


def test_from_one_card_to_several_breaks_nothing() -> None:
    """9: no keyword twice, and what is measured is measured on all of the data."""
    guide = guide_text(TRAINING, Path("train.py"))
    after = guide.text_after()
    ast.parse(after)
    assert "test_loader = DataLoader(test_set, batch_size=4)" in after
    for call in (n for n in ast.walk(ast.parse(after)) if isinstance(n, ast.Call)):
        if any(keyword.arg is None for keyword in call.keywords):
            assert not {"shuffle", "sampler"} & {keyword.arg for keyword in call.keywords}


def test_bytes_and_places_of_all_kinds(tmp_path: Path) -> None:
    """10, 11: the encoding stays what its line says; odd bytes and names stop nothing."""
    root = tmp_path / "项目"
    root.mkdir()
    text = "# coding: gbk\nimport torch\nx = torch.ones(1).cuda()  # 移到显卡\n"
    (root / "gbk.py").write_bytes(text.encode("gbk"))
    (root / "latin.py").write_bytes(b"import torch\ns = '\xe9'\nx.cuda()\n")
    (root / "old.py").write_bytes(b"import torch\nprint 'cuda'\n")
    (root / "k.cu").write_bytes(b"// \xb0\xff\n__global__ void k() {}\n")
    found = {one.path.name: [f.rule for f in one.findings] for one in scan_project(root).results}
    assert found["latin.py"] == found["old.py"] == ["unreadable"]
    assert found["k.cu"]
    apply_command(root, out=tmp_path / "out")
    made = (tmp_path / "out" / "gbk.py").read_bytes().decode("gbk")
    assert ".npu()  # 移到显卡" in made
    assert (tmp_path / "out" / "latin.py").read_bytes() == (root / "latin.py").read_bytes()


@pytest.mark.parametrize("name", LIBRARIES)
def test_every_library_for_cuda_is_told(name: str) -> None:
    """12: by the import alone, without the source of the library."""
    rules = [f.rule for f in scan_text(f"import {name}\n", Path("a.py")).findings]
    assert [rule for rule in rules if rule.startswith("library-")]


def test_a_name_that_some_extension_registers_is_nothing_special(tmp_path: Path) -> None:
    """13: `forward` of a model is no operator, though an extension registers one of that name."""
    (tmp_path / "k.cpp").write_text(
        "#include <torch/extension.h>\n"
        'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward); }\n'
    )
    (tmp_path / "a.py").write_text("import torch\ny = model.forward(x)\n")
    found = {one.path.name: one.findings for one in scan_project(tmp_path).results}
    assert found["a.py"] == ()


def test_a_copy_that_cannot_be_made_leaves_nothing_behind(tmp_path: Path) -> None:
    """14: either the whole copy or none."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.py").write_text("import torch\nx.cuda()\n")
    (tmp_path / "taken").write_text("a file of the user's")
    with pytest.raises(StudioError):
        apply_command(root, out=tmp_path / "taken")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["project", "taken"]
    assert (tmp_path / "taken").read_text() == "a file of the user's"
