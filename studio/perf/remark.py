"""One thing that the import doctor says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

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
