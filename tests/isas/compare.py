"""Each row of the table with two instruction sets, or numbers of threads: the same bits, or near.

usage: compare.py [--sides scalar:1 avx2:1] [--lengths 0:301 | 1,7,40000] [--rows NAME ...]
       compare.py --shapes 20000 [--seed N]     random shapes of some rows: far_shapes.py

Without --sides: all instruction sets of this machine against the plain one, and three numbers of
threads against one. Threads never change a bit. Instruction sets change none either, but in two
kinds of rows: transcendental functions, and sums whose products are fused where a set can do that.
"""

import argparse
import collections
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy

FAR = Path(__file__).resolve().parent / "far_calls.py"
ROOT = FAR.parent.parent.parent

# Units in the last place by which results may differ: each is within its own bound of the truth
# (src/kernels/README.md).
MATHEMATICS = 4
FUNCTIONS = (
    """acos acosh asin asinh atan atan2 atanh cos cosh digamma erf erfc erfinv exp exp2 expm1
lgamma polar log log10 log1p log2 logit polygamma pow rsqrt sigmoid sin sinc sinh tan tanh
""".split()
)
ROOTS = {"digamma": 64}  # whose values below 0 are differences
# Of complex numbers in units of the larger part, as the other may be a difference. Powers are of
# the condition of their exponent times a logarithm, here as in C's cpow: what exp gets from 512
# on, where results end, is off by a unit that is 512 of the result. Twice that, and exp's own.
NUMBERS = {"exp2": MATHEMATICS, "expm1": MATHEMATICS, "sigmoid": MATHEMATICS}
NUMBERS["pow"] = 2 * 512 + MATHEMATICS
NUMBERS["tanh"] = MATHEMATICS
# Here in units of the largest element: what is added up may cancel. A product that is the same at
# each step, of expanded operands, is rounded in the same direction each time, if it is not fused.
ADDED = 64
HALVES = 16  # which are added up in float32
SUMS = """addbmm addmm addmv addr baddbmm bmm cdist distances dist dot einsum inner log_softmax
logaddexp logaddexp2 logcumsumexp logsumexp matmul mm mv pdist softmax""".split()
# Gradients of far_shapes.py are cases of their own. Those of outer are products with a vector.
SUMMED = {*SUMS, *(f"{row} gradients" for row in [*SUMS, "outer"])}
FLOATS = {"float16": "int16", "float32": "int32", "float64": "int64"}
PARTS = {"complex64": "float32", "complex128": "float64"}


class Side:
    def __init__(self, wish, arguments):
        far = FAR.with_name("far_shapes.py") if "--shapes" in arguments else FAR
        isa, _, threads = wish.partition(":")
        env = {**os.environ, "NOMEN_ISA": isa, "NOMEN_NUM_THREADS": threads or "1"}
        env.pop("NOMEN_BLAS", None)
        self.wish, self.case = wish, "no case"
        self.process = subprocess.Popen(
            [sys.executable, str(far), *arguments], stdout=subprocess.PIPE, env=env, cwd=ROOT
        )
        got = self.next()
        if got != (isa, int(threads or "1")):
            raise SystemExit(f"{wish} cannot be had here: {got}")

    def next(self):
        """What it sends next; of a side that dies, in the middle of it perhaps, how and where."""
        try:
            got = pickle.load(self.process.stdout)
        except (EOFError, pickle.UnpicklingError):
            status = self.process.wait()
            raise SystemExit(f"{self.wish} ended with {status} after {self.case}") from None
        self.case = got[0] if got else "all cases"
        return got


def here(isa):
    """Does this machine run it?"""
    text = "import nomen; print(nomen.show_config())"
    done = subprocess.run(
        [sys.executable, "-c", text],
        env={**os.environ, "NOMEN_ISA": isa},
        capture_output=True,
        text=True,
        check=True,
    )
    return f"instruction set: {isa}\n" in done.stdout


def numbers(dtype, data):
    """(values, integers whose differences are units in the last place)"""
    if dtype == "bfloat16":
        raw = numpy.frombuffer(data, "int16")
        values = (raw.astype("uint16").astype("uint32") << 16).view("float32")
    else:
        values = numpy.frombuffer(data, PARTS.get(dtype, dtype))
        raw = values.view(FLOATS[values.dtype.name])
    # Of negative numbers the magnitude is what grows: -0.0 and 0.0 are one.
    lowest = numpy.int64(numpy.iinfo(raw.dtype).min)
    raw = raw.astype("int64")
    return values, numpy.where(raw < 0, lowest - raw, raw)


def distance(dtype, one, other, of):
    """The largest distance, in units in the last place; a NaN is as near as it gets to a NaN.

    of: "element", "number" (the larger part of a complex one) or "largest" (element of all)
    """
    (a, a_key), (b, b_key) = numbers(dtype, one), numbers(dtype, other)
    if (numpy.isnan(a) != numpy.isnan(b)).any():
        return numpy.inf
    numbered = ~numpy.isnan(a)
    if not (numpy.signbit(a) != numpy.signbit(b))[numbered].any() and not (a != b)[numbered].any():
        return 0  # NaNs of two kinds
    if of == "largest" or (of == "number" and dtype in PARTS):
        finite = numbered & numpy.isfinite(a) & numpy.isfinite(b)
        if (a != b)[numbered & ~finite].any():
            return numpy.inf
        digits = {"float16": 10, "bfloat16": 7}.get(dtype, numpy.finfo(a.dtype).nmant)
        a, b = (numpy.where(finite, side, 0).astype(float) for side in (a, b))
        units = numpy.abs(a).reshape(-1, 2 if of == "number" else max(a.size, 1))
        units = numpy.maximum(units.max(axis=1, initial=0.0, keepdims=True), 1e-300)
        return (numpy.abs(a - b).reshape(len(units), -1) / units).max(initial=0.0) * 2.0**digits
    low, high = numpy.minimum(a_key, b_key), numpy.maximum(a_key, b_key)
    # The difference of two int64 fits into a uint64.
    # Zeros of two signs are 1 apart.
    return max(1, int((high.view("uint64") - low.view("uint64"))[numbered].max(initial=0)))


def apart(one, other, of):
    """0 for the same bits, else how far (inf: not to be measured)."""
    if one == other:
        return 0
    if isinstance(one, str) or isinstance(other, str) or len(one) != len(other):
        return numpy.inf
    most = 0
    for (dtype, sizes, data), (dtype2, sizes2, data2) in zip(one, other):
        if (dtype, sizes) != (dtype2, sizes2):
            return numpy.inf
        if data == data2:
            continue
        if dtype not in FLOATS and dtype not in PARTS and dtype != "bfloat16":
            return numpy.inf
        most = max(most, distance(dtype, data, data2, of))
    return most


def allowed(row, dtype):
    if row in NUMBERS and dtype in PARTS:
        return NUMBERS[row]
    if row in FUNCTIONS:
        return ROOTS.get(row, MATHEMATICS)
    if row not in SUMMED:
        return 0
    return HALVES if dtype in ("float16", "bfloat16") else ADDED


def compare(sides, arguments):
    """(cases, {(row, dtype): (cases that differ, largest distance, a case)})"""
    first, second = (Side(side, arguments) for side in sides)
    cases, found = 0, {}
    while (one := first.next()) is not None:
        other = second.next()
        assert one[0] == other[0], (one[0], other[0])
        cases += 1
        row = one[0][0]
        of = "largest" if row in SUMMED else "number" if row in NUMBERS else "element"
        far = apart(one[1], other[1], of)
        if far:
            key = one[0][:2]
            count, most, where = found.get(key, (0, 0, None))
            found[key] = (count + 1, max(most, far), where if most >= far else one[0])
    assert second.next() is None
    return cases, found


def lengths_of(text):
    if ":" in text:
        return [str(n) for n in range(*map(int, text.split(":")))]
    return text.split(",")


def pairs(options):
    """[(sides, lengths, rows)] to compare; no rows: all of them."""
    short = lengths_of(options.lengths or "0:301")
    if options.sides:
        return [(options.sides, short, options.rows)]
    isas = [isa for isa in ("avx2", "avx512", "avx512_bf16", "amx", "neon") if here(isa)]
    print("instruction sets here: scalar", *isas, flush=True)
    best = (isas or ["scalar"])[-1]
    # These two are AVX-512 with other products.
    products = [row for row in SUMS if row in options.rows] if options.rows else SUMS
    rows = {"avx512_bf16": products, "amx": products}
    found = [(("scalar:1", f"{isa}:1"), short, rows.get(isa, options.rows)) for isa in isas]
    found = [of for of in found if of[2] or not options.rows]
    sides = [(f"{best}:1", f"{best}:{threads}") for threads in options.threads]
    return found + [(of, lengths_of(options.long), options.rows) for of in sides]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sides", nargs=2)
    parser.add_argument("--lengths")
    parser.add_argument("--long", default="40000,70001")
    parser.add_argument("--every", default="1", help="of the long calls, one in so many")
    parser.add_argument("--threads", nargs="+", default=["2", "3", "8"])
    parser.add_argument("--rows", nargs="*", default=[])
    parser.add_argument("--shapes", help="so many calls of random shapes instead")
    parser.add_argument("--seed", type=int, default=20261121)
    options = parser.parse_args()
    findings = 0
    totals = collections.Counter()
    for sides, lengths, rows in pairs(options):
        threads = sides[0].split(":")[0] == sides[1].split(":")[0]
        arguments = ["--seed", str(options.seed)]
        if options.shapes:
            arguments += ["--shapes", options.shapes, "--plain", *SUMS]
        else:
            arguments += ["--lengths", *lengths]
            arguments += ["--every", options.every] if threads else ["--plain", *SUMS]
            arguments += ["--rows", *rows] * bool(rows)
        cases, found = compare(sides, arguments)
        totals["numbers of threads" if threads else "instruction sets"] += cases
        for (row, dtype), (count, most, where) in sorted(found.items()):
            bound = 0 if threads else allowed(row, dtype)
            if most > bound:
                findings += 1
                print(f"{' '.join(sides)}: {row} {dtype}: {count} cases, {most} ULP, {where}")
        print(f"{' '.join(sides)}: {cases} cases", flush=True)
    for words, count in totals.items():
        print(f"figure: calls compared between {words}: {count}")
    print(f"{findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
