"""What small calls take short ways for: the same as larger ones, and as NumPy says."""

import numpy as np
import pytest

import nomen

FLOATS = ("float16", "bfloat16", "float32", "float64")
WHOLE = ("uint8", "int8", "int16", "int32", "int64")


def numbers(shape, dtype, seed=0):
    """With equal ones among them, and zeros of both signs."""
    made = np.random.default_rng(seed).integers(0 if dtype == "uint8" else -3, 4, shape)
    t = nomen.tensor(made.tolist()).to(getattr(nomen, dtype))
    return t, made


@pytest.mark.parametrize("dtype", FLOATS + WHOLE)
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (2, 4, 2), (8, 2), (2, 8), (12, 5), (16, 20)])
@pytest.mark.parametrize("descending", [False, True])
def test_few_keys_are_in_order(dtype, shape, descending):
    t, made = numbers(shape, dtype)
    for dim in range(len(shape)):
        values, places = t.sort(dim=dim, descending=descending)
        want = np.argsort(-made if descending else made, axis=dim, kind="stable")
        assert places.tolist() == want.tolist()
        assert values.double().tolist() == np.take_along_axis(made, want, dim).tolist()
        k = max(1, shape[dim] // 2)
        best, at = t.topk(k, dim, largest=descending)
        first = np.take(want, range(k), axis=dim)
        assert at.tolist() == first.tolist()
        assert best.double().tolist() == np.take_along_axis(made, first, dim).tolist()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("dim", [0, 1])
def test_one_of_few_keys(dtype, dim):
    t, made = numbers((5, 6), dtype)
    middle = np.sort(made, axis=dim).take((made.shape[dim] - 1) // 2, axis=dim)
    assert t.median(dim).values.double().tolist() == middle.tolist()
    assert t.kthvalue(1, dim).values.double().tolist() == made.min(axis=dim).tolist()
    t[2, 3] = float("nan")
    assert t.median(dim).values.isnan().sum().item() == 1
    assert not t.nanmedian(dim).values.isnan().any()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(4, 4), (2, 4, 2), (3, 8), (7, 2), (9, 7)])
def test_short_lines_of_logcumsumexp(dtype, shape):
    t = (nomen.rand(*shape) * 20 - 10).to(getattr(nomen, dtype))
    t.view(-1)[1] = float("-inf")
    made = np.array(t.double().tolist())
    for dim in range(len(shape)):
        want = np.logaddexp.accumulate(made, axis=dim)
        got = np.array(t.logcumsumexp(dim).double().tolist())
        digits = {"bfloat16": 2**-7, "float16": 2**-10}.get(dtype, 1e-6)
        np.testing.assert_allclose(got, want, rtol=digits, atol=digits)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("n", [1, 3, 7, 15, 16, 17])
def test_a_row_of_less_than_a_vector(dtype, n):
    """One by one, rows have the results that they have together."""
    t = (nomen.rand(9, n) * 20).to(getattr(nomen, dtype))
    for call in (nomen.softmax, nomen.log_softmax):
        together = np.array(call(t.double(), 1).tolist())
        digits = {"bfloat16": 2**-7, "float16": 2**-9}.get(dtype, 1e-5)
        for r in range(9):
            alone = np.array(call(t[r], 0).double().tolist())
            np.testing.assert_allclose(alone, together[r], rtol=digits, atol=digits)


@pytest.mark.parametrize("n", [1, 2, 100, 512, 513])
@pytest.mark.parametrize("dtype", ("float32", "int64", "uint8", "float16"))
def test_unique_of_few_and_of_many(n, dtype):
    t, made = numbers((n,), dtype)
    values, inverse, counts = nomen.unique(t, return_inverse=True, return_counts=True)
    want = np.unique(made, return_inverse=True, return_counts=True)
    assert values.double().tolist() == want[0].tolist()
    assert inverse.tolist() == want[1].tolist() and counts.tolist() == want[2].tolist()
    runs, group, lengths = nomen.unique_consecutive(t, return_inverse=True, return_counts=True)
    first = np.flatnonzero(np.concatenate([[True], made[1:] != made[:-1]]))
    assert runs.double().tolist() == made[first].tolist()
    assert lengths.tolist() == np.diff([*first, n]).tolist()
    assert group.tolist() == (np.cumsum(np.isin(np.arange(n), first)) - 1).tolist()


@pytest.mark.parametrize("n", [1, 128, 129])
@pytest.mark.parametrize("dtype", WHOLE)
def test_bincount_of_few_and_of_many(n, dtype):
    made = np.random.default_rng(n).integers(0, 9, n)
    t = nomen.tensor(made.tolist()).to(getattr(nomen, dtype))
    assert t.bincount().tolist() == np.bincount(made).tolist()
    assert t.bincount(minlength=20).tolist() == np.bincount(made, minlength=20).tolist()
    if dtype != "uint8":
        with pytest.raises(RuntimeError):
            (t - 9).bincount()


@pytest.mark.parametrize("dtype", WHOLE)
@pytest.mark.parametrize("n", [1, 16, 256, 257])
def test_a_divisor_of_zero_is_found(dtype, n):
    t = nomen.ones(n).to(getattr(nomen, dtype))
    assert nomen.remainder(t, t).tolist() == [0] * n
    other = t.clone()
    other[n // 2] = 0
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        nomen.remainder(t, other)


def test_composites_with_and_without_a_tape():
    """Views on the stack, and those that somebody keeps."""
    x, v = nomen.rand(3, 4), nomen.rand(3)
    for keep in (False, True):
        t, w = x.clone().requires_grad_(keep), v.clone().requires_grad_(keep)
        whole = [
            t.trace(),
            t.t().trace(),
            t[:, ::2].trace(),
            nomen.outer(w, w[::2]),
            nomen.addr(nomen.ones(3, 3), w, w),
            nomen.narrow_copy(t, 1, 1, 2),
            nomen.narrow_copy(t.t(), 1, 1, 2),
            nomen.vstack([w, w]),
            nomen.dstack([t, t]),
            nomen.column_stack([w, t]),
            t.repeat(2, 1, 3),
            t.t().repeat_interleave(2, 1),
            nomen.cdist(t, t + 1),
            nomen.pdist(t),
        ]
        made = [r.tolist() for r in whole]
        if keep:
            assert made == before
            sum(r.sum() for r in whole[:-1]).backward()
            assert t.grad.shape == t.shape and w.grad.shape == w.shape
        before = made


@pytest.mark.parametrize("shape", [(1, 40), (25, 1), (1, 1)])
def test_expanded_dims_of_extrema(shape):
    t = nomen.rand(*shape) - 0.5
    wide, whole = t.expand(25, 40), t.expand(25, 40).clone()
    assert [r.item() for r in wide.aminmax()] == [whole.min().item(), whole.max().item()]
    for dim in (None, 0, 1, (0, 1)):
        given = () if dim is None else (dim,)
        assert wide.amax(*given).tolist() == whole.amax(*given).tolist()
        assert wide.amin(*given).tolist() == whole.amin(*given).tolist()
    for call in (nomen.any, nomen.all):
        for dim in (0, 1):
            assert call(wide > 0, dim).tolist() == call(whole > 0, dim).tolist()
    assert nomen.norm(wide, float("inf")).item() == nomen.norm(whole, float("inf")).item()
    nothing = nomen.ones(1, 3, dtype=nomen.bool).expand(0, 3)
    assert nothing.any(0).tolist() == [False] * 3 and nothing.all(0).tolist() == [True] * 3


def products():
    """(name, self, left, right, the product), with sizes to which self has to grow, too."""
    left, right = nomen.rand(3, 4), nomen.rand(4, 2)
    batch, other = nomen.rand(2, 3, 4), nomen.rand(2, 4, 2)
    for own in ((3, 2), (2,), (3, 1), ()):
        yield "addmm", nomen.rand(own), left, right, left @ right
        yield "addmm", nomen.rand(own), left.t().contiguous().t(), right, left @ right
        yield "baddbmm", nomen.rand(own), batch, other, batch @ other
        yield "addbmm", nomen.rand(own), batch, other, (batch @ other).sum(0)
    for own in ((3,), (1,), ()):
        yield "addmv", nomen.rand(own), left, right[:, 0], left @ right[:, 0]


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int64", "complex64"])
def test_sums_of_products_leave_their_operands(dtype):
    for name, own, left, right, product in products():
        own, left, right = ((t * 8).to(getattr(nomen, dtype)) for t in (own, left, right))
        held = [t.tolist() for t in (own, left, right)]
        got = getattr(nomen, name)(own, left, right)
        want = own + {"addmm": left.matmul, "addmv": left.mv}.get(name, left.matmul)(right)
        if name == "addbmm":
            want = own + left.matmul(right).sum(0).to(own.dtype)
        assert got.shape == product.shape and got.dtype == own.dtype
        assert got.tolist() == want.tolist()
        assert [t.tolist() for t in (own, left, right)] == held
        out = nomen.empty_like(got)
        assert getattr(nomen, name)(own, left, right, out=out) is out
        assert out.tolist() == want.tolist()
        twice = getattr(nomen, name)(own, left, right, beta=2, alpha=3)
        assert twice.shape == got.shape and twice.dtype == got.dtype


def test_sums_of_products_have_names_and_gradients():
    x, w = nomen.rand(3, 4, names=("N", "D")), nomen.rand(4, 2, names=(None, "H"))
    b = nomen.rand(2, names=("H",))
    held = b.tolist()
    got = nomen.addmm(b, x, w)
    assert got.names == ("N", "H") and got.tolist() == (x @ w + b).tolist()
    assert b.tolist() == held and b.names == ("H",)
    assert nomen.addmv(b, w.t(), x[0]).names == ("H",)
    assert nomen.addmm(b.rename(None), x, w).names == ("N", "H")
    assert nomen.addmm(b, x.rename(None), w.rename(None)).names == (None, "H")
    with pytest.raises(RuntimeError, match="do not match"):
        nomen.addmm(b.rename("N"), x, w)
    for who in range(3):
        parts = [t.detach() for t in (b, x, w)]
        parts[who].requires_grad_()
        y = nomen.addmm(*parts)
        assert y.names == ("N", "H") and y.requires_grad
        y.sum().backward()
        assert parts[who].grad.names == parts[who].names
        assert parts[who].grad.shape == parts[who].shape


def test_joined_as_they_are():
    x, y = nomen.rand(2, 3, names=("N", "C")), nomen.rand(2, 3, names=("N", "C"))
    for name, dim in (("hstack", "C"), ("vstack", "N"), ("column_stack", "C")):
        got = getattr(nomen, name)([x, y])
        assert got.names == ("N", "C") and got.tolist() == nomen.cat([x, y], dim).tolist()
        assert getattr(nomen, name)([x, y.rename(None)]).names == ("N", "C")
        one = getattr(nomen, name)([x])
        one.zero_()
        assert x.tolist() != one.tolist()
        with pytest.raises(RuntimeError, match="do not match"):
            getattr(nomen, name)([x, y.rename("C", "N")])
    z = x.clone()
    assert z.copy_(y) is z and z.names == ("N", "C") and z.tolist() == y.tolist()
    assert z.rename_(None).copy_(x).names == ("N", "C")
    with pytest.raises(RuntimeError, match="do not match"):
        x.clone().copy_(y.rename("C", "N"))


def runs_of(rows, consecutive):
    """(values, inverse, counts) of rows that are equal, by comparison of each with each."""
    found, inverse, counts = [], [], []
    for row in rows:
        known = found[-1:] if consecutive else found
        if row in known:
            inverse.append(len(found) - 1 if consecutive else found.index(row))
            counts[inverse[-1]] += 1
        else:
            inverse.append(len(found))
            found.append(row)
            counts.append(1)
    return found, inverse, counts


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int64", "uint8", "bool"])
@pytest.mark.parametrize("shape", [(6, 2), (6, 1), (1, 4), (9, 2, 2), (170, 3), (171, 3), (400, 2)])
@pytest.mark.parametrize("dim", [0, 1])
def test_slices_that_are_equal(dtype, shape, dim):
    """Few elements, and one more than those (512): the first of each run, or each once."""
    made = np.random.default_rng(3).integers(0, 2, shape)
    x = nomen.tensor(made.tolist()).to(getattr(nomen, dtype))
    x = (x if dim == 0 else x.transpose(0, 1)).refine_names("N", "C", ...)
    value, inverse, counts = x.unique_consecutive(True, True, dim=dim)
    rows, want, many = runs_of(made.tolist(), True)
    assert value.movedim(dim, 0).int().tolist() == rows
    assert inverse.tolist() == want and counts.tolist() == many
    assert value.names == x.names and inverse.names == counts.names == (x.names[dim],)
    assert x.unique_consecutive(dim=dim).equal(value)
    value, inverse, counts = x.unique(True, True, True, dim=dim)
    rows, want, many = runs_of(sorted(made.tolist()), False)
    assert value.movedim(dim, 0).int().tolist() == rows and counts.tolist() == many
    assert inverse.tolist() == [rows.index(row) for row in made.tolist()]
    assert value.names == x.names


def test_slices_with_nan_are_their_own():
    x = nomen.tensor([[1.0, float("nan")]] * 3 + [[1.0, 2.0]] * 2)
    values, counts = x.unique_consecutive(return_counts=True, dim=0)
    assert counts.tolist() == [1, 1, 1, 2] and values.shape == (4, 2)
