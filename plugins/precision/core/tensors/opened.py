"""A tensor that is looked at: known by its header, its elements read where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from plugins.precision.core.places import Place, open_place
from plugins.precision.core.tensors.reading import read_part
from studio.i18n import tr
from studio.tensors.tensor import TensorError
from studio.tensors.tensor_file import open_tensor_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from studio.tensors.tensor import TensorFile

Index = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Opened:
    """A tensor with its elements as stored; large ones stay on disk (memory-mapped)."""

    place: Place
    tensor: TensorFile
    stored: NDArray[Any]

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis."""
        return self.tensor.shape

    def numbers(self, part: Sequence[slice | int]) -> NDArray[Any]:
        """Return elements as float64, integers or complex128; raises TensorError.

        `part` has a slice for each axis, or a place, which takes the axis away.
        """
        return self.tensor.type.numbers(self._stored(part))

    def _stored(self, part: Sequence[slice | int]) -> NDArray[Any]:
        if not _mapped(self.stored):
            return np.asarray(self.stored[tuple(part)])
        pieces = [p if isinstance(p, slice) else slice(p, p + 1) for p in part]
        taken = tuple(0 if isinstance(p, int) else slice(None) for p in part)
        found = read_part(self.tensor, pieces)
        if found is not None:
            return found[taken]
        # Reading a map of a file that became shorter would end the program: ask before.
        self._check()
        return np.asarray(self.stored[tuple(part)])

    def element(self, index: Index) -> Any:  # noqa: ANN401 - a number of Python
        """Return one element as a number of Python; float64 for the narrower types."""
        return self.numbers([slice(i, i + 1) for i in index]).reshape(-1)[0].item()

    def _check(self) -> None:
        tensor = self.tensor
        needed = tensor.offset + tensor.nbytes if tensor.streamed else tensor.offset
        try:
            size = tensor.path.stat().st_size
        except OSError as error:
            raise TensorError(error.strerror or str(error), path=tensor.path) from error
        if size < needed:
            raise TensorError(tr("became shorter while it was read"), path=tensor.path)


@dataclass(frozen=True, slots=True)
class OpenedPair:
    """The two sides of a comparison; one is None where only the other has the tensor."""

    base: Opened | None
    candidate: Opened | None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what is shown; the candidate's where they differ."""
        side = self.candidate or self.base
        return side.shape if side else ()

    @property
    def comparable(self) -> bool:
        """Whether both are there and have the same shape."""
        return (
            self.base is not None
            and self.candidate is not None
            and self.base.shape == self.candidate.shape
        )

    def sides(self) -> list[Opened]:
        """The tensors that are there, the base first."""
        return [side for side in (self.base, self.candidate) if side is not None]


def _mapped(array: Any) -> bool:  # noqa: ANN401 - arrays and what they are views of
    """Whether an array is a view of a mapped file."""
    while array is not None:
        if isinstance(array, np.memmap):
            return True
        array = array.obj if isinstance(array, memoryview) else getattr(array, "base", None)
    return False


def open_tensor(place: Place) -> Opened:
    """Open the tensor at a place; raises TensorError when it is not there or refused."""
    tensor = open_place(place)
    return Opened(place, tensor, tensor.array())


def open_pair(base: Place | None, candidate: Place | None) -> OpenedPair:
    """Open both sides of a pair, whichever are there."""
    return OpenedPair(
        open_tensor(base) if base else None, open_tensor(candidate) if candidate else None
    )


def tensors_of(path: Path, dtype: str = "") -> tuple[list[Place], dict[str, str]]:
    """Return the tensors in a file by name, and what was refused and why."""
    found = open_tensor_file(path, dtype)
    return [Place(path, dtype, name) for name in found], found.refused


def described(places: Sequence[Place]) -> list[str]:
    """Return the names of tensors as a list shows them."""
    return [place.member or place.path.name for place in places]
