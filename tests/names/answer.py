"""A question to nomen_infer, answered by the model: which rule an operation has, how many results,
and what a tensor that is written adds."""

import json
from pathlib import Path

from names import model
from names.model import ALL, Refused

ROOT = Path(__file__).resolve().parents[2]
ROWS = {row["name"]: row for row in json.loads((ROOT / "tests/ops.gen.json").read_text())["ops"]}
VIEWS = """rename refine align_to align_as align_tensors flatten unflatten squeeze select transpose
permute move reshape strided append drop_last insert expand diagonal""".split()
ONE_WITHOUT_DIM = ("max", "min", "median", "nanmedian")  # two results with a dim


class Question:
    """What nomen_infer_args holds. dim and names: lists, or ALL for none given."""

    def __init__(
        self, op, lists, dim=ALL, names=ALL, out_dim=None, keepdim=False, ndim=0, out=ALL,
        size=None, out_size=None, result_size=None, strict=False, equation=None
    ):  # fmt: skip
        self.op, self.lists, self.dim, self.names, self.out_dim = op, lists, dim, names, out_dim
        self.keepdim, self.ndim, self.out, self.strict, self.equation = (
            keepdim, ndim, out, strict, equation)  # fmt: skip
        self.size, self.out_size, self.result_size = size, out_size, result_size
        self.names_its_dim = out_dim is not None
        if out_dim == "*":  # a dim without a name, which is asked for
            self.out_dim = None

    @property
    def own(self):
        return self.lists[0]

    def row(self):
        if self.op == "expand_as":  # an operation without a row
            return ROWS["expand"] | {"name": self.op}
        name = self.op if self.op in ROWS else self.op.removesuffix("_")
        return ROWS[name]

    def dims(self, count, default=ALL):
        """So many dims, not more and not fewer."""
        if self.dim is ALL and default is not ALL:
            return default
        given = 0 if self.dim is ALL else len(self.dim)
        if given != count:
            raise Refused(
                "type",
                f"{self.op}: takes {count} dim{'s' * (count != 1)}, but {given} "
                f"{'was' if given == 1 else 'were'} given",
            )
        return self.dim or ()


def keep(q):
    model.positions(q.own, q.dim or ())
    return q.own


def reduce(q, without_dim=ALL):
    """No dims, and an empty list of dims, are all dims."""
    dims = without_dim if q.dim is ALL else q.dim
    gone = model.positions(q.own, dims) if dims else range(len(q.own))
    return q.own if q.keepdim else model.without(q.own, gone)


def contract(q, a, b):
    model.contracted(a, b, q.op, q.strict)
    return model.matmul(a, b)


def contract_sum_add(q):
    bias, a, b = q.lists
    product = contract(q, a, b)
    return model.unify(product[1:] if len(product) > 2 else product, bias)


def cat(q):
    """A dim's name is looked up in the first tensor before all else, a position once all are known
    to have dims."""
    dim = 0 if q.dim is ALL else q.dims(1)[0]
    if not isinstance(dim, int):
        model.position(q.own, dim)
    model.none_without_dims(q.lists)
    model.position(q.own, dim)
    return model.cat(q.lists)


def stack(q):
    (dim,) = q.dims(1, (0,))
    where = model.place(q.own, dim)
    return model.put_in(model.stack(q.lists), where, q.out_dim)


def unnamed(q):
    return (None,) * max(q.ndim, 1)


def given(q):
    if q.names is ALL:
        return (None,) * q.ndim
    names = tuple(model.name_of(x) for x in q.names)
    return model.valid(names, q.ndim or len(names))


def along(q, operands):
    keep(q)
    return model.unify_all(operands)


def spread(q):
    if len(q.lists) == 1:
        return (None,)
    if q.dim is ALL:
        return model.vector(q.own)
    model.of_some(q.own, q.dims(1)[0])
    return q.own


def put(q):
    """What is put must match what the same index takes."""
    model.unify(model.index(q.own, q.dim, q.lists[1], q.op), q.lists[2])
    return q.own


def resized(q):
    if not any(q.own):
        return (None,) * q.ndim
    if q.size is not None:
        model.check_resize(q.own, q.size, q.result_size)
    return q.own


def reshaped(q):
    if not any(q.own):
        return (None,) * q.ndim
    return model.reshape(q.own, q.size, q.result_size)


def moved(q):
    dims = q.dims(2 if q.dim is ALL else len(q.dim) // 2 * 2)
    return model.moved(q.own, dims[: len(dims) // 2], dims[len(dims) // 2 :])


def dropped(q):
    if not q.own:
        raise Refused("shape", "Input tensor must have one or more dimensions")
    return q.own[:-1]


def selected(q):
    if q.op == "unbind":
        return model.unbind(q.own, q.dims(1, (0,))[0])
    return model.select(q.own, q.dims(1)[0])


def renamed(q):
    if q.dim is ALL:
        return model.rename(q.own, q.names, q.op)
    return model.rename_map(q.own, q.dim, q.names or (), q.op)


def flattened(q):
    span = len(q.dim) == 3 and q.dim[1] is ... if q.dim is not ALL else True
    if span:
        ends = (0, -1) if q.dim is ALL else (q.dim[0], q.dim[2])
        result = model.flatten_range(q.own, *ends, q.out_dim)
    else:
        result = model.flatten_list(q.own, q.dim, q.out_dim)
    # one dim alone stays what it is unless it is to have another name
    return q.own if len(q.own) == len(result) and not q.names_its_dim else result


def squeezed(q):
    return model.squeeze(q.own, q.dim, q.size or (1,) * len(q.own))


def permuted(q):
    return model.permute(q.own, q.dims(len(q.own)))


RULES = {
    "none": lambda q: (),
    "compared": lambda q: model.unify(*q.lists) and () or (),
    "given": given,
    "keep": keep,
    "unify": lambda q: model.unify_all(q.lists),
    "reduce": reduce,
    "reduce_last": lambda q: reduce(q, (-1,)),
    "contract": lambda q: contract(q, *q.lists),
    "contract_add": lambda q: model.unify(contract(q, *q.lists[1:]), q.own),
    "contract_sum_add": contract_sum_add,
    "outer": lambda q: model.distinct(q.op, q.lists[0] + q.lists[1]),
    "outer_add": lambda q: model.unify(model.distinct("addr", q.lists[1] + q.lists[2]), q.own),
    "inner": lambda q: model.inner(*q.lists, q.strict),
    "subscripts": lambda q: model.einsum(q.equation, q.lists, q.strict),
    "pairwise": lambda q: model.cdist(*q.lists),
    "cat": cat,
    "pile": lambda q: model.pile(q.op, q.lists),
    "stack": stack,
    "masked_fill": lambda q: model.masked_fill(*q.lists[:2], q.op),
    "masked_select": lambda q: model.unify(*q.lists) and (None,) or (None,),
    "index": lambda q: model.index(q.own, q.dim, q.lists[1], q.op),
    "index_put": put,
    "along": lambda q: along(q, q.lists),
    "along_last": lambda q: along(q, q.lists[::2]),
    "take_along": lambda q: along(q, q.lists if q.dim else map(model.vector, q.lists)),
    "resize": resized,
    "spread": spread,
    "diag": lambda q: model.diag(q.own),
    "diag_embed": lambda q: model.diag_embed(q.own, *q.dims(2, (-2, -1))),
    "as_index": lambda q: q.lists[1],
    "positions": lambda q: (None, None),
    "unnamed": unnamed,
    "search": lambda q: model.search(*q.lists),
    "unique": lambda q: unnamed(q) if q.dim is ALL else keep(q),
    "quantile": lambda q: model.distinct(q.op, sum(q.lists[1:], ()) + reduce(q)),
    "rename": renamed,
    "refine": lambda q: model.refine_names(q.own, q.names),
    "align_to": lambda q: model.align_to(q.own, q.names)[0],
    "align_as": lambda q: model.align_to(*q.lists)[0],
    "align_tensors": lambda q: model.align_tensors(q.lists),
    "flatten": flattened,
    "unflatten": lambda q: model.unflatten(q.own, q.dims(1)[0], q.names, q.ndim),
    "squeeze": squeezed,
    "select": selected,
    "transpose": lambda q: model.transpose(q.own, *q.dims(2)),
    "permute": permuted,
    "insert": lambda q: model.unsqueeze(q.own, q.dims(1)[0], q.out_dim),
    "move": moved,
    "reshape": reshaped,
    "strided": lambda q: (None,) * q.ndim,
    "append": lambda q: model.put_in(keep(q), len(q.own), None),
    "drop_last": dropped,
    "expand": lambda q: model.expand(q.own, len(q.lists[1]) if q.lists[1:] else q.ndim),
    "repeat": lambda q: model.repeat(q.own, q.ndim),
    "tile": lambda q: model.expand(q.own, max(q.ndim, len(q.own))),
    "diagonal": lambda q: model.diagonal(q.own, *q.dims(2, (0, 1)), q.out_dim),
}


def answer(op, lists, **fields):
    """The names of each result; Refused if there is none."""
    q = Question(op, lists, **fields)
    for names in lists:
        model.valid(names)
    row = q.row()
    result = RULES[row["rule"]](q)
    if q.out is not ALL:
        if row["rule"] in VIEWS:
            raise Refused("type", f"{op}: takes no out")
        model.valid(q.out)
        if q.out_size is not None:
            model.check_resize(q.out, q.out_size, q.result_size[: len(result)])
        model.match_out(q.out, result)
    if op != row["name"] and row["rule"] not in VIEWS:  # in place
        model.match_out(q.own, result)
    if row["rule"] == "align_tensors":
        return result
    two = "second" in row["more"] and not (op in ONE_WITHOUT_DIM and q.dim is ALL)
    return [result] * (2 if two else 1)
