"""Settings are declared, checked, and kept in a file that stays the user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from studio.kernel import settings as settings_module
from studio.kernel.declarations import Setting
from studio.kernel.errors import StudioError
from studio.kernel.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

DECLARED = [
    Setting(key="demo.width", type="int", default=4, title="Width", min=1, max=16),
    Setting(key="demo.zoom", type="float", default=1.0, title="Zoom"),
    Setting(key="demo.mode", type="choice", default="a", choices=("a", "b"), title="Mode"),
    Setting(key="demo.view.wrap", type="bool", default=False, title="Wrap"),
    Setting(key="demo.names", type="list", default=[], title="Names"),
    Setting(key="demo.folder", type="path", default="", title="Folder"),
]


def open_settings(folder: Path, text: str | None = None) -> Settings:
    path = folder / "settings.toml"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    settings = Settings(path)
    settings.declare(DECLARED)
    return settings


def test_defaults_without_a_file(tmp_path: Path) -> None:
    settings = open_settings(tmp_path)
    assert settings.get("demo.width") == 4
    assert settings.get("demo.names") == ()
    assert settings.problems == []
    assert not settings.path.exists()


def test_a_value_is_saved_announced_and_read_again(tmp_path: Path) -> None:
    settings = open_settings(tmp_path)
    heard: list[str] = []
    settings.changed.connect(heard.append)
    settings.set("demo.width", 8)
    settings.set("demo.width", 8)
    settings.set("demo.view.wrap", True)
    settings.set("demo.names", ("x", "y"))
    settings.set("demo.zoom", 2)
    assert heard == ["demo.width", "demo.view.wrap", "demo.names", "demo.zoom"]
    again = open_settings(tmp_path)
    assert again.get("demo.width") == 8
    assert again.get("demo.view.wrap") is True
    assert again.get("demo.names") == ("x", "y")
    assert repr(again.get("demo.zoom")) == "2.0"


FILE = """# my settings
[demo]
width = 6   # wide
unknown = "kept"

[other]
thing = [1, 2]
"""


def test_comments_and_unknown_keys_are_kept(tmp_path: Path) -> None:
    settings = open_settings(tmp_path, FILE)
    settings.set("demo.width", 7)
    settings.reset("demo.mode")
    assert settings.path.read_text(encoding="utf-8") == FILE.replace("width = 6", "width = 7")
    settings.reset("demo.width")
    assert settings.get("demo.width") == 4
    text = settings.path.read_text(encoding="utf-8")
    assert "width" not in text
    assert 'unknown = "kept"' in text


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("demo.width", 0, "Width: must be at least 1, found 0"),
        ("demo.width", 17, "Width: must be at most 16, found 17"),
        ("demo.width", "8", "Width: expected a whole number, found a text ('8')"),
        ("demo.width", True, "Width: expected a whole number, found a truth value (True)"),
        ("demo.mode", "c", 'Mode: expected one of "a", "b", found a text (\'c\')'),
        ("demo.names", ["a", 1], "Names: expected a list of texts, found ['a', 1]"),
        ("demo.zoom", float("nan"), "Zoom: must be a number"),
        ("demo.nothing", 1, "There is no setting demo.nothing."),
    ],
)
def test_a_wrong_value_is_refused(tmp_path: Path, key: str, value: object, message: str) -> None:
    settings = open_settings(tmp_path)
    with pytest.raises(StudioError) as caught:
        settings.set(key, value)
    assert caught.value.message == message
    assert not settings.path.exists()


def test_a_wrong_value_in_the_file_is_named_and_left_alone(tmp_path: Path) -> None:
    text = '[demo]\nwidth = "wide"\nzoom = 3\n'
    settings = open_settings(tmp_path, text)
    assert settings.get("demo.width") == 4
    assert settings.get("demo.zoom") == 3.0
    assert settings.problems == [
        f"{settings.path}: demo.width: expected a whole number, found a text ('wide'); "
        "the default is used"
    ]
    settings.set("demo.zoom", 2.5)
    assert 'width = "wide"' in settings.path.read_text()


def test_a_broken_file_is_kept_aside(tmp_path: Path) -> None:
    settings = open_settings(tmp_path, "[demo\nwidth = 6")
    assert settings.get("demo.width") == 4
    aside = tmp_path / "settings.toml.broken"
    assert aside.read_text() == "[demo\nwidth = 6"
    (problem,) = settings.problems
    assert str(aside) in problem
    settings.set("demo.width", 5)
    assert open_settings(tmp_path).get("demo.width") == 5


def test_what_another_window_wrote_is_kept(tmp_path: Path) -> None:
    one, other = open_settings(tmp_path), open_settings(tmp_path)
    one.set("demo.width", 9)
    other.set("demo.mode", "b")
    assert open_settings(tmp_path).get("demo.width") == 9
    assert other.get("demo.width") == 9


def test_a_value_where_a_table_belongs_is_replaced(tmp_path: Path) -> None:
    settings = open_settings(tmp_path, "demo = 5\n")
    assert settings.get("demo.width") == 4
    settings.set("demo.width", 6)
    assert settings.get("demo.width") == 6


def test_a_file_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = open_settings(tmp_path)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(settings_module, "write_atomic", refuse)
    with pytest.raises(
        StudioError, match=r"cannot be saved in .*settings\.toml: Permission denied"
    ):
        settings.set("demo.width", 9)
    assert settings.get("demo.width") == 4
