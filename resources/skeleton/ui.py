"""What the plugin shows. Widgets are plain Qt; the facade `studio` is all they need of the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem

from studio.i18n import tr

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from studio.api import Studio
    from studio.model.findings import Finding


def check(studio: Studio) -> None:
    """Look through the scripts of the project in the background and publish what is found."""
    project = studio.project
    if project is None:
        return

    def done(found: Mapping[Path, list[Finding]]) -> None:
        studio.publish(found)
        studio.notify(tr("Found {n} long lines.", n=sum(map(len, found.values()))), severity="ok")

    studio.start_job(
        "skeleton:core.find_long_lines",
        {
            "files": [item.path for item in project.items if item.kind == "script"],
            "limit": studio.setting("skeleton.limit"),
        },
        title=tr("Looking for long lines"),
        key="check",
        done=done,
    )


def make_panel(studio: Studio) -> LongLines:
    """Make the panel; the manifest names this function."""
    return LongLines(studio)


class LongLines(QListWidget):
    """Lists the findings of this plugin; a double click jumps to the line."""

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self.setAccessibleName(tr("Long lines"))
        self.itemActivated.connect(self._reveal)
        studio.connect(studio.project_changed, lambda project: self._listen())
        self._listen()

    def _listen(self) -> None:
        project = self._studio.project
        if project is not None:
            self._studio.connect(project.findings.changed, lambda paths: self._fill())
        self._fill()

    def _fill(self) -> None:
        self.clear()
        project = self._studio.project
        for finding in project.findings.all(self._studio.plugin) if project else ():
            place = f"{finding.location.path.name}:{finding.location.line}"
            item = QListWidgetItem(f"{place}  {finding.title}")
            item.setData(Qt.ItemDataRole.UserRole, finding.location)
            item.setToolTip(finding.why)
            self.addItem(item)

    def _reveal(self, item: QListWidgetItem) -> None:
        self._studio.reveal(item.data(Qt.ItemDataRole.UserRole))
