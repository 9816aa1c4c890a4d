"""Methods of Tensor that are written in Python: short names for other operations. Copies and what
leaves the process are in _exchange.py."""

from nomen import _C

Tensor = _C.Tensor

# ---- other dtypes ----------------------------------------------------------------------------

_CONVERSIONS = {
    "float": _C.float32, "double": _C.float64, "half": _C.float16, "bfloat16": _C.bfloat16,
    "int": _C.int32, "long": _C.int64, "short": _C.int16, "char": _C.int8, "byte": _C.uint8,
    "bool": _C.bool, "cfloat": _C.complex64, "cdouble": _C.complex128,
}


_CONVERSION_TEXT = """The tensor as {dtype}: to({dtype}); itself if it is that already.

Names: its own.
Shapes: as self.
Dtypes: {dtype}; numbers are cut or rounded to what it can hold.
Gradient: self, between floating and complex dtypes.
Errors: what is no memory format.

Example:
    >>> nomen.tensor([0, 1], dtype=nomen.int16).{name}().dtype
    {dtype}
"""


def _conversion(name, dtype):
    def convert(self, memory_format=None):
        if memory_format is None:
            return self.to(dtype)
        return self.to(dtype, memory_format=memory_format)

    convert.__name__ = name
    convert.__qualname__ = f"Tensor.{name}"
    convert.__doc__ = _CONVERSION_TEXT.format(name=name, dtype=dtype)
    return convert


_TYPE_NAMES = {
    _C.float32: "FloatTensor", _C.float64: "DoubleTensor", _C.float16: "HalfTensor",
    _C.bfloat16: "BFloat16Tensor", _C.int32: "IntTensor", _C.int64: "LongTensor",
    _C.int16: "ShortTensor", _C.int8: "CharTensor", _C.uint8: "ByteTensor", _C.bool: "BoolTensor",
    _C.complex64: "ComplexFloatTensor", _C.complex128: "ComplexDoubleTensor",
}


def _type(self, dtype=None, non_blocking=False):
    """The name of the type, a str; with a dtype (or the name of a type) the tensor converted to
    it.

    Names: its own.
    Shapes: as self.
    Dtypes: the one asked for.
    Gradient: self.
    Errors: ValueError for a name that is no type.

    Example:
        >>> x = nomen.ones(2)
        >>> x.type(), x.type(nomen.int8).type()
        ('nomen.FloatTensor', 'nomen.CharTensor')
    """
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
    """The tensor with the dtype of another.

    Names: its own.
    Shapes: as self.
    Dtypes: that of other.
    Gradient: self.
    Errors: none of its own.

    Example:
        >>> nomen.ones(2).type_as(nomen.ones(1, dtype=nomen.int8)).dtype
        nomen.int8
    """
    return self.to(other.dtype)


def _cpu(self, memory_format=None):
    """The tensor on the CPU: itself if it is there.

    Names: its own.
    Shapes: as self.
    Dtypes: as self.
    Gradient: self.
    Errors: what went wrong on its device.

    Example:
        >>> x = nomen.ones(2)
        >>> x.cpu() is x
        True
    """
    x = self.to("cpu")
    return x if memory_format is None else x.to(memory_format=memory_format)


def _cuda(self, device=None, non_blocking=False, memory_format=None):
    """The tensor on a GPU, if there is a backend for it.

    Names: its own.
    Shapes: as self.
    Dtypes: as self.
    Gradient: self.
    Errors: no backend for cuda, another type of device.

    Example:
        >>> try:
        ...     nomen.ones(2).cuda()
        ... except RuntimeError:
        ...     print('there is no GPU')
        there is no GPU
    """
    if device is None:
        device = "cuda"
    elif not isinstance(device, (_C.device, str, int)) or device is True or device is False:
        raise TypeError(f"cuda(): argument 'device' (position 1) must be nomen.device, not "
                        f"{type(device).__name__}")
    if _C.device(device).type != "cuda":
        raise RuntimeError("Invalid device, must be cuda device")
    return self.to(device)


def _pin_memory(self, device=None):
    """There is no device for which memory could be pinned in this build: an error that says so.

    Names: its own.
    Shapes: as self.
    Dtypes: as self.
    Gradient: self.
    Errors: always one.

    Example:
        >>> try:
        ...     nomen.ones(2).pin_memory()
        ... except RuntimeError:
        ...     print('there is no GPU')
        there is no GPU
    """
    raise RuntimeError("Pinned memory requires CUDA: the only device of this build of nomen is "
                       "'cpu'")


def _is_pinned(self, device=None):
    """False: there is no device for which memory could be pinned.

    Errors: none.

    Example:
        >>> nomen.ones(2).is_pinned()
        False
    """
    return False


# ---- new tensors of the same dtype -----------------------------------------------------------


def _as_self(self, dtype, options):
    """The dtype and the device of self, unless others are asked for."""
    device = options.get("device")
    return options | {"dtype": self.dtype if dtype is None else dtype,
                      "device": self.device if device is None else device}


_FACTORY_TEXT = """nomen.{name}(size, ...) of the same dtype and device; its options as there.

Names: those of names=, else none.
Shapes: size.
Dtypes: dtype=, or as self.
Gradient: none: the result is a leaf, which asks for one with requires_grad=True.
Errors: no sizes, negative ones, names that do not fit.

Example:
    >>> x = nomen.ones(1, dtype=nomen.int8).new_{name}(2, 3, names=('N', 'C'))
    >>> x.shape, x.names, x.dtype
    (nomen.Size([2, 3]), ('N', 'C'), nomen.int8)
"""


def _new_factory(name):
    factory = getattr(_C, name)

    def new(self, *size, dtype=None, **options):
        if size and not options:  # as most are
            return factory(*size, dtype=dtype or self.dtype, device=self.device)
        if "size" in options:
            size = (*size, options.pop("size"))
        if not size:
            raise TypeError(f"new_{name}() missing 1 required positional arguments: \"size\"")
        return factory(*size, **_as_self(self, dtype, options))

    new.__name__ = f"new_{name}"
    new.__qualname__ = f"Tensor.new_{name}"
    new.__doc__ = _FACTORY_TEXT.format(name=name)
    return new


def _new_full(self, size, fill_value, *, dtype=None, **options):
    """A tensor filled with a number: nomen.full(size, fill_value, ...) of the same dtype and
    device.

    Names: those of names=, else none.
    Shapes: size.
    Dtypes: dtype=, or as self.
    Gradient: none: the result is a leaf.
    Errors: a negative size, names that do not fit.

    Example:
        >>> nomen.ones(1, dtype=nomen.int64).new_full((2,), 7, names=('N',))
        tensor([7, 7], names=('N',))
    """
    return _C.full(size, fill_value, **_as_self(self, dtype, options))


def _new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, pin_memory=False,
                names=None):
    """A tensor of its own from data: nomen.tensor(data, ...) of the same dtype and device.

    Names: those of names=, or of a tensor its own.
    Shapes: those of the data.
    Dtypes: dtype=, or as self.
    Gradient: none: the result is a leaf.
    Errors: as of nomen.tensor.

    Example:
        >>> nomen.ones(1, dtype=nomen.int8).new_tensor([1, 2])
        tensor([1, 2], dtype=nomen.int8)
    """
    return _C.tensor(data, **_as_self(self, dtype, {"device": device}),
                     requires_grad=requires_grad, pin_memory=pin_memory, names=names)


def _new(self, *args):
    """new_empty(sizes) for numbers, new_tensor(data) for anything else.

    Names: none.
    Shapes: the sizes, or those of the data.
    Dtypes: as self.
    Gradient: none: the result is a leaf.
    Errors: as of nomen.empty and nomen.tensor.

    Example:
        >>> nomen.ones(1).new([3, 4])
        tensor([3., 4.])
    """
    if len(args) == 1 and not isinstance(args[0], (int, _C.Size)):
        return _new_tensor(self, args[0])
    return _C.empty(*args or (0,), dtype=self.dtype, device=self.device)


def empty_strided(size, stride, *, dtype=None, layout=None, device=None, requires_grad=False,
                  pin_memory=False, names=None):
    """A tensor with these sizes and strides (in elements), not filled.

    Names: those of names=, else none.
    Shapes: size.
    Dtypes: dtype=, or the default floating dtype.
    Gradient: none: the result is a leaf, which asks for one with requires_grad=True.
    Errors: negative sizes or strides, lists of different lengths, a tensor that is too large.

    Example:
        >>> nomen.empty_strided((2, 3), (1, 2)).stride()
        (1, 2)
    """
    size, stride = tuple(size), tuple(stride)
    if any(step < 0 for step in stride):
        raise RuntimeError("empty_strided(): argument 'stride' must not have negative strides: "
                           f"{list(stride)}")
    if len(size) != len(stride):
        raise RuntimeError(f"mismatch in length of strides and shape: {len(size)} sizes and "
                           f"{len(stride)} strides")
    # What may be wrong with sizes and options is told by empty(), which has no strides.
    model = _C.empty((0, *size), dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)
    extent = 1 + sum((n - 1) * step for n, step in zip(size, stride)) if 0 not in size else 0
    if extent * model.itemsize >= 2**63:
        raise RuntimeError(f"a tensor of sizes {list(size)} and strides {list(stride)} is too "
                           "large")
    storage = _C._storage_new(extent * model.itemsize)
    result = _C._view_storage(storage, model.dtype, 0, size, stride)
    if names is not None:
        result.names = names
    return result.requires_grad_() if requires_grad else result


def _new_empty_strided(self, size, stride, *, dtype=None, **options):
    """nomen.empty_strided(size, stride, ...) of the same dtype and device.

    Names: those of names=, else none.
    Shapes: size.
    Dtypes: dtype=, or as self.
    Gradient: none: the result is a leaf.
    Errors: as of nomen.empty_strided.

    Example:
        >>> nomen.ones(1).new_empty_strided((2, 3), (1, 2)).stride()
        (1, 2)
    """
    return empty_strided(size, stride, **_as_self(self, dtype, options))


# ---- other shapes ----------------------------------------------------------------------------


def _t_(self):
    """t in place: self becomes its transpose, and shares its memory as before.

    Names: swapped with the dims.
    Shapes: [n, m] becomes [m, n]; fewer dims stay.
    Dtypes: as self.
    Gradient: self.
    Errors: more than two dims.

    Example:
        >>> nomen.ones(2, 3, names=('N', 'C')).t_().names
        ('C', 'N')
    """
    if self.ndim > 2:
        raise RuntimeError(
            f"t_() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return self.transpose_(0, 1) if self.ndim == 2 else self


def _where(self, condition, other, *, out=None):
    """self where the condition is true, other elsewhere: nomen.where(condition, self, other).

    Names: unified from all three.
    Shapes: all three broadcast.
    Dtypes: condition is bool; self and other are promoted to a common dtype.
    Gradient: self, other.
    Errors: a condition of another dtype, names or sizes that do not fit.

    Example:
        >>> x = nomen.tensor([-1., 2.], names=('N',))
        >>> x.where(x > 0, 0.)
        tensor([0., 2.], names=('N',))
    """
    return _C.where(condition, self, other, out=out)


def _mT(self):
    """The last two dims swapped, as a view; an error with fewer than two.

    Example:
        >>> nomen.ones(2, 3, 4, names=('A', 'B', 'C')).mT.names
        ('A', 'C', 'B')
    """
    if self.ndim < 2:
        raise RuntimeError(
            f"tensor.mT is only supported on matrices or batches of matrices. Got {self.ndim}-D "
            "tensor.")
    return self.transpose(-2, -1)


def _mH(self):
    """The last two dims swapped, and complex numbers conjugated; an error with fewer than two.

    Example:
        >>> nomen.tensor([[1j, 2.]]).mH
        tensor([[0.-1.j],
                [2.-0.j]])
    """
    if self.ndim < 2:
        raise RuntimeError(
            f"tensor.mH is only supported on matrices or batches of matrices. Got {self.ndim}-D "
            "tensor.")
    turned = self.transpose(-2, -1)
    return turned.conj() if turned.is_complex() else turned


def _H(self):
    """The transpose of a matrix, conjugated if it is complex; an error for other numbers of dims
    than 0 and 2.

    Example:
        >>> nomen.ones(2, 3, names=('N', 'C')).H.names
        ('C', 'N')
    """
    if self.ndim not in (0, 2):
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {self.ndim}-D tensor.")
    return _mH(self) if self.ndim else self.conj() if self.is_complex() else self


def _view_as(self, other):
    """view with the sizes of another tensor.

    Names: as of view: none, unless the sizes stay.
    Shapes: those of other.
    Dtypes: as self.
    Gradient: self.
    Errors: another number of elements, strides that do not allow a view.

    Example:
        >>> nomen.ones(6).view_as(nomen.ones(2, 3)).shape
        nomen.Size([2, 3])
    """
    return self.view(other.shape)


def _reshape_as(self, other):
    """reshape with the sizes of another tensor: a view where that is possible, else a copy.

    Names: as of reshape: none, unless the sizes stay.
    Shapes: those of other.
    Dtypes: as self.
    Gradient: self.
    Errors: another number of elements.

    Example:
        >>> nomen.ones(6).reshape_as(nomen.ones(2, 3)).shape
        nomen.Size([2, 3])
    """
    return self.reshape(other.shape)


def _expand_as(self, other):
    """expand to the sizes of another tensor, as a view.

    Names: its own, behind unnamed new dims; those of other do not matter.
    Shapes: those of other.
    Dtypes: as self.
    Gradient: self.
    Errors: sizes that cannot be expanded to those of other.

    Example:
        >>> nomen.ones(3, names=('C',)).expand_as(nomen.ones(2, 3)).names
        (None, 'C')
    """
    return self.expand(other.shape)


def _is_inference(self):
    """False: tensors made in inference_mode are ordinary ones.

    Errors: none.

    Example:
        >>> nomen.ones(2).is_inference()
        False
    """
    return False


def _is_nonzero(self):
    """Is the one element not zero?

    Errors: not one element.

    Example:
        >>> nomen.tensor([2.]).is_nonzero()
        True
    """
    return bool(self)


def is_same_size(input, other):
    """Have the two tensors the same sizes? Names do not matter.

    Errors: what is no tensor.

    Example:
        >>> nomen.is_same_size(nomen.ones(2, names=('N',)), nomen.zeros(2))
        True
    """
    return input.shape == other.shape


# ---- functions for methods -------------------------------------------------------------------

_FUNCTIONS = ["detach", "detach_", "get_device", "is_complex", "is_floating_point", "is_inference",
              "is_nonzero", "is_signed", "numel", "t"]


def _function(name):
    def call(input):
        if not isinstance(input, Tensor):
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not "
                            f"{type(input).__name__}")
        return getattr(input, name)()

    call.__name__ = call.__qualname__ = name
    call.__doc__ = (globals().get(f"_{name}") or getattr(Tensor, name)).__doc__
    return call


functions = {name: _function(name) for name in _FUNCTIONS}
functions["is_same_size"] = is_same_size
functions["empty_strided"] = empty_strided


# ---- limits of dtypes ------------------------------------------------------------------------

_FLOATS = {  # bits of the mantissa, of the exponent
    "float16": (10, 5), "bfloat16": (7, 8), "float32": (23, 8), "float64": (52, 11),
}


class finfo:
    """The limits of a floating dtype: bits, eps (the distance from 1 to the next number), max,
    min, tiny and smallest_normal (the smallest number of full precision), resolution. Of
    complex dtypes those of a part.

    Errors: integers and bool.

    Example:
        >>> nomen.finfo(nomen.float16).max, nomen.finfo(nomen.float32).bits
        (65504.0, 32)
    """

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
    """The limits of an integer dtype: bits, min and max.

    Errors: floating and complex dtypes, bool.

    Example:
        >>> nomen.iinfo(nomen.int8).min, nomen.iinfo(nomen.int8).max
        (-128, 127)
    """

    def __init__(self, type):
        if type.is_floating_point or type.is_complex or type is _C.bool:
            raise TypeError(f"iinfo() requires an integer input type, not {type}")
        self.dtype = type.name
        self.bits = 8 * type.itemsize
        self.min = -(2 ** (self.bits - 1)) if type.is_signed else 0
        self.max = 2 ** (self.bits - type.is_signed) - 1

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


def _part(view):
    """x.real, x.imag: a view that may be assigned to."""

    def put(self, value):
        view(self).copy_(value) if isinstance(value, Tensor) else view(self).fill_(value)

    return property(view, put, doc=view.__doc__)


def install():
    """Puts the methods of this file onto Tensor."""
    for name, dtype in _CONVERSIONS.items():
        setattr(Tensor, name, _conversion(name, dtype))
    for name in ("empty", "ones", "zeros"):
        setattr(Tensor, f"new_{name}", _new_factory(name))
    methods = {
        "type": _type, "type_as": _type_as, "cpu": _cpu, "cuda": _cuda,
        "t_": _t_, "where": _where,
        "view_as": _view_as, "reshape_as": _reshape_as, "expand_as": _expand_as, "new": _new,
        "new_full": _new_full, "new_tensor": _new_tensor, "new_empty_strided": _new_empty_strided,
        "is_inference": _is_inference, "is_nonzero": _is_nonzero, "pin_memory": _pin_memory,
        "is_pinned": _is_pinned,
    }
    for name, method in methods.items():
        setattr(Tensor, name, method)
    _where.__module__ = "nomen"  # as the function that it is a form of
    Tensor.mT = property(_mT, doc=_mT.__doc__)
    Tensor.H = property(_H, doc=_H.__doc__)
    Tensor.mH = property(_mH, doc=_mH.__doc__)
    Tensor.real = _part(_C.real)
    Tensor.imag = _part(_C.imag)
    Tensor.__array_priority__ = 1000
