"""What a script trains: the loop, its loader, the loop over epochs, the model."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugins.migration.core.guide import rules
from plugins.migration.core.guide.program import Function

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugins.migration.core.guide.program import Program, Variable
    from plugins.migration.core.model import Rule, Value

_LOADERS = ("torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader")
_PARAMETERS = ("parameters", "named_parameters")
_LOOPS = (ast.For, ast.While)


class Refusal(Exception):
    """Why the guide does not go on, and the place that makes it stop."""

    def __init__(self, rule: Rule, node: ast.AST | None = None, **values: Value) -> None:
        super().__init__(rule.id)
        self.rule, self.node, self.values = rule, node, values


@dataclass(frozen=True, slots=True)
class Training:
    """What was found.

    `way` leads from a call of backward() outwards, through the calls of functions, to the module;
    `loop` goes over batches, `epochs` (if any) over epochs; `step` is the statement of the epoch
    that trains, and `batches` the loader as it is called there; before `start` the training has
    not begun, and `model` is the variable that holds the model there.
    """

    way: tuple[ast.AST, ...]
    loop: ast.For
    loader: ast.Call
    epochs: ast.For | ast.While | None
    step: ast.stmt
    batches: ast.expr | None
    start: ast.stmt
    model: Variable


def training(program: Program) -> Training:
    """Find the training of a script; raises Refusal with the reason if it is not certain."""
    ways = [_way(program, call) for call in _backwards(program)]
    if not ways:
        raise Refusal(rules.NO_TRAINING)
    found = [_loop(program, way) for way in ways]
    loop, loader = found[0]
    if any(other is not loop for other, _ in found):
        raise Refusal(rules.SEVERAL_LOOPS, loop)
    way = ways[0]
    beyond = [n for n in way[way.index(loop) + 1 :] if isinstance(n, _LOOPS)]
    epochs = beyond[0] if beyond else None
    inside = way[: way.index(epochs)] if epochs is not None else way
    step = next(n for n in reversed(inside) if isinstance(n, ast.stmt) and _is_step(n, epochs))
    batches = _batches(program, loop, step, way)
    model, start = _model(program, way, epochs or loop)
    return Training(way, loop, loader, epochs, step, batches, start, model)


def iterated(program: Program, node: ast.expr) -> ast.expr:
    """What a loop goes over, without enumerate, tqdm and the like around it."""
    while True:
        if isinstance(node, ast.Call) and program.called(node) is None and node.args:
            if program.name(node.func) in _LOADERS:
                return node
            node = node.args[0]
            continue
        variable = program.variable(node)
        bindings = variable[0].bindings.get(variable[1], []) if variable else []
        value = bindings[0].value if len(bindings) == 1 and bindings[0].kind == "assign" else None
        if not isinstance(value, ast.Call) or is_loader(program, value) or program.called(value):
            return node
        node = value


def is_loader(program: Program, node: ast.expr) -> bool:
    """Whether an expression makes a DataLoader."""
    return isinstance(node, ast.Call) and program.name(node.func) in _LOADERS


def _backwards(program: Program) -> Iterator[ast.Call]:
    for node in program.calls():
        if isinstance(node.func, ast.Attribute) and node.func.attr == "backward":
            yield node


def _way(program: Program, call: ast.Call) -> tuple[ast.AST, ...]:
    """The nodes around a call, and around the calls of the functions it is in."""
    way: list[ast.AST] = [call]
    seen: set[ast.AST] = set()
    node: ast.AST = call
    while (around := program.parents.get(node)) is not None:
        node = around
        way.append(node)
        if isinstance(node, ast.ClassDef):
            raise Refusal(rules.IN_CLASS, call)
        if isinstance(node, Function):
            if isinstance(program.parents.get(node), ast.ClassDef):
                raise Refusal(rules.IN_CLASS, call)
            calls = program.calls_of(node)
            if not calls or node in seen:
                raise Refusal(rules.NOT_CALLED, node, name=node.name)
            if len(calls) > 1:
                raise Refusal(rules.CALLED_OFTEN, calls[1], name=node.name)
            seen.add(node)
            node = calls[0]
            way.append(node)
    return tuple(way)


def _loop(program: Program, way: tuple[ast.AST, ...]) -> tuple[ast.For, ast.Call]:
    loops = [node for node in way if isinstance(node, ast.For)]
    for loop in loops:
        made = program.values(iterated(program, loop.iter))
        loaders = [one for one in made if isinstance(one, ast.Call) and is_loader(program, one)]
        if len(set(loaders)) == 1 and len(loaders) == len(made):
            return loop, loaders[0]
    raise Refusal(rules.NO_LOADER, loops[0] if loops else way[0])


def _is_step(node: ast.stmt, epochs: ast.For | ast.While | None) -> bool:
    return epochs is None or node in epochs.body


def _batches(
    program: Program, loop: ast.For, step: ast.stmt, way: tuple[ast.AST, ...]
) -> ast.expr | None:
    """The loader as it is called in the function of a statement around the loop."""
    carried: ast.expr | None = iterated(program, loop.iter)
    inner: ast.AST = loop
    while carried is not None and program.function(inner) is not program.function(step):
        function = program.function(inner)
        if function is None:
            return None
        variable = program.variable(carried)
        if variable is None or variable[0].node is not function:
            return None
        given = program.given(variable) or []
        carried = given[0] if len(given) == 1 else None
        inner = way[way.index(function) + 1]
    plain = isinstance(carried, ast.Name | ast.Subscript | ast.Attribute)
    return carried if plain else None


def _model(
    program: Program, way: tuple[ast.AST, ...], outer: ast.stmt
) -> tuple[Variable, ast.stmt]:
    """The variable that holds the model, and the statement before which it is to be wrapped."""
    origins: set[Variable | None] = set()
    for call in program.calls():
        if _is_optimizer(call):
            origins |= {program.origin(one) for one in _trained(program, call)}
    if not origins or None in origins:
        raise Refusal(rules.NO_MODEL, way[0])
    if len(origins) > 1:
        raise Refusal(rules.SEVERAL_MODELS, way[0])
    origin = origins.pop()
    statements = [n for n in way[way.index(outer) :] if isinstance(n, ast.stmt)]
    for index, start in enumerate(statements):
        inner = statements[index - 1] if index else None
        if inner is not None and not isinstance(inner, Function):
            continue  # a statement in the same function as the one before
        scope = program.scope(start)
        for name in scope.bindings:
            if program.origin((scope, name)) == origin:
                return (scope, name), start
    raise Refusal(rules.NO_MODEL, way[0])


def _is_optimizer(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name[:1].isupper() and bool(call.args or call.keywords)


def _trained(program: Program, call: ast.Call) -> set[Variable | None]:
    """The variables whose parameters() a call takes."""
    found: set[Variable | None] = set()
    for given in (*call.args, *(keyword.value for keyword in call.keywords)):
        for value in program.values(given):
            owners = (part.func for part in program.calls(value))
            for owner in owners:
                if isinstance(owner, ast.Attribute) and owner.attr in _PARAMETERS:
                    found.add(program.variable(root(owner.value)))
    return found


def root(node: ast.expr) -> ast.expr:
    """The name an attribute chain begins with."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node
