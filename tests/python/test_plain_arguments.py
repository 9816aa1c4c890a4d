"""Plain arguments are read in one pass (py_plain.c), plain indices are one view (py_index.c). Both
say what the ways for everything else say: the same calls are made with arguments of types that
these ways do not know, and with tensors that the tape records."""

import random

import pytest

import nomen


class Int(int):
    """An int that is no plain one."""


class Text(str):
    """A str that is no plain one."""


def unusual(value):
    if type(value) is int:
        return Int(value)
    if type(value) is str:
        return Text(value)
    if type(value) is tuple:
        return [unusual(v) for v in value]
    return value


def told(call):
    try:
        result = call()
    except Exception as error:
        text = str(error)
        for unusual_name, name in (("Text", "str"), ("Int", "int"), ("list", "tuple")):
            text = text.replace(unusual_name, name)
        return type(error), text
    results = result if isinstance(result, tuple) else (result,)
    return [
        (r.names, r.shape, r.stride(), r.dtype, r.storage_offset(), r.tolist()) for r in results
    ]


CALLS = [
    ("sum", (1,), {}),
    ("sum", ("C",), {}),
    ("sum", (("N", 1),), {"keepdim": True}),
    ("sum", (), {"dim": -1, "keepdim": False, "dtype": nomen.float64}),
    ("sum", ("c",), {}),
    ("sum", (2,), {}),
    ("sum", ((0, "N"),), {}),
    ("sum", (0, True, 5), {}),
    ("sum", (0,), {"dim": 1}),
    ("sum", (0,), {"kepdim": True}),
    ("max", (0,), {}),
    ("transpose", (0, 1), {}),
    ("transpose", ("N", -1), {}),
    ("transpose", ("N", "K"), {}),
    ("transpose", (0,), {}),
    ("permute", (1, 0), {}),
    ("permute", ("C", 0), {}),
    ("permute", ((1, 0),), {}),
    ("permute", (), {}),
    ("unsqueeze", (0,), {}),
    ("narrow", (0, 1, 2), {}),
    ("narrow", ("N", 2, 2), {}),
    ("select", ("C", -1), {}),
    ("softmax", ("C",), {}),
    ("topk", (2, "C"), {"largest": False}),
    ("add", (2,), {}),
    ("add", (2,), {"alpha": 3}),
    ("add", ("N",), {}),
    ("clamp", (0, 3), {}),
    ("pow", (2,), {}),
    ("rename", ("A", "B"), {}),
    ("rename", ("A", 5), {}),
    ("rename", ("...", "B"), {}),
    ("rename", (("A", "B"),), {}),
    ("align_to", ("C", "...", "K"), {}),
    ("flatten", (("N", "C"), "F"), {}),
    ("new_zeros", (2, 3), {}),
    ("new_zeros", ((2, 3),), {}),
    ("new_zeros", (2, -3), {}),
    ("cumsum", (0, 1), {}),
    ("cumsum", ("N",), {"dtype": nomen.float64}),
]


@pytest.mark.parametrize("name, args, keywords", CALLS)
def test_arguments_of_other_types_give_the_same(name, args, keywords):
    x = nomen.arange(12.0).reshape(3, 4).rename("N", "C")
    plain = told(lambda: getattr(x, name)(*args, **keywords))
    other = {k: unusual(v) for k, v in keywords.items()}
    assert plain == told(lambda: getattr(x, name)(*map(unusual, args), **other))
    function = getattr(nomen, name, None)
    if function and name != "new_zeros" and isinstance(plain, list):
        assert plain == told(lambda: function(x, *args, **keywords))


def some_index(draw, size):
    kind = draw.randrange(6)
    if kind < 2:
        return draw.randrange(-size - 1, size + 1)
    if kind == 2:
        return None
    if kind == 3:
        return ...
    ends = [draw.choice([None, draw.randrange(-6, 7)]) for _ in range(2)]
    return slice(*ends, draw.choice([None, 1, 2, 3, 0]))


def test_plain_indices_are_what_a_chain_of_views_is():
    """What is recorded goes through the chain, one operation after the other."""
    draw = random.Random(17)
    views, errors = 0, 0
    for _ in range(1500):
        sizes = tuple(draw.randrange(1, 5) for _ in range(draw.randrange(4)))
        names = draw.choice([None, "ABCD"[: len(sizes)]])
        base = nomen.arange(float(nomen.zeros(sizes).numel())).reshape(sizes)
        if draw.random() < 0.3 and len(sizes) > 1:
            base = base.transpose(0, 1)
        x = base.rename(*names) if names else base
        recorded = x.detach()
        recorded = recorded.requires_grad_(True)
        key = tuple(some_index(draw, draw.randrange(1, 5)) for _ in range(draw.randrange(1, 5)))
        key = key[0] if len(key) == 1 and draw.random() < 0.7 else key
        plain, chain = told(lambda: x[key]), told(lambda: recorded[key])
        assert plain == chain, (key, sizes, names)
        views += isinstance(plain, list)
        errors += not isinstance(plain, list)
    assert views > 500 and errors > 100


def test_a_plain_index_is_a_view_of_its_tensor():
    x = nomen.zeros(3, 4, names=("N", "C"))
    before = x._version if hasattr(x, "_version") else None
    x[1, 1:3].fill_(5)
    assert x.sum().item() == 10
    assert x[1].names == ("C",) and x[:, None].names == ("N", None, "C")
    if before is not None:
        assert x._version > before
    with nomen.no_grad():
        view = nomen.ones(2, 2, requires_grad=True)[0]
    assert not view.requires_grad


def test_an_index_that_changes_the_tensor_while_it_is_read():
    x = nomen.arange(12.0)

    class Shrinks:
        def __index__(self):
            x.resize_(2)
            return 8

    with pytest.raises((IndexError, RuntimeError)):
        x[Shrinks()]
    x.resize_(12)
    assert x[Shrinks() :].numel() in (0, 2, 4)


def test_tensors_that_died_leave_nothing_behind():
    import weakref

    gone = []
    for i in range(300):
        x = nomen.ones(2)
        reference = weakref.ref(x, lambda _: gone.append(1))
        del x
        assert reference() is None
    assert len(gone) == 300
    many = [nomen.ones(2) for _ in range(200)]
    del many
    again = [nomen.zeros(1) for _ in range(200)]
    assert len({id(t) for t in again}) == 200
    assert all(t.item() == 0 and not t.requires_grad for t in again)


@pytest.mark.parametrize(
    "numbers",
    [
        [1.5, -2.0, 0.1],
        (1.5, 1e300, float("inf")),
        [1, 2, -3],
        [1, 2.5],
        [True, 2],
        [True, False],
        [2**62, 1],
        [1, 2**40, 3],
        [1 + 2j, 1.0],
        [0.5] * 70000,
    ],
)
@pytest.mark.parametrize("dtype", [None, nomen.float32, nomen.float64, nomen.int64, nomen.float16])
def test_flat_lists_are_what_nested_ones_are(numbers, dtype):
    plain = told(lambda: nomen.tensor(numbers, dtype=dtype))
    nested = told(lambda: nomen.tensor([numbers], dtype=dtype)[0])
    assert repr(plain) == repr(nested)  # NaN is not equal to itself


class List(list):
    """A list that is no plain one."""


def test_lists_of_tensors():
    x, y = nomen.ones(2, 3, names=("N", "C")), nomen.zeros(2, 3, names=("N", "C"))
    for name in ("cat", "stack", "hstack"):
        function = getattr(nomen, name)
        wanted = told(lambda: function(List([x, y, x])))
        assert wanted == told(lambda: function([x, y, x])) == told(lambda: function((x, y, x)))
    assert nomen.cat([x, y], "C").shape == (2, 6) and nomen.cat((x,) * 20).shape == (40, 3)
    with pytest.raises(TypeError, match="found element of type int at pos 2"):
        nomen.cat([x, 2])


REDUCTIONS = "sum mean prod max min amax argmax argmin var std any all norm logsumexp nansum median"


@pytest.mark.parametrize("name", REDUCTIONS.split())
def test_reductions_of_a_few_elements_are_those_of_the_general_way(name):
    """A tensor with gaps in memory is no block, and is reduced with the same bits."""
    nomen.manual_seed(11)
    compared = 0
    for sizes in [(3,), (4, 5), (1, 7), (2, 1, 3), (3, 4, 5), (2, 3, 2, 4)]:
        wide = nomen.randn(*sizes[:-1], 2 * sizes[-1])
        x = wide[..., ::2]
        block = x.contiguous()
        for dim in [None, *range(-1, len(sizes))]:
            for dtype in (nomen.float32, nomen.float64, nomen.bfloat16):
                args = () if dim is None else (dim,)
                few = told(lambda: getattr(block.to(dtype), name)(*args))
                gaps = wide.to(dtype)[..., ::2]
                wanted = told(lambda: getattr(gaps, name)(*args))
                assert repr(few) == repr(wanted), (sizes, dim, dtype)  # NaN is not itself
                compared += isinstance(few, list)
    assert compared > 50


@pytest.mark.parametrize("dim", [0, 1, 2, -1])
def test_whole_operands_are_joined_as_parts_are(dim):
    x = nomen.arange(24.0).reshape(2, 3, 4)
    turned = x.permute(2, 1, 0).contiguous().permute(2, 1, 0)  # the same, not row-major
    empty = x.narrow(dim, 0, 0)
    for join in (nomen.cat, nomen.stack):
        assert join((x, x + 1), dim).equal(join((turned, turned + 1), dim))
    assert nomen.cat((empty, x, empty), dim).equal(x)
    assert nomen.cat((x.to(nomen.int64), x), dim).equal(nomen.cat((x, x), dim))
