"""The model and its wrapper: which names mean the wrapper, and what is reached inside it."""

from __future__ import annotations

import ast
import re
from functools import cached_property
from typing import TYPE_CHECKING

from plugins.migration.core.guide import rules
from plugins.migration.core.guide.program import Function, argument
from plugins.migration.core.guide.training import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugins.migration.core.guide.program import Program, Variable
    from plugins.migration.core.guide.training import Training

_OF_WRAPPER = frozenset(
    ["train", "eval", "parameters", "zero_grad", "training", "module", "no_sync", "modules"]
)
"""What the wrapper has itself and does as the model would."""
_HARMLESS = re.compile(r"(?:load_)?state_dict|save\w*|get_\w+|num_\w+|count_\w+|named_\w+|buffers")
_MOVES = frozenset(["to", "cuda", "npu"])


class Wrapped:
    """The uses of the model once the training has begun."""

    def __init__(self, program: Program, found: Training) -> None:
        self._program = program
        self._found = found
        self._owner = found.model[0].node
        self._begin = program.file.span(found.start)[0]
        self.always, self.sometimes = self._spread()

    def calls_itself(self) -> bool:
        """Whether the training calls the model, as it must for the wrapper to work."""
        return any(
            isinstance(node, ast.Call) and self._is_wrapped(node.func)
            for part in self._trained()
            for node in ast.walk(part)
        )

    def inner_uses(self) -> Iterator[ast.Name]:
        """The names behind which `.module` has to be written; raises Refusal where that fails."""
        trained = {node for part in self._trained() for node in ast.walk(part)}
        for node in ast.walk(self._program.tree):
            if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
                continue
            if node.attr in _OF_WRAPPER or not self._is_wrapped(node.value):
                continue
            called = isinstance(self._program.parents[node], ast.Call) and (
                self._program.parents[node].func is node  # type: ignore[attr-defined]
            )
            if called and node in trained and not _HARMLESS.fullmatch(node.attr):
                raise Refusal(rules.AROUND, node, name=f"{node.value.id}.{node.attr}")
            mixed = self._program.variable(node.value) in self.sometimes
            if mixed or self._is_early(node.value):
                raise Refusal(rules.MIXED, node, name=node.value.id)
            yield node.value

    def check(self) -> None:
        """Raise Refusal if the wrapper would not do its work."""
        if not self.calls_itself():
            raise Refusal(rules.NO_MODEL, self._found.loop)
        for node in ast.walk(self._found.start):
            stored = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            if stored and isinstance(node, ast.Name) and self._is_wrapped(node):
                raise Refusal(rules.NO_MODEL, node)

    def _trained(self) -> list[ast.AST]:
        """What runs for each batch: the loop, and the functions it calls or is in on the way."""
        inner = self._program.reached(self._found.loop)
        return [self._found.loop, *inner]

    def _is_wrapped(self, node: ast.expr) -> bool:
        variable = self._program.variable(node)
        if variable is None or variable not in self.always | self.sometimes:
            return False
        # Before the training begins the name means the model itself.
        own = variable == self._found.model and self._inside(node)
        return not own or self._program.file.span(node)[0] >= self._begin

    def _inside(self, node: ast.AST) -> bool:
        """Whether a node runs in the scope that wraps the model, not in a function of its own."""
        owner = self._owner if isinstance(self._owner, Function) else None
        return self._program.function(node) is owner

    def _spread(self) -> tuple[set[Variable], set[Variable]]:
        """The variables that always hold the wrapper, and those that hold it in some calls."""
        always: set[Variable] = {self._found.model}
        sometimes: set[Variable] = set()
        self.always, self.sometimes = always, sometimes
        before = True
        while before:
            before = False
            for variable, calls in self._parameters().items():
                given = [self._is_wrapped(one) for one in calls]
                target = always if all(given) else sometimes
                if any(given) and variable not in always | sometimes:
                    target.add(variable)
                    before = True
        return always, sometimes

    def _parameters(self) -> dict[Variable, list[ast.expr]]:
        found: dict[Variable, list[ast.expr]] = {}
        for function in self._program.functions():
            scope = self._program.inner_scope(function)
            for call in self._program.calls_of(function):
                for name in scope.bindings:
                    given = argument(call, function, name)
                    if given is not None and (scope, name) != self._found.model:
                        found.setdefault((scope, name), []).append(given)
        return found

    def _is_early(self, node: ast.Name) -> bool:
        """Whether a name is read by a function that runs before the training begins as well."""
        own = self._program.variable(node) == self._found.model
        return own and not self._inside(node) and self._program.function(node) in self._early

    @cached_property
    def _early(self) -> set[Function]:
        """The functions that run before the training begins."""
        found: set[Function] = set()
        body = getattr(self._owner, "body", [])
        for statement in body:
            early = self._program.file.span(statement)[1] <= self._begin
            if early and not isinstance(statement, Function | ast.ClassDef):
                found |= self._program.reached(statement)
        return found


def is_moved(program: Program, found: Training) -> bool:
    """Whether the model is moved to a device where that can be seen."""
    origin = program.origin(found.model)
    for node in ast.walk(program.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in _MOVES and _base(program, node.func.value) == origin:
                return True
            if program.name(node.func) == "torch.set_default_device":
                return True
    if origin is None:
        return False
    made = [b.value for b in origin[0].bindings.get(origin[1], ()) if b.value is not None]
    for value in made:
        parts = [value, *program.reached(value)]
        for part in parts:
            for node in ast.walk(part):
                if isinstance(node, ast.Attribute) and node.attr in _MOVES:
                    return True
                if isinstance(node, ast.keyword) and node.arg == "device":
                    return True
    return False


def _base(program: Program, node: ast.expr) -> Variable | None:
    while isinstance(node, ast.Attribute | ast.Call):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    variable = program.variable(node)
    return program.origin(variable) if variable else None
