"""Losses of classes and of probabilities."""

import nomen
from nomen import Tensor
from nomen.nn._shared import into, reduced, wide

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy", "kl_div",
    "nll_loss",
]  # fmt: skip


def _classes(input, target, weight, name):
    """The dim of the classes, checked."""
    if not input.ndim:
        raise RuntimeError(f"{name}: input should have a dim of classes, but it is a number")
    dim = 1 if input.ndim > 1 else 0
    count = input.shape[dim]
    if weight is not None and tuple(weight.shape) != (count,):
        raise RuntimeError(
            f"weight tensor should be defined either for all {count} classes or no classes but got "
            f"weight tensor of shape: {list(weight.shape)}"
        )
    return dim


def _targets(input, target, dim, ignore_index):
    """Which targets count, and all of them as places among the classes."""
    rest = [n for d, n in enumerate(input.shape) if d != dim]
    if list(target.shape) != rest:
        if rest and target.ndim and target.shape[0] != rest[0]:
            raise ValueError(
                f"Expected input batch_size ({rest[0]}) to match target batch_size "
                f"({target.shape[0]})."
            )
        raise RuntimeError(
            f"size mismatch: a target of sizes {rest} is wanted for an input of sizes "
            f"{list(input.shape)}, got {list(target.shape)}"
        )
    if target.dtype.is_floating_point or target.is_complex() or target.dtype is nomen.bool:
        raise RuntimeError(f"expected scalar type int64 but found {target.dtype.name}")
    kept = target != ignore_index
    places = nomen.where(kept, target, 0).rename(None).long()
    if places.numel():
        low, high = places.aminmax()
        for place in (low.item(), high.item()):
            if not 0 <= place < input.shape[dim]:
                raise IndexError(f"Target {place} is out of bounds.")
    return kept, places


def _of_places(logs, target, weight, ignore_index, reduction, smoothing, name):
    """The loss of logarithms of probabilities, and targets that are places."""
    dim = _classes(logs, target, weight, name)
    kept, places = _targets(logs, target, dim, ignore_index)
    names = [n for d, n in enumerate(logs.names) if d != dim]
    plain = logs.rename(None)

    def named(x):
        """Where a target does not count 0; names of both meet here."""
        return nomen.where(kept, x.rename(*names) if logs.has_names() else x, 0)

    share = None if weight is None else weight.rename(None)[places]
    loss = -plain.gather(dim, places.unsqueeze(dim)).squeeze(dim)
    loss = named(loss if share is None else loss * share)
    if smoothing:
        sizes = [-1 if d == dim else 1 for d in range(plain.ndim)]
        each = plain if weight is None else plain * weight.rename(None).reshape(sizes)
        loss = loss * (1 - smoothing) + named(-each.sum(dim)) * (smoothing / plain.shape[dim])
    if reduction != "mean":
        return reduced(loss, reduction)
    count = kept.sum() if share is None else named(share).sum()
    return loss.sum() / count


def cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, *, ignore_index: int = -100,
    reduction: str = "mean", label_smoothing: float = 0.0,
) -> Tensor:  # fmt: skip
    """How unlikely the targets are, by the softmax of input over its classes (dim 1, or the only
    one): minus the logarithm of the probability. A target is a class, or as large as input and
    the probability of each. weight: how much each class counts; targets equal to ignore_index do
    not; label_smoothing: this part of each target is spread over all classes.

    Names: reduction='none' those of input without the classes, matched with those of target.
    Shapes: [N, C, ...] and targets [N, ...] or [N, C, ...]; 'none' [N, ...], else no dims.
    Dtypes: floating; targets integers, or floating as probabilities.
    Gradient: input, weight; target if it is floating.
    Errors: targets that are no class, names or sizes that do not fit, another word as reduction.

    Example:
        >>> x = nomen.tensor([[0., 0.], [0., 2.]], names=('N', 'class'))
        >>> F.cross_entropy(x, nomen.tensor([0, 1], names=('N',)), reduction='none')
        tensor([0.6931, 0.1269], names=('N',))
    """
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    dim = _classes(input, target, weight, "cross_entropy")
    logs = wide(input).log_softmax(dim)
    if target.shape != input.shape or not target.is_floating_point():
        if target.shape == input.shape and input.ndim > 1:
            raise RuntimeError(
                "Expected floating point type for target with class probabilities, got "
                f"{target.dtype}"
            )
        loss = _of_places(
            logs, target, weight, ignore_index, reduction, label_smoothing, "cross_entropy"
        )
        return into(input, loss)
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / input.shape[dim]
    if weight is not None:
        target = target * weight.rename(None).reshape([-1] + [1] * (input.ndim - 1 - dim))
    loss = -(logs * target).sum(dim)
    if reduction == "mean":
        return into(input, loss.sum() / max(loss.numel(), 1))
    return into(input, reduced(loss, reduction))


def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, *, ignore_index: int = -100,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """cross_entropy of what is the logarithm of probabilities already.

    Names: reduction='none' those of input without the classes, matched with those of target.
    Shapes: [N, C, ...] and targets [N, ...]; 'none' [N, ...], else no dims.
    Dtypes: floating; targets integers.
    Gradient: input, weight.
    Errors: targets that are no class, names or sizes that do not fit, another word as reduction.

    Example:
        >>> F.nll_loss(nomen.tensor([[-1., -2.]]), nomen.tensor([1]))
        tensor(2.)
    """
    return _of_places(input, target, weight, ignore_index, reduction, 0, "nll_loss")


def _weighted(loss, weight):
    return loss if weight is None else loss * weight


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, *, reduction: str = "mean"
) -> Tensor:
    """How unlikely the targets are where input is the probability of 1: -target * log(input) -
    (1 - target) * log(1 - input), with logarithms of -100 at least.

    Names: reduction='none' those of the operands matched from the right; else no dims.
    Shapes: target as input; reduction='none' as input, else no dims.
    Dtypes: floating.
    Gradient: input, target, weight.
    Errors: an input outside of [0, 1], a target of other sizes, names that do not match.

    Example:
        >>> F.binary_cross_entropy(nomen.tensor([0.5, 1.]), nomen.tensor([1., 1.]))
        tensor(0.3466)
    """
    if input.shape != target.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size "
            f"({input.shape}) is deprecated. Please ensure they have the same size."
        )
    x, target = wide(input), wide(target)
    if x.numel() and not ((x >= 0) & (x <= 1)).all():
        raise RuntimeError("all elements of input should be between 0 and 1")

    def log(p, part):  # of nothing it is a number, and has no slope
        none = p == 0
        return nomen.where(none, -100, part(nomen.where(none, 0.5, x))).clamp_min(-100)

    yes, no = log(x, nomen.log), log(1 - x, lambda p: (-p).log1p())
    return into(input, reduced(_weighted((target - 1) * no - target * yes, weight), reduction))


def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, *, reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """binary_cross_entropy of sigmoid(input), whose digits it keeps. pos_weight: how much targets
    of 1 count.

    Names: reduction='none' those of the operands matched from the right; else no dims.
    Shapes: target as input; reduction='none' as input, else no dims.
    Dtypes: floating.
    Gradient: input, target, weight, pos_weight.
    Errors: a target of other sizes, names that do not match, another word as reduction.

    Example:
        >>> F.binary_cross_entropy_with_logits(nomen.tensor([0., 90.]), nomen.tensor([1., 1.]))
        tensor(0.3466)
    """
    if input.shape != target.shape:
        raise ValueError(
            f"Target size ({target.shape}) must be the same as input size ({input.shape})"
        )
    x, target = wide(input), wide(target)
    less = -nomen.nn.functional.logsigmoid(x)
    if pos_weight is not None:
        less = less * ((wide(pos_weight) - 1) * target + 1)
    return into(input, reduced(_weighted((1 - target) * x + less, weight), reduction))


def kl_div(
    input: Tensor, target: Tensor, *, reduction: str = "mean", log_target: bool = False
) -> Tensor:
    """How far the probabilities of target are from those whose logarithm is input: target *
    (log(target) - input), 0 where target is. reduction='batchmean' divides the sum by the size of
    the first dim; log_target=True: target is a logarithm too.

    Names: reduction='none' those of both matched from the right; else no dims.
    Shapes: the broadcast sizes; else no dims.
    Dtypes: floating.
    Gradient: input, target.
    Errors: names or sizes that do not match, another word as reduction.

    Example:
        >>> p = nomen.tensor([0.5, 0.5])
        >>> F.kl_div(nomen.tensor([0.25, 0.75]).log(), p, reduction='sum')
        tensor(0.1438)
    """
    if log_target:
        loss = target.exp() * (target - input)
    else:
        none = target == 0
        logs = nomen.where(none, 1, target).log()
        loss = nomen.where(none, 0, target * (logs - input))
    if reduction == "batchmean":
        return loss.sum() / (input.shape[0] if input.ndim else 1)
    return reduced(loss, reduction)
