"""hstack and its like, linspace, eye, trace, fmax and fmin: by NumPy, with names, and errors."""

import numpy as np
import pytest

import nomen

SHAPES = [[(), ()], [(3,), (2,)], [(3,), (3,)], [(2, 3), (2, 3)], [(2, 3), (2, 4)],
          [(2, 3, 4), (2, 3, 4)], [(2, 3, 1), (2, 3, 2)], [(3,), (2, 3)], [(0,), (3,)]]  # fmt: skip
DTYPES = ["bool", "uint8", "int8", "int64", "float16", "float32", "float64", "complex64"]


def filled(shape, start=0):
    return np.arange(start, start + np.prod(shape, dtype=int), dtype="f8").reshape(shape)


@pytest.mark.parametrize("name", ["hstack", "vstack", "dstack", "column_stack"])
@pytest.mark.parametrize("shapes", SHAPES)
def test_piles(name, shapes):
    arrays = [filled(shape, 10 * k) for k, shape in enumerate(shapes)]
    tensors = [nomen.from_numpy(a.copy()).requires_grad_() for a in arrays]
    try:
        wanted = getattr(np, name)(arrays)
    except ValueError:
        with pytest.raises(RuntimeError, match="^(Sizes of tensors must match|Tensors must have)"):
            getattr(nomen, name)(tensors)
        return
    got = getattr(nomen, name)(tensors)
    assert got.shape == wanted.shape and got.tolist() == wanted.tolist()
    out = nomen.empty(0, dtype=nomen.float64)
    assert getattr(nomen, name)([t.detach() for t in tensors], out=out) is out
    assert out.tolist() == wanted.tolist()
    (got * got).sum().backward()
    for array, tensor in zip(arrays, tensors):
        assert tensor.grad.tolist() == (2 * array).tolist()


def test_names_of_piles():
    row = nomen.zeros(3, names=("C",))
    matrix = nomen.zeros(2, 3, names=("N", "C"))
    assert nomen.hstack([row, row]).names == ("C",)
    assert nomen.hstack([matrix, matrix.rename(None)]).names == ("N", "C")
    assert nomen.vstack([row, matrix]).names == ("N", "C")
    assert nomen.row_stack([row, row]).names == (None, "C")
    assert nomen.dstack([matrix, matrix]).names == ("N", "C", None)
    assert nomen.column_stack([row, row]).names == ("C", None)
    with pytest.raises(RuntimeError, match="^Error when attempting to cat dims"):
        nomen.hstack([matrix, matrix.rename("C", "N")])
    with pytest.raises(RuntimeError, match="^vstack expects a non-empty TensorList"):
        nomen.vstack([])


@pytest.mark.parametrize("bounds", [(0, 1), (-2, 7), (5, -4), (3, 3), (1e6, -1e6)])
@pytest.mark.parametrize("steps", [0, 1, 2, 3, 10, 101])
def test_linspace(bounds, steps):
    got = nomen.linspace(*bounds, steps, dtype=nomen.float64)
    np.testing.assert_allclose(got.numpy(), np.linspace(*bounds, steps), rtol=1e-15, atol=1e-10)
    if steps > 1:
        assert (got[0].item(), got[-1].item()) == bounds
    assert nomen.linspace(*bounds, steps).dtype is nomen.float32
    whole = nomen.linspace(*bounds, steps, dtype=nomen.int64)
    assert (whole.double() - got).abs().lt(1).all()


def test_linspace_of_other_numbers():
    assert nomen.linspace(0, 1j, 3).tolist() == [0, 0.5j, 1j]
    assert nomen.linspace(1, 2, 3, dtype=nomen.complex128).tolist() == [1, 1.5, 2]
    assert nomen.linspace(4.9, 0, 5, dtype=nomen.uint8).tolist() == [4, 3, 2, 1, 0]
    x = nomen.linspace(0, 1, 5, names=("t",), requires_grad=True)
    assert x.names == ("t",) and x.requires_grad
    with pytest.raises(RuntimeError, match="^number of steps must be non-negative"):
        nomen.linspace(0, 1, -1)
    with pytest.raises(RuntimeError, match="can't be safely cast to passed dtype float32"):
        nomen.linspace(0, 1j, 3, dtype=nomen.float32)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(0,), (1,), (3,), (2, 4), (4, 2), (0, 3)])
def test_eye(dtype, sizes):
    got = nomen.eye(*sizes, dtype=getattr(nomen, dtype))
    assert got.tolist() == np.eye(*sizes).astype(dtype).tolist()


def test_eye_elsewhere():
    assert nomen.eye(2, names=("N", "C")).names == ("N", "C")
    out = nomen.full((3, 2), 7.0).t()
    assert nomen.eye(2, 3, out=out) is out and out.tolist() == [[1, 0, 0], [0, 1, 0]]
    with pytest.raises(RuntimeError, match="^m must be greater or equal to 0, got -1"):
        nomen.eye(2, -1)
    with pytest.raises(RuntimeError, match="^Number of names"):
        nomen.eye(2, names=("N",))


@pytest.mark.parametrize("dtype", DTYPES[1:])
def test_trace(dtype):
    x = nomen.from_numpy(filled((3, 4)).astype(dtype))
    assert x.trace().item() == 15
    assert nomen.trace(x.t()).dtype is x.sum().dtype
    assert nomen.zeros(0, 3).trace().item() == 0
    with pytest.raises(RuntimeError, match="^trace: expected a matrix, but got dim 1"):
        nomen.trace(x[0])


def test_gradient_of_trace():
    x = nomen.ones(2, 3, names=("N", "C"), requires_grad=True)
    (x.trace() * 2).backward()
    assert x.grad.tolist() == [[2, 0, 0], [0, 2, 0]] and x.grad.names == ("N", "C")


@pytest.mark.parametrize("name", ["fmax", "fmin"])
def test_a_number_wins_over_nan(name):
    nan, inf = float("nan"), float("inf")
    x, y = np.array([1, nan, 3, nan, -inf, 2]), np.array([2, 5, nan, nan, inf, 2])
    a, b = nomen.tensor(x.tolist(), names=("N",)), nomen.tensor(y.tolist())
    got = getattr(nomen, name)(a, b)
    assert got.names == ("N",)
    np.testing.assert_array_equal(got.rename(None).numpy(), getattr(np, name)(x, y))
    whole = getattr(nomen.tensor([1, 5]), name)(nomen.tensor([3, 2]))
    assert whole.tolist() == getattr(np, name)([1, 5], [3, 2]).tolist()
    a.requires_grad_(), b.requires_grad_()
    getattr(nomen, name)(a, b)[:3].sum().backward()
    first = [float(name == "fmin"), 0.0, 1.0]
    assert a.grad[:3].tolist() == first and b.grad[:3].tolist() == [1 - g for g in first]
    with pytest.raises(RuntimeError, match=f"^{name} not implemented for complex tensors"):
        getattr(nomen, name)(a + 1j, b)


def test_second_names_of_views():
    x = nomen.ones(1, 3, names=("N", "C"))
    assert nomen.broadcast_to(x, (2, 3)).shape == (2, 3)
    assert x.broadcast_to(4, 2, 3).names == (None, "N", "C")
    assert nomen.ravel(x).shape == (3,) and x.ravel().data_ptr() == x.data_ptr()
