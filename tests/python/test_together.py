"""broadcast_tensors, meshgrid, atleast_2d, H and mH: by NumPy, with names, and errors."""

import numpy as np
import pytest

import nomen


@pytest.mark.parametrize(
    "shapes",
    [[(3,), (2, 1)], [(), (2, 3)], [(4, 1, 3), (2, 1), (1,)], [(0,), (1,)], [(2, 3)], [()]],
)
def test_broadcasting(shapes):
    arrays = [np.arange(np.prod(s, dtype=int), dtype="f4").reshape(s) for s in shapes]
    wanted = np.broadcast_arrays(*arrays)
    got = nomen.broadcast_tensors(*[nomen.from_numpy(a.copy()) for a in arrays])
    assert isinstance(got, tuple) and [t.tolist() for t in got] == [a.tolist() for a in wanted]
    assert nomen.broadcast_shapes(*shapes) == np.broadcast_shapes(*shapes)


def test_broadcasting_with_names():
    row, matrix = nomen.ones(3, names=("C",)), nomen.ones(2, 1, names=("N", None))
    a, b = nomen.broadcast_tensors([row, matrix])
    assert a.names == (None, "C") and b.names == ("N", None) and a.shape == b.shape == (2, 3)
    assert nomen.broadcast_shapes(3, (2, 1)) == (2, 3)
    with pytest.raises(RuntimeError, match=r"^The size of tensor a \(3\) must match the size of"):
        nomen.broadcast_tensors(row, nomen.ones(2))
    with pytest.raises(RuntimeError, match="^Shape mismatch: objects cannot be broadcast"):
        nomen.broadcast_shapes((2, 3), (3, 2))
    with pytest.raises(RuntimeError, match="^Trying to create tensor with negative dimension"):
        nomen.broadcast_shapes((2, -3))


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4), (1, 2, 3, 4), (0,)])
@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_at_least(shape, ndim):
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    function = getattr(nomen, f"atleast_{ndim}d")
    got = function(nomen.from_numpy(array))
    wanted = getattr(np, f"atleast_{ndim}d")(array)
    assert got.shape == wanted.shape and got.tolist() == wanted.tolist()
    one, two = function(nomen.from_numpy(array), nomen.zeros(2))
    assert one.shape == wanted.shape and two.ndim == max(ndim, 1)
    assert function([nomen.zeros(2)])[0].ndim == ndim
    with pytest.raises(TypeError, match="must be Tensors, not int"):
        function([3])


def test_at_least_keeps_names():
    x = nomen.ones(3, names=("C",))
    assert nomen.atleast_2d(x).names == (None, "C")
    assert nomen.atleast_3d(x).names == (None, "C", None)


@pytest.mark.parametrize("sizes", [(3,), (2, 3), (2, 3, 4), (0, 2)])
@pytest.mark.parametrize("indexing", ["ij", "xy"])
def test_meshgrid(sizes, indexing):
    vectors = [np.arange(n) + 10 * k for k, n in enumerate(sizes)]
    wanted = np.meshgrid(*vectors, indexing=indexing)
    got = nomen.meshgrid(*map(nomen.from_numpy, vectors), indexing=indexing)
    assert [t.tolist() for t in got] == [a.tolist() for a in wanted]


def test_meshgrid_with_names():
    x, y = nomen.arange(3.0).rename("x"), nomen.arange(2.0).rename("y")
    assert [t.names for t in nomen.meshgrid(x, y)] == [("x", "y")] * 2
    assert [t.names for t in nomen.meshgrid([x, y], indexing="xy")] == [("y", "x")] * 2
    assert nomen.meshgrid(x, nomen.tensor(1.0))[0].shape == (3, 1)
    x.requires_grad_()
    (nomen.meshgrid(x, y)[0] * 2).sum().backward()
    assert x.grad.tolist() == [4, 4, 4] and x.grad.names == ("x",)
    for words, wrong in (
        ("torch.meshgrid: indexing must be one of", lambda: nomen.meshgrid(x, y, indexing="ji")),
        ("meshgrid expects a non-empty TensorList", lambda: nomen.meshgrid([])),
        ("torch.meshgrid: Expected 0D or 1D tensor", lambda: nomen.meshgrid(nomen.ones(2, 2))),
        ("torch.meshgrid expects all tensors", lambda: nomen.meshgrid(x, y.double())),
        ("Cannot construct a tensor with duplicate names", lambda: nomen.meshgrid(x, x)),
    ):
        with pytest.raises(RuntimeError) as error:
            wrong()
        assert words in str(error.value)


def test_conjugate_transposes():
    x = nomen.tensor([[1 + 2j, 3], [0, -1j]]).rename("N", "C")
    assert x.H.tolist() == [[1 - 2j, 0], [3, 1j]] and x.H.names == ("C", "N")
    batch = nomen.ones(2, 3, 4, names=("B", "N", "C"))
    assert batch.mH.names == ("B", "C", "N") and batch.mH.data_ptr() == batch.data_ptr()
    assert nomen.tensor(1 + 2j).H.item() == 1 - 2j
    with pytest.raises(RuntimeError, match="^tensor.H is only supported on matrices"):
        batch.H
    with pytest.raises(RuntimeError, match="^tensor.mH is only supported on matrices"):
        nomen.ones(2).mH
