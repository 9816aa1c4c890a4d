"""Reductions over a few elements between many short rows: operations between slices. The bits are
those of rows that lie in one piece, which are reduced in another way."""

import numpy as np
import pytest

import nomen

FLOATS = ("float16", "bfloat16", "float32", "float64")
SHAPES = (((64, 2, 7), 1), ((40, 8, 3), 1), ((90, 3, 12), 1), ((9, 2, 2, 9, 5), 2))
SHAPES = (*SHAPES, ((12, 4, 4, 6), 1), ((70, 2, 1, 40), 1), ((30, 5, 8, 2), 2))
OPS = ("amax", "amin", "aminmax", "prod", "sum")


def numbers(shape, dtype, seed=3):
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return nomen.from_numpy(rng.random(shape) < 0.3)
    x = rng.integers(-9, 10, shape) / 8
    chance = rng.random(shape)
    if dtype in FLOATS:
        x = np.where(chance < 0.05, np.nan, np.where(chance > 0.8, -0.0, x))
        x = np.where((chance > 0.7) & (chance < 0.75), np.inf, x * 1.01)
    return nomen.from_numpy(np.ascontiguousarray(x * 8)).to(getattr(nomen, dtype))


def bits(t):
    """Of all parts, NaN as one of them."""
    t = nomen.view_as_real(t) if t.is_complex() else t
    values = np.array(t.to(nomen.float64).tolist())
    return np.where(np.isnan(values), np.nan, values), np.signbit(values) & ~np.isnan(values)


def same(found, wanted):
    found = found if isinstance(found, tuple) else (found,)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    for f, w in zip(found, wanted, strict=True):
        assert (f.dtype, tuple(f.shape)) == (w.dtype, tuple(w.shape))
        for a, b in zip(bits(f), bits(w), strict=True):
            np.testing.assert_array_equal(a, b)


def reduced(name, x, dim, **more):
    return getattr(nomen, name)(x, dim=dim, **more)


def in_rows(x, dim):
    """The same with the dim that goes as the last one, in one piece."""
    order = [d for d in range(x.ndim) if d != dim] + [dim]
    return x.permute(order).contiguous()


@pytest.mark.parametrize("dtype", (*FLOATS, "int64", "int32", "uint8", "complex64", "complex128"))
@pytest.mark.parametrize("name", OPS)
def test_as_rows_in_one_piece(name, dtype):
    if dtype.startswith("complex") and name not in ("sum", "prod"):
        pytest.skip("complex numbers have no order")
    for shape, dim in SHAPES:
        if name in ("prod", "sum") and shape[dim] > 2:
            continue  # rows are added up in another order
        x = numbers(shape, dtype)
        wanted = reduced(name, in_rows(x, dim), -1)
        same(reduced(name, x, dim), wanted)
        kept = reduced(name, x, dim, keepdim=True)
        kept = tuple(kept) if isinstance(kept, tuple) else (kept,)
        same(tuple(t.squeeze(dim) for t in kept), wanted)
        wide = nomen.stack([x, x], -1).flatten(-2)[..., ::2]
        same(reduced(name, wide, dim), wanted)
        turned = x.transpose(0, -1).contiguous().transpose(0, -1)
        same(reduced(name, turned, dim), wanted)


@pytest.mark.parametrize("name", ("any", "all"))
@pytest.mark.parametrize("dtype", ("bool", "uint8", "float32"))
def test_truth(name, dtype):
    for shape, dim in SHAPES:
        x = numbers(shape, dtype)
        same(reduced(name, x, dim), reduced(name, in_rows(x, dim), -1))


def test_zeros_lose_their_signs_in_a_sum():
    x = nomen.full((100, 2, 5), -0.0)
    assert not np.signbit(np.array(x.sum(1).tolist())).any()
    assert np.signbit(np.array(x.amax(1).tolist())).all()


@pytest.mark.parametrize("n", (2, 3, 5))
def test_results_that_are_slices(n):
    for at in range(n):
        x = numbers((60, n, 6), "float32")
        wanted = x.clone().amax(1)
        nomen.amax(x, 1, out=x[:, at])
        same(x[:, at].clone(), wanted)


def test_results_that_exist_and_names():
    x = numbers((60, 3, 6), "float64")
    wanted = in_rows(x, 1).amin(-1)
    room = nomen.zeros(60, 12, dtype=nomen.float64)
    nomen.amin(x, 1, out=room[:, ::2])
    same(room[:, ::2].clone(), wanted)
    assert room[:, 1::2].count_nonzero() == 0
    named = x.refine_names("N", "C", "L")
    found = named.amin("C")
    assert found.names == ("N", "L")
    same(found.rename(None), wanted)
    least, most = named.aminmax(dim="C", keepdim=True)
    assert least.names == most.names == ("N", "C", "L")
    same(least.rename(None).squeeze(1), wanted)


def test_gradients():
    x = numbers((40, 2, 6), "int64").double().requires_grad_()
    y = x.detach().clone().transpose(1, 2).contiguous().requires_grad_()
    for name in ("sum", "prod", "amax"):
        (gx,) = nomen.autograd.grad([reduced(name, x, 1).square().sum()], [x])
        (gy,) = nomen.autograd.grad([reduced(name, y, 2).square().sum()], [y])
        same(gx.clone(), gy.transpose(1, 2).contiguous())
