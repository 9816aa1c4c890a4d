"""Whole numbers to reduce, and what NumPy makes of them."""

import numpy as np

import nomen

CLOSE = {
    "float16": 2e-3,
    "bfloat16": 1.6e-2,
    "float32": 2e-6,
    "float64": 1e-13,
    "complex64": 2e-6,
    "complex128": 1e-13,
    "int16": 0,
    "int32": 0,
    "int64": 0,
}


def numbers(shape, dtype, low, high):
    """A tensor and its numbers, from low to below high."""
    rng = np.random.default_rng(sum(shape))
    x = rng.integers(low, high, shape).astype("complex128" if "complex" in dtype else "float64")
    if "complex" in dtype:
        x = x + 1j * rng.integers(low, high, shape)
    return nomen.tensor(x).to(getattr(nomen, dtype)), x


def check(found, wanted, dtype):
    found = np.array(found.tolist())
    scale = max(1.0, float(np.abs(wanted).max(initial=0)))
    np.testing.assert_allclose(found, wanted, CLOSE[dtype], CLOSE[dtype] * scale)
