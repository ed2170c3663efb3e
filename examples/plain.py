#!/usr/bin/env python3
"""A run that an interruption cannot hurt, with Python alone: python3 plain.py [--dir DIR] [--steps N] [--sleep S]

Something is counted that depends on every step and on the random generator. Interrupt it as you like (Ctrl-C, kill, kill -9) and start it again: the last
line is always the same.
"""
import argparse
import hashlib
import random
import sys
import time

import tare


class Walk:
    """What is trained here: any object with state_dict() and load_state_dict() is a part of a run."""

    def __init__(self):
        self.x, self.seen = 0, hashlib.sha256(b"begin").digest()

    def step(self, batch):
        self.x += random.randrange(-100, 101)
        self.seen = hashlib.sha256(self.seen + repr((self.x, batch)).encode()).digest()

    def state_dict(self):
        return {"x": self.x, "seen": self.seen}

    def load_state_dict(self, state):
        self.x, self.seen = state["x"], state["seen"]


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--dir", default="checkpoints")
    p.add_argument("--steps", type=int, default=1000)
    p.add_argument("--every", type=int, default=50, help="steps between checkpoints")
    p.add_argument("--sleep", type=float, default=0.01, help="seconds that a step takes")
    a = p.parse_args()
    random.seed(1)
    walk, batches = Walk(), tare.Batches(1000, 8, seed=1)
    run = tare.Training(a.dir, total=a.steps, parts={"walk": walk, "batches": batches}, every_steps=a.every)
    data = batches.over(batches)
    for _ in run:
        walk.step(next(data))
        time.sleep(a.sleep)
    if not run.interrupted:
        print("result", walk.x, walk.seen.hex()[:16])
    return run.exit_code


if __name__ == "__main__":
    sys.exit(main())
