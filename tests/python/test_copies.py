"""Copies and pickles: names, storages that several tensors share, buffers out of band."""

import copy
import pickle

import numpy
import pytest
from exactly import raises

import nomen

ALL = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


def there_and_back(o, protocol):
    return pickle.loads(pickle.dumps(o, protocol))


WAYS = [*(lambda o, p=p: there_and_back(o, p) for p in PROTOCOLS), copy.deepcopy]


@pytest.mark.parametrize("way", WAYS)
def test_views_of_one_memory_stay_so(way):
    base = nomen.arange(12.0).reshape(3, 4).rename("N", "C")
    part, turned = base[1:, ::2], base.T
    a, b, c, d = way([base, part, turned, base])
    assert a is d and a.names == ("N", "C") and c.names == ("C", "N")
    assert b.tolist() == part.tolist() and b.stride() == part.stride() and b.names == part.names
    a[1, 0] = 99
    assert b[0, 0].item() == 99 and c[0, 1].item() == 99 and base[1, 0].item() == 4
    assert a.untyped_storage() is c.untyped_storage() is not base.untyped_storage()


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("way", WAYS)
def test_dtypes_and_layouts(way, name):
    t = nomen.tensor([[0, 1, 1], [1, 0, 1]], names=("N", "C")).to(getattr(nomen, name))
    for x in (
        t,
        t.T,
        t[:, 1:],
        t[0, 0],
        t[:, 1:1],
        t.unsqueeze(0).expand(5, 2, 3),
        nomen.empty(0, dtype=t.dtype),
    ):
        twin = way(x)
        assert nomen.equal(twin, x) and twin.dtype is x.dtype and twin.names == x.names


def test_reversed_memory():
    source = numpy.arange(6.0).reshape(2, 3)[::-1, ::-2]
    for way in WAYS:
        twin = way(nomen.from_numpy(source))
        assert twin.tolist() == source.tolist()


def test_a_small_part_takes_small_room():
    big = nomen.ones(1000, 1000)
    row = big[3]
    del big
    assert len(pickle.dumps(row)) < 10_000
    assert copy.deepcopy(row).untyped_storage().nbytes() == 4000
    row = nomen.ones(1000, 1000, names=("N", "C"))[3]
    assert pickle.loads(pickle.dumps(row)).names == ("C",)
    assert len(pickle.dumps(nomen.ones(1).expand(10**6))) < 1000


def test_out_of_band():
    t = nomen.arange(1000.0, names=("i",))
    buffers = []
    data = pickle.dumps([t, t[10:20]], protocol=5, buffer_callback=buffers.append)
    assert len(buffers) == 1 and len(data) < 1000 and buffers[0].raw().nbytes == 4000
    a, b = pickle.loads(data, buffers=buffers)  # the same memory again
    a[10] = -1
    assert t[10].item() == -1 and b[0].item() == -1 and a.names == ("i",)
    moved = [bytearray(buffer.raw()) for buffer in buffers]
    a, b = pickle.loads(data, buffers=moved)
    a[10] = 5
    assert b[0].item() == 5 and t[10].item() == -1 and moved[0][40:44] == a[10].numpy().tobytes()
    fixed = [bytes(buffer.raw()) for buffer in buffers]
    a, _ = pickle.loads(data, buffers=fixed)
    a.zero_()  # bytes cannot be written to: that was a copy
    assert fixed[0] == bytes(t)
    a, _ = pickle.loads(data, buffers=[memoryview(bytes(3) + bytes(t))[3:]])
    assert a.tolist() == t.tolist()


def test_read_only_memory_in_pickles():
    source = numpy.arange(3.0)
    source.flags.writeable = False
    t = nomen.from_numpy(source)
    there_and_back(t, 5).add_(1)
    there_and_back(t, 4).add_(1)
    buffers = []
    data = pickle.dumps(t, protocol=5, buffer_callback=buffers.append)
    with pytest.raises(RuntimeError, match="read-only"):
        pickle.loads(data, buffers=buffers).add_(1)


def test_broken_pickles():
    from nomen._exchange import _rebuild

    storage = nomen.ones(6).untyped_storage()
    good = [nomen.Tensor, storage, "float32", 0, (2, 3), (3, 1), None, "little", False]
    assert _rebuild(*good).tolist() == [[1.0] * 3] * 2
    for place, value in (
        (3, -1),
        (3, 1),
        (3, 2**62),
        (4, (2, 4)),
        (4, (-1, 3)),
        (4, (2**62, 3)),
        (5, (4, 1)),
        (5, (-3, 1)),
        (5, (2**62, 2**62)),
        (5, (3,)),
        (2, "float64"),
        (4, (1,) * 65),
    ):
        wrong = list(good)
        wrong[place] = value
        with pytest.raises((ValueError, RuntimeError)):
            _rebuild(*wrong)
    wrong = list(good)
    wrong[7] = "big"
    with raises(ValueError, "the tensor was pickled on a big-endian machine"):
        _rebuild(*wrong)


class Mine(nomen.Tensor):
    def __init__(self, data, note="none"):
        self.note = note


def test_subclasses_and_attributes():
    mine = Mine(nomen.ones(2, names=("N",)), note=["here"])
    mine.requires_grad_()
    for twin in (there_and_back(mine, 4), copy.deepcopy(mine), copy.copy(mine)):
        assert type(twin) is Mine and twin.note == ["here"] and twin.names == ("N",)
        assert twin.requires_grad and twin.is_leaf
    assert copy.copy(mine).note is mine.note and copy.deepcopy(mine).note is not mine.note
    knot = Mine(nomen.ones(2))
    knot.note = knot
    twin = copy.deepcopy(knot)
    assert twin.note is twin is not knot


def test_gradients_of_copies():
    w = nomen.ones(2, names=("N",), requires_grad=True)
    (w * 3).sum().backward()
    twin = copy.deepcopy({"w": w, "again": w})
    assert twin["w"] is twin["again"] and twin["w"].grad.names == ("N",)
    assert twin["w"].grad.tolist() == [3.0, 3.0] and twin["w"].grad is not w.grad
    (twin["w"] * 2).sum().backward()
    assert w.grad.tolist() == [3.0, 3.0] and twin["w"].grad.tolist() == [5.0, 5.0]


# ---- storages --------------------------------------------------------------------------------


def test_storages():
    t = nomen.arange(6, dtype=nomen.int16).reshape(2, 3)
    raw = t.untyped_storage()
    assert raw.nbytes() == raw.size() == len(raw) == 12 and raw.data_ptr() == t.data_ptr()
    assert raw is t[1].untyped_storage() and bytes(raw) == t.numpy().tobytes() and raw[2] == 1
    assert t[1].storage_offset() == 3 and t[1, 2].storage_offset() == 5 and t.storage_offset() == 0
    assert raw.element_size() == 1 and not raw.is_shared() and not raw.is_pinned()
    assert nomen.is_storage(raw) and nomen.is_storage(t.storage()) and not nomen.is_storage(t)
    typed = t[1].storage()
    assert typed.tolist() == list(range(6)) and typed[4] == 4 and typed.dtype is nomen.int16
    assert len(typed) == typed.size() == 6 and typed.nbytes() == 12 and typed.element_size() == 2
    assert typed.data_ptr() == t.data_ptr() and typed.untyped() is raw and not typed.is_shared()
    assert repr(raw) == "nomen.UntypedStorage(device=cpu) of size 12"
    assert repr(typed) == "nomen.TypedStorage(dtype=nomen.int16, device=cpu) of size 6"
    memoryview(raw)[0:2] = b"\x07\x00"
    assert t[0, 0].item() == 7
    copied = raw.clone()
    assert bytes(copied) == bytes(raw) and copied.data_ptr() != raw.data_ptr()
    with pytest.raises(IndexError):
        raw[12]
    with pytest.raises(TypeError):
        nomen.UntypedStorage(3)
    del t
    assert raw[0] == 7


def test_data():
    w = nomen.ones(2, 3, names=("N", "C"), requires_grad=True)
    assert w.data.names == ("N", "C") and not w.data.requires_grad
    assert w.data.data_ptr() == w.data_ptr()
    w.data = nomen.zeros(3, names=("K",))
    assert w.names == ("K",) and w.requires_grad and w.is_leaf and w.tolist() == [0.0] * 3
    w.data.add_(1)
    assert w.tolist() == [1.0] * 3
    with raises(TypeError, "data must be a Tensor"):
        w.data = 3


@pytest.mark.parametrize("dtype", [nomen.uint8, nomen.float16, nomen.float32, nomen.complex128])
@pytest.mark.parametrize("size", [2047, 2100, 16385, 70001])
def test_targets_just_behind_their_source(size, dtype):
    """Every distance of the two in a page has its copy, also those that are made another way."""
    x = (nomen.arange(size) % 251).to(dtype)
    room = nomen.zeros(size + 64, dtype=dtype)
    rows = nomen.zeros(3, size + 64, dtype=dtype)
    for shift in [*range(1, 40), 63, 64]:
        room.zero_()
        room[shift : shift + size].copy_(x)
        assert room[shift : shift + size].equal(x)
        assert not room[:shift].any() and not room[shift + size :].any()
        rows[:, shift : shift + size] = x
        assert (rows[:, shift : shift + size] == x).all()
        rolled = x.roll(shift)
        assert rolled[shift:].equal(x[:-shift]) and rolled[:shift].equal(x[-shift:])
        assert nomen.cat([x[:shift], x]).equal(nomen.cat([x[:shift].clone(), x.clone()]))
        both = nomen.cat([x[:shift].reshape(1, -1), x.reshape(1, -1)], 1)
        assert both[0, shift:].equal(x)
