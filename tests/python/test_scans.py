"""Scans and the reductions beside sum against NumPy, in every layout and form."""

import itertools
import math

import numpy as np
import pytest

import nomen

REAL = ["uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
EPSILON = {"float16": 2e-3, "float32": 3e-6, "complex64": 3e-6, "float64": 1e-12}
SHAPES = [(), (0,), (1,), (7,), (3, 4), (0, 4), (2, 3, 10), (5, 300), (300, 5), (2, 2000)]
NAMES = ("N", "C", "W")


def numbers(dtype, shape, seed=0):
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if "int" in dtype:
        return rng.integers(0, 5, shape).astype(dtype)
    x = rng.uniform(-1, 1, shape)
    if "complex" in dtype:
        x = x + 1j * rng.uniform(-1, 1, shape)
    return np.asarray(x).astype(dtype)


def tensor(x):
    x = np.asarray(x)
    flat = nomen.tensor(x.reshape(-1).tolist(), dtype=getattr(nomen, str(x.dtype)))
    return flat.reshape(x.shape).rename(*NAMES[: x.ndim])


def layouts(x):
    """The same values whole, permuted, and with gaps."""
    t = tensor(x)
    yield t
    if x.ndim > 1:
        order = list(range(x.ndim))[::-1]
        yield t.permute(*order).clone(memory_format="contiguous_format").permute(*order)
        wide = nomen.stack([t, t], dim=x.ndim).flatten(start_dim=x.ndim - 1, end_dim=x.ndim)
        yield wide.rename(*t.names)[..., ::2]


def same(t, expected, names=None, rtol=None):
    expected = np.asarray(expected)
    assert tuple(t.shape) == expected.shape
    if names is not None:
        assert t.names == names
    dtype = str(t.dtype).split(".")[-1]
    got = np.array(t.tolist()).reshape(expected.shape)
    rtol = rtol or EPSILON.get(dtype, 1e-12 if "complex" in dtype else 0)
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=rtol * 10)


def places(x, axis, better):
    """Positions of the best so far, the last of equals, by the plainest of loops."""
    moved = np.moveaxis(x, axis, -1)
    at = np.zeros(moved.shape, dtype="int64")
    for row in np.ndindex(moved.shape[:-1]):
        best = 0
        for i in range(moved.shape[-1]):
            v, b = moved[row][i], moved[row][best]
            if v != v or (b == b and better(v, b)):
                best = i
            at[row][i] = best
    return np.moveaxis(at, -1, axis)


@pytest.mark.parametrize("dtype", ["bool"] + REAL + COMPLEX)
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_running_sums_and_products(name, dtype):
    for shape in SHAPES:
        x = numbers(dtype, shape)
        wide = x.astype("int64" if dtype == "bool" or "int" in dtype else "complex128")
        for axis in range(len(shape)) if shape else [0]:
            with np.errstate(over="ignore"):
                expected = getattr(np, name)(wide, axis=axis if shape else None).reshape(shape)
                back = np.flip(getattr(np, name)(np.flip(wide), axis=axis if shape else None))
            for t in layouts(x):
                dim = NAMES[axis] if shape else axis
                result = getattr(t, name)(dim)
                if result.dtype not in (nomen.complex64, nomen.complex128):
                    expected, back = expected.real, back.real
                assert result.dtype == (nomen.int64 if wide.dtype == "int64" else t.dtype)
                same(result, expected, t.names)
                same(getattr(nomen, name)(t, dim, reverse=True), back.reshape(shape), t.names)
                out = nomen.empty(0, dtype=result.dtype)
                assert getattr(nomen, name)(t, dim, out=out) is out
                same(out, expected, t.names)
                if dtype != "bool":
                    c = t.clone()
                    assert getattr(c, name + "_")(dim) is c and c.dtype == t.dtype
                    same(c, expected.astype(x.dtype), t.names)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_special_numbers_of_short_rows_stay_in_their_row(name, dtype):
    """Several rows share a vector; 11 of them leave one that is not full."""
    numbers = np.finfo(dtype)
    special = [np.nan, np.inf, -np.inf, -0.0, numbers.max, numbers.smallest_subnormal]
    for n in range(1, 14):
        x = np.ones((11, n), dtype)
        for r in range(11):
            x[r, r % n] = special[r % len(special)]
            if r > 5:
                x[r, -1] = special[(r + 1) % len(special)]
        with np.errstate(over="ignore", invalid="ignore"):
            expected = getattr(np, name)(x.astype("f8"), axis=1).astype(dtype)
            result = getattr(tensor(x), name)(1)
        same(result, expected)
        first = np.array(result.tolist())[:, 0]
        zero = x[:, 0] == 0
        assert (np.signbit(first[zero]) == (name == "cumprod")).all()


def test_dtype_of_running_sums():
    x = tensor(np.array([100, 100, 100], dtype="int8"))
    assert x.cumsum("N").tolist() == [100, 200, 300]
    assert x.cumsum("N", dtype=nomen.int8).tolist() == [100, -56, 44]
    assert x.clone().cumsum_(0).tolist() == [100, -56, 44]
    assert x.cumprod("N", dtype=nomen.float16).dtype == nomen.float16
    out = nomen.empty(3, dtype=nomen.float64)
    assert nomen.cumsum(x, 0, out=out).tolist() == [100, 200, 300]
    with pytest.raises(RuntimeError, match="Bad in-place call"):
        x.clone().cumsum_(0, dtype=nomen.float32)
    with pytest.raises(RuntimeError, match="Name 'T' not found in"):
        x.cumsum("T")
    with pytest.raises(IndexError):
        x.cumprod(1)


@pytest.mark.parametrize("dtype", ["bool"] + REAL)
@pytest.mark.parametrize("name", ["cummax", "cummin"])
def test_running_extrema(name, dtype):
    better = (lambda a, b: a >= b) if name == "cummax" else (lambda a, b: a <= b)
    for shape in SHAPES[1:]:
        x = numbers(dtype, shape)
        if "float" in dtype and x.size > 5:
            x.reshape(-1)[[3, 5]] = math.nan
        for axis in range(len(shape)):
            at = places(x, axis, better)
            value = np.take_along_axis(x, at, axis)
            for t in layouts(x):
                result = getattr(t, name)(NAMES[axis])
                assert result.indices.dtype == nomen.int64 and result.values.dtype == t.dtype
                same(result.indices, at, t.names)
                same(result.values, value, t.names)
            out = nomen.empty(0, dtype=t.dtype), nomen.empty(0, dtype=nomen.int64)
            getattr(nomen, name)(t, axis, out=out)
            same(out[0], value, t.names)
            same(out[1], at, t.names)
    assert nomen.tensor([3.0, 1, 2]).cummin(0, reverse=True).indices.tolist() == [1, 1, 2]
    assert nomen.tensor(2.0).cummax(0).indices.item() == 0


@pytest.mark.parametrize("lines", [1, 9])
@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32"])
def test_an_extremum_that_stays_for_long(dtype, lines):
    """Longer than 16 bits of a place can tell, along a line and with lines side by side."""
    x = np.full((140000, lines), 2, dtype)
    x[100], x[70000], x[139000] = 90, 90, 91
    x[100:, lines // 2] = 3
    want = np.zeros(x.shape, np.int64)
    best = np.maximum.accumulate(x, 0)
    place = np.where(x == best, np.arange(len(x))[:, None], 0)
    want = np.maximum.accumulate(place, 0)
    for made, dim in ((tensor(x), "N"), (tensor(np.ascontiguousarray(x.T)), "C")):
        values, at = made.cummax(dim)
        got = np.asarray(values), np.asarray(at)
        if dim == "C":
            got = got[0].T, got[1].T
        assert (got[0] == best).all() and (got[1] == want).all()



@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_running_extrema_of_several_lines(dtype):
    """Numbers as wide as a position: lines go by fours, and what is left over alone; equals, NaN
    and zeros of both signs in any of them, from the first to the last and back."""
    rng = np.random.default_rng(5)
    for lines in (3, 4, 5, 9):
        for n in (3, 4, 5, 8, 13, 70):
            x = rng.integers(-3, 4, (lines, n)).astype(dtype)
            if dtype == "float64":
                x *= rng.choice((-0.0, 1.0), (lines, n))
                x[rng.random((lines, n)) < 0.05] = math.nan
            for name, better in (("cummax", np.greater_equal), ("cummin", np.less_equal)):
                for reverse in (False, True):
                    y = x[:, ::-1] if reverse else x
                    at = places(y, 1, better)
                    value = np.take_along_axis(y, at, 1)
                    at = n - 1 - at[:, ::-1] if reverse else at
                    result = getattr(nomen.tensor(x), name)(1, reverse=reverse)
                    assert np.array_equal(np.asarray(result.indices), at)
                    found, value = np.asarray(result.values), value[:, ::-1] if reverse else value
                    assert found.tobytes() == np.ascontiguousarray(value).tobytes()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_running_logsumexp(dtype):
    for shape, spread in itertools.product(SHAPES[1:], (1, 30, 500)):
        x = (numbers(dtype, shape) * spread).astype(dtype)
        for axis in range(len(shape)):
            expected = np.logaddexp.accumulate(x.astype("float64"), axis=axis)
            for t in layouts(x):
                same(t.logcumsumexp(NAMES[axis]), expected, t.names)
    inf = math.inf
    t = nomen.tensor([-inf, -inf, 1.0, inf, 2.0, math.nan, 3.0])
    same(t.logcumsumexp(0), [-inf, -inf, 1, inf, inf, math.nan, math.nan])
    assert nomen.tensor([1, 2]).logcumsumexp(0).dtype == nomen.float32


def test_long_scans_have_the_same_bits_with_any_number_of_threads():
    before = nomen.get_num_threads()
    rng = np.random.default_rng(3)
    try:
        for dtype, shape, dim in (
            ("float32", (700001,), 0),
            ("float64", (3, 150001), 1),
            ("int32", (150001, 3), 0),
            ("complex64", (300001,), 0),
        ):
            x = (rng.standard_normal(shape) * 100).astype(dtype)
            t = nomen.tensor(x)
            for name in ("cumsum", "cumprod", "cummax"):
                if name == "cummax" and dtype == "complex64":
                    continue
                results = []
                for threads in (1, 2, 5):
                    nomen.set_num_threads(threads)
                    r = getattr(t, name)(dim)
                    results.append([np.asarray(v) for v in (r if name == "cummax" else [r])])
                for other in results[1:]:
                    for a, b in zip(results[0], other):
                        assert a.tobytes() == b.tobytes()
                if name == "cumsum":
                    wide = np.cumsum(x.astype("complex128" if dtype[0] == "c" else "float64"), dim)
                    scale = np.abs(x).sum()
                    error = np.abs(results[0][0] - wide).max() / scale
                    assert error < (1e-6 if dtype in ("float32", "complex64") else 1e-15)
                    assert results[0][0].reshape(-1)[-1] == pytest.approx(
                        wide.reshape(-1)[-1], 1e-4
                    )
    finally:
        nomen.set_num_threads(before)


@pytest.mark.parametrize("shape", [(7, 60_000), (8, 60_000), (13, 70_001), (3, 9, 40_000)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_sums_of_some_long_rows_have_the_same_bits_with_any_number_of_threads(shape, dtype):
    """Sums that come back to nearly nothing show the order in which they were made."""
    half = shape[-1] // 2
    rng = np.random.default_rng(4)
    numbers = rng.random((*shape[:-1], half)) * 2.0 ** rng.integers(-60, 20, half)
    numbers = numbers.astype("f4")
    back = -rng.permuted(numbers, axis=-1)
    x = nomen.from_numpy(np.concatenate([numbers, back], -1)).to(getattr(nomen, dtype))
    apart = nomen.stack([x, x], -1).select(-1, 0)
    beside = x.transpose(0, -1).clone(memory_format="contiguous_format").transpose(0, -1)
    before = nomen.get_num_threads()
    try:
        for given in (x, apart, beside):
            for room in (x, apart, beside):
                out, found = nomen.empty_like(room), []
                for threads in (1, 2, 5):
                    nomen.set_num_threads(threads)
                    nomen.cumsum(given, -1, out=out.zero_())
                    found.append(out.clone())
                assert found[0].equal(found[1]) and found[0].equal(found[2])
    finally:
        nomen.set_num_threads(before)


def test_sums_of_many_small_numbers_do_not_drift():
    n = 1 << 20
    x = nomen.full((n,), 0.1)
    last = x.cumsum(0)[-1].item()
    assert last == pytest.approx(np.float32(0.1) * n, rel=1e-7)
    big = nomen.tensor([1e16] + [1.0] * 4095, dtype=nomen.float64)
    assert abs(big.cumsum(0)[-1].item() - (1e16 + 4095)) <= 256  # one by one all would be lost


# ---- reductions ----------------------------------------------------------------------------------


def axes_of(ndim):
    for k in range(1, ndim + 1):
        yield from itertools.combinations(range(ndim), k)


def test_extrema_over_several_dims():
    for dtype in ["bool"] + REAL:
        for shape in SHAPES[2:]:
            x = numbers(dtype, shape, 5)
            if 0 in shape:
                continue
            for t in layouts(x):
                for name, reference in (("amax", np.max), ("amin", np.min)):
                    same(getattr(t, name)(), reference(x), ())
                    for axes in axes_of(len(shape)):
                        rest = tuple(n for i, n in enumerate(t.names) if i not in axes)
                        dims = [NAMES[a] if i % 2 else a for i, a in enumerate(axes)]
                        same(getattr(t, name)(dims), reference(x, axis=axes), rest)
                        kept = getattr(nomen, name)(t, dims, keepdim=True)
                        same(kept, reference(x, axis=axes, keepdims=True), t.names)
                pair = t.aminmax()
                same(pair.min, x.min(), ())
                same(pair.max, x.max(), ())
                pair = nomen.aminmax(t, dim=NAMES[len(shape) - 1], keepdim=True)
                same(pair.min, x.min(-1, keepdims=True), t.names)
                same(pair.max, x.max(-1, keepdims=True), t.names)
    x = nomen.tensor([[1.0, math.nan], [3.0, 2.0]], names=("N", "C"))
    assert math.isnan(x.amax().item()) and x.amax("N")[0].item() == 3
    assert math.isnan(x.aminmax().min.item())
    low, high = nomen.empty(0), nomen.empty(0)
    assert nomen.aminmax(x, dim=0, out=(low, high)).min is low
    assert low[0].item() == 1 and high.names == ("C",)


def test_nothing_to_reduce():
    empty = nomen.empty(0, 3)
    with pytest.raises(RuntimeError, match="cannot compute aminmax over an empty dimension"):
        empty.aminmax()
    for name in ("amax", "amin", "max"):
        with pytest.raises(RuntimeError, match="Expected reduction dim to be specified"):
            getattr(empty, name)()
    for call in (lambda: empty.amax(0), lambda: empty.aminmax(dim=0), lambda: empty.argmax(0)):
        with pytest.raises(IndexError, match="Expected reduction dim 0 to have non-zero size"):
            call()
    with pytest.raises(IndexError, match="Expected reduction dim to be specified"):
        empty.argmin()
    assert empty.amax(1).shape == (0,)
    for p in (math.inf, -math.inf, -1):
        with pytest.raises(RuntimeError, match="does not have an identity"):
            empty.norm(p)
    assert empty.norm().item() == 0 and empty.norm(0, 0).tolist() == [0, 0, 0]
    assert empty.nansum(0).tolist() == [0, 0, 0] and math.isnan(empty.nanmean().item())
    assert empty.count_nonzero().item() == 0


def test_variance_with_mean():
    for dtype in ["float16", "float32", "float64"] + COMPLEX:
        for shape in ((7,), (3, 4), (2, 3, 10), (5, 300)):
            x = numbers(dtype, shape, 2)
            wide = x.astype("complex128" if "complex" in dtype else "float64")
            for t in layouts(x):
                for axes in axes_of(len(shape)):
                    rest = tuple(n for i, n in enumerate(t.names) if i not in axes)
                    var, mean = nomen.var_mean(t, [NAMES[a] for a in axes], correction=0)
                    same(var, wide.var(axes), rest, 4e-3 if dtype == "float16" else 1e-5)
                    same(mean, wide.mean(axes), rest)
                    std, mean = nomen.std_mean(t, axes, keepdim=True)
                    expected = wide.std(axes, ddof=1, keepdims=True)
                    same(std, expected, t.names, 4e-3 if dtype == "float16" else 1e-5)
                    same(mean, wide.mean(axes, keepdims=True), t.names)
    var, mean = nomen.var_mean(nomen.tensor([1.0, 3.0]), unbiased=False)
    assert (var.item(), mean.item()) == (1, 2)
    _, mean = nomen.var_mean(nomen.tensor([math.inf, 1.0, 2.0]))
    assert mean.item() == math.inf
    with pytest.raises(RuntimeError, match="floating point and complex"):
        nomen.std_mean(nomen.tensor([1, 2]))


def test_two_results_that_are_no_positions_do_not_see_the_order_of_dims():
    """var_mean takes the numbers in the order in which var does, aminmax and amax find the same."""
    for shape in [(31, 31), (7, 40, 25), (3, 17, 9)]:
        whole = tensor(numbers("float64", shape))
        for t in (whole, whole.permute(*range(len(shape) - 1, -1, -1)), whole.flip(0)):
            for dim in [None, 0, len(shape) - 1]:
                kept = {} if dim is None else {"dim": dim}
                variance, mean = nomen.var_mean(t, **kept)
                assert variance.tolist() == t.var(**kept).tolist()
                assert np.allclose(mean.tolist(), t.mean(**kept).tolist(), rtol=1e-12, atol=1e-15)
                least, greatest = nomen.aminmax(t, **kept)
                assert least.tolist() == t.amin(**kept).tolist()
                assert greatest.tolist() == t.amax(**kept).tolist()


def test_passing_over_nan():
    for dtype in ["float16", "float32", "float64", "complex64", "complex128"]:
        for shape in ((7,), (3, 4), (2, 3, 10), (5, 300)):
            x = numbers(dtype, shape, 4)
            x.reshape(-1)[::3] = math.nan
            wide = x.astype("complex128" if "complex" in dtype else "float64")
            for t in layouts(x):
                same(t.nansum(), np.nansum(wide), (), 4e-3 if dtype == "float16" else 1e-5)
                for axis in range(len(shape)):
                    rest = t.names[:axis] + t.names[axis + 1 :]
                    same(t.nansum(NAMES[axis]), np.nansum(wide, axis), rest)
                    there = np.isfinite(wide).sum(axis)
                    with np.errstate(all="ignore"):
                        mean = np.where(there, np.nansum(wide, axis) / there, math.nan)
                    same(nomen.nanmean(t, axis), mean, rest)
    assert nomen.tensor([1, 2, 3]).nansum().item() == 6
    assert nomen.tensor([1, 2]).nanmean(dtype=nomen.float32).item() == 1.5


def test_counts():
    for dtype in ["bool"] + REAL + COMPLEX:
        for shape in SHAPES:
            x = numbers(dtype, shape, 6)
            if x.size > 4 and dtype not in ("bool",):
                x.reshape(-1)[::2] = -0.0 if "float" in dtype else 0
            for t in layouts(x):
                same(t.count_nonzero(), np.count_nonzero(x), ())
                for axes in axes_of(len(shape)):
                    rest = tuple(n for i, n in enumerate(t.names) if i not in axes)
                    same(nomen.count_nonzero(t, axes), np.count_nonzero(x, axes), rest)


@pytest.mark.parametrize("p", [None, "fro", 0, 1, 2, 3, 0.5, -1, math.inf, -math.inf])
def test_norms(p):
    order = 2 if p in (None, "fro") else p
    for dtype in ["float16", "float32", "float64", "complex64", "complex128"]:
        for shape in ((7,), (3, 4), (2, 3, 10), (5, 300)):
            x = numbers(dtype, shape, 8) + np.asarray(0.1, dtype=dtype)
            wide = np.abs(x.astype("complex128"))
            for t in layouts(x):
                for axes in axes_of(len(shape)):
                    if order in (math.inf, -math.inf):
                        expected = (np.max if order > 0 else np.min)(wide, axis=axes)
                    elif order == 0:
                        expected = (wide != 0).sum(axes)
                    else:
                        expected = (wide**order).sum(axes) ** (1 / order)
                    rest = tuple(n for i, n in enumerate(t.names) if i not in axes)
                    result = t.norm(p, [NAMES[a] for a in axes])
                    with np.errstate(over="ignore"):
                        expected = np.asarray(expected).astype(
                            "float16" if dtype == "float16" else "float64"
                        )
                    real = {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)
                    assert result.dtype == getattr(nomen, real)
                    same(result, expected, rest, 4e-3 if dtype == "float16" else 2e-5)
                same(nomen.norm(t, p, keepdim=True).reshape(-1)[0], t.norm(p).item())


def test_norm_arguments():
    t = nomen.tensor([3, 4], names=("C",))
    with pytest.raises(RuntimeError, match="floating point or complex|floating point and complex"):
        t.norm()
    assert (
        t.norm(dtype=nomen.float64).item() == 5
        and t.norm(dtype=nomen.float64).dtype == nomen.float64
    )
    with pytest.raises(RuntimeError, match="only valid string values are 'fro'"):
        t.to(nomen.float32).norm("max")
    big = nomen.tensor([3e30, 4e30])
    assert big.norm().item() == pytest.approx(5e30)
    assert nomen.tensor([1.0, 2.0]).dist(nomen.tensor([1.0, 5.0]), 1).item() == 3
    a, b = nomen.zeros(2, names=("N",)), nomen.zeros(2, names=("C",))
    with pytest.raises(RuntimeError, match="when attempting to broadcast"):
        a.dist(b)


def test_differences():
    x = np.array([[1, 4, 9, 16], [0, 1, 0, 1]])
    t = tensor(x)
    for n in range(6):
        same(t.diff(n, "C"), np.diff(x, n), ("N", "C"))
    same(t.diff(dim=0, prepend=t[:1]), np.diff(x, axis=0, prepend=x[:1]), ("N", "C"))
    same(t.diff(append=t), np.diff(x, append=x), ("N", "C"))
    assert nomen.tensor([True, False, False]).diff().tolist() == [True, False]
    out = nomen.empty(0, dtype=nomen.int64)
    assert nomen.diff(t, out=out) is out and out.names == ("N", "C")
    with pytest.raises(RuntimeError, match="at least one-dimensional"):
        nomen.tensor(1).diff()
    with pytest.raises(RuntimeError, match="non-negative"):
        t.diff(-1)


def test_truth_of_uint8_stays_uint8():
    for name in ("all", "any"):
        assert getattr(nomen.tensor([1, 0], dtype=nomen.uint8), name)().dtype == nomen.uint8
        assert getattr(nomen.tensor([1, 0]), name)().dtype == nomen.bool


def test_positions_keep_their_place():
    t = nomen.tensor([[1, 5], [7, 2]], names=("N", "C"))
    assert t.argmax(keepdim=True).tolist() == [[2]] and t.argmax(keepdim=True).names == ("N", "C")
    assert t.argmin("N", keepdim=True).tolist() == [[0, 1]]


# ---- gradients -----------------------------------------------------------------------------------


def test_gradient_of_products_with_zeros():
    x = nomen.tensor([2.0, 0.0, 3.0, 0.0, 4.0], names=("T",), requires_grad=True)
    g = nomen.tensor([1.0, 2.0, 3.0, 4.0, 5.0])
    x.cumprod("T").backward(g.rename("T"))
    # d/dx1 of the sum: what follows the first zero, up to the second
    assert x.grad.tolist() == [1, 2 * (2 + 3 * 3), 0, 0, 0]
    assert x.grad.names == ("T",)


def test_gradients_of_both_results():
    x = nomen.tensor([[1.0, 2.0], [5.0, 3.0]], names=("N", "C"), requires_grad=True)
    low, high = x.aminmax(dim="N")
    (low * 10 + high).sum().backward()
    assert x.grad.tolist() == [[10, 10], [1, 1]]
    x.grad = None
    var, mean = nomen.var_mean(x, "N", correction=0)
    mean.sum().backward()
    assert x.grad.tolist() == [[0.5, 0.5], [0.5, 0.5]] and var.requires_grad
    values, at = x.cummax("C")
    assert values.requires_grad and not at.requires_grad


def test_extrema_share_their_gradient():
    x = nomen.tensor([2.0, 1.0, 2.0, 2.0], requires_grad=True)
    x.amax().backward()
    assert x.grad.tolist() == pytest.approx([1 / 3, 0, 1 / 3, 1 / 3])


def test_gradient_of_logcumsumexp_survives_empty_beginnings():
    x = nomen.tensor([-math.inf, 0.0, 1000.0], requires_grad=True)
    x.logcumsumexp(0).sum().backward()
    assert x.grad.tolist() == [0, 1, 1]


def test_long_sums_of_exponentials_keep_their_digits():
    values = np.random.default_rng(5).standard_normal((70001, 9))
    largest = values.max(0)
    summed = np.cumsum(np.exp(values.astype(np.longdouble) - largest), axis=0)
    exact = np.log(summed) + largest
    for layout in (values, np.ascontiguousarray(values.T).T):
        found = nomen.from_numpy(layout).logcumsumexp(0).numpy()
        error = np.abs(found - exact) / np.spacing(np.abs(found))
        assert error[np.abs(found) > 1].max() < 2  # plain sums were 5 off


def test_lines_beside_a_longer_dim():
    x = np.random.default_rng(6).integers(-9, 9, (30, 7, 10))
    for dtype in (nomen.float32, nomen.float64, nomen.int64):
        found = nomen.from_numpy(x).to(dtype).cumsum(1)
        assert np.array_equal(found.numpy(), np.cumsum(x, 1))


@pytest.mark.parametrize("dtype", [*REAL, "bfloat16"])
def test_blocks_of_a_few_lines_side_by_side(dtype):
    """In memory that begins or ends where others begin, in one call or in place."""
    rng = np.random.default_rng(7)
    for shape in ((3, 5, 2), (2, 9, 7), (40, 2, 3), (5, 300, 4), (1, 2000, 5), (2, 3, 4, 6)):
        axis = len(shape) - 2
        x = rng.integers(0, 3, shape)
        for lead in (0, 1):
            room = np.zeros((shape[0] + 2 * lead, *shape[1:]), "int64")
            room[lead : shape[0] + lead] = x
            made = nomen.from_numpy(room).to(getattr(nomen, dtype))[lead : shape[0] + lead]
            wide = x.shape[axis] > 50 and dtype in ("float16", "bfloat16", "int8", "uint8")
            at = places(x, axis, lambda a, b: a >= b)
            found = made.cummax(axis)
            assert np.array_equal(np.array(found.indices.tolist()), at)
            assert np.array_equal(np.array(found.values.tolist()), np.maximum.accumulate(x, axis))
            if not wide:
                assert np.array_equal(np.array(made.cumsum(axis).tolist()), np.cumsum(x, axis))
                made.cumsum_(axis, dtype=made.dtype)
                assert np.array_equal(np.array(made.tolist()), np.cumsum(x, axis))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int16", "int32", "int64"])
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_whole_numbers_side_by_side_and_in_rows(name, dtype):
    """Strips of eight lines, the last of which begins within the one before it; eights of a row."""
    for lines in [*range(1, 26), 31, 63, 64, 65, 100]:
        values = numbers(dtype, (2, 41, lines), lines)
        if name == "cumprod":
            values = np.where(values == 0, 1, values).astype(dtype)  # products that do not end
        for axis in (1, 2):
            expected = getattr(np, name)(values.astype("int64"), axis)
            t = tensor(values)
            assert getattr(t, name)(axis).tolist() == expected.tolist()
            if dtype == "bool":
                continue
            getattr(t, name + "_")(axis)
            assert t.tolist() == expected.astype(dtype).tolist()


@pytest.mark.parametrize("dtype", [*REAL, "bfloat16", "complex64"])
def test_sums_beside_a_few_others(dtype):
    """Columns that are fewer than a vector has lanes, of few elements and of many, up to the end of
    memory; whole numbers that every type holds."""
    rng = np.random.default_rng(8)
    shapes = (9, 30, 5), (3, 64, 4), (2, 5, 7), (40, 70, 3), (1, 257, 6), (12, 130, 12), (5, 1, 2)
    for shape in shapes:
        x = rng.integers(0 if dtype == "uint8" else -1, 2, shape)
        made = nomen.from_numpy(x).to(getattr(nomen, dtype))
        for names in ((1,), (0, 1)):
            assert np.array_equal(np.array(made.sum(names).tolist()), x.sum(names))
        if "int" not in dtype:
            mean = np.array(made.mean(1).tolist())
            assert np.allclose(mean, x.mean(1), rtol=EPSILON.get(dtype, 5e-3), atol=1e-6)
        if dtype not in ("complex64", "uint8"):
            signs = nomen.from_numpy(1 - 2 * (x < 0)).to(made.dtype)
            assert np.array_equal(np.array(signs.prod(1).tolist()), (1 - 2 * (x < 0)).prod(1))


@pytest.mark.parametrize("count", [1, 3, 40])
def test_subnormal_results_of_half_types_are_rounded_once(count):
    """130 * 148 * 218 is 2^22 + 16: next to the middle of 0 and the least number of bfloat16, and
    with the bits that float32 has no room for above it."""
    rows = [130 * 2.0**-60, 148 * 2.0**-60, 218 * 2.0**-36]
    x = nomen.tensor([[v] * count for v in rows], dtype=nomen.bfloat16)
    least = 2.0**-133
    assert x.prod(0).tolist() == [least] * count
    assert x.t().contiguous().prod(1).tolist() == [least] * count
    assert x.cumprod(0)[2].tolist() == [least] * count
    assert x.t().contiguous().cumprod(1)[:, 2].tolist() == [least] * count


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("op", ["cumsum", "cumprod"])
@pytest.mark.parametrize("lines", [8, 9, 13, 16])
def test_lines_of_half_types_are_what_each_is_alone(lines, op, dtype):
    """Eight of them go side by side, a run after the other; which must not show."""
    rng, before = np.random.default_rng(5), nomen.get_num_threads()
    for n in (128, 129, 152, 153, 256, 300, 512, 513, 1100):
        values = rng.standard_normal((lines, n)) * (0.02 if op == "cumprod" else 1)
        x = nomen.from_numpy(values + (op == "cumprod")).to(getattr(nomen, dtype))
        alone = nomen.stack([getattr(x[i], op)(0) for i in range(lines)])
        for threads in (1, 3):
            nomen.set_num_threads(threads)
            for made in (x, nomen.stack([x, x], dim=1)[:, 1]):
                assert nomen.equal(getattr(made, op)(1), alone)
        nomen.set_num_threads(before)
        turned = getattr(x.flip(1), op)(1, reverse=True).flip(1)
        assert nomen.equal(turned, alone)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int16"])
def test_columns_that_do_not_fill_vectors(dtype):
    rng = np.random.default_rng(6)
    for columns in (7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 63, 100, 257, 300):
        for rows in (1, 3, 4, 5, 66):
            a = rng.integers(0, 2 if dtype == "bool" else 100, (3, rows, columns)).astype(dtype)
            x = nomen.from_numpy(a)
            assert np.array_equal(np.array(x.sum(1).tolist()), a.sum(1, dtype="i8"))
            assert np.array_equal(np.array(x.prod(1).tolist()), a.prod(1, dtype="i8"))
            assert np.array_equal(np.array(x.any(1).tolist()), a.any(1))
            assert np.array_equal(np.array(x.all(1).tolist()), a.all(1))
            assert np.array_equal(np.array(x.count_nonzero(1).tolist()), (a != 0).sum(1))


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("op", ["cumsum", "cumprod"])
def test_short_complex_lines_are_the_same_wherever_they_lie(op, dtype):
    """Groups of lines, lines with holes, lines across: one order of additions, so the same bits. A
    few lines of 64 numbers and more are cut."""
    rng = np.random.default_rng(7)
    for n in (1, 2, 3, 4, 5, 7, 8, 9, 12, 31, 63, 64, 130):
        same = nomen.equal if n < 64 else nomen.allclose
        for beside in (1, 2, 3, 4, 5, 7, 8, 9):
            for rows in (1, 5, 33):
                shape = (rows, n, beside)
                parts = rng.uniform(-1.2, 1.2, (2, *shape))
                x = nomen.tensor(parts[0] + 1j * parts[1]).to(getattr(nomen, dtype))
                lines = [
                    getattr(nomen, op)(line, 0)
                    for line in x.transpose(1, 2).reshape(rows * beside, n).unbind(0)
                ]
                wanted = nomen.stack(lines).reshape(rows, beside, n).transpose(1, 2)
                holes = nomen.stack([x, x + 1], 3).flatten(2)[..., ::2]
                far = x.permute(1, 2, 0).contiguous().permute(2, 0, 1)
                for t in (x, holes, far, x.transpose(0, 2).contiguous().transpose(0, 2)):
                    assert same(getattr(nomen, op)(t, 1), wanted), (shape, t.stride())
                last = x.transpose(1, 2)
                for t in (last, last.contiguous(), holes.transpose(1, 2)):
                    got = getattr(nomen, op)(t, 2)
                    assert same(got.transpose(1, 2), wanted), (shape, t.stride())


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int64", *COMPLEX])
@pytest.mark.parametrize("op", ["cumsum", "cumprod", "cummax", "logcumsumexp"])
def test_lines_with_holes_between_few_of_them(op, dtype):
    """Whichever way they are taken, or copied first, they come to what lines without holes do."""
    if (op == "cummax" and "complex" in dtype) or (op == "logcumsumexp" and "float" not in dtype):
        pytest.skip("there is no such kernel")
    rng = np.random.default_rng(11)
    for n in (1, 3, 4, 40, 130):
        for rows, run, pitch in ((14, 4, 7), (3, 8, 11), (5, 12, 13), (2, 20, 31), (1, 4, 6)):
            x = nomen.from_numpy(rng.integers(-2, 3, (n, rows, pitch))).to(getattr(nomen, dtype))
            part = x[..., 1 : 1 + run]
            for t in (part, x[..., ::3], x[..., :run:2], part.transpose(1, 2), part[:, ::2]):
                found, wanted = getattr(nomen, op)(t, 0), getattr(nomen, op)(t.contiguous(), 0)
                if op == "cummax":
                    assert nomen.equal(found[1], wanted[1])
                    found, wanted = found[0], wanted[0]
                assert nomen.allclose(found, wanted, equal_nan=True), (n, rows, t.stride())


@pytest.mark.parametrize("dtype", COMPLEX)
def test_few_complex_lines_with_holes(dtype):
    """A line is summed up by fours wherever it lies; its products go from its beginning on."""
    rng = np.random.default_rng(12)
    for lines in (1, 2, 3, 4, 5, 7, 8):
        for n in (5, 63, 64, 65, 66, 67, 300, 1500):
            turns = rng.uniform(0, 0.001, (lines, 2 * n))  # products stay near 1
            x = nomen.tensor(np.exp(1j * turns)).to(getattr(nomen, dtype))[:, ::2]
            for op, by_numpy in ((nomen.cumsum, np.cumsum), (nomen.cumprod, np.cumprod)):
                wanted = by_numpy(np.array(x.tolist()), 1)
                near = {"rtol": 1e-12 if dtype == "complex128" else 1e-5}
                for t in (x, x.contiguous(), x.flip(1).flip(1)):
                    found = np.array(op(t, 1).tolist())
                    np.testing.assert_allclose(found, wanted, **near)
                if lines == 1:
                    assert nomen.equal(op(x[0], 0), op(x[0].contiguous(), 0))


@pytest.mark.parametrize("dtype", COMPLEX)
def test_a_product_of_one_number_is_it_times_one(dtype):
    """That is another number where a part is infinite, and the same one for all shapes."""
    special = [math.inf, -math.inf, math.nan, 0.0, -0.0, 2.5]
    x = nomen.tensor([complex(a, b) for a in special for b in special], dtype=getattr(nomen, dtype))
    wanted = np.array((x * nomen.ones_like(x)).tolist())
    for shape in ((36, 1), (1, 36), (6, 1, 6)):
        dim = shape.index(1)
        for t in (x.reshape(shape), nomen.stack([x.reshape(shape)] * 2, -1)[..., 0]):
            for got in (t.prod(dim), t.cumprod(dim)):
                got = np.array(got.flatten().tolist())
                np.testing.assert_array_equal(got, wanted)
                for part in (np.real, np.imag):
                    np.testing.assert_array_equal(
                        np.signbit(part(got))[~np.isnan(part(got))],
                        np.signbit(part(wanted))[~np.isnan(part(wanted))],
                    )


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "float16"])
@pytest.mark.parametrize("n", [2, 3, 5, 6, 7, 9, 20, 33])
def test_short_lines_with_holes(dtype, n):
    """They are made dense first, apart from where the results go."""
    x = (nomen.rand(41, n, dtype=nomen.float64) * 9).to(getattr(nomen, dtype))
    for t in (nomen.stack([x, x], 2).flatten(1)[:, ::2], x.t().contiguous().t()):
        for op in ("cumsum", "cumprod"):
            assert nomen.equal(getattr(nomen, op)(t, 1), getattr(nomen, op)(x, 1))


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int16", "complex64"])
def test_short_lines_in_another_order_than_their_results(dtype, threads):
    """Units of few elements are made dense first."""
    nomen.set_num_threads(threads)
    x = (nomen.rand(6, 40, 5, dtype=nomen.float64) * 9).to(getattr(nomen, dtype))
    for order in itertools.permutations(range(3)):
        t = x.permute(*order)
        dense = t.contiguous()
        for dim in range(3):
            assert nomen.allclose(t.cumsum(dim), dense.cumsum(dim), 1e-5)
            out = dense.cumsum(dim).zero_()
            nomen.cumsum(t, dim, out=out)
            assert nomen.allclose(out, dense.cumsum(dim), 1e-5)
            if dtype != "complex64":
                for got, wanted in zip(t.cummax(dim), dense.cummax(dim), strict=True):
                    assert nomen.equal(got, wanted)


@pytest.mark.parametrize("dtype", ["int8", "int64", "bfloat16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("op", ["cumsum", "cumprod", "cummax", "logcumsumexp"])
def test_backwards_is_forwards_of_lines_turned_round(op, dtype):
    """Such lines are copied some at a time, long ones in pieces; one of them is cut in parts."""
    if (op == "cummax" and dtype == "complex64") or (op == "logcumsumexp" and "int" in dtype):
        pytest.skip("no such operation")
    rng, before = np.random.default_rng(8), nomen.get_num_threads()

    def alike(a, b):
        # float64 has no wider sums, and lines together are added up otherwise than one alone
        return nomen.allclose(a, b, 1e-12, 1e-12) if dtype == "float64" else a.equal(b)

    shapes = [(2,), (65,), (8193,), (150_000,), (31, 3), (700, 24), (41, 1025), (9, 3000)]
    for shape in [*shapes, (3, 9000), (2, 70_000), (5, 50, 30), (4, 6, 5, 7)]:
        values = rng.standard_normal(shape) * 0.1
        if "int" in dtype:
            values = rng.integers(-3, 4, shape)
        x = nomen.from_numpy(values + (op == "cumprod")).to(getattr(nomen, dtype))
        held = nomen.stack([x, x]).select(0, 1)
        wide = nomen.empty(*shape[:-1], shape[-1] + 3, dtype=x.dtype)[..., 1 : shape[-1] + 1]
        for t in (x, held, wide.copy_(x), x.transpose(0, -1)):
            for dim in range(t.dim()):
                turned = getattr(t.flip([dim]), op)(dim)
                result = []
                for threads in (1, 3):
                    nomen.set_num_threads(threads)
                    result.append(getattr(t, op)(dim, reverse=True))
                if op == "cummax":
                    places = t.shape[dim] - 1 - turned.indices.flip([dim])
                    assert result[0].indices.equal(places), (shape, dim)
                    assert result[1].indices.equal(places), (shape, dim)
                    turned, result = turned.values, [r.values for r in result]
                assert alike(result[0], turned.flip([dim])), (shape, dim)
                assert result[0].equal(result[1]), (shape, dim)
    nomen.set_num_threads(before)


def test_backwards_into_itself_and_into_holes():
    x = nomen.randn(30, 50)
    expected, wide = x.flip([1]).cumsum(1).flip([1]), nomen.zeros(30, 100)
    nomen.cumsum(x, 1, reverse=True, out=wide[:, ::2])
    assert wide[:, ::2].equal(expected) and not wide[:, 1::2].any()
    turned = nomen.zeros(50, 30)
    nomen.cumsum(x, 1, reverse=True, out=turned.t())
    assert turned.t().equal(expected)
    nomen.cumsum(x, 1, reverse=True, out=x)
    assert x.equal(expected)
