"""What stops the guide before it looks for the training."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from plugins.migration.core.guide import rules
from plugins.migration.core.guide.training import Refusal, iterated

if TYPE_CHECKING:
    from plugins.migration.core.guide.program import Program
    from plugins.migration.core.guide.training import Training

_SEVERAL = re.compile(
    r"torch\.distributed\..*|torch\.nn\.parallel\.(?:distributed\.)?DistributedDataParallel"
    r"|torch\.utils\.data\.(?:distributed\.)?DistributedSampler|torch\.multiprocessing\.spawn"
    r"|(?:accelerate|deepspeed|lightning|pytorch_lightning|horovod|ray|megatron|colossalai"
    r"|torchrun|fairscale)\b.*|transformers\.(?:\w*Trainer)|trl\..*"
)
_RANKS = re.compile(r"\b(?:LOCAL_RANK|local_rank|WORLD_SIZE|world_size)\b")
_VISIBLE = frozenset(["CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES"])


def check_alone(program: Program) -> None:
    """Raise Refusal for a script that deals with several processes or cards already."""
    for node in ast.walk(program.tree):
        if isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load):
            name = program.name(node)
            if _SEVERAL.fullmatch(name) and "parallel.data_parallel" not in name:
                raise Refusal(rules.ALREADY, node, old=name)
        if isinstance(node, ast.Constant) and node.value in _VISIBLE:
            raise Refusal(rules.ONE_CARD, node)
    if match := _RANKS.search(_code(program)):
        raise Refusal(rules.ALREADY, None, old=match[0])


def check_loader(program: Program, found: Training) -> None:
    """Raise Refusal where a sampler would change what something else sees."""
    names = [k.arg for k in found.loader.keywords]
    if {"sampler", "batch_sampler"} & set(names) or len(found.loader.args) > 3:
        raise Refusal(rules.OWN_SAMPLER, found.loader)
    if not found.loader.args and "dataset" not in names:
        raise Refusal(rules.OWN_SAMPLER, found.loader)
    for value in program.values(data_of(found.loader)):
        if isinstance(value, ast.Call) and _is_stream(program, value):
            raise Refusal(rules.STREAM, found.loader)
    for node in ast.walk(program.tree):
        if not isinstance(node, ast.For | ast.comprehension) or node in found.way:
            continue
        if found.loader in program.values(iterated(program, node.iter)):
            raise Refusal(rules.SHARED_LOADER, node.iter)


def data_of(loader: ast.Call) -> ast.expr:
    """The data set a DataLoader is made for."""
    named = [k.value for k in loader.keywords if k.arg == "dataset"]
    return named[0] if named else loader.args[0]


def _is_stream(program: Program, call: ast.Call) -> bool:
    made = program.file.names.local_class(call.func, program.scope(call))
    names = program.file.names.bases(made) if made is not None else [program.name(call.func)]
    return any(name.endswith("IterableDataset") for name in names)


def _code(program: Program) -> str:
    """The words of the script outside of comments: its names, attributes and texts."""
    words: list[str] = []
    for node in ast.walk(program.tree):
        words += [str(getattr(node, name, "")) for name in ("id", "attr", "arg", "value")]
    return " ".join(word for word in words if not word.startswith("<"))
