"""What the operating system must bring: Qt's libraries, python3-venv, a display.

Libraries are looked for the way Qt's plugins will load them, not in a package list, so that the
same check holds on each Linux; the Debian package of each is known, so that what is missing can be
installed (as root) or named in a command.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import platform
import re
import shutil
import socket
import subprocess
import sys

QT_LIBRARIES = {
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libfontconfig.so.1": "libfontconfig1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libxkbcommon.so.0": "libxkbcommon0",
}
X11_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
}
X11_PROGRAMS = {"xvfb-run": "xvfb", "xauth": "xauth"}


def missing_packages(*, window: bool = True, virtual_screen: bool = False) -> list[str]:
    """Return the Debian packages whose libraries or programs are not on this machine."""
    if sys.platform != "linux":
        return []
    packages = [] if has_venv() else ["python3-venv"]
    if window:
        libraries = QT_LIBRARIES | X11_LIBRARIES
        packages += [package for library, package in libraries.items() if not has_library(library)]
    if virtual_screen:
        packages += [p for program, p in X11_PROGRAMS.items() if not shutil.which(program)]
    return packages


def has_venv() -> bool:
    """Tell whether this Python can make virtual environments (Debian packs that apart)."""
    return all(importlib.util.find_spec(name) is not None for name in ("venv", "ensurepip"))


def has_library(name: str) -> bool:
    """Tell whether the dynamic linker finds a library."""
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def install_packages(packages: list[str]) -> None:
    """Install Debian packages as root; otherwise end with the command that does it."""
    if not packages:
        return
    names = " ".join(packages)
    if not shutil.which("apt-get"):
        raise SystemExit(
            f"This system lacks what these Debian packages hold: {names}\n"
            "Install their counterparts with your system's package manager, then run this again."
        )
    if os.geteuid() != 0:
        raise SystemExit(
            f"Some system packages are missing. Run this, then try again:\n\n{command(packages)}\n"
        )
    print(f"Installing system packages: {names}", flush=True)
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages]
    for step in (["apt-get", "update", "-q"], install):
        done = subprocess.run(step, env=environment, check=False, stdin=subprocess.DEVNULL)
        if done.returncode:
            raise SystemExit(
                f"'{' '.join(step)}' failed (exit code {done.returncode}, its reason is above). "
                "Without network or a working package source, install these yourself: " + names
            )


def command(packages: list[str]) -> str:
    """Return the command that installs Debian packages, for someone who may use sudo."""
    names = " ".join(packages)
    return f"  sudo apt-get update && sudo apt-get install -y --no-install-recommends {names}"


def too_old_for_window() -> str:
    """Return why Qt's wheels cannot be installed here, "" when they can."""
    if sys.platform != "linux":
        return ""
    name, version = platform.libc_ver()
    if name != "glibc":
        return "Qt's packages need glibc, and this system uses another C library"
    if tuple(int(part) for part in version.split(".")[:2]) < (2, 34):
        return f"Qt's packages need glibc 2.34 or newer, and this system has {version}"
    return ""


def no_display(environment: dict[str, str] | None = None) -> str:
    """Return why no window can be shown, "" when one can."""
    values = dict(os.environ) if environment is None else environment
    if values.get("QT_QPA_PLATFORM", "").split(":")[0] in ("offscreen", "minimal"):
        return f"QT_QPA_PLATFORM is {values['QT_QPA_PLATFORM']}"
    if sys.platform != "linux" or values.get("WAYLAND_DISPLAY"):
        return ""
    display = values.get("DISPLAY", "")
    if not display:
        return "neither DISPLAY nor WAYLAND_DISPLAY is set"
    return "" if _answers(display) else f"nothing answers at DISPLAY={display}"


def _answers(display: str) -> bool:
    match = re.fullmatch(r"(?:(?:unix|tcp|local)/)?([^:]*):(\d+)(?:\.\d+)?", display)
    if match is None:
        return False
    host, number = match[1], int(match[2])
    if host and host != "unix":
        return _connects(socket.AF_INET, (host, 6000 + number))
    path = f"/tmp/.X11-unix/X{number}"
    return _connects(socket.AF_UNIX, path) or _connects(socket.AF_UNIX, "\0" + path)


def _connects(family: int, address: str | tuple[str, int]) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as link:
        link.settimeout(3)
        try:
            link.connect(address)
        except OSError:
            return False
    return True
