"""Gradients of parts: zeros but where the part is, whatever dim it is taken along and wherever it
begins, also where it is so large that only what lies around it is filled."""

import pytest

import nomen

SHAPES = [(200, 130), (40, 3, 170), (30, 40, 20), (130, 200, 1)]


@pytest.mark.parametrize("shape", SHAPES)
def test_zeros_around(shape):
    for dim, size in enumerate(shape):
        for first in {0, min(1, size - 1), size // 3, size - 1}:
            for n in {1, (size - first) // 2, size - first}:
                x = nomen.zeros(shape, requires_grad=True)
                part = x.narrow(dim, first, n)
                g = nomen.randn(*part.shape)
                wanted = nomen.zeros(shape)
                wanted.narrow(dim, first, n).copy_(g)
                assert nomen.equal(nomen.autograd.grad(part, x, g)[0], wanted)
                # a part of a turned one, and two parts of which the second is added
                x = nomen.zeros(*reversed(shape), requires_grad=True)
                turned = x.permute(*reversed(range(len(shape))))
                both = turned.narrow(dim, first, n).mul(2) + turned.narrow(dim, size - n, n)
                got = nomen.autograd.grad(both, x, g)[0]
                again = wanted * 2
                again.narrow(dim, size - n, n).add_(g)
                assert nomen.equal(got.permute(*reversed(range(len(shape)))), again)


@pytest.mark.parametrize("dtype", [nomen.float16, nomen.float64, nomen.complex64])
def test_steps_and_dtypes(dtype):
    x = nomen.zeros(210, 110, dtype=dtype, requires_grad=True)
    for part in (x[3:150], x[::2], x[5], x[:, 4:90], x[10:20, 30:40], x[:, 7], x.roll(3, 0)):
        g = nomen.ones_like(part)
        (got,) = nomen.autograd.grad(part, x, g, retain_graph=True)
        assert got.to(nomen.complex128).sum().real.item() == part.numel()
        assert nomen.equal(got * got, got)
    assert nomen.equal(nomen.autograd.grad(x[3:150], x, nomen.ones(147, 110, dtype=dtype))[0][:3],
                       nomen.zeros(3, 110, dtype=dtype))  # fmt: skip
