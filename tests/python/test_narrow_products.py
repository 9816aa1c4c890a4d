"""Products with few rows, columns or summands: what lies behind a short row is loaded with it where
there is something, and is no part of the result."""

import functools

import numpy as np
import pytest
import reduced
from isas.walls import between

import nomen

DTYPES = ("float16", "bfloat16", "float32", "float64", "int16", "int64", "complex64", "complex128")
# small: of so few every dtype holds the sums
numbers = functools.partial(reduced.numbers, low=-3, high=4)


def check(found, wanted):
    assert np.array_equal(np.array(found.to(nomen.complex128).tolist()), wanted), found.shape


@pytest.mark.parametrize("dtype", DTYPES)
def test_nothing_is_read_behind_the_last_row(dtype):
    sizes = ((1, 33, 3), (5, 40, 5), (2, 17, 7), (6, 9, 1), (3, 70, 2), (1, 4, 32), (6, 3, 9))
    if dtype not in ("float16", "bfloat16"):  # which hold no such sums
        sizes += ((4, 12, 96), (9, 20, 100), (16, 13, 40), (12, 30, 260), (40, 17, 1))
    for m, n, k in sizes:
        a, x = numbers((m, k), dtype)
        b, y = numbers((k, n), dtype)
        columns = b.t().contiguous()
        for at_end in (False, True):
            rows = between(a, at_end, ())
            check(rows @ between(b, at_end, ()), x @ y)
            check(rows @ between(columns, at_end, ()).t(), x @ y)
            check(between(columns, at_end, ()) @ rows.t(), (x @ y).T)
            check(between(columns, at_end, (0,)).flip(0) @ rows.t(), (x @ y).T)


@pytest.mark.parametrize("dtype", [d for d in DTYPES if "int" not in d])
def test_what_lies_between_rows_is_left_out(dtype):
    for m, n, k in ((1, 33, 3), (5, 40, 5), (2, 17, 7), (3, 20, 1), (1, 4, 32), (4, 5, 12)):
        a, x = numbers((3, m, k), dtype)
        b, y = numbers((3, k, n), dtype)
        holes = nomen.full((3, k, n + 3), float("nan"), dtype=a.dtype)
        holes[:, :, :n] = b
        turned = nomen.full((3, n, k + 2), float("nan"), dtype=a.dtype)
        turned[:, :, :k] = b.transpose(1, 2)
        across = nomen.full((3, k, m + 1), float("inf"), dtype=a.dtype)
        across[:, :, :m] = a.transpose(1, 2)
        for left in (a, across[:, :, :m].transpose(1, 2)):
            check(left @ holes[:, :, :n], x @ y)
            check(left @ turned[:, :, :k].transpose(1, 2), x @ y)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_turned_complex_columns(dtype):
    """As sums of products, or copied and in tiles: around where the one becomes the other."""
    for m, n, k in ((2, 30, 23), (2, 30, 50), (3, 17, 65), (4, 40, 81), (5, 127, 65), (6, 9, 300),
                    (31, 50, 256), (12, 13, 40)):  # fmt: skip
        a, x = numbers((m, k), dtype)
        b, y = numbers((k, n), dtype)
        for left in (a, a.t().contiguous().t()):
            for right in (b, b.t().contiguous().t()):
                check(left @ right, x @ y)


@pytest.mark.parametrize("dtype", [*DTYPES, "int8"])
def test_one_summand(dtype):
    """Of a column and a number: element by element."""
    shapes = [((1,), (1,)), ((5, 1), (1,)), ((3, 5, 1), (1,)), ((1,), (1, 7)), ((1,), (3, 1, 7))]
    shapes += [((5, 1), (1, 1)), ((4, 5, 1), (4, 1, 1)), ((4, 1, 1), (1, 1, 9)), ((0, 1), (1,))]
    shapes += [((2, 4, 1, 1), (4, 1, 6)), ((700, 1), (1,)), ((40, 1), (1, 40))]
    for first, second in shapes:
        (a, x), (b, y) = numbers(first, dtype), numbers(second, dtype)
        check(a @ b, np.matmul(x, y))
        if a.dim() > 1:
            check(a.transpose(-1, -2).contiguous().transpose(-1, -2) @ b, np.matmul(x, y))
            out = (a @ b)[..., None].expand(*(a @ b).shape, 2).clone()[..., 1]
            check(nomen.matmul(a, b, out=out.zero_()), np.matmul(x, y))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "int16", "int32", "int64"])
def test_a_few_rows_times_a_few_long_columns(dtype):
    before = nomen.get_num_threads()
    for m, n, k in [(2, 3, 300), (7, 7, 1025), (16, 16, 5000), (12, 2, 257), (4, 16, 20001)]:
        (a, x), (b, y) = numbers((m, k), dtype), numbers((n, k), dtype)
        want = x @ y.T
        if dtype == "int8":
            want = want.real.astype(np.int64).astype(np.int8)
        for threads in (1, 3):
            nomen.set_num_threads(threads)
            check(a @ b.t(), want)
            out = nomen.zeros(n, 2 * m).to(a.dtype).t()[::2]
            check(nomen.mm(a, b.t(), out=out), want)
    nomen.set_num_threads(before)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dot_of_vectors_with_gaps(dtype):
    for n in (1, 7, 8, 9, 30) if dtype in ("float16", "bfloat16") else (1, 7, 8, 63, 4096, 9001):
        (a, x), (b, y) = numbers((n, 3), dtype), numbers((n, 2), dtype)
        check(nomen.dot(a[:, 1], b[:, 0]), x[:, 1] @ y[:, 0])
        check(nomen.dot(a[:, 2].flip(0), b[:, 1]), x[::-1, 2] @ y[:, 1])
