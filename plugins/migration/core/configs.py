"""Configurations in YAML, TOML, INI and JSON: devices and back ends as values."""

from __future__ import annotations

import re

from plugins.migration.core import shell
from plugins.migration.core.installs import Installs
from plugins.migration.core.lines import REMARK_OF_JSON, REMARK_OF_SETTINGS, TextFile
from plugins.migration.core.model import Analysis, Rule, ScanContext
from plugins.migration.core.roles import BACKEND, DEVICE
from studio.model.findings import Severity

VALUE = Rule(
    "config-value",
    '{name}: "{old}" becomes "{new}"',
    "Programs that were migrated expect the device type npu and the back end hccl.",
    "config",
    "auto",
    before="device: cuda:0  # the card\nbackend: nccl\n",
    after="device: npu:0  # the card\nbackend: hccl\n",
)
VALUE_UNSURE = Rule(
    "config-value-unsure",
    '{name}: "{old}" becomes "{new}", if it is a device or a back end',
    "The name of the setting does not say what it is for.",
    "config",
    "review",
    effort="minutes",
    before="accelerator: cuda\n",
    after="accelerator: npu\n",
)
MENTION = Rule(
    "config-mention",
    "This setting speaks of CUDA or NCCL",
    "It was left alone. Look at what it is for.",
    "config",
    "review",
    Severity.HINT,
    "minutes",
    before="image: pytorch-cuda\n",
    after="image: pytorch-cuda\n",
)
RULES = (VALUE, VALUE_UNSURE, MENTION)

_PAIR = re.compile(
    r"""(?<![\w.-])(?P<key>[\w.-]++)(?P<close>["']?)[ \t]*[:=][ \t]*(?P<open>["']?)"""
    r"""(?P<value>cuda(?::\d+)?|nccl|[\w]+:\w+(?:,\w+:\w+)*)(?P=open)(?=[ \t]*(?:[,}\]]|$))"""
)
_LIST = re.compile(
    r"""(?<![\w.-])(?P<key>[\w.-]++)["']?[ \t]*[:=][ \t]*\["""
    r"""(?P<items>(?:[ \t]*+["']?cuda(?::\d+)?["']?[ \t]*+(?:,|(?=\])))++)\]"""
)
"""A list of GPUs; one with other devices in it says what there is to choose from."""

_ITEM = re.compile(r"cuda(?::\d+)?")
_MENTION = re.compile(r"(?<![A-Za-z])(?:cuda|nccl|cudnn)(?![A-Za-z])", re.IGNORECASE)
_WORTH = re.compile("cuda|nccl|cudnn|nvidia|nvcc|--gpus|distributed\\.launch", re.IGNORECASE)
_KNOWS_NPUS = re.compile(r"(?<![A-Za-z])(?:npu|hccl|ascend)(?![A-Za-z])", re.IGNORECASE)
_NEW = {"nccl": "hccl", "cuda": "npu"}
_CHANGED = re.compile("nccl|cuda")


def analyse(text: str, context: ScanContext) -> Analysis:
    """Analyse a configuration line by line; comments, quotes and anchors stay as they are."""
    file = TextFile(text, strategy=context.strategy)
    installs = Installs(file)
    is_json = text.lstrip().startswith(("{", "/"))
    for start, row in file.code(REMARK_OF_JSON if is_json else REMARK_OF_SETTINGS):
        known = len(file.hits)
        installs.check(start, row)
        if not _WORTH.search(row):
            continue
        file.check_variables(start, row)
        for match in _PAIR.finditer(row):
            if _CHANGED.search(match["value"]):
                _check_value(file, match["key"], start + match.start("value"), match["value"])
        for match in _LIST.finditer(row):
            if DEVICE.search(match["key"]):
                for item in _ITEM.finditer(row, *match.span("items")):
                    _check_value(file, match["key"], start + item.start(), item[0])
        if file.strategy == "rewrite":
            shell.check_options(file, start, row, "--")
        shell.check_tools(file, start, row)
        span = file.left_out(_MENTION, start, row, known)
        if span is not None and not _KNOWS_NPUS.search(row):
            file.hit(MENTION, span, "review")
        shell.check_gpus(file, start, row, known)
    return file.analysis()


def _check_value(file: TextFile, key: str, first: int, value: str) -> None:
    spans = [(first + m.start(), first + m.end(), _NEW[m[0]]) for m in _CHANGED.finditer(value)]
    new = _CHANGED.sub(lambda found: _NEW[found[0]], value)
    if file.strategy == "shim":
        return  # programs still take these names, and transfer_to_npu replaces them
    sure = (BACKEND if "nccl" in value else DEVICE).search(key) is not None
    rule = VALUE if sure else VALUE_UNSURE
    span = (first, first + len(value))
    file.hit(rule, span, rule.status, spans, name=key, old=value, new=new)
