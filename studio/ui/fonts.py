"""The two fonts: the system's for the interface, a monospaced one for code and numbers.

Where the system has no font for Chinese, or none of equal widths, those that are installed with the
program are taken, so that no text is ever drawn as boxes.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from PySide6.QtGui import QFont, QFontDatabase, QFontInfo

_CHINESE = (
    "Microsoft YaHei UI",
    "PingFang SC",
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "WenQuanYi Micro Hei",
    "Noto Sans SC",
)
_MONOSPACED = (
    "Cascadia Mono",
    "JetBrains Mono",
    "SF Mono",
    "Menlo",
    "Consolas",
    "Noto Sans Mono",
    "DejaVu Sans Mono",
)
_CHINESE_MONOSPACED = ("Noto Sans Mono CJK SC", "WenQuanYi Micro Hei Mono", *_CHINESE)

_BROUGHT_CHINESE = ("pylopdf_fonts_zh_cn", "NotoSansSC-Regular.otf")
_BROUGHT_MONOSPACED = ("fontpkg_jetbrains_mono", "files/JetBrainsMono[wght].ttf")


def load_missing_fonts() -> list[str]:
    """Load the fonts for which the system has none; returns the families that this adds.

    Needs the QApplication; done once for it. A font that was not installed is left out.
    """
    added: list[str] = []
    if not _present(_CHINESE) and not _families_for_chinese():
        added += _load(*_BROUGHT_CHINESE)
    fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    if not _present(_MONOSPACED) and not QFontInfo(fixed).fixedPitch():
        added += _load(*_BROUGHT_MONOSPACED)
    return added


def _families_for_chinese() -> list[str]:
    return QFontDatabase.families(QFontDatabase.WritingSystem.SimplifiedChinese)


def _load(package: str, file: str) -> list[str]:
    found = find_spec(package)
    for folder in found.submodule_search_locations or () if found else ():
        number = QFontDatabase.addApplicationFont(str(Path(folder, file)))
        if number >= 0:
            return QFontDatabase.applicationFontFamilies(number)
    return []


def ui_font() -> QFont:
    """The system's interface font, followed by the fonts that hold Chinese."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    # A generic name such as "Sans Serif" would let a Chinese font take the Latin letters as well.
    font.setFamilies([QFontInfo(font).family(), *_present(_CHINESE)])
    return font


def mono_font(size: float = 0) -> QFont:
    """A monospaced font for code and numbers, of `size` points (0: a little below the system's)."""
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    families = [*_present(_MONOSPACED), system.family(), *_present(_CHINESE_MONOSPACED)]
    font = QFont(families)
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setFixedPitch(True)
    font.setPointSizeF(size or max(ui_font().pointSizeF(), 9.0))
    return font


def _present(families: tuple[str, ...]) -> list[str]:
    known = set(QFontDatabase.families())
    return [family for family in families if family in known]
