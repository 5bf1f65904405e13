"""The import of torch_npu: once, at the right place, with the right line end."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugins.migration.core.edits import edits_for, migrated_text
from plugins.migration.core.scan import scan_text


def migrated(text: str) -> str:
    return migrated_text(text, scan_text(text, Path("train.py")).findings)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import torch\nx.cuda()", "import torch\nimport torch_npu\nx.npu()"),
        ("import torch\r\nx.cuda()\n", "import torch\r\nimport torch_npu\r\nx.npu()\n"),
        ("import torch\rx.cuda()\n", "import torch\rimport torch_npu\rx.npu()\n"),
        ("import torch # a\nx.cuda()\n", "import torch # a\nimport torch_npu\nx.npu()\n"),
        ("import torch; x.cuda()\n", "import torch; import torch_npu; x.npu()\n"),
        ("if a: import torch\nx.cuda()\n", "if a: import torch; import torch_npu\nx.npu()\n"),
        (
            "from torch import (\n  nn,\n)\nx.cuda()\n",
            "from torch import (\n  nn,\n)\nimport torch_npu\nx.npu()\n",
        ),
        ("x.cuda()\nimport torch", "x.npu()\nimport torch\nimport torch_npu"),
        (
            '"""Doc."""\nfrom __future__ import annotations\nimport os, torch\nx.cuda()\n',
            '"""Doc."""\nfrom __future__ import annotations\nimport os, torch\nimport torch_npu\n'
            "x.npu()\n",
        ),
        (
            "try:\n\timport torch\nexcept ImportError:\n\ttorch = None\nx.cuda()\n",
            "try:\n\timport torch\n\timport torch_npu\nexcept ImportError:\n\ttorch = None\n"
            "x.npu()\n",
        ),
        (
            "if TYPE_CHECKING:\n    import torch\nimport torch\nx.cuda()\n",
            "if TYPE_CHECKING:\n    import torch\nimport torch\nimport torch_npu\nx.npu()\n",
        ),
        (
            "def f(x):\n    import torch\n    return x.cuda()\n",
            "def f(x):\n    import torch\n    import torch_npu\n    return x.npu()\n",
        ),
        ("import torch_npu\nimport torch\nx.cuda()\n", "import torch_npu\nimport torch\nx.npu()\n"),
        (
            "try:\n    import torch_npu\nexcept ImportError:\n    pass\nimport torch\nx.cuda()\n",
            "try:\n    import torch_npu\nexcept ImportError:\n    pass\nimport torch\nx.npu()\n",
        ),
        ('device = "cuda"\n', 'device = "npu"\n'),
    ],
)
def test_where_the_import_goes(code: str, expected: str) -> None:
    assert migrated(code) == expected
    assert migrated(expected) == expected


def test_the_import_comes_with_the_first_accepted_change_and_never_alone() -> None:
    code = 'import torch\na = torch.device("cuda")\nb = torch.device("cuda:1")\n'
    findings = scan_text(code, Path("a.py")).findings
    insertion, first, second = findings
    assert insertion.rule == "import-torch-npu"
    assert migrated_text(code, [insertion], findings) == code
    one = migrated_text(code, [second], findings)
    assert (
        one
        == 'import torch\nimport torch_npu\na = torch.device("cuda")\nb = torch.device("npu:1")\n'
    )
    assert len(edits_for([first, second], findings)) == 3


def test_what_was_not_accepted_is_found_again() -> None:
    code = (
        'import torch\na = torch.device("cuda")\nb = x.cuda()\n'
        "if torch.cuda.is_available():\n    pass\n"
    )
    findings = scan_text(code, Path("a.py")).findings
    for chosen in findings[1:]:
        text = migrated_text(code, [chosen], findings)
        again = scan_text(text, Path("a.py"))
        assert {f.key for f in again.findings} == {
            f.key for f in findings if f.rule != "import-torch-npu" and f is not chosen
        }


def test_findings_keep_their_keys_when_lines_move() -> None:
    code = "import torch\nx = a.cuda()\ny = a.cuda()\n"
    moved = "# comment\n\n" + code
    keys = [f.key for f in scan_text(code, Path("a.py")).findings]
    assert keys == [f.key for f in scan_text(moved, Path("b.py")).findings]
    assert len(set(keys)) == len(keys)
