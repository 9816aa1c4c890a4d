"""Mistakes that PyTorch's own operator samples found, each with a test of its own."""

import pytest

import nomen


def test_a_weight_of_lerp_keeps_its_digits_in_the_gradient():
    a = nomen.ones(2, dtype=nomen.float64, requires_grad=True)
    b = nomen.zeros(2, dtype=nomen.float64, requires_grad=True)
    nomen.lerp(a, b, 0.3).sum().backward()
    assert a.grad.tolist() == [0.7, 0.7] and b.grad.tolist() == [0.3, 0.3]


def test_cat_of_nothing():
    with pytest.raises(
        RuntimeError, match=r"^torch\.cat\(\): expected a non-empty list of Tensors"
    ):
        nomen.cat([])


def test_cdist_takes_a_way_to_compute():
    a, b = nomen.zeros(1, 2), nomen.tensor([[3.0, 4.0]])
    for mode in ("use_mm_for_euclid_dist_if_necessary", "donot_use_mm_for_euclid_dist"):
        assert nomen.cdist(a, b, 2.0, mode).item() == 5
        assert nomen.cdist(a, b, compute_mode=mode).item() == 5
    with pytest.raises(ValueError, match="^fast is not a valid value for compute_mode"):
        nomen.cdist(a, b, compute_mode="fast")


def test_what_works_in_place_is_a_function_too():
    x = nomen.tensor([-1.0, 4.0], names=("N",))
    assert nomen.relu_(x) is x and x.tolist() == [0, 4]
    assert nomen.sqrt_(input=x).tolist() == [0, 2]
    assert nomen.threshold_(x, 1, 7).tolist() == [7, 2]
    assert nomen.fill_(x, 3).tolist() == [3, 3]
    assert x.names == ("N",)
    with pytest.raises(TypeError, match="must be Tensor, not int"):
        nomen.fill_(3, 2)


LAST = nomen.channels_last


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x.contiguous(memory_format=LAST),
        lambda x: x.clone(memory_format=LAST),
        lambda x: x.to(memory_format=LAST),
        lambda x: x.to(nomen.int32, memory_format=LAST),
        lambda x: x.double(memory_format=LAST),
        lambda x: x.cpu(memory_format=LAST),
        lambda x: x.contiguous(memory_format=LAST).clone() + 0,
    ],
)
def test_channels_may_lie_last_in_memory(make):
    x = nomen.arange(120).reshape(2, 3, 4, 5).rename("N", "C", "H", "W")
    y = make(x)
    assert y.stride() == (60, 1, 15, 3) and y.names == x.names
    assert y.is_contiguous(memory_format=LAST) and not y.is_contiguous()
    assert y.tolist() == x.tolist()
    assert make(y) is y or make(y).stride() == y.stride()
    back = y.contiguous()
    assert back.stride() == (60, 20, 5, 1) and back.tolist() == x.tolist()


def test_memory_formats_of_fresh_tensors():
    x = nomen.ones(2, 3, 4, 5)
    assert nomen.empty(2, 3, 4, 5, memory_format=LAST).stride() == (60, 1, 15, 3)
    assert nomen.zeros_like(x, memory_format=LAST).stride() == (60, 1, 15, 3)
    turned = x.permute(0, 2, 3, 1)
    assert nomen.zeros_like(turned).stride() == turned.stride()
    assert nomen.zeros_like(turned, memory_format=nomen.contiguous_format).is_contiguous()
    volume = x[None].contiguous(memory_format=nomen.channels_last_3d)
    assert volume.stride() == (120, 1, 40, 10, 2)
    assert volume.is_contiguous(memory_format=nomen.channels_last_3d)
    one = x[:, :1].contiguous(memory_format=LAST)
    assert one.is_contiguous() and one.is_contiguous(memory_format=LAST)
    assert x[:0].contiguous(memory_format=LAST).shape == (0, 3, 4, 5)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x.contiguous(memory_format=LAST),
        lambda x: x.clone(memory_format=LAST),
        lambda x: nomen.zeros_like(x, memory_format=LAST),
    ],
)
def test_channels_last_is_for_images(make):
    with pytest.raises(RuntimeError, match="^required rank 4 tensor to use channels_last format"):
        make(nomen.ones(3, 4, 5))


def test_contiguous_cannot_preserve():
    x = nomen.ones(3, 4)
    assert x.contiguous(memory_format=nomen.preserve_format) is x
    with pytest.raises(RuntimeError, match="^preserve memory format is unsupported"):
        x.t().contiguous(memory_format=nomen.preserve_format)
    with pytest.raises(RuntimeError, match="^preserve memory format is unsupported"):
        x.is_contiguous(memory_format=nomen.preserve_format)
    with pytest.raises(TypeError, match="must be nomen.memory_format, not str"):
        x.is_contiguous(memory_format="channels_last")


def test_the_gradient_does_not_mind_the_order_in_memory():
    x = nomen.ones(2, 3, 4, 5, requires_grad=True)
    weight = nomen.arange(120.0).reshape(2, 3, 4, 5)
    (x.contiguous(memory_format=LAST) * weight).sum().backward()
    assert x.grad.tolist() == weight.tolist()
