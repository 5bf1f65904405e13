"""Names of torch that modules of a project hand on to others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from plugins.migration.core.apply import apply_command
from plugins.migration.core.exports import meaning
from plugins.migration.core.scan import scan_command

if TYPE_CHECKING:
    from pathlib import Path

COMPAT = (
    "import torch\nfrom torch import cuda\nimport torch.cuda as tc\nGraph = torch.cuda.CUDAGraph\n"
)


def migrated(tmp_path: Path, code: str, name: str = "pkg/main.py", compat: str = COMPAT) -> str:
    (tmp_path / "pkg" / "sub").mkdir(parents=True)
    (tmp_path / "pkg" / "compat.py").write_text(compat, encoding="utf-8")
    (tmp_path / name).write_text(code, encoding="utf-8")
    apply_command(tmp_path, in_place=True)
    assert scan_command(tmp_path).summary()["changes"] == 0
    return (tmp_path / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "line",
    [
        "from compat import cuda",
        "from pkg.compat import cuda",
        "from .compat import cuda",
        "from ..pkg.compat import tc as cuda",
        "from compat import tc as cuda",
    ],
)
def test_a_name_handed_on_is_followed(tmp_path: Path, line: str) -> None:
    code = f"{line}\ng = cuda.CUDAGraph()\ncuda.synchronize()\n"
    assert migrated(tmp_path, code) == f"{line}\ng = cuda.NPUGraph()\ncuda.synchronize()\n"


def test_what_has_no_counterpart_is_told_through_a_name_handed_on(tmp_path: Path) -> None:
    (tmp_path / "compat.py").write_text(COMPAT, encoding="utf-8")
    code = "from compat import cuda\ncuda.memory_usage()\n"
    (tmp_path / "main.py").write_text(code, encoding="utf-8")
    rows = [(row["file"], row["rule"]) for row in scan_command(tmp_path).rows()]
    assert ("main.py", "cuda-name-missing") in rows


@pytest.mark.parametrize(
    ("line", "compat"),
    [
        ("from other import cuda", COMPAT),
        ("import compat as cuda", COMPAT),
        ("from compat import cuda", "import fish as cuda\n"),
        ("from compat import cuda", "from torch import cuda\nif x:\n    import fish as cuda\n"),
        ("from compat import cuda", "from torch import (\n"),
        ("cuda = 3", COMPAT),
    ],
)
def test_other_names_are_left_alone(tmp_path: Path, line: str, compat: str) -> None:
    code = f"{line}\ng = cuda.CUDAGraph()\n"
    assert migrated(tmp_path, code, compat=compat) == code


def test_two_modules_of_one_name_are_not_certain() -> None:
    exports = (("a.compat.cuda", "torch.cuda"), ("b.compat.cuda", "torch.cuda.amp"))
    assert meaning("compat.cuda", exports) == ""
    assert meaning("a.compat.cuda", exports) == "torch.cuda"
    assert meaning("..b.compat.cuda", exports) == "torch.cuda.amp"
    assert meaning("cuda", exports) == ""


def test_a_project_is_told_nothing_of_the_libraries_it_is_or_holds(tmp_path: Path) -> None:
    for name in (
        "src/accelerate/__init__.py",
        "src/accelerate/utils/__init__.py",
        "megatron/core/__init__.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(
            "import megatron.core\nfrom accelerate.state import State\n", encoding="utf-8"
        )
    (tmp_path / "run.py").write_text("import accelerate\nimport flash_attn\n", encoding="utf-8")
    found = [(row["file"], row["rule"]) for row in scan_command(tmp_path).rows()]
    assert found == [("run.py", "library-manual")]


def test_a_single_file_that_hands_on_a_name_is_scanned(tmp_path: Path) -> None:
    script = tmp_path / "a.py"
    script.write_text("import torch\nfrom torch import cuda\ncuda.init()\n", encoding="utf-8")
    apply_command(script, in_place=True)
    assert "from torch import npu as cuda" in script.read_text(encoding="utf-8")
