"""No text is drawn as boxes, whatever fonts the system has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from studio.i18n import read_po
from studio.ui.about import versions

pytestmark = [
    pytest.mark.gui,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="fontconfig"),
]

ROOT = Path(__file__).resolve().parents[2]
DEJAVU = Path("/usr/share/fonts/truetype/dejavu")

PROGRAM = """
import json, sys
from PySide6.QtGui import QFontDatabase, QFontMetricsF, QRawFont
from studio.ui.fonts import load_missing_fonts, mono_font, ui_font
from studio.ui.main import make_application
application = make_application()
assert load_missing_fonts() == [], "nothing is missing any more"
fonts = {"ui": ui_font(), "mono": mono_font()}
wanted = set(json.load(sys.stdin))
lacking = {}
for name, font in fonts.items():
    raw = []
    for family in font.families():
        font.setFamilies([family])
        raw.append(QRawFont.fromFont(font))
    lacking[name] = sorted(c for c in wanted if not any(f.supportsCharacter(ord(c)) for f in raw))
widths = {QFontMetricsF(mono_font()).horizontalAdvance(c) for c in "iWm0.|"}
print(json.dumps([lacking, len(widths), QFontDatabase.families()]))
"""


def on_a_system_with(fonts: Path | None, tmp_path: Path, characters: str) -> list[object]:
    """What the program finds when the system has the fonts of one folder, or none at all."""
    folder = fonts or tmp_path / "none"
    folder.mkdir(exist_ok=True)
    settings = tmp_path / "fonts.conf"
    settings.write_text(
        '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">'
        f"<fontconfig><dir>{folder}</dir><cachedir>{tmp_path / 'cache'}</cachedir></fontconfig>"
    )
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps(list(characters)),
        env=os.environ | {"FONTCONFIG_FILE": str(settings), "QT_QPA_PLATFORM": "offscreen"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[object] = json.loads(done.stdout.splitlines()[-1])
    return found


def all_characters() -> str:
    """Every character of the program's texts in both languages."""
    texts: set[str] = set()
    for path in (*ROOT.glob("resources/locale/*.po"), *ROOT.glob("plugins/*/locale/*.po")):
        for english, chinese in read_po(path).items():
            texts.update(str(english), *(chinese if isinstance(chinese, tuple) else (chinese,)))
    return "".join(sorted(c for c in texts if c.isprintable()))


@pytest.mark.parametrize("fonts", [None, DEJAVU], ids=["no font", "those of a bare Debian"])
def test_every_text_of_the_program_can_be_drawn(fonts: Path | None, tmp_path: Path) -> None:
    if fonts is not None and not fonts.is_dir():
        pytest.skip("this system has no DejaVu")
    characters = all_characters()
    assert "昇" in characters
    lacking, widths, families = on_a_system_with(fonts, tmp_path, characters)
    assert lacking == {"ui": [], "mono": []}
    assert widths == 1, "code is drawn in columns"
    assert isinstance(families, list)
    assert ("JetBrains Mono" in families) == (fonts is None)
    assert "Noto Sans SC" in families


def test_fonts_that_come_along_are_named_with_their_licence() -> None:
    assert "Noto Sans SC, OFL-1.1" in versions()
    assert "JetBrains Mono, OFL-1.1" in versions()
