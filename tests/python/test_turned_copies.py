"""Copies that turn dims over where the input has holes, or little of two dims."""

import itertools

import numpy as np
import pytest
from isas.walls import walled

import nomen

pytestmark = pytest.mark.usefixtures("threads_kept")

DTYPES = ("int8", "int16", "float32", "float64", "complex128")


def numbers(shape, dtype):
    count = int(np.prod(shape))
    return (np.arange(count) % 251 - 125).reshape(shape).astype(dtype)


def same(t, x):
    assert np.array_equal(t.contiguous().numpy(), x)
    there = nomen.empty(*t.shape, 2, dtype=t.dtype)[..., 1]
    assert np.array_equal(there.copy_(t).numpy(), x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_of_a_few_elements(dtype):
    for few in (*range(1, 18), 33):
        for many in (3, 16, 100, 5000):
            for step in (1, 2, 3, 4, 5, 8):
                x = numbers((few, many * step), dtype)
                same(nomen.from_numpy(x)[:, ::step].t(), x[:, ::step].T)
                x = numbers((many, few * step), dtype)
                same(nomen.from_numpy(x)[:, ::step].t(), x[:, ::step].T)
                same(nomen.from_numpy(x)[:, ::step], x[:, ::step])


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", DTYPES)
def test_three_dims(dtype, threads):
    nomen.set_num_threads(threads)
    for shape in ((8, 65, 14), (12, 64, 4), (16, 40, 16), (17, 90, 10), (5, 6, 7), (2, 300, 34)):
        x = numbers(shape, dtype)
        for step, order in itertools.product((1, 2), itertools.permutations(range(3))):
            same(nomen.from_numpy(x)[..., ::step].permute(order), x[..., ::step].transpose(order))


@pytest.mark.parametrize("dtype", DTYPES)
def test_more_rows_than_stay_near(dtype):
    """Of one line of the cache each, for which rows that are powers of two apart have less room."""
    for rows in (383, 385, 769, 1000):
        for columns in (33, 130, 256, 512, 1024):
            x = numbers((rows, columns), dtype)
            same(nomen.from_numpy(x).t(), x.T)
            same(nomen.from_numpy(x.T.copy()).t(), x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_nothing_is_read_behind_the_last_element(dtype):
    item = np.dtype(dtype).itemsize
    for rows, columns in ((5, 101), (7, 64), (100, 5), (333, 7), (40, 33), (16, 16)):
        x = walled(rows * columns * item, True).view(dtype).reshape(rows, columns)
        x[...] = np.arange(rows * columns).reshape(rows, columns) % 100
        for step in (1, 2, 3, 4):
            first = (columns - 1) % step
            same(nomen.from_numpy(x)[:, first::step].t(), x[:, first::step].T)


@pytest.mark.parametrize("dtype", ["int16", "float32", "float64"])
def test_long_stepped_rows(dtype):
    """Rows of an input with holes that lie across, longer than what is made dense at a time."""
    for rows, columns in ((585, 512), (1000, 70), (64, 3000), (9001, 66)):
        x, y = numbers((columns, rows), dtype), numbers((rows, 2 * columns), dtype)
        found = nomen.from_numpy(x).t() + nomen.from_numpy(y)[:, ::2]
        assert np.array_equal(found.numpy(), x.T + y[:, ::2])
