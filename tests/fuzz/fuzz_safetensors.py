#!/usr/bin/env python3
"""Fuzzes the reader of safetensors files: files of nomen.save, changed where it may hurt.

    python tests/fuzz/fuzz_safetensors.py --inputs 1000000 --seed 1

What is wrong with a file must be said as a ValueError, before memory is asked for: the address
space of the process and the memory of the library are limited. What can be read is looked at, saved
and read again, and mapped from a file it is the same.
"""

import argparse
import copy
import io
import json
import os
import random
import resource
import struct
import sys
import tempfile

import nomen

DTYPES = [d for d in vars(nomen).values() if isinstance(d, nomen.dtype)]
CODES = "BOOL U8 I8 I16 I32 I64 F16 BF16 F32 F64 C64 F8 U64 f32".split()
NOTES = ["nomen.names", "nomen.complex128", "nomen.single", "format"]
HOSTILE = [
    -1, 0, 1, 2, 3, 8, 255, 2**31, 2**32, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**30, 1.5,
    -0.0, 1e300, True, False, None, "2", [], [1], {},
]  # fmt: skip


def some_tensor(r):
    shape = [r.choice([0, 1, 2, 3, 5]) for _ in range(r.choice([0, 1, 1, 2, 3, 64]) or 0)]
    if len(shape) > 8:
        shape = [1] * len(shape)
    t = nomen.arange(max(1, int(nomen.zeros(shape).numel())))[: nomen.zeros(shape).numel()]
    t = t.reshape(shape).to(r.choice(DTYPES))
    if r.random() < 0.5 and len(shape) <= 4:
        t = t.rename(*r.sample(["N", "C", "H", None], len(shape))) if shape else t
    return t


def some_file(r):
    tensors = {f"t{i}": some_tensor(r) for i in range(r.choice([0, 1, 1, 2, 3]))}
    file = io.BytesIO()
    if r.random() < 0.2 and tensors:
        nomen.save(tensors["t0"], file)
    else:
        nomen.save(tensors, file, {"format": "pt"} if r.random() < 0.3 else None)
    return file.getvalue()


def hostile(r):
    """A copy: a list that is put into a list may be changed there, and come again."""
    return copy.deepcopy(r.choice(HOSTILE)) if r.random() < 0.8 else r.randrange(-5, 50)


def change_entry(r, entry):
    if not isinstance(entry, dict):
        return hostile(r)
    key = r.choice([*entry, "dtype", "shape", "data_offsets"])
    value = entry.get(key)
    if key == "dtype":
        entry[key] = r.choice(CODES) if r.random() < 0.8 else hostile(r)
    elif isinstance(value, list) and value and r.random() < 0.8:
        value[r.randrange(len(value))] = hostile(r)
    elif isinstance(value, list) and r.random() < 0.6:
        value.append(hostile(r))
    elif r.random() < 0.5:
        entry.pop(key, None)
    else:
        entry[key] = hostile(r)
    return entry


def change_note(r, header):
    notes = header.get("__metadata__")
    if not isinstance(notes, dict) or r.random() < 0.1:
        header["__metadata__"] = r.choice([{}, {}, [], "x", None])
        return
    names = [["N"], ["N", "C"], ["N", "N"], [None], ["2x"], ["N" * 5000], "N", 3, [["N"]]]
    note = r.choice(NOTES)
    value = r.choice(
        [
            lambda: json.dumps({r.choice(["t0", "t1", "tensor"]): r.choice(names)}),
            lambda: json.dumps([r.choice(["t0", "t1", "tensor", "no"])] * r.choice([1, 1, 2])),
            lambda: r.choice(["t0", "tensor", "", "{", "[" * 3000, "null", "NaN"]),
            lambda: hostile(r),
        ]
    )()
    notes[note] = value


def change_header(r, text):
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if not isinstance(header, dict):
        return text
    for _ in range(r.choice([1, 1, 2, 3])):
        kind = r.randrange(5)
        keys = [key for key in header if key != "__metadata__"]
        if kind < 3 and keys:
            key = r.choice(keys)
            header[key] = change_entry(r, header[key])
        elif kind == 3:
            change_note(r, header)
        elif keys:
            header[r.choice(["t0", "t9", "", "\ud800", "__metadata__"])] = header.pop(keys[0])
    text = json.dumps(header).encode("utf-8", "surrogatepass")
    if r.random() < 0.05:  # the same key twice
        text = text.replace(b'"t1"', b'"t0"')
    return text


def changed(r, data):
    """A file with something wrong in it, mostly."""
    (length,) = struct.unpack("<Q", data[:8])
    text, rest = data[8 : 8 + length], data[8 + length :]
    if r.random() < 0.75:
        text = change_header(r, text)
    if r.random() < 0.1:
        at = r.randrange(len(text) + 1)
        junk = [b"\0", b"\xff", b"NaN", b"{" * 2000, b"1e999", b"-", b'"', b"9" * 5000, b","]
        text = text[:at] + r.choice(junk) + text[at + r.choice([0, 1, 5]) :]
    length = len(text)
    if r.random() < 0.1:
        length = r.choice([0, 1, length - 1, length + 1, 2**31, 2**40, 2**63, 2**64 - 1])
    if r.random() < 0.1:
        rest = rest[: r.randrange(len(rest) + 1)] if r.random() < 0.5 else rest + b"\1" * 9
    whole = bytearray(struct.pack("<Q", max(0, length)) + text + rest)
    if r.random() < 0.1:
        for _ in range(r.choice([1, 2, 8])):
            whole[r.randrange(len(whole))] = r.randrange(256)
    if r.random() < 0.05:
        del whole[r.randrange(len(whole)) :]
    return bytes(whole)


def same(a, b):
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    bits = [bytes(x.contiguous().untyped_storage())[: x.nbytes] for x in (a, b)]
    return (a.dtype, a.shape, a.names) == (b.dtype, b.shape, b.names) and (
        bits[0] == bits[1] or x_is_strided(a)
    )


def x_is_strided(x):
    """A storage may begin before its tensor: compare values there."""
    return x.storage_offset() > 0


def look_at(result, data, folder, mapped):
    for x in result.values() if isinstance(result, dict) else [result]:
        assert isinstance(x, nomen.Tensor) and x.nbytes <= len(data)
        repr(x)
    file = io.BytesIO()
    nomen.save(result, file)
    file.seek(0)
    assert same(nomen.load(file), result)
    if mapped:
        path = os.path.join(folder, "mapped.safetensors")
        with open(path, "wb") as out:
            out.write(data)
        assert same(nomen.load(path, mmap=True), result)


def limit_memory():
    nomen.set_memory_limit(1 << 24)
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, resource.getrlimit(resource.RLIMIT_AS)[1]))


def examine(data, folder, mapped):
    """Whether it can be read; anything else than a result or a clear refusal is a finding."""
    try:
        result = nomen.load(io.BytesIO(data))
    except ValueError as error:
        assert "is not a usable safetensors file" in str(error), error
        return False
    look_at(result, data, folder, mapped)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    limit_memory()
    r, read = random.Random(options.seed), 0
    files = [some_file(r) for _ in range(300)]
    with tempfile.TemporaryDirectory() as folder:
        for at in range(options.inputs):
            if at % 2000 == 1999:
                files[r.randrange(len(files))] = some_file(r)
            data = changed(r, r.choice(files))
            try:
                read += examine(data, folder, read % 16 == 15)
            except BaseException:
                print(f"input {at} of seed {options.seed}: {data[:2000]!r}", flush=True)
                raise
    print(f"figure: inputs of the safetensors reader: {options.inputs}")
    print(f"figure: of them files that could be read: {read}")


if __name__ == "__main__":
    sys.exit(main())
