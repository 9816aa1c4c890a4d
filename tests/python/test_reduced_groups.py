"""Reductions over a middle dim beside which there is little: groups of a few results each."""

import functools

import numpy as np
import pytest
import reduced
from isas.walls import walled
from reduced import check

import nomen

pytestmark = pytest.mark.usefixtures("threads_kept")

DTYPES = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128", "int16")
DTYPES += ("int64",)
SHAPES = ((40, 33, 7), (9, 58, 4), (64, 8, 5), (70, 17, 22), (3, 1300, 3), (2, 5, 48, 6))
SHAPES += ((100, 3, 12), (2, 70, 5, 9))  # many, none of which fills a vector
# small: of so few every dtype holds the sum
numbers = functools.partial(reduced.numbers, low=-2, high=3)


def check_all(t, x, dim, dtype):
    check(t.sum(dim), x.sum(dim), dtype)
    check(t.any(dim).to(nomen.uint8), x.any(dim), "int16")
    if "int" in dtype:
        check(t.prod(dim), x.astype("int64").prod(dim), dtype)
    else:
        check(t.mean(dim, keepdim=True), x.mean(dim, keepdims=True), dtype)
        check(t.norm(1, dim), np.abs(x).sum(dim), dtype)
    if "complex" not in dtype:
        check(t.amax(dim), x.max(dim), dtype)
        check(t.sum(dim) if "int" in dtype else t.nansum(dim), x.sum(dim), dtype)
        values, places = t.max(dim)
        check(values, x.max(dim), dtype)
        assert np.array_equal(np.array(places.tolist()), x.argmax(dim))


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", DTYPES)
def test_groups_of_a_few_results(dtype, threads):
    nomen.set_num_threads(threads)
    for shape in SHAPES:
        t, x = numbers(shape, dtype)
        for dim in range(len(shape) - 1):
            for part in (np.s_[..., :], np.s_[..., ::2], np.s_[..., 1:-1], np.s_[:, 1:, ::3]):
                check_all(t[part], x[part], dim, dtype)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", DTYPES)
def test_first_and_last_dims_of_more_results_than_a_block(dtype, threads):
    """Rows of all results are columns, some results at a time: also where a block is cut short."""
    nomen.set_num_threads(threads)
    for shape in ((20, 40, 15), (17, 33, 8), (18, 5, 100), (16, 300, 2), (40, 3, 128), (9, 4, 129)):
        t, x = numbers(shape, dtype)
        check(t.sum((0, 2)), x.sum((0, 2)), dtype)
        check(t.sum((-1, 0), keepdim=True), x.sum((2, 0), keepdims=True), dtype)
        check(t[:, 1:, 1:].sum((0, 2)), x[:, 1:, 1:].sum((0, 2)), dtype)
        half = shape[2] // 2  # with as much between rows as they are long
        check(t[1:, :, half:].sum((0, 2)), x[1:, :, half:].sum((0, 2)), dtype)
        if "complex" not in dtype:
            check(t.amax((0, 2)), x.max((0, 2)), dtype)
            check(t[:, 1:].amin((0, 2)), x[:, 1:].min((0, 2)), dtype)
            check(t[..., :-1].amin((0, 2)), x[..., :-1].min((0, 2)), dtype)
        if "int" not in dtype:
            check(t.norm(1, (0, 2)), np.abs(x).sum((0, 2)), dtype)
            check(t.var((0, 2)), x.var((0, 2), ddof=1), dtype)
    for shape in ((20, 5, 0), (0, 5, 20), (20, 0, 5)):
        t, x = numbers(shape, dtype)
        check(t.sum((0, 2)), x.sum((0, 2)), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_few_results_of_short_rows_with_gaps(dtype):
    for shape in ((2, 70, 3, 6), (7, 16, 16, 5), (3, 64, 1, 17)):
        t, x = numbers(shape, dtype)
        t, x = t[..., 1:-1], x[..., 1:-1]
        check(t.sum((1, 2, 3)), x.sum((1, 2, 3)), dtype)
        if "complex" not in dtype:
            check(t.amax((1, 2, 3)), x.max((1, 2, 3)), dtype)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_rows_of_half_types_with_gaps_of_any_length(dtype):
    for n in (7, 8, 9, 50, 63, 64, 200, 255, 256):
        for row in (n + 1, 2 * n, 2 * n + 1, 5 * n):
            t, x = numbers((19, row), dtype)
            t, x = t[:, 1 : n + 1], x[:, 1 : n + 1]
            check(t.sum(1), x.sum(1), dtype)
            check(t.norm(1, 1), np.abs(x).sum(1), dtype)
            check(t.amax(1), x.max(1), dtype)
            check(t.sign().prod(1), np.sign(x).prod(1), dtype)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "int16"])
def test_many_rows_of_every_other_column(dtype):
    """Rows that go on in each other are gathered, and folded, many at a time."""
    for rows in (700, 3000):
        for columns in (6, 16, 24, 34, 60):
            t, x = numbers((rows, columns), dtype)
            t, x = t[:, ::2], x[:, ::2]
            if "16" in dtype:
                t, x = t[:500], x[:500]
            check_all(t, x, 0, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_nothing_of_what_lies_in_gaps_is_in_a_result(dtype):
    """Rows with gaps are taken in as one, with what lies between them; parts of many, too."""
    for rows, groups, row, first, last in (
        (71, 60, 10, 1, 8),
        (9, 300, 5, 2, 4),
        (3000, 12, 6, 0, 2),
        (16, 130, 3, 1, 3),
        (20000, 4, 8, 1, 6),
    ):
        if "16" in dtype and rows > 5000:
            continue
        t, x = numbers((rows, groups, row), dtype)
        gaps = [i for i in range(row) if not first <= i < last]
        t[..., gaps] = 99 if "int" in dtype else float("nan")
        t, x = t[..., first:last], x[..., first:last]
        found = []
        for threads in (1, 3):
            nomen.set_num_threads(threads)
            check_all(t, x, 0, dtype)
            if "int" not in dtype:
                check(t[:5000].var(0), x[:5000].var(0, ddof=1), dtype)
                check((t * 0 + 1).prod(0), x.prod(0) * 0 + 1, dtype)
            found.append(t.sum(0).tolist())
        assert found[0] == found[1]


def test_groups_into_a_tensor_of_the_users():
    t, x = numbers((40, 33, 7), "float32")
    out = nomen.zeros(40, 14)[:, ::2]
    nomen.sum(t, 1, out=out)
    check(out, x.sum(1), "float32")
    wide = nomen.zeros(40, 7, dtype=nomen.float64)
    nomen.sum(t, 1, dtype=nomen.float64, out=wide)
    check(wide, x.sum(1), "float64")


def test_groups_of_none_and_of_names():
    assert nomen.zeros(5, 0, 3).sum(1).tolist() == [[0.0] * 3] * 5
    assert nomen.zeros(0, 20, 3).sum(1).shape == (0, 3)
    t, x = numbers((40, 33, 7), "float64")
    named = t.refine_names("N", "H", "C").sum("H")
    assert named.names == ("N", "C")
    check(named.rename(None), x.sum(1), "float64")


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32", "uint8"])
def test_nothing_is_read_behind_the_last_element(dtype):
    """The page behind the input is no memory: a vector that went on there would end the program."""
    item = np.dtype(dtype).itemsize
    for shape in ((5, 33, 7), (3, 20, 5), (6, 40, 3), (2, 90, 2), (1, 30, 6), (4, 16, 9)):
        count = int(np.prod(shape))
        x = walled(count * item, True).view(dtype).reshape(shape)
        x[...] = np.arange(count).reshape(shape) % 5
        t = nomen.from_numpy(x)
        for dim in range(len(shape)):
            assert np.array_equal(np.array(t.sum(dim).tolist()), x.sum(dim))
            if dtype != "complex64":
                assert np.array_equal(np.array(t.amin(dim).tolist()), x.min(dim))
        assert np.array_equal(np.array(t[..., ::2].sum(1).tolist()), x[..., ::2].sum(1))
