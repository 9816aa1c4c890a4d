"""Complex numbers: functions against cmath, special values of C99, parts that write through."""

import cmath
import itertools
import math
import random

import numpy
import pytest

import nomen

inf, nan = math.inf, math.nan
FUNCTIONS = """exp log log10 sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh
               atanh""".split()
OTHERS = {
    "exp2": lambda z: cmath.exp(z * math.log(2)),
    "expm1": lambda z: cmath.exp(z) - 1,
    "log1p": lambda z: cmath.log(1 + z),
    "log2": lambda z: cmath.log(z) / math.log(2),
    "rsqrt": lambda z: 1 / cmath.sqrt(z),
    "reciprocal": lambda z: 1 / z,
    "sigmoid": lambda z: 1 / (1 + cmath.exp(-z)),
    "sinc": lambda z: cmath.sin(math.pi * z) / (math.pi * z),
    "square": lambda z: z * z,
    "sgn": lambda z: z / abs(z),
}
REFERENCE = {name: getattr(cmath, name) for name in FUNCTIONS} | OTHERS


def numbers(count, size, seed=1):
    rng = numpy.random.default_rng(seed)
    return (rng.uniform(-size, size, count) + 1j * rng.uniform(-size, size, count)).tolist()


@pytest.mark.parametrize("name", sorted(REFERENCE))
@pytest.mark.parametrize("dtype, tolerance", [("complex64", 2e-7), ("complex128", 2e-14)])
def test_functions(name, dtype, tolerance):
    values = nomen.tensor(numbers(200, 3) + numbers(100, 0.3), dtype=getattr(nomen, dtype))
    for t in (values.rename("N"), values.reshape(20, 15).rename("N", "C").transpose("N", "C")):
        result = getattr(nomen, name)(t)
        assert result.dtype == t.dtype and result.names == t.names
        flat, got = t.reshape(-1).tolist(), result.reshape(-1).tolist()
        for z, r in zip(flat, got):
            want = REFERENCE[name](z)
            assert abs(r - want) <= tolerance * abs(want), (z, r, want)
    out = nomen.empty(0, dtype=values.dtype)
    assert getattr(nomen, name)(values, out=out) is out
    clone = values.clone()
    assert getattr(clone, name + "_")() is clone and clone.tolist() == out.tolist()


SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.0, inf, -inf, nan]


def alike(a, b):
    return a == b and math.copysign(1, a) == math.copysign(1, b) or (a != a and b != b)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_special_values_are_those_of_c99(name):
    zs = [complex(a, b) for a in SPECIAL for b in SPECIAL]
    got = getattr(nomen, name)(nomen.tensor(zs, dtype=nomen.complex128)).tolist()
    for z, r in zip(zs, got):
        try:
            want = getattr(cmath, name)(z)
        except (ValueError, OverflowError):  # cmath raises where C99 gives an infinity or NaN
            continue
        if cmath.isnan(z):  # C99 leaves open which parts of the result are NaN
            assert cmath.isnan(r) == cmath.isnan(want), (z, r, want)
            continue
        finite = all(map(math.isfinite, (z.real, z.imag)))
        for a, b in ((r.real, want.real), (r.imag, want.imag)):
            # where C99 leaves the sign of a zero or an infinity open, so does this
            near = abs(a - b) <= 4e-16 * abs(b) if math.isfinite(b) else abs(a) == abs(b)
            assert alike(a, b) or near or (not finite and abs(a) == abs(b)), (z, r, want)


def test_nothing_overflows_on_the_way():
    big, small = 1e300, 1e-300
    t = nomen.tensor([complex(big, big), complex(small, small)], dtype=nomen.complex128)
    assert t.abs().tolist() == pytest.approx([big * math.sqrt(2), small * math.sqrt(2)])
    assert t.log().real.tolist() == pytest.approx(
        [math.log(big) + 0.5 * math.log(2), math.log(small) + 0.5 * math.log(2)]
    )
    root = t.sqrt()
    assert (root * root / t).tolist() == pytest.approx([1, 1])
    assert (t / t).tolist() == pytest.approx([1, 1])
    assert nomen.tensor([complex(800, 1)], dtype=nomen.complex128).sigmoid().tolist() == [1]
    assert nomen.tensor([800j], dtype=nomen.complex128).tanh().isnan().tolist() == [False]
    asinh = nomen.tensor([complex(1e200, 1)], dtype=nomen.complex128).asinh()
    assert asinh.real.item() == pytest.approx(math.log(2) + 200 * math.log(10))


def test_powers():
    z = nomen.tensor([1 + 1j, -2j, 3 + 0j])
    assert (z**2).tolist() == [2j, -4, 9] and (z**3).tolist() == [-2 + 2j, 8j, 27]
    assert (z**-1).tolist() == pytest.approx([0.5 - 0.5j, 0.5j, 1 / 3], rel=1e-6)
    assert (z**0).tolist() == [1, 1, 1] and (nomen.tensor([0j]) ** 2).tolist() == [0]
    assert (z**0.5).tolist() == z.sqrt().tolist()
    assert (z ** (1 + 2j)).tolist() == pytest.approx([w ** (1 + 2j) for w in z.tolist()], rel=1e-6)
    assert (2**z).tolist() == pytest.approx([2**w for w in z.tolist()], rel=1e-6)


@pytest.mark.parametrize("dtype, tolerance", [("complex64", 5e-7), ("complex128", 1e-14)])
@pytest.mark.parametrize("power", [-2, 0, 0.5, 3, 4, 2.5])
def test_powers_of_many(dtype, tolerance, power):
    """One exponent for all, one for each, and numbers by themselves: the same bits, and next to
    zeros and infinities, which vectors do not serve, too."""
    values = numbers(37, 2) + [0j, complex(inf, 1), complex(1, nan), 3 + 0j, 1e-30j]
    z = nomen.tensor(values, dtype=getattr(nomen, dtype))
    want = repr((z**power).tolist())
    assert repr((z ** nomen.full_like(z, power)).tolist()) == want
    assert repr([(z[i] ** power).item() for i in range(z.numel())]) == want
    assert repr((z.reshape(6, 7).t() ** power).t().reshape(-1).tolist()) == want
    for base, got in zip(z.tolist()[:37], (z**power).tolist()):
        assert abs(got - base**power) <= tolerance * abs(base**power)


def test_angles():
    z = nomen.tensor([1 + 1j, -1 + 0j, complex(-1, -0.0), 0j, -2j], names=("N",))
    assert z.angle().tolist() == pytest.approx([math.pi / 4, math.pi, -math.pi, 0, -math.pi / 2])
    assert z.angle().dtype == nomen.float32 and z.angle().names == ("N",)
    x = nomen.tensor([-1.0, 1.0, nan, -0.0, -inf])
    assert x.angle().tolist() == pytest.approx([math.pi, 0, nan, 0, math.pi], nan_ok=True)
    assert nomen.tensor([-3, 3]).angle().dtype == nomen.float32
    back = nomen.polar(z.abs(), z.angle())
    assert back.names == ("N",) and back.tolist() == pytest.approx(z.tolist(), abs=1e-6)


@pytest.mark.parametrize(
    "dtype, made",
    [
        ("float16", "complex64"),
        ("float32", "complex64"),
        ("float64", "complex128"),
        ("int32", "complex64"),
    ],
)
def test_made_of_parts(dtype, made):
    a = nomen.tensor([[1, 2], [3, 4]], dtype=getattr(nomen, dtype), names=("N", "C"))
    b = nomen.tensor([5, -6], dtype=getattr(nomen, dtype))
    z = nomen.complex(a, b)
    assert z.dtype == getattr(nomen, made) and z.names == ("N", "C")
    assert z.tolist() == [[1 + 5j, 2 - 6j], [3 + 5j, 4 - 6j]]
    with pytest.raises(RuntimeError, match="^Expected both inputs to be real"):
        nomen.complex(z, z)


def test_parts_write_through():
    z = nomen.tensor([[1 + 2j, 3 + 4j], [5 + 6j, 7 + 8j]], names=("N", "C"))
    for t in (z.clone(), z.transpose("N", "C")):
        before = t.tolist()
        assert t.real.names == t.names and t.real.dtype == nomen.float32
        t.real.mul_(10)
        t.imag[0] = -1
        assert t.real.tolist() == [[10 * w.real for w in row] for row in before]
        assert t.imag.tolist() == [[-1, -1], [w.imag for w in before[1]]]
    w = nomen.tensor([1 + 2j, 3 + 4j])
    w.real = nomen.tensor([7.0, 8.0])
    w.imag = 0
    assert w.tolist() == [7, 8]
    pairs = nomen.view_as_real(w.rename("N"))
    assert pairs.names == ("N", None) and pairs.shape == (2, 2) and pairs.is_contiguous()
    pairs[1, 1] = 5
    assert w.tolist() == [7, 8 + 5j]
    back = nomen.view_as_complex(pairs)
    assert back.names == ("N",) and back.tolist() == w.tolist()
    back.mul_(1j)
    assert w.tolist() == [7j, -5 + 8j]
    x = nomen.ones(2)
    assert x.real.tolist() == [1, 1] and nomen.real(x).fill_(3).tolist() == x.tolist()
    assert x.real is x and nomen.real(x) is x
    leaf = nomen.tensor([2.0, 3.0], names=("N",), requires_grad=True)
    (nomen.real(leaf * leaf) * leaf.real).sum().backward()  # no step of its own is recorded
    assert leaf.real is leaf and leaf.grad.tolist() == [12, 27]
    with pytest.raises(RuntimeError, match="^imag is not implemented for tensors with non-complex"):
        x.imag
    with pytest.raises(RuntimeError, match="^view_as_real is only supported for complex tensors"):
        nomen.view_as_real(x)


def test_what_is_no_pair():
    for t, text in (
        (nomen.ones(3), "size 2"),
        (nomen.tensor(1.0), "one or more dim"),
        (nomen.ones(2, 2).transpose(0, 1), "with stride 1"),
        (nomen.ones(3, 3)[:, :2], "stride divisible by 2"),
        (nomen.ones(3)[1:], "storage_offset divisible by 2"),
    ):
        with pytest.raises(RuntimeError, match=text):
            nomen.view_as_complex(t)
    with pytest.raises(RuntimeError, match="only supported for"):
        nomen.view_as_complex(nomen.ones(2, dtype=nomen.int32))


def test_empty_and_alone():
    empty = nomen.zeros(0, dtype=nomen.complex64)
    assert empty.real.shape == (0,) and nomen.view_as_real(empty).shape == (0, 2)
    assert nomen.view_as_complex(nomen.zeros(0, 2)).shape == (0,)
    one = nomen.tensor(3 + 4j)
    assert one.real.item() == 3 and one.imag.item() == 4 and one.abs().item() == 5
    assert nomen.view_as_real(one).tolist() == [3, 4]


def test_gradients_of_parts():
    z = nomen.tensor([1 + 2j, 3 - 4j], names=("N",), requires_grad=True)
    (z.real * 2 + z.imag * 3).sum().backward()
    assert z.grad.tolist() == [2 + 3j, 2 + 3j] and z.grad.names == ("N",)
    x = nomen.ones(2, 2, requires_grad=True)
    (nomen.view_as_complex(x) * (1 - 1j)).abs().sum().backward()
    assert x.grad.tolist() == [pytest.approx([1, 1])] * 2
    y = (z * 1).real
    with pytest.raises(RuntimeError, match="^a view of another dtype"):
        y.mul_(2)
    with nomen.no_grad():
        z.real.mul_(2)
    assert z.tolist() == [2 + 2j, 6 - 4j]


def test_conjugates():
    z = nomen.tensor([1 + 2j], names=("N",))
    assert z.conj_physical().tolist() == [1 - 2j] and z.conj().resolve_conj().names == ("N",)
    assert nomen.resolve_neg(z) is z and nomen.is_complex(z) and not nomen.is_complex(z.real)
    assert z.conj_physical_() is z and z.tolist() == [1 - 2j]
    x = nomen.tensor([1.0, 2.0], names=("N",))
    assert x.conj() is x and nomen.conj(x, out=nomen.empty(2)).tolist() == [1, 2]
    assert x.conj_() is x and x.conj_physical() is x and x.conjugate().data_ptr() != x.data_ptr()
    out = nomen.empty(1, dtype=nomen.complex64)
    assert nomen.conj(z, out=out) is out and out.tolist() == [1 + 2j] and out.names == ("N",)
    assert z.conj_() is z and z.tolist() == [1 + 2j]
    with pytest.raises(RuntimeError):
        nomen.conj(z, out=nomen.empty(1))
    assert nomen.isreal(nomen.tensor([1 + 0j, 1j])).tolist() == [True, False]
    assert nomen.tensor([nan]).isreal().tolist() == [True]


def test_logarithms_of_sums():
    """One number at a time with Python's cmath is the reference; large parts do not overflow."""
    random.seed(4)
    for dtype, bound in ((nomen.complex128, 1e-12), (nomen.complex64, 2e-5)):
        for rows, columns in ((1, 1), (3, 4), (20, 3), (2, 2000)):
            numbers = [
                [complex(random.uniform(-9, 9), random.uniform(-3, 3)) for _ in range(columns)]
                for _ in range(rows)
            ]
            x = nomen.tensor(numbers, dtype=dtype, names=("N", "C"))
            sums = [list(itertools.accumulate(map(cmath.exp, row))) for row in x.tolist()]
            running = x.logcumsumexp("C")
            assert running.names == ("N", "C") and x.logsumexp("C").names == ("N",)
            for t, expected in ((running, sums), (x.logsumexp("C"), [row[-1] for row in sums])):
                off = (t.exp() - nomen.tensor(expected, dtype=dtype)).abs()
                assert (off / nomen.tensor(expected, dtype=dtype).abs()).max().item() < bound * 50
            turned = x.t().contiguous().t()
            assert turned.logcumsumexp("C").tolist() == running.tolist()
            assert turned.logsumexp("C").allclose(x.logsumexp("C"), rtol=bound)
            backward = x.flip("C").logcumsumexp("C").flip("C")
            assert x.logcumsumexp("C", reverse=True).tolist() == backward.tolist()
    # a running sum that has to follow real parts that grow, in any steps, is that of what it saw
    for step in (0.5, 7, 30, 900):
        rising = [complex(i // 3 * step, random.uniform(-3, 3)) for i in range(90)]
        mixed = random.sample(rising, len(rising))
        x = nomen.tensor([rising, mixed], dtype=nomen.complex128)
        running = x.logcumsumexp(1)
        for j in range(len(rising)):
            assert (running[:, j] - x[:, : j + 1].logsumexp(1)).abs().max().item() < 1e-9
        assert x.t().contiguous().logcumsumexp(0).t().tolist() == running.tolist()
    far = nomen.tensor([700 + 1j, -800 - 2j, 1400 + 0.5j], dtype=nomen.complex128)
    assert far.logcumsumexp(0).tolist() == [700 + 1j, 700 + 1j, 1400 + 0.5j]
    assert far.logsumexp(0).item() == 1400 + 0.5j
    nothing = nomen.zeros(2, 0, dtype=nomen.complex64)
    assert [z.real for z in nothing.logsumexp(1).tolist()] == [-math.inf] * 2
    assert nothing.logcumsumexp(1).shape == (2, 0)
    gone = nomen.tensor([complex(-math.inf, 0), 1 + 1j])
    assert gone.logcumsumexp(0).tolist()[0].real == -math.inf
    assert abs(gone.logsumexp(0).item() - (1 + 1j)) < 1e-6
    assert cmath.isnan(nomen.tensor([math.nan + 0j, 1 + 1j]).logsumexp(0).item())
