"""scatter, scatter_add and scatter_reduce where the source lies in memory in other ways than the
index: broadcast, larger than it, turned, of another dtype, in place over itself; along near and far
dims, long enough that threads share them. NumPy says what comes out."""

import numpy as np
import pytest

import nomen

rng = np.random.default_rng(11)
SHAPES = [(5,), (3, 20), (700, 600), (40, 17), (2, 90, 530), (3, 4, 16), (70, 2, 1100)]


def sources(shape):
    """(name, tensor, what it holds at the index); whole numbers, so that every sum is exact."""
    whole = rng.integers(-9, 10, [s + 3 for s in shape]).astype("f4")
    near = whole[tuple(slice(s) for s in shape)]
    yield "larger", nomen.from_numpy(whole), near
    yield "whole", nomen.from_numpy(near.copy()), near
    yield "turned", nomen.from_numpy(near.T.copy()).permute(*range(len(shape))[::-1]), near
    for d in range(len(shape)):
        line = near.take([0], d)
        all_alike = np.broadcast_to(line, shape)
        yield f"broadcast {d}", nomen.from_numpy(line.copy()).expand(*shape), all_alike
    point = near.reshape(-1)[:1].reshape([1] * len(shape))
    yield "point", nomen.from_numpy(point.copy()).expand(*shape), np.broadcast_to(point, shape)


def expected(start, dim, index, source, put):
    """Element by element in row-major order; put: a function of arrays with .at, or None."""
    where = list(np.indices(index.shape))
    where[dim] = index
    where = tuple(w.reshape(-1) for w in where)
    made = start.copy()
    if put:
        put.at(made, where, source.reshape(-1))
    else:
        made[where] = source.reshape(-1)
    return made


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sources(shape, threads):
    before = nomen.get_num_threads()
    nomen.set_num_threads(threads)
    try:
        for dim in range(len(shape)):
            index = rng.integers(0, shape[dim], shape)
            start = rng.integers(-9, 10, shape).astype("f4")
            t, i = nomen.from_numpy(start.copy()), nomen.from_numpy(index)
            for name, source, held in sources(shape):
                for reduce, put in (("sum", np.add), ("amax", np.maximum), ("amin", np.minimum)):
                    got = t.scatter_reduce(dim, i, source, reduce).numpy()
                    want = expected(start, dim, index, held, put)
                    np.testing.assert_array_equal(got, want, err_msg=f"{name} {reduce} {dim}")
                got = t.scatter_add(dim, i, source).numpy()
                np.testing.assert_array_equal(got, expected(start, dim, index, held, np.add))
                got = t.double().scatter_add(dim, i, source.double()).numpy()
                np.testing.assert_array_equal(got, expected(start, dim, index, held, np.add))
                # each place once: what is written last does not matter
                order = np.argsort(rng.random(shape), axis=dim)
                got = t.scatter(dim, nomen.from_numpy(order), source).numpy()
                np.testing.assert_array_equal(got, expected(start, dim, order, held, None))
    finally:
        nomen.set_num_threads(before)


@pytest.mark.parametrize("dim", [0, 1])
def test_the_last_one_stays(dim):
    """Of several numbers for one place, as loops in row-major order would leave it."""
    shape = (300, 800)
    index = rng.integers(0, 5, shape)
    source = rng.standard_normal(shape).astype("f4")
    t = nomen.zeros(*shape).scatter(dim, nomen.from_numpy(index), nomen.from_numpy(source))
    want = np.zeros(shape, "f4")
    for row in range(shape[dim]):
        if dim:
            want[np.arange(shape[0]), index[:, row]] = source[:, row]
        else:
            want[index[row], np.arange(shape[1])] = source[row]
    np.testing.assert_array_equal(t.numpy(), want)


@pytest.mark.parametrize("dim", [0, 1])
def test_a_source_that_is_written_to(dim):
    x = rng.integers(-9, 10, (64, 600)).astype("f4")
    index = rng.integers(0, x.shape[dim], x.shape)
    t = nomen.from_numpy(x.copy())
    t.scatter_add_(dim, nomen.from_numpy(index), t)
    np.testing.assert_array_equal(t.numpy(), expected(x, dim, index, x, np.add))
    t = nomen.from_numpy(x.copy())
    t.scatter_add_(dim, nomen.from_numpy(index), t[3:4].expand(64, 600))
    held = np.broadcast_to(x[3:4], x.shape)
    np.testing.assert_array_equal(t.numpy(), expected(x, dim, index, held, np.add))


def test_indices_out_of_range_change_nothing():
    t = nomen.zeros(200, 900)
    index = nomen.zeros(200, 900, dtype=nomen.int64)
    index[150, 700] = 200
    with pytest.raises(RuntimeError, match="index 200 is out of bounds for dimension 0"):
        t.scatter_add_(0, index, nomen.ones(1, 900).expand(200, 900))
    assert not t.any()


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("rows,columns", [(3, 40), (3, 5000), (700, 60), (60, 3)])
def test_indices_that_are_looked_at_as_they_are_used(rows, columns, transposed):
    """New results are written while indices are checked; the first wrong one is told, and what
    was there already stays as it was."""
    names = ("N", "C")
    x = nomen.arange(float(rows * columns)).reshape(rows, columns)
    if transposed:
        x = x.T.contiguous().T
    x = x.rename(*names)
    rng = np.random.default_rng(rows)
    places = rng.integers(0, columns, (rows, columns))
    index, want = nomen.from_numpy(places.copy()).rename(*names), x.rename(None).numpy()
    assert (x.gather("C", index).rename(None).numpy() == np.take_along_axis(want, places, 1)).all()
    put = want.copy()
    np.put_along_axis(put, places, -1.0, 1)
    assert (x.scatter("C", index, -1.0).rename(None).numpy() == put).all()
    made, own = nomen.empty(rows, columns, names=names), x.clone()
    assert (nomen.gather(x, "C", index, out=made) == x.gather("C", index)).all()
    assert (own.scatter_("C", index, -1.0).rename(None).numpy() == put).all()
    index[rows - 1, columns // 2] = columns
    index[rows - 1, columns - 1] = -7
    out = nomen.zeros(rows, columns, names=names)
    before = x.clone()
    for call in (
        lambda: x.gather("C", index),
        lambda: nomen.gather(x, "C", index, out=out),
        lambda: x.scatter("C", index, -1.0),
        lambda: x.scatter("C", index, x),
        lambda: x.scatter_add("C", index, x),
        lambda: nomen.scatter(x, "C", index, -1.0, out=out),
        lambda: x.scatter_("C", index, -1.0),
        lambda: x.scatter_add_("C", index, before),
    ):
        with pytest.raises(RuntimeError, match=f"index {columns} is out of bounds.*'C'"):
            call()
    assert x.equal(before) and not out.any()


@pytest.mark.parametrize("name", ["scatter", "scatter_add", "index_copy", "index_add"])
def test_targets_of_another_dtype_stay_where_they_are(name):
    x = nomen.arange(12.0).reshape(3, 4)
    index = nomen.tensor([3, 2, 1, 0])
    if name.startswith("scatter"):
        index = index.expand(3, 4)
    memory = nomen.full((4, 9), 7.0, dtype=nomen.float64)
    out = memory[:, ::3].T
    stride = out.stride()
    getattr(nomen, name)(x, 1, index, 10 * x, out=out)
    want = getattr(nomen, name)(x, 1, index, 10 * x)
    assert out.stride() == stride and out.tolist() == want.tolist()
    assert (memory[:, 1::3] == 7).all() and (memory[:, 2::3] == 7).all()
