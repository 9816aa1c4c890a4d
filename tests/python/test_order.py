"""Order statistics against plain Python: values, positions, names, out=, gradients, errors."""

import math
import random

import numpy as np
import pytest

import nomen

INTEGERS = ("bool", "uint8", "int8", "int16", "int32", "int64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
EXTREMES = {"int8": 2**7, "int16": 2**15, "int32": 2**31, "int64": 2**63}


def element(dtype, rng):
    if dtype == "bool":
        return rng.random() < 0.5
    if dtype == "uint8":
        return rng.choice((0, 255, rng.randrange(256), 7))
    if dtype in EXTREMES:
        e = EXTREMES[dtype]
        return rng.choice((-e, e - 1, 1 - e, rng.randrange(-100, 100), 7))
    special = (math.nan, math.inf, -math.inf, 0.0, -0.0, 2.0**-14, -1.5)
    return rng.choice(special) if rng.random() < 0.3 else rng.randrange(-(2**7), 2**7) / 4


def key(x):
    return (x != x, 0 if x != x else x)


def ranks(row, descending=False):
    return sorted(range(len(row)), key=lambda i: key(row[i]), reverse=descending)


def same(a, b):
    """Equal, NaN included, zeros with their signs."""
    return repr(a) == repr(b)


def rows_of(t, dim):
    """Lists along a dim, in the order of the other dims."""
    order = [d for d in range(t.dim()) if d != dim] + [dim]
    return t.permute(*order).reshape(-1, t.shape[dim]).tolist()


def make(dtype, shape, seed=0):
    rng = random.Random(seed)
    flat = [element(dtype, rng) for _ in range(math.prod(shape))]
    return nomen.tensor(flat, dtype=getattr(nomen, dtype)).reshape(shape)


def layouts(t):
    yield t
    yield t.transpose(0, -1).clone(memory_format="contiguous_format").transpose(0, -1)
    yield nomen.stack([t, t], dim=t.dim()).flatten(start_dim=-2)[..., ::2]


def check_positions(t, dim, result, expected):
    """Result rows must be the elements at the expected positions."""
    values, indices = rows_of(result.values, dim), rows_of(result.indices, dim)
    for row, value, index, want in zip(rows_of(t, dim), values, indices, expected, strict=True):
        assert index == want
        assert all(same(v, row[i]) for v, i in zip(value, index, strict=True))


SHAPES = (((7,), 0), ((2, 30), 1), ((40, 3), 0), ((3, 5, 2), 1), ((300,), 0), ((20, 260), 0))


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_sort_topk(dtype):
    for shape, dim in SHAPES:
        for t in layouts(make(dtype, shape)):
            rows = rows_of(t, dim)
            for descending in (False, True):
                wanted = [ranks(row, descending) for row in rows]
                check_positions(t, dim, t.sort(dim, descending), wanted)
                found = t.argsort(dim, descending=descending, stable=True)
                assert rows_of(found, dim) == wanted
                for k in (1, 2, 5, len(rows[0]) // 3, len(rows[0])):
                    best = t.topk(k, dim, largest=descending)
                    check_positions(t, dim, best, [w[:k] for w in wanted])
            if dim == 0:
                got = [[repr(x) for x in row] for row in rows_of(t.msort(), 0)]
                assert got == [[repr(row[i]) for i in ranks(row)] for row in rows]


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_few_of_rows_whose_rest_is_last(dtype):
    """What is last in any order (NaN, the least integer) is found among its like, first places
    first."""
    last = 0 if dtype in ("uint8", "bool") else -(2 ** (8 * getattr(nomen, dtype).itemsize - 1))
    last = float("nan") if dtype in FLOATS else last
    for n in (70, 200, 300):
        for where in ((), (n - 1,), (3, 64, n - 2)):
            row = [last] * n
            for i, at in enumerate(where):
                row[at] = i + 1
            t = nomen.tensor([row] * 5, dtype=getattr(nomen, dtype))
            for k in (1, 2, 3, 4, 5, 8):
                for down in (True, False):
                    best = t.topk(k, largest=down)
                    check_positions(t, 1, best, [ranks(rows_of(t, 1)[0], down)[:k]] * 5)


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_few_of_several_rows(dtype):
    """As many as sorting says, whether rows fill batches or not, all differ or many are equal, and
    lie one behind the other, side by side or with gaps."""
    rng = random.Random(5)
    for rows, n in ((1, 131), (3, 97), (4, 66), (9, 200), (18, 160), (27, 257)):
        special = make(dtype, (rows, n), n)
        mixed = [rng.sample(range(n), n) for _ in range(rows)]
        plain = nomen.tensor(mixed, dtype=nomen.int64) - n // 2
        for t in (special, plain.to(getattr(nomen, dtype))):
            for x in layouts(t):
                for down in (True, False):
                    wanted = x.sort(1, down)
                    for k in (1, 2, 5, 8, n // 8, n // 3, n // 2):
                        best = x.topk(k, 1, largest=down)
                        assert best.indices.equal(wanted.indices[:, :k])
                        got, want = rows_of(best.values, 1), rows_of(wanted.values[:, :k], 1)
                        assert repr(got) == repr(want)


@pytest.mark.parametrize("n", (161, 1025, 2049, 4100, 8192, 8193))
@pytest.mark.parametrize("dtype", ("int32", "float32", "float64", "uint8"))
def test_rows_too_long_for_lanes(dtype, n):
    """By themselves and in batches that are not full; equal ones stay in order."""
    t = make(dtype, (11, n), n)
    for rows in (1, 3, 11):
        some = t[:rows]
        for descending in (False, True):
            wanted = [ranks(row, descending) for row in rows_of(some, 1)]
            check_positions(some, 1, some.sort(1, descending), wanted)
            best = some.topk(n - 5, 1, largest=descending)
            check_positions(some, 1, best, [w[: n - 5] for w in wanted])
        assert some.mode(1).indices.equal(nomen.stack([row.mode(0).indices for row in some]))


BETWEEN = (((5, 7, 6), 1), ((3, 20, 40), 1), ((2, 9, 3, 8), 1), ((4, 2, 9, 8), 2))
BETWEEN += (((30, 8, 600), 1),)


@pytest.mark.parametrize("dtype", ("bool", "int16", "int64", "float16", "float32", "float64"))
@pytest.mark.parametrize("shape,dim", BETWEEN)
def test_rows_between_other_dims(shape, dim, dtype):
    """As if they lay in one piece, whatever the layout of the input and of the results."""
    plain = make(dtype, shape, 3)
    last = [d for d in range(len(shape)) if d != dim] + [dim]
    back = [last.index(d) for d in range(len(shape))]
    for t in layouts(plain) if plain.numel() < 10_000 else (plain, plain.transpose(0, 2)):
        straight = t.permute(*last).clone(memory_format="contiguous_format")
        for wanted, got in (
            (straight.sort(-1), t.sort(dim)),
            (straight.topk(3, -1), t.topk(3, dim)),
            (straight.topk(1, -1, largest=False), t.topk(1, dim, largest=False)),
        ):
            assert got.indices.equal(wanted.indices.permute(*back))
            assert repr(rows_of(got.values, dim)) == repr(rows_of(wanted.values, len(shape) - 1))
        for name, k in (("median", ()), ("kthvalue", (2,)), ("mode", ())):
            wanted = getattr(straight, name)(*k, -1)
            for keepdim in (False, True):
                got = getattr(t, name)(*k, dim, keepdim)
                flat = [got.values.flatten().tolist(), got.indices.flatten().tolist()]
                assert repr(flat[0]) == repr(wanted.values.flatten().tolist())
                assert flat[1] == wanted.indices.flatten().tolist()


def test_rows_between_other_dims_into_results_with_gaps():
    t = make("float32", (6, 10, 7), 4)
    wanted = t.sort(1)
    values = nomen.zeros(12, 10, 7)[::2]
    indices = nomen.zeros(7, 10, 6, dtype=nomen.int64).transpose(0, 2)
    nomen.sort(t, 1, out=(values, indices))
    assert repr(values.tolist()) == repr(wanted.values.tolist())
    assert indices.equal(wanted.indices)
    own = t.clone()
    nomen.sort(own, 1, out=(own, indices))
    assert repr(own.tolist()) == repr(wanted.values.tolist())


@pytest.mark.parametrize("n", (9, 70, 300, 1100))
@pytest.mark.parametrize("dtype", ("int32", "float32", "int64", "float64"))
def test_keys_that_differ_in_more_bits_than_there_is_room_for(dtype, n):
    """Beside its position a key has no room for all of its bits: neighbours differ in the last ones
    alone, here and there, everywhere, or are equal, and elsewhere the first bits differ."""
    rng = random.Random(n)
    floats = dtype.startswith("float")
    far = 2.0**100 if floats else EXTREMES[dtype] - 1
    step = {"float32": 2.0**-23, "float64": 2.0**-52}.get(dtype, 1)
    base = 1 if floats else 1000

    def near(span):
        return base + step * rng.randrange(span)

    def row(i):
        if i % 3 == 0:  # two or three that are near to each other
            x = [rng.uniform(-4, 4) if floats else rng.randrange(-far, far) for _ in range(n)]
            return [near(3) if j in (1, n // 2, n - 1) else x[j] for j in range(n)]
        x = [near(n // 2 if i % 3 == 1 else 2) for _ in range(n)]
        return [far if j == n // 3 else -far if j == n - 2 else x[j] for j in range(n)]

    for first in (0, 1, 2, 3):  # rows of one kind, and all of them together
        kinds = range(11) if first == 3 else (first,) * 5
        x = nomen.tensor([row(kind) for kind in kinds], dtype=getattr(nomen, dtype))
        for t, dim in ((x, 1), (x.t().clone(memory_format="contiguous_format"), 0)):
            for down in (False, True):
                order = [ranks(r, down) for r in rows_of(t, dim)]
                check_positions(t, dim, t.sort(dim, descending=down), order)
                for k in {n // 4, n // 2, n // 2 + 1, max(1, n - 3)}:
                    expected = [r[:k] for r in order]
                    check_positions(t, dim, t.topk(k, dim, largest=down), expected)


@pytest.mark.parametrize("dtype", ("float16", "float32", "float64"))
def test_few_where_nan_and_zeros_decide(dtype):
    """NaN is the largest whatever its sign, and the first of them is taken; zeros are equal."""
    for sign in (math.nan, -math.nan):
        for at in ((0,), (69,), (3, 40, 69), tuple(range(0, 70, 2)), tuple(range(70))):
            row = [sign if i in at else -0.0 if i % 3 else 0.0 for i in range(70)]
            t = nomen.tensor([row] * 9, dtype=getattr(nomen, dtype))
            for down in (True, False):
                for k in (1, 2, 7, 30):
                    best = t.topk(k, largest=down)
                    check_positions(t, 1, best, [ranks(row, down)[:k]] * 9)


def whole_row(kind, dtype, n):
    """Numbers of which many lie close together, are equal, or decide at the ends of the row."""
    rng = random.Random(n + len(kind))
    if kind == "rising":
        row = list(range(n))
    elif kind == "equal":
        row = [rng.randrange(5) for _ in range(n)]
    elif kind == "close":
        row = [int(rng.gauss(0, 10 ** rng.choice((1, 4, 8)))) for _ in range(n)]
    else:
        special = [1, -1, 0] if dtype[0] == "i" else [math.inf, -math.inf, math.nan, 0.0, -0.0]
        row = [int(rng.gauss(0, 10**6)) for _ in range(n)]
        for at in (0, 17, n // 2, n - 2, n - 1):
            row[at] = rng.choice(special)
    return nomen.tensor(row, dtype=getattr(nomen, dtype)).tolist()


@pytest.mark.parametrize("kind", ("rising", "equal", "close", "special"))
@pytest.mark.parametrize(
    "n,dtype", [(1027, d) for d in ("int32", "int64", "float32", "float64")] + [(70001, "float32")]
)
def test_one_row_in_tiles_and_parts(n, dtype, kind):
    row = whole_row(kind, dtype, n)
    t = nomen.tensor(row, dtype=getattr(nomen, dtype))
    for descending in (False, True):
        order = ranks(row, descending)
        values, at = t.sort(0, descending=descending)
        assert at.tolist() == order and same(values.tolist(), [row[i] for i in order])
        for k in (1, 3, 17, 100, 200, n // 4):
            values, at = t.topk(k, 0, largest=descending)
            assert at.tolist() == order[:k] and same(values.tolist(), [row[i] for i in order[:k]])


@pytest.mark.parametrize("dtype", ("int64", "int16", "float32", "float16"))
def test_a_few_of_a_long_row_by_several_threads(dtype):
    """Each thread looks for the first of its part; equal ones stay in the order of their places."""
    threads, n = nomen.get_num_threads(), 3 * 65536 + 2
    rng = random.Random(3)
    t = nomen.tensor([rng.randrange(400) for _ in range(n)], dtype=getattr(nomen, dtype))
    spread = nomen.stack([t, t], 1).flatten()[::2]
    wanted = {down: t.argsort(descending=down, stable=True) for down in (True, False)}
    try:
        for count in (1, 2, 3, 4):
            nomen.set_num_threads(count)
            for x in (t, spread):
                for k, down in ((1, True), (5, False), (700, True), (1000, False)):
                    best = x.topk(k, largest=down)
                    assert best.indices.equal(wanted[down][:k])
                    assert best.values.equal(t[wanted[down][:k]])
    finally:
        nomen.set_num_threads(threads)


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_selections(dtype):
    def first(row, i):
        return next(j for j in range(len(row)) if key(row[j]) == key(row[i]))

    def mode(row):
        counts = {}
        for i in ranks(row):
            counts.setdefault(key(row[i]), []).append(i)
        return max(counts.values(), key=len)[-1]  # max takes the first of equals: the smallest

    def median(row):
        if any(x != x for x in row):
            return next(i for i, x in enumerate(row) if x != x)
        return first(row, ranks(row)[(len(row) - 1) // 2])

    def nanmedian(row):
        good = sum(x == x for x in row)
        return first(row, ranks(row)[(good - 1) // 2]) if good else 0

    for shape, dim in SHAPES:
        for t in layouts(make(dtype, shape, seed=1)):
            rows, k = rows_of(t, dim), shape[dim] // 2
            wanted = {
                "mode": [[mode(row)] for row in rows],
                "median": [[median(row)] for row in rows],
                "nanmedian": [[nanmedian(row)] for row in rows],
            }
            for name, want in wanted.items():
                check_positions(t, dim, getattr(t, name)(dim, keepdim=True), want)
            want = [[first(row, ranks(row)[k - 1])] for row in rows]
            check_positions(t, dim, t.kthvalue(k, dim, keepdim=True), want)
            flat = t.reshape(-1).tolist()
            assert same(t.median().item(), flat[median(flat)])
            assert same(t.nanmedian().item(), flat[nanmedian(flat)])


@pytest.mark.parametrize("dtype", ("int8", "float32", "float64", "int64"))
def test_long_rows(dtype):
    """Past the block sizes of the kernels; topk takes its short way."""
    rng = random.Random(2)
    rows = [[element(dtype, rng) if rng.random() < 0.1 else i % 100 for i in range(5000)]] * 2
    rows[1] = rows[0][::-1]
    t = nomen.tensor(rows, dtype=getattr(nomen, dtype))
    up, down = [ranks(r) for r in rows], [ranks(r, True) for r in rows]
    check_positions(t, 1, t.sort(), up)
    for k in (1, 2, 10, 19, 40, 600, 3000):
        check_positions(t, 1, t.topk(k), [w[:k] for w in down])
        check_positions(t, 1, t.topk(k, largest=False), [w[:k] for w in up])
        got = t.kthvalue(k).values.tolist()
        assert all(key(g) == key(r[w[k - 1]]) for g, r, w in zip(got, rows, up))


def test_names():
    x = nomen.tensor([[3.0, 1, 2], [6, 5, 4]], names=("N", "C"))
    for pair in (x.sort("C"), x.sort("N", True), x.topk(1, "C"), x.kthvalue(1, "N", keepdim=True)):
        assert pair.values.names == pair.indices.names == ("N", "C")
    assert x.argsort("N").names == x.msort().names == ("N", "C")
    for name in ("median", "nanmedian", "mode"):
        pair = getattr(x, name)("N")
        assert pair.values.names == pair.indices.names == ("C",)
        assert getattr(x, name)("C", keepdim=True).values.names == ("N", "C")
    assert x.kthvalue(2).values.names == x.mode().values.names == ("N",)
    assert x.median().names == x.nanmedian().names == ()
    assert type(x.topk(1)).__name__ == "topk"
    with pytest.raises(RuntimeError, match="Name 'H' not found in Tensor"):
        x.sort("H")
    with pytest.raises(IndexError, match="Dimension out of range"):
        x.topk(1, 2)


def test_without_dims():
    x = nomen.tensor(3.0)
    for pair in (x.sort(), x.topk(1), x.topk(0), x.kthvalue(1), x.median(0), x.mode()):
        assert pair.values.item() == 3 and pair.indices.item() == 0
    assert x.median().item() == 3 and x.msort().item() == 3 and x.argsort().item() == 0


def test_empty():
    assert nomen.empty(0).sort().values.shape == (0,)
    assert nomen.empty(2, 0, names=("N", "C")).topk(0).values.names == ("N", "C")
    assert nomen.ones(2, 3).topk(0).indices.shape == (2, 0)
    assert nomen.empty(0, 3).median(1).values.shape == (0,)
    assert nomen.empty(0, 3).mode(1, keepdim=True).indices.shape == (0, 1)
    assert math.isnan(nomen.empty(3, 0).median().item())
    with pytest.raises(ValueError, match="nothing has no median, and int64 has no NaN"):
        nomen.empty(0, dtype=nomen.int64).median()
    for name, said in (("median", "median"), ("nanmedian", "median"), ("mode", "mode")):
        with pytest.raises(IndexError, match=rf"^{said}\(\): Expected reduction dim 0 to have non"):
            getattr(nomen.empty(0, 3), name)(0)
    with pytest.raises(IndexError, match=r"kthvalue\(\): Expected reduction dim 0"):
        nomen.empty(0).kthvalue(1)


def test_errors():
    x = nomen.ones(3)
    for k in (4, -1):
        with pytest.raises(RuntimeError, match="selected index k out of range"):
            x.topk(k)
    for k in (0, 4):
        with pytest.raises(RuntimeError, match=r"kthvalue\(\): selected number k out of range for"):
            x.kthvalue(k)
    for name in ("sort", "argsort", "median", "mode", "msort"):
        with pytest.raises(RuntimeError, match="not implemented for 'complex64'"):
            getattr(nomen.ones(3, dtype=nomen.complex64), name)()
    with pytest.raises(TypeError):
        x.topk(1, largest="yes")


def test_out():
    x = nomen.tensor([[3.0, 1, 2], [6, 5, 4]], names=("N", "C"))
    values, indices = nomen.empty(2, 3), nomen.empty(2, 3, dtype=nomen.int64)
    pair = nomen.sort(x, "C", out=(values, indices))
    assert pair.values is values and pair.indices is indices
    assert values.tolist() == [[1, 2, 3], [4, 5, 6]] and values.names == ("N", "C")
    assert indices.tolist() == [[1, 2, 0], [2, 1, 0]] and indices.names == ("N", "C")
    values, indices = nomen.empty(0), nomen.empty(0, dtype=nomen.int64)
    nomen.topk(x, 1, "N", out=(values, indices))
    assert values.tolist() == [[6, 5, 4]] and indices.tolist() == [[1, 1, 1]]
    named = nomen.zeros(2, names=("C",)), nomen.zeros(2, dtype=nomen.int64)
    with pytest.raises(RuntimeError):
        nomen.median(x, "C", out=named)
    assert named[0].tolist() == [0, 0] and named[0].names == ("C",) and named[1].names == (None,)
    out = nomen.empty(())
    assert nomen.median(x, out=out) is out and out.item() == 3
    assert nomen.msort(x, out=nomen.empty(2, 3)).tolist() == [[3, 1, 2], [6, 5, 4]]


def test_out_may_be_the_operand():
    x = nomen.tensor([[3.0, 1, 2], [6, 5, 4]])
    nomen.sort(x, out=(x, nomen.empty(0, dtype=nomen.int64)))
    assert x.tolist() == [[1, 2, 3], [4, 5, 6]]
    y = nomen.tensor([[3, 1, 2]])
    nomen.sort(y, descending=True, out=(nomen.empty(0, dtype=nomen.int64), y))
    assert y.tolist() == [[0, 2, 1]]
    z = nomen.tensor([3.0, 1, 2])
    nomen.topk(z, 2, out=(z[1:], nomen.empty(2, dtype=nomen.int64)))
    assert z.tolist() == [3, 3, 2]


def brings(x, f, positions):
    """The gradient of weighted squares of f(x) lies at the positions, and the second one too."""
    x = x.clone().requires_grad_()
    y = f(x)
    weights = nomen.arange(1, y.numel() + 1).to(nomen.float64).reshape(y.shape)
    (g,) = nomen.autograd.grad((y * y * weights).sum(), (x,), create_graph=True)
    assert g.names == x.names
    expected = nomen.zeros(x.shape, dtype=nomen.float64)
    twice = nomen.zeros(x.shape, dtype=nomen.float64)
    for at, value, weight in zip(positions, y.reshape(-1).tolist(), weights.reshape(-1).tolist()):
        expected[at] = expected[at].item() + 2 * value * weight
        twice[at] = twice[at].item() + 2 * weight
    assert g.tolist() == expected.tolist()
    (h,) = nomen.autograd.grad(g.sum(), (x,))
    assert h.tolist() == twice.tolist()


def test_gradients():
    x = nomen.tensor([[3.0, 1, 2, 1], [6, 5, 4, 9]], dtype=nomen.float64, names=("N", "C"))
    pairs = [(0, 1), (0, 3), (0, 2), (0, 0), (1, 2), (1, 1), (1, 0), (1, 3)]
    brings(x, lambda t: t.sort("C").values, pairs)
    brings(x, lambda t: t.sort("N", descending=True).values,
           [(1, 0), (1, 1), (1, 2), (1, 3), (0, 0), (0, 1), (0, 2), (0, 3)])  # fmt: skip
    brings(x, lambda t: t.topk(2, "C").values, [(0, 0), (0, 2), (1, 3), (1, 0)])
    brings(x, lambda t: t.kthvalue(3, "C").values, [(0, 2), (1, 0)])
    brings(x, lambda t: t.median("C", keepdim=True).values, [(0, 1), (1, 1)])
    brings(x, lambda t: t.nanmedian("N").values, [(0, 0), (0, 1), (0, 2), (0, 3)])
    brings(x, lambda t: t.mode("C").values, [(0, 3), (1, 2)])
    brings(x, lambda t: t.msort(), [(0, c) for c in range(4)] + [(1, c) for c in range(4)])
    brings(x, lambda t: t.max("C").values, [(0, 0), (1, 3)])
    brings(x, lambda t: t.min("C", keepdim=True).values, [(0, 1), (1, 2)])
    brings(x, lambda t: t.cummax("C").values,
           [(0, 0), (0, 0), (0, 0), (0, 0), (1, 0), (1, 0), (1, 0), (1, 3)])  # fmt: skip
    brings(nomen.tensor(2.0, dtype=nomen.float64), lambda t: t.sort().values, [()])
    y = nomen.tensor([1.0, 2, 2, 3], requires_grad=True)
    y.median().backward()
    assert y.grad.tolist() == [0, 0.5, 0.5, 0]


def test_gradients_of_values_alone():
    """The positions are kept for the gradient, and a change of them is noticed."""
    x = nomen.tensor([1.0, 3, 2], requires_grad=True)
    pair = x.topk(2)
    pair.indices.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        pair.values.sum().backward()
    assert not x.sort().indices.requires_grad and not x.argsort().requires_grad
    y = x * 1
    best = y.max(0).values
    y.zero_()  # max does not need its operand any more
    best.backward()
    assert x.grad.tolist() == [0, 1, 0]


def test_threads_do_not_matter():
    x = make("float32", (64, 2000), seed=3)
    before = nomen.get_num_threads()
    found = []
    for threads in (1, 4):
        nomen.set_num_threads(threads)
        pairs = x.sort(0), x.topk(5), x.mode(0)
        found.append([pair.indices.tolist() for pair in pairs])
    nomen.set_num_threads(before)
    assert found[0] == found[1]


@pytest.mark.parametrize("dtype", [nomen.uint8, nomen.int64, nomen.float32, nomen.float64])
@pytest.mark.parametrize("period", [64, 128, 127])
def test_ranks_of_what_repeats(dtype, period):
    """Samples at even distances of a row that repeats itself tell next to nothing of it."""
    row = [(i + 3) % period for i in range(32 * period)]
    x, ordered = nomen.tensor(row).to(dtype), sorted(row)
    for k in range(1, len(row) + 1, 37):
        value, position = x.kthvalue(k)
        assert value.item() == ordered[k - 1], k
        assert row[position.item()] == ordered[k - 1], k
    assert x.median().item() == ordered[(len(row) - 1) // 2]
    values = x.topk(len(row) // 3, largest=False).values
    assert values.tolist() == ordered[: len(row) // 3]


@pytest.mark.parametrize("dtype", ("int32", "int64", "float32", "float64"))
def test_extrema_of_short_rows(dtype):
    """Squares of rows and elements, and what makes whole squares of the last ones; equals, NaN and
    zeros of both signs: the first one with its position."""
    for n in (4, 5, 7, 8, 9, 17, 33):
        for count in (4, 7, 8, 9, 21):
            x = make(dtype, (count, n), n + count)
            for name, down in (("max", True), ("min", False)):
                result = getattr(x, name)(1)
                for row, value, index in zip(x.tolist(), *map(list, result), strict=True):
                    nan = [i for i, v in enumerate(row) if v != v]
                    at = nan[0] if nan else ranks(row, down)[0]
                    assert index.item() == at and same(value.item(), row[at])


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_expanded_rows_are_in_order(dtype):
    x = make(dtype, (3, 1, 4), seed=9)
    for descending in (False, True):
        values, indices = x.expand(3, 5, 4).sort(1, descending=descending)
        assert same(values.tolist(), x.expand(3, 5, 4).tolist())
        assert indices.tolist() == [[[i] * 4 for i in range(5)]] * 3
        assert x.expand(3, 5, 4).argsort(1, descending=descending).tolist() == indices.tolist()
        for k in (0, 1, 3, 5):
            values, indices = x.expand(3, 5, 4).topk(k, 1, descending)
            assert same(values.tolist(), x.expand(3, k, 4).tolist())
            assert indices.tolist() == [[[i] * 4 for i in range(k)]] * 3
    assert same(x[:, 0].expand(6, 3, 4).msort().tolist(), x[:, 0].expand(6, 3, 4).tolist())


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
@pytest.mark.parametrize("keepdim", [False, True])
def test_one_of_expanded_rows(dtype, keepdim):
    x = make(dtype, (3, 1, 4), seed=9)
    for name, at, k in (
        ("median", 0, ()),
        ("nanmedian", 0, ()),
        ("kthvalue", 0, (2,)),
        ("mode", 4, ()),
    ):
        values, indices = getattr(x.expand(3, 5, 4), name)(*k, 1, keepdim=keepdim)
        assert same(values.tolist(), (x if keepdim else x[:, 0]).tolist()), name
        assert indices.tolist() == nomen.full_like(values, at, dtype=nomen.int64).tolist(), name
        alone = getattr(x.expand(3, 5, 4).contiguous(), name)(*k, 1, keepdim=keepdim)
        assert same(values.tolist(), alone[0].tolist())
        assert indices.tolist() == alone[1].tolist()


SIDE_BY_SIDE = [(260, 1024), (260, 600), (260, 48), (2, 4000, 40), (5, 300, 40), (2, 260, 1024)]


@pytest.mark.parametrize("shape", SIDE_BY_SIDE)
def test_long_rows_side_by_side(shape):
    """A page apart, more than caches hold at a time, and in groups that fill no vectors."""
    dim = len(shape) - 2
    numbers = np.random.default_rng(11).integers(0, 1 << 12, shape).astype(np.float32)
    x = nomen.tensor(numbers)
    order = np.argsort(numbers, axis=dim, kind="stable")
    for down in (False, True):
        values, at = nomen.sort(x, dim=dim, descending=down, stable=True)
        where = np.argsort(-numbers, axis=dim, kind="stable") if down else order
        assert (np.asarray(at) == where).all()
        assert (np.asarray(values) == np.take_along_axis(numbers, where, dim)).all()
    middle = np.take(order, [(shape[dim] - 1) // 2], dim)
    least, at = nomen.median(x, dim=dim, keepdim=True)
    assert (np.asarray(least) == np.take_along_axis(numbers, middle, dim)).all()
    assert (np.take_along_axis(numbers, np.asarray(at), dim) == np.asarray(least)).all()
    most, at = nomen.topk(x, 3, dim=dim)
    assert (np.asarray(most) == -np.sort(-numbers, axis=dim).take(range(3), dim)).all()
    assert (np.take_along_axis(numbers, np.asarray(at), dim) == np.asarray(most)).all()


@pytest.mark.parametrize("dtype", [d for d in INTEGERS + FLOATS if d[-2:] != "64"])
@pytest.mark.parametrize("apart", [90, 20_000])
@pytest.mark.parametrize("descending", [False, True])
def test_long_rows_of_few_kinds_are_in_order(dtype, apart, descending):
    """Keys that lie near to each other, which are counted: whole rows, with holes, across."""
    rng = np.random.default_rng(apart)
    wide = rng.integers(-apart, apart, (2, 24_000)).astype(np.float64)
    if dtype in FLOATS:
        wide[:, ::7], wide[:, 3::11] = -0.0, math.nan
    near = nomen.from_numpy(wide).to(getattr(nomen, dtype))
    for t, dim in ((near, 1), (near[:, ::2], 1), (near[:, :3001].t().contiguous(), 0)):
        values, places = t.sort(dim=dim, descending=descending)
        only, back = t.argsort(dim=dim, descending=descending), rows_of(places, dim)
        assert rows_of(only, dim) == back
        for row, sorted_row, at in zip(rows_of(t, dim), rows_of(values, dim), back, strict=True):
            assert at == ranks(row, descending)
            assert same(sorted_row, [row[i] for i in at])
        if dim == 0 and not descending:
            assert same(t.msort().tolist(), values.tolist())


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 9])
@pytest.mark.parametrize("dtype", ["float16", "float32", "int64", "float64"])
def test_many_short_rows_have_their_ranks(n, dtype):
    t = make(dtype, (n, 150), n)
    for u, dim in ((t, 0), (t.t().contiguous(), 1), (t[:, 3:136], 0)):
        rows = rows_of(u, dim)
        for k in range(1, n + 1):
            values, places = u.kthvalue(k, dim)
            for row, value, at in zip(rows, values.tolist(), places.tolist(), strict=True):
                keys = [key(x) for x in row]
                assert at == keys.index(keys[ranks(row)[k - 1]])
                assert same(value, row[at])


@pytest.mark.parametrize("at", [0, 150_001, 299_999])
def test_a_row_that_seems_to_be_of_few_kinds(at, threads_kept):
    """Two threads leave what seems to be of few kinds to one, which sees that it is not."""
    nomen.set_num_threads(2)
    numbers = np.random.default_rng(1).integers(-90, 90, 300_000).astype(np.int32)
    numbers[at] = 2**31 - 1
    values, places = nomen.from_numpy(numbers).sort()
    wanted = np.argsort(numbers, kind="stable")
    assert (np.asarray(places) == wanted).all() and (np.asarray(values) == numbers[wanted]).all()
