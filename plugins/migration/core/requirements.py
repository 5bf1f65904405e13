"""Lists of packages: libraries made for CUDA, builds for CUDA, the missing torch_npu."""

from __future__ import annotations

import re

from plugins.migration.core.lines import TextFile
from plugins.migration.core.model import Analysis, Rule, ScanContext
from plugins.migration.core.rules.libraries import rule_for
from plugins.migration.core.tables import packages
from studio.model.findings import Severity

CUDA_BUILD = Rule(
    "cuda-build",
    "{old} is a build for CUDA",
    "On Ascend servers torch is the plain CPU build, and torch_npu adds the NPU.",
    "library",
    "manual",
    effort="minutes",
    before="torch==2.6.0+cu124\n",
    after="torch==2.6.0+cu124\n",
)
CUDA_PACKAGE = Rule(
    "cuda-package",
    "{old} is a part of CUDA",
    "It is of no use on an Ascend server; remove it.",
    "library",
    "manual",
    effort="minutes",
    before="nvidia-nccl-cu12\n",
    after="nvidia-nccl-cu12\n",
)
NEEDS_NPU = Rule(
    "needs-torch-npu",
    "torch-npu is missing in this list",
    "It has to fit the version of torch exactly: torch-npu 2.8.0 goes with torch 2.8.0.",
    "library",
    "manual",
    Severity.INFO,
    "minutes",
    before="torch\n",
    after="torch\n",
)
RULES = (CUDA_BUILD, CUDA_PACKAGE, NEEDS_NPU)

_PACKAGE = re.compile(r"\s*(?:-\s+)?([A-Za-z0-9][\w.-]*)[ \t]*(?:\[[^\]]*\])?(?P<rest>[^;]*)")
_CUDA_BUILD = re.compile(r"\+cu\d+|/whl/cu\d+|-cu1\d\d\b")
_CUDA_PACKAGE = re.compile(r"nvidia-.*-cu\d+|cuda-.*|cudatoolkit|pytorch-cuda|nccl")


def analyse(text: str, context: ScanContext) -> Analysis:
    """Analyse a list of requirements or a conda environment."""
    file = TextFile(text)
    torch: tuple[int, int] | None = None
    found: set[str] = set()
    for start, row in file.code():
        build = _CUDA_BUILD.search(row)
        match = _PACKAGE.match(row)
        if match is None or row.lstrip().startswith("--"):
            if build:
                file.hit(CUDA_BUILD, (start, start + len(row)), "manual", old=row.strip())
            continue
        name = told_apart(match[1])
        span = (start + match.start(1), start + match.end(1))
        found.add(name)
        torch = span if name in ("torch", "pytorch") and torch is None else torch
        if _CUDA_PACKAGE.fullmatch(name):
            file.hit(CUDA_PACKAGE, span, "manual", old=match[1])
        elif build:
            whole = (span[0], start + len(row.rstrip()))
            file.hit(CUDA_BUILD, whole, "manual", old=row.strip().removeprefix("- "))
        elif name in packages():
            report(file, span, name)
    if torch is not None and "torch-npu" not in found:
        file.hit(NEEDS_NPU, torch, "manual")
    return file.analysis()


def told_apart(name: str) -> str:
    """The normal form of a package's name (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def report(file: TextFile, span: tuple[int, int], name: str) -> None:
    """Tell the verdict on a package by its normal name."""
    entry = packages()[name]
    rule = rule_for(entry)
    file.hit(
        rule, span, rule.status, note=entry.advice, source=entry.source, library=entry.title,
        name=entry.name, verdict=entry.verdict, guess=entry.guess,
    )  # fmt: skip
