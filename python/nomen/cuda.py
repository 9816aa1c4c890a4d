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
    """Is there a backend for it, and a device?"""
    return _C.device_count("cuda") > 0


def is_initialized():
    """False: there is nothing to initialise."""
    return False


def device_count():
    """How many there are; 0 without a backend."""
    return _C.device_count("cuda")


def init():
    """Looks for the backend and opens it; an error if there is none."""
    _C.empty(0, device="cuda")


def current_device():
    """0, the first one; an error if there is none."""
    init()
    return 0


def synchronize(device=None):
    """Waits for the device; an error if there is none."""
    _C.synchronize("cuda" if device is None else device)


def manual_seed(seed):
    """Nothing, as everywhere without a GPU: the seed of the CPU is nomen.manual_seed."""


def manual_seed_all(seed):
    """Nothing, as everywhere without a GPU."""


def empty_cache():
    """Nothing: memory of the CPU is given back by nomen.empty_cache."""
