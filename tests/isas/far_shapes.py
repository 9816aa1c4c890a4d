"""One side of compare.py --shapes: calls of what goes over rows and columns, of random shapes.

far_calls.py has every row of the table, with one dim of any length beside few elements; this has
some rows, with up to four dims of odd sizes: where blocks, tiles and parts end depends on several.
Operands have gaps, turned dims, dims that are expanded, backwards, or empty, dtypes of their own,
and pages beside them that must not be touched; what can be written to out= or in place is written
among elements that must stay as they are.
"""

import argparse
import pickle
import random

import far_calls
from row_calls import DTYPES, ROWS

import nomen

FLOATS = ["float16", "bfloat16", "float32", "float64"]
REAL = [dtype for dtype in DTYPES if "complex" not in dtype]
INTEGERS = [dtype for dtype in DTYPES if "int" in dtype]
NUMBERS = DTYPES[1:]
SIZES = """1 2 2 3 3 4 5 6 7 8 9 11 12 13 15 16 17 20 24 29 31 32 33 40 48 63 64 65 72 96 100
127 128 129 152 153 200 250 255 256 257 300 500 508 512 513 577 1000 1024 1025""".split()
LONG = (2000, 4096, 5000, 8192, 20000, 30000, 65536)
MOST = 200_000  # elements of an operand
WORK = 3_000_000  # multiplications of a product

ADDED = "sum mean prod norm var std nansum count_nonzero any all amax amin".split()
OTHERS = "max min argmax argmin aminmax median mode nanmedian nanmean".split()
SCANS = "cumsum cumprod cummax cummin logcumsumexp diff flip roll".split()
ORDERS = "sort argsort topk kthvalue unique unique_consecutive".split()
PLACES = """index_select index_fill index_add index_copy gather scatter scatter_add scatter_reduce
take put take_along_dim""".split()
MASKS = "masked_fill masked_select masked_scatter where nonzero argwhere".split()
PARTS = "tril triu cat stack repeat_interleave clone diagonal".split()
PRODUCTS = "mm bmm mv addmm inner outer matmul baddbmm addbmm addmv addr dot einsum".split()
PAIRS = """add sub mul div floor_divide remainder fmod maximum minimum fmax fmin pow atan2 hypot
copysign eq ne lt le gt ge logical_and logical_or logical_xor""".split()
BITS = "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift".split()
TRIPLES = "addcmul addcdiv lerp clamp".split()
SINGLES = """abs neg sign floor ceil round trunc frac sqrt square reciprocal relu logical_not
isnan signbit sigmoid exp log tanh cast""".split()
NOT_REAL = """sum mean prod norm count_nonzero any all cumsum cumprod flip roll index_select gather
index_add index_copy scatter scatter_add take put take_along_dim add sub mul div eq ne addcmul
addcdiv abs neg square reciprocal cast""".split()
NOT_REAL += MASKS + PARTS
ONLY_FLOATS = """mean norm var std nansum nanmean nanmedian logsumexp logcumsumexp softmax
log_softmax atan2 hypot copysign lerp""".split()
DERIVED = "self other src source mat1 mat2 vec vec1 vec2 batch1 batch2 tensor".split()
# Whose gradients are of transcendental functions, which may differ.
NOT_DERIVED = """norm logcumsumexp logsumexp softmax log_softmax pow atan2 hypot sigmoid exp log
tanh""".split()
ANOTHER_DTYPE = "sum prod mean nansum cumsum cumprod".split()


class Shapes:
    """Arguments of a call, by name; `self` of its rows' functions among them."""

    def __init__(self, seed, kind):
        self.random = random.Random(seed)
        self.calls = kind
        self.calls.random = self.random

    def often(self, share):
        return self.random.random() < share

    def shape(self):
        while True:
            ndim = self.random.choice((1, 2, 2, 3, 3, 4))
            sizes = [int(size) for size in self.random.choices(SIZES, k=ndim)]
            if self.often(0.15):
                sizes[self.random.randrange(len(sizes))] = self.random.choice(LONG)
            if numel(sizes) <= MOST:
                if self.often(0.02):
                    sizes[self.random.randrange(len(sizes))] = 0
                return sizes

    def tensor(self, sizes, dtype):
        if len(sizes) > 1 and self.often(0.2):  # any dim may be the one whose elements are near
            order = self.random.sample(range(len(sizes)), len(sizes))
            text = " ".join(str(sizes[dim]) for dim in order)
            made = self.calls.tensor(text, dtype, {})
            made = made.permute([order.index(dim) for dim in range(len(sizes))])
        else:
            made = self.calls.tensor(" ".join(map(str, sizes)), dtype, {})
        while sizes and self.often(0.1):  # one of the dims again and again
            dim = self.random.randrange(len(sizes))
            if sizes[dim]:
                made = self.calls.between_walls(made.narrow(dim, 0, 1).expand(*sizes))
        return made

    def another(self, dtype, kinds):
        return self.random.choice(kinds) if self.often(0.3) else dtype

    def beside(self, sizes, dtype, kinds=REAL):
        """Another operand of an elementwise call: some of its dims are broadcast, or missing."""
        sizes = [1 if self.often(0.15) else size for size in sizes]
        if self.often(0.1):
            sizes = sizes[self.random.randrange(len(sizes)) :]
        return self.tensor(sizes, self.another(dtype, kinds))

    def index(self, sizes, below):
        values = self.random.choices(range(max(below, 1)), k=numel(sizes))
        return nomen.tensor(values, dtype=nomen.int64).reshape(*sizes)

    def over_dims(self, name, dtype):
        sizes = self.shape()
        dim = self.random.randrange(len(sizes))
        given = {"self": self.tensor(sizes, dtype)}
        if name in ADDED and self.often(0.3):
            dim = tuple(self.random.sample(range(len(sizes)), self.random.randint(1, len(sizes))))
        if name == "norm":
            given["p"] = self.random.choice((0, 1, 2, 3, 0.5, float("inf"), -float("inf")))
        if name in ANOTHER_DTYPE and self.often(0.15):
            given["dtype"] = getattr(nomen, self.random.choice(FLOATS + DTYPES[-2:]))
        arguments = [arg["name"] for arg in ROWS[name]["args"]]
        for flag in ("keepdim", "reverse"):
            if flag in arguments and self.often(0.3):
                given[flag] = True
        if name == "roll":
            return given | {"shifts": [self.random.randint(-9, 9)], "dims": [dim]}
        return given | ({"dims": [dim]} if name == "flip" else {"dim": dim})

    def ordered(self, name, dtype):
        sizes = self.shape()
        dim = self.random.randrange(len(sizes))
        given = {"self": self.tensor(sizes, dtype), "dim": dim}
        count = min(sizes[dim], self.random.choice((1, 2, 3, 5, 10, 20, 50, 100, 1000)))
        if name in ("sort", "argsort"):
            return given | {"descending": self.often(0.5), "stable": True}
        if name == "topk":
            return given | {"k": count, "largest": self.often(0.5)}
        if name == "kthvalue":
            return given | {"k": count}
        return given | {"return_inverse": True, "return_counts": True}

    def placed(self, name, dtype):
        sizes = self.shape()
        dim = self.random.randrange(len(sizes))
        other = [self.random.choice((n, n, self.random.randint(min(n, 1), n))) for n in sizes]
        other[dim] = self.random.choice((1, 2, 3, 8, 24, 33, 100))
        if numel(other) > MOST // 4:
            other = [1] * len(sizes)
        given = {"self": self.tensor(sizes, dtype)}
        if name in ("take", "put"):
            index = self.index(other, numel(sizes))
            if name == "take":
                return given | {"index": index}
            return given | {"index": index, "source": self.tensor(other, dtype), "accumulate": True}
        given["dim"] = dim
        if name == "take_along_dim":
            other = sizes[:dim] + other[dim : dim + 1] + sizes[dim + 1 :]
            return given | {"indices": self.index(other, sizes[dim])}
        if name == "gather":
            return given | {"index": self.index(other, sizes[dim])}
        if name.startswith("scatter"):
            given |= {"index": self.index(other, sizes[dim]), "src": self.tensor(other, dtype)}
            if name == "scatter_reduce":
                given["reduce"] = self.random.choice(("sum", "prod", "mean", "amax", "amin"))
                given["include_self"] = self.often(0.5)
            return given
        given["index"] = self.index(other[dim : dim + 1], sizes[dim])
        if name == "index_select":
            return given
        if name == "index_fill":
            return given | {"value": 1}
        rows = sizes[:dim] + other[dim : dim + 1] + sizes[dim + 1 :]
        return given | {"source": self.tensor(rows, dtype)}

    def masked(self, name, dtype):
        sizes = self.shape()
        x = self.tensor(sizes, dtype)
        if name in ("nonzero", "argwhere"):
            return {"self": x}
        mask = self.tensor([1 if self.often(0.1) else size for size in sizes], "bool")
        if name == "where":
            return {"condition": mask, "self": x, "other": self.beside(sizes, dtype)}
        given = {"self": x, "mask": mask}
        if name == "masked_fill":
            return given | {"value": 1}
        return given | ({"source": self.tensor(sizes, dtype)} if name == "masked_scatter" else {})

    def parts(self, name, dtype):
        sizes = self.shape()
        if name in ("tril", "triu", "diagonal") and len(sizes) == 1:
            sizes = [self.random.randint(1, 3), *sizes]
        dim = self.random.randrange(len(sizes))
        x = self.tensor(sizes, dtype)
        if name in ("tril", "triu"):
            return {"self": x, "diagonal": self.random.randint(-20, 20)}
        if name in ("cat", "stack"):
            other = list(sizes)
            if name == "cat":
                other[dim] = self.random.choice((0, 1, 2, 7, 64))
            return {"tensors": [x, self.tensor(other, self.another(dtype, REAL)), x], "dim": dim}
        if name == "repeat_interleave":
            times = nomen.tensor(self.random.randint(0, 4))
            return {"self": x, "repeats": times, "dim": dim}
        return {"self": x}

    def elements(self, name, dtype):
        sizes = self.shape()
        given = {"self": self.tensor(sizes, dtype)}
        if name == "cast":
            return given | {"dtype": getattr(nomen, self.random.choice(DTYPES))}
        for arg in ROWS[name]["args"][1:]:
            if arg["kind"] == "tensor":
                kinds = INTEGERS if name in BITS else DTYPES if dtype in DTYPES[-2:] else REAL
                given[arg["name"]] = self.beside(sizes, dtype, kinds)
        if name == "pow" and self.often(0.5):
            given["exponent"] = self.random.choice((0, 1, 2, 3, 0.5))
        if name == "clamp":
            given["min"], given["max"] = (self.beside(sizes, dtype) for _ in range(2))
        if name == "div" and self.often(0.4):
            given["rounding_mode"] = self.random.choice(("floor", "trunc"))
        return given

    def product_sizes(self):
        while True:
            m, k, n = (int(s) for s in self.random.choices(SIZES, k=3))
            if self.often(0.3):
                m, k, n = self.random.sample((m, k, self.random.choice(LONG)), 3)
            if self.often(0.02):
                m, k, n = self.random.sample((m, 0, n), 3)
            count = self.random.choice((1, 2, 5, 17))
            if m * k * n * count < WORK and max(m * k, k * n, m * n) * count < MOST:
                return count, m, k, n

    def multiplied(self, name, dtype):
        count, m, k, n = self.product_sizes()

        def of(*sizes):
            return self.tensor(list(sizes), dtype)

        def scaled(given):
            for word in ("alpha", "beta"):
                if self.often(0.3):
                    given[word] = self.random.choice((0, 2, -1))
            return given

        def added(*sizes):
            return of(*[1 if self.often(0.1) else size for size in sizes])

        if name == "bmm":
            return {"self": of(count, m, k), "mat2": of(count, k, n)}
        if name in ("baddbmm", "addbmm"):
            own = added(count, m, n) if name == "baddbmm" else added(m, n)
            return scaled({"self": own, "batch1": of(count, m, k), "batch2": of(count, k, n)})
        if name == "matmul":
            lead = self.random.choice(([], [count], [1], [2, count]))
            if 2 * count * max(m * k, m * n) > MOST:
                lead = []
            second = of(k) if self.often(0.2) else of(*[count] * self.often(0.3), k, n)
            return {"self": of(*lead, m, k), "other": second}
        if name == "einsum":
            text = self.random.choice(("ik,kj->ij", "ki,kj->ij", "ik,kj->ji", "ik,ik->"))
            sizes = {"i": m, "k": k, "j": n}
            dims = text.split("->")[0].split(",")
            operands = [of(*[sizes[letter] for letter in part]) for part in dims]
            return {"equation": text, "operands": operands}
        if name == "dot":
            return {"self": of(m * k), "tensor": of(m * k)}
        if name == "outer":
            return {"self": of(m), "vec2": of(n)}
        if name == "addr":
            return scaled({"self": added(m, n), "vec1": of(m), "vec2": of(n)})
        if name == "mv":
            return {"self": of(m, k), "vec": of(k)}
        if name == "addmv":
            return scaled({"self": added(m), "mat": of(m, k), "vec": of(k)})
        if name == "inner":
            return {"self": of(m, k), "other": of(n, k)}
        if name == "mm":
            return {"self": of(m, k), "mat2": of(k, n)}
        return scaled({"self": added(m, n), "mat1": of(m, k), "mat2": of(k, n)})


def numel(sizes):
    count = 1
    for size in sizes:
        count *= size
    return count


# Of the ways: the rows, and how often each way is drawn.
WAYS = {
    Shapes.over_dims: (ADDED + OTHERS + SCANS + ["softmax", "log_softmax", "logsumexp"], 4),
    Shapes.ordered: (ORDERS, 2),
    Shapes.placed: (PLACES, 2),
    Shapes.multiplied: (PRODUCTS, 2),
    Shapes.elements: (PAIRS + BITS + TRIPLES + SINGLES, 2),
    Shapes.masked: (MASKS, 1),
    Shapes.parts: (PARTS, 1),
}


def drawn(rng):
    """(row, dtype, way)"""
    way = rng.choices(list(WAYS), [share for _, share in WAYS.values()])[0]
    name = rng.choice(WAYS[way][0])
    if name in ONLY_FLOATS:
        return name, rng.choice(FLOATS), way
    if name in PRODUCTS:
        return name, rng.choice(NUMBERS), way  # bool has none
    if name in BITS:
        return name, rng.choice(INTEGERS), way
    return name, rng.choice(DTYPES if name in NOT_REAL else REAL), way


def in_place(calls, row, given):
    """The same in place, in the middle of elements that must stay as they are."""
    own = given.pop("self")
    buffer, target = calls.out(own)
    untouched = buffer.clone()
    target.copy_(own)
    getattr(target, row["name"] + "_")(**given)
    found = far_calls.bits(target)
    target.copy_(nomen.ones_like(target))
    if far_calls.bits(buffer) != far_calls.bits(untouched):
        raise AssertionError("written beside the tensor")
    return found


def gradients(row, given):
    """Those of the sum of a result by the operands, which are copied with their layout."""
    leaves = [key for key, value in given.items() if key in DERIVED and differs(value)]
    if not leaves:
        return []
    given |= {key: given[key].detach().requires_grad_() for key in leaves}
    result = far_calls.called(row, dict(given))
    result = result if isinstance(result, nomen.Tensor) else result[0]
    if not result.requires_grad:
        return []
    (result * 3).sum().backward()
    return [far_calls.bits(given[key].grad) for key in leaves if given[key].grad is not None]


def differs(value):
    return isinstance(value, nomen.Tensor) and (value.is_floating_point() or value.is_complex())


def tried(call, *arguments):
    try:
        return call(*arguments)
    except (RuntimeError, TypeError, ValueError, IndexError, MemoryError) as error:
        return f"{type(error).__name__}: {error}"


def answers(shapes, way, name, dtype):
    """(what the call gives, its gradients: none, or what went wrong)"""
    given = tried(way, shapes, name, dtype)
    if isinstance(given, str):
        return given, []
    row, forms = ROWS[name], ROWS[name]["forms"]
    result = tried(far_calls.called, row, dict(given))
    if isinstance(result, str):
        return result, []
    found, derived = far_calls.told(result), []
    if name not in NOT_DERIVED and shapes.often(0.3):
        derived = tried(gradients, row, dict(given))
    if isinstance(result, nomen.Tensor):
        ways = [far_calls.beside] * ("o" in forms and "f" in forms) + [in_place] * ("i" in forms)
        if ways and shapes.often(0.5):
            again = shapes.random.choice(ways)
            more = [result] if again is far_calls.beside else []
            other = tried(again, shapes.calls, row, dict(given), *more)
            found.append(("python", (), other.encode()) if isinstance(other, str) else other)
    return found, derived


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--shapes", type=int, required=True)
    parser.add_argument("--first", type=int, default=0, help="of the calls, to see one again")
    parser.add_argument("--plain", nargs="*", default=[], help="rows without special numbers")
    options = parser.parse_args()
    out = far_calls.opened()
    kinds = [far_calls.Calls(0, 2 * MOST, plain) for plain in (False, True)]
    for number in range(options.first, options.shapes):
        rng = random.Random(f"{options.seed} {number}")
        name, dtype, way = drawn(rng)
        shapes = Shapes(rng.random(), kinds[name in options.plain])
        found, derived = answers(shapes, way, name, dtype)
        pickle.dump(((name, dtype, number), found), out)
        if derived:
            pickle.dump(((f"{name} gradients", dtype, number), derived), out)
        out.flush()
    pickle.dump(None, out)
    out.close()


if __name__ == "__main__":
    main()
