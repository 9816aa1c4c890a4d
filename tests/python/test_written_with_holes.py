"""What is written to tensors that have holes, or lie across, in place and by out=: the same values
as without, and nothing in between changes."""

import nomen
import numpy as np
import pytest

rng = np.random.default_rng(29)
FLOATS = ["float16", "bfloat16", "float32", "float64"]
WHOLE = ["uint8", "int8", "int16", "int32", "int64"]
COMPLEX = ["complex64", "complex128"]
OF_ANY = ["neg", "square", "sgn"]
OF_REAL = ["abs", "sign", "relu"]
OF_FLOATS = "floor ceil trunc round frac reciprocal rsqrt sqrt exp tanh".split()


def made(size, dtype):
    x = rng.integers(1, 50, size)
    if dtype in COMPLEX:
        x = x - 1j * rng.integers(1, 50, size)
    elif dtype in FLOATS:
        x = x / 8
    return nomen.from_numpy(x).to(getattr(nomen, dtype))


def views(dtype):
    """(the whole, a function that shows a part of it): rows of every length, with holes behind
    them, or between their elements, or turned."""
    for n in [*range(1, 20), 24, 31, 32, 33, 63, 64, 65, 129]:
        yield made((9, n + 3), dtype), lambda t: t[:, 1:-2]
    for step in (2, 3, 5):
        for n in (1, 3, 4, 7, 8, 9, 16, 17, 31, 33, 64, 300):
            yield made((n * step,), dtype), lambda t, step=step: t[::step]
            yield made((5, n * step), dtype), lambda t, step=step: t[:, 1::step]
    yield made((40, 12), dtype), lambda t: t.t()[::2]
    yield made((6, 7, 33), dtype), lambda t: t.permute(2, 0, 1)[:, :, 1:4]
    yield made((2000, 5), dtype), lambda t: t[:, 1:4]


def bits(t):
    return t.view(nomen.uint8).numpy() if t.dtype != nomen.bool else t.numpy()


def checked(whole, shown, change, within=None):
    """`change` is made to the part in place, and to a copy of it that has no holes: the same bits,
    or numbers within a relative error."""
    marks = nomen.zeros(whole.shape, dtype=nomen.bool)
    shown(marks).fill_(True)
    before, want = whole.clone(), shown(whole).clone(memory_format="contiguous_format")
    change(want)
    change(shown(whole))
    if within:
        assert nomen.allclose(shown(whole), want, rtol=within)
    else:
        assert bits(shown(whole).contiguous()).tobytes() == bits(want).tobytes()
    rest = ~marks.numpy()
    kept, was = (t.to(nomen.complex128).numpy()[rest] for t in (whole, before))
    assert (kept == was).all()


@pytest.mark.parametrize("dtype", [*FLOATS, *WHOLE, *COMPLEX])
def test_functions_of_one(dtype):
    names = OF_ANY + ["conj_physical"] if dtype in COMPLEX else OF_ANY + OF_REAL
    names = names + (OF_FLOATS if dtype in FLOATS else [] if dtype in COMPLEX else ["bitwise_not"])
    for whole, shown in views(dtype):
        for name in names:
            if hasattr(nomen.Tensor, name + "_"):
                checked(whole.clone(), shown, lambda t: getattr(t, name + "_")())


@pytest.mark.parametrize("dtype", [*FLOATS, *WHOLE, *COMPLEX])
def test_functions_of_more(dtype):
    for whole, shown in views(dtype):
        other, third = made(shown(whole).shape, dtype), made(shown(whole).shape, dtype)
        column = other[..., :1]
        holes = made((*other.shape, 2), dtype)[..., 0]
        for change in (
            lambda t: t.add_(other),
            lambda t: t.sub_(column),
            lambda t: t.mul_(holes),
            lambda t: t.mul_(3),
            lambda t: t.addcmul_(other, third),
            lambda t: t.addcmul_(holes, column),
            lambda t: t.div_(other) if dtype not in WHOLE else t.floor_divide_(other),
            lambda t: t.clamp_(2, 5) if dtype not in COMPLEX else t.add_(column),
            lambda t: t.clamp_(column, holes) if dtype not in COMPLEX else t.div_(2),
            lambda t: nomen.sub(other, third, out=t),
            lambda t: nomen.mul(column, third, out=t),
        ):
            checked(whole.clone(), shown, change)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "complex64"])
def test_scans(dtype):
    for whole, shown in views(dtype):
        for dim in range(shown(whole).ndim):
            checked(whole.clone(), shown, lambda t: t.cumsum_(dim))
            if dtype not in ("float16", "complex64"):  # numbers beyond the type
                within = None if dtype == "int32" else 1e-4 if dtype == "float32" else 1e-12
                checked(whole.clone(), shown, lambda t: t.cumprod_(dim), within)
    for n in (1, 2, 5, 63, 64, 65):  # short lines without holes
        x = made((100, n), dtype)
        want = x.cumsum(1)
        assert x.cumsum_(1).equal(want.to(x.dtype))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "float16", "float32", "float64", "complex128"])
def test_slices(dtype):
    """index_copy_ and index_fill_, with slices that come twice: the last one stays."""
    cases = [
        (made((70, 40, 23), dtype), lambda t: t.permute(0, 2, 1)),
        (made((31, 600, 10), dtype), lambda t: t[..., ::2]),
        (made((9, 50, 64), dtype), lambda t: t.permute(2, 0, 1)),
        (made((60, 128), dtype), lambda t: t[:, ::2]),
        (made((16, 2, 46, 4), dtype), lambda t: t.permute(1, 0, 3, 2)),
        (made((5, 3000), dtype), lambda t: t[:, 1:-1]),
        (made((40, 2500), dtype), lambda t: t.t()),
    ]
    for whole, shown in cases:
        for dim in range(shown(whole).ndim):
            n = shown(whole).shape[dim]
            for count in (1, 2, n // 2 + 1, n + 3):
                places = rng.integers(0, n, count)
                index = nomen.from_numpy(places)
                size = [*shown(whole).shape]
                size[dim] = count
                source = made(size, dtype)
                checked(whole.clone(), shown, lambda t: t.index_copy_(dim, index, source))
                turned = source.transpose(0, -1).contiguous().transpose(0, -1)
                checked(whole.clone(), shown, lambda t: t.index_copy_(dim, index, turned))
                checked(whole.clone(), shown, lambda t: t.index_fill_(dim, index, 1))
                got = shown(whole).clone().index_copy_(dim, index, source).to(nomen.complex128)
                want = shown(whole).to(nomen.complex128).numpy().copy()
                at = [slice(None)] * want.ndim
                for i, place in enumerate(places):
                    at[dim] = place
                    want[tuple(at)] = source.select(dim, i).to(nomen.complex128).numpy()
                assert (got.numpy() == want).all()


@pytest.mark.parametrize("dtype", ["bool", "int16", "float16", "float32", "complex128"])
def test_numbers_into_a_mask(dtype):
    for whole, shown in views(dtype):
        part = shown(whole)
        mask = nomen.from_numpy(rng.random(part.shape) < 0.4)
        checked(whole.clone(), shown, lambda t: t.__setitem__(mask, 1))
        x = part.clone()
        x[mask] = nomen.tensor(1, dtype=x.dtype)
        want = part.to(nomen.complex128).numpy().copy()
        want[mask.numpy()] = 1
        assert (x.to(nomen.complex128).numpy() == want).all()


def test_masks_that_are_no_masked_fill():
    x = nomen.arange(12).reshape(3, 4)
    x[x > 5] = x[0, 3]  # a number of its own memory
    assert x.tolist() == [[0, 1, 2, 3], [4, 5, 3, 3], [3, 3, 3, 3]]
    flags = nomen.tensor([True, False, True])
    flags[flags] = False  # the mask is what is written
    assert flags.tolist() == [False] * 3
    memory = nomen.tensor([True, False, True, True])
    memory[1:][memory[:-1]] = False  # or lies over it
    assert memory.tolist() == [True, False, True, False]
    x = nomen.zeros(3, 2)
    x[nomen.tensor([True, False, True])] = 2  # of rows
    assert x.tolist() == [[2, 2], [0, 0], [2, 2]]
    x.index_put_([x > 1], nomen.tensor(1.0), accumulate=True)
    assert x.tolist() == [[3, 3], [0, 0], [3, 3]]
    x[x > 2] = nomen.tensor([7.0])
    assert x.tolist() == [[7, 7], [0, 0], [7, 7]]
    with pytest.raises(IndexError, match="shape of the mask"):
        x[nomen.ones(2, 3, dtype=nomen.bool)] = 1
    with pytest.raises(RuntimeError):
        x[x > 2] = 1j
    named = nomen.zeros(2, 2, names=("N", "C"))
    named[nomen.ones(2, 2, dtype=nomen.bool, names=("N", "C"))] = 1
    assert named.names == ("N", "C") and named.sum().item() == 4
    with pytest.raises(RuntimeError, match="'H'"):
        named[nomen.ones(2, 2, dtype=nomen.bool, names=("N", "H"))] = 1


def test_gradients_of_numbers_into_a_mask():
    x, v = nomen.ones(2, 3, requires_grad=True), nomen.tensor(2.0, requires_grad=True)
    y = x * 1
    y[nomen.tensor([[True, False, True], [False, False, True]])] = v
    (y * nomen.arange(6.0).reshape(2, 3)).sum().backward()
    assert x.grad.tolist() == [[0, 1, 0], [3, 4, 0]] and v.grad.item() == 7
