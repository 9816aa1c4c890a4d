#!/usr/bin/env python3
# Computes the polynomial coefficients and split constants of vmath*.h and writes vmath.gen.h
# (standard library only). Each polynomial interpolates its function at Chebyshev nodes, in 90
# decimal digits: within a factor of about two of the best possible error.
# `--check` fails if the file on disk differs.
import pathlib
import struct
import sys
from decimal import Decimal as D, getcontext, localcontext
from fractions import Fraction

getcontext().prec = 90  # functions cancel near 0: 60 digits remain
PI = D("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")
LN2 = D(2).ln()


def sin(x):
    term, total, k = x, x, 1
    while abs(term) > D(10) ** -58:
        term *= -x * x / ((k + 1) * (k + 2))
        total += term
        k += 2
    return total


def cos(x):
    term, total, k = D(1), D(1), 0
    while abs(term) > D(10) ** -58:
        term *= -x * x / ((k + 1) * (k + 2))
        total += term
        k += 2
    return total


def tanh(x):
    return 1 - 2 / ((2 * x).exp() + 1)


def sinh(x):
    return (x.exp() - (-x).exp()) / 2


def atan(x):
    halvings = 0
    while x > D("0.01"):
        x = x / (1 + (1 + x * x).sqrt())
        halvings += 1
    power, total, k = x, x, 1
    while abs(power) > D(10) ** -80:
        power *= -x * x
        k += 2
        total += power / k
    return total * 2**halvings


def asin(x):
    return atan(x / (1 - x * x).sqrt())


def erf(x):
    power, total, k = x, x, 1
    while power > D(10) ** -getcontext().prec:
        power *= 2 * x * x / (k + 2)
        total += power
        k += 2
    return 2 / PI.sqrt() * (-x * x).exp() * total


def scaled_erfc(x):
    """exp(x^2) erfc(x); what 1 - erf(x) cancels is made up for in digits."""
    with localcontext() as c:
        c.prec = 90 + int(x * x / D(2))
        pi = pi_of(c.prec)
        power, total, k = x, x, 1
        while power > total.scaleb(-c.prec):
            power *= 2 * x * x / (k + 2)
            total += power
            k += 2
        return (x * x).exp() - 2 / pi.sqrt() * total


def pi_of(digits):
    """By Machin's formula."""

    def inverse(n):
        power, total, k = D(1) / n, D(1) / n, 1
        while abs(power) > D(10) ** -(digits + 5):
            power /= -n * n
            k += 2
            total += power / k
        return total

    return 4 * (4 * inverse(5) - inverse(239))


def erfinv_ratio(w):
    """erfinv(x) / x where x^2 = 1 - exp(-w)."""
    x = (1 - (-w).exp()).sqrt()
    y = x if w < 1 else w.sqrt() - D("0.2")
    step = D(1)
    while abs(step) > D(10) ** -40:
        step = (erf(y) - x) * PI.sqrt() / 2 * (y * y).exp()
        step /= 1 + y * step  # Halley
        y -= step
    return y / x


def bernoulli(count):
    """B2, B4, ..."""
    row, result = [], []
    for m in range(2 * count + 1):
        row.append(Fraction(1, m + 1))
        for j in range(m, 0, -1):
            row[j - 1] = j * (row[j - 1] - row[j])
        if m >= 2 and m % 2 == 0:
            result.append(D(row[0].numerator) / D(row[0].denominator))
    return result


BERNOULLI = bernoulli(30)


def digamma(x):
    lower = D(0)
    while x < 60:
        lower += 1 / x
        x += 1
    tail = sum(b / (2 * k * x ** (2 * k)) for k, b in enumerate(BERNOULLI, 1))
    return x.ln() - 1 / (2 * x) - tail - lower


def lgamma(x):
    product = D(1)
    while x < 60:
        product *= x
        x += 1
    terms = enumerate(BERNOULLI, 1)
    tail = sum(b / (2 * k * (2 * k - 1) * x ** (2 * k - 1)) for k, b in terms)
    return (x - D("0.5")) * x.ln() - x + (2 * PI).ln() / 2 + tail - product.ln()


def digamma_root():
    low, high = D("1.4"), D("1.5")
    while high - low > D(10) ** -60:
        middle = (low + high) / 2
        low, high = (middle, high) if digamma(middle) < 0 else (low, middle)
    return low


ROOT = digamma_root()


def solve(rows):
    n = len(rows)
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[p] = rows[p], rows[i]
        for r in range(i + 1, n):
            f = rows[r][i] / rows[i][i]
            rows[r] = [a - f * b for a, b in zip(rows[r], rows[i])]
    x = [D(0)] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][j] * x[j] for j in range(i + 1, n))) / rows[i][i]
    return x


def fit(f, low, high, degree):
    n = degree + 1
    middle, radius = (low + high) / 2, (high - low) / 2
    nodes = [middle + radius * cos(PI * (2 * k + 1) / (2 * n)) for k in range(n)]
    return solve([[x**j for j in range(n)] + [f(x)] for x in nodes])


def best(f, low, high, degree, weight, points=300):
    """The polynomial whose largest error times weight is least, by Remez's exchange."""
    n = degree + 2
    grid = [(low + high - (high - low) * cos(PI * k / points)) / 2 for k in range(points + 1)]
    values, weights = [f(x) for x in grid], [weight(x) for x in grid]
    at = [round(i * points / (n - 1)) for i in range(n)]
    for _ in range(20):
        rows = [
            [grid[i] ** j for j in range(degree + 1)] + [(-1) ** r / weights[i], values[i]]
            for r, i in enumerate(at)
        ]
        c = solve(rows)[:-1]
        off = [
            (sum(a * x**j for j, a in enumerate(c)) - y) * w
            for x, y, w in zip(grid, values, weights)
        ]
        peaks, top = [], 0  # one per stretch of one sign
        for i in range(1, points + 2):
            if i == points + 1 or (off[i] > 0) != (off[top] > 0):
                peaks.append(top)
                top = i
            elif abs(off[i]) > abs(off[top]):
                top = i
        while len(peaks) > n:
            peaks.pop(0 if abs(off[peaks[0]]) < abs(off[peaks[-1]]) else -1)
        if len(peaks) < n or peaks == at:
            break
        at = peaks
    return c


def f32(x):
    return struct.unpack("f", struct.pack("f", float(x)))[0]


def cut(x, bits):
    """x cut to so many significant bits."""
    scale = 0
    while abs(x) * D(2) ** scale < D(2) ** (bits - 1):
        scale += 1
    while abs(x) * D(2) ** scale >= D(2) ** bits:
        scale -= 1
    return D(int(x * D(2) ** scale)) / D(2) ** scale


# About the middle of (sin(r) / r - 1) / r^2 for r up to pi/2, in few bits.
SIN_THIRD = D(-21) / 128


# name, function, interval of its variable, degree, and where it matters a weight that makes the
# error of the polynomial one of the result; _F32 and _F64 say for which type it is rounded.
def polynomials():
    half, quarter_pi = LN2 / 2 + D("0.001"), PI / 4 + D("0.001")
    low, high = D("0.7071") - 1, D("0.5001")  # the splits of all instruction sets
    exp_tail = lambda r: (r.exp() - 1 - r) / (r * r)
    exp2_tail = lambda r: ((r * LN2).exp() - 1) / r
    log_tail = lambda f: ((1 + f).ln() - f + f * f / 2) / f**3
    log2_tail = lambda f: (1 + f).ln() / LN2 / f
    atanh = lambda z: (((1 + z.sqrt()) / (1 - z.sqrt())).ln() / z.sqrt() - 2) / z
    sin_tail = lambda z: (sin(z.sqrt()) / z.sqrt() - 1) / z
    cos_tail = lambda z: (cos(z.sqrt()) - 1 + z / 2) / (z * z)
    tanh_tail = lambda z: (tanh(z.sqrt()) / z.sqrt() - 1) / z
    eps = D("0.0001")  # keeps the nodes away from 0, where 0 / 0 stands
    zero, s2 = D(10) ** -20, (high / (2 + high)) ** 2
    yield "EXP_F32", exp_tail, -half - eps, half, 5
    yield "EXP_F64", exp_tail, -half - eps, half, 10
    yield "EXP_SIXTEENTH_F64", exp_tail, -LN2 / 32 - eps, LN2 / 32 + eps / 2, 5
    yield "EXP2_F64", exp2_tail, D("-0.501") - eps, D("0.501"), 7
    yield "LOG_F32", log_tail, low, high, 9
    yield "LOG_THIRD_F32", log_tail, -D("0.3334"), D("0.3334"), 9
    yield "LOG2_F64", log2_tail, low, high, 14
    yield "ATANH_F64", atanh, zero, s2, 7
    yield "SIN_F32", sin_tail, zero, quarter_pi**2, 3
    yield "SIN_F64", sin_tail, zero, quarter_pi**2, 6
    yield "COS_F32", cos_tail, zero, quarter_pi**2, 2
    yield "COS_F64", cos_tail, zero, quarter_pi**2, 6
    half_pi = PI / 2 + D("0.0001")
    turn = lambda z: sin_tail(z) - SIN_THIRD
    for name, degree in (("F32", 4), ("F64", 7)):
        yield f"SIN_TURN_{name}", turn, D("0.000001"), half_pi**2, degree, lambda z: z
    yield "TANH_F32", tanh_tail, zero, D("0.626") ** 2, 5
    yield "TANH_F64", tanh_tail, zero, D("0.626") ** 2, 12
    yield from weighted_polynomials(half)
    yield from more_polynomials(zero)


def weighted_polynomials(half):
    """For functions that go without compensated sums; logarithms are of what the tables leave."""
    slope = lambda r: (r.exp() - 1) / r
    yield "EXPM1_F32", slope, -half, half, 5, lambda r: abs(r) / r.exp()
    slope2 = lambda r: ((r * LN2).exp() - 1) / r
    yield "EXP2M1_F32", slope2, D("-0.5001"), D("0.5001"), 5, lambda r: abs(r) / (r * LN2).exp()
    share = lambda f: abs(f * f / (1 + f).ln())
    for name, base in BASES:
        tail = lambda f: ((1 + f).ln() - f) / (f * f) / base.ln()
        yield f"{name}_F32", tail, LEAST, MOST, 4, share
        yield f"{name}_CURVE_F64", tail, LEAST, MOST, 9, share


def more_polynomials(zero):
    eps = D("0.0001")
    exp2_tail = lambda r: ((r * LN2).exp() - 1) / r
    odd_tail = lambda f: lambda z: (f(z.sqrt()) / z.sqrt() - 1) / z
    tan = lambda r: sin(r) / cos(r)
    share = lambda z: z * z.sqrt() / tan(z.sqrt())
    yield "TAN_F32", odd_tail(tan), zero, (PI / 4 + D("0.0001")) ** 2, 6, share
    yield "TAN_F64", odd_tail(tan), D("0.000001"), (PI / 4 + D("0.00001")) ** 2, 14, share
    ratio = lambda f: lambda z: f(z.sqrt()) / z.sqrt() - 1
    quarter, third = D("0.2501"), D("0.4500")
    yield "ASIN_F32", odd_tail(asin), zero, quarter, 5
    yield "ASIN_F64", odd_tail(asin), zero, quarter, 12
    share = lambda z: z * z.sqrt() / atan(z.sqrt())
    yield "ATAN_F32", odd_tail(atan), D("0.000001"), D("1.0001"), 9, share
    yield "ATAN_F64", odd_tail(atan), zero, third, 14
    yield "ATAN_SHORT_F64", odd_tail(atan), D("0.000001"), D("1.0001"), 11
    yield "SINH_F32", odd_tail(sinh), zero, D("1.01"), 3
    yield "SINH_F64", odd_tail(sinh), zero, D("1.01"), 6
    yield "ERF_SHORT_F64", ratio(erf), zero, D("1.01"), 6
    yield "ERF_F64", ratio(erf), zero, D("1.01"), 12
    yield "ERFC_F64", lambda u: scaled_erfc(u + D("1.25")), D("-0.75"), D("0.75"), 20
    place = lambda a: (D(a) - 5) / (D(a) + 5)
    back = lambda y: 5 * (1 + y) / (1 - y)
    scaled = lambda y: scaled_erfc(back(y)) * (1 + 2 * back(y))
    spread = lambda y: scaled_erfc(3 * (1 + y) / (1 - y))
    yield "ERF_FAR_F64", spread, D("-0.5001"), D("2.96") / D("8.96"), 15
    cubic = lambda r: ((1 + r).ln() - r + r * r / 2) / r**3 * 2
    yield "LN256_F64", cubic, D("-0.0032"), D("0.0031"), 4
    yield "ERFC_FAR_F64", scaled, place("2"), place("27.5"), 21
    inverse = lambda w: scaled_erfc(1 / w - 3) / w
    yield "ERFC_SHORT_F64", inverse, 1 / D(14), 1 / D(3) - eps / 100, 11
    expm1_tail = lambda r: (r.exp() - 1 - r) / (r * r)
    yield "EXPM1_STEP_F32", expm1_tail, D("-0.0109"), D("0.0109"), 1
    yield "EXPM1_STEP_F64", expm1_tail, D("-0.0218"), D("0.0217"), 4
    yield "EXP2_EIGHTH_F64", exp2_tail, -D(1) / 16 - eps, D(1) / 16, 4
    for name, base in (("LN", D(1).exp()), ("LOG2", D(2))):
        slope = lambda f: (1 + f).ln() / f / base.ln()
        yield f"{name}_TABLE_F64", slope, LEAST, MOST, 7
    middle = D(5) / 2
    slope = lambda u: (erfinv_ratio(u + middle) - PI.sqrt() / 2) / (u + middle)
    yield "ERFINV_F64", slope, D("0.0001") - middle, middle, 21
    yield "ERFINV_NEAR_F64", lambda w: erfinv_ratio(w), D("0.0001"), D(5), 10
    yield "ERFINV_FAR_F64", lambda s: erfinv_ratio(s * s), D(5).sqrt(), D("4.1"), 10
    yield "ERFINV_END_F64", lambda s: erfinv_ratio(s * s), D(4), D("6.1"), 8
    inverse = lambda v: 1 / v.sqrt()
    psi_tail = lambda v: (digamma(inverse(v)) - inverse(v).ln() + v.sqrt() / 2) / v
    stirling = lambda x: (x - D("0.5")) * x.ln() - x + (2 * PI).ln() / 2
    gamma_tail = lambda v: (lgamma(inverse(v)) - stirling(inverse(v))) / v.sqrt()
    far = D("0.0001")
    yield "DIGAMMA_F64", psi_tail, far, D(1) / 36, 9
    past_root = lambda u: digamma(D("1.5") + u) / (D("1.5") + u - ROOT)
    yield "DIGAMMA_ROOT_F64", past_root, D("-0.5"), D("0.5"), 22
    yield "DIGAMMA_ROOT_SHORT_F64", past_root, D("-0.5"), D("0.5"), 11
    sinc_tail = lambda z: (sin(PI * z.sqrt()) / (PI * z.sqrt()) - 1) / z
    yield "STIRLING_F64", gamma_tail, D("0.000001"), D(1) / 255, 4
    yield "SINC_F64", sinc_tail, zero, quarter, 8


# The first part of the logarithm of 2: the product with an exponent is exact.
TWO_HIGH_F32 = {"LN": cut(LN2, 15), "LOG2": D(1), "LOG10": cut(LN2 / D(10).ln(), 14)}
TWO_HIGH_F64 = {"LN": cut(LN2, 40), "LOG2": D(1), "LOG10": cut(LN2 / D(10).ln(), 40)}


def constants():
    yield "LN2_F32_HIGH", f32(cut(LN2, 15)), "f"
    yield "LN2_F32_LOW", f32(LN2 - cut(LN2, 15)), "f"
    yield "LN2_F64_HIGH", float(cut(LN2, 40)), ""
    yield "LN2_F64_LOW", float(LN2 - cut(LN2, 40)), ""
    yield "LOG2E", float(1 / LN2), ""
    ln10 = D(10).ln()
    for name, value, bits in (
        ("LOG2E", 1 / LN2, 24),
        ("LOG10E", 1 / ln10, 24),
        ("LOG10_2", LN2 / ln10, 14),
    ):
        yield f"{name}_F32_HIGH", f32(cut(value, bits)), "f"
        yield f"{name}_F32_LOW", f32(value - cut(value, bits)), "f"
    yield "TWO_OVER_PI", float(2 / PI), ""
    yield "ONE_OVER_PI", float(1 / PI), ""
    yield "SIN_THIRD", float(SIN_THIRD), ""
    for kind, digits, suffix in (("F32", 24, "f"), ("F64", 53, "")):
        yield f"TURN_HIGH_{kind}", float(cut(PI, digits)), suffix
        low = float(PI - cut(PI, digits))
        yield f"TURN_LOW_{kind}", f32(low) if digits == 24 else low, suffix
    half_pi, rest = PI / 2, PI / 2
    for k in range(3):
        yield f"HALF_PI_F32_{k}", f32(rest), "f"
        rest -= D(f32(rest))
    rest = half_pi
    for k in range(3):
        part = cut(rest, 33) if k < 2 else rest
        yield f"HALF_PI_F64_{k}", float(part), ""
        rest -= part
    yield "HALF_PI_F64_REST", float(half_pi - cut(half_pi, 33)), ""
    for name, value, bits in (
        ("LOG2E", 1 / LN2, 32),
        ("LOG10E", 1 / D(10).ln(), 32),
        ("LOG10_2", LN2 / D(10).ln(), 40),
        ("PI", PI, 26),
        ("ROOT", ROOT - 1, 53),
    ):
        yield f"{name}_F64_HIGH", float(cut(value, bits)), ""
        yield f"{name}_F64_LOW", float(value - cut(value, bits)), ""
    for name, value in (
        ("PI", PI),
        ("PI_2", PI / 2),
        ("PI_4", PI / 4),
        ("LOG2E", 1 / LN2),
        ("LOG10E", 1 / D(10).ln()),
    ):
        yield f"{name}_WHOLE_F32", f32(value), "f"
        yield f"{name}_REST_F32", f32(value - D(f32(value))), "f"
        yield f"{name}_WHOLE_F64", float(value), ""
        yield f"{name}_REST_F64", float(value - D(float(value))), ""
    yield "ERFINV_SCALE", float(ERFINV_SCALE), ""
    yield "ERFINV_SLOPE_LOST_F32", f32(ERFINV_SLOPE_LOST), "f"
    yield "LN2", float(LN2), ""
    yield "LN_PI", float(PI.ln()), ""
    yield "LN_2PI_HALF", float((2 * PI).ln() / 2), ""
    for kind, suffix, scale in (("F32", "f", ERFC_SCALE_F32), ("F64", "", ERFC_SCALE_F64)):
        yield f"ERFC_SCALE_{kind}", float(scale), suffix
    yield "ERF_EACH_F64", float(ERF_EACH), ""
    for kind, suffix, steps, bits in (("F32", "f", 32, 16), ("F64", "", 16, 42)):
        high = D(round(LN2 / steps * 2**bits)) / 2**bits
        rounded = f32 if suffix else float
        yield f"LN2_STEP_HIGH_{kind}", float(high), suffix
        yield f"LN2_STEP_LOW_{kind}", rounded(LN2 / steps - high), suffix
        yield f"LOG2E_STEPS_{kind}", rounded(steps / LN2), suffix
    yield "LN_2PI_E_HALF", float(((2 * PI).ln() - 1) / 2), ""
    yield "ROOT_PI_HALF", float(PI.sqrt() / 2), ""
    yield "TWO_OVER_ROOT_PI", float(2 / PI.sqrt()), ""


PIECES = (("TANH_PIECES", tanh, -3, D("9.03"), 5), ("ERF_PIECES", erf, -3, D("3.99"), 6))
# For tables of eight.
FEW_PIECES = (("ERF_FEW_PIECES", erf, -1, D("3.99"), 9),)


def log_inverses():
    """For m in [1, 2), by the four leading bits of its mantissa: a number c near 1 / m in so few
    bits that m c - 1 is exact (within LEAST and MOST). At the ends 1 and 1/2, so that there is no
    logarithm to be added or taken away for numbers next to 1."""
    yield D(1)
    for i in range(1, 15):
        low, high = D(16 + i) / 16, D(17 + i) / 16
        far = lambda c: max(abs(low * c - 1), abs(high * c - 1))
        fine = min((D(j) / 64 for j in range(32, 65)), key=far)
        c = fine if far(fine) < D(1) / 32 else min((D(j) / 32 for j in range(16, 33)), key=far)
        assert low * c - 1 > LEAST and high * c - 1 < MOST
        yield c
    yield D(1) / 2


LEAST, MOST = D("-0.0376"), D("0.0626")
BASES = (("LN", D(1).exp()), ("LOG2", D(2)), ("LOG10", D(10)))


def log_tables():
    """Those numbers, and the logarithms taken away with them in two parts. The first is a multiple
    of 2^-16 (2^-41), so that multiples of the logarithm of 2 can be added to it."""
    inverses = list(log_inverses())
    yield "LOG_INVERSE_F32", inverses
    for name, base in BASES:
        logs = [-x.ln() / base.ln() for x in inverses]
        for kind, bits, of_two in (("F32", 16, TWO_HIGH_F32), ("F64", 41, TWO_HIGH_F64)):
            high = [D(int(x * 2**bits)) / 2**bits for x in logs[:15]] + [of_two[name]]
            yield f"{name}_HIGH_{kind}", high
            yield f"{name}_LOW_{kind}", [x - h for x, h in zip(logs, high)]


def pieces(f, least, top, degree, each=4, places=32):
    """An odd function on [0, top] in pieces, `each` to a power of 2 from 2^least on and one below:
    columns, by exponent and leading bits of mantissa, of the point it is developed around, its
    value there (a point is taken whose value is nearly a float), and the other coefficients; the
    last row is what the rounding of the slope lost."""
    columns = [[D(0)] * (degree + 3) for _ in range(places)]
    for i in range(-1, each * (8 - least)):
        low = D(2) ** (least + i // each) * (each + i % each) / each
        high = low + D(2) ** (least + i // each) / each
        if i >= 0 and low >= top:
            break
        place = (each * (127 + least) + i) % places
        if i < 0:
            c = [D(0)] + fit(lambda a: f(a) / a, D(10) ** -9, D(2) ** least, degree - 1)
            columns[place] = [D(0), *c, c[1] - D(f32(c[1]))]
            continue
        off = lambda x: abs(f(x) - D(f32(f(x)))) / f(x)
        near = [D(f32((low + high) / 2 + j * (high - low) / 500)) for j in range(-60, 61)]
        middle = min(near, key=off)
        c = fit(lambda d: f(middle + d), low - middle, min(high, top) - middle, degree)
        columns[place] = [middle, *c, c[1] - D(f32(c[1]))]
    return zip(*columns)


def erfinv_columns(degree):
    """erfinv(1 - t), a piece for each power of 2 below 1 / 4, in 32 columns by the exponent of t:
    the coefficients for the mantissa less 1.5. The columns of t from 1 / 4 to 1 have those of
    erfinv(a) / a for a * a, that of 0 has infinity. The last row is what the rounding of the value
    lost."""
    columns = [[D(0)] * (degree + 2) for _ in range(32)]
    for exponent in range(-24, -2):
        power = D(2) ** exponent

        def far(d):
            t = power * (d + D(3) / 2)
            return (1 - t) * erfinv_ratio(-(t * (2 - t)).ln())

        columns[(127 + exponent) % 32] = fit(far, -D(1) / 2, D(1) / 2, degree) + [D(0)]
    near = fit(lambda z: erfinv_ratio(-(1 - z).ln()), D(10) ** -9, D(9) / 16, degree) + [D(0)]
    columns[125 % 32] = columns[126 % 32] = columns[127 % 32] = near
    for c in columns:
        c[-1] = c[0] - D(f32(c[0]))
    columns[0][0] = D("Infinity")
    return zip(*columns)


def erfinv_pieces(degree):
    """erfinv(a) up to 1 - 2^-8 in pieces of t = 1 - a, four for each power of 2: 32 columns, by the
    exponent and the first bits of the mantissa of t, of the point it is developed around (whose
    value is nearly a float), and the coefficients. What the rounding of the slope at 0 lost is
    added to all slopes."""
    columns = [None] * 32
    f = lambda a: a * erfinv_ratio(-((1 - a) * (1 + a)).ln())
    for i in range(-32, 0):
        high = 1 - D(2) ** (i // 4) * (4 + i % 4) / 4
        low = high - D(2) ** (i // 4) / 4
        if low == 0:
            middle = low
            c = [D(0)] + fit(lambda a: f(a) / a, D(10) ** -9, high, degree - 1)
        else:
            off = lambda x: abs(f(x) - D(f32(f(x)))) / f(x)
            near = [D(f32((low + high) / 2 + j * (high - low) / 500)) for j in range(-60, 61)]
            middle = min(near, key=off)
            c = fit(lambda d: f(middle + d), low - middle, high - middle, degree)
            c[1] -= ERFINV_SLOPE_LOST
        columns[(4 * 127 + i) % 32] = [middle, *c]
    return zip(*columns)


ERFINV_SLOPE_LOST = PI.sqrt() / 2 - D(f32(PI.sqrt() / 2))

# Next to 15 / 10.7 and 15 / 27.6: where erfc is 0.
ERFC_SCALE_F32, ERFC_SCALE_F64 = D(179) / 128, D(139) / 256


def scaled_erfc_pieces(scale, each, degree, number):
    """exp(a^2) erfc(a) in pieces of u = 1 + scale a from 1 to 16, `each` to a power of 2: columns
    by the last bits of the exponent and the first of the mantissa: points of development,
    coefficients, and what the rounding of the value lost."""
    columns = [None] * (4 * each)
    for i in range(4 * each):
        low = D(2) ** (i // each) * (each + i % each) / each
        high = low + D(2) ** (i // each) / each
        low, high = (low - 1) / scale, (high - 1) / scale
        at = D(round((low + high) * 128)) / 256
        c = fit(lambda d: scaled_erfc(at + d), low - at, high - at, degree)
        columns[(3 * each + i) % (4 * each)] = [at, *c, c[0] - D(number(c[0]))]
    return zip(*columns)


# Pieces of erf to a unit; the last ends at 5.96, where it is 1.
ERF_EACH = D(13) / 5


def erf_pieces(degree):
    """erf around the multiples of 1 / ERF_EACH: these, coefficients, what the rounding of the value
    lost."""
    columns = []
    for i in range(16):
        at, half = D(float(D(i) / ERF_EACH)), D("0.5001") / ERF_EACH
        if i:
            c = fit(lambda d: erf(at + d), -half, half, degree)
        else:
            c = [D(0)] + fit(lambda d: erf(d) / d, D(10) ** -9, half, degree - 1)
        columns.append([at, *c, c[0] - D(float(c[0]))])
    return zip(*columns)


# Next to 15 / 36.1.
ERFINV_SCALE = D(425) / 1024

# name, function of the variable, of which number the variable is the distance to 0, degree, roots:
# in 16 pieces, four to each power of 2 from 1 to 16
SIXTEENTHS = (
    ("LGAMMA", lgamma, 8, {0: D(1), 3: D(2), 4: D(2)}),
    ("LGAMMA_WIDE", lgamma, 14, {0: D(1), 3: D(2), 4: D(2)}),
    ("DIGAMMA", digamma, 8, {1: ROOT}),
    ("ERFINV_WIDE", lambda u: erfinv_ratio((u - 1) / ERFINV_SCALE), 12, {}),
)


def sixteenths(f, degree, roots):
    """A function on [1, 16) in pieces, by the last two bits of the exponent and the first two of
    the mantissa: points of development, in a piece with a root that root, and coefficients. The
    last column of erfinv serves up to 17 as well. The last row is what the rounding of the value
    there lost."""
    columns = [None] * 16
    for i in range(16):
        low = D(2) ** (i // 4) * (4 + i % 4) / 4
        high = low + D(2) ** (i // 4) / 4 + (1 if i == 15 else 0)
        at = D(float(roots.get(i, (low + high) / 2)))
        if i in roots:
            c = [D(0)] + fit(lambda d: f(at + d) / d, low - at, high - at, degree - 1)
        else:
            c = fit(lambda d: f(at + d), low - at, high - at, degree)
        columns[(4 * 1023 + i) % 16] = [at, *c, c[0] - D(float(c[0]))]
    return zip(*columns)


def ln_tables():
    """The logarithms of 256 / i in two parts, the first, like that of 2, a multiple of 2^-40."""
    logs = [(D(256) / i).ln() for i in range(170, 364)]
    high = [D(round(x * 2**40)) / 2**40 for x in logs]
    yield "LN256_HIGH", high
    yield "LN256_LOW", [x - h for x, h in zip(logs, high)]


def text():
    lines = [
        "/* Generated by simd/vmath_coefficients.py. Do not edit.",
        " * Coefficients of the polynomials of vmath.h, lowest first. */",
        "#ifndef NOMEN_SRC_VMATH_GEN_H",
        "#define NOMEN_SRC_VMATH_GEN_H",
        "",
        "#include <math.h>",
        "",
    ]
    for name, value, suffix in constants():
        lines.append(f"#define VMATH_{name} {value.hex()}{suffix}")
    for name, f, low, high, degree, *weight in polynomials():
        single = name.endswith("F32")
        kind, suffix = ("float", "f") if single else ("double", "")
        exact = best(f, low, high, degree, *weight) if weight else fit(f, low, high, degree)
        numbers = [(f32(c) if single else float(c)).hex() + suffix for c in exact]
        lines.append(f"static const {kind} VMATH_{name}[{degree + 1}] = {{")
        lines += [f"    {n}," for n in numbers]
        lines.append("};")
    for name, numbers in log_tables():
        single = name.endswith("F32")
        kind, suffix = ("float", "f") if single else ("double", "")
        lines.append(f"static const {kind} VMATH_{name}[{len(numbers)}] = {{")
        lines += [f"    {(f32(n) if single else float(n)).hex()}{suffix}," for n in numbers]
        lines.append("};")
    tables = [(name, pieces(f, least, top, degree)) for name, f, least, top, degree in PIECES]
    erfc = scaled_erfc_pieces(ERFC_SCALE_F32, 8, 5, f32)
    tables += [(name, pieces(*more, each=2, places=8)) for name, *more in FEW_PIECES]
    tables += [("ERFINV_COLUMNS", erfinv_columns(10)), ("ERFINV_PIECES", erfinv_pieces(5))]
    for name, table in (*tables, ("ERFC_PIECES_F32", erfc)):
        rows = list(table)
        lines.append(f"static const float VMATH_{name}[{len(rows)}][{len(rows[0])}] = {{")
        for row in rows:
            lines.append("    {")
            for k in range(0, len(row), 4):
                numbers = [f32(x).hex() + "f," for x in row[k : k + 4]]
                lines.append("        " + " ".join(numbers).replace("inff", "INFINITY"))
            lines.append("    },")
        lines.append("};")
    for kind, c_type, suffix, steps in (("F32", "float", "f", 32), ("F64", "double", "", 16)):
        rounded = f32 if suffix else float
        powers = [D(2) ** (D(j) / steps) for j in range(steps)]
        lines.append(f"static const {c_type} VMATH_EXP2_STEPS_{kind}[2][{steps}] = {{")
        for row in (powers, [x - D(rounded(x)) for x in powers]):
            lines.append("    {")
            for k in range(0, steps, 4):
                numbers = [rounded(x).hex() + suffix + "," for x in row[k : k + 4]]
                lines.append("        " + " ".join(numbers))
            lines.append("    },")
        lines.append("};")
    inverses, logs = dict(log_tables())["LOG_INVERSE_F32"], {}
    logs["LOG_INVERSE_F64"] = inverses
    for name, base in (("LN", D(1).exp()), ("LOG2", D(2))):
        logs[f"{name}_ENTRY_F64"] = [-x.ln() / base.ln() for x in inverses]
    logs["EXP2_ENTRY_F64"] = [D(2) ** (D(j) / 8) for j in range(8)]
    logs["EXP2_SIXTEENTH_F64"] = [D(2) ** (D(j) / 16) for j in range(16)]
    for name, numbers in logs.items():
        lines.append(f"static const double VMATH_{name}[{len(numbers)}] = {{")
        lines += [f"    {float(n).hex()}," for n in numbers]
        lines.append("};")
    for name, numbers in ln_tables():
        lines.append(f"static const double VMATH_{name}[{len(numbers)}] = {{")
        for k in range(0, len(numbers), 4):
            lines.append("    " + " ".join(float(x).hex() + "," for x in numbers[k : k + 4]))
        lines.append("};")
    tables = [(f"{name}_PIECES", sixteenths(f, *more)) for name, f, *more in SIXTEENTHS]
    tables.append(("ERF_WIDE_PIECES", erf_pieces(14)))
    tables.append(("ERFC_PIECES_F64", scaled_erfc_pieces(ERFC_SCALE_F64, 4, 13, float)))
    for name, table in tables:
        rows = list(table)
        lines.append(f"static const double VMATH_{name}[{len(rows)}][16] = {{")
        for row in rows:
            lines.append("    {")
            for k in range(0, 16, 4):
                lines.append("        " + " ".join(float(x).hex() + "," for x in row[k : k + 4]))
            lines.append("    },")
        lines.append("};")
    return "\n".join(lines + ["", "#endif", ""])


path = pathlib.Path(__file__).with_name("vmath.gen.h")
if "--check" in sys.argv:
    if path.read_text() != text():
        sys.exit(f"{path.name} is not what {pathlib.Path(__file__).name} generates")
else:
    path.write_text(text())
