"""The calls that are measured: every row of the table, as plain data that each library can run.

Which arguments suit a row is what tests/python/row_calls.py says; here they only grow. A tensor is
a dict: "shape", "dtype", "fill" (what it holds) and "layout"; an argument that is no tensor is
itself. Names stand beside them, for the peer that has names.
"""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "python"))

from row_calls import OWN, ROWS, USUAL, Values  # noqa: E402

SIZES = (1, 16, 1_000, 30_000, 1_000_000, 30_000_000)
GRIDS = {  # rows and columns
    1: (1, 1),
    16: (4, 4),
    1_000: (25, 40),
    30_000: (150, 200),
    1_000_000: (1000, 1000),
    30_000_000: (30_000, 1000),
}
CUBES = {
    1: (1, 1, 1),
    16: (2, 4, 2),
    1_000: (10, 10, 10),
    30_000: (30, 40, 25),
    1_000_000: (100, 100, 100),
    30_000_000: (300, 400, 250),
}
OTHER_DTYPES = ("float64", "bfloat16", "float16", "int64", "bool")
# At this size every row is measured in each of its dtypes, at others the leaders in those above.
ALL_DTYPES_AT = 30_000
NATURAL = ("float32", "int64", "bool")  # the first that a row takes
SHORT = {"U8": "uint8", "BOOL": "bool", "C64": "complex64", "C128": "complex128"}
SHORT |= {"I8": "int8", "I16": "int16", "I32": "int32", "I64": "int64"}
SHORT |= {"F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64"}

# Rows that Python does not show, or whose time says nothing.
LEFT_OUT = {"cast", "slice", "index", "nonzero_tuple", "put_dims", "take_dims", "to_device"}
LEFT_OUT |= {"distances"}

# What these do is about names alone.
NAMES_ONLY = {"align_as", "align_tensors", "align_to", "refine_names", "rename"}
# What the peer puts off until somebody reads the result, and its function that does not.
PUT_OFF = {"conj": "conj_physical"}
# The peer's function of that name takes its arguments in another order.
AS_METHODS = {"polygamma"}

# What backward is measured in: float32 wherever a row takes it.
DIFFERENTIABLE = {"float32"}

# Families are measured in the other dtypes by these.
LEADERS = {
    "abs", "add", "mul", "div", "exp", "log", "tanh", "pow", "eq", "where", "clone", "maximum",
    "sum", "mean", "var", "max", "amax", "argmax", "any", "prod", "cumsum", "cummax", "softmax",
    "sort", "median", "topk", "mm", "mv", "bmm", "dot", "gather", "index_select", "masked_fill",
    "masked_select", "index_add", "cat", "uniform", "normal_", "random", "bernoulli", "flip",
    "tril", "roll", "copy", "fill", "lgamma", "atan2", "remainder", "logical_and",
}  # fmt: skip

# Where a function is defined, or is not slow for want of a meaning (products stay near 1).
FILLS = {
    "acosh": "above_one",
    "cumprod": "near_one",
    "prod": "near_one",
    "mode": "small",
    "bitwise_left_shift": "few",
    "bitwise_right_shift": "few",
}
LAYOUTS = ("contiguous", "transposed", "broadcast", "strided")  # strided: every second column
LAID_OUT = {"elementwise", "reduction", "scan", "rows", "order", "indexing"}


def index(count, limit):
    return {"shape": list(count), "dtype": "int64", "fill": f"below {limit}"}


def grown(n):
    """Arguments of rows for which a larger grid is not all that has to change; None: left out."""
    rows, columns = GRIDS[n]
    side, batch = max(1, math.isqrt(n)), max(1, n // 256)
    block = min(16, side)
    half = max(1, columns // 2)
    pile = f"B={batch} M={block} K={block}"
    square = f"N={side} C={side}"
    whole = f"N={rows} C={columns}"
    one_row = [index([columns], columns)]
    return {
        "addmm": dict(self=square, mat1=square, mat2=f"C={side} O={side}"),
        "align_as": dict(other="T=1 C=1 N=1"),
        "arange": dict(end=n),
        "baddbmm": dict(self=pile, batch1=pile, batch2=pile),
        "bernoulli": dict(self=whole),
        "bmm": dict(self=pile, mat2=pile),
        "cdist": dict(x1=f"N={side} C=16", x2=f"M={side} C=16"),
        "chunk": dict(chunks=2, dim="C"),
        "diag_embed": dict(self=f"N={side}"),
        "dot": dict(self=f"N={n}", tensor=f"N={n}"),
        "dsplit": dict(self=f"N={rows} C={half} T=2", sections=2),
        "expand": dict(size=[4, rows, columns]),
        "eye": dict(n=side),
        "fill": dict(value=2),
        "flatten": dict(dims=None, out_dim=None),
        "gather": dict(index=index([rows, columns], columns)),
        "geometric": dict(p=0.5),
        "hsplit": dict(self=f"N={rows} C={2 * half}", sections=2),
        "index_add": dict(index=one_row[0]),
        "index_copy": dict(index={**one_row[0], "fill": f"order of {columns}"}),
        "index_fill": dict(index=one_row[0], value=2),
        "index_put": dict(indices=[index([rows], rows)], values=whole),
        "index_select": dict(index=one_row[0]),
        "kthvalue": dict(k=max(1, columns // 2)),
        "linspace": dict(start=0, end=1, steps=n),
        "masked_fill": dict(mask=mask(rows, columns), value=2),
        "masked_scatter": dict(mask=mask(rows, columns), source=whole),
        "matmul": dict(self=square, other=f"C={side} O={side}"),
        "mm": dict(self=square, mat2=f"C={side} O={side}"),
        "multinomial": dict(num_samples=max(1, columns // 4)),
        "narrow": dict(start=0, length=half),
        "narrow_copy": dict(start=0, length=half),
        "normal": dict(mean=whole, std=whole),
        "put": dict(index=index([n], n), source=f"F={n}"),
        "randperm": dict(n=n),
        "repeat_interleave": dict(repeats=2, dim="C"),
        "reshape": dict(shape=[n]),
        "resize": dict(self=f"{rows} {columns}", size=[columns, rows]),
        "resize_as": dict(self=f"{rows} {columns}", other=f"{columns} {rows}"),
        "scatter": dict(index=index([rows, columns], columns), src=whole),
        "scatter_add": dict(index=index([rows, columns], columns), src=whole),
        "select": dict(index=0),
        "split": dict(split_size=half, dim="C"),
        "take": dict(index=index([n], n)),
        "take_along_dim": dict(indices=index([rows, columns], columns), dim="C"),
        "tensor_split": dict(sections=2, dim="C"),
        "topk": dict(k=max(1, columns // 10)),
        "unflatten": dict(self=f"N={rows} C={2 * half}", sizes=[half, 2], names=None),
        "view": dict(self=f"{rows} {columns}", size=[columns, rows]),
        "view_as_complex": dict(self=f"N={max(1, n // 2)} C=2"),
        "vsplit": dict(self=f"N={2 * max(1, rows // 2)} C={columns}", sections=2),
    }


def mask(rows, columns):
    return {"shape": [rows, columns], "dtype": "bool", "fill": "mask", "names": ["N", "C"]}


class Row:
    """One row of the table at one size, in one dtype."""

    def __init__(self, name, n, dtype, layout="contiguous"):
        self.row, self.n, self.dtype, self.layout = ROWS[name], n, dtype, layout
        self.given = {**OWN.get(name, {}), **grown(n).get(name, {})}
        self.fill = FILLS.get(name, "unit")
        self.names = None  # of the first tensor: dims are looked up in them

    def tensor(self, text):
        rows, columns = GRIDS[self.n]
        large = {"N=2": rows, "C=3": columns, "C=4": columns, "2": rows, "3": columns}
        shape, names = [], []
        for part in text.split():
            name, _, size = part.partition("=")
            known = large.get(part) if part in large else None
            shape.append(known if known is not None else int(size or name))
            names.append(name if size else None)
        spec = {"shape": shape, "dtype": self.dtype, "fill": self.fill}
        spec["names"] = names if any(names) else None
        if self.names is None:
            self.names = spec["names"] or []
        return spec

    def value(self, value, kind):
        rows, columns = GRIDS[self.n]
        if isinstance(value, dict):
            return value
        if isinstance(value, Values):
            if value.dtype == "bool":
                return mask(rows, columns)
            if value.dtype == "float32":
                return self.tensor("N=2 C=3")
            raise LookupError("positions that do not grow")
        if kind == "tensor" and isinstance(value, str):
            return self.tensor(value)
        if kind == "tensors":
            return [self.value(v, "tensor") for v in value]
        if kind == "sizes" and value == USUAL["sizes"]:
            return [rows, columns]
        return value

    def arguments(self):
        """{argument: value}, names of dims still in it."""
        found = {}
        for arg in self.row["args"]:
            key, kind = arg["name"], arg["kind"]
            if key in self.given and self.given[key] is None:
                continue
            if key in self.given:
                found[key] = self.value(self.given[key], kind)
            elif kind == "dtype" and (not arg["optional"] or self.row["family"] == "factory"):
                found[key] = {"dtype is": self.dtype}
            elif not arg["optional"] and kind != "flag":
                found[key] = self.value(USUAL[kind], kind)
        if self.layout != "contiguous":
            self.lay_out(found)
        return found

    def lay_out(self, found):
        grids = [t for t in found.values() if isinstance(t, dict) and len(t.get("shape", ())) == 2]
        grids = [t for t in grids if t["fill"] == self.fill]
        if not grids:
            raise LookupError("nothing to lay out")
        chosen = grids[-1:] if self.layout == "broadcast" else grids
        for t in chosen:
            t["layout"] = self.layout


def placed(value, names):
    """A dim by its place, for libraries without names."""
    if isinstance(value, list):
        return [placed(v, names) for v in value]
    return names.index(value) if value in names else value


def case(name, n, dtype, form="allocating", layout="contiguous", variant="", change=None):
    """One call, or LookupError where the row has none like it."""
    row = Row(name, n, dtype, layout)
    found = row.arguments()
    found.update(change or {})
    forms = row.row["forms"]
    style = "function" if "f" in forms else "method" if "m" in forms else "in place"
    style = "method" if name in AS_METHODS and form != "out=" else style
    args, keywords, gap = [], {}, False
    for arg in row.row["args"]:
        key, kind = arg["name"], arg["kind"]
        if key not in found:
            gap = True
            continue
        value = found[key]
        if kind in ("dim", "dims"):
            value = {"dims": value, "places": placed(value, row.names or [])}
        if gap or arg["keyword"] or kind == "dtype":
            keywords[key] = value
        elif arg.get("variadic") and isinstance(value, (list, tuple)):
            args += value if style != "function" else [value]
        else:
            args.append(value)
    return {
        "op": name,
        "family": row.row["family"],
        "style": style,
        "form": "in place" if style == "in place" else form,
        "variant": variant,
        "dtype": dtype,
        "n": n,
        "layout": layout,
        "args": args,
        "kw": keywords,
    }


def natural(name):
    known = [SHORT[d] for d in ROWS[name]["dtypes"]]
    if name in ("real", "imag", "view_as_real", "resolve_conj"):
        return "complex64"
    return next(d for d in (*NATURAL, *known) if d in known)


def others(name, n):
    """The other dtypes in which a row is measured."""
    if n != ALL_DTYPES_AT and name not in LEADERS:
        return []
    known = [SHORT[d] for d in ROWS[name]["dtypes"]]
    wanted = known if n == ALL_DTYPES_AT else OTHER_DTYPES
    return [dtype for dtype in wanted if dtype in known and dtype != natural(name)]


def backward(name, dtype):
    """The form that measures gradients, of rows that have some; what works in place keeps none."""
    row = ROWS[name]
    has = row["differentiable"] and dtype in DIFFERENTIABLE and set(row["forms"]) & {"f", "m"}
    return ("backward",) if has else ()


def reductions(name, n, dtype):
    """The same row over the first, the middle and the last dim."""
    arg = next((a for a in ROWS[name]["args"] if a["name"] == "dim"), None)
    if arg is None or ROWS[name]["family"] not in ("reduction", "scan", "rows", "order"):
        return
    rows, columns = GRIDS[n]
    cube = {"shape": list(CUBES[n]), "dtype": dtype, "fill": FILLS.get(name, "unit")}
    grid = {"shape": [rows, columns], "dtype": dtype, "fill": FILLS.get(name, "unit")}
    eights = {"shape": [max(1, n // 8), min(n, 8)], "dtype": dtype, "fill": grid["fill"]}
    longer = {"shape": [max(1, n // 24), 24], "dtype": dtype, "fill": grid["fill"]}
    line = {"shape": [n], "dtype": dtype, "fill": grid["fill"]}
    variants = [
        ("first", grid, 0),
        ("middle", cube, 1),
        ("last", grid, 1),
        ("rows of 8", eights, 1),
        ("one line", line, 0),
    ]
    if n > 16:  # between those that are short and those that fill vectors
        variants.insert(4, ("rows of 24", longer, 1))
    if name in LEADERS and ROWS[name]["family"] == "order":  # numbers of 64 bits, all different
        variants += [
            ("one line", {"shape": [n], "dtype": other, "fill": "wide"}, 0)
            for other in ("int64", "float64")
        ]
    if name == "topk" and n > 16:  # a few of many
        few = {"self": line, "k": min(100, n // 10)}
        yield case(name, n, dtype, variant="few of one line", change=few)
        for k in (1, 5):  # what a classifier asks for
            best = {"self": grid, "k": min(k, columns), "dim": 1}
            yield case(name, n, dtype, variant=f"{k} of rows", change=best)
    if n > 16:
        plain = 5 if ROWS[name]["family"] == "order" else 6
        variants += [
            (variant, {**self, "dtype": other}, dim)
            for variant, self, dim in variants[:plain]
            for other in others(name, n)
        ]
    for variant, self, dim in variants:
        change = {"self": dict(self), "dim": dim}
        if "k" in [a["name"] for a in ROWS[name]["args"]]:
            change["k"] = max(1, self["shape"][dim] // 4)
        for form in ("allocating", *backward(name, self["dtype"])):
            yield case(name, n, self["dtype"], form=form, variant=variant, change=change)


def short_rows(name, n, dtype):
    """Elements taken, put and moved within rows of 8."""
    rows = {"shape": [max(1, n // 8), 8], "dtype": dtype, "fill": FILLS.get(name, "unit")}
    whole, some = index(rows["shape"], 8), index([4], 8)
    given = {
        "flip": dict(dims=[1]),
        "roll": dict(shifts=[1], dims=[1]),
        "gather": dict(dim=1, index=whole),
        "scatter": dict(dim=1, index=whole, src=dict(rows)),
        "scatter_add": dict(dim=1, index=whole, src=dict(rows)),
        "index_select": dict(dim=1, index=some),
    }
    if name in given and n > 16:
        yield case(name, n, dtype, variant="rows of 8", change={"self": rows, **given[name]})


def conversions(name, n):
    """From one dtype to another."""
    if name != "to":
        return
    for dtype, target in (
        ("float32", "float64"),
        ("float32", "float16"),
        ("float32", "bfloat16"),
        ("float32", "int64"),
        ("float64", "float32"),
        ("float16", "float32"),
        ("int64", "float32"),
        ("uint8", "float32"),
        ("bool", "float32"),
    ):
        change = {"dtype": {"dtype is": target}}
        yield case(name, n, dtype, variant=f"to {target}", change=change)


def at_once(name, n):
    """What both libraries do when they are asked to, of rows that the peer puts off."""
    if name in PUT_OFF and n >= 1000:
        for dtype in ("complex64", "complex128"):
            made = case(name, n, dtype, variant=PUT_OFF[name])
            yield {**made, "function": PUT_OFF[name]}


def last_dim(row):
    """PyTorch's reductions take out= beside a dim only."""
    reduces = row["family"] in ("reduction", "order")
    return {"dim": 1} if reduces and "dim" in [a["name"] for a in row["args"]] else {}


def of_row(name, n, everything):
    """What is measured of a row at one size."""
    row, dtype = ROWS[name], natural(name)
    wanted = [dict(dtype=dtype)]
    if "o" in row["forms"] and "f" in row["forms"]:
        wanted.append(dict(dtype=dtype, form="out=", change=last_dim(row)))
    wanted += [dict(dtype=dtype, form=form) for form in backward(name, dtype)]
    if name == "multinomial":
        wanted.append(dict(dtype=dtype, variant="again", change={"replacement": True}))
    if row["family"] in LAID_OUT and n > 16 and (everything or n == 1_000_000):
        wanted += [dict(dtype=dtype, layout=layout) for layout in LAYOUTS[1:]]
    if name == "contiguous" and n > 16:
        wanted += [dict(dtype=dtype, layout="transposed")]
    if everything or n in (16, 1_000_000):
        wanted += [dict(dtype=other) for other in others(name, n)]
    for one in wanted:
        try:
            yield case(name, n, **one)
        except LookupError:  # no call of the row is like this
            continue
    yield from reductions(name, n, dtype)
    for one in (dtype, *others(name, n)):
        yield from short_rows(name, n, one)
    yield from conversions(name, n)
    yield from at_once(name, n)


def chosen(ops):
    return [name for name in sorted(ROWS) if name not in LEFT_OUT and (not ops or name in ops)]


def cases(sizes, everything, ops=None):
    """All calls, small ones first; `everything`: other dtypes and layouts at all sizes."""
    for n in sizes:
        for name in chosen(ops):
            for made in of_row(name, n, everything):
                yield {**made, "named": name in NAMES_ONLY}


def named_cases(sizes, ops=None):
    """Every row on tensors with names, for the peer that has them."""
    for n in sizes:
        for name in chosen(ops):
            if ROWS[name]["family"] != "factory":
                try:
                    yield {**case(name, n, natural(name), variant="names"), "named": True}
                except LookupError:
                    continue
