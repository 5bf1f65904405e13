"""Single card to several: the steps, and the reasons for which there are none."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

from plugins.migration.core.guide import rules
from plugins.migration.core.guide.command import Guides, guide_command
from plugins.migration.core.guide.guiding import Guide, guide_text
from plugins.migration.core.inplace import Patch
from plugins.migration.core.scan import scan_text

SCRIPT = '''\
import torch
import torch.nn as nn
from torch.utils.data import DataLoader


def main():
    """Train."""
    torch.manual_seed(1)
    model = nn.Linear(8, 4).to("cuda:0")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(train_set, 8, shuffle=True)
    test_loader = DataLoader(test_set, 8)
    for epoch in range(3):
        for data, target in loader:
            loss = model(data.to("cuda:0")).sum()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())
        for data, target in test_loader:
            model(data.to("cuda:0"))
    torch.save(model.state_dict(), "model.pt")


if __name__ == "__main__":
    main()
'''

GUIDED = '''\
import os
import torch
import torch_npu
import torch.nn as nn
from torch.utils.data import DataLoader


def main():
    """Train."""
    torch.npu.set_device(int(os.environ["LOCAL_RANK"]))
    torch.distributed.init_process_group("hccl")
    torch.manual_seed(1)
    model = nn.Linear(8, 4).to("npu")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train_sampler = torch.utils.data.distributed.DistributedSampler(train_set, shuffle=True)
    loader = DataLoader(train_set, 8, shuffle=False, sampler=train_sampler)
    test_loader = DataLoader(test_set, 8)
    model = torch.nn.parallel.DistributedDataParallel(
        model, device_ids=[torch.npu.current_device()]
    )
    torch.manual_seed(torch.initial_seed() + torch.distributed.get_rank())
    for epoch in range(3):
        loader.sampler.set_epoch(epoch)
        for data, target in loader:
            loss = model(data.to("npu")).sum()
            loss.backward()
            optimizer.step()
        if os.environ.get("RANK", "0") == "0":
            print(epoch, loss.item())
        for data, target in test_loader:
            model(data.to("npu"))
    if os.environ.get("RANK", "0") == "0":
        torch.save(model.module.state_dict(), "model.pt")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
'''


def guide(text: str) -> Guide:
    return guide_text(text, Path("train.py"))


def after(text: str) -> str:
    found = guide(text)
    assert found.ready, [f.title for f in found.findings]
    ast.parse(found.text_after())
    return found.text_after()


def reason(text: str) -> str:
    found = guide(text)
    assert not found.ready
    assert found.text_after() == text
    assert not found.edits()
    (only,) = found.findings
    assert only.fix is None
    assert only.why
    return only.rule.removeprefix("guide-")


def changed(old: str, new: str, text: str = SCRIPT) -> str:
    assert old in text
    return text.replace(old, new)


def test_a_script_becomes_one_for_several_cards() -> None:
    assert after(SCRIPT) == GUIDED


def test_line_ends_and_tabs_are_kept() -> None:
    text = SCRIPT.replace("    ", "\t").replace("\n", "\r\n")
    assert after(text) == GUIDED.replace("    ", "\t").replace("\n", "\r\n")


def test_a_guided_script_is_not_guided_again() -> None:
    assert reason(GUIDED) == "already"
    assert scan_text(GUIDED, Path("train.py")).changes == 0


def test_nothing_is_read_from_the_environment_while_importing() -> None:
    tree = ast.parse(after(SCRIPT))
    top = [node for node in tree.body if not isinstance(node, ast.FunctionDef)]
    assert not any("environ" in ast.dump(node) for node in top)


def test_a_cpu_branch_stays() -> None:
    choice = "    device = torch.device('cuda' if use else 'cpu')\n    model ="
    text = changed("    model =", choice, changed('.to("cuda:0")\n', ".to(device)\n"))
    assert "torch.device('npu' if use else 'cpu')" in after(text)


@pytest.mark.parametrize("options", ["**options", "batch_size=8, **options"])
def test_options_given_as_a_table_are_never_given_twice(options: str) -> None:
    text = changed("train_set, 8, shuffle=True", f"train_set, {options}")
    text = text.replace(
        "    model =", '    options = {"shuffle": True, "num_workers": 2}\n    model ='
    )
    made = after(text)
    assert 'DistributedSampler(train_set, shuffle=options.get("shuffle", False))' in made
    given = options.replace(
        "**options", '**{**options, "shuffle": False, "sampler": train_sampler}'
    )
    assert f"DataLoader(train_set, {given})" in made


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("train_set, 8, True", "train_set, 8, False, sampler=train_sampler"),
        ("train_set, batch_size=8", "train_set, batch_size=8, sampler=train_sampler"),
        ("dataset=train_set", "dataset=train_set, sampler=train_sampler"),
        ("train_set, shuffle=not x, drop_last=True",
         "train_set, shuffle=False, drop_last=True, sampler=train_sampler"),
    ],
)  # fmt: skip
def test_the_loader_of_the_training(given: str, made: str) -> None:
    assert f"loader = DataLoader({made})\n" in after(changed("train_set, 8, shuffle=True", given))


def test_the_shuffling_goes_to_the_sampler() -> None:
    made = after(changed("shuffle=True", "shuffle=flag"))
    assert "DistributedSampler(train_set, shuffle=flag)" in made
    made = after(changed(", shuffle=True", ""))
    assert "DistributedSampler(train_set, shuffle=False)" in made


def test_a_data_set_is_made_once() -> None:
    made = after(changed("DataLoader(train_set,", "DataLoader(Data(1),"))
    assert "DataLoader((train_data := Data(1)), 8, shuffle=False, sampler=" in made
    assert made.count("Data(1)") == 1


def test_the_loader_of_an_evaluation_is_untouched() -> None:
    assert "test_loader = DataLoader(test_set, 8)\n" in after(SCRIPT)


def test_the_way_leads_through_functions() -> None:
    text = '''\
import torch
from torch.utils.data import DataLoader

def make():
    return DataLoader(a, shuffle=True), DataLoader(b)

def step(net, batch):
    loss = net(batch)
    loss.backward()
    return loss

def run(net, batches, number, log):
    net.train()
    for batch in tqdm(batches, desc=f"{number}"):
        loss = step(net, batch)
        log.add_scalar("loss", loss.item(), number)
    print(f"""
  {net.name}
""")

def evaluate(net, batches):
    net.eval()
    print(net.name, sum(net(batch) for batch in batches))

def main(args):
    train, test = make()
    model = Net().cuda()
    params = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(params)
    print(model.name)
    for number in range(2):
        run(model, train, number, log)
        evaluate(model, test)

main(1)
'''
    made = after(text)
    assert "    train_sampler = " not in made
    assert "DataLoader(a, shuffle=False, sampler=torch.utils.data.distributed." in made
    assert "    for number in range(2):\n        train.sampler.set_epoch(number)\n" in made
    assert '        if os.environ.get("RANK", "0") == "0":\n            log.add_scalar(' in made
    # What is inside a string keeps its place; what is not guarded is told.
    assert 'print(f"""\n  {net.module.name}\n""")' in made
    assert "    print(net.module.name, sum(net(batch) for batch in batches))" in made
    assert "print(model.name)\n" in made
    assert "    model = torch.nn.parallel.DistributedDataParallel(\n        model," in made


def test_a_script_without_functions() -> None:
    lines = SCRIPT.split("\n")
    body = [line[4:] for line in lines[7:21]]
    made = after("\n".join([*lines[:3], "SIZE = 3", *body]))
    setup = made.index("torch.npu.set_device")
    assert made.index("SIZE = 3") < setup < made.index("torch.manual_seed(1)")
    assert made.endswith("torch.distributed.destroy_process_group()\n")


def test_cards_by_number() -> None:
    text = changed('nn.Linear(8, 4).to("cuda:0")', "nn.Linear(8, 4).cuda(0)")
    text = text.replace("    model =", "    torch.cuda.set_device(0)\n    model =")
    made = after(text)
    assert '    torch.npu.set_device(int(os.environ["LOCAL_RANK"]))\n    model =' in made
    assert "nn.Linear(8, 4).npu()" in made
    made = after(changed('"cuda:0"', 'f"cuda:{args.gpu}"'))
    assert '.to("npu")' in made
    assert 'torch.device("npu")' in after(changed('"cuda:0"', 'torch.device("cuda", 0)'))


def test_data_parallel_gives_way() -> None:
    text = changed("    optimizer =", "    model = nn.DataParallel(model, [0])\n    optimizer =")
    made = after(text)
    assert "    model = model\n" in made
    assert "nn.DataParallel" not in made


def test_a_file_written_by_one_is_awaited() -> None:
    text = changed('"model.pt")\n', '"model.pt")\n    best = torch.load("model.pt")\n')
    made = after(text)
    assert "    torch.distributed.barrier()\n    best = torch.load(" in made


def test_a_division_without_a_seed_is_told() -> None:
    split = "    a, b = torch.utils.data.random_split(data, [1, 2])\n    model ="
    text = changed("    model =", split)
    assert all(f.rule != rules.SEED_BY_HAND.id for f in guide(text).findings)
    found = guide(text.replace("    torch.manual_seed(1)\n", ""))
    assert [f.location.line for f in found.findings if f.rule == rules.SEED_BY_HAND.id] == [8]


def test_an_epoch_that_is_not_visible_is_told() -> None:
    found = guide(changed("for epoch in range(3):", "while True:").replace("epoch, ", ""))
    assert found.ready
    assert [f.rule for f in found.findings if f.fix is None] == [rules.EPOCH_BY_HAND.id]


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("loss.backward()", "pass", "no-training"),
        ("import torch\n", "import torch.distributed as dist\ndist.barrier()\n", "already"),
        ("import torch\n", "import torch\nfrom accelerate import Accelerator\nAccelerator()\n",
         "already"),
        ("import torch\n", "import os, torch\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\n",
         "one-visible-card"),
        ('data.to("cuda:0"))\n    torch', 'data.to("cuda:1"))\n    torch', "several-cards"),
        ("    main()\n", "    main(); main()\n", "called-often"),
        ("    main()\n", "    pass\n", "not-called"),
        ("loader = DataLoader(train_set, 8, shuffle=True)", "loader = data.load()", "no-loader"),
        ("in test_loader:", "in loader:", "shared-loader"),
        ("8, shuffle=True", "8, sampler=mine", "own-sampler"),
        ("8, shuffle=True", "8, **given()", "own-sampler"),
        ("DataLoader(train_set,", "DataLoader(IterableDataset(),", "stream"),
        ("optimizer = torch.optim.SGD(model.parameters(), lr=0.1)", "optimizer = 1", "no-model"),
        ("SGD(model.parameters()", "SGD([*model.parameters(), *other.parameters()]", "no-model"),
        ("    optimizer =", "    o = torch.nn.Linear(1, 1)\n    b = SGD(o.parameters())\n"
         "    optimizer =", "several-models"),
        ('.to("cuda:0")\n    optimizer', "\n    optimizer", "not-moved"),
        ("model(data.to(\"cuda:0\")).sum()", "model.loss(data)", "no-model"),
        ("loss.backward()", "model.regularise(loss)\n            loss.backward()", "around"),
        ("    for epoch", "    if True: x = 1; y = 2\n    for epoch", ""),
    ],
)  # fmt: skip
def test_what_is_not_certain_is_refused(old: str, new: str, why: str) -> None:
    text = changed(old, new).replace("DataLoader\n", "DataLoader, IterableDataset\n", 1)
    if why:
        assert reason(text) == why
    else:
        after(text)


def test_a_training_in_a_class_is_refused() -> None:
    text = SCRIPT.replace("def main():", "class Trainer:\n  def run(self):").replace(
        "    main()", "    Trainer().run()"
    )
    assert reason(text) == "in-class"


def test_a_function_that_sees_the_model_bare_and_wrapped_is_refused() -> None:
    text = changed("def main():", "def show(net):\n    print(net.name)\n\n\ndef main():")
    text = changed("    for epoch", "    show(model)\n    for epoch", text)
    after(text)
    text = changed("        print(epoch", "        show(model)\n        print(epoch", text)
    assert reason(text) == "mixed"


def test_what_runs_while_importing_is_refused() -> None:
    text = changed("def main():", 'other = nn.Linear(1, 1).to("cuda:0")\n\n\ndef main():')
    assert reason(text) == "at-import"


@pytest.mark.parametrize("text", ["def f(:\n", "print 1\n", "\0", "(" * 5000])
def test_what_is_no_python_is_refused(text: str) -> None:
    assert reason(text) == "no-python"


def test_every_stop_is_tried_here() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    names = {rule.id.removeprefix("guide-") for rule in rules.REFUSALS}
    assert not [name for name in names if f'"{name}"' not in source]


def test_several_loops_and_shared_lines_are_refused() -> None:
    twice = "    for x in DataLoader(a):\n        y.backward()\n    torch.save"
    assert reason(changed("    torch.save", twice)) == "several-loops"
    text = changed("    optimizer = ", "    if x: optimizer = ")
    text = changed("    model = nn", "    y = 1; model = nn", text)
    after(text)
    text = changed("        for data, target in loader:\n", "        a = 1; train(loader, model)\n")
    inner = "def train(loader, model):\n    for data, target in loader:\n"
    inner += "        loss = model(data)\n        loss.backward()\n\n\ndef main():"
    body = text.replace("def main():", inner)
    for line in ('            loss = model(data.to("cuda:0")).sum()\n',
                 "            loss.backward()\n", "            optimizer.step()\n"):  # fmt: skip
        body = body.replace(line, "")
    assert reason(body) == "shared-line"


def test_a_project_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "train it.py").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "other.py").write_text("x.backward()\n", encoding="utf-8")
    (tmp_path / "plain.py").write_text("import torch\n", encoding="utf-8")
    shown = guide_command(tmp_path)
    assert isinstance(shown, Guides)
    assert [(g.path.name, g.ready) for g in shown.guides] == [
        ("other.py", False), ("train it.py", True),
    ]  # fmt: skip
    assert shown.exit_code == 0
    patch = guide_command(tmp_path, dry_run=True)
    assert isinstance(patch, Patch)
    assert patch.files == 2
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "apply", "-"], input=patch.text.encode(), cwd=tmp_path, check=True)
    script, launcher = (tmp_path / "sub" / name for name in ("train it.py", "train it_npus.sh"))
    assert script.read_text(encoding="utf-8") == GUIDED
    assert "nproc_per_node" in launcher.read_text(encoding="utf-8")
    assert "'train it.py'" in launcher.read_text(encoding="utf-8")
    assert launcher.stat().st_mode & 0o111
    launcher.unlink()
    script.write_text(SCRIPT, encoding="utf-8")
    made = guide_command(script, in_place=True)
    assert isinstance(made, Guides)
    assert script.read_text(encoding="utf-8") == GUIDED
    assert launcher.exists()
    assert guide_command(script).exit_code == 1
