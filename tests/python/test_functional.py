"""nomen.nn.functional: values by NumPy, names, gradients by differences, in place, and errors."""

import math

import numpy as np
import pytest

import nomen
import nomen.nn.functional as F

X = np.array([-30.0, -4.0, -3.0, -1.5, -0.5, -0.1, 0.0, 0.1, 0.5, 1.5, 3.0, 4.0, 30.0])
ERF = np.vectorize(math.erf)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def where(below, above=X):
    return np.where(X > 0, above, below)


REFERENCE = {
    "relu": where(0),
    "sigmoid": sigmoid(X),
    "tanh": np.tanh(X),
    "relu6": np.clip(X, 0, 6),
    "hardtanh": np.clip(X, -1, 1),
    "leaky_relu": where(0.01 * X),
    "elu": where(np.expm1(X)),
    "celu": where(np.expm1(X)),
    "selu": 1.0507009873554805 * where(1.6732632423543772 * np.expm1(X)),
    "silu": X * sigmoid(X),
    "softplus": np.log1p(np.exp(X)),
    "mish": X * np.tanh(np.log1p(np.exp(X))),
    "logsigmoid": -np.log1p(np.exp(-X)),
    "softsign": X / (1 + np.abs(X)),
    "tanhshrink": X - np.tanh(X),
    "softshrink": np.sign(X) * np.maximum(np.abs(X) - 0.5, 0),
    "hardshrink": np.where(np.abs(X) > 0.5, X, 0),
    "hardsigmoid": np.clip(X + 3, 0, 6) / 6,
    "hardswish": X * np.clip(X + 3, 0, 6) / 6,
    "gelu": X * (1 + ERF(X / math.sqrt(2))) / 2,
}
IN_PLACE = {"relu", "relu6", "hardtanh", "leaky_relu", "elu", "celu", "selu", "silu", "mish",
            "hardsigmoid", "hardswish"}  # fmt: skip


@pytest.mark.parametrize("name", REFERENCE)
def test_activations(name):
    function = getattr(F, name)
    x = nomen.from_numpy(X.copy()).rename("N")
    y = function(x)
    assert y.names == ("N",)
    np.testing.assert_allclose(y.rename(None).numpy(), REFERENCE[name], rtol=1e-12, atol=1e-14)
    half = function(x.half())
    assert half.dtype is nomen.float16
    np.testing.assert_allclose(
        half.double().rename(None).numpy(), REFERENCE[name], rtol=2e-3, atol=1e-4
    )
    if name in IN_PLACE:
        z = x.clone()
        assert function(z, inplace=True) is z and z.tolist() == y.tolist()


@pytest.mark.parametrize("name", REFERENCE)
def test_gradients_of_activations(name):
    function = getattr(F, name)
    at = np.array([-800.0, -2.0, -0.7, 0.3, 0.8, 1.7, 800.0])
    x = nomen.from_numpy(at.copy()).requires_grad_()
    function(x).sum().backward()
    near = [function(nomen.from_numpy(at + h)).numpy() for h in (-1e-6, 1e-6)]
    np.testing.assert_allclose(x.grad.numpy(), (near[1] - near[0]) / 2e-6, rtol=1e-5, atol=1e-6)


def test_parameters_of_activations():
    x = nomen.tensor([-2.0, 0.25, 3.0])
    assert F.threshold(x, 1, 9).tolist() == [9, 9, 3]
    assert F.hardtanh(x, -1, 0.5).tolist() == [-1, 0.25, 0.5]
    assert F.leaky_relu(x, 0.5).tolist() == [-1, 0.25, 3]
    assert F.softplus(x, beta=2, threshold=1)[2].item() == 3
    assert F.softshrink(x, 1).tolist() == [-1, 0, 2]
    assert F.hardshrink(x, 2).tolist() == [0, 0, 3]
    assert F.relu6(nomen.tensor([-1, 3, 9])).dtype is nomen.int64
    near = F.gelu(x, approximate="tanh") - F.gelu(x)
    assert 0 < near.abs().max().item() < 1e-3
    for wrong in (
        lambda: F.gelu(x, "fast"),
        lambda: F.softshrink(x, -1),
        lambda: F.hardtanh(nomen.tensor([1], dtype=nomen.uint8), -1, 1),
    ):
        with pytest.raises(RuntimeError):
            wrong()
    with pytest.raises(ValueError, match="^min_val cannot be greater than max_val"):
        F.hardtanh(x, 2, 1)


def test_prelu():
    x = nomen.tensor([[-2.0, -4.0, 6.0]], names=("N", "C"))
    assert F.prelu(x, nomen.tensor(0.5)).tolist() == [[-1, -2, 6]]
    y = F.prelu(x, nomen.tensor([0.5, 0.25, 9.0]))
    assert y.tolist() == [[-1, -1, 6]] and y.names == ("N", "C")
    with pytest.raises(RuntimeError, match="^Mismatch of parameter numbers"):
        F.prelu(x, nomen.ones(2))
    with pytest.raises(RuntimeError, match="to be a scalar or 1D tensor"):
        F.prelu(x, nomen.ones(1, 3))


def test_dropout():
    x = nomen.ones(1000, names=("N",))
    nomen.manual_seed(1)
    y = F.dropout(x, 0.25)
    assert y.names == ("N",) and set(y.tolist()) == {0, np.float32(1 / 0.75)}
    assert F.dropout(x, 0.25, training=False).tolist() == x.tolist()
    nomen.manual_seed(1)
    assert F.dropout(x, 0.25, inplace=True) is x and x.tolist() == y.tolist()
    with pytest.raises(ValueError, match="^dropout probability has to be between 0 and 1"):
        F.dropout(x, 1.5)


def test_along_a_dim():
    x = nomen.tensor([[1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 2.0]], names=("N", "C"))
    assert F.softmax(x, "C").sum("C").names == ("N",)
    assert F.softmax(x).tolist() == F.softmax(x, 1).tolist()
    np.testing.assert_allclose(F.log_softmax(x, "C").exp().tolist(), F.softmax(x, 1).tolist(), 1e-6)
    assert F.softmin(x, "C").tolist() == F.softmax(-x, "C").tolist()
    assert F.softmax(x, "C", dtype=nomen.float64).dtype is nomen.float64
    assert F.glu(x, "C").names == ("N", "C") and F.glu(x, "C")[1].tolist() == [0, 0]
    np.testing.assert_allclose(F.normalize(x, dim="C")[1].tolist(), [0, 0, 0, 1])
    np.testing.assert_allclose(F.cosine_similarity(x, 2 * x, "C").tolist(), [1, 1], 1e-6)
    assert F.cosine_similarity(x, x, "C").names == ("N",)
    with pytest.raises(RuntimeError, match="^Halving dimension must be even"):
        F.glu(x[:, :3], "C")


def test_linear():
    x = nomen.tensor([[1.0, 2.0]], names=("N", "in"))
    weight = nomen.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], names=("out", "in"))
    y = F.linear(x, weight, nomen.tensor([0.0, 0.0, 10.0], names=("out",)))
    assert y.names == ("N", "out") and y.tolist() == [[1, 2, 13]]
    assert F.linear(x, weight).tolist() == [[1, 2, 3]]


def test_losses():
    x, y = nomen.tensor([1.0, 2.0, 6.0], names=("N",)), nomen.tensor([1.0, 2.5, 2.0])
    assert F.mse_loss(x, y, reduction="sum").item() == 16.25
    assert F.l1_loss(x, y).item() == 1.5
    assert F.l1_loss(x, y, reduction="none").names == ("N",)
    assert F.smooth_l1_loss(x, y, reduction="none").tolist() == [0, 0.125, 3.5]
    assert F.smooth_l1_loss(x, y, reduction="none", beta=0).tolist() == [0, 0.5, 4]
    assert F.huber_loss(x, y, reduction="none", delta=2).tolist() == [0, 0.125, 6]
    with pytest.raises(ValueError, match="^half is not a valid value for reduction"):
        F.mse_loss(x, y, reduction="half")


@pytest.mark.parametrize("bound", [0.25, 1.0, 3.0])
@pytest.mark.parametrize("n", [9, 70_000])  # the latter is put off
def test_losses_with_a_bend(bound, n):
    far = np.resize(np.array([0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 10.0, np.inf, np.nan]), n)
    sign = np.where(np.arange(n) % 3, 1.0, -1.0)
    slope = np.where(far < bound, far, bound) * sign
    slope[np.isnan(far)] = np.nan
    bent = np.where(far < bound, far * far / 2, bound * (far - bound / 2))
    for loss, scale in (
        (lambda x, y, r: F.huber_loss(x, y, reduction=r, delta=bound), 1),
        (lambda x, y, r: F.smooth_l1_loss(x, y, reduction=r, beta=bound), 1 / bound),
    ):
        x = nomen.tensor(far * sign, names=("N",), requires_grad=True)
        y = nomen.zeros(n, dtype=nomen.float64)
        z = loss(x, y, "none")
        assert z.names == ("N",)
        np.testing.assert_allclose(z.detach().numpy(), bent * scale, 1e-14)
        loss(x, y, "sum").backward()
        finite = np.isfinite(far)
        got = x.grad.numpy()
        np.testing.assert_allclose(got[finite], slope[finite] * scale, 1e-14)
        assert np.isnan(got[np.isnan(far)]).all()
        half = loss(x.detach()[:9].half(), y[:9].half(), "none").numpy().astype("float64")
        np.testing.assert_allclose(half, bent[:9] * scale, 2e-3, 1e-6)


def test_a_bend_far_away_does_not_overflow():
    x = nomen.tensor([1000.0, 3000.0], dtype=nomen.float16)
    loss = F.smooth_l1_loss(x, nomen.zeros_like(x), reduction="none", beta=500.0)
    assert loss.tolist() == [750, 2750]


@pytest.mark.parametrize("dtype", [nomen.float16, nomen.float32, nomen.float64])
@pytest.mark.parametrize("beta", [1e-8, 1e-40, 1e-320, 5e-324, 0.0])
def test_a_bend_next_to_nothing_is_none(dtype, beta):
    x = nomen.tensor([0.0, 1.0, 8.0], dtype=dtype)
    loss = F.smooth_l1_loss(x, nomen.zeros_like(x), reduction="none", beta=beta)
    assert loss.tolist() == pytest.approx([0, 1, 8], rel=1e-7)


def pooled(x, k, step, pad, spread, ceil):
    """One dim, slowly: [(largest, place)]."""
    wide, found = spread * (k - 1) + 1, []
    reach = len(x) + 2 * pad - wide
    count = (-(-reach // step) if ceil else reach // step) + 1
    for i in range(count):
        if i * step >= len(x) + pad:
            continue
        places = [i * step - pad + j * spread for j in range(k)]
        inside = [(x[p], -p) for p in places if 0 <= p < len(x)]
        found.append((max(inside)[0], -max(inside)[1]))
    return found


@pytest.mark.parametrize("ceil", [False, True])
@pytest.mark.parametrize(
    "k, step, pad, spread",
    [(2, 2, 0, 1), (3, 2, 1, 1), (3, 1, 1, 2), (2, 3, 1, 1), (1, 1, 0, 1), (4, 3, 2, 1)],
)
def test_pooling_of_one_dim(k, step, pad, spread, ceil):
    x = ((np.arange(2 * 3 * 11) * 7919) % 101).reshape(2, 3, 11).astype("f8")
    t = nomen.from_numpy(x).rename("N", "C", "T")
    values, places = F.max_pool1d_with_indices(t, k, step, pad, spread, ceil)
    wanted = [[pooled(row, k, step, pad, spread, ceil) for row in image] for image in x.tolist()]
    assert values.tolist() == [[[v for v, _ in row] for row in image] for image in wanted]
    assert places.tolist() == [[[p for _, p in row] for row in image] for image in wanted]
    assert values.names == places.names == ("N", "C", "T")


def test_pooling_of_images():
    x = nomen.arange(2 * 3 * 6 * 8.0).reshape(2, 3, 6, 8).rename("N", "C", "H", "W")
    y, at = F.max_pool2d(x, 2, return_indices=True)
    assert y.names == x.names and y.shape == (2, 3, 3, 4)
    assert y[0, 0].tolist() == x[0, 0, 1::2, 1::2].tolist()
    assert at[1, 2, 2].tolist() == [5 * 8 + w for w in (1, 3, 5, 7)]
    assert F.max_pool2d(x, (2, 4), (3, 2), (0, 1)).shape == (2, 3, 2, 4)
    assert F.max_pool2d(x[0], [2]).names == ("C", "H", "W")
    z, at = F.max_pool3d_with_indices(x, (1, 2, 2))
    assert z.tolist() == y.tolist() and at[0, 1, 0, 0].item() == 48 + 9
    assert F.max_pool2d(nomen.zeros(0, 3, 6, 8), 2).shape == (0, 3, 3, 4)
    assert F.max_pool2d(nomen.full((1, 4, 4), -5), 3, padding=1, stride=2).tolist() == [
        [[-5] * 2] * 2
    ]
    grad = nomen.zeros(1, 4, 4).requires_grad_()
    F.max_pool2d(grad + nomen.arange(16.0).reshape(1, 4, 4), 2).sum().backward()
    assert grad.grad.nonzero()[:, 1:].tolist() == [[1, 1], [1, 3], [3, 1], [3, 3]]


def pool(n, kernel, stride=None):
    """A pooling of n dims, of an input that has them."""
    return lambda x: getattr(F, f"max_pool{n}d")(x if n > 1 else x[0], kernel, stride)


@pytest.mark.parametrize(
    "words, make",
    [
        ("non-empty 3D or 4D (batch mode) tensor expected", lambda x: F.max_pool2d(x[0, 0], 2)),
        ("pad should be at most half", lambda x: F.max_pool2d(x, 2, padding=2)),
        ("pad must be non-negative", lambda x: F.max_pool2d(x[:, :0], 2, padding=-1)),
        ("stride should not be zero", lambda x: F.max_pool2d(x, 0)),
        ("kernel size should be greater than zero, but got kH: 0 kW: 2", pool(2, (0, 2), 1)),
        ("stride should be greater than zero, but got dT: 1 dH: 1 dW: -1", pool(3, 2, (1, 1, -1))),
        (
            "dilation should be greater than zero, but got dilationH: 0 dilationW: 0",
            lambda x: F.max_pool2d(x, 2, dilation=0),
        ),
        (
            "Given input size: (2x6x6). Calculated output size: (2x6x-2). Output size is too small",
            pool(2, (1, 9), 1),
        ),
        (
            "max_pool2d: kernel_size must either be a single int, or a tuple of two",
            pool(2, [1] * 3),
        ),
        ("max_pool3d: stride must either be omitted, a single int", pool(3, 1, (2, 2))),
        ("Expected 3D or 4D (batch mode)", lambda x: F.max_pool2d(x[:, :0], 2)),
        ("max_pool3d: Expected input's non-batch dimensions", lambda x: F.max_pool3d(x[:, :0], 2)),
        ("max_pool1d: Expected 2D or 3D (batch mode)", lambda x: F.max_pool1d(x[0, 0, 0], 2)),
        ("max_pool1d() stride must be greater than zero, but got 0", pool(1, 2, 0)),
        ("max_pool1d() padding must be non-negative", lambda x: F.max_pool1d(x[0], 2, padding=-1)),
        ("max_pool1d() padding should be at most", lambda x: F.max_pool1d(x[0], 2, padding=2)),
        ("max_pool1d() Invalid computed output size: 0", pool(1, 9)),
        ("max_pool1d() stride must be None, an int, list of", pool(1, 2, (1, 1))),
    ],
)
def test_pooling_that_does_not_fit(words, make):
    with pytest.raises(RuntimeError) as error:
        make(nomen.zeros(1, 2, 6, 6))
    assert str(error.value).startswith(words)


def test_everything_listed_is_there():
    assert sorted(F.__all__) == F.__all__
    for name in F.__all__:
        assert getattr(F, name).__doc__.partition("\n\n")[0].endswith(".")


def test_a_line_with_places_is_checked_as_a_plane():
    x = nomen.zeros(2, 6)
    with pytest.raises(RuntimeError, match="^pad must be non-negative, but got pad: -1"):
        F.max_pool1d(x, 2, padding=-1, return_indices=True)
    with pytest.raises(RuntimeError, match="^stride should not be zero"):
        F.max_pool1d_with_indices(x, 2, 0)


def test_gelu_keeps_its_digits_far_from_zero():
    """x / 2 * (1 + tanh(...)) would have none of them."""
    y = F.gelu(nomen.tensor([-6.0, -8.0], dtype=nomen.float64), approximate="tanh")
    inner = [(2 / math.pi) ** 0.5 * (x + 0.044715 * x**3) for x in (-6.0, -8.0)]
    exact = [x / (1 + math.exp(-2 * u)) for x, u in zip((-6.0, -8.0), inner)]
    assert y.tolist() == pytest.approx(exact, rel=1e-13)


def test_prelu_of_a_number_has_one_slope():
    assert F.prelu(nomen.tensor(-4.0), nomen.tensor([0.5])).item() == -2
    with pytest.raises(RuntimeError, match="^Not allow zero-dim input tensor"):
        F.prelu(nomen.tensor(-4.0), nomen.tensor([0.5, 1]))
