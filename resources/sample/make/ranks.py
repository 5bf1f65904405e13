"""Compute one block of MiniGPT on four ranks for three steps and write what msprobe would dump.

    python make/ranks.py              # writes ranks/ beside this folder; needs only numpy

Statistics dumps of two runs in the layout of msprobe. Activations and updates are computed, the
program was not run. In the candidate, rank 2 computes the first norm of step 1 with another `eps`;
the weights are updated with the mean over the ranks, so that from step 2 on every rank deviates. The third run
repeats step 1 of the first with the rounding of another order of sums.
"""

import json
import shutil
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
SERVER = "/home/train/minigpt"
STEPS, RANKS = 3, 4
TOKENS, DIM, VOCAB, RATE = 24, 32, 48, 0.5
EPS, FAULT = 1e-6, {(1, 2): 1e-2}  # (step, rank): the eps that the candidate uses there


class Lines:
    """Finds the lines of the program that make a call."""

    def __init__(self):
        self.text = (ROOT / "model.py").read_text().splitlines()

    def frame(self, part):
        number = next(n for n, line in enumerate(self.text, 1) if part in line)
        code = self.text[number - 1].strip()
        return f"File {SERVER}/model.py, line {number}, in forward, \n {code}"


class Dump:
    """One rank of one step."""

    def __init__(self, lines):
        self.lines = lines
        self.data, self.parents, self.stacks = {}, {}, {}
        self.counts, self.inside = {}, []

    def enter(self, path, kind):
        name = f"Module.{path}.{kind}.forward.0"
        self.parents[name] = self.inside[-1] if self.inside else None
        self.inside.append(name)

    def leave(self, inputs, output, parameters=None):
        self._write(self.inside.pop(), inputs, output, parameters)

    def call(self, api, line, inputs, output):
        number = self.counts[api] = self.counts.get(api, -1) + 1
        name = f"{api}.{number}.forward"
        self.parents[name] = self.inside[-1]
        self.stacks.setdefault(self.lines.frame(line), []).append(name)
        self._write(name, inputs, output)
        return output

    def _write(self, name, inputs, output, parameters=None):
        entry = {"input_args": [leaf(v) for v in inputs], "input_kwargs": {}, "output": [leaf(output)]}
        if parameters:
            entry["parameters"] = {key: leaf(value) for key, value in parameters.items()}
        self.data[name] = entry

    def save(self, folder):
        folder.mkdir(parents=True)
        head = {"task": "statistics", "level": "mix", "framework": "pytorch", "dump_data_dir": None}
        stacks = {str(n): [names, [frame]] for n, (frame, names) in enumerate(self.stacks.items())}
        for name, content in (
            ("dump.json", head | {"data": self.data}),
            ("stack.json", stacks),
            ("construct.json", self.parents),
        ):
            (folder / name).write_text(json.dumps(content, separators=(",", ":")), newline="\n")


def leaf(value):
    if not isinstance(value, np.ndarray):
        return {"type": type(value).__name__, "value": value}
    entry = {"type": "torch.Tensor", "dtype": f"torch.{value.dtype.name}", "shape": list(value.shape)}
    exact = value.dtype.kind == "i"
    wide = value.astype(np.float64)
    numbers = (value.max().item(), value.min().item(), wide.mean(), np.linalg.norm(wide))
    for key, number in zip(("Max", "Min", "Mean", "Norm"), numbers):
        kept = number if exact else float(f"{number:.7g}")
        entry[key] = None if exact and key in ("Mean", "Norm") else kept
    return entry | {"requires_grad": not exact}


def norm(dump, path, x, weight, eps):
    line = "scale = torch.rsqrt"
    dump.enter(path, "RMSNorm")
    square = dump.call("Tensor.pow", line, [x, 2], x * x)
    mean = dump.call("Tensor.mean", line, [square, -1], square.mean(-1, keepdims=True))
    total = dump.call("Tensor.__add__", line, [mean, eps], mean + np.float32(eps))
    scale = dump.call("Torch.rsqrt", line, [total], 1 / np.sqrt(total))
    product = dump.call("Tensor.__mul__", "return (x * scale)", [x, scale], x * scale)
    out = dump.call("Tensor.__mul__", "return (x * scale)", [product, weight], product * weight)
    dump.leave([x], out, {"weight": weight})
    return out


def linear(dump, path, line, x, weight):
    dump.enter(path, "Linear")
    out = dump.call("Functional.linear", line, [x, weight], x @ weight.T)
    dump.leave([x], out, {"weight": weight})
    return out


def softmax(values):
    power = np.exp(values - values.max(-1, keepdims=True))
    return power / power.sum(-1, keepdims=True)


def attention(dump, x, weights):
    dump.enter("blocks.0.attn", "CausalSelfAttention")
    both = linear(dump, "blocks.0.attn.qkv", "q, k, v = self.qkv(x)", x, weights["qkv"])
    q, k, v = np.split(both, 3, axis=-1)
    line = "score = (q @ k"
    score = dump.call("Tensor.__matmul__", line, [q, k.T], q @ k.T)
    score = dump.call("Tensor.__truediv__", line, [score, DIM**0.5], score / np.float32(DIM**0.5))
    weight = dump.call("Functional.softmax", "F.softmax(score", [score, -1], softmax(score))
    out = dump.call("Tensor.__matmul__", "out = (weight @ v)", [weight, v], weight @ v)
    out = linear(dump, "blocks.0.attn.proj", "return self.proj(out)", out, weights["proj"])
    dump.leave([x], out)
    return out


def forward(dump, tokens, weights, eps):
    """Return what the update of the weights needs: the last activations and the error."""
    dump.enter("net", "MiniGPT")
    line = "x = self.tok_emb(tokens)"
    x = dump.call("Functional.embedding", line, [tokens, weights["tok"]], weights["tok"][tokens])
    inner = norm(dump, "blocks.0.norm1", x, weights["gain"], eps)
    out = attention(dump, inner, weights)
    x = dump.call("Tensor.__add__", "x = x + self.attn", [x, out], x + out)
    last = norm(dump, "norm", x, weights["gain"], EPS)
    logits = linear(dump, "head", "logits = self.head", last, weights["tok"])
    target = np.roll(tokens, -1)
    chance = softmax(logits)
    loss = np.float32(-np.log(chance[np.arange(TOKENS), target]).mean())
    dump.call("Functional.cross_entropy", "loss = F.cross_entropy", [logits, target], np.array(loss))
    dump.leave([tokens], logits)
    return last, chance - np.eye(VOCAB, dtype=np.float32)[target]


def run(folder, faults, steps=range(STEPS), noise=0.0):
    """Write the steps asked for; `noise` is what another order of sums adds to the gradients."""
    chance = np.random.default_rng(11)
    random = np.random.default_rng(7)

    def drawn(*shape):
        return random.normal(0, 0.2, shape).astype(np.float32)

    weights = {"tok": drawn(VOCAB, DIM), "qkv": drawn(3 * DIM, DIM), "proj": drawn(DIM, DIM)}
    weights["gain"] = np.ones(DIM, np.float32)
    lines = Lines()
    shutil.rmtree(folder, ignore_errors=True)
    for step in range(STEPS):
        gradients = []
        for rank in range(RANKS):
            dump = Dump(lines)
            tokens = random.integers(0, VOCAB, TOKENS)
            last, error = forward(dump, tokens, weights, faults.get((step, rank), EPS))
            gradients.append(error.T @ last / TOKENS)
            if step in steps:
                dump.save(folder / f"step{step}" / f"rank{rank}")
        weights["tok"] = weights["tok"] - np.float32(RATE) * np.mean(gradients, axis=0)
        weights["tok"] *= 1 + np.float32(noise) * chance.normal(0, 1, (VOCAB, DIM)).astype(np.float32)


if __name__ == "__main__":
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "ranks"
    run(out / "baseline", {})
    run(out / "candidate", FAULT)
    run(out / "repeat", {}, steps=[1], noise=2e-7)
