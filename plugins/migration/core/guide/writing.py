"""What only the first process does: writing checkpoints, files and lines for people."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from plugins.migration.core.guide import rules
from plugins.migration.core.guide.lines import before, guarded
from plugins.migration.core.guide.program import Function

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugins.migration.core.guide.lines import Edit
    from plugins.migration.core.guide.program import Program
    from plugins.migration.core.guide.training import Training
    from plugins.migration.core.model import Rule

FIRST = 'os.environ.get("RANK", "0") == "0"'
"""True in the first process, and in a program that was started alone."""

Step = tuple["Rule", ast.AST, list["Edit"]]

_SAVES = re.compile(
    r"torch\.save|numpy\.save\w*|json\.dump|pickle\.dump|joblib\.dump"
    r"|shutil\.(?:copy\w*|move)|os\.(?:remove|rename|replace)|torchvision\.utils\.save_image"
)
_SAVING = frozenset(["save_pretrained", "savefig", "to_csv"])
_TELLS = re.compile(r"builtins\.print|wandb\.log|mlflow\.log_\w+|logging\.(?:info|debug)")
_TELLING = re.compile(r"add_(?:scalars?|image|images|histogram|text|figure|graph)|info|debug")
_PLAIN = re.compile(
    r"item|format|join|state_dict|get_last_lr|get_lr|tolist|cpu|detach|mean|sum|round|time|strftime"
    r"|now|perf_counter|ljust|rjust|upper|lower|max|min|abs|size|numel|exp|log|sqrt|items|keys"
    r"|values|getvalue|isoformat|avg|max_memory_allocated|memory_allocated|numpy|argmax|dirname"
)
_BUILTINS = re.compile(
    r"builtins\.(?:len|str|int|float|round|format|max|min|sum|abs|repr|bool|dict|list|range|zip"
    r"|tuple|type|vars|getattr)|os\.path\.\w+|math\.\w+|time\.\w+|torch\.(?:exp|tensor|mean|sum)"
    r"|pathlib\.Path|datetime\..*|numpy\.(?:mean|sum|exp|array|round)"
)


def writing_steps(program: Program, found: Training, body: list[ast.stmt]) -> Iterator[Step]:
    """The statements to guard, those that follow each other together; others are left to do."""
    for statements in _bodies(program, body):
        run: list[ast.stmt] = []
        for node in (*statements, None):
            purpose = _purpose(program, node) if node is not None else ""
            if node is not None and purpose in ("save", "tell"):
                run.append(node)
                continue
            if run and (edits := guarded(program, run, FIRST)) is not None:
                yield rules.FIRST, run[0], edits
            run = []
            if node is not None and purpose == "unsure":
                yield rules.SAVE_BY_HAND, node, []
    yield from _waiting(program, found)


def _purpose(program: Program, node: ast.stmt) -> str:
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return ""
    call = node.value
    name = program.name(call.func)
    method = call.func.attr if isinstance(call.func, ast.Attribute) and not name else ""
    saves = bool(_SAVES.fullmatch(name)) or method in _SAVING
    if not saves and not _TELLS.fullmatch(name) and not _TELLING.fullmatch(method):
        return ""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    if all(_is_plain(program, one) for one in given):
        return "save" if saves else "tell"
    return "unsure" if saves else ""


def _is_plain(program: Program, node: ast.expr) -> bool:
    """Whether an expression calls nothing that other processes may have to take part in."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            name = program.name(part.func)
            word = part.func.attr if isinstance(part.func, ast.Attribute) else ""
            if not (_BUILTINS.fullmatch(name) or _PLAIN.fullmatch(word)):
                return False
        if isinstance(part, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr):
            return False
    return True


def _bodies(program: Program, body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """Every list of statements that runs once the processes have joined."""
    functions: set[Function] = set()
    for statement in body:
        functions |= program.reached(statement)
    for part in (*body, *functions):
        if part is body[0]:
            yield body
        if isinstance(part, Function) and part not in functions:
            continue
        for node in ast.walk(part):
            if isinstance(node, ast.ClassDef | ast.Lambda):
                continue
            if isinstance(node, Function) and node not in functions:
                continue
            if node in functions and node is not part:
                continue
            for name in ("body", "orelse", "finalbody"):
                inner = getattr(node, name, None)
                if isinstance(inner, list) and inner and _is_of(program, inner[0], part):
                    yield inner


def _is_of(program: Program, statement: ast.stmt, part: ast.AST) -> bool:
    """Whether a statement belongs to a function (or statement) and not to a function inside it."""
    around = program.function(statement)
    return around is (part if isinstance(part, Function) else program.function(part))


def _waiting(program: Program, found: Training) -> Iterator[Step]:
    """Files that are read once the training is over, in the function that ran it."""
    end = program.file.span(found.start)[1]
    for node in program.calls():
        if program.name(node.func) == "torch.load":
            same = program.function(node) is program.function(found.start)
            if same and program.file.span(node)[0] > end:
                torch = torch_name(program)
                line = f"{torch}.distributed.barrier()"
                statement = program.statement(node)
                yield rules.WAIT, node, [before(program, statement, (line,))]


def torch_name(program: Program) -> str:
    """The name under which the script knows torch; "torch" if it has to be imported first."""
    for name, bindings in program.file.names.module.bindings.items():
        if all(one.kind == "import" and one.module == "torch" for one in bindings):
            return name
    return "torch"
