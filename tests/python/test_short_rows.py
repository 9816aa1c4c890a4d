"""Short rows that are worked on many at a time: what repeats, what is spread, what has holes."""

import numpy as np
import pytest

import nomen

DTYPES = ["bool", "int8", "int16", "float32", "float64", "complex128"]
WIDTHS = [2, 3, 5, 8, 16, 17, 31, 32, 33, 129]
ROWS = [7, 8, 9, 600]


def made(shape, dtype, random):
    x = random.integers(-9, 9, shape).astype(dtype)
    return x + 1j * random.integers(-9, 9, shape) if dtype == "complex128" else x


def layouts(outer, rows, width, dtype, random):
    """Operands that broadcast to [outer, rows, width], of all kinds that short rows know."""
    shapes = [(outer, rows, width), (width,), (rows, 1), (rows, width), (outer, rows, 1),
              (outer, 1, width), (outer, 1, 1), (1,)]  # fmt: skip
    yield from (made(shape, dtype, random) for shape in shapes)
    yield made((outer, rows, width + 3), dtype, random)[..., 1:-2]  # holes between rows
    yield made((outer, rows, 2 * width), dtype, random)[..., ::2]
    yield made((2 * width,), dtype, random)[::2]
    yield made((width,), dtype, random)[::-1]
    yield made((rows, outer, width), dtype, random).transpose(1, 0, 2)
    yield made((outer, width, rows), dtype, random).transpose(0, 2, 1)


def tensor_of(x):
    """The same strides, the sign apart."""
    base = nomen.from_numpy(np.ascontiguousarray(x))
    if x.flags.c_contiguous or any(s < 0 for s in x.strides):
        return base
    span = 1 + sum((n - 1) * s // x.itemsize for n, s in zip(x.shape, x.strides))
    room = nomen.zeros(span, dtype=base.dtype)
    view = nomen.as_strided(room, x.shape, [s // x.itemsize for s in x.strides])
    view.copy_(base)
    return view


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rows", ROWS)
def test_two_operands(rows, dtype):
    random = np.random.default_rng(rows)
    for width in WIDTHS if rows < 600 else WIDTHS[1:6]:
        for outer in (1, 3):
            operands = list(layouts(outer, rows, width, dtype, random))
            for i, x in enumerate(operands):
                y = operands[(i * 5 + width) % len(operands)]
                a, b = tensor_of(x), tensor_of(y)
                wanted = x ^ y if dtype == "bool" else x * y
                found = a ^ b if dtype == "bool" else a * b
                np.testing.assert_array_equal(found.numpy(), wanted)
                np.testing.assert_array_equal((a == b).numpy(), x == y)


@pytest.mark.parametrize("width", WIDTHS)
def test_dtypes_that_differ(width):
    random = np.random.default_rng(width)
    short = list(layouts(2, 50, width, "int16", random))
    for i, x in enumerate(layouts(2, 50, width, "float32", random)):
        for y in (short[i], short[(i + 3) % len(short)]):
            found = tensor_of(x) + tensor_of(y)
            assert found.dtype is nomen.float32
            np.testing.assert_array_equal(found.numpy(), (x + y).astype("float32"))
            where = nomen.where(tensor_of(y) > 0, tensor_of(x), tensor_of(y))
            np.testing.assert_array_equal(where.numpy(), np.where(y > 0, x, y))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", WIDTHS)
def test_copies(width, dtype):
    random = np.random.default_rng(width)
    for x in layouts(2, 40, width, dtype, random):
        t = tensor_of(x).expand(2, 40, width)
        wanted = np.broadcast_to(x, (2, 40, width))
        np.testing.assert_array_equal(t.contiguous().numpy(), wanted)
        np.testing.assert_array_equal(t.to(nomen.complex64).numpy(), wanted.astype("complex64"))


@pytest.mark.parametrize("width", [2, 3, 16, 30])
def test_in_place_with_parts_of_itself(width):
    x = np.random.default_rng(1).standard_normal((100, width))
    t = nomen.tensor(x)
    for part in (np.s_[0], np.s_[:, :1], np.s_[99:], np.s_[:, 1:2], np.s_[50]):
        try:
            found = t.clone()
            found.add_(found[part])
        except RuntimeError as error:
            assert "overlap" in str(error) or "memory" in str(error)
            continue
        np.testing.assert_array_equal(found.numpy(), x + x[part])


def test_threads_and_results_with_holes():
    random = np.random.default_rng(2)
    x, y = random.standard_normal((50000, 5)), random.standard_normal((50000, 1))
    a, b = nomen.tensor(x), nomen.tensor(y)
    np.testing.assert_array_equal((a / b).numpy(), x / y)
    out = nomen.zeros(50000, 7, dtype=nomen.float64)
    nomen.mul(a, b, out=out[:, 1:6])
    np.testing.assert_array_equal(out[:, 1:6].numpy(), x * y)
    assert not out[:, 0].any() and not out[:, 6].any()
    turned = nomen.zeros(5, 50000, dtype=nomen.float64).t()
    nomen.mul(a, b, out=turned)
    np.testing.assert_array_equal(turned.numpy(), x * y)


def test_bands_that_begin_with_a_short_one():
    """Of three bands to a matrix threads may begin with the last, which has fewer rows."""
    random = np.random.default_rng(4)
    x, y = random.standard_normal((300, 700, 3)), random.standard_normal(3)
    np.testing.assert_array_equal((nomen.tensor(x) * nomen.tensor(y)).numpy(), x * y)
