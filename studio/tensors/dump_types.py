"""Types of tensors that were saved as raw bytes, from the `dump.json` written with them."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SIZE_LIMIT = 256 << 20


class DumpTypes:
    """Looks up element types by file name; the JSON file is read at the first question."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def of(self, path: Path) -> str:
        """Return the type that the dump says a file has ("bfloat16"), "" when it says nothing."""
        return self._by_file.get(path.name, "")

    @cached_property
    def _by_file(self) -> dict[str, str]:
        # msprobe writes dump.json beside the tensors or one folder above them.
        for folder in (self._folder, self._folder.parent):
            path = folder / "dump.json"
            try:
                if path.stat().st_size <= _SIZE_LIMIT:
                    return dict(_tensors(json.loads(path.read_bytes())))
            except (OSError, ValueError, RecursionError):
                continue
        return {}


def _tensors(content: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - JSON
    waiting = [content]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, dict):
            waiting.extend(value.values())
            name, kind = value.get("data_name"), value.get("dtype")
            if isinstance(name, str) and isinstance(kind, str):
                yield name, kind.removeprefix("torch.")
