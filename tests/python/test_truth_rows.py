"""any, all, count_nonzero and sums of bytes, of rows in which one element counts."""

import numpy as np
import pytest

import nomen

LENGTHS = [*range(1, 70), 95, 127, 128, 129, 200, 255, 256, 257, 300, 1023, 1024, 1025, 2100]
DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32")
DTYPES += ("float64", "complex64", "complex128")
LEAST = {"float16": 6e-8, "bfloat16": 1e-40, "float32": 1e-45, "float64": 5e-324}
LEAST |= {"complex64": 1e-45j, "complex128": 5e-324j}


def rows_of(dtype, length, background, special):
    """A row for each place: there the special number, and the background everywhere else."""
    places = sorted({0, 1, length // 3, length // 2, length - 2, length - 1} & set(range(length)))
    x = nomen.full((len(places), length), background, dtype=getattr(nomen, dtype))
    for row, place in enumerate(places):
        x[row, place] = special
    return x


@pytest.mark.parametrize("dtype", DTYPES)
def test_one_element_decides(dtype):
    zero = -0.0 if "float" in dtype or "complex" in dtype else 0
    for length in LENGTHS:
        some = rows_of(dtype, length, zero, LEAST.get(dtype, 1))
        count = some.shape[0]
        assert some.any(1).tolist() == [True] * count
        assert some.any(0).tolist() == (some != 0).to(nomen.int64).sum(0).ne(0).tolist()
        assert some.count_nonzero(1).tolist() == [1] * count
        assert not some.mul(0).any()
        most = rows_of(dtype, length, LEAST.get(dtype, 1), zero)
        assert most.all(1).tolist() == [False] * count
        assert most.count_nonzero(1).tolist() == [length - 1] * count
        assert most[:, :0].all(1).tolist() == [True] * count
        assert nomen.full((9, length), LEAST.get(dtype, 1), dtype=some.dtype).all(1).all()
        apart = nomen.stack([most, most], 2)[..., 0]
        assert apart.all(1).tolist() == [False] * count
        assert apart.any(1).tolist() == [length > 1] * count


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int16"])
def test_sums_of_rows_of_bytes(dtype):
    rng = np.random.default_rng(5)
    info = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    for length in LENGTHS:
        x = rng.integers(info[0], info[1] + 1, (9, length)).astype(dtype)
        x[0] = info[0]
        x[1] = info[1]
        t = nomen.tensor(x)
        assert t.sum(1).tolist() == x.sum(1, dtype="int64").tolist()
        assert t[:, 1:].sum(1).tolist() == x[:, 1:].sum(1, dtype="int64").tolist()
        assert t.count_nonzero(1).tolist() == np.count_nonzero(x, axis=1).tolist()
        assert t.sum().item() == x.sum(dtype="int64")
        assert t.sum(0).tolist() == x.sum(0, dtype="int64").tolist()
