"""Equal elements in sort, topk, median and the like: which of them is given is an accident.

What is asked then: the values are the oracle's, each position holds the value given with it, and no
position comes twice where several come. The gradient goes to the position given, so only its sum
along the dim is compared.
"""

import numpy
from differ_data import widen

ROWS = {"sort", "argsort", "msort", "topk", "kthvalue", "median", "nanmedian", "mode"}


def operand(spec, raw):
    """The operand as an array of its elements."""
    x = widen(spec["dtype"], raw).reshape(spec["shape"])
    for step in spec["steps"]:
        if step[0] == "permute":
            x = x.transpose(step[1])
        elif step[0] == "expand":
            x = numpy.broadcast_to(x, step[1])
        else:
            x = x[(slice(None),) * step[1] + (slice(*step[2:]),)]
    return x


def dim_of(case, rank):
    at = 2 if case["row"] in ("topk", "kthvalue") else 1
    args = case["args"]
    dim = args[at] if len(args) > at else case["kw"].get("dim", -1)
    if isinstance(dim, str):
        dim = case["tensors"][0]["names"].index(dim)
    return dim % rank if isinstance(dim, int) and not isinstance(dim, bool) else rank - 1


def array(told):
    return widen(told[1], told[4]).reshape(told[2])


def equal(a, b):
    """-0 is 0 here, and NaN is NaN."""
    with numpy.errstate(invalid="ignore"):
        return (a == b) | ((a != a) & (b != b))


def holds(case, x, dim, values, places):
    """Do these positions along the dim hold these values?"""
    if places.size and not (0 <= places.min() and places.max() < x.shape[dim]):
        return False
    if case["row"] in ("sort", "topk", "argsort") and places.size:
        ordered = numpy.sort(places, dim)
        if (numpy.diff(ordered, axis=dim) == 0).any():
            return False
    taken = numpy.take_along_axis(x, places, dim)
    return values is None or bool(equal(taken, values).all())


def alike(case, data, mine, theirs, names):
    """Are two results different in no more than in which of equal elements they give?"""
    if case["kw"].get("stable"):
        return False
    if case.get("mode") == "grad":
        if "list" != mine[0] or "list" != theirs[0] or len(mine[1]) != 2:
            return False
        return alike(dict(case, mode=""), data, mine[1][0], theirs[1][0], names) and same_sums(
            case, mine[1][1], theirs[1][1]
        )
    if mine[0] == "tensor" == theirs[0]:
        told = [[mine], [theirs]]
    elif mine[0] == "list" == theirs[0] and len(mine[1]) == len(theirs[1]) == 2:
        told = [mine[1], theirs[1]]
    else:
        return False
    for a, b in zip(*told):
        if a[0] != "tensor" or b[0] != "tensor" or a[1:3] != b[1:3] or names and a[3] != b[3]:
            return False
    x = operand(case["tensors"][0], data[0])
    x = x.reshape(1) if x.ndim == 0 else x
    dim = dim_of(case, x.ndim)
    parts = [[in_rank(array(t), x, dim) for t in side] for side in told]
    if any(p is None for side in parts for p in side):  # a value of everything
        return len(told[0]) == 1 and bool(equal(array(mine), array(theirs)).all())
    if case["row"] == "msort":
        return bool(equal(parts[0][0], parts[1][0]).all())
    if case["row"] == "argsort":
        if not all(holds(case, x, dim, None, side[0]) for side in parts):
            return False
        a, b = (numpy.take_along_axis(x, side[0], dim) for side in parts)
        return bool(equal(a, b).all())
    if len(parts[0]) != 2:
        return False
    return values_alike(case, x, dim, *parts)


def values_alike(case, x, dim, own, other):
    """Of (values, positions): the values are equal, and ours are where we say."""
    given, wanted = own[0], other[0]
    if case["row"] == "topk":  # unsorted ones come in any order
        given, wanted = numpy.sort(given, dim), numpy.sort(wanted, dim)
    good = equal(given, wanted)
    if case["row"] == "mode" and x.dtype.kind == "f":
        # A row with NaN is not put in order by PyTorch, so equal elements are not counted there.
        good |= numpy.isnan(x).any(axis=dim, keepdims=True)
    return bool(good.all()) and holds(case, x, dim, own[0], own[1])


def in_rank(result, x, dim):
    """The result with as many dims as the operand."""
    if result.ndim == x.ndim:
        return result
    if result.ndim == x.ndim - 1 and result.shape == x.shape[:dim] + x.shape[dim + 1 :]:
        return numpy.expand_dims(result, dim)
    return None


def same_sums(case, mine, theirs):
    if not mine[1] or not theirs[1]:  # no gradient at all
        return mine[1] == theirs[1]
    a, b = mine[1][0], theirs[1][0]
    if a[0] != "tensor" or a[1:3] != b[1:3]:
        return a == b
    x, y = array(a).astype("f8"), array(b).astype("f8")
    if x.ndim and x.size:
        dim = dim_of(case, x.ndim)
        x, y = x.sum(dim), y.sum(dim)
    return bool(numpy.allclose(x, y, 0.02 if a[1] in ("float16", "bfloat16") else 1e-5, 1e-3))


__all__ = ["ROWS", "alike"]
