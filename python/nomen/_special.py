"""Methods of Tensor that are written in Python: short names for other operations, exchange with
NumPy, copying and pickling."""

import sys

from nomen import _C

Tensor = _C.Tensor

# ---- other dtypes ----------------------------------------------------------------------------

_CONVERSIONS = {
    "float": _C.float32, "double": _C.float64, "half": _C.float16, "bfloat16": _C.bfloat16,
    "int": _C.int32, "long": _C.int64, "short": _C.int16, "char": _C.int8, "byte": _C.uint8,
    "bool": _C.bool, "cfloat": _C.complex64, "cdouble": _C.complex128,
}


def _conversion(name, dtype):
    def convert(self, memory_format=None):
        return self.to(dtype)

    convert.__name__ = name
    convert.__qualname__ = f"Tensor.{name}"
    convert.__doc__ = f"The tensor as {dtype}: to({dtype})."
    return convert


_TYPE_NAMES = {
    _C.float32: "FloatTensor", _C.float64: "DoubleTensor", _C.float16: "HalfTensor",
    _C.bfloat16: "BFloat16Tensor", _C.int32: "IntTensor", _C.int64: "LongTensor",
    _C.int16: "ShortTensor", _C.int8: "CharTensor", _C.uint8: "ByteTensor", _C.bool: "BoolTensor",
    _C.complex64: "ComplexFloatTensor", _C.complex128: "ComplexDoubleTensor",
}


def _type(self, dtype=None, non_blocking=False):
    """The name of the type; with a dtype the tensor converted to it."""
    if dtype is None:
        return f"nomen.{_TYPE_NAMES[self.dtype]}"
    if isinstance(dtype, str):
        short = dtype.rpartition(".")[2]
        found = [d for d, name in _TYPE_NAMES.items() if name == short]
        if not found:
            raise ValueError(f"invalid type: '{dtype}'")
        dtype = found[0]
    return self.to(dtype)


def _type_as(self, other):
    """The tensor with the dtype of another."""
    return self.to(other.dtype)


def _cpu(self, memory_format=None):
    """The tensor itself: there is one device."""
    return self


def _cuda(self, device=None, non_blocking=False, memory_format=None):
    """There is no such device in this build."""
    return self.to("cuda")


# ---- other shapes ----------------------------------------------------------------------------


def _t(self):
    """The transpose of a tensor of at most two dims."""
    if self.ndim > 2:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return self.transpose(0, 1) if self.ndim == 2 else self


def _T(self):
    """The dims in reversed order."""
    return self.permute(*reversed(range(self.ndim)))


def _mT(self):
    """The last two dims swapped."""
    if self.ndim < 2:
        raise RuntimeError(
            f"tensor.mT is only supported on matrices or batches of matrices. Got {self.ndim}-D "
            "tensor.")
    return self.transpose(-2, -1)


def _view(self, *shape):
    """reshape that never copies; view(dtype) is not there."""
    result = self.reshape(*shape)
    if self.numel() and result.data_ptr() != self.data_ptr():
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one "
            "dimension spans across two contiguous subspaces). Use .reshape(...) instead.")
    return result


def _view_as(self, other):
    """view with the sizes of another tensor."""
    return self.view(other.shape)


def _reshape_as(self, other):
    """reshape with the sizes of another tensor."""
    return self.reshape(other.shape)


def _expand_as(self, other):
    """expand to the sizes of another tensor, whose names do not matter."""
    return self.expand(other.shape)


# ---- NumPy -----------------------------------------------------------------------------------


def _numpy(self, *, force=False):
    """A NumPy array on the same memory. Arrays have no names: keep `names` yourself."""
    import numpy

    return numpy.asarray(memoryview(self.detach() if force else self))


def _array(self, dtype=None, copy=None):
    import numpy

    array = numpy.asarray(memoryview(self))
    if copy or (dtype is not None and array.dtype != dtype):
        if copy is False:
            raise ValueError("the array cannot be made without a copy")
        return array.astype(array.dtype if dtype is None else dtype)
    return array


# ---- copies ----------------------------------------------------------------------------------


def _rebuild(cls, dtype, shape, names, data, order, requires_grad):
    """What a pickle calls. The data are the bytes of the elements in row-major order."""
    if order != sys.byteorder:
        raise ValueError(f"the tensor was pickled on a {order}-endian machine")
    result = _C.empty(shape, dtype=getattr(_C, dtype), names=names)
    _C._write_bytes(result, data)
    if cls is not Tensor:
        result = cls(result)
    return result.requires_grad_() if requires_grad else result


def _reduce(self, protocol):
    if self.requires_grad and not self.is_leaf:
        raise RuntimeError(
            "only leaves can be pickled: the history of this tensor cannot. detach() it first")
    if hasattr(self, "__dict__") and self.__dict__:
        raise RuntimeError(f"attributes of a {type(self).__name__} cannot be pickled")
    return _rebuild, (type(self), self.dtype.name, tuple(self.shape), self.names,
                      _C._read_bytes(self), sys.byteorder, self.requires_grad)


def _copy(self):
    """Another object on the same memory, with the names."""
    return type(self)(self).requires_grad_(self.requires_grad and self.is_leaf)


def _deepcopy(self, memo):
    if self.requires_grad and not self.is_leaf:
        raise RuntimeError(
            "only leaves can be deep-copied: the history of this tensor cannot. clone() it instead")
    known = memo.get(id(self))
    if known is not None:
        return known
    result = self.detach().clone()
    if type(self) is not Tensor:
        result = type(self)(result)
    result.requires_grad_(self.requires_grad)
    if self.grad is not None:
        result.grad = _deepcopy(self.grad, memo)
    memo[id(self)] = result
    return result


# ---- functions for methods -------------------------------------------------------------------

_FUNCTIONS = ["detach", "get_device", "is_complex", "is_floating_point", "is_signed", "numel", "t"]


def _function(name):
    def call(input):
        if not isinstance(input, Tensor):
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not "
                            f"{type(input).__name__}")
        return getattr(input, name)()

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The same as input.{name}()."
    return call


functions = {name: _function(name) for name in _FUNCTIONS}


# ---- limits of dtypes ------------------------------------------------------------------------

_FLOATS = {  # bits of the mantissa, of the exponent
    "float16": (10, 5), "bfloat16": (7, 8), "float32": (23, 8), "float64": (52, 11),
}


class finfo:
    """The limits of a floating dtype: finfo(nomen.float32).eps."""

    def __init__(self, type=_C.float32):
        name = {"complex64": "float32", "complex128": "float64"}.get(type.name, type.name)
        if name not in _FLOATS:
            raise TypeError("finfo() requires a floating point input type. Use iinfo to handle "
                            "'finfo'")
        mantissa, exponent = _FLOATS[name]
        top = 2 ** (exponent - 1) - 1
        self.dtype = name
        self.bits = 1 + mantissa + exponent
        self.eps = 2.0**-mantissa
        self.max = (2 - 2.0**-mantissa) * 2.0**top
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0 ** (1 - top)
        self.resolution = 10.0 ** -int(mantissa * 0.30103)

    def __repr__(self):
        return (f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, "
                f"eps={self.eps:g}, smallest_normal={self.tiny:g}, tiny={self.tiny:g}, "
                f"dtype={self.dtype})")


class iinfo:
    """The limits of an integer dtype: iinfo(nomen.int8).max."""

    def __init__(self, type):
        if type.is_floating_point or type.is_complex or type is _C.bool:
            raise TypeError(f"iinfo() requires an integer input type, not {type}")
        self.dtype = type.name
        self.bits = 8 * type.itemsize
        self.min = -(2 ** (self.bits - 1)) if type.is_signed else 0
        self.max = 2 ** (self.bits - type.is_signed) - 1

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


def install():
    """Puts the methods of this file onto Tensor."""
    for name, dtype in _CONVERSIONS.items():
        setattr(Tensor, name, _conversion(name, dtype))
    methods = {
        "type": _type, "type_as": _type_as, "cpu": _cpu, "cuda": _cuda, "t": _t, "view": _view,
        "view_as": _view_as, "reshape_as": _reshape_as, "expand_as": _expand_as, "numpy": _numpy,
        "__array__": _array, "__reduce_ex__": _reduce, "__copy__": _copy,
        "__deepcopy__": _deepcopy,
    }
    for name, method in methods.items():
        setattr(Tensor, name, method)
    Tensor.T = property(_T, doc=_T.__doc__)
    Tensor.mT = property(_mT, doc=_mT.__doc__)
    Tensor.__array_priority__ = 1000
