"""Moves, joins, counts and selections at the sizes where they take another way, against NumPy."""

import itertools

import numpy as np
import pytest

import nomen

STORED = ["bool", "uint8", "int16", "int32", "int64", "float32", "complex64", "complex128"]


def numbers(dtype, shape):
    count = int(np.prod(shape))
    return (np.arange(count) * 7 % 251).reshape(shape).astype(dtype)


@pytest.mark.parametrize("dtype", STORED)
@pytest.mark.parametrize(
    "shape",
    [
        *[(37, 53), (300, 259), (3, 70, 5), (2, 33, 3), (5, 2, 67), (17, 3, 41), (9, 16, 8)],
        *[(n, 101) for n in range(2, 9)],
    ],
)
def test_permuted_copies(dtype, shape):
    values = numbers(dtype, shape)
    t = nomen.from_numpy(values)
    for order in itertools.permutations(range(len(shape))):
        turned = t.permute(*order).contiguous()
        assert turned.is_contiguous()
        np.testing.assert_array_equal(turned.numpy(), values.transpose(order))
        cut = t.permute(*order)[1:, ::2].contiguous()
        np.testing.assert_array_equal(cut.numpy(), values.transpose(order)[1:, ::2])


def test_few_elements_beside_many():
    values = np.arange(3 * 5000, dtype="float32").reshape(3, 5000).T
    row = np.array([1, 10, 100], dtype="float32")
    t, other = nomen.from_numpy(values), nomen.from_numpy(row)
    np.testing.assert_array_equal((t.contiguous() * other).numpy(), values * row)
    np.testing.assert_array_equal((t.double() + other).numpy(), values.astype("float64") + row)
    out = nomen.empty(5000, 3)
    nomen.sub(t, other, out=out)
    np.testing.assert_array_equal(out.numpy(), values - row)


@pytest.mark.parametrize("dtype", ["bool", "float32", "complex128"])
@pytest.mark.parametrize("columns", [1, 3, 40])
@pytest.mark.parametrize("pieces", [2, 70])
def test_joined_in_rounds(dtype, columns, pieces):
    parts = [numbers(dtype, (50, columns + k % 2)) for k in range(pieces)]
    joined = nomen.cat([nomen.from_numpy(p) for p in parts], 1)
    np.testing.assert_array_equal(joined.numpy(), np.concatenate(parts, 1))
    empty = nomen.zeros(50, 0, dtype=joined.dtype)
    again = nomen.cat([empty, *(nomen.from_numpy(p) for p in parts), empty], 1)
    np.testing.assert_array_equal(again.numpy(), joined.numpy())
    equal = [numbers(dtype, (60, columns)) + k for k in range(3)]
    equal = [p.astype(dtype) for p in equal]
    for dim in range(3):
        stacked = nomen.stack([nomen.from_numpy(p) for p in equal], dim)
        np.testing.assert_array_equal(stacked.numpy(), np.stack(equal, dim))
    turned = nomen.cat([nomen.from_numpy(p.T.copy()).t() for p in equal], 1)
    np.testing.assert_array_equal(turned.numpy(), np.concatenate(equal, 1))


@pytest.mark.parametrize("dtype", STORED)
@pytest.mark.parametrize("pieces", [1, 2, 3, 6, 9, 65])
def test_joined_element_by_element(dtype, pieces):
    for rows in (17, 18, 31, 32, 33, 200, 1000, 30_011):
        if rows * pieces > 300_000:
            continue
        for columns in (1, 2, 4):
            parts = [numbers(dtype, (rows, columns + 1))[:, 1:] for _ in range(pieces)]
            parts = [np.ascontiguousarray((p + k).astype(dtype)) for k, p in enumerate(parts)]
            tensors = [nomen.from_numpy(p) for p in parts]
            joined = nomen.cat(tensors, -1)
            np.testing.assert_array_equal(joined.numpy(), np.concatenate(parts, -1))
            stacked = nomen.stack(tensors, -1)
            np.testing.assert_array_equal(stacked.numpy(), np.stack(parts, -1))
            out = nomen.zeros(rows + 2, columns * pieces, dtype=joined.dtype)
            nomen.cat(tensors, -1, out=out[1:-1])
            assert not out[0].any() and not out[-1].any()
            np.testing.assert_array_equal(out[1:-1].numpy(), joined.numpy())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("count", [10, 70_001, 1_200_001])
def test_histograms_in_parts(dtype, count):
    x = np.random.default_rng(3).standard_normal(count).astype(dtype)
    x[::1001] = np.nan
    low, high, bins = -1.25, 2.5, 37
    inside = x[(x >= low) & (x <= high)]
    number = x.dtype.type
    at = (inside - number(low)) * number(bins) / number(high - low)
    expected = np.bincount(np.minimum(at.astype("int64"), bins - 1), minlength=bins)
    found = nomen.from_numpy(x).histc(bins, low, high)
    assert found.dtype == getattr(nomen, dtype)
    np.testing.assert_array_equal(found.numpy(), expected)
    assert nomen.full(5, 2.0).histc(4).tolist() == [0, 0, 5, 0]


def test_flip_keeps_the_order_of_memory():
    values = numbers("int32", (6, 50))
    t = nomen.from_numpy(values).t()
    flipped = t.flip(0)
    assert flipped.stride() == t.stride()
    np.testing.assert_array_equal(flipped.numpy(), values.T[::-1])
    np.testing.assert_array_equal(t[:, ::2].flip(0, 1).numpy(), values.T[::-1, ::2][:, ::-1])


@pytest.mark.parametrize("dtype", ["int16", "int64", "float16", "bfloat16"])
@pytest.mark.parametrize("step", [1, 2])
def test_long_dot_products(dtype, step):
    a = np.arange(20_003) % 3 - 1
    b = np.arange(20_003) % 7 - 3
    x = nomen.from_numpy(a).to(getattr(nomen, dtype))[::step]
    y = nomen.from_numpy(b).to(getattr(nomen, dtype))[::step]
    expected = nomen.tensor(int(a[::step] @ b[::step])).to(getattr(nomen, dtype))
    assert nomen.dot(x, y).item() == expected.item()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sizes", [(97, 701, 130), (64, 600, 64), (31, 1030, 33)])
def test_products_of_transposed_operands(dtype, sizes):
    m, k, n = sizes
    rng = np.random.default_rng(4)
    a = rng.integers(-4, 5, (m, k)).astype(dtype)
    b = rng.integers(-4, 5, (k, n)).astype(dtype)
    forms = {"as it is": lambda x: x, "turned": lambda x: np.ascontiguousarray(x.T).T}
    for left, right in itertools.product(forms.values(), repeat=2):
        found = nomen.from_numpy(left(a)) @ nomen.from_numpy(right(b))
        np.testing.assert_array_equal(found.numpy(), a @ b)


@pytest.mark.parametrize("kinds", [1, 5, 10_000])
@pytest.mark.parametrize("shape", [(1, 9000), (6, 1000), (40, 100), (9, 7)])
def test_ranks_among_equals(kinds, shape):
    x = np.random.default_rng(6).integers(0, kinds, shape).astype("float32")
    t, ordered, n = nomen.from_numpy(x), np.sort(x, 1), shape[1]
    for k in {1, n // 3, n // 2, n}:
        values, at = t.kthvalue(k, 1)
        np.testing.assert_array_equal(values.numpy(), ordered[:, k - 1])
        first = [np.flatnonzero(row == v)[0] for row, v in zip(x, ordered[:, k - 1])]
        np.testing.assert_array_equal(at.numpy(), first)
        values, at = t.topk(k, 1, largest=False)
        order = np.argsort(x, 1, kind="stable")[:, :k]
        np.testing.assert_array_equal(at.numpy(), order)
        np.testing.assert_array_equal(values.numpy(), ordered[:, :k])
    np.testing.assert_array_equal(t.median(1)[0].numpy(), ordered[:, (n - 1) // 2])
    np.testing.assert_array_equal(t.t().sort(0)[0].numpy(), ordered.T)


@pytest.mark.parametrize("rows, columns", [(4, 9000), (9000, 4), (4, 20)])
def test_places_far_from_each_other(rows, columns):
    values, written = numbers("float32", (rows, columns)), numbers("float32", (rows, columns))
    at, source = np.arange(64).reshape(64, 1) * 7 % rows, numbers("float32", (64, 1))
    table, index = nomen.from_numpy(values), nomen.from_numpy(at)
    np.testing.assert_array_equal(table.gather(0, index).numpy(), values[at, 0])
    np.testing.assert_array_equal(table.t().gather(1, index.t()).numpy(), values[at, 0].T)
    for one_row in (table[:1].expand(rows, columns), table[0, 0].expand(rows, columns)):
        assert (one_row.gather(0, index) == values[0, 0].item()).all()
        assert (one_row.t().gather(1, index.t()) == values[0, 0].item()).all()
    written[at[:, 0], 0] = source[:, 0]  # of several to one place the last one stays
    table.scatter_(0, index, nomen.from_numpy(source))
    np.testing.assert_array_equal(table.numpy(), written)


@pytest.mark.parametrize("dtype", STORED)
@pytest.mark.parametrize("length", [5, 600, 2500])
def test_one_row_again_and_again(dtype, length):
    row = numbers(dtype, (length,))
    got = nomen.from_numpy(row).expand(40, length).contiguous()
    np.testing.assert_array_equal(got.numpy(), np.broadcast_to(row, (40, length)))


@pytest.mark.parametrize("width", (2, 7, 33, 700, 3000))
@pytest.mark.parametrize("dtype", ("int8", "int64", "float16", "float32", "float64", "complex128"))
def test_functions_of_one_row_again_and_again(dtype, width):
    """The row is computed once; no other way may see more or less than that."""
    row = (nomen.arange(width) % 40 + 1).to(getattr(nomen, dtype))
    calls = (nomen.neg, lambda t: nomen.add(t, 3), lambda t: nomen.eq(t, t), nomen.sqrt)
    for call in calls:
        one, shape = call(row), (3, 50, width)
        assert nomen.equal(call(row.expand(*shape)), one.expand(*shape).contiguous())
        groups = nomen.stack([row, row * 2, row * 3]).unsqueeze(1)
        wanted = nomen.stack([call(row * k).expand(50, width) for k in (1, 2, 3)])
        assert nomen.equal(call(groups.expand(3, 50, width)), wanted)
    gaps = nomen.zeros(50, 2 * width, dtype=row.dtype)
    nomen.neg(row.expand(50, width), out=gaps[:, :width])
    assert nomen.equal(gaps[:, :width], (-row).expand(50, width))
    assert not gaps[:, width:].any()
    every_second = gaps[:, ::2]
    nomen.neg(row.expand(50, width), out=every_second)
    assert nomen.equal(gaps[:, ::2], (-row).expand(50, width))


def test_functions_of_one_row_on_threads():
    row, before = nomen.arange(1000.0), nomen.get_num_threads()
    try:
        nomen.set_num_threads(3)
        assert nomen.equal(row.expand(900, 1000).sin(), row.sin().repeat(900, 1))
    finally:
        nomen.set_num_threads(before)


@pytest.mark.parametrize("dtype", STORED)
def test_joined_rows_with_holes(dtype):
    """Elements with holes whose rows go on in each other, into rows that do not."""
    for rows in (1, 2, 7, 300):
        for n in (1, 2, 12, 13, 16, 31, 64, 130, 520):
            for step in (2, 3):
                values = numbers(dtype, (rows, n * step))
                t = nomen.from_numpy(values)[:, ::step]
                wanted = values[:, ::step]
                assert np.array_equal(nomen.cat([t, t], 1).numpy(), np.hstack([wanted, wanted]))
                assert np.array_equal(nomen.stack([t, t], 1).numpy(), np.stack([wanted] * 2, 1))
                out = nomen.zeros(rows, n + 3, dtype=t.dtype)
                out[:, 1 : n + 1] = t
                assert np.array_equal(out[:, 1 : n + 1].numpy(), wanted)
                assert out.numpy()[:, [0, n + 1, n + 2]].astype(bool).sum() == 0
