"""Tells communication from other work, by the names that HCCL and NCCL give."""

from __future__ import annotations

import re
from typing import Final

CORES: Final = frozenset({"HCCL", "COMMUNICATION"})
"""What older and newer profilers call the core of communication rows in kernel tables."""

_HCCL: Final = re.compile(r"hcom_", re.IGNORECASE)
_NCCL: Final = re.compile(r"nccl|rccl", re.IGNORECASE)
_HIDDEN: Final = ("AicpuKernel", "AivKernel")
_OPERATION: Final = re.compile(r"(hcom_[A-Za-z0-9]+)_?_")
_P2P: Final = re.compile(r"send|receive|recv", re.IGNORECASE)
_ALL_TO_ALL: Final = re.compile(r"all_?to_?all", re.IGNORECASE)
_RECEIVE: Final = re.compile(r"hcom_receive", re.IGNORECASE)
_MINDSPORE_BUBBLE: Final = re.compile(
    r"hcom_\w+SendRecv__|hcom_send__|hcom_receive__|Receive-op|Send-op"
)


def is_communication_core(core: str) -> bool:
    """Whether a kernel table calls a row communication."""
    return core.upper() in CORES


def is_communication_name(name: str) -> bool:
    """Whether a kernel of an NPU is communication, by its name (level 0 says it no other way)."""
    return _HCCL.match(name) is not None


def is_nccl(name: str) -> bool:
    """Whether a kernel of a GPU is communication."""
    return _NCCL.match(name) is not None


def is_hidden_communication(name: str) -> bool:
    """Whether a kernel of an NPU carries out communication, and so counts to neither side.

    The overlap analysis of msprof leaves these out of computing (overlap_analysis_processor.cpp).
    """
    return name.endswith(_HIDDEN)


def operation_of(name: str) -> str:
    """The kind of an operation from its name: hcom_allReduce__271_0_1 is a hcom_allReduce_."""
    match = _OPERATION.match(name)
    return f"{match.group(1)}_" if match else name


def is_point_to_point(name: str) -> bool:
    """Whether an operation sends or receives between two ranks (send, receive, batchSendRecv)."""
    return _P2P.search(name) is not None


def is_all_to_all(name: str) -> bool:
    """Whether an operator of the framework exchanges data between all ranks of a group."""
    return _ALL_TO_ALL.search(name) is not None


def is_vendor_bubble(name: str, framework: str | None) -> bool:
    """Whether the vendor's profiler counts an operation as bubble.

    For PyTorch that is `hcom_receive*` alone; MindSpore's profiler also counts what sends.
    """
    rule = _MINDSPORE_BUBBLE if framework == "MindSpore" else _RECEIVE
    return rule.match(name) is not None
