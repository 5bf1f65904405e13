"""Which script of a project the guide opens at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.migration.core.guide.guiding import guide_text
from tests.plugins.migration.test_migration_guide import SCRIPT

if TYPE_CHECKING:
    from pathlib import Path


def test_the_real_training_script_comes_first(tmp_path: Path) -> None:
    root = tmp_path / "project"
    beside = ["make/ascend_profile.py", "bench_step.py", "tests/train.py"]
    guides = [guide_text(SCRIPT, root / name) for name in [*beside, "model.py", "src/train.py"]]
    guides.append(guide_text("print(1)\n", root / "main.py"))
    found = [g.path.relative_to(root).as_posix() for g in sorted(guides, key=lambda g: g.order)]
    assert found == [
        "src/train.py", "model.py", "main.py", "tests/train.py", "bench_step.py",
        "make/ascend_profile.py",
    ]  # fmt: skip
