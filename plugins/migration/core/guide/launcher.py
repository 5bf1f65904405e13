"""The file that starts a script once for each card."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_TEXT = """\
#!/bin/sh
# Starts {name} in one process for each card of this machine; options go to the script.
# CARDS=4 ./{launcher}      takes four of them
# ASCEND_RT_VISIBLE_DEVICES=2,3 ./{launcher}      takes these two
set -e
cd "$(dirname "$0")"
count='import torch, torch_npu; print(torch.npu.device_count())'
exec torchrun --standalone --nproc_per_node="${{CARDS:-$(python3 -c "$count")}}" {script} "$@"
"""


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that is suggested, to be written as UTF-8 with LF."""

    path: Path
    text: str
    executable: bool = True


def launcher_for(script: Path) -> NewFile:
    """The launcher beside a script; a name that is taken is avoided."""
    names = [f"{script.stem}_npus.sh", *(f"{script.stem}_npus_{n}.sh" for n in range(2, 100))]
    place = next(place for name in names if not (place := script.with_name(name)).exists())
    text = _TEXT.format(name=script.name, launcher=place.name, script=shlex.quote(script.name))
    return NewFile(place, text)
