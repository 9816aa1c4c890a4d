"""Elementwise operations on operands that lie otherwise and come from beyond the nearest caches."""

import numpy as np
import pytest

import nomen

pytestmark = pytest.mark.usefixtures("threads_kept")

DTYPES = ("int8", "int16", "float32", "float64", "complex128")
# rows that are whole in a tile, cut, powers of two apart, short, and long ones
SHAPES = ((701, 900), (300, 9001), (512, 1024), (70, 20000), (400000, 12), (150001, 50))


def numbers(shape, dtype):
    count = int(np.prod(shape))
    return (np.arange(count) * 7 % 61 - 30).reshape(shape).astype(dtype)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", DTYPES)
def test_turned_operands(dtype, threads):
    nomen.set_num_threads(threads)
    for rows, columns in SHAPES:
        x, y = numbers((columns, rows), dtype), numbers((rows, columns), dtype)
        turned, other = nomen.from_numpy(x).t(), nomen.from_numpy(y)
        found = nomen.empty(rows, columns, dtype=getattr(nomen, dtype))
        nomen.sub(turned, other, out=found)
        assert np.array_equal(found.numpy(), x.T - y)
        nomen.sub(other, turned, out=found)
        assert np.array_equal(found.numpy(), y - x.T)
        assert np.array_equal(turned.eq(other).numpy(), x.T == y)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_three_operands_and_holes(dtype):
    for rows, columns in SHAPES:
        x, y = numbers((columns, rows), dtype), numbers((rows, 2 * columns), dtype)
        z = numbers((rows, columns), dtype)
        turned = nomen.from_numpy(x).t()
        apart, other = nomen.from_numpy(y)[:, ::2], nomen.from_numpy(z)
        wanted = z + x.T * y[:, ::2]
        assert np.array_equal(nomen.addcmul(other, turned, apart).numpy(), wanted)
        assert np.array_equal(nomen.addcmul(other, turned, turned).numpy(), z + x.T * x.T)
        out = nomen.zeros(rows, 2 * columns, dtype=other.dtype)
        nomen.addcmul(other, turned, apart, out=out[:, 1::2])
        assert np.array_equal(out.numpy()[:, 1::2], wanted)
        assert not out.numpy()[:, ::2].any()


def test_turned_operands_of_other_dtypes():
    for rows, columns in SHAPES[:4]:
        x, y = numbers((columns, rows), "int16"), numbers((rows, columns), "float64")
        found = nomen.from_numpy(x).t() + nomen.from_numpy(y)
        assert np.array_equal(found.numpy(), x.T + y)
        blocks = numbers((3, columns, rows), "float32")
        found = nomen.from_numpy(blocks).transpose(1, 2) + nomen.from_numpy(y).float()
        assert np.array_equal(found.numpy(), blocks.transpose(0, 2, 1) + y.astype("float32"))
