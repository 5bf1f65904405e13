"""One thing that the import doctor says."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

OK: Final = "ok"
INFO: Final = "info"
WARNING: Final = "warning"
ERROR: Final = "error"


@dataclass(frozen=True, slots=True)
class Remark:
    """What was noticed, how bad it is, what it costs and what to do.

    `kind` is one of missing, unparsed, unreadable, setting, version, time, duplicate, fault, mixed.
    """

    kind: str
    severity: str
    text: str
    cost: str = ""
    advice: str = ""
    path: str = ""

    def to_json(self) -> dict[str, str]:
        """The remark as plain values."""
        return {
            "kind": self.kind,
            "severity": self.severity,
            "text": self.text,
            "cost": self.cost,
            "advice": self.advice,
            "path": self.path,
        }


def remark_of(values: Mapping[str, object]) -> Remark:
    """The remark that `Remark.to_json` wrote; what is missing is empty."""
    texts = {entry.name: str(values.get(entry.name) or "") for entry in fields(Remark)}
    severity = texts["severity"] if texts["severity"] in (OK, INFO, WARNING, ERROR) else INFO
    return Remark(**{**texts, "severity": severity})
