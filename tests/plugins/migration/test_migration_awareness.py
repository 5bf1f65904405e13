"""Code that chooses between NPUs and GPUs itself is left alone, and only that code."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugins.migration.core.edits import migrated_text
from plugins.migration.core.scan import scan_text

HEAD = "import torch\nimport torch_npu\n"


def migrated(code: str) -> str:
    return migrated_text(code, scan_text(code, Path("a.py")).findings)


@pytest.mark.parametrize(
    "code",
    [
        'if torch.npu.is_available():\n    d = "npu"\n'
        'elif torch.cuda.is_available():\n    d = "cuda"\n',
        'if torch.cuda.is_available():\n    d = "cuda:0"\n'
        'elif torch.npu.is_available():\n    d = "npu:0"\n',
        'def f():\n    if torch.npu.is_available():\n        return "npu"\n'
        '    return torch.device("cuda")\n',
        'd = "npu" if HAS_NPU else "cuda"\n',
        'd = torch.device("cuda" if not use_npu else "npu")\n',
        'ok = x.device.type in ("cuda", "npu")\n',
        'ok = d.type == "cuda" or d.type == "npu"\n',
        'api = {"cuda": torch.cuda, "npu": torch.npu}\n',
        "if not torch.npu.is_available():\n    torch.cuda.init()\n",
    ],
)
def test_choices_stay(code: str) -> None:
    assert migrated(HEAD + code) == HEAD + code


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (
            "if torch.npu.is_available():\n    x.cuda()\n",
            "if torch.npu.is_available():\n    x.npu()\n",
        ),
        (
            "if not torch.npu.is_available():\n    raise E\nx.cuda()\n",
            "if not torch.npu.is_available():\n    raise E\nx.npu()\n",
        ),
        ("input_size = 1\nx.cuda()\n", "input_size = 1\nx.npu()\n"),
        ("if x.is_npu:\n    pass\ny.cuda()\n", "if x.is_npu:\n    pass\ny.npu()\n"),
    ],
)
def test_the_rest_of_the_file_does_not(code: str, expected: str) -> None:
    assert migrated(HEAD + code) == HEAD + expected


def test_a_file_that_asks_a_library_for_npus_is_left_alone_as_a_whole() -> None:
    code = (
        "import torch\nfrom accelerate.utils import is_npu_available\n"
        "if is_npu_available():\n    pass\nx.cuda()\ntorch.cuda.init()\n"
    )
    result = scan_text(code, Path("a.py"))
    assert migrated(code) == code
    assert result.status == "aware"
    told = [f for f in result.findings if f.rule == "npu-aware"]
    assert [f.facts["count"] for f in told] == [2]


def test_libraries_are_told_even_there() -> None:
    code = (
        "import flash_attn\nfrom transformers.utils import is_torch_npu_available as ok\n"
        'd = "npu" if ok() else "cuda"\n'
    )
    rules = [f.rule for f in scan_text(code, Path("a.py")).findings]
    assert "library-manual" in rules
