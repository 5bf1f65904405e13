"""Text to syntax tree, and for a file that is no valid Python, one sentence that says why."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_PYTHON2_MESSAGES = (
    "Missing parentheses in call to",
    "multiple exception types must be parenthesized",
    "leading zeros in decimal integer literals",
    "invalid decimal literal",
)
# What only Python 2 allows: print and exec as statements, `except X, e`, backquotes, `<>`, ur"".
_PYTHON2 = re.compile(
    r"""^[ \t]*(?:print[ \t]+(?:["'\w%]|>>)|print[ \t]*$|exec[ \t]+["'\w]|raise[ \t]+\w+[ \t]*,
    |except[ \t]+[\w.]+[ \t]*,[ \t]*\w+[ \t]*:)
    |^[^#'"\n]*(?:<>|\b0[0-7]+\b|\b\d+[lL]\b|`\w+`|\bur["'])""",
    re.MULTILINE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a text cannot be analysed: a message id, its values, and the line.

    `aside` for files that say nothing of torch or CUDA, so that the migration can go on without.
    """

    message: str
    line: int = 1
    values: Mapping[str, str | int] = field(default_factory=dict)
    aside: bool = False


def parse(text: str) -> ast.Module | Fault:
    """Parse Python; never raises for whatever stands in the text."""
    if (position := text.find("\0")) >= 0:
        return Fault(
            "The file contains null bytes, so it is no Python source.", _line(text, position)
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        return _explain(error, text)
    except (RecursionError, MemoryError):
        return Fault("The code is nested too deeply for Python's parser.", _longest_line(text))
    except (ValueError, OverflowError) as error:
        return Fault("Python cannot read this file: {problem}.", 1, {"problem": str(error)})


def parse_expression(source: str) -> ast.expr | None:
    """Parse one expression (in brackets, so that it may span lines), None if it is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(f"({source})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def parses(text: str) -> bool:
    """Whether a text is valid Python."""
    return isinstance(parse(text), ast.Module)


def undecodable(data: bytes, encoding: str = "utf-8") -> Fault:
    """Say where bytes stop being text of the encoding that Python reads them in."""
    try:
        data.decode(encoding)
        position = 0
    except UnicodeDecodeError as error:
        position = error.start
    except LookupError:
        return Fault("The coding line names the unknown encoding {name}.", 1, {"name": encoding})
    line = _line(data[:position].decode("latin-1"), position)
    return Fault(
        "A byte here is no {name} text and no coding line names another encoding, so Python cannot "
        "read the file.",
        line,
        {"name": encoding.upper()},
    )


def _explain(error: SyntaxError, text: str) -> Fault:
    message = (error.msg or "").split(". ")[0].rstrip(".")
    line = error.lineno or 1
    old = _PYTHON2.search(text)
    if message.startswith(_PYTHON2_MESSAGES) and old is not None:
        return Fault("This is Python 2 code; convert it to Python 3 first.", line)
    if isinstance(error, TabError):
        return Fault("Tabs and blanks are mixed in the indentation.", line)
    if "too many nested" in message:
        return Fault("The code is nested too deeply for Python's parser.", line)
    if isinstance(error, IndentationError):
        return Fault("The indentation is wrong: {problem}.", line, {"problem": message})
    if "invalid syntax" in message and old is not None:
        return Fault(
            "This is Python 2 code; convert it to Python 3 first.", _line(text, old.start())
        )
    return Fault("The file is no valid Python: {problem}.", line, {"problem": message})


def _line(text: str, offset: int) -> int:
    before = text[:offset]
    return before.count("\n") + before.count("\r") - before.count("\r\n") + 1


def _longest_line(text: str) -> int:
    rows = re.split(r"\r\n|\r|\n", text)
    return max(range(len(rows)), key=lambda index: len(rows[index])) + 1
