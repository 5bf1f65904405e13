"""What a dump says: parts (one rank in one step), calls in the order they ended, their values.

The classes are msgspec structs, because a dump has hundreds of thousands of them and they are kept
in a cache file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from pathlib import Path

Number = int | float | bool | None
"""A statistic; None when it was not recorded, NaN and infinities are values."""


class Value(msgspec.Struct, frozen=True, gc=False):
    """One tensor or argument of a call."""

    name: str
    """The full name, as in msprobe: `Tensor.__add__.4.forward.input.0`."""
    role: str
    """One of "input", "output", "parameter", "parameter_grad", "debug"."""
    place: str
    """Which one of its role: "0", "0.1", "bias"."""
    kind: str = ""
    """The recorded type ("torch.Tensor", "int"); "" for None, "bare" for a value without type."""
    dtype: str = ""
    """The type of the elements as recorded; "" when there are none or it was not recorded."""
    shape: tuple[int, ...] | None = None
    max: Number = None
    min: Number = None
    mean: Number = None
    norm: Number = None
    requires_grad: bool | None = None
    checksum: str = ""
    file: str = ""
    """The file with the elements, relative to the part's data folder."""
    member: str = ""
    """The tensor's name within the file."""
    scalar: Any = None
    """The value of an argument that is no tensor."""

    @property
    def tensor(self) -> bool:
        """Whether it is a tensor, and not another argument."""
        return bool(self.dtype) or self.shape is not None or bool(self.file)

    @property
    def measured(self) -> bool:
        """Whether statistics were recorded."""
        return self.max is not None or self.min is not None or self.norm is not None


class Call(msgspec.Struct, frozen=True):
    """One call of an operator or module, forward or backward."""

    name: str
    """As recorded: `Tensor.__add__.4.forward`, `Module.layers.0.ln1.RMSNorm.forward.0`."""
    api: str
    """The operator ("Tensor.__add__") or the class of the module ("RMSNorm")."""
    number: int
    """The how manieth call of it, -1 when not recorded."""
    phase: str
    """One of "forward", "backward", "parameters_grad", "debug", "" (unknown)."""
    module: str = ""
    """The path of a module ("layers.0.ln1"); "" for an operator."""
    parent: str = ""
    """The name of the call it was made in, "" at the top or when not recorded."""
    stack: int = -1
    """Its place in `Part.stacks`, -1 when not recorded."""
    values: tuple[Value, ...] = ()

    @property
    def is_module(self) -> bool:
        """Whether it is a module and not an operator."""
        return bool(self.module)

    def of(self, *roles: str) -> list[Value]:
        """Return the values of these roles, in order."""
        return [value for value in self.values if value.role in roles]


class Part(msgspec.Struct, frozen=True):
    """What one rank dumped in one step."""

    folder: str
    """Relative to the dump's folder."""
    data_folder: str
    """Where the files of tensors are; relative to the dump's folder, or absolute."""
    step: int | None = None
    rank: int | None = None
    task: str = ""
    """"tensor", "statistics", "structure", …; "tensor" when only files exist."""
    level: str = ""
    framework: str = ""
    calls: tuple[Call, ...] = ()
    stacks: tuple[tuple[str, ...], ...] = ()
    """Source frames, innermost first."""
    faults: tuple[str, ...] = ()
    """What was odd in the files, in words."""

    @property
    def label(self) -> str:
        """The part in a few words: "step 0, rank 1"."""
        words = []
        if self.step is not None:
            words.append(f"step {self.step}")
        if self.rank is not None:
            words.append(f"rank {self.rank}")
        return ", ".join(words)

    @property
    def summed(self) -> bool:
        """Whether checksums were recorded instead of numbers to compare."""
        tensors = [v for c in self.calls[:50] for v in c.values if v.checksum]
        return self.task != "tensor" and bool(tensors)

    def frames(self, call: Call) -> tuple[str, ...]:
        """Return the source frames of a call, innermost first."""
        return self.stacks[call.stack] if 0 <= call.stack < len(self.stacks) else ()


class DumpIndex(msgspec.Struct, frozen=True):
    """All parts of one dump."""

    root: Path
    kind: str
    """"msprobe", "mindspore" or "files"."""
    parts: tuple[Part, ...]

    def path(self, part: Part, value: Value) -> Path:
        """Return the file that holds the elements of a value."""
        return self.root / part.data_folder / value.file
