"""How Python's arguments are read: positions, keywords, aliases, kinds, and what wrong ones say."""

import copy
import gc
import inspect
import json
import pickle

import numpy
import pytest
from exactly import raises

import nomen

x = nomen.arange(6, dtype=nomen.float32).reshape(2, 3).rename("N", "C")
y = nomen.ones(2, 3)


@pytest.fixture(scope="module")
def rows(root):
    return json.loads((root / "tests" / "ops.gen.json").read_text())["ops"]


def test_every_row_is_there_in_its_forms(rows):
    for row in rows:
        owners = {"f": (nomen, row["name"]), "m": (nomen.Tensor, row["name"]),
                  "i": (nomen.Tensor, row["name"].rstrip("_") + "_")}
        for form in set(row["forms"]) - {"o"}:
            owner, name = owners[form]
            assert getattr(owner, name).__name__ == name
            assert row["name"] in nomen.Tensor.__dict__ or form != "m"


def test_every_callable_has_a_signature_and_a_text(rows):
    for row in rows:
        for owner in (nomen, nomen.Tensor):
            f = getattr(owner, row["name"], None)
            if not callable(f):  # not there, a property of that name (real), a module (random)
                continue
            parameters = list(inspect.signature(f).parameters)
            assert ("out" in parameters) == ("o" in row["forms"])
            assert {a["name"] for a in row["args"]} <= set(parameters)
            assert len(f.__doc__) > 40 and f.__module__ == "nomen"


def test_callables_are_routines():
    assert inspect.isroutine(nomen.add) and inspect.isroutine(nomen.Tensor.add)
    assert repr(nomen.add) == "<built-in function add>"
    assert repr(nomen.Tensor.add_) == "<method 'add_' of 'nomen.Tensor' objects>"
    assert nomen.Tensor.add.__qualname__ == "Tensor.add" and nomen.add.__qualname__ == "add"
    assert pickle.loads(pickle.dumps(nomen.add)) is nomen.add
    assert copy.deepcopy(nomen.add) is nomen.add

    class Holder:
        add = nomen.add

    assert nomen.equal(Holder().add(y, y), y + y)  # as functions built in, it does not bind
    bound = y.add
    assert nomen.equal(bound(y), y + y)
    assert nomen.equal(nomen.Tensor.add(y, y), y + y)


# ---- positions and keywords ------------------------------------------------------------------


def test_positions_keywords_and_aliases():
    expected = [3.0, 12.0]
    for total in (x.sum(1), x.sum("C"), x.sum(dim=1), x.sum(dim="C"), x.sum(axis=-1), x.sum((1,)),
                  x.sum(["C"]), nomen.sum(x, 1), nomen.sum(input=x, dim="C"),
                  nomen.sum(self=x, axis=1), x.sum(numpy.int64(1)), x.sum(dim=[numpy.int8(-1)])):
        assert total.tolist() == expected
    assert x.sum(1, True).shape == x.sum(1, keepdim=True).shape == (2, 1)
    assert x.sum(1, keepdims=True).shape == x.sum(1, numpy.bool_(True)).shape == (2, 1)
    assert nomen.add(y, y, alpha=3).tolist() == [[4.0] * 3] * 2
    assert nomen.add(input=y, other=2).tolist() == [[3.0] * 3] * 2


def test_lists_that_may_be_spread():
    for t in (nomen.zeros(2, 3), nomen.zeros((2, 3)), nomen.zeros([2, 3]), nomen.zeros(x.shape),
              nomen.zeros(size=(2, 3)), nomen.zeros(numpy.int32(2), 3), y.expand(2, 3),
              y.expand((2, 3)), nomen.zeros(6).reshape(2, -1), nomen.zeros(6).reshape((2, -1)),
              nomen.zeros(3, 2).permute(1, 0), nomen.zeros(3, 2).permute((1, 0)),
              nomen.zeros(3, 2).permute([-1, 0])):
        assert t.shape == (2, 3)
    assert nomen.zeros(()).shape == () and nomen.zeros([]).shape == () and nomen.zeros(3).ndim == 1
    assert nomen.full((), 2).item() == 2 and nomen.full(3, 2).shape == (3,)
    assert nomen.zeros(()).permute().shape == ()


def test_other_spellings():
    assert nomen.arange(3).tolist() == [0, 1, 2]
    assert nomen.arange(1, 4).tolist() == nomen.arange(end=4, start=1).tolist() == [1, 2, 3]
    assert nomen.arange(0, 1, 0.25).tolist() == [0, 0.25, 0.5, 0.75]
    assert nomen.max(x, 5 - x).names == ("N", "C") and x.max(other=5 - x).tolist()[0] == [5, 4, 3]
    assert x.min(5 - x).tolist() == [[0, 1, 2], [2, 1, 0]]
    assert x.var(1).tolist() == x.var("C", True).tolist() == x.var(1, correction=1).tolist()
    assert x.var("C", False).tolist() == x.var("C", correction=0).tolist()
    assert x.var(False).item() == x.var(unbiased=False).item() == x.var(correction=0).item()
    assert x.std(1, False, True).shape == x.std(1, keepdim=True, unbiased=False).shape == (2, 1)
    assert [t.shape for t in x.split(2, 1)] == [t.shape for t in x.split([2, 1], dim="C")]
    assert len(nomen.split(x, split_size_or_sections=1)) == 2
    with pytest.raises(TypeError, match="dim"):
        x.var(dim=True)
    with raises(TypeError, "var() takes unbiased or correction, not both"):
        x.var(1, True, correction=0)
    with raises(TypeError, "arange() missing 1 required positional arguments: \"end\""):
        nomen.arange()
    with raises(TypeError, "split() missing 1 required positional arguments: \"split_size\""):
        x.split()
    with raises(TypeError, "split(): argument 'split_size' (position 1) must be int or tuple of "
                           "ints, not str"):
        x.split("2")


def test_to():
    one = nomen.ones(2, dtype=nomen.int32)
    for t in (x.to(nomen.int32), x.to("cpu", nomen.int32), x.to(nomen.device("cpu"), nomen.int32),
              x.to(dtype=nomen.int32), x.to(one), x.to(other=one), x.to(None, nomen.int32),
              x.to(nomen.int32, False, True), x.to(device="cpu", dtype=nomen.int32),
              x.to(nomen.int32, memory_format=nomen.preserve_format), x.int(),
              x.type(nomen.int32), x.type("nomen.IntTensor"), x.type_as(one)):
        assert t.dtype is nomen.int32 and t.names == ("N", "C")
    assert x.to(int).dtype is nomen.int64 and x.to(float).dtype is nomen.float64
    assert x.to(nomen.float32) is x and x.to("cpu") is x and x.to(x) is x and x.cpu() is x
    assert x.to(nomen.float32, copy=True) is not x
    assert x.to(nomen.float32, False, True) is not x
    with pytest.raises(TypeError, match=r"to\(\) received an invalid combination of arguments - "
                                        r"got \(list\)"):
        x.to([])
    assert x.char().dtype is nomen.int8 and x.byte().dtype is nomen.uint8
    for name in ("float", "double", "half", "bfloat16", "long", "int", "short", "bool"):
        assert getattr(x, name)().dtype is getattr(nomen, name)


# ---- wrong arguments -------------------------------------------------------------------------

WRONG = [
    (lambda: y.add("s"), "add(): argument 'other' (position 1) must be Tensor, not str"),
    (lambda: nomen.add(y, "s"), "add(): argument 'other' (position 2) must be Tensor, not str"),
    (lambda: nomen.add(y, other=[1]), "add(): argument 'other' must be Tensor, not list"),
    (lambda: y.add_(None), "add_(): argument 'other' (position 1) must be Tensor, not NoneType"),
    (lambda: nomen.abs(3), "abs(): argument 'input' (position 1) must be Tensor, not int"),
    (lambda: nomen.add(y), "add() missing 1 required positional arguments: \"other\""),
    (lambda: nomen.add(), "add() missing 2 required positional arguments: \"input\", \"other\""),
    (lambda: y.add(), "add() missing 1 required positional arguments: \"other\""),
    (lambda: y.add(1, 2), "add() takes 1 positional argument but 2 were given"),
    (lambda: nomen.add(y, 1, 2), "add() takes 2 positional arguments but 3 were given"),
    (lambda: y.add(1, other=2), "add() got multiple values for argument 'other'"),
    (lambda: nomen.max(y, 0, True, other=y), "max() takes 2 positional arguments but 3 were given"),
    (lambda: y.min(0, keepdim=True, other=y), "min() got an unexpected keyword argument 'keepdim'"),
    (lambda: y.add(1, beta=2), "add() got an unexpected keyword argument 'beta'"),
    (lambda: y.add(1, alhpa=2), "add() got an unexpected keyword argument 'alhpa'; did you mean "
                                "'alpha'?"),
    (lambda: y.sum(keepdin=2), "sum() got an unexpected keyword argument 'keepdin'; did you mean "
                               "'keepdim'?"),
    (lambda: y.add(1, alpha="2"), "add(): argument 'alpha' must be Number, not str"),
    (lambda: y.add(1, alpha=y), "add(): argument 'alpha' must be Number, not nomen.Tensor"),
    (lambda: y.sum(0, 1), "sum(): argument 'keepdim' (position 2) must be bool, not int"),
    (lambda: y.sum(True), "sum(): argument 'dim' (position 1) must be tuple of ints or names, not "
                          "bool"),
    (lambda: y.sum(1.0), "sum(): argument 'dim' (position 1) must be tuple of ints or names, not "
                         "float"),
    (lambda: y.sum([0, 1.0]), "sum(): argument 'dim' must be tuple of ints or names, but found "
                              "element of type float at pos 2"),
    (lambda: y.sum({0}), "sum(): argument 'dim' (position 1) must be tuple of ints or names, not "
                         "set"),
    (lambda: y.softmax((0,)), "softmax(): argument 'dim' (position 1) must be int or name, not "
                              "tuple"),
    (lambda: y.softmax(), "softmax() missing 1 required positional arguments: \"dim\""),
    (lambda: y.narrow(0, 1.5, 1), "narrow(): argument 'start' (position 2) must be int, not float"),
    (lambda: y.narrow(0, True, 1), "narrow(): argument 'start' (position 2) must be int, not bool"),
    (lambda: nomen.zeros(2.0), "zeros(): argument 'size' (position 1) must be tuple of ints, not "
                               "float"),
    (lambda: nomen.zeros(2, 3.0), "zeros(): argument 'size' must be tuple of ints, but found "
                                  "element of type float at pos 2"),
    (lambda: nomen.zeros((2, "3")), "zeros(): argument 'size' must be tuple of ints, but found "
                                    "element of type str at pos 2"),
    (lambda: nomen.zeros(), "zeros() missing 1 required positional arguments: \"size\""),
    (lambda: nomen.zeros(2, dtype=3), "zeros(): argument 'dtype' must be nomen.dtype, not int"),
    (lambda: nomen.zeros(2, dtype=str), "zeros(): argument 'dtype' must be nomen.dtype, not type"),
    (lambda: nomen.zeros(2, device=[]), "device must be a nomen.device or a str, not list"),
    (lambda: nomen.rand(2, generator=3), "rand(): argument 'generator' must be Generator, not int"),
    (lambda: nomen.cat(y), "cat(): argument 'tensors' (position 1) must be tuple of Tensors, not "
                           "nomen.Tensor"),
    (lambda: nomen.cat([y, 1]), "cat(): argument 'tensors' must be tuple of Tensors, but found "
                                "element of type int at pos 2"),
    (lambda: nomen.add(y, y, out=3), "add(): argument 'out' must be Tensor, not int"),
    (lambda: nomen.max(y, 0, out=(y, 3)), "max(): argument 'out' must be tuple of two Tensors, not "
                                          "tuple"),
    (lambda: y.div(2, rounding_mode=3), "div(): argument 'rounding_mode' must be str, not int"),
    (lambda: y.unsqueeze(0, name=3), "unsqueeze(): argument 'name' must be name, not int"),
    (lambda: nomen.Tensor.add(3, y), "descriptor 'add' for 'nomen.Tensor' objects doesn't apply to "
                                     "a 'int' object"),
    (lambda: nomen.Tensor.add(), "descriptor 'add' for 'nomen.Tensor' objects doesn't apply to a "
                                 "'missing' object"),
    (lambda: nomen.is_complex(3), "is_complex(): argument 'input' (position 1) must be Tensor, not "
                                  "int"),
]


@pytest.mark.parametrize("call, text", WRONG, ids=[text[:60] for _, text in WRONG])
def test_wrong_arguments(call, text):
    gc.collect()  # what earlier tests left in cycles must not go in between
    before = nomen.memory_stats()["tensors_live"]
    with raises(TypeError, text):
        call()
    assert nomen.memory_stats()["tensors_live"] == before


def test_numbers():
    assert (y + numpy.float32(1)).dtype is nomen.float32
    assert (y + True).sum().item() == 12 and (y * 2).dtype is nomen.float32
    assert (nomen.ones(2, dtype=nomen.int32) + 1).dtype is nomen.int32
    assert (nomen.ones(2, dtype=nomen.int32) + numpy.int64(1)).dtype is nomen.int32
    assert (nomen.ones(2, dtype=nomen.int32) + 1.5).dtype is nomen.float32
    assert (y + 1j).dtype is nomen.complex64
    assert nomen.add(y, y, alpha=nomen.tensor(2)).sum().item() == 18
    assert nomen.pow(2, y).sum().item() == 12 and nomen.sub(1, y).sum().item() == 0
    with pytest.raises(RuntimeError, match="Overflow when unpacking long"):
        y + 2**63
    with pytest.raises(TypeError):
        y + "1"
    with pytest.raises(TypeError):
        y.add(numpy.ones(3))


def test_enormous_lists_and_indices():
    with pytest.raises(ValueError, match="'dims' has 1000 items, but at most"):
        y.permute([0] * 1000)
    with pytest.raises(IndexError):
        y.sum(2**70)
    with pytest.raises(RuntimeError):
        nomen.zeros(2**70)
    with pytest.raises(RuntimeError):
        nomen.zeros([1] * 1000)
    assert len(nomen.zeros(100).split([1] * 100)) == 100
    assert nomen.cat([y] * 1000).shape == (2000, 3)
