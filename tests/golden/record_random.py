"""Records random.json: what PyTorch's CPU generator draws. Run with an interpreter that has torch 1.13:
/usr/bin/python3 tests/golden/record_random.py (Debian's python3-torch). Nothing else in the tree needs it.
"""

import json
import sys
from pathlib import Path

import torch

FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
INTEGERS = ["bool", "uint8", "int8", "int16", "int32", "int64"]
SEEDS = [0, 1, 67280421310721, 2**64 - 1]


def bits(t):
    return bytes(t.reshape(-1).view(torch.uint8).tolist()).hex() if t.numel() else ""


def case(kind, dtype, seed, skip, normals, n, a, b, fill, ulp=0):
    """skip words and single normal numbers are drawn first, one 64-bit word after."""
    torch.manual_seed(seed)
    torch.rand(skip)
    torch.randn(normals)
    values = fill(torch.empty(n, dtype=getattr(torch, dtype)))
    after = torch.empty(1, dtype=torch.int64).random_(-2**63, None)
    number = str if kind == "integers" else lambda value: float(value).hex()
    return {"kind": kind, "dtype": dtype, "seed": str(seed), "skip": skip, "normals": normals, "n": n,
            "a": number(a), "b": number(b), "ulp": ulp, "after": str(after.item()),
            "bits": bits(torch.view_as_real(values) if values.dtype.is_complex else values)}


def strided(fill):
    """Memory with gaps: there normal numbers are drawn one by one."""
    return lambda t: fill(t.new_empty(t.numel(), 2)[:, 0]).contiguous()


def cases():
    for i, dtype in enumerate(FLOATS + COMPLEX):
        for n in (0, 1, 2, 5, 16, 17, 40):
            yield case("uniform", dtype, SEEDS[(i + n) % 4], n % 3, 0, n, 0, 1, lambda t: t.uniform_())
        yield case("between", dtype, 5, 1, 1, 33, -2, 3.7, lambda t: t.uniform_(-2, 3.7))
        for n in (0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 40):
            yield case("normal", dtype, SEEDS[(i + n) % 4], n % 5, n % 2, n, 0, 1, lambda t: t.normal_(), ulp=4)
        yield case("normal", dtype, 6, 0, 1, 9, 1.5, 0.3, lambda t: t.normal_(1.5, 0.3), ulp=4)
        yield case("normal", dtype, 6, 0, 1, 50, 1.5, 0.3, lambda t: t.normal_(1.5, 0.3), ulp=4)
    for dtype in ("float32", "float64"):
        for skip in (0, 601, 623):
            yield case("uniform", dtype, 3, skip, 0, 650, 0, 1, lambda t: t.uniform_())
    yield case("normal", "float32", 4, 5, 1, 650, 0, 1, lambda t: t.normal_(), ulp=4)
    for dtype in INTEGERS + FLOATS:
        yield case("any", dtype, 7, 3, 0, 20, 0, 0, lambda t: t.random_())
        yield case("integers", dtype, 8, 0, 0, 20, 0, 2, lambda t: t.random_(0, 2))
        if dtype != "bool":
            yield case("integers", dtype, 9, 0, 0, 20, 1, 100, lambda t: t.random_(1, 101))
            yield case("geometric", dtype, 10, 0, 0, 20, 0.25, 0, lambda t: t.geometric_(0.25))
        if dtype != "float16":
            yield case("bernoulli", dtype, 11, 0, 0, 40, 0.3, 0, lambda t: t.bernoulli_(0.3))
    for dtype in ("int64", "float64"):
        yield case("integers", dtype, 12, 1, 0, 20, -2**40, 3 * 2**40, lambda t: t.random_(-2**40, 2**41))
        yield case("integers", dtype, 13, 1, 0, 20, 0, 0, lambda t: t.random_(-2**63, None))
    yield case("integers", "int64", 14, 1, 0, 20, 0, 2**32 - 1, lambda t: t.random_(0, 2**32 - 1))
    yield case("integers", "int64", 15, 1, 0, 20, 0, 2**32, lambda t: t.random_(0, 2**32))
    yield case("integers", "int32", 16, 1, 0, 20, -2**31, 2**32 - 1, lambda t: t.random_(-2**31, 2**31 - 1))
    for dtype in FLOATS:
        yield case("exponential", dtype, 17, 1, 0, 20, 1.5, 0, lambda t: t.exponential_(1.5), ulp=4)
        yield case("cauchy", dtype, 18, 1, 0, 20, 0.5, 2, lambda t: t.cauchy_(0.5, 2), ulp=4)
        yield case("log_normal", dtype, 19, 1, 1, 20, 0.5, 0.75, lambda t: t.log_normal_(0.5, 0.75), ulp=4)
        yield case("singly", dtype, 21, 1, 1, 40, 0.5, 0.75, strided(lambda t: t.normal_(0.5, 0.75)), ulp=4)
    for dtype in COMPLEX:
        yield case("singly", dtype, 22, 1, 0, 20, 0.5, 0.75, strided(lambda t: t.normal_(0.5, 0.75)), ulp=4)
    for rate in (0, 0.5, 9.5, 10, 1000):
        yield case("poisson", "float64", 23, 1, 0, 20, rate, 0, lambda t: torch.poisson(t.fill_(rate)))
    for n in (0, 1, 2, 100):
        yield case("permutation", "int64", 20 + n, 1, 1, n, 0, 0, lambda t: torch.randperm(t.numel()))


def main():
    assert torch.__version__.startswith("1.13"), torch.__version__
    path = Path(__file__).parent / "random.json"
    lines = [json.dumps(one) for one in cases()]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(f"{path.name}: {len(lines)} cases, {path.stat().st_size} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
