"""Functions of one element: their options, special values, dtypes, names and errors.

Values over dtypes and layouts are in test_rows.py, accuracy in tests/kernels.
"""

import math

import numpy as np
import pytest

import nomen

inf, nan = math.inf, math.nan
FLOATS = (nomen.float16, nomen.bfloat16, nomen.float32, nomen.float64)
INTS = (nomen.uint8, nomen.int8, nomen.int16, nomen.int32, nomen.int64)
LIKE_EXP = (
    "acos asin atan acosh asinh atanh sinh cosh tan deg2rad rad2deg sinc expm1 exp2 log2 log10 "
    "log1p logit erf erfc erfinv lgamma digamma"
).split()
WHOLE = ("floor", "ceil", "trunc", "round")


def f64(*values):
    return nomen.tensor(values, dtype=nomen.float64)


def same(got, want):
    got = got.tolist()
    assert len(got) == len(want)
    for a, b in zip(got, want):
        assert (a != a and b != b) or (a == b and math.copysign(1, a) == math.copysign(1, b)), got


@pytest.mark.parametrize("name", LIKE_EXP)
def test_dtypes(name):
    for dtype in FLOATS:
        assert getattr(nomen.ones(2, dtype=dtype), name)().dtype == dtype
    for dtype in INTS + (nomen.bool,):
        x = nomen.ones(2, names=("N",), dtype=dtype)
        assert getattr(x, name)().dtype == nomen.float32 and getattr(x, name)().names == ("N",)
        with pytest.raises(RuntimeError, match="result type float32 can't be cast"):
            getattr(x, name + "_")()


@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers_stay(name):
    for dtype in INTS:
        x = nomen.tensor([1, 7, 100], dtype=dtype)
        assert getattr(x, name)().dtype == dtype and getattr(x, name)().tolist() == [1, 7, 100]
    with pytest.raises(RuntimeError, match="not implemented for"):
        getattr(nomen.ones(2, dtype=nomen.bool), name)()
    with pytest.raises(RuntimeError, match="not (implemented|supported) for"):
        getattr(nomen.ones(2, dtype=nomen.complex64), name)()


@pytest.mark.parametrize(
    "name, given, want",
    [
        ("acos", [1, -1, 0, 2, nan], [0.0, math.pi, math.pi / 2, nan, nan]),
        ("asin", [1, -0.0, -2, 0.5], [math.pi / 2, -0.0, nan, math.asin(0.5)]),
        ("atan", [inf, -inf, -0.0, 1], [math.pi / 2, -math.pi / 2, -0.0, math.pi / 4]),
        ("acosh", [1, inf, 0.5, -3, -inf], [0.0, inf, nan, nan, nan]),
        ("asinh", [inf, -inf, -0.0], [inf, -inf, -0.0]),
        ("atanh", [1, -1, -0.0, 1.5], [inf, -inf, -0.0, nan]),
        ("sinh", [inf, -inf, -0.0, 711], [inf, -inf, -0.0, inf]),
        ("cosh", [inf, -inf, 0, -711], [inf, inf, 1.0, inf]),
        ("tan", [-0.0, inf, nan], [-0.0, nan, nan]),
        ("expm1", [-inf, inf, -0.0, 1e-300], [-1.0, inf, -0.0, 1e-300]),
        ("exp2", [-inf, inf, -1074, -1075, 1023.0, 10], [0.0, inf, 5e-324, 0.0, 2.0**1023, 1024.0]),
        ("log2", [0, -1, inf, 8, 5e-324], [-inf, nan, inf, 3.0, -1074.0]),
        ("log10", [0, -1, inf, 1000, 1e300], [-inf, nan, inf, 3.0, 300.0]),
        ("log1p", [-1, -2, inf, -0.0, 1e-300], [-inf, nan, inf, -0.0, 1e-300]),
        ("logit", [0, 1, 0.5, -0.1, 1.1], [-inf, inf, 0.0, nan, nan]),
        ("erf", [inf, -inf, -0.0, nan], [1.0, -1.0, -0.0, nan]),
        ("erfc", [inf, -inf, 0, nan], [0.0, 2.0, 1.0, nan]),
        ("erfinv", [1, -1, -0.0, 1.5], [inf, -inf, -0.0, nan]),
        ("lgamma", [0, -1, -inf, inf, 1, 2], [inf, inf, inf, inf, 0.0, 0.0]),
        ("lgamma", [-1.7e308, -9e307, -1e300, -(2.0**52)], [inf, inf, inf, inf]),
        ("digamma", [0.0, -0.0, -1, -inf, inf], [-inf, inf, nan, nan, inf]),
        ("sinc", [0, inf], [1.0, nan]),
        ("frac", [1.25, -1.5, inf], [0.25, -0.5, nan]),
        ("sign", [-0.0, nan, -inf, 3], [0.0, 0.0, -1.0, 1.0]),
        ("round", [0.5, 1.5, -0.5, inf, 2.5], [0.0, 2.0, -0.0, inf, 2.0]),
    ],
)
def test_special_values(name, given, want):
    same(getattr(f64(*given), name)(), want)


def test_kinds_of_numbers():
    x = f64(1, -0.0, inf, -inf, nan)
    assert x.isnan().tolist() == [False, False, False, False, True]
    assert x.isinf().tolist() == [False, False, True, True, False]
    assert x.isfinite().tolist() == [True, True, False, False, False]
    assert x.isposinf().tolist() == [False, False, True, False, False]
    assert x.isneginf().tolist() == [False, False, False, True, False]
    assert x.signbit().tolist()[:4] == [False, True, False, True]
    z = nomen.tensor([complex(inf, nan), complex(1, nan), complex(1, 2)])
    assert z.isinf().tolist() == [True, False, False]
    assert z.isfinite().tolist() == [False, False, True]
    for dtype in INTS + (nomen.bool,):
        ones = nomen.ones(2, dtype=dtype)
        assert ones.isfinite().all().item() and not ones.isinf().any().item()
        assert not ones.isnan().any().item() and not ones.signbit().any().item()
    assert nomen.tensor([-3, 3]).signbit().tolist() == [True, False]


def test_round_to_decimals():
    x = nomen.tensor([1.2345, -2.675, 1e30, inf], names=("N",), dtype=nomen.float64)
    assert x.round(decimals=2).tolist() == [1.23, -2.68, 1e30, inf]  # as NumPy: 267.5 is even
    assert x.round(decimals=2).names == ("N",)
    assert x.round(decimals=400).tolist() == x.tolist()
    assert f64(149, 150, 250, -inf).round(decimals=-2).tolist() == [100, 200, 200, -inf]
    assert f64(149, -1e300).round(decimals=-400).tolist() == [0, 0]
    half = nomen.tensor([1.23, 1234.0], dtype=nomen.float16)
    assert half.round(decimals=5).tolist() == half.tolist()  # 1e5 is beyond float16
    assert half.round(decimals=-1).dtype == nomen.float16
    assert half.round(decimals=-1).tolist()[1] == 1230
    for dtype in (nomen.int8, nomen.int64):
        n = nomen.tensor([15, 25, -15, 26, 0], dtype=dtype)
        assert n.round(decimals=-1).tolist() == [20, 20, -20, 30, 0]
        assert n.round(decimals=-1).dtype == dtype and n.round(decimals=3).tolist() == n.tolist()
        assert n.round(decimals=-30).tolist() == [0] * 5
        assert n.round(decimals=-3).tolist() == [0] * 5  # int8 has no thousand
    y = x.clone()
    assert y.round_(decimals=1) is y and y.tolist()[0] == 1.2
    assert nomen.round(x, decimals=1, out=nomen.empty(0, dtype=nomen.float64)).names == ("N",)


def test_logit_with_eps():
    x = nomen.tensor([0.0, 0.25, 1.0, nan], names=("N",))
    low = math.log(0.1 / 0.9)
    got = x.logit(eps=0.1)
    assert got.names == ("N",)
    assert got.tolist()[:3] == pytest.approx([low, math.log(1 / 3), -low], rel=1e-6)
    assert got[3].isnan().item()
    half = nomen.ones(1, dtype=nomen.bfloat16).logit(1e-6)  # 1 - eps is beyond bfloat16
    assert half.item() == pytest.approx(13.8, rel=0.01)
    assert nomen.tensor([1]).logit(0.25).item() == pytest.approx(math.log(3))
    with pytest.raises(TypeError, match="real number"):
        x.logit(eps=1j)


def test_nan_to_num():
    bad = [nan, inf, -inf, 1.5]
    top = {nomen.float16: 65504.0, nomen.float32: (2 - 2**-23) * 2.0**127}
    for dtype, most in top.items():
        x = nomen.tensor(bad, dtype=dtype, names=("N",))
        assert x.nan_to_num().tolist() == [0, most, -most, 1.5]
        assert x.nan_to_num(1, posinf=2, neginf=-3).tolist() == [1, 2, -3, 1.5]
        assert x.nan_to_num().names == ("N",)
    assert nomen.tensor(bad).requires_grad_().nan_to_num().sum().backward() is None
    leaf = nomen.tensor(bad, requires_grad=True)
    leaf.nan_to_num().sum().backward()
    assert leaf.grad.tolist() == [0, 0, 0, 1]
    z = nomen.tensor([complex(nan, inf), complex(1, -inf)], dtype=nomen.complex128)
    assert z.nan_to_num(posinf=9, neginf=-9).tolist() == [9j, 1 - 9j]
    assert nomen.tensor([3, 4]).nan_to_num(7).tolist() == [3, 4]
    assert nomen.tensor(bad).nan_to_num(posinf=1e300, neginf=-1e300).tolist() == [0, inf, -inf, 1.5]
    strided = nomen.tensor([bad, bad]).transpose(0, 1)
    assert strided.nan_to_num(posinf=1, neginf=2).tolist() == [[0, 0], [1, 1], [2, 2], [1.5, 1.5]]


def test_numbers_are_rounded_as_elements_are():
    # a tenth has more digits in float64 than in any other dtype
    for dtype in FLOATS:
        tenth = nomen.tensor([0.1, 0.2], dtype=dtype, names=("N",))
        kept = nomen.threshold(tenth, 0.1, 5)
        assert kept.tolist() == [5, tenth[1].item()] and kept.dtype == dtype
        assert kept.names == ("N",)
    x = nomen.tensor([1.0, 2.0])
    third = np.float32(1 / 3)
    for made in (nomen.add(x, x, alpha=1 / 3), nomen.addcmul(x, x, x.sign(), value=1 / 3)):
        at = x.numpy()
        assert made.dtype == nomen.float32
        assert np.array_equal(made.numpy(), np.float32(at + np.float64(third) * at))
    whole = nomen.tensor([-3, 3, 4], dtype=nomen.int8)
    assert nomen.threshold(whole, 3, -1).tolist() == [-1, -1, 4]
    assert whole.add(whole, alpha=2).tolist() == [-9, 9, 12]
    assert whole.polygamma(1).dtype == nomen.float32
    assert nomen.tensor([1 + 1j]).add(1j, alpha=2).tolist() == [1 + 3j]


def test_gamma_and_its_kin():
    # from mpmath: lgamma, digamma, polygamma(1), polygamma(2) at -2.5, 0.25, 30
    at = f64(-2.5, 0.25, 30)
    known = [
        (at.lgamma(), [-0.056243716497674054, 1.2880225246980774, 71.25703896716801]),
        (at.digamma(), [1.103156640645243, -4.2274535333762655, 3.384438132685525]),
        (at.polygamma(1), [9.539246644989124, 17.19732915450711, 0.033895060357739946]),
        (nomen.polygamma(2, at), [-0.1082040516417274, -129.32773993753693, -0.0011487652037286]),
        (nomen.polygamma(0, at), [1.103156640645243, -4.2274535333762655, 3.384438132685525]),
    ]
    for got, want in known:
        assert got.tolist() == pytest.approx(want, rel=1e-13)
        assert got.to(nomen.float32).tolist() == pytest.approx(want, rel=1e-6)
    same(f64(0, -2, inf, nan).polygamma(1), [inf, inf, 0.0, nan])
    assert f64(-1e-40).polygamma(2).item() == pytest.approx(2e120)
    assert at.rename("N").polygamma(n=3).names == ("N",)
    with pytest.raises(RuntimeError, match="does not support negative n"):
        at.polygamma(-1)


def test_polygamma_of_many_and_of_one():
    """Positive numbers side by side go another way than those beside a negative one."""
    at = [0.001 * 1.3**k for k in range(61)]
    for n in (1, 2, 5, 8, 9, 12):
        together = nomen.polygamma(n, f64(*at)).tolist()
        beside = [nomen.polygamma(n, f64(x, -0.5)).tolist()[0] for x in at]
        assert together == pytest.approx(beside, rel=1e-14)
    # the way of one number, by the C library's powers, and the formula that mirrors the argument
    below = [-0.75, -0.25, -1.5, -3.3, -15.9, -16.5, -40.25, -1000.5, -1e-3, -1e9 - 0.5]
    for n in (1, 2, 3, 5, 8):
        together = nomen.polygamma(n, f64(*below)).tolist()
        beside = [nomen.polygamma(n, f64(x, 0.0)).tolist()[0] for x in below]
        assert together == pytest.approx(beside, rel=1e-13)
        single = nomen.tensor(below[:-1], dtype=nomen.float32)
        wanted = nomen.polygamma(n, single.double()).tolist()
        assert nomen.polygamma(n, single).tolist() == pytest.approx(wanted, rel=2e-7)
    squares = [(math.pi / math.sin(math.pi * x)) ** 2 for x in below[:5]]
    mirrored = nomen.polygamma(1, f64(*[1 - x for x in below[:5]])).tolist()
    wanted = [s - m for s, m in zip(squares, mirrored)]
    assert nomen.polygamma(1, f64(*below[:5])).tolist() == pytest.approx(wanted, rel=1e-13)
    known = [math.pi**2 / 6, -2.4041138063191885, math.pi**4 / 15]
    got = [nomen.polygamma(n, f64(*[1] * 11)).tolist() for n in (1, 2, 3)]
    assert [x[10] for x in got] == pytest.approx(known, rel=1e-15 * 4)


def test_bits_and_signs():
    assert nomen.tensor([0, 5]).bitwise_not().tolist() == [-1, -6]
    assert nomen.tensor([0, 5], dtype=nomen.uint8).bitwise_not().tolist() == [255, 250]
    assert nomen.tensor([True, False]).bitwise_not().tolist() == [False, True]
    with pytest.raises(RuntimeError, match="not implemented for 'float32'"):
        nomen.ones(1).bitwise_not()
    x = nomen.ones(2, names=("N",))
    assert x.positive() is x and (+x).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="on a bool tensor is not supported"):
        nomen.ones(1, dtype=nomen.bool).positive()
    assert nomen.tensor([True, False]).sign().tolist() == [True, False]


def test_named_out():
    x = nomen.ones(2, names=("N",))
    for name in ("erf", "tan", "floor", "log1p", "isposinf"):
        result = getattr(nomen, name)(x)
        out = nomen.empty(0, dtype=result.dtype)
        assert getattr(nomen, name)(x, out=out).names == ("N",)
        with pytest.raises(RuntimeError):
            getattr(nomen, name)(x, out=nomen.empty(2, names=("C",), dtype=result.dtype))


def test_sinc_is_smooth_at_zero():
    x = nomen.tensor([0.0], dtype=nomen.float64, requires_grad=True)
    (first,) = nomen.autograd.grad(x.sinc(), x, create_graph=True)
    (second,) = nomen.autograd.grad(first, x)
    assert first.item() == 0 and second.item() == pytest.approx(-math.pi**2 / 3)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["log1p", "asinh", "atanh", "expm1", "sinh", "tanh"])
def test_small_numbers_keep_their_digits(name, dtype):
    """1 + x is 1 or its neighbour here: what is lost of x must not stay lost."""
    x = (2.0 ** -np.arange(1, 120) * np.linspace(1, 1.9, 119)).astype(dtype)
    x = np.concatenate([x, -x])
    expected = getattr(np, {"asinh": "arcsinh", "atanh": "arctanh"}.get(name, name))(
        x.astype(np.longdouble)
    ).astype(dtype)
    found = getattr(nomen.from_numpy(x), name)().numpy()
    np.testing.assert_array_max_ulp(found, expected, 2)


def test_the_last_order_of_polygamma_has_a_gradient():
    x = nomen.tensor([0.5, 2.0], requires_grad=True)
    nomen.polygamma(2**63 - 1, x).sum().backward()
    assert x.grad.shape == (2,)
