"""Shell scripts and container files: variables, options, tools."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from plugins.migration.core.builds import builds_in_cmake
from plugins.migration.core.lines import TextFile
from plugins.migration.core.model import Analysis, Rule, ScanContext
from plugins.migration.core.registrations import listed
from studio.model.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Mapping

OPTION = Rule(
    "shell-option",
    '"{old}" becomes "{new}"',
    "Programs that were migrated expect the device type npu and the back end hccl.",
    "config",
    "auto",
    before="python train.py --backend nccl --device cuda:0\n",
    after="python train.py --backend hccl --device npu:0\n",
)
TOOL = Rule(
    "shell-tool",
    "{old} works on GPUs only",
    "NPUs have tools of their own, whose output differs.",
    "environment",
    "review",
    effort="minutes",
    before="nvidia-smi -L | wc -l\n",
    after="nvidia-smi -L | wc -l\n",
)
LAUNCHER = Rule(
    "old-launcher",
    "torch.distributed.launch is old",
    "Use torchrun: it takes the same options except --use_env, which is always on.",
    "distributed",
    "review",
    effort="minutes",
    before="python -m torch.distributed.launch train.py\n",
    after="python -m torch.distributed.launch train.py\n",
)
IMAGE = Rule(
    "container-image",
    "The image {old} is made for GPUs",
    "Choose an image with CANN and torch_npu, such as those of quay.io/ascend.",
    "environment",
    "review",
    effort="hours",
)
MENTION = Rule(
    "shell-mention",
    "This line speaks of CUDA or NCCL",
    "It was left alone. Look at what it does.",
    "config",
    "review",
    Severity.HINT,
    "minutes",
    before="module load cuda/12.1\n",
    after="module load cuda/12.1\n",
)
TARGET = Rule(
    "custom-operator-target",
    "{name} is built of sources for CUDA",
    "CUDA does not run on NPUs: write the kernels in Ascend C and build them with CANN. Sources: "
    "{sources}.",
    "custom_op",
    "manual",
    effort="days",
    before="add_library(fast SHARED fast.cu)\n",
    after="add_library(fast SHARED fast.cu)\n",
)
RULES = (OPTION, TOOL, LAUNCHER, IMAGE, MENTION, TARGET)

_TOOLS: Mapping[str, str] = {
    "nvidia-smi": "Use npu-smi info.",
    "nvcc": "Operators for NPUs are written in Ascend C and built with CANN.",
    "nsys": "Use msprof.",
    "ncu": "Use msprof op.",
    "nvprof": "Use msprof.",
}
_TOOL = re.compile(rf"(?<![\w./-])(?:{'|'.join(_TOOLS)})(?![\w-])")
_LAUNCH = re.compile(r"torch\.distributed\.launch\b")
_OPTION = re.compile(
    r"""(?<![\w.-])(?P<name>[\w.-]++)(?:[ \t]+|=)["']?"""
    r"(?P<value>cuda(?::\d+)?|nccl)(?![\w/.:-])"
)
_IMAGE = re.compile(r"^\s*FROM\s+(?:--\S+\s+)?(\S*(?:nvidia|cuda)\S*)", re.IGNORECASE)
_MENTION = re.compile(r"(?<![A-Za-z])(?:cuda|nccl|cudnn|cu1[12]\d)(?![A-Za-z])", re.IGNORECASE)
_NEW = {"nccl": "hccl", "cuda": "npu"}


def analyse(text: str, context: ScanContext) -> Analysis:
    """Analyse a shell script, a container file or a file of variables."""
    file = TextFile(text)
    for build in builds_in_cmake(text) if "add_" in text else ():
        span = (build.start, build.start + len(build.name))
        sources = listed(build.sources)
        file.hit(TARGET, span, "manual", name=build.name, sources=sources, extension=build.name)
    for start, row in file.code():
        file.check_variables(start, row)
        _check_options(file, start, row)
        for match in _TOOL.finditer(row):
            span = (start + match.start(), start + match.end())
            file.hit(TOOL, span, "review", note=_TOOLS[match[0]], old=match[0])
        if launch := _LAUNCH.search(row):
            file.hit(LAUNCHER, (start + launch.start(), start + launch.end()), "review")
        if image := _IMAGE.match(row):
            file.hit(IMAGE, (start + image.start(1), start + image.end(1)), "review", old=image[1])
        if (mention := _MENTION.search(row)) and not file.touched(start, row):
            file.hit(MENTION, (start + mention.start(), start + mention.end()), "review")
    return file.analysis()


def _check_options(file: TextFile, start: int, row: str) -> None:
    for match in _OPTION.finditer(row):
        word = match["value"].partition(":")[0]
        if re.search("device|backend", match["name"], re.IGNORECASE):
            first = start + match.start("value")
            span = (first, start + match.end("value"))
            new = _NEW[word] + match["value"].removeprefix(word)
            changes = [(first, first + len(word), _NEW[word])]
            file.hit(OPTION, span, "auto", changes, old=match["value"], new=new)
