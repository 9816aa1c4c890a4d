"""The questions of questions.py put to tensors: their operations give the names that the model
says, or its error, whatever the sizes (0 to 3) and the values, and a call that fails changes no
operand.

usage: compare_tensors.py [COUNT]    COUNT: so many questions of each family (default 3000)
"""

import math
import random
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from names import questions  # noqa: E402
from names.answer import ROWS, answer  # noqa: E402
from names.model import Refused  # noqa: E402

import nomen  # noqa: E402

EXCEPTIONS = {"name": RuntimeError, "shape": RuntimeError, "index": IndexError}
VALUES = (0.0, 1.0, -2.5, math.nan, math.inf, -math.inf)


class Skip(Exception):
    """A question that has no form as a call in Python, with the reason."""


def only(dim):
    """One dim: operations that take a list are asked with lists."""
    if dim is None:
        return ()
    if len(dim) != 1:
        raise Skip("one dim is wanted")
    return dim


def listed(dim):
    return () if dim is None else (list(dim),)


# ---- how a question becomes a call -------------------------------------------------------------


def reduction(op, single=False):
    def call(x, dim=None, keepdim=False):
        if dim is None:
            return getattr(x, op)(keepdim=keepdim)
        given = {"dim": only(dim)[0] if single else list(dim)}
        return getattr(x, op)(**given, keepdim=keepdim)

    return call


def binary(op):
    return lambda *lists, **fields: getattr(nomen, op)(*lists, **fields)


def method(op):
    return lambda x, *others: getattr(x, op)(*others)


def along(op):
    """One dim, which may be left out where the operation lets it."""
    return lambda x, dim=None, **more: getattr(x, op)(*only(dim), **more)


def indexed(x, index, dim=None):
    dims = tuple(range(x.dim())) if dim is None else dim
    if not dims or any(not isinstance(d, int) or not 0 <= d < x.dim() for d in dims):
        raise Skip("an index stands at a position")
    if list(dims) != list(range(dims[0], dims[0] + len(dims))):
        raise Skip("neighbours, in order")
    return x[(slice(None),) * dims[0] + (index,) * len(dims)]


def renamed(op):
    def call(x, names=None, dim=None):
        if dim is None:
            names = ("*",) if names == (None,) else names  # rename(None) drops all names
            return getattr(x, op)(*((None,) if names is None else names))
        if not dim or None in dim or 0 in dim or len(dim) != len(names or ()):
            raise Skip("keywords are names, and each has a value")
        if len(set(dim)) != len(dim):
            raise Skip("a keyword comes once")
        return getattr(x, op)(**dict(zip(dim, names)))

    return call


def flattened(x, dim=None, out_dim=None):
    named = [out_dim] if out_dim else []  # None would be a name that is given: none
    if dim is None:
        return x.flatten(0, -1, *named)
    if len(dim) == 3 and dim[1] is ...:
        if None in dim:
            raise Skip("None is one that is not given")
        return x.flatten(dim[0], dim[2], *named)
    if ... in dim:
        raise Skip("`...` is no name in a list")
    return x.flatten(list(dim), *named)


def unflattened(x, dim, names, ndim=None):
    (dim,) = only(dim)
    if not names or ndim is not None:
        raise Skip("a size beside each name")
    try:
        size = x.size(dim)
    except (RuntimeError, IndexError):
        size = 1
    return x.unflatten(dim, [(name, size if k == 0 else 1) for k, name in enumerate(names)])


def unsqueezed(x, dim=None, out_dim=None):
    return x.unsqueeze(*only(dim), **({"name": out_dim} if out_dim else {}))


def stacked(*tensors, dim=None, out_dim=None):
    if dim == (None,):
        raise Skip("None is a dim that is not given")
    given = {} if dim is None else {"dim": only(dim)[0]}
    return nomen.stack(list(tensors), **given, **({"name": out_dim} if out_dim else {}))


def quantile(x, q=0.5, dim=None, keepdim=False):
    if dim == (None,):
        raise Skip("None is a dim that is not given")
    return x.quantile(q, *only(dim), keepdim=keepdim)


def diagonal(x, dim=None, out_dim=None):
    given = {} if dim is None else dict(zip(("dim1", "dim2"), dim))
    if len(given) == 1 or None in given.values():
        raise Skip("two dims, and None is one that is not given")
    return x.diagonal(**given, **({"outdim": out_dim} if out_dim else {}))


def multiplied(op):
    def call(*lists, strict=False, **fields):
        before = nomen.set_strict_contraction(strict)
        try:
            return getattr(nomen, op)(*lists, **fields)
        finally:
            nomen.set_strict_contraction(before)

    return call


def transposed(x, dim=None):
    if dim is None or len(dim) != 2:
        raise Skip("two dims")
    return x.transpose(*dim)


def einsum(*lists, equation, strict):
    return multiplied("einsum")(equation, *lists, strict=strict)


CALLS = {
    "abs": lambda x, dim=None, **out: (
        nomen.abs(x, **out) if dim is None else skip("abs has no dim")
    ),
    "abs_": method("abs_"),
    "softmax": along("softmax"),
    "add": lambda *x, **out: nomen.add(*x, **out) if len(x) == 2 else skip("two operands"),
    "add_": method("add_"),
    "copy_": method("copy_"),
    "where": binary("where"),
    "addcmul_": method("addcmul_"),
    "sum": reduction("sum"),
    "max": reduction("max", single=True),
    "mode": reduction("mode", single=True),
    "var_mean": lambda x, dim=None, keepdim=False: nomen.var_mean(x, *listed(dim), keepdim=keepdim),
    "matmul": multiplied("matmul"),
    "addmm": multiplied("addmm"),
    "addmm_": method("addmm_"),
    "addmv": multiplied("addmv"),
    "addbmm": multiplied("addbmm"),
    "dot": multiplied("dot"),
    "outer": binary("outer"),
    "addr": binary("addr"),
    "inner": multiplied("inner"),
    "einsum": einsum,
    "cdist": binary("cdist"),
    "cat": lambda *x, dim=None: nomen.cat(list(x), *only(dim)),
    "stack": stacked,
    "masked_fill": lambda x, mask: x.masked_fill(mask, 1.0),
    "masked_fill_": lambda x, mask: x.masked_fill_(mask, 1.0),
    "masked_select": method("masked_select"),
    "index": indexed,
    "take": method("take"),
    "nonzero": method("nonzero"),
    "searchsorted": binary("searchsorted"),
    "quantile": quantile,
    "rename": renamed("rename"),
    "rename_": renamed("rename_"),
    "refine_names": lambda x, names: x.refine_names(*names),
    "align_to": lambda x, names: x.align_to(*names),
    "align_as": method("align_as"),
    "align_tensors": lambda *x: nomen.align_tensors(*x),
    "flatten": flattened,
    "unflatten": unflattened,
    "squeeze": lambda x, dim=None: x.squeeze(*listed(dim)),
    "select": lambda x, dim=None: x.select(*only(dim), 0) if dim else skip("a dim"),
    "transpose": transposed,
    "permute": lambda x, dim=None: x.permute(*listed(dim)),
    "unsqueeze": unsqueezed,
    "expand": lambda x, ndim: x.expand(*[2] * (ndim - x.dim()), *[-1] * min(ndim, x.dim())),
    "diagonal": diagonal,
    "zeros": lambda names=None, ndim=0: nomen.zeros([2] * (ndim or len(names or ())), names=names),
}


def skip(why):
    raise Skip(why)


# Ranks that the operation takes, where the rule of its names would take others.
RANKS = {
    "dot": ((1,), (1,)),
    "addmm": ((0, 1, 2), (2,), (2,)),
    "addmm_": ((2,), (2,), (2,)),
    "addmv": ((0, 1), (2,), (1,)),
    "addbmm": ((0, 1, 2), (3,), (3,)),
    "outer": ((1,), (1,)),
    "addr": ((0, 1, 2), (1,), (1,)),
    "cdist": ((2, 3, 4), (2, 3, 4)),
    "quantile": ((0, 1, 2, 3, 4), (0, 1)),
}


def suits(op, lists, wants):
    """Can it be asked with tensors at all, whatever their names?"""
    if any(len(names) not in ranks for names, ranks in zip(lists, RANKS.get(op, ()))):
        return False
    if op == "searchsorted":
        return len(lists[0]) == 1 or len(lists[0]) == len(lists[1]) > 0
    if op in ("add_", "copy_", "addcmul_", "masked_fill_") and wants[0] == "ok":
        return len(wants[1][0]) == len(lists[0])  # in place a tensor keeps its sizes
    # of sizes tensors say more than lists of names can
    return not (op in ("stack", "expand") and wants[0] != "ok" and "number of dim" in wants[1])


# ---- sizes and values --------------------------------------------------------------------------

FULL = (
    "cat",
    "max",
    "mode",
    "quantile",
    "select",
    "index",
    "take",
    "var_mean",
)  # no dims of size 0
MASKS = {"where": 0, "masked_fill": 1, "masked_fill_": 1, "masked_select": 1}
POSITIONS = {"index": 1, "take": 1}


def sizes_of(op, lists, fields, chance):
    """Sizes that fit the operation: what fails then fails for its names."""
    if "size" in fields:
        return [fields["size"]]
    low = 1 if op in FULL else 0
    if op in ("matmul", "addmm", "addmm_", "addmv", "addbmm", "cdist", "inner", "dot"):
        return product_sizes(op, lists, chance)
    if op == "addr":
        rows, columns = chance.randint(0, 3), chance.randint(0, 3)
        return [(rows, columns)[2 - len(lists[0]) :] if lists[0] else (), (rows,), (columns,)]
    if op == "einsum":
        return letter_sizes(lists, fields["equation"], chance)
    if op in (
        "index",
        "take",
        "align_to",
        "align_as",
        "align_tensors",
        "quantile",
        "outer",
        "addr",
    ):
        return [tuple(chance.randint(max(low, 1), 3) for _ in names) for names in lists]
    # from the right: one size for all, or 1 where it is broadcast
    most = max(map(len, lists), default=0)
    common = [chance.randint(low, 3) for _ in range(most)]
    may_be_one = op in ("add", "where", "masked_fill", "masked_select")
    return [
        tuple(
            1 if may_be_one and chance.random() < 0.3 else size
            for size in common[most - len(names) :]
        )
        for names in lists
    ]


def product_sizes(op, lists, chance):
    rows, inner, columns = (chance.randint(0, 3) for _ in range(3))
    batch = [chance.randint(1, 3) for _ in range(4)]

    def around(names, *last):
        lead = len(names) - len(last)
        if lead < 0:
            return (inner,) * len(names)
        one = op == "matmul" and chance.random() < 0.3
        return tuple(1 if one else b for b in batch[len(batch) - lead :]) + last

    *bias, a, b = lists
    first = around(a, rows, inner) if len(a) > 1 else (inner,) * len(a)
    turned = (columns, inner) if op in ("cdist", "inner") else (inner, columns)
    second = around(b, *turned) if len(b) > 1 else (inner,) * len(b)
    if op == "inner":
        first, second = (
            tuple(chance.randint(0, 2) for _ in names[1:]) + (inner,) * bool(names)
            for names in (a, b)
        )
    whole = (rows,) if op == "addmv" else (rows, columns)
    return [(1,) * max(0, len(n) - len(whole)) + whole[max(0, len(whole) - len(n)) :]
            for n in bias] + [first, second]  # fmt: skip


def letter_sizes(lists, equation, chance):
    size = {}
    found = []
    for term, names in zip(equation.partition("->")[0].split(","), lists):
        front, dots, back = term.partition("...")
        hidden = len(names) - len(front) - len(back)
        spelled = [*front, *range(-hidden, 0), *back] if dots else list(front)
        found.append(tuple(size.setdefault(x, chance.randint(0, 3)) for x in spelled))
    return found


def tensor(names, sizes, kind, chance):
    count = math.prod(sizes)
    if kind == "mask":
        values = [chance.random() < 0.5 for _ in range(count)]
    elif kind == "positions":
        values = [0] * count
    elif kind == "q":
        values = [chance.random() for _ in range(count)]
    else:
        values = [chance.choice(VALUES) for _ in range(count)]
    dtype = {"mask": nomen.bool, "positions": nomen.int64}.get(kind, nomen.float32)
    t = nomen.tensor(values, dtype=dtype).reshape(sizes)
    return t.rename(*names) if any(names) else t


def kind_of(op, k):
    if MASKS.get(op) == k:
        return "mask"
    if POSITIONS.get(op) == k:
        return "positions"
    return "q" if op == "quantile" and k == 1 else "numbers"


# ---- one question ------------------------------------------------------------------------------


def names_of(result):
    if isinstance(result, nomen.Tensor):
        return [result.names]
    return [t.names for t in result]


def asked(op, lists, fields, shapes, chance):
    """("ok", names of each result) or (exception, text, hint), and what changed that may not."""
    tensors = [
        tensor(names, sizes, kind_of(op, k), chance)
        for k, (names, sizes) in enumerate(zip(lists, shapes))
    ]
    fields = {k: v for k, v in fields.items() if k not in ("size", "out_size", "result_size")}
    written = None
    if "out" in fields:
        written = fields["out"] = tensor(fields["out"][0], fields["out"][1], "numbers", chance)
    kept = [
        (t, t.names, tuple(t.shape), str(t.tolist())) for t in (*tensors, written) if t is not None
    ]
    try:
        result = CALLS[op](*tensors, **fields)
    except (RuntimeError, IndexError, TypeError, ValueError) as error:
        changed = any(
            (t.names, tuple(t.shape), str(t.tolist())) != (n, s, v) for t, n, s, v in kept
        )
        notes = [
            n[len("hint: ") :] for n in getattr(error, "__notes__", ()) if n.startswith("hint: ")
        ]
        return (type(error), str(error), "".join(notes)), changed
    return ("ok", names_of(result)), False


def sized_out(op, lists, fields, shapes, chance):
    """out= of the result's sizes; a named one of others is refused, and others are resized."""
    if op == "matmul":
        a, b = shapes
        lead = [s[:-2] for s in shapes]
        most = max(map(len, lead))
        whole = tuple(
            max(s[k - most + len(s)] if k - most + len(s) >= 0 else 1 for s in lead)
            for k in range(most)
        )
        rows = a[-2:-1] + (b[-1:] if len(b) > 1 else ())
        result = whole + rows
    else:
        most = max(map(len, shapes))
        result = tuple(
            next((s[k - most] for s in shapes if len(s) >= most - k and s[k - most] != 1), 1)
            for k in range(most)
        )
    out = fields["out"]
    fits = len(out) == len(result)
    shape = result if fits and chance.random() < 0.8 else tuple(chance.randint(1, 3) for _ in out)
    return {"out": (out, shape)}, result, shape


def told(op, lists, fields):
    """The model's answer; None where nomen_infer alone can be asked that way."""
    try:
        return "ok", list(answer(op, lists, **fields))
    except Refused as refused:
        if refused.kind == "type":
            return None
        return EXCEPTIONS[refused.kind], refused.text, refused.hint


def compare(count=3000, seed=1, families=None):
    """Counts of calls by rule, and what differs: [(op, lists, fields, shapes, expected, got)]."""
    chance = random.Random(seed)
    counted, wrong = Counter(), []
    for family in families or questions.families():
        op = family.op
        if op not in CALLS:
            continue
        for lists, fields in questions.some(family, count, chance):
            names = fields.get("names") or ()
            if any(isinstance(x, int) for x in names) or (op == "zeros" and ... in names):
                continue  # Python has other words for a number where a name is wanted
            if ... in (fields.get("dim") or ()) and op != "flatten":
                continue  # and for `...` where a dim is wanted
            shapes = sizes_of(op, lists, fields, chance)
            given, about = dict(fields), dict(fields)
            if "out" in fields:
                given, result, shape = sized_out(op, lists, fields, shapes, chance)
                about.update(out_size=shape, result_size=result)
            wants = told(op, lists, about)
            if wants is None or not suits(op, lists, wants):
                continue
            try:
                got, changed = asked(op, lists, given, shapes, chance)
            except Skip:
                continue
            counted[family.rule] += 1
            if got != wants or changed:
                wrong.append((op, lists, fields, shapes, wants, got + ("changed",) * changed))
    return counted, wrong


def main():
    counted, wrong = compare(int(sys.argv[1]) if len(sys.argv) > 1 else 3000)
    for rule, number in counted.items():
        print(f"{rule:18}{number:10}")
    seen = Counter()
    for op, lists, fields, shapes, wants, got in wrong:
        seen[op] += 1
        if seen[op] <= 3:
            print(f"{op} {lists} {fields} {shapes}\n    expected {wants}\n    got      {got}")
    print(dict(seen))
    right = sum(counted.values()) - len(wrong)
    print(f"figure: calls of tensors that gave the names of the model: {right}")
    print(f"figure: calls of tensors that gave others: {len(wrong)}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
