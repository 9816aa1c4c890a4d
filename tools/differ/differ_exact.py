"""Which of two different results is nearer to the exact one.

Two libraries may round differently, and which is better is no matter of taste: the same call in
float64 says it for the narrower dtypes.
"""

import differ_hints as hints
import differ_judge as judge
import numpy
from differ_data import COMPLEX, INTS, REALS, STORED, widen

WIDER = {
    "float16": "float64",
    "bfloat16": "float64",
    "float32": "float64",
    "complex64": "complex128",
}


def wider(case, data):
    """The same call in float64, without names, and its operands; None if nothing gets wider."""
    made = judge.without_names(case)
    if made is None:
        return None
    parts = {COMPLEX.get(t["dtype"], t["dtype"]) for t in judge.operands(case)}
    floating = [d for d in REALS if d in parts]
    common = floating[0] if len(floating) == 1 else None  # what integers become first
    table = WIDER if floating else {**WIDER, **dict.fromkeys(INTS, "float64")}
    bits = list(data)
    for k, spec in enumerate(made["tensors"]):
        into = table.get(spec["dtype"])
        if into:
            with numpy.errstate(invalid="ignore"):  # NaN with a payload
                bits[k] = widen(spec["dtype"], data[k]).astype(STORED[into]).tobytes()
            made["tensors"][k] = dict(spec, dtype=into)
        elif spec["dtype"] in INTS and common in WIDER:
            bits[k] = rounded(widen(spec["dtype"], data[k]).astype("f8"), common).tobytes()
            made["tensors"][k] = dict(spec, dtype="float64")
    for key, value in made["kw"].items():
        if isinstance(value, dict) and value.get("dtype") in WIDER:
            made["kw"][key] = {"dtype": WIDER[value["dtype"]]}
    same = made["kw"] == case["kw"] and all(
        a["dtype"] == b["dtype"] for a, b in zip(made["tensors"], case["tensors"])
    )
    return None if same else (made, bits)


def numbers(told):
    """The numbers of a result as float64, complex ones in pairs."""
    x = widen(told[1], told[4])
    return (x.view(STORED[COMPLEX[told[1]]]) if told[1] in COMPLEX else x).astype("f8")


def rounded(x, dtype):
    """What an exact result is in this dtype, overflow and signs of zero included."""
    if dtype != "bfloat16":
        return x.astype(STORED[dtype]).astype("f8")
    return judge.from_bfloat16(judge.to_bfloat16(x)).astype("f8")


def close(case, data, mine, theirs):
    """Element by element: is this difference one that is allowed anyway?"""
    ulp, part = judge.bound(case, mine[1])
    eps = judge.EPS[COMPLEX.get(mine[1], mine[1])] * judge.coarser(case, mine[1])
    x, y = (widen(mine[1], told[4]) for told in (mine, theirs))
    if mine[1] not in COMPLEX:
        x, y = x.astype("f8"), y.astype("f8")
    allowed = max(ulp, 1) * numpy.abs(y)
    if part:
        allowed = allowed + part * judge.scale_of(case, data, mine, theirs)
    found = numpy.abs(x - y) <= allowed * eps
    return numpy.repeat(found, 2) if mine[1] in COMPLEX else found


def tensor_nearer(case, data, mine, theirs, exact):
    dtype = COMPLEX.get(mine[1], mine[1])
    if mine[1:3] != theirs[1:3] or mine[2] != exact[2]:
        return False
    if mine[4] == theirs[4]:
        return True
    if dtype not in REALS or (mine[1] in COMPLEX) != (exact[1] in COMPLEX):
        return False
    x, y, t = map(numbers, (mine, theirs, exact))
    with numpy.errstate(all="ignore"):
        right = rounded(t, dtype)
        near = numpy.abs(x - t) <= numpy.abs(y - t)
        near |= (x == right) | (numpy.isnan(x) & numpy.isnan(t))
        near |= close(case, data, mine, theirs)
        near |= (x == y) | (numpy.isnan(x) & numpy.isnan(y)) | pardoned(case, mine, x, y)
    return bool(near.all())


def pardoned(case, mine, x, y):
    """Elements that are meant to differ: docs/differences.md 7.4, 7.18, and of complex numbers that
    are not finite, what they are instead."""
    found = numpy.zeros(x.shape, bool)
    if case["row"] == "polygamma":
        found |= ~numpy.isfinite(x)
    if mine[1] in COMPLEX:
        a, b = (numpy.isfinite(v).reshape(-1, 2).all(1) for v in (x, y))
        found |= numpy.repeat(~a & ~b, 2)
        if case["row"] == "pow":
            found |= numpy.repeat(a & ~b, 2)
    return found


def magnitudes(case, data):
    """The same call with the magnitudes of its numbers, where terms are added up in float64."""
    wide = [t["dtype"] in ("float64", "complex128") for t in case["tensors"]]
    if case["row"] not in hints.ADDED_UP or case.get("mode") == "grad" or not all(wide):
        return None
    return case, [
        numpy.abs(widen(t["dtype"], raw)).astype(STORED[t["dtype"]]).tobytes()
        for t, raw in zip(case["tensors"], data)
    ]


def within_magnitudes(mine, theirs, sums):
    """Do two sums in float64 differ by no more than one rounding of the sum of magnitudes?

    Terms that cancel leave the roundings of the sums on the way, in an order that is nobody's.
    """
    if not mine[0] == theirs[0] == sums[0] == "tensor" or not mine[1:3] == theirs[1:3] == sums[1:3]:
        return False
    if mine[1] not in ("float64", "complex128"):
        return False
    x, y, limit = (widen(told[1], told[4]) for told in (mine, theirs, sums))
    with numpy.errstate(all="ignore"):
        alike = (
            (x == y)
            | ((x != x) & (y != y))
            | (numpy.abs(x - y) <= judge.EPS["float64"] * numpy.abs(limit))
        )
    return bool(alike.all())


def nearer(case, data, mine, theirs, exact):
    """Is no number of mine farther from the exact one than theirs is?"""
    if not mine[0] == theirs[0] == exact[0]:
        return False
    if mine[0] == "tensor":
        return tensor_nearer(case, data, mine, theirs, exact)
    if mine[0] == "list":
        return len(mine[1]) == len(theirs[1]) == len(exact[1]) and all(
            nearer(case, data, *three) for three in zip(mine[1], theirs[1], exact[1])
        )
    return mine[1:] == theirs[1:] or mine[2] != mine[2]
