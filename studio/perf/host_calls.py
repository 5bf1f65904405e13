"""What a call on the host does, by the names that CANN, CUDA, PyTorch and MindSpore give."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    from numpy.typing import NDArray

_WAITS: Final = re.compile(
    r"synchroni[sz]e|streamsync|memcopysync|(aclrt|cuda|hip)memcpy(withstream)?$", re.IGNORECASE
)
_MEMORY: Final = re.compile(
    r"(aclrt|acl|cuda|hip|cu)(malloc|free)|mallocmem|mallocphysical|freephysical|devmalloc|devfree"
    r"|reservememaddress|releasememaddress|(un)?mapmem",
    re.IGNORECASE,
)
_LOADS: Final = re.compile(
    r"enumerate\(data(loader|pipe)\)#|(dataset|minddata).*(next|iterator)|getnext", re.IGNORECASE
)


def is_wait(name: str) -> bool:
    """Whether a call of the runtime returns only when the device is done."""
    return _WAITS.search(name) is not None


def is_memory_call(name: str) -> bool:
    """Whether a call of the runtime allocates or frees device memory."""
    return _MEMORY.match(name) is not None or "mallocmem" in name.casefold()


def is_data_loading(name: str) -> bool:
    """Whether an operator on the host fetches the next batch."""
    return _LOADS.search(name) is not None


def named(table: pd.DataFrame, rule: Callable[[str], bool]) -> NDArray[np.bool_]:
    """Which rows of a table have a name that fits a rule, asked once per distinct name."""
    names = table["name"].cat
    fits = np.array([rule(str(text)) for text in names.categories] + [False], np.bool_)
    marked: NDArray[np.bool_] = fits[names.codes.to_numpy()]
    return marked
