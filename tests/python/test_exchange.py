"""Memory shared with other libraries: DLPack, buffers of every form, frombuffer, arrays."""

import array
import ctypes
import gc

import numpy
import pytest
from exactly import raises

import nomen

DTYPES = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]

# ---- DLPack ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DTYPES)
def test_dlpack_with_numpy(name):
    t = nomen.tensor([[1, 0, 1], [0, 1, 1]], names=("N", "C")).to(getattr(nomen, name))
    for view in (
        t,
        t.T,
        t[:, 1:],
        t[:, ::2],
        t[0],
        t[0, 0],
        t[:, 1:1],
        t.unsqueeze(0).expand(2, 2, 3),
    ):
        there = numpy.from_dlpack(view)
        assert there.dtype == name and there.tolist() == view.tolist()
        back = nomen.from_dlpack(there)
        assert back.dtype is t.dtype and back.tolist() == view.tolist()
        assert back.names == (None,) * view.ndim
        if view.numel():
            assert back.data_ptr() == view.data_ptr() == there.__array_interface__["data"][0]
    numpy.from_dlpack(t)[0, 0] = 0
    assert t[0, 0].item() == 0


def test_dlpack_of_reversed_and_read_only_arrays():
    source = numpy.arange(6.0).reshape(2, 3)
    shared = nomen.from_dlpack(source[::-1, ::-2])
    assert shared.tolist() == [[5, 3], [2, 0]] and shared.stride() == (-3, -2)
    assert numpy.from_dlpack(shared).tolist() == shared.tolist()
    source.flags.writeable = False
    fixed = nomen.from_numpy(source)
    capsule = fixed.__dlpack__(max_version=(1, 0))
    assert "dltensor_versioned" in repr(capsule)
    again = nomen.from_dlpack(capsule)
    with pytest.raises(RuntimeError, match="read-only"):
        again.add_(1)
    with pytest.raises(BufferError, match="read-only"):
        fixed.__dlpack__()
    if numpy.lib.NumpyVersion(numpy.__version__) >= "2.1.0":
        with pytest.raises(RuntimeError, match="read-only"):
            nomen.from_dlpack(source).add_(1)


def test_names_beside_dlpack():
    t = nomen.ones(2, 3, names=("N", "C"))
    twin = nomen.from_dlpack(t)
    assert twin.names == ("N", "C") and twin.data_ptr() == t.data_ptr() and twin is not t
    assert nomen.from_dlpack(numpy.ones((2, 3)), names=("A", None)).names == ("A", None)
    with pytest.raises(RuntimeError, match="Number of names"):
        nomen.from_dlpack(numpy.ones(2), names=("A", "B"))
    capsule = t.__dlpack__()
    assert nomen.from_dlpack(capsule).names == (None, None)
    with pytest.raises(RuntimeError, match="from_dlpack received an invalid capsule"):
        nomen.from_dlpack(capsule)


def test_what_dlpack_is_asked_for():
    t = nomen.ones(2)
    assert t.__dlpack_device__() == (1, 0)
    copied = nomen.from_dlpack(t, copy=True)
    assert copied.data_ptr() != t.data_ptr() and copied.tolist() == [1, 1]
    assert nomen.from_dlpack(t, copy=False).data_ptr() == t.data_ptr()
    assert nomen.from_dlpack(t, device="cpu").data_ptr() == t.data_ptr()
    assert "dltensor_versioned" in repr(t.__dlpack__(max_version=(2, 0), dl_device=(1, 0)))
    assert '"dltensor"' in repr(t.__dlpack__(max_version=(0, 8)))
    with raises(BufferError, "stream should be None on cpu."):
        t.__dlpack__(stream=1)
    with pytest.raises(BufferError):
        t.__dlpack__(dl_device=(2, 0))
    with pytest.raises(nomen.DeviceError):
        nomen.from_dlpack(t, device="cuda")
    with raises(BufferError, "Can't export tensors that require gradient, use tensor.detach()"):
        nomen.ones(2, requires_grad=True).__dlpack__()
    for keywords in ({"max_version": 1}, {"max_version": (1,)}, {"dl_device": 1}, {"more": 1}):
        with pytest.raises(TypeError):
            t.__dlpack__(**keywords)
    with pytest.raises(RuntimeError, match="invalid capsule"):
        nomen.from_dlpack(3)


class Old:
    """An exporter from before version 1, and one on another device."""

    def __init__(self, t, device=(1, 0)):
        self.t, self.device = t, device

    def __dlpack__(self, stream=None):
        return self.t.__dlpack__()

    def __dlpack_device__(self):
        return self.device


def test_other_exporters():
    t = nomen.ones(2)
    assert nomen.from_dlpack(Old(t)).data_ptr() == t.data_ptr()
    assert nomen.from_dlpack(Old(t), copy=True).data_ptr() != t.data_ptr()
    with pytest.raises(BufferError, match="device"):
        nomen.from_dlpack(Old(t, (2, 0)))
    with pytest.raises(TypeError):
        nomen.from_dlpack(Old(t), copy=False)


def test_lifetimes_of_capsules():
    gc.collect()
    before = nomen.memory_stats()
    for version in (None, (1, 0)):
        t = nomen.ones(1000)
        unused = t.__dlpack__(max_version=version)
        used = t.__dlpack__(max_version=version)
        taken = nomen.from_dlpack(used)
        view = taken[5:]
        del t, unused, used, taken
        assert view.sum().item() == 995
        del view
    array_of_it = numpy.from_dlpack(nomen.ones(1000))
    assert array_of_it.sum() == 1000
    del array_of_it
    after = nomen.memory_stats()
    assert all(
        after[key] == before[key]
        for key in ("bytes_live", "tensors_live", "buffers_live", "metadata_live")
    )


# ---- capsules that lie -----------------------------------------------------------------------


class Plain(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32),
        ("id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", Deleter),
        ("flags", ctypes.c_uint64),
        ("tensor", Plain),
    ]


def capsule_of(deleted, **changes):
    """A capsule of a tensor of sizes (2, 3) of float32, with fields changed."""
    memory = (ctypes.c_float * 16)(*range(16))
    changes = dict(changes)
    shape = (ctypes.c_int64 * 65)(*changes.pop("shape", (2, 3)))
    strides = changes.pop("strides", (3, 1))
    m = Managed(major=1, minor=0, deleter=Deleter(lambda p: deleted.append(True)))
    m.tensor = Plain(
        data=ctypes.addressof(memory),
        device=1,
        ndim=2,
        code=2,
        bits=32,
        lanes=1,
        shape=shape,
        strides=(ctypes.c_int64 * 65)(*strides) if strides else None,
    )
    for key, value in changes.items():
        setattr(m if hasattr(m, key) and key != "tensor" else m.tensor, key, value)
    deleted.keep = memory, shape, m
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [
        ctypes.c_void_p,
        ctypes.c_char_p,
        ctypes.c_void_p,
    ]
    return new(ctypes.addressof(m), b"dltensor_versioned", None)


class Deleted(list):
    keep = None


@pytest.mark.parametrize(
    "changes",
    [
        {"major": 2},
        {"major": 0},
        {"device": 2},
        {"device": 0},
        {"ndim": 65},
        {"ndim": -1},
        {"code": 3},
        {"code": 77},
        {"bits": 31},
        {"bits": 8},
        {"lanes": 2},
        {"lanes": 0},
        {"shape": (-1, 3)},
        {"shape": (2**62, 2**62)},
        {"shape": (0, 2**63 - 1, 5), "ndim": 3},
        {"strides": (2**62, 1)},
        {"strides": (-(2**62), 1)},
        {"strides": (-(2**63), 1)},
        {"byte_offset": 2},
        {"byte_offset": 2**64 - 4},
        {"data": None},
        {"code": 0, "bits": 128},
        {"code": 6, "bits": 1},
        {"code": 4, "bits": 32},
    ],
)
def test_capsules_that_lie(changes):
    deleted = Deleted()
    capsule = capsule_of(deleted, **changes)
    with pytest.raises((RuntimeError, ValueError)):
        nomen.from_dlpack(capsule)
    assert not deleted  # it is still the capsule's
    assert "dltensor_versioned" in repr(capsule) and "used" not in repr(capsule)


@pytest.mark.parametrize(
    "changes, wanted",
    [
        ({}, [[0, 1, 2], [3, 4, 5]]),
        ({"strides": None}, [[0, 1, 2], [3, 4, 5]]),
        ({"byte_offset": 8, "strides": (1, 2)}, [[2, 4, 6], [3, 5, 7]]),
        ({"byte_offset": 20, "strides": (-3, -1)}, [[5, 4, 3], [2, 1, 0]]),
        ({"shape": (0, 3), "data": None}, []),
        ({"shape": (1, 3), "strides": (2**62, 1)}, [[0, 1, 2]]),
        ({"ndim": 0, "byte_offset": 4}, 1),
        ({"strides": (0, 0)}, [[0, 0, 0], [0, 0, 0]]),
    ],
)
def test_capsules_that_do_not(changes, wanted):
    deleted = Deleted()
    t = nomen.from_dlpack(capsule_of(deleted, **changes))
    assert t.tolist() == wanted and not deleted
    del t
    assert deleted == [True]


def test_a_read_only_capsule():
    deleted = Deleted()
    t = nomen.from_dlpack(capsule_of(deleted, flags=1))
    with pytest.raises(RuntimeError, match="read-only"):
        t.zero_()
    assert t.__dlpack__(max_version=(1, 0)) and t.add(1).sum().item() == 21


# ---- the buffer protocol ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "letter, name",
    [
        ("b", "int8"),
        ("B", "uint8"),
        ("h", "int16"),
        ("i", "int32"),
        ("l", "int64"),
        ("q", "int64"),
        ("f", "float32"),
        ("d", "float64"),
    ],
)
def test_formats_of_arrays(letter, name):
    source = array.array(letter, [1, 2, 3])
    t = nomen.as_tensor(source)
    assert t.dtype.name == name and t.tolist() == [1, 2, 3]
    t[0] = 7
    assert source[0] == 7


def test_formats_of_others():
    assert nomen.from_numpy((ctypes.c_int32 * 3)(1, 2, 3)).dtype is nomen.int32
    assert nomen.from_numpy((ctypes.c_int64 * 3)(1, 2, 3)).dtype is nomen.int64
    assert nomen.from_numpy(numpy.arange(3, dtype=numpy.intp)).dtype is nomen.int64
    assert nomen.from_numpy(memoryview(b"abc")).tolist() == [97, 98, 99]
    for source in (
        numpy.ones(2, ">i4"),
        numpy.ones(2, "u4"),
        numpy.ones(2, "S3"),
        numpy.ones(2, "g"),
        array.array("L", [1]),
        numpy.array(["a"]),
    ):
        with pytest.raises((TypeError, ValueError)):
            nomen.from_numpy(source)
    assert nomen.from_numpy(numpy.ones(2, ">i1")).dtype is nomen.int8


def test_what_consumers_ask_for():
    t = nomen.arange(6.0).reshape(2, 3)
    assert memoryview(t).shape == (2, 3) and memoryview(t).format == "f"
    assert bytes(t) == t.numpy().tobytes() and memoryview(t.T).f_contiguous
    assert memoryview(t.T).strides == (4, 12) and memoryview(nomen.ones(())).shape == ()
    assert numpy.frombuffer(t, dtype="f4").tolist() == [0, 1, 2, 3, 4, 5]


SIMPLE, WRITABLE, FORMAT, ND, STRIDES = 0, 1, 4, 8, 0x18
C_ORDER, F_ORDER, ANY_ORDER = 0x38, 0x58, 0x98


def granted(t, flags):
    """Does the buffer protocol give t to a consumer who asks with these flags?"""
    get, release = ctypes.pythonapi.PyObject_GetBuffer, ctypes.pythonapi.PyBuffer_Release
    get.argtypes, release.argtypes = [ctypes.py_object, ctypes.c_void_p, ctypes.c_int], [
        ctypes.c_void_p
    ]
    view = ctypes.create_string_buffer(256)
    try:
        get(t, view, flags)
    except BufferError:
        return False
    release(view)
    return True


def test_orders_that_consumers_ask_for():
    rows = nomen.arange(6.0).reshape(2, 3)
    columns, neither = rows.T, rows[:, ::2]
    for flags, wanted in (
        (SIMPLE, (True, False, False)),
        (ND, (True, False, False)),
        (STRIDES, (True, True, True)),
        (C_ORDER, (True, False, False)),
        (F_ORDER, (False, True, False)),
        (ANY_ORDER, (True, True, False)),
        (C_ORDER | WRITABLE | FORMAT, (True, False, False)),
    ):
        assert tuple(granted(t, flags) for t in (rows, columns, neither)) == wanted, flags
    both, fixed = nomen.ones(3), nomen.frombuffer(b"1234", dtype=nomen.int32)
    assert granted(both, C_ORDER) and granted(both, F_ORDER)
    assert granted(fixed, C_ORDER) and not granted(fixed, C_ORDER | WRITABLE)
    assert granted(nomen.ones(2, 0, 3)[:, :, ::2], F_ORDER)


def test_frombuffer():
    data = bytearray(range(16))
    t = nomen.frombuffer(data, dtype=nomen.int32, names=("i",))
    assert t.tolist() == numpy.frombuffer(data, "i4").tolist() and t.names == ("i",)
    t[0] = -1
    assert data[:4] == b"\xff" * 4
    assert nomen.frombuffer(data, dtype=nomen.uint8, count=2, offset=5).tolist() == [5, 6]
    assert nomen.frombuffer(data, dtype=nomen.int64, offset=8).numel() == 1
    assert nomen.frombuffer(data, dtype=nomen.bfloat16).numel() == 8
    w = nomen.frombuffer(data, dtype=nomen.float32, requires_grad=True)
    assert w.requires_grad and w.is_leaf
    with pytest.raises(BufferError):
        data.append(1)  # it is in use
    with pytest.raises(RuntimeError, match="read-only"):
        nomen.frombuffer(b"1234", dtype=nomen.int32).zero_()


@pytest.mark.parametrize(
    "arguments, text",
    [
        (
            {"dtype": nomen.float64, "data": b"1234"},
            "buffer length (4 bytes) after offset (0 bytes) must be a multiple of element size (8)",
        ),
        (
            {"dtype": nomen.int32, "count": 3},
            "requested buffer length (3 * 4 bytes) after offset (0 "
            "bytes) must not be greater than actual buffer length (8 bytes)",
        ),
        (
            {"dtype": nomen.int32, "offset": 8},
            "offset (8 bytes) must be non-negative and no greater than "
            "buffer length (8 bytes) minus 1",
        ),
        (
            {"dtype": nomen.int32, "offset": -1},
            "offset (-1 bytes) must be non-negative and no greater "
            "than buffer length (8 bytes) minus 1",
        ),
        ({"dtype": nomen.int32, "count": 0}, "both buffer length (8) and count (0) must not be 0"),
        (
            {"dtype": nomen.int32, "data": b""},
            "both buffer length (0) and count (-1) must not be 0",
        ),
        ({"dtype": nomen.int32, "data": [1]}, "object does not implement Python buffer protocol."),
        (
            {"dtype": nomen.int32, "count": 2**62},
            f"requested buffer length ({2**62} * 4 bytes) after "
            "offset (0 bytes) must not be greater than actual buffer length (8 bytes)",
        ),
    ],
)
def test_frombuffer_that_does_not_fit(arguments, text):
    data = arguments.get("data", b"12345678")
    with raises(ValueError, text):
        nomen.frombuffer(data, **{k: v for k, v in arguments.items() if k != "data"})


def test_more_of_frombuffer():
    with pytest.raises(ValueError, match="not aligned"):
        nomen.frombuffer(bytearray(9), dtype=nomen.int32, offset=1)
    with pytest.raises(TypeError):
        nomen.frombuffer(b"1234")
    with pytest.raises(TypeError):
        nomen.frombuffer(b"1234", dtype="int32")
    with pytest.raises(RuntimeError, match="floating point"):
        nomen.frombuffer(b"1234", dtype=nomen.int32, requires_grad=True)


def test_array_protocol():
    t = nomen.arange(3.0, names=("i",))
    assert numpy.shares_memory(t.__array__(), t.numpy())
    assert not numpy.shares_memory(t.__array__(copy=True), t.numpy())
    assert t.__array__(dtype="int32").dtype == "int32"
    assert numpy.shares_memory(t.__array__(numpy.float32, copy=False), t.numpy())
    with pytest.raises(ValueError):
        t.__array__(dtype="int32", copy=False)
    assert nomen.from_numpy(numpy.ones((2, 3)), names=("N", "C")).names == ("N", "C")
