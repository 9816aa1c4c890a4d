"""cdist and pdist against NumPy: norms, steps, batches, ranges, points of many coordinates."""

import math

import numpy as np
import pytest

import nomen

NORMS = [0, 0.5, 1, 2, 3, float("inf")]
rng = np.random.default_rng(5)


def expected(a, b, p):
    d = np.abs(a[..., :, None, :].astype("f8") - b[..., None, :, :].astype("f8"))
    if p == 0:
        return (d != 0).sum(-1)
    if p == float("inf"):
        return d.max(-1)
    most = d.max(-1, keepdims=True)
    most[most == 0] = 1
    return ((d / most) ** p).sum(-1) ** (1 / p) * most[..., 0]


@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("n, m, k", [(1, 1, 1), (5, 70, 3), (9, 130, 17), (3, 2, 1100)])
@pytest.mark.parametrize("dtype, within", [("f4", 2e-6), ("f8", 1e-13)])
def test_cdist(n, m, k, p, dtype, within):
    a, b = rng.standard_normal((n, k)).astype(dtype), rng.standard_normal((m, k)).astype(dtype)
    b[0] = a[0]
    # differences are taken in the dtype: what they lose is no error of the norm
    near = np.abs(a).max() * np.finfo(dtype).eps * k ** (1 / p if p >= 1 else 2)
    got = nomen.cdist(nomen.from_numpy(a), nomen.from_numpy(b), p).numpy()
    np.testing.assert_allclose(got, expected(a, b, p), rtol=k**0.5 * within, atol=near)
    turned = nomen.from_numpy(np.ascontiguousarray(a.T)).t()
    other = nomen.from_numpy(np.repeat(b, 2, axis=1))[:, ::2]
    np.testing.assert_array_equal(nomen.cdist(turned, other, p).numpy(), got)


@pytest.mark.parametrize("p", NORMS)
def test_pdist_has_the_bits_of_cdist(p):
    x = nomen.from_numpy(rng.standard_normal((150, 7)).astype("f4"))
    upper = np.triu_indices(150, 1)
    assert np.array_equal(nomen.pdist(x, p).numpy(), nomen.cdist(x, x, p).numpy()[upper])


def test_batches_broadcast():
    a, b = rng.standard_normal((3, 1, 4, 5)), rng.standard_normal((2, 6, 5))
    got = nomen.cdist(nomen.from_numpy(a), nomen.from_numpy(b))
    assert got.shape == (3, 2, 4, 6)
    np.testing.assert_allclose(got.numpy(), expected(a, b, 2), rtol=1e-13)
    with pytest.raises(RuntimeError, match=r"size of tensor a \(3\) must match .* b \(2\)"):
        nomen.cdist(nomen.ones(3, 4, 5), nomen.ones(2, 6, 5))


@pytest.mark.parametrize("size", [1e-30, 1e-20, 1e25])
@pytest.mark.parametrize("p", [1.5, 2, 3])
def test_sums_that_float32_has_no_room_for(size, p):
    a = (rng.standard_normal((6, 5)) * size).astype("f4")
    b = np.concatenate([a[:2], (rng.standard_normal((90, 5)) * size).astype("f4")])
    got = nomen.cdist(nomen.from_numpy(a), nomen.from_numpy(b), p).numpy()
    np.testing.assert_allclose(got, expected(a, b, p), rtol=1e-6)
    assert got[0, 0] == 0 and got[1, 1] == 0


def test_infinite_and_missing_coordinates():
    inf, nan = float("inf"), float("nan")
    a = nomen.tensor([[inf, 0.0], [nan, 0.0], [0.0, 0.0]])
    b = nomen.tensor([[1.0, 2.0]] * 80)
    for p in (0.5, 1, 2, 3, inf):
        column = nomen.cdist(a, b, p)[:, 79].tolist()
        assert column[0] == inf and column[1] != column[1] and column[2] > 0


def test_operands_that_are_not_alike():
    """One of them complex, one recorded, one with all the dims that fit in a header."""
    a, b = rng.standard_normal((4, 3)), rng.standard_normal((5, 3)) * (1 + 2j)
    x, y = nomen.from_numpy(a), nomen.from_numpy(b)
    want = np.sqrt((np.abs(a[:, None] - b) ** 2).sum(-1))
    np.testing.assert_allclose(nomen.cdist(x, y).numpy(), want, rtol=1e-12)
    np.testing.assert_allclose(nomen.cdist(y, x).numpy(), want.T, rtol=1e-12)
    z = nomen.from_numpy(b.real.copy())
    want = expected(a, b.real, 2)
    recorded = nomen.cdist(x, z.clone().requires_grad_())
    assert recorded.requires_grad
    np.testing.assert_allclose(recorded.detach().numpy(), want, rtol=1e-12)
    deep = nomen.cdist(x, z.reshape(1, 1, 1, 1, 1, 1, 5, 3))
    np.testing.assert_allclose(deep.numpy().reshape(4, 5), want, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_types_are_rounded_once(dtype):
    kind = getattr(nomen, dtype)
    a, b = nomen.randn(9, 33).to(kind), nomen.randn(70, 33).to(kind)
    whole = nomen.cdist(a.to(nomen.float32), b.to(nomen.float32)).to(kind)
    assert nomen.equal(nomen.cdist(a, b), whole)


def test_threads_do_not_show():
    x = nomen.from_numpy(rng.standard_normal((400, 40)).astype("f4"))
    before = nomen.get_num_threads()
    results = []
    for threads in (1, 4):
        nomen.set_num_threads(threads)
        results.append((nomen.cdist(x, x).numpy(), nomen.pdist(x).numpy()))
    nomen.set_num_threads(before)
    assert all(np.array_equal(one, many) for one, many in zip(*results))


@pytest.mark.parametrize("length", [131071, 131072, 200001])
@pytest.mark.parametrize("dtype, within", [("f4", 1e-6), ("f8", 1e-15), ("c8", 1e-6)])
def test_long_dot_products(length, dtype, within):
    a, b = rng.standard_normal((2, length)).astype(dtype)
    got = nomen.dot(nomen.from_numpy(a), nomen.from_numpy(b)).item()
    assert abs(got - np.dot(a.astype("c16"), b.astype("c16"))) < within * np.abs(a * b).sum()
    before = nomen.get_num_threads()
    nomen.set_num_threads(1)
    assert nomen.dot(nomen.from_numpy(a), nomen.from_numpy(b)).item() == got
    nomen.set_num_threads(before)


@pytest.mark.parametrize("length", [131071, 200001])
def test_long_dot_products_of_integers_wrap(length):
    a, b = rng.integers(-(2**62), 2**62, (2, length))
    x, y = nomen.from_numpy(a), nomen.from_numpy(b)
    with np.errstate(over="ignore"):
        assert nomen.dot(x, y).item() == np.dot(a, b)
    assert nomen.dot(x[::2], y[::2]).item() == np.dot(a[::2], b[::2])


def gradients(call, points, again):
    """Of each list of points; again: by the formula that can be differentiated again."""
    points = [p.detach().requires_grad_() for p in points]
    y = call(*points)
    g = nomen.from_numpy(np.random.default_rng(3).standard_normal(y.shape)).to(y.dtype)
    return nomen.autograd.grad(y, points, g, create_graph=again)


@pytest.mark.parametrize("p", [*NORMS, 1.5])
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_gradients(p, dtype):
    kind = getattr(nomen, dtype)
    within = {"float32": 2e-5, "float64": 1e-13, "bfloat16": 0.05}[dtype]
    for n, m, k in [(1, 1, 1), (5, 3, 2), (7, 300, 3), (6, 130, 8), (9, 7, 17), (3, 20, 50)]:
        x = nomen.from_numpy(rng.standard_normal((n, k))).to(kind)
        y = nomen.from_numpy(rng.standard_normal((m, k))).to(kind)
        y[0] = x[0]  # points that meet
        turned = x.t().clone().t()
        for points in ([x, y], [turned, y[:, :]], [y, x]):
            at_once = gradients(lambda a, b: nomen.cdist(a, b, p), points, False)
            again = gradients(lambda a, b: nomen.cdist(a, b, p), points, True)
            for a, b in zip(at_once, again):
                assert a.shape == b.shape and a.dtype == b.dtype
                scale = max(1.0, b.abs().max().item())
                assert nomen.allclose(a, b.detach(), rtol=within, atol=within * scale)
        (once,) = gradients(lambda a: nomen.pdist(a, p), [y], False)
        (twice,) = gradients(lambda a: nomen.pdist(a, p), [y], True)
        scale = max(1.0, twice.abs().max().item()) if m > 1 else 1
        assert nomen.allclose(once, twice.detach(), rtol=within, atol=within * scale)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_gradients_of_batches(p):
    x = nomen.from_numpy(rng.standard_normal((4, 1, 5, 3)))
    y = nomen.from_numpy(rng.standard_normal((2, 6, 3)))
    for points in ([x, y], [y, x], [x[0, 0], y], [x.to(nomen.float32), y], [x[:, :, :0], y]):
        at_once = gradients(lambda a, b: nomen.cdist(a, b, p), points, False)
        again = gradients(lambda a, b: nomen.cdist(a, b, p), points, True)
        for a, b in zip(at_once, again):
            assert a.shape == b.shape and nomen.allclose(a, b.detach(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("k", [1, 3, 8, 17, 63, 64, 65, 200, 700])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gradients_of_largest_differences(k, dtype):
    """Some are as large, points meet, and some coordinates are no number."""
    for n, m, values in ((9, 140, 3), (21, 5, 50), (4, 4, 2)):
        lists = [rng.integers(0, values, (count, k)).astype(dtype) for count in (n, m)]
        for bad in (False, True):
            if bad:
                lists[0][1, k // 2] = np.nan
                lists[1][m - 1, 0] = np.inf
            x, y = (nomen.from_numpy(a) for a in lists)
            for call, points in ((nomen.cdist, [x, y]), (nomen.cdist, [y, x])):
                at_once = gradients(lambda a, b: call(a, b, math.inf), points, False)
                again = gradients(lambda a, b: call(a, b, math.inf), points, True)
                for a, b in zip(at_once, again):
                    np.testing.assert_allclose(a.numpy(), b.detach().numpy(), 1e-5, 1e-5)
            (once,) = gradients(lambda a: nomen.pdist(a, math.inf), [y], False)
            (twice,) = gradients(lambda a: nomen.pdist(a, math.inf), [y], True)
            np.testing.assert_allclose(once.numpy(), twice.detach().numpy(), 1e-5, 1e-5)


def test_gradients_of_points_that_almost_meet():
    """The gradient over the distance is infinite there, the gradient of the points is not."""
    x = nomen.tensor([[1e-40, 0.0], [3.0, 4.0]]).requires_grad_()
    y = nomen.zeros(3, 2)
    nomen.cdist(x, y).backward(nomen.full((2, 3), 2.0))
    assert nomen.allclose(x.grad[1], nomen.tensor([3.6, 4.8]))
    assert x.grad[0][0].item() == pytest.approx(6, rel=1e-3) and x.grad[0][1].item() == 0
    x = nomen.tensor([[float("inf"), 0.0], [0.0, 0.0]]).requires_grad_()
    nomen.cdist(x, y).backward(nomen.ones(2, 3))
    assert x.grad[0][0].isnan() and x.grad[1].tolist() == [0, 0]


def test_gradients_of_many_points_need_no_room_for_all_differences():
    """499,500 pairs of 1,000 coordinates are two GB of differences in float32."""
    x = nomen.from_numpy(rng.standard_normal((1000, 1000)).astype("f4")).requires_grad_()
    nomen.pdist(x).sum().backward()
    a = x.detach().numpy().astype("f8")
    d = a[0] - a[1:]
    want = (d / np.sqrt((d * d).sum(1))[:, None]).sum(0)
    np.testing.assert_allclose(x.grad[0].numpy(), want, rtol=1e-4, atol=1e-4)
