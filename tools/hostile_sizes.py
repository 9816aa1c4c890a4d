"""Sizes that nobody can mean, sizes that are not sizes, too little memory, and 3 GiB tensors.

Called by hostile.py: --sizes, --starved, --large. Each prints its figures.
"""

import faulthandler
import gc
import math
import os
import random
import resource
import sys
import tempfile
from pathlib import Path

import nomen

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/python"))

INTEGERS = [
    2**31,
    2**32 + 1,
    2**40,
    2**62,
    2**63 - 1,
    -(2**63),
    -(2**31),
    -1,
    0,
    2**63,
    2**64,
    10**30,
]
NO_INTEGERS = [math.nan, math.inf, -math.inf, 1e300, 0.5, True, None, "3", "N", b"3", 1j, [2], {}]
SIZES = [
    [2**32, 2**32], [2**62, 4], [2**63 - 1], [2**31] * 3, [1] * 64, [1] * 65, [0, 2**62, 2**62],
    [0, 2**40], [2**40, 0], [-1, -1], [-(2**63)], [2**64], [math.nan], [math.inf], [1e300],
    [True, True], ["3"], [None], "23", 2**62, -1, [[2]], [],
]  # fmt: skip
REFUSED = (RuntimeError, TypeError, ValueError, IndexError, MemoryError, OverflowError)
SECONDS = 120  # for one call: it hangs


def next_call_works():
    x = nomen.arange(6).reshape(2, 3)
    assert (x + 1).sum().item() == 21 and x.t().contiguous().tolist() == [[0, 3], [1, 4], [2, 5]]


# ---- hostile arguments of every row ----------------------------------------------------------


def empty_ones():
    """Tensors that have no elements and endless dims, and one that has all the dims there are."""
    yield nomen.empty(0, 2**40)
    yield nomen.empty(2**31, 0, 2**20)
    yield nomen.ones([1] * 64)
    yield nomen.ones(1).expand(2**33)[:0]
    yield nomen.empty(0).expand(2**40, 0)


def hostile_values(kind):
    if kind in ("int", "number", "dim"):
        return INTEGERS + NO_INTEGERS
    if kind in ("sizes", "dims"):
        return SIZES + INTEGERS[:6]
    if kind == "tensor":
        return list(empty_ones())
    if kind == "tensors":
        return [[t, t] for t in empty_ones()] + [[], [None], [nomen.ones(2)] * 65]
    return []


def callables_of(name, row):
    for owner in (nomen, nomen.Tensor):
        for form in (name, name + "_"):
            function = getattr(owner, form, None)
            if function is not None and (owner is nomen or row["args"][0]["kind"] == "tensor"):
                yield form, function


def every_row(tell):
    import row_calls

    counts = {"results": 0, "errors": 0}
    for name, row in row_calls.ROWS.items():
        for form, function in callables_of(name, row):
            for arg in row["args"]:
                for value in hostile_values(arg["kind"]):
                    given = row_calls.arguments(name, "float32")
                    given[arg["name"]] = value
                    leads = [key for key in given if row["args"][0]["kind"].startswith("tensor")]
                    first = [given.pop(leads[0])] if leads else []
                    counts[one_call(function, form, first, given, tell)] += 1
    next_call_works()
    return counts


def one_call(function, form, first, given, tell):
    tell(f"{form} {[str(type(x)) for x in first]} { {k: str(v)[:200] for k, v in given.items()} }")
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    try:
        function(*first, **given)
        return "results"
    except REFUSED as error:
        assert "INTERNAL" not in str(error), error
        return "errors"
    finally:
        faulthandler.cancel_dump_traceback_later()


def sizes(tell):
    nomen.set_memory_limit(2**26)
    limit_address_space(2**31)
    counts = every_row(tell)
    assert counts["results"] > 500 and counts["errors"] > 2000, counts
    print(f"figure: calls of all rows with hostile sizes: {sum(counts.values())}")
    print(f"figure: of them refused with an error: {counts['errors']}")


# ---- too little memory -----------------------------------------------------------------------


def limit_address_space(more):
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (used + more, hard))


def rows_of_tensors():
    """Rows that can be called with tensors alone."""
    import row_calls

    for name, row in row_calls.ROWS.items():
        wanted = [arg for arg in row["args"] if not arg["optional"] and arg["kind"] != "flag"]
        function = getattr(nomen, name, None)
        if function and wanted and all(arg["kind"] == "tensor" for arg in wanted):
            yield name, function, len(wanted)


def starved(tell):
    """The results of half a megabyte's operands do not fit any more: every row says so."""
    nomen.set_num_threads(1)
    operand = nomen.full((384, 384), 0.25)
    rows = list(rows_of_tensors())
    for _, function, count in rows:  # what is made once, is made before
        try:
            function(*[operand[:2, :2]] * count)
        except REFUSED:
            pass
    next_call_works()
    limit_address_space(2**26)
    refused = 0
    for name, function, count in rows:
        tell(name)
        for _ in range(2):
            ballast, size = [], 2**25  # large blocks are the system's again when they are freed
            while size >= 2**19:
                try:
                    ballast.append(nomen.empty(size, dtype=nomen.uint8))
                except (MemoryError, RuntimeError):
                    size //= 2
            try:
                result = function(*[operand] * count)
            except REFUSED as error:
                refused += isinstance(error, MemoryError) or "memory" in str(error)
            else:
                del result
            del ballast
            nomen.empty_cache()
            next_call_works()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    assert (nomen.ones(2**21) + 1).sum().item() == 2**22
    assert refused > 100, refused
    print(f"figure: calls refused for want of memory: {refused}")


# ---- indices beyond 2**31 --------------------------------------------------------------------


def large_elementwise(n):
    x = nomen.zeros(n, dtype=nomen.uint8)
    x[-3:] = 7
    x.add_(1)
    assert x[-1].item() == 8 and x[n - 4].item() == 1 and x[n // 2].item() == 1
    y = x == 8
    assert y[-3:].all().item() and y.sum().item() == 3
    assert (x.bitwise_not_()[-1].item(), x[0].item()) == (247, 254)


def large_reductions(n):
    rows = 1 << (n.bit_length() // 2)
    x = nomen.zeros(n, dtype=nomen.uint8)
    x[-1] = 5
    assert x.sum().item() == 5 and x.argmax().item() == n - 1 and x.max().item() == 5
    assert x.count_nonzero().item() == 1 and x.any().item() and not x[:-1].any().item()
    assert x.topk(2).indices[0].item() == n - 1
    whole = n // rows * rows
    matrix = x[n - whole :].reshape(-1, rows)
    for dim in (0, 1):
        s, m = matrix.sum(dim), matrix.max(dim)
        assert s[-1].item() == 5 and s.sum().item() == 5 and m.values[-1].item() == 5
        assert m.indices[-1].item() == matrix.shape[dim] - 1
    halves = nomen.ones(n // 2 + 8, dtype=nomen.float16)
    assert halves.sum(dtype=nomen.float32).item() == float(nomen.tensor(float(n // 2 + 8)))
    assert halves.mean().item() == 1


def large_scans(n):
    x = nomen.ones(n, dtype=nomen.uint8)
    x = x.cumsum(0, dtype=nomen.uint8)
    for at in (0, n // 2, n - 1):
        assert x[at].item() == (at + 1) % 256


def large_order(n):
    """Positions take eight times the memory: rows of a view that repeats itself are enough."""
    n = n // 6
    x = nomen.zeros(n, dtype=nomen.int8)
    x[-1], x[1] = -5, 9
    values, indices = x.sort()
    assert (values[0].item(), values[-1].item()) == (-5, 9)
    assert (indices[0].item(), indices[-1].item(), indices[1].item()) == (n - 1, 1, 0)


def large_copies(n):
    rows = 1 << (n.bit_length() // 2)
    x = nomen.zeros(n // rows * rows, dtype=nomen.uint8).reshape(-1, rows)
    x[-1, 0], x[0, -1] = 3, 4
    y = x.t().contiguous()
    assert (y[0, -1].item(), y[-1, 0].item(), y.sum().item()) == (3, 4, 7)
    del x
    assert y.flip(0)[0, 0].item() == 4


def large_indexing(n):
    x = nomen.zeros(n, dtype=nomen.int8)
    at = nomen.tensor([n - 1, 0, n - 2, -3])
    x[at] = nomen.tensor([1, 2, 3, 4], dtype=nomen.int8)
    assert x[at].tolist() == [1, 2, 3, 4] and x.take(at).tolist() == [1, 2, 3, 4]
    assert x.index_select(0, at[:3]).tolist() == [1, 2, 3] and x[n - 3 :].tolist() == [4, 3, 1]
    mask = x > 0
    assert x.masked_select(mask).tolist() == [2, 4, 3, 1]
    assert mask.nonzero().flatten().tolist() == [0, n - 3, n - 2, n - 1]
    x.masked_fill_(mask, 9)
    assert x[-1].item() == 9 and x[:: n - 1].tolist() == [9, 9]
    assert x.as_strided((2,), (n - 2,), 1).tolist() == [0, 9]


def large_joins(n):
    parts = [nomen.full((n // 2,), k, dtype=nomen.uint8) for k in (1, 2)]
    x = nomen.cat(parts)
    assert x[n // 2 - 1].item() == 1 and x[n // 2].item() == 2 and x[-1].item() == 2
    assert [p[-1].item() for p in x.split(n // 3 + 1)] == [1, 2, 2]


def large_files(n):
    x = nomen.zeros(n, dtype=nomen.uint8).rename("N")
    x[-1] = 6
    with tempfile.TemporaryDirectory() as folder:
        for save, load in ((nomen.save_npy, nomen.load_npy), (nomen.save, nomen.load)):
            path = os.path.join(folder, "large")
            save(x, path)
            y = load(path)
            assert (y.shape, y.names, y[-1].item()) == ((n,), ("N",), 6)
            del y
            os.unlink(path)


LARGE = [
    large_elementwise, large_reductions, large_scans, large_order, large_copies, large_indexing,
    large_joins, large_files,
]  # fmt: skip


def large(tell, elements):
    """One at a time, each in three times its memory at most."""
    for check in random.Random(1).sample(LARGE, len(LARGE)):
        tell(check.__name__)
        check(elements)
        gc.collect()
        nomen.empty_cache()
    print(f"figure: elements of the largest tensors: {elements}")
    print(f"figure: checks of tensors of that size: {len(LARGE)}")
