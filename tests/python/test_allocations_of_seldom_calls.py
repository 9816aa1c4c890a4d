"""Every request for memory fails once, in calls whose operands are of a seldom kind: that overlap
what is written, lie strided, are large, show elements twice, lie on a device, are put off. An error
comes back, operands are as they were, nothing is lost, and the next call works.

Builds with NOMEN_FAULTS only. test_every_allocation.py does so with every row and usual operands.
"""

import gc
import pathlib

import pytest
import test_every_allocation as every

import nomen

BACKENDS = pathlib.Path(nomen._C.__file__).resolve().parent.parent.parent / "backends"
f64, i64, boolean = nomen.float64, nomen.int64, nomen.bool


@pytest.fixture(autouse=True, scope="module")
def collect_only_what_is_new():
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def ramp(*size, dtype=f64, names=None):
    t = nomen.arange(nomen.zeros(size).numel(), dtype=f64).to(dtype).reshape(size)
    return t.rename(*names) if names else t


def strided(*size, dtype=f64):
    """The same values with gaps between them."""
    t = ramp(*size, dtype=dtype)
    return nomen.stack([t, t], -1).select(-1, 0)


def index(*values, names=None):
    return nomen.tensor(values, dtype=i64, names=names)


def truth(*values):
    return nomen.tensor(values, dtype=boolean)


def overlapping():
    whole = ramp(12)
    return [whole[:4], whole[2:6], whole]


def repeated(*size):
    """Each row is the same memory."""
    t = ramp(1, *size[1:]).expand(*size)
    return t


MASK = [True, False, True, False]

# Each: what makes the operands, and the call.
CALLS = {
    "in place on a part of itself": (overlapping, lambda t: t[0].add_(t[1])),
    "in place, operands named": (
        lambda: [t.rename("N") for t in overlapping()],
        lambda t: t[0].mul_(t[1]),
    ),
    "histogram": (lambda: [strided(4, 3, dtype=nomen.float32)], lambda t: t[0].histc(4, 0, 9)),
    "histogram of float64": (lambda: [strided(4, 3)], lambda t: t[0].histc(4, 0, 9)),
    "bins of integers": (lambda: [index(1, 2, 2), ramp(3)], lambda t: t[0].bincount(t[1])),
    "a few of a long row": (lambda: [ramp(140000)], lambda t: t[0].topk(3)),
    "rows that are in order": (lambda: [repeated(4, 3)], lambda t: t[0].sort(0)),
    "positions in them": (lambda: [repeated(4, 3)], lambda t: t[0].argsort(0)),
    "a triangle of what has gaps": (lambda: [strided(4, 3)], lambda t: t[0].tril()),
    "a mask": (lambda: [strided(4, 2), truth(*MASK)], lambda t: t[0][t[1]]),
    "a mask of one": (lambda: [ramp(4, 2), nomen.tensor(True)], lambda t: t[0][t[1]]),
    "a mask of one, of none": (lambda: [ramp(4, 2), nomen.tensor(False)], lambda t: t[0][t[1]]),
    "two masks": (lambda: [ramp(4, 4), truth(*MASK)], lambda t: t[0][t[1], t[1]]),
    "a named index": (
        lambda: [ramp(4, 2, names=("N", "C")), index(1, 0, names=("K",))],
        lambda t: t[0][t[1]],
    ),
    "two named indices": (
        lambda: [ramp(4, 2, names=("N", "C")), index(1, 0, names=("K",))],
        lambda t: t[0][t[1], t[1]],
    ),
    "indices apart": (lambda: [ramp(4, 2, 3), index(1, 0)], lambda t: t[0][t[1], :, t[1]]),
    "a number into a mask": (
        lambda: [ramp(4, 2), truth(*MASK), nomen.tensor(7, dtype=i64)],
        lambda t: t[0].index_put_([t[1]], t[2]),
    ),
    "rows into a mask": (
        lambda: [strided(4, 2), truth(*MASK), ramp(2, 2)],
        lambda t: t[0].index_put_([t[1]], t[2]),
    ),
    "what is written added up": (
        lambda: [ramp(4, 2), index(1, 1), strided(2, 2)],
        lambda t: t[0].index_put([t[1]], t[2], accumulate=True),
    ),
    "fill rows that are one": (
        lambda: [repeated(4, 3), index(0, 2)],
        lambda t: t[0].masked_fill_(t[0] > 1, 5.0),
    ),
    "fill by a mask that repeats": (
        lambda: [repeated(4, 3), nomen.ones(4, 3, dtype=boolean)],
        lambda t: t[0].masked_fill_(t[1], 5.0),
    ),
    "add with a factor": (
        lambda: [ramp(4, 2), index(1, 1), strided(2, 2)],
        lambda t: t[0].index_add(0, t[1], t[2], alpha=3),
    ),
    "add with a factor, in place": (
        lambda: [strided(4, 2), index(1, 1), strided(2, 2)],
        lambda t: t[0].index_add_(0, t[1], t[2], alpha=3),
    ),
    "add a part of itself": (
        lambda: (lambda w: [w[:4], index(1, 1), w[3:5], w])(ramp(6, 2)),
        lambda t: t[0].index_add_(0, t[1], t[2]),
    ),
    "copy a part of itself": (
        lambda: (lambda w: [w[:4], index(1, 0), w[3:5], w])(ramp(6, 2)),
        lambda t: t[0].index_copy_(0, t[1], t[2]),
    ),
    "put a part of itself": (
        lambda: (lambda w: [w[:4], index(1, 0), w[3:5], w])(ramp(6)),
        lambda t: t[0].put_(t[1], t[2]),
    ),
    "put what is strided": (
        lambda: [strided(4, 2), index(1, 0), strided(2)],
        lambda t: t[0].put_(t[1], t[2], accumulate=True),
    ),
    "an index that is a part of the target": (
        lambda: (lambda w: [w[:4], w[1:3], ramp(2, dtype=i64), w])(index(0, 1, 2, 3, 1, 0)),
        lambda t: t[0].scatter_(0, t[1], t[2]),
    ),
    "select into gaps": (
        lambda: [strided(4, 2), truth(*MASK), nomen.zeros(2, 2, 2, dtype=f64).select(-1, 0)],
        lambda t: nomen.index_select(t[0], 0, t[1].nonzero().flatten(), out=t[2]),
    ),
    "mask into gaps": (
        lambda: [strided(4), truth(*MASK), nomen.zeros(2, 2, dtype=f64).select(-1, 0)],
        lambda t: nomen.masked_select(t[0], t[1], out=t[2]),
    ),
    "scatter by a mask, strided": (
        lambda: [strided(4), truth(*MASK), strided(4)],
        lambda t: t[0].masked_scatter_(t[1], t[2]),
    ),
    "scatter by a mask, apart": (
        lambda: [strided(4), truth(*MASK), strided(4)],
        lambda t: t[0].masked_scatter(t[1], t[2]),
    ),
    "places into gaps": (
        lambda: [strided(4), nomen.zeros(3, 1, 2, dtype=i64).select(-1, 0)],
        lambda t: nomen.nonzero(t[0], out=t[1]),
    ),
    "a long product": (
        lambda: [nomen.ones(3 << 16, dtype=nomen.float32)],
        lambda t: t[0].dot(t[0]),
    ),
    "a long sum of sums": (
        lambda: [nomen.ones(1 << 18, dtype=nomen.float32)],
        lambda t: t[0].cumsum(0)[-1],
    ),
    "a product of integers": (
        lambda: [ramp(40, 40, dtype=i64)],
        lambda t: t[0] @ t[0],
    ),
    "the mean of what comes": (
        lambda: [ramp(4, dtype=i64), index(0, 2, 0, 1), ramp(4, dtype=i64)],
        lambda t: t[0].scatter_reduce(0, t[1], t[2], reduce="mean"),
    ),
    "the mean, in place": (
        lambda: [strided(4), index(0, 2, 0, 1), strided(4)],
        lambda t: t[0].scatter_reduce_(0, t[1], t[2], reduce="mean", include_self=False),
    ),
    "the largest of what comes": (
        lambda: [strided(4), index(0, 2, 0, 1), strided(4)],
        lambda t: t[0].scatter_reduce(0, t[1], t[2], reduce="amax", include_self=False),
    ),
    "search in gaps": (
        lambda: [strided(2, 4), strided(2, 3)],
        lambda t: nomen.searchsorted(t[0], t[1]),
    ),
    "search with an order": (
        lambda: [strided(4), strided(3), index(0, 1, 2, 3)],
        lambda t: nomen.searchsorted(t[0], t[1], sorter=t[2]),
    ),
    "slices that differ": (
        lambda: [strided(4, 3)],
        lambda t: nomen.unique(t[0], dim=1, return_inverse=True, return_counts=True),
    ),
    "draws into gaps": (
        lambda: [strided(4), nomen.zeros(2, 2, dtype=i64).select(-1, 0)],
        lambda t: (nomen.manual_seed(3), nomen.multinomial(t[0], 2, out=t[1]))[1],
    ),
    "draws with return": (
        lambda: [strided(4)],
        lambda t: (nomen.manual_seed(3), nomen.multinomial(t[0], 5, replacement=True))[1],
    ),
    "normal numbers around halves": (
        lambda: [strided(4, dtype=nomen.float16), strided(4, dtype=nomen.float16)],
        lambda t: (nomen.manual_seed(3), nomen.normal(t[0], t[1]))[1],
    ),
    "other sizes": (lambda: [strided(4, 3)], lambda t: t[0].reshape(2, 6)),
    "repeated, strided": (
        lambda: [strided(4, 3), index(*range(12))],
        lambda t: t[0].repeat_interleave(t[1]),
    ),
    "einsum of three": (
        lambda: [strided(2, 3), strided(3, 4), strided(4, 2)],
        lambda t: nomen.einsum("ab,bc,cd->da", *t),
    ),
    "einsum, batches": (
        lambda: [strided(2, 3, 4), strided(2, 4), strided(3)],
        lambda t: nomen.einsum("bij,bj,i->b", *t),
    ),
    "pairs that differ": (lambda: [strided(4, 3)], lambda t: nomen.pdist(t[0], 0)),
    "points of many sides": (
        lambda: [ramp(300, 40), ramp(20, 40)],
        lambda t: nomen.cdist(t[0], t[1], p=3.0)[7],
    ),
    "the sum of squares of differences": (
        lambda: [strided(4, 3), strided(4, 3)],
        lambda t: nomen.dist(t[0], t[1], 0),
    ),
    "outer with a factor": (
        lambda: [strided(2, 3), strided(2), strided(3)],
        lambda t: nomen.addr(t[0], t[1], t[2], beta=0),
    ),
    "a grid of complex numbers": (lambda: [], lambda t: nomen.linspace(0, 1 + 1j, 5)),
    "a result of many dims": (
        lambda: [nomen.ones([1] * 12), nomen.empty(0)],
        lambda t: nomen.add(t[0], t[0], out=t[1]),
    ),
    "ordered, into gaps": (
        lambda: [strided(4, 3), nomen.zeros(4, 3, 2, dtype=i64).select(-1, 0)],
        lambda t: nomen.sort(t[0], 0, out=(nomen.empty(0, dtype=f64), t[1])),
    ),
    "quantiles": (
        lambda: [strided(4, 3), nomen.tensor([0.25, 0.75], dtype=f64)],
        lambda t: nomen.quantile(t[0], t[1], dim=1),
    ),
    "other memory": (
        lambda: [strided(4, 3).t()],
        lambda t: t[0].clone(memory_format="contiguous_format"),
    ),
    "joined, of other dtypes": (
        lambda: [strided(2, 3), strided(2, 3, dtype=nomen.int32)],
        lambda t: nomen.cat(t + t, 1),
    ),
    "stacked, of other dtypes": (
        lambda: [strided(2, 3), strided(2, 3, dtype=nomen.int32)],
        lambda t: nomen.stack(t + t, 1),
    ),
}  # fmt: skip


def tell(result):
    listed = result if isinstance(result, (tuple, list)) else [result]
    return [every.contents(t) for t in listed]


@pytest.mark.parametrize("name", CALLS)
def test_calls(name, record_property):
    make, act = CALLS[name]
    failures = every.failing(make, act, tell)
    assert failures
    record_property("allocations that failed in calls of seldom kinds", failures)


# ---- gradients -------------------------------------------------------------------------------


def leaf(*size, dtype=f64):
    return (ramp(*size, dtype=dtype) + 1).requires_grad_()


def back(y):
    y.backward(nomen.ones_like(y))


def twice(y, *leaves):
    """The gradient of the sum of the gradients."""
    first = nomen.autograd.grad(y.sum(), leaves, create_graph=True)
    back(sum((g * g).sum() for g in first))


def into_a_part(t):
    whole = nomen.zeros(4, 3, dtype=f64)
    part = whole[1:3]
    part.copy_(t[0])
    part.mul_(t[0])
    back((whole * whole)[:, :2])


def into_a_transposed_part(t):
    whole = (t[0] * 1).t()
    whole[1:].exp_()
    twice(whole, t[0])


def kept_twice(t):
    y = t[0] * t[0]
    y.retain_grad()
    z = y * y
    try:
        z.sum().backward(retain_graph=True)
        z.sum().backward(create_graph=True)
        t[0].grad = t[0].grad.detach()
    finally:  # what is kept leads back to where it lies
        y.grad = None
        if t[0].grad is not None and t[0].grad.requires_grad:
            t[0].grad = None


def replaced_by_a_hook(t):
    y = t[0] * 2
    y.register_hook(lambda g: g * 3)
    t[0].register_hook(lambda g: g + 1)
    back(y)


def chosen(t):
    y = t[0] * t[1]
    z = nomen.cat([y * i for i in range(10)])
    z.sum().backward(inputs=[t[1]])


GRADIENTS = {
    "a part": (lambda: [leaf(2, 3)], into_a_part),
    "a transposed part, twice": (lambda: [leaf(2, 3)], into_a_transposed_part),
    "kept, twice": (lambda: [leaf(3)], kept_twice),
    "hooks": (lambda: [leaf(3)], replaced_by_a_hook),
    "chosen, of many": (lambda: [leaf(3), leaf(3)], chosen),
    "many operands": (
        lambda: [leaf(2) for _ in range(12)],
        lambda t: back(nomen.cat([x * x for x in t])),
    ),
    "spread out": (lambda: [leaf(3)], lambda t: back(t[0].expand(4, 3).t())),
    "dims of one": (lambda: [leaf(1, 3)], lambda t: back(t[0][0, ::2])),
    "windows": (lambda: [leaf(5)], lambda t: twice(t[0].unfold(0, 3, 1) ** 3, t[0])),
    "a strided view": (
        lambda: [leaf(6)],
        lambda t: twice(t[0].as_strided((2, 2), (1, 1)) ** 3, t[0]),
    ),
    "a diagonal": (lambda: [leaf(3, 3)], lambda t: twice(t[0].diagonal() ** 3, t[0])),
    "scatter by a mask": (
        lambda: [leaf(4), leaf(4)],
        lambda t: back(t[0].masked_scatter(truth(*MASK), t[1] ** 2)),
    ),
    "where to, added": (
        lambda: [leaf(4), leaf(5)],
        lambda t: twice(t[0].scatter_add(0, index(0, 2, 0), t[1] ** 2), *t),
    ),
    "where to, multiplied": (
        lambda: [leaf(4), leaf(5)],
        lambda t: back(t[0].scatter_reduce(0, index(0, 2, 0), t[1], reduce="prod")),
    ),
    "where to, the largest": (
        lambda: [leaf(4), leaf(5)],
        lambda t: back(t[0].scatter_reduce(0, index(0, 2, 0), t[1], reduce="amax")),
    ),
    "where to, the mean": (
        lambda: [leaf(4), leaf(5)],
        lambda t: back(t[0].scatter_reduce(0, index(0, 2, 0), t[1], reduce="mean")),
    ),
    "where to": (
        lambda: [leaf(4, 3), leaf(5, 4)],
        lambda t: twice(t[0].scatter(0, index([0, 2], [1, 3]), t[1] ** 2), *t),
    ),
    "what stands there": (
        lambda: [leaf(4, 3)],
        lambda t: twice(t[0].gather(0, index([0, 2], [1, 3])) ** 3, t[0]),
    ),
    "the largest so far": (lambda: [leaf(4, 3)], lambda t: twice(t[0].cummax(0).values ** 2, t[0])),
    "the product so far": (lambda: [leaf(4)], lambda t: twice(t[0].cumprod(0), t[0])),
    "the logarithm so far": (lambda: [leaf(4)], lambda t: twice(t[0].logcumsumexp(0), t[0])),
    "the product of all": (lambda: [leaf(4)], lambda t: twice(t[0].prod(0), t[0])),
    "one place of many": (
        lambda: [leaf(4, 3)],
        lambda t: back(t[0].kthvalue(2, 0).values ** 2 + t[0].median(0).values),
    ),
    "products of batches": (
        lambda: [leaf(2, 3, 4), leaf(4, 2)],
        lambda t: twice((t[0] @ t[1]) ** 2, *t),
    ),
    "a product with a vector": (
        lambda: [leaf(2, 3, 4), leaf(4)],
        lambda t: twice((t[0] @ t[1]) ** 2, *t),
    ),
    "tangents": (
        lambda: [leaf(3)],
        lambda t: twice(t[0].tan() + t[0].tanh() + t[0].acosh() + t[0].abs() + t[0].sign(), t[0]),
    ),
    "distances": (
        lambda: [leaf(3, 2), leaf(4, 2)],
        lambda t: back(nomen.cdist(t[0] ** 2, t[1], p=3.0)),
    ),
    "other widths": (
        lambda: [leaf(3, dtype=nomen.float32), leaf(3)],
        lambda t: twice(t[0] * t[1] + t[0].to(f64), *t),
    ),
    "complex parts": (
        lambda: [leaf(3), leaf(3)],
        lambda t: back(nomen.view_as_real(nomen.complex(t[0], t[1]) ** 2).sum(-1)),
    ),
    "a gradient of names": (
        lambda: [leaf(2, 3)],
        lambda t: back((t[0].rename("N", "C") * 2).align_to("C", "T", "N")),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name, record_property):
    make, act = GRADIENTS[name]

    def grads(leaves):
        act(leaves)
        return [t.grad for t in leaves]

    def told(found):
        return [None if g is None else every.contents(g.detach()) for g in found]

    failures = every.failing(make, grads, told)
    assert failures
    record_property("allocations that failed on the way back of seldom calls", failures)


def test_a_gradient_that_is_given(record_property):
    """It makes a leaf of what was none."""

    def act(t):
        t[0].grad = t[1]
        return [t[0].grad]

    assert every.failing(lambda: [ramp(3), ramp(3)], act, tell)


# ---- put off ---------------------------------------------------------------------------------

FUSED = {
    "of several dtypes": lambda t: (t[0] * 2 + t[1]) * t[1].to(f64),
    "a row, a column": lambda t: (t[0] + t[0][:1]) * t[0][:, :1] - 3,
    "turned": lambda t: ((t[0].t() * 2) + t[0].t()).t().contiguous(),
    "sums": lambda t: (t[0] * t[0]).sum() + (t[0] * t[0]).amax(),
    "in place": lambda t: (t[0] * 2).add_(t[0] + 1),
    "a part": lambda t: (t[0] * t[0])[1:].exp(),
    "joined": lambda t: nomen.cat([t[0] * 2, t[0] + 1]),
    "written into": lambda t: nomen.add(t[0] * 2, t[0] * 3, out=nomen.empty(300, 40, dtype=f64)),
}


@pytest.mark.parametrize("name", FUSED)
def test_what_is_put_off(name, record_property):
    make = lambda: [ramp(300, 40), ramp(300, 40, dtype=nomen.float32)]

    def act(t):
        with nomen.fuse():
            result = FUSED[name](t)
        return [result]

    failures = every.failing(make, act, tell)
    assert failures
    record_property("allocations that failed in what is put off", failures)


# ---- on a device -----------------------------------------------------------------------------


def saved(t):
    y = t[0] * 1
    y.mul_(y[:1])
    y[1:].add_(y[:1])
    return [y, *nomen.autograd.grad(y.sum(), [t[0]])]


def kept_by_leaf(t):
    t[0].expand(2, 4, 3).transpose(0, 1).sum().backward()
    grad, t[0].grad = t[0].grad, None
    return [grad]


AWAY = {
    "to another": lambda t: t[0].to("mock:1"),
    "to another, turned": lambda t: t[0].t().to("mock:1"),
    "to another dtype and device": lambda t: t[0].to("mock:1", nomen.float32),
    "home": lambda t: t[0].t().cpu(),
    "in from here": lambda t: t[0].detach().clone().copy_(ramp(3)),
    "out to there": lambda t: ramp(4, 3, dtype=nomen.float32).copy_(t[0].detach()),
    "another dtype": lambda t: t[0].to(nomen.float32) + t[0],
    "other sizes": lambda t: t[0].t().reshape(2, 6),
    "sums": lambda t: t[0].sum(0) + t[0].to(nomen.float32).sum(0),
    "softmax": lambda t: t[0].to(nomen.float32).softmax(1),
    "a product": lambda t: t[0].t() @ t[0].to(nomen.float32).to(f64),
    "joined": lambda t: nomen.cat([t[0], t[0].t().t() * 2]),
    "stacked": lambda t: nomen.stack([t[0], t[0] * 2]),
    "with a number": lambda t: nomen.where(t[0] > 2, t[0], nomen.tensor(1)),
    "made there": lambda t: nomen.arange(5, device="mock"),
    "a grid there": lambda t: nomen.linspace(0, 1, 5, device="mock"),
    "ones there": lambda t: nomen.eye(3, device="mock"),
    "normal numbers there": lambda t: (
        nomen.manual_seed(1), nomen.normal(t[0].detach(), t[0].detach().relu()))[1],
    "into another dtype": lambda t: nomen.add(
        t[0].detach(), 1, out=nomen.empty(4, 3, dtype=nomen.complex128, device="mock")),
    "into other sizes": lambda t: nomen.add(t[0].detach(), 1, out=nomen.empty(0, device="mock")),
    "in place on a part": lambda t: saved(t),
    "the gradient of a view": lambda t: kept_by_leaf(t),
    "in place, turned": lambda t: t[0].detach().clone().t().mul_(2),
    "a part of itself": lambda t: (lambda w: w[1:].add_(w[:-1]))(t[0].detach().clone()),
    "to its own place": lambda t: nomen.autograd.grad((t[0].cpu() * 2).sum(), [t[0]]),
    "twice": lambda t: nomen.autograd.grad(
        nomen.autograd.grad((t[0][1:] * t[0][1:]).sum(), [t[0]], create_graph=True)[0].sum(),
        [t[0]], allow_unused=True),
    "turned, in numbers": lambda t: nomen.tensor(t[0].detach().t().tolist()),
}  # fmt: skip


@pytest.mark.parametrize("name", AWAY)
def test_on_a_device(name, record_property, monkeypatch):
    monkeypatch.setenv("NOMEN_BACKEND_PATH", str(BACKENDS))
    monkeypatch.setattr(every, "contents", lambda t: _contents(t.detach().cpu()))
    nomen.ones(1, device="mock:1")

    def act(t):
        try:
            return AWAY[name](t)
        finally:
            nomen.synchronize("mock")
            nomen.synchronize("mock:1")

    def settled():
        nomen.synchronize("mock")
        nomen.synchronize("mock:1")
        return _counts()

    monkeypatch.setattr(every, "counts", settled)
    make = lambda: [ramp(4, 3).to("mock").requires_grad_()]
    failures = every.failing(make, act, tell)
    assert failures
    record_property("allocations that failed on a device", failures)


_contents, _counts = every.contents, every.counts
