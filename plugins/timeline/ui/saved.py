"""The state of a timeline as plain values, kept over a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugins.timeline.ui.arrangement import arrangement_of
from plugins.timeline.ui.classes import COLOURINGS
from plugins.timeline.ui.gutter import NARROWEST, WIDEST
from plugins.timeline.ui.marks import Mark
from plugins.timeline.ui.pointer import Drag
from plugins.timeline.ui.viewport import FINEST, Viewport

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugins.timeline.ui.pane import TimelinePane
    from plugins.timeline.ui.state import TimelineState
    from plugins.timeline.ui.view import TimelineView

_LANES = "lanes"
_OF_THE_MOMENT = ("selected", "range", "area", "search")


def saved(pane: TimelinePane) -> dict[str, Any]:
    """Return what is to be kept."""
    state = pane.state
    view = state.viewport
    return {
        "view": [view.start, view.fraction, view.scale * state.width],
        "scroll": state.lanes.scroll,
        **lanes_saved(state),
        "selected": state.scene.key_of(state.selected) if state.selected >= 0 else "",
        "range": list(state.range) if state.range else [],
        "area": sorted(state.area) if state.area is not None else None,
        "marks": [[mark.start, mark.end, mark.number, mark.name] for mark in state.marks.all],
        "search": pane.search.field.text(),
        "search_modes": [name for name, mode in pane.search.modes.items() if mode.isChecked()],
        "unit": pane.ruler.unit,
        "gutter": pane.gutter.width(),
        "drag": pane.canvas.pointer.mode.value,
        "flows": state.all_flows,
        "flow_categories_off": sorted(state.flows_off),
        "colours": state.scene.colouring,
    }


def lanes_saved(state: TimelineState) -> dict[str, Any]:
    """Return how the lanes are folded and arranged: kept per project, beyond the tab's life."""
    lanes = state.lanes
    return {
        "folded": sorted(lanes.folded),
        "compact": sorted(lanes.compact),
        "lanes": lanes.arrangement.values(),
    }


def restore_lanes(state: TimelineState, values: Mapping[str, Any]) -> None:
    """Fold and arrange the lanes as they were."""
    lanes = state.lanes
    if "folded" in values:
        lanes.fold(lanes.folded | lanes.compact, False)
        lanes.fold([*_texts(values, "folded"), *_texts(values, "compact")], True)
    kept = values.get("lanes")
    if isinstance(kept, dict):
        lanes.rearrange(arrangement_of(kept))


def kept_lanes(view: TimelineView) -> dict[str, Any]:
    """Return what was kept when this trace was last open in the project."""
    project = view.studio.project
    kept = project.state(view.studio.plugin).get(_LANES, {}) if project is not None else {}
    found = kept.get(str(view.path), {})
    return dict(found) if isinstance(found, dict) else {}


def keep_lanes(view: TimelineView) -> None:
    """Remember with the project how the lanes are arranged."""
    if view.studio.project is not None and view.pane is not None:
        keep(view, {**kept_lanes(view), **lanes_saved(view.pane.state)})


def keep(view: TimelineView, values: Mapping[str, Any]) -> None:
    """Remember with the project what is to be shown when the trace is opened again.

    Not what is selected or searched: by then, other views may have selected something else.
    """
    project = view.studio.project
    if project is not None:
        own = {key: value for key, value in values.items() if key not in _OF_THE_MOMENT}
        if own.get("colours") == view.studio.setting("timeline.colours"):
            del own["colours"]
        project.state(view.studio.plugin).setdefault(_LANES, {})[str(view.path)] = own


def restore(pane: TimelinePane, values: dict[str, Any]) -> None:
    """Return to what was kept; values that do not fit are left out."""
    state = pane.state
    restore_lanes(state, values)
    view = values.get("view")
    if isinstance(view, list) and len(view) == 3 and view[2] > 0:
        scale = max(float(view[2]) / state.width, FINEST)
        shown = Viewport(int(view[0]), float(view[1]) % 1.0, scale)
        if _meets(state, view[0], view[0] + view[2]):
            state.set_view(shown.within(*state.bounds, state.width))
    state.lanes.scroll_to(int(values.get("scroll", 0)))
    state.select(state.scene.find_key(str(values.get("selected", ""))))
    chosen = values.get("range")
    if isinstance(chosen, list) and len(chosen) == 2 and _meets(state, *chosen):
        area = values.get("area")
        keys = frozenset(_texts(values, "area")) if isinstance(area, list) else None
        state.select_range((int(chosen[0]), int(chosen[1])), keys)
    state.marks.set_all(
        Mark(int(a), int(b), int(number), str(name[0]) if name else "")
        for a, b, number, *name in values.get("marks", [])
    )
    pane.ruler.set_unit(str(values.get("unit", "")))
    pane.set_gutter_width(max(NARROWEST, min(int(values.get("gutter", 216)), WIDEST)))
    if values.get("drag") in (Drag.PAN.value, Drag.RANGE.value):
        pane.canvas.pointer.set_mode(Drag(values["drag"]))
    state.show_all_flows(bool(values.get("flows", False)))
    for category in _texts(values, "flow_categories_off"):
        state.show_flow_category(category, False)
    if values.get("colours") in COLOURINGS:
        pane.colour_by(str(values["colours"]))
    for name in _texts(values, "search_modes"):
        if name in pane.search.modes:
            pane.search.modes[name].setChecked(True)
    if values.get("search"):
        pane.search.look_for(str(values["search"]), exact=False)
    pane.toolbar_state()


def _meets(state: TimelineState, start: float, end: float) -> bool:
    """Whether a time lies in the trace, which may have been recorded anew."""
    return int(start) <= state.scene.trace.end_ns and int(end) >= state.scene.trace.start_ns


def _texts(values: Mapping[str, Any], key: str) -> list[str]:
    return [str(text) for text in values.get(key, [])]
