"""What chips can do at most, from the table `resources/rules/chips.csv`."""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from studio.paths import resource

if TYPE_CHECKING:
    from pathlib import Path

_FP16: Final = frozenset({"FLOAT16", "BF16", "BFLOAT16", "HALF"})
_FP32: Final = frozenset({"FLOAT", "FLOAT32"})
_INT8: Final = frozenset({"INT8", "UINT8"})
_TERA, _GIGA = 1e12, 1e9


@dataclass(frozen=True, slots=True)
class Chip:
    """One chip: operations and bytes per second at most, None where the source says nothing."""

    name: str
    fp16: float | None
    fp32: float | None
    int8: float | None
    bandwidth: float | None
    verdict: str = ""
    """ "guess" where nobody has stated it so."""
    source: str = ""

    def peak(self, data_type: str) -> float | None:
        """Operations per second at most for a data type such as BF16."""
        if data_type in _FP16:
            return self.fp16
        if data_type in _FP32:
            return self.fp32
        return self.int8 if data_type in _INT8 else None


def chips(path: Path | None = None) -> list[tuple[tuple[str, ...], Chip]]:
    """All chips of the table, each with the names that a profile may call it by."""
    file = path or resource("rules", "chips.csv")
    with file.open(encoding="utf-8", newline="") as stream:
        return [
            (
                tuple(row["names"].split("|")),
                Chip(
                    row["chip"],
                    _rate(row["fp16_tflops"], _TERA),
                    _rate(row["fp32_tflops"], _TERA),
                    _rate(row["int8_tops"], _TERA),
                    _rate(row["bandwidth_gbs"], _GIGA),
                    row["verdict"],
                    row["source"],
                ),
            )
            for row in csv.DictReader(stream)
        ]


def chip_of(name: str | None, path: Path | None = None) -> Chip | None:
    """The chip that a profile names ("Ascend910B3", "NVIDIA A100-SXM4-80GB"); None when unknown.

    The longest name that occurs decides, so that Ascend910B3 is not taken for an Ascend910.
    """
    if not name:
        return None
    wanted = _letters(name)
    found = [
        (len(known), chip)
        for names, chip in chips(path)
        for known in names
        if _letters(known) in wanted
    ]
    return max(found, key=lambda pair: pair[0])[1] if found else None


def chip_for(profile_chip: str | None, chosen: Chip | None) -> Chip | None:
    """The chosen chip; what it does not say is that of the chip that the profile names."""
    known = chip_of(profile_chip)
    if chosen is None or known is None or chosen.source:
        return chosen or known
    return replace(
        known,
        name=f"{known.name} · {chosen.name}",
        fp16=chosen.fp16 or known.fp16,
        bandwidth=chosen.bandwidth or known.bandwidth,
    )


def _letters(name: str) -> str:
    return "".join(name.casefold().split()).replace("_", "").replace("-", "")


def _rate(cell: str, factor: float) -> float | None:
    return float(cell) * factor if cell.strip() else None
