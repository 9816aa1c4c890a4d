"""Losses of classes and the functions of layers: names, numbers worked out by hand or by NumPy,
errors. The numbers are compared with PyTorch's by tools/differential.py --samples."""

import math

import numpy as np
import pytest

import nomen
import nomen.nn.functional as F

LOGITS = nomen.tensor([[0.0, 0.0, 0.0], [1.0, 2.0, 4.0]], names=("N", "class"))


def logs():
    x = LOGITS.numpy().astype("f8")
    return x - np.log(np.exp(x).sum(1, keepdims=True))


def test_cross_entropy_of_classes():
    target = nomen.tensor([2, 1], names=("N",))
    each = F.cross_entropy(LOGITS, target, reduction="none")
    expected = [-logs()[0, 2], -logs()[1, 1]]
    assert each.names == ("N",) and each.tolist() == pytest.approx(expected, rel=1e-6)
    assert F.cross_entropy(LOGITS, target).item() == pytest.approx(np.mean(expected), rel=1e-6)
    weight = nomen.tensor([1.0, 2.0, 3.0], names=("class",))
    mean = (3 * expected[0] + 2 * expected[1]) / 5
    assert F.cross_entropy(LOGITS, target, weight).item() == pytest.approx(mean, rel=1e-6)
    one = F.cross_entropy(LOGITS, target, ignore_index=2, reduction="sum")
    assert one.item() == pytest.approx(expected[1], rel=1e-6)
    assert math.isnan(F.cross_entropy(LOGITS, target * 0 - 100).item())
    smooth = F.cross_entropy(LOGITS, target, label_smoothing=0.3, reduction="none")
    assert smooth.tolist() == pytest.approx(
        [0.7 * e - 0.1 * l.sum() for e, l in zip(expected, logs())], rel=1e-6
    )
    assert F.nll_loss(LOGITS.log_softmax("class"), target).item() == F.cross_entropy(LOGITS, target)


def test_cross_entropy_of_probabilities():
    target = nomen.tensor([[0.5, 0.5, 0], [0, 0, 1.0]], names=("N", "class"))
    each = F.cross_entropy(LOGITS, target, reduction="none")
    expected = -(logs() * target.numpy()).sum(1)
    assert each.names == ("N",) and each.tolist() == pytest.approx(list(expected), rel=1e-6)


def test_the_gradient_of_cross_entropy_is_the_difference_of_probabilities():
    x = LOGITS.detach().requires_grad_()
    F.cross_entropy(x, nomen.tensor([2, 1], names=("N",)), reduction="sum").backward()
    expected = np.exp(logs()) - np.array([[0, 0, 1], [0, 1, 0]])
    assert x.grad.names == ("N", "class")
    np.testing.assert_allclose(x.grad.numpy(), expected, atol=1e-6)


def test_binary_losses():
    x = nomen.tensor([0.0, 1.0, 0.25], requires_grad=True)
    y = nomen.tensor([0.0, 0.0, 1.0])
    each = F.binary_cross_entropy(x, y, reduction="none")
    assert each.tolist() == pytest.approx([0, 100, math.log(4)])
    each.sum().backward()
    assert all(math.isfinite(g) for g in x.grad.tolist())
    z = nomen.tensor([500.0, -500.0, 0.0], names=("N",))
    far = F.binary_cross_entropy_with_logits(z, nomen.tensor([0.0, 0.0, 1.0]), reduction="none")
    assert far.names == ("N",) and far.tolist() == pytest.approx([500, 0, math.log(2)])
    p = nomen.tensor([0.0, 1.0])
    assert F.kl_div(nomen.tensor([0.5, 0.5]).log(), p, reduction="none").tolist() == pytest.approx(
        [0, math.log(2)]
    )


def test_layers():
    x = nomen.tensor(np.random.default_rng(1).standard_normal((4, 3, 5)), names=("N", "C", "L"))
    plain = x.numpy()
    weight = nomen.arange(5.0).double().rename("L")
    y = F.layer_norm(x, 5, weight, weight)
    middle = plain - plain.mean(-1, keepdims=True)
    expected = middle / np.sqrt(plain.var(-1, keepdims=True) + 1e-5) * np.arange(5) + np.arange(5)
    assert y.names == x.names
    np.testing.assert_allclose(y.numpy(), expected, atol=1e-12)
    mean, var = nomen.zeros(3, dtype=nomen.float64), nomen.ones(3, dtype=nomen.float64)
    z = F.batch_norm(x, mean, var, training=True)
    assert z.names == x.names and abs(z.numpy().mean((0, 2))).max() < 1e-12
    np.testing.assert_allclose(mean.numpy(), 0.1 * plain.mean((0, 2)), atol=1e-12)
    np.testing.assert_allclose(var.numpy(), 0.9 + 0.1 * plain.var((0, 2), ddof=1), atol=1e-12)
    fixed = F.batch_norm(x, mean.rename("C"), var.rename("C"))
    expected = (plain - mean.numpy()[:, None]) / np.sqrt(var.numpy()[:, None] + 1e-5)
    np.testing.assert_allclose(fixed.numpy(), expected, atol=1e-12)
    rms = F.rms_norm(x, [3, 5], eps=0.0).numpy()
    np.testing.assert_allclose((rms**2).mean((1, 2)), 1)


def test_tables():
    table = nomen.arange(8.0).reshape(4, 2).rename("word", "D").requires_grad_()
    places = nomen.tensor([[3, 1], [1, 0]], names=("N", "T"))
    y = F.embedding(places, table, padding_idx=-1, scale_grad_by_freq=True)
    assert y.names == ("N", "T", "D") and y[0, 0].tolist() == [6, 7]
    y.sum().backward()
    assert table.grad.tolist() == [[1, 1], [1, 1], [0, 0], [0, 0]]
    short = nomen.tensor([[3.0, 4.0], [30.0, 40.0]])
    F.embedding(nomen.tensor([0]), short, max_norm=1.0)
    assert short.tolist()[0] == pytest.approx([0.6, 0.8]) and short.tolist()[1] == [30, 40]
    assert F.one_hot(nomen.tensor([2, 0]), 4).tolist() == [[0, 0, 1, 0], [1, 0, 0, 0]]


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge", "wrap"])
def test_padding(mode):
    x = np.arange(24.0).reshape(2, 3, 4)
    mine = {"edge": "replicate", "wrap": "circular"}.get(mode, mode)
    t = nomen.tensor(x, names=("N", "H", "W"))
    y = F.pad(t, (1, 2, 2, 0), mine)
    np.testing.assert_array_equal(y.numpy(), np.pad(x, ((0, 0), (2, 0), (1, 2)), mode))
    assert y.names == t.names
    less = F.pad(t, (-1, 0), mine)
    assert less.tolist() == x[..., 1:].tolist() and less.data_ptr() != t.data_ptr()


def test_padding_and_cropping():
    random = np.random.default_rng(5)
    for _ in range(200):
        shape = random.integers(1, 6, random.integers(1, 5))
        ends = random.integers(-1, 4, (random.integers(0, len(shape) + 1), 2))
        sizes = shape[::-1][: len(ends)]
        if (sizes + ends.clip(max=0).sum(1) < 0).any():
            continue
        x = random.standard_normal(shape)
        want, weight = x, np.ones(shape)
        for d, (before, after) in enumerate(ends):
            width = [(0, 0)] * x.ndim
            width[-1 - d] = (max(before, 0), max(after, 0))
            keep = [slice(None)] * x.ndim
            keep[-1 - d] = slice(max(-before, 0), shape[-1 - d] + min(after, 0))
            cropped = np.zeros(shape)
            cropped[tuple(keep)] = 1
            weight = weight * cropped
            want = np.pad(want[tuple(keep)], width, constant_values=2.5)
        names = "ABCD"[: x.ndim]
        t = nomen.tensor(x, names=tuple(names), requires_grad=True)
        y = F.pad(t, ends.flatten().tolist(), value=2.5)
        assert y.names == t.names and y.shape == want.shape
        np.testing.assert_array_equal(y.detach().numpy(), want)
        y.sum().backward()
        np.testing.assert_array_equal(t.grad.numpy(), weight)
        assert not y.numel() or y.data_ptr() != t.data_ptr()


def test_attention():
    random = np.random.default_rng(2)
    q, k, v = (random.standard_normal((2, n, 4)) for n in (3, 5, 5))
    names = [("N", "T", "D"), ("N", "S", "D"), ("N", "S", "V")]
    tensors = [nomen.tensor(x, names=n) for x, n in zip((q, k, v), names)]
    y = F.scaled_dot_product_attention(*tensors)
    shares = np.exp(q @ k.transpose(0, 2, 1) / 2)
    shares /= shares.sum(-1, keepdims=True)
    assert y.names == ("N", "T", "V")
    np.testing.assert_allclose(y.numpy(), shares @ v, atol=1e-12)
    causal = F.scaled_dot_product_attention(*tensors, is_causal=True)
    np.testing.assert_allclose(causal.numpy()[:, 0], v[:, 0], atol=1e-12)
    seen = nomen.zeros(3, 5, dtype=nomen.bool)
    assert not F.scaled_dot_product_attention(*tensors, attn_mask=seen).any()


def test_distance():
    x = nomen.tensor([[3.0, 4.0]], names=("N", "D"))
    assert F.pairwise_distance(x, nomen.zeros(2), eps=0).names == ("N",)
    assert F.pairwise_distance(x, nomen.zeros(2), 1.0, 0, True).tolist() == [[7]]


@pytest.mark.parametrize(
    "error, text, call",
    [
        (
            IndexError,
            "Target 3 is out of bounds.",
            lambda: F.cross_entropy(LOGITS, nomen.tensor([3, 1])),
        ),
        (
            ValueError,
            r"Expected input batch_size \(2\) to match target batch_size \(3\).",
            lambda: F.nll_loss(LOGITS, nomen.tensor([0, 1, 1])),
        ),
        (
            RuntimeError,
            "weight tensor should be defined either for all 3 classes",
            lambda: F.nll_loss(LOGITS, nomen.tensor([0, 1]), nomen.ones(2)),
        ),
        (
            RuntimeError,
            "Expected floating point type for target with class probabilities",
            lambda: F.cross_entropy(LOGITS, nomen.zeros(2, 3).long()),
        ),
        (
            RuntimeError,
            ".*dim 'B' and dim 'N'",
            lambda: F.cross_entropy(LOGITS, nomen.tensor([0, 1], names=("B",))),
        ),
        (
            RuntimeError,
            "label_smoothing must be between",
            lambda: F.cross_entropy(LOGITS, nomen.tensor([0, 1]), label_smoothing=2),
        ),
        (
            RuntimeError,
            "all elements of input should be between 0 and 1",
            lambda: F.binary_cross_entropy(nomen.tensor([2.0]), nomen.tensor([1.0])),
        ),
        (
            ValueError,
            "Target size",
            lambda: F.binary_cross_entropy_with_logits(nomen.ones(2), nomen.ones(3)),
        ),
        (
            ValueError,
            "Using a target size",
            lambda: F.binary_cross_entropy(nomen.ones(2), nomen.ones(3)),
        ),
        (
            RuntimeError,
            r"Given normalized_shape=\[4\], expected input with shape \[\*, 4\]",
            lambda: F.layer_norm(LOGITS, 4),
        ),
        (
            RuntimeError,
            "Expected weight to be of same shape as normalized_shape",
            lambda: F.layer_norm(LOGITS, 3, nomen.ones(2)),
        ),
        (
            RuntimeError,
            "Expected normalized_shape to be at least 1-dimensional",
            lambda: F.rms_norm(LOGITS, ()),
        ),
        (
            RuntimeError,
            "weight should contain 3 elements not 2",
            lambda: F.batch_norm(LOGITS, None, None, nomen.ones(2), training=True),
        ),
        (
            RuntimeError,
            "Expected running_mean and running_var",
            lambda: F.batch_norm(LOGITS, None, None),
        ),
        (
            ValueError,
            "Expected more than 1 value per channel",
            lambda: F.batch_norm(LOGITS[:1], None, None, training=True),
        ),
        (
            RuntimeError,
            "batch_norm: at least two dims",
            lambda: F.batch_norm(nomen.ones(2), None, None),
        ),
        (RuntimeError, "one_hot is only applicable", lambda: F.one_hot(nomen.ones(2))),
        (RuntimeError, "Class values must be non-negative", lambda: F.one_hot(nomen.tensor([-1]))),
        (RuntimeError, "Class values must be smaller", lambda: F.one_hot(nomen.tensor([3]), 3)),
        (RuntimeError, "num_classes should be positive", lambda: F.one_hot(nomen.tensor([3]), 0)),
        (RuntimeError, "Can not infer total", lambda: F.one_hot(nomen.zeros(0).long())),
        (
            RuntimeError,
            "'weight' must be 2-D",
            lambda: F.embedding(nomen.tensor([0]), nomen.ones(2)),
        ),
        (
            AssertionError,
            "Padding_idx must be within",
            lambda: F.embedding(nomen.tensor([0]), nomen.ones(2, 2), 2),
        ),
        (RuntimeError, "Padding length must be divisible", lambda: F.pad(LOGITS, (1,))),
        (
            RuntimeError,
            "Padding length should be less than or equal",
            lambda: F.pad(LOGITS, [0] * 6),
        ),
        (NotImplementedError, "Unrecognised padding mode x", lambda: F.pad(LOGITS, (1, 1), "x")),
        (
            ValueError,
            'Padding mode "reflect" doesn\'t take',
            lambda: F.pad(LOGITS, (1, 1), "reflect", 2),
        ),
        (RuntimeError, "Padding size should be less", lambda: F.pad(LOGITS, (3, 0), "reflect")),
        (RuntimeError, "Padding value causes wrapping", lambda: F.pad(LOGITS, (4, 0), "circular")),
        (RuntimeError, "The input size 3, plus negative", lambda: F.pad(LOGITS, (-2, -2))),
        (
            RuntimeError,
            "_scaled_dot_product_attention: Explicit",
            lambda: F.scaled_dot_product_attention(LOGITS, LOGITS, LOGITS, LOGITS, is_causal=True),
        ),
    ],
)
def test_refused(error, text, call):
    with pytest.raises(error, match="^" + text):
        call()
