#!/usr/bin/env python3
"""Saving from Python: python-save.py DIR MIB RUNS   (bench/run python drives it)

Takes turns: torch.save with fsync of file and folder; Saver.save() until it is safe; one memcpy of the same tensors into
memory that was touched before (mean of one just before and one just after). The state changes
as a whole between runs. Prints a line a run: torch.save s, safe s, stall s, memcpy s. The first save, whose memory has never been touched, is printed with "first";
with a fourth argument its memory is reserved beforehand.
"""
import ctypes
import os
import pathlib
import shutil
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
import tare  # noqa: E402
import torch  # noqa: E402


def torch_save(path, state):
    begun = time.perf_counter()
    with open(path, "wb") as f:
        torch.save(state, f)
        f.flush()
        os.fsync(f.fileno())
    fd = os.open(path.parent, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)
    return time.perf_counter() - begun


def memcpy(state, to):
    begun, at = time.perf_counter(), to.data_ptr()
    for t in state.values():
        ctypes.memmove(at, t.data_ptr(), t.numel() * 4)
        at += t.numel() * 4
    return time.perf_counter() - begun


def main():
    folder, mib, runs = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    state = {"layer.%d" % i: torch.randn(1 << 20) for i in range(mib // 4)}  # 4 MiB each
    to = torch.zeros(mib << 18)
    saver = tare.Saver(folder / "ckpt", keep_last=1)
    if len(sys.argv) > 4:
        saver.reserve((mib + 1) << 20)
        time.sleep(mib / 100)
    for run in range(runs + 1):
        for t in state.values():
            t.add_(1)
        t_torch = torch_save(folder / "x.pt", state)
        os.unlink(folder / "x.pt")
        copy = memcpy(state, to)
        begun = time.perf_counter()
        saver.save(run, state, rng_state=False)
        stall = time.perf_counter() - begun
        saver.wait()
        safe = time.perf_counter() - begun
        print("first" if run < 1 else "run", "%.4f %.4f %.4f %.4f" % (t_torch, safe, stall, (copy + memcpy(state, to)) / 2), flush=True)
    saver.close()
    shutil.rmtree(folder, ignore_errors=True)


main()
