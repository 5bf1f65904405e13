"""The two fonts: the system's for the interface, a monospaced one for code and numbers."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontDatabase, QFontInfo

_CHINESE = (
    "Microsoft YaHei UI",
    "PingFang SC",
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "WenQuanYi Micro Hei",
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
_CHINESE_MONOSPACED = ("Noto Sans Mono CJK SC", "WenQuanYi Micro Hei Mono")


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
