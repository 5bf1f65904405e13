"""The program without a window, for the views of training logs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from studio.app import App
from studio.i18n import set_language

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def app() -> Iterator[App]:
    """The program without a window."""
    app = App.start(safe=True, language="en")
    yield app
    app.close()
    set_language("en")
