"""A manifest is read whole, and every fault in it is named with file and key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from studio.kernel.manifest import Manifest, ManifestError, read_manifest

if TYPE_CHECKING:
    from pathlib import Path

HEAD = 'title = "Demo"\ndescription = "A demo"\nversion = "1.0"\napi = 1\n'


def write(folder: Path, text: str, name: str = "demo") -> Path:
    path = folder / name / "plugin.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def faults(folder: Path, text: str, name: str = "demo") -> dict[str, str]:
    with pytest.raises(ManifestError) as caught:
        read_manifest(write(folder, text, name))
    assert all(line.startswith("plugin.toml: ") for line in caught.value.message.splitlines())
    return {fault.key: fault.message for fault in caught.value.faults}


def test_a_full_manifest_is_read(tmp_path: Path) -> None:
    manifest = read_manifest(
        write(
            tmp_path,
            HEAD
            + """
requires = ["other"]
activate = "core:activate"
[[commands]]
id = "demo.fit"
title = "Fit"
run = "ui.view:fit"
menu = "View/Zoom/50"
keys = ["F", "Ctrl+0"]
when = "project and view == 'demo.view'"
cli = "demo fit"
arguments = [
    { name = "file", type = "file" },
    { name = "--out-dir", type = "path", default = "" },
    { name = "--mode", type = "choice", choices = ["a", "b"], default = "a" },
]
[[panels]]
id = "demo.panel"
title = "Panel"
make = "ui:make"
area = "left"
[[openers]]
id = "demo.view"
title = "View"
make = "ui:view"
patterns = ["*.json"]
[[scanners]]
kind = "demo"
title = "Demos"
patterns = ["*.json"]
sniff = "core:is_demo"
[[reveals]]
kind = "slice"
run = "ui:reveal"
[[quick_open]]
prefix = "@"
title = "Symbols"
run = "core:symbols"
[[context_menus]]
command = "demo.fit"
where = "explorer"
[[status_items]]
id = "demo.status"
make = "ui:status"
[[settings]]
key = "demo.width"
type = "int"
default = 4
title = "Width"
min = 1
max = 16
[[tour]]
name = "demo"
title = "Demo"
file = "*.json"
arguments = { zoom = 2 }
""",
        )
    )
    assert (manifest.id, manifest.title, manifest.requires) == ("demo", "Demo", ("other",))
    command = manifest.commands[0]
    assert command.keys == ("F", "Ctrl+0")
    assert [a.keyword for a in command.arguments] == ["file", "out_dir", "mode"]
    assert [a.is_option for a in command.arguments] == [False, True, True]
    assert manifest.settings[0].max == 16
    assert manifest.tour[0].arguments == {"zoom": 2}
    assert dict(manifest.references()) == {
        "activate": "core:activate",
        "commands[1].run": "ui.view:fit",
        "panels[1].make": "ui:make",
        "openers[1].make": "ui:view",
        "scanners[1].sniff": "core:is_demo",
        "reveals[1].run": "ui:reveal",
        "quick_open[1].run": "core:symbols",
        "status_items[1].make": "ui:status",
    }


def test_a_manifest_cannot_be_changed(tmp_path: Path) -> None:
    manifest = read_manifest(write(tmp_path, HEAD))
    with pytest.raises(AttributeError):
        manifest.title = "other"  # type: ignore[misc]
    assert isinstance(manifest, Manifest)


def test_all_faults_are_named_at_once(tmp_path: Path) -> None:
    found = faults(
        tmp_path,
        """
title = 5
version = "1"
api = "1"
reqires = []
[[commands]]
id = "demo.a"
title = "A"
run = "no reference"
[[panels]]
id = "demo.p"
title = "P"
make = "ui:p"
area = "middle"
""",
    )
    assert found == {
        "title": "expected a text, found a whole number (5)",
        "description": "is missing",
        "api": "expected a whole number, found a text ('1')",
        "reqires": "unknown key; did you mean requires?",
        "commands[1].run": "expected \"module:function\", found a text ('no reference')",
        "panels[1].area": 'expected one of "left", "right", "bottom", found a text (\'middle\')',
    }


COMMAND = '[[commands]]\nid = "demo.a"\ntitle = "A"\nrun = "core:a"\n'
SETTING = '[[settings]]\nkey = "demo.a"\ntitle = "A"\n'


@pytest.mark.parametrize(
    ("text", "key", "part"),
    [
        ("title = ", "", "not valid TOML"),
        (HEAD.replace("api = 1", "api = 2"), "api", "made for api 2; this program offers 1 to 1"),
        (HEAD.replace("api = 1", "api = true"), "api", "expected a whole number"),
        (HEAD + 'id = "other"', "id", 'this one is "demo"'),
        (HEAD + "[commands]\nid = 'demo.a'", "commands", "expected [[commands]]"),
        (HEAD + COMMAND.replace("demo.a", "other.a"), "commands[1].id", 'start with "demo."'),
        (HEAD + COMMAND + COMMAND, "commands[2].id", "already used by commands[1]"),
        (HEAD + COMMAND + "menu = 'Views/1'", "commands[1].menu", "expected a place"),
        (HEAD + COMMAND + "keys = 'F'", "commands[1].keys", "expected a list of texts"),
        (HEAD + COMMAND + "keys = [1]", "commands[1].keys", "expected a list of texts"),
        (HEAD + COMMAND + "toolbar = 1", "commands[1].toolbar", "expected true or false"),
        (
            HEAD + COMMAND.replace("core:a", "ui.view:a") + "process = true",
            "commands[1].process",
            "not for a function of the window",
        ),
        (HEAD + COMMAND + "when = 'open()'", "commands[1].when", "'open()' is not allowed"),
        (HEAD + COMMAND + "when = 'projct'", "commands[1].when", "unknown name projct"),
        (HEAD + COMMAND + "when = 'a b'", "commands[1].when", "is not a condition"),
        (HEAD + COMMAND + "cli = 'Trace'", "commands[1].cli", "words after"),
        (
            HEAD + COMMAND + "arguments = [{name = 'x', typ = 'str'}]",
            "commands[1].arguments[1].typ",
            "did you mean type",
        ),
        (
            HEAD + COMMAND + "arguments = [{name = 'x', type = 'choice'}]",
            "commands[1].arguments[1].choices",
            "belongs to type",
        ),
        (
            HEAD + COMMAND + "arguments = [{name = 'x', type = 'int', default = 'a'}]",
            "commands[1].arguments[1].default",
            "expected a whole number",
        ),
        (
            HEAD + COMMAND + "arguments = [{name = 'x', default = 'a'}, {name = 'y'}]",
            "commands[1].arguments[2]",
            "required argument follows",
        ),
        (
            HEAD + COMMAND + "arguments = [{name = '--json', type = 'bool'}]",
            "commands[1].arguments[1].name",
            "belongs to every command",
        ),
        (HEAD + SETTING + "type = 'int'\ndefault = 'a'", "settings[1].default", "whole number"),
        (
            HEAD + SETTING + "type = 'int'\ndefault = 0\nmin = 1",
            "settings[1].default",
            "at least 1",
        ),
        (HEAD + SETTING + "type = 'colour'\ndefault = 0", "settings[1].type", "expected one of"),
        (
            HEAD + SETTING + "type = 'choice'\nchoices = ['a']\ndefault = 'b'",
            "settings[1].default",
            'expected one of "a"',
        ),
    ],
)
def test_each_fault_names_its_key(tmp_path: Path, text: str, key: str, part: str) -> None:
    found = faults(tmp_path, text)
    assert key in found
    assert part in found[key]


def test_the_folder_name_must_be_a_name(tmp_path: Path) -> None:
    assert "is not a lower-case name" in faults(tmp_path, HEAD, "my-plugin")[""]


def test_bytes_that_are_no_text_are_a_fault(tmp_path: Path) -> None:
    path = write(tmp_path, HEAD)
    path.write_bytes(b'title = "\xff"')
    with pytest.raises(ManifestError, match=r"plugin.toml: is not UTF-8 text"):
        read_manifest(path)


def test_a_byte_order_mark_is_accepted(tmp_path: Path) -> None:
    path = write(tmp_path, HEAD)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_manifest(path).title == "Demo"
