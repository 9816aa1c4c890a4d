"""Files of NumPy read by nomen, files of nomen read by NumPy."""

import ctypes
import os
import pathlib

import numpy
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DTYPES = {"bool": 1, "uint8": 2, "int8": 3, "int16": 4, "int32": 5, "int64": 6, "float16": 7,
          "float32": 9, "float64": 10, "complex64": 11, "complex128": 12}
SHAPES = [(), (1,), (5,), (0,), (2, 3), (3, 0, 2), (4, 1, 3, 2), (1,) * 32]


class Sizes(ctypes.Structure):
    """nomen_sizes"""

    _fields_ = [("count", ctypes.c_int64), ("at", ctypes.POINTER(ctypes.c_int64))]


@pytest.fixture(scope="module")
def library():
    path = os.environ.get("NOMEN_LIBRARY") or ROOT / "build" / "release" / "libnomen.so"
    loaded = ctypes.CDLL(str(path))
    for name in ("nomen_load_npy", "nomen_from_data", "nomen_data"):
        getattr(loaded, name).restype = ctypes.c_void_p
    for name in ("nomen_shape", "nomen_strides"):
        getattr(loaded, name).restype = ctypes.POINTER(ctypes.c_int64)
    for name in ("nomen_error_text", "nomen_name_of"):
        getattr(loaded, name).restype = ctypes.c_char_p
    loaded.nomen_has_names.restype = ctypes.c_bool
    loaded.nomen_from_data.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, Sizes,
                                       ctypes.c_void_p, ctypes.c_void_p]
    return loaded


def array_of(library, tensor):
    """A copy of the tensor's numbers, and whether its strides are those of the columns."""
    ndim = library.nomen_ndim(tensor)
    number = library.nomen_dtype_of(tensor)
    dtype = next(name for name in DTYPES if DTYPES[name] == number)
    shape = library.nomen_shape(tensor)[:ndim] if ndim else []
    strides = library.nomen_strides(tensor)[:ndim] if ndim else []
    size = numpy.dtype(dtype).itemsize
    count = int(numpy.prod(shape, dtype=numpy.int64))
    data = ctypes.string_at(library.nomen_data(tensor), count * size) if count else b""
    flat = numpy.frombuffer(data, dtype=dtype)
    array = numpy.lib.stride_tricks.as_strided(flat, shape, [stride * size for stride in strides])
    return array.copy()


def some_array(dtype, shape):
    count = int(numpy.prod(shape, dtype=numpy.int64))
    numbers = (numpy.arange(count) * 37 + 11) % 100
    if dtype.startswith("complex"):
        numbers = numbers + 1j * (count - numbers)
    return (numbers % 2 if dtype == "bool" else numbers).astype(dtype).reshape(shape)


def load(library, path):
    tensor = ctypes.c_void_p(library.nomen_load_npy(str(path).encode()))
    assert tensor.value, library.nomen_error_text()
    return tensor


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", "<>")
def test_reading(library, tmp_path, dtype, order):
    path = tmp_path / "a.npy"
    for shape in SHAPES:
        for layout in "CF":
            stored = numpy.dtype(dtype).newbyteorder(order)
            array = numpy.asarray(some_array(dtype, shape), stored, layout)
            numpy.save(path, array)
            tensor = load(library, path)
            read = array_of(library, tensor)
            assert read.dtype == numpy.dtype(dtype) and read.shape == shape
            assert numpy.array_equal(read, array)
            assert not library.nomen_has_names(tensor)
            library.nomen_free(ctypes.byref(tensor))


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_versions(library, tmp_path, version):
    array = some_array("int32", (2, 3))
    with open(tmp_path / "a.npy", "wb") as file:
        numpy.lib.format.write_array(file, array, version=version)
    tensor = load(library, tmp_path / "a.npy")
    assert numpy.array_equal(array_of(library, tensor), array)
    library.nomen_free(ctypes.byref(tensor))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("named", [False, True])
def test_writing(library, tmp_path, dtype, named):
    path = str(tmp_path / "b.npy").encode()
    for shape in SHAPES:
        array = some_array(dtype, shape)
        names = [f"dim{i}" if i % 2 == 0 else "*" for i in range(len(shape))] if named else []
        sizes = (ctypes.c_int64 * max(1, len(shape)))(*shape)
        tensor = ctypes.c_void_p(library.nomen_from_data(
            array.ctypes.data, DTYPES[dtype], " ".join(names).encode() if names else None,
            Sizes(len(shape), sizes), None, None))
        assert tensor.value, library.nomen_error_text()
        assert library.nomen_save_npy(tensor, path) == 0, library.nomen_error_text()
        library.nomen_free(ctypes.byref(tensor))
        for mode in (None, "r") if array.size else (None,):
            read = numpy.load(path.decode(), mmap_mode=mode)
            assert read.dtype == array.dtype and read.shape == shape
            assert numpy.array_equal(read, array)
        back = load(library, path.decode())
        found = [library.nomen_name_of(back, i) for i in range(len(shape))]
        assert [name.decode() if name else "*" for name in found] == (names or ["*"] * len(shape))
        library.nomen_free(ctypes.byref(back))


def test_what_nomen_does_not_have(library, tmp_path):
    for array in (numpy.zeros(2, "uint32"), numpy.zeros(2, "datetime64[s]"), numpy.zeros(2, "U3"),
                  numpy.zeros(2, [("x", "i4")]), numpy.zeros((1,) * 2, "longdouble")):
        numpy.save(tmp_path / "a.npy", array)
        assert not library.nomen_load_npy(str(tmp_path / "a.npy").encode())
        text = library.nomen_error_text()
        assert b"which nomen does not have" in text or b"it holds records" in text
