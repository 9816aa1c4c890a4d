"""What programs ask before they use a GPU. There is one if there is a backend for it
(`nomen.device_count("cuda")`); without, the answers say so."""

from nomen import _C

__all__ = [
    "current_device",
    "device_count",
    "empty_cache",
    "init",
    "is_available",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "synchronize",
]


def is_available():
    """Is there a backend for it, and a device?

    Errors: none.

    Example:
        >>> nomen.cuda.is_available()
        False
    """
    return _C.device_count("cuda") > 0


def is_initialized():
    """False: there is nothing to initialise.

    Errors: none.

    Example:
        >>> nomen.cuda.is_initialized()
        False
    """
    return False


def device_count():
    """How many there are; 0 without a backend.

    Errors: none.

    Example:
        >>> nomen.cuda.device_count()
        0
    """
    return _C.device_count("cuda")


def init():
    """Looks for the backend and opens it.

    Errors: no backend, no device.

    Example:
        >>> try:
        ...     nomen.cuda.init()
        ... except RuntimeError:
        ...     print('there is no GPU')
        there is no GPU
    """
    _C.empty(0, device="cuda")


def current_device():
    """0, the first one.

    Errors: no backend, no device.

    Example:
        >>> try:
        ...     nomen.cuda.current_device()
        ... except RuntimeError:
        ...     print('there is no GPU')
        there is no GPU
    """
    init()
    return 0


def synchronize(device=None):
    """Waits until the device has done what it was asked for.

    Errors: no backend, no device, and what went wrong there.

    Example:
        >>> try:
        ...     nomen.cuda.synchronize()
        ... except RuntimeError:
        ...     print('there is no GPU')
        there is no GPU
    """
    _C.synchronize("cuda" if device is None else device)


def manual_seed(seed):
    """Nothing, as everywhere without a GPU: the seed of the CPU is nomen.manual_seed.

    Errors: none.

    Example:
        >>> nomen.cuda.manual_seed(0)
    """


def manual_seed_all(seed):
    """Nothing, as everywhere without a GPU.

    Errors: none.

    Example:
        >>> nomen.cuda.manual_seed_all(0)
    """


def empty_cache():
    """Nothing: memory of the CPU is given back by nomen.empty_cache.

    Errors: none.

    Example:
        >>> nomen.cuda.empty_cache()
    """
