"""A few places of many rows, and indices along short dims: the same as place by place."""

import pytest

import nomen

pytestmark = pytest.mark.usefixtures("threads_kept")

SHAPES = [(700, 3), (23, 11, 5), (90, 4, 1), (5, 40, 4, 2), (3, 2, 900)]
DTYPES = ["float32", "bfloat16", "int16", "bool", "complex64", "complex128"]


def tables(shape, dtype):
    x = (nomen.randn(*shape, dtype=nomen.float64) * 9).to(getattr(nomen, dtype))
    yield x
    yield (nomen.randn(*shape[::-1], dtype=nomen.float64) * 9).to(x.dtype).permute(
        list(range(len(shape)))[::-1]
    )
    yield x.repeat_interleave(2, -1)[..., ::2]


def one_by_one(x, dim, places, source, put):
    out = x.clone()
    for i, place in enumerate(places):
        put(out.select(dim, place), source.select(dim, i))
    return out


@pytest.mark.parametrize("dtype", DTYPES)
def test_few_places_of_many_rows(dtype):
    nomen.manual_seed(2)
    for shape in SHAPES:
        for x in tables(shape, dtype):
            for dim, size in enumerate(shape):
                places = [size - 1, 0, size // 2, 0][: max(1, min(size, 4))]
                index = nomen.tensor(places)
                for threads in (1, 3):
                    nomen.set_num_threads(threads)
                    taken = x.index_select(dim, index)
                    for i, place in enumerate(places):
                        assert nomen.equal(taken.select(dim, i), x.select(dim, place))
                    filled = x.index_fill(dim, index, 1)
                    wanted = one_by_one(x, dim, places, taken, lambda to, _: to.fill_(1))
                    assert nomen.equal(filled, wanted)
                    source = taken.flip(0)
                    copied = x.index_copy(dim, index, source)
                    wanted = one_by_one(x, dim, places, source, lambda to, own: to.copy_(own))
                    assert nomen.equal(copied, wanted)
                    if dtype == "bool":
                        continue
                    added = x.index_add(dim, index, source)
                    wanted = one_by_one(x, dim, places, source, lambda to, own: to.add_(own))
                    assert nomen.equal(added, wanted)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int16", "complex128"])
def test_indices_along_short_dims(dtype):
    nomen.manual_seed(4)
    for shape in SHAPES:
        for x in tables(shape, dtype):
            for dim, size in enumerate(shape):
                index = nomen.randint(0, size, shape)
                flat = nomen.arange(x.numel()).reshape(shape)
                # where each element comes from, counted in row-major order
                behind = 1
                for later in shape[dim + 1 :]:
                    behind *= later
                own = nomen.arange(size).reshape([size] + [1] * (len(shape) - dim - 1))
                places = flat + (index - own) * behind
                for threads in (1, 3):
                    nomen.set_num_threads(threads)
                    wanted = x.contiguous().flatten()[places.flatten()].reshape(shape)
                    assert nomen.equal(x.gather(dim, index), wanted)
                    put = x.contiguous().flatten().clone()
                    put.index_copy_(0, places.flatten(), x.flatten())
                    assert nomen.equal(x.scatter(dim, index, x), put.reshape(shape))
                    put = x.contiguous().flatten().clone()
                    put.index_add_(0, places.flatten(), x.flatten())
                    assert nomen.equal(x.scatter_add(dim, index, x), put.reshape(shape))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [1, 2, 7, 19])
def test_places_whose_rows_have_a_step(dtype, count):
    """Rows of a table whose elements lie some apart are moved as they lie."""
    nomen.manual_seed(3)
    for size in (31, 32, 33, 64, 70):
        for step in (2, 3, 8, 18):
            whole = (nomen.randn(20, size * step, dtype=nomen.float64) * 9).to(
                getattr(nomen, dtype)
            )
            index = nomen.randperm(20)[:count]
            x = whole[:, ::step]
            dense = x.contiguous()
            taken = dense.index_select(0, index)
            assert nomen.equal(x.index_select(0, index), taken)
            assert nomen.equal(x[index], taken)
            assert nomen.equal(x[:, 1].index_select(0, index), dense[:, 1][index])
            for put in (
                lambda t, own: t.index_copy_(0, index, own),
                lambda t, own: t.index_fill_(0, index, 1),
                lambda t, own: t.index_add_(0, index, own) if dtype != "bool" else t,
                lambda t, own: t.index_put_((index,), own[0, 0]),
            ):
                changed, wanted = whole.clone(), dense.clone()
                put(changed[:, ::step], taken.flip(0))
                put(wanted, taken.flip(0))
                assert nomen.equal(changed[:, ::step], wanted)
                assert nomen.equal(changed[:, 1::step], whole[:, 1::step])


@pytest.mark.parametrize("p", [3, 0.5, -2])
def test_norm_of_one_element_is_its_size(p):
    x = nomen.tensor([[1e200], [-3.0], [0.0]], dtype=nomen.float64)
    assert nomen.equal(nomen.norm(x, p, 1), x[:, 0].abs())
    y = nomen.ones(4, 1, dtype=nomen.float64, names=("N", "C")).mul(2).requires_grad_()
    size = nomen.norm(y, p, "C")
    assert size.names == ("N",)
    size.sum().backward()
    assert nomen.equal(y.grad.rename(None), nomen.ones(4, 1, dtype=nomen.float64))


def test_sizes_of_complex128_have_all_digits():
    # Pythagorean triples are exact, at any scale
    for scale in (1.0, 2.0**300, 2.0**-500, 2.0**-1060):
        x = nomen.complex(
            nomen.tensor([3.0, 5, 8, 7, 20, 12, 9, 28, 11], dtype=nomen.float64) * scale,
            nomen.tensor([4.0, 12, 15, 24, 21, 35, 40, 45, 60], dtype=nomen.float64) * scale,
        )
        wanted = nomen.tensor([5.0, 13, 17, 25, 29, 37, 41, 53, 61], dtype=nomen.float64) * scale
        assert nomen.equal(x.abs(), wanted)
        assert nomen.equal(nomen.norm(x.unsqueeze(1), float("inf"), 1), wanted)
