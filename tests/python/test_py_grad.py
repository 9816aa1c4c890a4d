"""Gradients from Python: backward, grad, hooks, the switches. The formulas are tested in C."""

import numpy
import pytest
from exactly import raises

import nomen


@pytest.fixture
def w():
    return nomen.tensor([[1.0, 2.0], [3.0, 4.0]], names=("N", "C"), requires_grad=True)


def test_backward(w):
    loss = (w * w).sum()
    assert loss.requires_grad and not loss.is_leaf and w.is_leaf and w.grad is None
    assert loss.grad_fn.name() == "SumBackward0" and repr(loss.grad_fn) == "<SumBackward0>"
    assert w.grad_fn is None
    loss.backward()
    assert w.grad.tolist() == [[2.0, 4.0], [6.0, 8.0]] and w.grad.names == ("N", "C")
    (w * w).sum().backward()
    assert w.grad.tolist() == [[4.0, 8.0], [12.0, 16.0]]
    w.grad = None
    assert w.grad is None
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        loss.backward()


def test_backward_with_a_gradient(w):
    y = w * 3
    with pytest.raises(RuntimeError, match="^grad can be implicitly created only for scalar outp"):
        y.backward()
    y.backward(nomen.ones(2, 2, names=("N", "C")), retain_graph=True)
    y.backward(gradient=nomen.ones(2, 2))
    assert w.grad.tolist() == [[6.0, 6.0], [6.0, 6.0]]
    with pytest.raises(RuntimeError, match="Error when attempting to broadcast dims"):
        (w * 3).backward(nomen.ones(2, 2, names=("C", "N")))
    with raises(TypeError, "gradients can be either Tensors or None, but got int"):
        (w * 3).backward(1)
    with pytest.raises(RuntimeError, match="does not require grad"):
        nomen.ones(()).backward()


def test_some_inputs(w):
    v = nomen.ones(2, names=("C",)).requires_grad_()
    (w * v).sum().backward(inputs=[v])
    assert w.grad is None and v.grad.tolist() == [4.0, 6.0] and v.grad.names == ("C",)


def test_grad(w):
    v = nomen.ones(2, names=("C",)).requires_grad_()
    first, second = nomen.grad((w * v).sum(), [w, v])
    assert first.names == ("N", "C") and second.names == ("C",) and w.grad is None
    assert second.tolist() == [4.0, 6.0]
    (one,) = nomen.autograd.grad([w * 2], w, grad_outputs=[nomen.ones(2, 2)])
    assert one.tolist() == [[2.0, 2.0], [2.0, 2.0]]
    used, unused = nomen.grad((w * 2).sum(), [w, v], allow_unused=True)
    assert unused is None and used.names == ("N", "C")
    with pytest.raises(RuntimeError):
        nomen.grad((w * 2).sum(), [w, v])
    with raises(TypeError, "inputs must be a Tensor or a tuple of Tensors, but holds int"):
        nomen.grad((w * 2).sum(), [3])


def test_twice(w):
    (g,) = nomen.grad((w**3).sum(), w, create_graph=True)
    (h,) = nomen.grad(g.sum(), w)
    numpy.testing.assert_allclose(h.numpy(), 6 * w.detach().numpy(), rtol=1e-6)


def test_a_named_program_against_finite_differences():
    nomen.manual_seed(0)
    x = nomen.randn(3, 4, names=("N", "C"), dtype=nomen.float64)
    w = nomen.randn(4, 2, names=("C", "K"), dtype=nomen.float64, requires_grad=True)

    def loss(weight):
        scores = (x @ weight).tanh()
        return -(scores.log_softmax("K") * scores.detach().sigmoid()).sum("K").mean("N")

    loss(w).backward()
    with nomen.no_grad():
        for i in range(4):
            for j in range(2):
                up, down = w.clone(), w.clone()
                up[i, j] = up[i, j] + 1e-6
                down[i, j] = down[i, j] - 1e-6
                scores = (x @ w).tanh().sigmoid()

                def value(weight):
                    s = (x @ weight).tanh().log_softmax("K")
                    return -(s * scores).sum("K").mean("N").item()

                assert abs((value(up) - value(down)) / 2e-6 - w.grad[i, j].item()) < 1e-7


def test_requires_grad(w):
    t = nomen.ones(2)
    assert not t.requires_grad
    t.requires_grad = True
    assert t.requires_grad and t.requires_grad_(False) is t and not t.requires_grad
    with pytest.raises(RuntimeError, match="floating point"):
        nomen.ones(2, dtype=nomen.int64).requires_grad_()
    with pytest.raises(RuntimeError):
        (w * 2).requires_grad_(False)
    with pytest.raises(TypeError):
        del t.requires_grad
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an "
                                           "in-place operation."):
        w.add_(1)
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        nomen.add(w, 1, out=nomen.empty(0))


def test_setting_grad(w):
    w.grad = nomen.ones(2, 2)
    assert w.grad.names == ("N", "C") and w.grad.sum().item() == 4
    for wrong in (nomen.ones(3), nomen.ones(2, 2, dtype=nomen.float64)):
        with pytest.raises(RuntimeError):
            w.grad = wrong
    said = "assigned grad expected to be a Tensor or None but got grad of type int"
    with raises(TypeError, said):
        w.grad = 3
    del w.grad
    assert w.grad is None


def test_detach(w):
    y = w * 2
    d = y.detach()
    assert not d.requires_grad and d.names == ("N", "C") and d.data_ptr() == y.data_ptr()
    assert y.data.is_leaf and nomen.detach(y).is_leaf
    assert y.detach_() is y and y.is_leaf and not y.requires_grad
    w.data = nomen.zeros(3, names=("Q",))
    assert w.names == ("Q",) and w.shape == (3,) and w.requires_grad


def test_retain_grad(w):
    y = w * 2
    y.retain_grad()
    assert y.retains_grad and not w.retains_grad
    y.sum().backward()
    assert y.grad.tolist() == [[1.0, 1.0], [1.0, 1.0]] and y.grad.names == ("N", "C")


# ---- hooks -----------------------------------------------------------------------------------


def test_hooks(w):
    seen = []
    y = w * 2
    first = y.register_hook(lambda g: seen.append(g.names))
    second = y.register_hook(lambda g: g * 10)
    y.sum().backward(retain_graph=True)
    assert seen == [("N", "C")] and w.grad.tolist() == [[20.0, 20.0], [20.0, 20.0]]
    first.remove()
    first.remove()
    with second:
        pass
    w.grad = None
    y.sum().backward()
    assert seen == [("N", "C")] and w.grad.tolist() == [[2.0, 2.0], [2.0, 2.0]]


def test_hooks_after_accumulation(w):
    seen = []
    handle = w.register_post_accumulate_grad_hook(lambda t: seen.append((t is w, t.grad.tolist())))
    (w * 2).sum().backward()
    assert seen == [(True, [[2.0, 2.0], [2.0, 2.0]])]
    handle.remove()
    (w * 2).sum().backward()
    assert len(seen) == 1


def test_hooks_that_fail(w):
    handle = w.register_hook(lambda g: 1 / 0)
    with raises(ZeroDivisionError, "division by zero"):
        (w * 2).sum().backward()
    assert w.grad is None
    handle.remove()
    handle = w.register_hook(lambda g: "text")
    with raises(TypeError, "expected Variable, but hook returned 'str': None or a Tensor"):
        (w * 2).sum().backward()
    handle.remove()
    w.register_hook(lambda g: nomen.ones(7))
    with pytest.raises(RuntimeError):
        (w * 2).sum().backward()
    assert w.grad is None
    with raises(TypeError, "a hook must be callable, not int"):
        w.register_hook(3)
    with raises(RuntimeError, "cannot register a hook on a tensor that doesn't require gradient"):
        nomen.ones(2).register_hook(print)


# ---- switches --------------------------------------------------------------------------------


def test_switches(w):
    assert nomen.is_grad_enabled()
    with nomen.no_grad():
        assert not nomen.is_grad_enabled() and not (w * 2).requires_grad
        with nomen.enable_grad():
            assert (w * 2).requires_grad
        with nomen.set_grad_enabled(True):
            assert nomen.is_grad_enabled()
        assert not nomen.is_grad_enabled()
    assert nomen.is_grad_enabled()
    nomen.set_grad_enabled(False)
    assert not nomen.is_grad_enabled()
    nomen.set_grad_enabled(True)
    with pytest.raises(ValueError), nomen.no_grad():
        raise ValueError
    assert nomen.is_grad_enabled()


def test_decorators(w):
    @nomen.no_grad()
    def plain():
        return nomen.is_grad_enabled()

    @nomen.no_grad
    def bare():
        return nomen.is_grad_enabled()

    @nomen.set_grad_enabled(False)
    def chosen():
        return nomen.is_grad_enabled()

    @nomen.no_grad()
    def steps():
        received = yield nomen.is_grad_enabled()
        yield received, nomen.is_grad_enabled()
        return "end"

    assert nomen.is_grad_enabled()
    assert plain() is bare() is chosen() is False and plain.__name__ == "plain"
    generator = steps()
    assert next(generator) is False and nomen.is_grad_enabled()
    assert generator.send(5) == (5, False) and nomen.is_grad_enabled()
    with pytest.raises(StopIteration) as end:
        next(generator)
    assert end.value.value == "end"


def test_backward_of_several(w):
    nomen.autograd.backward([(w * 2).sum(), w * 3], [None, nomen.ones(2, 2)])
    assert w.grad.tolist() == [[5.0, 5.0], [5.0, 5.0]]


def test_a_view_made_without_gradients(w):
    """Its base does not know of it, so a recorded change of it would give a wrong gradient."""
    base = nomen.ones(3, names=("N",))
    with nomen.no_grad():
        view = base[:2]
        whole = base.detach()
    scale = nomen.ones(2, requires_grad=True)
    for blind in (view, view.unsqueeze(0), view[:2]):
        before = base.tolist()
        with pytest.raises(RuntimeError, match="^A view was created in no_grad mode"):
            blind.mul_(scale)
        assert base.tolist() == before
    with nomen.no_grad():
        view.mul_(scale * 2)
    view.mul_(3)  # nothing to record
    assert base.tolist() == [6, 6, 1]
    whole.mul_(nomen.ones(3, requires_grad=True))
    view.clone().mul_(scale).sum().backward()
    assert scale.grad.tolist() == [6, 6]
