"""What importing costs once Qt is there."""

from __future__ import annotations

import importlib
import linecache
from typing import TYPE_CHECKING

import pytest

from studio.ui.main import make_application

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QApplication

pytestmark = pytest.mark.gui


def test_the_source_of_a_module_is_not_read_after_its_import(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert make_application() is qapp
    (tmp_path / "outer_of_two.py").write_text("import inner_of_two\n")
    (tmp_path / "inner_of_two.py").write_text("value = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert importlib.import_module("outer_of_two").inner_of_two.value == 1
    assert str(tmp_path / "inner_of_two.py") not in linecache.cache
