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
from differ_makers import POOL, SPECIAL

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
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


# What may be wrong with a call. One call has one of them at most, and most have none.
MISTAKES = ["junk", "junk", "dim", "dim", "size", "dtype", "number", "names", "out", "overlap"]

NAMES_OF_DTYPES = dict(
    zip(("BOOL", "U8", "I8", "I16", "I32", "I64", "F16", "BF16", "F32", "F64", "C64", "C128"), ALL)
)


class Draw:
    """One call in the making."""

    def __init__(self, row, rng, mode=""):
        self.row, self.op, self.r, self.mode = row, row["name"], rng, mode
        self.tensors, self.shapes = [], []
        self.mistake = self.pick(MISTAKES) if self.chance(0.2) else None
        self.named = self.chance(0.35)
        self.form = self.draw_form()
        self.template = self.names_template()
        self.dtype = self.draw_dtype()
        self.shape = self.draw_shape(hints.RANKS.get(self.op, (0, 9)))

    def draw_form(self):
        forms = hints.FORMS.get(self.op, self.row["forms"])
        if self.op in hints.HIDDEN:
            forms = "".join(f for f in forms if f in "m")
        if self.mode == "grad":
            forms = forms.replace("o", "")
        return FORMS[self.pick(forms)]

    def wrong(self, kind, p=0.6):
        """Is this where the call's one mistake is made?"""
        if self.mistake == kind and self.chance(p):
            self.mistake = None
            return True
        return False

    def chance(self, p):
        return self.r.random() < p

    def pick(self, items):
        return items[int(self.r.random() * len(items))]

    # ---- dtypes, sizes, names -----------------------------------------------------------------

    def dtypes(self):
        """What the first operand may be made of, the common ones more often."""
        fit = hints.DTYPES.get(self.op)
        if not fit:
            fit = tuple(NAMES_OF_DTYPES[d] for d in self.row.get("dtypes", ())) or ALL
            floats = "int64" not in fit and self.row["family"] in ("elementwise", "reduction")
            if floats and self.form != "inplace" and self.op not in hints.FLOATS_ONLY:
                fit = fit + ("int64", "uint8", "bool", "int32")
        if self.mode == "grad":
            fit = [d for d in fit if d in REALS or d in COMPLEX]
            return fit + [d for d in fit if d in ("float32", "float64")] * 3
        return [d for d in ("float32", "float32", "float64", "int64") if d in fit] + list(fit)

    def draw_dtype(self):
        if self.wrong("dtype", 0.4):
            return self.pick(ALL)
        return self.pick(self.dtypes() or ALL)

    def other_dtype(self, argument):
        chosen = hints.OPERAND_DTYPES.get((self.op, argument))
        if chosen:
            return self.pick(chosen)
        if self.wrong("dtype", 0.8):
            return self.pick(ALL)
        mixed = self.row["family"] == "elementwise" and self.op not in hints.SAME_DTYPES
        if self.mode == "grad" or not mixed or self.chance(0.7):
            return self.dtype
        fit = self.dtypes()
        if self.form == "inplace":
            fit = [d for d in fit if category(d) <= category(self.dtype)]
        return self.pick(fit or [self.dtype])

    def draw_shape(self, ranks=(0, 9)):
        rank = min(max(ranks[0], self.pick([0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5])), ranks[1])
        if self.wrong("size", 0.3):
            rank = self.pick([0, 1, 2, 3, 4])
        large = self.op not in hints.NEVER_LARGE and ranks[0] < 3
        if self.chance(0.003) and self.mode == "" and large:
            large = [self.pick([1000, 70001, 33000]), self.pick([1, 3])]
            return large[: max(1, min(rank, 2))]
        shape = [self.pick(SIZES) for _ in range(rank)]
        while math.prod(shape) > 1500:
            shape[self.r.randrange(rank)] = self.pick([1, 2, 3])
        if rank and self.chance(0.05):
            shape[self.r.randrange(rank)] = 0
        return shape

    def smaller_shape(self):
        """Sizes of no more elements than self has."""
        shape = [n for n in self.shape if self.chance(0.7)]
        return [self.r.randrange(n + 1) if n and self.chance(0.2) else n for n in shape]

    def broadcast_of(self, shape):
        """Sizes that broadcast with these."""
        shape = list(shape)
        if self.chance(0.5):
            return shape
        if self.chance(0.4):
            shape = shape[self.r.randrange(len(shape) + 1) :]
        shape = [1 if self.chance(0.25) else n for n in shape]
        if shape and self.wrong("size"):
            shape[self.r.randrange(len(shape))] += 1
        if self.form != "inplace" and self.chance(0.1):
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
        if self.form == "inplace" and self.tensors and not self.wrong("names"):
            own = self.tensors[0]["names"]
            names = own[len(own) - rank :] if own and rank <= len(own) else [None] * rank
        elif self.op in hints.PRODUCTS or self.wrong("names"):
            names = POOL[:]
            self.r.shuffle(names)
            names = names[:rank]
        else:
            names = self.template[len(self.template) - rank :]
        names = [None if self.chance(0.15) else name for name in names]
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
        if self.op in hints.NEVER_EXPANDED:
            return shape, []
        if self.form == "inplace" and not self.tensors and not self.wrong("overlap"):
            return shape, []
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
        if names == 0:
            names = self.names_for(len(shape))
        elif names and len(names) != len(shape):  # such a tensor cannot be made
            names = None
        self.tensors.append(
            {
                "dtype": dtype,
                "shape": base,
                "steps": steps,
                "names": names,
                "fill": [kind or self.fills(argument), self.r.randrange(1 << 30)],
                "grad": grad and (len(self.tensors) == 0 or self.chance(0.8)),
            }
        )
        self.shapes.append(list(shape))
        return {"t": len(self.tensors) - 1}

    # ---- other arguments ----------------------------------------------------------------------

    def dim(self, rank=None, extra=0):
        """A dim of the first tensor, by number or by name."""
        names = self.tensors[0]["names"] if self.tensors else None
        rank = len(self.shape) if rank is None else rank
        if names and not extra and self.chance(0.6):
            if self.wrong("dim"):
                return self.pick(["Q", "*", None, "9a", "", POOL[0]])
            return self.pick([n for n in names if n])
        if self.wrong("dim"):
            return self.pick([rank + extra, -rank - 1 - extra, rank + 5, 100])
        rank = max(rank + extra, 1)
        return self.r.randrange(-rank, rank)

    def dims(self, rank=None):
        rank = len(self.shape) if rank is None else rank
        if self.op in hints.ONE_DIM or self.op not in hints.LISTS_OF_DIMS and self.chance(0.4):
            return self.dim(rank)
        if self.chance(0.05):
            return []
        if self.wrong("dim"):
            chosen = list(range(self.r.randrange(rank + 1)))
            chosen.append(self.pick([rank, -rank - 1, 0, "Q"]))
        else:
            order = list(range(rank))
            self.r.shuffle(order)
            order = order[: self.r.randrange(rank + 1)]
            names = self.tensors[0]["names"] if self.tensors else None
            by_name = names and self.chance(0.6) and all(names[k] for k in order)
            mixed = names and self.chance(0.03)
            chosen = [
                (
                    names[k]
                    if (by_name or mixed and self.chance(0.5)) and names[k]
                    else k - rank if self.chance(0.4) else k
                )
                for k in order
            ]
        return chosen if self.chance(0.5) else {"tuple": chosen}

    def number(self, argument):
        if (self.op, argument) in hints.NUMBERS and not self.wrong("number", 0.5):
            return self.pick(hints.NUMBERS[self.op, argument])
        if self.mode == "grad":
            return self.pick([0.5, 2, -1.5, 3, 1, 0.25, -2])
        kind = category(self.dtype)
        loose = self.row["family"] == "elementwise" and self.form == "function"
        if self.wrong("number"):
            kind, loose = 3, True
        p = self.r.random()
        if p < 0.35 or kind == 0 and not loose:
            whole = [0, 1, 2, 3, 5, 7] + ([-1, -2] if self.dtype != "uint8" else [])
            return self.pick(whole if kind else [True, False])
        if p < 0.4:
            return self.pick([True, False])
        if kind == 1 and not (loose and self.chance(0.3)):
            large = {"int64": [300, -200, 70000, 2**40], "int32": [300, -200, 70000]}
            return self.pick(large.get(self.dtype, [100, 9]) + [4, 6])
        if p < 0.75:
            return self.pick([0.5, -0.5, 2.5, 1.0, -3.0, 0.1, 1e-3, 10.0])
        if p < 0.82 and kind == 3:
            return {"complex": [self.pick([0.5, -1.0, 2.0]), self.pick([1.0, -0.5, 0.0])]}
        wide = [math.nan, math.inf, -math.inf, -0.0, 300, -200, 70000 if kind > 2 else 60000]
        if self.dtype in ("float64", "complex128"):
            wide += [2**40, 1e30, 1e300]
        return self.pick(wide)

    def integer(self, argument):
        size = self.pick(self.shape) if self.shape else 1
        if argument in ("chunks", "k", "n", "sections"):
            return self.pick([0, -1, 10]) if self.wrong("number") else self.pick([1, 2, 3, 1, 2, 4])
        if argument in ("diagonal", "offset", "decimals"):
            return self.pick([0, 1, 2, -1, -2, 1, 4, 10])
        if argument in ("index", "start"):
            return self.r.randrange(-size, size) if size else 0
        if argument == "length":
            return self.r.randrange(0, size + 1)
        return self.pick([0, 1, 2, 3, -1])

    def sizes(self):
        """Sizes as factories and expand take them."""
        shape = self.draw_shape() if self.row["family"] == "factory" else self.shape
        if self.wrong("size"):
            shape = list(shape) + [-1]
        return list(shape) if self.chance(0.5) else {"tuple": list(shape)}

    def name_list(self, rank):
        names = POOL[:]
        self.r.shuffle(names)
        names = (names + [None] * rank)[:rank]
        names = [None if self.chance(0.2) else name for name in names]
        if self.wrong("names", 0.4):
            names = names + ["N"]
        if names and self.wrong("names", 0.7):
            names[0] = self.pick(["9", "N", "a b", "*"])
        return names

    def argument(self, arg):
        kind, name = arg["kind"], arg["name"]
        if kind == "tensor":
            number = (self.op, name) not in hints.TENSORS_ONLY or self.wrong("junk")
            if self.tensors and number and self.row["family"] == "elementwise" and self.chance(0.3):
                return self.number(name)
            shape = self.shape
            if self.tensors:
                shape = self.broadcast_of(self.shape)
                if name in ("value", "min", "max") and self.chance(0.5):
                    shape = []
            return self.tensor(name, shape)
        if kind == "tensors":
            count = 0 if self.wrong("size") else self.pick([1, 2, 2, 2, 3, 3, 4])
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
            fit = hints.RESULT_DTYPES.get(self.op) if not self.wrong("dtype") else None
            fit = fit or (tuple(NAMES_OF_DTYPES[d] for d in self.row.get("dtypes", ())) or ALL)
            fit = [
                d for d in fit if d not in COMPLEX or self.dtype in COMPLEX or self.tensors == []
            ]
            return {"dtype": self.pick([d for d in ("float32", "float64") if d in fit] + fit)}
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
        if self.op in SPECIAL:
            return SPECIAL[self.op](self)
        args, kw = [], {}
        positional, limit = True, hints.POSITIONAL.get(self.op, 9)
        for count, arg in enumerate(self.row["args"]):
            if (self.op, arg["name"]) in hints.LEFT_OUT:
                continue
            optional = arg["optional"] or arg["kind"] == "flag"
            if (self.op, arg["name"]) in hints.NEEDED[self.form == "out"]:
                optional = False
            if optional and self.chance(0.5):
                positional = False
                continue
            if count > limit:
                positional = False
            without = not (len(args) > 1 or "dim" in kw)
            if arg["name"] == "keepdim" and without and not self.wrong("junk"):
                continue
            value = self.argument(arg)
            by_name = (self.op, arg["name"]) not in hints.BY_POSITION and self.chance(0.15)
            if arg["keyword"] or not positional or (count > 0 and by_name):
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

    def out(self, dtype=None):
        """A tensor to write into: empty, or, where they are easily told, of the right sizes."""
        shape, names = self.shape, None
        if self.row["family"] == "elementwise":
            for other in self.shapes[1:]:
                shape = broadcast(shape, other)
            if len(self.shapes) == 1 and self.chance(0.3):
                names = self.tensors[0]["names"]
        elif self.row["family"] not in ("scan", "rows", "draw"):
            shape = [0]
        if not names and self.chance(0.35):
            shape = [0]
        dtype = dtype or self.result_dtype()
        if self.wrong("out", 0.5):
            dtype = self.pick(ALL)
        elif self.wrong("out", 0.5):
            shape, names = list(self.shape) + [2], None
        elif self.wrong("out"):
            names = self.names_for(len(shape))
        elif self.row["family"] == "elementwise" and self.chance(0.15):
            dtype = self.pick([d for d in ALL if category(d) >= category(dtype)])
        return self.tensor("out", shape, dtype, "small", self.chance(0.6), names)

    def result_dtype(self):
        """The dtype of the result, for rows without peculiarities."""
        if self.op in hints.RESULTS:
            return hints.RESULTS[self.op]
        given = next((v for v in self.given if isinstance(v, dict) and "dtype" in v), None)
        if given:
            return given["dtype"]
        if self.op in hints.SUMS_OF_INTS:
            return self.dtype if category(self.dtype) > 1 else "int64"
        if self.op in ("complex", "polar"):
            return {"float32": "complex64", "float64": "complex128"}.get(self.dtype, self.dtype)
        if self.op in ("abs", "angle") and self.dtype in COMPLEX:
            return COMPLEX[self.dtype]
        if self.row["family"] != "elementwise":
            return self.dtype
        dtype = promoted(zip((t["dtype"] for t in self.tensors), self.shapes), self.given)
        floats = "I64" not in self.row.get("dtypes", ()) or self.op in hints.FLOAT_RESULTS
        return "float32" if floats and category(dtype) < 2 else dtype

    def case(self):
        form, spoiled = self.form, self.op not in hints.UNSPOILED and self.wrong("junk")
        args, kw = self.arguments()
        name = self.op.rstrip("_")
        if form == "function" and name in OPERATORS and not kw and self.chance(0.3):
            name, form = OPERATORS[name], "operator"
        case = {"op": name, "row": self.op, "form": form, "args": args, "kw": kw}
        if form == "out":
            case["form"] = "function"
            self.given = [*args, *kw.values()]
            two = self.op in TWO and (
                self.op not in ("max", "min", "median", "nanmedian") or len(args) > 1 or "dim" in kw
            )
            if two:
                second = self.dtype if self.op == "aminmax" else "int64"
                kw["out"] = {"tuple": [self.out(self.dtype), self.out(second)]}
            else:
                kw["out"] = self.out()
        if spoiled:
            before = repr((args, kw))
            self.spoil(args, kw)
            if repr((args, kw)) != before:
                case["wild"] = True
        if self.mode:
            case["mode"] = self.mode
        if self.op in hints.RANDOM:
            case["seed"] = self.r.randrange(1 << 31)
        case["tensors"] = self.tensors
        return case


def category(dtype):
    return 0 if dtype == "bool" else 1 if dtype in INTS else 2 if dtype in REALS else 3


ORDER = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16"]
ORDER += ["float32", "float64", "complex64", "complex128"]


def join(a, b):
    """The dtype that two dtypes promote to."""
    if a is None or b is None or a == b:
        return a or b
    a, b = sorted((a, b), key=ORDER.index)
    if a == "uint8" and b == "int8":
        return "int16"
    if a == "float16" and b == "bfloat16":
        return "float32"
    if b == "complex64" and a == "float64":
        return "complex128"
    return b


def promoted(operands, given):
    """Of tensors, and numbers among the arguments; lower ranks count by category only."""
    kinds = [None, None, None]  # tensors with dims, without, numbers
    for dtype, shape in operands:
        kinds[0 if shape else 1] = join(kinds[0 if shape else 1], dtype)
    for value in given:
        kind = NUMBERS.get(type(value)) or ("complex64" if is_complex(value) else None)
        kinds[2] = join(kinds[2], kind)
    result = kinds[0]
    for kind in kinds[1:]:
        if result is None or kind is not None and category(kind) > category(result):
            result = wider(kind, result)
    return result


NUMBERS = {bool: "bool", int: "int64", float: "float32"}


def wider(kind, result):
    return "complex128" if kind == "complex64" and result == "float64" else kind


def is_complex(value):
    return isinstance(value, dict) and "complex" in value


def broadcast(a, b):
    a, b = [1] * (len(b) - len(a)) + list(a), [1] * (len(a) - len(b)) + list(b)
    return [y if x == 1 else x for x, y in zip(a, b)]


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
    smooth = row.get("gradient") or row["name"] in hints.SMOOTH
    mode = modes[int(rng.random() * len(modes))] if smooth else ""
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
