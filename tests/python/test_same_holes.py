"""Short rows with the same holes behind them in all operands: the holes are computed, too."""

import numpy as np
import pytest
from isas.walls import walled

import nomen

pytestmark = pytest.mark.usefixtures("threads_kept")

DTYPES = ("float32", "float64", "int32", "int64", "int16", "uint8", "float16", "complex64")
SHAPES = ((40, 19), (9, 12, 7), (300, 20), (2, 3, 30, 18), (8, 37), (5000, 10), (64, 69))


def numbers(shape, dtype, seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 9, shape).astype("complex128" if "complex" in dtype else "float64")
    return x, nomen.tensor(x).to(getattr(nomen, dtype))


def same(got, wanted):
    assert np.array_equal(np.array(got.tolist()), wanted)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_with_the_same_holes(dtype, threads):
    nomen.set_num_threads(threads)
    for shape in SHAPES:
        x, t = numbers(shape, dtype, 1)
        y, u = numbers(shape, dtype, 2)
        for a, b in (
            (np.s_[..., 1:], np.s_[..., :-1]),
            (np.s_[..., 2:], np.s_[..., 1:-1]),
            (np.s_[1:, ..., 1:-1], np.s_[:-1, ..., :-2]),
        ):
            same(t[a] + t[b], x[a] + x[b])
            same(t[a] * u[b], x[a] * y[b])
            same(t[a] == u[a], x[a] == y[a])
            same(nomen.addcmul(t[a], u[b], t[b]), x[a] + y[b] * x[b])
            mask = t[a] == u[b]
            same(nomen.where(mask, t[a], u[a]), np.where(x[a] == y[b], x[a], y[a]))
            if dtype != "complex64":
                same(nomen.maximum(t[b], u[a]), np.maximum(x[b], y[a]))
                same(nomen.clamp(t[a], u[b], u[a]), np.minimum(np.maximum(x[a], y[b]), y[a]))
            if "float" in dtype:
                same(nomen.lerp(t[a], u[b], t[b]), x[a] + x[b] * (y[b] - x[a]))


def test_dtypes_that_differ():
    for shape in SHAPES:
        x, t = numbers(shape, "float32", 1)
        y, u = numbers(shape, "int16", 2)
        same(t[..., 1:] + u[..., :-1], x[..., 1:] + y[..., :-1])
        wide = nomen.zeros(shape, dtype=nomen.float64)[..., 1:]
        nomen.mul(t[..., 1:], t[..., :-1], out=wide)
        same(wide, x[..., 1:] * x[..., :-1])
        one = nomen.addcmul(t[..., 1:], t[..., :-1], u[..., :1].to(nomen.float32))
        same(one, x[..., 1:] + x[..., :-1] * y[..., :1])
        if len(shape) > 2:
            far, z = u[..., :1, :1], y[..., :1, :1]
            (a, b), (c, d) = (t[..., 1:], t[..., :-1]), (x[..., 1:], x[..., :-1])
            same(nomen.addcmul(a, b, far.to(nomen.float32)), c + d * z)
            same(nomen.where(a > b, a, far), np.where(c > d, c, z))


def test_results_in_holes_of_the_users():
    """What stands between the rows of a result stays, and an operand may be the result."""
    for shape in SHAPES:
        x, t = numbers(shape, "float32", 1)
        y, u = numbers(shape, "float32", 2)
        x[..., 1:] += y[..., 1:]
        t[..., 1:].add_(u[..., 1:])
        same(t, x)
        x[..., :-1] = x[..., :-1] * y[..., :-1] - 3
        nomen.addcmul(nomen.tensor(-3.0), t[..., :-1], u[..., :-1], out=t[..., :-1])
        same(t, x)
        whole = nomen.zeros(shape)
        nomen.sub(t[..., 1:], u[..., 1:], out=whole[..., 1:])
        same(whole[..., 1:], x[..., 1:] - y[..., 1:])
        assert not whole[..., 0].any()


def test_nothing_is_read_behind_the_last_row():
    for shape in ((40, 19), (9, 12, 7), (300, 20)):
        count = int(np.prod(shape))
        x = walled(count * 4, True).view("float32").reshape(shape)
        x[...] = np.arange(count).reshape(shape) % 7
        t = nomen.from_numpy(x)
        same(t[..., 1:] + t[..., 1:], x[..., 1:] * 2)
        same(t[..., 1:] - t[..., :-1], x[..., 1:] - x[..., :-1])
