"""Rows that several threads share, or that are sorted in parts, against NumPy."""

import numpy as np
import pytest

import nomen

LONG = (1 << 17) + 76  # even
THREADS = (1, 2, 3, 8, 40)


@pytest.fixture(autouse=True)
def threads_as_before():
    before = nomen.get_num_threads()
    yield
    nomen.set_num_threads(before)


def check(x, dim=-1, counts=None):
    """Every number of threads finds what a stable sort finds; counts: of the first ones (topk)."""
    n = x.shape[dim]
    counts = (n // 4,) if counts is None else counts
    order = np.argsort(x, dim, kind="stable")
    last = np.flip(np.argsort(np.flip(x, dim), dim, kind="stable"), dim)
    wanted = np.take_along_axis(x, order, dim)
    t = nomen.from_numpy(x)
    for threads in THREADS:
        nomen.set_num_threads(threads)
        values, indices = t.sort(dim)
        np.testing.assert_array_equal(values.numpy(), wanted)
        np.testing.assert_array_equal(indices.numpy(), order)
        values, indices = t.sort(dim, descending=True)
        np.testing.assert_array_equal(values.numpy(), np.flip(wanted, dim))
        np.testing.assert_array_equal(indices.numpy(), n - 1 - last)
        for k in counts:
            for largest, every in ((False, order), (True, n - 1 - last)):
                values, indices = t.topk(k, dim, largest)
                first = np.take(every, range(k), dim)
                np.testing.assert_array_equal(indices.numpy(), first)
                np.testing.assert_array_equal(values.numpy(), np.take_along_axis(x, first, dim))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "float32", "float64"])
def test_of_all_kinds(dtype):
    random = np.random.default_rng(1)
    floating = np.dtype(dtype).kind == "f"
    limits = np.iinfo(dtype) if not floating else None
    x = random.standard_normal(LONG) if floating else random.integers(limits.min, limits.max, LONG)
    x = x.astype(dtype)
    check(x)
    check(x.reshape(2, -1).repeat(2, 1))  # two rows, everything twice


@pytest.mark.parametrize("few", [1, 2, 300])
def test_of_few_values(few):
    random = np.random.default_rng(few)
    check(random.integers(0, few, LONG) - few // 2)
    check((random.integers(0, few, LONG) * 1e30).astype("float32"))


def test_of_one_large_part():
    """All but some begin with the same bits."""
    x = np.random.default_rng(5).integers(0, 1 << 20, LONG)
    x[::1000] = -(1 << 62)
    check(x)


def test_beside_each_other():
    check(np.random.default_rng(2).standard_normal((LONG, 2)), 0)


def test_of_a_million_and_not_numbers():
    x = np.random.default_rng(3).standard_normal(1_200_000).astype("float32")
    x[::1001] = np.nan
    x[::77] = 0.0
    x[5::77] = -0.0
    wanted = np.argsort(x, kind="stable")
    t = nomen.from_numpy(x)
    for threads in (1, 2, 8):
        nomen.set_num_threads(threads)
        values, indices = t.sort()
        np.testing.assert_array_equal(indices.numpy(), wanted)
        np.testing.assert_array_equal(values.numpy().view("int32"), x[wanted].view("int32"))


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float16"])
def test_the_first_of_any_number(dtype):
    x = np.random.default_rng(6).integers(-2000, 2000, LONG).astype(dtype)
    check(x, counts=(1, 300, LONG // 100, LONG // 2, LONG - 2, LONG))


@pytest.mark.parametrize("low", [False, True])
def test_samples_that_say_nothing(low):
    """What is drawn at even distances is all among the first ones, or none of it."""
    x = np.random.default_rng(7).standard_normal(LONG).astype("float32")
    drawn = np.arange(LONG) % (LONG // 4096) == 0
    x[drawn] -= 100 if low else -100
    check(x, counts=(3000, LONG // 8, LONG // 4))


SIZES = (161, 500, 2047, 2048, 2049, 5000, 8191, 8192, 8193, 30000)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("apart", [1, 5, 1 << 12, 1 << 25])
def test_keys_alike_in_their_first_bits(dtype, apart):
    """Of rows that one thread sorts by part of the bits that differ, of which a few decide."""
    random = np.random.default_rng(apart)
    for n in SIZES:
        x = random.integers(0, apart, n)
        x[n // 3] = -(1 << 30)
        x[n // 2] = 1 << 30
        x = x.astype(dtype)
        order = np.argsort(x, kind="stable")
        last = n - 1 - np.argsort(x[::-1], kind="stable")[::-1]
        t = nomen.from_numpy(x)
        for descending, wanted in ((False, order), (True, last)):
            values, indices = t.sort(descending=descending)
            np.testing.assert_array_equal(indices.numpy(), wanted)
            np.testing.assert_array_equal(values.numpy(), x[wanted])
            values, indices = t.topk(n // 2, largest=descending)
            np.testing.assert_array_equal(indices.numpy(), wanted[: n // 2])
            np.testing.assert_array_equal(values.numpy(), x[wanted[: n // 2]])
