"""Machine instructions for kernels: unaligned loads, and masks over 32 bytes at once.

Addresses are plain integers. Whoever calls these makes sure that 64 bytes may be read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

BLOCK: Final = 32
"""How many bytes a mask tells of; names and keys are short, so wider ones do not pay."""

_BYTE, _HALF, _WORD, _REAL = ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.DoubleType()
_BITS = ir.IntType(BLOCK)
_BLOCK = ir.VectorType(_BYTE, BLOCK)


def _emit(given: Any, result: Any, build: Callable[[Any, Any], Any]) -> Any:  # noqa: ANN401
    """Make an instruction on one integer out of a function that writes its LLVM code."""

    def instruction(typing: Any, value: Any) -> Any:  # noqa: ANN401
        def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ANN401
            return build(builder, values[0])

        return result(given), write

    return intrinsic(instruction)


def _load_byte(builder: Any, address: Any) -> Any:  # noqa: ANN401
    pointer = builder.inttoptr(address, _BYTE.as_pointer())
    return builder.zext(builder.load(pointer), _WORD)


def _load_word(builder: Any, address: Any) -> Any:  # noqa: ANN401
    loaded = builder.load(builder.inttoptr(address, _WORD.as_pointer()))
    loaded.align = 1
    return loaded


def _mask(*tests: tuple[str, int]) -> Callable[[Any, Any], Any]:
    """A bit for each of `BLOCK` bytes that passes one of the tests (comparison, byte)."""

    def build(builder: Any, address: Any) -> Any:  # noqa: ANN401
        block = builder.load(builder.inttoptr(address, _BLOCK.as_pointer()))
        block.align = 1
        found = None
        for sign, byte in tests:
            compare = builder.icmp_signed if byte == 0 else builder.icmp_unsigned
            passed = compare(sign, block, ir.Constant(_BLOCK, [byte] * BLOCK))
            found = passed if found is None else builder.or_(found, passed)
        return builder.zext(builder.bitcast(found, _BITS), _WORD)

    return build


def _keep_bits(builder: Any, value: Any) -> Any:  # noqa: ANN401
    return value


def _count_zeros(builder: Any, value: Any) -> Any:  # noqa: ANN401
    return builder.cttz(value, ir.Constant(ir.IntType(1), 0))


def _emit_store(width: Any) -> Any:  # noqa: ANN401
    """Make an instruction that writes the low bits of an integer to an address."""

    def instruction(typing: Any, address: Any, value: Any) -> Any:  # noqa: ANN401
        def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ANN401
            pointer = builder.inttoptr(values[0], width.as_pointer())
            if width in (_BYTE, _HALF):
                builder.store(builder.trunc(values[1], width), pointer).align = 1
            else:
                builder.store(values[1], pointer).align = 1
            return context.get_dummy_value()

        given = types.float64 if width is _REAL else types.int64
        return types.void(types.int64, given), write

    return intrinsic(instruction)


byte: Callable[[int], int] = _emit(types.int64, types.int64, _load_byte)
"""The byte at an address."""

word: Callable[[int], np.uint64] = _emit(types.int64, types.uint64, _load_word)
"""The eight bytes at an address; the first one is the lowest."""

long: Callable[[int], int] = _emit(types.int64, types.int64, _load_word)
"""The signed number in the eight bytes at an address."""

put_byte: Callable[[int, int], None] = _emit_store(_BYTE)
"""Write a byte to an address."""

put_half: Callable[[int, int], None] = _emit_store(_HALF)
"""Write a number of four bytes to an address."""

put_real: Callable[[int, float], None] = _emit_store(_REAL)
"""Write a float to an address."""

put_long: Callable[[int, int], None] = _emit_store(_WORD)
"""Write a number of eight bytes to an address."""

string_stops: Callable[[int], np.uint64] = _emit(
    types.int64, types.uint64, _mask(("==", ord('"')), ("==", ord("\\")), ("<", 0x20))
)
"""Which of `BLOCK` bytes are quotes, backslashes or control characters."""

unplain: Callable[[int], np.uint64] = _emit(
    types.int64, types.uint64, _mask(("==", ord("\\")), ("<", 0))
)
"""Which of `BLOCK` bytes are backslashes or no ASCII."""

signed: Callable[[np.uint64], int] = _emit(types.uint64, types.int64, _keep_bits)
"""The same 64 bits as a signed number."""

first: Callable[[np.uint64], int] = _emit(types.uint64, types.int64, _count_zeros)
"""The number of the lowest bit that is set; 64 when none is."""
