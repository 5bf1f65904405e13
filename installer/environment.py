"""The virtual environment `.venv`: made, filled from the lock files, left alone when up to date."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ROOT / "installer" / "lock"
STAMP = "ascent-studio.json"
_TORCH = ("torch==2.13.0", "numpy==2.4.6", "PyYAML==6.0.4")
_TORCH_PATIENCE = 1800
_CHATTER = ("Requirement already satisfied", "Looking in", "WARNING: Location")
_NO_NETWORK = (
    "name resolution",
    "Name or service not known",
    "getaddrinfo failed",
    "nodename nor servname",
    "Failed to establish a new connection",
    "Connection refused",
    "Network is unreachable",
    "ProxyError",
    "SSLError",
    "Read timed out",
    "ConnectTimeoutError",
)


def ensure(
    sets: list[str],
    *,
    wanted_if_possible: tuple[str, ...] = (),
    folder: Path = ROOT / ".venv",
    project: Path = ROOT,
) -> Path:
    """Make `folder` hold the pinned packages of these lock files; return its Python.

    Of `wanted_if_possible` those are installed for which wheels exist here. A stamp in the folder
    records the digests of what was installed, so that a second call takes milliseconds. A folder
    whose Python does not start (moved, or its Python removed) is made anew.
    """
    python = python_of(folder)
    version = _version(python)
    wanted = {name: _digest(LOCKS / f"{name}.txt") for name in (*sets, *wanted_if_possible)}
    wanted["pyproject"] = _digest(project / "pyproject.toml")
    if version != _ours():
        _make(folder, rebuild=folder.exists(), had=version)
    stamp = folder / STAMP
    present = _read(stamp)
    if all(present.get(name) == digest for name, digest in wanted.items()):
        return python
    print("Installing packages into .venv (a few minutes the first time) …", flush=True)
    stamp.unlink(missing_ok=True)
    requirements = [part for name in sets for part in ("-r", str(LOCKS / f"{name}.txt"))]
    _pip(python, ["install", *requirements])
    for name in wanted_if_possible:
        _install_if_possible(python, name)
    _pip(python, ["install", "--no-deps", "--no-build-isolation", "--editable", str(project)])
    merged = present | wanted if _same_base(present, wanted) else wanted
    stamp.write_text(json.dumps(merged, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return python


def ensure_torch(folder: Path = ROOT / ".venv-torch") -> Path:
    """Make a virtual environment with the torch that migrated code is tried on.

    Raises OSError or SubprocessError if it cannot be made.
    """
    python = python_of(folder)
    stamp = folder / STAMP
    wanted = {"packages": list(_TORCH)}
    if _version(python) != _ours():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
    if _read(stamp) != wanted:
        print("Installing torch into .venv-torch …", flush=True)
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", *_TORCH]
        subprocess.run([str(python), *install], check=True, timeout=_TORCH_PATIENCE)
        stamp.write_text(json.dumps(wanted) + "\n", encoding="utf-8")
    return python


def python_of(folder: Path) -> Path:
    """Return the path of a virtual environment's Python."""
    return folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def explain(output: str) -> str:
    """Return what pip's output says in one sentence a user can act on, "" when it is not known."""
    if any(sign in output for sign in _NO_NETWORK):
        return (
            "The package index could not be reached. Check the network; behind a proxy set "
            "HTTPS_PROXY; for a mirror set PIP_INDEX_URL. Then run this again."
        )
    if "No space left on device" in output:
        return "The disk is full: about 900 MB are needed for .venv."
    if "No matching distribution" in output or "no matching distribution" in output:
        return (
            "A pinned package does not exist for this Python or system "
            f"(Python {sys.version.split()[0]}). Python 3.11 to 3.13 on 64-bit Linux, Windows or "
            "macOS is supported; a package mirror may also lag behind."
        )
    if "Permission denied" in output or "PermissionError" in output:
        return "A file in .venv may not be written: it probably belongs to another user."
    return ""


def _make(folder: Path, *, rebuild: bool, had: str) -> None:
    if rebuild:
        reason = f"it holds Python {had}, this is {_ours()}" if had else "its Python does not start"
        print(f"Making {folder} anew: {reason}.", flush=True)
    done = subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=False)
    if done.returncode:
        raise SystemExit(f"A virtual environment could not be made in {folder} (reason above).")


def _version(python: Path) -> str:
    if not python.exists():
        return ""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run(
            [str(python), "-I", "-c", code], capture_output=True, text=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _ours() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def _same_base(present: dict[str, str], wanted: dict[str, str]) -> bool:
    return all(present.get(name, digest) == digest for name, digest in wanted.items())


def _digest(path: Path) -> str:
    # Line ends are those of the checkout; they do not change what is pinned.
    return hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()


def _read(stamp: Path) -> dict[str, str]:
    try:
        content = json.loads(stamp.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _install_if_possible(python: Path, name: str) -> None:
    try:
        _pip(python, ["install", "--only-binary=:all:", "-r", str(LOCKS / f"{name}.txt")])
    except SystemExit:
        print(f"Going on without the packages of installer/lock/{name}.txt.", flush=True)


def _pip(python: Path, arguments: list[str]) -> None:
    base = [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input"]
    full = [*base, *arguments, "--progress-bar", "off"]
    lines: list[str] = []
    with subprocess.Popen(
        full,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if not line.startswith(_CHATTER):
                print("  " + line.rstrip(), flush=True)
    if process.returncode:
        reason = explain("".join(lines)) or "pip's own words are above."
        raise SystemExit(f"\nThe packages could not be installed. {reason}")
