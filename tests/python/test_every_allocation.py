"""Every request for memory fails once: of each row in each form, forwards and backwards, and of
what the module does besides. An error comes back, operands and out= are as they were, nothing is
lost, and the next call works.

Builds with NOMEN_FAULTS only (the sanitizers'; test_under_sanitizers.py runs this with them).
"""

import gc

import pytest
from row_calls import DTYPES, ROWS, arguments
from test_every_row import WORDS, bare, contents, empty_like, fresh, spread
from test_py_memory import CALLS, counts

import nomen

fail_allocation = getattr(nomen._C, "_fail_allocation", None)
if fail_allocation is None:
    pytest.skip("this build cannot make allocations fail (NOMEN_FAULTS)", allow_module_level=True)
MOST = 2000  # requests of one call


@pytest.fixture(autouse=True, scope="module")
def collect_only_what_is_new():
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def tensors_of(given):
    for value in given:
        if isinstance(value, nomen.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_of(value)


def results_of(row, result):
    listed = result if isinstance(result, (tuple, list)) else (result,)
    if not all(isinstance(t, nomen.Tensor) for t in listed):
        return result
    return bare(row, [contents(t) for t in listed])


def without_request(nth, act, *given):
    """(result or None without memory, whether it got as far as that request)."""
    before = fail_allocation(nth)
    try:
        result = act(*given)
    except MemoryError:  # whose frames hold the operands until it is gone
        result = None
    finally:
        requests = fail_allocation(-1) - before
    with pytest.raises(IndexError):  # what went another way has left no error behind
        nomen.ones(1).sum(7)
    return result, requests > nth


def failing(make, act, tell):
    """Calls act(make()) with each of its requests failing in turn, until none does any more.

    Returns how many requests failed. make gives the operands anew, tell says what came out. A call
    that can do without what it did not get gives the same as ever.
    """
    expected = tell(act(make()))
    before = counts()
    for nth in range(MOST):
        given = make()
        state = [contents(t) for t in tensors_of(given)]
        result, failed = without_request(nth, act, given)
        if result is None:
            assert [contents(t) for t in tensors_of(given)] == state, f"request {nth}"
        else:
            assert tell(result) == expected, f"request {nth}"
        del given, result
        assert counts() == before, f"request {nth}"
        if not failed:
            return nth
        assert tell(act(make())) == expected, f"after request {nth}"
    raise AssertionError(f"more than {MOST} requests")


# Without those that only the library itself calls.
NAMED = sorted(name for name in ROWS if ROWS[name]["forms"] and ROWS[name]["forms"] != "o")


def first_form(name):
    return next(WORDS[f] for f in "fmi" if f in ROWS[name]["forms"])


def dtype_of(name):
    """The first dtype that the row takes."""
    for dtype in ("float32", "float64", "int64", "bool", "complex64", *DTYPES):
        try:
            call(ROWS[name], first_form(name))(operands(ROWS[name], arguments(name, dtype)))
            return dtype
        except (RuntimeError, TypeError):
            pass
    raise AssertionError(name)


def operands(row, given, out=None):
    args, keywords = spread(row, fresh(given))
    return [args, list(keywords.items()), out]


def call(row, form):
    def act(made):
        args, keywords, out = list(made[0]), dict(made[1]), made[2]
        if out is not None:
            keywords["out"] = out
        owner = nomen if form == "function" else args.pop(0)
        name = row["name"].removesuffix("_") + "_" if form == "in place" else row["name"]
        nomen.manual_seed(5)
        result = getattr(owner, name)(*args, **keywords)
        return () if result is None else result

    return act


@pytest.mark.parametrize("name", NAMED)
def test_rows(name, record_property):
    row = ROWS[name]
    dtype = dtype_of(name)
    given = arguments(name, dtype)
    failures = 0
    for form in (WORDS[f] for f in row["forms"] if f != "o"):
        act = call(row, form)
        try:
            act(operands(row, given))
        except RuntimeError:
            assert form == "in place"  # another dtype, other sizes
            continue
        failures += failing(
            lambda: operands(row, given), act, lambda result: results_of(row, result)
        )
    if "o" in row["forms"]:
        given.pop("dtype", None)
        act = call(row, "function")
        first = results_of(row, act(operands(row, given)))
        outs = lambda: tuple(map(empty_like, first)) if len(first) > 1 else empty_like(first[0])
        failures += failing(
            lambda: operands(row, given, outs()), act, lambda result: results_of(row, result)
        )
    assert failures or set(row["forms"]) == {"i"} or name in SAME
    record_property("allocations that failed in calls of rows", failures)


# Rows that give their operand back as it is, if that is what was asked for.
SAME = {"conj", "contiguous", "positive", "resolve_conj", "to", "to_device"}

DIFFERENTIABLE = [
    n for n in NAMED if ROWS[n]["differentiable"] and set(ROWS[n]["forms"]) & set("fm")
]


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradients(name, record_property):
    """The recording of a call, and the way back, each time from the start."""
    row = ROWS[name]
    dtype = dtype_of(name)
    dtype = {"float32": "float64", "complex64": "complex128"}.get(dtype, dtype)
    given = arguments(name, dtype)
    form = "function" if "f" in row["forms"] else "method"

    def make():
        made = operands(row, given)
        for t in tensors_of([made[0], [v for _, v in made[1]]]):
            if t.is_floating_point() or t.is_complex():
                t.requires_grad_()
        return made

    def act(made):
        result = call(row, form)(made)
        listed = result if isinstance(result, (tuple, list)) else (result,)
        ends = [t for t in listed if t.requires_grad]
        if ends:
            nomen.autograd.backward(ends, [nomen.ones_like(t) for t in ends])
        return [t.grad for t in tensors_of([made[0], [v for _, v in made[1]]])]

    def tell(grads):
        return [None if g is None else contents(g) for g in grads]

    failures = failing(make, act, tell)
    record_property("allocations that failed in recording and in backward", failures)


@pytest.mark.parametrize("act", CALLS, ids=range(len(CALLS)))
def test_all_else(act, record_property):
    """What the module does beside the rows; errors stay errors."""

    def told():
        try:
            act()
            return "done"
        except MemoryError:
            return None
        except (TypeError, RuntimeError, ValueError, IndexError, BufferError) as error:
            return type(error)

    expected = told()
    assert expected
    before = counts()
    for nth in range(MOST):
        found, failed = without_request(nth, told)
        assert counts()[:3] == before[:3], f"request {nth}"
        assert found in (None, expected), f"request {nth}"
        if not failed:
            break
        assert told() == expected, f"after request {nth}"
    else:
        raise AssertionError(f"more than {MOST} requests")
    record_property("allocations that failed in other calls of the module", nth)
