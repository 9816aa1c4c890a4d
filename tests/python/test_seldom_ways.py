"""Ways through the library that no other test takes: answers and errors where operands are alone in
their kind (no dims, no elements, too many dims, the memory of the result, another dtype)."""

import numpy as np
import pytest

import nomen

f, i64 = nomen.float32, nomen.int64


def arange(*size, dtype=f, names=None):
    n = int(np.prod(size))
    t = nomen.arange(n, dtype=nomen.float64).to(dtype).reshape(size)
    return t.rename(*names) if names else t


def strided(t):
    """The same values with gaps between them."""
    wide = nomen.stack([t, t], -1)
    return wide.select(-1, 0)


def same(t, expected, dtype=None):
    found = t.detach().numpy() if isinstance(t, nomen.Tensor) else np.asarray(t)
    assert np.array_equal(found, np.asarray(expected)), (t, expected)
    assert dtype is None or t.dtype is dtype


MANY = nomen.ones([1] * 64)


@pytest.mark.parametrize(
    "call",
    [
        lambda: MANY.unsqueeze(0),
        lambda: nomen.stack([MANY, MANY]),
        lambda: MANY[:, None],
        lambda: nomen.view_as_real(MANY.to(nomen.complex64)),
        lambda: MANY.diag_embed(),
        lambda: MANY.unfold(0, 1, 1),
        lambda: MANY.unflatten(0, (1, 1)),
        lambda: nomen.einsum("...,ab->...ab", MANY, nomen.ones(1, 1)),
        lambda: MANY.repeat(*[1] * 65),
        lambda: MANY.expand(*[1] * 65),
        lambda: nomen.take_along_dim(nomen.ones(2), nomen.tensor([0.5]), 0),
        lambda: nomen.gather(nomen.ones(2), 0, nomen.tensor([True])),
        lambda: nomen.take(nomen.ones(2), nomen.tensor([True])),
        lambda: nomen.quantile(nomen.ones(3), 1j),
        lambda: nomen.histc(nomen.ones(3, dtype=nomen.complex64)),
        lambda: nomen.bincount(nomen.tensor([2**63 - 1])),
        lambda: nomen.arange(0, 2**63, 1, dtype=i64),
        lambda: nomen.arange(-(10.0**30), 10.0**30, 1e10),
        lambda: nomen.einsum("Ab,Ab->A", nomen.ones(2, 3), nomen.ones(4, 3)),
        lambda: nomen.einsum("aB,aB->a", nomen.ones(2, 3), nomen.ones(2, 4)),
        lambda: nomen.einsum("a1,b->a", nomen.ones(2, 3), nomen.ones(3)),
        lambda: nomen.split(nomen.ones(3), [2**62, 2**62, 2**62]),
        lambda: nomen.ones(3).split([4, -1]),
        lambda: nomen.multinomial(nomen.tensor([0.5, float("inf")]), 1),
        lambda: nomen.multinomial(nomen.tensor([0.5, float("nan")]), 1),
        lambda: nomen.poisson(nomen.tensor([float("inf")])),
        lambda: nomen.poisson(nomen.tensor([-1.0])),
        lambda: nomen.normal(1j, nomen.ones(2)),
        lambda: nomen.bernoulli(nomen.ones(2), 1j),
        lambda: nomen.searchsorted(nomen.ones(3), nomen.ones(2), sorter=nomen.tensor([0, 1, 3])),
        lambda: nomen.searchsorted(nomen.ones(3), nomen.ones(2), sorter=nomen.tensor([0, -1, 2])),
        lambda: nomen.ones(2, 3).index_put_([nomen.tensor([0.5])], nomen.ones(1)),
        lambda: nomen.ones(2, 3, dtype=nomen.uint8).index_put_(
            [nomen.tensor([0])], nomen.tensor(3.5)
        ),
        lambda: nomen.ones(2)[0, 0],
        lambda: nomen.ones(2, 3)[nomen.ones(2, 4, dtype=nomen.bool)],
        lambda: nomen.ones(3).index_select(0, nomen.ones(2, 2, dtype=i64)),
        lambda: nomen.tensor(1.0).index_select(0, nomen.tensor([0, 0])),
        lambda: nomen.ones(2, 2).index_add(0, nomen.tensor([0]), nomen.ones(2)),
        lambda: nomen.ones(2, 2).index_copy(0, nomen.tensor([0, 1]), nomen.ones(3, 2)),
        lambda: nomen.ones(2).roll((1, 2), (0,)),
        lambda: nomen.ones(2).repeat_interleave(nomen.tensor([2**62, 2**62])),
        lambda: nomen.ones(2).repeat_interleave(nomen.tensor([0.5, 1])),
        lambda: nomen.ones(2, 2).movedim((0, 0), (0, 1)),
        lambda: nomen.ones(2, 2, 2, 2, 2).contiguous(memory_format="channels_last"),
        lambda: nomen.ones(2).resize_(3, memory_format="channels_last"),
        lambda: nomen.ones(2).resize_(3, memory_format="no format"),
        lambda: nomen.ones(3, dtype=f).view(nomen.float64),
        lambda: nomen.ones(4, dtype=f)[1:3].view(nomen.float64),
        lambda: nomen.cat([nomen.ones(2, 3), nomen.ones(3, 2)]),
        lambda: nomen.bmm(nomen.ones(2, 3, 4), nomen.ones(3, 4, 5)),
        lambda: nomen.matmul(
            nomen.ones(2, 1, 3, 4), nomen.ones(3, 2, 4, 5)[:, :1].expand(3, 1, 4, 5)
        ),
        lambda: nomen.pdist(nomen.ones(3, 2, dtype=i64)),
        lambda: nomen.addbmm(nomen.ones(2, 2), nomen.ones(1, 2, 3), nomen.ones(1, 2, 3)),
        lambda: nomen.add(nomen.ones(2, dtype=i64), 1, alpha=1.5),
    ],
    ids=range(54),
)
def test_refused(call):
    with pytest.raises((RuntimeError, IndexError, ValueError, TypeError)) as info:
        call()
    assert str(info.value)
    same(nomen.ones(2) + 1, [2, 2])


def test_no_dims():
    point = nomen.tensor(3.0, requires_grad=True)
    for act, value, slope in (
        (lambda t: t.log_softmax(0), 0, 0),
        (lambda t: t.softmax(0), 1, 0),
        (lambda t: t.cumsum(0), 3, 1),
        (lambda t: t.cumprod(0), 3, 1),
        (lambda t: t.logcumsumexp(0), 3, 1),
        (lambda t: t.cummax(0).values, 3, 1),
        (lambda t: t.sort(0).values, 3, 1),
        (lambda t: t.topk(1, 0).values, 3, 1),
        (lambda t: t.median(0).values, 3, 1),
        (lambda t: t.unfold(0, 1, 1).sum(), 3, 1),
        (lambda t: t.index_select(0, nomen.tensor([0])).sum(), 3, 1),
        (lambda t: t.gather(0, nomen.tensor(0)), 3, 1),
        (lambda t: t.take(nomen.tensor([0])).sum(), 3, 1),
        (lambda t: t.flip(()), 3, 1),
        (lambda t: t.roll(1), 3, 1),
        (lambda t: t.repeat_interleave(2).sum(), 6, 2),
        (lambda t: t.prod(), 3, 1),
        (lambda t: t.std(unbiased=False), 0, None),
    ):
        point.grad = None
        result = act(point)
        assert result.item() == pytest.approx(value)
        result.backward()
        assert slope is None or point.grad.item() == pytest.approx(slope)


def test_no_elements():
    none = nomen.ones(0, 3, requires_grad=True)
    for act in (
        lambda t: t.cumprod(0), lambda t: t.logcumsumexp(1), lambda t: t.sort(1).values,
        lambda t: t.softmax(1), lambda t: t[nomen.ones(0, 3, dtype=nomen.bool)],
        lambda t: t.index_select(1, nomen.tensor([0])), lambda t: t.as_strided((0, 3), (3, 1)),
        lambda t: t.masked_fill(nomen.ones(0, 3, dtype=nomen.bool), 2), lambda t: t.prod(1),
        lambda t: nomen.cdist(t, nomen.ones(2, 3)), lambda t: t @ nomen.ones(3, 2),
        lambda t: t.cummax(1).values,
    ):  # fmt: skip
        act(none).sum().backward()
        same(none.grad, np.zeros((0, 3)))
    with pytest.raises(RuntimeError, match="0 sized dimensions"):
        nomen.unique(nomen.ones(0, 3), dim=1)
    same(nomen.nonzero(nomen.ones(0, 3)), np.zeros((0, 2)))
    same(nomen.nonzero(nomen.tensor(1.0)), np.zeros((1, 0)))
    same(nomen.searchsorted(nomen.ones(0), nomen.ones(2)), [0, 0])
    same(nomen.cdist(nomen.ones(2, 0), nomen.ones(3, 0)), np.zeros((2, 3)))
    same(nomen.cdist(nomen.tensor([[1.0, 2]]), nomen.tensor([[1.0, 3]]), p=0), [[1]])


def test_numbers_of_another_kind():
    same(nomen.full((2,), 1j), [1j, 1j], nomen.complex64)
    same(nomen.add(nomen.ones(2), 1, alpha=nomen.tensor(2).item()), [3, 3])
    same(
        nomen.addmm(nomen.ones(2, 2), nomen.ones(2, 1), nomen.ones(1, 2), beta=0j + 1),
        np.full((2, 2), 2),
    )
    same(
        nomen.addmm(
            nomen.ones(2, 2, dtype=nomen.complex64),
            nomen.ones(2, 1, dtype=nomen.complex64),
            nomen.ones(1, 2, dtype=nomen.complex64),
            beta=0j,
        ),
        np.ones((2, 2)),
    )
    same(nomen.linspace(0, 1j, 3), [0, 0.5j, 1j])
    assert nomen.clamp(nomen.ones(2), max=True).tolist() == [1, 1]
    same(nomen.ones(2) ** nomen.tensor(True), [1, 1])
    same(nomen.tensor([True, False]) ** nomen.tensor([True, False]), [1, 1])
    assert nomen.tensor([2**62]).item() == 2**62 and nomen.tensor([1j]).item() == 1j
    same(nomen.bernoulli(nomen.ones(3), True), [1, 1, 1])


def test_into_what_is_there():
    """out= of another dtype or order, of the memory of an operand, or shared by it."""
    for dtype in (f, nomen.float64, nomen.float16):
        out = strided(nomen.zeros(5, dtype=dtype))
        same(nomen.arange(5, out=out), range(5))
        same(nomen.linspace(0, 4, 5, out=out), range(5))
        same(sorted(nomen.randperm(5, out=strided(nomen.zeros(5, dtype=i64))).tolist()), range(5))
    out = strided(nomen.zeros(5, dtype=nomen.complex64))
    same(nomen.linspace(0, 4, 5, out=out), range(5))
    same(nomen.eye(2, out=strided(nomen.zeros(2, 2))), np.eye(2))
    same(nomen.eye(0, out=nomen.zeros(0, 0)), np.eye(0))
    x, index = arange(4), nomen.tensor([3, 0])
    same(nomen.index_select(x, 0, index, out=x[:2]), [3, 0])
    x = arange(4)
    same(nomen.gather(x, 0, index, out=x[1:3]), [3, 0])
    x = arange(4)
    same(nomen.masked_select(x, x > 1, out=x[:2]), [2, 3])
    x = arange(4)
    same(nomen.masked_select(x, x > 1, out=strided(nomen.zeros(2))), [2, 3])
    where = nomen.zeros(2, 1, dtype=i64)
    same(nomen.nonzero(nomen.tensor([1, 0, 2]), out=where), [[0], [2]])
    positions = nomen.tensor([5, 0, 7])
    same(nomen.nonzero(positions, out=positions[:2].unsqueeze(1)), [[0], [2]])
    x = arange(2, 2)
    same(nomen.matmul(x, x, out=x), [[2, 3], [6, 11]])
    x = arange(2, 2)
    same(nomen.addr(x, x[0], x[1], out=x), [[0, 1], [4, 6]])
    x = arange(4)
    same(nomen.cumsum(x, 0, out=x), [0, 1, 3, 6])
    x = nomen.tensor([3.0, 1, 2])
    same(nomen.sort(x, out=(x, nomen.zeros(3, dtype=i64)))[1], [1, 2, 0])
    x = arange(4)
    same(x.masked_scatter_(x > 1, x), [0, 1, 0, 1])
    x = arange(3, 4)
    same(nomen.cat([x, x], 0, out=nomen.zeros(0)).shape, (6, 4))
    same(
        nomen.cat([x, x.to(nomen.float64)], 1, out=strided(nomen.zeros(3, 8))),
        np.tile(x.tolist(), 2),
    )
    same(nomen.stack([x, x], 1, out=strided(nomen.zeros(3, 2, 4)))[:, 1], x.tolist())
    with pytest.raises(RuntimeError, match="overlap"):
        both = nomen.zeros(6, 4)
        nomen.cat([both[:3], both[3:]], 0, out=both)


def test_sorter_and_numbers():
    x = nomen.tensor([3.0, 1, 2])
    sorter = x.argsort()
    same(nomen.searchsorted(x, nomen.tensor([2.5, 0]), sorter=sorter), [2, 0])
    same(nomen.searchsorted(strided(x.sort().values), strided(nomen.tensor([2.5, 0]))), [2, 0])
    same(nomen.searchsorted(x.sort().values, 2.5), 2)
    same(nomen.bucketize(nomen.tensor([[2.5], [9]]), x.sort().values, right=True), [[2], [3]])
    rows = nomen.tensor([[1.0, 2], [5, 6]])
    same(nomen.searchsorted(rows, nomen.tensor([[2.0], [5.5]])), [[1], [1]])


def test_resized():
    t = arange(6)
    same(t.resize_(2, 2), [[0, 1], [2, 3]])
    same(t.resize_(6), range(6))
    assert t.resize_(10).shape == (10,) and t[:6].tolist() == list(range(6))
    back = arange(6).flip(0)
    back.resize_(12)
    assert back.shape == (12,)
    part = arange(6)[2:4]
    assert part.resize_(4).tolist() == [2, 3, 4, 5]
    assert part.resize_(9)[:2].tolist() == [2, 3]
    assert nomen.ones(0).resize_(2, 3).shape == (2, 3)
    a, b = nomen.ones(2, 3, 4, 5), nomen.ones(1)
    assert b.resize_as_(a).shape == a.shape


def test_gradients_add_up_in_any_memory():
    """The gradient that is there may be spread, read-only, of a graph, or shared."""
    for there in (
        nomen.ones(1).expand(3), nomen.ones(3).flip(0), nomen.from_numpy(np.ones(3, "float32")),
        nomen.ones(3), nomen.ones(3, requires_grad=True) * 1,
    ):  # fmt: skip
        w = nomen.ones(3, requires_grad=True)
        w.grad = there
        (w * nomen.tensor([1.0, 2, 3])).sum().backward()
        same(w.grad, [2, 3, 4])
    readonly = np.ones(3, "float32")
    readonly.setflags(write=False)
    w = nomen.ones(3, requires_grad=True)
    w.grad = nomen.from_numpy(readonly)
    w.sum().backward()
    same(w.grad, [2, 2, 2])
    same(readonly, [1, 1, 1])
    w = nomen.ones(3, requires_grad=True)
    y = (w * w).sum()
    (g,) = nomen.autograd.grad(y, [w], create_graph=True)
    w.grad = g
    (w * 2).sum().backward()
    same(w.grad, [4, 4, 4])
    w = nomen.ones(3, requires_grad=True)
    u = nomen.ones(3, requires_grad=True)
    (w * u).sum().backward(inputs=[u])
    assert w.grad is None and u.grad.tolist() == [1, 1, 1]
    v = w * 2
    (v * u).sum().backward(inputs=[v, u])
    same(v.grad, [1, 1, 1])
    x = nomen.ones(2, 2, requires_grad=True)
    x.as_strided((2, 2), (0, 1)).sum().backward()
    same(x.grad, [[2, 2], [0, 0]])
    x = nomen.ones(1, 2, requires_grad=True)
    x.expand(3, 2).as_strided((3, 2), (0, 1)).sum().backward()
    same(x.grad, [[3, 3]])
    x = nomen.ones(4, requires_grad=True)
    y = x * 1
    y.as_strided((2, 2), (1, 1)).sum().backward()
    same(x.grad, [1, 2, 1, 0])


def test_hooks_that_are_wrong():
    for instead in (lambda g: g[:1], lambda g: g.to(nomen.float64), lambda g: g.reshape(1, 2)):
        w = nomen.ones(2, requires_grad=True)
        w.register_hook(instead)
        with pytest.raises(RuntimeError):
            (w * 2).sum().backward()
        assert w.grad is None
    w = nomen.ones(2, requires_grad=True)
    handles = []
    handles.append(w.register_hook(lambda g: handles[1].remove()))
    handles.append(w.register_hook(lambda g: g * 100))
    handles.append(w.register_post_accumulate_grad_hook(lambda t: handles[0].remove()))
    (w * 2).sum().backward()
    (w * 2).sum().backward()
    same(w.grad, [4, 4])
    assert nomen.ones(2).grad_fn is None


def test_slices_are_written_in_many_ways():
    for base in (nomen.ones(3, 4), nomen.ones(4, 3).T, nomen.ones(3, 8)[:, ::2]):
        for part in (
            lambda t: t[1], lambda t: t[:, 2], lambda t: t.T, lambda t: t[1:, 1:],
            lambda t: t.diagonal(), lambda t: t.unsqueeze(0), lambda t: t[::2],
        ):  # fmt: skip
            w = base.clone().requires_grad_()
            y = w * 1
            part(y).mul_(3)
            y.sum().backward()
            seen = np.ones((3, 4))
            view = nomen.from_numpy(seen)
            part(view).mul_(3)
            same(w.grad, seen)


def test_conversions_of_random_numbers():
    nomen.manual_seed(3)
    for dtype in (nomen.float16, nomen.bfloat16):
        t = nomen.zeros(400, dtype=dtype)
        assert t.normal_(0, 1e6).abs().max().item() > 1000
        assert t.cauchy_(0, 1e30).isfinite().logical_not().any().item() or dtype is nomen.bfloat16
        assert t.log_normal_(50, 10).gt(0).all().item()
        assert t.exponential_(1e-20).gt(0).all().item()
    for dtype in (nomen.uint8, nomen.int8, nomen.int16, nomen.int32, nomen.int64):
        t = nomen.zeros(400, dtype=dtype)
        assert t.geometric_(0.001).ge(0).any().item()
        assert t.random_().float().std().item() > 0
    t = nomen.zeros(400, dtype=i64)
    t.random_(-(2**63), 2**63 - 1)
    assert t.lt(0).any().item() and t.gt(2**60).any().item()
    t = nomen.zeros(400, dtype=nomen.float64)
    t.random_(2**53 - 7, 2**53)
    assert t.ge(2**53 - 7).all().item()
    t = nomen.zeros(400, dtype=f)
    t.random_(-(2**40), 2**40)
    assert t.abs().max().item() <= 2**40
    t = nomen.zeros(40, dtype=f)
    t.random_(2**62, 2**62 + 3)
    assert t.eq(2**62).all().item()


def test_put_off_in_seldom_places():
    """What is put off is read as a list, an index, a view, another dtype, and late."""
    big = nomen.ones(3, 30000)
    turned = nomen.ones(30000, 3).T
    small = nomen.arange(3).to(f).unsqueeze(1)
    odd = nomen.ones(3, 2, 30000)[:, 0]
    with nomen.fuse():
        y = big * 2
        views = [y.detach() for _ in range(20)]
        halves = views[:10]
        del views
        same((y + turned + small + odd)[:, 0], [4, 5, 6])
        z = (y * 1.5).to(nomen.float64) + y
        both = nomen.cat([z, z.to(f)], 1)
        last = nomen.where(y > 1, y, z)
        same(nomen.stack([y, y])[1, :, 0], [2, 2, 2])
        i = (nomen.zeros(70000) + 2).to(i64)
        same(nomen.arange(5)[i][:2], [2, 2])
        same(nomen.arange(5).index_put([i], nomen.ones(70000, dtype=i64))[2:3], [1])
        u = y.clone()
        u.add_(y)
        v = y.reshape(3, 30000) + y.view(3, 30000).T.T
        with nomen.fuse():
            inner = v * 2
        w = big.reshape(3, 1, 2, 3, 5000).transpose(1, 3).transpose(0, 2) * 2 + 1
        mask = y.gt(1)
        number = (big + nomen.tensor(1.0, dtype=nomen.float64)) * nomen.tensor(2)
        zero = nomen.tensor(0.5) * big + nomen.tensor(1, dtype=i64)
    same([h[0, 0].item() for h in halves], [2] * 10)
    same(both[:, 0], [5, 5, 5])
    same(both.shape, (3, 60000))
    same(last[:, 1], [2, 2, 2])
    same(u[0, :2], [4, 4])
    same(inner[0, :2], [8, 8])
    same(w.sum(), 3.0 * 90000)
    same(mask.sum(), 90000)
    same(number[0, :2], [4, 4])
    same(zero[0, :2], [1.5, 1.5])
    with pytest.raises(ZeroDivisionError):
        with nomen.fuse():
            late = big + 1
            1 // 0
    same(late[0, :2], [2, 2])


def test_the_memory_of_two_operands():
    base = arange(12)
    for a, b, out in (
        (base[:6], base[6:], base[3:9]), (base[::2], base[1::2], base[:6]),
        (base[:6].flip(0), base[:6], base[:6]), (base[:1].expand(6), base[:6], base[6:]),
    ):  # fmt: skip
        expected = a.numpy() + b.numpy()
        if out.data_ptr() != a.data_ptr() and not out.is_contiguous():
            continue
        same(nomen.add(a, b, out=out), expected)
        base.copy_(arange(12))
    x = arange(4)
    with pytest.raises(RuntimeError, match="single memory location"):
        x[:1].expand(4).add_(1)
    same(x.as_strided((2, 2), (1, 1)).sum(), 4)
    half = nomen.ones(3, dtype=nomen.float16)
    same(nomen.clamp(half, 0.1, 0.5) * 2, np.ones(3))
    same(nomen.clamp(nomen.ones(3), nomen.tensor(2)), [2, 2, 2])
    same(nomen.maximum(nomen.ones(3), nomen.tensor(2.0)), [2, 2, 2])
    same(nomen.ones(3).clamp_(max=float("inf")), [1, 1, 1])
    same(nomen.ones(3).clamp(min=-(10.0**30)), [1, 1, 1])
    same(nomen.ones(2, 130) + nomen.ones(130), np.full((2, 130), 2))
    same(nomen.add(nomen.ones(40, 3), nomen.ones(3)), np.full((40, 3), 2))
    same(nomen.ones(2, 3).add_(nomen.ones(3, dtype=i64)), np.full((2, 3), 2))
    same(nomen.ones(2, dtype=i64) + nomen.tensor(True), [2, 2])
    same(nomen.ones(2, dtype=nomen.float16) * 3.5, [3.5, 3.5])


def test_gradients_of_models_and_of_numbers():
    model = nomen.ones(2, 3, names=("N", "C"), requires_grad=True)
    x = nomen.ones(3, names=("C",), requires_grad=True)
    y = x.align_as(model)
    (y * model).sum().backward()
    same(x.grad, [2, 2, 2])
    x = nomen.ones(3, requires_grad=True)
    weight = nomen.tensor(0.5, dtype=nomen.float64, requires_grad=True)
    nomen.lerp(x, nomen.zeros(3), weight).sum().backward()
    same(weight.grad, -3)
    z = nomen.tensor([1 + 1j, 2], requires_grad=True)
    z.imag.sum().backward()
    same(z.grad, [1j, 1j])
    x = nomen.tensor([1.0, 2, 3], requires_grad=True)
    x.masked_scatter(
        nomen.tensor([True, False, True]), nomen.ones(3, requires_grad=True)
    ).sum().backward()
    same(x.grad, [0, 1, 0])
    src = nomen.ones(3, 3, requires_grad=True)
    nomen.zeros(2, 3).scatter(0, nomen.tensor([[0, 1]]), src).sum().backward()
    same(src.grad, [[1, 1, 0], [0, 0, 0], [0, 0, 0]])
    src = nomen.ones(2, 3, requires_grad=True)
    nomen.zeros(4, 3).index_put((nomen.tensor([0, 2]),), src, accumulate=True).sum().backward()
    same(src.grad, np.ones((2, 3)))
    value = nomen.tensor(2.0, requires_grad=True)
    nomen.zeros(4).masked_fill(nomen.tensor([True, False, True, True]), value).sum().backward()
    same(value.grad, 3)
    with nomen.no_grad():
        w = nomen.ones(3, requires_grad=True)
        part = w[1:]
        assert part.grad is None and part.is_leaf
    w = nomen.ones(2, 2, requires_grad=True)
    v = (w * 1)[0]
    assert v.grad is None and v.grad_fn is not None
    v.retain_grad()
    v.sum().backward()
    same(v.grad, [1, 1])
