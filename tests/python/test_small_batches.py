"""Many small products, or distances of few points, at once: in lanes, whatever way they lie."""

import itertools

import numpy as np
import pytest

import nomen

rng = np.random.default_rng(17)
REAL = ["uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
CLOSE = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 2e-6, "float64": 1e-14}
CLOSE |= {"complex64": 2e-6, "complex128": 1e-14}
SIZES = [(2, 2, 5), (2, 12, 2), (1, 7, 1), (3, 3, 3), (4, 9, 1), (1, 4, 8), (16, 2, 3), (7, 16, 5)]
COUNTS = [1, 7, 8, 15, 16, 17, 33, 70]


def whole(t):
    return t


def holes(t):
    room = nomen.zeros([*t.shape[:-1], t.shape[-1] + 3], dtype=t.dtype)
    room[..., 1:-2] = t
    return room[..., 1:-2]


def turned(t):
    return t.transpose(-1, -2).contiguous().transpose(-1, -2)


def beside(t):
    """The batch is the dim whose elements follow each other."""
    return t.movedim(0, -1).contiguous().movedim(-1, 0)


LAYOUTS = [whole, holes, turned, beside]


def made(shape, dtype):
    x = rng.integers(0, 20, shape) if "int" in dtype else rng.standard_normal(shape)
    if "complex" in dtype:
        x = x + 1j * rng.standard_normal(shape)
    t = nomen.from_numpy(x).to(getattr(nomen, dtype))
    return t, exactly(t)


def exactly(t):
    if t.is_complex():
        return t.to(nomen.complex128).numpy()
    return t.to(nomen.float64 if t.is_floating_point() else nomen.int64).numpy()


def check(found, wanted, dtype, k):
    if dtype in CLOSE:
        np.testing.assert_allclose(exactly(found), wanted, CLOSE[dtype], 8 * k * CLOSE[dtype])
    else:
        np.testing.assert_array_equal(found.numpy(), wanted.astype(dtype))


@pytest.mark.parametrize("dtype", [*REAL, "complex64", "complex128"])
def test_products(dtype):
    ways = itertools.cycle(itertools.product(LAYOUTS, LAYOUTS))
    for (m, k, n), count in itertools.product(SIZES, COUNTS):
        a, x = made((count, m, k), dtype)
        b, y = made((count, k, n), dtype)
        for _ in range(4):
            one, other = next(ways)
            check(one(a) @ other(b), x @ y, dtype, k)
        check(a @ b[0], x @ y[0], dtype, k)
        check(a[:1] @ turned(b), x[:1] @ y, dtype, k)
        out = nomen.zeros(count + 2, m, n + 3, dtype=a.dtype)
        nomen.bmm(a, turned(b), out=out[1:-1, :, 1:-2])
        check(out[1:-1, :, 1:-2], x @ y, dtype, k)
        rest = out.clone()
        rest[1:-1, :, 1:-2] = 0
        assert not rest.any()


@pytest.mark.parametrize("dtype", ["int64", "float32", "float64", "complex64"])
def test_two_dims_of_batches(dtype):
    a, x = made((3, 50, 2, 6), dtype)
    b, y = made((50, 6, 3), dtype)
    c, z = made((3, 1, 6, 3), dtype)
    check(a @ b, x @ y, dtype, 6)
    check(a @ c, x @ z, dtype, 6)
    check(a.transpose(0, 1) @ b[:, None], x.swapaxes(0, 1) @ y[:, None], dtype, 6)


@pytest.mark.parametrize("dtype", CLOSE)
def test_the_others_do_not_show(dtype):
    """How many there are, and what the others are, changes no bit."""
    a, _ = made((40, 2, 12), dtype)
    b = turned(made((40, 12, 2), dtype)[0])
    all_at_once = a @ b
    odd, more = a.clone(), b.clone()
    odd[3], more[5], odd[7] = float("inf"), float("nan"), 1e30
    among = odd @ more
    for i in range(40):
        some = slice(min(i, 30), min(i, 30) + 10)
        assert nomen.equal(all_at_once[i], (a[some] @ b[some])[i - some.start])
        if i not in (3, 5, 7):
            assert nomen.equal(all_at_once[i], among[i])


def test_threads_do_not_show():
    a, b = made((30_000, 2, 12), "float32")[0], turned(made((30_000, 12, 2), "float32")[0])
    x = made((30_000, 2, 3), "float32")[0]
    before = nomen.get_num_threads()
    try:
        nomen.set_num_threads(1)
        wanted = a @ b, nomen.cdist(x, x), nomen.cdist(x[:, 0], x[1])
        nomen.set_num_threads(3)
        for found, one in zip((a @ b, nomen.cdist(x, x), nomen.cdist(x[:, 0], x[1])), wanted):
            assert nomen.equal(found, one)
    finally:
        nomen.set_num_threads(before)


def distances(x, y, p):
    d = np.abs(x[..., :, None, :] - y[..., None, :, :])
    if p == 0:
        return (d != 0).sum(-1).astype("f8")
    return d.max(-1) if p == np.inf else (d**p).sum(-1) ** (1 / p)


@pytest.mark.parametrize("p", [0, 0.5, 1, 2, 3, float("inf")])
@pytest.mark.parametrize("dtype", ["bfloat16", "float32", "float64"])
def test_distances(dtype, p):
    ways = itertools.cycle(itertools.product(LAYOUTS, LAYOUTS))
    for (m, k, n), count in itertools.product(SIZES, [1, 8, 17, 40]):
        a, x = made((count, m, k), dtype)
        b, y = made((count, n, k), dtype)
        b[0, 0], y[0, 0] = a[0, 0], x[0, 0]
        one, other = next(ways)
        near = k ** (1 / p if p >= 1 else 2) * (1e-2 if dtype == "bfloat16" else 1e-6)
        if dtype == "float64":
            near = 1e-12
        for found, wanted in (
            (nomen.cdist(one(a), other(b), p), distances(x, y, p)),
            (nomen.cdist(one(a), b[-1], p), distances(x, y[-1], p)),
            (nomen.cdist(other(a)[:, 0], b[0], p), distances(x[:, 0], y[0], p)),
        ):
            got = found.to(nomen.float64).numpy()
            np.testing.assert_allclose(got, wanted, 2e-2 if dtype == "bfloat16" else 1e-5, near)
        assert str(nomen.cdist(a, b, p)[0, 0, 0].item()) == "0.0"


@pytest.mark.parametrize("size", [1e-30, 1e-20, 1e25])
@pytest.mark.parametrize("p", [1.5, 2, 3])
def test_distances_that_leave_the_range(size, p):
    """Sums that float32 has no room for, in some lanes only."""
    a = rng.standard_normal((20, 2, 3)).astype("f4")
    a[::3] *= np.float32(size)
    got = nomen.cdist(nomen.from_numpy(a), nomen.from_numpy(a), p).numpy()
    x = a.astype("f8")
    wanted = distances(x / size, x / size, p) * size
    np.testing.assert_allclose(got[::3], wanted[::3], rtol=1e-6)
    np.testing.assert_allclose(got[1::3], distances(x, x, p)[1::3], rtol=1e-5)


def test_odd_coordinates_stay_in_their_lane():
    a = rng.standard_normal((20, 2, 3))
    a[4, 0, 1], a[9, 1, 2] = np.nan, np.inf
    for dtype, p in itertools.product((nomen.float32, nomen.float64), (0.5, 1, 2, 3, float("inf"))):
        x = nomen.from_numpy(a).to(dtype)
        got, clean = nomen.cdist(x, x, p), nomen.cdist(x.nan_to_num(0, 0), x.nan_to_num(0, 0), p)
        assert got[4, 0, 1].isnan() and got[9, 0, 1].isinf()
        for i in (3, 5, 8, 10, 19):
            assert nomen.equal(got[i], clean[i])


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64", "complex128"])
def test_copies_of_short_dims(dtype):
    """Two dims of a few elements beside a long one, in every order, with steps of every kind."""
    shapes = [(2, 2, 75), (2, 3, 40), (4, 2, 33), (5, 2, 2, 40), (3, 2, 1, 2, 18), (2, 2, 2, 2, 16)]
    for shape in shapes:
        x = rng.integers(0, 100, shape).astype(dtype)
        t = nomen.from_numpy(x)
        for order in itertools.permutations(range(len(shape))):
            view, want = t.permute(order), x.transpose(order)
            np.testing.assert_array_equal(view.contiguous().numpy(), want)
            some = view.flip([0])[..., ::2].clone()
            np.testing.assert_array_equal(some.numpy(), want[::-1, ..., ::2])
            room = nomen.zeros([*want.shape[:-1], want.shape[-1] + 2], dtype=t.dtype)
            room[..., 1:-1] = view
            np.testing.assert_array_equal(room[..., 1:-1].numpy(), want)
            assert not room[..., 0].any() and not room[..., -1].any()
            again = view[..., :1].expand(want.shape).contiguous()
            np.testing.assert_array_equal(again.numpy(), np.broadcast_to(want[..., :1], want.shape))


@pytest.mark.parametrize("p", [1, 2, float("inf")])
@pytest.mark.parametrize("dtype", [nomen.float32, nomen.float64])
def test_gradients_of_distances(dtype, p):
    """The bits are those of each batch alone, of points that meet and that almost do as well."""
    ways = itertools.cycle(itertools.product(LAYOUTS, LAYOUTS))
    for m, k, n in SIZES:
        a = nomen.from_numpy(rng.integers(-3, 4, (21, m, k))).to(dtype)
        b = nomen.from_numpy(rng.standard_normal((21, n, k))).to(dtype)
        b[0, 0], b[1, 0], b[2, 0] = a[0, 0], a[1, 0] * (1 + 1e-7), float("nan")
        b[3], a[4, 0], b[4, 0] = nomen.round(b[3]), 0, 0
        a[4, 0, 0] = 1e-40 if dtype == nomen.float32 else 1e-310
        g = nomen.from_numpy(rng.standard_normal((21, m, n))).to(dtype)
        one, other = next(ways)

        def gradients(x, y, g):
            x, y = one(x).detach().requires_grad_(), other(y).detach().requires_grad_()
            return nomen.autograd.grad(nomen.cdist(x, y, p), [x, y], g)

        whole_x, whole_y = gradients(a, b, g)
        for i in range(21):
            x, y = gradients(a[i : i + 1], b[i : i + 1], g[i : i + 1])
            assert nomen.equal(whole_x[i].nan_to_num(7), x[0].nan_to_num(7)), (m, k, n, i)
            assert nomen.equal(whole_y[i].nan_to_num(7), y[0].nan_to_num(7)), (m, k, n, i)
        shared = nomen.autograd.grad(
            nomen.cdist(a.requires_grad_(), b[5].detach(), p), [a], g, retain_graph=False
        )[0]
        alone = gradients(a[6:7], b[5:6], g[6:7])[0]
        assert nomen.equal(shared[6], alone[0])
