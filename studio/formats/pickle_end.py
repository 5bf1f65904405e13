"""Look through a pickle's instructions before it is read, for those that would exhaust memory.

The reader of Python makes room for whatever index an instruction names in its memo, so that nine
bytes can ask for a hundred gigabytes. Here only lengths and indices are followed; nothing is built.
The instructions are those of `pickletools.opcodes`.
"""

from __future__ import annotations

import pickletools
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_STOP = ord(".")
_LINE, _TWO_LINES, _UNKNOWN = -1, -2, -3
_COUNTED = {1: -11, 4: -14, 8: -18}
_INDICES = {ord("r"): 4, ord("q"): 1}
_EXTENSIONS = frozenset(b"\x82\x83\x84")
_TEXT_INDEX = ord("p")


class DamagedPickle(ValueError):
    """A pickle that is cut off, or asks for more than it holds."""


def pickle_end(data: bytes, start: int = 0) -> int:
    """Return where a pickle ends; raises DamagedPickle when it is cut off or hostile."""
    kinds, size, at = _arguments(), len(data), start
    while at < size:
        code = data[at]
        at += 1
        kind = kinds.get(code, _UNKNOWN)
        if code == _STOP:
            return at
        if code in _INDICES and _number(data, at, _INDICES[code]) > size:
            break
        if kind >= 0:
            at += kind
        elif kind <= -11:
            width = -kind - 10
            at += width + _number(data, at, width)
        elif kind == _UNKNOWN or code in _EXTENSIONS:
            break
        else:
            begin = at
            for _ in range(-kind):
                at = data.find(b"\n", at) + 1
                if at == 0:
                    raise DamagedPickle
            if code == _TEXT_INDEX and len(data[begin:at]) > len(str(size)) + 1:
                break
    raise DamagedPickle


@lru_cache(maxsize=1)
def _arguments() -> Mapping[int, int]:
    """Map each instruction to the size of its argument, or how to find its end."""
    found = {}
    for opcode in pickletools.opcodes:
        argument = opcode.arg
        size = 0 if argument is None else argument.n
        if size == pickletools.UP_TO_NEWLINE:
            size = _TWO_LINES if opcode.name in ("GLOBAL", "INST") else _LINE
        elif size == pickletools.TAKEN_FROM_ARGUMENT1:
            size = _COUNTED[1]
        elif size in (pickletools.TAKEN_FROM_ARGUMENT4, pickletools.TAKEN_FROM_ARGUMENT4U):
            size = _COUNTED[4]
        elif size == pickletools.TAKEN_FROM_ARGUMENT8U:
            size = _COUNTED[8]
        found[ord(opcode.code)] = size
    return found


def _number(data: bytes, at: int, width: int) -> int:
    return int.from_bytes(data[at : at + width], "little")
