"""The training step of MiniGPT as operators and kernels, run by `simulation.Rank`.

Durations follow from sizes: matrix products at a part of the cube units' peak, all else at the speed
of the memory, both of the order of a training card. They are not measurements.
"""

from simulation import COMMUNICATE, COMPUTE, Kernel, Task

FLOPS = 190e12  # per second, what large products reach
BANDWIDTH = 0.9e12  # bytes per second
SETTLE = 1600  # ns that each kernel needs besides its work


class Shapes:
    """Sizes of one micro batch of the base preset."""

    def __init__(self, cfg, batch):
        self.batch, self.time, self.dim = batch, cfg["block_size"], cfg["n_embd"]
        self.heads, self.vocab, self.layers = cfg["n_head"], cfg["vocab_size"], cfg["n_layer"]
        self.tokens = batch * self.time
        self.hidden = f"{batch},{self.time},{self.dim}"
        self.score = f"{batch},{self.heads},{self.time},{self.time}"
        self.head = f"{batch},{self.heads},{self.time},{self.dim // self.heads}"

    def parameters(self):
        layer = 12 * self.dim**2 + 2 * self.dim
        return self.vocab * self.dim + self.time * self.dim + self.layers * layer + self.dim


def elements(shape):
    count = 1
    for part in shape.split(","):
        count *= int(part)
    return count


def vector(api, kind, shape, width=2, moved=2.0, dtype="FLOAT16"):
    """A kernel of the vector units that reads and writes `moved` times a tensor."""
    duration = SETTLE + round(elements(shape) * width * moved / BANDWIDTH * 1e9)
    name = f"aclnn{api}_{kind}AiCore_{kind}"
    return Kernel(name, kind, "AI_VECTOR_CORE", duration, (f'"{shape}"', f'"{shape}"'), (dtype, dtype))


def product(api, m, k, n, batch=1):
    """A matrix product on the cube units."""
    flops = 2 * batch * m * k * n
    kind = "BatchMatMulV2" if batch > 1 else "MatMulV2"
    duration = 2 * SETTLE + round(flops / FLOPS * 1e9)
    lead = f"{batch}," if batch > 1 else ""
    shapes = (f'"{lead}{m},{k};{lead}{k},{n}"', f'"{lead}{m},{n}"')
    types = ("FLOAT16;FLOAT16", "FLOAT16")
    return Kernel(f"aclnn{api}_MatMulCommon_{kind}", kind, "AI_CORE", duration, shapes, types)


class Step:
    """One training step on one rank; `saved` are the tensors that the backward pass needs."""

    def __init__(self, rank, shapes):
        self.r, self.s = rank, shapes
        self.saved = []
        self.buckets = []
        self.tape = []  # (forward operator, sequence, time, thread)

    def run(self, name, kernels, size=0, keep=True, differentiable=True, stack=True):
        """Run a forward operator: launch, take memory for its result, write it on the tape."""
        sequence = -1
        if differentiable:
            self.r.sequence += 1
            sequence = self.r.sequence
            self.tape.append((name, sequence, self.r.now, self.r.thread))
        block = self.r.take(name, size) if size else None
        first = kernels[0].shapes[0].strip('"') if kernels else ""
        types = ";\r\n".join("c10::Half" for _ in first.split(";")) if first else ""
        with self.r.operator(name, first, types, sequence, stack):
            for kernel in kernels:
                self.r.launch(self.jitter(kernel))
        if block is not None and keep:
            self.saved.append(block)
        elif block is not None:
            self.r.free(block)

    def jitter(self, kernel):
        factor = self.r.random.uniform(0.97, 1.06)
        return Kernel(kernel.name, kernel.kind, kernel.core, round(kernel.duration * factor),
                      kernel.shapes, kernel.types)

    # -- forward ------------------------------------------------------------------------------
    def norm(self, index):
        r, shape = self.r, self.s.hidden
        row = f"{self.s.batch},{self.s.time},1"
        full, small = elements(shape), elements(row)
        with r.frame("model.py", "RMSNorm.forward", f"RMSNorm_{index}"):
            r.at("scale = torch.rsqrt(")
            self.run("aten::to", [vector("Cast", "Cast", shape, 3)], full * 4)
            self.run("aten::pow", [vector("PowTensorScalar", "Square", shape, 4)], full * 4, False)
            self.run("aten::mean", [vector("Mean", "ReduceMean", shape, 4, 1.0)], small * 4, False)
            self.run("aten::add", [vector("Adds", "Adds", row, 4)], small * 4, False)
            self.run("aten::rsqrt", [vector("Rsqrt", "Rsqrt", row, 4)], small * 4)
            r.at("return (x * scale)")
            self.run("aten::mul", [vector("Mul", "Mul", shape, 4, 2.0)], full * 4)
            self.run("aten::mul", [vector("Mul", "Mul", shape, 2, 2.0)], full * 2)

    def attention(self, index):
        r, s = self.r, self.s
        size, score = elements(s.hidden) * 2, elements(s.score) * 2
        per_head, pairs = s.dim // s.heads, s.batch * s.heads
        with r.frame("model.py", "CausalSelfAttention.forward", f"CausalSelfAttention_{index}"):
            r.at("q, k, v = self.qkv(x)")
            self.run("aten::linear", [product("Matmul", s.tokens, s.dim, 3 * s.dim)], 3 * size)
            r.at("score = (q @ k.transpose")
            self.run("aten::matmul", [product("Matmul", s.time, per_head, s.time, pairs)], score, False)
            self.run("aten::div", [vector("Divs", "Muls", s.score)], score, False)
            r.at("score = score.masked_fill(")
            self.run("aten::masked_fill",
                     [vector("MaskedFillScalar", "MaskedFill", s.score)], score, False)
            r.at("weight = F.dropout(")
            self.run("aten::softmax", [vector("Softmax", "SoftmaxV2", s.score)], score)
            r.at("out = (weight @ v)")
            self.run("aten::matmul", [product("Matmul", s.time, s.time, per_head, pairs)], size)
            self.run("aten::reshape", [vector("InplaceCopy", "Transpose", s.head)], size)
            r.at("return self.proj(out)")
            self.run("aten::linear", [product("Matmul", s.tokens, s.dim, s.dim)], size)

    def mlp(self, index):
        r, s = self.r, self.s
        size = elements(s.hidden) * 2
        wide = f"{s.batch},{s.time},{4 * s.dim}"
        with r.frame("model.py", "MLP.forward", f"MLP_{index}"):
            r.at("x = self.up(x)")
            self.run("aten::linear", [product("Matmul", s.tokens, s.dim, 4 * s.dim)], 4 * size)
            r.at('x = F.gelu(x, approximate="tanh")')
            self.run("aten::gelu", [vector("Gelu", "Gelu", wide)], 4 * size)
            r.at("return self.down(x)")
            self.run("aten::linear", [product("Matmul", s.tokens, 4 * s.dim, s.dim)], size)

    def forward(self):
        r, s = self.r, self.s
        size = elements(s.hidden) * 2
        logits = f"{s.tokens},{s.vocab}"
        with r.frame("model.py", "MiniGPT.forward", "MiniGPT_0"):
            r.at("x = self.tok_emb(tokens) + self.pos_emb(position)")
            self.run("aten::embedding", [vector("Embedding", "GatherV2", s.hidden)], size)
            self.run("aten::embedding", [vector("Embedding", "GatherV2", s.hidden)], size, False)
            self.run("aten::add", [vector("Add", "Add", s.hidden, 2, 3.0)], size)
            for layer in range(s.layers):
                r.at("x = block(x)")
                with r.frame("model.py", "Block.forward", f"Block_{layer}"):
                    r.at("x = x + self.attn(self.norm1(x))")
                    self.norm(2 * layer)
                    self.attention(layer)
                    self.run("aten::add", [vector("Add", "Add", s.hidden, 2, 3.0)], size)
                    r.at("return x + self.mlp(self.norm2(x))")
                    self.norm(2 * layer + 1)
                    self.mlp(layer)
                    self.run("aten::add", [vector("Add", "Add", s.hidden, 2, 3.0)], size)
            r.at("logits = self.head(self.norm(x))")
            self.norm(2 * s.layers)
            self.run("aten::linear", [product("Matmul", s.tokens, s.dim, s.vocab)], elements(logits) * 2)
            r.at("loss = F.cross_entropy(")
            self.run("aten::to", [vector("Cast", "Cast", logits, 3)], elements(logits) * 4)
            self.run("aten::log_softmax",
                     [vector("LogSoftmax", "LogSoftmaxV2", logits, 4)], elements(logits) * 4)
            self.run("aten::nll_loss_nd", [vector("NLLLoss", "NLLLoss", f"{s.tokens},1", 4)], 512)

    # -- backward -----------------------------------------------------------------------------
    def backward(self):
        """Walk the tape from its end on the autograd thread; each part of it fills a bucket."""
        r, s = self.r, self.s
        waiting = r.now
        r.thread = r.engine
        r.spend(18, 30)
        gradients = [r.take("aten::zeros", s.parameters() * 4 // 3) for _ in range(3)]
        tape, count = list(reversed(self.tape)), len(self.tape)
        saved, kept = list(reversed(self.saved)), len(self.saved)
        freed = 0
        for done, (name, sequence, time, thread) in enumerate(tape, 1):
            self.differentiate(name, sequence, time, thread)
            while freed < kept * done // count:
                r.free(saved[freed])
                freed += 1
            if done in (count // 3, 2 * count // 3, count):
                self.reduce_bucket(s.parameters() * 4 // 3)
        for block in saved[freed:]:
            r.free(block)
        self.gradients = gradients
        r.thread = r.main
        return waiting

    def differentiate(self, name, sequence, time, thread):
        r = self.r
        short = name.split("::")[1]
        node = "".join(part.capitalize() for part in short.split("_")) + "Backward0"
        kernels = [self.jitter(k) for k in self.derivatives(short)]
        begin = r.now
        r.flow("s", "fwdbwd", "fwdbwd", sequence, thread, time)
        r.flow("f", "fwdbwd", "fwdbwd", sequence, r.engine, begin)
        with r.operator(f"autograd::engine::evaluate_function: {node}", sequence=sequence):
            for kernel in kernels:
                r.launch(kernel)

    def derivatives(self, short):
        s = self.s
        forward = {task.kernel.name: task.kernel for task in self.r.tasks[-400:]}
        if short == "linear":
            # One product for the input's gradient, one for the weight's.
            return [product("Mm", s.tokens, s.dim, 3 * s.dim), product("Mm", s.dim, s.tokens, 3 * s.dim)]
        if short == "matmul":
            per_head, pairs = s.dim // s.heads, s.batch * s.heads
            return [product("BatchMatMul", s.time, per_head, s.time, pairs),
                    product("BatchMatMul", s.time, s.time, per_head, pairs)]
        grads = {
            "softmax": vector("SoftmaxBackward", "SoftmaxGrad", s.score, 2, 3.0),
            "log_softmax": vector("LogSoftmaxBackward", "LogSoftmaxGrad", f"{s.tokens},{s.vocab}", 4, 3.0),
            "gelu": vector("GeluBackward", "GeluGrad", f"{s.tokens},{4 * s.dim}", 2, 3.0),
            "masked_fill": vector("InplaceMaskedFillScalar", "MaskedFill", s.score),
            "div": vector("Divs", "Muls", s.score),
            "embedding": vector("EmbeddingDenseBackward", "EmbeddingDenseGrad", s.hidden, 2, 6.0),
            "nll_loss_nd": vector("NLLLossBackward", "NLLLossGrad", f"{s.tokens},{s.vocab}", 4, 1.0),
            "reshape": forward.get("aclnnInplaceCopy_TransposeAiCore_Transpose"),
        }
        if short in ("add", "mean"):
            return [vector("Add", "Add", s.hidden, 2, 3.0)] if short == "mean" else []
        return [grads.get(short) or vector("Mul", "Mul", s.hidden, 4, 2.0)]

    def reduce_bucket(self, size):
        """Ask for an all-reduce of a bucket; when it runs is decided with the other ranks."""
        r = self.r
        with r.operator("c10d::allreduce_", stack=False):
            r.spend(9, 14)
            begin, connection = r.now, r.enqueue("hcom_allReduce_", "hcom_allReduce_")
            self.buckets.append((r.stream_end[COMPUTE], size, connection, begin))

    # -- after the gradients are reduced ------------------------------------------------------
    def finish(self):
        r, s = self.r, self.s
        count = s.parameters()
        grad, third = f"{count}", f"{count // 3}"
        r.at("scaler.unscale_(optimizer)")
        r.stream_end[COMPUTE] = max(r.stream_end[COMPUTE], r.stream_end[COMMUNICATE])
        self.run("aten::_amp_foreach_non_finite_check_and_unscale_",
                 [vector("ForeachNonFiniteCheckAndUnscale", "ForeachNonFiniteCheckAndUnscale",
                         third, 4)] * 3, differentiable=False)
        r.at("norm = torch.nn.utils.clip_grad_norm_(")
        self.run("aten::_foreach_norm", [vector("ForeachNorm", "ForeachNorm", third, 4, 1.0)] * 3,
                 512, False, False)
        self.run("aten::_foreach_mul_", [vector("ForeachMulScalar", "ForeachMulScalar", grad, 4)],
                 differentiable=False)
        r.at("scaler.step(optimizer)")
        with r.operator("aten::item"):
            r.wait_for(COMPUTE)
        for api, moved in (("ForeachMulScalar", 2.0), ("ForeachLerpScalar", 3.0),
                           ("ForeachAddcmulScalar", 3.0), ("ForeachSqrt", 2.0),
                           ("ForeachDivList", 3.0), ("ForeachAddcdivScalar", 3.0)):
            name = "aten::_foreach_" + api.removeprefix("Foreach").removesuffix("Scalar").lower() + "_"
            self.run(name, [vector(api, api, grad, 4, moved)], count * 4, False, False)
        r.at("optimizer.zero_grad(set_to_none=True)")
        for block in self.gradients:
            r.free(block)
        r.spend(14, 22)

    def copy_batch(self):
        """The batch's way to the device on the stream that prefetch() uses."""
        r, s = self.r, self.s
        size = s.tokens * 8
        for _ in range(2):
            with r.operator("aten::to", f"{s.batch},{s.time}", "long int"):
                kernel = Kernel("MEMCPY_ASYNC", "MEMCPY_ASYNC", "PCIE_DMA", 4000 + size // 12)
                r.launch(kernel)


def all_reduce(ranks, steps, index, group):
    """Run bucket `index` of a step on all ranks: it starts when the last one is there."""
    starts = []
    for rank, step in zip(ranks, steps):
        ready = step.buckets[index][0]
        starts.append(max(ready, rank.stream_end[COMMUNICATE]) + rank.random.randint(2000, 5000))
    meet = max(starts)
    size = steps[0].buckets[index][1]
    transit = round(size / 23e9 * 1e9)
    calls = []
    for rank, step, start in zip(ranks, steps, starts):
        end = meet + transit + rank.random.randint(3000, 6000)
        name = f"hcom_allReduce__{group}_{rank.step * len(step.buckets) + index}_1"
        kernel = Kernel(name, "hcom_allReduce_", "HCCL", end - start)
        task = Task(kernel, start, COMMUNICATE, rank.step, next(rank.task_ids), step.buckets[index][2])
        rank.anchor = (step.buckets[index][3], rank.engine)
        rank.place(task)
        rank.anchor = None
        calls.append((rank, task, meet, size))
    return calls
