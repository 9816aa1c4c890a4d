"""Reductions over first and last dims together, and those whose results lie across the input."""

import functools
import itertools

import numpy as np
import pytest
import reduced
from reduced import check

import nomen

pytestmark = pytest.mark.usefixtures("threads_kept")

DTYPES = ("float16", "float32", "float64", "complex64", "int32")
numbers = functools.partial(reduced.numbers, low=-40, high=40)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", DTYPES)
def test_first_and_last_dims(dtype, threads):
    """Short rows of some results make up longer ones: each element has an accumulator."""
    nomen.set_num_threads(threads)
    for shape in ((40, 5, 2), (300, 8, 16), (70, 3, 19), (17, 12, 9), (2000, 3, 32), (16, 2, 3)):
        t, x = numbers(shape, dtype)
        check(t.sum([0, 2]), x.sum((0, 2)), dtype)
        if dtype == "int32":
            continue
        check(t.mean([0, 2]), x.mean((0, 2)), dtype)
        check(t.var([0, 2]), x.var((0, 2), ddof=1), dtype)
        check(t.norm(2, [0, 2]), np.sqrt((np.abs(x) ** 2).sum((0, 2))), dtype)
        holes, y = numbers((shape[0] * 2, *shape[1:]), dtype)
        check(holes[::2].sum([0, 2]), y[::2].sum((0, 2)), dtype)


def test_sums_over_first_and_last_dims_keep_their_digits():
    """Accumulators of all elements of a row are joined as wide as they are."""
    y = nomen.full((3000, 4, 3), 0.1)
    np.testing.assert_allclose(y.sum([0, 2]).tolist(), [9000 * float(np.float32(0.1))] * 4, 5e-7)
    x = nomen.full((3000, 4, 3), 0.1, dtype=nomen.float64)
    np.testing.assert_allclose(x.sum([0, 2]).tolist(), [900.0] * 4, 1e-15)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
def test_results_that_lie_across(dtype, threads):
    nomen.set_num_threads(threads)
    for shape in ((90, 2, 70), (3, 1250, 8), (64, 7, 17, 3), (62, 5, 12, 8), (33, 40, 65)):
        t, x = numbers(shape, dtype)
        for order in itertools.permutations(range(len(shape))):
            p, q = t.permute(order), x.transpose(order)
            for dim in range(len(shape)):
                check(p.sum(dim), q.sum(dim), dtype)
                check(p.amax(dim, True), q.max(dim, keepdims=True), dtype)
                values, places = p.min(dim)
                check(values, q.min(dim), dtype)
                assert np.array_equal(np.array(places.tolist()), q.argmin(dim))
                assert values.is_contiguous()
                low, high = p.aminmax(dim=dim)
                check(low, q.min(dim), dtype)
                check(high, q.max(dim), dtype)


def test_results_in_a_tensor_of_the_users():
    t, x = numbers((90, 2, 70), "float32")
    out = nomen.zeros(70, 180)[:, ::2]
    nomen.sum(t.permute(1, 2, 0), 0, out=out)
    check(out, x.sum(1).T, "float32")
