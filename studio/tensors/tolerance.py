"""How far a value may lie off before it counts as different, by element type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio.tensors.values import ElementType


@dataclass(frozen=True, slots=True)
class Tolerance:
    """An element differs when |c - b| > relative · |b| + of_scale · rms(b) + absolute.

    The second part forgives rounding in small elements among large ones. It is taken from the scale
    of the tensor itself and not an absolute number, so that a gradient of size 1e-8 that is wrong
    by half is not passed over. The third is what vendors' standards have instead.
    """

    relative: float
    of_scale: float
    absolute: float = 0.0

    def times(self, factor: float) -> Tolerance:
        """Return a wider or narrower tolerance."""
        return Tolerance(self.relative * factor, self.of_scale * factor, self.absolute * factor)


_BY_TYPE = {
    # relative as in torch.testing.assert_close; of_scale about the rounding of a long sum
    "float64": Tolerance(1e-7, 1e-7),
    "float32": Tolerance(1.3e-6, 1e-5),
    "float16": Tolerance(1e-3, 1e-3),
    "bfloat16": Tolerance(1.6e-2, 1.6e-2),
    "float8_e4m3fn": Tolerance(0.125, 0.125),
    "float8_e5m2": Tolerance(0.25, 0.25),
    "complex64": Tolerance(1.3e-6, 1e-5),
}
_EXACT = Tolerance(0.0, 0.0)


def tolerance_for(
    base: ElementType,
    candidate: ElementType,
    relative: float | None = None,
    of_scale: float | None = None,
) -> Tolerance:
    """Return the wider tolerance of two types; integers and booleans are exact.

    What is given as `relative` or `of_scale` replaces the type's own, except for exact types.
    """
    pair = [_of(base), _of(candidate)]
    widest = Tolerance(max(t.relative for t in pair), max(t.of_scale for t in pair))
    if widest == _EXACT:
        return widest
    return Tolerance(
        widest.relative if relative is None else relative,
        widest.of_scale if of_scale is None else of_scale,
    )


def _of(element: ElementType) -> Tolerance:
    if element.kind in ("bool", "int"):
        return _EXACT
    return _BY_TYPE.get(element.name, _BY_TYPE["float64"])
