"""Functions of neural networks, made of operations that have names and gradients.

`import nomen.nn.functional as F` stands where programs have torch.nn.functional. Dims may be given
by name, and results are named as the operations inside name them.
"""

import math

import nomen
from nomen import Tensor

__all__ = [
    "celu", "cosine_similarity", "dropout", "elu", "gelu", "glu", "hardshrink", "hardsigmoid",
    "hardswish", "hardtanh", "huber_loss", "l1_loss", "leaky_relu", "linear", "log_softmax",
    "logsigmoid", "max_pool1d", "max_pool1d_with_indices", "max_pool2d",
    "max_pool2d_with_indices", "max_pool3d", "max_pool3d_with_indices", "mish", "mse_loss",
    "normalize", "prelu", "relu", "relu6", "selu", "sigmoid", "silu", "smooth_l1_loss", "softmax",
    "softmin", "softplus", "softshrink", "softsign", "tanh", "tanhshrink", "threshold",
]  # fmt: skip


_HALVES = (nomen.float16, nomen.bfloat16)


def _wide(input):
    """What several roundings in a half type would spoil is computed in float32."""
    return input.float() if input.dtype in _HALVES else input


def _into(input, result, inplace=False):
    if inplace:
        return input.copy_(result)
    return result.to(input.dtype) if input.dtype in _HALVES else result


# ---- of each element -------------------------------------------------------------------------


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """The positive part."""
    return nomen.relu_(input) if inplace else nomen.relu(input)


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input))."""
    return input.sigmoid()


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    return input.tanh()


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """input where it is above the threshold, value elsewhere."""
    if inplace:
        return nomen.threshold_(input, threshold, value)
    return nomen.threshold(input, threshold, value)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """input between two bounds."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if not input.dtype.is_floating_point and input.dtype is not nomen.bool:
        min_val, max_val = int(min_val), int(max_val)
        if input.dtype is nomen.uint8 and min_val < 0:
            raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    return input.clamp_(min_val, max_val) if inplace else input.clamp(min_val, max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """input between 0 and 6."""
    return hardtanh(input, 0.0, 6.0, inplace)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """input where it is positive, and a part of it elsewhere."""
    return _into(input, nomen.where(input > 0, input, input * negative_slope), inplace)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """leaky_relu with a slope of its own for each channel (dim 1), or one for all."""
    if weight.ndim > 1:
        raise RuntimeError(
            "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = "
            f"{weight.ndim}"
        )
    if weight.numel() != 1:
        channels = input.shape[1] if input.ndim > 1 else 1
        if weight.numel() != channels:
            raise RuntimeError(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{weight.numel()} and channel size = {channels}."
            )
        weight = weight.reshape(-1, *[1] * (input.ndim - 2)) if input.ndim > 1 else weight
    elif weight.ndim:
        weight = weight.reshape(())
    return nomen.where(input > 0, input, weight * input)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input where it is positive, alpha * expm1(input) elsewhere."""
    x = _wide(input)
    below = alpha * x.clamp(max=0).expm1()  # large exponents would spoil the gradient
    return _into(input, nomen.where(x > 0, x, below), inplace)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """elu whose exponent is divided by alpha, so that its slope has no step."""
    if alpha == 0:
        raise ZeroDivisionError("ZeroDivisionError: alpha cannot be 0 for CELU")
    x = _wide(input)
    below = alpha * (x.clamp(max=0) / alpha).expm1()
    return _into(input, nomen.where(x > 0, x, below), inplace)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """elu with the two numbers that keep mean 0 and variance 1 from layer to layer."""
    alpha, scale = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
    x = _wide(input)
    below = alpha * x.clamp(max=0).expm1()
    return _into(input, scale * nomen.where(x > 0, x, below), inplace)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """input * sigmoid(input)."""
    x = _wide(input)
    return _into(input, x * x.sigmoid(), inplace)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta * input)) / beta; input itself where beta * input is above the threshold."""
    x = _wide(input)
    scaled = x * beta
    above = scaled > threshold
    return _into(input, nomen.where(above, x, scaled.masked_fill(above, 0).exp().log1p() / beta))


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """input * tanh(softplus(input))."""
    x = _wide(input)
    return _into(input, x * softplus(x).tanh(), inplace)


def logsigmoid(input: Tensor) -> Tensor:
    """The logarithm of sigmoid(input)."""
    x = _wide(input)
    return _into(input, x.clamp(max=0) - (-x.abs()).exp().log1p())


def softsign(input: Tensor) -> Tensor:
    """input / (1 + abs(input))."""
    return input / (input.abs() + 1)


def tanhshrink(input: Tensor) -> Tensor:
    """input - tanh(input)."""
    return input - input.tanh()


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """input brought nearer to 0 by lambd, and 0 where it is nearer already."""
    if not lambd >= 0:
        raise RuntimeError(f"lambda must be greater or equal to 0, but found to be {lambd:g}.")
    inner = nomen.where(input < -lambd, input + lambd, input * 0)
    return nomen.where(input > lambd, input - lambd, inner)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """input, and 0 where it is not farther than lambd from 0."""
    return input.masked_fill((input >= -lambd) & (input <= lambd), 0)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """(input + 3) / 6 between 0 and 1."""
    return _into(input, (_wide(input) + 3).clamp(0, 6) / 6, inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """input * hardsigmoid(input)."""
    x = _wide(input)
    return _into(input, x * (x + 3).clamp(0, 6) / 6, inplace)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """input times the part of a normal distribution below it; "tanh" approximates that part."""
    x = _wide(input)
    if approximate == "none":
        return _into(input, x * 0.5 * (x * math.sqrt(0.5)).neg().erfc())
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
        return _into(input, 0.5 * x * (inner.tanh() + 1))
    raise RuntimeError("approximate argument must be either none or tanh.")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Elements become 0 with probability p, and the others are divided by 1 - p."""
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    return nomen.dropout_(input, p, training) if inplace else nomen.dropout(input, p, training)


# ---- along a dim -----------------------------------------------------------------------------


def _dim(input, dim):
    """Where no dim is given: that of the classes, as PyTorch guesses it."""
    return dim if dim is not None else 0 if input.ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim=None, _stacklevel: int = 3, dtype=None) -> Tensor:
    """exp(input) divided by its sum along a dim."""
    return input.softmax(_dim(input, dim), dtype=dtype)


def log_softmax(input: Tensor, dim=None, _stacklevel: int = 3, dtype=None) -> Tensor:
    """The logarithm of softmax."""
    return input.log_softmax(_dim(input, dim), dtype=dtype)


def softmin(input: Tensor, dim=None, _stacklevel: int = 3, dtype=None) -> Tensor:
    """softmax of -input."""
    return (-input).softmax(_dim(input, dim), dtype=dtype)


def glu(input: Tensor, dim=-1) -> Tensor:
    """The first half along a dim times the sigmoid of the second."""
    if input.ndim == 0:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    size = input.size(dim)
    if size % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {size}")
    return input.narrow(dim, 0, size // 2) * input.narrow(dim, size // 2, size // 2).sigmoid()


def normalize(input: Tensor, p: float = 2.0, dim=1, eps: float = 1e-12, out=None) -> Tensor:
    """input divided by its p-norm along a dim."""
    size = input.norm(p, dim, keepdim=True).clamp_min(eps)
    return nomen.div(input, size, out=out)


def cosine_similarity(x1: Tensor, x2: Tensor, dim=1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between x1 and x2 along a dim."""
    sizes = (x1.detach() * x2.detach()).shape  # dim is one of both together
    first, second = _wide(x1).expand(sizes), _wide(x2).expand(sizes)
    first = first / first.norm(2, dim, keepdim=True).clamp_min(eps)
    second = second / second.norm(2, dim, keepdim=True).clamp_min(eps)
    return _into(x1, (first * second).sum(dim))


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias: the last dim of input takes part, and weight is [out, in]."""
    turned = weight.t() if weight.ndim == 2 else weight
    result = input @ turned
    return result if bias is None else result + bias


# ---- losses ----------------------------------------------------------------------------------


def _reduced(loss, reduction):
    if reduction == "none":
        return loss
    if reduction == "mean":
        return loss.mean()
    if reduction == "sum":
        return loss.sum()
    raise ValueError(f"{reduction} is not a valid value for reduction")


def mse_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """The mean of the squares of the differences."""
    return _reduced((input - target).square(), reduction)


def l1_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """The mean of the distances."""
    return _reduced((input - target).abs(), reduction)


def smooth_l1_loss(
    input: Tensor, target: Tensor, *, reduction: str = "mean", beta: float = 1.0
) -> Tensor:
    """The distance less beta / 2; below beta a square that meets it."""
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    far = (input - target).abs()
    if beta == 0:
        return _reduced(far, reduction)
    return _reduced(nomen.where(far < beta, 0.5 * far * far / beta, far - 0.5 * beta), reduction)


def huber_loss(
    input: Tensor, target: Tensor, *, reduction: str = "mean", delta: float = 1.0
) -> Tensor:
    """smooth_l1_loss times delta."""
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    far = (input - target).abs()
    loss = nomen.where(far < delta, 0.5 * far * far, delta * (far - 0.5 * delta))
    return _reduced(loss, reduction)


# ---- pooling ---------------------------------------------------------------------------------


def _each(value, n, what):
    if isinstance(value, int):
        return [value] * n
    value = list(value)
    if len(value) not in (1, n):
        raise RuntimeError(f"{what} must either be a single int, or a tuple of {n} ints")
    return value * n if len(value) == 1 else value


def _lowest(dtype):
    return -math.inf if dtype.is_floating_point else nomen.iinfo(dtype).min


def _padded(x, dim, before, after, value):
    """x with more elements along a dim, or less of them at its end."""
    if after < 0:
        x, after = x.narrow(dim, 0, x.shape[dim] + after), 0
    parts = []
    for count in (before, after):
        sizes = [count if d == dim else n for d, n in enumerate(x.shape)]
        parts.append(nomen.full(sizes, value, dtype=x.dtype) if count else None)
    parts.insert(1, x)
    parts = [part for part in parts if part is not None]
    return nomen.cat(parts, dim) if len(parts) > 1 else x


def _windows(size, k, step, pad, spread, ceil):
    """How many windows fit."""
    reach = size + 2 * pad - spread * (k - 1) - 1
    count = (reach + (step - 1 if ceil else 0)) // step + 1
    if ceil and (count - 1) * step >= size + pad:
        count -= 1  # a window begins in the tensor or in the padding before it
    return count


def _plan(name, n, input, kernel_size, stride, padding, dilation):
    """Kernel, step, padding and dilation of each dim, checked."""
    ranks = f"{n + 1}D or {n + 2}D"
    if input.ndim not in (n + 1, n + 2):
        raise RuntimeError(f"{name}() Expected {ranks} input tensor, but got {list(input.shape)}")
    if 0 in input.shape[-n - 1 :]:
        raise RuntimeError(
            f"{'' if n == 2 else name + ': '}Expected {ranks} (batch mode) tensor with optional 0 "
            f"dim batch size for input, but got:{list(input.shape)}"
        )
    k = _each(kernel_size, n, f"{name}: kernel_size")
    no_stride = stride is None or (not isinstance(stride, int) and not len(stride))
    step = k if no_stride else _each(stride, n, f"{name}: stride")
    pad = _each(padding, n, f"{name}: padding")
    spread = _each(dilation, n, f"{name}: dilation")
    for i in range(n):
        if k[i] <= 0 or step[i] <= 0:
            raise RuntimeError(f"{name}: kernel size and stride should be greater than zero")
        if pad[i] < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {pad[i]}")
        if pad[i] > ((k[i] - 1) * spread[i] + 1) // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={pad[i]}, "
                f"kernel_size={k[i]} and dilation={spread[i]}"
            )
        if spread[i] <= 0:
            raise RuntimeError(f"{name}() dilation must be greater than zero, but got {spread[i]}")
    return k, step, pad, spread


def _max_pool(n, input, kernel_size, stride, padding, dilation, ceil_mode):
    name = f"max_pool{n}d"
    k, step, pad, spread = _plan(name, n, input, kernel_size, stride, padding, dilation)
    first, x = input.ndim - n, input.rename(None)
    counts = []
    for i in range(n):
        size = x.shape[first + i]
        count = _windows(size, k[i], step[i], pad[i], spread[i], ceil_mode)
        if count < 1:
            raise RuntimeError(
                f"{name}() Invalid computed output size: {count}: the window does not fit "
                f"into dim {first + i} of {list(input.shape)}"
            )
        counts.append(count)
        wide = spread[i] * (k[i] - 1) + 1
        after = (count - 1) * step[i] + wide - size - pad[i]
        x = _padded(x, first + i, pad[i], after, _lowest(x.dtype))
    for i in range(n):
        x = x.unfold(first + i, spread[i] * (k[i] - 1) + 1, step[i])[..., :: spread[i]]
    values, at = x.flatten(-n).max(-1)
    place = nomen.zeros_like(at)
    for i in range(n):  # the place in the window, dim by dim, becomes one in the plane
        inside = at.div(math.prod(k[i + 1 :]), rounding_mode="floor").remainder(k[i])
        start = nomen.arange(counts[i]).reshape(-1, *[1] * (n - 1 - i)) * step[i] - pad[i]
        place = place * input.shape[first + i] + start + inside * spread[i]
    if input.has_names():
        values, place = values.rename(*input.names), place.rename(*input.names)
    return values, place


def _pools(n):
    def both(
        input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
        return_indices=False,
    ):  # fmt: skip
        return _max_pool(n, input, kernel_size, stride, padding, dilation, ceil_mode)

    def pool(
        input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
        return_indices=False,
    ):  # fmt: skip
        values, place = both(input, kernel_size, stride, padding, dilation, ceil_mode)
        return (values, place) if return_indices else values

    pool.__name__ = pool.__qualname__ = f"max_pool{n}d"
    both.__name__ = both.__qualname__ = f"max_pool{n}d_with_indices"
    pool.__doc__ = (
        f"The largest element of each window in the last {n} dims, which keep their names."
    )
    both.__doc__ = (
        f"max_pool{n}d, and the place of each result in the last {n} dims, counted as one."
    )
    return pool, both


max_pool1d, max_pool1d_with_indices = _pools(1)
max_pool2d, max_pool2d_with_indices = _pools(2)
max_pool3d, max_pool3d_with_indices = _pools(3)
