"""Functions of neural networks, made of operations that have names and gradients.

`import nomen.nn.functional as F` stands where programs have torch.nn.functional. Dims may be given
by name, and results are named as the operations inside name them.
"""

import math

import nomen
from nomen import Tensor
from nomen.nn._classes import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    kl_div,
    nll_loss,
)
from nomen.nn._layers import (
    batch_norm,
    embedding,
    layer_norm,
    one_hot,
    pad,
    pairwise_distance,
    rms_norm,
    scaled_dot_product_attention,
)
from nomen.nn._shared import into, reduced, wide

__all__ = [
    "batch_norm", "binary_cross_entropy", "binary_cross_entropy_with_logits", "celu",
    "cosine_similarity", "cross_entropy", "dropout", "elu", "embedding", "gelu", "glu",
    "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "huber_loss", "kl_div", "l1_loss",
    "layer_norm", "leaky_relu", "linear", "log_softmax", "logsigmoid", "max_pool1d",
    "max_pool1d_with_indices", "max_pool2d", "max_pool2d_with_indices", "max_pool3d",
    "max_pool3d_with_indices", "mish", "mse_loss", "nll_loss", "normalize", "one_hot", "pad",
    "pairwise_distance", "prelu", "relu", "relu6", "rms_norm", "scaled_dot_product_attention",
    "selu", "sigmoid", "silu", "smooth_l1_loss", "softmax", "softmin", "softplus", "softshrink",
    "softsign", "tanh", "tanhshrink", "threshold",
]  # fmt: skip


# ---- of each element -------------------------------------------------------------------------


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """The positive part: max(input, 0). inplace=True writes into input.

    Names: those of input.
    Shapes: as input.
    Dtypes: real, as input.
    Gradient: input.
    Errors: complex dtypes, bool.

    Example:
        >>> F.relu(nomen.tensor([-1., 2.], names=('N',)))
        tensor([0., 2.], names=('N',))
    """
    return nomen.relu_(input) if inplace else nomen.relu(input)


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input)).

    Names: those of input.
    Shapes: as input.
    Dtypes: as input; integers and bool become float32.
    Gradient: input.
    Errors: none of its own.

    Example:
        >>> F.sigmoid(nomen.tensor([0., 2.]))
        tensor([0.5000, 0.8808])
    """
    return input.sigmoid()


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent.

    Names: those of input.
    Shapes: as input.
    Dtypes: as input; integers and bool become float32.
    Gradient: input.
    Errors: none of its own.

    Example:
        >>> F.tanh(nomen.tensor([0., 1.]))
        tensor([0.0000, 0.7616])
    """
    return input.tanh()


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """input where it is above the threshold, value elsewhere. inplace=True writes into input.

    Names: those of input.
    Shapes: as input.
    Dtypes: real, as input.
    Gradient: input.
    Errors: complex dtypes.

    Example:
        >>> F.threshold(nomen.tensor([0.5, 2.]), 1.0, -7.0)
        tensor([-7.,  2.])
    """
    if inplace:
        return nomen.threshold_(input, threshold, value)
    return nomen.threshold(input, threshold, value)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """input between two bounds: min_val below, max_val above. inplace=True writes into input.

    Names: those of input.
    Shapes: as input.
    Dtypes: real, as input; of integers the bounds lose their fractions.
    Gradient: input.
    Errors: bounds in the wrong order, a negative one for uint8, complex dtypes.

    Example:
        >>> F.hardtanh(nomen.tensor([-3., 0.5, 3.]))
        tensor([-1.0000,  0.5000,  1.0000])
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if not input.dtype.is_floating_point and input.dtype is not nomen.bool:
        min_val, max_val = int(min_val), int(max_val)
        if input.dtype is nomen.uint8 and min_val < 0:
            raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    return input.clamp_(min_val, max_val) if inplace else input.clamp(min_val, max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """input between 0 and 6. inplace=True writes into input.

    Names: those of input.
    Shapes: as input.
    Dtypes: real, as input.
    Gradient: input.
    Errors: complex dtypes.

    Example:
        >>> F.relu6(nomen.tensor([-1., 3., 9.]))
        tensor([0., 3., 6.])
    """
    return hardtanh(input, 0.0, 6.0, inplace)


@nomen.fuse
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """input where it is positive, negative_slope times input elsewhere. inplace=True writes into
    input.

    Names: those of input.
    Shapes: as input.
    Dtypes: real and floating, as input.
    Gradient: input.
    Errors: complex dtypes.

    Example:
        >>> F.leaky_relu(nomen.tensor([-1., 2.]), 0.1)
        tensor([-0.1000,  2.0000])
    """
    return into(input, nomen.where(input > 0, input, input * negative_slope), inplace)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """leaky_relu with a slope of its own for each channel (dim 1), or one for all.

    Names: those of input.
    Shapes: as input.
    Dtypes: real and floating; input and weight are promoted to a common dtype.
    Gradient: input, weight.
    Errors: a weight of more than one dim, or of another length than dim 1; complex dtypes.

    Example:
        >>> F.prelu(nomen.tensor([[-1., -1.]], names=('N', 'C')), nomen.tensor([0.1, 0.5]))
        tensor([[-0.1000, -0.5000]], names=('N', 'C'))
    """
    if weight.ndim > 1:
        raise RuntimeError(
            "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = "
            f"{weight.ndim}"
        )
    if weight.numel() != 1:
        if not input.ndim:
            raise RuntimeError("Not allow zero-dim input tensor.")
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
    """input where it is positive, alpha * (exp(input) - 1) elsewhere. inplace=True writes into
    input.

    Names: those of input.
    Shapes: as input.
    Dtypes: real and floating, as input; float16 and bfloat16 are computed in float32.
    Gradient: input.
    Errors: complex dtypes, bool and integers.

    Example:
        >>> F.elu(nomen.tensor([-1., 2.]))
        tensor([-0.6321,  2.0000])
    """
    x = wide(input)
    below = alpha * x.clamp(max=0).expm1()  # large exponents would spoil the gradient
    return into(input, nomen.where(x > 0, x, below), inplace)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """elu whose exponent is divided by alpha, so that its slope has no step. inplace=True writes
    into input.

    Names: those of input.
    Shapes: as input.
    Dtypes: real and floating, as input; float16 and bfloat16 are computed in float32.
    Gradient: input.
    Errors: an alpha of 0; complex dtypes, bool and integers.

    Example:
        >>> F.celu(nomen.tensor([-1., 2.]), alpha=2.0)
        tensor([-0.7869,  2.0000])
    """
    if alpha == 0:
        raise ZeroDivisionError("ZeroDivisionError: alpha cannot be 0 for CELU")
    x = wide(input)
    below = alpha * (x.clamp(max=0) / alpha).expm1()
    return into(input, nomen.where(x > 0, x, below), inplace)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """elu with the two numbers that keep mean 0 and variance 1 from layer to layer. inplace=True
    writes into input.

    Names: those of input.
    Shapes: as input.
    Dtypes: real and floating, as input; float16 and bfloat16 are computed in float32.
    Gradient: input.
    Errors: complex dtypes, bool and integers.

    Example:
        >>> F.selu(nomen.tensor([-1., 2.]))
        tensor([-1.1113,  2.1014])
    """
    alpha, scale = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
    x = wide(input)
    below = alpha * x.clamp(max=0).expm1()
    return into(input, scale * nomen.where(x > 0, x, below), inplace)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """input * sigmoid(input). inplace=True writes into input.

    Names: those of input.
    Shapes: as input.
    Dtypes: floating and complex, as input; float16 and bfloat16 are computed in float32.
    Gradient: input.
    Errors: integers in place.

    Example:
        >>> F.silu(nomen.tensor([-1., 2.]))
        tensor([-0.2689,  1.7616])
    """
    x = wide(input)
    return into(input, x * x.sigmoid(), inplace)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta * input)) / beta; input itself where beta * input is above the threshold.

    Names: those of input.
    Shapes: as input.
    Dtypes: real and floating, as input; float16 and bfloat16 are computed in float32.
    Gradient: input.
    Errors: complex dtypes, bool and integers.

    Example:
        >>> F.softplus(nomen.tensor([0., 30.]))
        tensor([ 0.6931, 30.0000])
    """
    x = wide(input)
    scaled = x * beta
    above = scaled > threshold
    return into(input, nomen.where(above, x, scaled.masked_fill(above, 0).exp().log1p() / beta))


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """input * tanh(softplus(input)). inplace=True writes into input.

    Names: those of input.
    Shapes: as input.
    Dtypes: real and floating, as input; float16 and bfloat16 are computed in float32.
    Gradient: input.
    Errors: complex dtypes, bool and integers.

    Example:
        >>> F.mish(nomen.tensor([-1., 2.]))
        tensor([-0.3034,  1.9440])
    """
    x = wide(input)
    return into(input, x * softplus(x).tanh(), inplace)


def logsigmoid(input: Tensor) -> Tensor:
    """The logarithm of sigmoid(input), without overflow.

    Names: those of input.
    Shapes: as input.
    Dtypes: real and floating, as input; float16 and bfloat16 are computed in float32.
    Gradient: input.
    Errors: complex dtypes, bool and integers.

    Example:
        >>> F.logsigmoid(nomen.tensor([0., -100.]))
        tensor([  -0.6931, -100.0000])
    """
    x = wide(input)
    return into(input, x.clamp(max=0) - (-x.abs()).exp().log1p())


def softsign(input: Tensor) -> Tensor:
    """input / (1 + abs(input)).

    Names: those of input.
    Shapes: as input.
    Dtypes: floating and complex, as input; integers become float32.
    Gradient: input.
    Errors: bool.

    Example:
        >>> F.softsign(nomen.tensor([-1., 3.]))
        tensor([-0.5000,  0.7500])
    """
    return input / (input.abs() + 1)


def tanhshrink(input: Tensor) -> Tensor:
    """input - tanh(input).

    Names: those of input.
    Shapes: as input.
    Dtypes: as input; integers become float32.
    Gradient: input.
    Errors: bool.

    Example:
        >>> F.tanhshrink(nomen.tensor([0., 1.]))
        tensor([0.0000, 0.2384])
    """
    return input - input.tanh()


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """input brought nearer to 0 by lambd, and 0 where it is nearer already.

    Names: those of input.
    Shapes: as input.
    Dtypes: real and floating, as input.
    Gradient: input.
    Errors: a negative lambd, complex dtypes.

    Example:
        >>> F.softshrink(nomen.tensor([-2., 0.3]))
        tensor([-1.5000,  0.0000])
    """
    if not lambd >= 0:
        raise RuntimeError(f"lambda must be greater or equal to 0, but found to be {lambd:g}.")
    return input - input.clamp(-lambd, lambd)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """input, and 0 where it is not farther than lambd from 0.

    Names: those of input.
    Shapes: as input.
    Dtypes: real, as input.
    Gradient: input.
    Errors: complex dtypes.

    Example:
        >>> F.hardshrink(nomen.tensor([-2., 0.3]))
        tensor([-2.,  0.])
    """
    return input.masked_fill((input >= -lambd) & (input <= lambd), 0)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """(input + 3) / 6 between 0 and 1. inplace=True writes into input.

    Names: those of input.
    Shapes: as input.
    Dtypes: real and floating, as input; float16 and bfloat16 are computed in float32.
    Gradient: input.
    Errors: complex dtypes, integers in place.

    Example:
        >>> F.hardsigmoid(nomen.tensor([-9., 0., 1.]))
        tensor([0.0000, 0.5000, 0.6667])
    """
    return into(input, (wide(input) + 3).clamp(0, 6) / 6, inplace)


@nomen.fuse
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """input * hardsigmoid(input). inplace=True writes into input.

    Names: those of input.
    Shapes: as input.
    Dtypes: real and floating, as input; float16 and bfloat16 are computed in float32.
    Gradient: input.
    Errors: complex dtypes, integers in place.

    Example:
        >>> F.hardswish(nomen.tensor([-9., 1., 6.]))
        tensor([-0.0000, 0.6667, 6.0000])
    """
    x = wide(input)
    return into(input, x * (x + 3).clamp(0, 6) / 6, inplace)


@nomen.fuse
def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """input times the part of a normal distribution below it; approximate="tanh" approximates that
    part.

    Names: those of input.
    Shapes: as input.
    Dtypes: real and floating, as input; float16 and bfloat16 are computed in float32.
    Gradient: input.
    Errors: another word than none or tanh; complex dtypes, bool and integers.

    Example:
        >>> F.gelu(nomen.tensor([-1., 2.]))
        tensor([-0.1587,  1.9545])
    """
    x = wide(input)
    if approximate == "none":
        return into(input, x * 0.5 * (x * -math.sqrt(0.5)).erfc())
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
        return into(input, x * (2 * inner).sigmoid())  # as 1 + tanh, but for its cancellation
    raise RuntimeError("approximate argument must be either none or tanh.")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Elements become 0 with probability p, and the others are divided by 1 - p, so that the mean
    stays; nothing happens if training is False. inplace=True writes into input.

    Names: those of input.
    Shapes: as input.
    Dtypes: floating and complex, as input.
    Gradient: input.
    Errors: a p outside of [0, 1], integers while training.

    Example:
        >>> x = nomen.ones(4, names=('N',))
        >>> F.dropout(x, training=False)
        tensor([1., 1., 1., 1.], names=('N',))
        >>> F.dropout(x, 1.0)
        tensor([0., 0., 0., 0.], names=('N',))
    """
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    return nomen.dropout_(input, p, training) if inplace else nomen.dropout(input, p, training)


# ---- along a dim -----------------------------------------------------------------------------


def _dim(input, dim):
    """Where no dim is given: that of the classes, as PyTorch guesses it."""
    return dim if dim is not None else 0 if input.ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim=None, _stacklevel: int = 3, dtype=None) -> Tensor:
    """exp(input) divided by its sum along a dim. Without one it is dim 0 of 0, 1 or 3 dims and
    else dim 1, as PyTorch guesses. dtype converts before.

    Names: those of input; dim may be a name.
    Shapes: as input.
    Dtypes: dtype, or as input; real and floating.
    Gradient: input.
    Errors: a dim that is not there, complex dtypes.

    Example:
        >>> F.softmax(nomen.tensor([0., 0.], names=('C',)), 'C')
        tensor([0.5000, 0.5000], names=('C',))
    """
    return input.softmax(_dim(input, dim), dtype=dtype)


def log_softmax(input: Tensor, dim=None, _stacklevel: int = 3, dtype=None) -> Tensor:
    """The logarithm of softmax(input, dim), without overflow.

    Names: those of input; dim may be a name.
    Shapes: as input.
    Dtypes: dtype, or as input; real and floating.
    Gradient: input.
    Errors: a dim that is not there, complex dtypes.

    Example:
        >>> F.log_softmax(nomen.tensor([0., 0.], names=('C',)), 'C')
        tensor([-0.6931, -0.6931], names=('C',))
    """
    return input.log_softmax(_dim(input, dim), dtype=dtype)


def softmin(input: Tensor, dim=None, _stacklevel: int = 3, dtype=None) -> Tensor:
    """softmax of -input.

    Names: those of input; dim may be a name.
    Shapes: as input.
    Dtypes: dtype, or as input; real and floating.
    Gradient: input.
    Errors: a dim that is not there, complex dtypes.

    Example:
        >>> F.softmin(nomen.tensor([0., 1.], names=('C',)), 'C')
        tensor([0.7311, 0.2689], names=('C',))
    """
    return (-input).softmax(_dim(input, dim), dtype=dtype)


def glu(input: Tensor, dim=-1) -> Tensor:
    """The first half along a dim times the sigmoid of the second.

    Names: those of input; dim may be a name.
    Shapes: as input, with half the size in dim.
    Dtypes: floating and complex, as input.
    Gradient: input.
    Errors: a tensor without dims, an odd size, a dim that is not there.

    Example:
        >>> F.glu(nomen.tensor([2., 3., 0., 0.], names=('C',)), 'C')
        tensor([1.0000, 1.5000], names=('C',))
    """
    if input.ndim == 0:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    size = input.size(dim)
    if size % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {size}")
    return input.narrow(dim, 0, size // 2) * input.narrow(dim, size // 2, size // 2).sigmoid()


def normalize(input: Tensor, p: float = 2.0, dim=1, eps: float = 1e-12, out=None) -> Tensor:
    """input divided by its p-norm along a dim, or by eps where that is larger.

    Names: those of input; dim may be a name.
    Shapes: as input.
    Dtypes: floating and complex, as input.
    Gradient: input.
    Errors: a dim that is not there, integers.

    Example:
        >>> F.normalize(nomen.tensor([[3., 4.]], names=('N', 'C')), dim='C')
        tensor([[0.6000, 0.8000]], names=('N', 'C'))
    """
    size = input.norm(p, dim, keepdim=True).clamp_min(eps)
    return nomen.div(input, size, out=out)


def cosine_similarity(x1: Tensor, x2: Tensor, dim=1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between x1 and x2 along a dim; norms below eps count as eps.

    Names: both matched from the right, without dim.
    Shapes: the broadcast sizes without dim.
    Dtypes: floating and complex, as x1; float16 and bfloat16 are computed in float32.
    Gradient: x1, x2.
    Errors: names or sizes that do not match, a dim that is not there, integers.

    Example:
        >>> x = nomen.tensor([[3., 4.]], names=('N', 'C'))
        >>> F.cosine_similarity(x, nomen.tensor([4., 3.], names=('C',)), 'C')
        tensor([0.9600], names=('N',))
    """
    sizes = (x1.detach() * x2.detach()).shape  # dim is one of both together
    first, second = wide(x1).expand(sizes), wide(x2).expand(sizes)
    first = first / first.norm(2, dim, keepdim=True).clamp_min(eps)
    second = second / second.norm(2, dim, keepdim=True).clamp_min(eps)
    return into(x1, (first * second).sum(dim))


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias: the last dim of input takes part, and weight is [out, in].

    Names: those of input, with that of the dim out of weight in place of the last.
    Shapes: [..., in] and [out, in] give [..., out].
    Dtypes: all but bool; operands of one dtype.
    Gradient: input, weight, bias.
    Errors: sizes that do not fit, names that come twice in the result.

    Example:
        >>> x = nomen.ones(2, 3, names=('N', 'in'))
        >>> weight = nomen.ones(1, 3, names=('out', 'in'))
        >>> F.linear(x, weight, nomen.tensor([0.5]))
        tensor([[3.5000],
                [3.5000]], names=('N', 'out'))
    """
    turned = weight.t() if weight.ndim == 2 else weight
    result = input @ turned
    return result if bias is None else result + bias


# ---- losses ----------------------------------------------------------------------------------


def mse_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """The mean (or sum, or each) of the squares of the differences.

    Names: reduction='none' those of both matched from the right; else no dims.
    Shapes: reduction='none' the broadcast sizes; 'mean' and 'sum' no dims.
    Dtypes: floating and complex; operands are promoted to a common dtype.
    Gradient: input, target.
    Errors: names or sizes that do not match, another word as reduction.

    Example:
        >>> F.mse_loss(nomen.tensor([1., 2.]), nomen.tensor([0., 0.]))
        tensor(2.5000)
    """
    return reduced((input - target).square(), reduction)


def l1_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """The mean (or sum, or each) of the distances.

    Names: reduction='none' those of both matched from the right; else no dims.
    Shapes: reduction='none' the broadcast sizes; 'mean' and 'sum' no dims.
    Dtypes: floating and complex; operands are promoted to a common dtype.
    Gradient: input, target.
    Errors: names or sizes that do not match, another word as reduction.

    Example:
        >>> F.l1_loss(nomen.ones(2, names=('N',)), nomen.zeros(2), reduction='none')
        tensor([1., 1.], names=('N',))
    """
    return reduced((input - target).abs(), reduction)


def _bend(far, bound, unit=1.0):
    """Half of a square up to the bound, beyond it the tangent there; all of it over unit."""
    near = far.clamp(max=bound)
    return (near if unit == 1 else near / unit) * nomen.sub(far, near, alpha=0.5)


@nomen.fuse
def smooth_l1_loss(
    input: Tensor, target: Tensor, *, reduction: str = "mean", beta: float = 1.0
) -> Tensor:
    """The mean (or sum, or each) of the distance less beta / 2; below beta a square that meets it.

    Names: reduction='none' those of both matched from the right; else no dims.
    Shapes: reduction='none' the broadcast sizes; 'mean' and 'sum' no dims.
    Dtypes: real and floating; operands are promoted to a common dtype.
    Gradient: input, target.
    Errors: names or sizes that do not match, another word as reduction, a negative beta, complex
    dtypes.

    Example:
        >>> F.smooth_l1_loss(nomen.tensor([0.5, 3.]), nomen.zeros(2), reduction='none')
        tensor([0.1250, 2.5000])
    """
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    far = (input - target).abs()
    rounds = beta < 1e-4 and far.is_floating_point()  # to 0 perhaps, in that dtype
    if beta <= (nomen.finfo(far.dtype).tiny if rounds else 0):
        return reduced(far, reduction)
    return reduced(_bend(far, beta, beta), reduction)


@nomen.fuse
def huber_loss(
    input: Tensor, target: Tensor, *, reduction: str = "mean", delta: float = 1.0
) -> Tensor:
    """smooth_l1_loss times delta: a square below delta, a line above.

    Names: reduction='none' those of both matched from the right; else no dims.
    Shapes: reduction='none' the broadcast sizes; 'mean' and 'sum' no dims.
    Dtypes: real and floating; operands are promoted to a common dtype.
    Gradient: input, target.
    Errors: names or sizes that do not match, another word as reduction, a delta that is not
    positive, complex dtypes.

    Example:
        >>> F.huber_loss(nomen.tensor([0.5, 3.]), nomen.zeros(2), reduction='none', delta=2.0)
        tensor([0.1250, 4.0000])
    """
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    far = (input - target).abs()
    return reduced(_bend(far, delta), reduction)


# ---- pooling ---------------------------------------------------------------------------------


def _each(value, n, name, what):
    if isinstance(value, int):
        return [value] * n
    value = list(value)
    if len(value) in (1, n):
        return value * n if len(value) == 1 else value
    if n == 1:
        none = "None, " if what == "stride" else ""
        raise RuntimeError(
            f"{name}() {what} must be {none}an int, list of ints, or tuple of ints of size 1 but "
            f"got size {len(value)}"
        )
    omitted = "be omitted," if what == "stride" else "be"
    raise RuntimeError(
        f"{name}: {what} must either {omitted} a single int, or a tuple of {_COUNTS[n]} ints"
    )


_COUNTS = {2: "two", 3: "three"}


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


def _fitting(name, n, input):
    """Has the input the dims that windows want, and elements in all but the first of a batch?"""
    ranks = f"{n + 1}D or {n + 2}D"
    ndim_fits, empty = input.ndim in (n + 1, n + 2), 0 in input.shape[-n - 1 :]
    if n == 1 and not ndim_fits or n < 3 and ndim_fits and empty:
        raise RuntimeError(
            f"{'' if n == 2 else name + ': '}Expected {ranks} (batch mode) tensor with optional 0 "
            f"dim batch size for input, but got:{list(input.shape)}"
        )
    if not ndim_fits:
        raise RuntimeError(f"non-empty {ranks} (batch mode) tensor expected for input")
    if empty:
        raise RuntimeError(
            f"{name}: Expected input's non-batch dimensions to have positive length, but input has "
            f"a shape of {list(input.shape)}"
        )


def _line_fits(name, k, step, pad, spread):
    for what, value in (("kernel_size", k), ("stride", step), ("dilation", spread)):
        if value <= 0:
            raise RuntimeError(f"{name}() {what} must be greater than zero, but got {value}")
    if pad < 0:
        raise RuntimeError(f"{name}() padding must be non-negative, but got {pad}")
    if pad > ((k - 1) * spread + 1) // 2:
        raise RuntimeError(
            f"{name}() padding should be at most half of kernel size, but got padding={pad} and "
            f"kernel_size={k}"
        )


def _windows_fit(k, step, pad, spread):
    if 0 in step:
        raise RuntimeError("stride should not be zero")
    for what, sign, values in (
        ("kernel size", "k", k),
        ("stride", "d", step),
        ("dilation", "dilation", spread),
    ):
        if min(values) <= 0:
            told = " ".join(f"{sign}{d}: {v}" for d, v in zip("THW"[-len(k) :], values))
            raise RuntimeError(f"{what} should be greater than zero, but got {told}")
    if min(pad) < 0:
        raise RuntimeError(f"pad must be non-negative, but got pad: {min(pad)}")
    for i in range(len(k)):
        if pad[i] > ((k[i] - 1) * spread[i] + 1) // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={pad[i]}, "
                f"kernel_size={k[i]} and dilation={spread[i]}"
            )


def _plan(name, n, input, kernel_size, stride, padding, dilation, line):
    """Kernel, step, padding and dilation of each dim, checked; a line has words of its own."""
    if line:
        _fitting(name, n, input)
    k = _each(kernel_size, n, name, "kernel_size")
    no_stride = stride is None or (not isinstance(stride, int) and not len(stride))
    step = k if no_stride else _each(stride, n, name, "stride")
    pad = _each(padding, n, name, "padding")
    spread = _each(dilation, n, name, "dilation")
    if line:
        _line_fits(name, k[0], step[0], pad[0], spread[0])
    else:
        if input.ndim not in (n + 1, n + 2):
            _fitting(name, n, input)
        _windows_fit(k, step, pad, spread)
        _fitting(name, n, input)
    return k, step, pad, spread


def _too_small(name, n, input, counts):
    if n == 1:
        return RuntimeError(f"{name}() Invalid computed output size: {counts[0]}")
    planes = input.shape[-n - 1]
    given = "x".join(map(str, [planes, *input.shape[-n:]]))
    wanted = "x".join(map(str, [planes, *counts]))
    return RuntimeError(
        f"Given input size: ({given}). Calculated output size: ({wanted}). Output size is too small"
    )


def _max_pool(n, input, kernel_size, stride, padding, dilation, ceil_mode, places):
    name = f"max_pool{n}d"
    line = n == 1 and not places
    k, step, pad, spread = _plan(name, n, input, kernel_size, stride, padding, dilation, line)
    first, x = input.ndim - n, input.rename(None)
    counts = [
        _windows(x.shape[first + i], k[i], step[i], pad[i], spread[i], ceil_mode) for i in range(n)
    ]
    if min(counts) < 1:
        raise _too_small(name, n, input, counts)
    for i in range(n):
        size, count = x.shape[first + i], counts[i]
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


_POOL_TEXT = """. Windows have kernel_size elements, which lie dilation apart; they
begin stride apart (kernel_size, if it is not given), and padding elements, which never win, stand
at each end. ceil_mode=True keeps a last window that is not full; return_indices=True gives the
places as well.

Names: those of input.
Shapes: [N, C, ...] or [C, ...] with {n} dims of windows; each has as many elements as windows fit.
Dtypes: real, as input; places are int64.
Gradient: input.
Errors: too few or too many dims, a kernel or a step that is not positive, padding of more than half
a kernel, windows that do not fit.

Example:
    >>> x = nomen.tensor([1., 5., 2., 3.]).reshape({sizes})
    >>> F.max_pool{n}d{name}(x, {kernel})
    {result}
"""


def _pool_text(n, name, values, places):
    """The documentation of a pooling function, whose example has these results."""
    open, close = "[" * (n + 1), "]" * (n + 1)
    result = f"tensor({open}{values}{close})"
    if places:
        result = f"({result}, tensor({open}{places}{close}))"
    kernel = [1] * (n - 1) + [2] if n > 1 else 2
    return _POOL_TEXT.format(n=n, name=name, sizes=[1] * n + [4], kernel=kernel, result=result)


def _pools(n):
    def both(
        input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
        return_indices=False,
    ):  # fmt: skip
        return _max_pool(n, input, kernel_size, stride, padding, dilation, ceil_mode, True)

    def pool(
        input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
        return_indices=False,
    ):  # fmt: skip
        values, place = _max_pool(
            n, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices
        )
        return (values, place) if return_indices else values

    pool.__name__ = pool.__qualname__ = f"max_pool{n}d"
    both.__name__ = both.__qualname__ = f"max_pool{n}d_with_indices"
    first = f"The largest element of each window in the last {n} dims"
    pool.__doc__ = first + _pool_text(n, "", "5., 3.", "")
    first += ", and its place there, counted as if they were one dim"
    both.__doc__ = first + _pool_text(n, "_with_indices", "5., 3.", "1, 3")
    return pool, both


max_pool1d, max_pool1d_with_indices = _pools(1)
max_pool2d, max_pool2d_with_indices = _pools(2)
max_pool3d, max_pool3d_with_indices = _pools(3)
