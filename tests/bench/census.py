"""Where the plain words of CUDA stand in a file, found without the analysis that is checked by it.

A site is a line in which one of the words below stands. It is text when all of them stand in a
comment, a docstring or a message: what people read and no program does.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WORDS = re.compile(
    r"""(?<![a-z])torch\.cuda\b|\.cuda\(|\bfrom\s+torch\s+import\s.*\bcuda\b|\.is_cuda\b
    |["']cuda(?::(?:\d+|\{[^}]*\}|%[ds])?)?["']|\bcuda:\d
    |\bnccl\b|(?:["']|\b(?:export|ENV)\s+)NCCL_[A-Z0-9_]+|\bNCCL_[A-Z0-9_]+=(?=[^\s=])
    |\bCUDA_(?:VISIBLE_DEVICES|LAUNCH_BLOCKING|DEVICE_ORDER)\b
    |(?<!import\ torch\.)(?<!executorch\.)\bbackends\.(?:cudnn|cuda)\b
    |\bcuda_time_total\b|\bProfilerActivity\.CUDA\b
    |\bPYTORCH_CUDA_ALLOC_CONF\b|\bnvidia-smi\b""",
    re.VERBOSE,
)
CODE = (".py", ".pyw", ".sh", ".bash", ".slurm", ".yaml", ".yml", ".json", ".toml", ".ini", ".cfg",
        ".ipynb", ".cu", ".cuh", ".cpp", ".cc", ".h", ".hpp", ".dockerfile")  # fmt: skip
NAMES = re.compile(r"(?:Dockerfile|requirements|constraints|\.env).*", re.IGNORECASE)
DOCUMENTING = re.compile(r"EXAMPLE|DOC_?STRING|_DOC\b")
"""Names of texts that are put into the documentation of something."""
COMMENT = re.compile(r"\s*(?:#|//|\*|/\*|REM\b)")
SAYING = re.compile(
    r"print|\w*warn\w*|info\w*|debug|error|exception|critical|log|write|add_argument|Option|Argument|field|Field"
)


class Site(NamedTuple):
    """A line with plain words, and whether only people read them."""

    line: int
    text: str
    is_text: bool


def sites_of(path: Path) -> Iterator[Site]:
    """The sites of a file, none for files that are no code."""
    if not (path.suffix in CODE or NAMES.fullmatch(path.name)) or not path.is_file():
        return
    data = path.read_bytes()
    if b"\0" in data or not WORDS.search(text := data.decode("utf-8", "replace")):
        return
    texts = spans_of_text(text) if path.suffix in (".py", ".pyw") else {}
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        found = list(WORDS.finditer(line))
        if not found:
            continue
        if path.suffix in (".py", ".pyw"):
            spans = texts.get(number, ())
            read = all(any(a <= m.start() and m.end() <= b for a, b in spans) for m in found)
            read = read or line.lstrip().startswith((">>>", "..."))  # an example in a text
        else:
            read = COMMENT.match(line) is not None
        yield Site(number, line.strip()[:160], read)


def spans_of_text(text: str) -> dict[int, list[tuple[int, int]]]:
    """The columns of comments and docstrings by line; none if Python cannot read the text."""
    found: dict[int, list[tuple[int, int]]] = {}
    endless = 1 << 30
    try:
        tree = ast.parse(text)
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                found.setdefault(token.start[0], []).append((token.start[1], endless))
    except (SyntaxError, ValueError, tokenize.TokenError):
        return {}
    for node in ast.walk(tree):
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.Assign) and DOCUMENTING.search(ast.unparse(node.targets[0])):
            docstring = isinstance(node.value, ast.Constant)
        for said in [node] if docstring else messages(node):
            for line in range(said.lineno, (said.end_lineno or said.lineno) + 1):
                found.setdefault(line, []).append((0, endless))
    return found


def messages(node: ast.AST) -> Iterator[ast.expr]:
    """The sentences in what is raised, asserted, printed or logged."""
    around: list[ast.AST] = []
    if isinstance(node, ast.Raise):
        around = [node]
    elif isinstance(node, ast.Assert) and node.msg is not None:
        around = [node.msg]
    elif isinstance(node, ast.Call) and SAYING.fullmatch(
        getattr(node.func, "attr", getattr(node.func, "id", ""))
    ):
        around = [*node.args, *node.keywords]
    for part in (part for one in around for part in ast.walk(one)):
        text = part.value if isinstance(part, ast.Constant) else None
        if isinstance(part, ast.Constant) and isinstance(text, str) and " " in text.strip():
            yield part
