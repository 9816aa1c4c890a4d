"""Random calls as data: how each is made, with PyTorch to record its answer, with nomen to repeat it.

/usr/bin/python3 tests/golden/random_calls.py writes random_calls.json.gz from torch 1.13 (Debian's
python3-torch). tests/python/test_random.py repeats the calls with nomen; it needs no torch.
"""

import gzip
import itertools
import json
import pathlib

PATH = pathlib.Path(__file__).parent / "random_calls.json.gz"
REAL = ["float16", "bfloat16", "float32", "float64"]
FLOATING = REAL + ["complex64", "complex128"]
INTEGERS = ["uint8", "int8", "int16", "int32", "int64"]
SHAPES = [[3], [40], [4, 5], [2, 3, 4], [0, 2], []]
SEEDS = [0, 1, 67280421310721, 2**64 - 1]


def flat(values):
    for v in values if isinstance(values, list) else [values]:
        if isinstance(v, list):
            yield from flat(v)
        elif isinstance(v, complex):
            yield from (v.real, v.imag)
        else:
            yield v


def make(T, dtype, shape, order, step):
    """Zeros of a shape whose dims lie in memory in some order, with gaps in the innermost."""
    if not shape:
        return T.zeros((), dtype=getattr(T, dtype))
    inner = [shape[d] for d in order]
    whole = T.zeros(inner[:-1] + [inner[-1] * step], dtype=getattr(T, dtype))
    return whole[..., ::step].permute(*[order.index(d) for d in range(len(shape))])


def fractions(T, dtype, shape, order, step):
    """The same filled with numbers between 0 and 1 that every dtype holds."""
    count = 1
    for size in shape:
        count *= size
    values = T.tensor([(5 * i % 8 + 0.5) / 8 for i in range(count)], dtype=T.float64)
    return make(T, dtype, shape, order, step).copy_(values.reshape(shape))


def perform(T, c):
    """The numbers that a call draws, its strides, and what is drawn after it."""
    T.manual_seed(int(c["seed"]))
    T.rand(c["skip"])
    T.randn(c["normals"])
    layout = (c["shape"], c["order"], c["step"])
    first = fractions if c["filled"] else make
    x = first(T, c["dtype"], *layout)
    args = [
        (
            fractions(T, a["of"], a["shape"], list(range(len(a["shape"]))), 1)
            if isinstance(a, dict)
            else a
        )
        for a in c["args"]
    ]
    name = c["call"]
    if name == "randperm":
        result = T.randperm(*args, dtype=getattr(T, c["dtype"]))
    elif name in ("rand", "randn"):
        result = getattr(T, name)(c["shape"], out=x)
    elif name == "normal_number":
        result = T.normal(args[0], x)
    elif name == "normal_size":
        result = T.normal(args[0], args[1], c["shape"])
    elif name == "normal_out":
        result = T.normal(args[0], args[1], out=x)
    elif hasattr(T.zeros(1), name):
        result = getattr(x, name)(*args)
    else:
        result = getattr(T, name)(x, *args)
    after = T.zeros(1, dtype=T.int64).random_(-(2**63), None).item()
    return {
        "strides": [s for s, n in zip(result.stride(), result.shape) if n > 1],
        "values": list(flat(result.tolist())),
        "after": after,
        "kept": T.randn(1, dtype=T.float64).item(),
    }


def layouts(shape):
    order = list(range(len(shape)))
    yield order, 1
    if len(shape) > 1:
        yield order[::-1], 1
        yield order[1:] + order[:1], 2
    elif shape:
        yield order, 3


def families():
    """(call, dtypes, arguments, filled with probabilities)"""
    yield "uniform_", FLOATING, [], False
    yield "uniform_", FLOATING, [-2.5, 7.0], False
    yield "normal_", FLOATING, [], False
    yield "normal_", FLOATING, [3.0, 0.75], False
    yield "random_", REAL + INTEGERS + ["bool"], [], False
    yield "random_", REAL + INTEGERS, [100], False
    yield "random_", REAL + INTEGERS[1:], [-17, 90], False
    yield "random_", ["float32", "float64", "int64"], [-(2**40) - 1, 2**41 + 1], False
    yield "random_", REAL + INTEGERS, [5, None], False
    yield "random_", ["bfloat16", "float32", "float64", "int64"], [-(2**63), None], False
    yield "cauchy_", REAL, [1.5, 2.0], False
    yield "exponential_", REAL, [0.75], False
    yield "log_normal_", REAL, [0.25, 0.5], False
    yield "geometric_", REAL + INTEGERS, [0.3], False
    yield "bernoulli_", REAL[1:] + INTEGERS + ["bool"], [0.3], False
    yield "bernoulli_", ["float32", "int64"], "p of float32", False
    yield "bernoulli_", ["float64", "bool"], "p of float64", False
    yield "bernoulli", REAL[1:], [], True
    yield "bernoulli", REAL[1:], [0.25], True
    yield "rand_like", FLOATING, [], False
    yield "randn_like", FLOATING, [], False
    yield "randint_like", REAL + INTEGERS, [3, 50], False
    yield "rand", FLOATING, [], False
    yield "randn", FLOATING, [], False
    yield "normal", FLOATING, [1.5], True
    yield "normal", ["float32", "float64"], "std of float32", True
    yield "normal_number", REAL, [-2.0], True
    yield "normal_out", REAL, "mean and std", False
    yield "poisson", REAL[1:], [], True
    yield "dropout", REAL[1:], [0.4, True], True


def descriptions():
    turn = itertools.count()
    for call, dtypes, args, filled in families():
        for dtype, shape in itertools.product(dtypes, SHAPES):
            for order, step in layouts(shape):
                n = next(turn)
                if n % 5 and shape != [40]:
                    continue  # a part of them is enough
                given = args
                if given in ("p of float32", "p of float64", "std of float32"):
                    given = [{"of": given.split()[-1], "shape": shape}]
                elif given == "mean and std":
                    given = [{"of": dtype, "shape": shape}, {"of": "float32", "shape": shape}]
                yield dict(
                    call=call,
                    dtype=dtype,
                    shape=shape,
                    order=order,
                    step=step,
                    args=given,
                    filled=filled,
                    seed=str(SEEDS[n % 4]),
                    skip=n % 5,
                    normals=n % 2,
                )
    plain = dict(shape=[3], order=[0], step=1, filled=False, seed="4", skip=1, normals=1)
    for n, dtype in itertools.product((0, 1, 2, 60), REAL + INTEGERS):
        yield plain | dict(call="randperm", dtype=dtype, args=[n])
    for size in (3, 40):
        yield plain | dict(call="normal_size", dtype="float32", args=[2.0, 3.0], shape=[size])
    for dtype, shape, again in itertools.product(REAL[1:], ([9], [3, 5]), (True, False)):
        for count in (1, 4):
            yield plain | dict(
                call="multinomial",
                dtype=dtype,
                shape=shape,
                filled=True,
                order=list(range(len(shape))),
                args=[count, again],
            )


def main():
    import torch

    assert torch.__version__.startswith("1.13"), torch.__version__
    cases = [c | perform(torch, c) for c in descriptions()]
    text = "[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n"
    PATH.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{PATH.name}: {len(cases)} calls, {PATH.stat().st_size} bytes")


if __name__ == "__main__":
    main()
