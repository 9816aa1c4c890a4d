"""Products that are cut between threads have the bits of those that one thread makes."""

import pytest

import nomen

# rows, columns, summands: few of each, and so many that the work is shared out
SIZES = [(20000, 4, 10), (20001, 3, 17), (20011, 1, 40), (30000, 2, 5), (20003, 6, 30),
         (1000, 300, 5), (999, 333, 20), (4, 20000, 10), (5, 20001, 33), (3000, 50, 300),
         (2000, 7, 100), (1003, 1, 700),
         (1, 65, 5000), (1, 129, 3001), (65, 1, 5000), (1, 1, 300_000)]  # fmt: skip
DTYPES = ["float16", "bfloat16", "float32", "float64", "complex64", "int64"]


@pytest.fixture(autouse=True)
def threads():
    before = nomen.get_num_threads()
    yield
    nomen.set_num_threads(before)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("m, n, k", SIZES)
def test_bits(m, n, k, dtype):
    nomen.manual_seed(m + n + k)
    for first in ((m, k), (k, m)):
        for second in ((k, n), (n, k)):
            a = (nomen.rand(*first) * 9).to(getattr(nomen, dtype))
            b = (nomen.rand(*second) * 9).to(getattr(nomen, dtype))
            a = a.t() if first != (m, k) else a
            b = b.t() if second != (k, n) else b
            nomen.set_num_threads(1)
            wanted = a @ b
            for count in (2, 3, 5):
                nomen.set_num_threads(count)
                assert nomen.equal(a @ b, wanted), count
