#!/usr/bin/env python3
"""A training that an interruption cannot hurt. Put your model, data and loss where it says YOURS; the rest is the pattern.

    tare run -- python3 train.py        # or without tare run: SIGTERM saves and ends with 85, starting again goes on

It needs PyTorch. tare run finds the module tare by itself; without it: pip install PREFIX/share/tare/python, or export PYTHONPATH=/usr/local/share/tare/python
"""
import os
import sys

try:
    import torch
    from torch import nn
except ModuleNotFoundError as e:
    sys.exit("%s: %s has no module %s. Install it there (%s -m pip install torch), or start this with the Python that has it." % (sys.argv[0], sys.executable, e.name, sys.executable))
try:
    import tare
except ModuleNotFoundError:
    sys.exit("%s: %s has no module tare. Start it as: tare run -- python3 %s" % (sys.argv[0], sys.executable, sys.argv[0]))

STEPS = 10_000  # in all, however often it is interrupted
BATCH = 32


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1)

    # YOURS: data, model, optimiser
    data = torch.utils.data.TensorDataset(torch.randn(4096, 16), torch.randint(0, 2, (4096,)))
    model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 2)).to(device)
    optim = torch.optim.AdamW(model.parameters(), lr=1e-3)

    # What goes into a checkpoint: anything with state_dict() and load_state_dict(). The order of the data is a part too.
    batches = tare.Batches(len(data), BATCH, seed=1)
    run = tare.Training(
        os.environ.get("TARE_CHECKPOINT_DIR", "checkpoints"),
        total=int(os.environ.get("STEPS", STEPS)),
        parts={"model": model, "optim": optim, "batches": batches},
        # Without `tare run`, which asks when it pays: every 10 minutes. Say every_s= or every_steps= for another interval.
        # usd_hour=2.5,  # what the machine costs an hour, for the count in the log; else TARE_USD_HOUR
    )
    items = batches.over(torch.utils.data.DataLoader(data, batch_sampler=batches))
    for _ in run:  # the steps that are still to do
        x, y = next(items)
        # YOURS: one step
        loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
        optim.zero_grad()
        loss.backward()
        optim.step()
    if not run.interrupted:
        torch.save(model.state_dict(), "model.pt")  # YOURS: what is to come of it
    return run.exit_code  # 0 finished, 85 interrupted and saved


if __name__ == "__main__":
    sys.exit(main())
