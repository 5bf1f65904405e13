"""torch.compile, Inductor, random states, slow modes, profiler tables: what behaves otherwise."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugins.migration.core.model import Rule
from studio.model.findings import Severity

if TYPE_CHECKING:
    from plugins.migration.core.scopes import Scope
    from plugins.migration.core.source import PythonFile

INDUCTOR = Rule(
    "inductor",
    "{name} steers Inductor, which writes Triton kernels for GPUs",
    "On NPUs choose the back end of TorchAir (torchair.get_npu_backend()), or the Inductor that "
    "comes with torch_npu; settings for GPU kernels have no meaning there.",
    "performance",
    "review",
    effort="minutes",
    before="import torch\ntorch._inductor.config.coordinate_descent_tuning = True\n",
    after="import torch\ntorch._inductor.config.coordinate_descent_tuning = True\n",
)
COMPILE_MODE = Rule(
    "compile-mode",
    'The mode "{mode}" of torch.compile is made for GPUs',
    "It relies on CUDA graphs or on tuning Triton kernels. Leave the mode out and name a back end "
    "for NPUs.",
    "performance",
    "review",
    effort="minutes",
    before='import torch\nm = torch.compile(m, mode="reduce-overhead")\n',
    after='import torch\nm = torch.compile(m, mode="reduce-overhead")\n',
)
FORK_RNG = Rule(
    "fork-rng",
    "fork_rng() keeps the random states of CPU and CUDA only",
    "With device_type it keeps those of the NPUs.",
    "api",
    "review",
    effort="minutes",
    before="import torch\ntorch.cuda.seed()\nwith torch.random.fork_rng():\n    pass\n",
    after="import torch\nimport torch_npu\ntorch.npu.seed()\n"
    "with torch.random.fork_rng(device_type='npu'):\n    pass\n",
)
SLOW_MODE = Rule(
    "slow-check",
    "{name} makes training slow",
    "It checks every operator. Switch it off except for the search of a fault.",
    "performance",
    "info",
    Severity.HINT,
    "minutes",
    before="import torch\ntorch.autograd.set_detect_anomaly(True)\n",
    after="import torch\ntorch.autograd.set_detect_anomaly(True)\n",
)
LOADING = Rule(
    "loader-in-process",
    "This DataLoader reads in the training process",
    "The NPU waits for every batch. Give num_workers, and pin_memory=True.",
    "performance",
    "info",
    Severity.HINT,
    "minutes",
    before="from torch.utils.data import DataLoader\nd = DataLoader(s, batch_size=4)\n",
    after="from torch.utils.data import DataLoader\nd = DataLoader(s, batch_size=4)\n",
)
KEY_AVERAGES = Rule(
    "profiler-table",
    "torch_npu.profiler has no {name}()",
    "Read operator_details.csv or op_statistic.csv of its output instead.",
    "api",
    "manual",
    effort="minutes",
    before="import torch\n\ndef show(profiler):\n    print(profiler.key_averages().table())\n",
    after="import torch\n\ndef show(profiler):\n    print(profiler.key_averages().table())\n",
)
RULES = (INDUCTOR, COMPILE_MODE, FORK_RNG, SLOW_MODE, LOADING, KEY_AVERAGES)

_MODES = frozenset(["reduce-overhead", "max-autotune"])
_FORKS = frozenset(["torch.random.fork_rng", "torch.fork_rng"])
_SLOW = frozenset(
    [
        "torch.autograd.set_detect_anomaly",
        "torch.autograd.detect_anomaly",
        "torch.autograd.gradcheck",
    ]
)
_LOADERS = frozenset(["torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader"])


def check_call(file: PythonFile, node: ast.Call, scope: Scope) -> None:
    """Judge a call by its name and arguments."""
    name = file.qualified(node.func, scope)
    if not name.startswith("torch."):
        attribute = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if attribute == "key_averages" and "profiler" in file.text and file.uses_torch:
            file.hit(KEY_AVERAGES.id, node.func, "manual", name=attribute)
        return
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    if name == "torch.compile":
        mode = given.get("mode")
        if isinstance(mode, ast.Constant) and mode.value in _MODES:
            file.hit(COMPILE_MODE.id, node, "review", name=name, mode=str(mode.value))
    elif name in _FORKS:
        if "cuda" in file.text:
            _check_fork(file, node, given)
    elif name in _SLOW:
        off = bool(node.args) and isinstance(node.args[0], ast.Constant) and not node.args[0].value
        if not off:
            file.hit(SLOW_MODE.id, node.func, "info", name=name)
    elif name in _LOADERS and None not in given and len(node.args) < 6:
        workers = given.get("num_workers")
        if workers is None or (isinstance(workers, ast.Constant) and workers.value == 0):
            file.hit(LOADING.id, node.func, "info", name=name)


def check_name(file: PythonFile, node: ast.Attribute, scope: Scope) -> None:
    """Judge the settings of Inductor."""
    if isinstance(file.parent(node), ast.Attribute):
        return
    name = file.qualified(node, scope)
    if name.startswith("torch._inductor.config."):
        file.hit(INDUCTOR.id, node, "review", name=name)


def _check_fork(file: PythonFile, node: ast.Call, given: dict[str | None, ast.expr]) -> None:
    if (
        "device_type" in given
        or None in given
        or any(isinstance(a, ast.Starred) for a in node.args)
    ):
        return
    end = file.span(node)[1] - 1
    if file.text[end] != ")":
        return
    inside = [*node.args, *(keyword.value for keyword in node.keywords)]
    last = max((file.span(part)[1] for part in inside), default=0)
    between = file.text[last:end].strip() if last else ""
    if between not in ("", ","):
        return
    lead = ", " if last and not between else " " if file.text[end - 1] == "," else ""
    changes = [(end, end, f"{lead}device_type='npu'")]
    file.hit(FORK_RNG.id, node, "review", changes)


CALLED = frozenset(["key_averages"])
HANDLERS = {ast.Call: (check_call,), ast.Attribute: (check_name,)}
