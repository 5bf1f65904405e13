"""Shell scripts and container files: variables, options, tools."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from plugins.migration.core.builds import builds_in_cmake
from plugins.migration.core.installs import Installs
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
GPUS = Rule(
    "asks-for-gpus",
    "{old} asks for GPUs",
    "For NPUs, Docker runs containers with the runtime ascend (or --device /dev/davinci0), and the "
    "device plugin of Kubernetes offers them as huawei.com/Ascend910 and the like.",
    "environment",
    "review",
    effort="hours",
    before="docker run --gpus all image\n",
    after="docker run --gpus all image\n",
)
RULES = (OPTION, TOOL, LAUNCHER, IMAGE, MENTION, TARGET, GPUS)

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
    r"""(?<![\w.-])(?P<name>[\w.-]++)(?:[ \t]+|=|["'][ \t]*,[ \t]*)["']?"""
    r"(?P<value>cuda(?::\d+)?|nccl)(?![\w/.:-])"
)
_IMAGE = re.compile(r"^\s*FROM\s+(?:--\S+\s+)?(\S*(?:nvidia|cuda)\S*)", re.IGNORECASE)
_MENTION = re.compile(r"(?<![A-Za-z])(?:cuda|nccl|cudnn|cu1[12]\d)(?![A-Za-z])", re.IGNORECASE)
_GPUS = re.compile(
    r"""nvidia\.com/[\w.-]+|(?:runtime|driver)["']?\s*[:=]\s*["']?nvidia\b|nvidia-docker\w*"""
    r"|nvidia-container-\w+|(?<!\w)--gpus(?=[ =])"
)
_NEW = {"nccl": "hccl", "cuda": "npu"}


def analyse(text: str, context: ScanContext) -> Analysis:
    """Analyse a shell script, a container file or a file of variables."""
    file = TextFile(text)
    for build in builds_in_cmake(text) if "add_" in text else ():
        span = (build.start, build.start + len(build.name))
        sources = listed(build.sources)
        file.hit(TARGET, span, "manual", name=build.name, sources=sources, extension=build.name)
    targets = [hit.start for hit in file.hits]
    installs = Installs(file)
    for start, row in file.code():
        known = len(file.hits)
        file.check_variables(start, row)
        check_options(file, start, row)
        check_tools(file, start, row)
        installs.check(start, row)
        if image := _IMAGE.match(row):
            file.hit(IMAGE, (start + image.start(1), start + image.end(1)), "review", old=image[1])
        told = any(start <= place <= start + len(row) for place in targets)
        left = None if told else file.left_out(_MENTION, start, row, known)
        if left is not None:
            file.hit(MENTION, left, "review")
        check_gpus(file, start, row, known)
    return file.analysis()


def check_tools(file: TextFile, start: int, row: str) -> None:
    """Judge the tools for GPUs and the old launcher that a line calls."""
    for match in _TOOL.finditer(row):
        span = (start + match.start(), start + match.end())
        file.hit(TOOL, span, "review", note=_TOOLS[match[0]], old=match[0])
    if launch := _LAUNCH.search(row):
        file.hit(LAUNCHER, (start + launch.start(), start + launch.end()), "review")


def check_gpus(file: TextFile, start: int, row: str, known: int) -> None:
    """Tell where a container or a cluster is asked for GPUs, if nothing is said of the line."""
    if span := file.left_out(_GPUS, start, row, known):
        old = file.text[span[0] : span[1]]
        file.hit(GPUS, span, "review", old=old)


def check_options(file: TextFile, start: int, row: str, names: str = "") -> None:
    """Judge the devices and back ends that options take; all `names` begin so."""
    for match in _OPTION.finditer(row):
        word = match["value"].partition(":")[0]
        named = match["name"].startswith(names)
        if named and re.search("device|backend", match["name"], re.IGNORECASE):
            first = start + match.start("value")
            span = (first, start + match.end("value"))
            new = _NEW[word] + match["value"].removeprefix(word)
            changes = [(first, first + len(word), _NEW[word])]
            file.hit(OPTION, span, "auto", changes, old=match["value"], new=new)
