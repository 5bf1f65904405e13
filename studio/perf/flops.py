"""How many floating-point operations an operator does, from its type and shapes.

A multiplication and an addition count as two. What is not said by the shapes is not guessed: the
result is None.

    matmul       2·b·m·n·k          m·n are the last dimensions of the output, b the ones before, k
                                    the dimension that both inputs share
    grouped      2·t·k·n            t tokens of k features, n the last dimension of the output
    convolution  2·|W|·N·Ho·Wo      |W| elements of the filter, N·Ho·Wo points of the output; the
                                    gradients do the same work. Formats that pad channels
                                    (NC1HWC0, FRACTAL_Z) count with their padding, as the cores
                                    compute it
    attention    4·B·N·Sq·Skv·D     two matmuls; half of it under a compressed causal mask
                                    (2048 × 2048 for longer sequences: sparse_mode 2 to 4 of
                                    npu_fusion_attention); the gradient does five matmuls
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from studio.perf.shapes import formats, shapes, size

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.perf.shapes import Shape

FORMULAS: Final = {
    "matmul": "2·b·m·n·k",
    "grouped matmul": "2·t·k·n",
    "convolution": "2·|W|·N·Ho·Wo",
    "attention": "4·B·N·Sq·Skv·D",
    "attention gradient": "10·B·N·Sq·Skv·D",
}
"""The formula for each class of operators."""

_MATMUL: Final = ("MatMul", "BatchMatMul", "Mm", "Gemm", "MatMulV2", "MatMulV3")
_MASK: Final = (2048, 2048)
_PADDED: Final = "FRACTAL_NZ"


def kind_of(operator: str) -> str:
    """The class of an operator by its type: a key of `FORMULAS`, "" for others."""
    name = operator.removeprefix("aclnn")
    if name.startswith("GroupedMatmul") or name.startswith("GroupedMatMul"):
        return "grouped matmul"
    if name.startswith(_MATMUL) and "AllReduce" not in name:
        return "matmul"
    if name.startswith(("Conv2D", "Conv3D", "Convolution", "DepthwiseConv")):
        return "convolution"
    if name.startswith(("FlashAttentionScore", "PromptFlashAttention", "FusedInferAttentionScore")):
        return "attention gradient" if "Grad" in name else "attention"
    return ""


def flops(
    operator: str, input_shapes: str, output_shapes: str, input_formats: str = ""
) -> int | None:
    """The operations of one call of an operator; None where type or shapes do not tell."""
    counter = _COUNTERS.get(kind_of(operator))
    if counter is None:
        return None
    try:
        return counter(
            operator, shapes(input_shapes), shapes(output_shapes), formats(input_formats)
        )
    except (ValueError, IndexError):  # shapes of another kind than the formula is for
        return None


def _matmul(
    _name: str, inputs: list[Shape], outputs: list[Shape], written: list[str]
) -> int | None:
    first, second, result = (
        _plain(inputs[0], written[:1]),
        _plain(inputs[1], written[1:2]),
        _plain(outputs[0], written[:1] if len(outputs[0]) > 3 else []),
    )
    if min(map(len, (first, second, result))) < 2:
        return None
    m, n = result[-2:]
    shared = [
        k
        for k, own in (first[-2:], first[-2:][::-1])
        if own == m and tuple(sorted(second[-2:])) == tuple(sorted((k, n)))
    ]
    return 2 * size(result) * shared[0] if shared else None


def _grouped(_name: str, inputs: list[Shape], outputs: list[Shape], _w: list[str]) -> int | None:
    tokens, result = inputs[0], outputs[0]
    if len(tokens) != 2 or len(result) != 2 or tokens[0] != result[0]:
        return None
    return 2 * size(tokens) * result[1]


def _convolution(
    name: str, inputs: list[Shape], outputs: list[Shape], written: list[str]
) -> int | None:
    if "BackpropInput" in name or "InputGrad" in name:
        weight, points = _last(inputs, 4)
    elif "BackpropFilter" in name or "WeightGrad" in name:
        weight, points = outputs[0], _last(inputs, 4)[1]
    else:
        weight, points = inputs[1], outputs[0]
    return 2 * size(weight) * _points(points, written) if weight and points else None


def _attention(_name: str, inputs: list[Shape], outputs: list[Shape], _w: list[str]) -> int | None:
    query, key = inputs[0], inputs[1]
    statistics = [shape for shape in (*outputs, *inputs[3:]) if len(shape) == 4 and shape[3] == 8]
    if not statistics:
        return None
    batch, heads, length, _ = statistics[0]
    depth, rest = divmod(size(query), batch * heads * length)
    if rest or not depth:
        return None
    if len(query) == 4:
        longer = key[2] if query[2] == length else key[1]
    else:
        longer = key[0] if query[0] == length else key[1]
    work = 4 * batch * heads * length * longer * depth
    masked = _MASK in inputs and length == longer > _MASK[0]
    return work // 2 if masked else work


def _attention_gradient(
    name: str, inputs: list[Shape], outputs: list[Shape], written: list[str]
) -> int | None:
    forward = _attention(name, inputs, outputs, written)
    return None if forward is None else forward * 5 // 2


def _plain(shape: Shape, written: list[str]) -> Shape:
    """The rows and columns of a matrix that is stored in blocks (FRACTAL_NZ)."""
    if written and written[0] == _PADDED and len(shape) >= 4:
        *batch, columns, rows, inner_rows, inner_columns = shape
        return (*batch, rows * inner_rows, columns * inner_columns)
    return shape


def _last(inputs: list[Shape], dimensions: int) -> tuple[Shape, Shape]:
    """The last two tensors that have at least some dimensions."""
    found = [shape for shape in inputs if len(shape) >= dimensions]
    return found[-2], found[-1]


def _points(shape: Shape, written: list[str]) -> int:
    """N·Ho·Wo (N·Do·Ho·Wo) of an output; NC1HWC0 and NDC1HWC0 split the channels."""
    if len(shape) == 6:
        return shape[0] * shape[1] * shape[3] * shape[4]
    if len(shape) == 4 and "NHWC" in written:
        return shape[0] * shape[1] * shape[2]
    return shape[0] * shape[2] * shape[3]


_COUNTERS: Final[dict[str, Callable[[str, list[Shape], list[Shape], list[str]], int | None]]] = {
    "matmul": _matmul,
    "grouped matmul": _grouped,
    "convolution": _convolution,
    "attention": _attention,
    "attention gradient": _attention_gradient,
}
