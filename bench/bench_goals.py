"""The goals of the project as a table: what each family of operations should reach beside the peer,
and how many of its calls do."""

import statistics

LARGE = (30_000, 1_000_000, 30_000_000)
SIMPLE = "abs neg add sub mul div sqrt maximum minimum clamp_min ceil floor square sign".split()
MATH = "exp exp2 log log2 log10 sin cos tan asin acos atan tanh erf erfc sigmoid".split()
MORE_MATH = "expm1 log1p sinh cosh asinh acosh atanh pow atan2".split()


def calls(*ops, sizes=LARGE, dtypes=("float32",), variants=None, layouts=("contiguous",)):
    """A function that says whether a line is one of these calls, results allocated."""

    def is_one(line):
        return (
            line["op"] in ops
            and line["n"] in sizes
            and (not dtypes or line["dtype"] in dtypes)
            and (variants is None or line["variant"] in variants)
            and line["layout"] in layouts
            and line["form"] not in ("out=", "backward")
        )

    return is_one


def small(line):
    plain = line["form"] not in ("out=", "backward")
    return line["n"] <= 16 and line["family"] not in ("view", "product") and plain


def view(line):
    return line["family"] == "view" and line["form"] != "backward"


def backward(small):
    """Gradients of one call: of few elements, or of more."""
    return lambda line: line["form"] == "backward" and (line["n"] <= 16) == small


PLAIN, FIRST, EIGHTS = ("",), ("first",), ("rows of 8",)
# (family, which lines, at least, aim)
GOALS = [
    ("small operation from Python (1 and 16 elements)", small, 8, 20),
    ("views", view, 8, 20),
    ("pointwise, 30k", calls(*SIMPLE, sizes=(30_000,), variants=PLAIN), 1.0, 1.2),
    ("pointwise, 1M", calls(*SIMPLE, sizes=(1_000_000,), variants=PLAIN), 1.0, 1.2),
    ("pointwise, 30M", calls(*SIMPLE, sizes=(30_000_000,), variants=PLAIN), 3.5, 5),
    ("exp, log, sin, cos, tanh, erf ...", calls(*MATH), 1.0, 1.3),
    ("expm1, log1p, sinh ... pow, atan2", calls(*MORE_MATH), 2, 3.5),
    ("digamma, erfinv", calls("digamma", "erfinv"), 10, 20),
    ("sum, mean", calls("sum", "mean", variants=("", "last", "middle", "one line")), 1.0, 1.1),
    ("sum, mean over the first dim", calls("sum", "mean", variants=FIRST), 1.5, 1.5),
    ("sum, mean of rows of 8", calls("sum", "mean", variants=EIGHTS), 4, 4),
    ("var, std, var_mean", calls("var", "std", "var_mean", "std_mean"), 8, 30),
    ("max, min, argmax, any, all", calls("max", "min", "argmax", "argmin", "any", "all"), 5, 15),
    ("cumsum, cumprod", calls("cumsum", "cumprod"), 2.5, 8),
    ("softmax, log_softmax, logsumexp", calls("softmax", "log_softmax", "logsumexp"), 1.5, 4),
    ("median, kthvalue", calls("median", "nanmedian", "kthvalue"), 8, 20),
    ("topk", calls("topk"), 15, 40),
    ("mode", calls("mode"), 4, 8),
    ("sort", calls("sort", "argsort", "msort"), 2, 4),
    ("transposed copies", calls("contiguous", layouts=("transposed",)), 4, 7),
    ("masked_fill, masked_select", calls("masked_fill", "masked_select"), 8, 20),
    ("index_fill", calls("index_fill"), 1.1, 1.1),
    ("rand, uniform_, random_", calls("rand", "uniform", "random", "randint", dtypes=None), 8, 12),
    ("randn, normal_", calls("randn", "normal_", "normal", dtypes=None), 4, 8),
    ("cauchy_, log_normal_", calls("cauchy", "log_normal", dtypes=None), 20, 40),
    ("bernoulli_, exponential_", calls("bernoulli", "exponential", dtypes=None), 1.2, 2.5),
    ("matrix product, float32", calls("mm", "matmul", "addmm", sizes=LARGE[1:]), 1.0, 1.3),
    ("matrix product, float64", calls("mm", sizes=LARGE[1:], dtypes=("float64",)), 0.95, 1.0),
    ("matrix product, bfloat16", calls("mm", sizes=LARGE[1:], dtypes=("bfloat16",)), 1.0, 1.3),
    ("matrix product, float16", calls("mm", sizes=LARGE[1:], dtypes=("float16",)), 1.3, 1.8),
    ("matrix product, int64", calls("mm", sizes=LARGE[1:], dtypes=("int64",)), 3, 3),
    ("matrix product, up to 173 rows", calls("mm", "matmul", sizes=(16, 1000, 30_000)), 1.0, 1.3),
    ("bmm, blocks of 4 to 16", calls("bmm", sizes=(16, 1000, *LARGE)), 3, 10),
    ("gradient of one operation (1 and 16 elements)", backward(True), 5, 10),
    ("gradients of more", backward(False), 1.0, 1.5),
    ("every call", lambda line: True, 0.95, 1.0),
]
WITH_NAMES = ("small operation with names (beside PyTorch 1.13)", small, 12, 25)


WIDTH = {"float64": 8, "int64": 8, "complex64": 8, "complex128": 16, "bfloat16": 2, "float16": 2}
WIDTH |= {"int16": 2, "int8": 1, "uint8": 1, "bool": 1}
NO_CACHE = 30_000_000  # elements that no cache holds
LAST_CACHE = 4_000_000  # bytes that those of single processors do not hold


class Limits:
    """What no program on this machine does better: a call from Python takes as long as the
    shortest one that was measured; of what caches do not hold each element comes from memory once,
    or goes there; and what only the last cache holds comes from there."""

    def __init__(self, found, named, triad):
        self.call = min(line["nomen_us"] for line in found + named if line["nomen_us"])
        far = (triad[key] for key in triad if key not in ("near", "elements"))
        self.bytes_a_us, self.near_bytes_a_us = max(far) * 1e3, triad.get("near", 0) * 1e3

    def us(self, line):
        moved = line["n"] * WIDTH.get(line["dtype"], 4)
        if line["n"] >= NO_CACHE:
            return max(self.call, moved / self.bytes_a_us)
        if moved >= LAST_CACHE and self.near_bytes_a_us:
            return max(self.call, moved / self.near_bytes_a_us)
        return self.call

    def forbid(self, line, least):
        return line["peer_us"] / self.us(line) < least


def goal_lines(found, named, limits):
    """(family, at least, aim, its lines by ratio, how many reach the least, the aim, those that do
    not reach the least, how many of these cannot)"""
    goals = [(found, *goal) for goal in GOALS]
    goals.insert(1, (named, *WITH_NAMES))
    for lines, family, is_one, least, aim in goals:
        here = sorted(
            (line for line in lines if line["ratio"] and is_one(line)), key=lambda x: x["ratio"]
        )
        if here:
            reached = [sum(line["ratio"] >= goal for line in here) for goal in (least, aim)]
            short = [line for line in here if line["ratio"] < least]
            cannot = sum(limits.forbid(line, least) for line in short)
            yield family, least, aim, here, *reached, short, cannot
