"""Large products of float32, float16 and complex64, which processors with tiles add up in parts
(bfloat16): no less accurate than in one, and infinite, huge and tiny numbers have the results they
always had. Elsewhere these are products like any others."""

import math

import pytest

import nomen

pytestmark = pytest.mark.usefixtures("threads_kept")

KINDS = [nomen.float32, nomen.float16]
SIZES = [(300, 260, 290), (513, 193, 600), (250, 1100, 520), (128, 128, 128)]


def drawn(m, k, n, kind=nomen.float32):
    nomen.manual_seed(m + n + k)
    first = nomen.complex64 if kind is nomen.complex64 else nomen.float32
    return nomen.randn(m, k, dtype=first).to(kind), nomen.randn(k, n, dtype=first).to(kind)


def errors(got, a, b):
    """Relative to the sums of magnitudes."""
    wide = nomen.complex128 if got.is_complex() else nomen.float64
    got, a, b = (x.to(wide) for x in (got, a, b))
    return ((got - a @ b).abs() / (a.abs() @ b.abs())).max().item()


@pytest.mark.parametrize("m, n, k", SIZES)
@pytest.mark.parametrize("kind", [*KINDS, nomen.complex64])
def test_layouts_and_threads_do_not_show(m, n, k, kind):
    a, b = drawn(m, k, n, kind)
    nomen.set_num_threads(1)
    wanted = a @ b
    assert errors(wanted, a, b) < (1e-3 if kind is nomen.float16 else 3e-7)
    turned = nomen.empty(n, m, dtype=kind).t()
    for threads in (1, 2, 5):
        nomen.set_num_threads(threads)
        for left in (a, a.t().contiguous().t(), nomen.cat([a, a + 9], 1)[:, :k], a.flip(0).flip(0),
                     nomen.stack([a, a], 2)[:, :, 1]):
            for right in (b, b.t().contiguous().t(), nomen.stack([b, b], 2)[:, :, 0]):
                assert nomen.equal(left @ right, wanted)
        if kind is not nomen.complex64:  # turned without tiles, its sums round elsewhere
            assert nomen.equal(nomen.mm(a, b, out=turned), wanted)


def test_complex_numbers_are_their_parts():
    a, b = drawn(150, 160, 170, nomen.complex64)
    got, x, y = (nomen.view_as_real(z).double().unbind(-1) for z in (a @ b, a, b))
    size = a.abs().double() @ b.abs().double()
    for part, wanted in ((got[0], x[0] @ y[0] - x[1] @ y[1]), (got[1], x[0] @ y[1] + x[1] @ y[0])):
        assert bool(((part - wanted).abs() <= 3e-7 * size).all())
    a[3, 4] = complex(math.inf, 0)
    rest = [i for i in range(150) if i != 3]
    again = a @ b
    assert bool(again[rest].isfinite().all()) and not bool(again[3].isfinite().any())


def test_batches_are_their_matrices():
    a, b = nomen.randn(3, 220, 240), nomen.randn(3, 240, 250)
    wanted = nomen.stack([x @ y for x, y in zip(a, b)])
    assert nomen.equal(a @ b, wanted)
    assert nomen.equal(a.transpose(0, 1).contiguous().transpose(0, 1) @ b, wanted)
    same = b[0].expand(3, 240, 250)
    assert nomen.equal(a @ same, nomen.stack([x @ b[0] for x in a]))


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_finite_stays_where_it_is(value, kind):
    a, b = drawn(200, 210, 220, kind)
    plain = a @ b
    a[7, 9] = value
    got = a @ b
    assert bool((got[7].isfinite() == nomen.zeros(220, dtype=nomen.bool)).all())
    rest = [i for i in range(200) if i != 7]
    assert bool(got[rest].isfinite().all())
    assert nomen.allclose(got[rest].double(), plain[rest].double(), rtol=1e-2, atol=1e-3)
    if math.isinf(value):
        assert bool(((got[7] > 0) == (b[9] > 0)).logical_xor(nomen.tensor(value < 0)).all())


def test_huge_sums_are_infinite_as_ever():
    a = nomen.full((256, 256), 2.0**100)
    assert bool((a @ a).isinf().all())
    half = nomen.full((256, 256), 2.0**59)
    assert bool((half @ half == 2.0**126).all())
    almost = half * 1.4
    assert bool(((almost @ almost).double() / 1.96 / 2.0**126 - 1).abs().max() < 1e-5)
    most = nomen.full((256, 256), 3.4028234663852886e38)
    assert bool((most @ nomen.eye(256) == most).all())


@pytest.mark.parametrize("scale", [2.0**-130, 2.0**-140, 2.0**-120, 2.0**-60, 2.0**100])
def test_tiny_numbers_keep_their_digits(scale):
    a, b = drawn(250, 220, 260)
    a = (a.double() * scale).float()
    assert errors(a @ b, a, b) < 3e-7 + 2.0**-149 / scale
    row = nomen.ones(250, 220)
    row[3] = a[3]
    assert errors((row @ b)[3:4], row[3:4], b) < 3e-7 + 2.0**-149 / scale


def test_powers_of_two_change_no_digit():
    a, b = drawn(220, 250, 240)
    assert nomen.equal((a * 2.0**30) @ (b * 2.0**-25), (a @ b) * 2.0**5)


def test_whole_numbers_are_exact():
    nomen.manual_seed(1)
    for dtype in (nomen.int64, nomen.int32, nomen.float32):
        a, b = (nomen.randint(-300, 300, (224, 224)) for _ in range(2))
        wanted = (a.double() @ b.double()).to(dtype)
        assert nomen.equal(a.to(dtype) @ b.to(dtype), wanted)


EDGES = [(256, 192, 200), (256, 191, 200), (256, 0, 200), (0, 256, 256), (256, 256, 0)]


@pytest.mark.parametrize("shape", EDGES)
def test_sizes_at_the_border(shape):
    m, k, n = shape
    got = nomen.ones(m, k) @ nomen.ones(k, n)
    assert nomen.equal(got, nomen.full((m, n), float(k)))
