"""What is installed: pins that fit pyproject.toml, and a wheel that works by itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ROOT / "installer" / "lock"


def pins(name: str) -> dict[str, Version]:
    """The packages of a lock file with their versions."""
    found = {}
    for line in (LOCKS / f"{name}.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            requirement = Requirement(line)
            specifiers = list(requirement.specifier)
            assert [s.operator for s in specifiers] == ["=="], line
            found[canonicalize_name(requirement.name)] = Version(specifiers[0].version)
    return found


def declared() -> dict[str, list[Requirement]]:
    """The requirements of pyproject.toml by lock file."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    sets = {
        "base": project["project"]["dependencies"],
        "gui": extras["gui"],
        "fast": extras["fast"],
        "dev": extras["dev"],
        "build": project["build-system"]["requires"],
    }
    return {name: [Requirement(text) for text in texts] for name, texts in sets.items()}


@pytest.mark.parametrize("name", ["base", "gui", "fast", "dev", "build"])
def test_every_requirement_is_pinned_within_its_range(name: str) -> None:
    locked = pins(name)
    for requirement in declared()[name]:
        version = locked[canonicalize_name(requirement.name)]
        assert version in requirement.specifier, requirement


def test_lock_files_agree_and_need_no_qt_in_the_base() -> None:
    seen: dict[str, Version] = {}
    for name in ("base", "gui", "fast", "build", "dev"):
        for package, version in pins(name).items():
            assert seen.setdefault(package, version) == version, package
    assert not [package for package in pins("base") if re.search("qt|pyside|shiboken", package)]


def test_the_pins_are_what_the_tests_run_with() -> None:
    from importlib.metadata import PackageNotFoundError, version

    for name in ("base", "gui", "dev"):
        for package, pinned in pins(name).items():
            try:
                assert Version(version(package)) == pinned, package
            except PackageNotFoundError:
                pytest.fail(f"{package} of {name}.txt is not installed")


def test_the_pins_hold_all_that_the_packages_need() -> None:
    from importlib.metadata import requires

    locked = {name: set(pins(name)) for name in ("base", "gui", "dev", "build")}
    reach = {
        "base": locked["base"],
        "gui": locked["base"] | locked["gui"],
        "build": locked["build"],
        "dev": set.union(*locked.values()),
    }
    for name, packages in locked.items():
        for package in packages:
            for text in requires(package) or []:
                needed = Requirement(text)
                environment = {"extra": ""}
                if needed.marker is None or needed.marker.evaluate(environment):
                    assert canonicalize_name(needed.name) in reach[name], f"{package}: {text}"


def test_the_notices_name_every_package_that_is_distributed() -> None:
    notices = canonicalize_name((ROOT / "THIRD-PARTY-NOTICES.md").read_text())
    for package in pins("base") | pins("gui"):
        assert package in notices


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout."""
    out = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", out],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return next(out.glob("ascent_studio-*.whl"))


@pytest.mark.slow
def test_the_wheel_holds_plugins_and_resources(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    plugins = {path.parent.name for path in ROOT.glob("plugins/*/plugin.toml")}
    assert plugins
    for plugin in plugins:
        assert f"studio/_app/plugins/{plugin}/plugin.toml" in names
    assert "studio/_app/plugins/__init__.py" in names
    assert "studio/_app/plugins/precision/core/compare.py" in names
    assert "studio/_app/plugins/precision/locale/zh_CN.po" in names
    for name in ("sample/train.py", "sample/dumps/baseline/000_tok_emb.npy", "themes/dark.toml"):
        assert f"studio/_app/resources/{name}" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests/")]
    assert any(name.endswith("/licenses/LICENSE") for name in names)
    assert wheel.stat().st_size < 8_000_000


@pytest.mark.slow
def test_the_wheel_runs_from_its_own_files(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    sample = tmp_path / "studio" / "_app" / "resources" / "sample" / "dumps"
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-P", "-m", "studio", "precision", "compare"]
    done = subprocess.run(
        [*command, sample / "baseline", sample / "candidate", "--json"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert '"first": "011_blocks.1.norm1"' in done.stdout
    where = "import studio.paths; print(studio.paths.app_root())"
    done = subprocess.run(
        [sys.executable, "-P", "-c", where],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(done.stdout.strip()) == tmp_path / "studio" / "_app"
