"""Names on real tensors: what can be said in one line each, and the exact texts of the errors."""

import collections
import re
import sys

import pytest

from exactly import raises

import nomen
from nomen import cat, equal, zeros

x = zeros(2, 3, 4, names=("N", "C", "H"))
u = zeros(2, 3, 4)


def named(*pairs):
    """named('N', 2, 'C', 3): alternately names and sizes."""
    return zeros(*pairs[1::2], names=pairs[::2])


# ---- getting and setting ---------------------------------------------------------------------


def test_names_of_factories():
    assert zeros(2, 3, names=("N", "C")).names == ("N", "C")
    assert zeros(2, 3, names=("*", "C")).names == (None, "C")
    assert zeros(2, 3, names=[None, "C"]).names == (None, "C")
    assert not zeros(2, 3, names=(None, None)).has_names()
    assert zeros(2, 3).names == (None, None)
    assert zeros((), names=()).names == ()
    for make in (nomen.empty, nomen.ones, nomen.rand, nomen.randn):
        assert make(2, 3, names=("N", "C")).names == ("N", "C")
    assert nomen.full((2, 3), 7, names=("N", "C")).names == ("N", "C")
    assert nomen.tensor([[1, 2]], names=("N", "C")).names == ("N", "C")


@pytest.mark.parametrize("name", ["N", "_", "_1", "a9", "BATCH_5", "None", "if", "True", "a" * 300])
def test_valid_names(name):
    assert zeros(1, names=(name,)).names == (name,)


@pytest.mark.parametrize("name", ["", "9a", "a b", "a-b", "N.x", "é", "名", "...", "N ", "a\0b"])
def test_invalid_names(name):
    text = ("Invalid name: a valid identifier contains only digits, alphabetical characters, "
            "and/or underscore and starts with a non-digit. got: '")
    for use in (lambda: zeros(1, names=(name,)), lambda: zeros(1).sum(name),
                lambda: setattr(zeros(1), "names", [name]), lambda: zeros(1).rename(N=name)):
        with pytest.raises(RuntimeError, match="^" + re.escape(text)):
            use()


def test_names_are_validated_in_order():
    with raises(RuntimeError, "Number of names (1) and number of dimensions in tensor (2) do not "
                              "match. Attempted to create a tensor with names ['N']"):
        zeros(2, 3, names=("N",))
    with raises(RuntimeError, "Cannot construct a tensor with duplicate names. Got names: "
                              "['N', 'N']."):
        zeros(2, 3, names=("N", "N"))
    with raises(RuntimeError, "Number of names (3) and number of dimensions in tensor (2) do not "
                              "match. Attempted to create a tensor with names ['N', 'N', None]"):
        zeros(2, 3, names=("N", "N", None))


NO_LISTS = [("NC", "str"), ({"N": 1}, "dict"), ({"N"}, "set"), (iter([1]), "list_iterator"),
            (1, "int"), (b"N", "bytes")]


@pytest.mark.parametrize("names, kind", NO_LISTS)
def test_what_is_no_list_of_names(names, kind):
    with raises(TypeError, "zeros() received an invalid combination of arguments: argument 'names' "
                           f"must be tuple of names, not {kind}"):
        zeros(2, 3, names=names)
    with raises(RuntimeError, "names must either be None or a tuple of dim names"):
        zeros(2, 3).names = names


def test_items_of_lists_of_names():
    with raises(TypeError, "zeros() received an invalid combination of arguments: argument 'names' "
                           "must be tuple of names, not tuple"):
        zeros(2, 3, names=(1, "C"))
    with raises(TypeError, "expected None or string for Dimname but got int"):
        zeros(2, 3, names=("N", 1))
    with raises(TypeError, "expected None or string for Dimname but got bytes"):
        zeros(2, 3, names=("N", b"C"))
    point = collections.namedtuple("point", "a b")
    assert zeros(2, 3, names=point("N", "C")).names == ("N", "C")


def test_setter():
    t = zeros(2, 3)
    t.names = ["N", None]
    assert t.names == ("N", None)
    t.names = None
    assert t.names == (None, None) and not t.has_names()
    zeros(()).names = []
    with raises(RuntimeError, "names must either be None or a tuple of dim names"):
        t.names = (..., "C")
    with pytest.raises(RuntimeError, match="Invalid name"):
        t.names = ("...", "C")
    with raises(TypeError, "expected None or string for Dimname but got ellipsis"):
        t.names = ("N", ...)
    with raises(RuntimeError, "Number of names (1) and number of dimensions in tensor (2) do not "
                              "match. Attempted to create a tensor with names ['N']"):
        t.names = ("N",)
    with pytest.raises(TypeError, match="names cannot be deleted"):
        del t.names
    assert t.names == (None, None)


def test_views_have_names_of_their_own():
    base = named("N", 2, "C", 3)
    view = base[0:1]
    base.rename_("A", "B")
    assert view.names == ("N", "C")
    view.names = None
    assert base.names == ("A", "B")
    version = base._version
    base.rename_("X", "Y")
    assert base._version == version


# ---- rename ----------------------------------------------------------------------------------


def test_rename():
    assert x.rename(N="C", C="N").names == ("C", "N", "H")
    assert x.rename("A", ..., "Z").names == ("A", "C", "Z")
    assert x.rename("A", "...", "Z").names == ("A", "C", "Z")
    assert x.rename(None).names == (None, None, None)
    assert x.rename(H=None, N="*").names == (None, "C", None)
    assert x.rename("C", "N", "H").names == ("C", "N", "H")
    assert x.rename("A", None, "*").names == ("A", None, None)
    assert zeros(()).rename().names == ()
    assert zeros(3, names=("N",)).rename(None).names == (None,)
    assert x.names == ("N", "C", "H")
    renamed = x.rename("A", "B", "D")
    assert renamed is not x and renamed.data_ptr() == x.data_ptr()


def test_rename_in_place():
    t = named("N", 2, "C", 3)
    assert t.rename_("A", "B") is t and t.names == ("A", "B")
    assert t.rename_(A="N").names == ("N", "B")
    with pytest.raises(RuntimeError, match="duplicate"):
        t.rename_("Q", "Q")
    assert t.names == ("N", "B")
    assert t.rename_(None).names == (None, None)


def test_rename_errors():
    two = named("N", 2, "C", 3)
    for fn in ("rename", "rename_"):
        both = (f"{fn}: This function takes either positional args or keyword args, but not both. "
                f"Use tensor.{fn}(*names) to name dims and tensor.{fn}(**rename_map) to rename "
                "dims.")
        with raises(RuntimeError, both):
            getattr(two, fn)("A", "B", N="C")
        with raises(RuntimeError, both):
            getattr(two, fn)(None, N="x")
        with raises(RuntimeError, f"{fn}: Tried to rename dim 'Q' to dim R in Tensor[('N', 'C')] "
                                  "but dim 'Q' does not exist"):
            getattr(two, fn)(Q="R")
        with raises(RuntimeError, f"{fn}: Tried to rename dim 'names' to dim A in "
                                  "Tensor[('N', 'C')] but dim 'names' does not exist"):
            getattr(two, fn)(names="A")
        with raises(RuntimeError, f"{fn}: More than one Ellipsis ('...') found in names "
                                  "(('...', 'A', '...')). This function supports up to one "
                                  "Ellipsis."):
            getattr(two, fn)(..., "A", "...")
        for wrong in (("N", "C"), ["N", "C"], 5):
            kind = type(wrong).__name__
            with raises(TypeError, f"{fn}(): argument 'names' (position 1) must be tuple of names, "
                                   f"not {kind}"):
                getattr(two, fn)(wrong)
        with raises(TypeError, "expected None or string for Dimname but got int"):
            getattr(two, fn)("A", 5)
        with raises(TypeError, "expected None or string for Dimname but got int"):
            getattr(two, fn)(N=5)
    with raises(RuntimeError, "Number of names (0) and number of dimensions in tensor (2) do not "
                              "match. Attempted to create a tensor with names []"):
        two.rename()
    with pytest.raises(RuntimeError, match="duplicate names"):
        two.rename(N="C")
    with pytest.raises(RuntimeError, match="Invalid name"):
        two.rename(N="...")
    assert two.names == ("N", "C")


# ---- refine_names, align ---------------------------------------------------------------------


def test_refine_names():
    assert u.refine_names("N", ..., "H").names == ("N", None, "H")
    assert u.refine_names(None, None, None).names == (None, None, None)
    assert zeros(2).refine_names(None).names == (None,)
    assert zeros(()).refine_names().names == ()
    assert x.refine_names("N", ...).names == ("N", "C", "H")
    t = named("N", 2, None, 3)
    with raises(RuntimeError, "refine_names: cannot coerce Tensor['N', None] to Tensor['A', 'C'] "
                              "because 'N' is different from 'A' at index 0"):
        t.refine_names("A", "C")
    with raises(RuntimeError, "refine_names: cannot coerce Tensor['N', None] to Tensor[None, 'C'] "
                              "because 'N' is more specific than None at index 0"):
        t.refine_names(None, "C")
    with raises(RuntimeError, "refine_names: cannot coerce Tensor['N', None] to Tensor['N'] "
                              "because they have a different number of dims (2 and 1 "
                              "respectively)."):
        t.refine_names("N")
    with raises(TypeError, "refine_names(): argument 'names' (position 1) must be tuple of names, "
                           "not list"):
        t.refine_names(["N", "C"])


def test_align_to():
    moved = x.align_to("A", "H", "N", "B", "C", "D")
    assert moved.shape == (1, 4, 2, 1, 3, 1) and moved.stride() == (0, 1, 12, 0, 4, 0)
    assert x.align_to("H", ..., "A", "C").names == ("H", "N", "A", "C")
    assert named(None, 2, "C", 3).align_to("C", ...).names == ("C", None)
    assert u.align_to("Q", ...).names == ("Q", None, None, None)
    assert zeros(()).align_to().shape == () and zeros(()).align_to("A").shape == (1,)
    with raises(RuntimeError, "align_to: All input dims must be named. Found unnamed dim at index "
                              "0 of Tensor[None, None, None]"):
        u.align_to("N", "C", "H")
    with raises(RuntimeError, "align_to: Cannot find dim 'C' from Tensor['N', 'C', 'H'] in desired "
                              "alignment ['N', 'H']."):
        x.align_to("N", "H")
    with raises(RuntimeError, "align_to: the desired order of dimensions cannot contain a None "
                              "name, got [None]"):
        x.align_to(..., None)
    with raises(TypeError, "align_to(): argument 'names' (position 1) must be tuple of names, not "
                           "tuple"):
        x.align_to(("N", "C", "H"))


def test_align_as():
    assert named("C", 3).align_as(x).shape == (1, 3, 1)
    assert zeros(()).align_as(x).names == ("N", "C", "H")
    for names in ("NHWC", "NCHW", "NCHWD"):
        images = nomen.ones(*range(2, 2 + len(names)), names=tuple(names))
        scale = nomen.arange(images.size("C")).float().refine_names("C")
        scaled = images * scale.align_as(images)
        assert scaled.names == images.names and scaled.select("C", 2).sum().item() > 0


# ---- flatten, unflatten ----------------------------------------------------------------------


def test_flatten():
    flat = x.flatten(["C", "H"], "f")
    assert flat.names == ("N", "f") and flat.shape == (2, 12)
    y = zeros(2, 3, 5, 7, names=("N", "T", "H", "D"))
    assert y.transpose("T", "H").flatten(["N", "H"], "N_H").names == ("N_H", "T", "D")
    assert y.flatten("T", "D", "f").names == ("N", "f")
    assert y.flatten(1, 2, "f").names == ("N", "f", "D")
    assert y.flatten(-2, -1, "f").names == ("N", "T", "f")
    assert y.flatten().shape == (210,) and y.flatten().names == (None,)
    assert y.flatten(1).shape == (2, 105) and y.flatten(1, 2).shape == (2, 15, 7)
    assert y.flatten(start_dim=2).names == ("N", "T", None)
    assert u.flatten(0, 1, "f").names == ("f", None)
    assert y.flatten(["D"], None).names == ("N", "T", "H", None)
    assert y.flatten(dims=["T", "H"], out_dim="f").names == ("N", "f", "D")
    assert nomen.flatten(y, 1, 2).shape == (2, 15, 7)
    before = y.names
    assert y.flatten(["D"], "f").names == ("N", "T", "H", "f") and y.names == before
    assert zeros(()).flatten().shape == (1,)


def test_flatten_errors():
    y = zeros(2, 3, 5, 7, names=("N", "T", "H", "D"))
    with raises(RuntimeError, "flatten(tensor, dims, out_dim): dims cannot be empty"):
        y.flatten([], "f")
    for dims, text in ((["D", "H"], "['D', 'H']"), (["T", "D"], "['T', 'D']")):
        with raises(RuntimeError, f"flatten(tensor, dims, out_dim): dims {text} must be "
                                  "consecutive in Tensor['N', 'T', 'H', 'D']"):
            y.flatten(dims, "f")
    with raises(RuntimeError, "flatten() has invalid args: start_dim cannot come after end_dim"):
        y.flatten("D", "H", "f")
    with pytest.raises(RuntimeError, match="duplicate names"):
        y.flatten(["H", "D"], "N")
    with raises(RuntimeError, "Name 'Q' not found in Tensor['N', 'T', 'H', 'D']."):
        y.flatten(["Q", "D"], "f")
    with pytest.raises(IndexError):
        y.flatten(0, 7, "f")


def test_unflatten():
    t = named("N", 2, "D", 12)
    split = t.unflatten("D", [("A", -1), ("B", 4)])
    assert split.names == ("N", "A", "B") and split.shape == (2, 3, 4)
    pairs = collections.OrderedDict([("A", 3), ("B", 4)])
    assert t.unflatten("D", pairs).names == ("N", "A", "B")
    assert t.unflatten("D", (("D", 3), (None, 4))).names == ("N", "D", None)
    assert t.unflatten("D", [("E", 12)]).names == ("N", "E")
    assert zeros(2, 12).unflatten(1, (3, -1)).shape == (2, 3, 4)
    assert t.unflatten(-1, [("A", 3), ("B", 4)]).names == ("N", "A", "B")


def test_unflatten_errors():
    t = named("N", 2, "D", 12)
    for nothing in (None, (), [], collections.OrderedDict()):
        with raises(RuntimeError, "unflatten: sizes must be non-empty"):
            t.unflatten("D", nothing)
    with raises(RuntimeError, "unflatten: input is a named tensor but no names were given for "
                              "unflattened sizes"):
        t.unflatten(1, (3, 4))
    with raises(RuntimeError, "unflatten: Provided sizes [3, 5] don't multiply up to the size of "
                              "dim 1 ('D': 12) in Tensor['N', 'D']"):
        t.unflatten("D", [("A", 3), ("B", 5)])
    with raises(RuntimeError, "unflatten: Provided sizes [5, -1] don't multiply up to the size of "
                              "dim 1 (12) in the input tensor"):
        zeros(2, 12).unflatten(1, (5, -1))
    with raises(RuntimeError, "Name 'Q' not found in Tensor['N', 'D']."):
        t.unflatten("Q", [("A", 3), ("B", 4)])
    with pytest.raises(RuntimeError, match="duplicate names"):
        t.unflatten("D", [("N", 3), ("B", 4)])
    with raises(ValueError, "too many values to unpack (expected 2)"):
        t.unflatten("D", [("A", 3, 4)])
    with raises(ValueError, "not enough values to unpack (expected 2, got 1)"):
        t.unflatten("D", [("A",)])
    with raises(TypeError, "unflatten(): argument 'sizes' (position 2) must be tuple of ints, not "
                           "tuple"):
        t.unflatten("D", [("A", "3"), ("B", 4)])


# ---- names through operations ----------------------------------------------------------------


def test_unify():
    assert (named("N", 3, None, 3) + named(None, 3, "C", 3)).names == ("N", "C")
    assert (zeros(1, 2, 3) + named("N", 2, "C", 3)).names == (None, "N", "C")
    a = nomen.randn(3, 3)
    a += named("N", 3, "C", 3)
    assert a.names == ("N", "C")
    with raises(RuntimeError, "Name mismatch: specified out tensor with names ['N', None] are not "
                              "the same as the computed output names ['N', 'C']. Please rename the "
                              "out tensor's dims with `Tensor.rename`."):
        named("N", 3, None, 3).add_(named("N", 3, "C", 3))
    with raises(RuntimeError, "Error when attempting to broadcast dims ['N', 'C', 'H'] and dims "
                              "['N', 'H']: dim 'C' and dim 'N' are at the same position from the "
                              "right but do not match."):
        x - x.mean("C")
    assert (x - x.mean("C", keepdim=True)).names == x.names
    assert (x - x.mean("C").align_as(x)).names == x.names


def test_reductions():
    assert x.sum("C").names == ("N", "H")
    kept = x.sum(["N", "C"], keepdim=True)
    assert kept.shape == (1, 1, 4) and kept.names == ("N", "C", "H")
    assert x.sum(None).names == () and x.sum([]).names == () and x.sum().names == ()
    assert x.sum(["N", 1]).names == ("H",) and x.sum((0, "H")).names == ("C",)
    assert x.max("C").indices.names == ("N", "H") and x.max("C").values.names == ("N", "H")
    assert x.logsumexp("H").names == ("N", "C") and x.argmax("N").names == ("C", "H")
    assert x.all("C").names == x.any("C").names == ("N", "H")
    assert x.var(["N", "H"]).names == ("C",) and x.prod("C").names == ("N", "H")
    assert x.softmax("H").names == x.log_softmax("C").names == ("N", "C", "H")
    for call in (lambda: x.max(None), lambda: x.prod(None), lambda: x.squeeze(None),
                 lambda: x.logsumexp(None), lambda: x.sum("*"), lambda: zeros(2).squeeze(None)):
        with raises(RuntimeError, "Please look up dimensions by name, got: name = None."):
            call()
    with raises(RuntimeError, "Name 'Q' not found in Tensor['N', 'C', 'H']."):
        x.sum("Q")
    with raises(RuntimeError, "Name 'N' not found in Tensor[None, None, None]."):
        u.sum("N")
    with raises(RuntimeError, "dim 0 appears multiple times in the list of dims"):
        x.sum(["N", 0])


def test_shapes():
    ones = named("N", 2, "C", 1, "H", 1)
    assert ones.squeeze().names == ("N",) and ones.squeeze("C").names == ("N", "H")
    assert x.squeeze("C").names == ("N", "C", "H")
    expanded = named("H", 3, "W", 2).expand(10, 3, 3, 2)
    assert expanded.names == (None, None, "H", "W")
    assert x.transpose("N", "H").names == ("H", "C", "N")
    assert x.permute("H", 0, "C").names == ("H", "N", "C")
    assert x.unsqueeze(0).names == (None, "N", "C", "H")
    assert x.unsqueeze(-1, name="W").names == ("N", "C", "H", "W")
    assert x.unsqueeze("C").names == ("N", None, "C", "H")  # in front of that dim
    assert x.unsqueeze("N", name="B").shape == (1, *x.shape)
    assert nomen.stack([x, x], "C", name="S").names == ("N", "S", "C", "H")
    with pytest.raises(RuntimeError, match="Name 'Q' not found in Tensor"):
        x.unsqueeze("Q")
    assert x.narrow("H", 1, 2).names == ("N", "C", "H")
    assert [p.names for p in x.split(2, "H")] == [("N", "C", "H")] * 2
    assert [p.shape for p in x.split([1, 3], "H")] == [(2, 3, 1), (2, 3, 3)]
    assert [p.names for p in x.chunk(2, dim="C")] == [("N", "C", "H")] * 2
    assert [p.names for p in x.unbind("C")] == [("N", "H")] * 3
    assert x.select("C", 0).names == ("N", "H")
    assert x.reshape(2, 12).names == ("N", None) and x.reshape(6, 4).names == (None, "H")
    assert nomen.stack([x, u], 0, name="S").names == ("S", "N", "C", "H")
    assert x.T.names == ("H", "C", "N") and x.mT.names == ("N", "H", "C")


def test_products():
    assert named("N", 3, "D", 3).mm(named("in", 3, "out", 3)).names == ("N", "out")
    a = zeros(1, 2, 3, 4, names=("A", "B", "C", "D"))
    assert (a @ zeros(2, 4, 5, names=("B", "E", "F"))).names == ("A", "B", "C", "F")
    bias = named("H", 5)
    assert nomen.addmm(bias, named("N", 3, "C", 2), named("W", 2, "H", 5)).names == ("N", "H")
    with raises(RuntimeError, "Matrix multiplying Tensor['N', 'C'] with Tensor['C', 'N'] would "
                              "produce output tensor with duplicate names ['N', 'N']. Please "
                              "rename the input tensors with `Tensor.rename` to prevent this."):
        named("N", 2, "C", 3) @ named("C", 3, "N", 2)
    with raises(RuntimeError, "both arguments to matmul need to be at least 1D, but they are 0D "
                              "and 2D"):
        zeros(()) @ named("N", 2, "C", 3)


def test_attention():
    heads = 2
    q = nomen.randn(2, 5, 6, names=("N", "T", "D"))
    k = nomen.randn(2, 7, 6, names=("N", "T", "D"))

    def prepare(t):
        return t.unflatten("D", [("H", heads), ("D_head", 3)]).align_to("N", "H", "T", "D_head")

    scores = prepare(q).matmul(prepare(k).rename(T="T_key").align_to(..., "D_head", "T_key"))
    weights = scores.softmax("T_key")
    assert weights.names == ("N", "H", "T", "T_key") and weights.shape == (2, 2, 5, 7)
    assert abs(weights.sum("T_key") - 1).max().item() < 1e-6


def test_cat_and_copies():
    assert cat([x, x.rename(None)], "C").names == ("N", "C", "H")
    assert cat([x, x], "C").shape == (2, 6, 4)
    with raises(RuntimeError, "Name 'C' not found in Tensor[None, None, None]."):
        cat([u, x], "C")
    assert nomen.empty_like(x).names == x.to(nomen.double).names == x.type_as(u).names == x.names
    assert nomen.tensor(x).names == x.names
    with pytest.raises(RuntimeError, match="Name mismatch"):
        nomen.tensor(x, names=("A", "B", "D"))
    assert not equal(x, x.rename(None)) and equal(x, x.clone())
    for t in (x.clone(), x.detach(), x.data, x.contiguous(), nomen.as_tensor(x), x.float()):
        assert t.names == x.names


def test_out():
    out = nomen.empty(0)
    assert nomen.abs(x, out=out) is out and out.names == ("N", "C", "H") and out.shape == x.shape
    with raises(RuntimeError, "Name mismatch: specified out tensor with names ['A', 'B', 'D'] are "
                              "not the same as the computed output names ['N', 'C', 'H']. Please "
                              "rename the out tensor's dims with `Tensor.rename`."):
        nomen.abs(x, out=zeros(2, 3, 4, names=("A", "B", "D")))
    with raises(RuntimeError, "Cannot resize named tensor with resize_ or resize_as_ (tried to "
                              "resize Tensor['N'] with size [1] to [2, 3, 4]). This may be caused "
                              "by passing a named tensor as an `out=` argument; please ensure that "
                              "the sizes are the same. "):
        nomen.abs(x, out=named("N", 1))
    values, indices = nomen.empty(0), nomen.empty(0, dtype=nomen.int64)
    result = nomen.max(x, "C", out=(values, indices))
    assert result.values is values and result.indices is indices
    assert values.names == indices.names == ("N", "H")


def test_sizes_and_strides_by_name():
    assert x.size("C") == 3 and x.size(-1) == 4 and x.size() == (2, 3, 4) and x.size(dim="N") == 2
    assert x.stride("N") == 12 and x.stride() == (12, 4, 1)
    with raises(RuntimeError, "Name 'Q' not found in Tensor['N', 'C', 'H']."):
        x.size("Q")
    with pytest.raises(IndexError):
        x.size(3)
    with pytest.raises(IndexError):
        zeros(()).size(0)


def test_no_warnings(recwarn):
    zeros(2, names=("N",)).rename_(None)
    assert not recwarn.list


def test_many_dims():
    many = [f"d{i}" for i in range(64)]
    big = zeros([1] * 64, names=many)
    assert big.names == tuple(many) and big.sum("d63").ndim == 63
    with raises(RuntimeError, "65 dims are too many: a tensor has at most 64"):
        zeros([1] * 65)
    for sizes, names in ((65, many), (65, [*many, "more"]), (64, [*many, "more"])):
        with pytest.raises(RuntimeError, match="Named tensors only support up to 64 dims"):
            zeros([1] * sizes, names=names)


def test_a_name_is_one_str():
    """The first use keeps the interned str; a use keeps the str that it came as, once."""
    once = sys.intern("seen_for_the_first_time")
    copy = "".join(["seen_for_", "the_first_time"])
    assert copy is not once
    counts = sys.getrefcount(once), sys.getrefcount(copy)
    zeros(1, names=(copy,))
    assert (sys.getrefcount(once), sys.getrefcount(copy)) == (counts[0] + 1, counts[1] + 1)
    x = zeros(1, names=(once,))
    for _ in range(10):
        x = zeros(1, names=(copy,)).sum(copy).unsqueeze(0).refine_names(once)
    assert sys.getrefcount(once) <= counts[0] + 2 and sys.getrefcount(copy) <= counts[1] + 1
    assert x.names[0] is once


def test_a_name_is_what_it_says():
    """Whatever str it comes as, and whatever str lay there before; few of them are kept."""
    x = nomen.arange(6).reshape(2, 3).refine_names("rows", "columns")
    for k in range(200):
        assert x.sum("".join(["ro", "ws"])).tolist() == [3, 5, 7]
        assert x.sum("".join(["colu", "mns"])).tolist() == [3, 12]
        with pytest.raises(RuntimeError, match=f"Name 'other_{k}' not found"):
            x.sum(f"other_{k}")
    many = ["".join(["ro", "ws"]) for _ in range(1000)]
    counts = [sys.getrefcount(name) for name in many]
    for name in many:
        assert x.sum(name).tolist() == [3, 5, 7]
    assert sum(sys.getrefcount(name) for name in many) - sum(counts) <= 64


def test_strict_contraction():
    """Off, products contract whatever meets, as in PyTorch; on, two names must be one."""
    a, b = zeros((2, 3), names=("N", "C")), zeros((3, 4), names=("K", "H"))
    vector = zeros(3, names=("K",))
    assert not nomen.is_strict_contraction() and (a @ b).names == ("N", "H")
    assert nomen.set_strict_contraction(True) is False
    try:
        assert nomen.is_strict_contraction()
        for call in (
            lambda: a @ b,
            lambda: nomen.mm(a, b),
            lambda: nomen.addmm(zeros(4), a, b),
            lambda: a.mv(vector),
            lambda: a[0].dot(vector),
            lambda: zeros((5, 2, 3), names=("B", "N", "C")) @ b,
        ):
            with pytest.raises(RuntimeError, match="strict contraction: 'C' .* and 'K' .* would be "
                                                   "contracted but have different names") as info:
                call()
            assert any("rename" in note for note in info.value.__notes__)
        same = b.rename("C", "H").detach().requires_grad_()
        left = a.detach().requires_grad_()
        y = left @ same
        y.sum().backward()
        assert y.names == ("N", "H")
        assert left.grad.names == ("N", "C") and same.grad.names == ("C", "H")
        assert (a @ b.rename(None, "H")).names == ("N", "H")
        assert (a.rename(None) @ b).names == (None, "H")
    finally:
        nomen.set_strict_contraction(False)
    assert (a @ b).names == ("N", "H")


def test_an_empty_tensor_keeps_its_names_where_its_sizes_stay():
    x = nomen.empty(2, 0, names=("N", "C"))
    assert x.view_as(x).names == x.reshape(2, 0).names == ("N", "C")
    assert x.reshape(2, 0, 1).names == (None, None, None)
