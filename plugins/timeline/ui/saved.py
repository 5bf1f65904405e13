"""The state of a timeline as plain values, kept over a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugins.timeline.ui.gutter import NARROWEST, WIDEST
from plugins.timeline.ui.state import Mark
from plugins.timeline.ui.viewport import FINEST, Viewport

if TYPE_CHECKING:
    from plugins.timeline.ui.pane import TimelinePane


def saved(pane: TimelinePane) -> dict[str, Any]:
    """Return what is to be kept."""
    state = pane.state
    view = state.viewport
    return {
        "view": [view.start, view.fraction, view.scale * state.width],
        "scroll": state.scroll,
        "folded": sorted(state.folded),
        "compact": sorted(state.compact),
        "selected": state.scene.key_of(state.selected) if state.selected >= 0 else "",
        "range": list(state.range) if state.range else [],
        "marks": [[mark.start, mark.end, mark.number] for mark in state.marks],
        "search": pane.search.field.text(),
        "unit": pane.ruler.unit,
        "gutter": pane.gutter.width(),
        "flows": state.all_flows,
    }


def restore(pane: TimelinePane, values: dict[str, Any]) -> None:
    """Return to what was kept; values that do not fit are left out."""
    state = pane.state
    state.fold(state.folded | state.compact, False)
    state.fold([*_texts(values, "folded"), *_texts(values, "compact")], True)
    view = values.get("view")
    if isinstance(view, list) and len(view) == 3 and view[2] > 0:
        scale = max(float(view[2]) / state.width, FINEST)
        state.show_view(Viewport(int(view[0]), float(view[1]) % 1.0, scale))
    state.scroll_to(int(values.get("scroll", 0)))
    state.select(state.scene.find_key(str(values.get("selected", ""))))
    chosen = values.get("range")
    if isinstance(chosen, list) and len(chosen) == 2:
        state.select_range((int(chosen[0]), int(chosen[1])))
    state.marks = tuple(Mark(int(a), int(b), int(n)) for a, b, n in values.get("marks", []))
    state.decoration_changed.emit()
    pane.ruler.set_unit(str(values.get("unit", "")))
    pane.set_gutter_width(max(NARROWEST, min(int(values.get("gutter", 216)), WIDEST)))
    state.show_all_flows(bool(values.get("flows", False)))
    if values.get("search"):
        pane.search.look_for(str(values["search"]), exact=False)
    pane.toolbar_state()


def _texts(values: dict[str, Any], key: str) -> list[str]:
    return [str(text) for text in values.get(key, [])]
