"""What the tests of seldom arguments and shapes share."""

import numpy as np

import nomen

f64 = nomen.float64


def ramp(*size, dtype=f64, names=None):
    t = nomen.arange(int(np.prod(size)), dtype=f64).to(dtype).reshape(size)
    return t.rename(*names) if names else t


def same(t, expected, dtype=None):
    assert np.array_equal(t.detach().numpy(), np.asarray(expected), equal_nan=True), (t, expected)
    assert dtype is None or t.dtype is dtype
