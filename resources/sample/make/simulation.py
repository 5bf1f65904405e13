"""A small model of one host thread, its task queue and the streams of an NPU.

It knows nothing of the training program: `training.py` tells it which operators run where in the
source. All times are integer nanoseconds. The result is a list of trace events per rank, with the
rows of the CSV tables, all made of the same facts, so that they agree with each other.
"""

import ast
import random
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

SERVER = "/home/train/minigpt"
COMPUTE, COMMUNICATE = 2, 5  # stream ids
MEGABYTE = 2**20


@dataclass(frozen=True)
class Kernel:
    """One task of the device: what kernel_details.csv tells about it."""

    name: str
    kind: str
    core: str
    duration: int
    shapes: tuple = ("", "")
    types: tuple = ("", "")


@dataclass
class Task:
    """A kernel that ran: when, on which stream, in which step, and who launched it."""

    kernel: Kernel
    start: int
    stream: int
    step: int
    task_id: int
    connection: int
    waited: int = 0

    @property
    def end(self):
        return self.start + self.kernel.duration


@dataclass
class Block:
    """Device memory that an operator took and may have given back."""

    name: str
    size: int
    taken: int
    at_taking: tuple
    freed: int = 0
    at_freeing: tuple = ()


@dataclass
class Frame:
    file: str
    function: str
    first_line: int
    line: int
    begin: int
    number: int


@dataclass
class Source:
    """Line numbers of the training program, read from its files."""

    folder: Path
    texts: dict = field(default_factory=dict)

    def lines(self, file):
        if file not in self.texts:
            self.texts[file] = (self.folder / file).read_text(encoding="utf-8").splitlines()
        return self.texts[file]

    def line_of(self, file, text):
        found = [n for n, line in enumerate(self.lines(file), 1) if text in line]
        if len(found) != 1:
            raise SystemExit(f"{file}: {len(found)} lines hold {text!r}; one was expected")
        return found[0]

    def first_line(self, file, qualified):
        tree = ast.parse("\n".join(self.lines(file)))
        node = tree
        for part in qualified.split("."):
            node = next(n for n in ast.iter_child_nodes(node) if getattr(n, "name", "") == part)
        return node.lineno


class Rank:
    """One process of the training run with its device."""

    def __init__(self, rank, start, source, held):
        self.rank = rank
        self.source = source
        self.random = random.Random(f"minigpt {rank}")
        self.pid = 41720 + rank
        self.main, self.queue, self.engine = self.pid, self.pid + 131, self.pid + 208
        self.thread = self.main
        self.now = self.begin = start
        self.queue_free = self.launched = start
        self.stream_end = {COMPUTE: start, COMMUNICATE: start}
        self.step = 0
        self.events, self.tasks, self.blocks = [], [], []
        self.memory = []  # (time, allocated, reserved)
        self.allocated, self.reserved = held
        self.frames, self.numbers = [], iter(range(1, 10**9))
        self.sequence, self.flows = 4200, iter(range(61001, 10**9))
        self.connections, self.task_ids = iter(range(9000, 10**9)), iter(range(1, 10**9))
        self.anchor = None

    # -- the host -----------------------------------------------------------------------------
    def spend(self, low, high=None):
        """Let host time pass: microseconds, drawn between two bounds."""
        self.now += round(self.random.uniform(low, high or low) * 1000)

    def slice(self, name, category, begin, end, args, thread=None):
        self.events.append(
            {"ph": "X", "name": name, "pid": self.pid, "tid": thread or self.thread}
            | {"ts": begin, "dur": end - begin, "cat": category, "args": args}
        )

    def flow(self, phase, name, category, number, thread, time, pid=None):
        event = {"ph": phase, "bp": "e", "name": name, "id": number, "pid": pid or self.pid}
        self.events.append(event | {"tid": thread, "ts": time, "cat": category})

    @contextmanager
    def frame(self, file, function, module=""):
        """A Python function that runs; with `module` the nn.Module around it as well."""
        begin = self.now
        if module:
            self.spend(3.5, 6.5)
        first = self.source.first_line(file, function)
        frame = Frame(file, function.split(".")[-1], first, first, self.now, next(self.numbers))
        parent = self.frames[-1].number if self.frames else 0
        self.frames.append(frame)
        self.spend(2.5, 5.0)
        yield
        self.spend(1.0, 2.2)
        self.frames.pop()
        args = {"Python id": frame.number, "Python parent id": parent}
        name = f"{SERVER}/{file}({first}): {frame.function}"
        self.slice(name, "python_function", frame.begin, self.now, args, self.main)
        if module:
            self.spend(0.8, 1.6)
            args = {"Python id": next(self.numbers), "Python parent id": parent}
            args["Python module id"] = int(module.rsplit("_", 1)[1])
            self.slice(f"nn.Module: {module}", "python_function", begin, self.now, args, self.main)

    def at(self, text):
        """Move the innermost Python function to the line that holds `text`."""
        self.frames[-1].line = self.source.line_of(self.frames[-1].file, text)

    @contextmanager
    def operator(self, name, dims="", types="", sequence=-1, stack=True):
        """An operator of the framework on the host; kernels are launched inside."""
        begin, outer = self.now, self.anchor
        self.spend(14, 30)
        self.anchor = (begin, self.thread)
        yield
        self.spend(7, 15)
        self.anchor = outer
        args = {"Sequence number": sequence, "Fwd thread id": 0}
        if dims:
            args |= {"Input Dims": dims.replace(";", ";\r\n"), "Input type": types}
        if stack and self.frames and self.thread == self.main:
            calls = (f"{SERVER}/{f.file}({f.line}): {f.function}" for f in reversed(self.frames))
            args["Call stack"] = ";\r\n".join(calls)
        self.slice(name, "cpu_op", begin, self.now, args)

    def launch(self, kernel, stream=COMPUTE, after=0):
        """Put a kernel into the task queue; its start follows from queue and stream."""
        connection = self.enqueue(kernel.name.split("_")[0], kernel.name)
        ready = max(self.stream_end[stream], self.launched + self.random.randint(1500, 4200), after)
        gap = self.random.randint(240, 1300)
        task = Task(kernel, ready + gap, stream, self.step, next(self.task_ids), connection, gap)
        self.place(task)
        return task

    def enqueue(self, call, item):
        """Hand a call to the queue's thread, which launches it; returns its connection."""
        number, connection = next(self.flows), next(self.connections)
        enqueue = self.now
        self.spend(7, 12)
        self.slice("Enqueue", "enqueue", enqueue, self.now, {"correlation_id": number})
        self.flow("s", "enqueue_to_dequeue", "async_task_queue", number, self.thread, enqueue)
        begin = max(self.queue_free, self.now + self.random.randint(2000, 6000))
        launched = begin + self.random.randint(9000, 14000)
        done = launched + self.random.randint(5000, 9000)
        self.queue_free = done + self.random.randint(1000, 2500)
        args = {"correlation_id": number}
        self.slice(f"Dequeue@{call}", "dequeue", begin, self.queue_free, args, self.queue)
        self.flow("f", "enqueue_to_dequeue", "async_task_queue", number, self.queue, begin)
        self.cann(f"AscendCL@{call}", "acl", call, begin + 700, done + 300, connection)
        self.cann("Node@launch", "node", item, launched, done, connection)
        self.flow("s", f"HostToDevice{connection}", "HostToDevice", str(connection), self.queue,
                  launched, "CANN")
        self.launched = done
        return connection

    def place(self, task):
        """Put a task on its stream and tie it to the operator that launched it."""
        self.stream_end[task.stream] = task.end
        self.tasks.append(task)
        self.flow("f", f"HostToDevice{task.connection}", "HostToDevice", str(task.connection),
                  task.stream, task.start, "Ascend Hardware")
        if self.anchor is not None:
            begin, thread = self.anchor
            self.flow("s", "torch_to_npu", "async_npu", task.start, thread, begin)
            self.flow("f", "torch_to_npu", "async_npu", task.start, task.stream, task.start,
                      "Ascend Hardware")

    def cann(self, name, level, item, begin, end, connection):
        args = {"Thread Id": self.queue, "Mode": name.split("@")[1], "level": level}
        args |= {"id": "0", "item_id": item, "connection_id": connection}
        self.events.append({"ph": "X", "name": name, "pid": "CANN", "tid": self.queue,
                            "ts": begin, "dur": end - begin, "args": args})

    def wait_for(self, stream):
        """Block the host until a stream is done (aclrtSynchronizeStream)."""
        begin = self.now
        self.now = max(self.now, self.stream_end[stream]) + self.random.randint(6000, 11000)
        self.cann("AscendCL@aclrtSynchronizeStream", "acl", "0", begin + 500, self.now - 400,
                  next(self.connections))
        self.events[-1]["tid"] = self.events[-1]["args"]["Thread Id"] = self.main
        self.queue_free = max(self.queue_free, self.now)

    # -- memory -------------------------------------------------------------------------------
    def take(self, name, size):
        """Allocate device memory through the caching allocator."""
        size = -(-size // 512) * 512
        self.allocated += size
        if self.allocated > self.reserved:
            step = 20 * MEGABYTE
            self.reserved += -(-(self.allocated - self.reserved) // step) * step
        self.memory.append((self.now, self.allocated, self.reserved))
        block = Block(name, size, self.now, (self.allocated, self.reserved))
        self.blocks.append(block)
        return block

    def free(self, block):
        self.allocated -= block.size
        self.memory.append((self.now, self.allocated, self.reserved))
        block.freed, block.at_freeing = self.now, (self.allocated, self.reserved)
