"""Rows and lines that are shared out among threads, however few, have the bits of those that one
thread works on: reductions, scans, softmax and order, in shapes that divide by nothing."""

import pytest

import nomen

pytestmark = pytest.mark.usefixtures("threads_kept")

# Around the sizes from which there is more than one piece, up to those of whole chunks.
SHAPES = [(1211, 7), (11, 2265), (30, 881), (44, 1721), (58, 876), (91, 1331), (119, 770)]
SHAPES += [(1581, 25), (3000, 45)]
CUBES = [(31, 29, 30), (9, 11, 811), (700, 31, 5), (40, 17, 101)]
REDUCED = ["sum", "mean", "prod", "norm", "nansum", "var", "logsumexp", "amax", "argmin"]
ALONG = ["cumsum", "cumprod", "logcumsumexp", "softmax"]
PAIRS = ["cummax", "max", "median", "mode", "sort"]
COMPLEX = ["sum", "mean", "prod", "norm", "cumsum", "cumprod"]


def results(x, name, dim):
    found = getattr(x, name)(dim=dim)
    return found if isinstance(found, tuple) else (found,)


def check(x, dim, names):
    for name in names:
        nomen.set_num_threads(1)
        wanted = results(x, name, dim)
        for count in (2, 3, 8):
            nomen.set_num_threads(count)
            for one, other in zip(wanted, results(x, name, dim)):
                assert nomen.equal(one, other), (name, tuple(x.shape), dim, count)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64"])
def test_bits(dtype):
    nomen.manual_seed(1)
    names = COMPLEX if dtype == "complex64" else REDUCED + ALONG + PAIRS
    for shape in SHAPES + CUBES:
        x = nomen.randn(*shape, dtype=nomen.float64)
        x = x.sign() * (1 + 0.05 * x)  # products stay within what numbers there are
        if dtype == "complex64":
            x = nomen.complex(0.7 * x, 0.7 * x.flip(0))
        x = x.to(getattr(nomen, dtype))
        check(x, len(shape) - 1, names)
        check(x, 1 if len(shape) == 3 else 0, names)
        if len(shape) == 2:
            check(x.t(), 0, names)


def test_integers():
    for shape in SHAPES + CUBES:
        x = nomen.randint(-9, 9, shape)
        check(x, len(shape) - 1, ["sum", "prod", "cumsum", "cumprod", "cummax", "max", "sort"])


def test_names():
    x = nomen.randn(47, 1811, names=("N", "C"))
    check(x, "C", REDUCED + ALONG + PAIRS)
