"""Objects that change or lie while they are read; tools/hostile.py has many more of them."""

import os
import pathlib
import subprocess
import sys

import pytest

import nomen

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "hostile.py"


def shrinking(*before):
    """A list that loses everything while the item after `before` is read."""
    items = [*before]

    class Clears:
        def __index__(self):
            items.clear()
            return 0

    items += [Clears(), Clears(), Clears()]
    return items


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.sum(shrinking()),
        lambda x: x.mean(shrinking(1)),
        lambda x: nomen.roll(x, shrinking(1, 1), (0, 1)),
        lambda x: x.reshape(shrinking(2, 2)),
        lambda x: nomen.zeros(shrinking(2)),
        lambda x: x.flip(shrinking()),
        lambda x: nomen.tensor(shrinking(1, 2)),
        lambda x: x[shrinking()],
        lambda x: x[:, shrinking(0)],
    ],
)
def test_a_list_that_shrinks_while_it_is_read(call):
    x = nomen.ones(2, 3)
    for _ in range(50):
        try:
            result = call(x)
        except (RuntimeError, IndexError, ValueError, TypeError):
            continue
        assert isinstance(result, nomen.Tensor)


def test_a_list_of_sizes_is_taken_as_it_was():
    assert nomen.zeros(shrinking(2, 3)).shape == (2, 3, 0, 0, 0)


def test_a_dict_of_indices_that_changes():
    index = {}

    class Changes:
        def __index__(self):
            for k in range(1000):
                index[f"D{k}"] = 0
            return 1

    index["N"], index["C"] = Changes(), 0
    x = nomen.arange(6).reshape(2, 3).refine_names("N", "C")
    assert x[index].item() == 3


def test_pairs_that_change_while_they_are_read():
    pairs = [("A", 2), ("B", 3)]

    class Pair(list):
        def __iter__(self):
            pairs.clear()
            return super().__iter__()

    pairs[:] = [Pair(["A", 2]), Pair(["B", 3])]
    x = nomen.ones(6, names=("N",))
    try:
        assert x.unflatten("N", pairs).shape == (2, 3)
    except (RuntimeError, TypeError, ValueError):
        pass


def test_an_empty_list_that_says_it_is_not():
    class NeverEmpty(list):
        def __bool__(self):
            return True

    with pytest.raises((RuntimeError, TypeError)):
        nomen.ones(6, names=("N",)).unflatten("N", NeverEmpty())


def test_a_hook_that_clears_the_inputs_of_backward():
    inputs = [nomen.ones(3).requires_grad_() for _ in range(3)]
    first = inputs[0]
    y = sum(x * x for x in inputs)
    y.register_hook(lambda gradient: inputs.clear())
    y.sum().backward(inputs=inputs)
    assert not inputs and first.grad.tolist() == [2, 2, 2]


def test_format_wants_a_text():
    for x in (nomen.tensor(1.5), nomen.ones(2)):
        with pytest.raises(TypeError):
            x.__format__(2)
    assert f"{nomen.tensor(1.5):.2f}" == "1.50"


def test_whatever_is_passed_gives_a_result_or_an_exception():
    """The debugging allocator of Python finds what is used after it was freed."""
    run = subprocess.run(
        [sys.executable, str(TOOL), "--calls", "8000", "--seed", "5"],
        env={**os.environ, "PYTHONMALLOC": "debug", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    assert "0 odd ones" in run.stdout
