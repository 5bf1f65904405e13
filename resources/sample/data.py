"""Batches of a synthetic language: a noisy order-2 Markov chain, the same on each machine."""

import torch as th
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class MarkovText(Dataset):
    def __init__(self, vocab_size, block_size, samples, seed):
        self.vocab_size = vocab_size
        self.block_size = block_size
        self.samples = samples
        self.seed = seed
        generator = th.Generator().manual_seed(seed)
        self.rule = th.randint(vocab_size, (2, 64), generator=generator)

    def __len__(self):
        return self.samples

    def __getitem__(self, index):
        generator = th.Generator().manual_seed(self.seed + 1 + index)
        text = th.randint(self.vocab_size, (self.block_size + 1,), generator=generator)
        noise = th.rand(self.block_size + 1, generator=generator)
        for i in range(2, len(text)):
            if noise[i] > 0.1:
                text[i] = self.rule[i % 2, (text[i - 1] + text[i - 2]) % 64]
        return text[:-1], text[1:]


def make_loader(cfg, model_cfg, rank, world_size):
    dataset = MarkovText(model_cfg.vocab_size, model_cfg.block_size, cfg["samples"], cfg["seed"])
    sampler = None
    if world_size > 1:
        sampler = DistributedSampler(dataset, num_replicas=world_size, rank=rank, shuffle=True)
    return DataLoader(
        dataset,
        batch_size=cfg["batch_size"],
        sampler=sampler,
        shuffle=sampler is None,
        num_workers=cfg["num_workers"],
        pin_memory=th.cuda.is_available(),
        drop_last=True,
    )


def prefetch(loader, device):
    """Yield batches that were copied to the device on a stream of their own."""
    if not th.cuda.is_available():
        yield from loader
        return
    stream = th.cuda.Stream(device)
    ready = None
    for tokens, targets in loader:
        with th.cuda.stream(stream):
            tokens = tokens.cuda(non_blocking=True)
            targets = targets.cuda(non_blocking=True)
        if ready is not None:
            yield ready
        th.cuda.current_stream().wait_stream(stream)
        ready = tokens, targets
    if ready is not None:
        yield ready
