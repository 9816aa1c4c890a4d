"""What layers compute, given their parameters: normalisation, tables, padding, attention."""

import math

import nomen
from nomen import Tensor
from nomen.nn._shared import into, wide

__all__ = [
    "batch_norm", "embedding", "layer_norm", "one_hot", "pad", "pairwise_distance", "rms_norm",
    "scaled_dot_product_attention",
]  # fmt: skip


def _last(input, normalized_shape, parameters):
    """The last dims, which have these sizes, and so have the parameters."""
    sizes = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
    if not sizes:
        raise RuntimeError("Expected normalized_shape to be at least 1-dimensional")
    for name, value in parameters.items():
        if value is not None and list(value.shape) != sizes:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(value.shape)} and normalized_shape = {sizes}"
            )
    if list(input.shape[-len(sizes) :]) != sizes:
        raise RuntimeError(
            f"Given normalized_shape={sizes}, expected input with shape "
            f"[*, {', '.join(map(str, sizes))}], but got input of size{list(input.shape)}"
        )
    return tuple(range(-len(sizes), 0))


def _scaled(x, weight, bias):
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


def layer_norm(
    input: Tensor, normalized_shape, weight: Tensor | None = None, bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """input less its mean, divided by its standard deviation (of all, not of all but one), over
    the last dims, which have the sizes given; times weight, plus bias.

    Names: those of input, matched with those of weight and bias.
    Shapes: as input.
    Dtypes: floating and complex, as input; half types are computed in float32.
    Gradient: input, weight, bias.
    Errors: other sizes of the last dims, of weight or of bias; names that do not match.

    Example:
        >>> F.layer_norm(nomen.tensor([[1., 3.], [0., 4.]], names=('N', 'C')), 2)
        tensor([[-1.0000,  1.0000],
                [-1.0000,  1.0000]], names=('N', 'C'))
    """
    dims = _last(input, normalized_shape, {"weight": weight, "bias": bias})
    x = wide(input)
    middle = x - x.mean(dims, keepdim=True)
    spread = x.var(dims, correction=0, keepdim=True)
    return into(input, _scaled(middle * (spread + eps).rsqrt(), weight, bias))


def rms_norm(
    input: Tensor, normalized_shape, weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """input divided by the root of the mean of its squares over the last dims, which have the
    sizes given; times weight. eps is added to the mean (default: that of the dtype).

    Names: those of input, matched with those of weight.
    Shapes: as input.
    Dtypes: floating, as input; half types are computed in float32.
    Gradient: input, weight.
    Errors: other sizes of the last dims or of weight, names that do not match.

    Example:
        >>> F.rms_norm(nomen.tensor([1., 7.]), 2)
        tensor([0.2000, 1.4000])
    """
    dims = _last(input, normalized_shape, {"weight": weight})
    x = wide(input)
    eps = nomen.finfo(x.dtype).eps if eps is None else eps
    scale = (x.square().mean(dims, keepdim=True) + eps).rsqrt()
    return into(input, _scaled(x * scale, weight, None))


def batch_norm(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None,
    weight: Tensor | None = None, bias: Tensor | None = None, training: bool = False,
    momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """input less the mean of its channel (dim 1), divided by its standard deviation, times weight,
    plus bias. While training both are those of this input, and the running ones go towards them by
    momentum; else they are the running ones.

    Names: those of input; the parameters have one dim, whose name must match that of dim 1.
    Shapes: as input.
    Dtypes: floating, as input.
    Gradient: input, weight, bias.
    Errors: parameters of other sizes, one value per channel while training, no running values
    while not.

    Example:
        >>> x = nomen.tensor([[1., 2.], [3., 6.]], names=('N', 'C'))
        >>> F.batch_norm(x, None, None, training=True)
        tensor([[-1.0000, -1.0000],
                [ 1.0000,  1.0000]], names=('N', 'C'))
    """
    if input.ndim < 2:
        if input.ndim and not input.numel():
            return input.clone()
        raise RuntimeError(f"batch_norm: at least two dims are wanted, not {input.ndim}")
    channels = input.shape[1]
    given = dict(running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    for name, value in given.items():
        if value is not None and value.numel() != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {value.numel()}")
    if not training and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when not training")
    if training and input.numel() == channels:
        raise ValueError(
            "Expected more than 1 value per channel when training, got input size " f"{input.shape}"
        )

    def along(value):
        """A parameter beside the dims of input."""
        if value is None:
            return None
        value = wide(value.reshape(channels) if value.ndim != 1 else value)
        return value[(...,) + (None,) * (input.ndim - 2)]

    x = wide(input)
    if training:
        dims = [d for d in range(input.ndim) if d != 1]
        mean, spread = x.mean(dims, keepdim=True), x.var(dims, correction=0, keepdim=True)
        count = input.numel() // max(channels, 1)
        with nomen.no_grad():
            for old, new, factor in (
                (running_mean, mean, 1),
                (running_var, spread, count / max(count - 1, 1)),
            ):
                if old is not None:
                    fresh = new.rename(None).reshape(old.shape).to(old.dtype) * factor
                    old.mul_(1 - momentum).add_(fresh, alpha=momentum)
    else:
        mean, spread = along(running_mean), along(running_var)
    x = (x - mean) * (spread + eps).rsqrt()
    return into(input, _scaled(x, along(weight), along(bias)))


def one_hot(input: Tensor, num_classes: int = -1) -> Tensor:
    """1 at the place that an element says, and 0 at all others, in a new last dim. -1: as many
    places as the largest element needs.

    Names: those of input; the new dim has none.
    Shapes: those of input, and num_classes.
    Dtypes: int64.
    Gradient: none.
    Errors: other dtypes, negative elements, elements that are no class.

    Example:
        >>> F.one_hot(nomen.tensor([1, 0], names=('N',)))
        tensor([[0, 1],
                [1, 0]], names=('N', None))
    """
    if input.dtype is not nomen.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not input.numel():
        if num_classes <= 0:
            raise RuntimeError(
                "Can not infer total number of classes from empty tensor."
                if num_classes == -1
                else "num_classes should be positive"
            )
        return input.unsqueeze(-1).expand(*input.shape, num_classes).clone()
    low, high = (x.item() for x in input.rename(None).aminmax())
    if low < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = high + 1
    elif num_classes < 1:
        raise RuntimeError("num_classes should be positive")
    elif high >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return (input.unsqueeze(-1) == nomen.arange(num_classes)).long()


def _shorten(weight, places, max_norm, norm_type):
    """Rows that are longer than max_norm get that length, in place."""
    with nomen.no_grad():
        used = places.unique()
        rows = weight.rename(None)[used]
        norms = rows.norm(norm_type, 1, keepdim=True)
        scale = nomen.where(norms > max_norm, max_norm / (norms + 1e-7), 1)
        weight.rename(None).index_copy_(0, used, (rows * scale).to(weight.dtype))


def embedding(
    input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None,
    norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
) -> Tensor:  # fmt: skip
    """The rows of a table at places. The row padding_idx gets no gradient. max_norm: rows that
    are used and longer, by the norm_type-norm, are shortened in the table itself.
    scale_grad_by_freq=True divides the gradient of a row by how often it is used. Gradients are
    dense, with sparse=True too.

    Names: those of input, and of the columns of weight.
    Shapes: those of input, and the columns of weight.
    Dtypes: as weight; places are integers.
    Gradient: weight.
    Errors: a table that is no matrix, places that are not in it, a name twice.

    Example:
        >>> table = nomen.tensor([[0., 1.], [2., 3.]], names=('word', 'D'))
        >>> F.embedding(nomen.tensor([1, 0, 1], names=('T',)), table).names
        ('T', 'D')
    """
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    rows, places = weight.shape[0], input.rename(None).flatten()
    if max_norm is not None:
        _shorten(weight, places, max_norm, norm_type)
    plain = weight.rename(None)
    if padding_idx is not None:
        if not -rows <= padding_idx < rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        dead = nomen.arange(rows).unsqueeze(1) == padding_idx % rows
        plain = nomen.where(dead, plain.detach(), plain)
    found = plain.index_select(0, places)
    if scale_grad_by_freq and found.requires_grad:
        often = places.long().bincount(minlength=rows)[places].unsqueeze(1)
        found.register_hook(lambda g: g / often)
    found = found.reshape(*input.shape, weight.shape[1])
    names = (*input.names, weight.names[1])
    return found.rename(*names) if any(names) else found


_PADDINGS = ("reflect", "replicate", "circular")


def _places(input, dim, before, after, mode):
    """Where the elements of a padded dim come from."""
    n = input.shape[dim]
    if mode == "replicate":
        return nomen.arange(-before, n + after).clamp(0, max(n - 1, 0))
    if mode == "circular":  # of what a negative number leaves
        first, last = max(-before, 0), n - max(-after, 0)
        if max(before, after) > last - first:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        at = nomen.arange(-max(before, 0), last - first + max(after, 0))
        return at.remainder(max(last - first, 1)) + first
    if max(before, after) >= n:
        raise RuntimeError(
            "Padding size should be less than the corresponding input dimension, but got: padding "
            f"({before}, {after}) at dimension {dim} of input {list(input.shape)}"
        )
    at = nomen.arange(-before, n + after)
    return (n - 1 - (n - 1 - at.abs()).abs()).abs()


def pad(input: Tensor, pad, mode: str = "constant", value: float | None = None) -> Tensor:
    """input with more elements at both ends of its last dims, or with fewer where a number is
    negative: pad is (before, after) of the last dim, then of the one before it, and so on. They
    are value (default 0), or mode says whose they are: 'reflect' mirrored ones, 'replicate' that
    of the end, 'circular' those of the other end.

    Names: those of input.
    Shapes: before + size + after in these dims.
    Dtypes: all, as input.
    Gradient: input.
    Errors: an odd number of sizes, more than dims have, sizes that become negative.

    Example:
        >>> F.pad(nomen.tensor([1, 2, 3], names=('T',)), (1, 2))
        tensor([0, 1, 2, 3, 0, 0], names=('T',))
    """
    pad = list(pad)
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * input.ndim:
        raise RuntimeError(
            f"Padding length should be less than or equal to two times the input dimension but got "
            f"padding length {len(pad)} and input of dimension {input.ndim}"
        )
    if mode != "constant" and mode not in _PADDINGS:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if mode != "constant" and value not in (None, 0):
        raise ValueError(f'Padding mode "{mode}" doesn\'t take in value argument')
    x, sizes, inside = input.rename(None), list(input.shape), [slice(None)] * input.ndim
    for i in range(len(pad) // 2):
        dim = input.ndim - 1 - i
        before, after, n = pad[2 * i], pad[2 * i + 1], input.shape[dim]
        if n + before + after < 0:
            raise RuntimeError(
                f"The input size {n}, plus negative padding {before} and {after}, resulted in a "
                f"negative output size, which is invalid. Check dimension {dim} of your input."
            )
        if mode != "constant":
            x = x.index_select(dim, _places(input, dim, before, after, mode))
            continue
        x = x.narrow(dim, max(-before, 0), n + min(before, 0) + min(after, 0))
        sizes[dim] = n + before + after
        inside[dim] = slice(max(before, 0), sizes[dim] - max(after, 0))
    if mode == "constant" and list(x.shape) != sizes:
        whole = nomen.full(sizes, value or 0, dtype=x.dtype)
        whole[tuple(inside)] = x
        x = whole
    elif mode == "constant" or not pad:
        x = x.clone(memory_format=nomen.contiguous_format)
    return x.rename(*input.names) if input.has_names() else x


def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """The p-norm of x1 - x2 + eps over the last dim.

    Names: those of both matched from the right, without the last one.
    Shapes: the broadcast sizes without the last dim.
    Dtypes: floating and complex.
    Gradient: x1, x2.
    Errors: names or sizes that do not match.

    Example:
        >>> F.pairwise_distance(nomen.tensor([[3., 4.]]), nomen.zeros(2), eps=0)
        tensor([5.])
    """
    return (x1 - x2 + eps).norm(p, -1, keepdim)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None,
    dropout_p: float = 0.0, is_causal: bool = False, scale: float | None = None,
) -> Tensor:  # fmt: skip
    """softmax(query @ key^T * scale) @ value: for each query the mean of the values, by how much
    it is like their keys. attn_mask: True where a key may be seen, or numbers that are added;
    is_causal=True: a query sees the keys up to its own place; scale: 1 / sqrt(size of the last dim)
    if it is not given.

    Names: as of the products: batch dims are matched, then comes that of the queries and the last
    one of value.
    Shapes: [..., L, E], [..., S, E] and [..., S, V] give [..., L, V].
    Dtypes: floating, one for all three.
    Gradient: query, key, value, attn_mask.
    Errors: sizes or names that do not match, a mask beside is_causal=True.

    Example:
        >>> q = nomen.ones(2, 3, names=('T', 'D'))
        >>> v = nomen.tensor([[1.], [3.]], names=('S', 'out'))
        >>> F.scaled_dot_product_attention(q, nomen.ones(2, 3, names=('S', 'D')), v)
        tensor([[2.],
                [2.]], names=('T', 'out'))
    """
    if is_causal and attn_mask is not None:
        raise RuntimeError(
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when "
            "is_causal=True"
        )
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    likeness = wide(query) @ wide(key).transpose(-2, -1) * scale
    if is_causal:
        attn_mask = nomen.ones(*likeness.shape[-2:], dtype=nomen.bool).tril()
    if attn_mask is not None and attn_mask.dtype is nomen.bool:
        likeness = likeness.masked_fill(~attn_mask, -math.inf)
    elif attn_mask is not None:
        likeness = likeness + attn_mask
    shares = likeness.softmax(-1)
    if attn_mask is not None:  # a query that sees nothing gets nothing
        shares = nomen.where(shares.isnan() & (likeness == -math.inf), 0, shares)
    shares = nomen.dropout(shares, dropout_p, True) if dropout_p else shares
    return into(query, shares @ wide(value))
