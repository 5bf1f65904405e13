"""Which engine reads traces: compiled kernels, or portable code that needs no compiler.

Both give the same results. Kernels need numba, and numba needs half a minute to make machine
code for this processor; it is made once, by a process in the background (`studio.trace.warm`), and
kept in the user's cache folder. Until it is there, where numba is missing, and for files so small
that loading the kernels would take longer than reading them, the portable engine works.

Nothing here imports numba.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import platform
import re
import shutil
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from studio import paths

CHOICE: Final = "STUDIO_TRACE_ENGINE"
"""The environment variable that chooses: `auto`, `compiled` or `portable`."""

FOLDER: Final = "STUDIO_KERNELS"
"""The environment variable that names another folder for machine code."""

WORTH_COMPILED: Final = 24_000_000
"""From how many bytes on a file is read by kernels that are not loaded yet."""

_STUDIO: Final = Path(__file__).resolve().parents[1]
_SOURCES: Final = (
    "formats/jit.py", "formats/compiling.py", "formats/machine_code.py", "formats/csv_kernels.py",
    "formats/chrome_*.py", "formats/scan/*.py", "trace/kernels/*.py",
)  # fmt: skip
_OF_PLUGINS: Final = "*/*/*kernels.py"
_PACKAGES: Final = ("numba", "llvmlite", "numpy")
_LOADED: Final = "studio.formats.machine_code"
_OF_VERSION: Final = re.compile(r"[0-9a-f]{20}")
"""The names of folders of versions: in a folder that the user names, others may stand as well."""

_LONGEST_WARMING: Final = 600.0
_MANY: Final = 1_000_000


def use_kernels(size: int) -> bool:
    """Whether a file of that many bytes is to be read by kernels; has them made if need be."""
    choice = os.environ.get(CHOICE, "auto")
    if choice == "portable" or not has_compiler():
        return False
    if choice == "compiled" or _LOADED in sys.modules:
        return True
    if size < WORTH_COMPILED:
        return False
    if is_warm():
        return True
    start_warming()
    return False


def kernels_pay(slices: int) -> bool:
    """Whether kernels are to work on so many slices that are in memory already."""
    choice = os.environ.get(CHOICE, "auto")
    if choice == "portable" or not has_compiler():
        return False
    return choice == "compiled" or kernels_loaded() or (slices >= _MANY and is_warm())


def should_prepare() -> bool:
    """Whether kernels whose machine code is there are still to be loaded into this process."""
    choice = os.environ.get(CHOICE, "auto")
    return choice != "portable" and has_compiler() and is_warm() and not kernels_loaded()


def kernels_loaded() -> bool:
    """Whether kernels may be called at once: they are in use in this process."""
    return os.environ.get(CHOICE, "auto") != "portable" and _LOADED in sys.modules


@functools.cache
def has_compiler() -> bool:
    """Whether numba is installed and switched on."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return False
    return all(importlib.util.find_spec(name) is not None for name in ("numba", "llvmlite"))


def kernel_folder() -> Path:
    """The folder of the machine code of these very kernels."""
    return _kernels_root() / _digest()


def code_folder() -> Path:
    """The folder in it of what is made for this processor."""
    return kernel_folder() / _processor()


def is_warm() -> bool:
    """Whether the machine code of all kernels is there for this processor."""
    try:
        names = _mark().read_text(encoding="utf-8").split()
    except (OSError, ValueError):
        return False
    folder = code_folder()
    return all((folder / name).exists() for name in names)


def set_warm() -> None:
    """Note that all kernels are there, and which; remove those of other versions."""
    _mark().parent.mkdir(parents=True, exist_ok=True)
    names = sorted(path.name for path in code_folder().glob("*.o"))
    _mark().write_text("\n".join(names), encoding="utf-8")
    for folder in _kernels_root().iterdir():
        if folder.name != _digest() and _OF_VERSION.fullmatch(folder.name) and folder.is_dir():
            shutil.rmtree(folder, ignore_errors=True)
    (kernel_folder() / "warming").unlink(missing_ok=True)


def start_warming() -> None:
    """Make the machine code in a process of its own, unless one is at it."""
    if getattr(sys, "frozen", False):
        arguments = [sys.executable, "--warm-kernels"]
    else:
        arguments = [sys.executable, "-P", "-m", "studio.trace.warm"]
    if not _begin_warming():
        return
    import subprocess  # takes longer to import than all else here

    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(_STUDIO.parent), *_path()])}
    with suppress(OSError):
        subprocess.Popen(
            arguments,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


def _begin_warming() -> bool:
    """Take the work for this process; False while another one does it."""
    note = kernel_folder() / "warming"
    try:
        note.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            if time.time() - note.stat().st_mtime > _LONGEST_WARMING:
                note.unlink(missing_ok=True)
        with note.open("x", encoding="utf-8"):
            return True
    except OSError:
        return False


def _path() -> list[str]:
    return [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]


def _kernels_root() -> Path:
    chosen = os.environ.get(FOLDER)
    return Path(chosen) if chosen else paths.cache_dir() / "kernels"


def _mark() -> Path:
    return kernel_folder() / f"ready-{_processor()}"


@functools.cache
def _digest() -> str:
    """What the machine code depends on: the kernels' sources, numba, numpy and Python.

    Kernels of plugins stand in modules whose names end so.
    """
    digest = hashlib.sha256(platform.python_version().encode())
    for package in _PACKAGES:  # importlib.metadata would take longer to import than all else here
        found = importlib.util.find_spec(package)
        folder = Path(found.origin).parent if found and found.origin else Path()
        for name in ("_version.py", "version.py"):
            with suppress(OSError):
                digest.update((folder / name).read_bytes())
    own = (path for pattern in _SOURCES for path in sorted(_STUDIO.glob(pattern)))
    for path in (*own, *sorted((paths.app_root() / "plugins").glob(_OF_PLUGINS))):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:20]


@functools.cache
def _processor() -> str:
    """What tells this processor from others that may share the user's folder."""
    about = [platform.machine(), os.environ.get("PROCESSOR_IDENTIFIER", "")]
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").split("\n\n")[0]
        about += [
            line for line in lines.splitlines() if line.startswith(("model name", "flags", "CPU"))
        ]
    return hashlib.sha256("\n".join(about).encode()).hexdigest()[:12]
