"""Says whether what nomen did is what an oracle did, and if not, whether that is meant so."""

import math
import re

import differ_hints as hints
import differ_ties as ties
import numpy
from differ_data import COMPLEX, HALVES, REALS, STORED, from_bfloat16, to_bfloat16, widen

ULP_TYPES = {"float16": "i2", "bfloat16": "i2", "float32": "i4", "float64": "i8"}
EPS = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52}
UNSUPPORTED = re.compile(
    "not yet supported with named tensors|You passed a dimname|Named doesn't correspond|"
    "not yet implemented|NYI"
)
NO_KERNEL = re.compile(
    "not implemented for|not supported|[Uu]nsupported dtype|only support|expected.*dtype|"
    "Expected.*dtype|must be.*(dtype|float|bool|integ)|Could not infer|does not support|"
    "Expected both inputs to be|"
    "not implemented|can't convert|Expected floating point type for result|"
    "Could not run|isn't implemented|should be.*float"
)


def ordered(raw, dtype):
    """Floating numbers as integers in the same order; neighbours are 1 apart, -0 is 0."""
    bits = numpy.frombuffer(raw, ULP_TYPES[dtype]).astype("i8")
    low = {2: -(2**15), 4: -(2**31), 8: -(2**63)}[numpy.dtype(ULP_TYPES[dtype]).itemsize]
    with numpy.errstate(over="ignore"):
        return numpy.where(bits < 0, low - bits, bits)


def distances(a, b, dtype):
    """How many numbers lie between, element by element; NaN is NaN, and far from all else."""
    x, y = widen(dtype, a), widen(dtype, b)
    i, j = ordered(a, dtype).astype("f8"), ordered(b, dtype).astype("f8")
    far = numpy.abs(i - j)
    if dtype == "float64":  # near ones exactly
        with numpy.errstate(over="ignore"):
            near = numpy.abs(ordered(a, dtype) - ordered(b, dtype)).astype("f8")
        far = numpy.where(far < 2.0**52, near, far)
    far = numpy.where(numpy.isnan(x) != numpy.isnan(y), numpy.inf, far)
    return numpy.where(numpy.isnan(x) & numpy.isnan(y), 0, far)


def bound(case, dtype):
    """(ULP, part of the largest element that an error may be)."""
    row = case["row"]
    if case.get("mode") == "grad":
        return (64 if dtype != "float64" else 256, 32.0)
    kind = 1 if dtype in ("float64", "complex128") else 0
    complexes = any(t["dtype"] in COMPLEX for t in case["tensors"])
    if row in ("add", "sub", "rsub") and "alpha" in case["kw"]:
        return (1, 2.0)  # one rounding or two
    # sums are kept in float32 here
    rounds = (row == "scatter_add" or "reduce" in case["kw"]) and dtype in HALVES
    if row in hints.EXACT and dtype not in COMPLEX and not (row == "abs" and complexes or rounds):
        return (0, 0.0)
    ulp = hints.ULP.get(row, hints.LOOSE)[kind]
    if dtype in HALVES:
        ulp = 1
    return (ulp, 64.0 if row in hints.CANCEL or rounds else 0.0)


def operands(case):
    """The tensors of a call but for those of out=."""
    out = case["kw"].get("out")
    outs = set()
    if isinstance(out, dict):
        outs = {x.get("t") for x in out.get("tuple", [out]) if isinstance(x, dict)}
    return [t for k, t in enumerate(case["tensors"]) if k not in outs]


def coarser(case, dtype):
    """How many of the result's ULP one of the dtype is that was computed in: out= may be wider."""
    out, asked = case["kw"].get("out"), case["kw"].get("dtype")
    part = COMPLEX.get(dtype, dtype)
    if not isinstance(out, dict) and not isinstance(asked, dict) or part not in REALS:
        return 1
    own = [t["dtype"] for t in operands(case)]
    if isinstance(asked, dict) and "dtype" in asked:
        own = [asked["dtype"]]
    own = [COMPLEX.get(d, d) for d in own]
    grain = min((EPS[d] for d in own if d in REALS), default=EPS["float32"])
    return max(1, grain / EPS[part])


def bits_differ(a, b, dtype, shape):
    """Exactly equal but for the payload of NaN; says where not."""
    if a == b:
        return None
    x, y = widen(dtype, a), widen(dtype, b)
    if dtype in COMPLEX:
        part = COMPLEX[dtype]
        x, y = x.view(STORED[part]), y.view(STORED[part])
        dtype = part
    if dtype in REALS:
        i, j = numpy.frombuffer(a, ULP_TYPES[dtype]), numpy.frombuffer(b, ULP_TYPES[dtype])
        wrong = (i != j) & ~(numpy.isnan(x) & numpy.isnan(y))
    else:
        wrong = x != y
    if not wrong.any():
        return None
    at = int(numpy.argmax(wrong))
    return f"element {at}: {x[at]!r}, not {y[at]!r}"


def size_of(dtype, raw):
    x = widen(dtype, raw)
    x = numpy.abs(x[numpy.isfinite(x)].astype("c16" if dtype in COMPLEX else "f8"))
    return float(x.max()) if x.size else 0.0


def reals_differ(a, b, dtype, ulp, part, scale):
    far = distances(a, b, dtype)
    wrong = far > ulp
    if not wrong.any():
        return None
    with numpy.errstate(invalid="ignore"):  # NaN with a payload
        x, y = widen(dtype, a).astype("f8"), widen(dtype, b).astype("f8")
    if part:
        with numpy.errstate(invalid="ignore", over="ignore"):
            wrong &= ~(numpy.abs(x - y) <= part * EPS[dtype] * scale)
        if not wrong.any():
            return None
    at = int(numpy.argmax(wrong))
    return f"element {at}: {float(x[at])!r}, not {float(y[at])!r}, {far[at]:.0f} ULP apart"


def complexes_differ(a, b, dtype, ulp, part, scale):
    """By the distance in the plane. Where the oracle is not finite, only that is asked for:
    its own loops disagree with each other about which part is infinite and which NaN."""
    with numpy.errstate(all="ignore"):
        x, y = widen(dtype, a).astype("c16"), widen(dtype, b).astype("c16")
        apart = numpy.abs(x - y)
        # two roundings per part
        limit = (4 * max(ulp, 2) * numpy.abs(y) + part * scale) * EPS[COMPLEX[dtype]]
        smallest = {"complex64": 2.0**-146, "complex128": 5e-323}[dtype]
        wrong = ~(apart <= numpy.maximum(limit, smallest))
    wrong &= ~(~numpy.isfinite(x) & ~numpy.isfinite(y))
    wrong &= x != y
    if not wrong.any():
        return None
    at = int(numpy.argmax(wrong))
    return f"element {at}: {x[at]!r}, not {y[at]!r}"


def scale_of(case, data, *results):
    """The size of what was computed with: the largest number among operands and results, and for
    products of two, their product."""
    sizes = [size_of(t["dtype"], raw) for t, raw in zip(case["tensors"], data)]
    largest = max(sizes, default=0.0)
    squared = hints.ADDED | {"var", "var_mean", "addr"}
    if case["row"] in hints.PRODUCTS or case["row"] in squared:
        largest = max(largest, largest * largest)
    own = [size_of(r[1], r[4]) for r in results]
    return max([largest, *own])


LARGEST = {"float16": 65504.0, "bfloat16": 3.38e38, "float32": 3.4e38, "float64": 1.79e308}


def without_overflow(case, dtype, scale, raw, other):
    """Sums of products that may be too large on the way end as infinite or as NaN, by their order:
    8.7. These elements are made alike. So are those of sums and products but of float16, which has
    room enough on the way."""
    part = COMPLEX.get(dtype, dtype)
    folds = hints.PRODUCTS | hints.ADDED | (hints.FOLDS if part != "float16" else set())
    folds = folds | hints.PLACES | ({"add", "sub", "rsub"} if "alpha" in case["kw"] else set())
    if case["row"] not in folds or part not in LARGEST:
        return raw, other
    # and whether nothing times infinite is looked at, which depends on the row and the dtype
    grows = case["row"] in ("prod", "cumprod")  # beyond its largest factor
    factors = [case["kw"].get(k) for k in ("alpha", "beta")]
    endless = any(isinstance(v, float) and not numpy.isfinite(v) for v in factors)
    if 1e3 * scale < LARGEST[part] and factors[0] != 0 and not endless and not grows:
        return raw, other
    x, y = (numpy.frombuffer(r, STORED[part]).copy() for r in (raw, other))
    a, b = widen(part, raw), widen(part, other)
    wild = ~numpy.isfinite(a) | ~numpy.isfinite(b)
    x[wild] = y[wild] = 0
    return x.tobytes(), y.tobytes()


def elements_kept(case):
    """How many elements resize_ leaves as they were, at least; the others are anything."""
    spec = case["tensors"][0]
    return min(1, math.prod(spec["shape"])) if spec["steps"] else math.prod(spec["shape"])


def tensors_differ(case, data, mine, theirs, names):
    _, dtype, shape, own_names, raw = mine
    _, dtype2, shape2, names2, raw2 = theirs
    if dtype != dtype2:
        return f"dtype {dtype}, not {dtype2}"
    if shape != shape2:
        return f"sizes {list(shape)}, not {list(shape2)}"
    if names and own_names != names2:
        return f"names {own_names}, not {names2}"
    if case["row"] in hints.UNDEFINED:
        return None
    if case["row"] in hints.RESIZING:
        kept = elements_kept(case) * numpy.dtype(STORED[dtype]).itemsize
        raw, raw2 = raw[:kept], raw2[:kept]
    ulp, part = bound(case, dtype)
    ulp *= coarser(case, dtype)
    if raw == raw2:
        return None
    if ulp == 0 or dtype not in REALS and dtype not in COMPLEX:
        return bits_differ(raw, raw2, dtype, shape)
    scale = scale_of(case, data, mine, theirs) if part else 0.0
    raw, raw2 = without_overflow(case, dtype, scale, raw, raw2)
    compare = complexes_differ if dtype in COMPLEX else reals_differ
    return compare(raw, raw2, dtype, ulp, part, scale)


# What PyTorch's messages call the dtypes.
SCALAR_TYPES = {
    "Bool": "bool",
    "Byte": "uint8",
    "Char": "int8",
    "Short": "int16",
    "Int": "int32",
    "Long": "int64",
    "Half": "float16",
    "BFloat16": "bfloat16",
    "Float": "float32",
    "Double": "float64",
    "ComplexFloat": "complex64",
    "ComplexDouble": "complex128",
}


def first_words(text):
    """The first words, which programs match on, without what is quoted, counted or listed."""
    text = text.removeprefix("torch.")
    text = re.sub(r"\b[A-Z][A-Za-z]+(16)?\b", lambda m: SCALAR_TYPES.get(m[0], m[0]), text)
    text = re.sub(r"'[^']*'|\"[^\"]*\"|\[[^\]]*\]", "..", text.splitlines()[0] if text else "")
    return re.sub(r"-?\d+", "#", text).replace(":", " ").split()[:3]


def errors_differ(mine, theirs):
    _, kind, text = mine
    _, kind2, text2 = theirs
    if kind != kind2:
        alike = {kind, kind2} == {"RuntimeError", "NotImplementedError"}
        if not alike:
            return f"{kind}: {text!r}, not {kind2}: {text2.splitlines()[0] if text2 else ''!r}"
    if kind == "TypeError":
        return None  # the words depend on how many overloads there are
    words = first_words(text2)
    if first_words(text)[: len(words)] != words:
        return f"{kind} {text!r}, not {text2.splitlines()[0] if text2 else ''!r}"
    return None


def differ(case, data, mine, theirs, names):
    """What is different, or None."""
    found = all_differ(case, data, mine, theirs, names)
    if found and case["row"] in ties.ROWS and ties.alike(case, data, mine, theirs, names):
        return None
    return found


def all_differ(case, data, mine, theirs, names):
    if mine[0] == "error" or theirs[0] == "error":
        if mine[0] != theirs[0]:
            said = mine if mine[0] == "error" else theirs
            who = "an error only here" if mine[0] == "error" else "no error, but the oracle says"
            return f"{who}: {said[1]}: {said[2].splitlines()[0] if said[2] else ''}"
        return errors_differ(mine, theirs)
    if mine[0] != theirs[0]:
        return f"a {mine[0]}, not a {theirs[0]}"
    if mine[0] == "tensor":
        return tensors_differ(case, data, mine, theirs, names)
    if mine[0] == "list":
        if len(mine[1]) != len(theirs[1]):
            return f"{len(mine[1])} results, not {len(theirs[1])}"
        for k, (a, b) in enumerate(zip(mine[1], theirs[1])):
            said = differ(case, data, a, b, names)
            if said:
                return f"result {k}: {said}"
        return None
    if mine[1:] != theirs[1:] and mine[2] == mine[2]:
        return f"{mine[2]!r}, not {theirs[2]!r}"
    return None


def strip(told):
    """A result without names."""
    if told[0] == "tensor":
        return (*told[:3], (None,) * len(told[2]), told[4])
    return ("list", [strip(x) for x in told[1]]) if told[0] == "list" else told


def uses_names(case):
    """Does this call say or carry a name?"""
    if any(t["names"] for t in case["tensors"]) or "names" in case["kw"]:
        return True
    return (
        case["row"] in NAMES_ONLY
        or any(map(has_text, case["args"]))
        or any(has_text(v) for k, v in case["kw"].items() if k not in ("rounding_mode", "reduce"))
    )


def has_text(value):
    if isinstance(value, dict):
        return any(has_text(v) for k, v in value.items() if k not in ("dtype", "lib"))
    if isinstance(value, list):
        return any(map(has_text, value))
    return isinstance(value, str)


NAMES_ONLY = {"rename", "refine_names", "align_to", "align_as"}
DIM_ARGUMENTS = {"dim", "dims", "dim0", "dim1", "axis"}


def without_names(case):
    """The same call for an oracle that has no names, or None if there is none."""
    if case["row"] in NAMES_ONLY:
        return None
    names = case["tensors"][0]["names"] if case["tensors"] else None

    def place(value):
        if isinstance(value, str):
            if not names or value not in names:
                raise LookupError
            return names.index(value)
        if isinstance(value, list):
            return [place(v) for v in value]
        if isinstance(value, dict) and "tuple" in value:
            return {"tuple": place(value["tuple"])}
        return value

    made = dict(case)
    made["tensors"] = [dict(t, names=None) for t in case["tensors"]]
    made["kw"] = {k: v for k, v in case["kw"].items() if k not in ("names", "name", "out_dim")}
    try:
        args = list(case["args"])
        if case["row"] == "flatten":
            if len(args) == 3 and isinstance(args[1], (list, dict)):
                dims = place(args[1])
                if not isinstance(dims, list) or not dims:
                    return None
                args = [args[0], dims[0], dims[-1]]
            elif len(args) == 4:
                args = args[:3]
        if case["row"] == "unflatten" and len(args) == 3 and isinstance(args[2], list):
            args[2] = {"tuple": [pair["tuple"][1] for pair in args[2]]}
        made["args"] = [args[0], *map(place, args[1:])] if args else []
        made["kw"] = {k: place(v) if k in DIM_ARGUMENTS else v for k, v in made["kw"].items()}
    except (LookupError, KeyError, TypeError, AttributeError, IndexError):
        return None
    return made


def names_refused(theirs):
    """Did the oracle only say that it has no names here?"""
    if theirs[0] != "error":
        return False
    return bool(UNSUPPORTED.search(theirs[2])) or theirs[1] == "TypeError"


def names_differ(mine, theirs):
    """Are the names of results different, or the number of results?"""
    if mine[0] != theirs[0]:
        return True
    if mine[0] == "tensor":
        return mine[3] != theirs[3]
    if mine[0] == "list":
        return len(mine[1]) != len(theirs[1]) or any(map(names_differ, mine[1], theirs[1]))
    return False
