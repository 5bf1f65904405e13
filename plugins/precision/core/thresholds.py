"""Tolerances of a user's own: kept in a file of the form that `--standard` reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from studio.kernel.files import write_atomic

if TYPE_CHECKING:
    from pathlib import Path

    from studio.tensors.standards import Standard

OWN = "own"
"""The name of the preset in the file."""

FILE = "precision-thresholds.toml"


def to_toml(standard: Standard) -> str:
    """Return a preset as the text of a file; see resources/rules/precision.toml for the form."""
    lines = [
        f"[presets.{OWN}]",
        f"title = {json.dumps(standard.title, ensure_ascii=False)}",
        f"[presets.{OWN}.types]",
    ]
    for kind, tolerance in standard.types.items():
        numbers = {
            "relative": tolerance.relative,
            "of_scale": tolerance.of_scale,
            "absolute": tolerance.absolute,
        }
        cells = ", ".join(f"{name} = {_number(value)}" for name, value in numbers.items())
        lines.append(f"{json.dumps(kind)} = {{ {cells} }}")
    if standard.ulp:
        lines.append(f"[presets.{OWN}.ulp]")
        lines += [f"{json.dumps(kind)} = {_number(value)}" for kind, value in standard.ulp.items()]
    if standard.apis:
        lines.append(f"[presets.{OWN}.apis]")
        lines += [
            f"{json.dumps(api)} = {{ factor = {_number(factor)} }}"
            for api, factor in standard.apis.items()
        ]
    return "\n".join(lines) + "\n"


def save(standard: Standard, folder: Path) -> Path:
    """Write the user's own tolerances into a folder and return the file."""
    path = folder / FILE
    write_atomic(path, to_toml(standard).encode())
    return path


def _number(value: float) -> str:
    """A float as TOML writes it: all digits, never without a point or an exponent."""
    return repr(float(value))
