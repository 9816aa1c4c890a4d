"""The name rules as a specification that runs: names in, names or an error out.

Written from PyTorch's reference of name inference and from what PyTorch 1.13.1 was seen to do, not
from src/op: that both agree on all small inputs (compare.py) is what this file is for. A list of
names is a tuple of text and None (an unnamed dim). A dim is a name, None, a position or `...`.
Sizes play no part, but for squeeze and `out=`. What an error advises is in advice.py.
"""

import math

from names import advice

ALL = None  # a list of dims that is not given


class Refused(Exception):
    """kind: name, shape, index, type or state, as in NOMEN_ERROR_NAME."""

    def __init__(self, kind, text, hint=""):
        super().__init__(text)
        self.kind, self.text, self.hint = kind, text, hint


# ---- how lists look in errors ------------------------------------------------------------------


def item(x):
    return "'...'" if x is ... else f"'{x}'" if isinstance(x, str) else str(x)


def listed(items):
    return "[" + ", ".join(map(item, items)) + "]"


def tupled(items):
    return "(" + ", ".join(map(item, items)) + (",)" if len(items) == 1 else ")")


# ---- names and dims ----------------------------------------------------------------------------


def valid(names, rank=None):
    """As many names as dims, at most 64, none of them twice."""
    rank = len(names) if rank is None else rank
    if rank > 64:
        raise Refused("name", too_many(rank, names))
    if len(names) != rank:
        raise Refused(
            "name",
            f"Number of names ({len(names)}) and number of dimensions in tensor ({rank}) do not "
            f"match. Attempted to create a tensor with names {listed(names)}",
            advice.COUNT,
        )
    if repeated(names):
        raise Refused(
            "name",
            f"Cannot construct a tensor with duplicate names. Got names: {listed(names)}.",
            advice.DUPLICATE,
        )
    return tuple(names)


def too_many(rank, names):
    return (
        "Named tensors only support up to 64 dims: Attempted to create a tensor with dim "
        f"{rank} with names {listed(names)}"
    )


def repeated(names):
    """The first name that comes again: both positions, or None."""
    for i, name in enumerate(names):
        if name is not None and name in names[i + 1 :]:
            return i, names.index(name, i + 1)
    return None


def invalid_name(text):
    return Refused(
        "name",
        "Invalid name: a valid identifier contains only digits, alphabetical characters, and/or "
        f"underscore and starts with a non-digit. got: '{text}'.",
    )


def name_of(x):
    """Where a name is wanted, a number and `...` are invalid names."""
    if x is ... or isinstance(x, int):
        raise invalid_name("..." if x is ... else x)
    return x


def position(own, dim):
    """A tensor without dims has one position, 0 or -1, as a tensor of one dim does."""
    if isinstance(dim, int):
        n = max(len(own), 1)
        if not -n <= dim < n:
            raise Refused(
                "index",
                f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got "
                f"{dim})",
                advice.dims(own, listed(own)),
            )
        return dim % n
    if name_of(dim) is None:
        raise Refused("name", "Please look up dimensions by name, got: name = None.")
    if dim not in own:
        raise Refused(
            "name",
            f"Name '{dim}' not found in Tensor{listed(own)}.",
            advice.missing(own, dim, listed(own)),
        )
    return own.index(dim)


def positions(own, dims):
    """All are looked up before one that comes twice is told."""
    found = [position(own, dim) for dim in dims]
    for i, p in enumerate(found):
        if p in found[:i]:
            raise Refused(
                "name",
                f"dim {p} appears multiple times in the list of dims",
                advice.EACH_ONCE,
            )
    return found


def without(own, gone):
    return tuple(name for i, name in enumerate(own) if i not in gone)


def put_in(own, where, name):
    """A new dim."""
    if len(own) >= 64:
        raise Refused("name", too_many(len(own) + 1, own))
    return valid(own[:where] + (name,) + own[where:])


# ---- matching from the right -------------------------------------------------------------------


def from_right(names, k):
    return names[-k] if k <= len(names) else None


def unify(a, b, action="broadcast"):
    result = ()
    for k in range(1, max(len(a), len(b)) + 1):
        x, y = from_right(a, k), from_right(b, k)
        if x and y and x != y:
            raise Refused(
                "name",
                f"Error when attempting to {action} dims {listed(a)} and dims {listed(b)}: dim "
                f"'{x}' and dim '{y}' are at the same position from the right but do not match.",
                advice.disagree(a, b),
            )
        for name, against, own, other in ((x, y, a, b), (y, x, b, a)):
            if name and against is None and name in other:
                raise Refused(
                    "name",
                    f"Misaligned dims when attempting to {action} dims {listed(own)} and dims "
                    f"{listed(other)}: dim '{name}' appears in a different position from the "
                    "right across both lists.",
                    advice.disagree(own, other),
                )
        result = (x or y,) + result
    return result


def unify_all(lists, action="broadcast"):
    result = ()
    for names in lists:
        result = unify(result, names, action)
    return result


def none_without_dims(lists):
    for i, names in enumerate(lists):
        if not names:
            raise Refused(
                "shape", f"zero-dimensional tensor (at position {i}) cannot be concatenated"
            )


def cat(lists):
    result = lists[0]
    for names in lists[1:]:
        if len(names) != len(result):
            raise Refused(
                "shape",
                "Tensors must have same number of dimensions: got "
                f"{len(result)} and {len(names)}",
            )
        result = unify(result, names, "cat")
    return result


def masked_fill(own, mask, op):
    if len(mask) > len(own) and any(own + mask):
        raise Refused(
            "shape",
            f"{op}: attempted to broadcast Tensor{listed(mask)} to Tensor{listed(own)} but the "
            f"number of dims ({len(mask)}) must be less than or equal to the number of dims in "
            f"the tensor ({len(own)})",
        )
    return unify(own, mask)


# ---- products ----------------------------------------------------------------------------------


def batch(names):
    return names[:-2]


def unify_batch(a, b, op):
    """[(name, where it comes from)] of batch dims. A dim that one side lacks is not compared; of
    several mistakes the leftmost is told."""
    na, nb = len(batch(a)), len(batch(b))
    result = []
    for k in range(max(na, nb), 0, -1):
        i, j = na - k, nb - k
        x, y = (a[i] if i >= 0 else None), (b[j] if j >= 0 else None)
        if i >= 0 and j >= 0 and x != y:
            if x and y:
                raise Refused(
                    "name",
                    f"{op}: Expected '{x}' (index {i} of {listed(a)}) to match '{y}' (index {j} of "
                    f"{listed(b)}) but they do not match.",
                    advice.BATCH,
                )
            name, at, named, against, other = (x, i, a, j, b) if x else (y, j, b, i, a)
            if name in other:
                raise Refused(
                    "name",
                    f"{op}: Cannot match '{name}' (index {at} of {listed(named)}) with None (index "
                    f"{against} of {listed(other)}) because the latter names already have "
                    f"'{name}'. Are your tensors misaligned?",
                    advice.elsewhere(name),
                )
        result.append((x, i, a) if x else (y, j, b))
    return result


def matmul(a, b):
    if not a or not b:
        raise Refused(
            "shape",
            f"both arguments to matmul need to be at least 1D, but they are {len(a)}D and "
            f"{len(b)}D",
        )
    result = tuple(name for name, _, _ in unify_batch(a, b, "matmul"))
    result += a[-2:-1] + (b[-1:] if len(b) >= 2 else ())
    if repeated(result):
        raise Refused(
            "name",
            f"Matrix multiplying Tensor{listed(a)} with Tensor{listed(b)} would produce output "
            f"tensor with duplicate names {listed(result)}. Please rename the input tensors with "
            "`Tensor.rename` to prevent this.",
        )
    return result


def contracted(a, b, op, strict):
    """Strict contraction: the last dim of a and the last but one of b (a vector's only one)."""
    if not strict or not a or not b:
        return
    j = max(len(b) - 2, 0)
    x, y = a[-1], b[j]
    if x and y and x != y:
        raise Refused(
            "name",
            f"{op}: strict contraction: '{x}' (index {len(a) - 1} of {listed(a)}) and '{y}' (index "
            f"{j} of {listed(b)}) would be contracted but have different names.",
            advice.SAME_NAME,
        )


def distinct(op, names):
    if len(names) > 64:
        raise Refused("shape", f"{op}: the result has more than 64 dims")
    if repeated(names):
        raise Refused(
            "name",
            f"{op}: would produce output tensor with duplicate names {listed(names)}. Please "
            "rename the input tensors with `Tensor.rename` to prevent this.",
        )
    return names


def inner(a, b, strict):
    """A number is a factor; else the last dims are summed over."""
    if not a or not b:
        return distinct("inner", a + b)
    contracted(a, b[-1:], "inner", strict)
    return distinct("inner", a[:-1] + b[:-1])


def cdist(a, b):
    if len(a) < 2 or len(b) < 2:
        raise Refused(
            "shape",
            f"cdist: both operands need at least 2 dims, but Tensor{listed(a)} has {len(a)} and "
            f"Tensor{listed(b)} has {len(b)}",
        )
    dims = unify_batch(a, b, "cdist") + [(a[-2], -2, a), (b[-2], -2, b)]
    result = tuple(name for name, _, _ in dims)
    twice = repeated(result)
    if twice:
        first, second = (f"'{n}' (index {i} of {listed(names)})" for n, i, names in
                         (dims[k] for k in twice))  # fmt: skip
        raise Refused(
            "name",
            f"cdist: Attempted to propagate dims {first} and {second} to the output, but that "
            "would create a tensor with duplicate names [" + " ".join(map(item, result)) + "]. "
            "Please rename your inputs with Tensor.rename to prevent this.",
        )
    return result


def search(sequence, values):
    """Rows of a sorted sequence, and what is looked up in each; one row serves all values."""
    if len(sequence) < 2 or len(sequence) != len(values):
        return values
    return distinct("searchsorted", unify(sequence[:-1], values[:-1]) + values[-1:])


def einsum(equation, lists, strict):
    """The equation is a correct one: letters, "..." and an arrow."""
    left, _, right = equation.partition("->")
    terms = [spelled(term, len(names)) for term, names in zip(left.split(","), lists)]
    dots = max(sum(letter < 0 for letter in term) for term in terms)
    kept = spelled(right, len(right.replace("...", "")) + dots)
    found = {}
    for term, names in zip(terms, lists):
        for letter, name in zip(term, names):
            known = found.get(letter)
            if name and known and name != known and (letter in kept or strict):
                raise Refused(
                    "name",
                    "einsum: "
                    + ("" if letter in kept else "strict contraction: ")
                    + f"dim '{known}' and dim '{name}' have the same subscript "
                    f"'{'.' if letter < 0 else chr(letter)}' but do not match.",
                    advice.SAME_NAME,
                )
            found[letter] = known or name
    return distinct("einsum", tuple(found.get(letter) for letter in kept))


def spelled(term, rank):
    """The subscripts of a term; those under "..." are negative, counted from the right."""
    front, dots, back = term.partition("...")
    hidden = rank - len(front) - len(back) if dots else 0
    return [ord(c) for c in front] + list(range(-hidden, 0)) + [ord(c) for c in back]


# ---- names that are asked for ------------------------------------------------------------------


def split_ellipsis(want, fn):
    """The names that are written, and where the `...` stands among them (None: nowhere)."""
    if sum(x is ... for x in want) > 1:
        raise Refused(
            "name",
            f"{fn}: More than one Ellipsis ('...') found in names ({tupled(want)}). This function "
            "supports up to one Ellipsis.",
        )
    explicit = tuple(name_of(x) for x in want if x is not ...)
    return explicit, (want.index(...) if ... in want else None)


def fill_ellipsis(own, want, fn):
    """The `...` of rename and refine_names stands for the own names at its place."""
    explicit, at = split_ellipsis(want, fn)
    if at is None:
        return explicit
    end = max(len(own) - (len(explicit) - at), at)
    return explicit[:at] + own[at:end] + explicit[at:]


def rename(own, want, fn="rename"):
    if want is ALL:
        return (None,) * len(own)
    return valid(fill_ellipsis(own, want, fn), len(own))


def rename_map(own, old, new, fn="rename"):
    new = [name_of(x) for x in new]
    if len(old) != len(new):
        raise Refused("type", f"{fn}: {len(new)} names cannot replace {len(old)}")
    result = list(own)
    old = [name_of(x) for x in old]
    for before, after in zip(old, new):
        if before is None or before not in own:
            shown = "*" if before is None else before
            raise Refused(
                "name",
                f"{fn}: Tried to rename dim '{shown}' to dim {after} in Tensor[{tupled(own)}] but "
                f"dim '{shown}' does not exist",
                "" if before is None else advice.missing(own, before, listed(own)),
            )
        result[own.index(before)] = after
    return valid(tuple(result), len(own))


def refine_names(own, want):
    full = fill_ellipsis(own, want, "refine_names")
    start = f"refine_names: cannot coerce Tensor{listed(own)} to Tensor{listed(full)} because "
    if len(full) != len(own):
        raise Refused(
            "name",
            f"{start}they have a different number of dims ({len(own)} and {len(full)} "
            "respectively).",
        )
    valid(full)
    for i, (had, wants) in enumerate(zip(own, full)):
        if had and wants is None:
            raise Refused(
                "name", f"{start}'{had}' is more specific than None at index {i}", advice.KEEP
            )
        if had and had != wants:
            raise Refused(
                "name", f"{start}'{had}' is different from '{wants}' at index {i}", advice.REFINE
            )
    return full


def align_to(own, want):
    """Names, and for each dim of the result the own dim that it is (-1: a new one)."""
    explicit, at = split_ellipsis(want, "align_to")
    if at is not None:
        if None in explicit:
            raise Refused(
                "name",
                "align_to: the desired order of dimensions cannot contain a None name, got "
                f"{listed(explicit)}",
            )
        rest = [i for i, name in enumerate(own) if name is None or name not in explicit]
        places = [own.index(name) if name in own else -1 for name in explicit]
        names = explicit[:at] + tuple(own[i] for i in rest) + explicit[at:]
        return valid(names), places[:at] + rest + places[at:]
    for i, name in enumerate(own):
        if name is None:
            raise Refused(
                "name",
                "align_to: All input dims must be named. Found unnamed dim at index "
                f"{i} of Tensor{listed(own)}",
                advice.NAME_IT,
            )
        if name not in explicit:
            raise Refused(
                "name",
                f"align_to: Cannot find dim '{name}' from Tensor{listed(own)} in desired "
                f"alignment {listed(explicit)}.",
                advice.NAME_ALL,
            )
    valid(explicit)
    return explicit, [own.index(name) if name and name in own else -1 for name in explicit]


def align_one(own, target):
    """The dim of the tensor for each of the target (-1: a new one): a subsequence of it, found
    from the right."""
    source = [-1] * len(target)
    k = len(target)
    for i in range(len(own) - 1, -1, -1):
        k -= 1
        while k >= 0 and target[k] != own[i]:
            k -= 1
        if k < 0:
            raise Refused(
                "name",
                f"Could not align Tensor{listed(own)} to `names` {listed(target)} because "
                f"{listed(own)} is not a subsequence of `names`.",
            )
        if own[i] is None and len(own) - i != len(target) - k:
            raise Refused(
                "name",
                f"Aligning Tensor{listed(own)} to `names` {listed(target)} would change the "
                "absolute position from the right of an unnamed dimension. Please name unnamed "
                "dimensions to avoid ambiguity.",
            )
        source[k] = i
    return source


def align_tensors(lists):
    target = max(lists, key=len)  # the first one of the highest rank
    for own in lists:
        align_one(own, target)
    return [target] * len(lists)


# ---- dims that merge, split and move -----------------------------------------------------------


def splice(own, first, last, fresh):
    """Own dims first to last are replaced."""
    names = own[:first] + fresh + own[last + 1 :]
    if len(names) > 64:
        raise Refused("name", too_many(len(names), own))
    return valid(names)


def flatten_list(own, dims, out):
    if not dims:
        raise Refused("name", "flatten(tensor, dims, out_dim): dims cannot be empty")
    at = [position(own, dim) for dim in dims]
    if at != list(range(at[0], at[0] + len(at))):
        raise Refused(
            "name",
            f"flatten(tensor, dims, out_dim): dims {listed(dims)} must be consecutive in Tensor"
            f"{listed(own)}",
            advice.SIDE_BY_SIDE,
        )
    return splice(own, at[0], at[-1], (out,))


def flatten_range(own, start, end, out):
    first, last = position(own, start), position(own, end)
    if first > last:
        raise Refused("name", "flatten() has invalid args: start_dim cannot come after end_dim")
    return splice(own, first, last, (out,))


def of_some(own, dim):
    """A dim of a tensor that has dims at all."""
    at = position(own, dim)
    if not own:
        raise Refused("index", f"Dimension specified as {dim} but tensor has no dimensions")
    return at


def unflatten(own, dim, names, rank):
    """names: ALL, and rank how many dims there will be; or a name for each of them."""
    at = of_some(own, dim)
    if names is ALL and any(own):
        raise Refused(
            "name",
            "unflatten: input is a named tensor but no names were given for unflattened sizes",
        )
    names = (None,) * rank if names is ALL else tuple(name_of(x) for x in names)
    if rank and len(names) != rank:
        raise Refused("name", f"unflatten: {len(names)} names were given for {rank} sizes")
    if not names:
        raise Refused("shape", "unflatten: sizes must be non-empty")
    return splice(own, at, at, names)


def transposed(own, first, second):
    """Both positions; the second dim is looked up first."""
    j = position(own, second)
    return position(own, first), j


def transpose(own, first, second):
    i, j = transposed(own, first, second)
    swapped = list(own)
    if own:
        swapped[i], swapped[j] = own[j], own[i]
    return tuple(swapped)


def permute(own, dims):
    if len(dims) != len(own):
        raise Refused(
            "shape",
            "permute(): number of dimensions in the tensor input does not match the length of the "
            f"desired ordering of dimensions i.e. input.dim() = {len(own)} is not equal to "
            f"len(dims) = {len(dims)}",
        )
    order = []
    for dim in dims:
        order.append(position(own, dim))
        if order[-1] in order[:-1]:
            raise Refused(
                "name",
                f"permute(): duplicate dims are not allowed. dim {order[-1]} is there twice",
                advice.EACH_ONCE,
            )
    return tuple(own[i] for i in order)


def place(own, dim):
    """Of a new dim: a position counts it too; a name means in front of that dim."""
    return position((None,) * (len(own) + 1) if isinstance(dim, int) else own, dim)


def unsqueeze(own, dim, name=None):
    return put_in(own, place(own, dim), name)


def stack(lists):
    """But for the new dim. Names that disagree further left are told first."""
    for i, names in enumerate(lists):
        if len(names) != len(lists[0]):
            unify_all(lists[:i])
            raise Refused(
                "shape",
                f"stack: operands must have the same number of dims, but Tensor{listed(lists[0])} "
                f"has {len(lists[0])} and Tensor{listed(names)} has {len(names)}",
            )
    return unify_all(lists)


def expand(own, rank):
    if rank < len(own):
        raise Refused(
            "shape",
            f"expand(): the number of sizes provided ({rank}) must be greater or equal to the "
            f"number of dimensions in the tensor ({len(own)})",
        )
    if rank > 64:
        raise Refused("name", too_many(rank, own))
    return (None,) * (rank - len(own)) + own


def repeat(own, count):
    if count < len(own):
        raise Refused(
            "shape",
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
            f"tensor: {count} for {len(own)} dims",
        )
    return expand(own, count)


def crossing(own, first, second):
    i, j = position(own, first), position(own, second)
    if i == j:
        raise Refused("shape", f"diagonal dimensions cannot be identical {i}, {j}")
    return i, j


def diag(own):
    if len(own) not in (1, 2):
        raise Refused("shape", f"diag(): Supports 1D or 2D tensors. Got {len(own)}D")
    return (None,) * (3 - len(own))


def diag_embed(own, first, second):
    """The last dim becomes two, which are where they were asked for."""
    places = crossing((None,) * (len(own) + 1), first, second)
    rest = iter(own)
    return tuple(None if d in places else next(rest) for d in range(len(own) + 1))


def vector(own):
    """The names of all elements in one dim."""
    return own if len(own) == 1 else (None,)


def reshape(own, before, after):
    """A dim keeps its name where the elements on its left, and those in it, stay as many."""
    if before == after:
        return own
    if 0 in before:
        return (None,) * len(after)
    names = [None] * len(after)
    d = k = 0
    while d < len(before) and k < len(after):
        i, j = d + 1, k + 1
        while math.prod(before[d:i]) != math.prod(after[k:j]):
            if math.prod(before[d:i]) < math.prod(after[k:j]):
                i += 1
            else:
                j += 1
        if (i, j) == (d + 1, k + 1):
            names[k] = own[d]
        d, k = i, j
    return tuple(names)


def moved(own, source, destination):
    """movedim: each dim of the source goes to its destination, the others keep their order."""
    places = []
    for dims, word in ((source, "source"), (destination, "destination")):
        found = []
        for dim in dims:
            found.append(position(own, dim))
            if found[-1] in found[:-1]:
                raise Refused("shape", f"movedim: repeated dim in `{word}` (dim {found[-1]})")
        places.append(found)
    goes = dict(zip(places[1], places[0]))
    others = iter([d for d in range(len(own)) if d not in places[0]])
    return tuple(own[goes[k] if k in goes else next(others)] for k in range(len(own)))


def diagonal(own, first, second, name):
    i, j = crossing(own, first, second)
    rest = without(own, {i, j})
    return put_in(rest, len(rest), name)


def squeeze(own, dims, sizes):
    given = range(len(own)) if dims is ALL else positions(own, dims)
    return without(own, {i for i in given if i < len(own) and sizes[i] == 1})


def select(own, dim):
    if not own and isinstance(dim, int):
        raise Refused("index", "select() cannot be applied to a 0-dim tensor.")
    return without(own, {position(own, dim)})


def unbind(own, dim):
    return without(own, {of_some(own, dim)})


PILES = {  # dims that a piece of so many dims gets in front and behind
    "hstack": {0: (1, 0)},
    "vstack": {0: (2, 0), 1: (1, 0)},
    "dstack": {0: (2, 1), 1: (1, 1), 2: (0, 1)},
    "column_stack": {0: (1, 1), 1: (0, 1)},
}


def pile(op, lists):
    grown = []
    for names in lists:
        front, back = PILES[op].get(len(names), (0, 0))
        grown.append((None,) * front + names + (None,) * back)
    return cat(grown)


def index(own, dims, names, op="index"):
    """The dims that are indexed become those of the index. One dim that a vector without a name
    indexes is that dim still."""
    at = list(range(len(own))) if dims is ALL else positions(own, dims)
    if at != list(range(at[0], at[0] + len(at)) if at else []):
        raise Refused("name", f"{op}: the dims must be neighbours, in order")
    first = at[0] if at else 0
    if len(at) == 1 and len(names) == 1 and names[0] is None and own:
        names = own[first : first + 1]
    full = own[:first] + names + own[first + len(at) :]
    if len(full) > 64:
        raise Refused("name", too_many(len(full), own))
    return valid(full)


# ---- tensors that are written ------------------------------------------------------------------


def match_out(out, computed):
    """A tensor with names must have the computed ones exactly; one without takes them."""
    if any(out) and out != computed:
        raise Refused(
            "name",
            f"Name mismatch: specified out tensor with names {listed(out)} are not the same as the "
            f"computed output names {listed(computed)}. Please rename the out tensor's dims with "
            "`Tensor.rename`.",
        )


def check_resize(out, had, wants):
    if any(out) and had != wants:
        raise Refused(
            "shape",
            f"Cannot resize named tensor with resize_ or resize_as_ (tried to resize Tensor"
            f"{listed(out)} with size {listed(had)} to {listed(wants)}). This may be caused by "
            "passing a named tensor as an `out=` argument; please ensure that the sizes are the "
            "same. ",
        )
