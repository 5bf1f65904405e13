"""Fixtures shared by all tests."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from studio.i18n import set_language

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

REPOSITORY = Path(__file__).resolve().parent.parent

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Traces are read without kernels except by the tests that are about them; these keep the machine
# code, which takes half a minute to make.
os.environ.setdefault("STUDIO_TRACE_ENGINE", "portable")
os.environ.setdefault("STUDIO_KERNELS", str(REPOSITORY / "build" / "kernels"))


@pytest.fixture(autouse=True)
def studio_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give every test user folders of its own, so that none touches the user's, and English."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("STUDIO_HOME", str(home))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    set_language("en")
    return home


def plugin_modules() -> dict[str, ModuleType]:
    """The modules of the program's own plugins that are imported."""
    return {
        name: module
        for name, module in sys.modules.items()
        if name.startswith("plugins.") and (REPOSITORY / "plugins" / name.split(".")[1]).is_dir()
    }


@pytest.fixture(autouse=True)
def plugin_modules_kept() -> Iterator[None]:
    """Bring back modules of plugins that a test dropped by switching a plugin off.

    Other test files hold classes of the dropped ones, which equal none of those imported anew.
    """
    before = plugin_modules()
    yield
    after = plugin_modules()
    dropped = {n.split(".")[1] for n, m in before.items() if after.get(n) is not m}
    if not dropped:
        return
    for name in after:
        if name.split(".")[1] in dropped:
            del sys.modules[name]
    kept = {name: m for name, m in before.items() if name.split(".")[1] in dropped}
    sys.modules.update(kept)
    for name, module in kept.items():
        parent, _, child = name.rpartition(".")
        setattr(sys.modules[parent], child, module)


@pytest.fixture
def shared() -> Path:
    """The folder of reference data beside the checkout; tests that need it skip without it."""
    folder = REPOSITORY.parent / "shared"
    if not folder.is_dir():
        pytest.skip("the reference data beside the checkout is absent")
    return folder


@pytest.fixture
def cases() -> Path:
    """The small case inputs that come with the repository."""
    return REPOSITORY / "tests" / "cases"
