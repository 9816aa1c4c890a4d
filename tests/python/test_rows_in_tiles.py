"""Short rows that do not lie like the result are worked on many at a time; rows end with a vector
over the one before; comparisons in place write the tensor's dtype. The results are those of copies
without holes, and of NumPy."""

import itertools
import operator

import numpy as np
import pytest

import nomen

RNG = np.random.default_rng(5)
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def sample(*shape, dtype="float32"):
    values = RNG.integers(0 if dtype in ("uint8", "bool") else -4, 5, shape)
    return nomen.from_numpy(np.array(values)).to(getattr(nomen, dtype))


def same(a, b):
    assert a.dtype == b.dtype and a.shape == b.shape
    assert nomen.equal(a, b)


@pytest.mark.parametrize("dtype", (*INTEGERS, *FLOATS, "complex64", "complex128"))
@pytest.mark.parametrize("shape", ((40, 3), (40, 2), (33, 7), (14, 14), (9, 12), (130, 20)))
def test_operands_turned_over_beside_others(shape, dtype):
    """One that is turned over beside rows, columns, rows with holes, and itself."""
    rows, columns = shape
    turned = sample(2, columns, rows, dtype=dtype).transpose(1, 2)
    others = [
        sample(2, rows, columns, dtype=dtype),
        sample(2, rows, 1, dtype=dtype).expand(2, rows, columns),
        sample(columns, dtype=dtype).expand(2, rows, columns),
        sample(2, rows, columns + 3, dtype=dtype)[:, :, :columns],
        turned,
    ]
    mask = sample(2, rows, columns) > 0
    plain = turned.contiguous()
    for other in others:
        beside = other.contiguous()
        same(turned * other, plain * beside)
        same(nomen.where(mask, turned, other), nomen.where(mask, plain, beside))
        across = mask.transpose(1, 2).contiguous().transpose(1, 2)
        same(nomen.where(across, other, turned), nomen.where(mask, beside, plain))
        same(others[0].addcmul(turned, other), others[0].addcmul(plain, beside))
        same(turned.addcmul(turned, other), plain.addcmul(plain, beside))
        inplace = beside.clone()
        same(inplace.add_(turned), beside + plain)


@pytest.mark.parametrize("dtype", (*INTEGERS, *FLOATS, "bool"))
def test_repeats_of_short_rows(dtype):
    for shape, dim in itertools.product(((50, 3), (4, 6, 5), (2, 3, 4, 16), (7, 33)), (0, 1)):
        x = sample(*shape, dtype=dtype)
        wanted = np.repeat(x.double().numpy(), 3, dim)
        np.testing.assert_array_equal(x.repeat_interleave(3, dim).double().numpy(), wanted)


@pytest.mark.parametrize("dtype", (*INTEGERS, *FLOATS))
@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_in_place(name, dtype):
    function = getattr(operator, name)
    for shape in ((1,), (7,), (8,), (23,), (64,), (5, 9), (3, 600)):
        for gap in (0, 2):
            whole = sample(*shape[:-1], shape[-1] + gap, dtype=dtype)
            x, y = whole[..., : shape[-1]], sample(*shape, dtype=dtype)
            wanted = function(x.double().numpy(), y.double().numpy())
            behind = whole[..., shape[-1] :].clone()
            assert getattr(x, name + "_")(y) is x
            np.testing.assert_array_equal(x.double().numpy(), wanted)
            same(whole[..., shape[-1] :], behind)
            ones = x.double().numpy().copy()
            getattr(x, name + "_")(1)
            np.testing.assert_array_equal(x.double().numpy(), function(ones, 1))


@pytest.mark.parametrize("length", (1, 5, 8, 9, 12, 31, 33, 70))
def test_rows_that_are_no_whole_vectors(length):
    """In place, so that a vector over the one before must not see what that one wrote."""
    for dtype in FLOATS:
        whole = sample(6, length + 4, dtype=dtype)
        x, y, z = whole[:, :length], sample(6, length, dtype=dtype), sample(6, 1, dtype=dtype)
        for change in (
            lambda t, y: t.add_(t),
            lambda t, y: t.mul_(y),
            lambda t, y: t.sub_(z),
            lambda t, y: t.neg_(),
            lambda t, y: t.lerp_(y, 0.5),
            lambda t, y: t.addcmul_(t, y, value=2),
        ):
            before = x.contiguous().clone()
            columns = [slice(i, i + 1) for i in range(length)]
            apart = [change(before[:, i].clone(), y[:, i].clone()) for i in columns]
            same(change(x, y).contiguous(), nomen.cat(apart, 1))
            x.copy_(sample(6, length, dtype=dtype))


@pytest.mark.parametrize("half", ("float16", "bfloat16"))
@pytest.mark.parametrize("other", (*INTEGERS, "float64"))
def test_casts_of_half_types(half, other):
    for length in (1, 4, 7, 8, 13, 32, 100):
        for step in (1, 2):
            numbers = nomen.from_numpy(RNG.integers(0, 99, length * step)).to(getattr(nomen, other))
            x = numbers[::step]
            wide = x.to(nomen.float32).to(getattr(nomen, half))
            same(x.to(getattr(nomen, half)), wide)
            same(wide.to(getattr(nomen, other)), wide.to(nomen.float32).to(getattr(nomen, other)))


@pytest.mark.parametrize("share", (0, 0.02, 0.5, 1))
def test_positions_in_short_rows(share):
    for shape in ((300, 3), (9, 9, 3), (1, 70, 1, 2), (2, 300, 31), (40, 300, 2), (3, 1, 2, 5, 4)):
        x = RNG.random(shape) < share
        np.testing.assert_array_equal(nomen.from_numpy(x).nonzero().numpy(), np.argwhere(x))


@pytest.mark.parametrize("dtype", (*INTEGERS, *FLOATS, "complex64", "bool"))
def test_truth_of_one_element(dtype):
    x = sample(5, 1, 9, dtype=dtype).transpose(0, 2)
    wanted = (x != 0).squeeze(1)
    same(x.count_nonzero(1), wanted.to(nomen.int64))
    same(x.any(1), wanted.to(x.any(1).dtype))
    same(x.all(1, keepdim=True), (x != 0).to(x.all(1).dtype))


@pytest.mark.parametrize("dtype", ("int8", "float16", "float32", "float64", "complex128"))
def test_tiles_of_small_planes(dtype):
    """Few elements of two dims, and many of a third, of an input that lies across."""
    for near, row in ((2, 5), (5, 2), (3, 8), (10, 3), (1, 6), (4, 4)):
        x = sample(37, row, 9, near, dtype=dtype).permute(2, 0, 3, 1)
        holes = sample(9, 37, near, row + 3, dtype=dtype)[..., 1 : 1 + row]
        y = sample(9, 37, near, row, dtype=dtype)
        column = sample(9, 1, near, 1, dtype=dtype).expand(9, 37, near, row)
        for other in (holes, y, column):
            same(x + other, x.contiguous() + other.contiguous())
            same(other.mul(x), other.contiguous() * x.contiguous())
            wanted = y.addcmul(x.contiguous(), other.contiguous())
            same(y.addcmul(x, other), wanted)
            into = nomen.empty(9, near, 37, row, dtype=y.dtype).transpose(1, 2)
            nomen.addcmul(y, x, other, out=into)
            same(into.contiguous(), wanted)
