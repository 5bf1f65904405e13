"""The further pages of the operators view: roofline, call stacks, host, calls, queues, others."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from studio.i18n import tr
from studio.perf.doctor_texts import device_activity
from studio.ui.lazypage import LazyPage
from studio.ui.table import TableView

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pandas as pd
    from PySide6.QtWidgets import QTabWidget, QWidget

    from plugins.operators.hostside import HostSide
    from plugins.operators.roofs import Roofs
    from plugins.operators.ui.extraloader import CallStacks, DrawnFlows, Special
    from plugins.operators.ui.view import OperatorsView

    Asked = tuple[Path, dict[str, Any]]


class ExtraPages:
    """Each page reads once it is shown, and anew once rank, step or grouping changed."""

    def __init__(self, view: OperatorsView) -> None:
        self._view = view
        self.choices = {"weight": "device", "by": "name", "order": "left"}
        made: dict[str, tuple[str, Callable[[], Asked], Callable[[Any], object]]] = {
            "roofline": (tr("Roofline"), self._asked_roofline, self._show_roofline),
            "stacks": (tr("Call stacks"), self._asked_stacks, self._show_stacks),
            "host": (tr("On the host"), self._asked_host, self._show_host),
            "calls": (tr("Runtime calls"), self._asked_plain, self._show_calls),
            "flows": (tr("Queues and copies"), self._asked_plain, self._show_flows),
            "special": (tr("AI CPU and shapes"), self._asked_plain, self._show_special),
        }
        self.titles = {key: title for key, (title, _, _) in made.items()}
        self.pages = {
            key: LazyPage(view.studio, f"operators:ui.extraloader.load_{key}", ask, show)
            for key, (_, ask, show) in made.items()
        }
        self.shown: dict[str, Any] = {}

    def add_to(self, tabs: QTabWidget) -> None:
        """Add the pages behind those that are there."""
        for key, page in self.pages.items():
            tabs.addTab(page, self.titles[key])

    def refresh(self) -> None:
        """Read anew what is seen, and the rest once it is."""
        self.shown.clear()
        for page in self.pages.values():
            page.refresh()

    def idle(self) -> bool:
        """Whether nothing is being read or sorted."""
        pages = all(page.idle() for page in self.pages.values())
        return pages and all(part.idle() for part in self.shown.values())

    def open(self, key: str) -> None:
        """Bring a page to the front."""
        self._view.tabs.setCurrentWidget(self.pages[key])

    # -- what is asked --------------------------------------------------------------------------
    def _asked_roofline(self) -> Asked:
        return self._view.path, self._view.asked()

    def _asked_stacks(self) -> Asked:
        step = self._view.asked()["step"]
        return self._view.path, {"weight": self.choices["weight"], "step": step}

    def _asked_host(self) -> Asked:
        return self._view.path, {"by": self.choices["by"]}

    def _asked_plain(self) -> Asked:
        return self._view.path, {}

    # -- what is shown --------------------------------------------------------------------------
    def _show_roofline(self, roofs: Roofs) -> None:
        from plugins.operators.ui.rooflinepage import RooflinePage

        page = RooflinePage(roofs)
        page.chosen.connect(self._view.show_operator)
        self._put("roofline", page)

    def _show_stacks(self, stacks: CallStacks) -> None:
        from plugins.operators.ui.stackspage import StacksPage

        if not len(stacks.functions):
            self.pages["stacks"].tell(
                "operator",
                tr("Nothing is known of what called the operators"),
                tr(
                    "Framework operators on the host and their launches lead to call stacks. "
                    "Record with activities=[ProfilerActivity.CPU, ProfilerActivity.{device}] and "
                    "with_stack=True; a profile without any device has its own time on the host.",
                    device=device_activity(self._view.form),
                ),
                [self._other_weight()],
            )
            return
        page = StacksPage(stacks, self.choices["order"])
        page.source_wanted.connect(self._view.open_source)
        page.weight_wanted.connect(partial(self._again, "stacks", "weight"))
        page.order.activated.connect(lambda _: self.choices.update(order=page.order.currentData()))
        self._put("stacks", page)

    def _other_weight(self) -> Any:  # noqa: ANN401 - an Action
        from studio.ui.view import Action

        other = "host" if self.choices["weight"] == "device" else "device"
        title = tr("Own time on the host") if other == "host" else tr("Time on the device")
        return Action(title, partial(self._again, "stacks", "weight", other))

    def _show_host(self, side: HostSide) -> None:
        from plugins.operators.ui.hostpage import HostPage

        if not len(side.table):
            self.pages["host"].tell(
                "operator",
                tr("No operators of the host were recorded"),
                tr(
                    "Record with activities=[ProfilerActivity.CPU, ProfilerActivity.{device}].",
                    device=device_activity(self._view.form),
                ),
            )
            return
        view, page = self._view, HostPage(side)
        page.by_wanted.connect(partial(self._again, "host", "by"))
        page.chosen.connect(view.share)
        page.timeline_wanted.connect(view.show_time)
        page.source_wanted.connect(view.open_source)
        page.memory_wanted.connect(view.open_memory)
        self._put("host", page)

    def _show_calls(self, table: pd.DataFrame) -> None:
        from plugins.operators.ui.hostpage import call_columns

        if not len(table):
            self.pages["calls"].tell(
                "operator",
                tr("No calls of the runtime were recorded"),
                tr(
                    "They come from the timeline, the database or api_statistic.csv. Record with "
                    "activities=[ProfilerActivity.CPU, ProfilerActivity.{device}].",
                    device=device_activity(self._view.form),
                ),
            )
            return
        page = TableView()
        page.view.setAccessibleName(tr("Runtime calls"))
        page.set_data(table, call_columns(table))
        self._put("calls", page)

    def _show_flows(self, drawn: DrawnFlows) -> None:
        from plugins.operators.ui.flowspage import FlowsPage

        if not len(drawn.flows.queues) and not len(drawn.flows.copies):
            self.pages["flows"].tell(
                "operator",
                tr("Nothing is known of launches and copies"),
                tr(
                    "They come from the timeline or the database, at Level1 or above on Ascend. "
                    "Record with activities=[ProfilerActivity.CPU, ProfilerActivity.{device}].",
                    device=device_activity(self._view.form),
                ),
            )
            return
        page = FlowsPage(drawn)
        page.chosen.connect(lambda time: self._view.share(time, None))
        page.timeline_wanted.connect(self._view.show_time)
        self._put("flows", page)

    def show_moment(self, start: int, end: int) -> None:
        """Mark a stretch of time that another view chose."""
        if page := self.shown.get("flows"):
            page.show_moment(start, end)

    def _show_special(self, special: Special) -> None:
        from plugins.operators.ui.specialpage import SpecialPage

        page = SpecialPage(special)
        page.operator_wanted.connect(lambda name: self._view.reopen(find=name, by="type"))
        self._put("special", page)

    def _put(self, key: str, page: QWidget) -> None:
        self.shown[key] = page
        self.pages[key].show_page(page)

    def _again(self, key: str, choice: str, value: str) -> None:
        """Read a page anew for another choice."""
        self.choices[choice] = value
        self.shown.pop(key, None)
        self.pages[key].refresh()
