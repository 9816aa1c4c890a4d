"""where on rows of every length: what is left behind whole vectors of masks."""

import numpy as np
import pytest
from isas.walls import walled

import nomen

DTYPES = ("bool", "int8", "int16", "float32", "float64", "complex128")


def ending_at_a_wall(x):
    there = walled(x.nbytes, True).view(x.dtype).reshape(x.shape)
    there[...] = x
    return there


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_length(dtype):
    rng = np.random.default_rng(7)
    for n in (*range(1, 140), 191, 192, 193, 255, 300, 1000):
        mask = ending_at_a_wall(rng.random(n) < 0.5)
        x, y = (ending_at_a_wall(rng.integers(0, 2 if dtype == "bool" else 100, n).astype(dtype))
                for _ in range(2))
        m, a, b = (nomen.from_numpy(t) for t in (mask, x, y))
        assert np.array_equal(nomen.where(m, a, b).numpy(), np.where(mask, x, y))
        assert np.array_equal(nomen.where(m, a[0], b).numpy(), np.where(mask, x[0], y))
        assert np.array_equal(nomen.where(m, a, b[0]).numpy(), np.where(mask, x, y[0]))
        out = a.clone()
        assert np.array_equal(nomen.where(m, out, b, out=out).numpy(), np.where(mask, x, y))
        out = b.clone()
        assert np.array_equal(nomen.where(m, a, out, out=out).numpy(), np.where(mask, x, y))
        if dtype == "bool":
            out = m.clone()
            assert np.array_equal(nomen.where(out, a, b, out=out).numpy(), np.where(mask, x, y))


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_of_slices(dtype):
    rng = np.random.default_rng(8)
    for n in (3, 8, 20, 63, 64, 65, 120):
        mask = rng.random((30, 130)) < 0.5
        x, y = (rng.integers(0, 2, (30, 130)).astype(dtype) for _ in range(2))
        part = np.s_[:, 2 : n + 2]
        found = nomen.where(*(nomen.from_numpy(t)[part] for t in (mask, x, y)))
        assert np.array_equal(found.numpy(), np.where(mask[part], x[part], y[part]))


@pytest.mark.parametrize("dtype", ["bool", "complex64", "complex128"])
def test_truth_becomes_numbers_and_back(dtype):
    """Casts of what is true or not, of every length: zeros of both signs, NaN, subnormal parts."""
    rng = np.random.default_rng(9)
    values = [0, 1]
    if dtype != "bool":
        tiny = float(np.finfo(np.empty(0, dtype).real.dtype).smallest_subnormal)
        values = [0, complex(-0.0, -0.0), complex(0, tiny), -tiny, complex(np.nan, 0), 1j * np.inf]
    for n in (*range(1, 140), 300):
        x = ending_at_a_wall(rng.choice(np.array(values, dtype), n))
        t, truth = nomen.from_numpy(x), x != 0
        assert np.array_equal(t.to(nomen.bool).numpy(), truth)
        assert np.array_equal(t[::2].to(nomen.bool).numpy(), truth[::2])
        if dtype == "bool":
            for to in ("float32", "float64", "complex64", "complex128", "float16", "int32"):
                assert np.array_equal(t.to(getattr(nomen, to)).numpy(), x.astype(to))
