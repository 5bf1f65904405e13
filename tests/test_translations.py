"""Every text that a user sees has a Chinese translation with the same places."""

from __future__ import annotations

import ast
import string
from pathlib import Path

import pytest

from studio.kernel.catalogue import read_po
from studio.kernel.declarations import SECTIONS
from studio.kernel.manifest import read_manifest
from studio.kernel.references import HOST

ROOT = Path(__file__).resolve().parent.parent
PLUGINS = sorted(path.parent for path in ROOT.glob("plugins/*/plugin.toml"))
HOST_PO = ROOT / "resources" / "locale" / "zh_CN.po"


def texts_of_code(folder: Path) -> set[str]:
    found: set[str] = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id in ("tr", "trn", "matching"):
                first = node.args[node.func.id == "matching"]
                if isinstance(first, ast.Constant):
                    found.add(str(first.value))
    return found


def texts_of_manifest(path: Path, plugin: str = "") -> set[str]:
    manifest = read_manifest(path, plugin=plugin)
    found = {manifest.title, manifest.description}
    for section in SECTIONS:
        for declared in getattr(manifest, section):
            arguments = getattr(declared, "arguments", ())
            for part in (declared, *(arguments if isinstance(arguments, tuple) else ())):
                found |= {getattr(part, "title", ""), getattr(part, "help", "")}
    # Choices are shown by their words; the host's have titles of their own, units need none.
    choices = {choice for setting in manifest.settings for choice in setting.choices}
    if plugin != HOST:
        found |= {choice for choice in choices if choice.islower()}
    return found - {"", "Ascent Studio"}


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def untranslated(texts: set[str], catalogue: dict[str, tuple[str, ...]]) -> list[str]:
    return sorted(text for text in texts if text not in catalogue)


def test_the_host_is_translated() -> None:
    texts = texts_of_code(ROOT / "studio") | texts_of_manifest(
        ROOT / "resources" / "host.toml", HOST
    )
    catalogue = read_po(HOST_PO)
    for plugin in PLUGINS:  # texts of a data library may stand with the plugin that shows them
        catalogue |= read_po(plugin / "locale" / "zh_CN.po")
    assert untranslated(texts, catalogue) == []


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda folder: folder.name)
def test_a_plugin_is_translated(plugin: Path) -> None:
    catalogue = read_po(HOST_PO) | read_po(plugin / "locale" / "zh_CN.po")
    texts = texts_of_code(plugin) | texts_of_manifest(plugin / "plugin.toml")
    assert untranslated(texts, catalogue) == []


@pytest.mark.parametrize(
    "catalogue", [HOST_PO, *ROOT.glob("plugins/*/locale/*.po")], ids=lambda p: p.parts[-3]
)
def test_translations_have_the_places_of_their_texts(catalogue: Path) -> None:
    for text, forms in read_po(catalogue).items():
        for form in forms:
            assert places(form) <= places(text) | {"n"}, text
