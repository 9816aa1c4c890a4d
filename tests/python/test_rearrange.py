"""Moves of elements against NumPy: order, mirrors, triangles, repeats, pieces, resize_."""

import itertools

import numpy as np
import pytest
from test_select import DTYPES, array, layouts, raises, same, tensor

import nomen

A = array((3, 4, 5), seed=3)
NAMES = ("N", "C", "H")


@pytest.mark.parametrize("dtype", DTYPES)
def test_elements(dtype):
    a = array((3, 4, 5), dtype)
    for t in layouts(a):
        same(t.flip(0), a[::-1])
        same(t.flip(1, -1), a[:, ::-1, ::-1])
        same(t.flip(()), a)
        same(t.fliplr(), np.fliplr(a))
        same(t.flipud(), np.flipud(a))
        same(t.roll(2), np.roll(a, 2))
        same(t.roll((1, -3), (0, 2)), np.roll(a, (1, -3), (0, 2)))
        same(t.roll((1, 1), (0, 0)), np.roll(a, 2, 0))
        for k in (-9, -2, 0, 1, 4, 9):
            same(t.tril(k), np.tril(a, k))
            same(t.triu(k), np.triu(a, k))
            same(t.diagonal(k), np.diagonal(a, k))
            same(t.diagonal(k, 2, 1), np.diagonal(a, k, 2, 1))
            same(t[0].diag(k), np.diag(a[0], k))
            same(t[0, 0].diag(k), np.diag(a[0, 0], k))
        same(t.repeat(2, 1, 1, 3), np.tile(a, (2, 1, 1, 3)))
        same(t.tile(2), np.tile(a, 2))
        same(t.tile((2, 0, 1, 1)), np.tile(a, (2, 0, 1, 1)))
        same(t.repeat_interleave(2), np.repeat(a, 2))
        same(t.repeat_interleave(nomen.tensor([2, 0, 1, 3]), 1), np.repeat(a, [2, 0, 1, 3], 1))
        same(t.narrow_copy(1, 1, 2), a[:, 1:3])
        same(t.unfold(1, 2, 2), np.stack([a[:, 0:2], a[:, 2:4]], 1).swapaxes(2, 3))
        same(t.movedim((0, 2), (1, 0)), np.moveaxis(a, (0, 2), (1, 0)))
        same(t.swapaxes(0, -1), a.swapaxes(0, 2))
    for t in layouts(a):
        assert t.tril_(1) is t
        same(t, np.tril(a, 1))
    same(tensor(a).diag_embed(1)[1, 2], np.diag(a[1, 2], 1))
    same(tensor(a[0, 0]).diag_embed(-2), np.diag(a[0, 0], -2))


def test_large():
    a = array((257, 513), "int32")
    t = tensor(a)
    same(t.tril(-3), np.tril(a, -3))
    same(t.transpose(0, 1).triu(100), np.triu(a.T, 100))
    same(t.t().tril(2**62), a.T)
    same(t.t().triu(-(2**62)), a.T)
    wide = array((900, 4), "int16")
    for k in (-5, -1, 0, 2, 898, 901):
        same(tensor(wide).tril(k), np.tril(wide, k))
        same(tensor(wide).triu(k), np.triu(wide, k))
        same(tensor(wide).t().tril(k), np.tril(wide.T, k))
        same(tensor(wide).t().triu(k), np.triu(wide.T, k))
    cubes = array((6, 40, 70), "int32")
    for k in (-80, -30, -1, 0, 7, 90):
        across = tensor(cubes).transpose(1, 2)
        same(across.tril(k), np.tril(cubes.swapaxes(1, 2), k))
        same(across.triu(k), np.triu(cubes.swapaxes(1, 2), k))
        assert across.tril_(k).stride() == (2800, 1, 70)
        same(across, np.tril(cubes.swapaxes(1, 2), k))
    same(t.flip(0, 1), a[::-1, ::-1])
    same(t.roll((100, 300), (0, 1)), np.roll(a, (100, 300), (0, 1)))
    same(t.repeat_interleave(3, 0), np.repeat(a, 3, 0))
    wide, gaps = np.arange(600.0).reshape(6, 100), nomen.zeros(6, 200, dtype=nomen.float64)[:, ::2]
    assert nomen.tril(tensor(wide), 3, out=gaps) is gaps
    same(gaps, np.tril(wide, 3))
    assert gaps.copy_(tensor(wide)).triu_(-2) is gaps
    same(gaps, np.triu(wide, -2))
    same(gaps.triu_(101), np.zeros((6, 100)))
    assert t.tril(2**62).tolist() == a.tolist() and t.triu(2**62).sum() == 0
    assert t.tril(-(2**62)).sum() == 0 and t.triu(-(2**62)).tolist() == a.tolist()


def test_names():
    x = tensor(A, NAMES)
    for same_names in (x.flip("N", -1), x.roll(1, "C"), x.roll(1), x.tril(), x.triu(), x.fliplr(),
                       x.repeat_interleave(2, "H"), x.narrow_copy("C", 0, 1), x.tile(2)):
        assert same_names.names == NAMES
    assert x.movedim("H", "N").names == ("H", "N", "C")
    assert x.movedim(("H", 0), (0, "C")).names == ("H", "N", "C")
    assert x.swapaxes("N", "H").names == x.swapdims(0, -1).names == ("H", "C", "N")
    assert x.diagonal(0, "N", "H").names == ("C", None)
    assert x.diagonal(dim1="N", dim2=1, outdim="D").names == ("H", "D")
    assert x.repeat(2, 1, 1, 1).names == (None, *NAMES)
    assert x[0].diag().names == (None,) and x[0, 0].diag().names == (None, None)
    assert x.diag_embed(0, 0, 2).names == (None, "N", None, "C")
    assert x.unfold("C", 2, 1).names == ("N", "C", "H", None)
    assert x.view(3, 20).names == ("N", None) and x.repeat_interleave(2).names == (None,)
    assert [p.names for p in x.tensor_split(2, "C")] == [NAMES] * 2
    raises(RuntimeError, "Name 'Q' not found in Tensor['N', 'C', 'H'].", lambda: x.flip("Q"))
    raises(RuntimeError, "Cannot construct a tensor with duplicate names",
           lambda: x.diagonal(0, 0, 1, outdim="H"))
    y = x.clone()
    assert y.swapaxes_("N", "C") is y and y.names == ("C", "N", "H")


def test_pieces():
    t = tensor(A)
    for got, expected in (
        (t.tensor_split(3, 2), np.array_split(A, 3, 2)),
        (t.tensor_split((1, -1, 9), 1), np.array_split(A, (1, -1, 9), 1)),
        (t.tensor_split(nomen.tensor([2]), dim=2), np.array_split(A, [2], 2)),
        (t.tensor_split(indices=(3, 1)), np.array_split(A, (3, 1))),
        (t.hsplit(2), np.hsplit(A, 2)), (t.vsplit((1,)), np.vsplit(A, (1,))),
        (t.dsplit((2, 3)), np.dsplit(A, (2, 3))),
        (t[0, 0].hsplit(sections=5), np.hsplit(A[0, 0], 5)),
    ):
        assert len(got) == len(expected)
        for part, want in zip(got, expected):
            same(part, want)
    t.hsplit(2)[1].fill_(0)
    assert t[:, 2:].sum() == 0 and t[:, :2].sum() == A[:, :2].sum()


def test_views_share_memory():
    t = nomen.zeros(3, 3)
    t.diagonal().fill_(1)
    t.diagonal(-1).add_(2)
    assert t.tolist() == [[1, 0, 0], [2, 1, 0], [0, 2, 1]]
    t.view(-1)[1] = 9
    t.movedim(0, 1)[0, 2] = 7
    assert t.tolist() == [[1, 9, 0], [2, 1, 0], [7, 2, 1]]
    x = nomen.ones(2, 3).requires_grad_()
    y = x * 1
    y.diagonal().mul_(5)
    y.sum().backward()
    assert x.grad.tolist() == [[5, 1, 1], [1, 5, 1]]


def test_repeat_interleave_of_positions():
    assert nomen.repeat_interleave(nomen.tensor([0, 2, 1])).tolist() == [1, 1, 2]
    assert nomen.tensor([3, 4]).repeat_interleave(2, output_size=4).tolist() == [3, 3, 4, 4]


def test_empty_and_zero_dims():
    zero, none = nomen.tensor(5), nomen.zeros(0, 3)
    assert zero.flip(()).item() == 5 and zero.roll(3).item() == 5
    assert zero.repeat(2).tolist() == [5, 5] and zero.repeat_interleave(2).tolist() == [5, 5]
    assert zero.unfold(0, 1, 1).tolist() == [5] and zero.view(1, 1).tolist() == [[5]]
    assert none.flip(0).shape == none.roll(1).shape == none.tril().shape == (0, 3)
    assert none.diagonal().shape == (0,) and none.tile(2).shape == (0, 6)
    assert none.roll(1, 0).shape == (0, 3) and none.view(3, 0).shape == (3, 0)


X = nomen.arange(12.0).reshape(3, 4)
FAILS = [
    (RuntimeError, "dim 0 appears multiple times", lambda: X.flip(0, -2)),
    (IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)",
     lambda: X.flip(2)),
    (RuntimeError, "Input must be >= 2-d.", lambda: X[0].fliplr()),
    (RuntimeError, "Input must be >= 1-d.", lambda: X[0, 0].flipud()),
    (RuntimeError, "shifts and dimensions must align. shifts: 1, dims:2",
     lambda: X.roll(1, (0, 1))),
    (RuntimeError, "shifts and dimensions must align. shifts: 2, dims:0", lambda: X.roll((1, 2))),
    (RuntimeError, "movedim: repeated dim in `destination`", lambda: X.movedim((0, 1), (0, 0))),
    (RuntimeError, "movedim: Invalid source or destination dims",
     lambda: X.movedim((0, 1), (0,))),
    (RuntimeError, "diagonal dimensions cannot be identical 1, 1", lambda: X.diagonal(0, 1, 1)),
    (IndexError, "Dimension out of range", lambda: X[0].diagonal()),
    (RuntimeError, "diag(): Supports 1D or 2D tensors. Got 3D", lambda: X[None].diag()),
    (RuntimeError, "diagonal dimensions cannot be identical", lambda: X[0, 0].diag_embed(0, 0, 0)),
    (IndexError, "Dimension out of range (expected to be in range of [-1, 0], but got -2)",
     lambda: X[0, 0].diag_embed()),
    (RuntimeError, "diff expects prepend or append to be the same dimension as input",
     lambda: X.diff(prepend=X[0])),
    (RuntimeError, "diff expects the shape of tensor to prepend or append to match that of input",
     lambda: X.diff(append=X[:2])),
    (RuntimeError, "tril: input tensor must have at least 2 dimensions", lambda: X[0].tril()),
    (RuntimeError, "Number of dimensions of repeat dims can not be smaller", lambda: X.repeat(2)),
    (RuntimeError, "Trying to create tensor with negative dimension", lambda: X.repeat(2, -1)),
    (RuntimeError, "Repeats must be non-negative", lambda: X.repeat_interleave(-1)),
    (RuntimeError, "repeats must have the same size as input along dim",
     lambda: X.repeat_interleave(nomen.tensor([1, 2]), 0)),
    (RuntimeError, "repeats can not be negative",
     lambda: X.repeat_interleave(nomen.tensor([1, 2, -1]), 0)),
    (RuntimeError, "maximum size for tensor at dimension 0 is 3 but size is 4",
     lambda: X.unfold(0, 4, 1)),
    (RuntimeError, "step is 0 but must be > 0", lambda: X.unfold(0, 2, 0)),
    (RuntimeError, "view size is not compatible with input tensor's size and stride",
     lambda: X.transpose(0, 1).view(12)),
    (RuntimeError, "number of sections must be larger than 0, got 0", lambda: X.tensor_split(0)),
    (RuntimeError, "torch.hsplit attempted to split along dimension 1", lambda: X.hsplit(3)),
    (RuntimeError, "torch.vsplit requires a tensor with at least 2", lambda: X[0].vsplit(1)),
    (RuntimeError, "torch.dsplit requires a tensor with at least 3", lambda: X.dsplit(1)),
    (TypeError, "hsplit() missing 1 required positional arguments", lambda: X.hsplit()),
]


@pytest.mark.parametrize("kind, text, call", FAILS, ids=[text for _, text, _ in FAILS])
def test_errors(kind, text, call):
    raises(kind, text, call)


def test_resize():
    t = nomen.arange(6)
    assert t.resize_(2, 2) is t and t.tolist() == [[0, 1], [2, 3]]
    assert t.resize_((3, 2)).tolist() == [[0, 1], [2, 3], [4, 5]]
    assert t.resize_(2, 5).tolist() == [[0, 1, 2, 3, 4], [5, 0, 0, 0, 0]]
    assert t.resize_(0).shape == (0,) and t.resize_(()).shape == ()
    tail = nomen.arange(6)[4:]
    assert tail.resize_(3).tolist() == [4, 5, 0]
    assert t.resize_(2, memory_format=nomen.contiguous_format).shape == (2,)
    assert nomen.zeros(4).resize_as_(nomen.zeros(2, 2)).shape == (2, 2)
    many = nomen.zeros(3).resize_([1] * 12)
    assert many.ndim == 12
    raises(RuntimeError, "cannot resize variables that require grad",
           lambda: nomen.zeros(2).requires_grad_().resize_(3))
    raises(RuntimeError, "Trying to create tensor with negative dimension", lambda: t.resize_(-1))
    assert t.shape == (2,)


def test_resize_with_names():
    x = nomen.zeros(2, 3, names=("N", "C"))
    assert x.resize_(2, 3) is x and x.names == ("N", "C")
    raises(RuntimeError, "Cannot resize named tensor with resize_ or resize_as_ (tried to resize "
                         "Tensor['N', 'C'] with size [2, 3] to [3, 2]).", lambda: x.resize_(3, 2))
    raises(RuntimeError, "Unsupported memory format for named tensor resize Contiguous",
           lambda: x.resize_(2, 3, memory_format=nomen.contiguous_format))
    raises(RuntimeError, "Cannot resize named tensor", lambda: x.resize_as_(nomen.zeros(2)))
    raises(RuntimeError, "Name mismatch: specified out tensor with names ['N', 'C'] are not the "
                         "same as the computed output names [None, None].",
           lambda: x.resize_as_(nomen.zeros(2, 3)))
    assert x.resize_as_(nomen.ones(2, 3, names=("N", "C"))).names == ("N", "C")
    assert nomen.zeros(1).resize_as_(x).names == ("N", "C")
    assert x.shape == (2, 3)


def test_gradients_keep_names():
    for call in (lambda x: x.flip("C"), lambda x: x.roll(1, "N"), lambda x: x.tril(),
                 lambda x: x.repeat(2, 2), lambda x: x.diagonal(), lambda x: x.unfold("C", 2, 1),
                 lambda x: x.repeat_interleave(2, "N"), lambda x: x.movedim(0, 1)):
        x = nomen.ones(2, 3, names=("N", "C")).requires_grad_()
        call(x).sum().backward()
        assert x.grad.names == ("N", "C")
    for sizes in itertools.product((1, 2), repeat=2):
        x = nomen.ones(2, 3).requires_grad_()
        x.tile(sizes).sum().backward()
        assert x.grad.tolist() == [[sizes[0] * sizes[1]] * 3] * 2


@pytest.mark.parametrize("size, step", [(1, 1), (3, 1), (3, 2), (2, 5), (7, 3), (40, 9), (100, 1)])
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_gradient_of_windows(size, step, dim):
    """By slices or by windows, and by the formula that can be differentiated again."""
    shape = [3, 2, 4]
    shape[dim] = 110
    x = nomen.rand(*shape, dtype=nomen.float64).requires_grad_()
    windows = x.unfold(dim, size, step)
    g = nomen.rand_like(windows.detach())
    (at_once,) = nomen.autograd.grad(windows, [x], g)
    (again,) = nomen.autograd.grad(x.unfold(dim, size, step), [x], g, create_graph=True)
    assert at_once.shape == x.shape and nomen.allclose(at_once, again.detach())
