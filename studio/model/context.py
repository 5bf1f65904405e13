"""The context that verdicts depend on: chosen torch version, chip, interpreter, and the like."""

from __future__ import annotations

from dataclasses import dataclass, replace

from studio.kernel.events import Event

TORCH_VERSIONS = ("2.6", "2.7.1", "2.8", "2.9", "2.10", "2.11", "2.12", "2.13")
"""The releases of torch_npu that the support tables speak of."""

CHIPS = ("A2", "A3", "950DT")
"""The Ascend chips that the support tables speak of."""


@dataclass(frozen=True, slots=True)
class ContextValues:
    """What the user chose for one project; saved in the user's folder, never in the project."""

    torch_version: str = "2.8"
    chip: str = "A2"
    interpreter: str = ""
    baseline: str = ""
    candidate: str = ""


class Context:
    """Holds the values and tells when they change."""

    def __init__(self, values: ContextValues | None = None) -> None:
        self.changed: Event[ContextValues] = Event("context.changed")
        self._values = values or ContextValues()

    @property
    def values(self) -> ContextValues:
        """The current values."""
        return self._values

    def set(self, **changes: str) -> None:
        """Replace single values by name; tells only of real changes."""
        values = replace(self._values, **changes)
        if values != self._values:
            self._values = values
            self.changed.emit(values)
