#!/usr/bin/env python3
"""A small PyTorch training that an interruption cannot hurt: python3 train.py [--dir DIR] [--steps N] [--device cuda]

Interrupt it as you like (Ctrl-C, kill, kill -9) and start it again: the hash of the weights at the end is that of a run that never was interrupted.
    tare run -- python3 train.py          # asks for checkpoints in time, takes them away before the machine goes
"""
import argparse
import hashlib
import sys

import tare
import torch
from torch import nn


def weights_hash(model):
    h = hashlib.sha256()
    for name, t in model.state_dict().items():
        h.update(name.encode() + t.detach().cpu().contiguous().view(torch.uint8).numpy().tobytes() if t.dim() else repr(t.item()).encode())
    return h.hexdigest()


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--dir", default="checkpoints")
    p.add_argument("--steps", type=int, default=300)
    p.add_argument("--every", type=int, default=20, help="steps between checkpoints")
    p.add_argument("--device", default="cpu")
    p.add_argument("--width", type=int, default=64)
    a = p.parse_args()

    torch.manual_seed(1)
    torch.use_deterministic_algorithms(True)
    x = torch.randn(2000, 20, generator=torch.Generator().manual_seed(2))
    y = (x[:, :5].sum(1) > x[:, 5:10].sum(1)).long()
    model = nn.Sequential(nn.Linear(20, a.width), nn.BatchNorm1d(a.width), nn.ReLU(), nn.Dropout(0.2), nn.Linear(a.width, 2)).to(a.device)
    optim = torch.optim.AdamW(model.parameters(), lr=1e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(optim, T_max=a.steps)
    batches = tare.Batches(len(x), 32, seed=3)

    run = tare.Training(a.dir, total=a.steps, every_steps=a.every, parts={"model": model, "optim": optim, "sched": sched, "batches": batches})
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_sampler=batches)
    data, loss = batches.over(loader), torch.zeros(())
    for _ in run:
        bx, by = next(data)
        loss = nn.functional.cross_entropy(model(bx.to(a.device)), by.to(a.device))
        optim.zero_grad()
        loss.backward()
        optim.step()
        sched.step()
    if not run.interrupted:
        print("result", "%.6f" % loss.item(), weights_hash(model))
    return run.exit_code


if __name__ == "__main__":
    sys.exit(main())
