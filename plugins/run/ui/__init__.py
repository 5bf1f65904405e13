"""The panel of runs, the item that names the Python, and their commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shiboken6 import isValid

from plugins.run.core.configuration import Configuration
from plugins.run.ui.choosing import PythonItem
from plugins.run.ui.panel import RunPanel
from studio.i18n import tr

if TYPE_CHECKING:
    from pathlib import Path

    from studio.api import Studio


def make_panel(studio: Studio) -> RunPanel:
    """The bottom panel; its programs end with it."""
    panel = RunPanel(studio)
    # With another language the window, and the panel in it, is another one.
    studio.on_unload(lambda: panel.shut() if isValid(panel) else None)
    return panel


def make_status(studio: Studio) -> PythonItem:
    """The item in the status bar."""
    return PythonItem(studio)


def run_last(studio: Studio) -> None:
    """Run what was run last."""
    panel = _panel(studio)
    if panel is not None:
        panel.run_again()


def run_front(studio: Studio) -> None:
    """Run the file in front."""
    view = studio.window.active_view() if studio.window is not None else None
    path = getattr(getattr(view, "document", None), "path", None)
    if path is None:
        studio.notify(tr("Open a script first."), severity="warn")
    else:
        run_file(studio, path)


def run_file(studio: Studio, path: Path) -> None:
    """Run a file of the project, as it was run before if it was."""
    panel, project = _panel(studio), studio.project
    if panel is None or project is None:
        return
    from plugins.run.ui.kept import configurations

    plain = Configuration.for_file(path, project.root)
    known = configurations(project)
    panel.run(next((one for one in known if one.target == plain.target), plain))


def stop(studio: Studio) -> None:
    """End the run in front."""
    panel = _panel(studio)
    if panel is not None:
        panel.stop()


def edit(studio: Studio) -> None:
    """Edit what can be run."""
    panel, project, window = _panel(studio), studio.project, studio.window
    if panel is None or project is None or window is None:
        return
    from plugins.run.ui.dialog import ConfigurationDialog
    from plugins.run.ui.kept import configurations, keep

    dialog = ConfigurationDialog(window.parent(), project.root, configurations(project))
    if dialog.exec():
        keep(project, dialog.result_list())
        chosen = dialog.list.currentItem()
        panel.renew(chosen.text() if chosen is not None else "")
    dialog.deleteLater()


def show(studio: Studio) -> None:
    """Bring the panel to the front."""
    panel = _panel(studio)
    if panel is not None:
        tab = panel.current()
        (tab.output if tab is not None else panel.choice).setFocus()


def choose_python(studio: Studio) -> None:
    """Offer the Pythons of this machine."""
    if studio.window is not None:
        item = studio.window.parent().findChild(PythonItem)
        if isinstance(item, PythonItem):
            item.choose()


def _panel(studio: Studio) -> RunPanel | None:
    panel = studio.window.show_panel("run.panel") if studio.window is not None else None
    return panel if isinstance(panel, RunPanel) else None
