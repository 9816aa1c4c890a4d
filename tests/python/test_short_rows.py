"""Short rows that are worked on many at a time: what repeats, what is spread, what has holes."""

import numpy as np
import pytest

import nomen

DTYPES = ["bool", "int8", "int16", "float32", "float64", "complex128"]
WIDTHS = [2, 3, 5, 8, 16, 17, 31, 32, 33, 129]
ROWS = [7, 8, 9, 600]


def made(shape, dtype, random):
    x = random.integers(-9, 9, shape).astype(dtype)
    return x + 1j * random.integers(-9, 9, shape) if dtype == "complex128" else x


def layouts(outer, rows, width, dtype, random):
    """Operands that broadcast to [outer, rows, width], of all kinds that short rows know."""
    shapes = [(outer, rows, width), (width,), (rows, 1), (rows, width), (outer, rows, 1),
              (outer, 1, width), (outer, 1, 1), (1,)]  # fmt: skip
    yield from (made(shape, dtype, random) for shape in shapes)
    yield made((outer, rows, width + 3), dtype, random)[..., 1:-2]  # holes between rows
    yield made((outer, rows, 2 * width), dtype, random)[..., ::2]
    yield made((2 * width,), dtype, random)[::2]
    yield made((width,), dtype, random)[::-1]
    yield made((rows, outer, width), dtype, random).transpose(1, 0, 2)
    yield made((outer, width, rows), dtype, random).transpose(0, 2, 1)


def tensor_of(x):
    """The same strides, the sign apart."""
    base = nomen.from_numpy(np.ascontiguousarray(x))
    if x.flags.c_contiguous or any(s < 0 for s in x.strides):
        return base
    span = 1 + sum((n - 1) * s // x.itemsize for n, s in zip(x.shape, x.strides))
    room = nomen.zeros(span, dtype=base.dtype)
    view = nomen.as_strided(room, x.shape, [s // x.itemsize for s in x.strides])
    view.copy_(base)
    return view


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rows", ROWS)
def test_two_operands(rows, dtype):
    random = np.random.default_rng(rows)
    for width in WIDTHS if rows < 600 else WIDTHS[1:6]:
        for outer in (1, 3):
            operands = list(layouts(outer, rows, width, dtype, random))
            for i, x in enumerate(operands):
                y = operands[(i * 5 + width) % len(operands)]
                a, b = tensor_of(x), tensor_of(y)
                wanted = x ^ y if dtype == "bool" else x * y
                found = a ^ b if dtype == "bool" else a * b
                np.testing.assert_array_equal(found.numpy(), wanted)
                np.testing.assert_array_equal((a == b).numpy(), x == y)


@pytest.mark.parametrize("width", WIDTHS)
def test_dtypes_that_differ(width):
    random = np.random.default_rng(width)
    short = list(layouts(2, 50, width, "int16", random))
    for i, x in enumerate(layouts(2, 50, width, "float32", random)):
        for y in (short[i], short[(i + 3) % len(short)]):
            found = tensor_of(x) + tensor_of(y)
            assert found.dtype is nomen.float32
            np.testing.assert_array_equal(found.numpy(), (x + y).astype("float32"))
            where = nomen.where(tensor_of(y) > 0, tensor_of(x), tensor_of(y))
            np.testing.assert_array_equal(where.numpy(), np.where(y > 0, x, y))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", WIDTHS)
def test_copies(width, dtype):
    random = np.random.default_rng(width)
    for x in layouts(2, 40, width, dtype, random):
        t = tensor_of(x).expand(2, 40, width)
        wanted = np.broadcast_to(x, (2, 40, width))
        np.testing.assert_array_equal(t.contiguous().numpy(), wanted)
        np.testing.assert_array_equal(t.to(nomen.complex64).numpy(), wanted.astype("complex64"))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", range(1, 19))
def test_few_elements_in_rows(width, dtype):
    """Every width that is moved in words, or element by element; from and to rows with holes."""
    x = made((40, 3 * width + 1), dtype, np.random.default_rng(width))
    t = nomen.from_numpy(x.copy())
    for columns in (slice(0, width), slice(1, 2 * width, 2), slice(1, 3 * width, 3)):
        want, got = x[:, columns], t[:, columns]
        assert (got.clone().numpy() == want).all()
        assert (got.flip([1]).numpy() == want[:, ::-1]).all()
        assert (got.flip([0]).numpy() == want[::-1]).all()
        assert (got.roll(1, 1).numpy() == np.roll(want, 1, 1)).all()
        room = nomen.full((40, 2 * width + 1), 1, dtype=t.dtype)
        room[:, 1::2].copy_(got)
        assert (room[:, 1::2].numpy() == want).all()
        assert (room[:, ::2].numpy() == 1).all()


@pytest.mark.parametrize("width", [2, 3, 16, 30])
def test_in_place_with_parts_of_itself(width):
    x = np.random.default_rng(1).standard_normal((100, width))
    t = nomen.tensor(x)
    for part in (np.s_[0], np.s_[:, :1], np.s_[99:], np.s_[:, 1:2], np.s_[50]):
        try:
            found = t.clone()
            found.add_(found[part])
        except RuntimeError as error:
            assert "overlap" in str(error) or "memory" in str(error)
            continue
        np.testing.assert_array_equal(found.numpy(), x + x[part])


def test_threads_and_results_with_holes():
    random = np.random.default_rng(2)
    x, y = random.standard_normal((50000, 5)), random.standard_normal((50000, 1))
    a, b = nomen.tensor(x), nomen.tensor(y)
    np.testing.assert_array_equal((a / b).numpy(), x / y)
    out = nomen.zeros(50000, 7, dtype=nomen.float64)
    nomen.mul(a, b, out=out[:, 1:6])
    np.testing.assert_array_equal(out[:, 1:6].numpy(), x * y)
    assert not out[:, 0].any() and not out[:, 6].any()
    turned = nomen.zeros(5, 50000, dtype=nomen.float64).t()
    nomen.mul(a, b, out=turned)
    np.testing.assert_array_equal(turned.numpy(), x * y)


@pytest.mark.parametrize("other", ["int16", "float32", "float64"])
@pytest.mark.parametrize(
    "rows, width", [(1, 70000), (5, 1), (7, 3), (173, 40), (513, 130), (1100, 9)]
)
def test_rows_of_one_number(rows, width, other):
    """None of the operands moves along a row: its number is computed once."""
    random = np.random.default_rng(rows)
    x = random.integers(-9, 9, (3, rows, 1)).astype("float32")
    y, z = random.integers(1, 9, (2, rows, 1)).astype(other)
    a, b, c = (nomen.tensor(t).expand(3, rows, width) for t in (x, y, z))
    wide = np.broadcast_to(x, (3, rows, width))
    np.testing.assert_array_equal((a * b).numpy(), wide * y)
    np.testing.assert_array_equal((a < b).numpy(), wide < y)
    np.testing.assert_array_equal((a + 2).numpy(), wide + 2)
    np.testing.assert_array_equal(nomen.where(a < b, b, c).numpy(), np.where(wide < y, y, z))
    if other == "float32":
        np.testing.assert_array_equal(nomen.addcmul(a, b, c).numpy(), wide + y * z)
        np.testing.assert_array_equal(a.clamp(-2, 3).numpy(), np.clip(wide, -2, 3))
    out = nomen.zeros(3, rows, 2 * width, dtype=nomen.float64)[..., ::2]
    np.testing.assert_array_equal(nomen.sub(a, b, out=out).numpy(), wide - y)
    turned = nomen.zeros(width, rows, 3, dtype=nomen.float64).permute(2, 1, 0)
    np.testing.assert_array_equal(nomen.sub(a, b, out=turned).numpy(), wide - y)


def test_rows_of_one_number_on_threads():
    x = np.random.default_rng(3).integers(-9, 9, (700, 1)).astype("float64")
    a = nomen.tensor(x).expand(700, 999)
    np.testing.assert_array_equal((a * a).numpy(), np.broadcast_to(x * x, (700, 999)))
    np.testing.assert_array_equal(
        (a * a.to(nomen.int32)).numpy(), np.broadcast_to(x * x, (700, 999))
    )


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("width", [1, 3, 8, 16, 17, 61, 173])
def test_rows_beside_numbers(width, dtype):
    """Operations of three and four operands: all ways to be a row or a number beside rows."""
    random = np.random.default_rng(width)
    rows, kind = 20, getattr(nomen, dtype)
    for kinds in range(8):
        shapes = [(rows, 1 if kinds >> k & 1 else width) for k in range(3)]
        x, y, z = (random.integers(1, 5, s).astype("float32") for s in shapes)
        a, b, c = (nomen.tensor(t).to(kind) for t in (x, y, z))
        found = nomen.addcmul(a, b, c).to(nomen.complex64).numpy()
        np.testing.assert_array_equal(found, (x + y * z).astype("complex64"))
        found = nomen.lerp(a, b, c).to(nomen.complex64).numpy()
        np.testing.assert_array_equal(found, (x + z * (y - x)).astype("complex64"))


def test_bands_that_begin_with_a_short_one():
    """Of three bands to a matrix threads may begin with the last, which has fewer rows."""
    random = np.random.default_rng(4)
    x, y = random.standard_normal((300, 700, 3)), random.standard_normal(3)
    np.testing.assert_array_equal((nomen.tensor(x) * nomen.tensor(y)).numpy(), x * y)


@pytest.mark.parametrize("width", [1, 2, 7, 8, 9, 16, 63, 173, 1024, 1025])
@pytest.mark.parametrize("rows", [2, 255, 256, 257, 600])
def test_reductions_of_rows_with_gaps(rows, width):
    random = np.random.default_rng(width)
    x = random.standard_normal((rows, width + 2))
    x[rows // 2, width // 2 + 1] = 7.5
    rest = nomen.tensor(x)[:, 1:-1]
    pair = nomen.tensor(np.stack([x, x[::-1]]))[:, :, 1:-1]
    wide = nomen.tensor(x[:1, 1:-1]).expand(rows, width)
    for t in (rest, pair, wide, wide.t()):
        y = t.numpy().copy()
        np.testing.assert_allclose(t.sum().item(), y.sum(), rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(t.var().item(), y.var(ddof=1), rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(t.logsumexp((0, 1)).sum().item(),
                                   np.log(np.exp(y).sum((0, 1))).sum(), rtol=1e-12)  # fmt: skip
        assert t.amax().item() == y.max() and t.max().item() == y.max()
        assert t.argmax().item() == y.argmax()
        assert t.norm(float("inf")).item() == np.abs(y).max()
        assert (t > 7).any().item() == (y > 7).any() and (t < 7).all().item() == (y < 7).all()
        assert t.count_nonzero().item() == np.count_nonzero(y)
        np.testing.assert_allclose((1 + t / 1e4).prod().item(), (1 + y / 1e4).prod(), rtol=1e-12)


def test_threads_and_rows_with_gaps():
    x = np.random.default_rng(1).standard_normal((3000, 202)).astype("float32")
    wanted = x[:, 1:-1].astype("float64")
    t = nomen.from_numpy(x)[:, 1:-1]
    before, found = nomen.get_num_threads(), set()
    try:
        for threads in (1, 2, 5):
            nomen.set_num_threads(threads)
            found.add((t.sum().item(), t.nansum().item(), t.std().item()))
    finally:
        nomen.set_num_threads(before)
    ((total, same, std),) = found
    np.testing.assert_allclose([total, same], [wanted.sum()] * 2, rtol=1e-6)
    np.testing.assert_allclose(std, wanted.std(ddof=1), rtol=1e-6)


def test_take_from_what_has_gaps():
    random = np.random.default_rng(2)
    x = random.standard_normal((40, 50))
    base = nomen.tensor(x)
    for t in (base.t(), base[:, ::3], base[:1].expand(30, 50), base[3]):
        y = t.numpy()
        for n in (3, y.size, 4 * y.size):
            at = random.integers(-y.size, y.size, n)
            np.testing.assert_array_equal(t.take(nomen.tensor(at)).numpy(), y.take(at))
        with pytest.raises(IndexError, match="out of range"):
            t.take(nomen.full((2000,), y.size))
    grad = nomen.tensor(x, requires_grad=True)
    at = nomen.tensor(random.integers(0, 2000, 3000))
    grad.t().take(at).sum().backward()
    wanted = np.bincount(at.numpy(), minlength=2000).reshape(50, 40).T
    np.testing.assert_array_equal(grad.grad.numpy(), wanted)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_few(dtype):
    """Elements a few places apart, up to the last one of their memory."""
    random = np.random.default_rng(3)
    for step in (*range(2, 18), 25, 43):
        for n in (1, 7, 31, 32, 33, 64, 65, 130, 331):
            x = made(((n - 1) * step + 1,), dtype, random)
            t = nomen.from_numpy(x).clone()
            np.testing.assert_array_equal(t[::step].contiguous().numpy(), x[::step])
            np.testing.assert_array_equal((t[::step] == 3).numpy(), x[::step] == 3)
