#!/usr/bin/env python3
"""What needs PyTorch (and numpy): arrays.py FOLDER. Run by t-python.py."""
import collections
import json
import pathlib
import random
import struct
import sys

import numpy as np
import tare
import torch
from torch import nn

WORK = pathlib.Path(sys.argv[1])


def same(a, b):
    if isinstance(a, torch.Tensor):
        return isinstance(b, torch.Tensor) and a.dtype == b.dtype and a.shape == b.shape and torch.equal(a, b)
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b)
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return type(a) is type(b) and a == b


def every_type():
    state = {str(d): (torch.arange(24).reshape(2, 3, 4) % 2).to(d) for d in
             (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool, torch.complex64)}
    state.update({"np." + d: np.arange(6).reshape(2, 3).astype(d) for d in ("f8", "f4", "f2", "i8", "i4", "i2", "i1", "u1", "u2", "u4", "u8", "?", "c8", "c16")})
    state.update(scalar=torch.tensor(1.5), none=torch.empty(0, 7), cut=torch.arange(20.0).view(4, 5)[1:3, ::2], turned=torch.arange(6.0).view(2, 3).t(),
                 wide=torch.ones(1, 1).expand(3, 4), big=np.arange(4, dtype=">i4").astype(">i4"), col=np.asfortranarray(np.arange(6.0).reshape(2, 3)), f=float(np.float32(2.5)))
    with tare.Saver(WORK / "types") as s:
        s.save(1, state)
    got = tare.load_latest(WORK / "types")[1]
    for k, v in state.items():
        want = v.astype(v.dtype.newbyteorder("=")) if isinstance(v, np.ndarray) and not v.dtype.isnative else v
        assert same(want, got[k]), (k, v, got[k])


def models_go_on_as_if_nothing_was():
    def make():
        torch.manual_seed(0)
        m = nn.Sequential(nn.Conv1d(3, 8, 3), nn.BatchNorm1d(8), nn.ReLU(), nn.Flatten(), nn.LazyLinear(4), nn.Dropout(0.5))
        m(torch.randn(2, 3, 10))
        return m, torch.optim.Adam(m.parameters(), amsgrad=True)

    def train(m, o, n):
        for _ in range(n):
            o.zero_grad()
            m(torch.randn(5, 3, 10) * np.random.rand() * random.random()).pow(2).sum().backward()
            o.step()
    m, o = make()
    train(m, o, 3)
    with tare.Saver(WORK / "model") as s:
        s.save(3, {"m": m.state_dict(), "o": o.state_dict()})
        train(m, o, 3)
    m2, o2 = make()
    step, got = tare.load_latest(WORK / "model")
    m2.load_state_dict(got["m"])
    o2.load_state_dict(got["o"])
    train(m2, o2, 3)
    assert step == 3 and same(dict(m.state_dict()), dict(m2.state_dict()))
    assert isinstance(got["m"], collections.OrderedDict) and got["m"]._metadata[""]["version"] == 1


def tied_weights_lie_once():
    w = nn.Parameter(torch.randn(1000, 100))
    with tare.Saver(WORK / "tied") as s:
        s.save(1, {"in": w, "out": w, "other": w.detach().clone()}, rng_state=False)
        s.wait()
        assert 2 * 400_000 < s.last["bytes"] < 2 * 400_000 + 10_000, s.last


def what_did_not_change_is_not_written_again():
    a, b = torch.randn(4 << 20), torch.randn(1 << 20)
    with tare.Saver(WORK / "delta") as s:
        s.save(1, {"a": a, "b": b, "note": b"short"})
        s.wait()
        b += 1
        s.save(2, {"a": a, "b": b, "note": b"a longer one than before"})
        s.wait()
        assert s.last["written_bytes"] < 0.5 * s.last["bytes"], s.last  # 16 MiB of 20 are as they were


def file_is_that_of_the_public_format():
    """Read without any of our code, by the words of the format: length, JSON, no gaps, names and places; the official reader too where it is installed."""
    t = {"w": torch.randn(3, 5), "h": torch.ones(7, dtype=torch.bfloat16), "i": torch.arange(9)}
    with tare.Saver(WORK / "format") as s:
        s.save(1, t, rng_state=False)
    import tare.saver as sv
    from tare._lib import byref, c_void_p, lib, text_buffer
    h, said = c_void_p(), text_buffer()
    assert lib().tare_load_latest(str(WORK / "format").encode(), byref(h), said, len(said)) == 1
    raw = bytes(sv._read(h, b"rank0/state.safetensors"))
    lib().tare_loaded_close(h)
    n = struct.unpack("<Q", raw[:8])[0]
    head = json.loads(raw[8:8 + n])
    assert head.pop("__metadata__") == {"format": "pt"} and set(head) == {"w", "h", "i"} and (8 + n) % 4096 == 0 and raw[8:9] == b"{"
    ends = sorted(e["data_offsets"] for e in head.values())
    assert ends[0][0] == 0 and all(x[1] == y[0] for x, y in zip(ends, ends[1:])) and 8 + n + ends[-1][1] == len(raw)
    begin, end = head["w"]["data_offsets"]
    assert np.array_equal(np.frombuffer(raw[8 + n + begin:8 + n + end], "<f4").reshape(head["w"]["shape"]), t["w"].numpy())
    try:
        from safetensors.torch import load
    except ImportError:
        print("# the safetensors library is not here: read by the words of its format alone")
    else:
        assert same(t, {k: v for k, v in sorted(load(raw).items(), key=lambda kv: list(t).index(kv[0]))})


def errors_name_the_key():
    with tare.Saver(WORK / "bad") as s:
        for value, text in ((torch.eye(3).to_sparse(), "state['x']['y']"), (torch.empty(2, device="meta"), "state['x']['y']"), (nn.Linear(1, 1), "'Linear'"),
                            (np.array(["a"]), "numpy array of type"), (torch.float32, "'dtype'")):
            try:
                s.save(1, {"x": {"y": value}})
            except TypeError as e:
                assert text in str(e) and "['y']" in str(e), e
            else:
                raise AssertionError(text)


def loader_reads_ahead():
    """Workers of a DataLoader read ahead of the training: what was read and not trained on comes again after a resume; nothing is left out or repeated."""
    data = torch.arange(40)

    def run(total, folder):
        torch.manual_seed(1)
        seen, b = [], tare.Batches(40, 4, seed=9)
        r = tare.Training(WORK / folder, total=total, parts={"b": b}, every_steps=1000, log=None)
        items = b.over(torch.utils.data.DataLoader(data, batch_sampler=b, num_workers=2))
        for _ in r:
            seen += next(items).tolist()
            torch.rand(1)
        return seen, torch.rand(1).item()
    whole, after = run(25, "whole")
    first, _ = run(7, "parts")
    more, after2 = run(25, "parts")
    assert first + more == whole and after == after2


TESTS = [every_type, models_go_on_as_if_nothing_was, tied_weights_lie_once, what_did_not_change_is_not_written_again, file_is_that_of_the_public_format,
         errors_name_the_key, loader_reads_ahead]
WORK.mkdir(parents=True, exist_ok=True)
for t in TESTS:
    t()
    print("ok", t.__name__, flush=True)
print(f"{len(TESTS)} parts hold")
