"""Gradients that have a kernel (src/kernels/gradients.c, rows.c): those of the formulas, which are
asked where a gradient is to be differentiated again."""

import nomen
import numpy as np
import pytest

LENGTHS = [1, 2, 3, 7, 8, 9, 15, 16, 17, 24, 33, 64, 127, 255, 257, 1000, 1025, 3001]
FUNCTIONS = """relu tanh sigmoid logit expm1 exp2 log1p log2 log10 sqrt square""".split()
rng = np.random.default_rng(11)


def made(*size, dtype="float64"):
    return nomen.from_numpy(rng.standard_normal(size)).to(getattr(nomen, dtype))


def both(call, x):
    """By the kernel, and by the formula."""
    x = x.detach().requires_grad_()
    y = call(x)
    g = made(*y.shape).to(y.dtype)
    (kernel,) = nomen.autograd.grad(y, x, g, retain_graph=True)
    (formula,) = nomen.autograd.grad(y, x, g, create_graph=True)
    assert kernel.dtype == formula.dtype and kernel.shape == formula.shape
    assert kernel.names == formula.names
    return kernel, formula.detach()


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_elements(name, dtype):
    for size in [(), (0,), (1,), (3, 5), (31, 33), (2, 3, 4, 5)]:
        x = made(*size, dtype=dtype)
        kernel, formula = both(getattr(nomen, name), x)
        assert kernel.nan_to_num(7).equal(formula.nan_to_num(7))
        kernel, formula = both(getattr(nomen, name), x.t() if len(size) == 2 else x[..., None])
        assert kernel.nan_to_num(7).equal(formula.nan_to_num(7))
    odd = nomen.tensor([float("inf"), -float("inf"), float("nan"), 0.0, -0.0, 1.0, 0.5, 2.0, -1.0])
    kernel, formula = both(getattr(nomen, name), odd.to(getattr(nomen, dtype)))
    assert kernel.isnan().equal(formula.isnan())
    assert kernel.nan_to_num(7).equal(formula.nan_to_num(7))


@pytest.mark.parametrize("name", ["tanh", "sigmoid"])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_elements(name, dtype):
    within = {"complex64": 1e-5, "complex128": 1e-13}[dtype]
    for size in [(), (0,), (1,), (2,), (3, 5), (31, 33)]:
        parts = rng.standard_normal(size) + 1j * rng.standard_normal(size)
        x = nomen.from_numpy(np.asarray(parts)).to(getattr(nomen, dtype)).requires_grad_()
        y = getattr(x, name)()
        g = (y.detach() * (2 - 3j)).conj()
        (kernel,) = nomen.autograd.grad(y, x, g, retain_graph=True)
        (formula,) = nomen.autograd.grad(y, x, g, create_graph=True)
        y = y.detach()
        slope = 1 - y * y if name == "tanh" else y * (1 - y)
        for found in (kernel, formula.detach()):
            assert nomen.allclose(found, g * slope.conj(), rtol=within, atol=within)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_threshold_and_hypot(dtype):
    for bound in (0, 0.5, -1):
        x = made(40, 30, dtype=dtype)
        x[0, :3] = nomen.tensor([float("nan"), bound, float("inf")], dtype=x.dtype)
        kernel, formula = both(lambda x: nomen.threshold(x, bound, 7), x)
        assert kernel.equal(formula)
    within = {"float16": 2e-3, "float32": 2e-7, "float64": 1e-15}[dtype]
    other = made(40, 30, dtype=dtype)
    other[3] = 0
    for y in (other, other[:1], other[:, :1]):
        x = made(40, 30, dtype=dtype)
        x[3, ::2] = 0  # the origin
        kernel, formula = both(lambda x: nomen.hypot(x, y), x)
        assert nomen.allclose(kernel, formula, rtol=within, atol=within)
        kernel, formula = both(lambda y: nomen.hypot(x, y), y)
        assert nomen.allclose(kernel, formula, rtol=20 * within, atol=20 * within)


WITHIN = {"bfloat16": 3e-2, "float16": 4e-3, "float32": 2e-6, "float64": 1e-14}


@pytest.mark.parametrize("dtype", list(WITHIN))
def test_calls_with_numbers(dtype):
    calls = [
        lambda x: nomen.logit(x, 0.1),
        lambda x: nomen.logit(x, 0.5),
        lambda x: nomen.norm(x, 2, 1),
        lambda x: nomen.norm(x, 3),
        lambda x: nomen.norm(x, 3, 0),
        lambda x: nomen.acosh(x.abs() + 1),
        lambda x: nomen.pow(0.3, x),
        lambda x: nomen.pow(2, x),
        lambda x: nomen.pow(0.0, x.abs()),
        nomen.sinc,
    ]
    for k, call in enumerate(calls):
        for size in [(40, 30), (30, 40), (0, 3)]:
            x = made(*size, dtype=dtype)
            x = x.t() if size[0] == 30 else x
            x[: x.shape[0] // 3] = 0
            kernel, formula = both(call, x)
            assert nomen.allclose(kernel, formula, WITHIN[dtype], WITHIN[dtype], True), k


def test_slope_of_sinc():
    x = np.concatenate([np.linspace(-3, 3, 1201), [1e-30, 0.5, -0.5, 1234.25, 1e17, np.inf]])
    own = nomen.from_numpy(x).requires_grad_()
    (slope,) = nomen.autograd.grad(nomen.sinc(own), own, nomen.ones(*x.shape).double())
    pi = np.longdouble("3.14159265358979323846")
    for at, got in zip(x, slope.numpy()):
        t = pi * np.longdouble(at)
        if abs(at) < 0.01:
            want = -pi * t / 3 + pi * t**3 / 30 - pi * t**5 / 840
        elif np.isinf(at):
            want = np.nan
        else:
            turned = pi * np.longdouble(np.fmod(at, 2))
            want = pi * (np.cos(turned) / t - np.sin(turned) / t**2)
        assert np.isclose(got, float(want), rtol=1e-13, atol=2e-15, equal_nan=True), at


def test_lines_of_one():
    x = made(4, 1, 3, dtype="float32").requires_grad_()
    g = made(4, 1, 3, dtype="float32")
    for call in (x.cumsum, x.cumprod):
        (found,) = nomen.autograd.grad(call(1), x, g)
        assert found.equal(g)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_half_columns(dtype, name):
    """A few of them are turned over first."""
    step = {"bfloat16": 2**-8, "float16": 2**-11}[dtype]
    cases = [((700, 3), 0), ((40, 9), 0), ((5, 30, 2), 1), ((2, 8, 3, 5), 1), ((9, 63), 0)]
    for size, dim in cases:
        x = made(*size, dtype=dtype).requires_grad_()
        y, g = getattr(x, name)(dim), made(*size, dtype=dtype)
        (got,) = nomen.autograd.grad(y, x, g)
        y, wide = y.detach().to(nomen.float64), g.to(nomen.float64)
        if name == "softmax":
            want = y * (wide - (wide * y).sum(dim, keepdim=True))
        else:
            want = wide - y.exp() * wide.sum(dim, keepdim=True)
        assert nomen.allclose(got.to(nomen.float64), want, rtol=1.01 * step, atol=1e-2 * step)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_extrema_are_summed_in_float(dtype):
    x = (1 - nomen.arange(3001.0)).to(getattr(nomen, dtype)).requires_grad_()
    g = nomen.ones(3001, dtype=x.dtype)
    (found,) = nomen.autograd.grad(x.cummax(0).values, x, g)
    assert found.dtype == x.dtype and found[0].equal(nomen.tensor(3001.0).to(x.dtype))
    assert found[1:].count_nonzero() == 0


def test_relu_passes_what_is_no_number():
    x = nomen.tensor([float("nan"), -1.0, 0.0, 2.0], requires_grad=True)
    x.relu().backward(nomen.tensor([3.0, 4.0, 5.0, 6.0]))
    assert x.grad.tolist() == [3, 0, 0, 6]


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("dtype, within", [("float32", 2e-6), ("float64", 1e-14)])
def test_rows(name, dtype, within):
    for n in LENGTHS:
        for rows in (1, 2, 7, 8, 9, 17):
            x = made(rows, n, dtype=dtype)
            kernel, formula = both(lambda x: getattr(x, name)(1), x)
            assert nomen.allclose(kernel, formula, rtol=within, atol=10 * within)
            kernel, formula = both(lambda x: getattr(x, name)(0), x)
            assert nomen.allclose(kernel, formula, rtol=within, atol=10 * within)
    for size, dim in [((3, 5, 70), 1), ((2, 3, 4, 5), 2), ((5, 1, 3), 1), ((300, 2, 300), 1)]:
        kernel, formula = both(lambda x: getattr(x, name)(dim), made(*size, dtype=dtype))
        assert nomen.allclose(kernel, formula, rtol=within, atol=10 * within)
    x = made(40, 30, dtype=dtype).t()  # the formula does it
    kernel, formula = both(lambda x: getattr(x, name)(1), x)
    assert nomen.allclose(kernel, formula, rtol=within, atol=10 * within)
    named = made(4, 6, dtype=dtype).rename("N", "C")
    x = named.requires_grad_()
    getattr(x, name)("C").backward(nomen.ones(4, 6, dtype=x.dtype).rename("N", "C"))
    assert x.grad.names == ("N", "C")


@pytest.mark.parametrize("name", ["tanh", "sigmoid", "softmax", "log_softmax"])
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_types_are_rounded_once(name, dtype):
    kind = getattr(nomen, dtype)
    for n in LENGTHS:
        x = made(9, n, dtype=dtype).requires_grad_()
        y = getattr(x, name)(1) if "soft" in name else getattr(x, name)()
        g = made(9, n, dtype=dtype)
        (got,) = nomen.autograd.grad(y, x, g)
        y, g = y.detach().to(nomen.float64), g.to(nomen.float64)
        want = {
            "tanh": lambda: g * (1 - y * y),
            "sigmoid": lambda: g * (1 - y) * y,
            "softmax": lambda: y * (g - (g * y).sum(1, keepdim=True)),
            "log_softmax": lambda: g - y.exp() * g.sum(1, keepdim=True),
        }[name]()
        step = {"bfloat16": 2**-8, "float16": 2**-11}[dtype]
        assert nomen.allclose(got.to(nomen.float64), want, rtol=1.01 * step, atol=1e-4 * step * n)
        assert got.dtype == kind


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("size", [(700, 400), (40000, 9), (9, 40000)])
def test_threads_make_no_difference(size, dim):
    before, found = nomen.get_num_threads(), []
    x = made(*size, dtype="float32").requires_grad_()
    g = made(*size, dtype="float32")
    try:
        for threads in (1, 2, 5):
            nomen.set_num_threads(threads)
            y = x.softmax(dim)
            found += nomen.autograd.grad(y, x, g)
    finally:
        nomen.set_num_threads(before)
    assert found[0].equal(found[1]) and found[0].equal(found[2])


def test_extremes():
    """Sums that begin at -inf, results of 0, gradients that are infinite."""
    x = nomen.tensor([[0.0, -float("inf"), 1.0], [-float("inf")] * 3], requires_grad=True)
    for name in ("softmax", "log_softmax"):
        kernel, formula = both(lambda x: getattr(x, name)(1), x.detach())
        assert kernel.isnan().equal(formula.isnan())
        assert nomen.allclose(kernel.nan_to_num(), formula.nan_to_num())
    y = x.softmax(1)
    (g,) = nomen.autograd.grad(y, x, nomen.full((2, 3), float("inf")))
    assert g[0].isnan().all()
    (g,) = nomen.autograd.grad(x[0:1].expand(4, 3).softmax(1).sum(), x)
    assert g[0].tolist() == pytest.approx([0, 0, 0], abs=1e-6)
