"""One Python file under analysis: what rules ask about it, and how they say what they found."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from plugins.migration.core import strings
from plugins.migration.core.collector import Collector
from plugins.migration.core.exports import meaning
from plugins.migration.core.kinds import Kinds
from plugins.migration.core.model import (
    TORCH_VERSIONS,
    Asked,
    Change,
    Hit,
    ScanContext,
    Site,
    Span,
    Status,
    Use,
    Value,
)
from plugins.migration.core.names import Names
from plugins.migration.core.positions import positions_in
from plugins.migration.core.userrules import user_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugins.migration.core.positions import Positions
    from plugins.migration.core.scopes import Scope
    from plugins.migration.core.tables import ApiName

_STATED = ("float64", "double", "complex64", "complex128", "float16")
_HALF = re.compile(r"half\b")

_NEEDS = re.compile(r"require(?!s_grad\b)\w*\s*=(?!=)")

Receiver = Literal["torch", "own", "foreign", "unknown"]

_NEAR_TORCH = re.compile(
    "torch.*|transformers|diffusers|accelerate|timm|lightning|pytorch_lightning|deepspeed|megatron"
    "|fairseq|peft|trl|mmcv|mmengine|mmdet|open_clip|apex|flash_attn|xformers"
)
_TENSOR_OR_MODULE = re.compile(r"torch\.(?:Tensor|nn\.(?:\w+\.)*[A-Z]\w*|\w+Storage)")
_DATA = frozenset(["int", "str", "bool", "float", "device", "dtype", "shape", "class"])


class PythonFile:
    """The text, tree, names and kinds of a file, and the hits found so far."""

    def __init__(self, text: str, tree: ast.Module, context: ScanContext) -> None:
        self.text = text
        self.tree = tree
        self.context = context
        self.positions = positions_in(text)
        self.lowered = text.lower()
        self.collected = Collector(tree, _lines_with_walrus(text, self.positions))
        self.names = Names(self.collected, text, self._exports())
        self.kinds = Kinds(self.names)
        self.parents: dict[ast.AST, ast.AST] = {}
        self._qualified: dict[ast.expr, str] = {}
        self.hits: list[Hit] = []
        self.apis: Counter[str] = Counter()
        self.sites: dict[str, list[Site]] = {}
        self.left: list[Span] = []
        self.asked_names: set[str] = set()
        said = user_rules(context.rules).support if context.rules else ()
        self.judged_by_user = {entry.text("api") for entry in said}
        self.unverified: list[Use] = []
        self.imported = {root for one in self.collected.imports for root in _roots(one.node)}
        self.beside_npu: list[ast.AST] = []
        self.device_values: set[ast.AST] = set()
        self.device_attributes: set[str] = set()

    @cached_property
    def uses_torch(self) -> bool:
        """Whether the file imports torch itself."""
        return "torch" in self.imported

    @cached_property
    def near_torch(self) -> bool:
        """Whether the file imports torch or a library whose objects are tensors and modules."""
        return any(map(_NEAR_TORCH.fullmatch, self.imported))

    def _exports(self) -> dict[str, str]:
        """What this file imports from modules of the project that hand on names of torch.cuda."""
        if not self.context.exports:
            return {}
        modules = {bound.module for one in self.collected.imports for bound in one.bindings}
        found = {module: meaning(module, self.context.exports) for module in modules}
        return {module: meant for module, meant in found.items() if meant}

    @cached_property
    def states_dtypes(self) -> bool:
        """Whether the file names element types of tensors that not every operator takes."""
        text = self.text  # plain searches are many times as fast as the pattern
        return any(map(text.__contains__, _STATED)) or (
            "half" in text and _HALF.search(text) is not None
        )

    @cached_property
    def states_needs(self) -> bool:
        """Whether the file may say which packages it needs, as a setup file does."""
        return _NEEDS.search(self.text) is not None

    # -- places -------------------------------------------------------------------------------
    def span(
        self, node: ast.expr | ast.stmt | ast.arg | ast.keyword | ast.alias
    ) -> tuple[int, int]:
        """Start and end of a node in the text."""
        start = self.positions.offset(node.lineno, node.col_offset)
        end = self.positions.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        return start, end

    def source(self, node: ast.expr) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    def attribute_span(self, node: ast.Attribute) -> tuple[int, int] | None:
        """Where the name behind the dot stands; None if it is not written as it reads."""
        end = self.span(node)[1]
        start = end - len(node.attr)
        return (start, end) if self.text[start:end] == node.attr else None

    def string_span(self, node: ast.Constant) -> tuple[int, int] | None:
        """Where the text of a string stands; None if it has escapes or several parts."""
        start, end = self.span(node)
        return strings.body(self.text, start, end, node.value) if type(node.value) is str else None

    def line_of(self, node: ast.expr) -> str:
        """The first line of a node."""
        return self.positions.line_text(node.lineno)

    # -- tree ---------------------------------------------------------------------------------
    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node around a node, up to its statement."""
        return self.parents.get(node)

    def is_called(self, node: ast.expr) -> bool:
        """Whether a node is what a call calls."""
        parent = self.parents.get(node)
        return isinstance(parent, ast.Call) and parent.func is node

    def only_asked_for(self, node: ast.expr) -> bool:
        """Whether a class only says of which type something is: isinstance, annotation, type(x)."""
        child: ast.AST = node
        parent = self.parent(node)
        while isinstance(parent, ast.Tuple | ast.List | ast.BinOp):
            child, parent = parent, self.parent(parent)
        if isinstance(parent, ast.Subscript):
            return child is parent.slice
        if isinstance(parent, ast.Call):
            asks = isinstance(parent.func, ast.Name) and parent.func.id in (
                "isinstance",
                "issubclass",
            )
            return asks and child is not parent.args[0]
        if isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef):
            return child is parent.returns
        if isinstance(parent, ast.arg | ast.AnnAssign):
            return child is parent.annotation
        return isinstance(parent, ast.Compare)

    def qualified(self, node: ast.expr, scope: Scope) -> str:
        """The canonical dotted name of an expression, or ""."""
        known = self._qualified.get(node)
        if known is not None:
            return known
        chain: list[ast.Attribute] = []
        part = node  # what stands before the dots is asked for as well
        while type(part) is ast.Attribute and part not in self._qualified:
            chain.append(part)
            part = part.value
        name = self._qualified.get(part)
        if name is None:
            name = self._qualified[part] = self.names.qualified(part, scope)
        for outer in reversed(chain):
            name = self._qualified[outer] = f"{name}.{outer.attr}" if name else ""
        return name

    def receiver(self, node: ast.expr, attribute: str, scope: Scope) -> Receiver:
        """What the object before `.cuda`, `.is_cuda` or `.to` is.

        "own": a class of this file with such an attribute of its own; "foreign": a module or value
        that has nothing to do with torch.
        """
        name = self.qualified(node, scope)
        if name.startswith("torch."):
            return "torch" if _TENSOR_OR_MODULE.fullmatch(name) else "foreign"
        instance = self.kinds.local_instance(node, scope)
        if instance is not None:
            return self._instance(instance, attribute)
        kind = self.kinds.of(node, scope)
        if kind in ("tensor", "module"):
            return "torch"
        return "foreign" if name or kind in _DATA else "unknown"

    def _instance(self, instance: ast.ClassDef, attribute: str) -> Receiver:
        if self.names.defines(instance, attribute):
            return "own"
        bases = self.names.bases(instance)
        if any(base.startswith("torch.") for base in bases):
            return "torch"
        return "unknown" if bases else "foreign"

    # -- what is asked of tables ------------------------------------------------------------------
    def asked(self) -> Asked:
        """All that was asked about torch version and strategy."""
        return Asked(tuple(sorted(self.asked_names)), strategy=True)

    def support_of(self, entry: ApiName) -> str:
        """The support of a name in torch.cuda for the torch version."""
        if len(set(entry.support.values())) > 1 or len(entry.support) < len(TORCH_VERSIONS):
            self.asked_names.add(entry.name)
        return entry.judged(self.context.torch)

    # -- hits ---------------------------------------------------------------------------------
    def hit(
        self,
        rule: str,
        where: ast.expr | ast.stmt | ast.arg | tuple[int, int],
        status: Status,
        changes: Sequence[tuple[int, int, str]] = (),
        *,
        note: str = "",
        source: str = "",
        **values: Value,
    ) -> None:
        """Note that a rule applies to a node or span, with the changes it proposes."""
        start, end = where if isinstance(where, tuple) else self.span(where)
        made = tuple(Change(*change) for change in changes)
        self.hits.append(Hit(rule, start, end, made, status, note, source, values))


def _lines_with_walrus(text: str, positions: Positions) -> frozenset[int]:
    """The lines in which `:=` stands: only their statements are searched for such bindings."""
    if ":=" not in text:
        return frozenset()
    return frozenset(positions.place(match.start())[0] for match in re.finditer(":=", text))


def _roots(node: ast.Import | ast.ImportFrom) -> set[str]:
    """The top packages that an import statement loads."""
    if isinstance(node, ast.Import):
        return {alias.name.partition(".")[0] for alias in node.names}
    return set() if node.level else {(node.module or "").partition(".")[0]}
