#!/usr/bin/env python3
"""
Two ranks of torch.distributed (gloo, on CPUs): ranks.py FOLDER. Run by t-python.py.

Data-parallel training whose optimiser state lies in shards, one a rank, as with ZeRO or FSDP; each rank saves its own part, all or none. Both are ended at random, by
SIGTERM to one of them or by kill -9 to both, and have to end with the weights of a run that nothing happened to.
"""
import hashlib
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import time

TOTAL = 120


def train(folder):
    import tare
    import torch
    import torch.distributed as dist
    from torch import nn
    from torch.nn.parallel import DistributedDataParallel
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(5)
    x = torch.randn(96, 6)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1)))
    params = list(model.parameters())
    mine = [p for i, p in enumerate(params) if i % world == rank]  # this rank's shard
    optim = torch.optim.AdamW(mine, lr=0.01)
    batches = tare.Batches(len(x), 8, seed=2)
    run = tare.Training(folder, total=TOTAL, parts={"model": model, "optim": optim, "batches": batches}, every_s=0.05, log=None, commit_wait_s=20)
    items = iter(batches)
    for _ in run:
        data = x[next(items)]
        batches.advance()
        model.zero_grad()
        model(data + torch.randn_like(data) * 0.1).pow(2).mean().backward()
        optim.step()
        for i, p in enumerate(params):
            dist.broadcast(p.data, src=i % world)
        time.sleep(float(os.environ.get("STEP_S", "0")))
    digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in params)).hexdigest()
    if not run.interrupted and rank == 0:
        print("result", digest, run.steps.done)
    print("ends at", run.steps.done, file=sys.stderr)
    dist.destroy_process_group()
    return run.exit_code


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(folder, attempt, step_s="0"):
    env = {**os.environ, "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "TARE_ATTEMPT": attempt, "STEP_S": step_s}
    return [subprocess.Popen([sys.executable, __file__, "train", str(folder)], env={**env, "RANK": str(r)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for r in (0, 1)]


def end(ps):
    outs = [p.communicate(timeout=120) for p in ps]
    return [p.returncode for p in ps], outs


def manifests(folder):
    return {n for n in os.listdir(folder / "ckpt") if not n.endswith(".tmp")} if (folder / "ckpt").is_dir() else set()


def test(work):
    codes, outs = end(start(work / "straight", "a"))
    assert codes == [0, 0], outs
    straight, rnd, asked, killed = outs[0][0], random.Random(4), 0, 0
    for i in range(30):
        ps = start(work / "killed", "k%d" % i, "0.02" if i < 4 else "0")
        if i < 4:
            before, until = manifests(work / "killed"), time.monotonic() + 60
            while not manifests(work / "killed") - before and time.monotonic() < until and all(p.poll() is None for p in ps):
                time.sleep(0.005)
            time.sleep(rnd.random() * 0.1)
            if i % 2:
                for p in ps:
                    p.kill()
            else:
                ps[rnd.randrange(2)].send_signal(signal.SIGTERM)  # one rank is told: both end, at the same step
        codes, outs = end(ps)
        if codes == [85, 85]:
            asked += 1
            assert outs[0][1].splitlines()[-1] == outs[1][1].splitlines()[-1], outs
        elif codes == [-signal.SIGKILL] * 2:
            killed += 1
        else:
            assert codes == [0, 0], (codes, outs)
            break
    assert codes == [0, 0] and outs[0][0] == straight and straight.startswith("result "), (straight, codes, outs)
    assert asked >= 2 and killed >= 2, (asked, killed)
    print(f"two ranks, {asked} times asked to stop, {killed} times killed: the same weights")


sys.exit(train(sys.argv[2]) if sys.argv[1] == "train" else test(pathlib.Path(sys.argv[1])))
