"""Kinds of work can be told apart also by those who see fewer colours."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from plugins.timeline.ui.classes import KINDS
from plugins.timeline.ui.palette import mixed
from studio.ui.theme import load_theme

pytestmark = pytest.mark.gui

Matrix = NDArray[np.float64]
SIGHT: dict[str, Matrix] = {
    # Machado, Oliveira, Fernandes: A Physiologically-based Model for Simulation of Color Vision
    # Deficiency, IEEE TVCG 15 (2009), severity 1.0
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
         [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
         [-0.011820, 0.042940, 0.968881]]
    ),
    "all colours": np.eye(3),
}  # fmt: skip
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1.0, 1.089])
LEAST = 9.0
"""CIE76; about 2 can just be told apart side by side, greys and greens are the closest here."""


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("theme", ["dark", "light", "contrast"])
def test_kinds_of_work_differ(theme: str, sight: str, qapp: object) -> None:
    named = [kind for kind in KINDS if not kind.id.startswith(("other", "length", "none"))]
    colours = [mixed(load_theme(theme), kind.colours) for kind in named]
    seen = [lab(SIGHT[sight] @ linear([c.redF(), c.greenF(), c.blueF()])) for c in colours]
    for number, one in enumerate(seen):
        for place, other in enumerate(seen[:number]):
            away = float(np.linalg.norm(one - other))
            assert away >= LEAST, (named[number].id, named[place].id)


def linear(channels: list[float]) -> Matrix:
    """The light of sRGB channels (IEC 61966-2-1)."""
    values = np.array(channels)
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(light: Matrix) -> Matrix:
    """CIE 1976 L*a*b* under D65."""
    ratio = XYZ @ np.clip(light, 0, 1) / WHITE
    root = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])
