"""The README's two commands, run.py and test.py, and what they share; standard library only."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - the user's Python may be any, and must be told
    sys.exit(
        f"Ascent Studio needs Python 3.11 or newer; this is {sys.version.split()[0]} "
        f"({sys.executable})."
    )
