"""cdist and pdist against NumPy: norms, steps, batches, ranges, points of many coordinates."""

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
