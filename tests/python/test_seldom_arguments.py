"""Arguments that seldom come: said though they are the default, of another kind of number, a lone
number in the place of a tensor, a dtype at the edge of what a call takes, an out= of another dtype.
What comes back is compared with NumPy, or with the call that leaves the argument out."""

import numpy as np
import pytest
from seldom import ramp, same

import nomen

f32, f64, i64, u8 = nomen.float32, nomen.float64, nomen.int64, nomen.uint8
WHOLE = [nomen.bool, u8, nomen.int8, nomen.int16, nomen.int32, i64]


def near(t, expected):
    assert np.allclose(t.detach().numpy(), expected, rtol=1e-6), (t, expected)


# ---- numbers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [1, 1.0, True, 1 + 0j, 1j, 2.5, 1 + 1j])
def test_factors_of_complex_tensors(alpha):
    z = nomen.tensor([1 + 2j, 3 - 1j])
    if alpha is True:
        with pytest.raises(RuntimeError, match="Boolean alpha only supported for Boolean"):
            nomen.add(z, z, alpha=alpha)
        return
    same(nomen.add(z, z, alpha=alpha), z.numpy() + alpha * z.numpy())
    same(nomen.sub(z, z, alpha=alpha), z.numpy() - alpha * z.numpy())
    a, b = z.reshape(2, 1), z.reshape(1, 2)
    near(nomen.addmm(z, a, b, beta=alpha), alpha * z.numpy() + a.numpy() @ b.numpy())
    near(nomen.addmm(z, a, b, alpha=alpha), z.numpy() + alpha * (a.numpy() @ b.numpy()))
    near(nomen.addr(z, z, z, beta=alpha), alpha * z.numpy() + np.outer(z.numpy(), z.numpy()))
    near(nomen.addr(z, z, z, alpha=alpha), z.numpy() + alpha * np.outer(z.numpy(), z.numpy()))


@pytest.mark.parametrize("alpha", [1.5, 1.0, 1j])
def test_factors_that_are_not_whole(alpha):
    for dtype in (u8, i64, nomen.bool):
        with pytest.raises(RuntimeError, match="alpha must not be a "):
            nomen.add(ramp(2, dtype=dtype), ramp(2, dtype=dtype), alpha=alpha)
    if isinstance(alpha, complex):
        with pytest.raises(RuntimeError):
            nomen.add(ramp(2, dtype=f32), ramp(2, dtype=f32), alpha=alpha)
    truth = nomen.tensor([True, False])
    same(nomen.add(truth, truth, alpha=False), [True, False], nomen.bool)


def test_numbers_that_fit():
    for dtype in (f32, f64, i64, nomen.int8):
        same(nomen.full((2,), 3 + 0j, dtype=dtype), [3, 3], dtype)
        with pytest.raises(RuntimeError):
            nomen.full((2,), 3 + 1j, dtype=dtype)
    with pytest.raises(RuntimeError):
        nomen.full((2,), 1e300 + 0j, dtype=f32)
    same(nomen.full((2,), 1 + 1j, dtype=nomen.bool), [True, True])
    with pytest.raises(RuntimeError):
        nomen.full((2,), 1 + 1e300j, dtype=nomen.complex64)
    with pytest.raises(RuntimeError):
        nomen.full((2,), 300, dtype=u8)
    with pytest.raises(RuntimeError):
        ramp(3, dtype=nomen.int8).index_put_([nomen.tensor([True, False, True])], nomen.tensor(300))


def test_distances_of_any_p():
    x, y = ramp(4, 3), ramp(4, 3) * 2 - 3
    differ = (x.numpy() != y.numpy()).sum()
    for p in (0, 0.0):
        assert nomen.dist(x, y, p).item() == differ
        same(nomen.pdist(x, p), [3.0] * 6)
        same(nomen.cdist(x, x, p=float(p)), 3.0 * (1 - np.eye(4)))
    for p in (1, 1.5, 2, float("inf")):
        points = list(x.numpy())
        expected = [np.linalg.norm(a - b, p) for i, a in enumerate(points) for b in points[:i]]
        near(nomen.pdist(x, p).sort().values, np.sort(expected))
    same(nomen.pdist(nomen.ones(3, 0), 0), [0.0] * 3)
    same(nomen.pdist(nomen.ones(3, 0), 2), [0.0] * 3)


# ---- dtypes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [nomen.bool, f32, nomen.complex64])
def test_positions_are_whole_numbers(dtype):
    x, at = ramp(3, 3), nomen.zeros(2, dtype=dtype)
    square = nomen.zeros(1, 3, dtype=dtype)
    for call in (
        lambda: nomen.take_along_dim(x, square, 0), lambda: nomen.gather(x, 0, square),
        lambda: nomen.take(x, at), lambda: x.index_select(0, at),
        lambda: x.index_add(0, at, ramp(2, 3)), lambda: x.index_copy(0, at, ramp(2, 3)),
        lambda: x.index_fill(0, at, 1.0), lambda: x.put(at, ramp(2)),
        lambda: x.scatter(0, square, ramp(1, 3)),
    ):  # fmt: skip
        with pytest.raises((RuntimeError, IndexError)) as info:
            call()
        assert str(dtype).removeprefix("nomen.") in str(info.value)
    same(x, np.arange(9.0).reshape(3, 3))


@pytest.mark.parametrize("dtype", [*WHOLE, nomen.float16, f32], ids=str)
def test_what_counts_for_nothing(dtype):
    """include_self=False: as if self were not there, whatever it holds."""
    x = nomen.tensor([1, 0, 1, 0, 1]).to(dtype)
    index, source = nomen.tensor([0, 0, 3, 1]), nomen.tensor([0, 0, 1, 1]).to(dtype)
    for reduce, whole in (("amax", [0, 1, 1, 1, 1]), ("amin", [0, 1, 1, 1, 1]),
                          ("sum", [0, 1, 1, 1, 1]), ("prod", [0, 1, 1, 1, 1])):  # fmt: skip
        r = x.scatter_reduce(0, index, source, reduce=reduce, include_self=False)
        same(r, np.array(whole).astype(x.numpy().dtype), dtype)
    if dtype is not nomen.bool:
        lowest, highest = (0, 255) if dtype is u8 else (-100, 100)
        for value, reduce in ((lowest, "amax"), (highest, "amin")):
            r = x.scatter_reduce(
                0, nomen.tensor([2]), nomen.tensor([value]).to(dtype), reduce, include_self=False
            )
            assert r[2].item() == value


@pytest.mark.parametrize("start", [-(2**63), -(2**63) + 1])
def test_draws_from_the_lowest(start):
    for dtype in (i64, f64, f32, nomen.bfloat16):
        assert nomen.zeros(50, dtype=dtype).random_(start, None).numel() == 50
    x = nomen.zeros(200, dtype=i64).random_(start, None)
    assert (x < 0).any() and (x > 0).any()
    for dtype in (nomen.float16, nomen.int32, u8, nomen.bool):
        with pytest.raises(RuntimeError):
            nomen.zeros(5, dtype=dtype).random_(start, None)


def test_dtypes_that_are_asked_for():
    x = ramp(2, 3, dtype=f32) + 1
    wide = x.numpy().astype(np.float64)
    for p in (1, 2, 3, 0.5, float("inf"), -float("inf"), 0):
        for dtype in (f32, f64):
            near(x.norm(p, dtype=dtype), np.linalg.norm(wide.reshape(-1), p))
            assert x.norm(p, dtype=dtype).dtype is dtype
    near(nomen.nuclear_norm(x), np.linalg.norm(wide, "nuc"))
    near(nomen.nuclear_norm(x.to(f64) * (1 + 1j)), np.linalg.norm(wide * (1 + 1j), "nuc"))
    for call in (lambda t, d: t.prod(dtype=d), lambda t, d: t.cumprod(0, dtype=d).sum(),
                 lambda t, d: t.norm(float("inf"), dtype=d), lambda t, d: t.norm(3, dtype=d),
                 lambda t, d: t.logsumexp(0).to(d).sum(),
                 lambda t, d: t.cumsum(0, dtype=d).sum()):  # fmt: skip
        for own, asked in ((f32, f64), (f64, f64), (nomen.float16, f32)):
            leaf = x.detach().to(own).requires_grad_()
            call(leaf, asked).backward()
            exact = x.detach().to(f64).requires_grad_()
            call(exact, f64).backward()
            assert leaf.grad.dtype is own
            assert nomen.allclose(leaf.grad.to(f64), exact.grad, rtol=2e-3)


def test_products_of_several_dtypes():
    a, b = ramp(2, 3, dtype=f32), ramp(3, 2, dtype=f32)
    product = a.numpy() @ b.numpy()
    for bias in (ramp(2, 2), ramp(2, 2, dtype=f32), ramp(2, dtype=f32), ramp(2, 2, dtype=i64)):
        try:
            near(nomen.addmm(bias, a, b), bias.numpy() + product)
        except RuntimeError as error:
            assert bias.dtype is not f32 and "dtype" in str(error)


def test_numbers_in_the_place_of_tensors():
    x, index = ramp(3, 2), nomen.tensor([0, 2])
    for value in (nomen.tensor(7), nomen.tensor(7.0), nomen.tensor(True), nomen.tensor([7])):
        if value.ndim == 0:
            same(x.index_fill(0, index, value), [[value.item()] * 2, [2, 3], [value.item()] * 2])
        put = x.clone().index_put_([index], value.to(f64))
        same(put[0], [float(value.reshape(-1)[0].item())] * 2)
        mask = nomen.tensor([True, False, True])
        same(x.clone().index_put_([mask], value)[2], [float(value.reshape(-1)[0].item())] * 2)
    for dtype in (i64, u8, nomen.bool, nomen.float16, f32, f64, nomen.complex64):
        for lone in (nomen.tensor(2), nomen.tensor(1.5), nomen.tensor(True)):
            expected = x.to(dtype).numpy() + lone.item()
            found = x.to(dtype) + lone
            if dtype is not nomen.bool or lone.dtype is not nomen.bool:
                near(found.to(nomen.complex128), expected.astype(complex))


# ---- said though it is the default -----------------------------------------------------------


@pytest.mark.parametrize(
    "said, left",
    [
        (lambda x: x.to(f64, copy=False), lambda x: x),
        (lambda x: x.to(f64, copy=True), lambda x: x),
        (lambda x: nomen.index_put(x, [nomen.tensor([0])], ramp(1, 3), accumulate=False),
         lambda x: nomen.index_put(x, [nomen.tensor([0])], ramp(1, 3))),
        (lambda x: x.sum(0, keepdim=False), lambda x: x.sum(0)),
        (lambda x: x.sort(0, descending=False, stable=False).values, lambda x: x.sort(0).values),
        (lambda x: x.topk(1, 0, largest=True, sorted=True).values, lambda x: x.topk(1, 0).values),
        (lambda x: nomen.bucketize(x, ramp(3), out_int32=False, right=False),
         lambda x: nomen.bucketize(x, ramp(3))),
        (lambda x: nomen.isclose(x, x, equal_nan=False), lambda x: nomen.isclose(x, x)),
        (lambda x: x.gather(0, nomen.tensor([[0, 1, 0]]), sparse_grad=False),
         lambda x: x.gather(0, nomen.tensor([[0, 1, 0]]))),
        (lambda x: x.clone().put_(nomen.tensor([0]), ramp(1), accumulate=False),
         lambda x: x.clone().put_(nomen.tensor([0]), ramp(1))),
        (lambda x: nomen.unique(x, sorted=True, return_inverse=False, return_counts=False),
         lambda x: nomen.unique(x)),
        (lambda x: x.scatter_reduce(0, nomen.tensor([[1, 0, 1]]), ramp(1, 3), "sum",
                                    include_self=True),
         lambda x: x.scatter_reduce(0, nomen.tensor([[1, 0, 1]]), ramp(1, 3), "sum")),
        (lambda x: x.quantile(0.5, 0, keepdim=False, interpolation="linear"),
         lambda x: x.quantile(0.5, 0)),
    ],
    ids=range(13),
)  # fmt: skip
def test_said(said, left):
    x = ramp(2, 3)
    same(said(x), left(x).numpy())


# ---- out= of another dtype -------------------------------------------------------------------


def test_results_of_another_dtype():
    wide = nomen.empty(5, dtype=nomen.complex128)
    same(nomen.linspace(0, 2, 5, out=wide), [0, 0.5, 1, 1.5, 2])
    same(nomen.linspace(0, 2 + 1j, 3, out=wide.resize_(3)), [0, 1 + 0.5j, 2 + 1j])
    same(nomen.arange(5, out=nomen.empty(5, 2, dtype=i64)[:, 0]), range(5))
    same(nomen.arange(5, out=nomen.empty(5, 2, dtype=f32)[:, 0]), range(5))
    same(nomen.arange(5.0, out=nomen.empty(5, 2, dtype=f64)[:, 0]), range(5))
    x = ramp(3, 2, dtype=f32)
    for dtype in (f64, nomen.complex64):
        at, out = nomen.tensor([2, 0]), nomen.empty(3, 2, dtype=dtype)
        same(
            x.index_select(0, at).to(dtype),
            nomen.index_select(x, 0, at, out=nomen.empty(0)).numpy(),
        )
        same(nomen.index_add(x, 0, at, x[:2], out=out), [[2, 4], [2, 3], [4, 6]])
        same(nomen.gather(x, 0, nomen.tensor([[2, 0]]), out=nomen.empty(1, 2, dtype=f32)), [[4, 1]])
        same(nomen.cumsum(x, 0, out=nomen.empty(3, 2, dtype=f32)), np.cumsum(x.numpy(), 0))


def test_mask_positions_of_every_kind():
    point = nomen.tensor(5.0)
    same(point[nomen.tensor(True)], [5.0])
    same(point[nomen.tensor(False)], np.zeros((0,)))
    same(nomen.nonzero(point), np.zeros((1, 0)))
    same(nomen.nonzero(nomen.tensor(0.0)), np.zeros((0, 0)))
    x = ramp(2, 3, names=("N", "C"))
    assert x[nomen.tensor([True, False])].names == (None, "C")
    assert x[nomen.tensor([1, 0])].names[1] == "C"
    at = nomen.tensor([0])
    for wrong in ((at, at, at), (nomen.tensor(True), at, at, at)):
        with pytest.raises(IndexError, match="too many indices"):
            x[wrong]


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("weight", [-1.0, float("inf"), float("nan")])
def test_weights_that_are_none(weight, replacement):
    weights = nomen.tensor([0.5, weight])
    with pytest.raises(RuntimeError) as info:
        nomen.multinomial(weights, 1, replacement=replacement)
    text = str(info.value)
    if not replacement:
        assert "contains either `inf`, `nan` or element < 0" in text
    else:
        assert ("infinity or NaN" in text) == (weight != -1.0) or "< 0" in text
    assert nomen.multinomial(nomen.ones(0, 3), 2).shape == (0, 2)
