"""Indexing of tensors whose dims lie in another order in memory: the values, and where they lie."""

import itertools

import numpy
import pytest

import nomen

DTYPES = ["uint8", "int16", "float32", "float64", "complex128"]
SIZES = [(2, 3, 4), (9, 5, 40), (40, 70, 3), (1, 33, 17), (3, 60, 90)]


def counted(size, dtype):
    """Elements that all differ, as far as the dtype can hold them, and as an array."""
    numel = int(numpy.prod(size))
    array = (numpy.arange(numel) % 251).astype(dtype).reshape(size)
    return nomen.tensor(array.ravel().tolist(), dtype=getattr(nomen, dtype)).reshape(size), array


def orders(size, dtype):
    """A tensor with its dims in all orders, the same as an array, and each dim of both."""
    t, array = counted(size, dtype)
    for order in itertools.permutations(range(len(size))):
        for dim in range(len(size)):
            yield t.permute(order), array.transpose(order), dim


def same(t, array):
    return tuple(t.shape) == array.shape and t.tolist() == array.tolist()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_slices_taken(dtype, size):
    for t, array, dim in orders(size, dtype):
        n = array.shape[dim]
        for count in (1, 2, n, 2 * n + 5):
            places = (numpy.arange(count) * 7 + 1) % n
            index = nomen.tensor(places.tolist())
            wanted = array.take(places, dim)
            assert same(t.index_select(dim, index), wanted)
            assert same(t[(slice(None),) * dim + (index,)], wanted)


@pytest.mark.parametrize("dtype", [*DTYPES, "bool", "float16", "complex64"])
@pytest.mark.parametrize("count", (0, 1, 7, 300, 40_000))
def test_taken_from_places_apart(dtype, count):
    """Indices count steps of the table, and some of them from its end."""
    for size, key in (
        ((60,), slice(None, None, 2)),
        ((90,), slice(1, None, 3)),
        ((9, 10), (slice(None), slice(None, None, 3))),
        ((9, 10), (slice(1, None, 2), slice(2, None))),
        ((40, 3), (slice(None), 1)),
        ((6, 4, 5), (slice(None, None, 2), slice(None), slice(1, 4))),
    ):
        whole, all_of_it = counted(size, dtype)
        t, array = whole[key], all_of_it[key]
        for below in (0, 1):
            flat = (numpy.arange(count) * 7) % array.size - below * array.size
            rows = (numpy.arange(count) * 7) % len(array) - below * len(array)
            assert same(t.take(nomen.tensor(flat.tolist(), dtype=nomen.int64)), array.take(flat))
            index = nomen.tensor(rows.tolist(), dtype=nomen.int64)
            assert same(t[index], array[rows])
            if not below:
                assert same(t.index_select(0, index), array[rows])
        for wrong in (array.size, -array.size - 1):
            with pytest.raises(IndexError):
                t.take(nomen.tensor([0, wrong]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_slices_filled(dtype, size):
    for t, array, dim in orders(size, dtype):
        n = array.shape[dim]
        for places in ([], [-1], [0, 0, n - 1], list(range(0, n, 2)), list(range(n))):
            wanted = array.copy()
            wanted[(slice(None),) * dim + (numpy.array(places, dtype=int),)] = 7
            index = nomen.tensor(places, dtype=nomen.int64)
            filled = t.index_fill(dim, index, 7)
            assert same(filled, wanted)
            assert filled.stride() == t.clone().stride()
            own = t.clone()
            assert own.index_fill_(dim, index, nomen.tensor(7, dtype=t.dtype)) is own
            assert same(own, wanted)
            assert same(t, array)


def test_a_number_of_what_is_filled():
    """The number is looked at before it is written over."""
    t = nomen.arange(12.0).reshape(3, 4)
    t.index_fill_(1, nomen.tensor([0, 2]), t[1, 2])
    assert t.tolist() == [[6, 1, 6, 3], [6, 5, 6, 7], [6, 9, 6, 11]]


def test_nothing_is_filled_where_a_place_is_out_of_range():
    t = nomen.zeros(3, 40)
    with pytest.raises(IndexError):
        t.index_fill_(1, nomen.tensor([*range(39), 40]), 1)
    assert t.sum() == 0


def test_the_result_lies_as_self_does():
    """Dims of self keep their order in memory, that of the index is compared with nothing."""
    x = nomen.zeros(4, 5, 6)
    index = nomen.tensor([0, 1, 2])
    assert x.permute(0, 2, 1)[index].stride() == (30, 1, 6)
    assert x.permute(1, 0, 2)[index].stride() == (24, 6, 1)
    assert x.permute(2, 1, 0)[index].stride() == (20, 1, 5)
    assert x.permute(1, 2, 0)[:, index].stride() == (1, 5, 15)
    assert x.permute(2, 0, 1)[:, :, index].stride() == (3, 18, 1)
    assert x.permute(1, 2, 0)[:, index.reshape(1, 3).expand(2, 3)].stride() == (1, 15, 5, 30)
    assert x[index].is_contiguous()


@pytest.mark.parametrize("kind", ["take", "put"])
def test_runs_of_all_lengths(kind):
    """Runs of a few bytes are moved by words, some of them over each other."""
    for run in [*range(1, 70), 95, 96, 97, 127, 128, 129, 159, 160, 161, 255, 256, 257]:
        t, array = counted((11, run), "uint8")
        places = numpy.array([10, 3, 3, 0, 7])
        index = nomen.tensor(places.tolist())
        if kind == "take":
            assert same(t.index_select(0, index), array[places])
            continue
        source, own = counted((5, run), "uint8")
        array[places] = own[::-1]
        assert same(t.index_copy(0, index, source.flip(0)), array)
