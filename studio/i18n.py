"""One catalogue of translations for core, manifests, command line and window."""

from __future__ import annotations


def tr(text: str, **values: object) -> str:
    """Translate a literal English text and fill in its `{name}` places."""
    return text.format(**values) if values else text


def trn(singular: str, plural: str, n: int, **values: object) -> str:
    """Like `tr` for a text that depends on a number, given as `{n}`."""
    return (singular if n == 1 else plural).format(n=n, **values)
