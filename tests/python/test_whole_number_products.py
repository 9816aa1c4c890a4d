"""Products of whole numbers: by floating kernels where those are exact, by others where not."""

import numpy as np
import pytest

import nomen

KINDS = ("uint8", "int8", "int16", "int32", "int64")
SHAPES = ((70, 300, 90), (128, 64, 128), (65, 513, 129))


def operand(rng, shape, dtype, most):
    least = 0 if dtype == "uint8" else -most
    return rng.integers(least, most, shape, endpoint=True).astype(dtype)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("bits", (1, 7, 8, 15, 22, 31, 62))
def test_values_of_all_sizes(dtype, bits):
    """Small ones, ones whose sums pass 2**24 and 2**53, and ones that wrap around."""
    rng = np.random.default_rng(bits)
    most = min(2**bits - 1, np.iinfo(dtype).max)
    for m, k, n in SHAPES:
        a, b = operand(rng, (m, k), dtype, most), operand(rng, (k, n), dtype, most)
        want = a @ b
        x, y = nomen.from_numpy(a), nomen.from_numpy(b)
        got = x.rename("N", "C") @ y.rename("C", "D")
        assert got.names == ("N", "D") and str(got.dtype) == f"nomen.{dtype}"
        assert np.array_equal(got.rename(None).numpy(), want)
        turned = nomen.from_numpy(a.T.copy()).t() @ y.t().contiguous().t()
        assert np.array_equal(turned.numpy(), want)
        out = nomen.empty(n, m, dtype=getattr(nomen, dtype)).t()
        nomen.mm(x, y, out=out)
        assert np.array_equal(out.numpy(), want)


@pytest.mark.parametrize("step", (-1, 0, 1))
@pytest.mark.parametrize("dtype, top", (("int64", 2**53), ("int64", 2**24), ("int32", 2**31)))
def test_at_the_limits(dtype, top, step):
    """Sums of magnitude `top` and its neighbours, all of one sign."""
    k = 64
    a = np.zeros((128, k), dtype)
    b = np.zeros((k, 128), dtype)
    a[:, 0], b[0, :] = 1, top // k
    b[1, :], a[:, 1] = step, 1
    a[:, 2:], b[2:, :] = 1, top // k
    b[1, :] += top // k
    want = a @ b
    assert np.array_equal((nomen.from_numpy(a) @ nomen.from_numpy(b)).numpy(), want)
    assert np.array_equal((nomen.from_numpy(-a) @ nomen.from_numpy(b)).numpy(), -want)


def test_batches_and_sums():
    rng = np.random.default_rng(3)
    a, b = operand(rng, (3, 80, 70), "int64", 9), operand(rng, (3, 70, 90), "int64", 9)
    c = operand(rng, (3, 80, 90), "int64", 9)
    x, y, z = map(nomen.from_numpy, (a, b, c))
    assert np.array_equal(nomen.bmm(x, y).numpy(), a @ b)
    assert np.array_equal(nomen.baddbmm(z, x, y, beta=2, alpha=3).numpy(), 2 * c + 3 * (a @ b))
    assert np.array_equal((x @ y[0]).numpy(), a @ b[0])
    mixed = nomen.from_numpy(a[0].astype("int8")).long() @ y[0]
    assert np.array_equal(mixed.numpy(), a[0] @ b[0])


@pytest.mark.parametrize("dtype", [nomen.float32, nomen.float64, nomen.complex64], ids=str)
def test_factors_belong_to_the_dtype_of_the_sum(dtype):
    """alpha and beta are fractions where the sum is floating, whatever they multiply is made of."""
    v, w = nomen.tensor([1, 2]), nomen.tensor([3, 4], dtype=nomen.int16)
    ones = nomen.ones(2, 2, dtype=dtype)
    product = nomen.tensor([[1.5, 2.0], [3.0, 4.0]], dtype=dtype)
    assert nomen.addr(ones, v, w, alpha=0.5).tolist() == (product + 1).tolist()
    assert nomen.addr(ones, v, w > 3, alpha=0.5).tolist() == [[1, 1.5], [1, 2]]
    assert nomen.addr(ones, v > 0, w > 3, alpha=3).tolist() == [[1, 4], [1, 4]]
    assert (
        nomen.addmm(ones, v[:, None], w[None, :].long(), alpha=0.5).tolist()
        == (product + 1).tolist()
    )
    far = nomen.addr(nomen.zeros(2, 2, dtype=dtype), v, v, alpha=1e19)
    assert far.tolist() == [
        [nomen.tensor(1e19 * k, dtype=dtype).item() for k in r] for r in ((1, 2), (2, 4))
    ]
    whole = nomen.ones(2, 2, dtype=nomen.int64)
    made = nomen.addr(whole, v.to(dtype), w.to(dtype), beta=0.5, alpha=0.5)
    assert made.dtype == dtype and made.tolist() == (product + 0.5).tolist()
