from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

from nomen import default_generator as default_generator
from nomen import get_rng_state as get_rng_state
from nomen import initial_seed as initial_seed
from nomen import manual_seed as manual_seed
from nomen import seed as seed
from nomen import set_rng_state as set_rng_state

def fork_rng(
    devices: Iterable[Any] | None = None, enabled: bool = True
) -> AbstractContextManager[None]: ...
