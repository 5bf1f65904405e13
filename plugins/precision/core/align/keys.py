"""What identifies a call in another run: its module, its operator, the line that made it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.tensors.dumps.names import parse_call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from studio.tensors.dumps.model import Call, Part

_FRAME = re.compile(
    r"^File (?P<file>.+?), line (?P<line>\d+), in (?P<function>.+?), ?\n? ?(?P<text>.*)$", re.S
)
_LIBRARY = re.compile(r"site-packages|dist-packages|[/\\]lib[/\\]python\d|[/\\]msprobe[/\\]")
_WRAPPERS = 4

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """One source frame of a call."""

    file: str
    line: int
    function: str
    text: str


@dataclass(frozen=True, slots=True)
class Keys:
    """Three keys of a call, from the most particular to the most general."""

    exact: Key
    placed: Key
    plain: Key


def keys_of(part: Part, path: Callable[[str], str] = str) -> list[Keys]:
    """Return the keys of all calls of a part; `path` rewrites the paths of modules."""
    sources = sources_of(part)
    return [_keys(call, sources.get(call.stack), path) for call in part.calls]


def module_of(call: Call) -> str:
    """Return the path of the module that a call is or was made in."""
    if call.module:
        return call.module
    if not call.parent:
        return ""
    named = parse_call(call.parent)
    return named.module or (call.parent if named.phase == "" else "")


def plain_api(api: str) -> str:
    """Return an operator's name without what frameworks differ in.

    `Tensor.__add__`, `Mint.add` and `Add` are "add"; `NPU.npu_rms_norm` and `RmsNorm` "rmsnorm".
    """
    name = api.rsplit(".", 1)[-1].replace("_", "").casefold()
    return name.removeprefix("npu") or name


def frame_of(text: str) -> Frame | None:
    """Take a frame of `stack.json` apart, None when it has another form."""
    match = _FRAME.match(text)
    if match is None:
        return None
    return Frame(match["file"], int(match["line"]), match["function"], match["text"].strip())


def sources_of(part: Part) -> dict[int, Frame]:
    """Return the innermost frame of the user's own code for each of a part's stacks."""
    found: dict[int, Frame] = {}
    for place, frames in enumerate(part.stacks):
        for text in frames:
            frame = frame_of(text)
            if frame is None:
                continue
            found.setdefault(place, frame)
            if not _LIBRARY.search(frame.file):
                found[place] = frame
                break
    return found


def wrappers(first: Iterable[str], second: Iterable[str]) -> tuple[int, int]:
    """Return how many leading steps of the module paths are wrappers that only one side has.

    Such as `module.` of data parallelism, `network.` of MindSpore, `_orig_mod.` of a compiler.
    """
    left, right = set(first) - {""}, set(second) - {""}
    best, found = len(left & right) * 1.2, (0, 0)
    for steps in range(1, _WRAPPERS + 1):
        for pair in ((steps, 0), (0, steps)):
            common = len(_without(left, pair[0]) & _without(right, pair[1]))
            if common > best:
                best, found = common, pair
    return found


def without(path: str, steps: int) -> str:
    """Drop the leading steps of a module's path."""
    return ".".join(path.split(".")[steps:]) if steps else path


def _without(paths: set[str], steps: int) -> set[str]:
    return {without(path, steps) for path in paths} - {""}


def _keys(call: Call, source: Frame | None, path: Callable[[str], str]) -> Keys:
    module = path(module_of(call))
    kind = "module" if call.is_module else "api"
    text = f"{source.function}: {source.text}" if source else ""
    if call.phase in ("backward", "parameters_grad"):
        text = ""
    # A class may be replaced by another (LayerNorm by FusedLayerNorm): the path is what counts.
    api = "" if call.is_module else call.api
    general = plain_api(call.api)
    if call.is_module:
        return Keys(
            (call.phase, kind, module, call.api, text),
            (call.phase, kind, module, ""),
            (call.phase, kind, general),
        )
    return Keys(
        (call.phase, kind, module, api, text),
        (call.phase, kind, module, general),
        (call.phase, kind, general),
    )
