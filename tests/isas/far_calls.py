"""One side of compare.py: calls of every row, the same ones for the same seed, results to stdout.

Instruction set and threads come from the environment (NOMEN_ISA, NOMEN_NUM_THREADS). Operands lie
in a pool of numbers, special ones among them, at any offset and with any step, or between pages
that must not be touched.
"""

import argparse
import faulthandler
import os
import pickle
import random
import resource
import sys
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/python"))
import walls  # noqa: E402
from row_calls import DTYPES, HALF, MASK, OWN, ROWS, USUAL, Values  # noqa: E402

import nomen  # noqa: E402

POOL = 1 << 13
MEMORY = 4 << 30  # for a call that counts up to a random number
GUARD = 64  # elements before and after an output
# Time goes by the square of the sizes, or memory does.
NARROW = {"diag_embed", "orthogonal_basis", "nuclear_norm", "inner", "outer", "dropout", "trace"}
# What is in memory that nobody wrote is nobody's business; functions that write to their operands
# have forms of their own.
# What a search finds in a row that is not sorted is not said.
SORTED = {"searchsorted": "sorted_sequence", "bucketize": "boundaries"}
LEFT_OUT = {"empty", "empty_like", "resize", "resize_as", "to_device"}


def pool_of(dtype, length, plain):
    """length random numbers of the dtype; of floating point ones an eighth are special, or none."""
    rng = numpy.random.default_rng(7)
    if plain and ("float" in dtype or "complex" in dtype):
        values = nomen.from_numpy(rng.random((length, 2)) + 0.5)
        values = nomen.view_as_complex(values) if "complex" in dtype else values[:, 0].contiguous()
        return values.to(getattr(nomen, dtype))
    if dtype == "bool":
        return nomen.from_numpy(rng.integers(0, 2, length).astype(bool))
    if "int" in dtype:
        low, high = numpy.iinfo(dtype).min, numpy.iinfo(dtype).max
        values = rng.integers(low, high, length, numpy.dtype(dtype), endpoint=True)
        small = rng.random(length) < 0.7
        values[small] = rng.integers(0, 12, int(small.sum()))
        return nomen.from_numpy(values)
    parts = 2 if "complex" in dtype else 1
    values = rng.standard_normal(length * parts) * 2.0 ** rng.integers(-6, 7, length * parts)
    special = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, numpy.inf, -numpy.inf, numpy.nan, 1e-310, 1e-40]
    special += [-1e-41, 6e-8, 65504.0, 3e38, -1e300, 1e5, -88.0, 709.0]
    chosen = rng.random(length * parts) < 0.125
    values[chosen] = rng.choice(special, int(chosen.sum()))
    # A stretch of zeros of both signs: which of them is the largest?
    zeros = slice(length * parts // 2, length * parts * 5 // 8)
    values[zeros] = rng.choice([0.0, -0.0], len(values[zeros]))
    if parts == 2:
        with numpy.errstate(over="ignore"):
            values = values.astype("float32" if dtype == "complex64" else "float64")
        return nomen.view_as_complex(nomen.from_numpy(values.reshape(length, 2)))
    with numpy.errstate(over="ignore"):
        return nomen.from_numpy(values).to(getattr(nomen, dtype))


class Calls:
    def __init__(self, seed, largest, plain):
        self.plain = plain
        self.random = random.Random(seed)
        self.pools = {}
        self.length = max(POOL, 4 * largest)

    def pool(self, dtype):
        if dtype not in self.pools:
            self.pools[dtype] = pool_of(dtype, self.length, self.plain)
        return self.pools[dtype]

    def layout(self, sizes):
        """(strides, reach): the last dim next to each other, or apart, or the first one."""
        order = list(range(len(sizes)))
        if self.random.random() < 0.3:
            order.reverse()
        step = self.random.choice((1, 1, 1, 2, 3))
        strides = [0] * len(sizes)
        for dim in reversed(order):
            strides[dim] = step
            step *= max(sizes[dim], 1)
            step += self.random.choice((0, 0, 0, 1, 5))
        return strides, 1 + sum((n - 1) * s for n, s in zip(sizes, strides) if n > 0)

    def tensor(self, text, dtype, scale):
        dims = [part.partition("=") for part in text.split()]
        sizes = [scale.get(name, int(size or name)) for name, _, size in dims]
        names = [name if size else None for name, _, size in dims]
        pool = self.pool(dtype)
        strides, reach = self.layout(sizes)
        if reach >= len(pool):
            strides = [1] * len(sizes)
            for dim in range(len(sizes) - 2, -1, -1):
                strides[dim] = strides[dim + 1] * max(sizes[dim + 1], 1)
            reach = 1 + sum((n - 1) * s for n, s in zip(sizes, strides) if n > 0)
        offset = self.random.randrange(max(len(pool) - reach, 1))
        made = self.between_walls(pool.as_strided(sizes, strides, offset))
        return made.rename(*names) if any(names) else made

    def between_walls(self, made):
        """Some of the tensors, walled in, and some of their dims backwards."""
        if made.numel() == 0 or self.random.random() < 0.7:
            return made
        backwards = [dim for dim in range(made.ndim) if self.random.random() < 0.1]
        return walls.between(made, self.random.random() < 0.5, backwards)

    def value(self, value, kind, dtype, scale):
        if value is MASK:
            return self.tensor("N=2 C=3", "bool", scale)
        if value is HALF:
            return self.tensor("N=2 C=3", "float32", scale).abs().nan_to_num(0.5, 0.5, 0.5)
        if isinstance(value, Values):
            return value.tensor()
        if kind == "tensor":
            return self.tensor(value, dtype, scale)
        if kind == "tensors":
            return [self.value(v, "tensor", dtype, scale) for v in value]
        return value

    def arguments(self, name, dtype, scale):
        row, own, given = ROWS[name], OWN.get(name, {}), {}
        for arg in row["args"]:
            key, kind = arg["name"], arg["kind"]
            if key in own:
                given[key] = self.value(own[key], kind, dtype, scale)
            elif kind == "dtype" and (not arg["optional"] or row["family"] == "factory"):
                given[key] = getattr(nomen, dtype)
            elif not arg["optional"] and kind != "flag":
                given[key] = self.value(USUAL[kind], kind, dtype, scale)
        if name in SORTED:
            given[SORTED[name]] = nomen.sort(given[SORTED[name]], -1).values
        return given

    def dim(self, row):
        """A dim for rows that can do without one."""
        kinds = {arg["name"]: arg["kind"] for arg in row["args"]}
        if kinds.get("dim") in ("dim", "dims") and self.random.random() < 0.7:
            return {"dim": self.random.choice(("N", "C"))}
        return {}

    def out(self, result):
        """(buffer, out): a tensor like the result, in the middle of a filled buffer."""
        sizes = list(result.shape)
        strides, reach = self.layout(sizes)
        buffer = nomen.full([reach + 2 * GUARD], 1, dtype=result.dtype)
        offset = GUARD - self.random.randrange(16)
        return buffer, buffer.as_strided(sizes, strides, offset)


def bits(t):
    """(dtype, sizes, bytes) of a tensor."""
    name = str(t.dtype).split(".")[-1]
    plain = t.rename(None).contiguous()
    if name == "bfloat16":
        plain = plain.view(nomen.int16)
    return name, tuple(t.shape), plain.numpy().tobytes()


def told(result):
    """What of a result is compared."""
    if isinstance(result, nomen.Tensor):
        return [bits(result)]
    if isinstance(result, (tuple, list)):
        return [part for each in result for part in told(each)]
    return [("python", (), repr(result).encode())]


def called(row, given):
    owner = nomen if "f" in row["forms"] else given.pop("self")
    return getattr(owner, row["name"])(**given)


def beside(calls, row, given, result):
    """Calls with out=, and complains if anything beside it has changed."""
    buffer, out = calls.out(result)
    untouched = buffer.clone()
    given.pop("dtype", None)
    getattr(nomen, row["name"])(**given, out=out)
    again = bits(out)
    out.copy_(nomen.ones_like(out))
    if bits(buffer) != bits(untouched):
        raise AssertionError("written beside out=")
    return again


def answer(calls, name, dtype, scale):
    row = ROWS[name]
    nomen.manual_seed(11)
    try:
        given = calls.arguments(name, dtype, scale)
        given.update({k: v for k, v in calls.dim(row).items() if k not in given})
        found = told(called(row, dict(given)))
        nomen.manual_seed(11)
        if "o" in row["forms"] and "f" in row["forms"] and len(found) == 1:
            result = called(row, dict(given))
            nomen.manual_seed(11)
            if isinstance(result, nomen.Tensor):
                found.append(beside(calls, row, dict(given), result.rename(None)))
        return found
    except (RuntimeError, TypeError, ValueError, IndexError, MemoryError) as error:
        return f"{type(error).__name__}: {error}"


def opened():
    """Where answers go, beginning with what was asked for in the environment."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    # What anybody else prints goes where it does no harm, and so does what a crash was in.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    faulthandler.enable()
    # "instruction set: avx2", "threads: 2"
    told_of_it = dict(line.split(": ") for line in nomen.show_config().splitlines()[1:])
    pickle.dump((told_of_it["instruction set"], int(told_of_it["threads"])), out)
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--lengths", type=int, nargs="+", required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--rows", nargs="*")
    parser.add_argument("--plain", nargs="*", default=[], help="rows without special numbers")
    options = parser.parse_args()
    out = opened()
    count = 0
    for name in options.rows or sorted(ROWS):
        if not ROWS[name]["forms"] or ROWS[name]["forms"] in ("o", "i") or name in LEFT_OUT:
            continue
        calls = Calls(f"{options.seed} {name}", max(options.lengths), name in options.plain)
        for dtype in DTYPES:
            for length in options.lengths:
                for dim in "CN":
                    if name in NARROW and length > 300:
                        continue
                    count += 1
                    if count % options.every:
                        continue
                    case = (name, dtype, dim, length)
                    pickle.dump((case, answer(calls, name, dtype, {dim: length})), out)
                    out.flush()  # if the next one dies, this is the last that was heard
    pickle.dump(None, out)
    out.close()


if __name__ == "__main__":
    main()
