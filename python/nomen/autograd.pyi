from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from nomen import Tensor

_F = TypeVar("_F", bound=Callable[..., Any])

class Node:
    def name(self) -> str: ...

class RemovableHandle:
    def remove(self) -> None: ...
    def __enter__(self) -> RemovableHandle: ...
    def __exit__(self, *error: Any) -> None: ...

class _GradMode:
    def __enter__(self) -> _GradMode: ...
    def __exit__(self, *error: Any) -> None: ...
    def __call__(self, function: _F) -> _F: ...

class no_grad(_GradMode):
    def __init__(self, function: Any = None) -> None: ...

class enable_grad(_GradMode):
    def __init__(self, function: Any = None) -> None: ...

class set_grad_enabled(_GradMode):
    def __init__(self, mode: bool) -> None: ...

class inference_mode(_GradMode):
    def __init__(self, mode: Any = True) -> None: ...

def is_grad_enabled() -> bool: ...
def is_inference_mode_enabled() -> bool: ...
def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool = False,
) -> tuple[Any, ...]: ...
def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> None: ...
