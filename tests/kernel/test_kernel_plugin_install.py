"""Installing plugins from folders and zip files, the hostile ones among them."""

from __future__ import annotations

import shutil
import zipfile
from typing import TYPE_CHECKING

import pytest

from studio.kernel.errors import StudioError
from studio.kernel.manifest import ManifestError
from studio.kernel.plugin_install import install_plugin
from studio.paths import resource

if TYPE_CHECKING:
    from pathlib import Path

SKELETON = resource("skeleton")
HEAD = 'title = "Mine"\ndescription = "For tests."\nversion = "1"\napi = 1\n'


def packed(path: Path, members: dict[str, str], links: tuple[str, ...] = ()) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            entry = zipfile.ZipInfo(name)
            if name in links:
                entry.external_attr = 0o120777 << 16
            archive.writestr(entry, text)
    return path


def test_a_folder_is_copied_without_leftovers(tmp_path: Path) -> None:
    source = tmp_path / "mine"
    shutil.copytree(SKELETON, source)
    (source / "plugin.toml").write_text(HEAD)
    (source / "__pycache__").mkdir(exist_ok=True)
    (source / "__pycache__" / "x.pyc").write_bytes(b"")
    ran = tmp_path / "ran"
    (source / "__init__.py").write_text(f"open({str(ran)!r}, 'w')")
    folder = install_plugin(source, tmp_path / "plugins")
    assert folder == tmp_path / "plugins" / "mine"
    assert (folder / "plugin.toml").read_text() == HEAD
    assert not (folder / "__pycache__").exists()
    assert not ran.exists()


def test_a_zip_file_takes_the_place_of_an_older_version_which_is_kept(tmp_path: Path) -> None:
    into = tmp_path / "plugins"
    for text in ("1", "2"):
        members = {"mine/plugin.toml": HEAD, "mine/ui/__init__.py": text, "readme.txt": "no"}
        install_plugin(packed(tmp_path / "a.zip", members), into)
    assert (into / "mine" / "ui" / "__init__.py").read_text() == "2"
    assert not (into / "readme.txt").exists()
    (old,) = [entry for entry in into.iterdir() if entry.name.startswith(".old-mine-")]
    assert (old / "ui" / "__init__.py").read_text() == "1"


@pytest.mark.parametrize(
    ("members", "links", "message"),
    [
        ({"mine/plugin.toml": HEAD, "mine/../../evil.py": ""}, (), "outside"),
        ({"mine/plugin.toml": HEAD, "/etc/evil.py": ""}, (), "outside"),
        ({"mine/plugin.toml": HEAD, "mine/C:/evil.py": ""}, (), "outside"),
        ({"mine/plugin.toml": HEAD, "mine\\..\\..\\evil.py": ""}, (), "outside"),
        ({"mine/plugin.toml": HEAD, "mine/link": "/etc"}, ("mine/link",), "outside"),
        ({"plugin.toml": HEAD}, (), "no single folder"),
        ({"a/plugin.toml": HEAD, "b/plugin.toml": HEAD}, (), "no single folder"),
        ({"Not-a name/plugin.toml": HEAD}, (), "not a name"),
    ],
)
def test_zip_files_that_are_unfit_are_refused_whole(
    tmp_path: Path, members: dict[str, str], links: tuple[str, ...], message: str
) -> None:
    source = packed(tmp_path / "bad.zip", members, links)
    with pytest.raises(StudioError, match=message):
        install_plugin(source, tmp_path / "plugins")
    assert list((tmp_path / "plugins").iterdir()) == []
    assert not (tmp_path / "evil.py").exists()


def test_bombs_broken_archives_and_manifests_are_refused(tmp_path: Path) -> None:
    into = tmp_path / "plugins"
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mine/plugin.toml", HEAD)
        archive.writestr("mine/zeros", b"\0" * 101_000_000)
    with pytest.raises(StudioError, match="too large"):
        install_plugin(bomb, into)
    (tmp_path / "broken.zip").write_bytes(b"PK\3\4 no more")
    with pytest.raises(StudioError, match="no zip file"):
        install_plugin(tmp_path / "broken.zip", into)
    with pytest.raises(ManifestError):
        install_plugin(packed(tmp_path / "m.zip", {"mine/plugin.toml": "title = 1"}), into)
    with pytest.raises(StudioError, match=r"holds no plugin\.toml"):
        install_plugin(tmp_path, into)
    assert list(into.iterdir()) == []
