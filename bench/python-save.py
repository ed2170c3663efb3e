#!/usr/bin/env python3
"""Saving from Python: python-save.py DIR MIB RUNS [--reserve]   (bench/run python drives it)

Takes turns: torch.save with fsync of file and folder; Saver.save() until it is safe; and around each save one memcpy of the same tensors into
memory of the same kind (huge pages where the kernel gives them, touched before), so that a save is compared with the mean of its two neighbours. The state
changes as a whole between runs. Prints a line a run: torch.save s, safe s, stall s, memcpy s. The first save, whose memory has never been touched, is
printed with "first"; with --reserve its memory is got ready beforehand.
"""
import ctypes
import mmap
import os
import pathlib
import shutil
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
import tare  # noqa: E402
import torch  # noqa: E402

HUGE = 2 << 20


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


def memory(nbytes):
    """Touched, in huge pages where the kernel gives them: (owner, address)."""
    own = mmap.mmap(-1, nbytes + HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    own.madvise(mmap.MADV_HUGEPAGE)
    at = -(-ctypes.addressof(ctypes.c_char.from_buffer(own)) // HUGE) * HUGE
    ctypes.memset(at, 1, nbytes)
    return own, at


def memcpy(state, at):
    begun = time.perf_counter()
    for t in state.values():
        ctypes.memmove(at, t.data_ptr(), t.numel() * 4)
        at += t.numel() * 4
    return time.perf_counter() - begun


def main():
    folder, mib, runs = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    state = {"layer.%d" % i: torch.randn(1 << 20) for i in range(mib // 4)}  # 4 MiB each
    own, to = memory(mib << 20)
    saver = tare.Saver(folder / "ckpt", keep_last=1)
    if "--reserve" in sys.argv:
        saver.reserve((mib + 1) << 20)
        time.sleep(mib / 100)
    for run in range(runs + 1):
        for t in state.values():
            t.add_(1)
        t_torch = torch_save(folder / "x.pt", state)
        os.unlink(folder / "x.pt")
        before = memcpy(state, to)
        begun = time.perf_counter()
        saver.save(run, state, rng_state=False)
        stall = time.perf_counter() - begun
        saver.wait()
        safe = time.perf_counter() - begun
        after = memcpy(state, to)
        print("first" if run < 1 else "run", "%.4f %.4f %.4f %.4f" % (t_torch, safe, stall, (before + after) / 2), flush=True)
    saver.close()
    shutil.rmtree(folder, ignore_errors=True)


main()
