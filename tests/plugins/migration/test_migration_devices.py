"""Devices and back ends as strings and numbers, judged by where they go."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugins.migration.core.edits import migrated_text
from plugins.migration.core.scan import scan_text

HEAD = "import torch\n"
NEW = "import torch\nimport torch_npu\n"


def findings(code: str) -> list[tuple[str, str]]:
    found = scan_text(HEAD + code, Path("train.py")).findings
    return [(f.rule, str(f.facts["status"])) for f in found if f.rule != "import-torch-npu"]


def migrated(code: str) -> str:
    text = HEAD + code
    return migrated_text(text, scan_text(text, Path("train.py")).findings)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('d = torch.device("cuda", i)\n', 'd = torch.device("npu", i)\n'),
        ('d = torch.device(type="cuda", index=0)\n', 'd = torch.device(type="npu", index=0)\n'),
        ("x.to(f'cuda:{rank}')\n", "x.to(f'npu:{rank}')\n"),
        ("x.to(rf\"cuda:{a['b']}\")\n", "x.to(rf\"npu:{a['b']}\")\n"),
        ('x.to("cuda:" + str(r))\n', 'x.to("npu:" + str(r))\n'),
        ('x.to("cuda:{}".format(r))\n', 'x.to("npu:{}".format(r))\n'),
        ('x.to("cuda:%d" % r)\n', 'x.to("npu:%d" % r)\n'),
        ("x.to(f\"{'cuda'}:{r}\")\n", "x.to(f\"{'npu'}:{r}\")\n"),
        ('where = "cuda"\nx.to(where)\n', 'where = "npu"\nx.to(where)\n'),
        ('def f(where="cuda"):\n    x.to(where)\n', 'def f(where="npu"):\n    x.to(where)\n'),
        (
            'for w in ["cuda:0", "cuda:1"]:\n    x.to(w)\n',
            'for w in ["npu:0", "npu:1"]:\n    x.to(w)\n',
        ),
        ('ok = x.device.type == "cuda"\n', 'ok = x.device.type == "npu"\n'),
        ('ok = "cuda" in str(device)\n', 'ok = "npu" in str(device)\n'),
        ('ok = str(x.device).startswith("cuda")\n', 'ok = str(x.device).startswith("npu")\n'),
        ('ok = device in ("cpu", "cuda")\n', 'ok = device in ("cpu", "npu")\n'),
        ('with torch.autocast("cuda"):\n    pass\n', 'with torch.autocast("npu"):\n    pass\n'),
        ('g = torch.Generator("cuda")\n', 'g = torch.Generator("npu")\n'),
        ('s = torch.amp.GradScaler("cuda")\n', 's = torch.amp.GradScaler("npu")\n'),
        (
            'ap.add_argument("--device", default="cuda")\n',
            'ap.add_argument("--device", default="npu")\n',
        ),
        ('d = os.environ.get("DEVICE", "cuda")\n', 'd = os.environ.get("DEVICE", "npu")\n'),
        ('d = getattr(args, "device", "cuda")\n', 'd = getattr(args, "device", "npu")\n'),
        ('cfg = {"device": "cuda", "n": 1}\n', 'cfg = {"device": "npu", "n": 1}\n'),
        (
            'torch.load("a", map_location={"cuda:1": "cuda:0"})\n',
            'torch.load("a", map_location={"cuda:1": "npu:0"})\n',
        ),
        ("class C:\n    device: str = 'cuda'\n", "class C:\n    device: str = 'npu'\n"),
        (
            'd = "cuda" if torch.cuda.is_available() else "cpu"\n',
            'd = "npu" if torch.npu.is_available() else "cpu"\n',
        ),
        ('t = x.type("torch.cuda.HalfTensor")\n', 't = x.type("torch.npu.HalfTensor")\n'),
    ],
)
def test_device_strings(code: str, expected: str) -> None:
    assert migrated(code) == NEW + expected


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ('mode = "cuda"\n', "device-string-unsure"),
        ('def f(x: Literal["cuda"]):\n    pass\n', "device-string-unsure"),
        ('speed = {"cuda": 2}\n', "device-key"),
        ('y = table["cuda"]\n', "device-key"),
        ('ok = "cuda" in batch\n', "device-key"),
        ('t = "see torch.cuda docs"\n', "device-text"),
        ('url = "https://example.org/whl/cuda:118"\n', "device-text"),
        ('if "CUDA out of memory" in str(e):\n    pass\n', "device-text"),
    ],
)
def test_strings_that_need_a_look(code: str, rule: str) -> None:
    assert [name for name, _ in findings(code)] == [rule]


def test_texts_for_people_are_not_even_told() -> None:
    assert findings('print("cuda:0 is used")\nlogger.info(f"cuda:{r}")\n"""cuda:0"""\n') == []


def test_a_string_in_several_parts_is_left_to_the_user() -> None:
    assert migrated('device = "cuda" ":0"\n') == HEAD + 'device = "cuda" ":0"\n'
    assert findings('device = "cuda" ":0"\n') == [("device-string", "review")]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x.to(0)\n", 'x.to("npu:0")\n'),
        ("x = torch.zeros(3, device=1)\n", 'x = torch.zeros(3, device="npu:1")\n'),
        ("d = torch.device(0)\n", 'd = torch.device("npu:0")\n'),
        ("s = torch.load('a', map_location=0)\n", "s = torch.load('a', map_location='npu:0')\n"),
        ("x.to(args.gpu)\n", 'x.to(f"npu:{args.gpu}")\n'),
        ("x.to(rank % 8)\n", 'x.to(f"npu:{rank % 8}")\n'),
        ("x.to(args['gpu'])\n", "x.to('npu:{}'.format(args['gpu']))\n"),
        ("print(f'{x.to(0)}')\n", "print(f'{x.to(\"npu:0\")}')\n"),
    ],
)
def test_integer_devices(code: str, expected: str) -> None:
    assert migrated(code) == NEW + expected


@pytest.mark.parametrize(
    "code",
    [
        "x.to(device)\n",
        "x.to(torch.float16)\n",
        "x.to(other.dtype)\n",
        "x.to(y)\n",
        "x.to(True)\n",
        "class Q:\n    def to(self, unit):\n        return unit\n\nQ().to(5)\n",
        "import audio\naudio.open(device=1)\n",
        "torch.zeros(1, device=torch.device('cpu'))\n",
        "n = torch.nn.parallel.DistributedDataParallel(n, device_ids=[rank], output_device=rank)\n",
        "def f(rank: torch.device):\n    x.to(rank)\n",
    ],
)
def test_arguments_that_are_no_integer_devices(code: str) -> None:
    assert migrated(code) == HEAD + code


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('dist.init_process_group("nccl")\n', 'dist.init_process_group("hccl")\n'),
        ('dist.init_process_group(b or "nccl")\n', 'dist.init_process_group(b or "hccl")\n'),
        (
            'b = "nccl" if dist.is_nccl_available() else "gloo"\n',
            'b = "hccl" if dist.is_hccl_available() else "gloo"\n',
        ),
        (
            'ok = dist.get_backend() in ["gloo", "nccl"]\n',
            'ok = dist.get_backend() in ["gloo", "hccl"]\n',
        ),
        (
            'g = dist.new_group(backend="cpu:gloo,cuda:nccl")\n',
            'g = dist.new_group(backend="cpu:gloo,npu:hccl")\n',
        ),
        ("b = dist.Backend.NCCL\n", "b = dist.Backend.HCCL\n"),
        ('print("nccl started")\nd = {"nccl": 1}\n', 'print("nccl started")\nd = {"nccl": 1}\n'),
    ],
)
def test_back_ends(code: str, expected: str) -> None:
    head = "import torch.distributed as dist\n"
    text = head + code
    new = migrated_text(text, scan_text(text, Path("a.py")).findings)
    assert new == head + ("" if code == expected else "import torch_npu\n") + expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('os.environ["CUDA_VISIBLE_DEVICES"]\n', 'os.environ["ASCEND_RT_VISIBLE_DEVICES"]\n'),
        ('os.getenv("CUDA_LAUNCH_BLOCKING")\n', 'os.getenv("ASCEND_LAUNCH_BLOCKING")\n'),
        ('"PYTORCH_CUDA_ALLOC_CONF" in os.environ\n', '"PYTORCH_NPU_ALLOC_CONF" in os.environ\n'),
        ('os.environ["NCCL_DEBUG"]\n', 'os.environ["NCCL_DEBUG"]\n'),
    ],
)
def test_environment_variables(code: str, expected: str) -> None:
    text = "import os\n" + code
    result = scan_text(text, Path("a.py"))
    assert migrated_text(text, result.findings) == "import os\n" + expected
    assert len(result.findings) == 1
