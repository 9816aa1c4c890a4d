"""Which dtype comes out, asked without computing anything that is large."""

from nomen import _C

Tensor = _C.Tensor


def _stand_in(value):
    """A tensor without elements that promotes as the value does; numbers stay."""
    if not isinstance(value, Tensor):
        return value
    return _C.empty((0,) if value.ndim else (), dtype=value.dtype)


def result_type(tensor1, tensor2):
    """The dtype that an operation on the two has; each is a tensor or a number. Tensors with dims
    count more than those without, and these more than numbers.

    Errors: what is neither a tensor nor a number.

    Example:
        >>> nomen.result_type(nomen.ones(2, dtype=nomen.int8), 3)
        nomen.int8
    """
    for at, value in enumerate((tensor1, tensor2), 1):
        if not isinstance(value, (Tensor, int, float, complex)):
            raise TypeError(
                f"result_type(): argument 'tensor{at}' (position {at}) must be Tensor or Number, "
                f"not {type(value).__name__}"
            )
    return _C.mul(_stand_in(tensor1), _stand_in(tensor2)).dtype


def _dtypes(name, **given):
    for at, (which, value) in enumerate(given.items(), 1):
        if not isinstance(value, _C.dtype):
            raise TypeError(
                f"{name}(): argument '{which}' (position {at}) must be nomen.dtype, not "
                f"{type(value).__name__}"
            )


def promote_types(type1, type2):
    """The smallest dtype that holds what both hold: that of an operation on tensors of them.

    Errors: what is no dtype.

    Example:
        >>> nomen.promote_types(nomen.int32, nomen.float16)
        nomen.float16
    """
    _dtypes("promote_types", type1=type1, type2=type2)
    return result_type(_C.empty(0, dtype=type1), _C.empty(0, dtype=type2))


def can_cast(from_, to):
    """May a result of the one dtype be written to a tensor of the other (`out=`, in place)? Not
    from complex to real numbers, from floating ones to integers, or from integers to bool.

    Errors: what is no dtype.

    Example:
        >>> nomen.can_cast(nomen.float64, nomen.float16), nomen.can_cast(nomen.float32, nomen.int32)
        (True, False)
    """
    _dtypes("can_cast", from_=from_, to=to)

    def kind(dtype):
        if dtype is _C.bool:
            return 0
        return 3 if dtype.is_complex else 2 if dtype.is_floating_point else 1

    return kind(from_) <= kind(to)


functions = {"can_cast": can_cast, "promote_types": promote_types, "result_type": result_type}
