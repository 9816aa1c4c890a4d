"""Reductions of more than the caches hold, whose lines are asked for ahead: each row comes to the
same bits as by itself, with any number of threads."""

import numpy as np
import pytest

import nomen

ROWS, COLUMNS = 90, 100_003  # 36 MB of float32, and of it no whole blocks
CALLS = {
    "sum": lambda t: t.sum(-1),
    "prod": lambda t: t.prod(-1),
    "norm": lambda t: t.norm(dim=-1),
    "var": lambda t: t.var(-1),
    "nansum": lambda t: t.nansum(-1),
    "nanmean": lambda t: t.nanmean(-1),
    "logsumexp": lambda t: t.logsumexp(-1),
    "count_nonzero": lambda t: t.count_nonzero(-1),
    "all": lambda t: t.all(-1),
    "amax": lambda t: t.amax(-1),
    "argmin": lambda t: t.argmin(-1),
    "max": lambda t: t.max(-1).indices,
    "min": lambda t: t.min(-1).values,
}


@pytest.fixture(scope="module", params=["float32", "float64", "int32", "bfloat16"])
def rows(request):
    values = np.random.default_rng(1).normal(1, 0.01, (ROWS, COLUMNS)).astype("f4")
    values[3, 77_777] = values[4, 5] = -3  # for positions
    values[5, COLUMNS - 1] = 9
    if request.param == "int32":
        values *= 1000
    return nomen.from_numpy(values).to(getattr(nomen, request.param)).repeat(2, 1)


@pytest.fixture
def threads():
    before = nomen.get_num_threads()
    yield (1, 2, 5)
    nomen.set_num_threads(before)


@pytest.mark.parametrize("name", CALLS)
def test_rows(name, rows, threads):
    call = CALLS[name]
    try:
        wanted = [call(rows[i : i + 1]).tolist()[0] for i in range(0, 2 * ROWS, 7)]
    except RuntimeError:
        pytest.skip(f"no {name} of {rows.dtype}")
    for count in threads:
        nomen.set_num_threads(count)
        assert call(rows).tolist()[::7] == wanted


def test_one_row(threads):
    """Parts of it are joined in the same order, and positions count from its beginning."""
    values = np.random.default_rng(2).random(9_000_000, dtype="f4")
    values[8_888_888] = 2
    t = nomen.from_numpy(values)
    found = set()
    for count in threads:
        nomen.set_num_threads(count)
        assert t.argmax().item() == 8_888_888
        found.add((t.norm().item(), t.var().item(), t.nansum().item()))
    assert len(found) == 1
    norm, var, total = found.pop()
    wide = values.astype("f8")
    np.testing.assert_allclose(norm, np.sqrt((wide**2).sum()), 1e-6)
    np.testing.assert_allclose(var, wide.var(ddof=1), 1e-6)
    np.testing.assert_allclose(total, wide.sum(), 1e-6)


def laid_out_otherwise(rows):
    """Columns, short rows, some of them with gaps, and rows that share their elements."""
    yield rows.t(), 1999
    for length, kept in ((3, 3), (24, 24), (64, 64), (121, 100), (333, 333)):
        count = 18_000_000 // length
        yield rows.flatten()[: length * count].reshape(-1, length)[:, :kept], count // 97
    yield rows[3, 70_000:80_000].unfold(0, 3000, 1), 173


EXACT = ("amax", "argmin", "max", "min")


@pytest.mark.parametrize("name", ["norm", "var", "logsumexp", "prod", *EXACT])
def test_what_lies_otherwise(name, rows, threads):
    call = CALLS[name]
    if not rows.dtype.is_floating_point and name in ("norm", "var", "logsumexp"):
        pytest.skip(f"no {name} of {rows.dtype}")
    for t, some in laid_out_otherwise(rows):
        picked = nomen.tensor([*range(0, t.shape[0], some), t.shape[0] - 1])
        wanted = call(t.index_select(0, picked))
        found = set()
        for count in threads:
            nomen.set_num_threads(count)
            found.add(tuple(call(t).index_select(0, picked).tolist()))
        assert len(found) == 1
        if name in EXACT or not rows.dtype.is_floating_point:
            assert found == {tuple(wanted.tolist())}
        else:  # what lies otherwise may be added up otherwise
            bound = 2**-7 if rows.dtype is nomen.bfloat16 else 1e-5
            np.testing.assert_allclose(found.pop(), wanted.tolist(), bound)
