"""Lists of packages: libraries made for CUDA, builds for CUDA, the missing torch_npu."""

from __future__ import annotations

import re

from plugins.migration.core.lines import TextFile
from plugins.migration.core.model import Analysis, Rule, ScanContext
from plugins.migration.core.rules.environment import VARIABLE
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

_PACKAGE = re.compile(r"\s*(?:-\s+)?[\"']?([A-Za-z0-9][\w.-]*)[ \t]*(?:\[[^\]]*\])?(?P<rest>[^;]*)")
_PLACE = re.compile(
    r"\s*(?:-\s+)?(?:(?:-e|--editable)[ =]\s*)?((?:\w+\+)?(?:https?|ssh|git|file)://\S+)"
)
_EGG = re.compile(r"[#&]egg=([A-Za-z0-9][\w.-]*)")
_REPOSITORIES = {
    "flash-attention": "flash-attn",
    "transformerengine": "transformer-engine",
    "megatron-lm": "megatron-core",
    "mamba": "mamba-ssm",
}
"""Repositories that are not called like their package."""
_VARIABLE = re.compile(rf"\s*(?:{VARIABLE.pattern})\s*:")
"""A variable that a conda environment sets."""
_CHANNEL = re.compile(r"(\s*(?:-\s+)?[\"']?)[\w-]+::")
_CUDA_BUILD = re.compile(r"\+cu\d+|/whl/cu\d+|-cu1\d\d\b")
_CUDA_PACKAGE = re.compile(r"nvidia-.*-cu\d+|cuda-.*|cudatoolkit|pytorch-cuda|nccl")


def analyse(text: str, context: ScanContext) -> Analysis:
    """Analyse a list of requirements or a conda environment."""
    file = TextFile(text)
    torch: tuple[int, int] | None = None
    found: set[str] = set()
    for start, row in file.code():
        build = _CUDA_BUILD.search(row)
        if (place := _PLACE.match(row)) and named_by_place(place[1]) in packages():
            span = (start + place.start(1), start + place.end(1))
            report(file, span, named_by_place(place[1]))
            continue
        channel = _CHANNEL.match(row)  # conda-forge::cupy
        match = _PACKAGE.match(row, channel.end() if channel else 0)
        if _VARIABLE.match(row):
            file.check_variables(start, row)
            continue
        if match is None or row.lstrip().startswith("--"):
            if build:
                file.hit(
                    CUDA_BUILD,
                    (start, start + len(row)),
                    "manual",
                    old=row.strip().rstrip("\\").rstrip(),
                )
            continue
        name = told_apart(match[1])
        span = (start + match.start(1), start + match.end(1))
        found.add(name)
        torch = span if name in ("torch", "pytorch") and torch is None else torch
        if _CUDA_PACKAGE.fullmatch(name):
            file.hit(CUDA_PACKAGE, span, "manual", old=match[1])
        elif build:
            whole = (span[0], span[0] + len(_shown(row)))
            file.hit(CUDA_BUILD, whole, "manual", old=_shown(row))
        elif name in packages():
            report(file, span, name)
    if torch is not None and "torch-npu" not in found:
        file.hit(NEEDS_NPU, torch, "manual")
    return file.analysis()


def named_by_place(place: str) -> str:
    """The package that a repository, archive or wheel is of, by its address; "" for none known."""
    if egg := _EGG.search(place):
        return told_apart(egg[1])
    last = place.partition("#")[0].rstrip("/").rpartition("/")[2].partition("@")[0]
    name = told_apart(last.removesuffix(".git"))
    if name.endswith(".whl") or "-whl" in name:
        name = told_apart(last.partition("-")[0])
    return _REPOSITORIES.get(name, name)


def told_apart(name: str) -> str:
    """The normal form of a package's name (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _shown(row: str) -> str:
    """What a line asks for, without its hashes and the mark of a line that goes on."""
    return row.strip().removeprefix("- ").partition(" --hash")[0].rstrip("\\ ")


def report(file: TextFile, span: tuple[int, int], name: str) -> None:
    """Tell the verdict on a package by its normal name."""
    entry = packages()[name]
    rule = rule_for(entry)
    file.hit(
        rule, span, rule.status, note=entry.advice, source=entry.source, library=entry.title,
        name=entry.name, verdict=entry.verdict, guess=entry.guess,
    )  # fmt: skip
