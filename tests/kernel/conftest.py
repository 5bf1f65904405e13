"""Plugins made up on the spot."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Protocol

import pytest

from studio.kernel.jobs import Jobs
from studio.kernel.plugins import Plugins
from tests.kernel.job_work import WORK

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class MakePlugin(Protocol):
    """Writes a plugin folder and returns it."""

    def __call__(
        self,
        name: str,
        manifest: str = "",
        *,
        head: str = "",
        folder: str = "plugins",
        **files: str,
    ) -> Path: ...


@pytest.fixture
def make_plugin(tmp_path: Path) -> MakePlugin:
    """Write `plugins/<name>/plugin.toml` with a valid head, and modules given as keywords."""

    def make(
        name: str, manifest: str = "", *, head: str = "", folder: str = "plugins", **files: str
    ) -> Path:
        place = tmp_path / folder / name
        place.mkdir(parents=True)
        (place / "__init__.py").write_text("")
        (place / "plugin.toml").write_text(
            f'title = "{name}"\ndescription = "Test"\nversion = "1"\napi = 1\n'
            f"{head}\n{textwrap.dedent(manifest)}",
            encoding="utf-8",
        )
        for module, text in files.items():
            (place / f"{module}.py").write_text(textwrap.dedent(text), encoding="utf-8")
        return place

    return make


@pytest.fixture
def jobs(make_plugin: MakePlugin, tmp_path: Path) -> Iterator[Jobs]:
    """Jobs that know the plugins `demo_w`, which works, and `demo_bad`, which does not import."""
    make_plugin("demo_w", core=WORK)
    make_plugin("demo_bad", core="import no_such_package_xyz")
    plugins = Plugins([tmp_path / "plugins"])
    plugins.discover()
    jobs = Jobs(load=plugins.load, plugin_folders=plugins.folders)
    yield jobs
    assert jobs.shutdown()
    plugins.close()
