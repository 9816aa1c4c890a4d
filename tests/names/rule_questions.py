"""Questions to the rules themselves: positions that they find, which nomen_infer does not tell.

Each operation here has a "!" before its name; ask_all.c knows them.
"""

from names import model, questions
from names.model import Refused


def positions_of(op, lists, dim):
    own = lists[0]
    if op == "!align_to":
        return model.align_to(own, dim)[1]
    if op == "!align_tensors":
        return model.align_one(*lists)
    if op == "!flatten_list":
        model.flatten_list(own, dim, None)
        first = model.position(own, dim[0])
        return [first, first + len(dim) - 1 if own else -1]
    if op == "!flatten_range":
        model.flatten_range(own, *dim, None)
        return [model.position(own, dim[0]), model.position(own, dim[1]) if own else -1]
    if op == "!transposed":
        return model.transposed(own, *dim)
    if op == "!order":
        model.permute(own, dim)
        return [model.position(own, d) for d in dim]
    found = list(range(len(own))) if dim is None else model.positions(own, dim)
    return [*found, sum(1 << p for p in found)]


def families():
    own = questions.L4
    yield "!align_to", [own, questions.WANTED + questions.DOTTED], 1
    yield "!align_tensors", [own, own, [None]], 2
    yield "!flatten_list", [own, questions.dims(most=3)[1:]], 1
    yield "!flatten_range", [own, questions.several(2)], 1
    yield "!positions", [own, [None]], 1
    alone = [(0,), (-1,), (0, 0), (0, -1)]
    yield "!flatten_list", [[()], alone], 1
    yield "!flatten_range", [[()], alone[2:]], 1
    yield "!transposed", [own, questions.several(2)], 1
    yield "!order", [own, questions.dims(most=3)[1:]], 1
    yield "!positions", [own, questions.dims(most=3)], 1


def positions(each, chance):
    """(op, lists, fields, answer) as questions.some and compare_infer.expected give them."""
    for op, axes, count in families():
        for _ in range(each):
            *lists, dim = (chance.choice(axis) for axis in axes)
            try:
                answer = " ".join(map(str, positions_of(op, lists, dim)))
            except Refused as refused:
                answer = refused.kind, refused.text, refused.hint
            yield op, tuple(lists), {"dim": dim}, answer
