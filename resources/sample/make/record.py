"""Run MiniGPT on the CPU and record what the sample shows: log, Kineto trace, two dumps.

    pip install torch==2.13.0 numpy pyyaml
    python make/record.py             # writes logs/, profiles/, dumps/ beside this folder

Seeds are fixed and one thread is used, so that the dumps come out the same on the same torch and
processor; times in the log and the trace are those of the machine. Paths and the host name in the
trace are rewritten to a server's (/home/train/minigpt), as a profile from elsewhere has them.
"""

import argparse
import contextlib
import gzip
import importlib
import io
import re
import shutil
import site
import sys
import tempfile
import warnings
from pathlib import Path

SAMPLE = Path(__file__).resolve().parent.parent
SERVER = "/home/train/minigpt"
PACKAGES = "/opt/conda/lib/python3.11/site-packages"
SOURCES = ("model.py", "data.py", "utils.py", "train.py", "config.yaml")
FAULT = ("blocks.1.norm1", 1e-5)  # the candidate's eps; the configuration says 1e-6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=SAMPLE)
    out = parser.parse_args().out.resolve()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder).resolve()
        for name in SOURCES:
            shutil.copy(SAMPLE / name, work / name)
        sys.path.insert(0, str(work))
        modules = {name: importlib.import_module(name) for name in ("model", "utils", "train")}
        # Without the folder in sys.path the profiler keeps whole paths in its stacks.
        sys.path.remove(str(work))
        modules["train"].torch.set_num_threads(1)
        with contextlib.chdir(work):
            write_log(modules, out / "logs" / "train.log")
            write_trace(modules, work, out / "profiles" / "torch_cpu_run.pt.trace.json.gz")
            write_dumps(modules, out / "dumps")


def write_log(modules, path, steps=200):
    command = ["train.py", "--preset", "tiny", "--steps", str(steps)]
    text = io.StringIO()
    sys.argv = command
    with contextlib.redirect_stdout(text):
        modules["train"].main()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("$ python " + " ".join(command) + "\n" + text.getvalue(), encoding="utf-8")


def set_up(modules):
    """The training objects of train.main() for the tiny preset on one process."""
    train, utils = modules["train"], modules["utils"]
    cfg = train.yaml.safe_load(Path("config.yaml").read_text(encoding="utf-8"))
    utils.set_seed(cfg["train"]["seed"])
    model_cfg, model = train.build(cfg, "tiny", 0)
    optimizer = train.make_optimizer(model, cfg["train"])
    scaler = train.GradScaler(enabled=False)
    loader = train.make_loader(cfg["train"], model_cfg, 0, 1)
    return cfg["train"], model, optimizer, scaler, loader


def write_trace(modules, work, path, warmup=3, active=2):
    train = modules["train"]
    torch = train.torch
    cfg, model, optimizer, scaler, loader = set_up(modules)
    raw = work / "raw.json"
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU],
        schedule=torch.profiler.schedule(wait=0, warmup=warmup, active=active, repeat=1),
        on_trace_ready=lambda profile: profile.export_chrome_trace(str(raw)),
        record_shapes=True,
        profile_memory=True,
        with_stack=True,
    ) as profile:
        batches = iter(train.prefetch(loader, torch.device("cpu")))
        for _ in range(warmup + active):
            tokens, targets = next(batches)
            loss, _ = train.train_step(model, optimizer, scaler, tokens, targets, cfg)
            loss.item()
            profile.step()
    text = raw.read_text(encoding="utf-8")
    for here, there in ((str(work), SERVER), *((p, PACKAGES) for p in site.getsitepackages())):
        text = text.replace(here, there).replace(here.lstrip("/"), there.lstrip("/"))
    # Text, not a parsed document: each digit stays as the profiler wrote it.
    text = re.sub(r'"traceName": "[^"]*"', f'"traceName": "{SERVER}/profiles/{path.name}"', text)
    text = re.sub(r'"host_name": "[^"]*"', '"host_name": "train-node-0"', text)
    data = text.encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    # No file name and no time in the gzip header: the same trace gives the same bytes.
    path.write_bytes(gzip.compress(data, 9, mtime=0))


def write_dumps(modules, folder, trained_steps=20):
    train = modules["train"]
    cfg, model, optimizer, scaler, loader = set_up(modules)
    batches = iter(loader)
    for _ in range(trained_steps):
        train.train_step(model, optimizer, scaler, *next(batches), cfg)
    tokens, _ = next(batches)
    dump_forward(train.torch, model, tokens, folder / "baseline")
    model.get_submodule(FAULT[0]).eps = FAULT[1]
    dump_forward(train.torch, model, tokens, folder / "candidate")


def dump_forward(torch, model, tokens, folder):
    """Write each module's output in the order of the calls: 003_blocks.0.norm1.npy, …"""
    import numpy as np

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    count = 0
    handles = []

    def watch(name):
        def hook(_module, _inputs, output):
            nonlocal count
            tensor = output[0] if isinstance(output, tuple) else output
            np.save(folder / f"{count:03d}_{name}.npy", tensor.detach().cpu().numpy())
            count += 1

        return hook

    for name, module in model.named_modules():
        if name:
            handles.append(module.register_forward_hook(watch(name)))
    with torch.no_grad():
        model(tokens[:1])
    for handle in handles:
        handle.remove()


if __name__ == "__main__":
    main()
