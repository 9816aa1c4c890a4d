"""Indexing against NumPy, with names, assignments, and what is refused."""

import numpy
import pytest
from exactly import raises

import nomen

A = numpy.arange(24, dtype=numpy.float32).reshape(2, 3, 4)


@pytest.fixture
def x():
    return nomen.tensor(A, names=("N", "C", "H"))


INDICES = [
    0, -1, slice(None), slice(1, 3), slice(None, None, 2), slice(-2, None), slice(5, 9),
    slice(2, 1), ..., None, (), (0, 1), (0, slice(1, 3)), (slice(None), 1), (..., 0), (0, ...),
    (..., slice(1, 4, 2)), (None, 0), (0, None, 1), (slice(None), None, slice(1, 2)), (..., None),
    (1, 2, 3), (1, 2, 3, None), (None, ..., None), (numpy.int64(1), numpy.int8(-1)),
    (slice(None), slice(numpy.int64(1), None)),
]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_like_numpy(x, index):
    result, expected = x[index], A[index]
    assert result.shape == expected.shape and result.tolist() == expected.tolist()
    if result.numel():
        assert abs(result.data_ptr() - x.data_ptr()) < x.nbytes  # a view


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_assignment_like_numpy(x, index):
    expected = A.copy()
    expected[index] = -1
    x[index] = -1
    assert x.tolist() == expected.tolist()
    expected[index] = numpy.ones_like(expected[index]) * 7
    x[index] = x[index].clone() * 0 + 7
    assert x.tolist() == expected.tolist()


def test_names(x):
    assert x[0].names == ("C", "H") and x[:, 1:].names == ("N", "C", "H")
    assert x[..., 0].names == ("N", "C") and x[None].names == (None, "N", "C", "H")
    assert x[:, 0, None].names == ("N", None, "H") and x[...] is not x
    assert x[:].names == x.names and x[()].names == x.names
    assert [row.names for row in x] == [("C", "H")] * 2


def test_dicts_of_dims(x):
    assert x[{"N": 0}].tolist() == A[0].tolist() and x[{"N": 0}].names == ("C", "H")
    assert x[{"C": slice(1, 3), "N": 1}].tolist() == A[1, 1:3].tolist()
    assert x[{-1: 2, "C": 0}].tolist() == A[:, 0, 2].tolist() and x[{}].tolist() == A.tolist()
    x[{"H": 1}] = 0
    assert x.sum("C").tolist() == (A * [1, 0, 1, 1]).sum(1).tolist()
    with raises(RuntimeError, "Name 'Q' not found in Tensor['N', 'C', 'H']."):
        x[{"Q": 0}]
    with raises(IndexError, "dim 0 is given twice"):
        x[{"N": 0, 0: 1}]
    with raises(IndexError, "in a dict of dims an index is an int, a slice, a tensor or a list"):
        x[{"N": None}]
    with raises(IndexError, "index 3 is out of bounds for dimension 'C' with size 3"):
        x[{"C": 3}]


def test_tensors_as_integers(x):
    assert x[nomen.tensor(1)].tolist() == A[1].tolist()
    assert x[nomen.tensor(0), nomen.tensor(-1, dtype=nomen.int32)].tolist() == A[0, -1].tolist()
    assert x[0 : nomen.tensor(1)].shape == (1, 3, 4)
    with pytest.raises(IndexError, match="^tensors used as indices must be long, int, byte"):
        x[nomen.tensor(1.0)]


def test_values(x):
    x[0] = nomen.ones(4)
    x[1] = [1, 2, 3, 4]
    x[1, 0] = numpy.zeros(4, dtype=numpy.float32)
    x[1, 1] = nomen.ones(1, 1, 4) * 5
    assert x.tolist() == [[[1.0] * 4] * 3, [[0.0] * 4, [5.0] * 4, [1.0, 2.0, 3.0, 4.0]]]
    x[0] = nomen.full((3, 4), 9, names=("C", "H"))
    assert x[0].sum().item() == 108
    with raises(RuntimeError, "Error when attempting to broadcast dims ['C', 'H'] and dims "
                              "['X']: dim 'H' and dim 'X' are at the same position from the right "
                              "but do not match."):
        x[0] = nomen.zeros(4, names=("X",))
    with pytest.raises(RuntimeError):
        x[0] = nomen.zeros(5)
    with pytest.raises(RuntimeError):
        x[0] = nomen.zeros(2, 3, 4)
    with pytest.raises((TypeError, RuntimeError)):
        x[0] = "zero"
    assert x[0].sum().item() == 108
    base = nomen.zeros(2, 3)
    base[0] = nomen.ones(3, names=("C",))
    assert base.names == (None, None) and base.sum().item() == 3


REFUSED = [
    (2, IndexError, "index 2 is out of bounds for dimension 'N' with size 2"),
    (-3, IndexError, "index -3 is out of bounds for dimension 'N' with size 2"),
    ((0, 0, 0, 0), IndexError, "too many indices for tensor of dimension 3"),
    ((..., ...), IndexError, "an index can only have a single ellipsis ('...')"),
    (slice(None, None, -1), ValueError, "step must be greater than zero"),
    ("N", TypeError, "indices are integers, slices, None, ..., tensors and lists: for a dim given "
                     "by name write x[{'N': index}]"),
    (1.0, IndexError, "only integers, slices (`:`), ellipsis (`...`), None, tensors, lists and "
                      "dicts of dims are valid indices (got float)"),
    ({1}, IndexError, "only integers, slices (`:`), ellipsis (`...`), None, tensors, lists and "
                      "dicts of dims are valid indices (got set)"),
    ([2], IndexError, "index 2 is out of bounds for dimension 'N' with size 2"),
    ((0, slice(None), [0, -5]), IndexError,
     "index -5 is out of bounds for dimension 'H' with size 4"),
    (([0, 1], [0, 1, 2]), IndexError,
     "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]"),
    ((0, 0, 0, [0]), IndexError, "too many indices for tensor of dimension 3"),
    (nomen.tensor([True]), IndexError,
     "The shape of the mask [1] at index 0 does not match the shape of the indexed tensor "
     "[2, 3, 4] at index 0"),
]


@pytest.mark.parametrize("index, kind, text", REFUSED, ids=str)
def test_refused(x, index, kind, text):
    with raises(kind, text):
        x[index]
    with raises(kind, text):
        x[index] = 0
    assert x.tolist() == A.tolist()


def test_without_dims():
    zero = nomen.tensor(5.0)
    assert zero[()].item() == zero[...].item() == 5 and zero[None].shape == (1,)
    zero[...] = 6
    assert zero.item() == 6
    with pytest.raises(IndexError, match="invalid index of a 0-dim tensor"):
        zero[0]
    with raises(TypeError, "Tensor does not support deleting items"):
        del zero[0]


def test_gradients():
    w = nomen.ones(3, 4, names=("N", "C")).requires_grad_()
    (w[1:, ::2] * 2).sum().backward()
    assert w.grad.tolist() == [[0.0] * 4, [2.0, 0.0, 2.0, 0.0], [2.0, 0.0, 2.0, 0.0]]
    assert w.grad.names == ("N", "C")
    y = w * 1
    y[0] = 5
    w.grad = None
    y.sum().backward()
    assert w.grad.tolist() == [[0.0] * 4, [1.0] * 4, [1.0] * 4]


def test_slices_with_holes_that_go_on_in_each_other():
    """They are taken as they lie, if the last one ends where the memory does as well."""
    for dtype in ("float64", "complex128", "float32", "int16"):
        for step in (2, 3, 4, 5):
            x = nomen.arange(6 * 5 * 40 * 9 * step, dtype=nomen.float64).to(getattr(nomen, dtype))
            x = x.reshape(6, 5, 40, 9 * step)[..., step - 1 :: step]
            for places in ([0, 5, 5, 2], [5], list(range(6)), [1] * 20):
                index = nomen.tensor(places)
                wanted = nomen.stack([x[i] for i in places])
                assert nomen.equal(x[index], wanted)
                assert nomen.equal(nomen.index_select(x, 0, index), wanted)
                inner = nomen.stack([x[:, i % 5] for i in places], 1)
                assert nomen.equal(nomen.index_select(x, 1, index % 5), inner)
                put = nomen.zeros(6, 5, 40, 9 * step, dtype=x.dtype)[..., ::step]
                put[index] = wanted
                assert nomen.equal(put[index], wanted)
