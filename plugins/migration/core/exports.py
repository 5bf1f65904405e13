"""Names of torch that modules of a project hand on: `from .compat import cuda`.

Only modules that visibly give a name to something in torch.cuda are parsed for this; a look at the
bytes tells which.
"""

from __future__ import annotations

import re
import stat
from functools import lru_cache
from typing import TYPE_CHECKING

from plugins.migration.core.collector import Collector
from plugins.migration.core.names import Names
from plugins.migration.core.parsing import Fault, parse
from studio.model.encoding import decode

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from plugins.migration.core.model import Export

_HANDING_ON = re.compile(
    rb"(?:[ \t]*(?:from[ \t]+torch[ \t]+import\b[^\n]*\bcuda\b|import[ \t]+torch\.cuda[ \t]+as\b"
    rb"|from[ \t]+torch\.cuda)|\w+[ \t]*=[ \t]*\w+\.cuda\b)"
)
_LARGEST = 2_000_000


def exports_of(root: Path, paths: Iterable[Path]) -> tuple[Export, ...]:
    """The full names in a project that stand for something in torch.cuda, and what for."""
    found: list[Export] = []
    for path in paths:
        if path.suffix != ".py" or not path.is_relative_to(root):
            continue
        try:
            known = path.stat()
            plain = stat.S_ISREG(known.st_mode)  # reading a pipe or device may never end
            data = path.read_bytes() if plain and known.st_size < _LARGEST else b""
        except OSError:
            continue
        if _hands_on(data):
            place = path.relative_to(root if path != root else root.parent)
            found += _exports(".".join(place.with_suffix("").parts), data)
    return tuple(found)


def own_packages(root: Path, paths: Iterable[Path]) -> tuple[str, ...]:
    """The dotted names of the top packages that a project holds, from each folder above them."""
    folders = {path.parent for path in paths if path.name == "__init__.py" and path != root}
    found: set[str] = set()
    for folder in folders:
        if folder.parent not in folders and folder != root:
            parts = folder.relative_to(root).parts
            found.update(".".join(parts[start:]) for start in range(len(parts)))
    return tuple(sorted(found))


def meaning(module: str, exports: tuple[Export, ...]) -> str:
    """What an imported name of the project stands for, "" if that is not certain.

    A project may be run from any of its folders, so that the import may name the end of the path.
    """
    wanted = module.lstrip(".")
    if "." not in wanted:
        return ""
    found = {known for name, known in exports if name == wanted or name.endswith(f".{wanted}")}
    return found.pop() if len(found) == 1 else ""


def _hands_on(data: bytes) -> bool:
    """Whether some line with the word seems to give a name to something in torch.cuda."""
    place = data.find(b"cuda")
    while place >= 0:
        start = max(data.rfind(b"\n", 0, place), data.rfind(b"\r", 0, place)) + 1
        if _HANDING_ON.match(data, start):
            return True
        end = data.find(b"\n", place)
        place = data.find(b"cuda", end) if end >= 0 else -1
    return False


@lru_cache(maxsize=32)
def _exports(module: str, data: bytes) -> list[Export]:
    """What a module hands on, which is asked for at each scan."""
    text = decode(data).text
    tree = parse(text)
    if isinstance(tree, Fault):
        return []
    place = module.removesuffix(".__init__")
    collected = Collector(tree)
    try:
        names = Names(collected, text)
        known = {name: names.of_name(name, names.module) for name in names.module.bindings}
    except RecursionError:
        return []
    finally:
        collected.release()
    return [
        (f"{place}.{name}", meant)
        for name, meant in known.items()
        if f"{meant}.".startswith("torch.cuda.")
    ]
