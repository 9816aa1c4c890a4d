"""The default generator: seeds, states, and a block that leaves it as it was."""

import contextlib

from nomen._C import (
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)

__all__ = [
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True):
    """A with block that leaves the default generator as it was: what is drawn inside changes
    nothing for what is drawn after it. devices is what PyTorch asks for; there is one generator
    here.

    Errors: none.

    Example:
        >>> _ = nomen.manual_seed(0)
        >>> with nomen.random.fork_rng():
        ...     _ = nomen.rand(5)
        >>> nomen.rand(2)
        tensor([0.4963, 0.7682])
    """
    state = get_rng_state() if enabled else None
    try:
        yield
    finally:
        if enabled:
            set_rng_state(state)
