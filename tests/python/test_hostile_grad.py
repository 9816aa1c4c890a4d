"""Gradients in bad company: hooks that fail, free and start over, saved values that change, graphs
that are walked twice or by several threads. Classes and first words of errors are PyTorch's.
"""

import gc
import threading

import pytest
from exactly import raises

import nomen

grad = nomen.autograd.grad


def leaf(*values, names=None):
    return nomen.tensor(list(values) or [1.0, 2.0, 3.0], requires_grad=True, names=names)


# ---- hooks ---------------------------------------------------------------------------------------


def test_what_a_hook_raises_is_what_comes_out():
    class Mine(BaseException):
        pass

    w = leaf()
    for error in (KeyError("mine"), Mine(), KeyboardInterrupt()):
        y = w * 2

        def hook(gradient, error=error):
            raise error

        y.register_hook(hook)
        with pytest.raises(type(error)) as caught:
            y.sum().backward()
        assert caught.value is error and w.grad is None
    # and nothing is left of it
    (w * w).sum().backward()
    assert w.grad.tolist() == [2.0, 4.0, 6.0]


def test_a_walk_that_failed_may_be_tried_again():
    w = leaf()
    calls = []

    def hook(gradient):
        calls.append(1)
        if len(calls) == 1:
            raise ValueError("first")

    w.register_hook(hook)
    loss = (w * w).sum()
    with raises(ValueError, "first"):
        loss.backward(retain_graph=True)
    assert w.grad is None
    loss.backward()
    assert w.grad.tolist() == [2.0, 4.0, 6.0]


def test_what_hooks_may_return():
    def changed(gradient):
        return nomen.ones(2)

    def wider(gradient):
        return gradient.double()

    for hook, error, words in (
        (lambda g: 3, TypeError, "expected Variable, but hook returned 'int'"),
        (changed, RuntimeError, "hook 'changed' has changed the size of value"),
        (wider, RuntimeError, r"hook 'wider' has changed the type of value \(was float32 got"),
    ):
        w = leaf()
        w.register_hook(hook)
        with pytest.raises(error, match=f"^{words}"):
            w.sum().backward()
        assert w.grad is None
    with pytest.raises(TypeError):
        leaf().register_hook(3)
    with raises(RuntimeError, "cannot register a hook on a tensor that doesn't require gradient"):
        nomen.ones(2).register_hook(print)


def test_hooks_that_walk_again():
    w, other = leaf(), leaf()
    inner = (other * other).sum()
    w.register_hook(lambda g: inner.backward(retain_graph=True))
    (w * w).sum().backward()
    assert w.grad.tolist() == other.grad.tolist() == [2.0, 4.0, 6.0]
    # the same graph, from within
    w, calls = leaf(), []
    z = (w * w).sum()

    def again(gradient):
        calls.append(1)
        if len(calls) < 3:
            z.backward(retain_graph=True)

    w.register_hook(again)
    z.backward(retain_graph=True)
    assert len(calls) == 3 and w.grad.tolist() == [6.0, 12.0, 18.0]


def test_hooks_that_come_and_go_meanwhile():
    w, handles, seen = leaf(), [], []
    handles.append(w.register_hook(lambda g: (handles[0].remove(), g * 10)[1]))
    w.sum().backward()
    w.sum().backward()
    assert w.grad.tolist() == [11.0, 11.0, 11.0]
    # one that is registered by another runs the next time: or it would never end
    w = leaf()

    def more(gradient):
        seen.append(len(seen))
        w.register_hook(more)

    w.register_hook(more)
    w.sum().backward()
    assert len(seen) == 1
    w.sum().backward()
    assert len(seen) == 3
    w, seen = leaf(), []

    def after(tensor):
        seen.append(1)
        tensor.register_post_accumulate_grad_hook(after)

    w.register_post_accumulate_grad_hook(after)
    w.sum().backward()
    assert len(seen) == 1


def test_hooks_that_free():
    w = leaf()
    held = [w, (w * 2).exp()]
    z = held[1].sum()
    held[1].register_hook(lambda g: (held.clear(), gc.collect(), None)[2])
    z.backward()
    want = [2 * nomen.tensor(2 * v).exp().item() for v in (1.0, 2.0, 3.0)]
    assert w.grad.tolist() == pytest.approx(want)
    w.register_hook(lambda g: w.detach_())
    w.sum().backward()
    assert not w.requires_grad


def test_hooks_on_what_no_path_meets_are_silent():
    w, seen = leaf(), []
    (w * 2).register_hook(seen.append)
    (w * 3).sum().backward()
    assert seen == []


# ---- saved values --------------------------------------------------------------------------------

CHANGED = (
    "^one of the variables needed for gradient computation has been modified by an inplace oper"
)


def change_operand(y):
    y.add_(1)


def change_detached(y):
    y.detach().zero_()


def change_data(y):
    y.data.zero_()


def change_part(y):
    y[0].fill_(5)


def change_without_gradients(y):
    with nomen.no_grad():
        y.mul_(2)


@pytest.mark.parametrize(
    "change", [change_operand, change_detached, change_data, change_part, change_without_gradients]
)
def test_saved_values_that_were_changed(change):
    w = leaf()
    for make in (lambda y: y * y, lambda y: y.prod(), lambda y: y @ y):
        y = w * 2
        z = make(y).sum()
        change(y)
        with pytest.raises(RuntimeError, match=CHANGED):
            z.backward()
    y = (w * 1).exp()
    z = y.sum()
    change(y)
    with pytest.raises(RuntimeError, match=CHANGED):
        z.backward()
    assert w.grad is None


def test_the_error_says_what_was_changed():
    w = leaf(names=("N",))
    y = w * 2
    z = (y * y).sum()
    y.add_(1)
    words = r"Tensor\[3, float32\], operand 0 of mul, is at version 1; exp"
    with pytest.raises(RuntimeError, match=words):
        z.backward()


# ---- walking twice, unused inputs ----------------------------------------------------------------

TWICE = "^Trying to backward through the graph a second time"


def test_a_graph_is_walked_once():
    for make in (lambda w: (w * w).sum(), lambda w: w.exp().sum(), lambda w: w.prod()):
        w = leaf()
        z = make(w)
        z.backward(retain_graph=1)
        z.backward()
        before = w.grad.tolist()
        for walk in (z.backward, lambda: grad(z, w), lambda: (z * 2).backward()):
            with pytest.raises(RuntimeError, match=TWICE):
                walk()
        assert w.grad.tolist() == before


def test_unused_and_wrong_inputs():
    w, v, plain = leaf(), leaf(), nomen.ones(3)
    for inputs, words in (
        ([w, v], "One of the differentiated Tensors appears to not have been used in the graph"),
        ([w, plain], "One of the differentiated Tensors does not require grad"),
        ([w, w.clone()], "One of the differentiated Tensors appears to not have been used"),
    ):
        with pytest.raises(RuntimeError, match=f"^{words}"):
            grad((w * w).sum(), inputs)
    used, unused = grad((w * w).sum(), [w, v], allow_unused=True)
    assert used.tolist() == [2.0, 4.0, 6.0] and unused is None
    with pytest.raises(RuntimeError, match="^element 0 of tensors does not require grad"):
        grad(plain.sum(), w)
    with pytest.raises(RuntimeError, match="^One of the differentiated Tensors appears to not"):
        grad([], [w])
    with raises(RuntimeError, "'inputs' argument to backward() cannot be empty."):
        w.sum().backward(inputs=[])
    with pytest.raises(RuntimeError, match="^got 2 tensors and 1 gradients"):
        grad([w.sum(), w.sum()], [w], [None])
    assert w.grad is None


def test_gradients_that_do_not_fit():
    w = leaf(names=("N",))
    for given, words in (
        (None, "grad can be implicitly created only for scalar outputs"),
        (
            nomen.ones(2),
            r"Mismatch in shape: grad_output\[0\] has a shape of \[2\] and output\[0\]",
        ),
        (nomen.ones(3, names=("C",)), "Error when attempting to broadcast dims"),
    ):
        with pytest.raises(RuntimeError, match=f"^{words}"):
            (w * 2).backward(given)
    for given, words in (
        (nomen.ones(2), "assigned grad has data of a different size"),
        (nomen.ones(3, dtype=nomen.float64), "assigned grad has data of a different type"),
        (nomen.ones(3, names=("C",)), "Error when attempting to broadcast dims"),
        (w, "can't assign Variable as its own grad"),
    ):
        with pytest.raises(RuntimeError, match=f"^{words}"):
            w.grad = given
    with pytest.raises(TypeError, match="^assigned grad expected to be a Tensor or None but got"):
        w.grad = 3
    assert w.grad is None


def test_who_may_want_a_gradient():
    words = "^Only Tensors of floating point and complex dtype can require gradients"
    for make in (
        lambda: nomen.tensor([1, 2], requires_grad=True),
        lambda: nomen.ones(2, dtype=nomen.int64, requires_grad=True),
    ):
        with pytest.raises(RuntimeError, match=words):
            make()
    with pytest.raises(RuntimeError, match="^only Tensors of floating point"):
        nomen.tensor([1]).requires_grad_()
    with pytest.raises(RuntimeError, match="^you can only change requires_grad flags of leaf var"):
        (leaf() * 2).requires_grad = False


# ---- results that are no leaves ------------------------------------------------------------------


def test_kept_gradients_add_up():
    w = leaf()
    w.retain_grad()  # of a leaf: nothing new
    assert not w.retains_grad
    y = w * 2
    y.retain_grad()
    z = (y * y).sum()
    for i in (1, 2):
        z.backward(retain_graph=True)
        assert y.grad.tolist() == [4.0 * i, 8.0 * i, 12.0 * i]
    with raises(RuntimeError, "can't retain_grad on Tensor that has requires_grad=False"):
        nomen.ones(2).retain_grad()


def test_inputs_that_are_no_leaves():
    w = leaf(names=("N",))
    y = w * 2
    z = (y * y).sum()
    for i in (1, 2):
        z.backward(inputs=[y], retain_graph=True)
        assert y.grad.tolist() == [4.0 * i, 8.0 * i, 12.0 * i] and y.grad.names == ("N",)
    assert w.grad is None and not y.retains_grad


def test_derivatives_of_derivatives_have_names():
    w = leaf(names=("N",))
    g = (w**4).sum()
    for factor, power in ((4, 3), (12, 2), (24, 1)):
        (g,) = grad(g.sum(), w, create_graph=True)
        assert g.names == ("N",) and g.requires_grad
        assert g.tolist() == [factor * v**power for v in (1.0, 2.0, 3.0)]
    (g,) = grad((w**3).sum(), w)
    with pytest.raises(RuntimeError, match="^element 0 of tensors does not require grad"):
        g.sum().backward()


# ---- large graphs and threads --------------------------------------------------------------------


def test_a_chain_of_a_million():
    w = nomen.ones(1, requires_grad=True)
    x = w
    for _ in range(1_000_000):
        x = x.neg()
    x.backward()
    assert w.grad.item() == 1.0
    last = x
    del x
    gc.collect()
    del last, w


def test_a_graph_is_let_go_from_any_end():
    w = nomen.ones(1, requires_grad=True)
    for first in (True, False):
        steps = [w]
        for _ in range(20_000):
            steps.append(steps[-1] * steps[max(0, len(steps) - 7)])
        while steps:
            steps.pop(0 if first else -1)
    before = nomen.memory_stats()["tensors_live"]
    gc.collect()
    assert nomen.memory_stats()["tensors_live"] <= before


def walk_in_threads(function, count=4):
    errors = []

    def go():
        try:
            function()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=go) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def test_threads_that_share_a_leaf():
    w = leaf()
    assert walk_in_threads(lambda: [(w * w).sum().backward() for _ in range(50)]) == []
    assert w.grad.tolist() == [400.0, 800.0, 1200.0]


def test_threads_that_share_a_graph():
    w = leaf()
    z = (w * w).exp().sum()
    assert walk_in_threads(lambda: z.backward(retain_graph=True)) == []
    (once,) = grad(z, w)
    assert w.grad.tolist() == pytest.approx((4 * once).tolist())
    # without keeping it: each is right or is told that it came too late
    w = leaf()
    z = (w * w).sum()
    errors = walk_in_threads(z.backward)
    assert all(str(e).startswith(TWICE[1:]) for e in errors) and len(errors) <= 3
    done = 4 - len(errors)
    assert w.grad.tolist() == [2.0 * done, 4.0 * done, 6.0 * done]


@pytest.mark.parametrize("make", [lambda w: w * 1, lambda w: w], ids=["result", "leaf"])
def test_a_view_that_its_base_would_not_hear_of(make):
    """Also changed by a plain number: the gradient would be that of the values before."""
    w = nomen.ones(3, requires_grad=True)
    x = make(w)
    with nomen.no_grad():
        view = x[0:2][0:1]
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode"):
        view.mul_(2)
    assert view.tolist() == [1]
    with nomen.no_grad():
        view.mul_(2)
    assert x.tolist() == [2, 1, 1]


def test_a_view_of_what_needs_no_gradient_is_free():
    x = nomen.ones(3)
    with nomen.no_grad():
        view = x[0:2]
        detached = (nomen.ones(3, requires_grad=True) * 1).detach()
    view.mul_(2)
    detached.mul_(2)
    assert x.tolist() == [2, 2, 1] and detached.tolist() == [2, 2, 2]
