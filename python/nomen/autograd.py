"""Gradients: which operations are recorded, and what to compute from the record."""

import contextvars
import functools

from nomen import _C
from nomen._C import grad, is_grad_enabled

Node, RemovableHandle = _C._Node, _C._RemovableHandle

__all__ = [
    "Node",
    "RemovableHandle",
    "backward",
    "enable_grad",
    "grad",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_grad_enabled",
]


def _wrap_generator(make_mode, function):
    """Each step runs in the mode, the code between the steps in that of the caller."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        generator = function(*args, **kwargs)
        try:
            with make_mode():
                value = generator.send(None)
            while True:
                try:
                    request = yield value
                except GeneratorExit:
                    with make_mode():
                        generator.close()
                    raise
                except BaseException as error:
                    with make_mode():
                        value = generator.throw(error)
                else:
                    with make_mode():
                        value = generator.send(request)
        except StopIteration as end:
            return end.value

    return wrapper


def _decorate(make_mode, function):
    import inspect  # for programs that decorate: it would be a third of the time of `import nomen`

    if inspect.isgeneratorfunction(function):
        return _wrap_generator(make_mode, function)

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        with make_mode():
            return function(*args, **kwargs)

    return wrapper


class _GradMode:
    """A with block or a decorator that switches recording on or off for this thread."""

    def __init__(self, mode):
        self.mode = bool(mode)
        self.before = []

    def __enter__(self):
        self.before.append(_C._set_grad_enabled(self.mode))
        return self

    def __exit__(self, *error):
        _C._set_grad_enabled(self.before.pop())

    def __call__(self, function):
        return _decorate(functools.partial(_GradMode, self.mode), function)


class no_grad(_GradMode):
    """A with block, or a decorator with or without brackets: operations of this thread are not
    recorded.

    Errors: none.

    Example:
        >>> w = nomen.ones(2, requires_grad=True)
        >>> with nomen.no_grad():
        ...     w *= 2
        >>> w
        tensor([2., 2.], requires_grad=True)
        >>> @nomen.no_grad
        ... def double(x):
        ...     return x * 2
        >>> double(w).requires_grad
        False
    """

    def __new__(cls, function=None):
        return super().__new__(cls) if function is None else _GradMode(False)(function)

    def __init__(self, function=None):
        super().__init__(False)


class enable_grad(_GradMode):
    """A with block, or a decorator with or without brackets: operations are recorded, inside of
    no_grad too.

    Errors: none.

    Example:
        >>> w = nomen.ones(2, requires_grad=True)
        >>> with nomen.no_grad(), nomen.enable_grad():
        ...     print((w * 2).requires_grad)
        True
    """

    def __new__(cls, function=None):
        return super().__new__(cls) if function is None else _GradMode(True)(function)

    def __init__(self, function=None):
        super().__init__(True)


class set_grad_enabled(_GradMode):
    """Switches recording on or off for this thread, at once; as a with block back again at its
    end. Also a decorator.

    Errors: none.

    Example:
        >>> w = nomen.ones(2, requires_grad=True)
        >>> with nomen.set_grad_enabled(False):
        ...     print((w * 2).requires_grad)
        False
    """

    def __init__(self, mode):
        super().__init__(mode)
        self.before.append(_C._set_grad_enabled(self.mode))
        self.entered = False

    def __enter__(self):
        self.entered = True
        return self

    def __call__(self, function):
        _C._set_grad_enabled(self.before.pop())
        return super().__call__(function)


_inference = contextvars.ContextVar("nomen.inference_mode", default=False)


class inference_mode(_GradMode):
    """no_grad by another name; with False, the opposite. Its tensors are ordinary ones: they may
    be used with gradients afterwards, which PyTorch refuses.

    Errors: none.

    Example:
        >>> w = nomen.ones(2, requires_grad=True)
        >>> with nomen.inference_mode():
        ...     y = w * 2
        >>> y.requires_grad, (y * w).requires_grad
        (False, True)
    """

    def __new__(cls, mode=True):
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode=True):
        super().__init__(not mode)
        self.tokens = []

    def __enter__(self):
        self.tokens.append(_inference.set(not self.mode))
        return super().__enter__()

    def __exit__(self, *error):
        super().__exit__(*error)
        _inference.reset(self.tokens.pop())

    def __call__(self, function):
        return _decorate(functools.partial(inference_mode, not self.mode), function)


def is_inference_mode_enabled():
    """Is the code inside of inference_mode()?

    Errors: none.

    Example:
        >>> with nomen.inference_mode():
        ...     print(nomen.is_inference_mode_enabled())
        True
    """
    return _inference.get()


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, inputs=None):
    """Tensor.backward of each of the tensors; what they share is kept until the last. grad_tensors
    are their gradients, needed for those of more than one element.

    Errors: as of Tensor.backward; lists of different lengths.

    Example:
        >>> w = nomen.ones(2, names=('N',), requires_grad=True)
        >>> nomen.autograd.backward([w.sum(), w * 2], [None, nomen.ones(2)])
        >>> w.grad
        tensor([3., 3.], names=('N',))
    """
    if isinstance(tensors, _C.Tensor):
        tensors = (tensors,)
    if grad_tensors is None or isinstance(grad_tensors, _C.Tensor):
        grad_tensors = (grad_tensors,) * len(tensors)
    if len(grad_tensors) != len(tensors):
        raise RuntimeError(f"got {len(tensors)} tensors and {len(grad_tensors)} gradients")
    for i, (tensor, gradient) in enumerate(zip(tensors, grad_tensors)):
        keep = True if i < len(tensors) - 1 else retain_graph
        tensor.backward(gradient, keep, create_graph, inputs)
