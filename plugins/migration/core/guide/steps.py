"""The changes that lead from one card to several, each with its reason."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from plugins.migration.core.guide import checks, rules
from plugins.migration.core.guide.lines import after, before, indent_of, line_end, unit_of
from plugins.migration.core.guide.placing import body_that_runs
from plugins.migration.core.guide.training import Refusal, training
from plugins.migration.core.guide.wrapping import Wrapped, is_moved
from plugins.migration.core.guide.writing import torch_name, writing_steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugins.migration.core.guide.lines import Edit
    from plugins.migration.core.guide.program import Program
    from plugins.migration.core.guide.training import Training
    from plugins.migration.core.guide.writing import Step

LOCAL = 'int(os.environ["LOCAL_RANK"])'
_CARD = re.compile(r"(?:cuda|npu):(\d+)")
_DIVIDES = re.compile(
    r"torch\.utils\.data\.(?:dataset\.)?random_split|sklearn\.model_selection\.\w+"
    r"|random\.(?:shuffle|sample)|numpy\.random\.(?:shuffle|permutation|choice)"
)
_SEEDS = re.compile(r"(?:torch\.(?:random\.)?manual_seed|random\.seed|numpy\.random\.seed)")


def steps(program: Program) -> list[Step]:
    """All steps for a script; raises Refusal with the reason if it is not certain what to do."""
    checks.check_alone(program)
    found = training(program)
    checks.check_loader(program, found)
    if not is_moved(program, found):
        raise Refusal(rules.NOT_MOVED, found.start)
    wrapped = Wrapped(program, found)
    wrapped.check()
    body = body_that_runs(program, found)
    made = [_setup(program, body), _sampler(program, found), _wrap(program, found)]
    made += _cards(program)
    made += _unwrapped(program)
    made += _epoch(program, found)
    for name in wrapped.inner_uses():
        place = program.file.span(name)[1]
        made.append((rules.INNER, name, [(place, place, ".module")]))
    made += writing_steps(program, found, body)
    made += _seeds(program, found)
    made += _end(program, body)
    return made


def _setup(program: Program, body: list[ast.stmt]) -> Step:
    torch = torch_name(program)
    lines = (
        f"{torch}.npu.set_device({LOCAL})",
        f'{torch}.distributed.init_process_group("hccl")',
    )
    edits = [before(program, body[0], lines)]
    module = program.file.names.module
    missing = [] if _imports(program, "os") else ["import os"]
    if "torch" not in module.bindings and torch == "torch":
        missing.append("import torch")
    if missing:
        first = next(n for n in program.tree.body if _is_import(n))
        edits.insert(0, before(program, first, missing))
    return rules.SETUP, body[0], edits


def _imports(program: Program, name: str) -> bool:
    bindings = program.file.names.module.bindings.get(name, [])
    if any(one.kind != "import" or one.module != name for one in bindings):
        raise Refusal(rules.ALREADY, bindings[0].node, old=name)
    return bool(bindings)


def _is_import(node: ast.stmt) -> bool:
    future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
    return isinstance(node, ast.Import | ast.ImportFrom) and not future


def _sampler(program: Program, found: Training) -> Step:
    """Divide the data: insertions only, so that what stands in the call stays as it is."""
    loader = found.loader
    span = program.file.span
    data = checks.data_of(loader)
    first, last = span(data)
    edits: list[Edit] = []
    name = program.text[first:last]
    if not isinstance(data, ast.Name | ast.Attribute):
        name = _free(program, "train_data")
        edits += [(first, first, f"({name} := "), (last, last, ")")]
    given, place, shuffle = _shuffle(program, loader)
    edits += place
    torch = torch_name(program)
    sampler = f"{torch}.utils.data.distributed.DistributedSampler({name}, shuffle={shuffle})"
    statement = program.statement(loader)
    if not edits[: len(edits) - len(place)] and getattr(statement, "value", None) is loader:
        variable = _free(program, "train_sampler")
        edits.insert(0, before(program, statement, (f"{variable} = {sampler}",)))
        sampler = variable
    if given is not None:
        begin, end = span(given)
        text = program.text[begin:end]
        changed = f'{{**{text}, "shuffle": False, "sampler": {sampler}}}'
        edits.append((begin, end, changed))
    else:
        end = max(span(one)[1] for one in (*loader.args, *(k.value for k in loader.keywords)))
        edits.append((end, end, f", sampler={sampler}"))
    return rules.SAMPLER, loader.func, edits


def _shuffle(program: Program, loader: ast.Call) -> tuple[ast.expr | None, list[Edit], str]:
    """Options given as `**`, the change that stops the loader's shuffling, and how it shuffled."""
    named = [k.value for k in loader.keywords if k.arg == "shuffle"]
    named += loader.args[2:3]
    spread = [k.value for k in loader.keywords if k.arg is None]
    if any(isinstance(one, ast.Starred) for one in loader.args) or len(spread) > 1:
        raise Refusal(rules.OWN_SAMPLER, loader)
    if spread and not _is_known(program, spread[0]):
        raise Refusal(rules.OWN_SAMPLER, spread[0])
    if named:
        begin, end = program.file.span(named[0])
        text = program.text[begin:end]
        return None, [(begin, end, "False")] if text != "False" else [], text
    if spread:
        begin, end = program.file.span(spread[0])
        return spread[0], [], f'{program.text[begin:end]}.get("shuffle", False)'
    return None, [], "False"


def _is_known(program: Program, options: ast.expr) -> bool:
    """Whether options are a table made in this script, which names no sampler anywhere."""
    if not isinstance(options, ast.Name):
        return False
    tables = program.values(options)
    made = all(
        isinstance(one, ast.Dict)
        or (isinstance(one, ast.Call) and program.name(one.func) == "builtins.dict")
        for one in tables
    )
    return made and not re.search(r"[\"'](?:batch_)?sampler[\"']|\bsampler=", program.text)


def _free(program: Program, name: str) -> str:
    words = set(re.findall(r"\w+", program.text))
    return next(one for one in (name, *(f"{name}_{n}" for n in range(2, 99))) if one not in words)


def _wrap(program: Program, found: Training) -> Step:
    torch, model = torch_name(program), found.model[1]
    card = f"{torch}.npu.current_device()"
    lines = (
        f"{model} = {torch}.nn.parallel.DistributedDataParallel(",
        f"{unit_of(program, indent_of(program, found.start))}{model}, device_ids=[{card}]",
        ")",
        f"{torch}.manual_seed({torch}.initial_seed() + {torch}.distributed.get_rank())",
    )
    return rules.WRAP, found.start, [before(program, found.start, lines)]


def _epoch(program: Program, found: Training) -> list[Step]:
    if found.epochs is None:
        return []
    target = found.epochs.target if isinstance(found.epochs, ast.For) else None
    if isinstance(target, ast.Tuple):
        target = target.elts[0]
    if found.batches is None or not isinstance(target, ast.Name):
        return [(rules.EPOCH_BY_HAND, found.epochs, [])]
    begin, end = program.file.span(found.batches)
    line = f"{program.text[begin:end]}.sampler.set_epoch({target.id})"
    return [(rules.EPOCH, found.step, [before(program, found.step, (line,))])]


def _cards(program: Program) -> list[Step]:
    """Numbers of cards: without them a process takes its own."""
    found: list[Step] = []
    numbers: set[str] = set()
    span = program.file.span
    for node in ast.walk(program.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            match = _CARD.fullmatch(node.value)
            place = program.file.string_span(node) if match else None
            if match and place and not isinstance(program.parents[node], ast.JoinedStr):
                numbers.add(match[1])
                found.append((rules.CARD, node, [(*place, "npu")]))
        elif isinstance(node, ast.JoinedStr) and _CARD.fullmatch(f"{_begin(node)}0"):
            found.append((rules.CARD, node, [(*span(node), '"npu"')]))
        elif isinstance(node, ast.Call):
            found += _card_of_call(program, node, numbers)
    if len(numbers) > 1:
        raise Refusal(rules.SEVERAL_CARDS, found[-1][1])
    return found


def _card_of_call(program: Program, node: ast.Call, numbers: set[str]) -> list[Step]:
    span = program.file.span
    name = program.name(node.func)
    given = node.args[0] if node.args else None
    if given is None or not isinstance(node.func, ast.Attribute):
        return []
    if name in ("torch.cuda.set_device", "torch.npu.set_device"):
        return [(rules.CARD, given, [(*span(given), LOCAL)])]
    if name == "torch.device" and len(node.args) == 2:
        place = (span(given)[1], span(node.args[1])[1])
        return [(rules.CARD, node, [(*place, "")])]
    number = isinstance(given, ast.Constant) and type(given.value) is int
    if not number and not program.file.kinds.like_int(given, program.scope(node)):
        return []
    if node.func.attr in ("cuda", "npu") and not name:
        word = program.file.attribute_span(node.func)
        if word is None or len(node.args) + len(node.keywords) > 1:
            raise Refusal(rules.SEVERAL_CARDS, node)
        numbers.add(program.text[slice(*span(given))])
        return [(rules.CARD, node, [(*word, "npu"), (*span(given), "")])]
    if node.func.attr == "to" and not name and number:
        numbers.add(program.text[slice(*span(given))])
        return [(rules.CARD, given, [(*span(given), '"npu"')])]
    return []


def _begin(node: ast.JoinedStr) -> str:
    first = node.values[0] if len(node.values) == 2 else None
    return str(first.value) if isinstance(first, ast.Constant) else ""


def _unwrapped(program: Program) -> Iterator[Step]:
    for node in program.calls():
        name = program.name(node.func)
        if node.args and re.fullmatch(r"torch\.nn\.(?:parallel\.)?DataParallel", name):
            if ".module" in program.text:
                raise Refusal(rules.ALREADY, node, old="DataParallel(…).module")
            begin, end = program.file.span(node)
            first, last = program.file.span(node.args[0])
            yield rules.UNWRAP, node, [(begin, first, ""), (last, end, "")]


def _seeds(program: Program, found: Training) -> Iterator[Step]:
    """Divisions of data that need a seed, if none is set."""
    calls = list(program.calls())
    if any(_SEEDS.fullmatch(program.name(node.func)) for node in calls):
        return
    for node in calls:
        fixed = any(k.arg in ("generator", "random_state") for k in node.keywords)
        if _DIVIDES.fullmatch(program.name(node.func)) and not fixed:
            yield rules.SEED_BY_HAND, node, []


def _end(program: Program, body: list[ast.stmt]) -> list[Step]:
    line = f"{torch_name(program)}.distributed.destroy_process_group()"
    last = body[-1]
    if isinstance(last, ast.Return):
        plain = last.value is None or isinstance(last.value, ast.Name | ast.Constant)
        return [(rules.END, last, [before(program, last, (line,))])] if plain else []
    try:
        edit = after(program, last, (line,))
    except Refusal:
        return []
    if program.text[edit[0] :].strip("\r\n") == "" and not program.text.endswith(("\n", "\r")):
        edit = (edit[0], edit[1], edit[2] + line_end(program))
    return [(rules.END, last, [edit])]
