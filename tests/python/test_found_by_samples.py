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
