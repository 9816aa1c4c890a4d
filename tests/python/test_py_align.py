"""What align_tensors promises beside its recorded answers (test_py_golden.py), and threshold."""

import pytest

import nomen


def test_views_with_gradients():
    scale = nomen.ones(3, names=("C",), requires_grad=True)
    x = nomen.arange(24.0).reshape(2, 3, 4).refine_names("N", "C", "W")
    a, b = nomen.align_tensors(scale, x)
    assert a.shape == (1, 3, 1) and a.names == b.names == ("N", "C", "W")
    assert b.data_ptr() == x.data_ptr()
    (a * b).sum().backward()
    assert scale.grad.names == ("C",) and scale.grad.tolist() == [60, 92, 124]
    assert nomen.align_tensors([scale, x])[0].shape == (1, 3, 1)
    with pytest.raises(TypeError):
        nomen.align_tensors(scale, 1)


def test_threshold():
    nan = float("nan")
    x = nomen.tensor([-1.0, 0.5, 2.0, nan], names=("N",), requires_grad=True)
    y = nomen.threshold(x, 0.5, -9)
    assert y.names == ("N",) and y.tolist()[:3] == [-9, -9, 2] and y[3].isnan()
    y.sum().backward()
    assert x.grad.tolist() == [0, 0, 1, 1]
    i = nomen.tensor([1, 2, 3])
    assert nomen.threshold(i, 1, 7).tolist() == [7, 2, 3] and i.dtype == nomen.int64
