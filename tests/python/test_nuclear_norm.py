"""The nuclear norm against NumPy's singular values."""

import numpy as np
import pytest

import nomen

SHAPES = [(1, 1), (3, 3), (2, 5), (5, 2), (7, 4), (2, 3, 4), (3, 1, 4, 2), (0, 3), (3, 0),
          (2, 0, 3), (0, 2, 3), (1, 40, 30)]  # fmt: skip


def matrices(shape, dtype, seed):
    random = np.random.default_rng(seed)
    x = random.standard_normal(shape)
    if np.issubdtype(dtype, np.complexfloating):
        x = x + 1j * random.standard_normal(shape)
    return x.astype(dtype)


def exact(x):
    if 0 in x.shape[-2:]:
        return np.zeros(x.shape[:-2])
    wide = np.complex128 if np.iscomplexobj(x) else np.float64
    return np.linalg.svd(x.astype(wide), compute_uv=False).sum(-1)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", SHAPES)
def test_values(shape, dtype):
    x = matrices(shape, dtype, len(shape))
    t = nomen.from_numpy(x)
    y = nomen.norm(t, "nuc", dim=(-2, -1))
    assert y.dtype == (t.real if t.is_complex() else t).dtype
    bound = 8 * np.finfo(dtype).eps
    np.testing.assert_allclose(y.numpy(), exact(x), rtol=bound)
    swapped = nomen.nuclear_norm(t.transpose(-1, -2), (-2, -1), keepdim=True)
    assert swapped.shape == (*shape[:-2], 1, 1)
    np.testing.assert_allclose(swapped.numpy()[..., 0, 0], exact(x), rtol=bound)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_squares_that_do_not_fit(scale):
    x = matrices((4, 3), "float64", 1) * scale
    t = nomen.from_numpy(x).requires_grad_()
    y = nomen.nuclear_norm(t)
    assert y.item() == pytest.approx(exact(x), rel=1e-14, abs=0)
    y.backward()
    u, _, v = np.linalg.svd(x, full_matrices=False)
    np.testing.assert_allclose(t.grad.numpy(), u @ v, atol=1e-13)


def test_rows_that_depend_on_each_other():
    x = np.outer(np.arange(1.0, 5), np.arange(1.0, 4))
    assert nomen.nuclear_norm(nomen.from_numpy(x)).item() == pytest.approx(exact(x), rel=1e-14)
    assert nomen.nuclear_norm(nomen.zeros(3, 2)).item() == 0
    tiny = np.diag([1.0, 1e-13, 1e-200])
    assert nomen.nuclear_norm(nomen.from_numpy(tiny)).item() == 1 + 1e-13


def test_names_and_dims():
    x = nomen.ones(2, 3, 4, names=("N", "row", "column"))
    assert x.norm("nuc", ("row", "column")).names == ("N",)
    assert x.norm(p="nuc", dim=["column", 0], keepdim=True).names == ("N", "row", "column")
    assert x.norm("nuc", (0, 2), True).shape == (1, 3, 1)
    out = nomen.zeros(2, dtype=nomen.float64)
    assert nomen.norm(x, "nuc", ("row", "column"), out=out) is out and out.names == ("N",)
    assert out.tolist() == pytest.approx([12**0.5] * 2)
    wide = nomen.norm(nomen.ones(2, 2), "nuc", dtype=nomen.float64)
    assert wide.dtype is nomen.float64 and wide.item() == pytest.approx(2, rel=1e-15)
    assert nomen.nuclear_norm(nomen.ones(2, 2, dtype=nomen.float16)).dtype is nomen.float16
    assert nomen.nuclear_norm(nomen.ones(2, 2), dtype=nomen.complex128).dtype is nomen.float64


def test_what_is_not_finite():
    for value in (float("nan"), float("inf")):
        x = nomen.ones(2, 2, 2)
        x[0, 0, 0] = value
        first, second = nomen.nuclear_norm(x, (1, 2)).tolist()
        assert first != first and second == pytest.approx(2)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 3), (2, 3, 5)])
def test_gradient(shape, dtype):
    """U V^H of the singular value decomposition."""
    x = matrices(shape, dtype, 3)
    t = nomen.tensor(x).requires_grad_()
    nomen.norm(t, "nuc", dim=(-2, -1)).sum().backward()
    u, _, v = np.linalg.svd(x, full_matrices=False)
    np.testing.assert_allclose(t.grad.numpy(), u @ v, atol=1e-13)


def test_gradient_where_a_singular_value_is_zero():
    t = nomen.ones(2, 2, requires_grad=True)
    nomen.nuclear_norm(t).backward()
    np.testing.assert_allclose(t.grad.numpy(), np.full((2, 2), 0.5), atol=1e-6)
    zero = nomen.zeros(2, 3, requires_grad=True)
    nomen.nuclear_norm(zero).backward()
    assert zero.grad.tolist() == [[0] * 3] * 2


def test_gradient_of_matrices_without_elements():
    t = nomen.ones(3, 0, 4, requires_grad=True)
    sums = nomen.norm(t, "nuc", dim=(1, 2))
    assert sums.tolist() == [0, 0, 0]
    sums.sum().backward()
    assert t.grad.shape == (3, 0, 4)


def test_no_gradient_of_the_gradient():
    t = nomen.eye(2).requires_grad_()
    with pytest.raises(RuntimeError, match="cannot be differentiated again"):
        nomen.grad(nomen.nuclear_norm(t), t, create_graph=True)


@pytest.mark.parametrize(
    "text, call",
    [
        ("linalg.matrix_norm: dim must be a 2-tuple. Got 0 1 2\n", lambda x: x.norm("nuc")),
        ("linalg.matrix_norm: dim must be a 2-tuple. Got 1\n", lambda x: x.norm("nuc", 1)),
        (r"linalg.matrix_norm: dims must be different. Got \(2, 2\)\n",
         lambda x: x.norm("nuc", (2, -1))),
        ("Name 'K' not found in Tensor", lambda x: x.norm("nuc", ("K", 1))),
        ("linalg.matrix_norm: Expected a floating point or complex tensor as input. Got int64",
         lambda x: x.long().norm("nuc", (0, 1))),
        ("linalg.matrix_norm: dtype should be floating point or complex, but got int8",
         lambda x: x.norm("nuc", (0, 1), dtype=nomen.int8)),
        ("only valid string values are 'fro' and 'nuc', found max", lambda x: x.norm("max")),
    ],
)  # fmt: skip
def test_refused(text, call):
    with pytest.raises(RuntimeError, match="^" + text):
        call(nomen.ones(2, 3, 4))


def with_values(values, seed=0):
    """A matrix with these singular values."""
    random, n = np.random.default_rng(seed), len(values)
    left, right = (np.linalg.qr(random.standard_normal((n, n)))[0] for _ in range(2))
    return left @ np.diag(values) @ right


HARD = {
    "graded": np.diag(10.0 ** np.arange(0, -60, -3)) + np.triu(np.full((20, 20), 1e-9)),
    "rank 1": np.outer(np.arange(30), np.arange(17) - 3.0),
    "zeros on the diagonal": np.diag(np.arange(12) % 3 * 1.0) + np.diag(np.ones(11), 1),
    "one row": np.arange(50.0)[None],
    "repeated": np.kron(np.eye(9), np.ones((3, 4))),
    "permutation": np.eye(31)[::-1],
    "all the same": with_values(np.ones(40)),
    "nearly the same": with_values(1 + 1e-9 * np.arange(40)),
    "pairs": with_values(np.repeat(np.arange(1.0, 21), 2)),
    "one is small": with_values(np.r_[np.ones(39), 1e-10]),
    "one is large": with_values(np.r_[1e10, np.ones(39)]),
    "powers": with_values(2.0 ** -np.arange(40)),
    "powers, upwards": with_values(2.0 ** -np.arange(40))[::-1],
    "one of two": np.diag(np.arange(24) % 2 * 1.0) + np.diag(np.arange(23) % 3 * 1e-8, 1),
    "large": np.random.default_rng(5).standard_normal((70, 90)),
}


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_the_way_without_a_gradient(name, dtype):
    x = HARD[name].astype(dtype)
    if dtype == "complex128":
        x = x * (1 + 2j) + np.eye(*x.shape) * 1j
    for each in (x, x.T):
        t = nomen.tensor(np.ascontiguousarray(each))
        assert nomen.nuclear_norm(t).item() == pytest.approx(exact(x), rel=1e-14)
        with_gradient = nomen.nuclear_norm(t.requires_grad_())
        assert with_gradient.item() == pytest.approx(exact(x), rel=1e-14)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_no_number(bad):
    for dtype in (nomen.float32, nomen.float64, nomen.complex64, nomen.complex128):
        x = nomen.ones(2, 3, 4, dtype=dtype)
        x[0, 1, 2] = bad
        values = nomen.nuclear_norm(x, (1, 2))
        bound = 1e-15 if values.dtype is nomen.float64 else 1e-7
        assert values[0].isnan().item() and values[1].item() == pytest.approx(12**0.5, rel=bound)
    assert nomen.nuclear_norm(nomen.zeros(2, 3, 0), (1, 2)).tolist() == [0, 0]


# a triangle is made first: rows that fill no panel, no strip, no eight; columns that fill no part
FLAT = [(8, 9000), (13, 6007), (64, 2000), (65, 1100), (200, 333), (3, 130, 600), (257, 1100),
        (2, 17, 70001)]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", FLAT)
def test_far_more_columns_than_rows(shape, dtype):
    x = matrices(shape, dtype, len(shape))
    wanted = exact(x)
    tall = np.ascontiguousarray(np.swapaxes(x, -1, -2))
    for each in (nomen.from_numpy(x), nomen.from_numpy(tall), nomen.from_numpy(tall).mT):
        found = nomen.nuclear_norm(each, (-2, -1))
        np.testing.assert_allclose(found.numpy(), wanted, rtol=8 * np.finfo(dtype).eps)
    assert (nomen.nuclear_norm(each * 2.0**70, (-2, -1)) == found * 2.0**70).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_far_more_columns_than_rows_that_depend_on_each_other(dtype):
    random = np.random.default_rng(3)
    x = random.standard_normal((90, 3)) @ random.standard_normal((3, 5000))
    x[5] = 0
    x[7] *= 1e-30
    x[:, 100:4000] = 0
    x = x.astype(dtype)
    bound = 20 * np.finfo(dtype).eps
    for each in (x, x[::-1], x[:, ::-1], np.zeros_like(x)):
        t = nomen.from_numpy(np.ascontiguousarray(each))
        np.testing.assert_allclose(nomen.nuclear_norm(t).item(), exact(each), rtol=bound)
    t[3, 4000] = float("nan")
    assert nomen.nuclear_norm(t).isnan().item()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_millions_and_hundreds(dtype):
    x = matrices((8, 600001), dtype, 1)
    bound = 4 * np.finfo(dtype).eps
    np.testing.assert_allclose(nomen.nuclear_norm(nomen.from_numpy(x)).item(), exact(x), rtol=bound)
    x = matrices((300, 40, 40), dtype, 2)
    found = nomen.nuclear_norm(nomen.from_numpy(x), (1, 2)).numpy()
    np.testing.assert_allclose(found, exact(x), rtol=bound)


@pytest.mark.parametrize("tiny", [1e-18, 1e-20, 1e-22, 1e-40])
def test_rows_that_are_nearly_nothing(tiny):
    """The squares of float32 do not reach so far down."""
    x = np.array([[tiny] * 3, [1, 2, 3], [4, 5, 7]])
    for dtype, least in (("float32", tiny), ("float64", tiny**8)):
        x[0] = least
        t = nomen.tensor(x.astype(dtype))
        np.testing.assert_allclose(nomen.nuclear_norm(t).item(), exact(x[1:]), rtol=1e-6)


@pytest.mark.parametrize("shape", [(400, 500), (300, 2000)])
def test_threads_change_no_bit(shape):
    x = nomen.tensor(np.random.default_rng(7).standard_normal(shape))
    before, found = nomen.get_num_threads(), set()
    try:
        for threads in (1, 2, 3, 8):
            nomen.set_num_threads(threads)
            found.add(nomen.nuclear_norm(x).item())
    finally:
        nomen.set_num_threads(before)
    (value,) = found
    assert value == pytest.approx(exact(x.numpy()), rel=1e-14)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_numbers_in_parts(dtype):
    x = matrices((260, 300), dtype, 9)  # more rows than one part has
    t, threads, found = nomen.from_numpy(x), nomen.get_num_threads(), []
    for each in (t, t.mH.contiguous(), t * 1j, t * 2.0**100, t * 2.0**-90):
        found.append(nomen.nuclear_norm(each).item())
    wanted = exact(x)
    bound = 4 * np.finfo(dtype).eps
    np.testing.assert_allclose(found, wanted * np.r_[1, 1, 1, 2.0**100, 2.0**-90], rtol=bound)
    try:
        for count in (1, 2, 3):
            nomen.set_num_threads(count)
            assert nomen.nuclear_norm(t).item() == found[0]
    finally:
        nomen.set_num_threads(threads)
    low = nomen.from_numpy(matrices((70, 6), dtype, 1) @ matrices((6, 80), dtype, 2))
    assert nomen.nuclear_norm(low).item() == pytest.approx(exact(low.numpy()), rel=bound)


# rows that fill no panel of mirrors, no strip, no vector of columns; a triangle is made first
MANY = [(16, 16), (17, 40), (31, 2000), (64, 64), (65, 65), (66, 67), (129, 193), (200, 150),
        (130, 1500), (1, 50), (7, 9000), (3, 20, 70)]  # fmt: skip


def polar_factor(x):
    """What the gradient is, and how far rounding may move it."""
    wide = x.astype(np.complex128 if np.iscomplexobj(x) else np.float64)
    u, values, v = np.linalg.svd(wide, full_matrices=False)
    epsilon = np.finfo(x.dtype).eps
    least = epsilon * max(x.shape[-2:]) * values.max(-1, keepdims=True)
    counts = values > least
    kept = np.where(counts, values, np.inf).min()
    return (u * counts[..., None, :]) @ v, epsilon * values.max() / kept


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", MANY)
def test_gradient_of_more_rows(shape, dtype):
    x = matrices(shape, dtype, 11)
    t = nomen.from_numpy(x).requires_grad_()
    values = nomen.nuclear_norm(t, (-2, -1))
    wanted, part = polar_factor(x)
    bound = 16 * np.finfo(dtype).eps  # products with all singular values 1, added up
    np.testing.assert_allclose(values.detach().numpy(), exact(x), rtol=bound)
    (2 * values).sum().backward()
    np.testing.assert_allclose(t.grad.numpy(), 2 * wanted, atol=20 * part)


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_gradient_of_hard_matrices(name, dtype):
    x = HARD[name].astype(dtype)
    if dtype == "complex128":
        x = x * np.exp(1j * np.arange(x.shape[1]))
    for each in (x, x.T, x[::-1]):
        t = nomen.tensor(np.ascontiguousarray(each)).requires_grad_()
        nomen.nuclear_norm(t).backward()
        wanted, part = polar_factor(each)
        np.testing.assert_allclose(t.grad.numpy(), wanted, atol=20 * part)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_gradient_of_matrices_of_low_rank(dtype):
    x = matrices((80, 3), dtype, 1) @ matrices((3, 90), dtype, 2)
    for each in (x, np.kron(np.eye(20), np.ones((3, 3))).astype(dtype), np.zeros_like(x)):
        t = nomen.tensor(each).requires_grad_()
        nomen.nuclear_norm(t).backward()
        wanted, part = (each, 0) if not each.any() else polar_factor(each)
        np.testing.assert_allclose(t.grad.numpy(), wanted, atol=20 * part)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
@pytest.mark.parametrize("shape", [(300, 310), (200, 2500)])
def test_threads_change_no_bit_of_the_gradient(shape, dtype):
    x = nomen.tensor(matrices(shape, dtype, 7)).requires_grad_()
    before, found = nomen.get_num_threads(), []
    try:
        for threads in (1, 2, 3, 8):
            nomen.set_num_threads(threads)
            found.append(nomen.grad(nomen.nuclear_norm(x), x)[0])
    finally:
        nomen.set_num_threads(before)
    assert all((each == found[0]).all() for each in found)


def test_gradient_of_what_is_no_number():
    x = nomen.ones(2, 20, 20, dtype=nomen.float64)
    x[0, 1, 2] = np.nan
    x.requires_grad_()
    nomen.nuclear_norm(x, (1, 2)).sum().backward()
    assert x.grad[0].isnan().all().item()
    np.testing.assert_allclose(x.grad[1].numpy(), np.full((20, 20), 0.05), atol=1e-13)


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e30, 1e300])
def test_gradient_of_sizes_whose_squares_do_not_fit(scale):
    x = matrices((40, 30), "float64", 3)
    wanted, part = polar_factor(x)
    t = nomen.tensor(x * scale).requires_grad_()
    value = nomen.nuclear_norm(t)
    value.backward()
    assert value.item() == pytest.approx(exact(x) * scale, rel=1e-14)
    np.testing.assert_allclose(t.grad.numpy(), wanted, atol=20 * part)
