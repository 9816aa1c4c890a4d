"""Every name inference recorded from PyTorch 1.13.1 (tests/golden) through real tensors.

test_golden_infer.py asks nomen_infer the same questions without tensors; what nomen does otherwise
on purpose is listed in golden/exceptions.tsv. Here the class of the exception and the sizes count
too, and that nothing is changed by an operation that fails.
"""

import pytest
from golden_cases import cases

import nomen

SMALL = {}


def tensor(names):
    """A tensor of size 1 in every dim. They are shared: nobody writes to them."""
    key = tuple(names)
    if key not in SMALL:
        SMALL[key] = nomen.ones([1] * len(key), names=key)
    return SMALL[key]


def fresh(names):
    return nomen.ones([1] * len(names), names=names)


def function(name):
    return lambda *lists: getattr(nomen, name)(*map(tensor, lists))


def method(name):
    return lambda own, names: getattr(tensor(own), name)(*names)


def with_ellipsis(name):
    return lambda own, names, at: getattr(tensor(own), name)(*names[:at], ..., *names[at:])


def in_place(name):
    def call(a, b):
        target = fresh(a)
        try:
            result = getattr(target, name)(tensor(b))
        except RuntimeError:
            assert target.names == tuple(a) and target.sum().item() == 1
            raise
        assert result is target
        return result

    return call


def tensor_and_mask(own, mask):
    mask = nomen.ones([1] * len(mask), names=tuple(mask), dtype=nomen.bool)
    return fresh(own), mask


def masked_fill(own, mask):
    x, mask = tensor_and_mask(own, mask)
    return x.masked_fill(mask, 2)


def masked_select(own, mask):
    x, mask = tensor_and_mask(own, mask)
    return x.masked_select(mask)


def masked_fill_in_place(own, mask):
    x, mask = tensor_and_mask(own, mask)
    try:
        result = x.masked_fill_(mask, 2)
    except RuntimeError:
        assert x.names == tuple(own) and x.sum().item() == 1
        raise
    assert result is x and x.sum().item() == 2
    return result


def add_out(a, b, out):
    target = fresh(out)
    try:
        result = nomen.add(tensor(a), tensor(b), out=target)
    except RuntimeError:
        assert target.names == tuple(out) and target.sum().item() == 1
        raise
    assert result is target and target.sum().item() == 2
    return result


CALLS = {
    "add": function("add"),
    "add_inplace": in_place("add_"),
    "add_out": add_out,
    "addcmul": function("addcmul"),
    "addmm": function("addmm"),
    "addmv": function("addmv"),
    "cdist": function("cdist"),
    "align_tensors": function("align_tensors"),
    "align_as": lambda own, other: tensor(own).align_as(tensor(other)),
    "align_to": method("align_to"),
    "align_to_ellipsis": with_ellipsis("align_to"),
    "bmm": function("bmm"),
    "cat": lambda a, b: nomen.cat([tensor(a), tensor(b)], 0),
    "copy_inplace": in_place("copy_"),
    "dot": function("dot"),
    "expand": lambda own, lead: tensor(own).expand([2] * lead + [1] * len(own)),
    "flatten_list": lambda own, dims, out: tensor(own).flatten(dims, out),
    "masked_fill": masked_fill,
    "masked_fill_inplace": masked_fill_in_place,
    "masked_select": masked_select,
    "matmul": function("matmul"),
    "max_dim": lambda own, dim, keep: tensor(own).max(dim, keep),
    "mm": function("mm"),
    "mv": function("mv"),
    "refine_ellipsis": with_ellipsis("refine_names"),
    "refine_names": method("refine_names"),
    "rename": method("rename"),
    "rename_ellipsis": with_ellipsis("rename"),
    "select_dim": lambda own, dim: tensor(own).select(dim, 0),
    "squeeze_dim": lambda own, dim: tensor(own).squeeze(dim),
    "sum_keep": lambda own, dims, keep: tensor(own).sum(dims, keep),
    "transpose": lambda own, first, second: tensor(own).transpose(first, second),
    "unflatten": lambda own, dim, names: tensor(own).unflatten(dim, [(n, 1) for n in names]),
}


def answer(call, key):
    try:
        result = call(*key)
    except (RuntimeError, IndexError, TypeError) as error:
        return ["err", type(error).__name__, str(error)]
    if isinstance(result, tuple):
        return ["ok", [list(part.names) for part in result], [list(p.shape) for p in result]]
    return ["ok", list(result.names), list(result.shape)]


def same(expected, got):
    """To the letter; sizes where they were recorded."""
    return expected == got[: len(expected)]


@pytest.mark.parametrize("name", sorted(CALLS))
def test_golden(name):
    wrong = []
    for key, expected in cases(name):
        got = answer(CALLS[name], key)
        if not same(expected, got):
            wrong.append(f"{key}: expected {expected}, got {got}")
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong[:10])


def test_what_is_there_is_tested():
    from test_golden_infer import CALLS as recorded

    assert set(CALLS) == set(recorded)
