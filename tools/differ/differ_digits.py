"""Exact numbers of the functions that PyTorch's own float64 does not give: 60 digits, by mpmath.

Without mpmath nothing is known here, and what differs is judged by the other rules.
"""

try:
    import mpmath
except ImportError:
    mpmath = None

import differ_judge as judge
import numpy
from differ_data import COMPLEX, REALS, STORED, widen

DIGITS = 60
ROWS = ("digamma", "lgamma", "logit", "polygamma", "sinc")


def cotangent_derivative(n, x):
    """The n-th derivative of cot(pi x): polynomials of the cotangent itself."""
    c = mpmath.cospi(x) / mpmath.sinpi(x)
    p = [mpmath.mpf(0), mpmath.mpf(1)]
    for _ in range(n):  # d P(c) = -pi (1 + c^2) P'(c)
        slope = [k * a for k, a in enumerate(p)][1:]
        p = [mpmath.mpf(0)] * (len(slope) + 2)
        for k, a in enumerate(slope):
            p[k] -= mpmath.pi * a
            p[k + 2] -= mpmath.pi * a
    return mpmath.polyval(p[::-1], c)


def polygamma(n, x):
    if x == mpmath.floor(x) and x <= 0:  # a pole, whose sides have one sign if n is odd
        return mpmath.inf if n % 2 else mpmath.nan
    if x == mpmath.inf:
        return x if n == 0 else mpmath.mpf(0)
    if x < 0:
        other = polygamma(n, 1 - x)
        return (-1) ** n * other - mpmath.pi * cotangent_derivative(n, x)
    return mpmath.psi(n, x)


def digamma(x):
    return -mpmath.inf if x == 0 else polygamma(0, x)


def lgamma(x):
    """The logarithm of the absolute value."""
    if x == mpmath.floor(x) and x <= 0 or not mpmath.isfinite(x):
        return mpmath.inf
    return mpmath.log(abs(mpmath.gamma(x))) if abs(x) < 1e6 else None


def sinc(z):
    return mpmath.mpf(1) if z == 0 else mpmath.sinpi(z) / (mpmath.pi * z)


def logit(x):
    return mpmath.log(x / (1 - x)) if 0 < x < 1 else None


def function_of(case):
    """The exact function of a call of one operand, or None."""
    given = [v for v in case["args"][1:] if not isinstance(v, dict)]
    if case["row"] == "polygamma":
        numbers = [v for v in [*case["args"], case["kw"].get("n")] if type(v) is int]
        if len(numbers) != 1 or not 0 <= numbers[0] <= 12:
            return None
        return lambda x: polygamma(numbers[0], x)
    if case["row"] == "logit" and (given or case["kw"].get("eps") is not None):
        return None
    return {"digamma": digamma, "lgamma": lgamma, "sinc": sinc, "logit": logit}.get(case["row"])


def as_number(v):
    """The nearest float, infinite beyond the range."""
    try:
        return float(v)
    except OverflowError:
        return float("inf") if v > 0 else float("-inf")


def exact_parts(function, element):
    """(real, imaginary) of the function of one number; None where it is not told."""
    e = complex(element)
    if not (numpy.isfinite(e.real) and numpy.isfinite(e.imag)) and numpy.iscomplexobj(element):
        return None
    z = mpmath.mpc(e) if numpy.iscomplexobj(element) else mpmath.mpf(e.real)
    if mpmath.isnan(z):
        return (float("nan"), 0.0)
    try:
        value = function(z)
    except (ValueError, ZeroDivisionError, OverflowError, mpmath.libmp.NoConvergence):
        return None
    if value is None:
        return None
    value = mpmath.mpc(value)
    return as_number(value.real), as_number(value.imag)


def settles(case, given, mine, theirs):
    """Is every element of mine that differs from theirs at least as near to the exact number?

    given are the operand's elements in the order of the result, as (dtype, bytes).
    """
    function = mpmath and function_of(case)
    if not function or mine[0] != "tensor" or mine[1:3] != theirs[1:3]:
        return False
    part = COMPLEX.get(mine[1], mine[1])
    if part not in REALS:
        return False
    operand, x, y = widen(*given), widen(mine[1], mine[4]), widen(theirs[1], theirs[4])
    if not len(operand) == len(x) == len(y):
        return False
    largest = 65504.0 if part == "float16" else float(numpy.finfo(stored_as(part)).max)
    allowed = max(judge.bound(case, mine[1])[0], 2) * judge.EPS[part]
    with mpmath.workdps(DIGITS), numpy.errstate(all="ignore"):
        alike = (x == y) | ((x != x) & (y != y))
        if mine[1] in COMPLEX:  # two roundings per part; what is not finite has no parts
            alike |= numpy.abs(x - y) <= 4 * allowed * numpy.abs(y)
            alike |= ~numpy.isfinite(x) & ~numpy.isfinite(y)
        for at in numpy.flatnonzero(~alike):
            known = exact_parts(function, operand[at])
            if known is None:
                return False
            three = complex(x[at]), complex(y[at]), complex(*known)
            if not nearer_number(*three, largest, allowed):
                return False
    return True


def stored_as(part):
    """The NumPy type with the range of this dtype."""
    return "f4" if part == "bfloat16" else STORED[part]


def nearer_number(x, y, exact, largest, allowed):
    if exact != exact:
        return x != x
    if not (numpy.isfinite(exact.real) and numpy.isfinite(exact.imag)) or abs(exact) > largest:
        return not (numpy.isfinite(x.real) and numpy.isfinite(x.imag))
    return abs(x - exact) <= max(abs(y - exact), allowed * abs(exact)) or y != y and x == x
