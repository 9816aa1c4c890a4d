"""Reductions of rows with gaps on the same steps, and of blocks whose dims are turned."""

import functools

import numpy as np
import pytest
import reduced
from isas.walls import walled
from reduced import check

import nomen

pytestmark = pytest.mark.usefixtures("threads_kept")

DTYPES = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128", "int16", "int32")
# small: of so few every dtype holds the sum
numbers = functools.partial(reduced.numbers, low=-2, high=3)


def check_rows(t, x, dtype):
    check(t.sum(-1), x.sum(-1), dtype)
    check(t.count_nonzero(-1), (x != 0).sum(-1), "int32")
    assert t.any(-1).tolist() == x.any(-1).tolist()
    assert t.all(-1).tolist() == x.all(-1).tolist()
    if "int" not in dtype:
        check(t.norm(1, -1), np.abs(x).sum(-1), dtype)
    if "complex" not in dtype:
        check(t.amax(-1), x.max(-1), dtype)
        values, places = t.min(-1)
        check(values, x.min(-1), dtype)
        assert np.array_equal(np.array(places.tolist()), x.argmin(-1))


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_with_gaps(dtype, threads):
    nomen.set_num_threads(threads)
    for rows in (1, 8, 9, 75):
        for columns in (4, 16, 30, 64, 66, 128, 260, 1030):
            t, x = numbers((rows, columns), dtype)
            for part in (np.s_[:, ::2], np.s_[:, 1:-1:2], np.s_[:, ::3], np.s_[:, 2::9]):
                check_rows(t[part], x[part], dtype)


def test_products_of_rows_with_gaps():
    for dtype in ("float32", "float64", "int64", "uint8"):
        for columns in (6, 20, 64, 100, 300):
            signs = np.where(np.arange(40 * columns).reshape(40, columns) % 7 < 3, 1, -1)
            x = signs.astype(dtype)
            t = nomen.from_numpy(x)
            for step in (1, 2, 3):
                wanted = x[:, ::step].astype("int64").prod(1)
                wanted = wanted % 256 if dtype == "uint8" else wanted
                assert np.array_equal(np.array(t[:, ::step].prod(1).tolist()) % 256, wanted % 256)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128", "int16", "uint8"])
def test_nothing_is_read_behind_the_last_element(dtype):
    item = np.dtype(dtype).itemsize
    for rows, columns in ((40, 3), (8, 34), (9, 63), (33, 64), (12, 301)):
        x = walled(rows * columns * item, True).view(dtype).reshape(rows, columns)
        x[...] = np.arange(rows * columns).reshape(rows, columns) % 3
        t = nomen.from_numpy(x)
        for step in (2, 3, 5):
            last = x[:, (columns - 1) % step :: step]
            found = t[:, (columns - 1) % step :: step].sum(1)
            assert np.array_equal(np.array(found.tolist()), last.sum(1))


@pytest.mark.parametrize("dtype", DTYPES)
def test_results_of_a_turned_block(dtype):
    """Few results beside each other in the input, which are many with those of the next dims."""
    for shape in ((300, 7, 16, 2), (40, 20, 3, 4), (500, 4, 4), (9, 5, 300)):
        t, x = numbers(shape, dtype)
        if len(shape) == 4:
            t, x = t.permute(0, 1, 3, 2), x.transpose(0, 1, 3, 2)
        else:
            t, x = t.permute(0, 2, 1), x.transpose(0, 2, 1)
        check_rows(t.movedim(0, -1), np.moveaxis(x, 0, -1), dtype)
        check(t.sum(0, keepdim=True), x.sum(0, keepdims=True), dtype)
        out = nomen.zeros(t.sum(0).shape, dtype=t.sum(0).dtype)
        nomen.sum(t, 0, out=out)
        check(out, x.sum(0), dtype)


@pytest.mark.parametrize("dtype", ["bool", "float16", "int32", "float64", "complex64"])
def test_columns_are_decided_by_any_row(dtype):
    for rows in (1, 15, 16, 17, 40, 300):
        for columns in (20, 150, 1200):
            for row in {0, rows // 2, rows - 1}:
                one = nomen.zeros(rows, columns, dtype=getattr(nomen, dtype))
                one[row] = 1
                one[row, columns // 2] = 0
                wanted = [i != columns // 2 for i in range(columns)]
                assert one.any(0).tolist() == wanted
                assert one.eq(0).all(0).tolist() == [not found for found in wanted]
