"""Columns that are shared out among threads have the bits of those that one thread reduces."""

import pytest

import nomen

pytestmark = pytest.mark.usefixtures("threads_kept")

# One to seven columns more than whole lines of memory are as many as a last block might have.
COLUMNS = [512, 513, 514, 519, 577, 583, 641, 1025, 1030, 1153, 2561, 4097]
ROWS = [3, 5, 40, 300]
DTYPES = ["float16", "float32", "float64", "complex64", "complex128"]
SUMS = ["sum", "mean", "prod", "norm"]
REAL = ["var", "nansum", "logsumexp"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_bits(dtype):
    nomen.manual_seed(1)
    for rows in ROWS:
        for columns in COLUMNS:
            x = nomen.randn(rows, columns, dtype=nomen.float64)
            if "complex" in dtype:
                x = nomen.complex(x, x.flip(0))
            x = x.to(getattr(nomen, dtype))
            for name in SUMS + REAL * ("complex" not in dtype):
                nomen.set_num_threads(1)
                wanted = getattr(x, name)(dim=0)
                for count in (2, 3, 4, 7):
                    nomen.set_num_threads(count)
                    found = getattr(x, name)(dim=0)
                    assert nomen.equal(found, wanted), (name, rows, columns, count)


def test_every_column_is_there():
    """Of several blocks of columns, behind each other too."""
    for shape in [(3, 513), (20, 4, 577), (2, 3, 2561), (9, 40, 1029)]:
        x = nomen.arange(nomen.ones(shape).sum().item()).reshape(*shape).to(nomen.float64)
        wanted = x.numpy().sum(-2)
        for count in (1, 2, 3, 5):
            nomen.set_num_threads(count)
            assert (x.sum(-2).numpy() == wanted).all(), (shape, count)
