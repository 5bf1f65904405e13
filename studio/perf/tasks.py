"""What a task on the device is, by the names that profilers give its type."""

from __future__ import annotations

import re
from typing import Final

_KERNEL: Final = re.compile(
    r"(kernel_)?(mix_)?(ai_core|ai_vector_core|ai_cpu|ai_?core|ai_?vec(tor)?|ai[cv]|ai_?cpu)(_core)?"
    r"(_sqe)?$|dsa_sqe$|ffts_plus$|stars_common$",
    re.IGNORECASE,
)
_COPY: Final = re.compile(r"memcpy|memset|pcie_dma_sqe|sdma_sqe|^dma", re.IGNORECASE)
_SET: Final = re.compile(r"memset", re.IGNORECASE)
_WAIT: Final = re.compile(r"(event|notify|stream)[_ ]?wait|barrier", re.IGNORECASE)

NOT_WORK: Final = frozenset(
    {
        "KERNEL_AICORE",
        "KERNEL_AIVEC",
        "FFTS_PLUS",
        "KERNEL_MIX_AIC",
        "KERNEL_MIX_AIV",
        "PROFILING_ENABLE",
        "PROFILING_DISABLE",
    }
)
"""Task types that the vendor leaves out when it looks for the ends of a run (msprof-analyze,
overall_metrics_parser.py): those of operators, which are looked at themselves, and marks."""


def is_kernel_task(kind: str) -> bool:
    """Whether a type of task is an operator on a core."""
    return _KERNEL.match(kind) is not None


def is_copy(name: str) -> bool:
    """Whether a task copies or sets memory, by its name or type."""
    return _COPY.search(name) is not None


def is_memory_set(name: str) -> bool:
    """Whether a task sets memory."""
    return _SET.search(name) is not None


def is_wait(name: str) -> bool:
    """Whether a task makes its stream wait for another stream or device."""
    return _WAIT.search(name) is not None
