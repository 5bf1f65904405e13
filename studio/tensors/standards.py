"""Sets of tolerances: our own, the vendor's, or a user's file of the same form."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.paths import resource
from studio.tensors.profile import Limits
from studio.tensors.tolerance import Tolerance

if TYPE_CHECKING:
    from collections.abc import Mapping

    from studio.tensors.values import ElementType

DEFAULT = "studio"
_EXACT = Tolerance(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Standard:
    """The tolerances of one preset."""

    name: str
    title: str
    types: Mapping[str, Tolerance]
    ulp: Mapping[str, float] = field(default_factory=dict)
    apis: Mapping[str, float] = field(default_factory=dict)
    """Factors by operator."""
    _found: dict[tuple[str, str, str], Tolerance] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def tolerance(self, base: ElementType, candidate: ElementType, api: str = "") -> Tolerance:
        """Return the wider tolerance of two types for an operator."""
        key = (base.name, candidate.name, api)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._widest(base, candidate, api)
        return found

    def _widest(self, base: ElementType, candidate: ElementType, api: str) -> Tolerance:
        one, two = self._of(base), self._of(candidate)
        widest = Tolerance(
            max(one.relative, two.relative),
            max(one.of_scale, two.of_scale),
            max(one.absolute, two.absolute),
        )
        factor = self.apis.get(api, 1.0)
        return widest if factor == 1.0 else widest.times(factor)

    def limits(self, base: ElementType, candidate: ElementType) -> Limits:
        """Return what counts as far in units of the last place, for the coarser type."""
        found = [self.ulp[kind.name] for kind in (base, candidate) if kind.name in self.ulp]
        return Limits(ulp=min(found, default=1.0))

    def _of(self, element: ElementType) -> Tolerance:
        if element.kind in ("bool", "int"):
            return _EXACT
        return self.types.get(element.name) or self.types.get("float64") or _EXACT


def standards() -> dict[str, Standard]:
    """Return the presets that come with the program."""
    return _read(resource("rules", "precision.toml"))


def standard(name: str = "") -> Standard:
    """Return a preset by name, or the first one of a user's file; "" is our own."""
    known = standards()
    if not name or name in known:
        return known[name or DEFAULT]
    path = Path(name)
    if not path.is_file():
        names = ", ".join(known)
        raise StudioError(
            tr(
                "There is no standard “{name}”: expected one of {names}, or a file.",
                name=name,
                names=names,
            ),
            exit_code=2,
        )
    found = _read(path)
    if not found:
        raise StudioError(tr("{file} holds no presets", file=path.name), path=path)
    return next(iter(found.values()))


def _read(path: Path) -> dict[str, Standard]:
    try:
        with path.open("rb") as file:
            content = tomllib.load(file)
        presets: dict[str, Any] = content.get("presets", {})
        return {name: _standard(name, entry) for name, entry in presets.items()}
    except OSError as error:
        text = tr("{file}: {reason}", file=path.name, reason=error.strerror or str(error))
        raise StudioError(text, path=path) from error
    except (tomllib.TOMLDecodeError, AttributeError, TypeError, ValueError) as error:
        text = tr("{file} is no file of tolerances: {reason}", file=path.name, reason=error)
        raise StudioError(text, path=path) from error


def _standard(name: str, entry: dict[str, Any]) -> Standard:
    types = {
        kind: Tolerance(
            float(numbers.get("relative", 0.0)),
            float(numbers.get("of_scale", 0.0)),
            float(numbers.get("absolute", 0.0)),
        )
        for kind, numbers in entry.get("types", {}).items()
    }
    ulp = {kind: float(number) for kind, number in entry.get("ulp", {}).items()}
    apis = {api: float(numbers["factor"]) for api, numbers in entry.get("apis", {}).items()}
    return Standard(name, str(entry.get("title", name)), types, ulp, apis)
