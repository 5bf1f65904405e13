"""Generate the two Ascend-shaped profiles of the sample. They are made up, not measured.

    python make/ascend_profile.py     # writes profiles/rank0_ascend_pt and rank1_ascend_pt

Standard library only. The same seed gives the same bytes.
What it models: two ranks train the base preset for two steps. Host threads launch kernels through the
task queue; kernels run in order on a stream; the gradients are reduced in three buckets while the
backward pass goes on; a collective begins when its last rank is there. Rank 1 needs longer to load its
data, so rank 0 waits for it. Layout and column names follow what torch_npu writes (text export,
level 1); the tables and the trace are made of the same facts and agree to the nanosecond.
"""

import argparse
import re
import shutil
from pathlib import Path

import simulation
import tables
from training import Shapes, Step, all_reduce

SAMPLE = Path(__file__).resolve().parent.parent
START = 1764246877_073_569_640  # ns since 1970, when the first step begins
STEPS = (10, 11)
LOADING = ((700, 950), (2300, 3100))  # µs per sample: rank 1 reads from a slow disk
GROUP = 381


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=SAMPLE / "profiles")
    out = parser.parse_args().out
    shapes = Shapes(read_numbers("base"), read_numbers("train")["batch_size"])
    source = simulation.Source(SAMPLE)
    state = shapes.parameters() * 4 * 3  # weights and Adam's two moments, held before the profile
    held = (state, state + 220 * simulation.MEGABYTE)
    ranks = [simulation.Rank(n, START + n * 41_300, source, held) for n in (0, 1)]
    calls = simulate(ranks, shapes)
    for rank in ranks:
        folder = out / f"rank{rank.rank}_ascend_pt"
        shutil.rmtree(folder, ignore_errors=True)
        mine = [(task, meet, size) for r, task, meet, size in calls if r is rank]
        tables.write(folder, rank, mine, STEPS)


def read_numbers(section):
    """The whole numbers below a key of config.yaml."""
    text = (SAMPLE / "config.yaml").read_text(encoding="utf-8")
    block = re.search(rf"^( *){section}:.*\n((?:\1 +.*\n)+)", text, re.MULTILINE)[2]
    return {key: int(value) for key, value in re.findall(r"^ +(\w+): (\d+)$", block, re.MULTILINE)}


def simulate(ranks, shapes):
    """Run all steps; returns (rank, task, when all ranks were there, bytes) of each collective."""
    calls = []
    for rank in ranks:
        rank.open = [rank.frame("train.py", "main")]
        rank.open[0].__enter__()
        rank.steps = []
        rank.take("aten::zeros", 512)
    for number in STEPS:
        running = [one_step(rank, shapes, number) for rank in ranks]
        steps = [next(process) for process in running]
        for index in range(3):
            calls += all_reduce(ranks, steps, index, GROUP)
        for process in running:
            next(process)
        calls += all_reduce(ranks, steps, 3, GROUP)
        for process in running:
            next(process, None)
    for rank in ranks:
        rank.open[0].__exit__(None, None, None)
    return calls


def one_step(rank, shapes, number):
    """One pass of the loop in train.main(); yields where the other ranks are needed."""
    rank.step = number
    begin = rank.now
    step = Step(rank, shapes)
    rank.at("for tokens, targets in prefetch(loader, device):")
    with rank.frame("data.py", "prefetch"):
        rank.at("for tokens, targets in loader:")
        with rank.operator("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"):
            for _ in range(shapes.batch):
                with rank.frame("data.py", "MarkovText.__getitem__"):
                    rank.spend(*LOADING[rank.rank])
        rank.at("tokens = tokens.")
        step.copy_batch()
    rank.at("loss, norm = train_step(")
    with rank.frame("train.py", "train_step"):
        rank.at("_, loss = model(tokens, targets)")
        step.forward()
        rank.at("scaler.scale(loss).backward()")
        step.backward()
        yield step
        step.finish()
    rank.at("dist.all_reduce(total)")
    step.reduce_bucket(4)
    yield step
    rank.at(".synchronize()")
    rank.stream_end[simulation.COMPUTE] = max(rank.stream_end.values())
    with rank.operator("torch_npu.npu.synchronize"):
        rank.wait_for(simulation.COMPUTE)
    rank.spend(60, 90)
    rank.steps.append((number, begin, rank.now))
    rank.events.append(
        {"ph": "X", "name": f"ProfilerStep#{number}", "pid": rank.pid, "tid": rank.main}
        | {"ts": begin, "dur": rank.now - begin, "cat": "cpu_op"}
        | {"args": {"Sequence number": -1, "Fwd thread id": 0}}
    )


if __name__ == "__main__":
    main()
