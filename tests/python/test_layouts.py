"""Operands that lie in memory in unusual ways take ways of their own; the results are those of
copies without holes."""

import itertools

import numpy as np
import pytest

import nomen

RNG = np.random.default_rng(11)
FLOATS = ("float16", "bfloat16", "float32", "float64")


def sample(*shape, dtype="float32"):
    values = RNG.integers(-8, 9, shape) / 4
    return nomen.from_numpy(np.array(values)).to(getattr(nomen, dtype))


def same(a, b):
    assert a.dtype == b.dtype and a.shape == b.shape
    a, b = (t.double().numpy() if t.is_floating_point() else t.numpy() for t in (a, b))
    np.testing.assert_array_equal(a, b)


# ---- broadcast operands --------------------------------------------------------------------------

MIXES = list(itertools.product((0, 1), repeat=3))  # which operands are rows, which are columns


@pytest.mark.parametrize("dtype", (*FLOATS, "int32"))
@pytest.mark.parametrize("columns", (3, 16, 37, 300))
@pytest.mark.parametrize("mix", MIXES)
def test_rows_and_columns_of_three_operands(mix, columns, dtype):
    small = [sample(*((5, 1) if along else (columns,)), dtype=dtype) for along in mix]
    whole = [t.expand(5, columns).contiguous() for t in small]
    same(nomen.addcmul(*small).expand(5, columns), nomen.addcmul(*whole))
    same(nomen.addcmul(*small, value=3).expand(5, columns), nomen.addcmul(*whole, value=3))
    if dtype != "int32":
        same(nomen.lerp(*small).expand(5, columns), nomen.lerp(*whole))


@pytest.mark.parametrize("dtype", ("float32", "float64", "int64", "bfloat16"))
def test_addr_is_the_sum_with_the_outer_product(dtype):
    x, a, b = sample(7, 41, dtype=dtype), sample(7, dtype=dtype), sample(41, dtype=dtype)
    same(
        nomen.addr(x, a, b), nomen.addcmul(x, nomen.ones_like(x) * a.unsqueeze(1), b.expand(7, 41))
    )
    same(nomen.addr(x[0], a, b, out=nomen.empty_like(x)), nomen.addr(x[0].expand(7, 41), a, b))


REDUCTIONS = {
    "sum": lambda t, **d: t.sum(**d),
    "mean": lambda t, **d: t.mean(**d),
    "prod": lambda t, **d: (t / t).prod(**d),
    "amax": lambda t, **d: t.amax(**d),
    "aminmax": lambda t, **d: t.aminmax(**d).max if len(d) else t.aminmax().min,
    "any": lambda t, **d: t.any(**d),
    "norm": lambda t, **d: t.norm(**d),
    "logsumexp": lambda t, **d: t.logsumexp(d.get("dim", (0, 1))),
    "var": lambda t, **d: t.var(**d),
    "max": lambda t, **d: t.max(**d)[1] if d else t.max(),
    "argmin": lambda t, **d: t.argmin(**d),
}


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(3, 5), (70, 9), (300, 1100), (1100, 70)])
def test_reductions_of_broadcast_operands(name, dtype, shape):
    rows, columns = shape
    row, column = sample(1, columns, dtype=dtype) + 3, sample(rows, 1, dtype=dtype) + 3
    for t in (row.expand(shape), column.expand(shape), column[:1].expand(shape)):
        for dims in ({}, {"dim": 0}, {"dim": 1}):
            got, wanted = (REDUCTIONS[name](x, **dims) for x in (t, t.contiguous()))
            assert got.dtype == wanted.dtype
            got, wanted = (x.double().numpy() for x in (got, wanted))
            tolerance = {"float16": 2e-3, "bfloat16": 1e-2, "float32": 1e-6}.get(dtype, 1e-13)
            np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)


# ---- rows and lines ------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("last", (2, 3, 5, 16, 25, 33))
@pytest.mark.parametrize("name", ("softmax", "log_softmax"))
def test_softmax_of_a_dim_in_the_middle(name, last, dtype):
    x = sample(9, 20, last, dtype=dtype)
    got = getattr(x, name)(1)
    apart = getattr(x.transpose(1, 2).contiguous(), name)(2).transpose(1, 2)
    tolerance = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 1e-6}.get(dtype, 1e-14)
    np.testing.assert_allclose(
        got.double().numpy(), apart.double().numpy(), rtol=tolerance, atol=tolerance
    )


@pytest.mark.parametrize("dtype", ("float32", "int32", "float64"))
@pytest.mark.parametrize("shape", [(8, 3), (9, 40), (33, 17), (300, 50), (5, 20)])
@pytest.mark.parametrize("name", ("cumsum", "cumprod", "logcumsumexp"))
def test_scans_of_what_lies_across(name, shape, dtype):
    if dtype == "int32" and name == "logcumsumexp":
        return
    x = sample(*shape, dtype=dtype)
    if name == "cumprod":
        x = x.sign()
    to = {"dtype": nomen.int32} if dtype == "int32" else {}
    for dim in (0, 1):
        got = getattr(x.t(), name)(dim, **to)
        wanted = getattr(x.t().contiguous(), name)(dim, **to)
        np.testing.assert_allclose(got.numpy(), wanted.numpy(), rtol=1e-6)


# ---- numbers that are made -----------------------------------------------------------------------


def test_ranges_and_grids_beyond_a_block():
    n = 1500
    for step in (1, -3, 0.25):
        expected = np.arange(n) * step + 2
        for dtype in ("float64", "float32", "int64" if step != 0.25 else "float16"):
            got = nomen.arange(2, 2 + n * step, step, dtype=getattr(nomen, dtype))
            np.testing.assert_array_equal(got.double().numpy(), expected.astype(dtype))
    out = nomen.empty(2 * n)[::2]
    np.testing.assert_array_equal(nomen.arange(n, out=out).numpy(), np.arange(n))
    grid = nomen.linspace(-1, 1, 1025, dtype=nomen.float64).numpy()
    np.testing.assert_array_equal(grid, (np.arange(1025) - 512) / 512)
    assert np.signbit(nomen.linspace(-1, -0.0, 3).numpy()).all()


@pytest.mark.parametrize("dtype", (*FLOATS, "bool", "uint8", "int16", "int64", "complex64"))
def test_one_number_for_all_elements(dtype):
    for shape in ((3,), (70000,), (40, 30)):
        t = nomen.zeros(*shape, dtype=getattr(nomen, dtype))
        assert (t.fill_(1) == 1).all() and (t.fill_(True) == 1).all()
        assert (t.t() if t.ndim == 2 else t).fill_(0).sum().item() == 0
        assert (nomen.zeros_like(t).copy_(nomen.tensor(1.0)) == 1).all()


@pytest.mark.parametrize("dtype", (*FLOATS, "bool", "uint8", "int8", "int16", "int32", "int64"))
def test_threshold_of_every_dtype(dtype):
    t = sample(77, dtype="float64").abs().to(getattr(nomen, dtype))
    got = nomen.threshold(t, 1, 0 if dtype == "bool" else 5)
    wanted = [x if x > 1 else (False if dtype == "bool" else 5) for x in t.tolist()]
    assert got.dtype == t.dtype and got.tolist() == wanted
    out = nomen.empty_like(t)
    assert nomen.threshold(t[::2], 1, 1, out=out[::2]).tolist() == [
        x if x > 1 else 1 for x in t[::2].tolist()
    ]


def test_threshold_has_a_gradient_where_elements_stay():
    x = nomen.tensor([0.1, 0.5, 2.0, float("nan")], names=("N",), requires_grad=True)
    y = nomen.threshold(x, 0.1, -9)
    assert y.names == ("N",)
    y.sum().backward()
    assert x.grad.tolist() == [0, 1, 1, 1]


# ---- which layout a result has, and operands that lie across it ----------------------------------


def test_the_result_follows_the_first_block():
    """An operand that is expanded has no order of its own; one behind it may have."""
    wide = sample(30, 1, 25).expand(30, 40, 25)
    turned = sample(30, 25, 40).permute(0, 2, 1)
    assert (wide + turned).stride() == (turned + wide).stride() == (1000, 1, 40)
    same(wide + turned, wide.contiguous() + turned.contiguous())
    assert (wide + turned.contiguous()).is_contiguous()


@pytest.mark.parametrize(
    "part, strides",
    [
        (lambda t: t.permute(2, 0, 1)[:, 1:], (1, 180, 6)),
        (lambda t: t.permute(1, 0, 2)[..., ::2], (3, 90, 1)),
        (lambda t: t.permute(2, 1, 0)[1:], (1, 5, 150)),
        (lambda t: t[:, 1:], (174, 6, 1)),  # holes alone are no order
        (lambda t: t[:, :1].expand(10, 30, 6).permute(2, 1, 0), (300, 10, 1)),  # nor is this one
    ],
)
def test_the_result_follows_an_operand_with_holes(part, strides):
    t = part(sample(10, 30, 6))
    for result in (t + 1, t.exp(), t > 0, t.double(), t.clone(), nomen.where(t > 0, t, 1)):
        assert result.stride() == strides
    same(t + t, t.contiguous() + t.contiguous())
    same(t.diff(dim=-1), t.contiguous().diff(dim=-1))
    assert (t + t.contiguous()).is_contiguous()


def test_the_result_follows_most_of_its_operands():
    """Those in another order have to be turned over, which takes longer with holes."""
    holes, dense = sample(10, 30, 6).permute(2, 1, 0)[1:], sample(10, 5, 30).permute(1, 2, 0)
    assert holes.shape == dense.shape
    assert (holes + dense).stride() == (dense + holes).stride() == dense.stride()
    for three in ((holes, dense, holes), (dense, holes, holes), (holes, holes, dense)):
        assert nomen.addcmul(*three).stride() == (1, 5, 150)
    wide = sample(5, 30, 20)[..., ::2]
    assert (wide + dense).is_contiguous() and (dense + wide).is_contiguous()
    for three in ((wide, dense, wide), (dense, wide, wide)):
        assert nomen.addcmul(*three).is_contiguous()
        same(nomen.addcmul(*three), nomen.addcmul(*(t.contiguous() for t in three)))
    same(holes + dense, holes.contiguous() + dense.contiguous())


@pytest.mark.parametrize("dtype", (*FLOATS, "int64", "uint8", "bool"))
@pytest.mark.parametrize("columns", (1, 2, 4, 7, 15, 16))
def test_the_best_of_many_short_rows_with_holes(columns, dtype):
    """Of equals the first in row-major order, whatever order they are looked at in."""
    for rows in (15, 16, 700, 3000):
        for part in (
            sample(rows, columns + 1, dtype=dtype)[:, 1:],
            sample(columns, rows, dtype=dtype).t(),
            sample(rows, 2, columns + 3, dtype=dtype)[:, :, 2:-1].permute(2, 1, 0),
        ):
            whole = part.contiguous()
            assert part.any().item() == whole.any().item()
            assert part.all().item() == whole.all().item()
            assert not (part != part).any()
            if dtype == "bool":
                continue
            assert part.argmax().item() == int(np.argmax(whole.double().numpy()))
            assert part.argmin().item() == int(np.argmin(whole.double().numpy()))
            assert [t.item() for t in part.aminmax()] == [whole.amin().item(), whole.amax().item()]


def test_the_best_of_short_rows_that_are_shared_out():
    part = sample(150_000, 5)[:, 1:-1]
    part[1234:, :] = 0
    for at in ((149_999, 2), (77_777, 1), (77_777, 0)):
        part[at] = 9
        assert part.argmax().item() == 3 * at[0] + at[1]
        assert (part > 8).any() and not (part > 9).any()


@pytest.mark.parametrize("dtype", (*FLOATS, "int64", "uint8"))
@pytest.mark.parametrize("columns", (2, 3, 5, 7, 12, 24, 31))
def test_in_place_in_part_of_each_row(columns, dtype):
    for rows in (3, 100, 1500):
        whole = sample(rows, columns + 2, dtype=dtype)
        other = sample(rows, columns, dtype=dtype)
        got, want = whole.clone(), whole[:, 1:-1].contiguous()
        got[:, 1:-1].mul_(other).add_(1).clamp_(0, 2)
        got[:, 1:-1] += got[:, :1]
        same(got[:, 1:-1], (want * other + 1).clamp(0, 2) + whole[:, :1])
        same(got[:, ::columns + 1], whole[:, ::columns + 1])
        nomen.maximum(got[:, 1:-1], other, out=got[:, 1:-1])
        nomen.sub(other, whole[:, 1:-1], out=got.t()[1:-1].t())
        same(got[:, 1:-1], other - want)


@pytest.mark.parametrize("dtype", (*FLOATS, "int64", "uint8"))
@pytest.mark.parametrize("columns", (1, 2, 3, 4, 7, 8, 9))
def test_scans_of_a_few_columns_with_holes(columns, dtype):
    for rows in (3, 20, 400):
        few = sample(rows, columns + 1, dtype=dtype)[:, 1:]
        across = sample(columns, rows, dtype=dtype).t()
        behind = sample(3, rows, columns + 1, dtype=dtype)[..., :-1]
        for part in (few, across, behind):
            whole = part.contiguous()
            for name in ("cumsum", "cumprod"):
                same(getattr(part, name)(-2), getattr(whole, name)(-2))
            for got, want in zip(part.cummax(-2), whole.cummax(-2), strict=True):
                same(got, want)


@pytest.mark.parametrize("dtype", ("uint8", "bfloat16", "float32", "int64"))
@pytest.mark.parametrize("columns", (1, 3, 15, 16, 40))
def test_rows_with_gaps_put_to_places(columns, dtype):
    place = nomen.tensor([3, 0, 2, 3])
    for rows in (
        sample(4, 2 * columns, dtype=dtype)[:, ::2],
        sample(columns, 4, dtype=dtype).t(),
        sample(4, 1, dtype=dtype).expand(4, columns),
    ):
        table = sample(5, columns, dtype=dtype)
        same(table.index_copy(0, place, rows), table.index_copy(0, place, rows.contiguous()))
        same(table.index_add(0, place, rows), table.index_add(0, place, rows.contiguous()))
        other = table.clone()
        other[place] = rows
        same(other, table.index_copy(0, place, rows))


def test_joined_images_keep_their_channels_last():
    image = sample(4, 5, 6, 3).permute(0, 3, 1, 2)
    for dim in range(4):
        joined = nomen.cat([image, image], dim)
        assert joined.stride(1) == 1 and not joined.is_contiguous()
        same(joined, nomen.cat([image.contiguous(), image.contiguous()], dim))
        rolled = image.roll(2, dim)
        assert rolled.stride() == image.stride()
        same(rolled, image.contiguous().roll(2, dim))
    assert nomen.cat([image, image.contiguous()]).is_contiguous()
    assert nomen.cat([sample(2, 6, 5).permute(0, 2, 1)] * 2).is_contiguous()  # no image


@pytest.mark.parametrize("dtype", ("uint8", "bool", "float16", "float32", "float64", "complex128"))
@pytest.mark.parametrize("columns", (1, 3, 7, 8, 9, 12, 25, 40, 70))
def test_turned_operands_of_any_width(columns, dtype):
    block = sample(3, columns, 37).to(getattr(nomen, dtype))
    other = sample(3, 37, columns).to(getattr(nomen, dtype))
    turned = block.permute(0, 2, 1)
    want = [[[row[i] for row in part] for i in range(37)] for part in block.tolist()]
    assert turned.contiguous().tolist() == want
    assert (turned == other).tolist() == (turned.contiguous() == other).tolist()


@pytest.mark.parametrize("dtype", ("uint8", "float16", "float32", "int64", "complex128"))
@pytest.mark.parametrize("columns", (1, 2, 3, 5, 8, 17, 20, 33, 64, 65, 300))
def test_a_number_for_each_row(columns, dtype):
    rows = sample(23, 1).to(getattr(nomen, dtype))
    block = sample(23, columns).to(getattr(nomen, dtype))
    want = [row * columns for row in rows.tolist()]
    assert rows.expand(23, columns).contiguous().tolist() == want
    assert nomen.repeat_interleave(rows, columns, 1).tolist() == want
    assert (block + rows).tolist() == (block + rows.expand(23, columns).clone()).tolist()
    chosen = rows.real > 0 if dtype == "complex128" else rows > 0
    wide = chosen.expand(23, columns).clone()
    assert block.masked_fill(chosen, 1).tolist() == block.masked_fill(wide, 1).tolist()
    assert nomen.where(chosen, block, rows).tolist() == nomen.where(wide, block, rows).tolist()


@pytest.mark.parametrize("dtype", ("int64", "float64", "uint8", "int32", "float32"))
@pytest.mark.parametrize("steps", ((2, 2), (2, 1), (1, 2), (3, 2), (3, 1), (0, 2)))
def test_every_second_element(steps, dtype):
    def laid_out(step):
        t = sample(9, 31 * max(step, 1)).to(getattr(nomen, dtype))
        return t[:, ::step] if step else t[:, :1].expand(9, 31)

    a, b = map(laid_out, steps)
    for of in (nomen.add, nomen.maximum, nomen.lt, nomen.eq):
        assert of(a, b).tolist() == of(a.contiguous(), b.contiguous()).tolist()


@pytest.mark.parametrize("dtype", ("uint8", "float16", "float32", "float64", "complex128"))
def test_operands_that_lie_across_with_gaps(dtype):
    whole = sample(40, 37).to(getattr(nomen, dtype))
    across = sample(74, 120).to(getattr(nomen, dtype))[::2, ::3].t()
    same(whole * across, whole * across.contiguous())


@pytest.mark.parametrize("dtype", ("uint8", "float32", "float64"))
@pytest.mark.parametrize("columns", (512, 1024, 8192))
def test_turned_rows_that_lie_powers_of_two_apart(columns, dtype):
    t = sample(columns, 24).to(getattr(nomen, dtype))
    assert np.array_equal(t.t().contiguous().numpy(), np.ascontiguousarray(t.numpy().T))


def test_bounds_for_each_of_few_columns():
    t, low, high = sample(500, 3), sample(3), sample(3)
    wanted = np.minimum(np.maximum(t.numpy(), low.numpy()), high.numpy())
    same(t.clamp(low, high), nomen.from_numpy(wanted))


def test_fewer_places_than_lines_of_the_table():
    t = sample(2000)
    places = nomen.from_numpy(RNG.integers(0, 2000, 70))
    same(t.gather(0, places), nomen.from_numpy(t.numpy()[places.numpy()]))


def test_no_room_for_a_dim_more():
    t = sample(2, *[1] * 63)
    assert t.repeat_interleave(2, 0).flatten().tolist() == t.flatten().tolist()[:1] * 2 + (
        t.flatten().tolist()[1:] * 2
    )


def test_names_of_what_is_repeated():
    t = nomen.tensor([[1, 2], [3, 4]], names=("N", "C"))
    for dim in ("N", "C"):
        assert t.repeat_interleave(3, dim).names == ("N", "C")
    assert t.repeat_interleave(2, "C").tolist() == [[1, 1, 2, 2], [3, 3, 4, 4]]
    assert t.repeat_interleave(0, "C").shape == (2, 0)
    assert nomen.tensor(5.0).repeat_interleave(3).tolist() == [5.0, 5.0, 5.0]
    x = nomen.tensor([1.0, 2.0], requires_grad=True)
    (x.repeat_interleave(3) * nomen.arange(6).float()).sum().backward()
    assert x.grad.tolist() == [3.0, 12.0]


def test_lines_of_an_index_that_many_chunks_share():
    """Rows of 8, and of 7, more than a chunk has: each chunk begins with a line."""
    for columns in (7, 8, 3):
        x = nomen.arange(60000 * columns).reshape(60000, columns)
        index = nomen.from_numpy(RNG.integers(0, columns, (60000, columns)))
        want = np.take_along_axis(x.numpy(), index.numpy(), 1)
        np.testing.assert_array_equal(nomen.gather(x, 1, index).numpy(), want)


# ---- numbers spread over rows, and elements of 16 bytes turned over ------------------------------

WIDTHS = (2, 3, 7, 8, 20, 67, 300)


@pytest.mark.parametrize("dtype", ("uint8", "float16", "float32", "int64", "complex128"))
@pytest.mark.parametrize("width", WIDTHS)
def test_numbers_spread_over_rows(width, dtype):
    column = sample(70, 1, dtype=dtype)
    t, whole = column.expand(70, width), nomen.cat([column] * width, 1)
    same(t.clone(), whole)
    same(-t, -whole)
    same(t * t, whole * whole)
    for joined in (nomen.cat([t, t], -1), nomen.cat([t, whole], -1)):
        same(joined, nomen.cat([whole, whole], -1))
    for step in (1, 2):  # what lies between the rows, and between their elements, stays
        into = nomen.zeros(70, step * width + 5, dtype=t.dtype)
        into[:, 2 : 2 + step * width : step] = t
        same(into[:, 2 : 2 + step * width : step], whole)
        assert not into[:, 2 + step * width :].any() and not into[:, :2].any()
        same(into.sum(), whole.sum())


@pytest.mark.parametrize("rows", (2, 9, 70))
@pytest.mark.parametrize("width", WIDTHS)
def test_turned_operands_of_16_bytes(width, rows):
    a, b = (sample(width, rows, dtype="complex128") for _ in range(2))
    plain = sample(rows, width, dtype="complex128")
    same(plain * a.t(), plain * a.t().contiguous())
    same(a.t() - plain, a.t().contiguous() - plain)
    chosen = plain.real > 0
    same(nomen.where(chosen, a.t(), b.t()), nomen.where(chosen, a.t().clone(), b.t()))
    wide = sample(3, width, rows, dtype="complex128").permute(0, 2, 1)
    same(plain + wide, plain + wide.contiguous())
    same(wide.contiguous().permute(0, 2, 1), wide.permute(0, 2, 1))


# ---- scans of lines side by side, one behind the other, and from one to the other ----------------


@pytest.mark.parametrize(
    "dtype", ("float32", "float64", "int64", "uint8", "complex64", "complex128")
)
@pytest.mark.parametrize("lines", (2, 3, 4, 5, 9, 70))
@pytest.mark.parametrize("n", (2, 3, 5, 130, 600))
def test_scans_of_lines_however_they_lie(n, lines, dtype):
    beside = sample(n, lines, dtype=dtype)  # sums of these have no roundings
    signs = (beside.abs() > 1 if "complex" in dtype else beside > 0).to(beside.dtype) * 2 - 1
    other = (1 if lines > 5 else -1) * signs.t().contiguous()
    for name, t in (("cumsum", beside), ("cumprod", signs), ("cumsum", other.t())):
        whole = t.contiguous().numpy()
        wanted = getattr(np, name)(whole, 0).astype(whole.dtype) if dtype != "uint8" else None
        apart = nomen.zeros(2, n, lines + 1, dtype=t.dtype)
        apart[:, :, :lines] = t
        behind = t.t().contiguous().t()
        for laid in (t, behind, apart[1, :, :lines], t.t().contiguous().flip(0).flip(0).t()):
            got = getattr(laid, name)(0)
            same(got, getattr(nomen, name)(t.contiguous(), 0))
            if wanted is not None:
                np.testing.assert_array_equal(got.numpy(), wanted)
            same(getattr(laid.t(), name)(1), got.t())
            into = nomen.zeros(lines, n, dtype=got.dtype).t()
            getattr(nomen, name)(laid, 0, out=into)
            same(into, got)
        if dtype != "uint8":
            inside = behind.clone()
            getattr(inside, name + "_")(0)
            same(inside, got)


@pytest.mark.parametrize("gap", (1, 16, 53))
def test_rows_of_any_length_behind_each_other(gap):
    for n in range(1, 150):
        rows = RNG.integers(0, 256, (9, n + gap)).astype(np.uint8)
        t, into = nomen.tensor(rows), nomen.zeros(9, n + gap, dtype=nomen.uint8)
        np.testing.assert_array_equal(t[:, :n].clone().numpy(), rows[:, :n])
        np.testing.assert_array_equal((-t[:, gap:]).numpy(), -rows[:, gap:])
        into[:, gap:] = t[:, gap:]
        np.testing.assert_array_equal(into[:, gap:].numpy(), rows[:, gap:])
        assert not into[:, :gap].any()


@pytest.mark.parametrize("shape", ((4, 90), (90, 4), (17, 17), (1, 9), (9, 1)))
@pytest.mark.parametrize("k", (-100, -5, -1, 0, 2, 8, 100))
def test_triangles_of_matrices_however_they_lie(k, shape):
    plain = RNG.integers(-9, 9, (2, *shape))
    for a in (plain, plain.swapaxes(1, 2), np.repeat(plain, 2, 2)[:, :, ::2], plain[:, ::-1]):
        t = nomen.from_numpy(a) if a[0].strides[0] >= 0 else nomen.from_numpy(plain).flip(1)
        for source in (t, t.to(nomen.bfloat16), t.permute(0, 1, 2)[1]):
            values = source.double().numpy()
            same(source.tril(k).double(), nomen.from_numpy(np.tril(values, k)))
            same(source.triu(k).double(), nomen.from_numpy(np.triu(values, k)))
        inside = t.clone()
        inside.tril_(k)
        np.testing.assert_array_equal(inside.numpy(), np.tril(a, k))


@pytest.mark.parametrize("dtype", ("bool", "uint8", "int8", "int16", "int64"))
def test_short_rows_of_small_integers(dtype):
    for n in (1, 2, 3, 7, 8, 9, 15, 16, 17, 25, 40, 63, 64, 65, 127, 128, 129, 200):
        low = RNG.integers(-128, 256, (9, 3, n + 2)).astype(np.int64)
        t = nomen.from_numpy(low).to(getattr(nomen, dtype))
        values = t.numpy().copy()
        for rows, wanted in ((t[:, 1], values[:, 1]), (t[:, 1, 1:-1], values[:, 1, 1:-1])):
            np.testing.assert_array_equal(rows.sum(-1).numpy(), wanted.sum(-1, dtype=np.int64))
            np.testing.assert_array_equal(rows.flip(-1).numpy(), wanted[:, ::-1])
            np.testing.assert_array_equal(
                rows.cumsum(-1).numpy(), wanted.cumsum(-1, dtype=np.int64)
            )


def test_sums_of_extreme_bytes():
    for value, dtype in ((255, "uint8"), (-128, "int8"), (127, "int8"), (1, "bool")):
        for n in range(1, 70):
            t = nomen.full((3, n), value).to(getattr(nomen, dtype))
            assert t.sum(1).tolist() == [n * value] * 3
    seven = nomen.from_numpy(np.full((4, 33), 7, np.uint8).view(bool))  # true, but not 1
    assert seven.sum(1).tolist() == [33] * 4


@pytest.mark.parametrize("dtype", ("uint8", "int8", "int16", "int32", "int64"))
def test_powers_of_integers_wrap(dtype):
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    ends = [low, low + 1, high - 1, high, 0, 1, 2, 3, 7, *([] if low == 0 else [-1, -2, -3])]
    x, y = (np.array(v).astype(dtype) for v in zip(*itertools.product(ends, ends)))

    def power(a, b):
        if b < 0:
            return a ** (-b % 2) if abs(a) == 1 else 0
        return pow(a, b, 2**64)

    wanted = np.array([power(int(a), int(b)) % 2**64 for a, b in zip(x, y)], np.uint64)
    a, b = nomen.from_numpy(x), nomen.from_numpy(y)
    for n in (1, 3, 17, len(x)):
        got = a[-n:].pow(b[-n:])
        np.testing.assert_array_equal(got.numpy(), wanted[-n:].astype(dtype))
    gaps = nomen.stack([a, b], 1)
    np.testing.assert_array_equal(gaps[:, 0].pow(gaps[:, 1]).numpy(), wanted.astype(dtype))
    np.testing.assert_array_equal(a.pow(b[:1].expand(len(x))).numpy(), a.pow(b[0]).numpy())


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("columns", [7, 8, 9, 13, 24, 63, 130, 200, 252, 508, 600])
def test_the_first_of_the_best_in_rows(columns, dtype):
    """Of equals, of zeros of either sign and of NaN the first counts, wherever rows are cut."""
    random = np.random.default_rng(columns)
    for rows, gap in ((15, 0), (16, 0), (37, 3)):
        x = random.integers(-2, 3, (rows, columns + gap)).astype(dtype)
        if np.dtype(dtype).kind == "f":
            x[x == 1] = -0.0
            x[::5][random.random(x[::5].shape) < 2 / columns] = np.nan
        x = x[:, :columns]
        t = nomen.from_numpy(np.ascontiguousarray(x)) if gap == 0 else nomen.from_numpy(x)
        for name, best in (("max", np.argmax), ("min", np.argmin)):  # theirs take NaN, too
            values, places = getattr(t, name)(1)
            wanted = best(x, 1)
            np.testing.assert_array_equal(places.numpy(), wanted)
            assert values.numpy().tobytes() == x[np.arange(rows), wanted].tobytes()


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_rows_of_complex_numbers(dtype):
    """Sums and products of rows some at a time are those of each row by itself."""
    random = np.random.default_rng(3)
    for columns in (8, 9, 15, 17, 24, 31, 32, 50, 80, 81, 150):
        x = random.standard_normal((19, columns, 2)).view("complex128")[..., 0].astype(dtype)
        one = nomen.from_numpy(x)
        for name in ("sum", "mean", "prod"):
            all_rows = getattr(one, name)(1).numpy()
            apart = [getattr(nomen.from_numpy(row.copy()), name)().numpy() for row in x]
            if columns > 16:  # shorter ones are columns, in another order
                np.testing.assert_array_equal(all_rows, np.array(apart))
            wanted = getattr(x.astype("complex128"), name)(1)
            bound = np.abs(x).astype("float64")
            bound = bound.prod(1) if name == "prod" else bound.sum(1)
            limit = columns * np.finfo(dtype).eps * bound
            assert (np.abs(all_rows - wanted) <= limit).all()
