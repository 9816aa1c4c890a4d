"""Draws calls: case(seed, index) gives the same call each time.

A case is plain data: {op, form, tensors, args, kw, out, seed, mode}. A tensor is a dict of dtype,
shape (of what its memory is made of), steps (views on top of that), names, fill and grad. In
arguments {"t": i} is a tensor, {"dtype": name} a dtype, and so on (differ_worker.py reads them).
"""

import json
import math
import pathlib
import random

import differ_hints as hints
from differ_data import ALL, COMPLEX, HALVES, INTS, REALS, fill

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
POOL = ["N", "C", "H", "W", "T", "D"]
SIZES = [1, 2, 3, 3, 4, 5, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33]
OPERATORS = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "div": "truediv",
    "matmul": "matmul",
    "pow": "pow",
    "eq": "eq",
    "ne": "ne",
    "lt": "lt",
    "le": "le",
    "gt": "gt",
    "ge": "ge",
    "neg": "neg",
    "abs": "abs",
    "remainder": "mod",
    "floor_divide": "floordiv",
    "bitwise_and": "and_",
    "bitwise_or": "or_",
    "bitwise_xor": "xor",
    "bitwise_not": "invert",
    "bitwise_left_shift": "lshift",
    "bitwise_right_shift": "rshift",
}
FORMS = {"f": "function", "m": "method", "i": "inplace", "o": "out"}


def rows():
    return {
        row["name"]: row for row in json.loads((ROOT / "tests/ops.gen.json").read_text())["ops"]
    }


class Draw:
    """One call in the making."""

    def __init__(self, row, rng, mode=""):
        self.row, self.op, self.r, self.mode = row, row["name"], rng, mode
        self.tensors, self.shapes = [], []
        self.named = self.chance(0.35)
        self.wild = self.chance(0.05)  # something is wrong on purpose
        self.template = self.names_template()
        self.dtype = self.draw_dtype()
        self.shape = self.draw_shape()

    def chance(self, p):
        return self.r.random() < p

    def pick(self, items):
        return items[int(self.r.random() * len(items))]

    # ---- dtypes, sizes, names -----------------------------------------------------------------

    def draw_dtype(self):
        if self.mode == "grad":
            return self.pick(["float64", "float64", "float32", "float32", "complex128", "float16"])
        if self.op in hints.DTYPES and not self.wild:
            return self.pick(hints.DTYPES[self.op])
        return self.pick(("float32", "float32", "float64", "int64") + ALL)

    def other_dtype(self, argument):
        chosen = hints.OPERAND_DTYPES.get((self.op, argument))
        if chosen:
            return self.pick(chosen)
        return self.dtype if self.chance(0.75) or self.mode == "grad" else self.pick(ALL)

    def draw_shape(self, low=0):
        rank = max(low, self.pick([0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5]))
        if self.chance(0.002) and self.mode == "":
            return [self.pick([1000, 70001, 33000]), self.pick([1, 3])][: max(1, min(rank, 2))]
        shape = [self.pick(SIZES) for _ in range(rank)]
        while math.prod(shape) > 1500:
            shape[self.r.randrange(rank)] = self.pick([1, 2, 3])
        if rank and self.chance(0.06):
            shape[self.r.randrange(rank)] = 0
        return shape

    def broadcast_of(self, shape):
        """Sizes that broadcast with these, most of the time."""
        shape = list(shape)
        if self.chance(0.5):
            return shape
        if self.chance(0.4):
            shape = shape[self.r.randrange(len(shape) + 1) :]
        shape = [1 if self.chance(0.25) else n for n in shape]
        if shape and self.chance(0.04):
            at = self.r.randrange(len(shape))
            shape[at] += 1
        if self.chance(0.1):
            shape = [self.pick([1, 2])] + shape
        return shape[-6:]

    def names_template(self):
        names = POOL[:]
        self.r.shuffle(names)
        return names

    def names_for(self, rank):
        if not self.named or not rank:
            return None
        if self.chance(0.2):
            return None
        if rank > len(self.template):
            return None
        if self.op in hints.PRODUCTS or self.chance(0.12):
            names = POOL[:]
            self.r.shuffle(names)
            names = names[:rank]
        else:
            names = self.template[len(self.template) - rank :]
        names = [None if self.chance(0.2) else name for name in names]
        return None if all(name is None for name in names) else names

    # ---- tensors ------------------------------------------------------------------------------

    def layout(self, shape, plain=False):
        """What lies in memory, and the views that make these sizes of it."""
        shape = list(shape)
        kind = self.r.random()
        if plain or kind < 0.5 or not shape or math.prod(shape) > 20000:
            return shape, []
        rank, steps = len(shape), []
        if kind < 0.68 and rank > 1:
            perm = list(range(rank))
            self.r.shuffle(perm)
            base = [0] * rank
            for k, source in enumerate(perm):
                base[source] = shape[k]
            return base, [["permute", perm]]
        if kind < 0.9:
            base = shape[:]
            for dim in range(rank):
                if self.chance(0.5):
                    start, step = self.pick([0, 1, 2]), self.pick([1, 2, 3])
                    base[dim] = start + max(0, (shape[dim] - 1) * step + 1) + self.pick([0, 1])
                    stop = start + shape[dim] * step
                    steps.append(["slice", dim, start, min(stop, base[dim]), step])
            if math.prod(base) > 20000:
                return shape, []
            if shape and 0 in shape:
                return shape, []
            if rank > 1 and self.chance(0.3):
                perm = list(range(rank))
                self.r.shuffle(perm)
                inner = [0] * rank
                for k, source in enumerate(perm):
                    inner[source] = base[k]
                return inner, [["permute", perm], *steps]
            return base, steps
        base = [1 if self.chance(0.5) else n for n in shape]
        return base, [["expand", shape]]

    def fills(self, argument):
        kinds = hints.FILLS.get(self.op, hints.GENERAL)
        if self.mode == "grad":
            kinds = [
                k for k in kinds if k in ("normal", "positive", "unit", "distinct", "zero_one")
            ]
            return self.pick(kinds or ["normal"])
        return kinds[0] if self.chance(0.3) else self.pick(kinds)

    def tensor(self, argument, shape=None, dtype=None, kind=None, plain=False, names=0):
        shape = self.shape if shape is None else shape
        dtype = dtype or (self.other_dtype(argument) if self.tensors else self.dtype)
        base, steps = self.layout(shape, plain)
        grad = self.mode == "grad" and (dtype in REALS or dtype in COMPLEX)
        self.tensors.append(
            {
                "dtype": dtype,
                "shape": base,
                "steps": steps,
                "names": self.names_for(len(shape)) if names == 0 else names,
                "fill": [kind or self.fills(argument), self.r.randrange(1 << 30)],
                "grad": grad and (len(self.tensors) == 0 or self.chance(0.8)),
            }
        )
        self.shapes.append(list(shape))
        return {"t": len(self.tensors) - 1}

    # ---- other arguments ----------------------------------------------------------------------

    def dim(self, rank=None, extra=0):
        """A dim of the first tensor: mostly valid, by number or by name."""
        names = self.tensors[0]["names"] if self.tensors else None
        rank = len(self.shape) if rank is None else rank
        if names and self.chance(0.6):
            if self.chance(0.06):
                return self.pick(["Q", "*", None, "9a", "", POOL[0]])
            return self.pick(names)
        if self.chance(0.04):
            return self.pick([rank + extra, -rank - 1 - extra, rank + 5, 100])
        rank = max(rank + extra, 1)
        return self.r.randrange(-rank, rank)

    def dims(self, rank=None):
        rank = len(self.shape) if rank is None else rank
        p = self.r.random()
        if p < 0.4:
            return self.dim(rank)
        if p < 0.45:
            return []
        if self.chance(0.05):
            chosen = [self.dim(rank) for _ in range(self.pick([1, 2, 3]))]
        else:
            order = list(range(rank))
            self.r.shuffle(order)
            order = order[: self.r.randrange(rank + 1)]
            names = self.tensors[0]["names"] if self.tensors else None
            by_name = names and self.chance(0.6)
            chosen = [
                (
                    names[k]
                    if by_name and names[k] and self.chance(0.97)
                    else k - rank if self.chance(0.4) else k
                )
                for k in order
            ]
        return chosen if self.chance(0.5) else {"tuple": chosen}

    def number(self, argument):
        if argument == "correction":
            return self.pick([0, 1, 1, 2, 5])
        if argument in ("start", "end", "step") and self.op in ("arange", "linspace"):
            return self.pick([0, 1, 2, 5, 10, -3, 0.5, 2.5, -1.5, 1, 3])
        if argument == "p":
            return self.pick([0.0, 0.5, 1.0, 0.25, 2, 1, float("inf")])
        if argument == "split_size":
            return self.pick([1, 2, 3, 4, 2, 3, [1, 1], [2, 1], 0, -1])
        p = self.r.random()
        if self.mode == "grad":
            return self.pick([0.5, 2, -1.5, 3, 1, 0.25, -2])
        if p < 0.35:
            return self.pick([0, 1, 2, 3, -1, -2, 5, 7])
        if p < 0.7:
            return self.pick([0.5, -0.5, 2.5, 1.0, -3.0, 0.1, 1e-3, 10.0])
        if p < 0.77:
            return self.pick([True, False])
        if p < 0.82:
            return {"complex": [self.pick([0.5, -1.0, 2.0]), self.pick([1.0, -0.5, 0.0])]}
        return self.pick(
            [math.nan, math.inf, -math.inf, -0.0, 300, -200, 70000, 2**40, 1e30, 1e300]
        )

    def integer(self, argument):
        size = self.pick(self.shape) if self.shape else 1
        if argument in ("chunks", "k", "n", "diagonal", "offset", "decimals", "sections"):
            return self.pick(
                [1, 2, 3, 1, 2, 4, 0, -1, 10] if argument != "offset" else [0, 1, -1, 2]
            )
        if argument in ("index", "start"):
            return self.r.randrange(-size - 1, size + 2) if size < 50 else 3
        if argument == "length":
            return self.r.randrange(0, size + 1)
        return self.pick([0, 1, 2, 3, -1])

    def sizes(self):
        """Sizes as factories and expand take them."""
        shape = self.draw_shape() if self.row["family"] == "factory" else self.shape
        if self.chance(0.03):
            shape = list(shape) + [-1]
        return list(shape) if self.chance(0.5) else {"tuple": list(shape)}

    def name_list(self, rank):
        names = POOL[:]
        self.r.shuffle(names)
        names = (names + [None] * rank)[:rank]
        names = [None if self.chance(0.2) else name for name in names]
        if self.chance(0.04):
            names = names + ["N"]
        if self.chance(0.04) and names:
            names[0] = self.pick(["9", "N", "a b", "*"])
        return names

    def argument(self, arg):
        kind, name = arg["kind"], arg["name"]
        if kind == "tensor":
            if self.tensors and self.row["family"] == "elementwise" and self.chance(0.3):
                if self.op not in ("copy", "where") or name != "condition":
                    return self.number(name)
            shape = self.shape
            if self.tensors:
                shape = self.broadcast_of(self.shape)
                if name in ("value", "min", "max") and self.chance(0.5):
                    shape = []
            return self.tensor(name, shape)
        if kind == "tensors":
            count = self.pick([1, 2, 2, 2, 3, 3, 4] + ([0] if self.wild else []))
            return [self.tensor(name, self.shape) for _ in range(count)]
        if kind == "number":
            return self.number(name)
        if kind == "int":
            return self.integer(name)
        if kind == "flag":
            return self.chance(0.5)
        if kind == "dim":
            return self.dim(extra=1 if self.op in ("unsqueeze", "stack") else 0)
        if kind == "dims":
            return self.dims()
        if kind == "names":
            return {"tuple": self.name_list(len(self.shape))}
        if kind == "name":
            return self.pick(POOL + [None])
        if kind == "sizes":
            return self.sizes()
        if kind == "dtype":
            return {"dtype": self.pick(("float32", "float64") + ALL)}
        if kind == "text":
            if name == "memory_format":
                return {"lib": self.pick(["contiguous_format", "preserve_format"])}
            return self.pick(hints.TEXTS.get(name, ["", "no"]))
        if kind == "generator":
            return {"generator": self.r.randrange(1 << 30)}
        raise ValueError(kind)

    # ---- the call -----------------------------------------------------------------------------

    def arguments(self):
        """Positional arguments and keywords, after the row's list."""
        args, kw = [], {}
        if self.op in SPECIAL:
            args, kw = SPECIAL[self.op](self)
            return args, kw
        positional, limit = True, hints.POSITIONAL.get(self.op, 9)
        for count, arg in enumerate(self.row["args"]):
            if (self.op, arg["name"]) in hints.LEFT_OUT:
                continue
            optional = arg["optional"] or arg["kind"] == "flag"
            if optional and self.chance(0.5):
                positional = False
                continue
            if count > limit:
                positional = False
            value = self.argument(arg)
            if arg["keyword"] or not positional or (count > 0 and self.chance(0.15)):
                positional = False
                kw[arg["name"]] = value
            else:
                args.append(value)
        return args, kw

    def spoil(self, args, kw):
        """A mistake somebody might make."""
        p = self.r.random()
        junk = self.pick(["x", None, 1.5, [1], {"tuple": ["N", 0]}, {"thing": 0}, 3, [], True])
        if p < 0.4 and len(args) > 1:
            args[self.r.randrange(1, len(args))] = junk
        elif p < 0.55 and kw:
            kw[self.pick(sorted(kw))] = junk
        elif p < 0.65:
            kw["bogus"] = 1
        elif p < 0.75:
            args.append(junk)
        elif p < 0.85 and len(args) > 1:
            args.pop()

    def out(self):
        """Tensors to write into; of the right sizes about half of the time."""
        shape = self.shape
        for other in self.shapes[1:]:
            if self.row["family"] == "elementwise":
                shape = broadcast(shape, other)
        if self.chance(0.35):
            shape = [0]
        dtype = self.dtype if self.chance(0.7) else self.pick(ALL)
        names = self.names_for(len(shape)) if self.chance(0.4) else None
        return self.tensor("out", shape, dtype, "small", self.chance(0.6), names)

    def case(self):
        forms = self.row["forms"]
        if self.op in hints.HIDDEN:
            forms = "".join(f for f in forms if f in "m")
        if self.mode == "grad":
            forms = forms.replace("o", "")
        form = FORMS[self.pick(forms)]
        args, kw = self.arguments()
        name = self.op.rstrip("_")
        if form == "function" and name in OPERATORS and not kw and self.chance(0.3):
            name, form = OPERATORS[name], "operator"
        case = {"op": name, "row": self.op, "form": form, "args": args, "kw": kw}
        if form == "out":
            case["form"] = "function"
            many = self.op in TWO and (
                self.op not in ("max", "min") or len(args) > 1 or "dim" in kw
            )
            kw["out"] = {"tuple": [self.out(), self.out()]} if many else self.out()
        if self.wild:
            self.spoil(args, kw)
            case["wild"] = True
        if self.mode:
            case["mode"] = self.mode
        if self.op in hints.RANDOM:
            case["seed"] = self.r.randrange(1 << 31)
        case["tensors"] = self.tensors
        return case


def broadcast(a, b):
    a, b = [1] * (len(b) - len(a)) + list(a), [1] * (len(a) - len(b)) + list(b)
    return [y if x == 1 else x for x, y in zip(a, b)]


# ---- operations whose operands have to fit each other -------------------------------------------


def product(*patterns):
    """Operands by letters: "nk,km" of mm. Now and then one size does not fit."""

    def make(self):
        pattern = self.pick(patterns)
        size = {c: self.pick([1, 2, 3, 4, 5, 8, 17]) for c in pattern if c.isalpha()}
        if self.chance(0.06):
            size[self.pick(sorted(size))] = 0
        if self.chance(0.003) and self.mode == "":
            size = {c: self.pick([40, 64, 97]) for c in size}
        names = [a["name"] for a in self.row["args"] if a["kind"] == "tensor"]
        args, kw = [], {}
        for name, word in zip(names, pattern.split(",")):
            shape = [size[c] if c.isalpha() else 1 for c in word]
            if self.chance(0.03) and shape:
                shape[self.r.randrange(len(shape))] += 1
            if self.chance(0.02):
                shape = shape[1:]
            if not self.tensors:
                self.shape = shape
            dtype = self.dtype if self.chance(0.96) else None
            args.append(self.tensor(name, shape, dtype))
        for arg in self.row["args"]:
            if arg["name"] in ("alpha", "beta") and self.chance(0.5):
                kw[arg["name"]] = self.pick([0, 1, 2, 0.5, -1, 2.5, 0.0])
            elif arg["kind"] == "number" and self.chance(0.5):
                kw[arg["name"]] = self.number(arg["name"])
        return args, kw

    return make


def make_cat(self):
    if not self.shape:
        self.shape = [3] if self.chance(0.9) else []
    rank = len(self.shape)
    insert = self.op == "stack"
    at = self.r.randrange(rank + insert) if rank + insert else 0
    tensors = []
    for _ in range(self.pick([1, 2, 2, 3, 4])):
        shape = self.shape[:]
        if not insert and rank:
            shape[at] = self.pick([0, 1, 2, 3, 4])
        if self.chance(0.02):
            shape = self.pick([[0], shape + [1], [2] * rank])
        tensors.append(self.tensor("tensors", shape))
    dim = at if self.chance(0.5) else at - rank - insert
    names = self.tensors[0]["names"]
    if names and not insert and names[at] and self.chance(0.5):
        dim = names[at]
    if self.chance(0.04):
        dim = self.dim()
    args = [tensors if self.chance(0.7) else {"tuple": tensors}]
    kw = {}
    if dim != 0 or self.chance(0.5):
        if self.chance(0.6):
            args.append(dim)
        else:
            kw["dim"] = dim
    return args, kw


def make_reshape(self):
    x = self.tensor("self")
    total = math.prod(self.shape)
    sizes, left = [], total
    for _ in range(self.pick([0, 1, 2, 2, 3])):
        divisors = [d for d in (1, 2, 3, 4, 5, 7, 8) if left and left % d == 0] or [0, 1]
        sizes.append(self.pick(divisors))
        left = left // sizes[-1] if sizes[-1] else 0
    sizes.append(left)
    if self.chance(0.3):
        sizes[self.r.randrange(len(sizes))] = -1
    if self.chance(0.05):
        sizes.append(self.pick([2, -1, -2, 0]))
    self.r.shuffle(sizes)
    return ([x, *sizes] if sizes and self.chance(0.3) else [x, {"tuple": sizes}]), {}


def make_expand(self):
    target = self.shape
    shape = [1 if self.chance(0.3) else n for n in target]
    lead = self.r.randrange(min(2, len(shape)) + 1)
    self.shape = shape[lead:]
    x = self.tensor("self", self.shape)
    sizes = [-1 if k >= lead and self.chance(0.3) else n for k, n in enumerate(target)]
    if self.chance(0.05) and sizes:
        sizes[self.r.randrange(len(sizes))] = self.pick([-1, -2, 7, 0])
    return ([x, *sizes] if sizes and self.chance(0.3) else [x, {"tuple": sizes}]), {}


def make_permute(self):
    x = self.tensor("self")
    rank = len(self.shape)
    order = list(range(rank))
    self.r.shuffle(order)
    names = self.tensors[0]["names"]
    by_name = names and None not in names and self.chance(0.5)
    dims = [names[k] if by_name else k - rank if self.chance(0.3) else k for k in order]
    if self.chance(0.05):
        dims = dims[1:] + [self.pick([0, rank, -rank - 1])]
    return ([x, *dims] if dims and self.chance(0.4) else [x, {"tuple": dims}]), {}


def make_flatten(self):
    x = self.tensor("self")
    rank, names = len(self.shape), self.tensors[0]["names"]
    first, last = sorted(self.r.randrange(max(rank, 1)) for _ in range(2))
    p = self.r.random()
    if names and None not in names and p < 0.6:
        out = self.pick(POOL + ["F", "F", "F"])
        if p < 0.3:
            return [x, names[first : last + 1], out], {}
        return [x, names[first], names[last], out], {}
    if self.chance(0.05):
        first, last = last + 1, first
    if self.chance(0.3):
        first -= rank
    if self.chance(0.3):
        last -= rank
    if p < 0.2 and rank:
        return [x, first, last, self.pick(POOL + [None])], {}
    return [x, first, last][: self.pick([1, 2, 3, 3])], {}


def make_unflatten(self):
    if not self.shape:
        self.shape = [self.pick([1, 4, 6])]
    at = self.r.randrange(len(self.shape))
    parts = [self.pick([1, 2, 3]) for _ in range(self.pick([1, 2, 2, 3]))]
    self.shape[at] = math.prod(parts)
    while math.prod(self.shape) > 1500:
        self.shape = [n if k == at else min(n, 2) for k, n in enumerate(self.shape)]
    x = self.tensor("self")
    names = self.tensors[0]["names"]
    if self.chance(0.3):
        parts[self.r.randrange(len(parts))] = -1
    if self.chance(0.05):
        parts.append(self.pick([2, -1, 0]))
    if names and names[at] and self.chance(0.8):
        news = self.name_list(len(parts))
        pairs = [{"tuple": [n, size]} for n, size in zip(news, parts)]
        return [x, names[at], pairs], {}
    at = at - len(self.shape) if self.chance(0.4) else at
    return [x, at, {"tuple": parts}], {}


def make_align(self):
    x = self.tensor("self")
    own = [n for n in self.tensors[0]["names"] or [None] * len(self.shape)]
    order = [n for n in own if n] if self.chance(0.9) else own[:]
    order += [self.pick(["A", "B", "Z", None])] if self.chance(0.4) else []
    self.r.shuffle(order)
    if self.chance(0.35):
        order = order[: self.r.randrange(len(order) + 1)]
        order.insert(self.r.randrange(len(order) + 1), {"ellipsis": 0})
    if self.chance(0.06) and order:
        order.append(order[0])
    return [x, *order], {}


def make_rename(self):
    x = self.tensor("self")
    own = [n for n in self.tensors[0]["names"] or [None] * len(self.shape)]
    if self.op == "rename" and self.chance(0.25):
        keys = [n for n in own if n and self.chance(0.6)]
        return [x], {key: self.pick(POOL + ["A", "B", None]) for key in keys}
    if self.chance(0.08):
        return [x, None], {}
    names = self.name_list(len(own))
    if self.op == "refine_names":
        names = [new if old is None or self.chance(0.05) else old for new, old in zip(names, own)]
    if self.chance(0.3):
        a, b = sorted(self.r.randrange(len(names) + 1) for _ in range(2))
        names[a:b] = [{"ellipsis": 0} if self.chance(0.7) else "..."]
    return [x, *names], {}


def make_narrow(self):
    x = self.tensor("self")
    dim = self.dim()
    return [x, dim, self.integer("start"), self.integer("length")], {}


def make_split(self):
    x = self.tensor("self")
    dim = self.dim()
    at = place(self, dim)
    size = self.shape[at] if at is not None and self.shape else 3
    how = self.pick([1, 2, 3, size, size + 1, 4, 0, -1] if self.chance(0.3) else [1, 2, 3, 4])
    if self.chance(0.4):
        first = self.r.randrange(size + 1)
        how = [first, size - first] if self.chance(0.9) else [first, size, 1]
    args = [x, how]
    if self.chance(0.5):
        return args + [dim], {}
    return args, {"dim": dim} if self.chance(0.8) else {}


def place(self, dim):
    rank, names = len(self.shape), self.tensors[0]["names"] or []
    if isinstance(dim, str) and dim in names:
        return names.index(dim)
    if isinstance(dim, int) and -rank <= dim < rank:
        return dim % rank
    return None


def make_arange(self):
    count = self.pick([1, 2, 2, 3])
    kw = {"dtype": {"dtype": self.pick(ALL[1:10])}} if self.chance(0.4) else {}
    return [self.number(("start", "end", "step")[k]) for k in range(count)], kw


def make_factory(self):
    args, kw = [], {}
    shape = self.draw_shape() if self.op != "full" else self.shape
    self.shape = shape
    flat = self.op != "full" and shape and self.chance(0.5)
    args = list(shape) if flat else [{"tuple": shape}]
    if self.chance(0.03):
        args = [{"tuple": shape + [self.pick([-1, 1.5, "x"])]}]
    if self.op == "full":
        args.append(self.number("fill_value"))
    if self.chance(0.4):
        kw["names"] = {"tuple": self.name_list(len(shape))} if self.chance(0.95) else None
    if self.chance(0.5):
        kw["dtype"] = {"dtype": self.pick(ALL)}
    return args, kw


def make_where(self):
    condition = self.tensor(
        "condition", self.broadcast_of(self.shape), self.other_dtype("condition")
    )
    values = []
    for name in ("self", "other"):
        values.append(
            self.number(name)
            if self.chance(0.2)
            else self.tensor(
                name, self.broadcast_of(self.shape), self.dtype if self.chance(0.75) else None
            )
        )
    return [condition, *values], {}


def make_clamp(self):
    x = self.tensor("self")
    if self.chance(0.6):
        bounds = [self.number("min"), self.number("max")]
    else:
        bounds = [self.tensor("min", self.broadcast_of(self.shape)) for _ in range(2)]
    p = self.r.random()
    if p < 0.5:
        return [x, *bounds], {}
    if p < 0.65:
        return [x], {"min": bounds[0]}
    if p < 0.8:
        return [x], {"max": bounds[1]}
    return [x], {"max": bounds[1], "min": bounds[0]}


def make_to(self):
    x = self.tensor("self")
    return [x, {"dtype": self.pick(ALL)}], {"copy": True} if self.chance(0.2) else {}


def make_index(self):
    """x[...] with everything basic that may stand in brackets."""
    x = self.tensor("self")
    items, rank = [], len(self.shape)
    for size in self.shape[: self.r.randrange(rank + 1)]:
        p = self.r.random()
        if p < 0.4:
            items.append(self.r.randrange(-size - 1, size + 1) if size else 0)
        elif p < 0.9:
            bounds = [
                None if self.chance(0.4) else self.r.randrange(-size - 2, size + 3)
                for _ in range(2)
            ]
            items.append({"slice": [*bounds, self.pick([None, 1, 2, 3])]})
        else:
            items.append(None)
    if self.chance(0.25):
        items.insert(self.r.randrange(len(items) + 1), {"ellipsis": 0})
    if self.chance(0.05):
        items.append(self.pick([0, None, {"ellipsis": 0}, 1.5]))
    return [x, items[0] if len(items) == 1 and self.chance(0.7) else {"tuple": items}], {}


def make_indexing(self):
    """Positions along a dim: index has one dim for index_*, the sizes of self for the others."""
    if not self.shape and self.chance(0.9):
        self.shape = [self.pick([2, 3, 5])]
    x = self.tensor("self")
    rank = len(self.shape)
    at = self.r.randrange(rank) if rank else 0
    size = self.shape[at] if rank else 1
    names = self.tensors[0]["names"]
    dim = names[at] if names and names[at] and self.chance(0.5) else at - self.chance(0.4) * rank
    low = -size if self.op.startswith("index") and self.chance(0.1) else 0
    high = size + (1 if self.chance(0.04) else 0)
    kind = ["index", low, high]
    if self.op.startswith("index_"):
        shape = [self.pick([1, 2, 3, 4])] if self.chance(0.9) else []
        part = self.shape[:at] + shape + self.shape[at + 1 :]
    else:
        shape = [max(1, n - self.chance(0.3)) if n else 0 for n in self.shape]
        shape[at : at + 1] = [self.pick([1, 2, 3])] if rank else []
        part = [n + self.chance(0.2) for n in shape]
    dtype = self.pick(["int64"] * 12 + ["int32", "float32"])
    index = self.tensor("index", shape, dtype, kind)
    if self.op == "take_along_dim":
        return [x, index, dim], {}
    args, kw = [x, dim, index], {}
    if self.op == "index_fill":
        args.append(self.number("value") if self.chance(0.6) else self.tensor("value", []))
    elif self.op in ("scatter", "scatter_add", "index_add", "index_copy"):
        number = self.op == "scatter" and self.chance(0.3)
        args.append(self.number("value") if number else self.tensor("source", part, self.dtype))
        if self.op == "scatter" and self.chance(0.3):
            kw["reduce"] = self.pick(["add", "multiply"])
        if self.op == "index_add" and self.chance(0.3):
            kw["alpha"] = self.pick([2, 0.5, -1])
    return args, kw


def make_take(self):
    x = self.tensor("self")
    total = math.prod(self.shape)
    kind = ["index", -total, total + (1 if self.chance(0.04) else 0)]
    shape = [self.pick([0, 1, 2, 3, 4]) for _ in range(self.pick([0, 1, 1, 2]))]
    index = self.tensor("index", shape, "int64", kind)
    if self.op == "take":
        return [x, index], {}
    return [x, index, self.tensor("source", shape, self.dtype)], {"accumulate": self.chance(0.5)}


def make_masked(self):
    x = self.tensor("self")
    shape = self.shape
    if self.chance(0.4):
        shape = self.broadcast_of(self.shape)
    mask = self.tensor("mask", shape, self.other_dtype("mask"))
    if self.op == "masked_select":
        return [x, mask], {}
    if self.op == "masked_fill":
        return [x, mask, self.number("value") if self.chance(0.7) else self.tensor("value", [])], {}
    return [x, mask, self.tensor("source", [math.prod(self.shape) + 3], self.dtype)], {}


SPECIAL = {
    "gather": make_indexing,
    "scatter": make_indexing,
    "scatter_add": make_indexing,
    "index_add": make_indexing,
    "index_copy": make_indexing,
    "index_fill": make_indexing,
    "index_select": make_indexing,
    "take_along_dim": make_indexing,
    "take": make_take,
    "put": make_take,
    "masked_fill": make_masked,
    "masked_select": make_masked,
    "masked_scatter": make_masked,
    "mm": product("nk,km"),
    "bmm": product("bnk,bkm"),
    "mv": product("nk,k"),
    "dot": product("k,k"),
    "matmul": product(
        "nk,km",
        "k,k",
        "k,km",
        "nk,k",
        "bnk,bkm",
        "abnk,bkm",
        "nk,bkm",
        "bnk,k",
        "k,bkm",
        "1nk,bkm",
        "abnk,1bkm",
    ),
    "addmm": product("nm,nk,km", "m,nk,km", "1,nk,km", ",nk,km", "n1,nk,km"),
    "addmv": product("n,nk,k", ",nk,k", "1,nk,k"),
    "baddbmm": product("bnm,bnk,bkm", "m,bnk,bkm", "nm,bnk,bkm"),
    "addbmm": product("nm,bnk,bkm", "m,bnk,bkm"),
    "addr": product("nm,n,m", "m,n,m"),
    "outer": product("n,m"),
    "vdot": product("k,k"),
    "inner": product("k,k", "nk,k", "nk,mk"),
    "cdist": product("nk,mk", "bnk,bmk"),
    "cat": make_cat,
    "stack": make_cat,
    "concat": make_cat,
    "reshape": make_reshape,
    "expand": make_expand,
    "permute": make_permute,
    "flatten": make_flatten,
    "unflatten": make_unflatten,
    "align_to": make_align,
    "rename": make_rename,
    "refine_names": make_rename,
    "narrow": make_narrow,
    "split": make_split,
    "arange": make_arange,
    "zeros": make_factory,
    "ones": make_factory,
    "empty": make_factory,
    "full": make_factory,
    "rand": make_factory,
    "randn": make_factory,
    "where": make_where,
    "clamp": make_clamp,
    "to": make_to,
    "getitem": make_index,
}

TWO = {
    "max",
    "min",
    "aminmax",
    "cummax",
    "cummin",
    "median",
    "nanmedian",
    "mode",
    "kthvalue",
    "topk",
    "sort",
}

PSEUDO = {
    "getitem": {
        "name": "getitem",
        "family": "view",
        "forms": "f",
        "args": [],
        "gradient": ["self"],
    },
}


def case(table, names, seed, index, modes=("", "", "", "", "grad")):
    """The call number `index` of the run `seed`."""
    rng = random.Random(seed * 1000003 + index)
    name = names[int(rng.random() * len(names))]
    row = table[name]
    mode = modes[int(rng.random() * len(modes))] if row.get("gradient") else ""
    if row["name"] in hints.RANDOM:
        mode = ""
    made = Draw(row, rng, mode).case()
    if name in PSEUDO:
        made["form"], made["op"] = "operator", name
    return made


def data_of(made):
    """The bytes of each tensor of a case."""
    return [fill(t["dtype"], math.prod(t["shape"]), *t["fill"]) for t in made["tensors"]]


__all__ = ["HALVES", "INTS", "case", "data_of", "rows", "PSEUDO"]
