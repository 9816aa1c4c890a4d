"""Counting, looking up, joining: compared with NumPy, or with what they are made of."""

import itertools
import math
import warnings

import numpy as np
import pytest

import nomen

RNG = np.random.default_rng(7)
INTEGERS = ["uint8", "int8", "int16", "int32", "int64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]


def t(values, dtype=None, names=None):
    return nomen.tensor(np.asarray(values).tolist(), dtype=dtype, names=names)


def close(tensor, expected, tol=1e-5):
    np.testing.assert_allclose(
        np.array(tensor.tolist()).reshape(tensor.shape), expected, rtol=tol, atol=tol
    )


# ---- products --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "equation, shapes",
    [
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("ij,jk", [(2, 3), (3, 4)]),
        ("ba", [(2, 3)]),
        ("ij->", [(2, 3)]),
        ("ii->i", [(3, 3)]),
        ("ii", [(3, 3)]),
        ("iij->ji", [(3, 3, 2)]),
        ("iiij->j", [(2, 2, 2, 3)]),
        ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]),
        ("bij,bjk->kib", [(2, 3, 4), (2, 4, 5)]),
        ("...ij,...jk->...ik", [(5, 1, 3, 4), (2, 4, 6)]),
        ("i...,j->...ij", [(2, 3, 4), (5,)]),
        ("...", [(2, 3)]),
        ("i,j->ij", [(2,), (3,)]),
        ("ij,kj,lj->ikl", [(2, 3), (4, 3), (5, 3)]),
        ("ij,ik,il->jkl", [(2, 3), (2, 4), (2, 5)]),
        ("abc,cd,de,ae->be", [(2, 3, 4), (4, 5), (5, 6), (2, 6)]),
        ("ij,ij->", [(3, 4), (3, 4)]),
        ("ij,k->ij", [(3, 4), (5,)]),
        (" i j , j -> i ", [(3, 4), (4,)]),
        (",i", [(), (3,)]),
        ("Ab,bA->A", [(2, 3), (3, 2)]),
        ("ij,jk->ik", [(0, 3), (3, 4)]),
        ("ij,jk->ik", [(2, 0), (0, 4)]),
    ],
)
def test_einsum_is_numpys(equation, shapes):
    arrays = [RNG.standard_normal(shape) for shape in shapes]
    operands = [nomen.from_numpy(a) for a in arrays]
    expected = np.einsum(equation, *arrays)
    for got in (nomen.einsum(equation, *operands), nomen.einsum(equation, operands)):
        assert tuple(got.shape) == expected.shape
        close(got, expected, 1e-12)


@pytest.mark.parametrize("dtype", ["int8", "int64", *FLOATS, "complex128"])
@pytest.mark.parametrize("n", [1, 2, 3, 8, 32, 33, 70])
def test_einsum_of_vectors_in_batches(n, dtype):
    """Few products in each sum, and more: element by element, and as matrices."""
    within = {"bfloat16": 1e-2, "float16": 2e-3, "float32": 1e-5}.get(dtype, 1e-12)
    x, y = (nomen.from_numpy(RNG.integers(-3, 4, (9, n))).to(getattr(nomen, dtype)) for _ in "xy")
    if dtype in FLOATS:
        x, y = x + 0.25, y - 0.125
    wide = [w.to(nomen.complex128).numpy() for w in (x, y)]
    for equation in ("ij,ij->i", "ij,ij->j", "ij,ij->", "ij,ij->ij", "ji,ji->i"):
        want = np.einsum(equation, *wide)
        if dtype == "int8":
            want = want.real.astype(np.int64).astype(np.int8)
        for own in ((x, y), (x.t().contiguous().t(), y)):
            got = nomen.einsum(equation, *own)
            assert got.dtype == x.dtype and got.shape == want.shape
            close(got.to(nomen.complex128), want, within * max(1, abs(want).max()))
    with pytest.raises(RuntimeError, match="dtype"):
        nomen.einsum("ij,ij->i", x, y.to(nomen.uint8))


def test_einsum_broadcasts_sizes_of_one():
    a, b = nomen.ones(3, 1), nomen.ones(3, 4)
    close(nomen.einsum("ij,ij->i", a, b), [4, 4, 4])
    close(nomen.einsum("ij,ij->ij", a, b), np.ones((3, 4)))


def test_einsum_with_lists_of_dims():
    a, b = RNG.standard_normal((2, 3)), RNG.standard_normal((3, 4))
    x, y = nomen.from_numpy(a), nomen.from_numpy(b)
    close(nomen.einsum(x, [0, 1], y, [1, 2], [2, 0]), (a @ b).T)
    close(nomen.einsum(x, [5, 51], y, [51, 7]), a @ b)
    close(nomen.einsum(x, [..., 1], y, [1, 2], [..., 2]), a @ b)
    named = nomen.einsum(x, ["N", "C"], y, ["C", "H"], ["H", "N"])
    assert named.names == ("H", "N")
    close(named, (a @ b).T)
    with pytest.raises(RuntimeError, match="refine"):
        nomen.einsum(x.rename("K", "C"), ["N", "C"], y, ["C", "H"], ["H", "N"])
    with pytest.raises(ValueError, match=r"not within the valid range \[0, 52\)"):
        nomen.einsum(x, [0, 52], [0])
    with pytest.raises(TypeError, match="followed by a list"):
        nomen.einsum(x, y)


def test_einsum_names():
    x, w = nomen.ones(2, 3, names=("N", "C")), nomen.ones(3, 4, names=("C", "out"))
    assert nomen.einsum("ij,jk->ki", x, w).names == ("out", "N")
    assert nomen.einsum("ij,jk", x, w.rename(None)).names == ("N", None)
    assert nomen.einsum("ij,jk->ik", x, w.rename("K", "out")).names == ("N", "out")
    assert nomen.einsum("...j,jk->...k", x, w).names == ("N", "out")
    assert nomen.einsum("ij->ij", x).names == ("N", "C") and x.names == ("N", "C")
    with pytest.raises(RuntimeError, match="'N' and dim 'M' have the same subscript 'i' but do"):
        nomen.einsum("ij,ik->ijk", x, nomen.ones(2, 4, names=("M", "out")))
    with pytest.raises(RuntimeError, match="duplicate names"):
        nomen.einsum("ij,kl->ik", x, nomen.ones(2, 4, names=("N", "out")))
    nomen.set_strict_contraction(True)
    try:
        with pytest.raises(RuntimeError, match="strict contraction: dim 'C' and dim 'K'"):
            nomen.einsum("ij,jk->ik", x, w.rename("K", "out"))
    finally:
        nomen.set_strict_contraction(False)


@pytest.mark.parametrize(
    "equation, shapes, words",
    [
        ("ij,jk", [(2, 3)], "fewer operands were provided"),
        ("ij", [(2, 3), (2, 3)], "more operands were provided"),
        ("ij,jk", [(2, 3), (4, 2)], "subscript j has size 4 for operand 1 which does not"),
        ("ij->ijk", [(2, 3)], "output subscript k does not appear"),
        ("i1", [(2, 3)], "invalid subscript given at index 1"),
        ("ij->ii", [(2, 3)], "output subscript i appears more than once"),
        ("ijk", [(2, 3)], r"\(3\) does not match the number of dimensions \(2\) for operand 0"),
        ("ijk...", [(2, 3)], r"\(3\) is more than the number of dimensions"),
        ("ii", [(2, 3)], "subscript i is repeated for operand 0 but the sizes don't match, 3 != 2"),
        ("ij->i.", [(2, 3)], "found '.' for output that is not part of any ellipsis"),
        ("i......", [(2, 3)], "for which an ellipsis was already found"),
        ("ij->j->", [(2, 3)], "invalid subscript"),
    ],
)
def test_einsum_refuses(equation, shapes, words):
    with pytest.raises(RuntimeError, match=words):
        nomen.einsum(equation, *[nomen.ones(*shape) for shape in shapes])


def test_einsum_has_gradients():
    a = nomen.ones(2, 3, names=("N", "C"), requires_grad=True)
    b = nomen.arange(12.0).reshape(3, 4).requires_grad_()
    nomen.einsum("ij,jk->ki", a, b).sum().backward()
    close(a.grad, np.tile(np.arange(12.0).reshape(3, 4).sum(1), (2, 1)))
    assert a.grad.names == ("N", "C")


@pytest.mark.parametrize(
    "dtype, numbers, error",
    [
        ("bool", dict(beta=2.5), "argument beta must not be a floating point"),
        ("bool", dict(alpha=0.5), "argument alpha must not be a floating point"),
        ("int64", dict(alpha=1j), "argument alpha must not be a floating point"),
        ("int64", dict(alpha=1.5, beta=1.5), "argument beta must not be a floating point"),
        ("int64", dict(beta=True), "Boolean beta only supported for Boolean results"),
    ],
)
def test_numbers_of_addr(dtype, numbers, error):
    v = nomen.ones(2, dtype=getattr(nomen, dtype))
    self = nomen.zeros(2, 2, dtype=v.dtype)
    with pytest.raises(RuntimeError, match=error):
        nomen.addr(self, v, v, **numbers)


def test_addr_of_bools_is_bool():
    v, self = nomen.tensor([True, False]), nomen.tensor([[False, True], [True, False]])
    both = nomen.addr(self, v, v, alpha=2, beta=3)
    assert both.dtype is nomen.bool and both.tolist() == [[True, True], [True, False]]
    assert nomen.addr(self, v, v, alpha=False).tolist() == self.tolist()


def test_outer_inner_addr_addbmm():
    u, v = t([1.0, 2.0], names=("N",)), t([3.0, 4.0, 5.0], names=("M",))
    close(u.outer(v), np.outer([1, 2], [3, 4, 5]))
    assert u.ger(v).names == ("N", "M")
    out = nomen.empty(0)
    assert nomen.outer(u, v, out=out) is out and out.names == ("N", "M")
    assert (u > 1).outer(v > 3).tolist() == [[False] * 3, [False, True, True]]
    with pytest.raises(RuntimeError, match="duplicate names"):
        u.outer(u)
    with pytest.raises(RuntimeError, match="outer: Expected 1-D argument vec2, but got 2-D"):
        u.outer(nomen.ones(2, 2))
    m = nomen.ones(2, 3, names=("A", "K"))
    assert m.inner(nomen.ones(4, 5, 3, names=("B", "C", "K"))).names == ("A", "B", "C")
    a, b = RNG.standard_normal((2, 3)), RNG.standard_normal((4, 5, 3))
    close(nomen.inner(nomen.from_numpy(a), nomen.from_numpy(b)), np.inner(a, b), 1e-12)
    close(nomen.inner(nomen.tensor(2.0), m), 2 * np.ones((2, 3)))
    with pytest.raises(RuntimeError, match="last dimension must match on both input tensors"):
        m.inner(nomen.ones(4))
    r = nomen.addr(nomen.ones(3), u, v, beta=2, alpha=3)
    close(r, 2 + 3 * np.outer([1, 2], [3, 4, 5]))
    assert r.names == ("N", "M")
    nan = nomen.full((2, 3), math.nan)
    close(nan.addr_(u.rename(None), v.rename(None), beta=0), np.outer([1, 2], [3, 4, 5]))
    with pytest.raises(RuntimeError, match="Expected 1-D argument vec1"):
        nomen.addr(nomen.ones(3), m, v)
    x, y = RNG.standard_normal((5, 2, 3)), RNG.standard_normal((5, 3, 4))
    r = nomen.addbmm(nomen.ones(4, dtype=nomen.float64), nomen.from_numpy(x), nomen.from_numpy(y))
    close(r, 1 + np.einsum("bij,bjk->ik", x, y), 1e-12)
    named = nomen.ones(5, 2, 3, names=("B", "N", "D"))
    assert nomen.addbmm(nomen.ones(4, names=("out",)), named, nomen.ones(5, 3, 4)).names == (
        "N",
        "out",
    )


@pytest.mark.parametrize("p", [0, 1, 2, 3, math.inf])
def test_pdist_is_above_the_diagonal_of_cdist(p):
    x = nomen.from_numpy(RNG.standard_normal((6, 3)))
    rows = [i for i in itertools.combinations(range(6), 2)]
    all_of_them = nomen.cdist(x, x, p).tolist()
    close(nomen.pdist(x, p), [all_of_them[i][j] for i, j in rows], 1e-12)
    assert nomen.pdist(nomen.ones(1, 3)).shape == (0,)
    with pytest.raises(RuntimeError, match="pdist only supports non-negative p values"):
        nomen.pdist(x, -1)


# ---- values once -----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (50,), (7, 8), (3, 0)])
def test_unique_is_numpys(dtype, shape):
    x = nomen.from_numpy(RNG.integers(0, 9, shape)).to(getattr(nomen, dtype))
    kept = x.to(nomen.float64).numpy()
    values, inverse, counts = x.unique(return_inverse=True, return_counts=True)
    expected = np.unique(kept.ravel(), return_counts=True)
    assert values.dtype == x.dtype and inverse.dtype == counts.dtype == nomen.int64
    assert values.to(nomen.float64).tolist() == expected[0].tolist()
    assert counts.tolist() == expected[1].tolist() and inverse.shape == x.shape
    if x.numel():
        assert values[inverse].equal(x)
    assert x.unique().equal(values) and isinstance(x.unique(), nomen.Tensor)


@pytest.mark.parametrize("value", [False, True])
def test_unique_of_bools_that_are_all_the_same(value):
    x = nomen.full([3, 4], value, names=("N", "C"))
    values, inverse, counts = x.unique(return_inverse=True, return_counts=True)
    assert values.dtype == nomen.bool and values.tolist() == [value] and values.names == (None,)
    assert counts.tolist() == [12] and inverse.tolist() == [[0] * 4] * 3
    assert inverse.names == ("N", "C")


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("n", [7, 513, 1030, 200003])
@pytest.mark.parametrize("bins", [3, 127, 1024, 1500])
def test_many_counted_in_few_bins(dtype, n, bins):
    """Parts of the elements, each with some tables; more bins are added to one by one."""
    x = RNG.integers(0, min(bins, np.iinfo(dtype).max + 1), n).astype(dtype)
    x[n // 2] = min(bins - 1, np.iinfo(dtype).max)
    for each in (nomen.from_numpy(x), nomen.from_numpy(np.repeat(x, 2))[::2]):
        assert each.bincount().tolist() == np.bincount(x).tolist()
        assert each.bincount(minlength=1024).tolist() == np.bincount(x, minlength=1024).tolist()


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS])
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_unique_slices_are_numpys(dtype, dim):
    x = nomen.from_numpy(RNG.integers(-1, 1, (4, 3, 2)) * 3).to(getattr(nomen, dtype))
    values, inverse, counts = x.unique(dim=dim, return_inverse=True, return_counts=True)
    expected = np.unique(x.to(nomen.float64).numpy(), axis=dim, return_counts=True)
    assert values.to(nomen.float64).tolist() == expected[0].tolist()
    assert counts.tolist() == expected[1].tolist()
    assert values.index_select(dim, inverse).equal(x)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_unique_slices_with_nan(dtype):
    """NaN, of either sign, come last and are never the same."""
    nan = math.nan
    x = nomen.tensor([[nan, 1], [0, 2], [-nan, 1], [0, 2], [-nan, 0]], dtype=getattr(nomen, dtype))
    values, inverse = x.unique(dim=0, return_inverse=True)
    assert values[0].tolist() == [0, 2]
    assert values[1:].isnan()[:, 0].all() and values[1:, 1].tolist() == [0, 1, 1]
    assert inverse.tolist() == [2, 0, 3, 0, 1]


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS])
@pytest.mark.parametrize("width", [9, 64, 201])
def test_unique_wide_slices_differ_late(dtype, width):
    values = np.zeros((40, width), "i8")
    values[:, width - 1] = RNG.integers(-2, 3, 40)
    values[::3, width // 2] = RNG.integers(-2, 3, 14)
    x = nomen.from_numpy(values).to(getattr(nomen, dtype))
    for each in (x, x.t().contiguous().t()):
        got, inverse = each.unique(dim=0, return_inverse=True)
        expected = np.unique(x.to(nomen.float64).numpy(), axis=0)
        assert got.to(nomen.float64).tolist() == expected.tolist()
        assert got[inverse].equal(x)


def test_unique_of_odd_numbers():
    nan, inf = math.nan, math.inf
    values = t([1.0, nan, 0.0, -0.0, nan, -inf, inf]).unique().tolist()
    assert values[:4] == [-inf, 0.0, 1.0, inf] and len(values) == 6
    rows = t([[inf, 1.0], [-inf, 5.0], [-1.0, 5.0], [inf, 0.0], [-0.0, 1.0], [0.0, 1.0]])
    order = rows.unique(dim=0).tolist()
    assert order == [[-inf, 5], [-1, 5], [0, 1], [inf, 0], [inf, 1]]
    assert t([[nan, 1.0], [nan, 1.0]]).unique(dim=0).shape == (2, 2)
    small = t([[-128, 127], [127, -128], [-128, -128]], nomen.int8)
    assert small.unique(dim=0).tolist() == [[-128, -128], [-128, 127], [127, -128]]
    assert t([[255], [1]], nomen.uint8).unique(dim=0).tolist() == [[1], [255]]


def test_unique_names():
    x = nomen.tensor([[3, 1, 3], [3, 1, 3]], names=("N", "C"))
    values, inverse, counts = x.unique(return_inverse=True, return_counts=True)
    assert (values.names, inverse.names, counts.names) == ((None,), ("N", "C"), (None,))
    values, inverse, counts = x.unique(return_inverse=True, return_counts=True, dim="C")
    assert (values.names, inverse.names, counts.names) == (("N", "C"), ("C",), ("C",))
    with pytest.raises(RuntimeError, match="'T' not found"):
        x.unique(dim="T")
    with pytest.raises(RuntimeError, match="0 sized dimensions"):
        nomen.ones(3, 0).unique(dim=0)
    assert nomen.ones(0, 3).unique(dim=0).shape == (0, 3)
    with pytest.raises(IndexError):
        nomen.tensor(3).unique(dim=0)
    with pytest.raises(RuntimeError, match="not implemented for 'complex64'"):
        nomen.tensor([1j]).unique()


def test_unique_consecutive():
    x = nomen.tensor([[1, 1, 2], [2, 3, 1]], names=("N", "C"))
    values, inverse, counts = x.unique_consecutive(True, True)
    assert values.tolist() == [1, 2, 3, 1] and counts.tolist() == [2, 2, 1, 1]
    assert inverse.tolist() == [[0, 0, 1], [1, 2, 3]] and inverse.names == ("N", "C")
    pairs = nomen.tensor([[1, 2], [1, 2], [0, 2]]).unique_consecutive(dim=0, return_counts=True)
    assert pairs[0].tolist() == [[1, 2], [0, 2]] and pairs[1].tolist() == [2, 1]
    assert nomen.tensor([1j, 1j, 0]).unique_consecutive().tolist() == [1j, 0]
    assert nomen.tensor(3).unique_consecutive().tolist() == [3]
    x = nomen.from_numpy(RNG.integers(0, 2, 100000))
    runs, counts = x.unique_consecutive(return_counts=True)
    assert runs.repeat_interleave(counts).equal(x)


# ---- counts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", INTEGERS)
def test_bincount_is_numpys(dtype):
    x = RNG.integers(0, 20, 300)
    w = RNG.standard_normal(300)
    n = nomen.from_numpy(x).to(getattr(nomen, dtype))
    assert n.bincount().tolist() == np.bincount(x).tolist()
    assert nomen.bincount(n, minlength=40).tolist() == np.bincount(x, minlength=40).tolist()
    close(n.bincount(nomen.from_numpy(w)), np.bincount(x, w), 1e-12)


@pytest.mark.parametrize("threads", [1, 3])
def test_bincount_of_many_bins(threads):
    before = nomen.get_num_threads()
    nomen.set_num_threads(threads)
    for bins, n in [(1025, 10), (5000, 100), (3000, 200000), (100000, 99999), (1500, 66000)]:
        x = RNG.integers(0, bins, n)
        x[n // 2] = bins - 1
        for dtype in (nomen.int64, nomen.int32):
            own = nomen.from_numpy(x).to(dtype)
            assert own.bincount().tolist() == np.bincount(x).tolist()
        twice, more = nomen.from_numpy(np.repeat(x, 2))[::2], bins + 7
        assert twice.bincount(minlength=more).tolist() == np.bincount(x, None, more).tolist()
    nomen.set_num_threads(before)


def test_bincount_dtypes_and_errors():
    n = nomen.tensor([1, 3], names=("N",))
    assert n.bincount().names == (None,)
    for weights, result in (
        (nomen.float32, nomen.float32),
        (nomen.int32, nomen.float64),
        (nomen.float16, nomen.float64),
        (nomen.complex64, nomen.complex64),
    ):
        assert n.bincount(nomen.ones(2, dtype=weights)).dtype is result
    empty = nomen.tensor([], dtype=nomen.int64)
    assert empty.bincount(minlength=2).tolist() == [0, 0] and empty.bincount().shape == (0,)
    for bad in (nomen.tensor([1, -1]), nomen.ones(2, 2, dtype=nomen.int64), nomen.tensor(1)):
        with pytest.raises(RuntimeError, match="only supports 1-d non-negative"):
            bad.bincount()
    with pytest.raises(RuntimeError, match="not implemented for 'float32'"):
        nomen.tensor([1.0]).bincount()
    with pytest.raises(RuntimeError, match="weights should be 1-d and have the same length"):
        n.bincount(nomen.ones(3))
    with pytest.raises(RuntimeError, match="minlength should be >= 0"):
        n.bincount(minlength=-1)


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_histc_counts(dtype):
    x = RNG.integers(0, 64, 500)
    n = nomen.from_numpy(x).to(getattr(nomen, dtype))
    got = n.histc(8, 0, 64)
    assert got.dtype == n.dtype
    assert got.tolist() == np.histogram(x, 8, (0, 64))[0].tolist()
    assert n.histc(9).tolist() == np.histogram(x, 9, (x.min(), x.max()))[0].tolist()


def test_histc_of_numbers_without_room_around_them():
    """So large that one more or less is the same number: they are in the middle."""
    for x in (nomen.tensor(3.5e84, dtype=nomen.float64), nomen.tensor([2**61 + 1, 2**61 + 1])):
        counts = x.histc(bins=5).tolist()
        assert counts == [0, 0, x.numel(), 0, 0]


def test_unique_along_a_dim_of_a_number():
    for dim in (0, -1, 100):
        with pytest.raises(IndexError, match=f"Dimension specified as {dim} but tensor has no dim"):
            nomen.tensor(7).unique(dim=dim)


def test_histc_odd_input():
    x = nomen.tensor([1.0, 2.0, 1.0, math.nan, 5.0], names=("N",))
    assert x.histc(4, 0, 4).tolist() == [0, 2, 1, 0] and x.histc(4, 0, 4).names == (None,)
    assert nomen.ones(2).histc(4).tolist() == [0, 0, 2, 0]
    assert nomen.tensor([]).histc(4).tolist() == [0, 0, 0, 0]
    assert x.histc(min=0, max=4).shape == (100,)
    for args, words in (
        ((0,), "bins must be > 0"),
        ((4, 3, 1), "max must be larger than min"),
        ((4,), "is not finite"),
        ((4, 0, math.inf), "is not finite"),
    ):
        with pytest.raises(RuntimeError, match=words):
            x.histc(*args)


# ---- quantiles -------------------------------------------------------------------------------

HOW = ["linear", "lower", "higher", "midpoint", "nearest"]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("dim", [None, 0, 1, -1])
def test_quantile_is_numpys(how, dim):
    a = RNG.standard_normal((4, 5, 6))
    x = nomen.from_numpy(a)
    for q in (0.0, 0.3, 1.0):
        close(x.quantile(q, dim, interpolation=how), np.quantile(a, q, dim, method=how), 1e-12)
    qs = [0.1, 0.5, 0.77]
    many = x.quantile(nomen.tensor(qs, dtype=nomen.float64), dim, True, interpolation=how)
    expected = np.quantile(a, qs, dim, method=how, keepdims=True)
    assert tuple(many.shape) == expected.shape
    close(many, expected, 1e-12)


@pytest.mark.parametrize("how", HOW)
def test_nanquantile_is_numpys(how):
    a = RNG.standard_normal((5, 8))
    a[RNG.random((5, 8)) < 0.4] = np.nan
    a[0] = np.nan
    a[1] = 1.5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of a row of NaN alone
        expected = np.nanquantile(a, [0.2, 0.6], 1, method=how)
    q = nomen.tensor([0.2, 0.6], dtype=nomen.float64)
    close(nomen.from_numpy(a).nanquantile(q, 1, interpolation=how), expected, 1e-12)
    assert math.isnan(nomen.from_numpy(a).quantile(0.5).item())


def test_quantile_names_dtypes_errors():
    x = nomen.tensor([[1.0, 2.0, 4.0], [3.0, 5.0, 9.0]], names=("N", "C"))
    assert x.quantile(0.5, "C").names == ("N",) and x.quantile(0.5).names == ()
    assert x.quantile(0.5, "C", keepdim=True).names == ("N", "C")
    q = nomen.tensor([0.0, 1.0])
    assert x.quantile(q, "N").names == (None, "C")
    assert x.quantile(q.rename("q"), "N", keepdim=True).names == ("q", "N", "C")
    with pytest.raises(RuntimeError, match="duplicate names"):
        x.quantile(q.rename("C"), "N")
    for dtype in FLOATS:
        assert x.to(getattr(nomen, dtype)).quantile(0.5, 1).tolist() == [2, 5]
    out = nomen.empty(0)
    assert nomen.quantile(x, 0.5, "C", out=out) is out and out.names == ("N",)
    for call, words in (
        (lambda: x.quantile(1.5), r"must be in the range \[0, 1\] but got 1.5"),
        (lambda: x.quantile(nomen.tensor([1.5])), r"q values must be in the range \[0, 1\]"),
        (lambda: x.quantile(math.nan), "must be in the range"),
        (lambda: x.quantile(nomen.ones(1, 1)), "must be a scalar or 1D tensor"),
        (lambda: x.quantile(q.double()), "must be same dtype"),
        (lambda: x.long().quantile(0.5), "must be either float or double dtype"),
        (lambda: nomen.tensor([]).quantile(0.5), "must be non-empty"),
        (lambda: nomen.ones(2, 0).quantile(0.5, 1), "must be non-empty"),
        (lambda: x.quantile(0.5, interpolation="x"), "interpolation must be one of"),
    ):
        with pytest.raises(RuntimeError, match=words):
            call()


def test_quantile_has_gradients():
    x = nomen.tensor([1.0, 2.0, 4.0], names=("N",), requires_grad=True)
    x.quantile(0.75).backward()
    assert x.grad.tolist() == [0, 0.5, 0.5]


# ---- searches --------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS])
@pytest.mark.parametrize("length", [0, 1, 2, 7, 64])
def test_searchsorted_is_numpys(dtype, length):
    a, v = np.sort(RNG.integers(0, 20, length)), RNG.integers(0, 22, (5, 9))
    if dtype == "bool":
        a, v = np.sort(a > 9), v > 9
    kind = getattr(nomen, dtype)
    row, values = nomen.from_numpy(a).to(kind), nomen.from_numpy(v).to(kind)
    for side in ("left", "right"):
        expected = np.searchsorted(a, v, side)
        assert nomen.searchsorted(row, values, side=side).tolist() == expected.tolist()
        right = side == "right"
        assert nomen.bucketize(values, row, right=right).tolist() == expected.tolist()
        turned = nomen.searchsorted(row, values.transpose(0, 1), right=right)
        assert turned.transpose(0, 1).tolist() == expected.tolist()


def test_searchsorted_rows_sorter_out():
    rows = np.sort(RNG.standard_normal((4, 3, 8)), -1)
    v = RNG.standard_normal((4, 3, 5))
    got = nomen.searchsorted(nomen.from_numpy(rows), nomen.from_numpy(v))
    expected = [[np.searchsorted(rows[i, j], v[i, j]).tolist() for j in range(3)] for i in range(4)]
    assert got.tolist() == expected and got.dtype is nomen.int64
    mixed = RNG.permutation(np.arange(9.0))
    sorter = nomen.from_numpy(mixed).argsort()
    values = nomen.tensor([2.5, 8.0], dtype=nomen.float64)
    assert nomen.searchsorted(nomen.from_numpy(mixed), values, sorter=sorter).tolist() == [3, 8]
    small = nomen.searchsorted(nomen.tensor([1, 3, 5]), 3.5, out_int32=True)
    assert small.item() == 2 and small.dtype is nomen.int32
    out = nomen.empty(2, dtype=nomen.int64)
    assert nomen.searchsorted(nomen.tensor([1, 3]), nomen.tensor([0, 9]), out=out) is out
    assert out.tolist() == [0, 2]
    assert nomen.bucketize(3, nomen.tensor([1, 3, 5]), right=True).item() == 2
    nan = nomen.tensor([1.0, 2.0, math.nan])
    looked = nomen.tensor([math.nan, 1.5, math.inf])
    assert nomen.searchsorted(nan, looked).tolist() == [2, 1, 2]
    assert nomen.searchsorted(nan, looked, right=True).tolist() == [3, 1, 2]


def test_searchsorted_names_and_errors():
    rows = nomen.ones(2, 3, names=("N", "T"))
    values = nomen.ones(2, 4, names=(None, "q"))
    assert nomen.searchsorted(rows, values).names == ("N", "q")
    assert nomen.bucketize(values, nomen.tensor([1.0])).names == (None, "q")
    b = nomen.tensor([1, 3, 5])
    for call, words in (
        (lambda: nomen.searchsorted(rows, nomen.ones(2, 4, names=("M", "q"))), "do not match"),
        (lambda: nomen.searchsorted(rows, nomen.ones(3, 4)), "first N-1 dimensions"),
        (lambda: nomen.searchsorted(rows, 3), "can be a scalar only when"),
        (lambda: nomen.searchsorted(b, 3, side="x"), "can only be 'left' or 'right' but got x"),
        (lambda: nomen.searchsorted(b, 3, side="left", right=True), "set to opposites"),
        (lambda: nomen.searchsorted(b, 3, sorter=b[:2]), "must have the same size"),
        (lambda: nomen.searchsorted(b, 3, sorter=b), "sorter index out of range"),
        (lambda: nomen.bucketize(b, rows), "must be 1 dimension"),
    ):
        with pytest.raises(RuntimeError, match=words):
            call()


# ---- scatter_reduce --------------------------------------------------------------------------

REDUCE = {"sum": np.sum, "prod": np.prod, "mean": np.mean, "amax": np.max, "amin": np.min}


def reduced(own, index, src, reduce, include):
    """Along dim 1, by hand."""
    result = own.copy()
    for i in range(own.shape[0]):
        for place in range(own.shape[1]):
            came = [src[i, k] for k in range(index.shape[1]) if index[i, k] == place]
            if came:
                result[i, place] = REDUCE[reduce](came + [own[i, place]] * include)
    return result


@pytest.mark.parametrize("include", [True, False])
@pytest.mark.parametrize("reduce", REDUCE)
@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_scatter_reduce_by_hand(dtype, reduce, include):
    kind = getattr(nomen, dtype)
    low = 1 if dtype == "uint8" else -3
    own, src = RNG.integers(low, 5, (3, 6)), RNG.integers(low, 5, (4, 7))
    index = RNG.integers(0, 6, (3, 5))
    if reduce == "mean":  # of integers rounded down, which is not NumPy's
        own, src = own * 60, src * 60
        if dtype in ("uint8", "int8", "float16", "bfloat16"):
            pytest.skip("too large, or not exact")
    x = nomen.from_numpy(own).to(kind).rename("N", "C")
    given = nomen.from_numpy(index), nomen.from_numpy(src).to(kind)
    got = x.scatter_reduce("C", *given, reduce, include_self=include)
    assert got.names == ("N", "C") and got.dtype is kind
    expected = nomen.from_numpy(reduced(own, index, src, reduce, include)).to(kind)
    assert got.rename(None).equal(expected)
    view = nomen.zeros(6, 3, dtype=kind).transpose(0, 1).copy_(x.rename(None))
    assert view.scatter_reduce_(1, *given, reduce, include_self=include).equal(expected)
    rows = x.rename(None).transpose(0, 1).contiguous()
    turned = rows.scatter_reduce(
        0, *[g.transpose(0, 1) for g in given], reduce, include_self=include
    )
    assert turned.transpose(0, 1).equal(expected)


def test_scatter_reduce_odd_input():
    i = nomen.tensor([0, 0, 2])
    x = nomen.tensor([2.0, 3.0, 4.0])
    src = nomen.tensor([5.0, math.nan, -9.0])
    for reduce in ("amax", "amin"):
        got = x.scatter_reduce(0, i, src, reduce)
        assert math.isnan(got[0].item())
    bools = nomen.tensor([True, False, True])
    assert bools.scatter_reduce(0, i, ~bools, "amin").tolist() == [False, False, False]
    assert bools.scatter_reduce(0, i, bools, "sum").tolist() == [True, False, True]
    z = nomen.tensor([2, 3, 4j])
    close(z.scatter_reduce(0, i, z, "mean"), [7 / 3, 3, 4j])  # 2, 2, 3
    whole = nomen.tensor([2, 3, 4]).scatter_reduce(0, i, nomen.tensor([5, -8, -9]), "mean")
    assert whole.tolist() == [-1, 3, -3]
    empty = x.scatter_reduce(0, i[:0], src, "amax", include_self=False)
    assert empty.equal(x)
    for call, words in (
        (lambda: x.scatter_reduce(0, i, src, "x"), "must be either sum, prod, mean, amax or amin"),
        (lambda: z.scatter_reduce(0, i, z, "amax"), "not implemented for 'complex64'"),
        (lambda: x.scatter_reduce(0, i, src.double(), "sum"), "to be equal to src.dtype"),
        (lambda: x.scatter_reduce(0, i + 1, src, "sum"), "out of bounds"),
    ):
        with pytest.raises(RuntimeError, match=words):
            call()
    assert x.tolist() == [2, 3, 4]


@pytest.mark.parametrize("include", [True, False])
@pytest.mark.parametrize("reduce", REDUCE)
def test_scatter_reduce_gradients(reduce, include):
    own, src = RNG.standard_normal((3, 4)), RNG.standard_normal((3, 5))
    index = nomen.from_numpy(RNG.integers(0, 4, (3, 5)))
    weight = nomen.from_numpy(RNG.standard_normal((3, 4)))

    def value(a, b):
        r = nomen.from_numpy(a).scatter_reduce(
            1, index, nomen.from_numpy(b), reduce, include_self=include
        )
        return (r * weight).sum().item()

    x, y = nomen.from_numpy(own.copy()), nomen.from_numpy(src.copy())
    x.requires_grad_(), y.requires_grad_()
    (x.scatter_reduce(1, index, y, reduce, include_self=include) * weight).sum().backward()
    h = 1e-6
    for grad, array, other in ((x.grad, own, src), (y.grad, src, own)):
        for place in np.ndindex(array.shape):
            up, down = array.copy(), array.copy()
            up[place] += h
            down[place] -= h
            pair = [(a, other) if array is own else (other, a) for a in (up, down)]
            slope = (value(*pair[0]) - value(*pair[1])) / (2 * h)
            assert abs(grad[place].item() - slope) < 1e-6


def test_products_with_zeros_have_gradients():
    x = nomen.tensor([2.0, 0.0, 3.0], requires_grad=True)
    src = nomen.tensor([0.0, 4.0, 5.0, 0.0, 0.0], requires_grad=True)
    index = nomen.tensor([0, 0, 1, 2, 2])
    x.scatter_reduce(0, index, src, "prod").sum().backward()
    assert x.grad.tolist() == [0, 5, 0]
    assert src.grad.tolist() == [8, 0, 0, 0, 0]
    x.grad = src.grad = None
    x.scatter(0, index, src, reduce="multiply").sum().backward()
    assert x.grad.tolist() == [0, 5, 0] and src.grad.tolist() == [8, 0, 0, 0, 0]
    x.grad = None
    x.scatter(0, index[:1], 7.0, reduce="multiply").sum().backward()
    assert x.grad.tolist() == [7, 1, 1]


# ---- memory ----------------------------------------------------------------------------------


def test_as_strided_reads_and_writes():
    x = nomen.arange(6, names=None).reshape(2, 3).rename("N", "C")
    v = x.as_strided((2, 2), (1, 2))
    assert v.tolist() == [[0, 2], [1, 3]] and v.names == (None, None)
    assert x.as_strided((2, 2), (1, 2), 2).tolist() == [[2, 4], [3, 5]]
    assert x[1].as_strided((2,), (1,)).tolist() == [3, 4]
    assert x[1].as_strided((2,), (1,), 0).tolist() == [0, 1]
    assert x.as_strided((3, 0), (1, 1), 6).shape == (3, 0)
    assert x.as_strided((), ()).item() == 0
    v.fill_(9)
    assert x.tolist() == [[9, 9, 9], [9, 4, 5]]
    for args, words in (
        (((2, 2), (1, 2), 3), "are out of bounds for storage of size 48"),
        (((1,), (1,), 6), "out of bounds"),
        (((2,), (1 << 62,)), "out of bounds"),
        (((2, 3), (1 << 62, 1 << 62)), "overflow|out of bounds"),
        (((2, 2), (1,)), "mismatch in length of strides and shape"),
        (((2,), (-1,)), "Negative strides are not supported"),
        (((-2,), (1,)), "negative dimension"),
        (((2,), (1,), -1), "invalid storage offset -1"),
    ):
        with pytest.raises(RuntimeError, match=words):
            x.as_strided(*args)


def test_as_strided_has_gradients():
    x = nomen.arange(6.0).reshape(2, 3).requires_grad_()
    y = x * 1
    y.as_strided((3, 2), (1, 1), 1).sum().backward()  # windows 1 2, 2 3, 3 4
    assert x.grad.tolist() == [[0, 1, 2], [2, 1, 0]]
    x.grad = None
    y = (x * 1).transpose(0, 1)
    (y.as_strided((2,), (2,), 1) * nomen.tensor([5.0, 7.0])).sum().backward()
    assert x.grad.tolist() == [[0, 5, 0], [7, 0, 0]]
    x.grad = None
    y = x * 1
    y.as_strided((2,), (1,)).mul_(3)
    y.sum().backward()
    assert x.grad.tolist() == [[3, 3, 1], [1, 1, 1]]


def test_view_of_another_dtype():
    x = nomen.tensor([[1.0, -2.0], [0.0, 3.0]], names=("N", "C"))
    bits = x.view(nomen.int32)
    assert bits.tolist() == np.array([[1.0, -2.0], [0.0, 3.0]], np.float32).view(np.int32).tolist()
    assert bits.names == ("N", "C") and x.view(dtype=nomen.uint8).shape == (2, 8)
    bits[0, 0] = 0
    assert x[0, 0].item() == 0
    assert x.view(nomen.float64).shape == (2, 1) and x.view(nomen.complex64).shape == (2, 1)
    assert x.view(nomen.float64).view(nomen.float32).equal(x)
    assert nomen.tensor(1.0).view(nomen.int32).item() == 1065353216
    wide = nomen.ones(3, 5)
    for call, words in (
        (lambda: nomen.ones(2, 3).view(nomen.float64), r"self.size\(-1\) must be divisible by 2"),
        (lambda: nomen.ones(4, 2).t().view(nomen.float64), r"self.stride\(-1\) must be 1"),
        (lambda: nomen.tensor(1.0).view(nomen.int16), r"self.dim\(\) cannot be 0 to view"),
        (lambda: wide[:, :4].view(nomen.float64), r"self.stride\(0\) must be divisible by 2"),
        (lambda: nomen.ones(8)[1:3].view(nomen.float64), r"self.storage_offset\(\) must be"),
    ):
        with pytest.raises(RuntimeError, match=words):
            call()


def test_storage_type():
    x = nomen.ones(2, names=("N",))
    assert isinstance(x.storage(), x.storage_type())
