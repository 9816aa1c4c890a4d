"""Operators of Tensor against NumPy, conversions to Python's numbers, tensors as containers."""

import operator

import numpy
import pytest
from exactly import raises

import nomen

BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv,
          operator.pow]
COMPARE = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
A = numpy.array([[1.0, 2.0, 3.5], [4.0, 0.5, 6.0]], dtype=numpy.float32)
B = numpy.array([2.0, 1.0, 3.0], dtype=numpy.float32)
a, b = nomen.from_numpy(A), nomen.from_numpy(B)


def same(tensor, array):
    assert tensor.shape == array.shape
    numpy.testing.assert_allclose(tensor.numpy(), array, rtol=1e-6)


@pytest.mark.parametrize("op", BINARY + COMPARE)
def test_binary(op):
    same(op(a, b), op(A, B))
    same(op(b, a), op(B, A))
    same(op(a, 2), op(A, 2))
    same(op(2, a), op(2, A))
    same(op(a, 1.5), op(A, 1.5))
    same(op(a, nomen.tensor(2)), op(A, 2))


def test_in_place():
    for op in (operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv,
               operator.ipow):
        x, expected = a.clone(), A.copy()
        result = op(x, b)
        assert result is x
        same(x, op(expected, B))
    x = a.clone()
    with pytest.raises(RuntimeError):
        x += nomen.ones(5, 2, 3)
    with pytest.raises(RuntimeError):
        x += 1j
    same(x, A)


def test_unary():
    same(-a, -A)
    same(abs(-a), A)
    assert +a is a
    assert (~(a > 2)).tolist() == (~(A > 2)).tolist()
    with pytest.raises((TypeError, RuntimeError)):
        ~a


BITS = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]
IN_PLACE = [operator.iand, operator.ior, operator.ixor, operator.ilshift, operator.irshift,
            operator.imod, operator.ifloordiv]


@pytest.mark.parametrize("op", BITS + [operator.mod, operator.floordiv])
def test_integers(op):
    I = numpy.array([[5, -7, 12], [1, 3, -2]], dtype=numpy.int32)
    J = numpy.array([1, 3, 2], dtype=numpy.int32)
    i, j = nomen.from_numpy(I), nomen.from_numpy(J)
    for result, want in ((op(i, j), op(I, J)), (op(i, 2), op(I, 2)), (op(13, j), op(13, J))):
        assert result.tolist() == want.tolist() and result.dtype == nomen.int32
    named = op(i.rename("N", "C"), j.rename("C"))
    assert named.names == ("N", "C") and named.tolist() == op(I, J).tolist()
    with pytest.raises(RuntimeError, match="dim .C. and dim .X. are at the same position"):
        op(i.rename("N", "C"), j.rename("X"))


@pytest.mark.parametrize("op", IN_PLACE)
def test_integers_in_place(op):
    I = numpy.array([5, -7, 12])
    i = nomen.from_numpy(I.copy()).rename("N")
    same_one = i
    i = op(i, 3)
    assert i is same_one and i.names == ("N",)
    assert i.tolist() == op(I.copy(), 3).tolist()


def test_bits_of_bools():
    t, f = nomen.tensor([True, True, False, False]), nomen.tensor([True, False, True, False])
    assert (t & f).tolist() == [True, False, False, False]
    assert (t | f).tolist() == [True, True, True, False]
    assert (t ^ True).tolist() == [False, False, True, True]
    assert (t & 3).tolist() == [1, 1, 0, 0] and (t & 3).dtype == nomen.int64
    for op in BITS:
        with pytest.raises(RuntimeError, match="not implemented for"):
            op(a, a)


def test_zero_divides_no_integer():
    i = nomen.tensor([1, 2])
    for op in (operator.mod, operator.floordiv, nomen.fmod):
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            op(i, 0)
        assert op(nomen.zeros(0, dtype=nomen.int64), 0).shape == (0,)
    assert i.tolist() == [1, 2]


def test_matmul():
    same(a @ b, A @ B)
    same(a @ a.T, A @ A.T)
    with pytest.raises(TypeError):
        a @ "b"


def test_what_is_no_operand():
    assert (a == None) is False and (a != None) is True  # noqa: E711
    assert (a == "a") is False
    for op in (operator.add, operator.lt, operator.pow, operator.matmul):
        with pytest.raises(TypeError):
            op(a, "a")
        with pytest.raises(TypeError):
            op(None, a)
    with pytest.raises(TypeError):
        pow(a, 2, 3)
    with pytest.raises(TypeError):
        a % 2 if not hasattr(nomen, "remainder") else a % "2"


def test_other_classes_may_answer():
    class Answer:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "radd"

        def __eq__(self, other):
            return "eq"

    assert a + Answer() == "radd"
    assert (a == Answer()) == "eq"

    class Louder(nomen.Tensor):
        def __add__(self, other):
            return "louder"

        __radd__ = __add__

    assert Louder(a) + 1 == "louder" and 1 + Louder(a) == "louder" and a + Louder(a) == "louder"
    same(Louder(a) - 1, A - 1)
    same(super(Louder, Louder(a)).__add__(1), A + 1)


def test_numbers():
    assert float(nomen.tensor(2)) == 2.0 and int(nomen.tensor(2.7)) == 2
    assert int(nomen.tensor(-2.7)) == -2 and complex(nomen.tensor(1 + 2j)) == 1 + 2j
    assert complex(nomen.tensor(2)) == 2 and float(nomen.ones(1, 1)) == 1.0
    assert float(nomen.tensor(3 + 0j)) == 3.0
    assert bool(nomen.tensor(0.0)) is False and bool(nomen.tensor([[2]])) is True
    assert bool(nomen.tensor(1j)) is True
    assert [10, 20, 30][nomen.tensor(1)] == 20 and hex(nomen.tensor(255)) == "0xff"
    assert type(nomen.tensor(True).item()) is bool and type(nomen.tensor(1).item()) is int
    assert nomen.tensor(0.1).item() == float(numpy.float32(0.1))
    one = "only one element tensors can be converted to Python scalars"
    for convert in (float, int, complex, nomen.Tensor.item):
        with raises(ValueError, one):
            convert(a)
    with raises(RuntimeError, "Boolean value of Tensor with more than one value is ambiguous"):
        bool(a)
    with raises(RuntimeError, "Boolean value of Tensor with no values is ambiguous"):
        bool(nomen.empty(0))
    with raises(TypeError, "only integer tensors of a single element can be converted to an index"):
        operator.index(nomen.tensor(1.0))
    with pytest.raises(RuntimeError, match="it is complex"):
        float(nomen.tensor(1j))


def test_hash_and_sets():
    assert len({a, b, a}) == 2 and hash(a) == hash(a)
    assert {a: 1}[a] == 1


def test_containers():
    assert len(a) == 2 and [row.tolist() for row in a] == A.tolist()
    assert 3.5 in a and 7 not in a and nomen.tensor(6.0) in a
    with raises(TypeError, "len() of a 0-d tensor"):
        len(nomen.tensor(1))
    with raises(TypeError, "iteration over a 0-d tensor"):
        iter(nomen.tensor(1))
    with raises(RuntimeError, "Tensor.__contains__ only supports Tensor or scalar, but you passed "
                              "in a str."):
        "x" in a
    assert list(nomen.empty(0, 3)) == []


def test_text():
    assert repr(nomen.tensor([1.0, 2.0])) == str(nomen.tensor([1.0, 2.0])) == "tensor([1., 2.])"
    assert repr(nomen.zeros(1, 2, names=("N", "C"))) == "tensor([[0., 0.]], names=('N', 'C'))"
    assert repr(nomen.zeros(2, dtype=nomen.int32)) == "tensor([0, 0], dtype=nomen.int32)"
    w = nomen.ones(2, names=("N",)).requires_grad_()
    assert repr(w) == "tensor([1., 1.], requires_grad=True, names=('N',))"
    assert repr(w * 2) == "tensor([2., 2.], grad_fn=<MulBackward0>, names=('N',))"
    assert f"{nomen.tensor(2.5):.2f}" == "2.50" and f"{a}" == str(a)
    with raises(TypeError, "unsupported format string passed to Tensor.__format__"):
        f"{a:.2f}"
    assert repr(a.shape) == "nomen.Size([2, 3])" and repr(nomen.float32) == "nomen.float32"
    assert repr(nomen.device("cpu")) == "device(type='cpu')"
    assert repr(a.max(0)).startswith("nomen.return_types.max(\nvalues=tensor(")


def test_print_options():
    try:
        nomen.set_printoptions(precision=2)
        assert repr(nomen.tensor([1 / 3])) == "tensor([0.33])"
        nomen.set_printoptions(profile="short")
        assert repr(nomen.tensor([1 / 3])) == "tensor([0.33])"
        nomen.set_printoptions(threshold=3, edgeitems=1)
        assert repr(nomen.arange(9)) == "tensor([0,  ..., 8])"
        nomen.set_printoptions(profile="full")
        assert "..." not in repr(nomen.arange(2000))
        nomen.set_printoptions(profile="default", sci_mode=True)
        assert repr(nomen.tensor([1.0])) == "tensor([1.0000e+00])"
        with pytest.raises(ValueError, match="edgeitems is 0"):
            nomen.set_printoptions(edgeitems=0)
    finally:
        nomen.set_printoptions(profile="default")
    assert repr(nomen.tensor([1.0])) == "tensor([1.])"


def test_what_a_tensor_tells():
    x = nomen.zeros(2, 3, dtype=nomen.float64)
    assert x.ndim == x.dim() == x.ndimension() == 2 and x.numel() == x.nelement() == 6
    assert x.itemsize == x.element_size() == 8 and x.nbytes == 48
    assert x.is_contiguous() and not x.T.is_contiguous()
    assert isinstance(x.shape, tuple) and type(x.shape) is nomen.Size and x.shape.numel() == 6
    assert x.shape == x.size() and x.shape[1] == 3 and x.T.shape == (3, 2) and x.mT.shape == (3, 2)
    assert x.is_floating_point() and not x.is_complex() and x.is_signed()
    assert nomen.is_floating_point(x) and nomen.numel(x) == 6
    assert x.data_ptr() == x[0].data_ptr() and x[1].data_ptr() == x.data_ptr() + 24
    assert nomen.empty(0).data_ptr() == 0
    assert x.device == nomen.device("cpu") and x.device.type == "cpu" and str(x.device) == "cpu"
    assert x.layout is nomen.strided and x.get_device() == -1
    assert not (x.is_cuda or x.is_sparse or x.is_pinned() or x.is_shared())
    assert x.type() == "nomen.DoubleTensor" and x.is_set_to(x[:]) and not x.is_set_to(x.clone())
    assert nomen.is_tensor(x) and not nomen.is_tensor(3)
    version = x._version
    x.add_(1)
    assert x._version == version + 1
    assert x.view(3, -1).shape == (3, 2) and x.reshape_as(nomen.zeros(6)).shape == (6,)
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        x.T.view(6)


def test_dtypes():
    assert nomen.float is nomen.float32 and nomen.long is nomen.int64
    assert nomen.float16.itemsize == 2 and nomen.float16.is_floating_point
    assert nomen.complex64.is_complex and not nomen.uint8.is_signed
    assert nomen.finfo(nomen.float32).eps == float(numpy.finfo(numpy.float32).eps)
    assert nomen.finfo(nomen.float16).max == float(numpy.finfo(numpy.float16).max)
    assert nomen.finfo(nomen.float64).tiny == float(numpy.finfo(numpy.float64).tiny)
    assert nomen.iinfo(nomen.uint8).max == 255 and nomen.iinfo(nomen.int64).min == -(2**63)
    with pytest.raises(TypeError):
        nomen.iinfo(nomen.float32)
    with pytest.raises(TypeError):
        nomen.finfo(nomen.int8)
    with pytest.raises(TypeError):
        nomen.dtype()
