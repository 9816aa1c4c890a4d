"""Masks and indices against NumPy: reading, writing, names, dtypes, layouts, errors.

NumPy differs where an integer stands between tensors: nomen takes integers away first, as PyTorch
does, so the expected values are made in two steps.
"""

import itertools
import random

import numpy as np
import pytest

import nomen

NAMED = ("N", "C", "H")
DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64",
          "complex64", "complex128")
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")


def array(shape, dtype="float32", seed=1):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 2 if dtype == "bool" else 100, shape)
    return values.astype(dtype)


def tensor(a, names=None):
    flat = nomen.tensor(a.reshape(-1).tolist(), dtype=getattr(nomen, str(a.dtype)))
    t = flat.reshape(a.shape)
    return t.rename(*names[: a.ndim]) if names else t


def layouts(a, names=None):
    """Whole, with dims in another order in memory, with gaps."""
    yield tensor(a, names)
    order = list(range(a.ndim))[::-1]
    yield tensor(a, names).permute(*order).clone(memory_format="contiguous_format").permute(*order)
    yield nomen.stack([tensor(a, names)] * 2, dim=a.ndim)[..., 1]


def same(t, a):
    assert t.shape == a.shape and str(t.dtype) == f"nomen.{a.dtype}"
    assert t.tolist() == a.tolist()


def raises(kind, text, call):
    with pytest.raises(kind) as info:
        call()
    assert str(info.value).startswith(text)


# ---- x[...] --------------------------------------------------------------------------------------

A = array((3, 4, 5), seed=3)
M1 = np.array([True, False, True])
M2 = A[..., 0] > 40
M3 = A > 50
INDICES = [
    M3, M2, M1, (slice(None), M2[0]), (..., M3[0, 0]), (M1, slice(1, 3)), (M2, 2), (M1, None),
    np.array([2, 0]), np.array([[2, 0], [-1, -3]]), (slice(None), np.array([3, 0, 0])),
    (np.array([0, 2]), np.array([1, -1])), (np.array([[0], [2]]), np.array([1, 3])),
    (np.array([0, 2]), slice(None), np.array([1, -1])), (slice(None), np.array([1]), [0, 4]),
    (slice(2), slice(None, None, 2), np.array([4, 4, 1])), (M1, slice(None), np.array([0, 1])),
    (None, np.array([1, 2])), (np.array([1, 2]), None, np.array([0, 3])), (..., np.array([0, 1])),
    (np.array([], dtype="int64"),), (slice(0), slice(None), np.array([1, 2])),
    np.zeros((3, 4, 5), bool), np.zeros((2, 0), "int64"), [0, 2], ([0, 2], [1, 1], [4, 0]),
]


def as_tensors(index):
    if isinstance(index, tuple):
        return tuple(as_tensors(item) for item in index)
    return tensor(index) if isinstance(index, np.ndarray) else index


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_reading(index):
    for t in layouts(A):
        same(t[as_tensors(index)], A[index])
        same(t[index], A[index])  # arrays as they are


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_writing(index):
    part = A[index]
    values = [7, array(part.shape, seed=9), array((1,) * (part.ndim + 1), seed=11)]
    if part.ndim and part.shape[-1]:
        values.append(array(part.shape[-1:], seed=10))
    for value in values:
        for t in layouts(A):
            expected = A.copy()
            expected[index] = value.reshape(value.shape[1:]) if value is values[2] else value
            t[as_tensors(index)] = tensor(value) if isinstance(value, np.ndarray) else value
            same(t, expected)


def test_integers_are_taken_first():
    index = np.array([1, 2])
    t = tensor(A)
    same(t[0, :, tensor(index)], A[0][:, index])
    same(t[tensor(index), :, 0], A[..., 0][index])
    same(t[tensor(index), nomen.tensor(1), [0, 1]], A[:, 1][index, [0, 1]])


def test_bools_make_a_dim():
    t = tensor(A)
    same(t[True], A[True])
    same(t[False, 0], A[0][None][:0])
    same(t[nomen.tensor(True), [1, 2]], A[[1, 2]])
    assert t[:, True].shape == (3, 1, 4, 5) and t[np.True_].shape == (1, 3, 4, 5)
    t[False] = 7
    same(t, A)
    t[True] = 7
    same(t, np.full_like(A, 7))


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype):
    a = array((4, 3), dtype)
    filled_up = itertools.chain.from_iterable(layouts(a) for _ in INTEGERS)
    for kind in INTEGERS * 3:
        index, t = np.array([3, 0, 1], kind), next(filled_up)
        same(t[tensor(index)], a[index])
        expected = a.copy()
        expected[index] = 1
        t[tensor(index)] = 1
        same(t, expected)


def test_by_chance():
    rng = random.Random(5)
    for _ in range(1500):
        shape = [rng.choice([1, 2, 3, 3]) for _ in range(rng.randint(1, 4))]
        a = array(shape, rng.choice(DTYPES), rng.randrange(1000))
        joint, index, dim = [rng.choice([1, 2]), rng.choice([1, 3])][rng.randrange(2) :], [], 0
        while dim < a.ndim and rng.random() < 0.9:
            what = rng.randrange(5)
            if what == 0:
                index.append(slice(rng.choice([None, 0, 1]), rng.choice([None, -1]),
                                   rng.choice([None, 2])))
                dim += 1
            elif what == 1:
                index.append(None)
            elif what == 2:
                n = rng.randint(1, a.ndim - dim)
                mask = np.zeros(shape[dim : dim + n], bool)
                mask[tuple(rng.randrange(s) for s in mask.shape)] = True
                index.append(mask)  # one true: it fits all other indices
                dim += n
            else:
                sizes = [s if rng.random() < 0.8 else 1 for s in joint]
                index.append(np.random.default_rng(rng.randrange(1000)).integers(
                    -shape[dim], shape[dim], sizes))
                dim += 1
        index = tuple(index)
        t = list(layouts(a))[rng.randrange(3)]
        same(t[as_tensors(index)], a[index])
        expected = a.copy()
        expected[index] = 1
        t[as_tensors(index)] = 1
        same(t, expected)


def test_large():
    a = array((300, 700), "int32")
    mask, rows = a % 3 == 0, np.random.default_rng(2).permutation(300)
    t = tensor(a)
    same(t[tensor(mask)], a[mask])
    same(t[tensor(rows)], a[rows])
    same(t.masked_fill(tensor(mask), -1), np.where(mask, -1, a).astype("int32"))
    same(t[:, tensor(rows)], a[:, rows])
    flat = np.random.default_rng(4).integers(0, 300 * 700, 100_000)
    same(t.take(tensor(flat)), a.reshape(-1)[flat])
    assert nomen.nonzero(t).tolist() == np.argwhere(a).tolist()
    t[tensor(mask)] = t[tensor(mask)] + 1
    same(t, np.where(mask, a + 1, a).astype("int32"))


# ---- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ("uint8", "float16", "float32", "float64", "complex128"))
@pytest.mark.parametrize("shape", ((5, 24), (8, 23), (9, 300), (64, 40), (70, 513)), ids=str)
def test_across(dtype, shape):
    """Columns of a matrix, and of matrices, as rows: more than a few of them are turned over."""
    before = nomen.get_num_threads()
    for a in (array(shape, dtype), array((3, *shape), dtype)):
        rows = np.random.default_rng(1).integers(0, shape[1], shape[1] + 3)
        index = tensor(rows)
        x = tensor(a).transpose(-1, -2)
        want = np.swapaxes(a, -1, -2)[..., rows, :]
        for threads in (1, 3):
            nomen.set_num_threads(threads)
            same(x.index_select(-2, index), want)
            same(x[..., index, :], want)
            same(x[..., 1:].index_select(-2, index), want[..., 1:])
        nomen.set_num_threads(before)
        if a.ndim == 2:
            into = nomen.stack([tensor(want)] * 2, dim=2)[..., 1]
            nomen.index_select(x, 0, index, out=into)
            same(into, want)


def test_names():
    x = tensor(A, NAMED)
    mask = x > 50
    assert x[mask].names == (None,) and x[x[..., 0].rename(None) > 3].names == (None, "H")
    assert x[nomen.tensor(M1)].names == (None, "C", "H")
    assert x[[0, 1]].names == NAMED and x[:, [0, 1]].names == NAMED
    assert x[[[0, 1]]].names == (None, None, "C", "H")
    assert x[[0, 1], [0, 1]].names == (None, "H") and x[[0, 1], :, [0, 1]].names == (None, "C")
    words = nomen.tensor([[0, 2]], names=("B", "T"))
    assert x[words].names == ("B", "T", "C", "H") and x[:, :, words].names == ("N", "C", "B", "T")
    assert x.rename(None)[words].names == ("B", "T", None, None)
    assert x[{"C": [0, 1], "N": 0}].names == ("C", "H")
    assert x[{"H": nomen.tensor([True] * 5)}].names == ("N", "C", None)
    raises(RuntimeError, "Error when attempting to broadcast dims ['N', 'C', 'H'] and dims "
                         "['C', 'N', 'H']", lambda: x[mask.rename("C", "N", "H")])
    raises(RuntimeError, "Cannot construct a tensor with duplicate names",
           lambda: x[nomen.tensor([0], names=("H",))])
    y = x.clone()
    y[mask] = 1
    y[[0, 1]] = nomen.zeros(4, 5, names=("C", "H"))
    assert y.names == NAMED
    with pytest.raises(RuntimeError, match="^Error when attempting to broadcast"):
        y[[0, 1]] = nomen.ones(4, 5, names=("H", "C"))
    assert y[0].sum() == 0


def test_names_of_the_others():
    x, index = tensor(A, NAMED), nomen.tensor([0, 1])
    assert x.index_select("C", index).names == NAMED
    assert x.index_fill("C", index, 0).names == NAMED
    assert x.index_add("C", index, x.narrow("C", 0, 2)).names == NAMED
    assert x.rename(None).index_copy(1, index, x.narrow("C", 0, 2)).names == NAMED
    assert x.gather("H", nomen.zeros(1, 1, 2, dtype=nomen.int64, names=NAMED)).names == NAMED
    assert x.take(nomen.tensor([[1]], names=("B", "T"))).names == ("B", "T")
    assert x.nonzero().names == (None, None) and x.argwhere().names == (None, None)
    assert x.masked_scatter(x > 50, tensor(A)).names == NAMED
    assert x.put(index, nomen.ones(2)).names == NAMED
    wrong = nomen.zeros(1, 1, 1, dtype=nomen.int64, names=("N", "H", "C"))
    raises(RuntimeError, "Error when attempting to broadcast", lambda: x.gather(0, wrong))
    raises(RuntimeError, "Error when attempting to broadcast", lambda: x.scatter(0, wrong, 1))
    raises(RuntimeError, "Name 'Q' not found in Tensor['N', 'C', 'H'].",
           lambda: x.index_select("Q", index))
    out = nomen.zeros(2, 4, 5, names=("X", "C", "H"))
    raises(RuntimeError, "Name mismatch", lambda: nomen.index_select(x, 0, index, out=out))
    assert out.sum() == 0


# ---- operations ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_masks(dtype):
    a = array((3, 4, 5), dtype)
    for mask in (M3, M3[0], M3[:, :1], M3[..., :1], np.array(True), np.array(False)):
        wide = np.broadcast_to(mask, a.shape)
        filled = np.where(wide, np.ones((), dtype), a)
        for t, m in itertools.product(layouts(a), layouts(mask)):
            same(t.masked_fill(m, 1), filled)
            same(t.masked_select(m), a[wide])
            source = array((60,), dtype, 8)
            scattered = a.copy()
            scattered[wide] = source[: wide.sum()]
            same(t.masked_scatter(m, tensor(source)), scattered)
        for t in layouts(a):
            assert t.masked_fill_(m, 1) is t
            same(t, filled)


@pytest.mark.parametrize("dtype", DTYPES)
def test_slices_of_a_dim(dtype):
    a, rows = array((3, 4, 5), dtype), array((3, 2, 5), dtype, 2)
    index = np.array([3, 1])
    for t, i in itertools.product(layouts(a), layouts(index)):
        same(t.index_select(1, i), a[:, index])
        filled, copied, added = a.copy(), a.copy(), a.copy()
        filled[:, index] = 1
        copied[:, index] = rows
        added[:, index] += rows
        same(t.index_fill(1, i - 4, 1), filled)
        for source in layouts(rows):
            same(t.index_copy(1, i, source), copied)
            same(t.index_add(1, i, source), added)
    if dtype != "bool":
        thrice = nomen.tensor([1, 1, 1])
        total = tensor(a).index_add(1, thrice, tensor(a[:, :3]), alpha=2)
        expected = a.copy()
        for k in range(3):
            expected[:, 1] += 2 * a[:, k]
        same(total, expected.astype(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_gather_and_scatter(dtype):
    a = array((3, 4, 5), dtype)
    rng = np.random.default_rng(1)
    for dim in range(3):
        size = [2, 3, 4]
        size[dim] = 6
        index = rng.integers(0, a.shape[dim], size)
        corner = [slice(s) for s in size]
        corner[dim] = slice(None)
        places = list(np.indices(size))
        places[dim] = index
        for t, i in itertools.product(layouts(a), layouts(index)):
            same(t.gather(dim, i), np.take_along_axis(a[tuple(corner)], index, dim))
            written = a.copy()
            written[tuple(places)] = 1
            same(t.scatter(dim, i, 1), written)
            same(t.scatter(dim, i, value=1), written)
            source = array([s + 1 for s in size], dtype, 4)
            added = a.copy()
            np.add.at(added, tuple(places), source[tuple(slice(s) for s in size)])
            same(t.scatter_add(dim, i, tensor(source)), added)
            same(t.scatter(dim, i, tensor(source), reduce="add"), added)
        for t in layouts(a):
            assert t.scatter_(dim, i, 1) is t
            same(t, written)
        whole = rng.integers(0, a.shape[dim], [s if d != dim else 2 for d, s in enumerate(a.shape)])
        same(tensor(a).take_along_dim(tensor(whole), dim), np.take_along_axis(a, whole, dim))


def test_the_last_one_stays():
    index = nomen.tensor([1, 1, 0, 1])
    assert nomen.zeros(2).index_copy(0, index, nomen.arange(4.0)).tolist() == [2, 3]
    assert nomen.zeros(2).scatter(0, index, nomen.arange(4.0)).tolist() == [2, 3]
    x = nomen.zeros(2)
    x[index] = nomen.arange(4.0)
    assert x.tolist() == [2, 3]


def test_positions():
    for dtype, t_of in itertools.product(DTYPES, range(3)):
        a = array((3, 4, 5), dtype)
        a[1] = 0
        t = list(layouts(a))[t_of]
        assert t.nonzero().tolist() == np.argwhere(a).tolist() == t.argwhere().tolist()
        several = [p.tolist() for p in np.nonzero(a)]
        assert [p.tolist() for p in t.nonzero(as_tuple=True)] == several
        assert [p.tolist() for p in nomen.where(t)] == several
    assert nomen.tensor(3).nonzero().shape == (1, 0) and nomen.tensor(0).nonzero().shape == (0, 0)
    assert [p.tolist() for p in nomen.tensor(3).nonzero(as_tuple=True)] == [[0]]
    assert nomen.zeros(0, 3).nonzero().shape == (0, 2)
    assert nomen.tensor([float("nan"), -0.0]).nonzero().tolist() == [[0]]
    out = nomen.zeros(1, 1, dtype=nomen.int64)
    assert nomen.nonzero(nomen.ones(2), out=out) is out and out.tolist() == [[0], [1]]


def test_take_and_put():
    a = array((3, 4), "int64")
    index = np.array([[11, -12], [5, 5]])
    for t in layouts(a):
        same(t.take(tensor(index)), a.reshape(-1)[index])
        put = a.copy()
        put.reshape(-1)[index] = [[1, 2], [3, 4]]
        same(t.put(tensor(index), nomen.tensor([1, 2, 3, 4])), put)
        np.add.at(added := a.copy().reshape(-1), index, 1)
        ones = nomen.ones(4, dtype=nomen.int64)
        same(t.put_(tensor(index), ones, accumulate=True), added.reshape(3, 4))


def test_into_out_and_overlap():
    x, index = nomen.arange(6.0).reshape(2, 3), nomen.tensor([1, 0])
    out = nomen.zeros(2, 3, dtype=nomen.float64)
    assert nomen.index_select(x, 0, index, out=out) is out
    assert out.tolist() == [[3, 4, 5], [0, 1, 2]]
    nomen.index_select(x, 0, index, out=x)
    assert x.tolist() == [[3, 4, 5], [0, 1, 2]]
    x[nomen.tensor([0, 1])] = x[0]
    assert x.tolist() == [[3, 4, 5]] * 2
    small = nomen.zeros(1)
    assert nomen.masked_select(x, x > 3, out=small) is small and small.tolist() == [4, 5, 4, 5]
    mask = nomen.tensor([True, False, True])
    assert nomen.masked_select(mask, mask, out=nomen.zeros(0, dtype=nomen.bool)).tolist() == [1, 1]
    columns = nomen.zeros(3, 2)
    nomen.gather(x, 1, nomen.tensor([[2, 0, 1], [0, 0, 0]]), out=columns.transpose(0, 1))
    assert columns.tolist() == [[5, 3], [3, 3], [4, 3]]
    line = nomen.arange(4)
    line[1:].index_copy_(0, nomen.tensor([0, 1, 2]), line[:3])
    assert line.tolist() == [0, 0, 1, 2]


def test_index_put():
    x = nomen.zeros(2, 3)
    y = x.index_put((nomen.tensor([0, 0]), nomen.tensor([1, 1])), nomen.tensor(2.0), True)
    assert y.tolist() == [[0, 4, 0], [0, 0, 0]] and x.sum() == 0
    assert x.index_put_([None, nomen.tensor([0])], nomen.ones(2, 1)) is x
    assert x.tolist() == [[1, 0, 0]] * 2


def test_zero_dims():
    t, one = nomen.tensor(5.0), nomen.tensor([0])
    assert t.index_select(0, one).tolist() == 5 and t.gather(0, one).tolist() == [5]
    assert t.index_fill(0, one, 7).tolist() == 7 and t.take(one).tolist() == [5]
    assert t.scatter(0, one, 3).tolist() == 3 and t[t > 4].tolist() == [5]
    assert t.index_add(0, one, nomen.tensor([2.0])).tolist() == 7
    t[t > 4] = 1
    assert t.item() == 1


X = nomen.arange(12.0).reshape(3, 4)
I0, F = nomen.tensor([0]), nomen.tensor([0.0])
FAILS = [
    (IndexError, "index out of range in self", lambda: X.index_select(0, nomen.tensor([3]))),
    (IndexError, "index_select(): Index is supposed to be a vector",
     lambda: X.index_select(0, nomen.tensor([[0]]))),
    (RuntimeError, "index_select(): Expected dtype int", lambda: X.index_select(0, F)),
    (IndexError, "index 3 is out of bounds for dimension 0 with size 3",
     lambda: X.index_fill(0, nomen.tensor([3]), 1)),
    (RuntimeError, "index_fill_ only supports a 0-dimensional value tensor, but got tensor with 1",
     lambda: X.index_fill(0, I0, F)),
    (RuntimeError, "index_fill_(): Converting complex Scalar", lambda: X.index_fill(0, I0, 1j)),
    (RuntimeError, "index_add_(): Number of indices (1) should be equal to source.size(dim): (3)",
     lambda: X.index_add(0, I0, X)),
    (RuntimeError, "index_add_(): self (float32) and source (float64)",
     lambda: X.index_add(0, I0, X[:1].to(nomen.float64))),
    (RuntimeError, "source tensor shape must match self tensor shape",
     lambda: X.index_add(0, I0, X[:1, :2])),
    (RuntimeError, "index 3 is out of bounds", lambda: X.index_add(0, nomen.tensor([3]), X[:1])),
    (RuntimeError, "For integral input tensors, argument alpha must not be",
     lambda: X.to(nomen.int64).index_add(0, I0, X[:1].to(nomen.int64), alpha=0.5)),
    (IndexError, "index_copy_(): Number of indices (1) should be equal to source.size(dim) (3)",
     lambda: X.index_copy(0, I0, X)),
    (RuntimeError, "index_copy_(): Source/destination tensor must have same slice shapes",
     lambda: X.index_copy(0, I0, X[:, :2])),
    (IndexError, "index_copy_(): When source and destination are not scalars",
     lambda: X.index_copy(0, I0, X[0])),
    (IndexError, "index_copy_(): Index should have dimension 1 or 0 (got 2)",
     lambda: X.index_copy(0, I0[None], X[:1])),
    (RuntimeError, "torch.take_along_dim(): dtype of indices", lambda: X.take_along_dim(X, 0)),
    (IndexError, "index_copy_(): index -1 is out of bounds",
     lambda: X.index_copy(0, nomen.tensor([-1]), X[:1])),
    (RuntimeError, "index -1 is out of bounds", lambda: X.gather(0, nomen.tensor([[-1]]))),
    (RuntimeError, "Index tensor must have the same number of dimensions", lambda: X.gather(0, I0)),
    (RuntimeError, "Size does not match at dimension 0 expected index [4, 1] to be no larger",
     lambda: X.gather(1, nomen.tensor([[0]] * 4))),
    (RuntimeError, "scatter(): Expected self.dtype to be equal to src.dtype",
     lambda: X.scatter(0, nomen.tensor([[0]]), X.to(nomen.int64))),
    (RuntimeError, "reduce argument must be either add or multiply",
     lambda: X.scatter(0, nomen.tensor([[0]]), 1, reduce="mean")),
    (RuntimeError, "Expected index [1, 5] to be no larger than self [3, 4] apart from dimension 0",
     lambda: X.scatter(0, nomen.tensor([[0, 1, 2, 0, 0]]), X)),
    (IndexError, "out of range: tried to access index 12 on a tensor of 12 elements",
     lambda: X.take(nomen.tensor([12]))),
    (IndexError, "put_(): Expected source and index to have the same number of elements",
     lambda: X.put(I0, nomen.ones(2))),
    (RuntimeError, "masked_fill_ only supports boolean masks", lambda: X.masked_fill(X, 1)),
    (RuntimeError, "value cannot be converted to type float32", lambda: X.masked_fill(X > 1, 1j)),
    (RuntimeError, "value cannot be converted to type uint8",
     lambda: X.to(nomen.uint8).masked_fill(X > 1, 300)),
    (RuntimeError, "The size of tensor a (4) must match the size of tensor b (3)",
     lambda: X.masked_fill(nomen.tensor([True] * 3), 1)),
    (RuntimeError, "masked_select: expected BoolTensor for mask", lambda: X.masked_select(X)),
    (RuntimeError, "Number of elements of source < number of ones in mask",
     lambda: X.masked_scatter(X > 1, F)),
    (RuntimeError, "Index put requires the source and destination dtypes match",
     lambda: X.index_put((I0,), F.to(nomen.float64))),
    (RuntimeError, "shape mismatch: value tensor of shape [3] cannot be broadcast to indexing "
                   "result of shape [1, 4]", lambda: X.index_put((I0,), nomen.ones(3))),
    (TypeError, "index_put(): argument 'indices'", lambda: X.index_put(I0, F)),
]


@pytest.mark.parametrize("kind, text, call", FAILS, ids=[text for _, text, _ in FAILS])
def test_errors(kind, text, call):
    raises(kind, text, call)


def test_nothing_is_written_before_all_is_checked():
    x = nomen.zeros(3)
    far = nomen.tensor([0, 1, 3])
    ones = nomen.ones(3)
    for call in (lambda: x.index_fill_(0, far, 1), lambda: x.index_add_(0, far, ones),
                 lambda: x.index_copy_(0, far, ones), lambda: x.scatter_(0, far, ones),
                 lambda: x.put_(far, ones), lambda: x.__setitem__(far, ones),
                 lambda: x.masked_scatter_(x == 0, nomen.ones(2))):
        with pytest.raises((IndexError, RuntimeError)):
            call()
    assert x.tolist() == [0, 0, 0]


def test_gradients_have_names():
    x = nomen.ones(3, 4, names=("N", "C")).requires_grad_()
    (x[[0, 0, 2]] * 2).sum().backward()
    assert x.grad.tolist() == [[4] * 4, [0] * 4, [2] * 4] and x.grad.names == ("N", "C")
    x.grad = None
    y = x * 1
    y[y > 0] = 5
    y[0] = x[1]
    y.sum().backward()
    assert x.grad.tolist() == [[0] * 4, [1] * 4, [0] * 4]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        x[[0]] = 1


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float32", "complex128"])
@pytest.mark.parametrize("order", [(0, 3, 1, 2), (0, 1, 3, 2), (1, 0, 2, 3)])
def test_slices_that_lie_across_are_taken(dtype, order):
    """Tables that are made dense before most of them is taken, and those that are not."""
    a = array((2, 9, 21, 16), dtype)
    there, t = a.transpose(order), tensor(a).permute(*order)
    for dim, size in enumerate(there.shape):
        for count in (1, size // 2, size, 2 * size):
            at = np.random.default_rng(dim).integers(0, size, count)
            whole = tensor(at)
            expected = there.take(at, dim).tolist()
            assert t.index_select(dim, whole).tolist() == expected
            assert t[(slice(None),) * dim + (whole,)].tolist() == expected
            across = nomen.zeros(*there.take(at, dim).shape[::-1], dtype=t.dtype)
            out = nomen.index_select(t, dim, whole, out=across.permute(3, 2, 1, 0))
            assert out.tolist() == expected


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_of_any_length_in_reverse(dtype):
    for n in [*range(1, 20), 31, 33, 47, 65, 130, 173]:
        a = array((5, 6, n), dtype, n)
        t = tensor(a)
        for dim in range(3):
            assert t.flip(dim).tolist() == np.flip(a, dim).tolist()
            assert t[1:4, ::2].flip(dim).tolist() == np.flip(a[1:4, ::2], dim).tolist()
