"""Rows that lie side by side, fewer of them than a vector has lanes or few more, and long ones."""

import numpy as np
import pytest

import nomen

COLUMNS = [2, 3, 4, 5, 7, 8, 10, 15, 16, 17, 20, 31, 40, 63]
LENGTHS = [2, 9, 16, 40, 64, 65, 130, 400, 1100, 5000]
SHAPES = [(n, columns) for n in LENGTHS for columns in COLUMNS if n * columns < 100_000]
CLOSE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 2e-6, "float64": 1e-14}


def numbers(shape, dtype, below=1000):
    """The same ones as a tensor and as an array of doubles, some equal."""
    x = np.random.default_rng(shape[0]).integers(0, below, shape) / 8
    t = nomen.from_numpy(x).to(getattr(nomen, dtype))
    return t, t.to(nomen.float64).numpy()


@pytest.mark.parametrize("dtype", CLOSE)
def test_softmax(dtype):
    for shape in SHAPES:
        t, x = numbers(shape, dtype, 60)
        e = np.exp(x - x.max(0))
        wanted = e / e.sum(0)
        lines = t.unsqueeze(0).expand(3, *shape)
        holes = nomen.zeros(3, shape[0], shape[1] + 2, dtype=t.dtype)[..., 1:-1].copy_(lines)
        for found in (
            t.softmax(0),
            lines.softmax(1)[2],
            lines.clone().softmax(1)[1],
            holes.softmax(1)[2],
            holes[0].softmax(0),
        ):
            assert found.dtype == t.dtype
            np.testing.assert_allclose(
                found.to(nomen.float64).numpy(), wanted, CLOSE[dtype], 6e-8, err_msg=str(shape)
            )
        found = t.log_softmax(0).to(nomen.float64).numpy()
        np.testing.assert_allclose(
            found, x - x.max(0) - np.log(e.sum(0)), CLOSE[dtype], CLOSE[dtype], err_msg=str(shape)
        )


@pytest.mark.parametrize("threads", [1, 3])
def test_softmax_with_odd_ones(threads):
    """NaN and infinities stay in their column, wherever they are; nothing else is written."""
    before = nomen.get_num_threads()
    nomen.set_num_threads(threads)
    try:
        for n, columns in [(30, 3), (500, 5), (1001, 7), (700, 20), (4000, 300)]:
            for at in (0, n // 2, n - 1):
                x = np.random.default_rng(at).random((n, columns))
                x[at, 1] = np.nan
                x[at, 2] = -np.inf
                clean = np.delete(np.arange(columns), 1)
                out = nomen.full((n + 2, columns), 7.0, dtype=nomen.float64)
                nomen.softmax(nomen.from_numpy(x), 0, out=out[1:-1])
                found = out.numpy()
                assert (found[[0, -1]] == 7).all()
                assert np.isnan(found[1:-1, 1]).all()
                e = np.exp(x - np.nanmax(x, 0))
                np.testing.assert_allclose(found[1:-1, clean], (e / e.sum(0))[:, clean], 1e-13)
    finally:
        nomen.set_num_threads(before)


@pytest.mark.parametrize("dtype", ["uint8", "bfloat16", "float32", "int64", "float64"])
def test_order(dtype):
    for shape in SHAPES:
        n = shape[0]
        t, x = numbers(shape, dtype, 2000 if dtype != "uint8" else 1600)
        wanted = np.sort(x, 0)
        values, places = t.sort(0, stable=True)
        np.testing.assert_array_equal(values.to(nomen.float64).numpy(), wanted)
        np.testing.assert_array_equal(places.numpy(), np.argsort(x, 0, kind="stable"))
        for rank, (value, place) in [
            ((n - 1) // 2, t.median(0)),
            (n // 3, t.kthvalue(n // 3 + 1, 0)),
        ]:
            np.testing.assert_array_equal(value.to(nomen.float64).numpy(), wanted[rank])
            np.testing.assert_array_equal(place.numpy(), (x == wanted[rank]).argmax(0))
        value, place = t.topk(2, 0)
        np.testing.assert_array_equal(value.to(nomen.float64).numpy(), wanted[::-1][:2])
        found = np.take_along_axis(x, place.numpy(), 0)
        np.testing.assert_array_equal(found, wanted[::-1][:2])


@pytest.mark.parametrize("dtype", ["uint8", "float32", "int64"])
def test_mode(dtype):
    for shape in SHAPES:
        t, x = numbers(shape, dtype, 300)
        values, places = t.mode(0)
        for column, (value, place) in enumerate(zip(values.tolist(), places.tolist(), strict=True)):
            of, counts = np.unique(x[:, column], return_counts=True)
            assert value == of[counts.argmax()]
            assert place == np.flatnonzero(x[:, column] == value)[-1]


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32", "float64"])
def test_flip(dtype):
    """Rows of 2, 4 and 8 bytes are elements of that size, wherever they begin."""
    for n, columns in [(n, k) for n in (1, 2, 3, 9, 16, 33, 700) for k in (1, 2, 3, 4, 8, 9)]:
        x = np.random.default_rng(n).integers(0, 2 if dtype == "bool" else 100, n * columns + 1)
        x = x.astype(dtype)
        for begin in (0, 1):
            part = x[begin : begin + n * columns].reshape(n, columns)
            t = nomen.from_numpy(x)[begin : begin + n * columns].reshape(n, columns)
            np.testing.assert_array_equal(t.flip(0).numpy(), part[::-1])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_extrema(dtype):
    """A NaN wins in its column, and of zeros the last one, however many rows there are."""
    for rows in (1, 2, 3, 4, 5, 6, 7, 9):
        for columns in (1, 3, 8, 15, 16, 33, 300):
            x = np.random.default_rng(rows).integers(-3, 3, (rows, columns)).astype("f8")
            x[:, 0] = np.where(np.arange(rows) % 2, 0.0, -0.0)
            if columns > 2:
                x[rows // 2, 1] = np.nan
            t = nomen.from_numpy(x).to(getattr(nomen, dtype))
            with np.errstate(invalid="ignore"):
                least, most = x.min(0), x.max(0)
            for found, wanted in [(t.amin(0), least), (t.amax(0), most)]:
                found = found.to(nomen.float64).numpy()
                np.testing.assert_array_equal(found, wanted)
                assert np.signbit(found[0]) == (rows % 2 == 1)


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32", "float64", "complex128"])
def test_rows_by_positions(dtype):
    """Rows of a few bytes are taken and put as words, which may lie over each other."""
    rng = np.random.default_rng(8)
    for columns in [*range(1, 18), 24, 31, 32, 33, 40]:
        x = rng.integers(0, 2 if dtype == "bool" else 100, (37, columns)).astype(dtype)
        at, order = rng.integers(0, 37, 90), rng.permutation(37)
        t, i = nomen.from_numpy(x), nomen.from_numpy(order)
        np.testing.assert_array_equal(t.index_select(0, nomen.from_numpy(at)).numpy(), x[at])
        wanted = np.zeros_like(x)
        wanted[order] = x
        out = nomen.zeros(39, columns, dtype=t.dtype)
        out[1:-1].index_copy_(0, i, t)
        np.testing.assert_array_equal(out[1:-1].numpy(), wanted)
        assert not out[[0, -1]].to(nomen.bool).any()
        one = np.zeros_like(x)
        one[at] = x[0]
        put = nomen.zeros(37, columns, dtype=t.dtype)
        put[nomen.from_numpy(at)] = t[0]
        np.testing.assert_array_equal(put.numpy(), one)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64"])
def test_positions_along_the_first_dim(dtype):
    """Short lines whose positions lie along another dim, in two and three dims."""
    rng = np.random.default_rng(9)
    for rest in [(2,), (3,), (5,), (8,), (31,), (33,), (2, 3), (3, 1), (4, 2), (3, 40)]:
        x = rng.integers(0, 50, (70, *rest)).astype(dtype)
        at = rng.integers(0, 70, (90, *rest))
        t, i = nomen.from_numpy(x), nomen.from_numpy(at)
        np.testing.assert_array_equal(t.gather(0, i).numpy(), np.take_along_axis(x, at, 0))
        for dim in range(1, 1 + len(rest)):
            there = rng.integers(0, x.shape[dim], x.shape)
            found = t.gather(dim, nomen.from_numpy(there)).numpy()
            np.testing.assert_array_equal(found, np.take_along_axis(x, there, dim))
        added = np.zeros_like(x)
        source = rng.integers(0, 9, at.shape).astype(dtype)
        where = np.indices(at.shape)
        np.add.at(added, (at, *where[1:]), source)
        found = nomen.zeros_like(t).scatter_add(0, i, nomen.from_numpy(source))
        np.testing.assert_array_equal(found.numpy(), added)
