"""Recorded calls: what PyTorch and nomen agreed on, small enough to lie in the tree.

A line of the file is a JSON list: the call, and its answer. Only calls are recorded in which
nothing was different, and no gradients or matrix products, whose last bits depend on the
instruction set where numbers cancel. Results are kept as a hash where they must be equal to the
bit; otherwise the low 16 bits of each number's place in the order of all numbers of its dtype, so
that a distance in ULP can be told from two bytes (a wrong number passes by chance in one of several
hundred cases, and hardly ever in all elements of a result).
"""

import base64
import gzip
import hashlib
import json

import differ_hints as hints
import numpy
from differ_data import COMPLEX, REALS
from differ_judge import first_words, ordered

LARGEST = 24  # elements of a result that is not exact


def floating(raw, dtype):
    return ordered(raw, COMPLEX.get(dtype, dtype))


def places(raw, dtype):
    """Two bytes for each number; NaN has a place of its own."""
    part = COMPLEX.get(dtype, dtype)
    return (ordered(raw, part) & 0xFFFF).astype("<u2").tobytes()


def digest(raw):
    return base64.b64encode(hashlib.blake2b(raw, digest_size=6).digest()).decode()


def canonical(raw, dtype):
    """NaN is NaN, whatever its bits."""
    part = COMPLEX.get(dtype, dtype)
    if part not in REALS:
        return raw
    if part == "bfloat16":
        bits = numpy.frombuffer(raw, "u2").copy()
        bits[(bits & 0x7FFF) > 0x7F80] = 0x7FC0
        return bits.tobytes()
    x = numpy.frombuffer(raw, {"float16": "f2", "float32": "f4", "float64": "f8"}[part]).copy()
    x[numpy.isnan(x)] = numpy.nan
    return x.tobytes()


def pack(told, case):
    """The answer in short, or None if it is too long."""
    if told[0] == "error":
        return ["e", told[1], [] if told[1] == "TypeError" else first_words(told[2])]
    if told[0] == "value":
        return ["v", told[1], told[2]] if not isinstance(told[2], complex) else None
    if told[0] == "list":
        inside = [pack(t, case) for t in told[1]]
        return None if None in inside else ["l", inside]
    _, dtype, shape, names, raw = told
    head = [dtype, list(shape), list(names) if any(names) else 0]
    if case["row"] in hints.UNDEFINED:
        return ["t", *head, 0, ""]
    raw = canonical(raw, dtype)
    real = dtype in REALS or dtype in COMPLEX
    root = case["row"] == "abs" and any(t["dtype"] in COMPLEX for t in case["tensors"])
    if not real or case["row"] in hints.EXACT and dtype in REALS and not root:
        return ["t", *head, 0, digest(raw)]
    if len(floating(raw, dtype)) > LARGEST:
        return None
    return ["t", *head, 1, base64.b64encode(places(raw, dtype)).decode()]


def difference(told, kept, case, ulp):
    """What nomen gives now against what was kept; None if it is the same."""
    now = pack(told, case)
    if now is None or now[0] != kept[0]:
        return f"{now}, not {kept}"
    if kept[0] == "e":
        kept = [*kept[:2], first_words(" ".join(kept[2]))]  # the dtypes' names of today
        return None if now == kept else f"{now[1:]}, not {kept[1:]}"
    if kept[0] == "l":
        if len(told[1]) != len(kept[1]):
            return "another number of results"
        pairs = zip(told[1], kept[1])
        return next((d for d in (difference(a, b, case, ulp) for a, b in pairs) if d), None)
    if now == kept:
        return None
    if kept[0] == "v" or now[:5] != kept[:5] or not kept[4]:
        return f"{now}, not {kept}"
    a, b = (numpy.frombuffer(base64.b64decode(x[5]), "<u2").astype("i4") for x in (now, kept))
    far = numpy.abs((a - b + 0x8000) % 0x10000 - 0x8000)
    return None if (far <= ulp).all() else f"{int(far.max())} ULP apart: {now}, not {kept}"


def allowed(case):
    """How far the result of another instruction set may be from what was recorded."""
    if case["row"] in hints.EXACT and case.get("mode") != "grad":
        return 4  # of complex numbers: real ones are compared by their hash
    if case["row"] == "log_softmax":  # near 0 a difference of large terms is left
        return 16384
    return 64 if case["row"] in hints.CANCEL else 8


def suits(case, data):
    """Is this call worth keeping: small, and the same on all instruction sets?"""
    if case.get("mode") or sum(map(len, data)) > 800:
        return False
    if case["row"] in hints.PRODUCTS:
        return not any(t["dtype"] in REALS or t["dtype"] in COMPLEX for t in case["tensors"])
    return True


def write(path, lines):
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        for line in sorted(lines, key=lambda line: json.dumps([line[0]["row"], line])):
            packed.write((json.dumps(line, separators=(",", ":")) + "\n").encode())


def read(path):
    with gzip.open(path, "rt") as file:
        return [json.loads(line) for line in file]
