"""Every row of the table against NumPy, over dtypes, layouts, names, out= and in place.

Every row's example runs, whether or not it has a reference here.
"""

import doctest
import json
from pathlib import Path

import numpy as np
import pytest

import nomen

ROWS = {row["name"]: row for row in json.loads(Path("tests/ops.gen.json").read_text())["ops"]}
NUMPY = {
    "BOOL": "bool",
    "U8": "uint8",
    "I8": "int8",
    "I16": "int16",
    "I32": "int32",
    "I64": "int64",
    "F16": "float16",
    "F32": "float32",
    "F64": "float64",
    "C64": "complex64",
    "C128": "complex128",
}


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.true_divide,
    "pow": np.power,
    "atan2": np.arctan2,
    "hypot": np.hypot,
    "logaddexp": np.logaddexp,
    "logaddexp2": np.logaddexp2,
    "copysign": np.copysign,
    "remainder": np.remainder,
    "fmod": np.fmod,
    "floor_divide": np.floor_divide,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "bitwise_left_shift": np.left_shift,
    "bitwise_right_shift": np.right_shift,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
UNARY = {
    "neg": np.negative,
    "abs": np.abs,
    "exp": np.exp,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "exp2": lambda x: np.power(x.dtype.type(2), x) if x.dtype.kind == "c" else np.exp2(x),
    "expm1": np.expm1,
    "tan": np.tan,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asinh": np.arcsinh,
    "sinc": np.sinc,
    "deg2rad": np.deg2rad,
    "rad2deg": np.rad2deg,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round": np.round,
    "frac": lambda x: np.modf(x)[0],
    "sign": lambda x: x if x.dtype == bool else np.sign(x),
    "bitwise_not": np.invert,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "isposinf": np.isposinf,
    "isneginf": np.isneginf,
    "signbit": lambda x: x < 0,
    "nan_to_num": np.nan_to_num,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "sin": np.sin,
    "cos": np.cos,
    "relu": lambda x: np.maximum(x, 0),
    "reciprocal": lambda x: 1 / x,
    "square": np.square,
    "conj": np.conj,
    "sgn": lambda x: x / np.maximum(np.abs(x), 1e-9),
    "logical_not": np.logical_not,
    "isnan": np.isnan,
    "clone": lambda x: x,
}
REDUCE = {
    "sum": np.sum,
    "mean": np.mean,
    "prod": np.prod,
    "any": np.any,
    "all": np.all,
    "var": lambda x, axis=None: np.var(x, axis, ddof=1),
    "std": lambda x, axis=None: np.std(x, axis, ddof=1),
    "max": np.max,
    "min": np.min,
    "argmax": np.argmax,
    "argmin": np.argmin,
    "logsumexp": lambda x, axis: np.log(np.exp(x).sum(axis)),
}
ROWWISE = {"softmax": softmax, "log_softmax": lambda x, axis: np.log(softmax(x, axis))}
TOLERANCE = {
    "float16": 4e-3,
    "float32": 3e-6,
    "complex64": 3e-6,
    "float64": 1e-12,
    "complex128": 1e-12,
}


def data(dtype, shape, seed=0):
    """Values that every function here is defined for: positive, small, no zeros but for bool."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if "int" in dtype:
        return rng.integers(1, 4, shape).astype(dtype)
    x = rng.uniform(0.5, 2, shape)
    return (
        (x + 1j * rng.uniform(0.5, 2, shape)).astype(dtype)
        if "complex" in dtype
        else x.astype(dtype)
    )


def layouts(x, names=("N", "C", "W")):
    """The same values whole, permuted, with gaps, and without names."""
    flat = nomen.tensor(x.reshape(-1).tolist(), dtype=getattr(nomen, str(x.dtype)))
    t = flat.reshape(x.shape).rename(*names[: x.ndim])
    yield t
    yield t.rename(None)
    if x.ndim > 1:
        order = list(range(x.ndim))[::-1]
        yield t.permute(*order).clone(memory_format="contiguous_format").permute(*order)
        wide = nomen.stack([t, t], dim=x.ndim).flatten(start_dim=x.ndim - 1, end_dim=x.ndim)
        yield wide.rename(*t.names)[..., ::2]


def check(result, expected, names):
    assert result.shape == expected.shape
    got = np.array(result.tolist()).reshape(expected.shape)
    if (
        expected.dtype == np.uint64
    ):  # NumPy sums and multiplies uint8 in uint64, PyTorch and nomen in int64
        expected = expected.astype(np.int64)
    assert result.names == names
    if result.dtype == nomen.float16:
        with np.errstate(over="ignore"):
            expected = expected.astype("float16")
    tolerance = TOLERANCE.get(str(result.dtype).split(".")[-1], 0)
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


def dtypes_of(name):
    return [NUMPY[d] for d in ROWS[name]["dtypes"] if d in NUMPY]


@pytest.mark.parametrize("name", sorted(UNARY))
def test_unary(name):
    for dtype in dtypes_of(name):
        for shape in ((), (0,), (5,), (3, 4), (2, 3, 4)):
            x = data(dtype, shape)
            expected = UNARY[name](x.astype("float64") if dtype == "float16" else x)
            for t in layouts(x):
                check(getattr(nomen, name)(t), expected, t.names)
                check(getattr(t, name)(), expected, t.names)
                if "o" in ROWS[name]["forms"]:
                    out = nomen.empty(0, dtype=getattr(nomen, name)(t).dtype)
                    assert getattr(nomen, name)(t, out=out) is out
                    check(out, expected, t.names)
                if "i" in ROWS[name]["forms"] and getattr(nomen, name)(t).dtype == t.dtype:
                    c = t.clone()
                    assert getattr(c, name + "_")() is c
                    check(c, expected, t.names)


@pytest.mark.parametrize("name", sorted(BINARY))
def test_binary(name):
    for dtype in dtypes_of(name):
        for a, b in (
            ((3, 4), (3, 4)),
            ((3, 4), (4,)),
            ((2, 1, 4), (3, 1)),
            ((3,), ()),
            ((0, 4), (1, 4)),
        ):
            if dtype == "bool" and name in ("pow",):
                continue
            x, y = data(dtype, a), data(dtype, b, 1)
            wide = dtype == "float16"
            expected = BINARY[name](
                x.astype("float64") if wide else x, y.astype("float64") if wide else y
            )
            names = ("N", "C", "W")[-max(len(a), len(b)) :]
            for t in layouts(x, names[len(names) - len(a) :]):
                for u in layouts(y, names[len(names) - len(b) :]):
                    result = getattr(nomen, name)(t, u)
                    want = tuple(
                        next(
                            (
                                n
                                for n in (
                                    side[i] for side in (pad(t, len(names)), pad(u, len(names)))
                                )
                                if n
                            ),
                            None,
                        )
                        for i in range(len(names))
                    )
                    check(result, expected, want)
                    out = nomen.empty(0, dtype=result.dtype)
                    check(getattr(nomen, name)(t, u, out=out), expected, want)


def pad(t, ndim):
    return (None,) * (ndim - t.ndim) + t.names


@pytest.mark.parametrize("name", sorted(REDUCE))
def test_reductions(name):
    single = ROWS[name]["args"][1]["kind"] == "dim"
    for dtype in dtypes_of(name):
        for shape in ((5,), (3, 4), (2, 3, 10)):
            x = data(dtype, shape)
            wide = x.astype("float64") if dtype == "float16" else x
            for t in layouts(x):
                if name != "logsumexp":
                    check(getattr(t, name)(), np.asarray(REDUCE[name](wide)), ())
                for axis in range(len(shape)):
                    result = getattr(t, name)(axis)
                    result = result.values if name in ("max", "min") else result
                    check(
                        result, REDUCE[name](wide, axis=axis), t.names[:axis] + t.names[axis + 1 :]
                    )
                    if t.names[axis]:
                        kept = getattr(t, name)(t.names[axis], keepdim=True)
                        kept = kept.values if name in ("max", "min") else kept
                        check(kept, np.expand_dims(REDUCE[name](wide, axis=axis), axis), t.names)
                if not single and len(shape) == 3:
                    check(getattr(t, name)([0, 2]), REDUCE[name](wide, axis=(0, 2)), t.names[1:2])


@pytest.mark.parametrize("name", sorted(ROWWISE))
def test_rows(name):
    for dtype in dtypes_of(name):
        for shape in ((5,), (3, 4), (2, 30, 4)):
            x = data(dtype, shape)
            for t in layouts(x):
                for axis in range(len(shape)):
                    check(
                        getattr(t, name)(t.names[axis] or axis),
                        ROWWISE[name](x.astype("float64"), axis),
                        t.names,
                    )


def test_products():
    for dtype in dtypes_of("matmul"):
        for a, b in (
            ((4,), (4,)),
            ((3, 4), (4,)),
            ((4,), (4, 5)),
            ((3, 4), (4, 5)),
            ((2, 3, 4), (4, 5)),
            ((2, 1, 3, 4), (7, 4, 5)),
            ((20, 33), (33, 17)),
            ((3, 0), (0, 2)),
        ):
            x, y = data(dtype, a), data(dtype, b, 1)
            expected = (
                np.matmul(x.astype("float64"), y.astype("float64"))
                if dtype == "float16"
                else np.matmul(x, y)
            )
            p, q = (
                nomen.tensor(v.tolist(), dtype=getattr(nomen, dtype)).reshape(v.shape)
                for v in (x, y)
            )
            result = nomen.matmul(p, q)
            check(result, np.asarray(expected), (None,) * expected.ndim)
            special = {(1, 1): "dot", (2, 1): "mv", (2, 2): "mm"}.get((len(a), len(b)))
            if special:
                check(getattr(nomen, special)(p, q), np.asarray(expected), (None,) * expected.ndim)
    batch = nomen.bmm(nomen.ones(5, 2, 3, names=("B", "N", "D")), nomen.ones(5, 3, 4))
    assert batch.names == ("B", "N", None) and batch.sum().item() == 5 * 2 * 4 * 3
    m = nomen.ones(2, 3, names=("N", "D"))
    both = nomen.addmm(
        nomen.tensor([1.0, 2.0]).refine_names("out"), m, nomen.ones(3, 2), beta=10, alpha=2
    )
    assert both.tolist() == [[16.0, 26.0], [16.0, 26.0]] and both.names == ("N", "out")


def test_select_and_limit():
    x = nomen.tensor([[-1.0, 2.0], [float("nan"), -4.0]], names=("N", "C"))
    assert nomen.where(x > 0, x, 0).tolist() == [[0, 2], [0, 0]]
    limited = x.clamp(-2, 1)
    assert (
        limited.names == x.names and limited[0].tolist() == [-1, 1] and limited[1, 1].item() == -2
    )
    assert np.isnan(limited[1, 0].item())
    assert x.clamp(min=nomen.tensor([0.0, 3.0], names=("C",)))[0].tolist() == [0, 3]
    assert nomen.tensor([1, 5]).clamp(max=3).tolist() == [1, 3]
    with pytest.raises(RuntimeError, match="At least one of"):
        x.clamp()


def test_joins():
    for dtype in dtypes_of("cat"):
        x, y = data(dtype, (2, 3)), data(dtype, (2, 3), 1)
        for t in layouts(x):
            for u in layouts(y):
                want = tuple(p or q for p, q in zip(t.names, u.names))
                check(nomen.cat([t, u], 1), np.concatenate([x, y], 1), want)
                check(nomen.stack([t, u], 1), np.stack([x, y], 1), (want[0], None, want[1]))


def test_joins_refuse_to_write_over_what_they_read():
    big = nomen.arange(4)
    with pytest.raises(RuntimeError, match="cannot refer to any of the output memory"):
        nomen.cat([big[2:], big[:2]], out=big)
    assert big.tolist() == [0, 1, 2, 3]


def test_views():
    x = np.arange(24).reshape(2, 3, 4)
    for t in layouts(x):
        n = t.names
        check(t.transpose(0, -1), x.transpose(2, 1, 0), n[::-1])
        check(t.permute(1, 2, 0), x.transpose(1, 2, 0), (n[1], n[2], n[0]))
        check(t.select(1, -1), x[:, -1], (n[0], n[2]))
        check(t.narrow(2, 1, 2), x[:, :, 1:3], n)
        check(t[:, ::2, 1:], x[:, ::2, 1:], n)
        check(t.unsqueeze(1), x[:, None], (n[0], None, n[1], n[2]))
        check(t.unsqueeze(-1).squeeze(-1), x, n)
        check(t[:1].expand(2, -1, -1), np.broadcast_to(x[:1], (2, 3, 4)), n)
        check(t.reshape(6, -1), x.reshape(6, 4), (None, n[2]))
        check(t.transpose(0, 1).reshape(-1), x.transpose(1, 0, 2).reshape(-1), (None,))
        for piece, want in zip(t.split(2, 1), (x[:, :2], x[:, 2:])):
            check(piece, want, n)
        for piece, want in zip(t.chunk(3, 2), (x[:, :, :2], x[:, :, 2:])):
            check(piece, want, n)
        for piece, want in zip(t.unbind(0), x):
            check(piece, want, n[1:])


def test_creation():
    for dtype in NUMPY.values():
        d = getattr(nomen, dtype)
        for make, value in ((nomen.zeros, 0), (nomen.ones, 1)):
            t = make(2, 3, names=("N", "C"), dtype=d)
            assert t.dtype == d and t.names == ("N", "C") and t.tolist() == [[value] * 3] * 2
        assert nomen.full((2,), 1, dtype=d).tolist() == [1, 1]
        like = nomen.ones(2, names=("N",), dtype=d)
        for make, value in ((nomen.zeros_like, 0), (nomen.ones_like, 1)):
            assert (
                make(like).tolist() == [value] * 2
                and make(like).dtype == d
                and make(like).names == ("N",)
            )
        assert nomen.full_like(like, 1).tolist() == [1, 1] and nomen.empty_like(like).shape == (2,)
    assert nomen.empty(0, 3).shape == (0, 3)
    assert nomen.arange(5).tolist() == list(range(5))
    assert nomen.arange(1, 2, 0.25).tolist() == [1, 1.25, 1.5, 1.75]
    assert nomen.arange(5, 0, -2, dtype=nomen.float64).tolist() == [5, 3, 1]


def test_moves():
    for source in NUMPY.values():
        x = data(source, (2, 3))
        for target in NUMPY.values():
            for t in layouts(x):
                with np.errstate(all="ignore"):
                    want = (
                        x.real if "complex" in source and "complex" not in target else x
                    ).astype(target)
                assert t.to(getattr(nomen, target)).tolist() == want.tolist()
                into = nomen.zeros(2, 3, dtype=getattr(nomen, target))
                assert (
                    into.copy_(t) is into
                    and into.tolist() == want.tolist()
                    and into.names == t.names
                )
    t = nomen.zeros(3, 2).transpose(0, 1)
    assert not t.is_contiguous() and t.contiguous().is_contiguous()
    assert t.fill_(3).tolist() == [[3] * 3] * 2 and t.zero_().tolist() == [[0] * 3] * 2


def page_of(name):
    """What is written of a row that Python calls by other words (indices) only."""
    assert not ROWS[name]["forms"].replace("i", "")
    page = Path("docs/operations.gen.md").read_text()
    return page.split(f"\n## {name}\n")[1].split("```")[1].removeprefix("text\n")


@pytest.mark.parametrize("name", sorted(ROWS))
def test_example(name):
    """What the documentation shows is what comes out."""
    module = getattr(nomen, name, None)
    thing = (
        (module if callable(module) else None)
        or getattr(nomen.Tensor, name, None)
        or getattr(nomen.Tensor, name + "_", None)
    )
    text = thing.__doc__ if thing else page_of(name)
    tests = doctest.DocTestParser().get_doctest(text, {"nomen": nomen}, name, None, 0)
    assert tests.examples
    report = []
    doctest.DocTestRunner().run(tests, out=report.append)
    assert not report, "".join(report)
