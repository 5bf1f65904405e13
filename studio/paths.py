"""Where the program and the user's own files live, from source, from a wheel and when frozen."""

from __future__ import annotations

import os
import stat
import sys
from functools import cache
from pathlib import Path

_APPLICATION = "ascent-studio"


def app_root() -> Path:
    """Return the folder that holds `plugins/` and `resources/`."""
    frozen = getattr(sys, "_MEIPASS", None)
    return Path(frozen) if frozen else _installed_root()


@cache
def _installed_root() -> Path:
    package = Path(__file__).resolve().parent
    packed = package / "_app"
    return packed if packed.is_dir() else package.parent


def resource(*parts: str) -> Path:
    """Return the path of a file or folder under `resources/`."""
    return app_root().joinpath("resources", *parts)


def config_dir() -> Path:
    """Return the folder of the user's settings; created on demand."""
    return _user_folder("config", to_write=False)


def state_dir() -> Path:
    """Return the folder of sessions, journals and the state of projects; created on demand."""
    return _user_folder("state")


def cache_dir() -> Path:
    """Return the folder of files that can be made again; created on demand."""
    return _user_folder("cache")


def log_dir() -> Path:
    """Return the folder of the program's log; created on demand."""
    return _user_folder("logs")


def user_plugins_dir() -> Path:
    """Return the folder for the user's own plugins; created on demand."""
    return _user_folder("plugins", to_write=False)


def _user_folder(kind: str, *, to_write: bool = True) -> Path:
    home = os.environ.get("STUDIO_HOME")
    folder = Path(home).expanduser().absolute() / kind if home else _platform_folder(kind)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        usable = False
    else:
        usable = not to_write or os.access(folder, os.W_OK)
    if not usable:
        # A home that cannot be written, as in some containers, must not keep anything from working.
        folder = _temporary_folder() / kind
        folder.mkdir(exist_ok=True)
    return folder


def _temporary_folder() -> Path:
    import tempfile

    user = os.getuid() if sys.platform != "win32" else os.environ.get("USERNAME", "user")
    folder = Path(tempfile.gettempdir(), f"{_APPLICATION}-{user}")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder if _is_private(folder) else _folder_of_this_run()


def _is_private(folder: Path) -> bool:
    """Whether nobody else can have put something into a folder that many may write beside."""
    if sys.platform == "win32":
        return True
    about = folder.lstat()
    private = stat.S_ISDIR(about.st_mode) and not about.st_mode & 0o022
    return private and about.st_uid == os.getuid()


@cache
def _folder_of_this_run() -> Path:
    import tempfile

    return Path(tempfile.mkdtemp(prefix=f"{_APPLICATION}-"))


def _platform_folder(kind: str) -> Path:
    from platformdirs import PlatformDirs

    folders = PlatformDirs(_APPLICATION, appauthor=False)
    places = {
        "config": folders.user_config_path,
        "state": folders.user_state_path,
        "cache": folders.user_cache_path,
        "logs": folders.user_log_path,
        "plugins": folders.user_data_path / "plugins",
    }
    return places[kind]
