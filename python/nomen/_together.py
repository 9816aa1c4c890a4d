"""Functions that bring tensors into one shape: broadcasting, grids, at least so many dims."""

import operator
import string

from nomen import _C


def _listed(tensors):
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        return list(tensors[0])
    return list(tensors)


def _common(shapes, clash):
    """The sizes that all shapes broadcast to."""
    sizes = []
    for shape in shapes:
        sizes = [1] * (len(shape) - len(sizes)) + sizes
        for place, n in enumerate(shape, len(sizes) - len(shape)):
            if n != 1 and sizes[place] not in (1, n):
                raise RuntimeError(clash(sizes[place], n, place))
            sizes[place] = n if n != 1 else sizes[place]
    return sizes


def broadcast_shapes(*shapes):
    """The shape that all shapes broadcast to.

    Errors: sizes that do not broadcast, negative sizes.

    Example:
        >>> nomen.broadcast_shapes((2, 1), (3,), 1)
        nomen.Size([2, 3])
    """
    shapes = [(shape,) if isinstance(shape, int) else tuple(shape) for shape in shapes]
    for shape in shapes:
        for n in shape:
            if n < 0:
                raise RuntimeError(f"Trying to create tensor with negative dimension ({n}): ({n})")
    told = "Shape mismatch: objects cannot be broadcast to a single shape"
    return _C.Size(_common(shapes, lambda first, second, place: told))


def broadcast_tensors(*tensors):
    """The tensors expanded to the shape that all broadcast to, as views in a tuple.

    Names: each keeps its own; new dims have none.
    Shapes: the broadcast sizes.
    Dtypes: each keeps its own.
    Gradient: tensors.
    Errors: sizes that do not broadcast.

    Example:
        >>> x, y = nomen.broadcast_tensors(nomen.ones(2, 1, names=('N', 'C')), nomen.ones(3))
        >>> x.shape, y.names
        (nomen.Size([2, 3]), (None, None))
    """
    tensors = _listed(tensors)
    sizes = _common(
        [t.shape for t in tensors],
        lambda first, second, place: f"The size of tensor a ({first}) must match the size of "
        f"tensor b ({second}) at non-singleton dimension {place}",
    )
    return tuple(t.expand(sizes) for t in tensors)


def _widened(tensor, ndim):
    if not isinstance(tensor, _C.Tensor):
        raise TypeError(
            f"atleast_{ndim}d(): argument 'tensors' must be Tensors, not {type(tensor).__name__}"
        )
    if tensor.ndim == 0:
        tensor = tensor.unsqueeze(0)
    if ndim >= 2 and tensor.ndim == 1:
        tensor = tensor.unsqueeze(0)
    return tensor.unsqueeze(-1) if ndim == 3 and tensor.ndim == 2 else tensor


def _letter(label):
    """Of a number, or of "...", what stands for it in the equation; a name is itself for now."""
    if label is Ellipsis:
        return ("...",)
    if isinstance(label, str):
        return label
    label = operator.index(label)
    letters = string.ascii_uppercase + string.ascii_lowercase  # the order in which they come out
    if not 0 <= label < len(letters):
        raise ValueError(
            "einsum(): subscript in subscript list is not within the valid range [0, 52)"
        )
    return (letters[label],)


def _equation(args):
    """einsum(x, [0, 1], y, [1, 2], [0, 2]) as an equation and a tuple of tensors."""
    operands, parts = [], []
    for i in range(0, len(args) - 1, 2):
        if not isinstance(args[i], _C.Tensor) or not isinstance(args[i + 1], (list, tuple)):
            raise TypeError("einsum(): every operand must be a Tensor, followed by a list of dims")
        operands.append(_named(args[i], args[i + 1]))
    lists = [*args[1::2], args[-1]] if len(args) % 2 else args[1::2]
    for labels in lists:
        if not isinstance(labels, (list, tuple)):
            raise TypeError("einsum(): the dims of the result must be a list")
        parts.append([_letter(label) for label in labels])
    taken = {label[0] for part in parts for label in part if isinstance(label, tuple)}
    free = iter(letter for letter in string.ascii_letters if letter not in taken)
    letters = {}
    for label in (label for part in parts for label in part if isinstance(label, str)):
        if label not in letters:
            letters[label] = next(free, None)
    if None in letters.values():
        raise ValueError("einsum(): more than 52 different dims")
    texts = ["".join(letters.get(label) or label[0] for label in part) for part in parts]
    equation = ",".join(texts[: len(operands)])
    return equation + "->" * (len(args) % 2) + "".join(texts[len(operands) :]), tuple(operands)


def _named(tensor, labels):
    """The tensor with the names of the list: what has one already must have that one."""
    if Ellipsis in labels:
        place = labels.index(Ellipsis)
        behind = len(labels) - place - 1
        labels = [*labels[:place], *[None] * (tensor.ndim - place - behind), *labels[place + 1 :]]
    if len(labels) != tensor.ndim:
        return tensor  # the equation says what is wrong
    names = [label if isinstance(label, str) else None for label in labels]
    wanted = [own if name is None else name for name, own in zip(names, tensor.names, strict=True)]
    return tensor.refine_names(*wanted) if any(names) else tensor


_AT_LEAST_TEXT = """Tensors of fewer than {n} dims with dims of size 1 added, as views; several as a
tuple.

Names: each keeps its own; new dims have none.
Shapes: of fewer dims [] becomes [1], [n] becomes [1, n], and [n, m] becomes [n, m, 1].
Dtypes: each keeps its own.
Gradient: tensors.
Errors: what is no tensor.

Example:
    >>> nomen.atleast_{n}d(nomen.ones(3)).shape
    nomen.Size({sizes})
"""


def _at_least(ndim):
    def widen(*tensors):
        if len(tensors) == 1 and isinstance(tensors[0], _C.Tensor):
            return _widened(tensors[0], ndim)
        return tuple(_widened(t, ndim) for t in _listed(tensors))

    widen.__name__ = widen.__qualname__ = f"atleast_{ndim}d"
    widen.__doc__ = _AT_LEAST_TEXT.format(n=ndim, sizes=[[3], [1, 3], [1, 3, 1]][ndim - 1])
    return widen


def meshgrid(*tensors, indexing=None):
    """Each vector along a dim of its own, expanded to the grid of all, as a tuple. indexing="xy"
    gives the second vector the first dim, "ij" (the default) keeps the order.

    Names: each dim has that of its vector.
    Shapes: as many dims as vectors, each as long as its vector; numbers count as vectors of one.
    Dtypes: as the tensors, which must agree.
    Gradient: tensors.
    Errors: no tensors, tensors of more dims, different dtypes, another word as indexing, a name
    that comes twice.

    Example:
        >>> x, y = nomen.meshgrid(nomen.arange(2), nomen.tensor([5, 6, 7], names=('Y',)))
        >>> y
        tensor([[5, 6, 7],
                [5, 6, 7]], names=(None, 'Y'))
    """
    tensors = _listed(tensors)
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(
            f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}'
        )
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for t in tensors:
        if t.ndim > 1:
            raise RuntimeError(
                "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: "
                f"{t.ndim}D of sizes {list(t.shape)}"
            )
        if t.dtype is not tensors[0].dtype:
            raise RuntimeError("torch.meshgrid expects all tensors to have the same dtype")
    n = len(tensors)
    order = list(range(n))
    if indexing == "xy" and n > 1:
        order[0], order[1] = 1, 0  # which vector each dim belongs to
    names = [tensors[k].names[0] if tensors[k].ndim else None for k in order]
    sizes = [tensors[k].numel() for k in order]
    grids = []
    for k, t in enumerate(tensors):
        flat = [t.numel() if k == which else 1 for which in order]
        grid = t.rename(None).reshape(flat).expand(sizes)
        grids.append(grid.rename(*names) if any(names) else grid)
    return tuple(grids)


functions = {
    "atleast_1d": _at_least(1),
    "atleast_2d": _at_least(2),
    "atleast_3d": _at_least(3),
    "broadcast_shapes": broadcast_shapes,
    "broadcast_tensors": broadcast_tensors,
    "meshgrid": meshgrid,
}
