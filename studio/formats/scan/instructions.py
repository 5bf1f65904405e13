"""What the compiler makes of the machine instructions of `bits`; only it imports this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from studio.formats.scan.bits import BLOCK

if TYPE_CHECKING:
    from collections.abc import Callable

_BYTE, _HALF, _WORD, _REAL = ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.DoubleType()
_DOUBLE_WORD = ir.IntType(128)
_BITS = ir.IntType(BLOCK)
_BLOCK = ir.VectorType(_BYTE, BLOCK)
_WORDS = ir.VectorType(_WORD, BLOCK // 8)
_SALTS = (
    0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F, 0xE7037ED1A0B428DB,
)  # fmt: skip


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


def _emit_pair(result: Any, build: Callable[[Any, Any, Any], Any]) -> Any:  # noqa: ANN401
    """The same for two integers."""

    def instruction(typing: Any, one: Any, other: Any) -> Any:  # noqa: ANN401
        def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ANN401
            return build(builder, *values)

        return result(types.int64, types.int64), write

    return intrinsic(instruction)


def _load_word(builder: Any, address: Any) -> Any:  # noqa: ANN401
    loaded = builder.load(builder.inttoptr(address, _WORD.as_pointer()))
    loaded.align = 1
    return loaded


def _mask(*tests: tuple[str, int]) -> Callable[[Any, Any], Any]:
    """A bit for each of `BLOCK` bytes that passes one of the tests (comparison, byte)."""

    def build(builder: Any, address: Any) -> Any:  # noqa: ANN401
        block = _load_block(builder, address)
        found = None
        for sign, byte in tests:
            compare = builder.icmp_signed if sign == "s<" else builder.icmp_unsigned
            sign = sign.removeprefix("s")
            passed = compare(sign, block, ir.Constant(_BLOCK, [byte] * BLOCK))
            found = passed if found is None else builder.or_(found, passed)
        return builder.zext(builder.bitcast(found, _BITS), _WORD)

    return build


def _load_block(builder: Any, address: Any) -> Any:  # noqa: ANN401
    block = builder.load(builder.inttoptr(address, _BLOCK.as_pointer()))
    block.align = 1
    return block


def _compare_blocks(builder: Any, one: Any, other: Any) -> Any:  # noqa: ANN401
    differ = builder.icmp_unsigned("!=", _load_block(builder, one), _load_block(builder, other))
    return builder.zext(builder.bitcast(differ, _BITS), _WORD)


def _mix_block(builder: Any, address: Any, size: Any) -> Any:  # noqa: ANN401
    """Two products of 128 bits, folded, of the block's words, with salts against equal words."""
    places = ir.Constant(_BLOCK, list(range(BLOCK)))
    lanes = ir.Constant(ir.VectorType(_HALF, BLOCK), [0] * BLOCK)
    first = builder.insert_element(
        ir.Constant(_BLOCK, ir.Undefined), builder.trunc(size, _BYTE), ir.Constant(_HALF, 0)
    )
    sizes = builder.shuffle_vector(first, first, lanes)
    taken = builder.sext(builder.icmp_unsigned("<", places, sizes), _BLOCK)
    block = builder.bitcast(builder.and_(_load_block(builder, address), taken), _WORDS)
    salted = [
        builder.zext(
            builder.xor(
                builder.extract_element(block, ir.Constant(_HALF, number)), ir.Constant(_WORD, salt)
            ),
            _DOUBLE_WORD,
        )
        for number, salt in enumerate(_SALTS)
    ]
    product = builder.xor(builder.mul(salted[0], salted[1]), builder.mul(salted[2], salted[3]))
    high = builder.lshr(product, ir.Constant(_DOUBLE_WORD, 64))
    return builder.trunc(builder.xor(product, high), _WORD)


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


byte = _emit(types.int64, types.int64, _load_byte)
word = _emit(types.int64, types.uint64, _load_word)
long = _emit(types.int64, types.int64, _load_word)
put_byte = _emit_store(_BYTE)
put_half = _emit_store(_HALF)
put_real = _emit_store(_REAL)
put_long = _emit_store(_WORD)
string_stops = _emit(
    types.int64, types.uint64, _mask(("==", ord('"')), ("==", ord("\\")), ("<", 0x20))
)
plain_stops = _emit(
    types.int64, types.uint64, _mask(("==", ord('"')), ("==", ord("\\")), ("s<", 0x20))
)
unplain = _emit(types.int64, types.uint64, _mask(("==", ord("\\")), ("s<", 0)))
unequal = _emit_pair(types.uint64, _compare_blocks)
mixed = _emit_pair(types.uint64, _mix_block)
signed = _emit(types.uint64, types.int64, _keep_bits)
first = _emit(types.uint64, types.int64, _count_zeros)
