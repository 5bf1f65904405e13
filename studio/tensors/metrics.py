"""How far two tensors of one shape lie apart.

b is the base (what is right), c the candidate, n the number of elements where both are finite; the
sums run in float64 over those n elements.

    error        e_i = |c_i - b_i|                 exact for integers; modulus for complex numbers
    max_abs      max e_i
    max_rel      max e_i / |b_i|                   0/0 = 0; infinity where b_i = 0 and c_i is not
    mean_abs     (sum e_i) / n
    rmse         sqrt((sum e_i^2) / n)
    euclid       sqrt(sum e_i^2)
    cosine       (sum b_i c_i) / (|b| |c|)         real and imaginary parts count as elements

Elements that are not finite never disappear: an equal infinity or a NaN at the same place on both
sides is counted apart and compared no further; any other such element is a mismatch and makes
max_abs and max_rel infinite (an infinity that the other side lacks or has with the other sign) or
NaN (a NaN that the other side lacks).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from studio.tensors.distance import parts
from studio.tensors.profile import Profile, ProfileSums, format_of, snr
from studio.tensors.stretch import Stretch
from studio.tensors.sums import ErrorSums, PairSums
from studio.tensors.tensor import CHUNK, chunks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from studio.tensors.profile import Limits
    from studio.tensors.tensor import TensorFile
    from studio.tensors.tolerance import Tolerance

Index = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NonFinite:
    """Counts of elements that are NaN or infinite."""

    nan_base: int = 0
    nan_candidate: int = 0
    nan_both: int = 0
    inf_base: int = 0
    inf_candidate: int = 0
    inf_both: int = 0
    inf_sign: int = 0
    """Infinite on both sides, with another sign."""
    mismatched: int = 0
    """Not finite on at least one side, and not the same on both."""

    @property
    def any(self) -> bool:
        """Whether there is any."""
        return bool(self.nan_base or self.nan_candidate or self.inf_base or self.inf_candidate)

    def plus(self, other: NonFinite) -> NonFinite:
        """Add the counts of two parts."""
        names = self.__dataclass_fields__
        return NonFinite(**{name: getattr(self, name) + getattr(other, name) for name in names})


@dataclass(frozen=True, slots=True)
class Metrics:
    """The result of one comparison; the module says what each number means."""

    count: int
    compared: int
    cosine: float | None = None
    max_abs: float = 0.0
    max_rel: float = 0.0
    mean_abs: float = 0.0
    rmse: float = 0.0
    euclid: float = 0.0
    zero_base: int = 0
    """Elements where the base is 0 and the candidate is not."""
    differing: int = 0
    """Elements beyond the tolerance, mismatches of non-finite elements included."""
    first_differing: Index | None = None
    worst: Index | None = None
    """Where max_abs is; the first mismatch of a non-finite element if there is one."""
    base_zero: bool = False
    candidate_zero: bool = False
    non_finite: NonFinite = field(default_factory=NonFinite)
    base_rms: float = 0.0
    """The root of the mean square of the base: its scale."""
    profile: Profile | None = None
    """More about the errors, when it was asked for and there are any."""

    @property
    def relative_error(self) -> float:
        """The error's root mean square in units of the base's; infinite for non-finite mismatches.

        It does not depend on a few elements near zero, and it adds up through a network.
        """
        if self.non_finite.mismatched:
            return float("inf")
        if self.rmse == 0:
            return 0.0
        return self.rmse / self.base_rms if self.base_rms else float("inf")

    @property
    def snr(self) -> float | None:
        """The signal-to-noise ratio in dB."""
        return snr(self.base_rms, self.rmse) if self.compared else None

    @property
    def identical(self) -> bool:
        """Whether every element has the same value (NaN counts as equal to NaN)."""
        return self.max_abs == 0 and not self.non_finite.mismatched


def measure(
    base: TensorFile,
    candidate: TensorFile,
    tolerance: Tolerance,
    check: Callable[[], object] = lambda: None,
    limits: Limits | None = None,
) -> Metrics:
    """Compare two tensors of the same shape; `check()` is called between chunks and may raise.

    A second pass over the data counts the elements beyond the tolerance, which depends on the scale
    that the first pass found; it is skipped when all are equal. With `limits`, it also takes the
    profile of the errors of floating-point numbers.
    """
    with np.errstate(all="ignore"):
        walk = _Walk(base, candidate)
        for stretch in walk.stretches():
            check()
            walk.add(stretch)
        result = walk.result()
        if result.identical:
            return result
        shape = format_of(base.type, candidate.type) if limits else None
        profile = ProfileSums(shape, limits) if shape and limits else None
        scale = tolerance.of_scale * result.base_rms + tolerance.absolute
        differing, first = result.non_finite.mismatched, walk.first_mismatch
        for stretch in walk.stretches():
            check()
            part = stretch.part
            beyond = part.error > tolerance.relative * part.size + scale
            if count := int(np.count_nonzero(beyond)):
                differing += count
                first = _earlier(first, stretch.place(int(np.argmax(beyond))))
            if profile:
                profile.add(part)
    return replace(
        result,
        differing=differing,
        first_differing=walk.index(first),
        profile=profile.result() if profile and result.compared else None,
    )


class _Walk:
    """One pass over a pair: the sums and extremes so far."""

    def __init__(self, base: TensorFile, candidate: TensorFile) -> None:
        self._base, self._candidate = base, candidate
        wide = base.type.wide or candidate.type.wide
        self.pair, self._errors = PairSums(wide), ErrorSums(wide)
        self.compared = 0
        self.first_mismatch: int | None = None
        exact = base.type.kind in ("bool", "int") and candidate.type.kind in ("bool", "int")
        self._max_abs: float = 0 if exact else 0.0
        self._max_rel = 0.0
        self._worst: int | None = None
        self._zero_base = 0
        self._non_finite = NonFinite()
        self._only: Stretch | None = None

    def stretches(self) -> Iterator[Stretch]:
        """Walk both tensors in chunks of numbers; a tensor of one chunk is read just once."""
        if self._only:
            yield self._only
            return
        same_type = self._base.type == self._candidate.type
        for start, raw_b, raw_c in chunks(self._base, self._candidate):
            b = self._base.type.numbers(raw_b)
            equal = same_type and raw_b.tobytes() == raw_c.tobytes()
            stretch = Stretch(start, b, b if equal else self._candidate.type.numbers(raw_c))
            if self._base.count <= CHUNK:
                self._only = stretch
            yield stretch

    def add(self, stretch: Stretch) -> None:
        """Take in a chunk."""
        if not stretch.all_finite:
            self._add_non_finite(stretch)
        part = stretch.part
        self.compared += len(part)
        if not len(part):
            return
        one = parts(part.base)
        if part.candidate is part.base:
            self.pair.add(one, one)
            return
        self.pair.add(one, parts(part.candidate))
        worst = int(np.argmax(part.error))
        if (largest := part.error[worst].item()) > self._max_abs:
            self._max_abs = largest
            self._worst = stretch.place(worst)
        if largest:
            self._errors.add(part.error.astype(np.float64, copy=False))
            self._max_rel = max(self._max_rel, float(part.relative.max()))
            if part.size.min() == 0:
                self._zero_base += int(np.count_nonzero((part.size == 0) & (part.error != 0)))

    def _add_non_finite(self, stretch: Stretch) -> None:
        b, c = stretch.base, stretch.candidate
        nan_b, nan_c = np.isnan(b), np.isnan(c)
        inf_b, inf_c = np.isinf(b) & ~nan_b, np.isinf(c) & ~nan_c
        same = _same_parts(b, c)
        both = inf_b & inf_c
        mismatch = ~stretch.finite & ~same
        tests = {
            "nan_base": nan_b,
            "nan_candidate": nan_c,
            "nan_both": nan_b & nan_c,
            "inf_base": inf_b,
            "inf_candidate": inf_c,
            "inf_both": both & same,
            "inf_sign": both & ~same,
            "mismatched": mismatch,
        }
        counts = {name: int(np.count_nonzero(test)) for name, test in tests.items()}
        self._non_finite = self._non_finite.plus(NonFinite(**counts))
        if counts["mismatched"]:
            place = stretch.start + int(np.argmax(mismatch))
            self.first_mismatch = _earlier(self.first_mismatch, place)

    def result(self) -> Metrics:
        """What all chunks together say, but for the tolerance."""
        nan = self._non_finite
        max_abs, max_rel = self._max_abs, self._max_rel
        if nan.mismatched:
            lost = nan.nan_base + nan.nan_candidate > 2 * nan.nan_both
            max_abs = max_rel = float("nan") if lost else float("inf")
        cosine = None
        if self.compared and self._base.count > 1 and self._base.shape:
            # Exactly 1 for equal vectors, also for two of zeros, whatever the sums round to.
            cosine = 1.0 if self._max_abs == 0 else self.pair.cosine()
        worst = self._worst if self.first_mismatch is None else self.first_mismatch
        return Metrics(
            count=self._base.count,
            compared=self.compared,
            cosine=cosine,
            max_abs=max_abs,
            max_rel=max_rel,
            mean_abs=self._errors.mean(self.compared),
            rmse=self._errors.rms(self.compared),
            euclid=self._errors.norm(),
            zero_base=self._zero_base,
            worst=self.index(worst),
            base_zero=self.compared > 0 and self.pair.base_zero,
            candidate_zero=self.compared > 0 and self.pair.candidate_zero,
            non_finite=nan,
            base_rms=self.pair.base_rms(self.compared),
        )

    def index(self, flat: int | None) -> Index | None:
        """Turn a place in memory order into an index of the tensor."""
        if flat is None:
            return None
        order: Literal["C", "F"] = "F" if self._base.fortran_order else "C"
        return tuple(int(i) for i in np.unravel_index(flat, self._base.shape, order))


def _same_parts(b: NDArray[Any], c: NDArray[Any]) -> NDArray[np.bool_]:
    """Where both are the same value, NaN included; part by part for complex numbers."""
    if np.iscomplexobj(b) or np.iscomplexobj(c):
        return _same_parts(b.real, c.real) & _same_parts(b.imag, c.imag)
    same: NDArray[np.bool_] = (b == c) | (np.isnan(b) & np.isnan(c))
    return same


def _earlier(found: int | None, place: int) -> int:
    return place if found is None else min(found, place)
