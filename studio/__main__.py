"""Start the program: `python -m studio`, the script `studio`, or the frozen application."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run the program and return its exit code."""
    # numpy's threads for products of matrices cost a tenth of a second to start and are not needed
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if sys.argv[1:] == ["--warm-kernels"]:
        # the frozen application starts itself again to do what `python -m` does elsewhere
        from studio.trace.warm import main as run
    else:
        from studio.cli import main as run

    return run()


if __name__ == "__main__":
    from multiprocessing import freeze_support

    freeze_support()
    sys.exit(main())
