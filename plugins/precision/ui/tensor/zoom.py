"""Which part of a slice is shown after zooming and moving."""

from __future__ import annotations

from plugins.precision.core.tensors.planes import Window


def zoomed(window: Window, place: tuple[int, int], factor: float) -> Window:
    """Return a window `factor` times as large that keeps a place where it is, at least one cell."""
    high = max(round((window.bottom - window.top) * factor), 1)
    wide = max(round((window.right - window.left) * factor), 1)
    if (high, wide) == (window.bottom - window.top, window.right - window.left) and factor > 1:
        high, wide = high + 1, wide + 1
    down = (place[0] + 0.5 - window.top) / max(window.bottom - window.top, 1)
    across = (place[1] + 0.5 - window.left) / max(window.right - window.left, 1)
    top = round(place[0] + 0.5 - down * high)
    left = round(place[1] + 0.5 - across * wide)
    return Window(top, left, top + high, left + wide)


def panned(window: Window, rows: int, columns: int) -> Window:
    """Return the window moved by so many rows and columns."""
    return Window(
        window.top + rows, window.left + columns, window.bottom + rows, window.right + columns
    )


def within(window: Window, rows: int, columns: int) -> Window:
    """Return the window moved and cut so that it lies in a slice of that size."""
    high = min(window.bottom - window.top, rows)
    wide = min(window.right - window.left, columns)
    top = min(max(window.top, 0), rows - high)
    left = min(max(window.left, 0), columns - wide)
    return Window(top, left, top + high, left + wide)


def around(window: Window, place: tuple[int, int]) -> Window:
    """Return the window moved so that a place is in it, in the middle when it was not."""
    row, column = place
    if window.top <= row < window.bottom and window.left <= column < window.right:
        return window
    high, wide = window.bottom - window.top, window.right - window.left
    top, left = row - high // 2, column - wide // 2
    return Window(top, left, top + high, left + wide)
