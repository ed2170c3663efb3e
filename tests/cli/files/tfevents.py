#!/usr/bin/env python3
"""Writes a TensorBoard event file: tfevents.py FILE TAG:STEP:VALUE[:KIND]... KIND: simple (default), tensor, double, text. Second n is 1780272000 + n."""
import struct
import sys


def crc32c(data):
    crc = 0xFFFFFFFF
    for b in data:
        crc ^= b
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, wire, data):
    return varint(number << 3 | wire) + (varint(len(data)) + data if wire == 2 else data)


def value(tag, x, kind):
    out = field(1, 2, tag.encode())
    if kind == "simple":
        return out + field(2, 5, struct.pack("<f", x))
    if kind == "tensor":
        return out + field(8, 2, field(1, 0, varint(1)) + field(2, 2, b"") + field(4, 2, struct.pack("<f", x)))
    if kind == "double":
        return out + field(8, 2, field(1, 0, varint(2)) + field(6, 2, struct.pack("<d", x)))
    return out + field(8, 2, field(1, 0, varint(7)) + field(8, 2, b"words"))


def record(data):
    head = struct.pack("<Q", len(data))
    return head + struct.pack("<I", crc32c(head)) + data + struct.pack("<I", crc32c(data))


assert crc32c(b"") == 0xA282EAD8
with open(sys.argv[1], "wb") as f:
    f.write(record(field(1, 1, struct.pack("<d", 1780272000)) + field(3, 2, b"brain.Event:2")))
    for i, arg in enumerate(sys.argv[2:], 1):
        tag, step, x, kind = (arg.split(":") + ["simple"])[:4]
        event = field(1, 1, struct.pack("<d", 1780272000 + i)) + field(2, 0, varint(int(step)))
        f.write(record(event + field(5, 2, field(1, 2, value(tag, float(x), kind)))))
