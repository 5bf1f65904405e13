"""Seeds, process group, memory report and checkpoints."""

import os
import random

import numpy as np
import torch
import torch.distributed as dist
from torch import cuda


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    cuda.manual_seed_all(seed)
    torch.backends.cudnn.deterministic = True
    torch.backends.cuda.matmul.allow_tf32 = False


def setup_distributed():
    """Join the process group that torchrun describes; returns (rank, local rank, world size)."""
    if "RANK" not in os.environ:
        return 0, 0, 1
    rank = int(os.environ["RANK"])
    local_rank = int(os.environ["LOCAL_RANK"])
    world_size = int(os.environ["WORLD_SIZE"])
    if cuda.is_available():
        cuda.set_device(local_rank)
        dist.init_process_group(backend="nccl", init_method="env://")
    else:
        dist.init_process_group(backend="gloo", init_method="env://")
    return rank, local_rank, world_size


def pick_device(local_rank):
    if cuda.is_available():
        return torch.device(f"cuda:{local_rank}")
    return torch.device("cpu")


def memory_report():
    if not cuda.is_available():
        return ""
    allocated = cuda.max_memory_allocated() / 2**30
    reserved = cuda.memory_reserved() / 2**30
    return f"{cuda.get_device_name(0)} | allocated {allocated:.2f} GiB | reserved {reserved:.2f} GiB"


def save_checkpoint(path, model, optimizer, step):
    state = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": step,
        "rng": torch.get_rng_state(),
        "cuda_rng": cuda.get_rng_state_all() if cuda.is_available() else [],
    }
    torch.save(state, path)


def load_checkpoint(path, model, optimizer):
    state = torch.load(path, map_location="cuda:0" if cuda.is_available() else "cpu")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    torch.set_rng_state(state["rng"].cpu())
    if cuda.is_available():
        cuda.set_rng_state_all(state["cuda_rng"])
    return state["step"]
