"""Functions of two and three tensors: values, kinds of numbers, second names of operations."""

import itertools
import json
import math
from pathlib import Path

import numpy
import pytest

import nomen

ROWS = json.loads(Path("tests/ops.gen.json").read_text())["ops"]
ALIASES = [(alias, row) for row in ROWS for alias in row["aliases"]]
FLOATS = ("float16", "bfloat16", "float32", "float64")
INTS = ("uint8", "int8", "int16", "int32", "int64")
inf, nan = math.inf, math.nan


@pytest.mark.parametrize("alias, row", ALIASES, ids=[alias for alias, _ in ALIASES])
def test_second_names(alias, row):
    tensor = nomen.Tensor
    for owner, form, suffix in ((nomen, "f", ""), (tensor, "m", ""), (tensor, "i", "_")):
        assert hasattr(owner, alias + suffix) == (form in row["forms"])
        if form in row["forms"]:
            first, second = (getattr(owner, name + suffix) for name in (row["name"], alias))
            (call, rest), (own, same) = (f.__doc__.split("\n", 1) for f in (second, first))
            assert rest == same and call == own.replace(row["name"], alias, 1)
            assert second.__name__ == alias + suffix


def test_second_names_compute_the_same():
    x = nomen.tensor([[1.5, -2.0]], names=("N", "C"))
    y = nomen.tensor([[0.5, -4.0]], names=("N", "C"))
    assert nomen.subtract(x, y, alpha=2).tolist() == x.sub(y, alpha=2).tolist()
    assert x.multiply(y).names == ("N", "C") and x.clip(max=0).tolist() == [[0, -2]]
    assert nomen.concatenate([x, y], axis=1).shape == (1, 4)
    assert x.swapaxes(axis0="N", axis1="C").names == ("C", "N")
    assert x.divide_(2) is x and x.tolist() == [[0.75, -1.0]]
    with pytest.raises(TypeError, match=r"^greater\(\) missing"):
        nomen.greater(x)


SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, -3.0, 7.0, inf, -inf, nan, 1e-40, 1e300]


def pairs(values=SPECIAL):
    x = numpy.array([a for a in values for _ in values])
    y = numpy.array([b for _ in values for b in values])
    return x, y


def exact(result, want):
    got = numpy.array(result.tolist())
    assert (
        (got == want) & (numpy.signbit(got) == numpy.signbit(want)) | (got != got) & (want != want)
    ).all()


def test_atan2_of_many_sizes():
    """Within 2 ULP of libm in all quadrants, in float32 the nearest number or its neighbour."""
    draw = numpy.random.default_rng(5)
    y, x = (draw.standard_normal(20_003) * 10.0 ** draw.integers(-20, 20, 20_003) for _ in "yx")
    want = numpy.arctan2(y, x)
    got = nomen.atan2(nomen.from_numpy(y), nomen.from_numpy(x)).numpy()
    assert (abs(got - want) <= 2 * numpy.spacing(abs(want))).all()
    y, x = y.astype("f4"), x.astype("f4")
    want = numpy.arctan2(y.astype("f8"), x.astype("f8")).astype("f4")
    got = nomen.atan2(nomen.from_numpy(y), nomen.from_numpy(x)).numpy()
    assert (abs(got - want) <= numpy.spacing(abs(want))).all()


@pytest.mark.parametrize("name", ["atan2", "hypot", "copysign", "fmod", "remainder"])
def test_special_numbers(name):
    x, y = pairs()
    reference = {"atan2": numpy.arctan2}.get(name) or getattr(numpy, name)
    if name == "remainder":  # NumPy's has the sign of y where the result is zero, PyTorch's of x
        reference = lambda x, y: numpy.where((r := numpy.fmod(x, y)) * numpy.sign(y) < 0, r + y, r)
    with numpy.errstate(all="ignore"):
        want = reference(x, y)
    result = getattr(nomen, name)(
        nomen.tensor(x.tolist(), dtype=nomen.float64), nomen.tensor(y.tolist(), dtype=nomen.float64)
    )
    if name in ("atan2", "hypot"):
        got = numpy.array(result.tolist())
        numpy.testing.assert_allclose(got, want, rtol=4e-16)
        assert (numpy.signbit(got) == numpy.signbit(want))[want == want].all()
    else:
        exact(result, want)


@pytest.mark.parametrize("name", ["logaddexp", "logaddexp2"])
def test_logarithms_of_sums(name):
    x, y = pairs()
    want = getattr(numpy, name)(x, y)
    a, b = (nomen.tensor(v.tolist(), dtype=nomen.float64) for v in (x, y))
    got = numpy.array(getattr(nomen, name)(a, b).tolist())
    numpy.testing.assert_allclose(got, want, rtol=1e-15, atol=1e-15)
    assert getattr(nomen, name)(nomen.tensor([2, 3]), 1).dtype == nomen.float32
    inf = float("inf")
    ends = nomen.tensor([inf, -inf, inf], names=("N",))
    assert getattr(nomen, name)(ends, nomen.tensor([inf, -inf, -inf])).tolist() == [inf, -inf, inf]


def test_hypot_of_float32_neither_overflows_nor_vanishes():
    x = nomen.tensor([3e38, 1e-38, 3e-45])
    assert nomen.hypot(x, x)[1].item() == pytest.approx(math.sqrt(2) * 1e-38, rel=1e-6)
    assert nomen.hypot(x * 0.5, x * 0.5)[0].item() == pytest.approx(1.5e38 * math.sqrt(2), rel=1e-6)


def test_dtypes_of_results():
    for d in INTS + ("bool",):
        x = nomen.ones(2, dtype=getattr(nomen, d))
        for name in ("atan2", "hypot", "copysign"):
            assert getattr(nomen, name)(x, x).dtype == nomen.float32
        assert nomen.logical_and(x, x).dtype == nomen.bool
        assert nomen.bitwise_or(x, x).dtype == x.dtype
        if d != "bool":
            assert nomen.fmod(x, 2).dtype == x.dtype and nomen.fmod(x, 2.0).dtype == nomen.float32
            assert nomen.addcmul(x, x, x, value=2).tolist() == [3, 3]
    for d in FLOATS:
        x = nomen.ones(2, dtype=getattr(nomen, d))
        assert nomen.lerp(x, x * 3, 0.5).tolist() == [2, 2]
        assert nomen.addcdiv(x, x, x * 2, value=3).dtype == x.dtype
        assert nomen.atan2(x, nomen.tensor(1.0, dtype=nomen.float64)).dtype == x.dtype


@pytest.mark.parametrize("dtype", INTS)
def test_shifts_past_the_width(dtype):
    least, most = numpy.iinfo(dtype).min, numpy.iinfo(dtype).max
    x = nomen.tensor([1, most, least, 5], dtype=getattr(nomen, dtype))
    bits = numpy.iinfo(dtype).bits
    for by in (bits, bits + 1, 100):
        assert (x << by).tolist() == [0, 0, 0, 0]
        assert (x >> by).tolist() == [0, 0, -1 if least else 0, 0]
    if least:
        assert (x << -1).tolist() == [0] * 4 and (x >> -1).tolist() == [0, 0, -1, 0]
    assert (x << (bits - 1)).tolist()[0] == (least or 128)


def test_lerp_meets_its_ends():
    x, y = nomen.tensor([1e8, 3.0, -7.0]), nomen.tensor([1.0, 1e8, 0.1])
    assert x.lerp(y, 0).tolist() == x.tolist() and x.lerp(y, 1).tolist() == y.tolist()
    weights = nomen.tensor([[0.0], [0.5], [1.0]], names=("share", None))
    path = x.rename("C").lerp(y, weights)
    assert path.names == ("share", "C") and path[2].tolist() == y.tolist()
    z = nomen.tensor([1 + 1j]).lerp(nomen.tensor([3 - 1j]), 0.5)
    assert z.tolist() == [2 + 0j]


def test_weighted_products_and_quotients():
    x = nomen.tensor([[1.0, 2.0], [3.0, 4.0]], names=("N", "C"))
    t = nomen.tensor([2.0, 4.0], names=("C",))
    assert nomen.addcmul(x, t, t).tolist() == [[5, 18], [7, 20]]
    numpy.testing.assert_allclose(
        x.addcdiv(t, x, value=-2).tolist(), [[-3, -2], [3 - 4 / 3, 2]], rtol=1e-6
    )
    assert x.addcmul(t, t).names == ("N", "C")
    out = nomen.empty(0)
    assert nomen.addcmul(x, t, t, value=0.5, out=out) is out and out.names == ("N", "C")
    i = nomen.tensor([1, 2])
    assert nomen.addcmul(i, i, i, value=1.9).tolist() == [2, 6]  # the factor becomes an integer
    with pytest.raises(RuntimeError, match="^Integer division with addcdiv is no longer supported"):
        nomen.addcdiv(i, i, i)
    with pytest.raises(RuntimeError, match="^value cannot be converted to type float32 without"):
        nomen.addcmul(x, t, t, value=1j)
    before = x.tolist()
    with pytest.raises(RuntimeError, match="^Error when attempting to broadcast dims"):
        x.addcmul_(t.rename("N"), t)
    with pytest.raises(RuntimeError, match="output with shape"):
        t.rename(None).addcmul_(x.rename(None), t)
    assert x.tolist() == before
    z = nomen.tensor([1 + 1j])
    assert nomen.addcmul(z, z, z, value=2j).tolist() == [(1 + 1j) + 2j * (1 + 1j) ** 2]


@pytest.mark.parametrize(
    "dtypes", [("float32", "int64"), ("int16", "int8"), ("complex64", "float16")]
)
def test_rows_and_columns_of_another_dtype(dtypes):
    """What is met again and again is converted once."""
    x, row = (nomen.arange(1, 1 + n).to(getattr(nomen, d)) for n, d in zip((120, 8), dtypes))
    x = x.reshape(15, 8)
    column = nomen.arange(1, 31).to(getattr(nomen, dtypes[1]))[::2].reshape(15, 1)
    for y in (row, row.reshape(1, 8), column, row[:1]):
        for one, other in ((x, y), (y, x), (x.t(), y.t() if y.dim() > 1 else y[:1])):
            wide = [t.to(nomen.complex128) for t in (one, other)]
            for op in ("add", "sub", "mul"):
                got = getattr(nomen, op)(one, other)
                assert got.dtype == nomen.promote_types(x.dtype, y.dtype)
                want = getattr(nomen, op)(*wide)
                assert got.equal((want if got.is_complex() else want.real).to(got.dtype))
    kept = x.clone()
    assert nomen.equal(x.add_(row).sub_(row), kept) and nomen.equal(nomen.add(row, x), x + row)


def test_logical():
    x, y = nomen.tensor([0, 1, 2], dtype=nomen.uint8), nomen.tensor([0.0, -0.0, nan])
    assert nomen.logical_and(x, y).tolist() == [False, False, True]
    assert x.logical_xor(y).tolist() == [False, True, False]
    assert y.logical_or_(x).tolist() == [0.0, 1.0, 1.0] and y.dtype == nomen.float32
    assert nomen.logical_or(nomen.tensor([1j, 0j]), 0).tolist() == [True, False]


def test_isclose():
    x = nomen.tensor([1.0, inf, -inf, nan, 1e-9, 0.0], names=("N",))
    y = nomen.tensor([1.000005, inf, inf, nan, 0.0, 1e-3])
    assert nomen.isclose(x, y).tolist() == [True, True, False, False, True, False]
    assert x.isclose(y, equal_nan=True).tolist()[3] is True and x.isclose(y).names == ("N",)
    assert x.isclose(y, 0, 0).tolist() == [False, True, False, False, False, False]
    assert x.isclose(y, rtol=0.0, atol=1e-2).tolist()[5] is True
    i = nomen.tensor([2**62, -(2**62)])
    assert i.isclose(-i).tolist() == [False, False]
    assert nomen.isclose(nomen.tensor([1 + 1j]), nomen.tensor([1 + 1.000001j])).tolist() == [True]
    assert nomen.allclose(x[:2], y[:2]) is True and nomen.allclose(x, y) is False
    assert nomen.allclose(nomen.ones(0), nomen.zeros(0)) is True
    with pytest.raises(RuntimeError, match="^rtol must be greater than or equal to zero"):
        x.isclose(y, rtol=-1)
    with pytest.raises(RuntimeError, match="did not match"):
        x.isclose(i)
    with pytest.raises(RuntimeError, match="dim 'N' and dim 'C'"):
        nomen.allclose(x, y.rename("C"))


def test_added_products():
    m = nomen.tensor([[1.0, 2.0], [3.0, 4.0]], names=("N", "D"))
    v = nomen.tensor([1.0, -1.0])
    assert nomen.addmv(nomen.tensor([nan, nan]), m, v, beta=0).tolist() == [-1, -1]
    into = nomen.tensor([10.0, 20.0], names=("N",))
    assert into.addmv_(m, v, beta=2, alpha=3) is into and into.tolist() == [17, 37]
    out = nomen.empty(0)
    assert nomen.addmv(v, m, v, out=out) is out and out.names == ("N",)
    with pytest.raises(RuntimeError, match="size mismatch"):
        nomen.addmv(v, m, nomen.ones(3))
    with pytest.raises(RuntimeError, match="size mismatch, got input"):
        nomen.addmv(nomen.ones(3), m, v)
    b = nomen.ones(3, 2, 4, names=("B", None, None))
    c = nomen.baddbmm(nomen.ones(3, 2, 5), b, nomen.ones(3, 4, 5), beta=2, alpha=0.5)
    assert c.names == ("B", None, None) and c.tolist() == [[[4.0] * 5] * 2] * 3
    i = nomen.ones(2, 2, dtype=nomen.int64)
    assert nomen.addmm(i, i, i, beta=0.5).tolist() == [[2, 2], [2, 2]]


KEPT = {
    "mul": lambda x, s: x * s,
    "mul of a tensor": lambda x, s: x * nomen.tensor(s),
    "mul in place": lambda x, s: x.clone().mul_(s),
    "div": lambda x, s: x / s,
    "trunc": lambda x, s: nomen.div(x, s, rounding_mode="trunc"),
    "floor": lambda x, s: nomen.div(x, s, rounding_mode="floor"),
    "floor_divide": nomen.floor_divide,
    "lerp": lambda x, s: nomen.lerp(x, x * 2, s),
    "addcmul": lambda x, s: nomen.addcmul(x, x, x, value=s),
}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", KEPT)
def test_factors_keep_their_digits_beside_half_types(name, dtype):
    """The number 0.1 is not rounded to float16 first, as it is where it is added."""
    half, call = getattr(nomen, dtype), KEPT[name]
    x = nomen.tensor([k / 7 for k in range(-150, 150)]).to(half)
    for factor in (0.1, -1.7, 2.0):
        y = call(x, factor)
        assert y.dtype == half
        assert y.tolist() == call(x.to(nomen.float32), factor).to(half).tolist()
    rounded = call(x.to(nomen.float32), nomen.tensor(0.1).to(half).item()).to(half)
    assert call(x, 0.1).tolist() != rounded.tolist() or name == "trunc"
    added = x.to(nomen.float32) + nomen.tensor(0.1).to(half).item()
    assert (x + 0.1).tolist() == added.to(half).tolist()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_simple_powers_are_those_of_simpler_functions(dtype):
    x = nomen.tensor([-math.inf, -2.5, -0.0, 0.0, 0.3, 7.0, math.inf, math.nan])
    x = x.to(getattr(nomen, dtype)).refine_names("N")
    wide = x if dtype in ("float32", "float64") else x.float()
    powers = [(2, nomen.square), (0.5, nomen.sqrt), (-1, nomen.reciprocal), (1, nomen.clone),
              (0, nomen.ones_like), (-2, lambda x: wide.reciprocal().square().to(x.dtype))]
    for power, simpler in powers:
        for given in (power, float(power)):
            for y in (x**given, x.repeat(9).pow(given)[:8], x[::1].clone().pow_(given)):
                want = [repr(v) for v in simpler(x).tolist()]
                assert [repr(v) for v in y.tolist()] == want and y.dtype == x.dtype
    whole = nomen.tensor([-3, 4])
    assert (whole**2).tolist() == [9, 16]
    assert (whole**1).tolist() == [-3, 4] and (whole**0).tolist() == [1, 1]
    far = nomen.tensor([3e19, -1e-19, 1e22, 0.0], dtype=nomen.float32)  # squares do not fit
    wanted = pytest.approx([3e19**-2, 1e38, 1e-44, math.inf], rel=1e-6, abs=2e-45)
    assert (far**-2).tolist() == wanted
    assert (whole**0.5).tolist()[1] == 2 and math.isnan((whole**0.5).tolist()[0])
    assert math.copysign(1, (nomen.tensor([-0.0]) ** 0.5).item()) == -1  # that of the root
    z = nomen.tensor([1.0, 4.0], dtype=nomen.float64, requires_grad=True)
    (z**0.5 + z**2 + z**-1).sum().backward()
    assert z.grad.tolist() == [0.5 + 2 - 1, 0.25 + 8 - 1 / 16]


@pytest.mark.parametrize("beta", [0, 0.0, 2.0, 1])
def test_products_in_place_are_not_cast_to_fewer_kinds(beta):
    """As of all operations in place: a complex result does not fit into real numbers."""
    own, b = nomen.ones(2, 2), nomen.tensor([1 + 1j, 2])
    for call in (
        lambda: own.addr_(b, nomen.ones(2), beta=beta),
        lambda: own.addmm_(nomen.diag(b), nomen.diag(b), beta=beta),
    ):
        with pytest.raises(RuntimeError, match="result type complex64 can't be cast"):
            call()
    assert own.tolist() == [[1, 1], [1, 1]]


def whole_pairs():
    """Numbers and divisors around the sizes at which int64 is divided another way."""
    special = [
        s * (2**k + d) for k in (31, 49, 50, 51, 53, 62) for d in (-1, 0, 1) for s in (1, -1)
    ]
    special += [1, -1, 2, -3, 7, 2**63 - 1, -(2**63)]
    pairs = [(x, y) for x in (*special, 0) for y in special]
    rng = numpy.random.default_rng(4)
    for x, y in rng.integers(-(2**50) + 1, 2**50, (3000, 2)).tolist():
        y >>= int(rng.integers(0, 50))
        pairs += [(x, y or 1)] + [(x // y * y + d, y) for d in (-1, 0, 1) if y]
    return pairs


@pytest.mark.parametrize("short", [False, True])
def test_division_of_int64(short):
    pairs = [(x, y) for x, y in whole_pairs() if not short or max(abs(x), abs(y)) < 2**50]
    x, y = (nomen.tensor([pair[k] for pair in pairs], dtype=nomen.int64) for k in (0, 1))
    answers = {"floor": [], "trunc": [], "remainder": [], "fmod": []}
    for a, b in pairs:
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        for key, value in zip(answers, (a // b, quotient, a % b, a - quotient * b)):
            answers[key].append((value + 2**63) % 2**64 - 2**63)
    assert nomen.div(x, y, rounding_mode="floor").tolist() == answers["floor"]
    assert nomen.div(x, y, rounding_mode="trunc").tolist() == answers["trunc"]
    assert nomen.remainder(x, y).tolist() == answers["remainder"]
    assert nomen.fmod(x, y).tolist() == answers["fmod"]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_lerp_has_the_bits_of_its_formula(dtype):
    """From the nearer end, signs of zero and what is not finite included."""
    numbers = [0.0, -0.0, 1.0, -1.0, 2.5, -3.0, math.inf, -math.inf, math.nan, 1e-310, 3e-45]
    weights = [0.0, -0.0, 1.0, -1.0, 0.25, 0.5, -0.5, 0.75, 2.0, math.inf, math.nan]
    x, y, w = numpy.array(list(itertools.product(numbers, numbers, weights))).astype(dtype).T
    with numpy.errstate(all="ignore"):
        wanted = numpy.where(numpy.abs(w) < 0.5, x + w * (y - x), y - (y - x) * (1 - w))
    found = nomen.lerp(*(nomen.tensor(v.copy()) for v in (x, y, w))).numpy()
    numpy.testing.assert_array_equal(found, wanted)
    numbers = ~numpy.isnan(wanted)
    numpy.testing.assert_array_equal(numpy.signbit(found[numbers]), numpy.signbit(wanted[numbers]))
