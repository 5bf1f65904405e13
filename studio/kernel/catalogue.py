"""Read gettext's `.po` files: a small, fast reader for one catalogue of translations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}


@dataclass(slots=True)
class _Entry:
    parts: dict[str, str] = field(default_factory=dict)
    fuzzy: bool = False


def read_po(path: Path) -> dict[str, tuple[str, ...]]:
    """Return message id → translations (one, or one per plural form) of a `.po` file.

    Fuzzy, empty and context-dependent entries are left out.
    """
    catalogue: dict[str, tuple[str, ...]] = {}
    entry = _Entry()
    keyword = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        text = line.strip()
        if text.startswith('"'):
            entry.parts[keyword] = entry.parts.get(keyword, "") + _unquote(text)
        elif text.startswith("msg"):
            keyword, _, quoted = text.partition(" ")
            if keyword in ("msgid", "msgctxt") and "msgstr" in " ".join(entry.parts):
                _keep(entry, catalogue)
                entry = _Entry()
            entry.parts[keyword] = _unquote(quoted.strip())
        elif not text or text.startswith("#"):
            if "msgid" in entry.parts:
                _keep(entry, catalogue)
                entry = _Entry()
            if text.startswith("#,") and "fuzzy" in text:
                entry.fuzzy = True
    _keep(entry, catalogue)
    return catalogue


def _keep(entry: _Entry, catalogue: dict[str, tuple[str, ...]]) -> None:
    identifier = entry.parts.get("msgid", "")
    if not identifier or entry.fuzzy or "msgctxt" in entry.parts:
        return
    forms = tuple(text for key, text in entry.parts.items() if key.startswith("msgstr"))
    if forms and all(forms):
        catalogue[identifier] = forms


def _unquote(quoted: str) -> str:
    body = quoted[1:-1]
    if "\\" not in body:
        return body
    pieces = iter(body)
    return "".join(
        _ESCAPES.get(following := next(pieces, ""), following) if piece == "\\" else piece
        for piece in pieces
    )
