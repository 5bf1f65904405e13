"""Spellings of one thing after the other: each that counts, beside one that only looks like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugins.migration.core.edits import migrated_text
from plugins.migration.core.scan import scan_text

HEAD = "import os\nimport torch\nimport torch.distributed as dist\nfrom functools import partial\n"
NEW = HEAD.replace("import torch\n", "import torch\nimport torch_npu\n")


def migrated(code: str) -> str:
    text = HEAD + code
    return migrated_text(text, scan_text(text, Path("a.py")).findings)


def rules(code: str, head: str = HEAD) -> list[str]:
    return [f.rule for f in scan_text(head + code, Path("a.py")).findings]


REWRITTEN = {
    # devices that flow from where they are defined
    'KIND = "cuda"\nx = torch.ones(1, device=KIND)\n': (
        'KIND = "npu"\nx = torch.ones(1, device=KIND)\n'
    ),
    'a, b = "cuda", 3\nx.to(a)\n': 'a, b = "npu", 3\nx.to(a)\n',
    'kind = "cuda" if use else "cpu"\nx.to(kind)\n': 'kind = "npu" if use else "cpu"\nx.to(kind)\n',
    'x.to(kind := "cuda")\n': 'x.to(kind := "npu")\n',
    'cfg = dict(device="cuda", n=1)\n': 'cfg = dict(device="npu", n=1)\n',
    'cfg = {"model": {"device": "cuda"}}\n': 'cfg = {"model": {"device": "npu"}}\n',
    'def f(kind="cuda"):\n    return torch.ones(1, device=kind)\n': (
        'def f(kind="npu"):\n    return torch.ones(1, device=kind)\n'
    ),
    # partial, class attributes
    'move = partial(torch.Tensor.to, device="cuda")\n': (
        'move = partial(torch.Tensor.to, device="npu")\n'
    ),
    "sync = partial(torch.cuda.synchronize, 0)\n": "sync = partial(torch.npu.synchronize, 0)\n",
    'class C:\n    where = "cuda"\n    def f(self, x):\n        return x.to(self.where)\n': (
        'class C:\n    where = "npu"\n    def f(self, x):\n        return x.to(self.where)\n'
    ),
    "class C:\n    card = torch.cuda.current_device\n": (
        "class C:\n    card = torch.npu.current_device\n"
    ),
    # back ends
    'dist.init_process_group("cpu:gloo,cuda:nccl")\n': (
        'dist.init_process_group("cpu:gloo,npu:hccl")\n'
    ),
    'b = "nccl" if dist.is_nccl_available() else "gloo"\n': (
        'b = "hccl" if dist.is_hccl_available() else "gloo"\n'
    ),
    'same = dist.get_backend() == "nccl"\n': 'same = dist.get_backend() == "hccl"\n',
    # graphs, streams, random states, pinned memory
    "g = torch.cuda.CUDAGraph()\nwith torch.cuda.graph(g):\n    pass\n": (
        "g = torch.npu.NPUGraph()\nwith torch.npu.graph(g):\n    pass\n"
    ),
    "with torch.cuda.stream(torch.cuda.Stream()):\n    pass\n": (
        "with torch.npu.stream(torch.npu.Stream()):\n    pass\n"
    ),
    "s = torch.cuda.get_rng_state_all()\n": "s = torch.npu.get_rng_state_all()\n",
    "torch.cuda.manual_seed_all(1)\n": "torch.npu.manual_seed_all(1)\n",
    'd = torch.utils.data.DataLoader(s, num_workers=2, pin_memory_device="cuda")\n': (
        'd = torch.utils.data.DataLoader(s, num_workers=2, pin_memory_device="npu")\n'
    ),
    # places of checkpoints
    'torch.load("a", "cuda:0")\n': 'torch.load("a", "npu:0")\n',
    'torch.load("a", map_location=torch.device("cuda", 0))\n': (
        'torch.load("a", map_location=torch.device("npu", 0))\n'
    ),
    'torch.load("a", map_location=lambda s, l: s.cuda(0))\n': (
        'torch.load("a", map_location=lambda s, l: s.npu(0))\n'
    ),
    'torch.load("a", map_location={"cuda:0": f"cuda:{r}"})\n': (
        'torch.load("a", map_location={"cuda:0": f"npu:{r}"})\n'
    ),
    'torch.load("a", map_location={"cuda:0": "cuda:%d" % r})\n': (
        'torch.load("a", map_location={"cuda:0": "npu:%d" % r})\n'
    ),
}


@pytest.mark.parametrize("code", REWRITTEN)
def test_what_is_rewritten(code: str) -> None:
    assert migrated(code) == NEW + REWRITTEN[code]


STAYS = (
    "x = torch.zeros(1, device=kind)\n",
    'a, b = "cpu", 3\nx.to(a)\n',
    'cfg = dict(name="barracuda", n=1)\n',
    "move = partial(torch.Tensor.to, device=device)\n",
    "sync = partial(mine.cuda_like, 0)\n",
    'class C:\n    where = "left"\n    def f(self, x):\n        return x.to(self.where)\n',
    'dist.init_process_group("gloo")\n',
    'dist.init_process_group("cpu:gloo,npu:hccl")\n',
    'same = dist.get_backend() == "gloo"\n',
    "g = networkx.Graph()\nwith graph(g):\n    pass\n",
    "with open(stream):\n    pass\n",
    "s = torch.get_rng_state()\n",
    "torch.manual_seed(1)\n",
    "d = torch.utils.data.DataLoader(s, num_workers=2, pin_memory=True)\n",
    'torch.load("a", "cpu")\n',
    'torch.load("a", map_location=lambda storage, place: storage)\n',
    'torch.load("a", **options)\n',
    "torch.load(*parts)\n",
    'np.load("a")\n',
    'providers = ["CPUExecutionProvider"]\n',
    'Trainer(accelerator="gpu")\n',
    'from mine import Trainer\nTrainer(accelerator="gpu")\n',
    "p = mine.profile(use_cuda=True)\n",
    "p = torch.autograd.profiler.profile(use_cuda=False)\n",
    'text = "nccl_like,other"\n',
    'text = "words, nccl and others"\n',
    "m = m.to(memory_format=torch.contiguous_format)\n",
    "m = mine.jit.script(m)\n",
)


@pytest.mark.parametrize("code", STAYS)
def test_what_only_looks_like_it_stays_untold(code: str) -> None:
    told = [rule for rule in rules(code) if rule != "torch-api-condition"]
    assert told == []


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ('s = torch.load("a")\n', "load-location"),
        ('s = torch.load("a", weights_only=True)\n', "load-location"),
        ('s = ort.InferenceSession(m, providers=["CUDAExecutionProvider"])\n', "onnx-provider"),
        ('ok = "TensorrtExecutionProvider" in names\n', "onnx-provider"),
        ("p = torch.autograd.profiler.profile(use_cuda=True)\n", "profiler-old"),
        ("p = torch.autograd.profiler.profile(use_cuda=args.cuda)\n", "profiler-old"),
        ('os.environ["UCC_TLS"] = "^sharp,nccl"\n', "nccl-among-others"),
        ('source = """\n#include <nccl.h>\nint x;\n"""\n', "device-text"),
        ('print(p.key_averages().table(sort_by="self_cuda_time_total"))\n', "profiler-key"),
        ("m = torch.nn.DataParallel(m)\n", "library-unsupported"),
        ("m = m.to(memory_format=torch.channels_last)\n", "torch-feature"),
        ("m = torch.jit.script(m)\n", "torch-feature"),
        ('m = torch.compile(m, options={"triton.cudagraphs": True})\n', "torch-feature"),
        ("o = dist.ProcessGroupNCCL.Options()\n", "nccl-class"),
        ("torch.backends.cudnn.benchmark = True\n", "cuda-backend-flag"),
    ],
)
def test_what_is_told(code: str, rule: str) -> None:
    assert rule in rules(code)


def test_a_load_without_a_place_is_told_once_in_a_file() -> None:
    assert rules('torch.load("a")\ntorch.load("b")\n') == ["load-location"]


@pytest.mark.parametrize(
    "call",
    [
        'Trainer(accelerator="gpu", devices=2)',
        'Trainer(accelerator="cuda")',
        "Trainer(gpus=4)",
        "Trainer(gpus=[0, 1])",
    ],
)
@pytest.mark.parametrize("package", ["lightning", "pytorch_lightning"])
def test_trainers_that_ask_for_gpus(package: str, call: str) -> None:
    code = f"from {package} import Trainer\nt = {call}\n"
    assert "trainer-accelerator" in rules(code)


@pytest.mark.parametrize("call", ['Trainer(accelerator="cpu")', "Trainer(gpus=0)", "Trainer()"])
def test_trainers_that_do_not(call: str) -> None:
    assert "trainer-accelerator" not in rules(f"from lightning import Trainer\nt = {call}\n")
