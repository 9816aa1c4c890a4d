"""Tensors from data and back: nomen.tensor, factories, NumPy, buffers, copies, pickles, random."""

import array
import copy
import gc
import pickle
import weakref

import numpy
import pytest
from exactly import raises

import nomen

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64",
          "complex64", "complex128"]


# ---- nomen.tensor ----------------------------------------------------------------------------


@pytest.mark.parametrize("data, dtype", [
    (True, "bool"), (1, "int64"), (1.0, "float32"), (1j, "complex64"), ([], "float32"),
    ([True, 1], "int64"), ([1, 2.5], "float32"), ([[1], [2j]], "complex64"), (((1, 2),), "int64"),
    ([True], "bool"), ([[], []], "float32"), (numpy.float64(1), "float64"),
    (numpy.int16(1), "int16"), (numpy.ones(2, numpy.int8), "int8"), (range(3), "int64"),
    (array.array("i", [1, 2]), "int32"), (numpy.bool_(True), "bool"), ([2**40], "int64"),
])
def test_inferred_dtypes(data, dtype):
    t = nomen.tensor(data)
    assert t.dtype.name == dtype
    assert numpy.array_equal(t.numpy(), numpy.array(data))


@pytest.mark.parametrize("name", [*DTYPES, "bfloat16"])
def test_given_dtypes(name):
    dtype = getattr(nomen, name)
    for t in (nomen.tensor([[0, 1], [1, 0]], dtype=dtype), nomen.zeros(2, 2, dtype=dtype) + 1,
              nomen.full((2, 2), 1, dtype=dtype), nomen.as_tensor([[0, 1], [1, 1]], dtype=dtype)):
        assert t.dtype is (dtype if name != "bool" or t.sum() < 4 else t.dtype)
        assert t[0, 1].item() == 1
    one = nomen.ones((), dtype=dtype).item()
    assert type(one) is (bool if name == "bool" else int if "int" in name else
                         complex if "complex" in name else float)


def test_options_of_tensor():
    t = nomen.tensor([[1.0, 2]], names=("N", "C"), requires_grad=True, device="cpu")
    assert t.names == ("N", "C") and t.requires_grad and t.is_leaf
    assert nomen.tensor([nomen.tensor(1.0), nomen.tensor(2)]).tolist() == [1.0, 2.0]
    source = nomen.ones(2, names=("N",))
    twin = nomen.tensor(source)
    twin[0] = 5
    assert source.tolist() == [1.0, 1.0] and twin.names == ("N",)
    assert nomen.tensor(source, names=("N",)).names == ("N",)


@pytest.mark.parametrize("data, kind, text", [
    ([[1, 2], [3]], ValueError, "expected sequence of length 2 at dim 1 (got 1)"),
    ([[1], 2], TypeError, "not a sequence, but int, at dim 1 of the data"),
    ([1, [2]], ValueError, "the sequences of the data are nested unevenly"),
    ("text", TypeError, "new(): invalid data type 'str'"),
    ([None], RuntimeError, "Could not infer dtype of NoneType"),
    (object(), RuntimeError, "Could not infer dtype of object"),
    ([nomen.ones(2)], ValueError, "only one element tensors can be converted to Python scalars"),
])
def test_data_that_does_not_fit(data, kind, text):
    gc.collect()
    before = nomen.memory_stats()["tensors_live"]
    with raises(kind, text):
        nomen.tensor(data)
    assert nomen.memory_stats()["tensors_live"] == before


def test_more_data_that_does_not_fit():
    deep = []
    deep.append(deep)
    with pytest.raises(ValueError, match="too many dims"):
        nomen.tensor(deep)
    with pytest.raises(RuntimeError, match="value cannot be converted to type int8 without overfl"):
        nomen.tensor([300], dtype=nomen.int8)
    with pytest.raises(RuntimeError, match="Overflow when unpacking long"):
        nomen.tensor([2**64])
    with pytest.raises(TypeError, match="complex numbers cannot become float32"):
        nomen.tensor([1j], dtype=nomen.float32)
    with pytest.raises(RuntimeError, match="floating point"):
        nomen.tensor([1], requires_grad=True)


# ---- factories -------------------------------------------------------------------------------


def test_factories():
    assert nomen.zeros(2, 3).tolist() == [[0.0] * 3] * 2 and nomen.ones(2).tolist() == [1.0, 1.0]
    assert nomen.full((2,), 7).dtype is nomen.int64 and nomen.full((2,), 7.0).dtype is nomen.float32
    assert nomen.full((2,), True).dtype is nomen.bool
    assert nomen.arange(3, names=("i",)).names == ("i",)
    assert nomen.arange(3.0).dtype is nomen.float32
    w = nomen.zeros(2, 3, names=("N", "C"), dtype=float, device="cpu", requires_grad=True,
                    pin_memory=False, layout=nomen.strided)
    assert w.requires_grad and w.is_leaf and w.names == ("N", "C") and w.dtype is nomen.float64
    for like in (nomen.zeros_like, nomen.ones_like, nomen.empty_like, nomen.rand_like,
                 nomen.randn_like):
        t = like(w, dtype=nomen.float64)
        assert t.shape == (2, 3) and t.names == ("N", "C") and t.dtype is nomen.float64
        assert not t.requires_grad and like(w, requires_grad=True).requires_grad
    assert nomen.full_like(w, 3).sum().item() == 18
    with raises(RuntimeError, "NYI: named tensors only support strided layout"):
        nomen.zeros(2, names=("N",), layout="sparse")
    with pytest.raises(RuntimeError, match="floating point"):
        nomen.zeros(2, dtype=nomen.int32, requires_grad=True)
    with pytest.raises(RuntimeError, match="negative"):
        nomen.zeros(2, -1)
    with pytest.raises(RuntimeError, match="too large"):
        nomen.zeros(2**40, 2**40)
    assert nomen.Tensor(2, 3).shape == (2, 3) and nomen.Tensor([1, 2]).dtype is nomen.float32
    assert nomen.Tensor().shape == (0,)


def test_random():
    nomen.manual_seed(7)
    first = nomen.rand(5).tolist()
    assert nomen.initial_seed() == 7
    state = nomen.get_rng_state()
    second = nomen.randn(5).tolist()
    nomen.set_rng_state(state)
    assert nomen.randn(5).tolist() == second
    g = nomen.Generator().manual_seed(7)
    assert nomen.rand(5, generator=g).tolist() == first and g.initial_seed() == 7
    state = g.get_state()
    third = nomen.rand(3, generator=g).tolist()
    g.set_state(state)
    assert nomen.rand(3, generator=g).tolist() == third
    nomen.manual_seed(-1)
    nomen.manual_seed(2**63)
    with pytest.raises(ValueError):
        g.set_state(b"nothing")
    with pytest.raises(TypeError):
        g.set_state("nothing")
    with pytest.raises(TypeError):
        g.set_state(nomen.zeros(2544))
    with pytest.raises(TypeError):
        g.manual_seed(1.5)
    with pytest.raises(RuntimeError, match="Overflow when unpacking long"):
        nomen.manual_seed(2**64)
    with pytest.raises(RuntimeError, match="Overflow when unpacking long"):
        g.manual_seed(-(2**63) - 1)
    assert nomen.manual_seed(1.5) is nomen.default_generator
    assert nomen.initial_seed() == nomen.default_generator.initial_seed() == 1
    again = nomen.default_generator.clone_state()
    assert again.device == nomen.device("cpu") and again.get_state().dtype is nomen.uint8
    assert nomen.rand(3).tolist() == nomen.rand(3, generator=again).tolist()
    assert again.set_state(g.get_state()) is again
    assert nomen.rand(3, generator=again).tolist() == nomen.rand(3, generator=g).tolist()


# ---- NumPy and buffers -----------------------------------------------------------------------


@pytest.mark.parametrize("name", DTYPES)
def test_numpy_there_and_back(name):
    source = numpy.array([[1, 0, 1], [0, 1, 1]]).astype(name)
    shared = nomen.from_numpy(source)
    assert shared.dtype.name == name and shared.tolist() == source.tolist()
    back = shared.numpy()
    assert back.dtype == source.dtype and numpy.shares_memory(back, source)
    source[0, 0] = 0
    assert shared[0, 0].item() == 0
    shared[1, 1] = 0
    assert source[1, 1] == 0


def test_strided_arrays():
    source = numpy.arange(24.0).reshape(4, 6)
    for view in (source.T, source[::2, 1::2], source[::-1], source[:, ::-3], source[1], source[1:1],
                 numpy.broadcast_to(source[0], (3, 6))):
        shared = nomen.from_numpy(view)
        assert shared.tolist() == view.tolist() and shared.shape == view.shape
        assert numpy.array_equal(numpy.asarray(shared), view)
        assert numpy.array_equal(nomen.tensor(view).numpy(), view)
    t = nomen.arange(6).reshape(2, 3).T
    assert numpy.asarray(t).strides == (8, 24) and bytes(memoryview(t).tobytes())


def test_lifetimes():
    source = numpy.arange(3.0)
    reference = weakref.ref(source)
    shared = nomen.from_numpy(source)
    view = shared[1:]
    del source, shared
    assert view.tolist() == [1.0, 2.0] and reference() is not None
    del view
    assert reference() is None
    t = nomen.ones(4)
    exported = t.numpy()
    nomen.add(nomen.zeros(9), 1, out=t)  # t gets other memory
    del t
    assert exported.tolist() == [1.0] * 4


def test_what_cannot_be_shared():
    source = numpy.arange(3.0)
    source.flags.writeable = False
    shared = nomen.from_numpy(source)
    with pytest.raises(RuntimeError, match="read-only"):
        shared.add_(1)
    assert not memoryview(shared).contiguous or memoryview(shared).readonly
    with pytest.raises(TypeError, match="can't convert an array of format"):
        nomen.from_numpy(numpy.ones(2, numpy.uint16))
    with pytest.raises(TypeError, match="can't convert an array of format"):
        nomen.from_numpy(numpy.ones(2, ">f4"))
    with raises(TypeError, "expected np.ndarray (got list)"):
        nomen.from_numpy([1])
    records = numpy.zeros(3, dtype=[("a", "u1"), ("b", "f4")])
    with pytest.raises(ValueError, match="not multiples of its itemsize|not aligned"):
        nomen.from_numpy(records["b"])
    assert nomen.tensor(records["b"].copy()).tolist() == [0.0] * 3
    with pytest.raises(TypeError, match="bfloat16"):
        nomen.ones(2).bfloat16().numpy()
    with raises(RuntimeError, "Can't call numpy() on Tensor that requires grad. Use "
                              "tensor.detach().numpy() instead."):
        nomen.ones(2).requires_grad_().numpy()
    assert nomen.ones(2).requires_grad_().numpy(force=True).tolist() == [1.0, 1.0]


def test_array_protocol():
    t = nomen.ones(2, 3, names=("N", "C"))
    assert numpy.sin(t).shape == (2, 3) and numpy.asarray(t, dtype=numpy.int32).dtype == "int32"
    assert numpy.shares_memory(numpy.asarray(t), t.numpy())

    class Arrayish:
        def __array__(self):
            return numpy.arange(3)

    assert nomen.tensor(Arrayish()).tolist() == [0, 1, 2]


def test_as_tensor():
    t = nomen.ones(2)
    assert nomen.as_tensor(t) is t and nomen.as_tensor(t, dtype=nomen.int32).dtype is nomen.int32
    source = numpy.ones(2)
    nomen.as_tensor(source)[0] = 5
    assert source[0] == 5
    assert nomen.as_tensor([1, 2]).tolist() == [1, 2] and nomen.as_tensor(3).item() == 3


@pytest.mark.parametrize("name", DTYPES)
def test_equal_to_itself(name):
    """The same elements are not looked at, but where NaN might be among them."""
    x = nomen.tensor([[0, 1, 1], [0, 1, 0], [1, 0, 1]]).to(getattr(nomen, name))
    assert nomen.equal(x, x) and nomen.equal(x, x.view(3, 3)) and nomen.equal(x, x.clone())
    assert not nomen.equal(x, x.T) and not nomen.equal(x[0], x[1]) and nomen.equal(x[:1], x[:1])
    assert not nomen.equal(x, x.rename("N", "C"))
    if x.is_floating_point() or x.is_complex():
        x[1, 1] = float("nan")
        assert not nomen.equal(x, x)


# ---- copies ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*DTYPES, "bfloat16"])
def test_pickles(name):
    t = nomen.tensor([[0, 1, 1]], names=("N", "C")).to(getattr(nomen, name)).T
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        twin = pickle.loads(pickle.dumps(t, protocol))
        assert nomen.equal(twin, t) and twin.dtype is t.dtype and twin.names == ("C", "N")
    assert pickle.loads(pickle.dumps(t.dtype)) is t.dtype
    assert pickle.loads(pickle.dumps(t.device)) == t.device


def test_copies_of_leaves_and_results():
    w = nomen.ones(2, names=("N",)).requires_grad_()
    (w * 2).sum().backward()
    for twin in (copy.deepcopy(w), pickle.loads(pickle.dumps(w))):
        assert twin.requires_grad and twin.names == ("N",) and twin.is_leaf
        assert twin.data_ptr() != w.data_ptr()
    assert copy.deepcopy(w).grad.tolist() == [2.0, 2.0]
    shallow = copy.copy(w)
    assert shallow.data_ptr() == w.data_ptr() and shallow.names == ("N",)
    pair = copy.deepcopy([w, w])
    assert pair[0] is pair[1]
    with pytest.raises(RuntimeError, match="^Only Tensors created explicitly by the user"):
        copy.deepcopy(w * 2)
    with pytest.raises(RuntimeError, match="only leaves can be pickled"):
        pickle.dumps(w * 2)


def test_subclasses():
    class Mine(nomen.Tensor):
        pass

    t = nomen.ones(2, names=("N",))
    mine = Mine(t)
    mine.note = "here"
    assert mine.names == ("N",) and mine.data_ptr() == t.data_ptr() and isinstance(mine, Mine)
    assert type(mine + 1) is nomen.Tensor and mine.add_(1) is mine and mine.note == "here"
    assert type(copy.deepcopy(Mine(t))) is Mine
    reference = weakref.ref(mine)
    mine.self = mine
    del mine
    gc.collect()
    assert reference() is None


def test_sizes_stay_sizes():
    s = nomen.zeros(2, 3, 4).shape
    for made, wanted in (
        (s[1:], (3, 4)),
        (s[::-1], (4, 3, 2)),
        (s[:0], ()),
        (s + (5,), (2, 3, 4, 5)),
        ((5,) + s, (5, 2, 3, 4)),
        (s + s[:1], (2, 3, 4, 2)),
        (s[:1] * 2, (2, 2)),
        (2 * s[:1], (2, 2)),
    ):
        assert type(made) is nomen.Size and made == wanted
    assert s[0] == 2 and type(s[0]) is int and nomen.zeros((1,) + s[1:]).shape == (1, 3, 4)
    for wrong in (lambda: s + [1], lambda: [1] + s, lambda: s + 1, lambda: s[0.5], lambda: s * "a"):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(IndexError):
        s[3]
