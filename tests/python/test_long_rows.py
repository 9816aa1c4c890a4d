"""Sorting rows so long that several threads share each of them, against NumPy."""

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


def check(x, dim=-1):
    """Every number of threads finds what a stable sort finds."""
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
        np.testing.assert_array_equal(indices.numpy(), x.shape[dim] - 1 - last)


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
