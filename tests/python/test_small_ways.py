"""Ways of small calls: of a tensor alone, in place for a caller who has the tensor, pairs of
results, rows of whole tensors, a few places of each row."""

import copy
import gc
import sys

import numpy as np
import pytest

import nomen

IN_PLACE = ["zero_", "abs_", "uniform_", "normal_", "random_", "exponential_", "relu_", "neg_"]


class Named(nomen.Tensor):
    """A tensor that is no plain one."""


@pytest.mark.parametrize("name", IN_PLACE)
@pytest.mark.parametrize("names", [None, ("N",)])
def test_in_place_is_the_tensor_itself(name, names):
    x = nomen.ones(5, names=names)
    held, version = sys.getrefcount(x), x._version
    for k in range(1, 4):
        assert getattr(x, name)() is x
        assert getattr(nomen, name)(x) is x
        assert getattr(nomen, name)(input=x) is x
        assert x._version == version + 3 * k
    assert x.names == (names or (None,))
    assert sys.getrefcount(x) == held


def test_a_failed_write_leaves_everything():
    x = nomen.ones(4)
    held, version = sys.getrefcount(x), x._version
    for wrong in (lambda: x.uniform_(2, 1), lambda: x.add_(nomen.ones(2, 4))):
        with pytest.raises(RuntimeError):
            wrong()
    assert sys.getrefcount(x) == held and x._version == version
    assert x.tolist() == [1] * 4
    with pytest.raises(TypeError):
        nomen.zero_(5)


def test_in_place_is_recorded():
    x = nomen.ones(3, requires_grad=True)
    y = x * 2
    assert y.exp_() is y
    y.sum().backward()
    np.testing.assert_allclose(x.grad.tolist(), [2 * np.exp(2)] * 3, rtol=1e-6)
    with pytest.raises(RuntimeError, match="leaf"):
        x.zero_()


LONE = ["max", "var", "flatten", "median", "sum", "argmax", "mean", "std", "trace"]


@pytest.mark.parametrize("name", LONE)
def test_a_tensor_alone(name):
    x = nomen.tensor([[3.0, 1.0], [2.0, 5.0]])
    own = getattr(x, name)()
    like = x.as_subclass(Named) if hasattr(x, "as_subclass") else Named(x)
    for other in (getattr(nomen, name)(x), getattr(nomen, name)(input=x), getattr(like, name)()):
        assert other.dtype == own.dtype and other.tolist() == own.tolist()


def test_pairs_die_with_what_is_in_them():
    x = nomen.tensor([[3.0, 1.0], [2.0, 5.0]])
    kind = type(x.max(1))
    held, before = sys.getrefcount(kind), nomen.tensor(0.0)
    for _ in range(100):
        pair = x.max(1)
        again = copy.copy(pair)
        assert pair.values.tolist() == [3, 5] and again.indices.tolist() == [0, 1]
        del pair, again
    gc.collect()
    assert sys.getrefcount(kind) == held
    values = x.topk(1).values
    assert sys.getrefcount(values) == sys.getrefcount(before)


@pytest.mark.parametrize("shape", [(1, 4), (4, 1), (1, 1), (3, 1, 2), (2, 3, 1), (1, 3, 4), (3, 4)])
@pytest.mark.parametrize("turned", [False, True])
def test_rows_with_dims_of_one(shape, turned):
    """The stride of a dim of one element may be anything."""
    random = np.random.default_rng(len(shape))
    a = random.standard_normal(shape)
    x = nomen.from_numpy(a)
    if turned:
        a, x = a.swapaxes(0, -1), x.transpose(0, -1)
    for dim in range(len(shape)):
        e = np.exp(a - a.max(dim, keepdims=True))
        np.testing.assert_allclose(x.softmax(dim).numpy(), e / e.sum(dim, keepdims=True), 1e-13)
        values, places = x.sort(dim)
        assert (values.numpy() == np.sort(a, dim)).all()
        assert (places.numpy() == np.argsort(a, dim)).all()
        most = x.topk(1, dim)
        assert (most.values.numpy() == a.max(dim, keepdims=True)).all()
        assert (most.indices.numpy() == a.argmax(dim)[(slice(None),) * dim + (None,)]).all()
        middle = np.sort(a, dim).take((a.shape[dim] - 1) // 2, dim)
        assert (x.median(dim).values.numpy() == middle).all()


@pytest.fixture
def threads():
    before = nomen.get_num_threads()
    yield (1, 3)
    nomen.set_num_threads(before)


@pytest.mark.parametrize("rows", [1, 2, 63, 64, 65, 130, 40000])
@pytest.mark.parametrize("index", [[0], [2, 0], [1, 1, 3], list(range(4)) * 3, list(range(4)) * 4])
def test_a_few_places_of_each_row(rows, index, threads):
    a = np.arange(rows * 4, dtype=np.float32).reshape(rows, 4)
    i, x = nomen.tensor(index), nomen.from_numpy(a.copy())
    source = np.random.default_rng(rows).integers(0, 99, (rows, len(index))).astype(np.float32)
    s = nomen.from_numpy(source)
    for count in threads:
        nomen.set_num_threads(count)
        assert (x.index_select(1, i).numpy() == a[:, index]).all()
        turned = nomen.from_numpy(np.ascontiguousarray(a.T)).t()
        assert (turned.index_select(1, i).numpy() == a[:, index]).all()
        put, added = a.copy(), a.copy()
        for k, place in enumerate(index):
            put[:, place] = source[:, k]
            added[:, place] += source[:, k]
        assert (x.index_copy(1, i, s).numpy() == put).all()
        assert (x.index_add(1, i, s).numpy() == added).all()
        filled = a.copy()
        filled[:, index] = 7
        assert (x.index_fill(1, i, 7).numpy() == filled).all()


def test_a_few_places_amid_other_dims():
    a = np.arange(3 * 5 * 4 * 2).reshape(3, 5, 4, 2)
    x = nomen.from_numpy(a)
    for dim in range(4):
        for index in ([0], [1, 0], [1, 1, 0]):
            assert (x.index_select(dim, nomen.tensor(index)).numpy() == a.take(index, dim)).all()
            far = x.transpose(0, 3).index_select(dim, nomen.tensor(index))
            assert (far.numpy() == a.transpose(3, 1, 2, 0).take(index, dim)).all()
    with pytest.raises(IndexError):
        x.index_select(2, nomen.tensor([1, 4]))


THREE = {
    "where": lambda a, b, c, **kw: nomen.where(a > 0, b, c, **kw),
    "clamp": nomen.clamp,
    "addcmul": nomen.addcmul,
    "addcdiv": nomen.addcdiv,
    "lerp": nomen.lerp,
}
SHAPES = [(), (1,), (5,), (1, 5), (4, 5), (1, 4, 5), (3, 4, 5), (3, 1, 5), (4, 1)]


def numbers(t):
    return t.nan_to_num(1e30)


@pytest.mark.parametrize("name", THREE)
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_three_operands_of_different_ranks(name, dtype):
    """What is met again and again gives what its whole would."""
    nomen.manual_seed(3)
    made = {s: nomen.randn(s, dtype=getattr(nomen, dtype)) for s in SHAPES}
    call = THREE[name]
    for a in SHAPES:
        for b in SHAPES:
            for c in SHAPES:
                operands = made[a], made[b], made[c]
                whole = [t.contiguous() for t in nomen.broadcast_tensors(*operands)]
                own, expected = call(*operands), call(*whole)
                assert own.shape == expected.shape and own.dtype == expected.dtype
                expected = numbers(expected)
                assert numbers(own).equal(expected)
                out = nomen.empty_like(expected)
                assert call(*operands, out=out) is out and numbers(out).equal(expected)


def test_three_operands_with_names():
    x = nomen.randn(4, 5, names=("N", "C"))
    row, bare, other = nomen.ones(5, names=("C",)), nomen.ones(5), nomen.ones(5, names=("D",))
    assert nomen.addcmul(x, x, row).names == ("N", "C")
    assert nomen.addcmul(x, bare, row).names == ("N", "C")
    assert nomen.addcmul(x, row, row).equal(x + 1)
    with pytest.raises(RuntimeError):
        nomen.addcmul(x, x, other)
    y = x.rename(None)
    before = y.clone()
    assert y.addcmul_(y[0], y[0]) is y  # what is read is written to, row after row
    assert y.equal(before + before[0] * before[0])


BINARY = ["add", "sub", "mul", "div", "maximum", "eq", "lt", "pow", "atan2", "fmod"]
COLUMNS = [((4, 5), (4, 1)), ((3, 4, 5), (3, 4, 1)), ((40, 5), (40, 1)), ((40, 70), (40, 1)),
           ((1, 5), (1, 1)), ((4, 5), (1, 1)), ((2, 4, 5), (1, 4, 1)),
           ((4, 1), (4, 1))]  # fmt: skip


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("dtype", ["float32", "int64", "bfloat16"])
@pytest.mark.parametrize("shapes", COLUMNS)
def test_a_number_for_each_row(name, dtype, shapes):
    random = np.random.default_rng(7)
    made = [nomen.from_numpy(random.integers(1, 9, s)) for s in shapes]
    x, column = (t.to(getattr(nomen, dtype)) for t in made)
    call, in_place = getattr(nomen, name), getattr(nomen.Tensor, name + "_", None)
    for a, b in ((x, column), (column, x), (x.neg(), column), (column, column)):
        expected = call(*(t.contiguous() for t in nomen.broadcast_tensors(a, b)))
        own = call(a, b)
        assert own.dtype == expected.dtype and own.shape == expected.shape
        assert numbers(own).equal(numbers(expected))
        out = nomen.empty_like(expected)
        assert call(a, b, out=out) is out and numbers(out).equal(numbers(expected))
        if in_place and own.dtype == a.dtype and own.shape == a.shape:
            into = a.clone()
            assert in_place(into, b) is into and numbers(into).equal(numbers(expected))
    if x.shape != column.shape:
        with pytest.raises(RuntimeError):
            column.clone().add_(x)


def test_columns_with_names():
    x = nomen.randn(4, 5, names=("N", "C"))
    mean = x.mean("C", keepdim=True)
    assert (x - mean).names == ("N", "C")
    assert (x - mean).rename(None).equal(x.rename(None) - mean.rename(None))
    assert (x - mean.rename(None)).names == ("N", "C")
    with pytest.raises(RuntimeError, match="'D'"):
        x - mean.rename("N", "D")
    w = mean.rename(None).requires_grad_()
    (x.rename(None) * w).sum().backward()
    np.testing.assert_allclose(w.grad.numpy()[:, 0], x.rename(None).sum(1).numpy(), rtol=1e-5)


PIECES = {
    "unbind": lambda t, dim: t.unbind(dim),
    "split": lambda t, dim: t.split(2, dim),
    "sizes": lambda t, dim: t.split([1, 1, 0, t.shape[dim] - 2], dim),
    "chunk": lambda t, dim: t.chunk(3, dim),
    "tensor_split": lambda t, dim: t.tensor_split(4, dim),
    "indices": lambda t, dim: t.tensor_split([1, 2, 1, -1], dim),
}


@pytest.mark.parametrize("kind", PIECES)
@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("layout", ["whole", "turned", "gaps", "view", "empty"])
def test_pieces_are_views(kind, dim, layout):
    """Pieces behind the first, each as the view alone would be."""
    t = nomen.arange(120).reshape(4, 5, 6).refine_names("N", "C", "W")
    t = {
        "whole": lambda: t,
        "turned": lambda: t.permute(2, 0, 1),
        "gaps": lambda: nomen.arange(480).reshape(4, 5, 24)[:, :, ::4].refine_names("N", "C", "W"),
        "view": lambda: t[1:],
        "empty": lambda: nomen.zeros(4, 5, 6, names=t.names)[:0] if dim else t[:, :0],
    }[layout]()
    found, start = PIECES[kind](t, dim), 0
    for piece in found if kind != "indices" else ():
        length = 1 if kind == "unbind" else piece.shape[dim]
        want = t.select(dim, start) if kind == "unbind" else t.narrow(dim, start, length)
        start += length
        assert piece.names == want.names and piece.shape == want.shape
        assert piece.stride() == want.stride()
        assert piece.data_ptr() == want.data_ptr()
        assert piece.is_contiguous() == want.is_contiguous()
        assert piece.tolist() == want.tolist()
    if kind == "indices" and t.numel():
        whole = np.array(t.tolist())
        for piece, want in zip(found, np.array_split(whole, [1, 2, 1, -1], dim)):
            assert piece.tolist() == want.tolist()


def test_pieces_know_what_is_recorded():
    x = nomen.ones(4, 3, requires_grad=True)
    for pieces in (x.unbind(), x.split(2), (x * 1).unbind(1)):
        assert all(piece.grad_fn is not None for piece in pieces)
    sum(k * piece.sum() for k, piece in enumerate(x.unbind())).backward()
    assert x.grad.tolist() == [[k] * 3 for k in range(4)]
    y = nomen.zeros(4, 3)
    pieces, version = y.unbind(), y._version
    pieces[2].add_(1)
    assert y.sum(1).tolist() == [0, 0, 3, 0] and pieces[1]._version == version + 1
    y.mul_(nomen.ones(3, requires_grad=True))
    assert all(piece.requires_grad for piece in y.unbind())
    with nomen.no_grad():
        for piece in x.unbind():
            assert not piece.requires_grad and piece.grad_fn is None
