"""Reductions over the first dims, of columns beside each other: of more of them than a reducer
takes at a time, in blocks that do not come out even, cut into parts that are merged, with results
that are cast or lie apart. Values are whole numbers so small that every sum is exact."""

import numpy as np
import pytest

import nomen

SHAPES = [
    (9, 257),
    (200, 1023),
    (130, 1024),
    (700, 1025),
    (3, 150, 1100),
    (40, 30, 2500),
    (5, 30000),
]
DTYPES = ["float16", "bfloat16", "float32", "float64", "int64", "int8", "complex64", "bool"]
rng = np.random.default_rng(3)


def values(shape, dtype):
    """A tensor of -1, 0 and 1, and the same in NumPy, wide enough for every sum."""
    low = 0 if dtype == "bool" else -1
    x = rng.integers(low, 2, shape)
    return nomen.from_numpy(x).to(getattr(nomen, dtype)), x


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_sums(shape, dtype):
    t, x = values(shape, dtype)
    for dim in [0, *([(0, 1), 1] if len(shape) > 2 else [])]:
        want = x.sum(dim)
        wide = nomen.complex128 if dtype == "complex64" else nomen.float64
        got = t.sum(dim, dtype=wide).numpy()
        np.testing.assert_array_equal(got, want)
        # results that lie apart, and backwards through memory
        out = nomen.zeros(*want.shape[:-1], 2 * want.shape[-1], dtype=wide)[..., ::2]
        np.testing.assert_array_equal(nomen.sum(t, dim, dtype=wide, out=out).numpy(), want)
        kept = t.sum(dim, keepdim=True).to(wide).numpy()
        rounded = nomen.from_numpy(want).to(t.sum().dtype).to(wide).numpy()
        np.testing.assert_array_equal(kept.reshape(want.shape), rounded)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 7, 8, 127, 128, 129])
def test_odd_sums_of_few_rows(rows, dtype):
    """Infinities and NaN stay in their column, sums have no negative zero, and out= may lie in
    the operand, or between other elements, of which none is written."""
    for columns in (7, 8, 9, 15, 16, 33, 1025, 2050):
        x = np.full((rows, columns), -0.0)
        x[:, 3::5] = rng.integers(-9, 9, x[:, 3::5].shape)
        x[0, ::7], x[-1, 1::7], x[rows // 2, 5::7] = np.nan, np.inf, -np.inf
        t = nomen.from_numpy(x).to(getattr(nomen, dtype))
        with np.errstate(invalid="ignore"):
            sums = {nomen.sum: x.sum(0)}
        if not t.is_complex():
            sums[nomen.nansum] = np.nansum(x, 0)
        for call, want in sums.items():
            two, own = t.new_zeros(columns + 2), t.clone()
            found = call(t, 0), call(t, 0, out=two[1:-1]), call(own, 0, out=own[rows // 2])
            for y in found:
                y = y.to(nomen.complex128).real.numpy()
                np.testing.assert_array_equal(y, want)
                assert not np.signbit(y[y == 0]).any()
            assert two[0] == 0 == two[-1]


@pytest.mark.parametrize("dtype", [*DTYPES, "int16", "int32", "uint8", "complex128"])
@pytest.mark.parametrize("rows", [1, 2, 3, 4, 7, 8, 9, 12, 127, 128])
def test_few_rows_have_the_bits_of_others(rows, dtype):
    """Results side by side need no accumulators, those that lie apart do."""
    calls = [nomen.sum, nomen.prod, nomen.any, nomen.all]
    if "complex" not in dtype:
        calls += [nomen.nansum, nomen.amax, nomen.amin]
    for columns in (8, 9, 15, 16, 33, 70, 1025, 1100):
        x = rng.integers(0 if dtype in ("bool", "uint8") else -2, 3, (rows, columns)) + 0.0
        if "float" in dtype or "complex" in dtype:
            x *= rng.random(x.shape) + 0.5
            x[0, ::7], x[-1, 1::7], x[rows // 2, 5::7] = np.nan, np.inf, -0.0
        if "complex" in dtype:
            with np.errstate(invalid="ignore"):
                x = x + 1j * x[:, ::-1]
        t = nomen.from_numpy(x).to(getattr(nomen, dtype))
        for call in calls:
            beside = call(t, 0)
            apart = nomen.zeros(2 * columns, dtype=beside.dtype)[::2]
            parts = [beside, call(t, 0, out=apart)]
            if beside.is_complex():
                parts = [nomen.view_as_real(y.contiguous()) for y in parts]
            if beside.is_complex() or beside.is_floating_point():
                parts = [y.to(nomen.float64) for y in parts]
            found, want = [y.contiguous().numpy() for y in parts]
            np.testing.assert_array_equal(found, want)
            numbers = found == found
            np.testing.assert_array_equal(np.signbit(found)[numbers], np.signbit(want)[numbers])


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int64", "int8"])
def test_extrema_and_truth(shape, dtype):
    t, x = values(shape, dtype)
    same = np.testing.assert_array_equal
    same(t.amax(0).double().numpy(), x.max(0))
    same(t.amin(0).double().numpy(), x.min(0))
    low, high = t.aminmax(dim=0)
    same(low.double().numpy(), x.min(0))
    same(high.double().numpy(), x.max(0))
    same(t.max(0).indices.numpy(), x.argmax(0))
    same(t.bool().any(0).numpy(), (x != 0).any(0))
    same((t * t).bool().all(0).numpy(), (x != 0).all(0))
    signs = t * 0 + 1 - 2 * (t < 0).to(t.dtype)
    same(signs.prod(0).double().numpy(), np.where(x < 0, -1, 1).prod(0))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_rounding_is_that_of_the_type(dtype):
    """Of numbers with all their digits: within one rounding of the exact sum, rows and columns."""
    t = nomen.from_numpy(rng.standard_normal((1100, 1300))).to(getattr(nomen, dtype))
    exact = t.double()
    eps = nomen.finfo(getattr(nomen, dtype)).eps
    for dim in (0, 1):
        want = exact.sum(dim).numpy()
        near = 1e-6 * exact.abs().sum(dim).numpy()
        assert np.all(np.abs(t.sum(dim).double().numpy() - want) <= eps * np.abs(want) + near)
        mean = t.mean(dim).double().numpy() * t.shape[dim]
        assert np.all(np.abs(mean - want) <= eps * np.abs(want) + near)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_what_is_not_finite(dtype):
    t = nomen.zeros(70, 1030, dtype=getattr(nomen, dtype))
    t[3, 5] = float("inf")
    t[69, 1029] = float("nan")
    t[2, 7], t[68, 7] = float("inf"), float("-inf")
    for sums in (t.sum(0), t.t().contiguous().sum(1)):
        assert sums[5].item() == float("inf") and sums[6].item() == 0
        assert sums[1029].isnan().item() and sums[7].isnan().item()
        assert sums.isnan().sum().item() == 2


SPECIAL = [-1.5, -1.0, 0.0, -0.0, 1.0, 1.5, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("of", [SPECIAL[:6], SPECIAL[:8], SPECIAL], ids=len)
@pytest.mark.parametrize("count", [1, 3, 4, 8, 9, 24, 41, 130])
def test_places_of_extrema_among_special_numbers(dtype, of, count):
    """The first of equal ones, the first NaN, and of two zeros the one that stands there: of rows
    and columns of `count` elements, in a few lines or many."""
    for lines in [*range(1, 20), 25, 33, 64, 200]:
        x = rng.choice(of, (2, count, lines))
        t = nomen.from_numpy(x).to(getattr(nomen, dtype))
        for name, places in (("max", x.argmax(1)), ("min", x.argmin(1))):
            want = np.take_along_axis(x, places[:, None], 1)[:, 0]
            for own, dim in ((t, 1), (t.transpose(1, 2).contiguous(), 2)):
                got = getattr(own, name)(dim)
                np.testing.assert_array_equal(got.indices.numpy(), places)
                np.testing.assert_array_equal(got.values.double().numpy(), want)
                signs = nomen.signbit(got.values).numpy()
                numbers = ~np.isnan(want)
                np.testing.assert_array_equal(signs[numbers], np.signbit(want)[numbers])
