"""Large gradients are made piece by piece (src/autograd/piecewise.c): they are what the formula
gives when it is asked once, as it is where the gradient is to be differentiated again."""

import nomen
import pytest

SIZES = [(3, 300, 301), (271000,), (700, 400), (65, 65, 65), (2, 3, 5, 9100), (135100, 2)]
ONE = """abs acos acosh asin asinh atan atanh cos cosh digamma erf erfc erfinv exp2 expm1 lgamma
log10 log1p log2 logit nan_to_num reciprocal relu rsqrt sigmoid sin sinc sinh sqrt square tan tanh
sgn""".split()
TWO = """atan2 hypot logaddexp logaddexp2 maximum minimum fmax fmin fmod remainder pow div copysign
clamp_min clamp_max""".split()
SHARED = "logsumexp nansum norm nanmean amax amin var std prod".split()
CHOSEN = "max min median nanmedian mode".split()
ALONG = "softmax log_softmax cumprod logcumsumexp cumsum".split()
SORTED = "sort cummax cummin".split()
OTHERS = {
    "topk": lambda x, dim: x.topk(3, dim)[0] if x.shape[dim] > 2 else x.topk(1, dim)[0],
    "kthvalue": lambda x, dim: x.kthvalue(1, dim)[0],
    "norm 3": lambda x, dim: x.norm(3, dim),
    "norm inf": lambda x, dim: x.norm(float("inf"), dim),
    "norm keepdim": lambda x, dim: x.norm(2, dim, keepdim=True),
    "logsumexp keepdim": lambda x, dim: x.logsumexp(dim, keepdim=True),
    "amax keepdim": lambda x, dim: x.amax(dim, keepdim=True),
    "norm 1 of all": lambda x, dim: x.norm(1),
    "norm of all": lambda x, dim: x.norm(),
    "norm inf of all": lambda x, dim: x.norm(float("inf")),
    "logsumexp of all": lambda x, dim: x.logsumexp(tuple(range(x.dim()))),
    "threshold": lambda x, dim: nomen.threshold(x, 0.5, 0.25),
    "clamp": lambda x, dim: x.clamp(0.3, 0.7),
    "polygamma": lambda x, dim: x.polygamma(1),
    "addcmul": lambda x, dim: nomen.addcmul(x, x, x, value=2),
    "addcdiv": lambda x, dim: nomen.addcdiv(x, x + 1, x + 2, value=2),
    "lerp": lambda x, dim: nomen.lerp(x, x * x, 0.25),
}


def layouts(size):
    """Of the tensor that a gradient is asked for: as they come, turned, every second column."""
    nomen.manual_seed(7)
    x = nomen.rand(*size) * 0.8 + 0.1
    yield x
    if len(size) > 1:
        yield x.transpose(0, -1)
        yield nomen.rand(*size[:-1], 2 * size[-1])[..., ::2]


def same(call, x, exact):
    x = x.clone().detach() if x.is_contiguous() else x.detach()
    x.requires_grad_()
    y = call(x)
    g = nomen.rand(y.shape) + 0.5
    (piecewise,) = nomen.autograd.grad(y, x, g, retain_graph=True)
    (once,) = nomen.autograd.grad(y, x, g, create_graph=True)
    once = once.detach()
    assert piecewise.shape == once.shape and piecewise.dtype == once.dtype
    if exact:
        assert piecewise.equal(once) or piecewise.isnan().equal(once.isnan())
        assert piecewise.nan_to_num().equal(once.nan_to_num())
    else:
        assert nomen.allclose(piecewise, once, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_element(name):
    for size in SIZES[:3]:
        for x in layouts(size):
            x = x + 1 if name == "acosh" else x
            same(getattr(nomen, name), x, name != "sinc")  # the slope has a kernel of its own


@pytest.mark.parametrize("name", TWO)
def test_two_operands(name):
    function = getattr(nomen, name)
    for size in SIZES[:3]:
        for x in layouts(size):
            other = nomen.rand(*x.shape) + 0.3
            same(lambda x: function(x, other), x, True)
            same(lambda x: function(other, x), x, True)
            row = nomen.rand(x.shape[-1]) + 0.3
            same(lambda x: function(x, row), x, True)
            if x.dim() > 1:
                column = nomen.rand(*x.shape[:-1], 1) + 0.3
                same(lambda x: function(x, column), x, True)
                same(lambda x: function(column, x), x, True)
            if name not in ("clamp_min", "clamp_max"):
                wide = nomen.rand(2, *x.shape) + 0.3
                same(lambda x: function(x, wide), x, False)


@pytest.mark.parametrize("name", SHARED + CHOSEN + ALONG + SORTED + list(OTHERS))
def test_along_dims(name):
    for size in SIZES:
        for x in layouts(size):
            for dim in range(x.dim()):
                if name in OTHERS:
                    same(lambda x: OTHERS[name](x, dim), x, False)
                    continue
                function = getattr(nomen, name)
                if name in CHOSEN + SORTED:
                    same(lambda x: function(x, dim)[0], x, False)
                elif name == "norm":
                    same(lambda x: nomen.norm(x, 2, dim), x, False)
                else:
                    same(lambda x: function(x, dim), x, False)
                if name in ("nanmean", "logsumexp", "amax") and x.dim() > 2:
                    same(lambda x: function(x, (0, 2)), x, False)


@pytest.mark.parametrize("dtype", ["float64", "bfloat16", "float16", "complex64", "complex128"])
def test_other_dtypes(dtype):
    kind = getattr(nomen, dtype)
    x = (nomen.rand(1100, 1000) * 0.8 + 0.1).to(kind)
    for name in ("tan", "cos", "reciprocal", "rsqrt", "sinh"):
        x = x.detach().requires_grad_()
        y = getattr(nomen, name)(x)
        g = (nomen.rand(y.shape) + 0.5).to(kind)
        (piecewise,) = nomen.autograd.grad(y, x, g, retain_graph=True)
        (once,) = nomen.autograd.grad(y, x, g, create_graph=True)
        assert piecewise.dtype == kind and piecewise.equal(once.detach())


def test_threads_and_names():
    x = (nomen.rand(1000, 1000, names=("N", "C")) * 0.8 + 0.1).requires_grad_()
    before = nomen.get_num_threads()
    found = []
    try:
        for threads in (1, 2, 3):
            nomen.set_num_threads(threads)
            y = x.cos().logsumexp("C")
            (g,) = nomen.autograd.grad(y, x, nomen.ones(1000, names=("N",)))
            assert g.names == ("N", "C")
            found.append(g.rename(None))
    finally:
        nomen.set_num_threads(before)
    assert nomen.allclose(found[0], found[1]) and nomen.allclose(found[0], found[2])


def test_many_views_of_one_tensor():
    """Each adds to its own part of the gradient; so many views cost what their elements cost."""
    x = nomen.rand(50, 40, requires_grad=True)
    w = nomen.rand(50, 40)
    sum(((row * row) * v).sum() for row, v in zip(x.unbind(), w)).backward()
    assert nomen.allclose(x.grad, 2 * x.detach() * w)

    x = nomen.rand(6, 8, requires_grad=True)
    y = x * 1
    parts = [y[1:4], y[:, ::2], y[2], y[2:3].expand(5, 8), y.t()[3], y.diagonal(), y[..., None][4]]
    weights = [nomen.rand(*p.shape) for p in parts]
    sum((p * v).sum() for p, v in zip(parts, weights)).backward()
    wanted = nomen.zeros(6, 8)
    wanted[1:4] += weights[0]
    wanted[:, ::2] += weights[1]
    wanted[2] += weights[2] + weights[3].sum(0)
    wanted[:, 3] += weights[4]
    wanted.diagonal().add_(weights[5])
    wanted[4] += weights[6][:, 0]
    assert nomen.allclose(x.grad, wanted)

    x = nomen.rand(4, 4, requires_grad=True)
    (first,) = nomen.autograd.grad((x[0] * x[0]).sum() + x[0].sum(), x, create_graph=True)
    (second,) = nomen.autograd.grad(first.sum(), x)
    assert second.equal(nomen.tensor([[2.0] * 4] + [[0.0] * 4] * 3))


def test_views_keep_what_others_hold():
    """A gradient that a hook has kept is not added to."""
    kept = []
    x = nomen.rand(4, 3, requires_grad=True)
    y = x * 1
    y.register_hook(lambda g: kept.append((g, g.clone())) or None)
    (y[0].sum() + y[1].sum() + y.sum()).backward()
    (g, copy), = kept
    assert g.equal(copy)
    z = x * 1
    given = nomen.ones(4, 3)
    nomen.autograd.backward([z, z[0]], [given, nomen.ones(3)])
    assert given.equal(nomen.ones(4, 3))


def test_as_strided_with_and_without_overlap():
    """Of a tensor without holes what does not overlap has zeros around it; the rest is added up."""
    for size, stride, offset in [
        ((4, 5), (5, 1), 0),
        ((5, 4), (1, 5), 0),
        ((3, 2), (8, 3), 0),
        ((3, 4), (2, 1), 1),
        ((2, 3), (0, 1), 4),
        ((), (), 7),
        ((0, 3), (3, 1), 0),
        ((19,), (1,), 1),
    ]:
        for base in (nomen.rand(4, 5), nomen.rand(5, 4).t()):
            x = base.requires_grad_()
            y = x.as_strided(size, stride, offset)
            g = nomen.rand(size)
            (got,) = nomen.autograd.grad(y, x, g, retain_graph=True, allow_unused=True)
            (again,) = nomen.autograd.grad(y, x, g, create_graph=True, allow_unused=True)
            assert nomen.allclose(got, again.detach())


def test_rows_written_one_by_one():
    """Each write takes its part out of the gradient, which lies as the base does."""
    for turned in (False, True):
        x = nomen.rand(6, 4, requires_grad=True)
        buffer = nomen.zeros(4, 6).t() if turned else nomen.zeros(6, 4)
        for i in range(6):
            buffer[i] = x[i] * x[i] * (i + 1)
        w = nomen.rand(6, 4)
        (buffer * w).sum().backward()
        assert nomen.allclose(x.grad, 2 * x.detach() * w * nomen.arange(1, 7)[:, None])
        buffer = nomen.zeros(6, 4)
        y = x.detach().requires_grad_()
        buffer.copy_(y)
        buffer[1:3].mul_(3)
        buffer[:, 2].exp_()
        buffer.sum().backward()
        want = nomen.ones(6, 4)
        want[1:3] = 3
        want[:, 2] *= buffer.detach()[:, 2]
        assert nomen.allclose(y.grad, want)
