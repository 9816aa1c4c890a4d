"""Rows of operands that are broadcast against each other: by the kernels' loops over many lines."""

import itertools

import numpy as np
import pytest
from isas.walls import walled

import nomen

pytestmark = pytest.mark.usefixtures("threads_kept")

DTYPES = ("float16", "bfloat16", "float32", "float64")
TWO = ("add", "sub", "mul", "div", "maximum", "minimum", "fmax", "fmin", "eq", "ne", "lt", "le")
TWO = (*TWO, "gt", "ge")
THREE = ("addcmul", "addcdiv", "lerp", "clamp")
# of a shape, the sizes of which an operand keeps (1), or has one instead (0)
KEPT = {2: ("11", "10", "01"), 3: ("111", "101", "011", "110", "100", "010", "001")}
SHAPES = ((9, 17), (40, 2), (12, 64), (8, 100), (5, 9, 16), (3, 30, 7), (4, 3, 130), (2, 300, 33))


def operand(rng, shape, kept, dtype):
    """Numbers, some of them NaN, an infinity or zero with a sign."""
    some = [n if keep == "1" else 1 for n, keep in zip(shape, kept, strict=True)]
    x = rng.integers(-8, 9, some) / 4
    special = rng.random(some)
    x = np.where(special < 0.02, np.nan, np.where(special > 0.98, -0.0, x))
    x = np.where((special > 0.5) & (special < 0.51), np.inf, x)
    return nomen.tensor(x).to(getattr(nomen, dtype))


def same(found, wanted):
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    found, wanted = (np.array(t.to(nomen.float64).tolist()) for t in (found, wanted))
    np.testing.assert_array_equal(found, wanted)
    signs = [np.where(np.isnan(x), False, np.signbit(x)) for x in (found, wanted)]
    np.testing.assert_array_equal(*signs)


def written_down(operands, shape):
    return [t.expand(shape).clone(memory_format=nomen.contiguous_format) for t in operands]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", DTYPES)
def test_broadcast_rows(dtype, threads):
    nomen.set_num_threads(threads)
    rng = np.random.default_rng(7)
    for shape in SHAPES:
        kept = KEPT[len(shape)]
        for names, count in ((TWO, 2), (THREE, 3)):
            for number, pattern in enumerate(itertools.product(kept, repeat=count)):
                if len(shape) == 3 and count == 3 and number % 5:
                    continue  # a fifth of the 343
                operands = [operand(rng, shape, k, dtype) for k in pattern]
                full = np.broadcast_shapes(*(tuple(t.shape) for t in operands))
                dense = written_down(operands, full)
                name = names[number % len(names)]
                same(getattr(nomen, name)(*operands), getattr(nomen, name)(*dense))


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_with_gaps_and_results_that_exist(dtype):
    rng = np.random.default_rng(8)
    for rows, columns in ((30, 5), (30, 16), (20, 31), (12, 70)):
        whole = operand(rng, (rows, columns + 3), "11", dtype)
        number = operand(rng, (rows, columns), "10", dtype)
        line = operand(rng, (rows, columns), "01", dtype)
        x = whole[:, 1 : columns + 1]
        dense = written_down((x, number, line), (rows, columns))
        for name in THREE:
            wanted = getattr(nomen, name)(*dense)
            same(getattr(nomen, name)(x, number, line), wanted)
            room = nomen.full((rows, columns + 2), 7.0, dtype=getattr(nomen, dtype))
            getattr(nomen, name)(x, number, line, out=room[:, :columns])
            same(room[:, :columns], wanted)
            assert room[:, columns:].tolist() == [[7.0, 7.0]] * rows
            changed = whole.clone()
            getattr(changed[:, 1 : columns + 1], name + "_")(number, line)
            same(changed[:, 1 : columns + 1], wanted)
            same(changed[:, columns + 1 :], whole[:, columns + 1 :])
            same(changed[:, :1], whole[:, :1])


def test_rows_of_nothing_and_no_rows():
    for shapes in (((0, 5), (1, 5)), ((7, 0), (7, 1)), ((4, 0, 3), (4, 1, 1)), ((0, 1), (1, 9))):
        x, y = (nomen.ones(s) for s in shapes)
        turned = x.transpose(0, 1).transpose(0, 1)
        for made in (nomen.add(x, y), nomen.addcmul(x, y, x), nomen.lt(x, y), turned * y):
            assert made.numel() == 0
            assert made.shape == np.broadcast_shapes(*shapes)


def test_names_are_kept():
    x = nomen.rand(8, 1, 20, names=("N", "C", "L"))
    y = nomen.rand(8, 9, 1, names=("N", "C", "L"))
    z = nomen.rand(1, 1, 20, names=("N", "C", "L"))
    found = x.lerp(y, z)
    assert found.names == ("N", "C", "L")
    bare = [t.rename(None) for t in (x, y, z)]
    same(found.rename(None), nomen.lerp(*written_down(bare, (8, 9, 20))))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_nothing_is_touched_behind_the_last_element(dtype):
    item = np.dtype(dtype).itemsize
    for rows, columns in ((40, 3), (9, 17), (33, 16), (8, 65), (12, 50)):

        def at_a_wall(shape):
            x = walled(int(np.prod(shape)) * item, True).view(dtype).reshape(shape)
            x[...] = np.arange(x.size).reshape(shape) % 5 + 1
            return nomen.from_numpy(x)

        x, y, z = (at_a_wall(s) for s in ((rows, 1), (1, columns), (rows, columns)))
        out = at_a_wall((rows, columns))
        nomen.addcmul(z, x, y, out=out)
        same(out, z + x * y)
        nomen.sub(x, y, out=out)
        same(out, x.expand(rows, columns).clone() - y.expand(rows, columns).clone())


SINGLE = ("int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "complex64")


@pytest.mark.parametrize("dtype", SINGLE)
def test_lines_of_one_operand(dtype):
    """With gaps before and behind them, into new results, others with gaps, and in place."""
    rng = np.random.default_rng(9)
    for columns in (2, 3, 7, 8, 12, 15, 16, 17, 24, 31, 32, 33, 40, 63, 64, 65, 100, 130):
        for rows in (3, 4, 5, 11):
            values = nomen.tensor(rng.integers(1, 100, (rows, columns + 3)))
            whole = values.to(getattr(nomen, dtype))
            x = whole[:, 1 : columns + 1]
            for name in ("neg", "square"):
                wanted = getattr(nomen, name)(x.contiguous())
                same_values(getattr(nomen, name)(x), wanted)
                changed = whole.clone()
                getattr(changed[:, 1 : columns + 1], name + "_")()
                same_values(changed[:, 1 : columns + 1], wanted)
                same_values(changed[:, columns + 1 :], whole[:, columns + 1 :])
                same_values(changed[:, :1], whole[:, :1])


def same_values(found, wanted):
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    assert found.tolist() == wanted.tolist()


@pytest.mark.parametrize("dtype", ["bool", "int8", "int16", "float32", "float64", "complex128"])
def test_lines_at_a_wall(dtype):
    item = np.dtype(dtype).itemsize
    for rows, columns in ((8, 3), (9, 17), (4, 31), (8, 65), (12, 50)):
        for at_end in (True, False):
            x = walled(rows * (columns + 2) * item, at_end).view(dtype)
            x = x.reshape(rows, columns + 2)
            x[...] = np.arange(x.size).reshape(x.shape) % 2
            part = nomen.from_numpy(x)[:, 2:] if at_end else nomen.from_numpy(x)[:, :columns]
            name = "logical_not" if dtype == "bool" else "square"
            wanted = getattr(nomen, name)(part.contiguous())
            same_values(getattr(nomen, name)(part), wanted)
            getattr(part, name + "_")()
            same_values(part, wanted)


@pytest.mark.parametrize("dtype", ["int8", "int16", "float32", "float64", "complex128"])
def test_long_runs_begin_anywhere(dtype):
    """In the middle of a line of the cache, too, where their first elements come by themselves."""
    kind = getattr(nomen, dtype)
    numbers = nomen.arange(9000).remainder(100).to(kind)
    for first in (0, 1, 3, 17):
        for count in (4095, 4096, 8192, 8900):
            x = numbers[first : first + count]
            result = nomen.zeros(9100, dtype=kind)
            nomen.mul(x, x, out=result[first : first + count])
            same_values(result[first : first + count], x.clone() * x.clone())
            assert result[:first].count_nonzero() == 0
            assert result[first + count :].count_nonzero() == 0
            result[first : first + count].sub_(5)
            same_values(result[first : first + count], x.clone() * x.clone() - 5)
            assert result[:first].count_nonzero() == 0
            assert result[first + count :].count_nonzero() == 0
