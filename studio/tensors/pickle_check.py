"""Look through the pickle of a tensor's file before it is read."""

from __future__ import annotations

from studio.formats import pickle_end as pickles
from studio.i18n import tr
from studio.tensors.tensor import TensorError


def pickle_end(data: bytes, start: int = 0) -> int:
    """Return where a pickle ends; raises TensorError when it is cut off or hostile."""
    try:
        return pickles.pickle_end(data, start)
    except pickles.DamagedPickle as error:
        raise TensorError(tr("has a damaged description of its tensors")) from error
