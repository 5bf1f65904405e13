"""The strategy that lets transfer_to_npu replace names at run time."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugins.migration.core.edits import migrated_text
from plugins.migration.core.model import ScanContext
from plugins.migration.core.scan import scan_text
from plugins.migration.core.tables import libraries

SHIM = ScanContext(strategy="shim")
MAIN = 'if __name__ == "__main__":\n    run()\n'
IMPORTS = "import torch_npu\nfrom torch_npu.contrib import transfer_to_npu\n"


def migrated(code: str, name: str = "a.py") -> str:
    return migrated_text(code, scan_text(code, Path(name), SHIM).findings)


def rules(code: str, name: str = "a.py") -> list[str]:
    return [finding.rule for finding in scan_text(code, Path(name), SHIM).findings]


@pytest.mark.parametrize(
    "use",
    [
        "x = torch.zeros(1).cuda()",
        "d = torch.device('cuda:0')",
        "torch.cuda.synchronize()",
        "print(x.is_cuda)",
        "x.to(0)",
        "torch.distributed.init_process_group('nccl')",
        "ok = torch.distributed.is_nccl_available()",
    ],
)
def test_an_entry_script_gets_the_import_and_no_other_change(use: str) -> None:
    code = f"import torch\n{use}\n{MAIN}"
    assert migrated(code) == f"import torch\n{IMPORTS}{use}\n{MAIN}"
    assert scan_text(migrated(code), Path("a.py"), SHIM).changes == 0


def test_a_module_is_left_alone() -> None:
    code = "import torch\nx = torch.zeros(1).cuda()\n"
    assert migrated(code) == code
    assert rules(code) == ["shim-covered"]


@pytest.mark.parametrize(
    ("code", "new"),
    [
        ("import torch; x = torch.cuda.Stream()\n", f"; {IMPORTS.strip()}".replace("\n", "; ")),
        (
            "import torch\nimport torch_npu\ntorch.cuda.init()\n",
            f"{IMPORTS.splitlines()[1]}\nimport torch_npu\n",
        ),
        ("import torch\r\ntorch.cuda.init()\r\n", IMPORTS.replace("\n", "\r\n")),
        ("def f():\n    import torch\n    torch.cuda.init()\n", "    import torch_npu\n    from "),
    ],
)
def test_where_the_import_goes(code: str, new: str) -> None:
    written = migrated(code + MAIN)
    assert new in written
    assert "import torch_npu" in written
    compile(written, "a.py", "exec")
    assert scan_text(written, Path("a.py"), SHIM).changes == 0


@pytest.mark.parametrize(
    ("use", "new"),
    [
        ("ok = x.device.type == 'cuda'", "ok = x.device.type == 'npu'"),
        ("ok = backend == 'nccl'", "ok = backend == 'hccl'"),
        ("ok = x.device.type in ('cuda', 'cpu')", "ok = x.device.type in ('npu', 'cpu')"),
        ("h = torch.cuda.current_stream().cuda_stream", ".npu_stream"),
    ],
)
def test_what_no_replacement_at_run_time_reaches_is_rewritten(use: str, new: str) -> None:
    assert new in migrated(f"import torch\nx = torch.zeros(1).cuda()\n{use}\n{MAIN}")


@pytest.mark.parametrize(
    ("use", "rule"),
    [
        ("f = torch.jit.script(g)", "torch-feature"),
        ("x = x.to(memory_format=torch.channels_last)", "torch-feature"),
        ("m = torch.nn.DataParallel(m)", "library-unsupported"),
        ("c = torch.cuda.get_device_capability()", "cuda-name-limited"),
        ("torch.cuda.memory_usage()", "cuda-name-missing"),
        ("import amp_C", "library-manual"),
    ],
)
def test_what_the_shim_does_not_cover_is_told(use: str, rule: str) -> None:
    code = f"import torch\nx = torch.zeros(1).cuda()\n{use}\n{MAIN}"
    assert rule in rules(code)
    assert migrated(code).endswith(f"{use}\n{MAIN}")


def test_a_configuration_keeps_its_devices() -> None:
    code = "device: cuda:0\nbackend: nccl\n"
    assert migrated(code, "a.yaml") == code
    assert migrated("export CUDA_VISIBLE_DEVICES=0\n", "a.sh") != "export CUDA_VISIBLE_DEVICES=0\n"


def test_the_table_knows_that_scripting_is_switched_off() -> None:
    assert "transfer_to_npu" in libraries()["torch.jit.script"].advice
