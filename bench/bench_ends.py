"""Operations on rows that end behind a whole vector: do a few elements fewer take longer?

    PYTHONPATH=build/release/python .venv/bin/python bench/bench_ends.py [--rows 3000] [--above 1.6]

Rows of 120 of 300 beside rows of 128, and 40 beside 64, which every vector divides: what the last
elements of a row cost. Random numbers, a third or half of them zero or true, so that a branch for
each element shows: nothing foretells where it goes. Each line that is printed is an operation, its
dtype, and ns a row by length. One thread; no peer.
"""

import argparse
import functools
import platform
import time

import nomen

LENGTHS = (40, 64, 104, 120, 128)
DTYPES = """bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64
complex128""".split()
OF_ONE = """abs neg sign relu sqrt exp log sin floor round trunc frac isnan isfinite logical_not
square reciprocal sigmoid tanh signbit expm1 log1p erf""".split()
OF_TWO = """add mul div maximum minimum fmax fmin eq lt le remainder fmod floor_divide copysign
atan2 pow hypot logical_and logical_or logical_xor bitwise_and logaddexp""".split()
OF_ROWS = """sum prod amax any all var norm count_nonzero nansum logsumexp softmax cumsum cumprod
cummax flip sort median max argmax aminmax diff""".split()


def numbers(dtype, rows):
    if dtype == "bool":
        return nomen.rand(rows, 300) > 0.5
    low = 0 if dtype == "uint8" else -1
    return nomen.randint(low, low + 3, (rows, 300)).to(getattr(nomen, dtype))


def along_rows(name):
    if name == "norm":
        return lambda x: x.norm(2, 1)
    if name in ("aminmax", "diff"):
        return lambda x: getattr(nomen, name)(x, dim=1)
    return lambda x: getattr(nomen, name)(x, 1)


def calls(dtype, rows):
    """Names, and functions of a tensor and of another one like it."""
    mask = nomen.rand(rows, 300) > 0.5
    for name in OF_ONE:
        yield name, lambda x, y, f=getattr(nomen, name): f(x)
    for name in OF_TWO:
        yield name, lambda x, y, f=getattr(nomen, name): f(x, y)
    for name in OF_ROWS:
        yield f"{name} of rows", lambda x, y, f=along_rows(name): f(x)
    for to in DTYPES:
        if to != dtype:
            yield f"to {to}", functools.partial(lambda x, y, d: x.to(d), d=getattr(nomen, to))
    yield "where", lambda x, y: nomen.where(mask[:, : x.shape[1]], x, y)
    yield "where, a number", lambda x, y: nomen.where(mask[:, : x.shape[1]], x, 1)
    yield "masked_fill", lambda x, y: x.masked_fill(mask[:, : x.shape[1]], 1)
    yield "nonzero", lambda x, y: x.nonzero()


def best(function, *operands):
    took = 1e9
    for _ in range(7):
        begin = time.perf_counter()
        function(*operands)
        took = min(took, time.perf_counter() - begin)
    return took


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--above", type=float, default=1.6)
    parser.add_argument("--dtypes", default=",".join(DTYPES))
    options = parser.parse_args()
    nomen.set_num_threads(1)
    done = told = 0
    for dtype in options.dtypes.split(","):
        x, y = numbers(dtype, options.rows), numbers(dtype, options.rows)
        for name, function in calls(dtype, options.rows):
            try:
                function(x[:2, :64], y[:2, :64])
            except (RuntimeError, TypeError):
                continue  # not for this dtype
            took = {
                n: best(function, x[:, :n], y[:, :n]) / options.rows * 1e9 for n in LENGTHS
            }
            done += 1
            slow = 10  # ns: what a row may cost anyhow
            if max(took[104], took[120]) > options.above * took[128] + slow or (
                took[40] > options.above * took[64] + slow
            ):
                told += 1
                print(dtype, name, {n: round(t) for n, t in took.items()}, flush=True)
    print(f"{platform.machine()}: {done} calls, {told} of them told")


if __name__ == "__main__":
    main()
