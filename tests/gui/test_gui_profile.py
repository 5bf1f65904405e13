"""A profile in the real window: its views open each other and leave nothing behind."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from studio.paths import resource
from studio.ui.idle import wait_idle
from studio.ui.main import dress

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui
VIEWS = ("overview.view", "operators.view", "steps.view", "memory.view")


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    path = tmp_path / "run" / "rank0_ascend_pt"
    shutil.copytree(resource("sample", "profiles", "rank0_ascend_pt"), path)
    return path


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_views_survive_every_theme_and_leave_nothing(
    open_window: Callable[..., MainWindow], profile: Path, language: str
) -> None:
    window = open_window(language=language)
    window.app.open_project(profile.parent)
    for opener in VIEWS:
        view: Any = window.open(profile, opener, {})
        assert wait_idle(window)
        assert view.pane is not None
        for theme in ("light", "contrast", "dark"):
            dress(window.app, theme)
            assert wait_idle(window)
            assert not view.grab().isNull()
        window.centre.close_page(window.centre.active())
    assert window.centre.pages() == []


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_every_page_of_a_view_survives_every_theme(
    open_window: Callable[..., MainWindow], profile: Path, language: str
) -> None:
    window = open_window(language=language)
    window.app.open_project(profile.parent)
    for opener, pages in (
        ("operators.view", ("roofline", "stacks", "host", "calls", "flows", "special")),
        ("memory.view", ("live", "blocks", "growth", "unused", "others")),
    ):
        view: Any = window.open(profile, opener, {})
        assert wait_idle(window)
        part = view.extra if opener == "operators.view" else view.details
        for page in pages:
            part.open(page)
            assert wait_idle(window)
        for theme in ("light", "contrast", "dark"):
            dress(window.app, theme)
            assert wait_idle(window)
            for page in pages:
                part.open(page)
                assert not view.grab().isNull()
        window.centre.close_page(window.centre.active())
    assert not window.notices.history
    assert window.centre.pages() == []


def test_closing_while_it_is_read_is_no_error(
    open_window: Callable[..., MainWindow], profile: Path
) -> None:
    window = open_window()
    window.app.open_project(profile.parent)
    for opener in VIEWS:
        window.open(profile, opener, {})
        window.centre.close_page(window.centre.active())
    assert wait_idle(window)
    assert not window.notices.history


def test_cancelled_reading_offers_to_read_again(
    open_window: Callable[..., MainWindow], profile: Path
) -> None:
    window = open_window()
    window.app.open_project(profile.parent)
    view: Any = window.open(profile, "steps.view", {})
    view._pages._loading.stop.click()
    assert wait_idle(window)
    assert view.pane is None
    view._pages._again()
    assert wait_idle(window)
    assert view.pane is not None
