"""Tensors that go elsewhere: to NumPy and other libraries, into copies and pickles, to other
processes. Files are in _files.py."""

import copy
import os
import sys

from nomen import _C

Tensor = _C.Tensor
UntypedStorage = _C.UntypedStorage

# ---- NumPy -----------------------------------------------------------------------------------


def _numpy(self, *, force=False):
    """A NumPy array on the same memory: each sees what is written through the other. Arrays have
    no names: keep `names` yourself. force=True detaches first.

    Errors: a tensor that requires a gradient, bfloat16, another device than the CPU.

    Example:
        >>> x = nomen.ones(2)
        >>> x.numpy()[0] = 5
        >>> x
        tensor([5., 1.])
    """
    import numpy

    return numpy.asarray(memoryview(self.detach() if force else self))


def _array(self, dtype=None, copy=None):
    """What numpy.asarray calls: the memory itself, unless another dtype or a copy is asked for."""
    import numpy

    array = numpy.asarray(memoryview(self))
    if copy or (dtype is not None and array.dtype != dtype):
        if copy is False:
            raise ValueError("the array cannot be made without a copy")
        return array.astype(array.dtype if dtype is None else dtype)
    return array


# ---- DLPack ----------------------------------------------------------------------------------


def from_dlpack(ext_tensor, *, device=None, copy=None, names=None):
    """A tensor on the memory of a tensor of another library, or of a capsule of DLPack. copy=True
    makes a copy, copy=False refuses one.

    Names: those of names=, or of a tensor of nomen its own; the protocol has no place for them.
    Shapes: those of the other tensor, with its strides.
    Dtypes: that of the other tensor.
    Gradient: none: the result is a leaf.
    Errors: memory that is not the CPU's, a dtype that nomen does not have, a capsule that was used
    before.

    Example:
        >>> import numpy
        >>> nomen.from_dlpack(numpy.arange(2), names=('N',))
        tensor([0, 1], names=('N',))
    """
    if device is not None and _C.device(device).type != "cpu":
        raise _C.DeviceError(f"from_dlpack: there is no device '{device}', the only one is 'cpu'")
    if not hasattr(ext_tensor, "__dlpack__"):
        result = _C._from_dlpack(ext_tensor)
        if copy:
            result = result.clone()
    else:
        result = _from_exporter(ext_tensor, copy)
    if names is None and isinstance(ext_tensor, Tensor):
        names = ext_tensor.names
    if names is not None:
        result.names = names
    return result


def _from_exporter(exporter, copy):
    where = exporter.__dlpack_device__()
    if int(where[0]) != 1:
        raise BufferError(
            f"from_dlpack: the memory is on the device {tuple(map(int, where))} of "
            "DLPack, and nomen has the CPU (1, 0) only: move it there first"
        )
    try:
        capsule = exporter.__dlpack__(max_version=(1, 1), copy=copy)
    except TypeError:  # from before version 1: it knows neither argument
        if copy is False:
            raise
        capsule = exporter.__dlpack__()
        return _C._from_dlpack(capsule).clone() if copy else _C._from_dlpack(capsule)
    return _C._from_dlpack(capsule)


# ---- storages --------------------------------------------------------------------------------


class TypedStorage:
    """The memory behind a tensor, as elements of its dtype: len, items, tolist.

    Errors: an index outside.

    Example:
        >>> storage = nomen.tensor([1., 2.]).storage()
        >>> storage
        nomen.TypedStorage(dtype=nomen.float32, device=cpu) of size 2
        >>> storage[1]
        2.0
    """

    def __init__(self, storage, dtype):
        self._storage = storage
        self.dtype = dtype

    def _elements(self):
        return _C._view_storage(self._storage, self.dtype, 0, (len(self),), (1,))

    def __len__(self):
        return self._storage.nbytes() // self.dtype.itemsize

    def __getitem__(self, i):
        return self._elements()[i].item()

    def __repr__(self):
        return f"nomen.TypedStorage(dtype={self.dtype}, device=cpu) of size {len(self)}"

    def untyped(self):
        """The same memory as bytes, an UntypedStorage.

        Errors: none.

        Example:
            >>> nomen.ones(2).storage().untyped().nbytes()
            8
        """
        return self._storage

    def size(self):
        """How many elements there are.

        Errors: none.

        Example:
            >>> nomen.ones(2).storage().size()
            2
        """
        return len(self)

    def nbytes(self):
        """How many bytes there are.

        Errors: none.

        Example:
            >>> nomen.ones(2).storage().nbytes()
            8
        """
        return self._storage.nbytes()

    def element_size(self):
        """How large an element is, in bytes.

        Errors: none.

        Example:
            >>> nomen.ones(2).storage().element_size()
            4
        """
        return self.dtype.itemsize

    def data_ptr(self):
        """The address of the first element.

        Errors: none.

        Example:
            >>> x = nomen.ones(2)
            >>> x.storage().data_ptr() == x.data_ptr()
            True
        """
        return self._storage.data_ptr()

    def is_shared(self):
        """Is it such that other processes see what is written (share_memory_)?

        Errors: none.

        Example:
            >>> nomen.ones(2).storage().is_shared()
            False
        """
        return self._storage.is_shared()

    def tolist(self):
        """The elements as Python numbers.

        Errors: none.

        Example:
            >>> nomen.ones(2).storage().tolist()
            [1.0, 1.0]
        """
        return self._elements().tolist()


def _storage(self):
    """The memory behind the tensor, as elements of its dtype: all of it, also where the tensor
    shows a part.

    Errors: none.

    Example:
        >>> nomen.ones(4)[1:].storage().size()
        4
    """
    return TypedStorage(self.untyped_storage(), self.dtype)


def _storage_type(self):
    """The type of what storage() gives; of which dtype its elements are it says itself.

    Errors: none.

    Example:
        >>> x = nomen.ones(2)
        >>> isinstance(x.storage(), x.storage_type())
        True
    """
    return TypedStorage


def is_storage(obj):
    """Is it the memory behind a tensor: an UntypedStorage or a TypedStorage?

    Errors: none.

    Example:
        >>> nomen.is_storage(nomen.ones(2).storage()), nomen.is_storage(nomen.ones(2))
        (True, False)
    """
    return isinstance(obj, (UntypedStorage, TypedStorage))


# ---- copies and pickles ----------------------------------------------------------------------


def _storage_of(data, readonly):
    """What the pickle of a storage calls. data: anything with the buffer protocol."""
    view = memoryview(data)
    # Memory that came along with the pickle, or that the program handed over, is used as it is.
    if isinstance(data, bytes) or (view.readonly and not readonly):
        storage = _C._storage_new(view.nbytes)
        memoryview(storage)[:] = view.cast("B")
        return storage
    storage = _C._storage_on(data)
    return storage if storage.data_ptr() % 16 == 0 else storage.clone()


def _reduce_storage(self, protocol):
    import pickle  # is there already when this is called

    data = pickle.PickleBuffer(self) if protocol >= 5 else bytes(self)
    return _storage_of, (data, self._readonly())


def _rebuild(cls, storage, dtype, offset, shape, stride, names, order, requires_grad):
    """What the pickle of a tensor calls."""
    if order != sys.byteorder:
        raise ValueError(f"the tensor was pickled on a {order}-endian machine")
    result = _C._view_storage(storage, getattr(_C, dtype), offset, shape, stride)
    result.names = names
    if cls is not Tensor:
        result = Tensor.__new__(cls, result)
    return result.requires_grad_() if requires_grad else result


def _own_storage(self):
    """A tensor of the same elements and its storage; of a small part of a memory that nobody else
    uses, only that part."""
    alone = self._is_alone()
    storage = self.untyped_storage()
    if alone and self.nbytes < storage.nbytes():
        self = self.detach().clone(memory_format=_C.contiguous_format)
        storage = self.untyped_storage()
    return self, storage


def _reduce(self, protocol):
    if self.requires_grad and not self.is_leaf:
        raise RuntimeError(
            "only leaves can be pickled: the history of this tensor cannot. detach() it first"
        )
    same, storage = _own_storage(self)
    made = _rebuild, (
        type(self),
        storage,
        self.dtype.name,
        same.storage_offset(),
        tuple(same.shape),
        tuple(same.stride()),
        self.names,
        sys.byteorder,
        self.requires_grad,
    )
    attributes = getattr(self, "__dict__", None)
    return (*made, dict(attributes)) if attributes else made


def _copy(self):
    """Another object on the same memory, with the names."""
    result = Tensor.__new__(type(self), self).requires_grad_(self.requires_grad and self.is_leaf)
    if hasattr(self, "__dict__"):
        result.__dict__.update(self.__dict__)
    return result


def _deepcopy(self, memo):
    """A copy of the memory too. Tensors on one memory, copied together, are on one memory again."""
    if self.requires_grad and not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
            "protocol: the history of this tensor cannot be copied. clone() it instead"
        )
    known = memo.get(id(self))
    if known is not None:
        return known
    if self._is_alone():
        result = self.detach().clone()
    else:
        storage = copy.deepcopy(self.untyped_storage(), memo)
        result = _C._view_storage(
            storage, self.dtype, self.storage_offset(), tuple(self.shape), tuple(self.stride())
        )
        result.names = self.names
    if type(self) is not Tensor:
        result = Tensor.__new__(type(self), result)
    result.requires_grad_(self.requires_grad)
    memo[id(self)] = result
    if hasattr(self, "__dict__"):
        result.__dict__.update(copy.deepcopy(self.__dict__, memo))
    if self.grad is not None:
        result.grad = copy.deepcopy(self.grad, memo)
    return result


def _deepcopy_storage(self, memo):
    return self.clone()


# ---- other processes -------------------------------------------------------------------------


def _storage_from(descriptor):
    """What the pickle for another process calls."""
    file = descriptor.detach()
    try:
        return _C._storage_from_file(file)
    finally:
        os.close(file)
        _pass_handles()


def _reduce_shared(storage):
    """What multiprocessing sends: of shared memory the descriptor, of other memory the bytes."""
    from multiprocessing import reduction

    if not storage.is_shared():
        return _reduce_storage(storage, 4)
    return _storage_from, (reduction.DupFd(storage._file()),)


def _pass_handles():
    """From the first shared tensor on: programs that have none do not pay for multiprocessing."""
    from multiprocessing.reduction import ForkingPickler

    ForkingPickler.register(UntypedStorage, _reduce_shared)


def _share_memory_(self):
    """Moves the data into memory that other processes see: children of a fork, and whoever gets
    the tensor through multiprocessing. A tensor that is not shared is sent as a copy. Returns
    the tensor.

    Names: its own.
    Shapes: as self.
    Dtypes: as self.
    Gradient: no part in it: the data moves, the tensor stays what it is.
    Errors: other tensors or arrays that use the memory, because they would be left behind: share a
    tensor before making views of it.

    Example:
        >>> nomen.zeros(3, names=('N',)).share_memory_().is_shared()
        True
    """
    self._share_memory()
    _pass_handles()
    return self


def _array_wrap(self, array, context=None, return_scalar=False):
    """What NumPy's functions make of a tensor (`numpy.sqrt(x)`, `x + array`) is a tensor, without a
    copy, if nomen has its dtype. Those that work element by element match the names of tensors.

    Names: those of the tensors; of functions that do not work element by element none.
    Shapes: those of the array.
    Dtypes: as NumPy chose.
    Gradient: none: a tensor that wants one is not made into an array.
    Errors: names that do not match.

    Example:
        >>> import numpy
        >>> numpy.sqrt(nomen.tensor([4., 9.], names=('N',)))
        tensor([2., 3.], names=('N',))
    """
    try:
        result = _C.from_numpy(array)
    except TypeError:  # objects, dates: as NumPy leaves them
        return array[()] if return_scalar else array
    operands = context[1][: context[0].nin] if context else ()
    named = [x for x in operands if isinstance(x, Tensor) and x.has_names()]
    if not named:
        return result
    model = named[0]
    for other in named[1:]:
        model = model == other
    fits = model.ndim <= result.ndim
    return result.rename(*[None] * (result.ndim - model.ndim), *model.names) if fits else result


functions = {"from_dlpack": from_dlpack, "is_storage": is_storage}


def install():
    """Puts the methods of this file onto Tensor and UntypedStorage."""
    methods = {
        "numpy": _numpy,
        "__array__": _array,
        "__array_wrap__": _array_wrap,
        "__reduce_ex__": _reduce,
        "__copy__": _copy,
        "__deepcopy__": _deepcopy,
        "storage": _storage,
        "storage_type": _storage_type,
        "share_memory_": _share_memory_,
    }
    for name, method in methods.items():
        setattr(Tensor, name, method)
    UntypedStorage.__reduce_ex__ = _reduce_storage
    UntypedStorage.__deepcopy__ = _deepcopy_storage
