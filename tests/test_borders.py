"""Who may import whom, as the contracts in pyproject.toml say."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    code = "import sys; from importlinter.cli import lint_imports_command as run; run()"
    return subprocess.run(
        [sys.executable, "-c", code, "--no-cache"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_borders_hold() -> None:
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "0 broken" in result.stdout


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("studio/kernel/events.py", "import studio.model.items", "Layers"),
        ("studio/model/items.py", "from PySide6 import QtCore", "Headless code is Qt-free"),
        ("studio/app.py", "import plugins.demo_one", "The host names no plugin"),
        ("plugins/demo_one/core.py", "import studio.ui.theme", "Cores know no window"),
        ("plugins/demo_one/core.py", "import plugins.demo_two.core", "Plugins never import"),
        ("studio/ui/__init__.py", "import studio.trace", "The window knows no data library"),
        ("studio/ui/__init__.py", "import studio.perf", "The window knows no data library"),
        ("studio/trace/__init__.py", "import studio.perf", "Data libraries"),
    ],
)
def test_a_crossing_is_found(tmp_path: Path, module: str, line: str, contract: str) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for package in ("studio", "plugins"):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, tmp_path / package, ignore=ignore)
    for name in ("demo_one", "demo_two"):
        (tmp_path / "plugins" / name).mkdir()
        for file in ("__init__.py", "core.py"):
            (tmp_path / "plugins" / name / file).write_text("")
    with (tmp_path / module).open("a") as stream:
        stream.write(f"\n{line}\n")
    result = lint(tmp_path)
    assert result.returncode == 1
    assert contract in result.stdout.partition("Broken contracts")[2]
