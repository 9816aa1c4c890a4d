"""Families of questions about names: an operation, and what each of its arguments may be. All
combinations are the family; a slice of it is drawn without making the others."""

import itertools
import math
from collections import namedtuple

NAMES = ("A", "B", "C")
UPTO = 4  # dims


def lists(rank, least=0):
    """All lists of up to so many dims, unnamed or of different names."""
    found = []
    for r in range(least, rank + 1):
        for names in itertools.product((None, *NAMES), repeat=r):
            given = [name for name in names if name]
            if len(given) == len(set(given)):
                found.append(names)
    return found


L1, L2, L3, L4 = lists(1), lists(2), lists(3), lists(4)
REFS = (*NAMES, "D", "a", None, ..., *range(-5, 5))  # "D" and "a" are nobody's names
FEW = ("A", "B", "D", None, 0, 1, -1, -2, 3)
NEW = (None, "A", "B", "D")
BOTH = (False, True)

Family = namedtuple("Family", "rule op axes call")


def one(refs=REFS):
    return [(ref,) for ref in refs]


def several(count, refs=FEW):
    return list(itertools.product(refs, repeat=count))


def dims(single=REFS, most=2, refs=FEW):
    """None given, an empty list, one, and up to `most`."""
    found = [None, (), *one(single)]
    for count in range(2, most + 1):
        found += several(count, refs)
    return found


# Names that are easily taken for each other, and slips of them.
WORDS = [
    ("batch", "channel"),
    ("channel", "chanel"),
    ("time", None),
    ("tiem", "time"),
    ("aB", "b"),
    ("Zone", "zonal"),
    ("Z9", "A9"),
    ("x" * 31,),
    ("x" * 32,),
    ("abc", "abd", "abcd"),
    ("width", "height", "depth"),
]
SLIPS = """chanel cahnnel CHANNEL channels chnnl hcannel chennal channle chan batc bathc abtch batxx
Batch tiem tme timee emit ti t ab Ab ba zone ZONE xone abc acb abce adc cba wdith widht heihgt
hieght hegiht dpeth detph length
weight eight heightt aheight bbatch a b B widt idth wihtd""".split()
SLIPS += ["z9", "a9", "heixxt", "chxxel", "x" * 30, "x" * 31, "x" * 32, "x" * 33, "X" * 29]


def with_ellipsis(names):
    """A `...` at each place of each list; two of them in the short ones."""
    found = [(*n[:i], ..., *n[i:]) for n in names for i in range(len(n) + 1)]
    return found + [(..., *n, ...) for n in names if len(n) < 2]


# Names to ask for: some come twice, some are nobody's, some are no names.
ODD = [("A", "A"), ("D", None, "D"), (0,), ("A", 1), ("A", "D", "B", "C", "A"), ("D",) * 3]
WANTED = L4 + ODD
DOTTED = with_ellipsis(L3 + ODD[:4])
SPANS = [(a, ..., b) for a in FEW for b in FEW]
EQUATIONS = {
    1: ("ab->ba", "aab->b", "aab->ab", "abc->", "...a->a...", "...->...", "a...b->b...a", "aa->a"),
    2: ("ab,bc->ac", "a,a->", "a,b->ab", "ab,ab->ab", "...a,...b->...ab", "a...,a...->...",
        "ab,b...->a...", "...,...->..."),
    3: ("ab,bc,cd->ad", "a,a,a->a", "...a,a,...->...a"),
}  # fmt: skip


def plain(op, *axes, rule, **fixed):
    return Family(rule, op, axes, lambda *names: (names, dict(fixed)))


def on(op, *axes, rule, **fixed):
    """One operand, then fields by name: ("dim", [...])."""
    keys = [key for key, _ in axes[1:]]
    values = [axes[0], *(choices for _, choices in axes[1:])]

    def call(own, *rest):
        return (own,), {**dict(zip(keys, rest)), **fixed}

    return Family(rule, op, values, call)


def two(op, *axes, rule, count=2, **fixed):
    keys = [key for key, _ in axes[count:]]
    values = [*axes[:count], *(choices for _, choices in axes[count:])]

    def call(*given):
        return given[:count], {**dict(zip(keys, given[count:])), **fixed}

    return Family(rule, op, values, call)


def einsum(count, names):
    fields = ("equation", EQUATIONS[count]), ("strict", BOTH)
    family = two("einsum", *[names] * count, *fields, rule="subscripts", count=count)
    return family


def fits(lists_, fields):
    """einsum: the operands have the dims of the equation; how it reads wrong ones is no matter of
    names."""
    terms = fields["equation"].partition("->")[0].split(",")
    return all(
        len(names) >= len(term) - 3 if "..." in term else len(names) == len(term)
        for term, names in zip(terms, lists_)
    )


def squeezing():
    sizes = {r: list(itertools.product((1, 2), repeat=r)) for r in range(UPTO + 1)}

    def call(own, dim, k):
        mine = sizes[len(own)]
        return (own,), {"dim": dim, "size": mine[k % len(mine)]}

    return Family("squeeze", "squeeze", [L4, dims(), range(16)], call)


def reshaping():
    """The same elements in other sizes, 0 and 1 among them."""
    sizes = [s for r in range(UPTO + 1) for s in itertools.product((0, 1, 2, 3, 6), repeat=r)]
    by_product = {}
    for s in sizes:
        by_product.setdefault(math.prod(s), []).append(s)

    def call(own, i, k):
        mine = [s for s in sizes if len(s) == len(own)]
        before = mine[i % len(mine)]
        others = by_product[math.prod(before)]
        after = others[k % len(others)]
        return (own,), {"ndim": len(after), "size": before, "result_size": after}

    return Family("reshape", "reshape", [L4, range(0, 625, 7), range(0, 300, 11)], call)


def resizing():
    sizes = [(), (1,), (2,), (1, 1), (1, 2), (2, 2), (1, 1, 2)]

    def call(own, after):
        size = {"size": (1, 2, 2)[: len(own)], "ndim": len(after), "result_size": after}
        return (own,), size

    return Family("resize", "resize_", [L3, sizes], call)


def written(op, count, names, outs):
    """out=, of the right sizes and of wrong ones."""

    def call(*given):
        *operands, out, wrong = given
        had = tuple(range(2, 2 + len(out))) if wrong else (1,) * len(out)
        return tuple(operands), dict(out=out, out_size=had, result_size=(1,) * 8)

    return Family("out=", op, [*[names] * count, outs, BOTH], call)


def renaming_map():
    fresh = [(), *one((*NEW, 1)), *itertools.product(NEW, repeat=2)]
    olds = [
        (),
        *one(("A", "B", "D", "a", None, 0)),
        *itertools.product(("A", "B", "C", "D"), repeat=2),
    ]
    return [("dim", olds), ("names", fresh)]


def families():
    new_name = ("out_dim", (*NEW, "*"))
    yield on("abs", L4, ("dim", dims()), rule="keep")
    yield on("softmax", L4, ("dim", one()), rule="keep")
    yield plain("abs_", L4, rule="keep")
    yield plain("add", L4, L4, rule="unify")
    yield plain("add_", L4, L4, rule="unify")
    yield plain("copy_", L4, L4, rule="unify")
    yield plain("where", L4, L4, L4, rule="unify")
    yield plain("addcmul_", L2, L2, L2, rule="unify")
    yield plain("add", L2, L2, L2, L2, rule="unify")
    yield plain("add", L1, L1, L1, L2, L2, rule="unify")
    yield written("abs", 1, L4, L4)
    yield written("add", 2, L3, L4)
    yield written("matmul", 2, L3, L3)
    yield on("sum", L4, ("dim", dims(most=3)), ("keepdim", BOTH), rule="reduce")
    yield on("max", L4, ("dim", dims()), ("keepdim", BOTH), rule="reduce")
    yield on("var_mean", L3, ("dim", dims()), ("keepdim", BOTH), rule="reduce")
    yield on("mode", L4, ("dim", dims()), ("keepdim", BOTH), rule="reduce_last")
    for op in ("matmul", "dot"):
        yield two(op, L4, L4, ("strict", BOTH), rule="contract")
    yield two("addmm", L2, L4, L4, ("strict", BOTH), rule="contract_add", count=3)
    yield two("addmv", L4, L2, L2, ("strict", BOTH), rule="contract_add", count=3)
    yield two("addmm_", L2, L2, L2, rule="contract_add", count=3)
    yield two("addbmm", L3, L3, L3, ("strict", BOTH), rule="contract_sum_add", count=3)
    yield plain("outer", L4, L4, rule="outer")
    yield plain("addr", L3, L2, L2, rule="outer_add")
    yield two("inner", L4, L4, ("strict", BOTH), rule="inner")
    yield einsum(1, L4)
    yield einsum(2, L3)
    yield einsum(3, L2)
    yield plain("cdist", L4, L4, rule="pairwise")
    yield plain("cat", L4, L4, rule="cat")
    yield plain("cat", L3, L3, L3, rule="cat")
    yield two("cat", L2, L2, ("dim", dims()), rule="cat")
    yield on("cat", L2, ("dim", dims()), rule="cat")
    yield two("stack", L3, L3, ("dim", dims(refs=(0, "A"))), ("out_dim", NEW), rule="stack")
    yield plain("stack", L2, L2, L2, rule="stack")
    for op in ("masked_fill", "masked_fill_"):
        yield plain(op, L4, L4, rule="masked_fill")
    yield plain("masked_select", L4, L4, rule="masked_select")
    yield two("index", L4, L3, ("dim", dims(FEW)), rule="index")
    yield two("index", L4, L1, ("dim", several(3)), rule="index")
    yield plain("take", L4, L4, rule="as_index")
    yield plain("nonzero", L4, rule="positions")
    yield on("histc", L4, ("ndim", range(6)), rule="unnamed")
    yield on("as_strided", L4, ("ndim", range(6)), rule="strided")
    yield plain("dist", L4, L4, rule="compared")
    for op in ("hstack", "vstack", "dstack", "column_stack"):
        yield plain(op, L4, L4, rule="pile")
        yield plain(op, L2, L2, L2, rule="pile")
    yield two("index_put", L2, L1, L2, ("dim", dims(FEW)), rule="index_put", count=3)
    yield two("gather", L4, L4, ("dim", one(FEW)), rule="along")
    yield two("scatter", L2, L2, L2, ("dim", one(FEW)), rule="along", count=3)
    yield two("index_add", L3, L1, L3, ("dim", one(FEW)), rule="along_last", count=3)
    yield two("take_along_dim", L3, L3, ("dim", [None, *one(FEW)]), rule="take_along")
    yield plain("masked_scatter", L2, L2, L2, rule="masked_fill")
    yield on("resize_", L2, ("ndim", range(4)), rule="resize")
    yield resizing()
    yield plain("resize_as_", L4, L4, rule="as_index")
    yield two("repeat_interleave", L4, L1, ("dim", dims()), rule="spread")
    yield on("repeat_interleave", L4, ("dim", dims()), rule="spread")
    yield plain("diag", L4, rule="diag")
    pair = ("dim", [None, *one(), *several(2), *several(2, range(-6, 6))])
    yield on("diag_embed", L4, pair, rule="diag_embed")
    yield on("unfold", L4, ("dim", dims()), rule="append")
    yield plain("view_as_real", L4, rule="append")
    yield plain("view_as_complex", L4, rule="drop_last")
    moves = [None, *one(), *several(2), *several(3), *several(4, ("A", "B", 0, 1, -1, "D"))]
    yield on("movedim", L4, ("dim", moves), rule="move")
    yield reshaping()
    yield on("reshape", [n for n in L4 if not any(n)], ("ndim", range(6)), rule="reshape")
    yield on("repeat", L4, ("ndim", range(7)), rule="repeat")
    yield on("tile", L4, ("ndim", range(7)), rule="tile")
    yield plain("expand_as", L4, L4, rule="expand")
    yield on("unbind", L4, ("dim", dims()), rule="select")
    yield plain("searchsorted", L4, L4, rule="search")
    yield on("unique", L4, ("dim", dims()), rule="unique")
    yield two("quantile", L4, L2, ("dim", dims()), ("keepdim", BOTH), rule="quantile")
    yield on("quantile", L4, ("dim", dims()), rule="quantile")
    yield on("rename", L4, ("names", [None, *WANTED, *DOTTED]), rule="rename")
    yield on("rename_", L3, ("names", [None, *WANTED, *DOTTED]), rule="rename")
    yield on("rename", L4, *renaming_map(), rule="rename")
    yield on("refine_names", L4, ("names", WANTED + DOTTED), rule="refine")
    yield on("align_to", L4, ("names", WANTED + DOTTED), rule="align_to")
    yield plain("align_as", L4, L4, rule="align_as")
    yield plain("align_tensors", L4, L4, rule="align_tensors")
    yield plain("align_tensors", L3, L3, L3, rule="align_tensors")
    yield on("flatten", L4, ("dim", [*dims(most=3), *SPANS]), new_name, rule="flatten")
    yield on("unflatten", L4, ("dim", dims(FEW)), ("names", L3 + ODD), rule="unflatten")
    names = ("names", [None, *L2, (None, None, 0)])
    yield on("unflatten", L4, ("dim", one(FEW)), names, ("ndim", range(4)), rule="unflatten")
    yield squeezing()
    yield on("select", L4, ("dim", dims()), rule="select")
    yield on(
        "transpose", L4, ("dim", [None, *one(), *several(2, REFS), *several(3)]), rule="transpose"
    )
    yield on("permute", L4, ("dim", dims(most=3)), rule="permute")
    yield on("permute", lists(4, 4), ("dim", several(4, ("A", "B", 0, 1, -1, 2))), rule="permute")
    yield on("unsqueeze", L4, ("dim", dims()), ("out_dim", NEW), rule="insert")
    yield on("expand", L4, ("ndim", range(7)), rule="expand")
    yield on(
        "diagonal", L4, ("dim", [None, *one(), *several(2)]), ("out_dim", NEW), rule="diagonal"
    )
    # what a slice of the families above may miss
    yield two("index", L3, [(None,), ("D",)], ("dim", one((0, -1, "A"))), rule="index")
    yield two("inner", [()], L2, ("strict", BOTH), rule="inner")
    yield two("inner", L2, [()], ("strict", BOTH), rule="inner")
    yield on("flatten", L2, ("dim", [()]), ("out_dim", NEW), rule="flatten")
    yield on("unflatten", L2, ("dim", [(0,)]), ("names", [()]), rule="unflatten")
    yield on("select", [()], ("dim", [(0,), (-1,), ("A",)]), rule="select")
    yield on("rename", L2, ("dim", [(None,), ("Q",)]), ("names", [(None,), ("Z",)]), rule="rename")
    yield on("sum", WORDS, ("dim", one(SLIPS)), rule="reduce")
    yield on("rename", WORDS, ("dim", one(SLIPS)), ("names", [("z",)]), rule="rename")
    yield plain("trace", L4, rule="none")
    yield Family("given", "zeros", [[None, *WANTED, (...,)]], lambda n: ((), {"names": n}))
    sized = [[None, *WANTED, (...,)], range(5)]
    yield Family("given", "zeros", sized, lambda n, r: ((), {"names": n, "ndim": r}))


def size(family):
    return math.prod(map(len, family.axes))


def every(family):
    """(operands, fields) of all combinations."""
    for choice in itertools.product(*family.axes):
        lists_, fields = family.call(*choice)
        if family.op != "einsum" or fits(lists_, fields):
            yield lists_, fields


def some(family, count, random):
    """So many of them, or all if they are no more."""
    total = size(family)
    if total <= count:
        yield from every(family)
        return
    for k in random.sample(range(total), count):
        choice = []
        for axis in reversed(family.axes):
            k, at = divmod(k, len(axis))
            choice.append(axis[at])
        lists_, fields = family.call(*reversed(choice))
        if family.op != "einsum" or fits(lists_, fields):
            yield lists_, fields
