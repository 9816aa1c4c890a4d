"""Inputs that repeat their lines (expand) along dims that stay: every line is worked on once."""

import functools

import numpy as np
import pytest
import reduced

import nomen

pytestmark = pytest.mark.usefixtures("threads_kept")

DTYPES = ("bool", "uint8", "int16", "int64", "float16", "bfloat16", "float32", "complex128")
# shapes, and what they are expanded to
SHAPES = (
    ((1, 30), (40, 30)),
    ((1, 3, 1, 5, 1), (4, 3, 6, 5, 7)),
    ((9, 1, 20), (9, 50, 20)),
    ((1, 1), (30, 40)),
    ((300, 2, 1), (300, 2, 11)),
    ((1,), (700,)),
)
# small: of so few every dtype holds the sum
numbers = functools.partial(reduced.numbers, low=0, high=3)

EVERY = ("sum", "nansum", "mean", "prod", "count_nonzero", "any", "all", "cumsum", "cumprod")
ORDERED = ("amax", "amin", "argmax", "argmin", "max", "min", "aminmax", "cummax", "cummin")
SORTED = ("sort", "argsort", "median", "nanmedian", "mode", "kthvalue", "topk")
FLOATS = ("softmax", "log_softmax", "logsumexp", "logcumsumexp", "var", "std_mean", "norm")
MORE = {"kthvalue": {"k": 1}, "topk": {"k": 1}, "norm": {"p": 2}, "sort": {"stable": True}}


def operations(dtype):
    yield from EVERY if dtype not in ("bool", "uint8", "int16", "int64") else (
        set(EVERY) - {"mean"}
    )
    if "complex" not in dtype:
        yield from ORDERED
        yield from SORTED
    if "float" in dtype:
        yield from FLOATS
    if "complex" in dtype:
        yield from ("logsumexp", "var", "norm")


def results(name, t, dim):
    made = getattr(nomen, name)(t, dim=dim, **MORE.get(name, {}))
    return made if isinstance(made, tuple) else (made,)


def same(found, wanted):
    """But for the last bits of what is added up in another order."""
    assert (found.dtype, found.shape, found.names) == (wanted.dtype, wanted.shape, wanted.names)
    assert found.stride() == wanted.stride()
    close = reduced.CLOSE.get(str(found.dtype).removeprefix("nomen."), 0)
    found, wanted = (np.array(t.tolist()) for t in (found, wanted))
    np.testing.assert_allclose(found, wanted, close, close)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", DTYPES)
def test_results_are_those_of_lines_written_down(dtype, threads):
    nomen.set_num_threads(threads)
    for some, all_of_them in SHAPES:
        t = numbers(some, dtype)[0].expand(all_of_them)
        written = t.contiguous()
        for dim in range(t.ndim):
            for name in operations(dtype):
                for found, wanted in zip(
                    results(name, t, dim), results(name, written, dim), strict=True
                ):
                    same(found, wanted)


def test_names_and_kept_dims():
    t = numbers((1, 30, 8), "float32")[0].refine_names("N", "C", "L").expand(25, 30, 8)
    written = t.contiguous()
    for name in ("sum", "amax", "logsumexp", "norm"):
        for dims in ("N", "C", ("C", "L"), ("N", "L")):
            for keepdim in (False, True):
                if name == "norm":
                    found, wanted = (x.norm(2, dims, keepdim) for x in (t, written))
                else:
                    found, wanted = (getattr(x, name)(dims, keepdim) for x in (t, written))
                same(found, wanted)
    same(t.softmax("C"), written.softmax("C"))
    same(t.cumsum("C"), written.cumsum("C"))
    for found, wanted in zip(t.sort("L"), written.sort("L"), strict=True):
        same(found, wanted)


def test_results_go_where_they_are_asked_for():
    t = numbers((1, 40), "int32")[0].expand(30, 40)
    written = t.contiguous()
    values, places = nomen.zeros(60, dtype=nomen.int64)[::2], nomen.zeros(30, dtype=nomen.int64)
    nomen.max(t, 1, out=(values, places))
    same(values.contiguous(), written.max(1)[0].long())
    same(places, written.argmax(1))
    turned = nomen.zeros(40, 30).t()
    nomen.cumsum(t, 1, dtype=nomen.float32, out=turned)
    assert turned.tolist() == written.cumsum(1).tolist()
    # what is written lies in the memory that is read
    x = nomen.arange(40.0).flip(0).contiguous()
    nomen.sort(x.expand(30, 40), 1, out=(y := nomen.zeros(30, 40), nomen.zeros(30, 40).long()))
    assert y.tolist() == [list(range(40))] * 30
    assert x.tolist() == list(range(39, -1, -1))


@pytest.mark.parametrize("dtype", DTYPES)
def test_slices_of_lines_that_repeat(dtype):
    shapes = (((60, 1), (60, 70)), ((1, 50), (90, 50)), ((8, 1, 9, 1), (8, 7, 9, 5)))
    for some, all_of_them in shapes:
        t = numbers(some, dtype)[0].expand(all_of_them)
        written = t.contiguous()
        for dim, size in enumerate(all_of_them):
            places = nomen.arange(3 * size).flip(0) % size
            same(t.index_select(dim, places), written.index_select(dim, places))
            item = (slice(None),) * dim + (places,)
            same(t[item], written[item])
            with pytest.raises(IndexError):
                t.index_select(dim, places + 1)


def test_functions_of_one_number():
    for dtype in ("float16", "float32", "float64", "complex64", "complex128", "int32", "bool"):
        for size in (2, 33, 700):
            for step in (1, 2):
                x = nomen.full((1,), 3 / 4).to(getattr(nomen, dtype)).expand(size)
                written = x.clone(memory_format=nomen.contiguous_format)
                for name in ("sigmoid", "sqrt", "neg", "abs", "square", "reciprocal"):
                    if name == "neg" and dtype == "bool":
                        continue
                    same(getattr(nomen, name)(x), getattr(nomen, name)(written))
                    wanted = getattr(nomen, name)(written)
                    room = nomen.zeros(step * size, dtype=wanted.dtype)[::step]
                    getattr(nomen, name)(x, out=room)
                    assert room.tolist() == wanted.tolist()


def test_gradients():
    nomen.manual_seed(3)
    x = nomen.rand(1, 30, requires_grad=True)
    weights = nomen.rand(25, 30)
    found, wanted = [], []
    for made, rows in ((found, lambda: x.expand(25, 30)), (wanted, lambda: x.repeat(25, 1))):
        for name in ("cumsum", "softmax", "logcumsumexp"):
            x.grad = None
            (getattr(rows(), name)(1) * weights).sum().backward()
            made.append(x.grad.tolist())
    np.testing.assert_allclose(found, wanted, 1e-5, 1e-5)
