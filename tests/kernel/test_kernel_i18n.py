"""Texts come from plain .po files, merged to one catalogue; English needs none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from studio import i18n
from studio.kernel.catalogue import read_po

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PO = r"""
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=1; plural=0;\n"

# a comment
#: studio/x.py:1
msgid "Demo title of this test"
msgstr "标题"

msgid "Over "
"two lines\n"
"with \"quotes\" and \\"
msgstr "两行\n「引号」\\"

msgid "{n} demo lane"
msgid_plural "{n} demo lanes"
msgstr[0] "{n} 条泳道"

msgid "Broken {name} of this test"
msgstr "坏的 {nam}"

#, fuzzy
msgid "Fuzzy"
msgstr "模糊"

msgid "Not translated"
msgstr ""

msgctxt "menu"
msgid "In context"
msgstr "菜单"

#~ msgid "Obsolete"
#~ msgstr "旧"
msgid "No empty line before"
msgstr "没有空行"
"""


@pytest.fixture
def catalogue(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "zh_CN.po"
    path.write_text(PO, encoding="utf-8")
    before = i18n.language()
    i18n.add_catalogue(path)
    yield path
    i18n.set_language(before)


def test_a_po_file_is_read(catalogue: Path) -> None:
    assert read_po(catalogue) == {
        "Demo title of this test": ("标题",),
        'Over two lines\nwith "quotes" and \\': ("两行\n「引号」\\",),
        "{n} demo lane": ("{n} 条泳道",),
        "Broken {name} of this test": ("坏的 {nam}",),
        "No empty line before": ("没有空行",),
    }


def test_texts_are_translated(catalogue: Path) -> None:
    i18n.set_language("zh_CN")
    assert i18n.tr("Demo title of this test") == "标题"
    assert i18n.trn("{n} demo lane", "{n} demo lanes", 1) == "1 条泳道"
    assert i18n.trn("{n} demo lane", "{n} demo lanes", n=7) == "7 条泳道"
    assert i18n.tr("Nobody translated {what}", what="this") == "Nobody translated this"


def test_english_is_the_text_itself(catalogue: Path) -> None:
    i18n.set_language("en")
    assert i18n.tr("Demo title of this test") == "Demo title of this test"
    assert i18n.trn("{n} demo lane", "{n} demo lanes", 1) == "1 demo lane"
    assert i18n.trn("{n} demo lane", "{n} demo lanes", 0) == "0 demo lanes"


def test_a_translation_with_wrong_places_falls_back_to_english(catalogue: Path) -> None:
    i18n.set_language("zh_CN")
    assert i18n.tr("Broken {name} of this test", name="x") == "Broken x of this test"


def test_a_wrong_place_in_english_is_an_error_of_the_program() -> None:
    with pytest.raises(KeyError):
        i18n.tr("Missing {place}", other=1)


def test_places_may_have_any_name(catalogue: Path) -> None:
    assert i18n.tr("{text} and {singular}", text="a", singular="b") == "a and b"


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("LC_ALL", "zh_CN.UTF-8", "zh_CN"),
        ("LC_MESSAGES", "zh_TW.UTF-8", "zh_CN"),
        ("LANG", "de_DE.UTF-8", "en"),
        ("LANG", "C.UTF-8", "en"),
    ],
)
def test_the_language_of_the_system(
    monkeypatch: pytest.MonkeyPatch, catalogue: Path, variable: str, value: str, expected: str
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, value)
    i18n.set_language("")
    assert i18n.language() == expected
