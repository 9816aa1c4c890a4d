"""nomen: tensors whose dimensions have names.

The operations come from the compiled module nomen._C, made from the table in ops/. What is written
in Python here is what need not be fast.
"""

from nomen import _C
from nomen._C import *  # noqa: F403
from nomen._C import __version__

from nomen import (
    _exchange,
    _files,
    _promotion,
    _special,
    _together,
    autograd,
    cuda,
    random,
    return_types,
)
from nomen._exchange import TypedStorage
from nomen._fuse import fuse
from nomen._special import finfo, iinfo
from nomen.autograd import (
    enable_grad,
    grad,
    inference_mode,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)

Tensor = _C.Tensor
dtype = _C.dtype


def show_config():
    """What this build is made of, as text: version, operations, compiler, instruction set, threads.

    Errors: none.

    Example:
        >>> nomen.show_config().splitlines()[2].startswith('instruction set: ')
        True
    """
    return _C._show_config()


for _part in (_special, _exchange):
    _part.install()
for _part in (_special, _exchange, _files, _promotion, _together):
    globals().update(_part.functions)
del _part

from nomen.nn import functional as _functional  # noqa: E402, F401, made of the operations

# The operations shadow some of Python's own functions (max, sum, ...), so `*` brings none of them.
__all__ = ["Tensor", "Size", "autograd", "device", "dtype", "no_grad", "tensor"]
