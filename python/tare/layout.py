"""
A nested state as two files: state.safetensors with every array, state.json with all the rest. Nothing is pickled.

state.safetensors is the public format of that name: 8 bytes little-endian length of the header, the header as JSON
{"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, ...} padded with blanks, then the data without gaps. We pad
the header to a multiple of 4,096 bytes, so that the data of the same tensors begins at the same place in every checkpoint and chunks
that did not change are found. Arrays are ordered by the size of their elements, the largest first, so that each is aligned.

state.json is {"tare": 1, "state": ..., "rng": ...}: JSON values stand for themselves, and an object with the key "$" for what JSON has not:
  {"$": "torch" | "numpy" | "bytes" | "bytearray", "n": NAME}   an array of the other file; "c": 1 = complex, stored as pairs of reals
  {"$": "tuple", "v": [...]}     {"$": "dict", "v": [[key, value], ...]}  a dict whose keys are not all plain text
  {"$": "odict", "v": [[key, value], ...], "m": metadata}                  collections.OrderedDict (a state_dict of PyTorch)
  {"$": "float", "v": "nan" | "inf" | "-inf"}   {"$": "set", "v": [...]}
"""
import collections
import ctypes
import json
import math
import sys

HEAD_ALIGN = 4096
if sys.byteorder != "little":
    raise ImportError("tare saves little-endian numbers: this machine is not")
_TORCH = {"float64": "F64", "int64": "I64", "float32": "F32", "int32": "I32", "float16": "F16", "bfloat16": "BF16", "int16": "I16",
          "uint8": "U8", "int8": "I8", "bool": "BOOL", "uint16": "U16", "uint32": "U32", "uint64": "U64",
          "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2"}
_NUMPY = {"float64": "F64", "int64": "I64", "uint64": "U64", "float32": "F32", "int32": "I32", "uint32": "U32", "float16": "F16",
          "int16": "I16", "uint16": "U16", "uint8": "U8", "int8": "I8", "bool": "BOOL"}
_BYTES = {"F64": 8, "I64": 8, "U64": 8, "F32": 4, "I32": 4, "U32": 4, "F16": 2, "BF16": 2, "I16": 2, "U16": 2, "U8": 1, "I8": 1,
          "BOOL": 1, "F8_E4M3": 1, "F8_E5M2": 1}


def _module(name):
    """A library that the program has loaded already; a value of it cannot be here otherwise."""
    return sys.modules.get(name)


class Array:
    """One entry of the safetensors file: how large, and how its bytes get to an address."""

    def __init__(self, name, kind, dtype, shape, nbytes, value):
        self.name, self.kind, self.dtype, self.shape, self.nbytes, self.value = name, kind, dtype, shape, nbytes, value
        self.begin = 0


class Flat:
    """A state taken apart: .tree for JSON, .arrays for the other file. more: what else is saved with it, {name: value}."""

    def __init__(self, state, **more):
        self.arrays, self._names, self._same = [], set(), {}
        self.tree = {"tare": 1, "state": self._node(state, ())}
        for name, value in more.items():
            self.tree[name] = self._node(value, (name,))

    def _fail(self, path, why):
        raise TypeError("cannot save state%s: %s" % ("".join("[%.80r]" % (k,) for k in path), why))

    def _add(self, path, kind, dtype, shape, nbytes, value, same=None, **more):
        if same is not None and same in self._same:
            return self._same[same]
        name = base = ".".join(str(k) for k in path).replace("\0", "") or "state"
        n = 1
        while name in self._names or name == "__metadata__":
            n += 1
            name = "%s#%d" % (base, n)
        self._names.add(name)
        self.arrays.append(Array(name, kind, dtype, shape, nbytes, value))
        node = {"$": kind, "n": name, **more}
        if same is not None:
            self._same[same] = node
        return node

    def _torch(self, t, path):
        torch = _module("torch")
        if t.layout != torch.strided or t.is_quantized or t.device.type == "meta":
            self._fail(path, "a tensor that is sparse, quantised or has no data; give it as plain tensors")
        t = t.detach()
        more = {}
        if t.is_complex():
            t, more = torch.view_as_real(t.resolve_conj()), {"c": 1}
        dtype = _TORCH.get(str(t.dtype).split(".")[-1])
        if not dtype:
            self._fail(path, "a tensor of type %s has no name in safetensors" % t.dtype)
        same = (str(t.device), t.data_ptr(), tuple(t.shape), tuple(t.stride()), dtype) if t.numel() else None  # tied weights are saved once
        return self._add(path, "torch", dtype, list(t.shape), t.numel() * t.element_size(), t, same, **more)

    def _numpy(self, a, path):
        more = {}
        if a.dtype.kind == "c":
            numpy = _module("numpy")
            a, more = numpy.stack((a.real, a.imag), axis=-1), {"c": 1}
        dtype = _NUMPY.get(a.dtype.name)
        if not dtype:
            self._fail(path, "a numpy array of type %s has no name in safetensors" % a.dtype)
        return self._add(path, "numpy", dtype, list(a.shape), a.nbytes, a, **more)

    def _dict(self, d, path):
        kind = type(d)
        if kind is not dict and kind is not collections.OrderedDict and kind is not collections.defaultdict:
            self._fail(path, "a %s is no plain dict; convert it" % kind.__name__)
        for k in d:
            if not (k is None or type(k) in (str, int, float, bool, tuple)):
                self._fail(path, "a key is a %s (%.80r); keys are text, numbers or tuples of them" % (type(k).__name__, k))
        if kind is not collections.OrderedDict and all(type(k) is str for k in d) and "$" not in d:
            return {k: self._node(v, path + (k,)) for k, v in d.items()}
        pairs = [[self._node(k, path + (k,)), self._node(v, path + (k,))] for k, v in d.items()]
        if kind is collections.OrderedDict:
            meta = getattr(d, "_metadata", None)
            return {"$": "odict", "v": pairs, "m": self._node(meta, path + ("_metadata",))} if meta is not None else {"$": "odict", "v": pairs}
        return {"$": "dict", "v": pairs}

    def _node(self, x, path):
        t = type(x)
        if x is None or t in (bool, int, str):
            return x
        if t is float:
            return x if math.isfinite(x) else {"$": "float", "v": repr(x)}
        if isinstance(x, dict):
            return self._dict(x, path)
        if t is list:
            return [self._node(v, path + (i,)) for i, v in enumerate(x)]
        torch, numpy = _module("torch"), _module("numpy")
        if t is tuple or (torch and isinstance(x, torch.Size)):
            return {"$": "tuple", "v": [self._node(v, path + (i,)) for i, v in enumerate(x)]}
        if t in (set, frozenset):
            return {"$": "set", "v": [self._node(v, path + (i,)) for i, v in enumerate(sorted(x, key=repr))]}
        if t in (bytes, bytearray):
            return self._add(path, t.__name__, "U8", [len(x)], len(x), x)
        if torch and isinstance(x, torch.Tensor):
            return self._torch(x, path)
        if numpy and isinstance(x, numpy.ndarray):
            return self._numpy(x, path)
        if numpy and isinstance(x, numpy.generic) and x.dtype.kind in "biuf":
            return self._node(x.item(), path)
        return self._fail(path, "'%s' is neither a tensor, an array, bytes, text, a number, nor a dict, list or tuple of them; "
                          "save what it is made of (its state_dict()?)" % t.__name__)

    def plan(self):
        """(header bytes, bytes of the whole file); every array gets its place."""
        self.arrays.sort(key=lambda a: (-_BYTES[a.dtype], a.kind in ("bytes", "bytearray")))  # bytes change their length: last
        at, head = 0, {"__metadata__": {"format": "pt"}}
        for a in self.arrays:
            a.begin = at
            at += a.nbytes
            head[a.name] = {"dtype": a.dtype, "shape": a.shape, "data_offsets": [a.begin, at]}
        text = json.dumps(head, separators=(",", ":")).encode()
        text += b" " * (-(8 + len(text)) % HEAD_ALIGN)
        return len(text).to_bytes(8, "little") + text, 8 + len(text) + at

    def text(self):
        return json.dumps(self.tree, separators=(",", ":"), allow_nan=False).encode()

    def fill(self, address, head, copy):
        """
        Write the file to memory. Tensors of a GPU are copied without waiting for each; meanwhile copy([(to, from, bytes)]) copies what lies in memory as it is
        wanted, all at once: one call of PyTorch a tensor would wait for its threads at each, which costs more than the copy where other programs
        have the processors. At the end all have arrived.
        """
        data, wait, plain, keep = address + len(head), set(), [], []
        ctypes.memmove(address, head, len(head))
        for a in self.arrays:
            if a.nbytes:
                at = _address(a, keep)
                if at is not None:
                    plain.append((data + a.begin, at, a.nbytes))
                elif a.kind == "torch":
                    _put_tensor(a, data + a.begin, wait)
                else:
                    _numpy_at(a.value.dtype.name, a.shape, data + a.begin, a.nbytes)[...] = a.value
        copy(plain)
        for device in wait:
            _module("torch").cuda.synchronize(device)


def _address(a, keep):
    """Where the bytes of this array lie one after the other in memory, or None. keep: what must live until they are copied."""
    if a.kind == "torch":
        return a.value.data_ptr() if a.value.device.type == "cpu" and a.value.is_contiguous() and not a.value.is_neg() else None
    if a.kind == "numpy":
        return a.value.ctypes.data if a.value.flags.c_contiguous and a.value.dtype.isnative else None
    keep.append(ctypes.c_char_p(a.value) if a.kind == "bytes" else (ctypes.c_char * a.nbytes).from_buffer(a.value))
    return ctypes.cast(keep[-1], ctypes.c_void_p).value


def _numpy_at(dtype, shape, address, nbytes):
    numpy = _module("numpy")
    return numpy.frombuffer((ctypes.c_char * nbytes).from_address(address), dtype=dtype).reshape(shape)


def _put_tensor(a, address, wait):
    torch, t = _module("torch"), a.value
    to = torch.frombuffer((ctypes.c_char * a.nbytes).from_address(address), dtype=t.dtype).view(t.shape)
    if t.device.type == "cuda":
        wait.add(t.device)
    with torch.no_grad():
        to.copy_(t, non_blocking=t.device.type == "cuda")


# ---- the way back -----------------------------------------------------------------------------------------------------------------------


class Damaged(ValueError):
    """The text does not describe a state."""


def read_header(buf):
    """{name: (dtype, shape, begin, end)} of a safetensors file in memory, places counted from its start. Every number is checked."""
    size = len(buf)
    n = int.from_bytes(bytes(buf[:8]), "little")
    if size < 8 or n > size - 8:
        raise Damaged("no safetensors file: its header does not fit")
    try:
        head = json.loads(bytes(buf[8:8 + n]))
        got = {}
        for name, e in head.items():
            if name == "__metadata__":
                continue
            begin, end = e["data_offsets"]
            fits = all(type(k) is int and k >= 0 for k in (begin, end, *e["shape"])) and begin <= end <= size - 8 - n
            if not fits or math.prod(e["shape"]) * _BYTES[e["dtype"]] != end - begin:
                raise Damaged("'%.100s' does not fit its place in the safetensors file" % name)
            got[name] = (e["dtype"], e["shape"], 8 + n + begin, 8 + n + end)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
        raise Damaged("no safetensors file: %s" % e) from None
    return got


class Built:
    """A state put together again from both files."""

    def __init__(self, text, buf, device=None):
        self.buf, self.device, self._made = buf, device, {}
        self.head = read_header(buf)
        try:
            doc = json.loads(text)
            if not isinstance(doc, dict) or doc.get("tare") != 1:
                raise Damaged("state.json is of another version: use the tare that wrote it, or a newer one")
            self.state, self.rng = self._node(doc["state"]), self._node(doc.get("rng"))
        except Damaged:
            raise
        except (KeyError, IndexError, TypeError, RecursionError, AttributeError, ValueError) as e:
            raise Damaged("state.json does not fit: %s %s" % (type(e).__name__, e)) from None

    def _array(self, node):
        key = (node["$"], node["n"])
        if key not in self._made:
            self._made[key] = self._make(node)
        return self._made[key]

    def _make(self, node):
        kind = node["$"]
        dtype, shape, begin, end = self.head[node["n"]]
        if kind in ("bytes", "bytearray"):
            return (bytes if kind == "bytes" else bytearray)(self.buf[begin:end])
        if kind == "numpy":
            import numpy
            name = {v: k for k, v in _NUMPY.items()}[dtype]
            if begin == end:
                return numpy.empty(shape, name)
            a = numpy.frombuffer(self.buf, dtype=name, count=math.prod(shape), offset=begin).reshape(shape)
            return a.view("c%d" % (2 * a.itemsize)).reshape(shape[:-1]) if node.get("c") else a
        import torch
        name = getattr(torch, {v: k for k, v in _TORCH.items()}[dtype])
        t = torch.frombuffer(self.buf, dtype=name, count=math.prod(shape), offset=begin).view(shape) if end > begin else torch.empty(shape, dtype=name)
        t = torch.view_as_complex(t) if node.get("c") else t
        return t.to(self.device) if self.device is not None else t

    def _pairs(self, v):
        return [(self._node(k), self._node(x)) for k, x in v]

    def _node(self, x):
        if isinstance(x, list):
            return [self._node(v) for v in x]
        if not isinstance(x, dict):
            return x
        kind = x.get("$")
        if kind is None:
            return {k: self._node(v) for k, v in x.items()}
        if kind in ("torch", "numpy", "bytes", "bytearray"):
            return self._array(x)
        if kind == "tuple":
            return tuple(self._node(v) for v in x["v"])
        if kind == "set":
            return set(self._node(v) for v in x["v"])
        if kind == "dict":
            return dict(self._pairs(x["v"]))
        if kind == "float":
            return float(x["v"])
        if kind == "odict":
            d = collections.OrderedDict(self._pairs(x["v"]))
            if "m" in x:
                d._metadata = self._node(x["m"])
            return d
        raise Damaged("state.json has a value of a kind that is not known: %.40r" % (kind,))
