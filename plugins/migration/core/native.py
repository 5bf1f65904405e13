"""Sources in CUDA and C++: kernels, and operators registered with torch."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from plugins.migration.core.lines import TextFile
from plugins.migration.core.model import Analysis, Rule, ScanContext
from plugins.migration.core.registrations import (
    kernels_of,
    listed,
    speaks_of_torch,
    without_comments,
)
from plugins.migration.core.shell import MENTION
from studio.model.findings import Severity

if TYPE_CHECKING:
    from pathlib import Path

KERNELS = Rule(
    "cuda-source",
    "This file is written in CUDA",
    "CUDA does not run on NPUs and cannot be replaced directly: compose torch operators, or write "
    "the operator in Ascend C or for triton-ascend. Kernels: {kernels}.",
    "custom_op",
    "manual",
    Severity.ERROR,
    "days",
    before="__global__ void add(float *a) {}\n",
    after="__global__ void add(float *a) {}\n",
)
OPERATORS = Rule(
    "custom-operator-binding",
    "This file registers operators with torch",
    "Build them with NpuExtension once their CUDA code is replaced. Operators: {operators}.",
    "custom_op",
    "manual",
    effort="hours",
    before='PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("add", &add); }\n',
    after='PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("add", &add); }\n',
)
RULES = (KERNELS, OPERATORS)

_CUDA = re.compile(
    r"__(?:global|device)__\b|<<<[^;]*>>>"
    r"|#\s*include\s*[<\"](?:cuda|cub/|thrust/|cublas|cudnn|ATen/cuda)"
    r"|\bcuda(?:Malloc|Memcpy|Stream_t|Free|GetLastError)\b|\bat::cuda::"
)
_MENTION = re.compile(r"\bis_cuda\s*\(|\bnccl\w+|\bNCCL_\w+|\bkCUDA\b", re.ASCII)
"""What code without kernels of its own asks of CUDA and NCCL."""
_BINDING = re.compile(r"\b(?:PYBIND11_MODULE|TORCH_LIBRARY\w*)\s*\(")
_OPERATOR = re.compile(r"\bm\s*\.\s*(?:def|impl)\s*\(\s*\"([\w:.]+)")
_SNIFFED = 200_000


def analyse(text: str, context: ScanContext) -> Analysis:
    """Analyse a source file: one finding for its kernels, one for its registrations."""
    file = TextFile(text)
    code = without_comments(text)
    kernels = kernels_of(code)
    if match := _CUDA.search(code):
        file.hit(KERNELS, match.span(), "manual", kernels=listed(kernels))
    else:
        for match in _MENTION.finditer(code):
            file.hit(MENTION, match.span(), "review")
    if (match := _BINDING.search(code)) and speaks_of_torch(code):
        operators = list(dict.fromkeys(_OPERATOR.findall(code)))
        file.hit(OPERATORS, match.span(), "manual", operators=listed(operators))
    return file.analysis()


def is_cuda_source(path: Path) -> bool:
    """Whether a C++ file holds CUDA or registers operators with torch (for the project's scan)."""
    try:
        with path.open("rb") as stream:
            text = stream.read(_SNIFFED).decode("latin-1")
    except OSError:
        return False
    return bool(_CUDA.search(text) or (_BINDING.search(text) and speaks_of_torch(text)))
