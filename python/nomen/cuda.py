"""What programs ask before they use a GPU. There is none in this build, and the answers say so."""

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
    """False: nomen runs on the CPU."""
    return False


def is_initialized():
    """False: there is nothing to initialise."""
    return False


def device_count():
    """0"""
    return 0


def init():
    """An error: there is no such device."""
    _C.empty(0, device="cuda")


def current_device():
    """An error: there is no such device."""
    init()


def synchronize(device=None):
    """An error: there is no such device to wait for."""
    init()


def manual_seed(seed):
    """Nothing, as everywhere without a GPU: the seed of the CPU is nomen.manual_seed."""


def manual_seed_all(seed):
    """Nothing, as everywhere without a GPU."""


def empty_cache():
    """Nothing: memory of the CPU is given back by nomen.empty_cache."""
