"""What the functions of this folder share."""

import nomen

HALVES = frozenset((nomen.float16, nomen.bfloat16))


def wide(input):
    """What several roundings in a half type would spoil is computed in float32."""
    return input.float() if input.dtype in HALVES else input


def into(input, result, inplace=False):
    if inplace:
        return input.copy_(result)
    return result.to(input.dtype) if input.dtype in HALVES else result


def reduced(loss, reduction):
    if reduction == "none":
        return loss
    if reduction == "mean":
        return loss.mean()
    if reduction == "sum":
        return loss.sum()
    raise ValueError(f"{reduction} is not a valid value for reduction")
