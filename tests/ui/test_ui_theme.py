"""Every text is readable on every background, and categories are told apart by everyone."""

from itertools import combinations

import pytest
from PySide6.QtGui import QColor

from studio.ui.barlist import PALE, QUIET
from studio.ui.chartflame import FILLED
from studio.ui.sharebar import ink_on
from studio.ui.theme import THEMES, load_theme

pytestmark = pytest.mark.gui

TEXTS = ("text", "muted", "accent", "ok", "warn", "error", "info")
BACKGROUNDS = ("bg", "surface", "raised")

LEAST = {"dark": 4.5, "light": 4.5, "contrast": 7.0}

# Machado, Oliveira, Fernandes 2009, severity 1.0, on linear RGB.
PROTANOPIA = (
    (0.152286, 1.052583, -0.204868),
    (0.114503, 0.786281, 0.099216),
    (-0.003882, -0.048116, 1.051998),
)
DEUTERANOPIA = (
    (0.367322, 0.860646, -0.227968),
    (0.280085, 0.672501, 0.047413),
    (-0.011820, 0.042940, 0.968881),
)
IDENTITY = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def linear(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def contrast(first, second):
    light = sorted(
        sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))
        for colour in (first, second)
    )
    return (light[1] + 0.05) / (light[0] + 0.05)


def oklab(rgb):
    lms = times(
        (
            (0.4122214708, 0.5363325363, 0.0514459929),
            (0.2119034982, 0.6806995451, 0.1073969566),
            (0.0883024619, 0.2817188376, 0.6299787005),
        ),
        [min(max(c, 0), 1) for c in rgb],
    )
    return times(
        (
            (0.2104542553, 0.7936177850, -0.0040720468),
            (1.9779984951, -2.4285922050, 0.4505937099),
            (0.0259040371, 0.7827717662, -0.8086757660),
        ),
        [c ** (1 / 3) for c in lms],
    )


def difference(first, second, vision):
    a, b = (oklab(times(vision, linear(c))) for c in (first, second))
    return sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5


@pytest.mark.parametrize("name", THEMES)
def test_each_text_has_contrast_on_each_background(name):
    tokens = load_theme(name).tokens
    least = LEAST[name]
    for text in TEXTS:
        for background in (*BACKGROUNDS, "hover", "selected"):
            assert contrast(tokens[text], tokens[background]) >= least, (text, background)
    assert contrast(tokens["on_accent"], tokens["accent"]) >= least


@pytest.mark.parametrize("name", THEMES)
def test_code_is_readable_also_on_changed_lines(name):
    theme, least = load_theme(name), LEAST[name]
    for role, colour in theme.syntax.items():
        if role != "current_line":
            assert contrast(colour, theme.tokens["bg"]) >= least, role
            assert contrast(colour, theme.syntax["current_line"]) >= least, role
            assert contrast(colour, theme.tokens["selected"]) >= least, role
    for ground, colour in theme.diff.items():
        assert contrast(theme.tokens["text"], colour) >= least, ground
        for role, text in theme.syntax.items():
            beside = role == "line_number" and ground.endswith("word")
            if role != "current_line" and not beside:
                assert contrast(text, colour) >= least, (role, ground)


def over(colour, share, ground):
    """A colour that covers a share of a ground."""
    pairs = ((int(c[i : i + 2], 16) for c in (colour, ground)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)


@pytest.mark.parametrize("name", THEMES)
def test_texts_on_bars_and_boxes_are_readable_in_every_colour(name):
    theme, least = load_theme(name), LEAST[name]
    bg, text = theme.tokens["bg"], theme.tokens["text"]
    quiet = theme.mix("muted", "text", QUIET).name()
    for colour in (*theme.categories, *theme.semantics.values()):
        bar = over(colour, PALE, bg)
        assert contrast(text, bar) >= least, colour
        assert contrast(quiet, bar) >= least, colour
        assert contrast(text, over(colour, FILLED, bg)) >= least, colour
        assert contrast(ink_on(QColor(colour)).name(), colour) >= 4.0, colour


@pytest.mark.parametrize("name", THEMES)
def test_changed_words_stand_out_from_their_line(name):
    diff = load_theme(name).diff
    for side in ("added", "removed"):
        assert difference(diff[f"{side}_word"], diff[side], IDENTITY) >= 0.08, side


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("vision", [IDENTITY, PROTANOPIA, DEUTERANOPIA])
def test_categories_differ_for_every_colour_vision(name, vision):
    theme = load_theme(name)
    assert len(theme.categories) == 12
    for first, second in combinations(theme.categories, 2):
        assert difference(first, second, vision) >= 0.04, (first, second)


@pytest.mark.parametrize("name", THEMES)
def test_semantic_colours_stand_out_from_the_ground(name):
    theme = load_theme(name)
    assert set(theme.semantics) == {
        "computing",
        "communication",
        "free",
        "memory_copy",
        "host",
        "overflow",
    }
    for meaning, colour in theme.semantics.items():
        assert contrast(colour, theme.tokens["bg"]) >= 2.5, meaning


def test_scales_run_from_end_to_end():
    theme = load_theme("dark")
    assert theme.sequential(0).name() == theme.sequential_stops[0]
    assert theme.sequential(1).name() == theme.sequential_stops[-1]
    assert theme.diverging(-2).name() == theme.diverging_stops[0]
    assert theme.diverging(0).name() == theme.diverging_stops[2]
    assert theme.category(13) == theme.category(1)
