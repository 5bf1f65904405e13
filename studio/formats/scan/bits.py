"""Machine instructions for kernels: unaligned loads, and masks over 32 bytes at once.

Addresses are plain integers. Whoever calls these makes sure that 64 bytes may be read. Only kernels
can: what the compiler makes of each stands in `instructions`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from studio.formats.jit import instruction

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

BLOCK: Final = 32
"""How many bytes a mask tells of; names and keys are short, so wider ones do not pay."""

_MADE: Final = "studio.formats.scan.instructions"

byte: Callable[[int], int] = instruction(_MADE, "byte")
"""The byte at an address."""

word: Callable[[int], np.uint64] = instruction(_MADE, "word")
"""The eight bytes at an address; the first one is the lowest."""

long: Callable[[int], int] = instruction(_MADE, "long")
"""The signed number in the eight bytes at an address."""

put_byte: Callable[[int, int], None] = instruction(_MADE, "put_byte")
"""Write a byte to an address."""

put_half: Callable[[int, int], None] = instruction(_MADE, "put_half")
"""Write a number of four bytes to an address."""

put_real: Callable[[int, float], None] = instruction(_MADE, "put_real")
"""Write a float to an address."""

put_long: Callable[[int, int], None] = instruction(_MADE, "put_long")
"""Write a number of eight bytes to an address."""

string_stops: Callable[[int], np.uint64] = instruction(_MADE, "string_stops")
"""Which of `BLOCK` bytes are quotes, backslashes or control characters."""

plain_stops: Callable[[int], np.uint64] = instruction(_MADE, "plain_stops")
"""Which of `BLOCK` bytes are quotes, backslashes, control characters or no ASCII."""

unplain: Callable[[int], np.uint64] = instruction(_MADE, "unplain")
"""Which of `BLOCK` bytes are backslashes or no ASCII."""

unequal: Callable[[int, int], np.uint64] = instruction(_MADE, "unequal")
"""Which of the `BLOCK` bytes at two addresses are not the same."""

mixed: Callable[[int, int], np.uint64] = instruction(_MADE, "mixed")
"""A number that depends on every bit of the first bytes at an address, as many as told (at most
`BLOCK`)."""

signed: Callable[[np.uint64], int] = instruction(_MADE, "signed")
"""The same 64 bits as a signed number."""

first: Callable[[np.uint64], int] = instruction(_MADE, "first")
"""The number of the lowest bit that is set; 64 when none is."""
