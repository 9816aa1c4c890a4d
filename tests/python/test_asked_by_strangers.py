"""What programs written for PyTorch call, and what its reference of named tensors does not list."""

import itertools

import numpy as np
import pytest

import nomen

DTYPES = [
    nomen.bool, nomen.uint8, nomen.int8, nomen.int16, nomen.int32, nomen.int64, nomen.float16,
    nomen.bfloat16, nomen.float32, nomen.float64, nomen.complex64, nomen.complex128,
]  # fmt: skip


def test_promotion_is_that_of_operations():
    for a, b in itertools.product(DTYPES, repeat=2):
        x, y = nomen.ones(1, dtype=a), nomen.ones(1, dtype=b)
        assert nomen.promote_types(a, b) is nomen.result_type(x, y) is (x * y).dtype
        assert (
            nomen.result_type(x, nomen.tensor(1, dtype=b)) is (x * nomen.tensor(1, dtype=b)).dtype
        )
    assert nomen.result_type(1, 2.0) is nomen.float32 and nomen.result_type(True, 1) is nomen.int64
    named = nomen.ones(2, names=("N",)), nomen.ones(3, names=("C",), dtype=nomen.float64)
    assert nomen.result_type(*named) is nomen.float64
    with pytest.raises(TypeError, match=r"result_type\(\): argument 'tensor2' \(position 2\)"):
        nomen.result_type(1, "a")
    with pytest.raises(TypeError, match=r"promote_types\(\): argument 'type1' \(position 1\)"):
        nomen.promote_types(1, nomen.int8)


def test_what_may_be_cast_may_be_written():
    for a, b in itertools.product(DTYPES, repeat=2):
        x, y = nomen.ones(1, dtype=a), nomen.ones(1, dtype=b)
        if nomen.can_cast(a, b):
            nomen.add(x, x, out=y)
        else:
            with pytest.raises(RuntimeError, match="can't be cast"):
                nomen.add(x, x, out=y)


def test_where_as_a_method():
    x = nomen.tensor([[1.0, -2.0]], names=("N", "C"), requires_grad=True)
    y = x.where(x > 0, nomen.tensor([7.0, 8.0], names=("C",)))
    assert y.tolist() == [[1, 8]] and y.names == ("N", "C")
    y.sum().backward()
    assert x.grad.tolist() == [[1, 0]]


def test_a_tensor_turns_in_place():
    x = nomen.arange(6).reshape(2, 3).rename("N", "C")
    memory = x.data_ptr()
    assert x.t_() is x and x.names == ("C", "N") and x.data_ptr() == memory
    assert x.tolist() == [[0, 3], [1, 4], [2, 5]]
    assert nomen.ones(2).t_().shape == (2,)
    with pytest.raises(RuntimeError, match=r"t_\(\) expects a tensor with <= 2 dimensions"):
        nomen.ones(1, 2, 3).t_()


def test_as_strided_in_place():
    leaf = nomen.arange(6.0).requires_grad_()
    x = leaf * 1
    assert x.as_strided_((2, 2), (2, 1), 1) is x
    assert x.tolist() == [[1, 2], [3, 4]]
    (x * x).sum().backward()
    assert leaf.grad.tolist() == [0, 2, 4, 6, 8, 0]
    with pytest.raises(
        RuntimeError, match="^setStorage: .* requiring a storage size of 48 are out"
    ):
        nomen.arange(6.0).as_strided_((2, 2), (2, 9))
    with pytest.raises(RuntimeError, match="^a leaf Variable that requires grad"):
        leaf.as_strided_((2,), (1,))


@pytest.mark.parametrize("cut", ["unbind", "split", "chunk", "tensor_split"])
def test_parts_may_be_written_to_while_gradients_are_recorded(cut):
    """PyTorch refuses. The gradient is that of differences."""

    def value(data, grad=False):
        leaf = nomen.tensor(data, dtype=nomen.float64, requires_grad=grad)
        x = leaf * leaf
        parts = {
            "unbind": lambda: x.unbind(1),
            "split": lambda: x.split([1, 2], 1),
            "chunk": lambda: x.chunk(3, 1),
            "tensor_split": lambda: x.tensor_split(2, 1),
        }[cut]()
        parts[0].mul_(
            parts[1].reshape(2, -1)[:, :1].reshape(parts[0][..., :1].shape)
            if parts[0].ndim > 1
            else parts[1]
        )
        parts[1].exp_()
        return leaf, (x * nomen.arange(6.0).reshape(2, 3).to(nomen.float64)).sum()

    data = np.array([[0.3, -0.7, 0.2], [0.9, 0.4, -0.5]])
    leaf, total = value(data.tolist(), True)
    total.backward()
    step = 1e-6
    for at in np.ndindex(2, 3):
        more, less = data.copy(), data.copy()
        more[at] += step
        less[at] -= step
        slope = (value(more.tolist())[1].item() - value(less.tolist())[1].item()) / (2 * step)
        assert leaf.grad[at].item() == pytest.approx(slope, abs=1e-8)


@pytest.mark.parametrize(
    "error, text, key, value",
    [
        (
            RuntimeError,
            r"The expanded size of the tensor \(4\) must match the existing size \(3\) at "
            r"non-singleton dimension 0.  Target sizes: \[4\].  Tensor sizes: \[3\]",
            0,
            [1.0, 2, 3],
        ),
        (RuntimeError, r"expand\(float32{\[2\]}, size=\[\]\): the number of sizes provided \(0\)",
         (0, 0), [1.0, 2]),
        (TypeError, "can't assign a str to a tensor of float32", 0, "a"),
        (TypeError, "can't assign a NoneType to a tensor of float32", 0, None),
        (TypeError, "can't assign a dict to a tensor of float32", 0, {}),
    ],
)  # fmt: skip
def test_what_cannot_be_assigned(error, text, key, value):
    x = nomen.zeros(3, 4)
    with pytest.raises(error, match="^" + text):
        x[key] = nomen.tensor(value) if isinstance(value, list) else value
    assert not x.any()


def test_names_of_what_is_assigned_come_first():
    x = nomen.zeros(3, 4, names=("N", "C"))
    with pytest.raises(RuntimeError, match="dim 'C' and dim 'K'"):
        x[0] = nomen.zeros(3, names=("K",))
    x[0] = nomen.ones(1, 1, 4)
    assert x[0].tolist() == [1] * 4


def test_numpy_gives_tensors_back():
    x = nomen.tensor([4.0, 9.0], names=("N",))
    for y in (np.sqrt(x), np.add(x, 1), np.maximum(x, nomen.ones(2))):
        assert isinstance(y, nomen.Tensor) and y.names == ("N",)
    array = np.array([1.0, 2.0], dtype="f4")
    total = nomen.ones(2) + array
    assert isinstance(total, nomen.Tensor) and total.tolist() == [2, 3]
    y = nomen.ones(2, names=("C",))
    y += array
    assert isinstance(y, nomen.Tensor) and y.tolist() == [2, 3] and y.names == ("C",)
    assert np.add(nomen.ones(2, 1, names=("N", None)), y).names == ("N", "C")
    assert np.add(y, np.ones((3, 2))).names == (None, "C")
    assert np.isnan(x).dtype is nomen.bool and np.cbrt(nomen.tensor(8.0)).item() == 2
    with pytest.raises(RuntimeError, match="dim 'N' and dim 'C'"):
        np.add(x, y)
    assert isinstance(np.multiply(x, np.ones(2, dtype="g")), np.ndarray)  # no such dtype here
    with pytest.raises(RuntimeError, match="requires grad"):
        np.sqrt(nomen.ones(2, requires_grad=True))


def test_the_first_argument_of_a_function_is_called_input():
    with pytest.raises(
        TypeError, match=r"^sum\(\): argument 'input' \(position 1\) must be Tensor"
    ):
        nomen.sum(np.ones(3))
    with pytest.raises(RuntimeError, match=r"^torch.clamp: At least one of 'min' or 'max'"):
        nomen.clamp(nomen.ones(2))
