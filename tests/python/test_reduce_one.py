"""Dims of size 1 along which calls reduce, scan or sort; both extrema of rows with holes."""

import numpy as np
import pytest

import nomen

SIZES = [(1,), (3, 1), (300, 1), (1, 40000), (7, 1, 9), (40, 1, 33, 1), (2, 100, 1, 2)]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
WHOLE = ["bool", "uint8", "int8", "int16", "int32", "int64"]
ODD = [0.0, -0.0, np.nan, np.inf, -np.inf, -1.5, 3.0]


def operands(dtype):
    """Tensors with a dim of size 1, as they lie in memory and otherwise, and which one it is."""
    for size in SIZES:
        count = int(np.prod(size))
        x = np.resize(np.array(ODD if dtype in FLOATS else [0, 1, 5, 0, 1]), count).reshape(size)
        t = nomen.from_numpy(x).to(getattr(nomen, dtype))
        dim = size.index(1)
        yield t, dim
        if len(size) > 1:
            turned = t.transpose(0, -1)
            yield turned, len(size) - 1 if dim == 0 else 0 if dim == len(size) - 1 else dim
        holes = nomen.stack([t, t], dim=len(size))[..., 0]
        yield holes, dim


def same(found, wanted):
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    found, wanted = (t.to(nomen.float64).numpy() for t in (found, wanted))
    np.testing.assert_array_equal(found, wanted)
    numbers = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(wanted[numbers]))


def reduced(t, dim, keepdim):
    return t.clone() if keepdim else t.squeeze(dim).clone()


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("dtype", FLOATS + WHOLE)
def test_values_and_positions(dtype, keepdim):
    for t, dim in operands(dtype):
        one = reduced(t, dim, keepdim)
        zero = nomen.zeros(one.shape, dtype=nomen.int64)
        for name in ("max", "min"):
            values, at = getattr(t, name)(dim, keepdim)
            same(values, one)
            same(at, zero)
            same(getattr(t, "arg" + name)(dim, keepdim), zero)
            same(getattr(t, "a" + name)(dim, keepdim), one)
        for found in t.aminmax(dim=dim, keepdim=keepdim):
            same(found, one)
        truth = one != 0
        if dtype == "uint8":
            truth = truth.to(nomen.uint8)
        same(t.any(dim, keepdim), truth)
        same(t.all(dim, keepdim), truth)


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("dtype", FLOATS + WHOLE)
def test_sums_and_products(dtype, keepdim):
    for t, dim in operands(dtype):
        one = reduced(t, dim, keepdim)
        wide = one if dtype in FLOATS else one.to(nomen.int64)
        same(t.prod(dim, keepdim), wide)
        same(t.sum(dim, keepdim), wide + 0)  # a sum has no negative zero
        if dtype in FLOATS:
            same(t.mean(dim, keepdim), one + 0)
            for p in (1, 2, float("inf"), -float("inf")):
                same(t.norm(p, dim, keepdim), one.abs())
            if dtype == "float64":
                for p in (3, 0.5, -2.5):
                    found, wanted = t.norm(p, dim, keepdim).numpy(), one.abs().numpy()
                    np.testing.assert_allclose(found, wanted, 1e-14)
        same(t.sum(dim, keepdim, dtype=nomen.float64), one.to(nomen.float64) + 0)


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("dtype", FLOATS + WHOLE[1:])
def test_order_statistics(dtype, keepdim):
    for t, dim in operands(dtype):
        one, whole = reduced(t, dim, keepdim), t.clone()
        zero = nomen.zeros(one.shape, dtype=nomen.int64)
        for call in (t.median, t.nanmedian, t.mode, lambda *a: t.kthvalue(1, *a)):
            values, at = call(dim, keepdim)
            same(values, one)
            same(at, zero)
        for values, at in (t.sort(dim), t.topk(1, dim), t.sort(dim, descending=True)):
            same(values, whole)
            same(at, nomen.zeros(whole.shape, dtype=nomen.int64))
        same(t.argsort(dim), nomen.zeros(whole.shape, dtype=nomen.int64))


@pytest.mark.parametrize("dtype", FLOATS + WHOLE)
def test_scans(dtype):
    for t, dim in operands(dtype):
        wide = t.clone() if dtype in FLOATS else t.to(nomen.int64)
        same(t.cumsum(dim), wide + 0)
        same(t.cumprod(dim), wide)
        same(t.cumsum(dim, dtype=nomen.float64), t.to(nomen.float64) + 0)
        if dtype in FLOATS:
            same(t.logcumsumexp(dim), wide + 0)
        for values, at in (t.cummax(dim), t.cummin(dim)):
            same(values, t.clone())
            same(at, nomen.zeros(t.shape, dtype=nomen.int64))


def test_sizes_whose_squares_there_is_no_room_for():
    for n in (1, 3, 30000):
        x = nomen.full((n, 1), -1e200, dtype=nomen.float64)
        assert (x.norm(2, 1) == 1e200).all()
        assert ((x / 1e200 * 1e-200).norm(2, 1, keepdim=True) == 1e-200).all()
        c = nomen.complex(x, x * 0)
        assert (c.norm(2, 1) == 1e200).all()
        assert c.norm(2, 1).dtype == nomen.float64


def test_complex():
    x = np.resize(np.array([1 + 2j, -0.0 - 0.0j, np.inf + 1j, 3j]), (5000, 1))
    for dtype in (nomen.complex64, nomen.complex128):
        t = nomen.from_numpy(x).to(dtype)
        np.testing.assert_array_equal(t.sum(1).to(nomen.complex128).numpy(), x[:, 0])
        assert not np.signbit(t.sum(1).numpy()[1].real)
        np.testing.assert_array_equal(t.any(1).numpy(), x[:, 0] != 0)
        np.testing.assert_array_equal(t.cumsum(1).to(nomen.complex128).numpy(), x)
        assert not np.signbit(t.cumsum(1).numpy()[1].real)


def test_into_others():
    """out= of another dtype, and of another layout."""
    x = nomen.from_numpy(np.resize(np.array([0.0, 2.7, -3.2]), (3000, 1)))
    out = nomen.zeros(3000, 2)
    nomen.amax(x, 1, out=out[:, 0])
    np.testing.assert_array_equal(out[:, 0].numpy(), x[:, 0].numpy().astype(np.float32))
    assert (out[:, 1] == 0).all()
    nomen.norm(x, 2, 1, out=out[:, 1])
    np.testing.assert_array_equal(out[:, 1].numpy(), abs(x[:, 0].numpy()).astype(np.float32))
    places = nomen.zeros(3000, 2, dtype=nomen.int64)
    nomen.kthvalue(x, 1, 1, out=(out[:, 1], places[:, 0]))
    same(out[:, 1], x[:, 0].to(nomen.float32))
    nomen.cumsum(x, 1, out=out[:, :1])
    same(out[:, 0], x[:, 0].to(nomen.float32) + 0)


def test_into_themselves():
    x = nomen.arange(300.0).view(300, 1)
    y = x.expand(300, 2).clone()
    nomen.sort(y[:, :1], 1, out=(y[:, 1:], nomen.zeros(300, 1, dtype=nomen.int64)))
    assert (y == x).all()
    assert (x.clone().cumsum_(1) == x).all()
    z = y.clone()
    nomen.sort(z[:-1, :1], 1, out=(z[1:, :1], nomen.zeros(299, 1, dtype=nomen.int64)))
    assert z[0, 0] == 0
    assert (z[1:, 0] == y[:-1, 0]).all()


def test_names_and_gradients():
    x = nomen.rand(2000, 1, names=("N", "C")).requires_grad_()
    pairs = ("max", "median", "cummax", "sort")
    values = [lambda d, name=name: getattr(x, name)(d).values for name in pairs]
    for call in (x.sum, x.amax, lambda d: x.norm(2, d), *values, x.cumsum, x.logcumsumexp):
        y = call("C")
        assert y.names == (("N",) if y.dim() == 1 else ("N", "C"))
        x.grad = None
        y.sum().backward()
        assert (x.grad.rename(None) == 1).all()


@pytest.mark.parametrize("dtype", FLOATS + WHOLE[1:])
def test_both_extrema_of_rows_with_holes(dtype):
    generator = np.random.default_rng(3)
    for rows, columns in [(1000, 17), (900, 6), (300, 40), (70, 500), (3, 1024), (1500, 64)]:
        x = generator.integers(0, 100, (2 * rows, columns + 3))
        if dtype in FLOATS:
            x = x / 4
        t = nomen.from_numpy(x).to(getattr(nomen, dtype))
        for part in (t[::2], t[:, :-3], t[::2, 1:-1]):
            least, most = part.aminmax()
            values = part.to(nomen.float64).numpy()
            assert (float(least), float(most)) == (values.min(), values.max())
            assert (float(part.amin()), float(part.amax())) == (values.min(), values.max())
        if dtype in FLOATS:
            t[-2, 5] = float("nan")
            for found in (*t[::2].aminmax(), t[::2].amax(), t[:, :-3].amin()):
                assert np.isnan(float(found))


@pytest.mark.parametrize("dtype", FLOATS)
def test_one_row_with_gaps(dtype):
    x = nomen.rand(40000).to(getattr(nomen, dtype))
    for part in (x[::2], x[1::3], x[:1].expand(30000)):
        for call in (lambda t: t.softmax(0), lambda t: t.log_softmax(0), lambda t: t.cumsum(0)):
            same(call(part), call(part.clone()))
