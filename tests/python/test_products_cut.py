"""Products that are cut between threads have the bits of those that one thread makes."""

import pytest

import nomen

pytestmark = pytest.mark.usefixtures("threads_kept")

# rows, columns, summands: few of each, and so many that the work is shared out
SIZES = [(20000, 4, 10), (20001, 3, 17), (20011, 1, 40), (30000, 2, 5), (20003, 6, 30),
         (1000, 300, 5), (999, 333, 20), (4, 20000, 10), (5, 20001, 33), (3000, 50, 300),
         (2000, 7, 100), (1003, 1, 700), (1, 20033, 40), (20001, 1, 17), (3, 4000, 700),
         (9, 3000, 600), (14, 40, 3000), (16, 2000, 300), (20001, 9, 18), (20001, 3, 40),
         (700, 1024, 2), (30000, 1, 1), (2, 5, 20000), (20001, 4, 8),
         (5, 2000, 100), (7, 3001, 120), (6, 20001, 9),
         (1, 65, 5000), (1, 129, 3001), (65, 1, 5000), (1, 1, 300_000)]  # fmt: skip
# few of two sizes and many of the third, around vectors, tiles and blocks
THIN = [(1, 5, 3000), (2, 3, 1025), (3, 70, 257), (7, 16, 2000), (8, 17, 1300), (15, 33, 600),
        (40, 9, 1100), (100, 8, 900), (70, 1, 12), (70, 1, 16), (70, 1, 33), (50, 1, 63),
        (35, 1, 4099), (17, 1, 8200), (64, 300, 3), (15, 99, 20), (70, 5, 1), (70, 13, 17),
        (16, 70, 520), (90, 16, 33), (1, 33, 600), (5, 40, 70), (8, 65, 127), (31, 256, 4),
        (300, 8, 17), (33, 33, 33)]  # fmt: skip
DTYPES = ["float16", "bfloat16", "float32", "float64", "complex64", "int64"]


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


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("m, n", [(1, 1), (5, 5), (5, 40), (40, 5), (40, 40)])
def test_no_summands(m, n, dtype):
    kind = getattr(nomen, dtype)
    for left in (nomen.zeros(m, 0).to(kind), nomen.zeros(0, m).to(kind).t()):
        for right in (nomen.zeros(0, n).to(kind), nomen.zeros(n, 0).to(kind).t()):
            assert nomen.equal(left @ right, nomen.zeros(m, n).to(kind))
            ones = nomen.ones(m, n).to(kind)
            assert nomen.equal(ones.addmm(left, right), ones)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int64"])
@pytest.mark.parametrize("m, n, k", THIN)
def test_sums(m, n, k, dtype):
    """Whole numbers so small that every dtype holds their sums: no way of adding up is wrong."""
    nomen.manual_seed(m + n + k)
    kind = getattr(nomen, dtype)
    share = 0.5 if k < 200 or "16" not in dtype else 0.02
    a, b = (nomen.rand(m, k) < share).to(kind), (nomen.rand(k, n) < share).to(kind)
    wanted = (a.to(nomen.int64).unsqueeze(2) * b.to(nomen.int64)).sum(1).to(kind)
    for left in (a, a.t().contiguous().t(), nomen.cat([a, a + 9], 1)[:, :k]):
        for right in (b, b.t().contiguous().t(), nomen.cat([b, b + 9], 1)[:, :n]):
            assert nomen.equal(left @ right, wanted)
            assert nomen.equal((right.t() @ left.t()).t(), wanted)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("m, n, k", THIN)
def test_what_is_no_number_stays_in_its_row(m, n, k, dtype):
    a = nomen.ones(m, k).to(getattr(nomen, dtype))
    b = nomen.ones(k, n).to(getattr(nomen, dtype))
    a[m // 2, k - 1] = float("nan")
    a[0, 0] = float("inf")
    for left in (a, a.t().contiguous().t()):
        c = (left @ b).to(nomen.float32)
        assert c.isnan().sum() == n and c[m // 2].isnan().all()
        assert m == 1 or (c[0].isinf().all() and c.isinf().sum() == n)
