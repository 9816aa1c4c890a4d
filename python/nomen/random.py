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
    """with fork_rng(): what is drawn inside changes nothing for what is drawn after it.

    devices is what PyTorch asks for; there is one generator here.
    """
    state = get_rng_state() if enabled else None
    try:
        yield
    finally:
        if enabled:
            set_rng_state(state)
