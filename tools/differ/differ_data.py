"""The bits of operands: a dtype, a kind of filling and a seed give the same bytes everywhere.

splitmix64 by hand instead of NumPy's generators, since what is recorded must not change with them.
"""

import numpy

STORED = {
    "bool": "u1",
    "uint8": "u1",
    "int8": "i1",
    "int16": "i2",
    "int32": "i4",
    "int64": "i8",
    "float16": "f2",
    "bfloat16": "u2",
    "float32": "f4",
    "float64": "f8",
    "complex64": "c8",
    "complex128": "c16",
}
INTS = ("uint8", "int8", "int16", "int32", "int64")
HALVES = ("float16", "bfloat16")
REALS = ("float16", "bfloat16", "float32", "float64")
COMPLEX = {"complex64": "float32", "complex128": "float64"}
ALL = tuple(STORED)
MASK = (1 << 64) - 1

SPECIAL = [
    float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5,
    2.0, -3.0, 3.14159265358979, 1e-5, 100.0, -100.0, 0.3333333, 1e4,
]  # fmt: skip


def words(n, seed):
    """n words of 64 bits."""
    with numpy.errstate(over="ignore"):
        x = (numpy.arange(1, n + 1, dtype="u8") * numpy.uint64(0x9E3779B97F4A7C15)
             + numpy.uint64(seed * 0xD1B54A32D192ED03 & MASK))  # fmt: skip
        x = (x ^ (x >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
        return x ^ (x >> numpy.uint64(31))


def unit(w):
    """From 0 to 1, 53 bits."""
    return (w >> numpy.uint64(11)).astype("f8") * 2.0**-53


def to_bfloat16(x):
    """The nearest bfloat16, as bits."""
    bits = numpy.asarray(x, "f4").view("u4").astype("u8")
    nearest = (bits + numpy.uint64(0x7FFF) + ((bits >> numpy.uint64(16)) & numpy.uint64(1))) >> 16
    return numpy.where((bits & 0x7FFFFFFF) > 0x7F800000, 0x7FC0, nearest).astype("u2")


def from_bfloat16(bits):
    return (numpy.asarray(bits, "u2").astype("u4") << 16).view("f4")


def extremes(dtype):
    """The ends of a floating dtype's range, and the numbers near zero."""
    tiny, huge = {
        "float16": (2.0**-24, 65504.0),
        "bfloat16": (2.0**-133, 3.3895313892515355e38),
        "float32": (2.0**-149, 3.4028234663852886e38),
        "float64": (5e-324, 1.7976931348623157e308),
    }[dtype]
    return [tiny, -tiny, 100 * tiny, huge, -huge, huge / 2]


def reals(dtype, w, kind):
    u = unit(w)
    if kind == "small":
        x = numpy.floor(u * 17) - 8
        return numpy.where((w & numpy.uint64(3)) == 0, x / 4, x)
    if kind == "special":
        table = numpy.array(SPECIAL + extremes(dtype))
        return table[(w >> numpy.uint64(3)).astype("u8") % numpy.uint64(len(table))]
    if kind == "positive":
        return 0.01 + u * 10
    if kind == "unit":
        return u * 2 - 1
    if kind == "zero_one":
        return u
    if kind == "large":
        return (u * 2 - 1) * 1000
    if kind == "wide":
        span = {"float16": 12, "float64": 300}.get(dtype, 60)
        fraction, whole = numpy.modf((u * 2 - 1) * span)  # 2.0**x has other last bits on AVX-512
        one = numpy.where(w & numpy.uint64(1), 1.0, -1.0)
        return one * numpy.ldexp(1 + numpy.abs(fraction), whole.astype("i4"))
    if kind == "halves":
        return (numpy.floor(u * 41) - 20) / 2
    if kind == "distinct":
        return numpy.argsort(w, kind="stable").astype("f8") - len(w) // 2
    return u * 6 - 3


def integers(dtype, w, kind):
    info = numpy.iinfo(STORED[dtype])
    signed = info.min < 0
    if kind in ("special", "wide"):
        table = [info.min, info.max, info.max - 1, info.min + 1, 0, 1, 2, 3, 7]
        table += [-1, -2, -7] if signed else [128, 255, 254]
        return numpy.array(table, STORED[dtype])[(w >> numpy.uint64(3)) % numpy.uint64(len(table))]
    if kind == "bits":
        return w.astype(STORED[dtype])
    if kind == "distinct":
        return numpy.argsort(w, kind="stable").astype(STORED[dtype])
    low, span = (1, 9) if kind == "positive" else (0, 2) if kind == "zero_one" else (-9, 19)
    if kind == "large":
        low, span = -100, 201
    if not signed:
        low = max(low, 0)
    return (low + (w % numpy.uint64(span)).astype("i8")).astype(STORED[dtype])


def orders(n, length, seed):
    """Rows of all positions, in any order."""
    return numpy.argsort(words(n, seed).reshape(-1, length), axis=-1)


def in_rows(dtype, n, kind, seed):
    if kind[0] == "orders":
        return orders(n, kind[1], kind[2]).astype(STORED[dtype])
    if kind[0] == "shuffled":
        rows = in_rows(dtype, n, ["rows", *kind[1:3]], seed)
        made = numpy.empty_like(rows)
        numpy.put_along_axis(made, orders(n, kind[1], kind[3]), rows, axis=-1)
        return made
    raw = fill(dtype, n, kind[2], seed)
    rows = numpy.frombuffer(raw, STORED[dtype]).reshape(-1, kind[1])
    order = numpy.argsort(widen(dtype, raw).reshape(-1, kind[1]), axis=-1, kind="stable")
    return numpy.take_along_axis(rows, order, axis=-1)


def fill(dtype, n, kind, seed):
    """The bytes of n elements. Kinds are words, ["index", a, b] for positions from a to
    b - 1, ["places", n] for different ones from -n to n - 1, ["rows", m, kind] for rows of m in
    order, ["orders", m, s] for rows of the positions from 0 to m - 1, and ["shuffled", m, kind, s]
    for rows that those positions put in order."""
    w = words(n, seed)
    if kind[0] in ("rows", "orders", "shuffled"):
        return in_rows(dtype, n, kind, seed).tobytes()
    if isinstance(kind, (list, tuple)):
        if kind[0] == "places":
            own = numpy.argsort(words(kind[1], seed), kind="stable")[:n]
            return (
                (own - kind[1] * (w & numpy.uint64(1)).astype("i8")).astype(STORED[dtype]).tobytes()
            )
        low, high = kind[1], kind[2]
        span = numpy.uint64(max(high - low, 1))
        return (low + (w % span).astype("i8")).astype(STORED[dtype]).tobytes()
    if dtype == "bool":
        return (w >> numpy.uint64(7) & numpy.uint64(1)).astype("u1").tobytes()
    if dtype in INTS:
        return integers(dtype, w, kind).tobytes()
    if dtype in COMPLEX:
        part = COMPLEX[dtype]
        both = numpy.frombuffer(fill(part, 2 * n, kind, seed), STORED[part])
        return both.tobytes()
    with numpy.errstate(over="ignore", under="ignore"):
        if kind == "bits":
            bits = w.astype({2: "u2", 4: "u4", 8: "u8"}[numpy.dtype(STORED[dtype]).itemsize])
            if dtype == "bfloat16":  # goes through a cast, which keeps no other NaN
                bits[(bits & 0x7FFF) > 0x7F80] = 0x7FC0
            return bits.tobytes()
        x = reals(dtype, w, kind)
        return (to_bfloat16(x) if dtype == "bfloat16" else x.astype(STORED[dtype])).tobytes()


def widen(dtype, raw):
    """The elements of a tensor as an array one can compute with."""
    if dtype == "bfloat16":
        return from_bfloat16(numpy.frombuffer(raw, "u2"))
    return numpy.frombuffer(raw, STORED[dtype])
