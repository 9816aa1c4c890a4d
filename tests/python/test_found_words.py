"""What is said of mistakes, and forms of calls, as random calls found them to differ."""

import pytest

import nomen

WORDS = [
    (lambda: nomen.zeros(2, 3).permute(0, 0), RuntimeError, "duplicate dims are not allowed"),
    (lambda: nomen.zeros(2, 3).permute(1, -1), RuntimeError, "duplicate dims are not allowed"),
    (lambda: nomen.zeros(2, 3).permute(5, 5), IndexError, "Dimension out of range"),
    (lambda: nomen.zeros(2, 3).split(0, 1), RuntimeError, "split_size can only be 0 if"),
    (lambda: nomen.zeros(2, 3).split(-1, 1), RuntimeError, "split expects split_size be non-neg"),
    (lambda: nomen.zeros(2).norm("max"), RuntimeError, "only valid string values are"),
    (lambda: nomen.zeros(2, 3, 4).multinomial(0), RuntimeError, "prob_dist must be 1 or 2 dim"),
    (
        lambda: nomen.multinomial(nomen.zeros(2).int(), 0, out=nomen.zeros(0)),
        RuntimeError,
        "multinomial expects Long tensor out",
    ),
    (
        lambda: nomen.zeros((2, -1), names=("N", "N")),
        RuntimeError,
        "Trying to create tensor with negative dimension",
    ),
    (
        lambda: nomen.zeros(0, 2).put_(nomen.tensor([0]), nomen.tensor([1.0])),
        IndexError,
        "Tried to put elements into an empty tensor",
    ),
    (
        lambda: nomen.zeros(1).put_(nomen.tensor([1]), nomen.tensor([1.0])),
        IndexError,
        "out of range: tried to access index 1",
    ),
    (
        lambda: nomen.zeros(9, names=("N",)).unflatten(0, (2, 2)),
        RuntimeError,
        "input is a named tensor but no names were given",
    ),
]


@pytest.mark.parametrize("call, kind, words", WORDS, ids=[words for _, _, words in WORDS])
def test_words(call, kind, words):
    with pytest.raises(kind, match=words) as info:
        call()
    assert type(info.value) is kind


def test_nothing_to_put_into_nothing():
    x, none = nomen.zeros(0, 2), nomen.zeros(0)
    assert x.put_(none.long(), none) is x


def test_a_list_that_is_spread_may_be_empty():
    x, nothing = nomen.tensor(2.0), ()
    for name in ("view", "reshape", "expand", "resize_", "repeat", "tile", "permute", "flip"):
        assert getattr(x, name)(*nothing).shape == (), name


@pytest.mark.parametrize("name, place", [("max", 2), ("min", 0)])
def test_a_dim_in_a_tensor(name, place):
    """A tensor of one integer is a dim where the call cannot mean two operands."""
    x, dim = nomen.arange(6).reshape(2, 3).rename("N", "C"), nomen.tensor(1)
    extremum, places = getattr(nomen, name), [place, place]
    assert extremum(x, dim, keepdim=True).indices.tolist() == [[place], [place]]
    assert extremum(x, dim, False).indices.tolist() == places
    out = nomen.empty(0, dtype=nomen.int64), nomen.empty(0, dtype=nomen.int64)
    assert extremum(x, dim, out=out)[1] is out[1] and out[1].tolist() == places
    assert extremum(x, dim).shape == (2, 3)
    for other in (nomen.tensor(1.0), nomen.tensor([1]), nomen.tensor(True)):
        with pytest.raises(TypeError):
            extremum(x, other, keepdim=True)


@pytest.mark.parametrize("value", [object(), 1, None, "yes"])
def test_flags_of_to(value):
    x = nomen.zeros(2)
    for call in (
        lambda: x.to(nomen.float64, value),
        lambda: x.to(nomen.float64, False, value),
        lambda: x.to(nomen.float64, copy=value),
        lambda: x.to(nomen.float64, non_blocking=value),
    ):
        with pytest.raises(TypeError, match="invalid combination of arguments"):
            call()
    assert x.to(nomen.float64, True, True).dtype is nomen.float64


@pytest.mark.parametrize("shape", [(5,), (300,), (5, 3), (3, 700)])
@pytest.mark.parametrize("dim", [0, -1])
def test_variance_of_equal_numbers_whose_sum_overflows(shape, dim):
    """Was NaN: the mean was found by a sum."""
    x = nomen.full(shape, -1.7e308, dtype=nomen.float64)
    for name in ("var", "std"):
        found = getattr(x, name)(dim)
        assert (found == 0).all(), found
    assert nomen.var(x).item() == 0


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("dtype", [nomen.float64, nomen.complex128])
def test_variance_of_numbers_far_apart(order, dtype):
    """Was NaN in columns: distances from the first of them overflow."""
    x = nomen.tensor([[1.7e308, -1.7e308, 3.0, 1.0]] * 5, dtype=dtype).permute(*order)
    dim = order.index(1)
    for y in (x, x.contiguous()):
        variance, mean = nomen.var_mean(y, dim)
        assert variance.tolist() == [float("inf")] * 5
        assert abs(mean - nomen.mean(y, dim)).max().item() <= 1e300
        assert y.std(dim).tolist() == [float("inf")] * 5
    holed = nomen.tensor([[1.7e308, float("inf"), -1.7e308]] * 2, dtype=nomen.float64)
    assert holed.var(1).isnan().all() and holed.t().contiguous().var(0).isnan().all()


@pytest.mark.parametrize("correction", [-1, 0, 1])
def test_variance_of_nothing_is_nan(correction):
    x = nomen.zeros(0, 3)
    assert x.var(correction=correction).isnan().item()
    assert x.std(0, correction=correction).isnan().all().item()


def test_leftmost_mismatch_of_batches_is_told():
    a = nomen.zeros(8, 5, 1, 4, names=("T", "C", "H", "W"))
    b = nomen.zeros(8, 5, 4, 1, names=(None, "T", "H", "N"))
    with pytest.raises(RuntimeError, match="Cannot match 'T'"):
        a @ b


def test_einsum_of_nothing_is_a_value_error():
    with pytest.raises(ValueError, match="at least one operand"):
        nomen.einsum("ij", [])


def test_complex_alpha_of_integers():
    with pytest.raises(RuntimeError, match="For integral input tensors, argument alpha"):
        nomen.ones(2, dtype=nomen.uint8).add(1, alpha=2 + 1j)


def test_exponent_that_does_not_fit():
    with pytest.raises(RuntimeError, match="value cannot be converted to type int8"):
        nomen.ones(2, dtype=nomen.int8) ** 200
    assert (nomen.ones(2, dtype=nomen.int16) ** 200).tolist() == [1, 1]
