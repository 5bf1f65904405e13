"""The work of opening tensors, done in a job."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plugins.precision.core.tensors.loading import Loaded
    from studio.kernel.job_context import JobContext


def load(job: JobContext, **wanted: str) -> Loaded:
    """Open the tensors; also imports the code that will show them, which takes a while."""
    importlib.import_module("plugins.precision.ui.tensor.pane")
    from plugins.precision.core.tensors.loading import load as load_tensors

    return load_tensors(**wanted, job=job)
