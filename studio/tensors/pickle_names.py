"""What a pickle would call, read from its instructions without running any of them."""

from __future__ import annotations

import pickletools

_SHOWN = 5
_HARMLESS = ("torch", "numpy", "collections", "_codecs")
_TEXTS = frozenset(
    ("UNICODE", "BINUNICODE", "BINUNICODE8", "SHORT_BINUNICODE", "STRING", "SHORT_BINSTRING")
)


def called_names(data: bytes) -> list[str]:
    """Return the first names a pickle imports that are no business of a tensor's file.

    A pickle that is cut off or no pickle gives the names up to where it breaks.
    """
    found: dict[str, None] = {}
    texts: list[str] = []
    memo: dict[object, str] = {}
    last = ""
    try:
        for code, argument, _ in pickletools.genops(data):
            if code.name == "MEMOIZE" or "PUT" in code.name:
                memo[len(memo) if argument is None else argument] = last
                continue
            last = str(argument) if code.name in _TEXTS else ""
            if code.name.endswith("GET"):
                last = memo.get(argument, "")
            if last:
                texts = [*texts[-1:], last]
            elif code.name in ("GLOBAL", "INST"):
                found[spelled(*str(argument).split(" ", 1))] = None
            elif code.name == "STACK_GLOBAL" and len(texts) == 2:
                found[spelled(*texts)] = None
    except Exception:  # noqa: BLE001 - whatever is wrong with a damaged stream, it ends here
        pass
    names = [name for name in found if name.split(".", 1)[0] not in _HARMLESS]
    return names[:_SHOWN]


def spelled(module: str, name: str = "") -> str:
    """Write an imported name as a user knows it ("posix.mkdir" is "os.mkdir")."""
    module = {"posix": "os", "nt": "os", "__builtin__": "builtins"}.get(module, module)
    return f"{module}.{name}" if name else module
