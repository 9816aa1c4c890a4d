"""Mistakes that tools/differential.py found, each as the smallest call that showed it."""

import pytest

import nomen


@pytest.mark.parametrize("name", ["index_add", "index_copy"])
def test_source_larger_than_a_tensor_without_dims(name):
    """Read behind the end of self."""
    x, index = nomen.tensor(1.0), nomen.tensor([0, 0])
    with pytest.raises((RuntimeError, IndexError), match="must "):
        getattr(nomen, name)(x, 0, index, nomen.tensor([2.0, 3.0]))
    with pytest.raises((RuntimeError, IndexError), match="must "):
        getattr(x, name + "_")(0, index, nomen.ones(2, 2))
    assert x.item() == 1
    expected = 3 if name == "index_add" else 2
    assert getattr(nomen, name)(x, 0, nomen.tensor([0]), nomen.tensor(2.0)).item() == expected


def test_nothing_overlaps_in_a_tensor_without_elements():
    """Steps of 0 with sizes of 2 and 0 were taken for an expanded tensor."""
    numpy = pytest.importorskip("numpy")
    x = nomen.from_numpy(numpy.zeros((2, 0)))
    assert x.sqrt_() is x and x.shape == (2, 0)
    assert nomen.neg(nomen.zeros(2, 0).double(), out=x) is x
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        nomen.ones(1, 3).expand(2, 3).sqrt_()


OVERFLOW = "value cannot be converted to type"


@pytest.mark.parametrize(
    "call",
    [
        lambda: nomen.full((2,), 300, dtype=nomen.uint8),
        lambda: nomen.full((2,), -256, dtype=nomen.uint8),
        lambda: nomen.full((2,), 1e40),
        lambda: nomen.full((2,), 65505, dtype=nomen.float16),
        lambda: nomen.full((2,), float("nan"), dtype=nomen.int32),
        lambda: nomen.full((2,), 1 + 2j, dtype=nomen.float32),
        lambda: nomen.full((2,), 1e40 + 2j, dtype=nomen.complex64),
        lambda: nomen.full_like(nomen.zeros(2).to(nomen.int8), 300),
        lambda: nomen.zeros(0, dtype=nomen.int8).fill_(300),
        lambda: nomen.zeros(2).fill_(2 + 1j),
        lambda: nomen.zeros(2, dtype=nomen.int8).clamp(0, 300),
        lambda: nomen.zeros(2, dtype=nomen.int8).clamp(min=-300),
        lambda: nomen.zeros(2).clamp(0, 1e40),
        lambda: nomen.zeros(2, dtype=nomen.int8).clamp_min(300),
        lambda: nomen.zeros(2, dtype=nomen.int8).clamp_max_(300),
        lambda: nomen.where(nomen.tensor([True]), nomen.zeros(1, dtype=nomen.int8), 300),
        lambda: nomen.add(nomen.ones(1, dtype=nomen.int8), 1, alpha=300),
        lambda: nomen.addcmul(nomen.ones(1), nomen.ones(1), nomen.ones(1), value=1e40),
        lambda: nomen.addmm(nomen.ones(1, 1), nomen.ones(1, 1), nomen.ones(1, 1), beta=2j),
        lambda: nomen.addmv(nomen.ones(1), nomen.ones(1, 1), nomen.ones(1), alpha=1e40),
    ],
)
def test_numbers_that_do_not_fit_into_the_dtype(call):
    """Were written as what their conversion left of them."""
    with pytest.raises(RuntimeError, match=OVERFLOW):
        call()


def test_numbers_that_just_fit():
    inf = float("inf")
    assert nomen.full((1,), 255, dtype=nomen.uint8).tolist() == [255]
    assert nomen.full((1,), -1, dtype=nomen.uint8).tolist() == [255]
    assert nomen.full((1,), 65504, dtype=nomen.float16).tolist() == [65504]
    assert nomen.full((1,), -inf, dtype=nomen.float16).tolist() == [-inf]
    assert nomen.full((1,), 2 + 0j, dtype=nomen.float32).tolist() == [2]
    assert nomen.full((1,), 1j, dtype=nomen.bool).tolist() == [True]
    assert nomen.zeros(1).clamp(min=inf).tolist() == [inf]
    assert nomen.zeros(1, dtype=nomen.int8).clamp(-128, 127).tolist() == [0]
    x = nomen.zeros(1, dtype=nomen.int8)
    with pytest.raises(RuntimeError, match=OVERFLOW):
        nomen.full((3,), 300, out=x)
    assert x.tolist() == [0]


@pytest.mark.parametrize(
    "make",
    [
        lambda **how: nomen.zeros(2, **how),
        lambda **how: nomen.full((2,), 1.0, **how),
        lambda **how: nomen.arange(2, **how),
        lambda **how: nomen.rand(2, **how),
        lambda **how: nomen.randint(3, (2,), **how),
        lambda **how: nomen.randperm(2, **how),
    ],
)
def test_dtype_beside_an_out_of_another(make):
    """Had the dtype of out, whatever dtype= said."""
    out = nomen.ones(2, dtype=nomen.float64)
    with pytest.raises(RuntimeError, match="dtype float32 does not match dtype of out parameter"):
        make(dtype=nomen.float32, out=out)
    assert out.tolist() == [1, 1]
    assert make(dtype=nomen.float64, out=out) is out


def test_ranges_of_integers_between_fractions():
    """Every step was rounded by itself."""
    assert nomen.arange(-1.5, 1, dtype=nomen.int8).tolist() == [-1, 0, 1]
    assert nomen.arange(-1.5, 1, out=nomen.ones(3, dtype=nomen.int8)).tolist() == [-1, 0, 1]
    assert nomen.arange(5.5, 0.5, -1.5, dtype=nomen.int16).tolist() == [5, 4, 3, 2]
    assert nomen.arange(0, 2, 0.5, dtype=nomen.int32).tolist() == [0, 0, 0, 0]
    assert nomen.arange(-1.5, 1, dtype=nomen.int64).tolist() == [-1, 0]
    assert nomen.arange(0.5, 5, 1.5, dtype=nomen.int64).tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(RuntimeError, match="step must be nonzero"):
        nomen.arange(0, 5, 0.5, dtype=nomen.int64)
    with pytest.raises(RuntimeError, match=OVERFLOW):
        nomen.arange(1e30, 1e30 + 1, 1.0, dtype=nomen.int32)


def test_errors_of_another_class():
    x = nomen.tensor([1, 2])
    for exponent in (-1, -2):
        with pytest.raises(RuntimeError, match="Integers to negative integer powers"):
            x**exponent
    with pytest.raises(IndexError, match="tensor has no dimensions"):
        nomen.tensor(1.0).unbind()
    with pytest.raises(RuntimeError, match="Please look up dimensions by name"):
        x.unbind(None)


def test_uint8_as_a_condition():
    """Was refused; all but 0 is true."""
    x = nomen.ones(3, requires_grad=True)
    condition = nomen.tensor([2, 0, 255], dtype=nomen.uint8)
    assert nomen.where(condition, x, 3 * x).tolist() == [1, 3, 1]
    nomen.where(condition, x, 3 * x).sum().backward()
    assert x.grad.tolist() == [1, 3, 1]
    with pytest.raises(RuntimeError, match="where expected condition to be a boolean tensor"):
        nomen.where(nomen.tensor([1]), x, x)


def test_all_and_any_of_uint8():
    x = nomen.tensor([[1, 0], [2, 3]], dtype=nomen.uint8)
    assert x.all().dtype == x.any(0).dtype == nomen.uint8
    out = nomen.zeros(2, dtype=nomen.bool)
    assert nomen.all(x, 0, out=out) is out and out.tolist() == [True, False]


def test_sums_of_bools_stay_bool():
    """With alpha= they became int64."""
    x = nomen.tensor([True, False])
    for alpha, expected in ((2, [True, True]), (0, [True, False]), (-1, [True, True])):
        r = nomen.add(x, nomen.tensor([True, True]), alpha=alpha)
        assert r.dtype == nomen.bool and r.tolist() == expected


def test_logit_outside_of_its_range():
    """The gradient was 0 where the value is NaN and eps says nothing about it."""
    x = nomen.tensor([-1.0, 0.5, 2.0], requires_grad=True)
    x.logit(-0.1).sum().backward()
    grad = x.grad.tolist()
    assert grad[1] == 4 and grad[0] != grad[0] and grad[2] != grad[2]


def test_indices_from_behind():
    assert nomen.zeros(2).index_fill(0, nomen.tensor([-2]), 1.0).tolist() == [1, 0]


TOO_LARGE = (
    r"The expanded size of the tensor \(3\) must match the existing size \(7\) at non-singleton "
    "dimension 1.  Target sizes: "
)


@pytest.mark.parametrize(
    "text, call",
    [
        ("batch1 must be a 3D tensor", lambda o: o(2, 3).bmm(o(2, 3, 4))),
        ("batch2 must be a 3D tensor", lambda o: o(2, 3, 4).bmm(o(2, 3))),
        ("batch1 must be a 3D tensor", lambda o: o(1).baddbmm(o(2, 3), o(2, 3, 4))),
        ("Bad in-place call: input tensor size", lambda o: o(1).addmm_(o(5, 2), o(2, 3))),
        ("Bad in-place call: input tensor size", lambda o: o(1).addmv_(o(5, 2), o(2))),
        ("Bad in-place call: input tensor size", lambda o: o(1).baddbmm_(o(2, 5, 2), o(2, 2, 3))),
        ("Bad in-place call: input tensor size", lambda o: o(1).addbmm_(o(2, 5, 2), o(2, 2, 3))),
        ("2D tensor expected, got 1D tensor for input", lambda o: o(3).addr_(o(2), o(3))),
        (
            r"size mismatch, input: \[1, 3\], v1: \[2\], v2: \[3\]",
            lambda o: o(1, 3).addr_(o(2), o(3)),
        ),
        (TOO_LARGE + r"\[5, 3\].  Tensor sizes: \[7\]", lambda o: o(7).addmm(o(5, 2), o(2, 3))),
        (TOO_LARGE + r"\[2, 3\].  Tensor sizes: \[7\]", lambda o: o(7).expand(2, 3)),
        (r"expand\(float32{\[1, 1, 1\]}, size=\[2, 3\]\)", lambda o: o(1, 1, 1).addr(o(2), o(3))),
    ],
)
def test_products_say_what_does_not_fit(text, call):
    with pytest.raises(RuntimeError, match="^" + text):
        call(nomen.ones)


def test_gradients_of_what_is_joined_where_another_dim_is_empty():
    """The parts were taken for empty ones along the dim of cat."""
    x = nomen.ones(0, 8, 3).requires_grad_()
    for result in (
        nomen.roll(x, (0, -1, 0), (0, 1, 2)),
        nomen.cat([x.narrow(1, 1, 7), x.narrow(1, 0, 1)], 1),
        nomen.diff(x, n=2, prepend=nomen.ones(0, 8, 1)),
        nomen.cat([x, nomen.ones(0), x]),
    ):
        x.grad = None
        result.sum().backward()
        assert x.grad.shape == (0, 8, 3)


def test_what_writes_one_value_may_write_it_twice():
    """zero_ and the like work on expanded tensors; all else is refused, as elements are written in
    any order."""
    x = nomen.ones(1, 3)
    y = x.expand(4, 3)
    y.zero_()
    assert x.tolist() == [[0, 0, 0]]
    assert nomen.fill_(y, 3).shape == (4, 3) and x.tolist() == [[3, 3, 3]]
    mask = nomen.zeros(4, 3) > 0
    mask[0, 0] = mask[1, 2] = True
    assert y.masked_fill_(mask, 7) is y and x.tolist() == [[7, 3, 7]]
    y.masked_fill_(nomen.tensor([False, True, False]), 9)
    assert x.tolist() == [[7, 9, 7]]
    y.index_fill_(1, nomen.tensor([0]), 5)
    assert x.tolist() == [[5, 9, 7]]
    y.index_fill_(0, nomen.tensor([3]), 6)
    assert x.tolist() == [[6, 6, 6]]
    with pytest.raises(IndexError, match="index 4 is out of bounds for dimension 0 with size 4"):
        y.index_fill_(0, nomen.tensor([4]), 1)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        y.masked_scatter_(mask, nomen.ones(12))
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        y.copy_(nomen.zeros(4, 3))
    assert x.tolist() == [[6, 6, 6]]


def test_numbers_of_0_in_products():
    """beta=0 does not look at self, alpha=0 of addmm not at the product; gradients are zeros."""
    nan = float("nan")
    bias, x = nomen.full((2, 2), nan).requires_grad_(), nomen.ones(2, 2).requires_grad_()
    y = nomen.addmm(bias, x, x, beta=0)
    assert y.tolist() == [[2, 2], [2, 2]]
    y.sum().backward()
    assert bias.grad.tolist() == [[0, 0], [0, 0]] and x.grad.tolist() == [[4, 4], [4, 4]]
    assert nomen.addmm(nomen.ones(2), bias, bias, alpha=0).tolist() == [[1, 1], [1, 1]]
    assert nomen.baddbmm(nomen.full((1,), nan), *[nomen.ones(2, 1, 1)] * 2, beta=0).sum() == 2


def test_products_want_one_dtype():
    x, n = nomen.ones(2, 2), nomen.ones(2, 2, dtype=nomen.int64)
    with pytest.raises(RuntimeError, match="^expected m1 and m2 to have the same dtype"):
        x.matmul(n)
    with pytest.raises(RuntimeError, match="^dot : expected both vectors to have same dtype"):
        x[0] @ n[0]


def test_gradient_of_a_list_of_parts_without_elements():
    """Their sizes along the dim were counted as 0."""
    x = nomen.zeros(9, 0).requires_grad_()
    y = x.roll(2, 0)
    y.backward(y.detach())
    assert x.grad.shape == (9, 0)


def test_cdist_counts_no_nan():
    a = nomen.tensor([[0.0, 1.0, float("nan")], [0.0, 1.0, 1e-30]])
    b = nomen.tensor([[0.0, 2.0, 0.0]])
    counts = nomen.cdist(a, b, p=0).flatten().tolist()
    assert counts[0] != counts[0] and counts[1] == 2


def test_index_add_of_truths():
    truth = nomen.tensor([False, False])
    assert truth.index_add(0, nomen.tensor([1]), nomen.tensor([True]), alpha=0.5).tolist() == [
        False,
        True,
    ]


def test_cdist_of_points_without_coordinates():
    for p in (0, 0.5, 1, 2, float("inf")):
        assert nomen.cdist(nomen.ones(2, 0), nomen.ones(3, 0), p=p).tolist() == [[0] * 3] * 2


def test_linspace_wants_bounds_that_fit():
    for low, high, dtype in (
        (300, 1, nomen.uint8),
        (0, 70000, nomen.int16),
        (1, 1e6, nomen.half),
    ):
        with pytest.raises(RuntimeError, match="cannot be converted to type .* without overflow"):
            nomen.linspace(low, high, 5, dtype=dtype)
    assert nomen.linspace(0, 255, 2, dtype=nomen.uint8).tolist() == [0, 255]


def test_alpha_of_truths_is_no_float():
    truth = nomen.tensor([True, False])
    with pytest.raises(RuntimeError, match="^For integral input tensors, argument alpha"):
        nomen.add(truth, truth, alpha=0.5)
    assert nomen.add(truth, truth, alpha=True).tolist() == [True, False]


def test_ranges_between_integers_that_are_one_double():
    """The order of the ends was told from doubles, and the length came out negative."""
    low, high = 2**62, 2**62 + 1
    with pytest.raises(RuntimeError, match="inconsistent with step sign"):
        nomen.arange(high, low)
    assert nomen.arange(low, high).tolist() == [low]
    assert nomen.arange(high, low, -1).tolist() == [high]
    assert nomen.arange(-(2**63), 2**63 - 1, 2**62).tolist() == [-(2**63), -(2**62), 0, 2**62]
    with pytest.raises(RuntimeError, match="too large"):
        nomen.arange(-(2**63), 2**63 - 1)


def test_less_than_no_repeats_of_nothing():
    """Sizes count, not repeats: 0 times -1 is 0."""
    assert nomen.zeros(0, 1, 16).repeat(-1, 3, 0).shape == (0, 3, 0)
    assert nomen.zeros(0, names=("N",)).repeat(-7).names == ("N",)
    with pytest.raises(RuntimeError, match=r"negative dimension -2: \[-2, 0\]"):
        nomen.zeros(2, 0).repeat(-1, -1)
    with pytest.raises(RuntimeError, match=r"negative dimension -3: \[0, -3\]"):
        nomen.zeros(0, 3).repeat(0, -1)


def test_means_into_other_dtypes():
    """As sums: the real part of complex numbers, and the digits that out= has room for."""
    numbers, real = nomen.tensor([1 + 2j, 3 + 5j]), nomen.empty(0)
    assert nomen.mean(numbers, out=real) is real and real.item() == 2
    assert nomen.mean(numbers.real, out=nomen.empty(0, dtype=nomen.complex64)).item() == 2
    wide = nomen.empty(0, dtype=nomen.float64)
    assert nomen.mean(nomen.tensor([1.0, 2.0**-40]), out=wide).item() == 0.5 + 2.0**-41
    half = nomen.empty(0, dtype=nomen.float16)
    assert nomen.mean(nomen.full((4,), 30000.0), out=half).item() == 30000
    with pytest.raises(RuntimeError, match="complex64 can't be cast .* int64"):
        nomen.mean(numbers, out=nomen.empty(0, dtype=nomen.int64))


def test_norms_of_endless_exponents():
    for dtype in (nomen.float32, nomen.float64):
        x = nomen.tensor([-3.0, 2.0, 0.5], dtype=dtype, requires_grad=True)
        for p, value, slope in ((1e300, 3.0, [-1, 0, 0]), (-1e30, 0.5, [0, 0, 1])):
            y = x.norm(p)
            assert y.item() == value
            assert nomen.autograd.grad(y, x)[0].tolist() == slope
    assert nomen.zeros(0, 2).norm(1e300, dim=0).tolist() == [0, 0]


def test_normal_draws_in_the_dtype_of_out():
    nomen.manual_seed(3)
    own = nomen.normal(nomen.zeros(40, dtype=nomen.float64), 1)
    nomen.manual_seed(3)
    out = nomen.normal(nomen.zeros(40), 1, out=nomen.empty(0, dtype=nomen.float64))
    assert out.dtype == nomen.float64 and out.tolist() == own.tolist()
    with pytest.raises(RuntimeError, match="complex64 can't be cast"):
        nomen.normal(nomen.zeros(2, dtype=nomen.complex64), 1, out=nomen.empty(2))
