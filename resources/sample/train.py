"""Train MiniGPT on one or several GPUs (DDP, mixed precision, gradient accumulation)."""

import argparse
import time

import torch
import torch.distributed as dist
import yaml
from torch.cuda.amp import GradScaler, autocast
from torch.nn.parallel import DistributedDataParallel as DDP

import utils
from data import make_loader, prefetch
from model import GPTConfig, MiniGPT


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="config.yaml")
    parser.add_argument("--preset", default="base", help="a model size of the configuration")
    parser.add_argument("--steps", type=int, default=0, help="overrides train.steps")
    parser.add_argument("--resume", default="")
    parser.add_argument("--compile", action="store_true")
    return parser.parse_args()


def build(cfg, preset, local_rank):
    model_cfg = GPTConfig(**cfg["model"][preset])
    model = MiniGPT(model_cfg)
    if torch.cuda.is_available():
        model = model.cuda(local_rank)
    return model_cfg, model


def make_optimizer(model, cfg):
    try:
        from apex.optimizers import FusedAdam

        return FusedAdam(model.parameters(), lr=cfg["lr"], weight_decay=cfg["weight_decay"])
    except ImportError:
        fused = torch.cuda.is_available()
        return torch.optim.AdamW(
            model.parameters(), lr=cfg["lr"], weight_decay=cfg["weight_decay"], fused=fused
        )


def train_step(model, optimizer, scaler, tokens, targets, cfg):
    use_amp = tokens.device.type == "cuda"
    with autocast(enabled=use_amp):
        _, loss = model(tokens, targets)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), cfg["clip"])
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    return loss, norm


def main():
    args = parse_args()
    with open(args.config, encoding="utf-8") as file:
        cfg = yaml.safe_load(file)
    train = cfg["train"]
    rank, local_rank, world_size = utils.setup_distributed()
    utils.set_seed(train["seed"])
    device = utils.pick_device(local_rank)
    model_cfg, model = build(cfg, args.preset, local_rank)
    optimizer = make_optimizer(model, train)
    scaler = GradScaler(enabled=torch.cuda.is_available())
    if world_size > 1:
        ids = [local_rank] if torch.cuda.is_available() else None
        model = DDP(model, device_ids=ids, output_device=ids[0] if ids else None)
    if args.compile:
        model = torch.compile(model)
    step = utils.load_checkpoint(args.resume, model, optimizer) if args.resume else 0

    loader = make_loader(train, model_cfg, rank, world_size)
    steps = args.steps or train["steps"]
    total = torch.zeros(1, device=local_rank if torch.cuda.is_available() else "cpu")
    while step < steps:
        for tokens, targets in prefetch(loader, device):
            begin = time.perf_counter()
            loss, norm = train_step(model, optimizer, scaler, tokens, targets, train)
            total += loss.detach()
            if world_size > 1:
                dist.all_reduce(total)
                total /= world_size
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            seconds = time.perf_counter() - begin
            step += 1
            if rank == 0:
                speed = tokens.numel() * world_size / seconds
                print(
                    f"step {step:4d} | loss {total.item():.4f} | grad norm {norm:.3f} | "
                    f"lr {train['lr']:.1e} | {seconds * 1e3:.1f} ms | {speed:.0f} tokens/s",
                    flush=True,
                )
            total.zero_()
            if rank == 0 and step % train["save_every"] == 0:
                torch.cuda.empty_cache()
                utils.save_checkpoint(f"step{step}.pt", model, optimizer, step)
            if step >= steps:
                break
    if rank == 0:
        print(utils.memory_report() or "done on the CPU")
    if world_size > 1:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
