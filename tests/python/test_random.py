"""Random numbers: the draws of PyTorch (tests/golden/random_calls.py), what the distributions look
like, and what is refused."""

import gzip
import importlib.util
import json
import math
import pathlib

import numpy as np
import pytest

import nomen

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden" / "random_calls.py"
spec = importlib.util.spec_from_file_location("random_calls", GOLDEN)
calls = importlib.util.module_from_spec(spec)
spec.loader.exec_module(calls)

DIGITS = {
    "float16": 11,
    "bfloat16": 8,
    "float32": 24,
    "complex64": 24,
    "float64": 53,
    "complex128": 53,
}
# Functions of libm are in these, so other versions of it may give other last bits.
FROM_LIBM = {
    "normal_",
    "cauchy_",
    "exponential_",
    "log_normal_",
    "randn",
    "randn_like",
    "normal",
    "normal_number",
    "normal_out",
    "normal_size",
}


def steps_apart(a, b, dtype):
    """How many numbers of the dtype lie between a and b."""
    if a == b or (math.isnan(a) and math.isnan(b)):
        return 0
    if not (math.isfinite(a) and math.isfinite(b)):
        return math.inf
    return abs(a - b) / 2.0 ** (math.frexp(max(abs(a), abs(b)))[1] - DIGITS[dtype])


def test_draws_are_those_of_pytorch():
    cases = json.loads(gzip.decompress(calls.PATH.read_bytes()))
    seen = set()
    for c in cases:
        got = calls.perform(nomen, c)
        label = {k: c[k] for k in ("call", "dtype", "shape", "order", "step", "args", "seed")}
        assert got["strides"] == c["strides"] or c["call"] == "dropout" or 0 in c["shape"], label
        assert got["after"] == c["after"] and len(got["values"]) == len(c["values"]), label
        assert steps_apart(got["kept"], c["kept"], "float64") <= 4, label
        most = 4 if c["call"] in FROM_LIBM else 0
        for x, y in zip(got["values"], c["values"]):
            assert x == y if not most else steps_apart(x, y, c["dtype"]) <= most, (label, x, y)
        seen.add((c["call"], c["dtype"]))
    assert len(cases) > 500 and len(seen) > 120


# ---- distributions ---------------------------------------------------------------------------

N = 40000


def phi(x):
    return 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


CONTINUOUS = {
    "uniform": (lambda x: x.uniform_(-3, 5), lambda v: (v + 3) / 8),
    "normal": (lambda x: x.normal_(2, 3), lambda v: phi((v - 2) / 3)),
    "normal, singly": (
        lambda x: x.unsqueeze(1).expand(N, 2).clone()[:, 0].normal_(2, 3),
        lambda v: phi((v - 2) / 3),
    ),
    "exponential": (lambda x: x.exponential_(0.5), lambda v: 1 - np.exp(-0.5 * v)),
    "cauchy": (lambda x: x.cauchy_(1, 2), lambda v: 0.5 + np.arctan((v - 1) / 2) / math.pi),
    "log_normal": (lambda x: x.log_normal_(0.5, 0.25), lambda v: phi((np.log(v) - 0.5) / 0.25)),
}


@pytest.mark.parametrize("dtype", [nomen.float32, nomen.float64])
@pytest.mark.parametrize("name", sorted(CONTINUOUS))
def test_kolmogorov_smirnov(name, dtype):
    draw, distribution = CONTINUOUS[name]
    nomen.manual_seed(11)
    sample = draw(nomen.zeros(N, dtype=dtype))
    values = np.sort(np.array(sample.tolist()))
    expected = distribution(values)
    steps = np.arange(N + 1) / N
    distance = max(np.abs(expected - steps[:-1]).max(), np.abs(expected - steps[1:]).max())
    assert distance < 1.63 / math.sqrt(N)  # exceeded by one sample in a hundred; the seed is fixed
    wrong = np.sort(np.array((sample * 1.05 + 0.05).tolist()))
    assert np.abs(distribution(wrong) - steps[1:]).max() > 1.63 / math.sqrt(
        N
    )  # the test would notice


def moments(t):
    values = np.array(t.tolist(), dtype=np.float64)
    return values.mean(), values.var()


def test_moments_of_counts():
    nomen.manual_seed(12)
    zeros = nomen.zeros(N)
    expected = {
        "geometric": (zeros.clone().geometric_(0.25), 4, 12),
        "bernoulli": (zeros.clone().bernoulli_(0.2), 0.2, 0.16),
        "few": (nomen.poisson(nomen.full((N,), 3.5)), 3.5, 3.5),
        "many": (nomen.poisson(nomen.full((N,), 60.0)), 60, 60),
        "integers": (nomen.randint(-5, 16, (N,)), 5, 440 / 12),
        "wide": (nomen.zeros(N, dtype=nomen.float64).random_(0, 2**40) / 2**40, 0.5, 1 / 12),
        "dropout": (nomen.dropout(nomen.ones(N), 0.75, True), 1, 3),
    }
    for name, (sample, mean, variance) in expected.items():
        got_mean, got_variance = moments(sample)
        assert abs(got_mean - mean) < 4 * math.sqrt(variance / N), name
        assert abs(got_variance / variance - 1) < 0.06, name


def test_moments_of_complex_numbers():
    nomen.manual_seed(13)
    z = np.array(nomen.zeros(N, dtype=nomen.complex128).normal_(1, 2).tolist())
    assert abs(z.real.mean() - 1) < 0.03 and abs(z.imag.mean() - 1) < 0.03
    assert abs(z.real.var() - 2) < 0.06 and abs(z.imag.var() - 2) < 0.06
    assert abs(np.mean((z.real - 1) * (z.imag - 1))) < 0.03


def test_permutations_are_all_equally_likely():
    nomen.manual_seed(14)
    counts = {}
    for _ in range(2400):
        p = tuple(nomen.randperm(4).tolist())
        assert sorted(p) == [0, 1, 2, 3]
        counts[p] = counts.get(p, 0) + 1
    assert len(counts) == 24
    assert (
        sum((n - 100) ** 2 / 100 for n in counts.values()) < 49.7
    )  # chi square, 23 degrees, one in a thousand


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_multinomial_looks_up_running_sums(dtype):
    """Few draws from many categories, for which not all sums are divided, and many from few."""
    for shape, count in [((100000,), 5), ((3, 20000), 30), ((40,), 3000), ((5, 7), 2), ((1, 1), 4)]:
        weights = np.random.default_rng(5).random(shape).astype(dtype)
        own = nomen.from_numpy(weights)
        for given in (own, own[..., None].expand(*shape, 2)[..., 1]):
            nomen.manual_seed(11)
            u = nomen.rand(*shape[:-1], count, dtype=nomen.float64).numpy().reshape(-1, count)
            nomen.manual_seed(11)
            got = nomen.multinomial(given, count, True).numpy().reshape(-1, count)
            sums = np.cumsum(weights.reshape(-1, shape[-1]), -1)
            parts = (sums / sums[:, -1:]).astype(np.float64)
            for row, drawn, places in zip(parts, u, got):
                assert places.tolist() == np.searchsorted(row[:-1], drawn).tolist()


def test_multinomial_frequencies():
    nomen.manual_seed(15)
    weights = nomen.tensor([1.0, 0.0, 3.0, 4.0])
    drawn = np.bincount(nomen.multinomial(weights, N, True).tolist(), minlength=4) / N
    assert drawn[1] == 0 and np.abs(drawn - np.array([1, 0, 3, 4]) / 8).max() < 0.01
    for row in nomen.multinomial(nomen.ones(50, 9, dtype=nomen.float16), 9).tolist():
        assert sorted(row) == list(range(9))
    first = [nomen.multinomial(weights, 2).tolist()[0] for _ in range(2000)]
    assert abs(first.count(3) / 2000 - 0.5) < 0.05 and 1 not in first


def test_fork_rng():
    nomen.manual_seed(21)
    with nomen.random.fork_rng():
        inside = nomen.rand(3).tolist()
    assert nomen.rand(3).tolist() == inside
    with pytest.raises(ZeroDivisionError), nomen.random.fork_rng(devices=[]):
        nomen.rand(3)
        1 / 0
    after = nomen.rand(3).tolist()
    nomen.manual_seed(21)
    with nomen.random.fork_rng(enabled=False):
        nomen.rand(3)
    assert nomen.rand(3).tolist() == after
    assert nomen.random.manual_seed(3) is nomen.random.default_generator


# ---- in place: names, layouts, dtypes, the tape ----------------------------------------------

FILLS = {
    "uniform_": (),
    "normal_": (),
    "random_": (),
    "cauchy_": (),
    "exponential_": (),
    "log_normal_": (),
    "geometric_": (0.5,),
    "bernoulli_": (),
}


@pytest.mark.parametrize("name", sorted(FILLS))
def test_fill(name):
    args = FILLS[name]
    x = nomen.zeros(3, 4, names=("N", "C"))
    version = x._version
    assert getattr(x, name)(*args) is x
    assert x.names == ("N", "C") and x._version > version
    nomen.manual_seed(3)
    whole = getattr(nomen.zeros(30), name)(*args)
    nomen.manual_seed(3)
    turned = getattr(nomen.zeros(5, 6).t(), name)(*args)  # numbers come in the order of memory
    if name != "normal_":
        assert turned.t().reshape(30).tolist() == whole.tolist()
    nomen.manual_seed(3)
    part = nomen.zeros(5, 12, names=("N", "C"))
    getattr(part[:, ::2], name)(*args)
    assert part[:, ::2].reshape(30).tolist() == turned.t().reshape(30).tolist()
    assert part[:, 1::2].abs().sum().item() == 0 and part.names == ("N", "C")
    leaf = nomen.zeros(3, requires_grad=True)
    with pytest.raises(
        RuntimeError, match="a leaf Variable that requires grad is being used in an in-place"
    ):
        getattr(leaf, name)(*args)
    assert leaf.tolist() == [0, 0, 0]
    with nomen.no_grad():
        getattr(leaf, name)(*args)
    y = leaf * 2
    getattr(y, name)(*args)
    y.sum().backward()
    assert leaf.grad.tolist() == [0, 0, 0]
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        getattr(nomen.zeros(1).expand(3), name)(*args)
    g, h = nomen.Generator().manual_seed(3), nomen.Generator().manual_seed(3)
    state = nomen.get_rng_state().tolist()
    assert (
        getattr(nomen.zeros(9), name)(*args, generator=g).tolist()
        == getattr(nomen.zeros(9), name)(*args, generator=h).tolist()
    )
    assert nomen.get_rng_state().tolist() == state
    assert getattr(nomen.zeros(0, 3), name)(*args).shape == (0, 3)
    assert getattr(nomen.zeros(()), name)(*args).shape == ()


def test_normal_of_tensors():
    mean, std = nomen.zeros(2, 3, names=("N", None)), nomen.ones(3, names=("C",))
    assert nomen.normal(mean, std).names == ("N", "C")
    assert nomen.normal(mean, 2).names == ("N", None) and nomen.normal(1, std).names == ("C",)
    assert nomen.normal(mean).shape == (2, 3)
    assert nomen.normal(0, 1, (2, 3), names=("N", "C"), dtype=nomen.float64).names == ("N", "C")
    out = nomen.empty(0)
    assert nomen.normal(mean, std, out=out) is out and out.names == ("N", "C")
    with pytest.raises(RuntimeError, match="Error when attempting to broadcast"):
        nomen.normal(nomen.zeros(3, names=("N",)), std)
    exact = nomen.normal(nomen.tensor([5.0, 7.0]), nomen.zeros(2))
    assert exact.tolist() == [5, 7]
    m = nomen.zeros(3, requires_grad=True)
    nomen.normal(m, 1).sum().backward()
    assert m.grad.tolist() == [0, 0, 0]
    assert nomen.normal(nomen.zeros(2, dtype=nomen.complex64), 1).dtype == nomen.complex64


def test_bernoulli_and_dropout():
    p = nomen.tensor([[0.0, 1.0], [1.0, 0.0]], names=("N", "C"))
    assert nomen.bernoulli(p).tolist() == p.tolist() and p.bernoulli().names == ("N", "C")
    assert nomen.zeros(2, 2, dtype=nomen.bool, names=("A", "B")).bernoulli_(p).names == ("A", "B")
    assert nomen.bernoulli(p, 1).tolist() == [[1, 1], [1, 1]]
    out = nomen.empty(0, dtype=nomen.int64)
    assert (
        nomen.bernoulli(p, out=out) is out
        and out.tolist() == [[0, 1], [1, 0]]
        and out.names == ("N", "C")
    )
    x = nomen.ones(3, 2, names=("N", "C"), requires_grad=True)
    y = nomen.dropout(x, 0.5, True)
    y.sum().backward()
    assert (
        y.names == ("N", "C")
        and x.grad.tolist() == y.tolist()
        and set(calls.flat(y.tolist())) <= {0, 2}
    )
    assert nomen.dropout(x, 0.5, False) is x and nomen.dropout(x, 1, True).sum().item() == 0
    z = nomen.ones(3)
    assert z.dropout_(1, True) is z and z.tolist() == [0, 0, 0]


def test_integers_and_permutations_have_names_and_dtypes():
    t = nomen.randint(3, (2, 2), names=("N", "C"), dtype=nomen.uint8)
    assert t.names == ("N", "C") and t.dtype == nomen.uint8 and t.max().item() <= 2
    assert nomen.randint(low=1, high=2, size=(2,)).tolist() == [1, 1]
    assert nomen.randint_like(t, 5, 6).names == ("N", "C") and nomen.randint_like(
        t, 1
    ).tolist() == [[0, 0], [0, 0]]
    assert nomen.randperm(3, names=("t",), dtype=nomen.int32).names == ("t",)
    out = nomen.empty(0, dtype=nomen.float32)
    assert nomen.randperm(5, out=out) is out and sorted(out.tolist()) == [0, 1, 2, 3, 4]
    assert nomen.randint(4, (3,), out=out).dtype == nomen.float32 and out.shape == (3,)
    assert nomen.zeros(3, dtype=nomen.int64).random_(2**62, None).min().item() >= 2**62
    assert nomen.zeros(3).uniform_(from_=2, to=2).tolist() == [2, 2, 2]
    assert nomen.zeros(3).uniform_(**{"from": 2, "to": 2}).tolist() == [2, 2, 2]
    assert nomen.rand(2, requires_grad=True).requires_grad
    assert nomen.normal(0, 1, (2,), requires_grad=True).requires_grad
    turned = nomen.zeros(3, 2, names=("A", "B")).t()
    assert nomen.rand_like(turned).stride() == (1, 2) and nomen.randn_like(turned).names == (
        "B",
        "A",
    )


X = nomen.zeros(3)
LONG = nomen.zeros(3, dtype=nomen.int64)
BYTE = nomen.zeros(3, dtype=nomen.uint8)
REFUSED = [
    (
        lambda: X.uniform_(2, 1),
        "uniform_ expects to return a [from, to) range, but found from=2 > to=1",
    ),
    (lambda: X.uniform_(0, math.inf), "to is out of bounds for float"),
    (lambda: X.uniform_(math.nan, 1), "from is out of bounds for float"),
    (lambda: X.uniform_(-3e38, 3e38), "uniform_ expects to-from <= std::numeric_limits"),
    (lambda: X.normal_(0, -1), "normal expects std >= 0.0, but found std -1"),
    (lambda: X.normal_(0, math.nan), "normal expects std >= 0.0, but found std nan"),
    (
        lambda: X.random_(5, 3),
        "random_ expects 'from' to be less than 'to', but got from=5 >= to=3",
    ),
    (lambda: X.random_(0), "random_ expects 'from' to be less than 'to', but got from=0 >= to=0"),
    (
        lambda: X.random_(2**25, None),
        "random_ expects 'from' casted to dtype to be less than or equal",
    ),
    (
        lambda: X.random_(2**25 + 1, 2**25 + 2),
        "random_ expects 'from' casted to dtype to be less than 'to'",
    ),
    (lambda: BYTE.random_(0, 257), "to - 1 is out of bounds for"),
    (lambda: BYTE.random_(-1, 5), "from is out of bounds for"),
    (lambda: BYTE.random_(300, None), "from is out of bounds for"),
    (
        lambda: BYTE.random_(-(2**63), None),
        "random_full_64_bits_range_kernel_cpu handles only int64",
    ),
    (lambda: LONG.random_(0, 2**63), "Overflow when unpacking long"),
    (lambda: LONG.uniform_(), "\"uniform\" not implemented for 'int64'"),
    (lambda: X.exponential_(-1), "exponential_ expects lambda >= 0.0, but found lambda=-1"),
    (lambda: X.log_normal_(0, 0), "log_normal_ expects std > 0.0, but found std=0"),
    (lambda: X.geometric_(1), "geometric_ expects p to be in (0, 1), but got p=1"),
    (lambda: X.bernoulli_(2), "bernoulli_ expects p to be in [0, 1], but got p=2"),
    (lambda: X.bernoulli_(nomen.tensor([2.0, 0, 0])), "Expected p_in >= 0 && p_in <= 1 to be true"),
    (
        lambda: X.bernoulli_(nomen.ones(2)),
        "The expanded size of the tensor (3) must match the existing size (2)",
    ),
    (lambda: X.bernoulli_(nomen.ones(2, 3)), "expand("),
    (lambda: nomen.bernoulli(LONG), "\"bernoulli\" not implemented for 'int64'"),
    (
        lambda: nomen.randint(3, 3, (3,)),
        "random_ expects 'from' to be less than 'to', but got from=3 >= to=3",
    ),
    (lambda: nomen.randint(300, (3,), dtype=nomen.uint8), "to - 1 is out of bounds for"),
    (lambda: nomen.randperm(-1), "Trying to create tensor with negative dimension -1: [-1]"),
    (lambda: nomen.randperm(5000, dtype=nomen.float16), "n cannot be greater than 2049 for"),
    (lambda: nomen.randperm(300, dtype=nomen.uint8), "value cannot be converted to type uint8"),
    (lambda: nomen.normal(X, X - 1), "normal expects all elements of std >= 0.0"),
    (
        lambda: nomen.normal(X, X.to(nomen.complex64)),
        "normal expects standard deviation to be non-complex",
    ),
    (
        lambda: nomen.normal(nomen.zeros(2, 2), X),
        "The size of tensor a (2) must match the size of tensor b (3)",
    ),
    (
        lambda: nomen.multinomial(X, 1),
        "invalid multinomial distribution (sum of probabilities <= 0)",
    ),
    (
        lambda: nomen.multinomial(X - 1, 1),
        "probability tensor contains either `inf`, `nan` or element < 0",
    ),
    (
        lambda: nomen.multinomial(X - 1, 1, True),
        "invalid multinomial distribution (encountering probability entry < 0)",
    ),
    (
        lambda: nomen.multinomial(X + 1, 4),
        "cannot sample n_sample > prob_dist.size(-1) samples without replacement",
    ),
    (lambda: nomen.multinomial(X, 0), "cannot sample n_sample <= 0 samples"),
    (lambda: nomen.multinomial(nomen.ones(1, 1, 1), 1), "prob_dist must be 1 or 2 dim"),
    (
        lambda: nomen.multinomial(LONG, 1),
        "multinomial only supports floating-point dtypes for input, got:",
    ),
    (lambda: nomen.multinomial(X + 1, 1, out=X), "multinomial expects Long tensor out, got:"),
    (lambda: nomen.poisson(X - 1), "invalid Poisson rate, expected rate to be non-negative"),
    (
        lambda: nomen.dropout(X, 1.5, True),
        "dropout probability has to be between 0 and 1, but got 1.5",
    ),
    (
        lambda: nomen.dropout(LONG, 0.5, True),
        "result type Float can't be cast to the desired output type",
    ),
]
WRONG = [
    (lambda: X.random_(0.5), "random_(): argument 'from' (position 1) must be int, not float"),
    (lambda: X.normal_(1j), "normal_(): argument 'mean' must be float, not complex"),
    (lambda: X.geometric_(), "geometric_() missing 1 required positional arguments"),
    (lambda: nomen.randint(3), 'randint() missing 1 required positional arguments: "size"'),
    (lambda: nomen.randint(3.5, (3,)), "randint(): argument 'high' must be int, not float"),
    (
        lambda: nomen.randint_like(X),
        'randint_like() missing 1 required positional arguments: "high"',
    ),
    (lambda: nomen.normal(1.0, 2.0), "normal() received an invalid combination of arguments"),
    (
        lambda: nomen.normal(X, X, (3,)),
        "normal(): argument 'size' is for mean and std that are numbers",
    ),
    (lambda: nomen.dropout(X, 0.5), 'dropout() missing 1 required positional arguments: "train"'),
]


@pytest.mark.parametrize(
    "error,call,text", [(RuntimeError, *r) for r in REFUSED] + [(TypeError, *r) for r in WRONG]
)
def test_refused(error, call, text):
    nomen.manual_seed(5)
    before = nomen.get_rng_state().tolist()
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value).startswith(text)
    assert X.tolist() == [0, 0, 0] and LONG.tolist() == [0, 0, 0] and BYTE.tolist() == [0, 0, 0]
    assert nomen.get_rng_state().tolist() == before
