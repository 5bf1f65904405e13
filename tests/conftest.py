"""Fixtures shared by all tests."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from studio.i18n import set_language
from studio.kernel.garbage import Collector

REPOSITORY = Path(__file__).resolve().parent.parent

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Traces are read without kernels except by the tests that are about them; these keep the machine
# code, which takes half a minute to make.
os.environ.setdefault("STUDIO_TRACE_ENGINE", "portable")
os.environ.setdefault("STUDIO_KERNELS", str(REPOSITORY / "build" / "kernels"))

# How long an example takes says more of the machine than of the program.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

# Widgets that tests leave behind are destroyed between tests, never in the middle of one.
COLLECTOR = Collector()
TESTS_PER_COLLECTION = 40
_count = 0


def pytest_runtest_logfinish() -> None:
    """Remove garbage after a test."""
    global _count
    _count += 1
    if _count % TESTS_PER_COLLECTION:
        COLLECTOR.collect(calm=False)
    else:
        gc.collect()


@pytest.fixture(autouse=True)
def studio_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give every test user folders of its own, so that none touches the user's, and English."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("STUDIO_HOME", str(home))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    set_language("en")
    return home


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
