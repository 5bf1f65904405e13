"""What identifies a call in another run: its module, its operator, the line that made it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from plugins.precision.core.align.operator_names import common_api
from studio.tensors.dumps.names import parse_call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from studio.tensors.dumps.model import Call, Part

_FRAME = re.compile(
    r"^File (?P<file>.+?), line (?P<line>\d+), in (?P<function>.+?), ?\n? ?(?P<text>.*)$", re.S
)
_LIBRARY = re.compile(r"site-packages|dist-packages|[/\\]lib[/\\]python\d|[/\\]msprobe[/\\]")
_WRAPPERS = 4

Key = tuple[str, ...]


class Frame(NamedTuple):
    """One source frame of a call."""

    file: str
    line: int
    function: str
    text: str


class Keys(NamedTuple):
    """Three keys of a call, from the most particular to the most general."""

    exact: Key
    placed: Key
    plain: Key


def keys_of(
    part: Part,
    path: Callable[[str], str] = str,
    sources: Mapping[int, Frame] | None = None,
    *,
    foreign: bool = False,
) -> list[Keys]:
    """Return the keys of all calls of a part; `path` rewrites the paths of modules.

    `sources` is what `sources_of` gives, when it is known already. With `foreign`, the other side
    is of another framework: operators get names that both have in common.
    """
    if sources is None:
        sources = sources_of(part)
    general = _common if foreign else plain_api
    return [_keys(call, sources.get(call.stack), path, general) for call in part.calls]


def module_of(call: Call) -> str:
    """Return the path of the module that a call is or was made in."""
    if call.module:
        return call.module
    return _path_in(call.parent) if call.parent else ""


@lru_cache(maxsize=65536)
def _path_in(parent: str) -> str:
    named = parse_call(parent)
    return named.module or (parent if named.phase == "" else "")


@lru_cache(maxsize=4096)
def plain_api(api: str) -> str:
    """Return an operator's name without what frameworks differ in.

    `Tensor.__add__`, `Mint.add` and `Add` are "add"; `NPU.npu_rms_norm` and `RmsNorm` "rmsnorm".
    """
    name = api.rsplit(".", 1)[-1].replace("_", "").casefold()
    return name.removeprefix("npu") or name


def _common(api: str) -> str:
    return common_api(plain_api(api))


def frame_of(text: str) -> Frame | None:
    """Take a frame of `stack.json` apart, None when it has another form."""
    # Taken apart step by step, which is three times as fast as the pattern; a file whose name looks
    # like more of a frame is left to the pattern.
    file, _, rest = text.partition(", line ")
    line, _, rest = rest.partition(", in ")
    if file.startswith("File ") and line.isdecimal() and "," in rest:
        function, _, source = rest.partition(",")
        return Frame(file[5:], int(line), function, source.strip())
    match = _FRAME.match(text)
    if match is None:
        return None
    return Frame(match["file"], int(match["line"]), match["function"], match["text"].strip())


def sources_of(part: Part) -> dict[int, Frame]:
    """Return the innermost frame of the user's own code for each of a part's stacks."""
    found: dict[int, Frame] = {}
    library: dict[str, bool] = {}
    for place, frames in enumerate(part.stacks):
        for text in frames:
            frame = frame_of(text)
            if frame is None:
                continue
            found.setdefault(place, frame)
            foreign = library.get(frame.file)
            if foreign is None:
                foreign = library[frame.file] = bool(_LIBRARY.search(frame.file))
            if not foreign:
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


def _keys(
    call: Call, source: Frame | None, path: Callable[[str], str], named: Callable[[str], str]
) -> Keys:
    module = path(module_of(call))
    kind = "module" if call.is_module else "api"
    text = f"{source.function}: {source.text}" if source else ""
    if call.phase in ("backward", "parameters_grad"):
        text = ""
    # A class may be replaced by another (LayerNorm by FusedLayerNorm): the path is what counts.
    api = "" if call.is_module else call.api
    general = named(call.api)
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
