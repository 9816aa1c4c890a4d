"""Sizes, names and memory that seldom meet: pieces of nothing, batches that part at the second dim,
results that lie in their own positions, names on one side only, bounds between numbers that a dtype
has. What comes back is compared with NumPy, or with the same call on tensors of their own."""

import numpy as np
import pytest
from seldom import ramp, same

import nomen

f32, f64, i64 = nomen.float32, nomen.float64, nomen.int64


# ---- sizes -----------------------------------------------------------------------------------


def test_pieces_of_nothing():
    assert [tuple(p.shape) for p in nomen.ones(0, 3).split(0, 0)] == [(0, 3)]
    assert [tuple(p.shape) for p in nomen.ones(0, 3).split(5, 0)] == [(0, 3)]
    assert [tuple(p.shape) for p in nomen.ones(4, 3).split(5, 0)] == [(4, 3)]
    assert [tuple(p.shape) for p in nomen.ones(4, 3).split(3, 0)] == [(3, 3), (1, 3)]
    with pytest.raises(RuntimeError, match="split_size can only be 0 if dimension size is 0"):
        nomen.ones(4).split(0)
    with pytest.raises(RuntimeError, match="split_size be non-negative"):
        nomen.ones(0).split(-1)


@pytest.mark.parametrize(
    "a, b, at",
    [
        ((2, 1, 3, 4), (3, 5, 4, 2), (2, 3)),
        ((2, 5, 3, 4), (3, 1, 4, 2), (2, 3)),
        ((2, 5, 3, 4), (3, 5, 4, 2), (2, 3)),
        ((2, 3, 3, 4), (4, 4, 2), (3, 4)),
        ((3, 3, 4), (2, 4, 4, 2), (3, 4)),
        ((1, 3, 3, 4), (1, 4, 4, 2), (3, 4)),
    ],
)
def test_batches_that_part(a, b, at):
    with pytest.raises(RuntimeError) as info:
        nomen.matmul(nomen.ones(a), nomen.ones(b))
    text = str(info.value)
    assert f"({at[0]}) must match the size of tensor b ({at[1]})" in text
    with pytest.raises(RuntimeError) as info:
        nomen.ones(a[:-2]) + nomen.ones(b[:-2])
    assert f"({at[0]}) must match the size of tensor b ({at[1]})" in str(info.value)


def test_batches_that_meet():
    for a, b in (
        ((2, 1, 3, 4), (5, 4, 2)),
        ((3, 4), (2, 5, 4, 2)),
        ((2, 3, 4), (4,)),
        ((4,), (2, 4, 3)),
    ):
        x, y = ramp(*a), ramp(*b)
        same(x @ y, x.numpy() @ y.numpy())


def test_dims_of_a_point():
    point = nomen.tensor(3.0)
    same(point.movedim((), ()), 3.0)
    same(point.permute(()), 3.0)
    for call in (lambda t: t.sort().values, lambda t: t.topk(1).values, lambda t: t.argsort(),
                 lambda t: t.kthvalue(1).values, lambda t: t.mode().values):  # fmt: skip
        assert call(point).ndim == 0
        same(call(point.reshape(1)).reshape(()), call(point).numpy())
        assert call(ramp(3, 2)).ndim >= 1
    with pytest.raises((RuntimeError, IndexError)):
        point.movedim(1, 0)


def test_steps_over_one():
    x = ramp(1, 3)
    same(x[::2], x.numpy()[::2])
    same(x[0:1:5, ::1], x.numpy())
    assert x[::2].data_ptr() == x.data_ptr() and x[::2].stride() is not None
    empty = ramp(4)[1:1]
    same(nomen.view_as_complex(ramp(6)[1:].as_strided((0, 2), (2, 1))), np.zeros(0, complex))
    assert empty.view(nomen.complex64).shape == (0,) or empty.numel() == 0


def test_wider_views_of_odd_memory():
    raw = np.zeros(33, np.uint8)
    whole = nomen.from_numpy(raw)
    assert whole[:32].view(f64).shape == (4,)
    for part in (whole[1:], whole[1:33]):
        with pytest.raises(RuntimeError, match="storage_offset|divisible"):
            part[:32].view(f64)
    odd = nomen.from_numpy(raw[1:])  # the address itself is no multiple of 8, the offset is 0
    try:
        odd.view(f64)
    except RuntimeError as error:
        assert "divisible" in str(error) or "align" in str(error)
    # a dim of size 1 is never walked: its stride does not count
    flat = nomen.from_numpy(np.arange(9, dtype=np.float32))
    one = flat.as_strided((1, 4), (3, 1))
    same(one.view(f64), flat[:4].view(f64).numpy().reshape(1, 2))
    with pytest.raises(RuntimeError, match=r"stride\(0\)"):
        flat.as_strided((2, 4), (3, 1)).view(f64)
    same(nomen.view_as_complex(flat.as_strided((1, 2), (3, 1))), [1j])
    with pytest.raises(RuntimeError, match="stride divisible by 2"):
        nomen.view_as_complex(flat.as_strided((2, 2), (3, 1)))


# ---- names -----------------------------------------------------------------------------------


def test_names_on_one_side():
    x, y = ramp(2, 3, names=(None, "C")), ramp(3, names=("C",))
    assert (x + y).names == (None, "C") and (y + x).names == (None, "C")
    deep = ramp(2, 2, 3, names=("N", None, "C"))
    assert (deep + y).names == ("N", None, "C")
    for a, b in (
        (ramp(3, 2, 3, names=("C", None, None)), y),
        (y, ramp(3, 2, 3, names=("C", None, None))),
    ):
        with pytest.raises(RuntimeError, match="Misaligned|misaligned|not match|mismatch|appears"):
            a + b
    batch, other = ramp(3, 2, names=("M", "D")), ramp(4, 5, 2, names=("B", "K", "D"))
    assert nomen.cdist(batch, other).names[0] == "B"
    assert nomen.cdist(other, batch).names[0] == "B"
    assert nomen.cdist(ramp(4, 5, 2, names=(None, "K", "D")), batch).names[1:] == ("K", "M")
    plain = nomen.cdist(ramp(2, 3, 2), other[:2]).names
    assert plain[0] == "B"


def test_letters_of_an_equation():
    x = ramp(2, 3)
    same(nomen.einsum("ab,ab->ab", x[:1], x), x[:1].numpy() * x.numpy())
    same(nomen.einsum("ab,ab->ab", x, x[:1]), x[:1].numpy() * x.numpy())
    same(nomen.einsum("AB->BA", x), x.numpy().T)
    same(nomen.einsum("ab->ab", x), x.numpy())
    same(nomen.einsum("aab->ab", ramp(2, 2, 3)), np.einsum("aab->ab", ramp(2, 2, 3).numpy()))
    for equation, letter in (("ab->ac", "c"), ("AB->AC", "C"), ("ab->aa", "a"), ("AB->AA", "A")):
        with pytest.raises(RuntimeError, match=f"output subscript {letter} "):
            nomen.einsum(equation, x)
    for equation, letter in (("ab,cb->a", "b"), ("AB,CB->A", "B")):
        with pytest.raises(RuntimeError, match=f"subscript {letter} has size"):
            nomen.einsum(equation, x, ramp(2, 4))
    for equation, letter in (("aa->a", "a"), ("AA->A", "A")):
        with pytest.raises(RuntimeError, match=f"subscript {letter} is repeated"):
            nomen.einsum(equation, x)
    with pytest.raises(RuntimeError, match="has size 3 for operand 1"):
        nomen.einsum("...a,...a->...", ramp(2, 4), ramp(3, 4))


# ---- memory ----------------------------------------------------------------------------------


def test_results_that_lie_in_their_operands():
    x = ramp(4, dtype=i64) + 1
    at = nomen.tensor([3, 0, 1, 2])
    expected = x.numpy()[at.numpy()]
    for call in (lambda t, i, out: nomen.index_select(t, 0, i, out=out),
                 lambda t, i, out: nomen.take(t, i, out=out),
                 lambda t, i, out: nomen.gather(t, 0, i, out=out)):  # fmt: skip
        own, index = x.clone(), at.clone()
        same(call(own, index, own), expected)
        own = x.clone()
        same(call(own, index, index), expected)
    truth = nomen.tensor([True, False, True, True])
    mask = nomen.tensor([True, True, False, True])
    taken = truth.numpy()[mask.numpy()]
    same(nomen.masked_select(truth, mask, out=nomen.empty(3, dtype=nomen.bool)), taken)
    shared = truth.clone()
    same(nomen.masked_select(shared, mask, out=shared[:3]), taken)
    shared = mask.clone()
    same(nomen.masked_select(truth, shared, out=shared[1:]), taken)
    places = nomen.tensor([0, 7, 0, 9])
    same(nomen.nonzero(places, out=places[:2].reshape(2, 1)), [[1], [3]])


def test_targets_that_overlap_the_operands():
    v, w = ramp(3) + 1, ramp(3) + 2
    outer = np.outer(v.numpy(), w.numpy())
    whole = nomen.zeros(4, 3, dtype=f64)
    whole[3] = v
    same(nomen.addr(nomen.zeros(3, 3, dtype=f64), whole[3], w, out=whole[1:]), outer)
    whole = nomen.zeros(4, 3, dtype=f64)
    whole[3] = w
    same(nomen.addr(nomen.zeros(3, 3, dtype=f64), v, whole[3], out=whole[1:]), outer)
    same(nomen.addr(nomen.ones(3, 3, dtype=f64), v, w, out=nomen.empty(3, 3, dtype=f64)), outer + 1)
    a, b = ramp(3, 3), ramp(3, 3) + 1
    for which in (0, 1):
        x, y = a.clone(), b.clone()
        same(nomen.matmul(x, y, out=(x, y)[which]), a.numpy() @ b.numpy())
    x = ramp(6)
    same(nomen.add(x[:4], x[2:], out=x[1:5]), np.arange(4.0) + np.arange(2.0, 6))
    z = ramp(3, dtype=f32)
    same(nomen.add(z, 1, out=z), [1, 2, 3])
    same(nomen.add(z.reshape(3, 1), 1, out=z.reshape(3, 1)), [[2], [3], [4]])


# ---- numbers between numbers -----------------------------------------------------------------


@pytest.mark.parametrize("dtype, digits", [(nomen.bfloat16, 8), (nomen.float16, 11), (f32, 24)])
def test_bounds_between_numbers(dtype, digits):
    """As PyTorch has it: a bound that would be rounded out of the range moves inwards by a step."""

    def rounded(n):
        return int(nomen.tensor(n).to(dtype).item())

    def step(n):
        return 1 << max(0, abs(n).bit_length() - digits)

    def inside(low, high):
        if rounded(low + 1) < low:
            low = rounded(low + 1) + step(low + 1)
        if rounded(high - 1) >= high:
            high = rounded(high - 1) - step(high - 1)
        return {rounded(n) for n in range(low, high)}

    least = 2**digits  # from here on every second integer is missing
    for start in (least, 2 * least, 4 * least, -least - 9, -2 * least - 9, -4 * least - 9):
        for low in range(start, start + 9):
            drawn = nomen.empty(200, dtype=dtype).random_(low, low + 17)
            assert set(drawn.tolist()) <= inside(low, low + 17), low
            assert len(set(drawn.tolist())) > 1


@pytest.mark.parametrize("base", [-(2**52), 2**52, -(2**40)])
def test_whole_numbers_that_few_digits_hold(base):
    drawn = nomen.zeros(5000, dtype=nomen.float64).random_(base, base + 100)
    assert len(drawn.unique()) == 100 and drawn.min() == base and drawn.max() == base + 99


@pytest.mark.parametrize("dtype", [nomen.float16, nomen.bfloat16, nomen.float32, nomen.float64])
@pytest.mark.parametrize("n", [64, 65, 1024])
def test_fractions_in_whole_groups(n, dtype):
    drawn = nomen.zeros(n, dtype=dtype).uniform_(2, 3)
    assert drawn.min() >= 2 and drawn.max() <= 3 and len(drawn.unique()) > 16


def test_whole_ranges_of_fractions():
    same(nomen.arange(0.2, 0.9, 1, dtype=i64), [])
    same(nomen.arange(0.5, 3.9, 1, dtype=i64), [0, 1, 2])
    same(nomen.arange(2.5, -1.5, -1, dtype=i64), [2, 1, 0])
    for wrong in ((0.5, 1e30, 1e29), (-1e30, 0.5, 1e29), (0.5, 9.5, 1e30), (0.5, 9.5, 0.5)):
        with pytest.raises(RuntimeError):
            nomen.arange(*wrong, dtype=i64)
    same(nomen.arange(0.5, 2.5, 0.5, dtype=nomen.int32).unique(), [0])


@pytest.mark.parametrize("n", [1, 2, 3, 64, 65, 1000])
def test_grids_of_complex_numbers(n):
    grid = nomen.linspace(1 - 2j, 3 + 1j, n, dtype=nomen.complex128)
    assert np.allclose(grid.numpy(), np.linspace(1 - 2j, 3 + 1j, n), rtol=1e-14)
    assert grid[0].item() == 1 - 2j and (n == 1 or grid[-1].item() == 3 + 1j)
    wide = nomen.linspace(1, 3, n, dtype=nomen.complex64)
    assert np.allclose(wide.numpy(), np.linspace(1, 3, n), rtol=1e-6)


def test_places_of_points():
    point, rows = nomen.tensor(2.0), ramp(3)
    same(nomen.searchsorted(rows, point), 2)
    same(nomen.searchsorted(rows, 1.5), 2)
    same(nomen.searchsorted(rows, point, sorter=nomen.tensor([0, 1, 2])), 2)
    for wrong in ([0, 1, 3], [-1, 1, 2]):
        with pytest.raises(RuntimeError, match="sorter index out of range"):
            nomen.searchsorted(rows, point, sorter=nomen.tensor(wrong))


def test_gradients_of_who_only_gives_names():
    x = ramp(2, 3, names=("N", "C")).requires_grad_()
    model = ramp(3, 2, names=("C", "N")).requires_grad_()
    y = x.align_as(model)
    y.backward(ramp(3, 2, names=("C", "N")))
    same(x.grad, ramp(3, 2).numpy().T)
    assert model.grad is None
    gx, gm = nomen.autograd.grad(x.align_as(model).sum(), [x, model], allow_unused=True)
    same(gx, np.ones((2, 3)))
    assert gm is None or not gm.any()


def test_take_from_more_elements_than_32_bits_count():
    table = ramp(3).expand(2**31, 3)
    last = 3 * 2**31 - 1
    same(table.take(nomen.tensor([0, 4, last, 3_000_000_002, -2])), np.array([0, 1, 2, 2, 1], "f4"))
    with pytest.raises(IndexError, match="out of range"):
        table.take(nomen.tensor([last + 1]))
