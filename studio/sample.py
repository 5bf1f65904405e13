"""The sample project: the user gets a copy, so that trying things out leaves the program alone."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

from studio.paths import resource, state_dir

NAME = "minigpt"


def sample_project() -> Path:
    """Return the folder of the user's copy of the sample project; copied at first use.

    A newer program with another sample gets a copy of its own; what the user changed in the older
    one stays where it is.
    """
    source = resource("sample")
    folder = state_dir() / "sample" / _fingerprint(source) / NAME
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Copied beside its place and then renamed: a copy that was broken off is never opened.
    with tempfile.TemporaryDirectory(dir=folder.parent) as half:
        made = Path(half) / NAME
        shutil.copytree(source, made, copy_function=shutil.copyfile, ignore=_left_out)
        for script in made.rglob("*.sh"):
            script.chmod(0o755)
        if not folder.is_dir():
            made.rename(folder)
    return folder


def _left_out(_folder: str, names: list[str]) -> set[str]:
    return {name for name in names if name == "__pycache__"}


def _fingerprint(source: Path) -> str:
    digest = hashlib.sha256()
    for folder, folders, names in os.walk(source):
        folders[:] = sorted(set(folders) - {"__pycache__"})
        for name in sorted(names):
            path = Path(folder, name)
            digest.update(f"{path.relative_to(source).as_posix()} {path.stat().st_size}\n".encode())
    return digest.hexdigest()[:8]


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    print(sample_project())  # noqa: T201 - the installer reads it
