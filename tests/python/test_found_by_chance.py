"""Mistakes that tools/differential.py found, each as the smallest call that showed it."""

import pytest

import nomen


@pytest.mark.parametrize("name", ["index_add", "index_copy"])
def test_source_larger_than_a_tensor_without_dims(name):
    """Read behind the end of self."""
    x, index = nomen.tensor(1.0), nomen.tensor([0, 0])
    with pytest.raises((RuntimeError, IndexError), match="must "):
        getattr(nomen, name)(x, 0, index, nomen.tensor([2.0, 3.0]))
    with pytest.raises((RuntimeError, IndexError), match="must "):
        getattr(x, name + "_")(0, index, nomen.ones(2, 2))
    assert x.item() == 1
    expected = 3 if name == "index_add" else 2
    assert getattr(nomen, name)(x, 0, nomen.tensor([0]), nomen.tensor(2.0)).item() == expected


def test_nothing_overlaps_in_a_tensor_without_elements():
    """Steps of 0 with sizes of 2 and 0 were taken for an expanded tensor."""
    numpy = pytest.importorskip("numpy")
    x = nomen.from_numpy(numpy.zeros((2, 0)))
    assert x.sqrt_() is x and x.shape == (2, 0)
    assert nomen.neg(nomen.zeros(2, 0).double(), out=x) is x
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        nomen.ones(1, 3).expand(2, 3).sqrt_()
