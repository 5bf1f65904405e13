"""The plugin page: every plugin with state and reason, on and off."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import (
    QFileDialog,
    QHeaderView,
    QLabel,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from studio import __version__
from studio.i18n import tr, trn
from studio.kernel.errors import StudioError
from studio.kernel.manifest import FILE_NAME, read_manifest
from studio.kernel.plugin_install import install_plugin
from studio.kernel.plugins import State
from studio.paths import user_plugins_dir
from studio.ui.icons import icon
from studio.ui.lines import RowDelegate
from studio.ui.listening import listen
from studio.ui.text import format_bytes, thousands
from studio.ui.theme import current_theme
from studio.ui.toolbar import ToolBar

if TYPE_CHECKING:
    from studio.api import Studio
    from studio.kernel.plugins import Plugin
    from studio.ui.shell import MainWindow

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_GAP = "\u2002"
"""Keeps a text at the right end of its column apart from the next column."""
_ICONS = {
    State.FOUND: ("plugin", "muted"),
    State.READY: ("plugin", "text"),
    State.ACTIVE: ("ok", "ok"),
    State.DISABLED: ("cancel", "muted"),
    State.FAILED: ("error", "error"),
}


class PluginPage(QWidget):
    """A list with one row per plugin; what is wrong with the selected one stands below it."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self._window = window
        self._plugins = window.app.plugins
        self.tree = QTreeWidget()
        self.tree.setRootIsDecorated(False)
        self.tree.setUniformRowHeights(True)
        self.tree.setItemDelegate(RowDelegate(self.tree))
        self.tree.setAccessibleName(tr("Plugins"))
        self.tree.setHeaderLabels(
            [tr("Plugin"), tr("State"), tr("Version"), tr("Load time") + _GAP, tr("Description")]
        )
        self.tree.header().setSectionResizeMode(4, QHeaderView.ResizeMode.Stretch)
        self.tree.headerItem().setTextAlignment(3, _RIGHT)
        self.tree.currentItemChanged.connect(lambda *_: self._show())
        self.details = QLabel()
        self.details.setWordWrap(True)
        self.details.setTextFormat(Qt.TextFormat.PlainText)
        self.details.setMargin(12)
        self.details.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        bar = ToolBar(tr("Plugins"), self)
        self._switch = bar.add("plugin", tr("Switch on or off"), self.toggle, text=True)
        self._retry = bar.add("refresh", tr("Retry"), self.retry)
        self._copy = bar.add("copy", tr("Copy report"), self._copy_report)
        bar.add_stretch()
        bar.add("folder", tr("Install from a folder…"), self._ask_folder, text=True)
        bar.add("import", tr("Install from a zip file…"), self._ask_file, text=True)
        bar.add("open-folder", tr("Folder of your own plugins"), self._open_folder)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(bar)
        column.addWidget(self.tree, 1)
        column.addWidget(self.details)
        listen(self, self._plugins.changed, lambda _: self.renew())
        self.renew()

    def title(self) -> str:
        """The text of the tab."""
        return tr("Plugins")

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.renew()

    def renew(self) -> None:
        """List the plugins as they are now, those with problems first."""
        chosen = self.selected()
        self.tree.clear()
        plugins = sorted(
            self._plugins.all(), key=lambda p: (p.state is not State.FAILED, p.title.casefold())
        )
        for plugin in plugins:
            item = self._item(plugin)
            self.tree.addTopLevelItem(item)
            if chosen is None or plugin is chosen:
                chosen = plugin
                self.tree.setCurrentItem(item)
        for section in range(4):
            self.tree.resizeColumnToContents(section)
        self._show()

    def selected(self) -> Plugin | None:
        """The plugin of the current row."""
        item = self.tree.currentItem()
        plugin: Plugin | None = item.data(0, Qt.ItemDataRole.UserRole) if item is not None else None
        return plugin

    def choose(self, plugin: str) -> None:
        """Select the plugin of this id."""
        for at in range(self.tree.topLevelItemCount()):
            item = self.tree.topLevelItem(at)
            if item is not None and item.data(0, Qt.ItemDataRole.UserRole).id == plugin:
                self.tree.setCurrentItem(item)

    def toggle(self) -> None:
        """Switch the selected plugin on or off."""
        plugin = self.selected()
        if plugin is None:
            return
        if plugin.id in self._plugins.disabled:
            self._window.faults.enable(plugin.id)
        else:
            self._window.faults.disable(plugin.id)

    def retry(self) -> None:
        """Forget why the selected plugin failed, and take it anew."""
        plugin = self.selected()
        if plugin is not None:
            self._plugins.retry(plugin.id)
            self._window.reload()

    def offer(self, source: Path) -> None:
        """Read what a folder or zip file holds, say it, and install it if the user wants it."""
        with TemporaryDirectory(prefix="studio-plugin-") as place:
            try:
                folder = install_plugin(source, Path(place))
                manifest = read_manifest(folder / FILE_NAME)
            except StudioError as error:
                self._window.notify("", "error", error.message)
                return
            sizes = [file.stat().st_size for file in folder.rglob("*") if file.is_file()]
            facts = [
                tr(manifest.description),
                f"{folder.name} · {tr('version {version}', version=manifest.version)} · "
                + trn("{n} file", "{n} files", len(sizes))
                + f" · {format_bytes(sum(sizes))}",
            ]
            if (user_plugins_dir() / folder.name).exists():
                facts.append(tr("It takes the place of the one that is installed."))
            facts.append(tr("Its code runs with your rights once it is used."))
            title, yes = tr("Install {title}?", title=tr(manifest.title)), tr("Install")
            window = self._window.app.window
            if window is not None and window.ask(title, "\n".join(facts), (yes,), yes) == yes:
                self.install(folder)

    def install(self, source: Path) -> None:
        """Install a plugin from a folder or zip file; its code runs once it is used."""
        try:
            folder = install_plugin(source, user_plugins_dir())
        except StudioError as error:
            self._window.notify("", "error", error.message)
            return
        plugin = self._plugins.add(folder)
        if plugin.manifest is not None:
            self._window.app.settings.declare(plugin.manifest.settings)
        self._window.app.commands.forget()
        self._window.reload()
        self.choose(plugin.id)
        self._window.notify("", "ok", tr("{title} is installed.", title=plugin.title))

    def _ask_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, tr("Install from a folder…"))
        if name:
            self.offer(Path(name))

    def _ask_file(self) -> None:
        title = tr("Install from a zip file…")
        name, _ = QFileDialog.getOpenFileName(self, title, "", "Zip (*.zip)")
        if name:
            self.offer(Path(name))

    def _item(self, plugin: Plugin) -> QTreeWidgetItem:
        manifest = plugin.manifest
        name, token = _ICONS[plugin.state]
        erred = plugin.state is State.ACTIVE and plugin.id in self._window.faults.errors
        if erred:
            name, token = "warn", "warn"
        load = f"{thousands(round(plugin.load_seconds * 1000))} ms" if plugin.load_seconds else ""
        load += _GAP
        about = tr(manifest.description) if manifest else plugin.reason.splitlines()[0]
        item = QTreeWidgetItem(
            [
                plugin.title,
                tr("in use, with errors") if erred else _state_word(plugin.state),
                manifest.version if manifest else "",
                load,
                about,
            ]
        )
        item.setIcon(0, icon(name, token))
        item.setData(0, Qt.ItemDataRole.UserRole, plugin)
        item.setTextAlignment(3, _RIGHT)
        if plugin.state is State.FAILED:
            item.setForeground(1, current_theme().colour("error"))
        return item

    def _show(self) -> None:
        plugin = self.selected()
        if plugin is None:
            self.details.clear()
            return
        off = plugin.id in self._plugins.disabled
        self._switch.setText(tr("Enable") if off else tr("Disable"))
        self._retry.setEnabled(plugin.state is State.FAILED)
        kind = tr("comes with the program") if plugin.builtin else tr("your own")
        lines = [f"{plugin.id} · {kind} · {plugin.folder}"]
        lines += filter(None, (plugin.reason, self._window.faults.errors.get(plugin.id)))
        self.details.setText("\n".join(lines))

    def _copy_report(self) -> None:
        plugin = self.selected()
        if plugin is not None:
            state = f"{plugin.id}: {plugin.state.value}\n{plugin.folder}\n{plugin.reason}"
            QGuiApplication.clipboard().setText(f"Ascent Studio {__version__}\n{state}")

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(user_plugins_dir())))


def make_view(studio: Studio, path: Path) -> PluginPage:
    """The page, as the host's manifest declares it."""
    assert studio.window is not None
    return PluginPage(studio.window.parent())


def _state_word(state: State) -> str:
    return {
        State.FOUND: tr("found"),
        State.READY: tr("ready"),
        State.ACTIVE: tr("in use"),
        State.DISABLED: tr("switched off"),
        State.FAILED: tr("failed"),
    }[state]
