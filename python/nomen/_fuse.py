"""nomen.fuse: pointwise chains are computed block by block."""

import functools

from nomen import _C
from nomen.autograd import _decorate


class _Fusing:
    """A with block or a decorator in which pointwise operations put their values off."""

    def __enter__(self):
        _C._fuse_begin()
        return self

    def __exit__(self, kind, error, traceback):
        _C._fuse_end(kind is not None)

    def __call__(self, function):
        import inspect  # as in nomen.autograd

        if inspect.isgeneratorfunction(function):
            return _decorate(_Fusing, function)
        begin, end = _C._fuse_begin, _C._fuse_end

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            begin()
            try:
                result = function(*args, **kwargs)
            except BaseException:
                end(True)
                raise
            end(False)
            return result

        return wrapper


def fuse(function=None):
    """A with block, or a decorator with or without brackets: pointwise operations with large
    results run together, block by block, when something needs their values or the block ends.
    Results, names, errors and gradients are the same; intermediate results that nobody holds any
    more never get memory. It is for this thread; blocks may be nested. What a block that ends with
    an exception has not computed is computed when it is needed.

    Errors: none of its own; a lack of memory for values shows where they are needed.

    Example:
        >>> x = nomen.ones(1000, 100, names=('N', 'C'))
        >>> with nomen.fuse():
        ...     y = ((x * 2 + 1).sqrt() - x).abs()
        >>> y[0, :2]
        tensor([0.7321, 0.7321], names=('C',))
        >>> @nomen.fuse
        ... def gelu_like(x):
        ...     return x * (x * 1.702).sigmoid()
        >>> gelu_like(x).names
        ('N', 'C')
    """
    return _Fusing() if function is None else _Fusing()(function)
