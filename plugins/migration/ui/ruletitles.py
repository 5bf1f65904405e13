"""What a rule is called where it stands for all its findings: a heading without their values."""

from __future__ import annotations

import re

from studio.i18n import tr

_PLACE = re.compile(r"[\"“]?\{\w+\}[\"”]?")


def rule_title(rule: str) -> str:
    """The heading of a rule; of one without, its own title with dots for what differs."""
    if heading := _headings().get(rule):
        return heading
    from plugins.migration.core import registry  # heavy; no heading is shown before a scan used it

    known = registry.rules().get(rule)
    return _PLACE.sub("…", tr(known.title)) if known else rule


def _headings() -> dict[str, str]:
    """The rules whose titles say little without the values of a finding."""
    return {
        "cuda-import": tr("Imports from torch.cuda"),
        "cuda-import-all": tr("Imports of everything from torch.cuda"),
        "cuda-import-manual": tr("Imports from torch.cuda without a counterpart"),
        "cuda-name": tr("Names of torch.cuda"),
        "cuda-name-limited": tr("Names of torch.cuda with limits"),
        "cuda-name-unlisted": tr("Names of torch.cuda that nobody has verified"),
        "cuda-name-missing": tr("Names of torch.cuda without a counterpart"),
        "cuda-name-other": tr("CUDA names elsewhere in torch"),
        "cuda-backend-flag": tr("Switches of CUDA libraries"),
        "tf32-flag": tr("Switches of TF32"),
        "cuda-method": tr("Moving tensors and modules by .cuda()"),
        "cuda-method-unsure": tr(".cuda() of what may be a tensor or module"),
        "own-cuda": tr("Members of this project that are called like CUDA"),
        "foreign-cuda": tr("Members of other modules that are called like CUDA"),
        "stream-handle": tr("Raw handles of streams and events"),
        "device-string": tr("Device strings"),
        "device-string-unsure": tr("Strings that may be devices"),
        "device-key": tr("Keys that may be devices"),
        "location-key": tr("Keys that name where a checkpoint was saved"),
        "tensor-type": tr("Names of tensor types"),
        "dotted-text": tr("Dotted names in texts"),
        "integer-device": tr("Devices given as numbers"),
        "integer-device-unsure": tr("Numbers that may be devices"),
        "integer-device-variable": tr("Variables that may be numbers of cards"),
        "nccl-backend": tr("The communication back end NCCL"),
        "nccl-key": tr("Keys that may be back ends"),
        "nccl-among-others": tr("NCCL in lists of words"),
        "onnx-provider": tr("Providers of ONNX Runtime"),
        "nccl-class": tr("Classes for NCCL only"),
        "environment-variable": tr("Environment variables"),
        "environment-variable-unsure": tr("Texts that may be environment variables"),
        "environment-check": tr("Environment variables without a twin"),
        "library-ready": tr("Libraries that run on NPUs"),
        "library-manual": tr("Libraries that need a change by hand"),
        "library-unsupported": tr("Libraries that do not run on NPUs"),
        "library-unknown": tr("Libraries about which nothing is stated"),
        "torch-feature": tr("Parts of torch with limits on NPUs"),
        "custom-operator": tr("Builds of operators of their own"),
        "custom-operator-call": tr("Calls of operators of an extension"),
        "custom-operator-use": tr("Calls of operators of this project"),
        "custom-operator-import": tr("Imports of extensions of this project"),
        "custom-operator-target": tr("Builds of sources for CUDA"),
        "custom-operator-lookup": tr("Operators that some library registers"),
        "triton-kernel": tr("Triton kernels"),
        "triton-launch": tr("Launches of Triton kernels"),
        "profiler": tr("The profiler"),
        "profiler-manual": tr("Parts of the profiler without a counterpart"),
        "profiler-key": tr("Columns of the CUDA profiler"),
        "profiler-table": tr("Tables of the profiler"),
        "torch-api-unsupported": tr("APIs of torch that are not supported"),
        "torch-api-dtype": tr("Element types that an API does not take"),
        "torch-api-condition": tr("APIs of torch with a condition"),
        "torch-api-fallback": tr("APIs of torch that may run on the CPU"),
        "fused-optimizer": tr("Optimizers with a fused counterpart"),
        "fused-attention": tr("Attention that is written out"),
        "fused-rms-norm": tr("RMSNorm that is written out"),
        "fused-rotary": tr("Rotary embeddings that are written out"),
        "fused-swiglu": tr("SwiGLU that is written out"),
        "overflow-constant": tr("Constants that do not fit into float16"),
        "inductor": tr("Settings of Inductor"),
        "compile-mode": tr("Modes of torch.compile that are made for GPUs"),
        "slow-check": tr("Checks that make training slow"),
        "user-rule": tr("Rules of this project"),
        "shim-import": tr("Import transfer_to_npu"),
        "shim-covered": tr("CUDA names that transfer_to_npu replaces"),
        "shell-option": tr("Options on command lines"),
        "shell-tool": tr("Tools that work on GPUs only"),
        "container-image": tr("Images that are made for GPUs"),
        "asks-for-gpus": tr("Containers and clusters that ask for GPUs"),
        "config-value": tr("Settings that name a device or a back end"),
        "config-value-unsure": tr("Settings that may name a device or a back end"),
        "cuda-build": tr("Packages built for CUDA"),
        "cuda-package": tr("Packages that are a part of CUDA"),
    }
