"""What programs ask of libraries around torch, and of checkpoints, that holds for GPUs only."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugins.migration.core.model import Rule
from plugins.migration.core.names import last_name
from studio.model.findings import Severity

if TYPE_CHECKING:
    from plugins.migration.core.scopes import Scope
    from plugins.migration.core.source import PythonFile

PROVIDER = Rule(
    "onnx-provider",
    '"{old}" becomes "CANNExecutionProvider"',
    "ONNX Runtime runs models on NPUs by its provider for CANN (package onnxruntime-cann), which "
    "takes other options than that for CUDA.",
    "device",
    "review",
    effort="minutes",
    before='import onnxruntime as ort\ns = ort.InferenceSession(m, ["CUDAExecutionProvider"])\n',
    after='import onnxruntime as ort\ns = ort.InferenceSession(m, ["CANNExecutionProvider"])\n',
)
ACCELERATOR = Rule(
    "trainer-accelerator",
    "This trainer asks for GPUs",
    "Lightning has no accelerator for NPUs of its own: register one for the device type npu, and "
    "give it here.",
    "device",
    "manual",
    effort="hours",
    before='from lightning import Trainer\nt = Trainer(accelerator="gpu")\n',
    after='from lightning import Trainer\nt = Trainer(accelerator="gpu")\n',
)
LOADING = Rule(
    "load-location",
    "This loads tensors to where they were saved",
    "A checkpoint written on a GPU names CUDA devices, which do not exist here: give map_location, "
    'such as "cpu" or "npu". Told once per file.',
    "device",
    "info",
    Severity.HINT,
    "minutes",
    before='import torch\ns = torch.load("a.pt")\n',
    after='import torch\ns = torch.load("a.pt")\n',
)
OLD_PROFILER = Rule(
    "profiler-old",
    "The old profiler is asked for times on CUDA",
    "For NPUs use torch_npu.profiler.profile, which takes activities instead.",
    "api",
    "manual",
    effort="minutes",
    before="import torch\np = torch.autograd.profiler.profile(use_cuda=True)\n",
    after="import torch\np = torch.autograd.profiler.profile(use_cuda=True)\n",
)
RULES = (PROVIDER, ACCELERATOR, LOADING, OLD_PROFILER)

_PROVIDERS = frozenset(["CUDAExecutionProvider", "TensorrtExecutionProvider"])
_LIGHTNING = ("lightning", "pytorch_lightning", "lightning_fabric")
_TRAINERS = frozenset(["Trainer", "Fabric"])
_PROFILERS = frozenset(["torch.autograd.profiler.profile", "torch.profiler.profile"])


def check_string(file: PythonFile, node: ast.Constant, scope: Scope) -> None:
    """Judge the name of a provider of ONNX Runtime."""
    if node.value not in _PROVIDERS or isinstance(file.parent(node), ast.Expr):
        return
    span = file.string_span(node)
    changes = [(*span, "CANNExecutionProvider")] if span else []
    file.hit(PROVIDER.id, node, "review", changes, old=str(node.value))


def check_call(file: PythonFile, node: ast.Call, scope: Scope) -> None:
    """Judge calls of trainers, of torch.load and of profilers."""
    word = last_name(node.func)
    if word in _TRAINERS:
        _check_trainer(file, node, scope)
    elif word == "load" and file.qualified(node.func, scope) == "torch.load":
        _check_load(file, node, scope)
    elif word == "profile" and file.qualified(node.func, scope) in _PROFILERS:
        asked = next((k for k in node.keywords if k.arg == "use_cuda"), None)
        if asked is not None and not _is_false(asked.value):
            file.hit(OLD_PROFILER.id, asked.value, "manual")


def _check_trainer(file: PythonFile, node: ast.Call, scope: Scope) -> None:
    if file.qualified(node.func, scope).partition(".")[0] not in _LIGHTNING:
        return
    for keyword in node.keywords:
        constant = keyword.value.value if isinstance(keyword.value, ast.Constant) else ...
        named = keyword.arg == "accelerator" and constant in ("gpu", "cuda")
        if named or (keyword.arg == "gpus" and constant not in (0, None)):
            file.hit(ACCELERATOR.id, keyword.value, "manual")


def _check_load(file: PythonFile, node: ast.Call, scope: Scope) -> None:
    """A load without a place: the second argument, or map_location, or whatever ** holds.

    What is read from memory was written by the same program, where the place is known.
    """
    if node.args and _in_memory(node.args[0], scope):
        return
    given = len(node.args) > 1 or any(k.arg in ("map_location", None) for k in node.keywords)
    starred = any(isinstance(one, ast.Starred) for one in node.args)
    if not (given or starred or any(hit.rule == LOADING.id for hit in file.hits)):
        file.hit(LOADING.id, node.func, "info", name="torch.load")


def _in_memory(node: ast.expr, scope: Scope) -> bool:
    bindings = scope.lookup(node.id) if isinstance(node, ast.Name) else []
    values = [b.value for b in bindings] or [node]
    return all(isinstance(v, ast.Call) and last_name(v.func) == "BytesIO" for v in values)


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value


CALLED = _TRAINERS
HANDLERS = {ast.Call: (check_call,), ast.Constant: (check_string,)}
