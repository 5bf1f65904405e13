"""Operators that PyTorch and MindSpore call by other names.

From MindSpore's own table of PyTorch's functions and their counterparts ("PyTorch and MindSpore API
Mapping Table", mindspore.cn), and from the names of kernels that dumps of its graphs have (RealDiv,
ReduceSum, BiasAdd, Cast). Names stand without underscores and in lower case; those that are equal
then (`layer_norm` and `LayerNorm`) are not listed. A group holds operators that stand in for each
other when a network is carried over: which of them it was, only the module and the order can tell,
so groups count only between two frameworks.
"""

from __future__ import annotations

from functools import lru_cache

_GROUPS = (
    ("matmul", "mm", "bmm", "batchmatmul"),
    ("linear", "dense"),
    ("add", "iadd", "radd", "biasadd", "addn", "tensoradd", "adds"),
    ("sub", "isub", "rsub", "subs"),
    ("mul", "imul", "rmul", "muls"),
    ("div", "truediv", "itruediv", "rtruediv", "realdiv", "divs"),
    ("floordivide", "floordiv"),
    ("pow", "rpow", "ipow"),
    ("sum", "reducesum"),
    ("mean", "reducemean"),
    ("max", "amax", "reducemax", "argmaxwithvalue"),
    ("min", "amin", "reducemin", "argminwithvalue"),
    ("prod", "reduceprod"),
    ("any", "reduceany"),
    ("all", "reduceall"),
    ("norm", "lpnorm"),
    ("cat", "concat", "concatenate"),
    ("unbind", "unstack"),
    ("split", "chunk", "splitwithsize", "splittensor", "chunkview", "splittensorview"),
    ("reshape", "view", "viewas", "reshapeas", "flatten"),
    ("transpose", "permute", "t", "swapaxes", "swapdims", "transposeview"),
    ("unsqueeze", "expanddims"),
    ("expand", "expandas", "broadcastto"),
    ("repeat", "tile"),
    ("to", "cast", "type", "typeas", "float", "half", "bfloat16", "double", "long", "int", "bool"),
    ("getitem", "stridedslice", "slice", "narrow"),
    ("gather", "gatherd", "gathernd", "embedding", "indexselect", "embeddinglookup"),
    ("scatter", "tensorscatterelements", "scatteradd", "tensorscatteradd"),
    ("where", "select"),
    ("clamp", "clip", "clipbyvalue", "clampscalar", "clamptensor"),
    ("arange", "range"),
    ("eq", "equal"),
    ("ne", "notequal"),
    ("lt", "less"),
    ("le", "lessequal"),
    ("gt", "greater"),
    ("ge", "greaterequal"),
    ("and", "bitwiseand", "logicaland"),
    ("or", "bitwiseor", "logicalor"),
    ("invert", "bitwisenot", "logicalnot"),
    ("silu", "swish"),
    ("crossentropy", "softmaxcrossentropywithlogits", "sparsesoftmaxcrossentropywithlogits"),
    ("conv1d", "conv2d", "convolution"),
    ("scaleddotproductattention", "fusionattention", "flashattentionscore", "flashattention",
     "promptflashattention"),
    ("rotarymul", "applyrotaryposemb", "rotarypositionembedding"),
    ("allgather", "allgatherintotensor"),
    ("reducescatter", "reducescattertensor"),
    ("alltoall", "alltoallsingle", "alltoallv"),
    ("send", "isend"),
    ("recv", "irecv", "receive"),
)  # fmt: skip
_ENDINGS = ("ext", "v2", "v3")


@lru_cache(maxsize=4096)
def common_api(plain: str) -> str:
    """Return the first name of the group that a plain name belongs to, or the name itself.

    MindSpore's kernels behind `mint` end in "Ext", later versions of others in a number.
    """
    if plain in _FIRST:
        return _FIRST[plain]
    for ending in _ENDINGS:
        short = plain.removesuffix(ending)
        if short != plain and len(short) > 1:
            return _FIRST.get(short, short)
    return plain


_FIRST = {name: group[0] for group in _GROUPS for name in group}
