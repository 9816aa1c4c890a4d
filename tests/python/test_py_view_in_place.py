"""Views in place: a tensor becomes another view of its own memory."""

import pytest

import nomen


def test_self_changes():
    x = nomen.arange(6.0).reshape(2, 3)
    other = x[0]
    y = x.transpose_(0, 1)
    assert y is x and x.shape == (3, 2) and x.tolist() == [[0, 3], [1, 4], [2, 5]]
    assert not x.is_contiguous()
    x[0, 0] = 9
    assert other.tolist() == [9, 1, 2]
    assert x.unsqueeze_(1).shape == (3, 1, 2)
    assert x.squeeze_().shape == (3, 2) and x.squeeze_(1).shape == (3, 2)


def test_names():
    x = nomen.zeros(2, 1, 3, names=("N", "C", "W"))
    x.squeeze_("C")
    assert x.names == ("N", "W")
    assert x.transpose_("N", "W").names == ("W", "N")
    assert x.unsqueeze_(0).names == (None, "W", "N")
    with pytest.raises(RuntimeError, match="Name 'Q' not found"):
        x.transpose_("Q", "N")
    assert x.names == (None, "W", "N") and x.shape == (1, 3, 2)


def test_many_dims():
    x = nomen.ones([1] * 8)
    for n in range(9, 65):
        assert x.unsqueeze_(0).ndim == n
    with pytest.raises(RuntimeError):
        x.unsqueeze_(0)
    assert x.squeeze_().ndim == 0


def test_leaves():
    w = nomen.ones(2, 3, requires_grad=True)
    with pytest.raises(RuntimeError, match="^a leaf Variable that requires grad"):
        w.transpose_(0, 1)
    assert w.shape == (2, 3)
    with nomen.no_grad():
        w.transpose_(0, 1)
    (w * 2).sum().backward()
    assert w.grad.shape == (3, 2)


def leaf():
    return nomen.arange(6.0).reshape(2, 3).requires_grad_()


SCALE = nomen.arange(6.0).reshape(3, 2)


def test_results_of_the_tape():
    a = leaf()
    z = a * a
    z.transpose_(0, 1)
    (z * SCALE).sum().backward()
    assert a.grad.tolist() == [[0, 4, 16], [6, 24, 50]]
    with nomen.no_grad():
        with pytest.raises(RuntimeError, match="history"):
            z.transpose_(0, 1)
    assert z.shape == (3, 2)


def test_a_view_stays_a_view_of_its_base():
    a = leaf()
    z = a * a
    v = z[0]
    v.unsqueeze_(0)
    v.mul_(3)
    assert v.shape == (1, 3)
    z.sum().backward()
    assert a.grad.tolist() == [[0, 6, 12], [6, 8, 10]]


def test_a_base_turns_under_its_view():
    a = leaf()
    z = a * a
    v = z[0]
    z.transpose_(0, 1)
    v.mul_(3)
    z.mul_(SCALE)
    z.sum().backward()
    assert a.grad.tolist() == [[0, 12, 48], [6, 24, 50]]


def test_a_view_whose_base_has_got_other_memory_is_on_its_own():
    base = nomen.zeros(2, 3)
    row = base[0]
    nomen.add(nomen.ones(5, 5), 1, out=base)
    base.requires_grad_(True)
    row.add_(1)  # no part of a leaf any more
    w = nomen.ones(3, requires_grad=True)
    row.mul_(w)
    row.sum().backward()
    assert w.grad.tolist() == [1, 1, 1] and base.grad is None and base.is_leaf
