"""Making, renaming, copying and deleting files from the tree."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFile, QProcess
from PySide6.QtWidgets import QInputDialog, QLineEdit

from plugins.explorer.core.fileops import create_file, create_folder, rename
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.model.tree import shown_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from studio.api import Studio

_TERMINALS = (
    ("x-terminal-emulator",),
    ("gnome-terminal", "--working-directory={folder}"),
    ("konsole", "--workdir", "{folder}"),
    ("xfce4-terminal", "--working-directory={folder}"),
    ("xterm",),
)


class FileActions:
    """What changes files; each asks for what it needs and tells what went wrong."""

    def __init__(self, studio: Studio, parent: QWidget, reveal: Callable[[Path], object]) -> None:
        self._studio = studio
        self._parent = parent
        self._reveal = reveal

    def new_file(self, folder: Path) -> None:
        """Make an empty file and open it."""
        name = self._ask(tr("New file"), tr("Name, such as utils/seed.py"))
        if name and (path := self._try(lambda: create_file(folder, name))) is not None:
            self._changed(path)
            self._studio.open(path)

    def new_folder(self, folder: Path) -> None:
        """Make an empty folder."""
        name = self._ask(tr("New folder"), tr("Name"))
        if name and (path := self._try(lambda: create_folder(folder, name))) is not None:
            self._changed(path)

    def rename(self, path: Path) -> None:
        """Give another name; open texts and tabs follow."""
        project = self._studio.project
        name = self._ask(tr("Rename {name}", name=path.name), tr("Name"), path.name)
        if project is None or not name or name == path.name:
            return
        project.documents.finish_saving(path)  # else the save makes the old name anew
        target = self._try(lambda: rename(path, name))
        if target is not None:
            project.documents.follow([(path, target)])
            self._changed(target)

    def duplicate(self, path: Path) -> None:
        """Copy beside itself, in the background."""
        self._studio.start_job(
            "explorer:core.fileops.duplicate",
            {"path": path},
            title=tr("Copying {name}", name=path.name),
            done=self._changed,
            failed=self._complain,
        )

    def delete(self, path: Path) -> None:
        """Move to the trash, after asking; the notice can bring it back."""
        window = self._studio.window
        if window is None:
            return
        trash = tr("Move to the trash")
        question = tr("The folder and all that is in it.") if path.is_dir() else str(path)
        title = tr("Move {name} to the trash?", name=path.name)
        if window.ask(title, question, [trash], trash) != trash:
            return
        if self._studio.project is not None:
            self._studio.project.documents.finish_saving(path)
        moved, place = move_to_trash(path)
        if not moved:
            self._delete_for_good(path)
            return

        def back() -> None:
            self._try(lambda: bring_back(Path(place), path))
            self._changed(path)

        self._studio.notify(
            tr("{name} is in the trash.", name=path.name),
            severity="ok",
            actions={tr("Undo"): back} if place else {},
        )

    def _delete_for_good(self, path: Path) -> None:
        """Where there is no trash (containers, network drives), after asking once more."""
        window = self._studio.window
        name = shown_name(path.name)
        if not os.path.lexists(path) or window is None:
            self._complain(StudioError(tr("{name} is not there any more.", name=name)))
            return
        title = tr("{name} cannot be moved to the trash. Delete it for good?", name=name)
        delete = tr("Delete for good")
        if window.ask(title, tr("This cannot be undone."), [delete], "") == delete:
            self._studio.start_job(
                "explorer:core.fileops.delete",
                {"path": path},
                title=tr("Deleting {name}", name=name),
                done=self._gone,
                failed=self._complain,
            )

    def open_terminal(self, folder: Path) -> None:
        """Open a terminal of the system in a folder."""
        command = terminal_command(folder)
        if command is None:
            self._studio.notify(tr("No terminal was found on this machine."), severity="warn")
            return
        program, *arguments = command
        if not QProcess.startDetached(program, arguments, str(folder))[0]:
            self._studio.notify(
                tr("{program} cannot be started.", program=program), severity="error"
            )

    # -- inside -----------------------------------------------------------------------------------
    def _ask(self, title: str, label: str, text: str = "") -> str:
        dialog = QInputDialog(self._parent)
        dialog.setWindowTitle(title)
        dialog.setLabelText(label)
        dialog.setTextValue(text)
        field = dialog.findChild(QLineEdit)
        if isinstance(field, QLineEdit) and text:
            field.setSelection(0, len(text) - len(Path(text).suffix))
        dialog.resize(420, dialog.sizeHint().height())
        accepted = dialog.exec()
        answer = dialog.textValue().strip()
        dialog.deleteLater()
        return answer if accepted else ""

    def _try(self, make: Callable[[], Path]) -> Path | None:
        try:
            return make()
        except StudioError as error:
            self._complain(error)
            return None

    def _complain(self, error: BaseException) -> None:
        message = error.message if isinstance(error, StudioError) else str(error)
        self._studio.notify(message, severity="error")

    def _gone(self, path: Path) -> None:
        project = self._studio.project
        if project is not None:
            project.files_changed.emit(frozenset({path}))

    def _changed(self, path: Path) -> None:
        """Show what is new, without waiting for the system to tell of the change."""
        project = self._studio.project
        if project is not None:
            project.files_changed.emit(frozenset({path}))
            self._reveal(path)


def move_to_trash(path: Path) -> tuple[bool, str]:
    """Move to the system's trash; whether that went well, and where it lies now ("" unknown)."""
    file = QFile(os.fspath(path))
    # Qt leaves bytes out that are no UTF-8: the rest may well be the name of another file.
    if file.fileName() != os.fspath(path) or not file.moveToTrash():
        return False, ""
    place = file.fileName()  # where it lies now, on systems that tell
    return True, place if place != os.fspath(path) else ""


def bring_back(trashed: Path, path: Path) -> Path:
    """Move something from the trash to where it was; refuses when something else is there now."""
    if os.path.lexists(path):
        raise StudioError(tr("{path} exists already.", path=path), path=path)
    try:
        shutil.move(trashed, path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise StudioError(tr("{path}: {reason}.", path=path, reason=reason), path=path) from error
    # The freedesktop trash keeps a note about each entry beside the files.
    (trashed.parent.parent / "info" / f"{trashed.name}.trashinfo").unlink(missing_ok=True)
    return path


def terminal_command(folder: Path) -> list[str] | None:
    """How a terminal is started in a folder on this system."""
    if sys.platform == "win32":
        program = shutil.which("wt") or "cmd.exe"
        return [program, "-d", str(folder)] if program.endswith("wt.exe") else [program]
    if sys.platform == "darwin":
        return ["open", "-a", "Terminal", str(folder)]
    for program, *arguments in _TERMINALS:
        found = shutil.which(program)
        if found:
            return [found, *(part.format(folder=folder) for part in arguments)]
    return None
