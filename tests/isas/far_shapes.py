"""One side of compare.py --shapes: calls of what goes over rows and columns, of random shapes.

far_calls.py has every row of the table, with one dim of any length beside few elements; this has
some rows, with up to four dims of odd sizes: where blocks, tiles and parts end depends on several.
"""

import argparse
import pickle
import random

import far_calls
from row_calls import DTYPES

import nomen

FLOATS = ["float16", "bfloat16", "float32", "float64"]
REAL = [dtype for dtype in DTYPES if "complex" not in dtype]
SIZES = """1 2 2 3 3 4 5 6 7 8 9 11 12 13 15 16 17 20 24 29 31 32 33 40 48 63 64 65 72 96 100
127 128 129 152 153 200 250 255 256 257 300 500 508 512 513 577 1000 1024 1025""".split()
LONG = (2000, 4096, 5000, 8192, 20000, 30000, 65536)
MOST = 200_000  # elements of an operand
WORK = 3_000_000  # multiplications of a product

ADDED = "sum mean prod norm var std nansum count_nonzero any all amax amin".split()
OTHERS = "max min argmax argmin aminmax median mode".split()
SCANS = "cumsum cumprod cummax cummin logcumsumexp diff flip".split()
ORDERS = "sort topk kthvalue unique unique_consecutive".split()
PLACES = "index_select index_fill index_add gather scatter_add".split()
PRODUCTS = "mm bmm mv addmm inner outer".split()
NOT_REAL = """sum mean prod norm count_nonzero any all cumsum cumprod flip index_select
gather""".split()
ONLY_FLOATS = "mean norm var std nansum logsumexp logcumsumexp softmax log_softmax".split()


class Shapes:
    def __init__(self, seed, kind):
        self.random = random.Random(seed)
        self.calls = kind
        self.calls.random = self.random

    def shape(self):
        while True:
            ndim = self.random.choice((1, 2, 2, 3, 3, 4))
            sizes = [int(size) for size in self.random.choices(SIZES, k=ndim)]
            if self.random.random() < 0.15:
                sizes[self.random.randrange(len(sizes))] = self.random.choice(LONG)
            if numel(sizes) <= MOST:
                return sizes

    def tensor(self, sizes, dtype):
        made = self.calls.tensor(" ".join(map(str, sizes)), dtype, {})
        if self.random.random() < 0.1:  # one of the dims again and again
            dim = self.random.randrange(len(sizes))
            made = made.narrow(dim, 0, 1).expand(*sizes)
        return made

    def index(self, sizes, below):
        values = [self.random.randrange(below) for _ in range(numel(sizes))]
        return nomen.tensor(values, dtype=nomen.int64).reshape(*sizes)

    def over_dims(self, name, dtype):
        sizes = self.shape()
        x, dim = self.tensor(sizes, dtype), self.random.randrange(len(sizes))
        if name == "norm":
            return x.norm(self.random.choice((1, 2, 3)), dim=dim)
        if name in ADDED and self.random.random() < 0.3:
            dim = tuple(self.random.sample(range(len(sizes)), self.random.randint(1, len(sizes))))
        return getattr(x, name)(dim) if name == "flip" else getattr(x, name)(dim=dim)

    def ordered(self, name, dtype):
        sizes = self.shape()
        x, dim = self.tensor(sizes, dtype), self.random.randrange(len(sizes))
        count = min(sizes[dim], self.random.choice((1, 2, 3, 5, 10, 20, 50, 100, 1000)))
        if name == "sort":
            return x.sort(dim, self.random.random() < 0.5)
        if name in ("topk", "kthvalue"):
            return getattr(x, name)(count, dim)
        return getattr(x, name)(dim=dim, return_inverse=True, return_counts=True)

    def placed(self, name, dtype):
        sizes = self.shape()
        x, dim = self.tensor(sizes, dtype), self.random.randrange(len(sizes))
        other = [self.random.choice((size, size, self.random.randint(1, size))) for size in sizes]
        other[dim] = self.random.choice((1, 2, 3, 8, 24, 33, 100))
        if numel(other) > MOST // 4:
            other = [1] * len(sizes)
        if name == "gather":
            return x.gather(dim, self.index(other, sizes[dim]))
        if name == "scatter_add":
            return x.scatter_add(dim, self.index(other, sizes[dim]), self.tensor(other, dtype))
        index = self.index(other[dim : dim + 1], sizes[dim])
        if name == "index_select":
            return x.index_select(dim, index)
        if name == "index_fill":
            return x.index_fill(dim, index, 1)
        rows = sizes[:dim] + other[dim : dim + 1] + sizes[dim + 1 :]
        return x.index_add(dim, index, self.tensor(rows, dtype))

    def multiplied(self, name, dtype):
        while True:
            m, k, n = (int(s) for s in self.random.choices(SIZES, k=3))
            if self.random.random() < 0.3:
                m, k, n = self.random.sample((m, k, self.random.choice(LONG)), 3)
            count = self.random.choice((1, 2, 5, 17)) if name == "bmm" else 1
            if m * k * n * count < WORK and max(m * k, k * n, m * n) * count < MOST:
                break
        if name == "bmm":
            return self.tensor([count, m, k], dtype).bmm(self.tensor([count, k, n], dtype))
        if name == "outer":
            return self.tensor([m], dtype).outer(self.tensor([n], dtype))
        a = self.tensor([m, k], dtype)
        if name == "mv":
            return a.mv(self.tensor([k], dtype))
        if name == "inner":
            return a.inner(self.tensor([n, k], dtype))
        b = self.tensor([k, n], dtype)
        return a.mm(b) if name == "mm" else self.tensor([m, n], dtype).addmm(a, b)


def numel(sizes):
    count = 1
    for size in sizes:
        count *= size
    return count


WAYS = {
    Shapes.over_dims: ADDED + OTHERS + SCANS + ["softmax", "log_softmax", "logsumexp"],
    Shapes.ordered: ORDERS,
    Shapes.placed: PLACES,
    Shapes.multiplied: PRODUCTS,
}


def drawn(rng):
    """(row, dtype, way)"""
    way = rng.choices(list(WAYS), (4, 2, 2, 2))[0]
    name = rng.choice(WAYS[way])
    if name in ONLY_FLOATS:
        return name, rng.choice(FLOATS), way
    if name in PRODUCTS:
        return name, rng.choice(DTYPES[1:]), way  # bool has none
    return name, rng.choice(DTYPES if name in NOT_REAL else REAL), way


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--shapes", type=int, required=True)
    parser.add_argument("--plain", nargs="*", default=[], help="rows without special numbers")
    options = parser.parse_args()
    out = far_calls.opened()
    kinds = [far_calls.Calls(0, 2 * MOST, plain) for plain in (False, True)]
    for number in range(options.shapes):
        rng = random.Random(f"{options.seed} {number}")
        name, dtype, way = drawn(rng)
        shapes = Shapes(rng.random(), kinds[name in options.plain])
        try:
            answer = far_calls.told(way(shapes, name, dtype))
        except (RuntimeError, TypeError, ValueError, IndexError, MemoryError) as error:
            answer = f"{type(error).__name__}: {error}"
        pickle.dump(((name, dtype, number), answer), out)
        out.flush()
    pickle.dump(None, out)
    out.close()


if __name__ == "__main__":
    main()
