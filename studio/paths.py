"""Where the program and the user's own files live, from source, from a wheel and when frozen."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_APPLICATION = "ascent-studio"


def app_root() -> Path:
    """Return the folder that holds `plugins/` and `resources/`."""
    frozen = getattr(sys, "_MEIPASS", None)
    if frozen:
        return Path(frozen)
    package = Path(__file__).resolve().parent
    packed = package / "_app"
    return packed if packed.is_dir() else package.parent


def resource(*parts: str) -> Path:
    """Return the path of a file or folder under `resources/`."""
    return app_root().joinpath("resources", *parts)


def config_dir() -> Path:
    """Return the folder of the user's settings; created on demand."""
    return _user_folder("config")


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
    return _user_folder("plugins")


def _user_folder(kind: str) -> Path:
    home = os.environ.get("STUDIO_HOME")
    folder = Path(home).expanduser().absolute() / kind if home else _platform_folder(kind)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        # A home that cannot be written, as in some containers, must not keep anything from working.
        folder = _temporary_folder() / kind
        folder.mkdir(exist_ok=True)
    return folder


def _temporary_folder() -> Path:
    import tempfile

    user = os.getuid() if sys.platform != "win32" else os.environ.get("USERNAME", "user")
    folder = Path(tempfile.gettempdir(), f"{_APPLICATION}-{user}")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


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
