"""What is told first where a call is wrong, and that PyTorch's words come first."""

import nomen
import pytest

ones, zeros, tensor = nomen.ones, nomen.zeros, nomen.tensor

REFUSED = [
    (lambda: zeros(3).expand(-2, 3), RuntimeError, "The expanded size of the tensor (-2) isn't"),
    (
        lambda: zeros(3).expand(2, -2),
        RuntimeError,
        "The expanded size of the tensor (-2) must match the existing size (3)",
    ),
    (
        lambda: zeros(1).expand(2, -2),
        RuntimeError,
        "The expanded size of the tensor (-2) isn't allowed in the dimension 1",
    ),
    (
        lambda: nomen.linspace(70000, 6, -1, dtype=nomen.int16),
        RuntimeError,
        "number of steps must be non-negative",
    ),
    (
        lambda: nomen.linspace(70000, 6, 1, dtype=nomen.int16),
        RuntimeError,
        "value cannot be converted to type int16 without overflow",
    ),
    (
        lambda: nomen.addmv(zeros(9), zeros(8, 2), zeros(2)),
        RuntimeError,
        "size mismatch, got input (9), mat (8x2), vec (2)",
    ),
    (
        lambda: nomen.addmv(zeros(2, 8), zeros(8, 2), zeros(2)),
        RuntimeError,
        "vector + matrix @ vector expected, got 2, 2, 1",
    ),
    (
        lambda: zeros(1).addmv_(zeros(8, 2), zeros(2)),
        RuntimeError,
        "Bad in-place call: input tensor size [1] and output tensor size [8] should match",
    ),
    (
        lambda: zeros(3, 2).addmm_(zeros(2, 2), zeros(2, 2)),
        RuntimeError,
        "Bad in-place call: input tensor size [3, 2] and output tensor size [2, 2] should match",
    ),
    (
        lambda: nomen.addmm(zeros(2, 2), zeros(2), zeros(2, 2)),
        RuntimeError,
        "mat1 must be a matrix, got 1-D tensor",
    ),
    (
        lambda: nomen.addmm(zeros(2, 2), zeros(2, 2), zeros(2)),
        RuntimeError,
        "mat2 must be a matrix, got 1-D tensor",
    ),
    (
        lambda: nomen.addcdiv(ones(2), ones(2).bool(), ones(2).bool()),
        RuntimeError,
        "Integer division with addcdiv is no longer supported",
    ),
    (
        lambda: zeros(2, 3).index_add(1, tensor([0, 1]), zeros(2)),
        IndexError,
        "index_add_(): Indexing dim 1 is out of bounds of the source tensor with dim 1",
    ),
    (
        lambda: zeros(2, dtype=nomen.int32).index_add(
            0, tensor([0]), ones(1, dtype=nomen.int32), alpha=1.5
        ),
        RuntimeError,
        "For integral input tensors, argument alpha must not be a floating point number",
    ),
]


@pytest.mark.parametrize("call, kind, words", REFUSED, ids=[words for _, _, words in REFUSED])
def test_words(call, kind, words):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    "divide",
    [
        nomen.remainder,
        nomen.fmod,
        nomen.floor_divide,
        lambda a, b: nomen.div(a, b, rounding_mode="trunc"),
        lambda a, b: nomen.div(a, b, rounding_mode="floor"),
    ],
    ids=["remainder", "fmod", "floor_divide", "trunc", "floor"],
)
def test_sizes_come_before_a_zero_among_divisors(divide):
    a, zero = ones(2, 4, dtype=nomen.int32), zeros(5, dtype=nomen.int32)
    with pytest.raises(RuntimeError, match="The size of tensor a"):
        divide(a, zero)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        divide(a, zero[:4])
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        divide(ones(4, dtype=nomen.int32), 0)
    assert divide(zeros(0, dtype=nomen.int32), zero[:1]).shape == (0,)
    assert divide(ones(3), zeros(3)).shape == (3,)  # of floats it is a number


def test_a_bound_of_linspace_that_no_element_has_may_be_any_number():
    assert nomen.linspace(0, 70000, 1, dtype=nomen.int16).tolist() == [0]
    assert nomen.linspace(70000, 1e9, 0, dtype=nomen.int16).tolist() == []


def test_negative_bounds_of_linspace_wrap_before_the_steps_are_made():
    assert nomen.linspace(-1, 3, 3, dtype=nomen.uint8).tolist() == [255, 129, 3]


def test_true_is_one_as_the_factor_of_index_add():
    x = zeros(2, dtype=nomen.int32)
    source, index = tensor([2, 3], dtype=nomen.int32), tensor([0, 0])
    assert x.index_add(0, index, source, alpha=True).tolist() == [5, 0]
    assert x.index_add(0, index, source, alpha=False).tolist() == [0, 0]
